//! The funnel against what simulated viewers know of themselves: reports that come twice, late and in another order, answers
//! that are renamed and steps that go while somebody is there, orders of all kinds. Every number equals theirs.
//!
//! `CUTAWAY_FUNNEL_VISITS=1000000 cargo test --release --lib funnel_oracle -- --nocapture` is the long form;
//! `CUTAWAY_FUNNEL_SEED=7` repeats a run.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::db::{self, params};
use super::funnel::MOST_PATHS;
use super::{FunnelDays, Purchase, Store, Told, VisitEvent, projects};
use crate::api::{ProjectFunnel, StepFunnel};
use crate::domain::Num;
use crate::service::limits::VisitorLimits;

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
    seen: BTreeSet<&'static str>,
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

struct Stage {
    store: Store,
    workspace: i64,
    id: String,
    publish_id: String,
    told: Told,
    _folder: tempfile::TempDir,
}

impl Stage {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let owner = store.own_workspace().await.unwrap();
        let of = owner.clone();
        let insert = move |connection: &mut db::Connection| {
            // What is measured is no disk.
            connection.pragma_update(None, "synchronous", "off")?;
            let (number, made) = projects::insert(connection, &of, "Quiz")?;
            let answers = ANSWERS.map(|text| format!("{{\"text\":\"{text}\",\"next\":\"\"}}")).join(",");
            for step in STEPS {
                let products = if step == "right" {
                    format!("[{{\"store\":\"https://shop.example\",\"productId\":\"{PRODUCT}\"}}]")
                } else {
                    "[]".to_owned()
                };
                connection.execute(
                    "INSERT INTO step (id, project, name, answers, products, created_at, updated_at)
                     VALUES (?1, ?2, ?1, ?3, ?4, '', '')",
                    params![step, number, format!("[{answers}]"), products],
                )?;
            }
            Ok(made)
        };
        let made = store.writer.run(insert).await.unwrap();
        let limits = VisitorLimits { visits: u64::MAX, events: u64::MAX, bytes: u64::MAX };
        let told = Told { now: 0, tried_for: 0, limits };
        let (id, publish_id) = (made.id.as_str().to_owned(), made.publish_id.clone());
        Self { store, workspace: owner.workspace, id, publish_id, told, _folder: folder }
    }

    async fn change(&self) {
        let change = |connection: &mut db::Connection| {
            connection.execute("UPDATE step SET answers = replace(answers, 'Two', ?1)", [RENAMED])?;
            connection.execute("DELETE FROM step WHERE name = 'late'", [])?;
            Ok(())
        };
        self.store.writer.run(change).await.unwrap();
    }

    async fn reports(&self, session: &str, events: Vec<VisitEvent>, ended: bool, now: i64) -> bool {
        let told = Told { now, ..self.told };
        let (publish_id, session) = (self.publish_id.clone(), session.to_owned());
        self.store.add_visit_events(publish_id, session, events, ended, told).await.unwrap()
    }

    /// Tells of a visit as bad lines do: in parts, some twice, some before others. Ends it, or leaves that to silence.
    async fn tells(&self, dice: &mut Dice, session: &str, viewer: &Viewer) {
        let (mut parts, mut rest) = (Vec::new(), viewer.events.as_slice());
        while !rest.is_empty() {
            let (part, after) = rest.split_at(usize::try_from(1 + dice.below(9)).unwrap().min(rest.len()));
            parts.push(part);
            if dice.below(4) == 0 {
                parts.push(part);
            }
            rest = after;
        }
        if dice.below(3) == 0 {
            parts.reverse();
        }
        let now = viewer.now + 1000;
        for part in parts {
            let events = part.iter().map(|(event, at)| VisitEvent { ago: now - at, ..event.clone() }).collect();
            assert!(self.reports(session, events, false, now).await);
        }
        if dice.below(2) == 0 {
            assert!(self.reports(session, Vec::new(), true, now).await);
            // What comes behind the end is not kept, and counts no more.
            let late = VisitEvent { ago: 0, ..viewer.events.first().unwrap().0.clone() };
            assert!(!self.reports(session, vec![VisitEvent { number: 400, ..late }], false, now).await);
        } else {
            let before = now + 1;
            while self.store.end_silent_visits(before, now, 0).await.unwrap().is_some_and(|seen| seen <= before) {}
        }
    }

    /// Buys something now and then: the product that was seen, another one, and what nobody verified.
    async fn buys(&self, dice: &mut Dice, session: &str, viewer: &Viewer, known: &mut Known) {
        let amount = i64::try_from(10 + dice.below(90)).unwrap();
        let Num(price) = Num::from(amount);
        let kind = match dice.below(12) {
            // Two days later it is not what was seen that sold it.
            0 if viewer.seen.contains("right") => 0,
            0 | 1 => 1,
            2 => 2,
            _ => return,
        };
        let late = if kind == 1 { 2 * DAY } else { 1000 };
        let bought = Purchase {
            id: "order-1".to_owned(),
            text: String::new(),
            amount: Some(price),
            currency: Some("eur".to_owned()),
            products: vec![format!("{PRODUCT} 7")],
            verified: kind != 2,
        };
        for new in [true, false] {
            let told = Told { now: viewer.now + late, ..self.told };
            let (publish_id, session) = (self.publish_id.clone(), session.to_owned());
            assert_eq!(self.store.purchase(publish_id, session, bought.clone(), told).await.unwrap(), new);
        }
        known.orders[kind].0 += 1;
        known.orders[kind].1 += amount;
    }
}

