//! The graph itself: steps as nodes, answers as ports, and where each of them leads.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use super::dense::{Dense as _, Lists};
use crate::domain::{Age, Answer, Step, StepId, StepProduct, VideoId};

/// What a step is known by from one edit to the next: its id, else its name. Steps that share both are counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepKey {
    text: String,
    nth: usize,
}

impl StepKey {
    fn of<'a>(step: &'a Step, known: &mut HashMap<&'a str, usize>) -> Self {
        let name = step.name.as_ref().map_or("", |name| name.as_str());
        let by = step.id.as_ref().map(StepId::as_str).filter(|id| !id.is_empty()).unwrap_or(name);
        let nth = known.entry(by).or_default();
        let key = Self { text: by.to_owned(), nth: *nth };
        *nth += 1;
        key
    }
}

impl Display for StepKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if self.nth > 0 { write!(f, "#{}", self.nth + 1) } else { Ok(()) }
    }
}

/// Where an answer leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Leads {
    /// Its `next` is empty or missing: the video ends.
    #[default]
    End,
    /// To the step of this index.
    Step(usize),
    /// Its `next` is the name and id of no step.
    Dangling,
}

/// An answer of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// What the viewer reads.
    pub text: String,
    /// The value of `next` as it came; empty where there is none.
    pub next: String,
    /// What that value resolves to.
    pub leads: Leads,
    /// Whether two steps have this value as their name; the first of them is taken.
    pub ambiguous: bool,
}

/// A step.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What it is known by across edits.
    pub key: StepKey,
    /// Its id, if it has one.
    pub id: Option<StepId>,
    /// What it is called: its name, else its id, else its number. Never empty.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
    /// The text over its video; may be empty.
    pub overlay: String,
    /// Its video.
    pub video: Option<VideoId>,
    /// Seconds from the video's start at which the answers appear.
    pub answer_time: Option<f64>,
    /// The products that it shows.
    pub products: Vec<StepProduct>,
    /// What they are called: their ids, until somebody knows better.
    pub product_names: Vec<String>,
    /// Its answers, in their order.
    pub ports: Vec<Port>,
}

impl Node {
    /// The products that it shows, in one line.
    #[must_use]
    pub fn products_line(&self) -> String {
        self.product_names.join(", ")
    }

    /// Whether it says what a step says, but for what either is called and for the answers: only their number is compared.
    fn says(&self, step: &Step) -> bool {
        let products = step.products.as_deref().unwrap_or_default();
        self.description == step.description.as_deref().unwrap_or_default()
            && self.overlay == step.overlay_text.as_deref().unwrap_or_default()
            && self.video.as_ref() == step.video_id.as_ref().filter(|video| !video.is_empty())
            && self.answer_time == step.answer_time.map(|seconds| seconds.0)
            && self.products == products
            && self.product_names.iter().zip(products).all(|(name, product)| is_named(name, product))
            && self.ports.len() == step.answers.as_deref().unwrap_or_default().len()
    }

    /// Whether there is a text over its video.
    #[must_use]
    pub fn has_overlay(&self) -> bool {
        !self.overlay.trim().is_empty()
    }
}

/// An answer that leads to a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Edge {
    /// The step that has the answer.
    pub from: usize,
    /// Which of its answers, from 0.
    pub port: usize,
    /// The step it leads to.
    pub to: usize,
}

/// So many steps of a graph are looked through for one of the next graph: an edit deletes one.
const PASSED_OVER: usize = 8;

/// A project's steps and where they lead. A step is meant by its index in the slice the graph was built from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graph {
    nodes: Vec<Arc<Node>>,
    incoming: Lists<Edge>,
    first: Option<usize>,
    order: Vec<usize>,
    ordered: Vec<bool>,
    alien: Vec<String>,
    names: Arc<Names>,
}

