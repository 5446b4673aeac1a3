//! What the rules over projects and over their products find of the draft: products on steps against the catalog, promises,
//! endings, long videos, odd prices. They stand among the problems of the steps themselves.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::listing::Listing;
use super::vocabulary::Turn;
use super::{Answer, Editor, Effect};
use crate::domain::{ProductId, VideoId, text};
use crate::draft::ProjectFormat;
use crate::graph::{Fault, Fix, Kind, Severity};
use crate::lint::{self, Film, Films, Limits, Problem, Reaches, Record, Rule, Shelf, Wired, Wiring};
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
        let mut wiring = Wiring::new(Limits::default());
        let links = graph.nodes().iter().flat_map(|node| &node.products);
        let stock: Option<Shelf> = self.shared.catalog.stock(links);
        let mut problems = stock.map(|stock| wiring.project(&wired, &stock)).unwrap_or_default();
        // A project that shows no product at all has no ending that lacks one.
        problems.retain(|problem| offers || problem.rule != Rule::EndWithoutOffer);
        let film = |seconds: &f64| Film { seconds: Some(*seconds), ..Film::default() };
        let films: Films = seconds.iter().map(|(video, seconds)| (video.clone(), film(seconds))).collect();
        problems.extend(wiring.films(&wired, &films));
        let mut problems: Vec<_> = problems.into_iter().map(|problem| (Place::of(&problem), problem)).collect();
        problems.extend(self.of_products(&wired));
        let share = |problem: &Problem| problem.reach.map_or(0.0, |reach| reach.share);
        problems.sort_by(|(_, one), (_, other)| share(other).total_cmp(&share(one)));
        problems.into_iter().map(|(place, problem)| fault(problem, place, &wired, ignored)).collect()
    }

    /// What is wrong with the products that steps show, as the rules over the shop find it: each at the step that most come to.
    fn of_products(&self, wired: &Wired) -> Vec<(Place, Problem)> {
        let nodes = wired.graph.nodes().iter().enumerate();
        let links =
            nodes.flat_map(|(step, node)| node.products.iter().enumerate().map(move |(at, link)| (step, at, link)));
        let shares: Vec<f64> = (0..wired.graph.len()).map(|step| wired.reach(step).share).collect();
        let share = |step: usize| shares.get(step).copied().unwrap_or_default();
        let mut places: HashMap<&ProductId, usize> = HashMap::new();
        let mut shown: Vec<((usize, usize), &Listing)> = Vec::new();
        for (step, at, link) in links {
            let Some(listing) = self.shared.catalog.listed(link) else { continue };
            let place = *places.entry(&link.product_id).or_insert(shown.len());
            match shown.get_mut(place) {
                Some((before, _)) if share(step) > share(before.0) => *before = (step, at),
                Some(_) => {}
                None => shown.push(((step, at), listing)),
            }
        }
        let of = |((step, at), listing): ((usize, usize), &Listing)| {
            let (title, reach) = (listing.title.clone(), wired.reach(step));
            let place = Place { step: Some(step), port: None, product: Some(at) };
            let told = move |problem: &Problem| {
                let mut problem = problem.clone();
                problem.sentence = format!("\"{title}\": {}", problem.sentence);
                problem.reach = Some(reach);
                (place, problem)
            };
            listing.offer.on_card().iter().map(told).collect::<Vec<_>>()
        };
        shown.into_iter().flat_map(of).collect()
    }
}

/// Where a problem of a project is: a step of its graph, one of its answers, one of its products.
#[derive(Clone, Copy, Default)]
struct Place {
    step: Option<usize>,
    port: Option<usize>,
    product: Option<usize>,
}

impl Place {
    /// That of a problem that a rule over projects found.
    fn of(problem: &Problem) -> Self {
        let Record::Step { step, port, .. } = &problem.record else { return Self::default() };
        let rest = problem.field.strip_prefix("products[").and_then(|rest| rest.split(']').next());
        Self { step: Some(*step), port: *port, product: rest.and_then(|at| at.parse().ok()) }
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

/// A problem in the shape of what the check of the steps finds.
fn fault(problem: Problem, place: Place, wired: &Wired, ignored: &HashSet<String>) -> Fault {
    let Place { step, port, product } = place;
    let severity = match problem.severity() {
        lint::Severity::Error => Severity::Fault,
        lint::Severity::Warning => Severity::Warning,
        lint::Severity::Note => Severity::Note,
    };
    let key = problem.key();
    let reach = problem.reach.map(|reach| format!(" ({})", reach.told())).unwrap_or_default();
    let who = step.map_or("the project", |step| wired.graph.name(step));
    let fix = match (&problem.fix, step.zip(product)) {
        (Some(lint::Fix::ChooseProducts), Some((step, product))) => Some(Fix::ChooseProducts { step, product }),
        _ => None,
    };
    Fault {
        kind: Kind::Linted(problem.rule.id(), severity),
        meant: ignored.contains(&key),
        key,
        step,
        port,
        value: String::new(),
        sentence: format!("{who}: {}{reach}", problem.sentence),
        way: Vec::new(),
        fix,
    }
}
