//! What the rules over projects and over their products find of the draft: products on steps against the catalog, promises,
//! endings, long videos, odd prices. They stand among the problems of the steps themselves.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::looked::Told;
use super::vocabulary::Turn;
use super::{Answer, Editor, Effect};
use crate::domain::{ProductId, VideoId, text};
use crate::draft::ProjectFormat;
use crate::graph::Fault;
use crate::lint::{Film, Films, Limits, Problem, Reach, Reaches, Record, Rule, Wired, Wiring};
use crate::studio::ground::NoticeKind;
use crate::studio::widgets::{Prompt, Question};

impl Editor {
    /// What the rules find of the project as it stands, what most viewers or paths meet first. What is not known yet, because
    /// products are still looked up or the video library was not read, is no problem.
    pub(super) fn linted(&self, seconds: &HashMap<VideoId, f64>, ignored: &HashSet<String>) -> Vec<Fault> {
        let graph = &self.shown.graph;
        let offers = graph.nodes().iter().any(|node| !node.products.is_empty());
        if !offers && seconds.is_empty() {
            return Vec::new();
        }
        let head = self.draft.content().head();
        let wired = Wired {
            id: self.session.id.as_str().to_owned(),
            name: head.name.clone().unwrap_or_default(),
            graph: Arc::clone(graph),
            reaches: Reaches::of(graph, self.funnel()),
        };
        let is_meant = |key: &str| ignored.contains(key);
        let mut faults: Vec<(f64, Fault)> = Vec::new();
        for kind in 0..2 {
            for (step, found) in self.shown.found.iter().enumerate() {
                let Some(told) = found.told.get(kind).filter(|told| !told.is_empty()) else { continue };
                let reach = wired.reach(step);
                faults.extend(told.iter().map(|told| (reach.share, told.fault(Some(step), Some(reach), is_meant))));
            }
        }
        let mut wiring = Wiring::new(Limits::default());
        // A project that shows no product at all has no ending that lacks one.
        let mut problems = if offers && self.shared.catalog.has_store() { wiring.endings(&wired) } else { Vec::new() };
        let film = |seconds: &f64| Film { seconds: Some(*seconds), ..Film::default() };
        let films: Films = seconds.iter().map(|(video, seconds)| (video.clone(), film(seconds))).collect();
        problems.extend(wiring.films(&wired, &films));
        faults.extend(problems.iter().map(|problem| {
            let step = if let Record::Step { step, .. } = &problem.record { Some(*step) } else { None };
            let who = step.map_or("the project", |step| graph.name(step));
            let share = problem.reach.map_or(0.0, |reach| reach.share);
            (share, Told::of(problem, who, None).fault(step, problem.reach, is_meant))
        }));
        self.of_products(&wired, is_meant, &mut faults);
        faults.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        faults.into_iter().map(|(_, fault)| fault).collect()
    }

    /// What is wrong with the products that steps show, as the rules over the shop find it: each at the step that most come to.
    fn of_products(&self, wired: &Wired, is_meant: impl Fn(&str) -> bool + Copy, faults: &mut Vec<(f64, Fault)>) {
        let mut places: HashMap<&ProductId, usize> = HashMap::new();
        let mut shown: Vec<(usize, Reach, usize, &[Problem])> = Vec::new();
        for (step, found) in self.shown.found.iter().enumerate().filter(|(_, found)| !found.cards.is_empty()) {
            let reach = wired.reach(step);
            for (product, at, problems) in &found.cards {
                let place = *places.entry(product).or_insert(shown.len());
                match shown.get_mut(place) {
                    Some(before) if reach.share > before.1.share => *before = (step, reach, *at, problems),
                    Some(_) => {}
                    None => shown.push((step, reach, *at, problems)),
                }
            }
        }
        for (step, reach, at, problems) in shown {
            let told = |problem: &Problem| Told::of(problem, wired.graph.name(step), Some(at));
            let fault = |problem| (reach.share, told(problem).fault(Some(step), Some(reach), is_meant));
            faults.extend(problems.iter().map(fault));
        }
    }
}

impl Editor {
    /// Asks where to save the problems that are ignored.
    pub(super) fn ask_baseline(&self, turn: &mut Turn) {
        if self.draft.content().head().meant.is_empty() {
            turn.say(NoticeKind::Hint, "No problem is ignored. M ignores the selected one.");
            return;
        }
        turn.question(Question::line(Prompt::new("Save ignored problems to file", "known.txt"), Answer::BaselineFile));
    }

    /// Saves them, under the names that `cutaway lint --baseline` knows them by.
    pub(super) fn save_baseline(&self, path: String, turn: &mut Turn) {
        let project = &self.session.id;
        let mut keys: Vec<String> = self.draft.content().head().meant.iter().cloned().collect();
        keys.sort();
        let of_rule = |key: &str| key.split(' ').next().is_some_and(|word| Rule::by_word(word).is_some());
        let line = |key: &String| if of_rule(key) { key.clone() } else { format!("wiring {project} {key}") };
        let mut content =
            String::from("# Problems that cutaway lint ignores: one per line. Delete a line to see it again.\n");
        for key in &keys {
            content.push_str(&text::line(&line(key)));
            content.push('\n');
        }
        let request = turn.next_id();
        turn.ask(Effect::Export { request, file: path, format: ProjectFormat::Toml, content });
    }
}