pub(crate) fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

#[tokio::test]
async fn every_number_is_what_viewers_know_of_themselves() {
    let (visits, seed) = (number("CUTAWAY_FUNNEL_VISITS", 1500), number("CUTAWAY_FUNNEL_SEED", 1));
    let mut dice = Dice(seed);
    let stage = Stage::new().await;
    let mut known = Known::default();
    let first = 20_000 * DAY;
    let begun_at = Instant::now();
    // How long the last visits took, from their first report to what they bought.
    let mut last = Vec::new();
    for visit in 0..visits {
        let part = i64::try_from(visit * 30 / visits).unwrap();
        let begun = first + part * DAY + i64::try_from(dice.below(3600 * 1000)).unwrap();
        if visit == visits / 2 {
            stage.change().await;
        }
        let now = if visit < visits / 2 { Project::AtFirst } else { Project::Changed };
        // Some pages were opened before it changed, and play on as it was.
        let plays = if dice.below(5) == 0 { Project::AtFirst } else { now };
        let viewer = Viewer::walk(&mut dice, begun, plays);
        let key = Some(format!("{visit:032}"));
        let open = || stage.store.begin_visit(stage.publish_id.clone(), None, key.clone(), begun, stage.told.limits);
        let session = open().await.unwrap().unwrap().session;
        // The answer got lost: the same visit begins twice.
        assert_eq!(open().await.unwrap().unwrap().session, session);
        let told_at = Instant::now();
        stage.tells(&mut dice, &session, &viewer).await;
        known.add(&viewer, now, begun.div_euclid(DAY));
        stage.buys(&mut dice, &session, &viewer, &mut known).await;
        if visits - visit <= 1000 {
            last.push(told_at.elapsed());
        }
    }
    let built = begun_at.elapsed();
    last.sort_unstable();
    let [middle, slowest] = [last[last.len() / 2], last[last.len() - 1]];
    let begun_at = Instant::now();
    let funnel = stage.store.funnel(stage.workspace, stage.id.clone(), FunnelDays::ALL).await.unwrap();
    let shown = begun_at.elapsed();
    println!("seed {seed}: {visits} visits in {built:?}, shown in {shown:?}");
    println!("of the last {} visits one took {middle:?} to count, the slowest {slowest:?}", last.len());
    known.matches(&funnel);
    // What is read to show it grows with days and versions, not with visits.
    let rows = |connection: &mut db::Connection| {
        Ok(connection.query_row("SELECT count(*) FROM funnel", [], |row| row.get::<i64>(0))?)
    };
    let rows = stage.store.writer.run(rows).await.unwrap();
    let most = i64::try_from(known.days.len()).unwrap() * 2 * (MOST_PATHS + 100);
    println!("{rows} rows of numbers, at most {most}");
    assert!(rows <= most, "{rows}");
    assert_eq!(funnel.versions.len(), 2);
    // What the versions had comes to what all had.
    for step in &funnel.steps {
        let of = |count: fn(&StepFunnel) -> Num| -> i64 {
            let steps = funnel.versions.iter().flat_map(|version| version.steps.iter().flatten());
            steps.filter(|one| one.name == step.name).map(|one| count(one).whole().unwrap()).sum()
        };
        let by_version = [of(|step| step.seen), of(|step| step.left), of(|step| step.back)];
        let all = [step.seen, step.left, step.back].map(|count| count.whole().unwrap());
        assert_eq!(by_version, all, "{}", step.name);
    }
    // Nothing that a visitor wrote is kept: what the project did not have is a number.
    let kept = |connection: &mut db::Connection| {
        let sql = "SELECT count(*) FROM funnel WHERE step LIKE '%@%' OR what LIKE '%@%'";
        Ok(connection.query_row(sql, [], |row| row.get::<i64>(0))?)
    };
    assert_eq!(stage.store.writer.run(kept).await.unwrap(), 0);

    // Ten days are theirs alone; and the numbers go with the project.
    let days = FunnelDays { first: 20_010, last: 20_019 };
    let part = stage.store.funnel(stage.workspace, stage.id.clone(), days).await.unwrap();
    let expected: i64 = known.days.range(20_010..=20_019).map(|(_, count)| *count).sum();
    assert_eq!(part.visits.whole(), Some(expected));
    assert_eq!(part.since.as_deref(), Some("2024-10-14"));
    assert!(begun_at.elapsed() < Duration::from_secs(5));
}