impl Graph {
    /// Calls the products of its steps by their titles, where those are known.
    pub fn name_products<'t>(&mut self, title: impl Fn(&StepProduct) -> Option<&'t str>) {
        for node in &mut self.nodes {
            let node = Arc::make_mut(node);
            node.product_names = node.products.iter().map(|product| product.told(title(product))).collect();
        }
    }

    /// Builds the graph of steps. `steps_order` names steps by name or id, and may name what is not there.
    #[must_use]
    pub fn new<S: Borrow<Step>>(steps: &[S], steps_order: &[String]) -> Self {
        Self::after(&Self::default(), steps, steps_order)
    }

    /// The same after an edit: what both have in common is kept once for both.
    #[must_use]
    pub fn after<S: Borrow<Step>>(before: &Self, steps: &[S], steps_order: &[String]) -> Self {
        let is_called_alike = before.names.are_of(steps);
        let names = if is_called_alike { Arc::clone(&before.names) } else { Arc::new(Names::of(steps)) };
        let nodes = if is_called_alike { before.edited(steps) } else { before.renamed(steps, &names) };
        let edges: Vec<(usize, Edge)> = nodes
            .iter()
            .enumerate()
            .flat_map(|(from, node)| {
                node.ports.iter().enumerate().filter_map(move |(port, answer)| match answer.leads {
                    Leads::Step(to) => Some((to, Edge { from, port, to })),
                    _ => None,
                })
            })
            .collect();
        let mut ordered = vec![false; nodes.len()];
        let (mut order, mut alien) = (Vec::with_capacity(nodes.len()), Vec::new());
        for entry in steps_order {
            match names.resolve(entry) {
                Some((step, _)) if !ordered.at(step) => {
                    ordered.put(step, true);
                    order.push(step);
                }
                Some(_) => {}
                None => alien.push(entry.clone()),
            }
        }
        let oldest = || {
            let steps = steps.iter().map(|step| step.borrow().created_at.as_deref().filter(|time| !time.is_empty()));
            let ages = steps.map(|created| (created.is_none(), created.map(Age::of)));
            ages.enumerate().min_by_key(|(index, age)| (*age, *index)).map(|(index, _)| index)
        };
        let first = order.first().copied().or_else(oldest);
        if order.is_empty() {
            order.extend(first);
        }
        order.extend((0..nodes.len()).filter(|step| !ordered.at(*step) && Some(*step) != first));
        let incoming = Lists::new(nodes.len(), &edges);
        Self { nodes, incoming, first, order, ordered, alien, names }
    }

    /// The nodes of steps that are as many as before and called as before: what an answer means is the same, too.
    fn edited<S: Borrow<Step>>(&self, steps: &[S]) -> Vec<Arc<Node>> {
        let node = |(index, (step, node)): (usize, (&S, &Arc<Node>))| {
            let step = step.borrow();
            let is_same = node.says(step) && node.ports.iter().zip(step.answers.iter().flatten()).all(is_port);
            if is_same { Arc::clone(node) } else { Arc::new(self.names.node(index, step, node.key.clone())) }
        };
        steps.iter().zip(&self.nodes).enumerate().map(node).collect()
    }

    /// The nodes of steps of which some are new, gone or called otherwise.
    fn renamed<'s, S: Borrow<Step>>(&self, steps: &'s [S], names: &Names) -> Vec<Arc<Node>> {
        // Steps keep their order; one that is gone is passed over.
        let mut old = self.nodes.iter();
        let mut known: HashMap<&str, usize> = HashMap::with_capacity(steps.len());
        let node = |(index, step): (usize, &'s Step)| {
            let key = StepKey::of(step, &mut known);
            let rest = old.clone();
            let kept = old.by_ref().take(PASSED_OVER).find(|node| node.key == key);
            if kept.is_none() {
                old = rest;
            }
            let kept = kept.filter(|node| names.is_as(index, step, node)).cloned();
            kept.unwrap_or_else(|| Arc::new(names.node(index, step, key)))
        };
        steps.iter().map(Borrow::borrow).enumerate().map(node).collect()
    }

    /// All steps, in the order they came.
    #[must_use]
    pub fn nodes(&self) -> &[Arc<Node>] {
        &self.nodes
    }

    /// Whether both have the same steps, at the same places and with the same first one, so that one is laid out as the other
    /// is: the author's order may be another.
    #[must_use]
    pub fn has_same_steps(&self, other: &Self) -> bool {
        let is_same = |(one, other): (&Arc<Node>, &Arc<Node>)| Arc::ptr_eq(one, other) || one == other;
        self.first == other.first
            && self.nodes.len() == other.nodes.len()
            && self.nodes.iter().zip(&other.nodes).all(is_same)
    }

    /// A step.
    #[must_use]
    pub fn node(&self, step: usize) -> Option<&Node> {
        self.nodes.get(step).map(Arc::as_ref)
    }

    /// How many steps there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no step.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Where a viewer begins: the first of `stepsOrder` that exists, else the oldest step.
    #[must_use]
    pub fn first(&self) -> Option<usize> {
        self.first
    }

    /// All steps in the author's order: as `stepsOrder` has them, then the others as they came.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Whether `stepsOrder` names the step.
    #[must_use]
    pub fn is_ordered(&self, step: usize) -> bool {
        self.ordered.at(step)
    }

    /// The entries of `stepsOrder` that are no step's name or id.
    #[must_use]
    pub fn alien(&self) -> &[String] {
        &self.alien
    }

    /// The answers of a step.
    #[must_use]
    pub fn ports(&self, step: usize) -> &[Port] {
        self.nodes.get(step).map_or(&[], |node| &node.ports)
    }

    /// The answers that lead to a step, by step and answer.
    #[must_use]
    pub fn incoming(&self, step: usize) -> &[Edge] {
        self.incoming.of(step)
    }

    /// The answers of a step that lead to a step.
    pub fn outgoing(&self, step: usize) -> impl DoubleEndedIterator<Item = Edge> + '_ {
        self.outgoing_after(step, 0)
    }

    /// The same from one of its answers on.
    pub(super) fn outgoing_after(&self, step: usize, begin: usize) -> impl DoubleEndedIterator<Item = Edge> + '_ {
        let rest = self.ports(step).get(begin..).unwrap_or_default();
        rest.iter().enumerate().filter_map(move |(port, answer)| match answer.leads {
            Leads::Step(to) => Some(Edge { from: step, port: begin + port, to }),
            _ => None,
        })
    }

    /// Every answer that leads to a step.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        (0..self.nodes.len()).flat_map(|step| self.outgoing(step))
    }

    /// What a step is called; empty where there is none.
    #[must_use]
    pub fn name(&self, step: usize) -> &str {
        self.nodes.get(step).map_or("", |node| &node.name)
    }

    /// The step of a name or an id, as `next` would find it.
    #[must_use]
    pub fn find(&self, name_or_id: &str) -> Option<usize> {
        let by = |is: fn(&Node, &str) -> bool| self.nodes.iter().position(|node| is(node, name_or_id));
        by(|node, text| node.name == text)
            .or_else(|| by(|node, text| node.id.as_ref().is_some_and(|id| id.as_str() == text)))
    }
}

