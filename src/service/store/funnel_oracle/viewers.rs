//! Viewers who know what they did, and what all of them did.

use std::collections::{BTreeMap, BTreeSet};

use super::super::VisitEvent;
use crate::api::ProjectFunnel;
use crate::domain::Num;

pub(crate) const DAY: i64 = 24 * 3600 * 1000;
pub(crate) const STEPS: [&str; 5] = ["first", "left", "right", "late", "last"];
pub(crate) const ANSWERS: [&str; 3] = ["One", "Two", "Three"];
pub(crate) const RENAMED: &str = "Two and a half";
pub(crate) const PRODUCT: &str = "1001";

/// Random numbers (SplitMix64): small, and the same everywhere.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

/// What viewers did, as they know it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Known {
    visits: i64,
    completed: i64,
    pub(crate) days: BTreeMap<i64, i64>,
    seen: BTreeMap<&'static str, i64>,
    left: BTreeMap<&'static str, i64>,
    back: BTreeMap<&'static str, i64>,
    shown: i64,
    clicked: i64,
    chosen: BTreeMap<(&'static str, &'static str), i64>,
    gone_answers: BTreeMap<&'static str, i64>,
    gone: [i64; 3],
    stayed: BTreeMap<&'static str, Vec<i64>>,
    pub(crate) orders: [(i64, i64); 3],
    /// By the steps as they were first seen.
    paths: BTreeMap<String, i64>,
}

/// Whether the project has changed: the second answers have another text, and one step is gone.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Project {
    AtFirst,
    Changed,
}

/// One viewer: where they were and what they did, which is told in the end.
pub(crate) struct Viewer {
    pub(crate) events: Vec<(VisitEvent, i64)>,
    pub(crate) now: i64,
    walked: Vec<&'static str>,
    pub(super) seen: BTreeSet<&'static str>,
    back: BTreeSet<&'static str>,
    chosen: BTreeSet<(&'static str, &'static str)>,
    stayed: BTreeMap<&'static str, i64>,
    clicked: bool,
    completed: bool,
}

impl Viewer {
    fn does(&mut self, name: &str, step: Option<&str>, text: Option<&str>) {
        let [step, text] = [step, text].map(|text| text.map(str::to_owned));
        let number = u32::try_from(self.events.len()).unwrap();
        let event = VisitEvent { number, name: name.to_owned(), step, video: None, text, ago: 0 };
        self.events.push((event, self.now));
    }

    fn comes_to(&mut self, step: &'static str) {
        self.does("step_shown", Some(step), Some("What it says"));
        self.seen.insert(step);
        self.walked.push(step);
        if step == "right" {
            self.does("product_shown", Some(step), Some(PRODUCT));
        }
    }

    /// From the first step on, by the chain: a third of a third of viewers leave at each step.
    pub(crate) fn walk(dice: &mut Dice, begun: i64, project: Project) -> Self {
        let mut viewer = Self {
            events: Vec::new(),
            now: begun,
            walked: Vec::new(),
            seen: BTreeSet::new(),
            back: BTreeSet::new(),
            chosen: BTreeSet::new(),
            stayed: BTreeMap::new(),
            clicked: false,
            completed: false,
        };
        viewer.comes_to(STEPS[0]);
        while viewer.events.len() < 60 {
            let at = *viewer.walked.last().unwrap();
            let stays = i64::try_from(200 + dice.below(20_000)).unwrap();
            viewer.now += stays;
            if dice.below(9) == 0 {
                return viewer;
            }
            if at == "right" && dice.below(4) == 0 {
                viewer.does("product_clicked", Some(at), Some(PRODUCT));
                viewer.clicked = true;
            }
            // A name that nobody gave the product, and an event that nobody counts.
            if dice.below(20) == 0 {
                viewer.does("product_clicked", Some(at), Some("kari@example.com"));
                viewer.does("video_started", Some(at), None);
            }
            viewer.stayed.entry(at).or_insert(stays);
            if viewer.walked.len() > 1 && dice.below(6) == 0 {
                viewer.does("back", Some(at), None);
                viewer.back.insert(at);
                viewer.walked.pop();
                let before = viewer.walked.pop().unwrap();
                viewer.comes_to(before);
                continue;
            }
            let number = usize::try_from(dice.below(3)).unwrap();
            let text = if number == 1 && project == Project::Changed { RENAMED } else { ANSWERS[number] };
            viewer.does("answer_selected", Some(at), Some(text));
            viewer.chosen.insert((at, text));
            if at == "last" {
                viewer.does("completed", Some(at), None);
                viewer.completed = true;
                return viewer;
            }
            let next = STEPS.iter().position(|step| *step == at).unwrap() + 1 + number;
            viewer.comes_to(STEPS[next.min(4)]);
        }
        viewer
    }
}

