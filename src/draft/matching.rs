//! Which step of a project each step of a file is, where no name says so: by what it says, then by what leads where, round
//! by round (Weisfeiler and Leman's refinement), so that steps that say the same are not taken for one another.

use std::collections::{BTreeMap, HashMap};

use super::content::StepContent;
use super::draft::Draft;
use super::file::{FileStep, ProjectFile};
use super::file_products::{FileProduct, WITH_PRODUCTS};
use super::refs::{StepRef, Target};
use crate::domain::VideoId;

/// Where an answer leads, as far as both sides can say it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Leads {
    End,
    To(usize),
    Nowhere(String),
}

/// What a step says by itself: description, text, video, milliseconds, answers, products.
type Said = (String, String, String, Option<u64>, Vec<String>, String);

/// A node by its colour and those of what it leads to and what leads to it.
type Surroundings = (usize, Vec<Leads>, Vec<(usize, usize)>);

/// A step of either side.
struct Node {
    said: Said,
    leads: Vec<Leads>,
    /// The answers that lead to it: from which node, and which of its answers.
    incoming: Vec<(usize, usize)>,
    /// Its place: in the order, else among those without one.
    place: (bool, usize),
    /// Which pair it is one of, where it is known.
    pair: Option<usize>,
}

/// How many of those that look alike are tried.
const MOST_TRIED: usize = 64;

/// The steps of a file and, behind them, those of the draft.
struct Sides {
    nodes: Vec<Node>,
    /// How many of them are the file's.
    file: usize,
    /// Whether the file is of a version that says which products steps show.
    with_products: bool,
}

impl Draft {
    /// Finds the steps of a file that no name says among those of the draft that are left. `known` are those that are
    /// known already, in the order of the file, and becomes complete as far as can be told.
    pub(super) fn match_steps(&self, file: &ProjectFile, videos: &[Option<VideoId>], known: &mut [Option<StepRef>]) {
        if known.iter().all(Option::is_some) {
            return;
        }
        let refs = self.refs();
        // A service that keeps no products tells of none, and its steps are those of the file all the same.
        let tells_products = self.content().steps().any(|(_, step)| !step.products().is_empty());
        let with_products = file.cutaway >= WITH_PRODUCTS && tells_products;
        let mut sides = Sides { nodes: Vec::new(), file: file.steps.len(), with_products };
        sides.add_file(file, videos);
        sides.add_draft(self, &refs);
        let at = |step: &StepRef| refs.iter().position(|one| one == step);
        for (nth, step) in known.iter().enumerate() {
            if let Some(at) = step.as_ref().and_then(at) {
                sides.pair(nth, file.steps.len() + at);
            }
        }
        for (one, other) in sides.matched() {
            if let (Some(known), Some(step)) = (known.get_mut(one), refs.get(other - file.steps.len())) {
                known.get_or_insert(*step);
            }
        }
    }
}

fn milliseconds(seconds: Option<f64>) -> Option<u64> {
    // A file has as many digits as the service.
    seconds.filter(|seconds| *seconds > 0.0).map(f64::to_bits)
}

fn said_by_file(step: &FileStep, video: Option<&VideoId>, with_products: bool) -> Said {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let video = video.map_or_else(String::new, |video| video.as_str().to_owned());
    let answers = step.answers.iter().map(|answer| answer.text.clone()).collect();
    let products = if with_products { FileProduct::said(&step.products) } else { String::new() };
    (text(&step.description), text(&step.overlay_text), video, milliseconds(step.answer_time), answers, products)
}

fn said_by_draft(step: &StepContent, with_products: bool) -> Said {
    let answers = step.answers().iter().map(|answer| answer.text.clone()).collect();
    let [description, overlay, video] = [step.description(), step.overlay(), step.video()].map(str::to_owned);
    let products = step.products().iter().filter(|_| with_products).map(FileProduct::of).collect::<Vec<_>>();
    let products = FileProduct::said(&products);
    (description, overlay, video, milliseconds(step.answers_after()), answers, products)
}

impl Sides {
    fn add_file(&mut self, file: &ProjectFile, videos: &[Option<VideoId>]) {
        let named: HashMap<&str, usize> =
            file.steps.iter().enumerate().map(|(at, step)| (step.name.as_str(), at)).collect();
        let order: HashMap<&str, usize> =
            file.steps_order.iter().flatten().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        for (nth, step) in file.steps.iter().enumerate() {
            let leads = step.answers.iter().map(|answer| match answer.next.as_deref().unwrap_or_default() {
                "" => Leads::End,
                next => named.get(next).map_or_else(|| Leads::Nowhere(next.to_owned()), |at| Leads::To(*at)),
            });
            let place = order.get(step.name.as_str()).map_or((true, nth), |at| (false, *at));
            let video = videos.get(nth).and_then(Option::as_ref);
            self.add(said_by_file(step, video, self.with_products), leads.collect(), place);
        }
        self.link(0);
    }

    fn add_draft(&mut self, draft: &Draft, refs: &[StepRef]) {
        let first = self.nodes.len();
        let at: HashMap<StepRef, usize> = refs.iter().enumerate().map(|(at, step)| (*step, first + at)).collect();
        let order: HashMap<StepRef, usize> = draft
            .content()
            .head()
            .order()
            .iter()
            .enumerate()
            .filter_map(|(nth, entry)| Some((entry.step?, nth)))
            .collect();
        for (nth, step) in refs.iter().enumerate() {
            let nothing = StepContent::default();
            let content = draft.content().step(*step).unwrap_or(&nothing);
            let leads = content.answers().iter().map(|answer| match &answer.target {
                Target::End => Leads::End,
                Target::Step(to) => at.get(to).map_or(Leads::End, |at| Leads::To(*at)),
                Target::Unresolved(given) => Leads::Nowhere(given.clone()),
            });
            let place = order.get(step).map_or((true, nth), |at| (false, *at));
            self.add(said_by_draft(content, self.with_products), leads.collect(), place);
        }
        self.link(first);
    }