/// The names and ids of steps. A name goes before an id, the first of two steps before the second.
#[derive(Debug, Clone, PartialEq, Default)]
struct Names {
    /// The name and the id of each step; empty where it has none.
    all: Vec<(String, String)>,
    by_name: HashMap<String, (usize, bool)>,
    by_id: HashMap<String, usize>,
}

impl Names {
    fn of<S: Borrow<Step>>(steps: &[S]) -> Self {
        let mut by_name: HashMap<String, (usize, bool)> = HashMap::with_capacity(steps.len());
        let mut by_id = HashMap::with_capacity(steps.len());
        let mut all = Vec::with_capacity(steps.len());
        for (index, (name, id)) in steps.iter().map(|step| called(step.borrow())).enumerate() {
            if !name.is_empty() {
                by_name.entry(name.to_owned()).and_modify(|(_, twice)| *twice = true).or_insert((index, false));
            }
            if !id.is_empty() {
                by_id.entry(id.to_owned()).or_insert(index);
            }
            all.push((name.to_owned(), id.to_owned()));
        }
        Self { all, by_name, by_id }
    }

    /// Whether these are the names of just these steps.
    fn are_of<S: Borrow<Step>>(&self, steps: &[S]) -> bool {
        let is_called =
            |((name, id), step): (&(String, String), &S)| (name.as_str(), id.as_str()) == called(step.borrow());
        self.all.len() == steps.len() && self.all.iter().zip(steps).all(is_called)
    }