/// What the shop verified is counted by product, where the shop has it: once an order, and whatever the variant.
#[tokio::test]
async fn verified_orders_count_for_the_products_that_the_shop_has() {
    let stage = Stage::new().await;
    let of = stage.workspace;
    let insert = move |connection: &mut db::Connection| {
        let store = "INSERT INTO store (workspace, app_url) VALUES (?1, 'https://shop.example')";
        connection.execute(store, [of])?;
        let known = "SELECT max(id) FROM store WHERE workspace = ?1";
        let store: i64 = connection.query_row(known, [of], |row| row.get(0))?;
        let product =
            "INSERT INTO product (id, store, external, version, published, inventory) VALUES (?1, ?2, ?3, 1, 1, 1)";
        for (number, id) in [(7001, PRODUCT), (7002, "1002")] {
            connection.execute(product, params![number, store, id])?;
        }
        for number in 2001..2001 + 2 * MOST_PATHS {
            connection.execute(product, params![10_000 + number, store, number.to_string()])?;
        }
        Ok(())
    };
    stage.store.writer.run(insert).await.unwrap();
    let begin = stage.store.begin_visit(stage.publish_id.clone(), None, None, DAY, stage.told.limits);
    let session = begin.await.unwrap().unwrap().session;
    let buys = async |id: &str, products: &[&str], amount: f64, verified: bool| {
        let bought = Purchase {
            id: id.to_owned(),
            text: String::new(),
            amount: Some(amount),
            currency: Some("EUR".to_owned()),
            products: products.iter().map(|id| (*id).to_owned()).collect(),
            verified,
        };
        let told = Told { now: DAY + 1, ..stage.told };
        stage.store.purchase(stage.publish_id.clone(), session.clone(), bought, told).await.unwrap()
    };
    assert!(buys("a", &["1001 7", "1001 8", "kari@example.com"], 40.0, true).await);
    assert!(!buys("a", &["1001"], 40.0, true).await, "told twice");
    assert!(buys("b", &["1002", "1001"], 60.5, true).await);
    assert!(buys("c", &["1002"], 1000.0, false).await, "nobody verified it");
    let funnel = stage.store.funnel(stage.workspace, stage.id.clone(), FunnelDays::ALL).await.unwrap();
    let sold = funnel.sold.unwrap();
    let sold: Vec<_> =
        sold.iter().map(|one| (one.id.as_str(), one.orders, one.amount, one.currency.as_str())).collect();
    assert_eq!(sold, [("1001", Num(2.0), Num(100.5), "EUR"), ("1002", Num(1.0), Num(60.5), "EUR")]);

    // However many products a day sells, the one that sells most counts, also where it comes last.
    let all: Vec<String> = (2001..2001 + 2 * MOST_PATHS).map(|id| id.to_string()).collect();
    assert!(buys("d", &all.iter().map(String::as_str).collect::<Vec<_>>(), 1.0, true).await);
    let last = all.last().unwrap();
    assert!(buys("e", &[last], 500.0, true).await);
    let funnel = stage.store.funnel(stage.workspace, stage.id.clone(), FunnelDays::ALL).await.unwrap();
    let sold = funnel.sold.unwrap();
    assert_eq!((sold[0].id.as_str(), sold[0].orders, sold[0].amount), (last.as_str(), Num(2.0), Num(501.0)));
}

/// The steps of a version go once no visit is left that met them, its numbers stay, and it counts on where it comes again.
#[tokio::test]
async fn what_no_visit_needs_is_not_kept() {
    let stage = Stage::new().await;
    let begin = async |now: i64, key: &str| {
        let (publish_id, key) = (stage.publish_id.clone(), Some(key.to_owned()));
        stage.store.begin_visit(publish_id, None, key, now, stage.told.limits).await.unwrap().unwrap()
    };
    let seen = |session: String, now: i64| {
        let event = VisitEvent {
            number: 0,
            name: "step_shown".to_owned(),
            step: Some("first".to_owned()),
            video: None,
            text: Some("first".to_owned()),
            ago: 0,
        };
        let stage = &stage;
        async move { assert!(stage.reports(&session, vec![event], true, now).await) }
    };
    let kept = async || {
        let sql = "SELECT count(*) FROM funnel_version WHERE steps <> ''";
        stage.store.writer.run(move |connection| Ok(connection.query_row(sql, [], |row| row.get::<i64>(0))?)).await
    };
    seen(begin(DAY, "one").await.session, DAY + 1).await;
    stage.store.sweep(2 * DAY).await.unwrap();
    assert_eq!(kept().await.unwrap(), 1, "its visit is there");
    stage.store.sweep(40 * DAY).await.unwrap();
    assert_eq!(kept().await.unwrap(), 0);
    seen(begin(41 * DAY, "two").await.session, 41 * DAY + 1).await;
    assert_eq!(kept().await.unwrap(), 1);
    let funnel = stage.store.funnel(stage.workspace, stage.id.clone(), FunnelDays::ALL).await.unwrap();
    let first = funnel.steps.iter().find(|step| step.name == "first").unwrap();
    assert_eq!((funnel.visits, first.seen), (Num(2.0), Num(2.0)));
}