    fn add(&mut self, said: Said, leads: Vec<Leads>, place: (bool, usize)) {
        self.nodes.push(Node { said, leads, incoming: Vec::new(), place, pair: None });
    }

    /// Notes of each node from the first on what leads to it.
    fn link(&mut self, first: usize) {
        let mut incoming: Vec<(usize, usize, usize)> = Vec::new();
        for (from, node) in self.nodes.iter().enumerate().skip(first) {
            for (port, leads) in node.leads.iter().enumerate() {
                if let Leads::To(to) = leads {
                    incoming.push((*to, from, port));
                }
            }
        }
        for (to, from, port) in incoming {
            if let Some(node) = self.nodes.get_mut(to) {
                node.incoming.push((from, port));
            }
        }
    }

    fn pair(&mut self, one: usize, other: usize) {
        for at in [one, other] {
            if let Some(node) = self.nodes.get_mut(at) {
                node.pair = Some(one);
            }
        }
    }

    /// Pairs of nodes of the file and of the draft: those that look alike from the farthest first, and of several that do
    /// one at a time, because it tells the others apart.
    fn matched(&mut self) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        loop {
            let rounds = self.refined();
            let Some(classes) = rounds.iter().rev().map(|colors| self.open_classes(colors)).find(|all| !all.is_empty())
            else {
                return pairs;
            };
            let single = |nodes: &[usize]| nodes.first().copied().filter(|_| nodes.len() == 1);
            let mut found: Vec<(usize, usize)> =
                classes.iter().filter_map(|(one, other)| Some((single(one)?, single(other)?))).collect();
            if found.is_empty() {
                found.extend(classes.first().and_then(|(one, other)| self.chosen(*one.first()?, other)));
            }
            for (one, other) in found {
                self.pair(one, other);
                pairs.push((one, other));
            }
        }
    }

    /// Which of several that look alike a node of the file is: the first by its place that leaves as many on one side as
    /// on the other of all that look alike then. A ring of two and two that lead to themselves look alike before.
    fn chosen(&mut self, one: usize, others: &[usize]) -> Option<(usize, usize)> {
        let before = self.uneven();
        let mut best: Option<(usize, usize)> = None;
        for other in others.iter().copied().take(MOST_TRIED) {
            self.pair(one, other);
            let uneven = self.uneven();
            for at in [one, other] {
                if let Some(node) = self.nodes.get_mut(at) {
                    node.pair = None;
                }
            }
            if uneven <= before {
                return Some((one, other));
            }
            if best.is_none_or(|(_, least)| uneven < least) {
                best = Some((other, uneven));
            }
        }
        best.map(|(other, _)| (one, other))
    }

    /// How many nodes look like none of the other side.
    fn uneven(&self) -> usize {
        let rounds = self.refined();
        let mut counts: HashMap<usize, (usize, usize)> = HashMap::new();
        for (at, color) in rounds.last().into_iter().flatten().enumerate() {
            let (file, draft) = counts.entry(*color).or_default();
            *if at < self.file { file } else { draft } += 1;
        }
        counts.into_values().map(|(file, draft)| file.abs_diff(draft)).sum()
    }

    /// The nodes of each colour that are in no pair yet, by their places, where both sides have some.
    fn open_classes(&self, colors: &[usize]) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut classes: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for (at, color) in colors.iter().enumerate() {
            if self.nodes.get(at).is_some_and(|node| node.pair.is_none()) {
                let (file, draft) = classes.entry(*color).or_default();
                if at < self.file { file.push(at) } else { draft.push(at) }
            }
        }
        let place = |at: &usize| self.nodes.get(*at).map(|node| node.place);
        let sorted = |mut nodes: Vec<usize>| {
            nodes.sort_by_key(place);
            nodes
        };
        let both = classes.into_values().filter(|(file, draft)| !file.is_empty() && !draft.is_empty());
        let mut both: Vec<_> = both.map(|(file, draft)| (sorted(file), sorted(draft))).collect();
        both.sort_by_key(|(file, _)| file.first().and_then(place));
        both
    }

    /// The colours of all nodes, round by round: nodes of one colour look alike from so many answers away.
    fn refined(&self) -> Vec<Vec<usize>> {
        let mut first: HashMap<(Option<usize>, Option<&Said>), usize> = HashMap::new();
        let mut colors: Vec<usize> = Vec::new();
        for node in &self.nodes {
            let key = (node.pair, node.pair.is_none().then_some(&node.said));
            let next = first.len();
            colors.push(*first.entry(key).or_insert(next));
        }
        let mut count = first.len();
        let mut rounds = vec![colors.clone()];
        loop {
            let mut known: HashMap<Surroundings, usize> = HashMap::new();
            let color = |at: usize| colors.get(at).copied().unwrap_or_default();
            let mut refined = Vec::new();
            for (at, node) in self.nodes.iter().enumerate() {
                let leads = node.leads.iter().map(|leads| match leads {
                    Leads::To(to) => Leads::To(color(*to)),
                    other => other.clone(),
                });
                let mut incoming: Vec<(usize, usize)> =
                    node.incoming.iter().map(|(from, port)| (color(*from), *port)).collect();
                incoming.sort_unstable();
                let next = known.len();
                refined.push(*known.entry((color(at), leads.collect(), incoming)).or_insert(next));
            }
            if known.len() <= count {
                return rounds;
            }
            count = known.len();
            colors = refined;
            rounds.push(colors.clone());
        }
    }
}