impl Known {
    /// Counts a viewer whose visit began when the project was `begun`, as a changed project reports it.
    pub(crate) fn add(&mut self, viewer: &Viewer, begun: Project, day: i64) {
        self.visits += 1;
        *self.days.entry(day).or_default() += 1;
        self.completed += i64::from(viewer.completed);
        let knows = |step: &str| begun == Project::AtFirst || step != "late";
        let count = |to: &mut BTreeMap<&'static str, i64>, step| *to.entry(step).or_default() += 1;
        for step in &viewer.seen {
            match (*step, knows(step)) {
                (_, false) => self.gone[2] += 1,
                ("late", true) => self.gone[0] += 1,
                (step, true) => count(&mut self.seen, step),
            }
        }
        if let Some(last) = viewer.walked.last().filter(|_| !viewer.completed) {
            if *last == "late" { self.gone[1] += 1 } else { count(&mut self.left, last) }
        }
        let mut path: Vec<&str> = Vec::new();
        for (event, _) in viewer.events.iter().filter(|(event, _)| event.name == "step_shown") {
            let step = STEPS.into_iter().find(|step| Some(*step) == event.step.as_deref()).unwrap();
            if knows(step) && !path.contains(&step) {
                path.push(step);
            }
        }
        *self.paths.entry(path.join(" ")).or_default() += 1;
        for step in viewer.back.iter().filter(|step| **step != "late") {
            count(&mut self.back, step);
        }
        for (step, text) in viewer.chosen.iter().filter(|(step, _)| *step != "late") {
            // What a step is asked now, whoever chose it; the rest is said to be gone.
            let had = if begun == Project::Changed { *text != "Two" } else { *text != RENAMED };
            if had && *text != "Two" {
                *self.chosen.entry((*step, *text)).or_default() += 1;
            } else {
                count(&mut self.gone_answers, step);
            }
        }
        self.shown += i64::from(viewer.seen.contains("right"));
        self.clicked += i64::from(viewer.clicked);
        for (step, stayed) in viewer.stayed.iter().filter(|(step, _)| **step != "late") {
            self.stayed.entry(step).or_default().push(*stayed);
        }
    }

    pub(crate) fn matches(&self, funnel: &ProjectFunnel) {
        let whole = |number: Num| number.whole().unwrap();
        assert_eq!((whole(funnel.visits), whole(funnel.completed)), (self.visits, self.completed));
        let days: Vec<i64> = funnel.days.iter().map(|day| whole(day.visits)).collect();
        assert_eq!(days, self.days.values().copied().collect::<Vec<_>>());
        assert_eq!([funnel.gone.seen, funnel.gone.left, funnel.gone.unknown].map(whole), self.gone);
        let of = |counts: &BTreeMap<&str, i64>, step: &str| counts.get(step).copied().unwrap_or_default();
        assert_eq!(
            funnel.steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>(),
            ["first", "left", "right", "last"]
        );
        for step in &funnel.steps {
            let name = step.name.as_str();
            assert_eq!(whole(step.seen), of(&self.seen, name), "{name} seen");
            assert_eq!(whole(step.left), of(&self.left, name), "{name} left");
            assert_eq!(whole(step.back), of(&self.back, name), "{name} back");
            assert_eq!(whole(step.gone_answers), of(&self.gone_answers, name), "{name} gone answers");
            for answer in &step.answers {
                let chosen = self.chosen.iter().find(|((at, text), _)| *at == name && *text == answer.text);
                assert_eq!(whole(answer.chosen), chosen.map_or(0, |(_, count)| *count), "{name} {}", answer.text);
            }
            let mut stayed = self.stayed.get(name).cloned().unwrap_or_default();
            stayed.sort_unstable();
            let Num(middle) = Num::from(stayed.get(stayed.len() / 2).copied().unwrap_or_default());
            let Num(median) = step.median_seconds.unwrap_or(Num(middle / 1000.0));
            assert!((median * 1000.0 / middle - 1.0).abs() < 0.15, "{name}: {median} s of {middle} ms");
            let products: Vec<_> =
                step.products.iter().map(|one| (one.id.as_str(), whole(one.shown), whole(one.clicked))).collect();
            let expected = if name == "right" { vec![(PRODUCT, self.shown, self.clicked)] } else { Vec::new() };
            assert_eq!(products, expected, "{name}");
        }
        let paths: i64 = funnel.paths.iter().map(|path| whole(path.visits)).sum();
        assert_eq!(paths, self.paths.values().sum::<i64>());
        for path in funnel.paths.iter().filter(|path| !path.steps.is_empty()) {
            assert_eq!(Some(&whole(path.visits)), self.paths.get(&path.steps.join(" ")), "{path:?}");
        }
        let sold = [&funnel.direct, &funnel.indirect, &funnel.unverified].map(|sold| {
            sold.iter().fold((0, 0), |(orders, amount), one| (orders + whole(one.orders), amount + whole(one.amount)))
        });
        assert_eq!(sold, self.orders);
    }
}