    fn resolve(&self, text: &str) -> Option<(usize, bool)> {
        self.by_name.get(text).copied().or_else(|| self.by_id.get(text).map(|step| (*step, false)))
    }

    /// Where an answer of this `next` leads, and whether two steps have that as their name.
    fn leads(&self, next: &str) -> (Leads, bool) {
        let found = self.resolve(next);
        let leads = match found {
            _ if next.is_empty() => Leads::End,
            Some((step, _)) => Leads::Step(step),
            None => Leads::Dangling,
        };
        (leads, found.is_some_and(|(_, twice)| twice))
    }

    /// Whether [`Self::node`] would make just this of a step.
    fn is_as(&self, index: usize, step: &Step, node: &Node) -> bool {
        let id = step.id.as_ref().filter(|id| !id.is_empty());
        let is_called = match (step.name.as_ref().map_or("", |name| name.as_str()), id) {
            ("", Some(id)) => node.name == id.as_str(),
            ("", None) => node.name == numbered(index),
            (name, _) => node.name == name,
        };
        is_called
            && node.id.as_ref() == id
            && node.says(step)
            && node
                .ports
                .iter()
                .zip(step.answers.iter().flatten())
                .all(|(port, answer)| is_port((port, answer)) && (port.leads, port.ambiguous) == self.leads(&port.next))
    }

    fn node(&self, index: usize, step: &Step, key: StepKey) -> Node {
        let id = step.id.clone().filter(|id| !id.is_empty());
        let name = step.name.as_ref().map_or("", |name| name.as_str());
        let port = |text: &str, next: Option<&str>| {
            let next = next.unwrap_or_default();
            let (leads, ambiguous) = self.leads(next);
            Port { text: text.to_owned(), next: next.to_owned(), leads, ambiguous }
        };
        let answers = step.answers.as_deref().unwrap_or_default();
        Node {
            key,
            name: match (name, &id) {
                ("", Some(id)) => id.as_str().to_owned(),
                ("", None) => numbered(index),
                (name, _) => name.to_owned(),
            },
            id,
            description: step.description.clone().unwrap_or_default(),
            overlay: step.overlay_text.clone().unwrap_or_default(),
            video: step.video_id.clone().filter(|video| !video.is_empty()),
            answer_time: step.answer_time.map(|seconds| seconds.0),
            products: step.products.clone().unwrap_or_default(),
            product_names: names_of(step.products.as_deref().unwrap_or_default()),
            ports: answers.iter().map(|answer| port(&answer.text, answer.next.as_deref())).collect(),
        }
    }
}

/// The name and the id of a step; empty where it has none.
fn called(step: &Step) -> (&str, &str) {
    (step.name.as_ref().map_or("", |name| name.as_str()), step.id.as_ref().map_or("", StepId::as_str))
}

/// Whether a port holds what an answer holds.
fn is_port((port, answer): (&Port, &Answer)) -> bool {
    port.text == answer.text && port.next == answer.next.as_deref().unwrap_or_default()
}

/// What a step is called that has neither name nor id.
fn numbered(index: usize) -> String {
    format!("step {}", index + 1)
}

/// Whether a product is called so before anybody knows its title. Each edit asks it of all products: mostly that takes no
/// text to be made.
fn is_named(name: &str, product: &StepProduct) -> bool {
    match (&product.variant_id, product.from) {
        (None, None) => name == product.product_id.as_str(),
        _ => name == product.told(None),
    }
}

/// What products are called before anybody knows their titles.
fn names_of(products: &[StepProduct]) -> Vec<String> {
    products.iter().map(|product| product.told(None)).collect()
}
