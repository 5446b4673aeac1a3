//! What the rules over projects and over their products find of the draft: products on steps against the catalog, promises,
//! endings, long videos, odd prices. They stand among the problems of the steps themselves.

use std::collections::HashMap;
use std::sync::Arc;

use super::looked::fault_of;
use super::problems::Met;
use super::vocabulary::Turn;
use super::{Answer, Editor, Effect};
use crate::api::ProjectFunnel;
use crate::domain::{ProductId, VideoId};
use crate::draft::ProjectFormat;
use crate::graph::Fault;
use crate::lint::{Film, Films, Limits, Reach, Reaches, Record, Rule, Wired, Wiring, baseline_text};
use crate::studio::ground::NoticeKind;
use crate::studio::widgets::{Prompt, Question};

impl Editor {
    /// The project as the rules see it, with who comes where: viewers where some were counted, else paths.
    pub(super) fn wired(&mut self) -> Wired {
        let (graph, known) = (Arc::clone(&self.shown.graph), self.shown.reaches.take());
        let counted = self.funnel().cloned();
        let is_of = |of: &Option<Arc<ProjectFunnel>>| of.as_ref().map(Arc::as_ptr) == counted.as_ref().map(Arc::as_ptr);
        let reaches = match known.filter(|(of, _)| is_of(of)) {
            Some((_, reaches)) => reaches,
            None => Reaches::of(&graph, counted.as_deref()),
        };
        self.shown.reaches = Some((counted, reaches.clone()));
        let name = self.draft.content().head().name.clone().unwrap_or_default();
        Wired { id: self.session.id.as_str().to_owned(), name, graph, reaches }
    }

    /// What the rules find of the project as it stands, each with who meets it. What is not known yet, because products are
    /// still looked up or the video library was not read, is no problem.
    pub(super) fn linted(&self, wired: &Wired, seconds: &HashMap<VideoId, f64>) -> Vec<Met> {
        let mut all = Vec::new();
        for kind in 0..2 {
            for (step, found) in self.shown.found.iter().enumerate() {
                let Some(told) = found.told.get(kind).filter(|told| !told.is_empty()) else { continue };
                let reach = wired.reach(step);
                all.extend(told.iter().map(|fault| Met { fault: Arc::clone(fault), reach }));
            }
        }
        let mut wiring = Wiring::new(Limits::default());
        // A project that shows no product at all has no ending that lacks one.
        let offers = wired.graph.nodes().iter().any(|node| !node.products.is_empty());
        let mut problems = if offers && self.shared.catalog.has_store() { wiring.endings(wired) } else { Vec::new() };
        let film = |seconds: &f64| Film { seconds: Some(*seconds), ..Film::default() };
        let films: Films = seconds.iter().map(|(video, seconds)| (video.clone(), film(seconds))).collect();
        problems.extend(wiring.films(wired, &films));
        all.extend(problems.iter().map(|problem| {
            let step = if let Record::Step { step, .. } = &problem.record { Some(*step) } else { None };
            let who = step.map_or("the project", |step| wired.graph.name(step));
            let reach = problem.reach.unwrap_or_else(|| wired.reaches.all());
            Met { fault: fault_of(problem, who, step, None), reach }
        }));
        self.of_products(wired, &mut all);
        all
    }

    /// What is wrong with the products that steps show, as the rules over the shop find it: each at the step that most come to.
    fn of_products(&self, wired: &Wired, all: &mut Vec<Met>) {
        let mut places: HashMap<&ProductId, usize> = HashMap::new();
        let mut shown: Vec<(Reach, &[Arc<Fault>])> = Vec::new();
        for (step, found) in self.shown.found.iter().enumerate().filter(|(_, found)| !found.cards.is_empty()) {
            let reach = wired.reach(step);
            for (product, faults) in &found.cards {
                let place = *places.entry(product).or_insert(shown.len());
                match shown.get_mut(place) {
                    Some(before) if reach.share > before.0.share => *before = (reach, faults),
                    Some(_) => {}
                    None => shown.push((reach, faults)),
                }
            }
        }
        for (reach, faults) in shown {
            all.extend(faults.iter().map(|fault| Met { fault: Arc::clone(fault), reach }));
        }
    }
}

impl Editor {
    /// Asks where to save the problems that are ignored.
    pub(super) fn ask_baseline(&self, turn: &mut Turn) {
        if self.draft.content().head().meant.is_empty() {
            turn.say(NoticeKind::Hint, "No problem is ignored. ‹steps.problem.ignore› ignores the selected one.");
            return;
        }
        turn.question(Question::line(Prompt::new("Save ignored problems to file", "known.txt"), Answer::BaselineFile));
    }

    /// Saves them, under the names that `cutaway lint --baseline` knows them by.
    pub(super) fn save_baseline(&self, path: String, turn: &mut Turn) {
        let project = &self.session.id;
        let of_rule = |key: &str| key.split(' ').next().is_some_and(|word| Rule::by_word(word).is_some());
        let line = |key: &String| if of_rule(key) { key.clone() } else { format!("wiring {project} {key}") };
        let keys: Vec<String> = self.draft.content().head().meant.iter().map(line).collect();
        let content = baseline_text(&keys);
        let request = turn.next_id();
        turn.ask(Effect::Export { request, file: path, format: ProjectFormat::Toml, content });
    }
}
