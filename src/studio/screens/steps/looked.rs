//! What was found of the products of each step, kept from one edit to the next: an edit of one step looks at no product of
//! another one. Who comes to a step changes with every answer that is rewired, so that is no part of it.

use std::sync::Arc;

use super::{Editor, Shown};
use crate::domain::{ProductId, StepProduct};
use crate::draft::{StepContent, StepRef};
use crate::graph::{Fault, Fix, Graph, Kind, Leads, Node};
use crate::lint::{self, Limits, Problem, Reaches, Record, Wired, Wiring};
use crate::studio::widgets::graph::ProductMark;

/// What is said and what is wrong about the products of one step.
#[derive(Debug, Clone, Default)]
pub(super) struct Looked {
    /// The step's place in the graph.
    step: usize,
    /// How its card shows them.
    pub mark: Option<Arc<ProductMark>>,
    /// What is wrong with them, and what its answers promise of those they lead to.
    pub told: [Vec<Arc<Fault>>; 2],
    /// What is wrong with each product itself.
    pub cards: Vec<(ProductId, Vec<Arc<Fault>>)>,
}

impl Looked {
    /// The same of the step at another place in the graph.
    fn at(&self, step: usize) -> Self {
        let moved = |fault: &mut Arc<Fault>| {
            let fault = Arc::make_mut(fault);
            fault.step = Some(step);
            if let Some(Fix::ChooseProducts { step: of, .. }) = &mut fault.fix {
                *of = step;
            }
        };
        let mut looked = Self { step, ..self.clone() };
        looked.told.iter_mut().flatten().for_each(moved);
        looked.cards.iter_mut().flat_map(|(_, faults)| faults).for_each(moved);
        looked
    }
}

#[cfg(test)]
thread_local! {
    static WORDED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// How often this thread put into words what is wrong with a product, or what viewers did at a step.
#[cfg(test)]
pub fn worded() -> u64 {
    WORDED.get()
}

/// Notes that one of them was put into words.
pub(super) fn note_worded() {
    #[cfg(test)]
    WORDED.set(WORDED.get() + 1);
}

/// A problem of a step, or of the product at this place of it, in the shape of what the check of the steps finds. Whether it
/// is meant the caller knows.
pub(super) fn fault_of(problem: &Problem, who: &str, step: Option<usize>, of: Option<usize>) -> Arc<Fault> {
    note_worded();
    let severity = problem.severity().into();
    let port = if let Record::Step { port, .. } = &problem.record { *port } else { None };
    // The product of which another one would fix it.
    let product = || problem.field.strip_prefix("products[")?.split(']').next()?.parse().ok();
    let product = of.or_else(product).filter(|_| problem.fix == Some(lint::Fix::ChooseProducts));
    Arc::new(Fault {
        kind: Kind::Linted(problem.rule.id(), severity),
        key: problem.key(),
        meant: false,
        step,
        port,
        value: String::new(),
        sentence: format!("{who}: {}", problem.sentence),
        way: Vec::new(),
        fix: step.zip(product).map(|(step, product)| Fix::ChooseProducts { step, product }),
    })
}

impl Editor {
    /// Looks at the products again where what the catalog says of them may be another than before.
    pub(super) fn look_at_news(&mut self) {
        if self.shown.catalog != Some(self.shared.catalog.version()) {
            self.look_at_products(&Shown::default());
        }
    }

    /// Looks at the products of those steps that are not as they were before, or lead to other products.
    pub(super) fn look_at_products(&mut self, before: &Shown) {
        let version = Some(self.shared.catalog.version());
        let graph = Arc::clone(&self.shown.graph);
        let kept = |index: usize, step: &StepRef| {
            let at = before.index(*step).filter(|_| before.catalog == version)?;
            let found = before.found.get(at).filter(|_| is_same((&graph, index), (&before.graph, at)))?;
            Some(if found.step == index { Arc::clone(found) } else { Arc::new(found.at(index)) })
        };
        let mut found: Vec<Option<Arc<Looked>>> =
            self.shown.refs.iter().enumerate().map(|(index, step)| kept(index, step)).collect();
        let new: Vec<usize> =
            found.iter().enumerate().filter(|(_, kept)| kept.is_none()).map(|(index, _)| index).collect();
        let own = new.iter().filter_map(|index| graph.node(*index));
        self.shared.catalog.seek(own.clone().flat_map(|node| &node.products));
        // What a restored draft took from a step is called by its title where the plan of saving says so.
        let saved = new.iter().filter_map(|index| self.draft.base().content().step(self.shown.step(*index)?));
        self.shared.catalog.seek(saved.flat_map(StepContent::products));
        let led_to = own.clone().flat_map(|node| &node.ports).filter_map(|port| match port.leads {
            Leads::Step(to) => graph.node(to),
            _ => None,
        });
        let links: Vec<&StepProduct> = own.chain(led_to).flat_map(|node| &node.products).collect();
        let stock = self.shared.catalog.stock(links.iter().copied());
        let wired = Wired {
            id: self.session.id.as_str().to_owned(),
            name: String::new(),
            graph: Arc::clone(&graph),
            reaches: Reaches::default(),
        };
        let mut wiring = Wiring::new(Limits::default());
        for index in new {
            let Some(step) = self.shown.step(index) else { continue };
            let told = stock.as_ref().map(|stock| wiring.step(&wired, index, stock)).unwrap_or_default();
            let fault = |problem: &Problem| fault_of(problem, graph.name(index), Some(index), None);
            let told = told.map(|problems| problems.iter().map(fault).collect());
            let mark = self.product_mark(step).map(Arc::new);
            let fresh = Looked { step: index, mark, told, cards: self.cards(&graph, index) };
            if let Some(place) = found.get_mut(index) {
                *place = Some(Arc::new(fresh));
            }
        }
        let found: Vec<Arc<Looked>> = found.into_iter().map(Option::unwrap_or_default).collect();
        let is_as_before = found.len() == before.found.len()
            && found.iter().zip(&before.found).all(|(found, before)| Arc::ptr_eq(found, before));
        self.shown.products = if is_as_before {
            Arc::clone(&before.products)
        } else {
            let marks = found.iter().enumerate();
            Arc::new(marks.filter_map(|(step, found)| Some((step, found.mark.clone()?))).collect())
        };
        self.shown.found = found;
        self.shown.catalog = version;
    }

    /// How the card of a step shows its products.
    fn product_mark(&self, step: StepRef) -> Option<ProductMark> {
        let mut all: Vec<_> = (0..self.products_of(step).len()).map(|at| self.say_product(step, at)).collect();
        let more = all.len().checked_sub(1)?;
        // The card has one row: what is wrong comes first.
        let first = all.swap_remove(all.iter().position(|said| !said.wrong.is_empty()).unwrap_or(0));
        Some(ProductMark { title: first.title, price: first.price, wrong: first.wrong, more })
    }

    /// What is wrong with the products of a step themselves.
    fn cards(&self, graph: &Graph, index: usize) -> Vec<(ProductId, Vec<Arc<Fault>>)> {
        let links = graph.node(index).map(|node| node.products.as_slice()).unwrap_or_default();
        let card = |(at, link): (usize, &StepProduct)| {
            let listing = self.shared.catalog.listed(link)?;
            let told = |problem: &Problem| {
                let mut problem = problem.clone();
                problem.sentence = format!("\"{}\": {}", listing.title, problem.sentence);
                fault_of(&problem, graph.name(index), Some(index), Some(at))
            };
            let problems: Vec<_> = listing.offer.on_card().iter().map(told).collect();
            (!problems.is_empty()).then(|| (link.product_id.clone(), problems))
        };
        links.iter().enumerate().filter_map(card).collect()
    }
}

/// Whether what a step shows of products, and what its answers promise of others, is what it was.
fn is_same<'a>((now, step): (&'a Graph, usize), (before, at): (&'a Graph, usize)) -> bool {
    let (Some(step), Some(was)) = (now.nodes().get(step), before.nodes().get(at)) else { return false };
    // Most steps are the very same, and then no text of them is looked at.
    let shows_same = |step: &'a Arc<Node>, was: &'a Arc<Node>| Arc::ptr_eq(step, was) || step.products == was.products;
    let leads_to_same = |to: usize, was: usize| match (now.nodes().get(to), before.nodes().get(was)) {
        (Some(to), Some(was)) => shows_same(to, was),
        (to, was) => to.is_none() && was.is_none(),
    };
    let is_own_same = Arc::ptr_eq(step, was)
        || step.name == was.name
            && step.products == was.products
            && step.ports.len() == was.ports.len()
            && step.ports.iter().zip(&was.ports).all(|(port, was)| port.text == was.text);
    is_own_same
        && step.ports.iter().zip(&was.ports).all(|(port, was)| match (port.leads, was.leads) {
            (Leads::Step(to), Leads::Step(was)) => leads_to_same(to, was),
            (leads, was) => leads == was,
        })
}

/// What is wrong, and what stands on the cards.
#[cfg(test)]
type OnScreen = (Vec<(String, Fault)>, Vec<(usize, Arc<ProductMark>)>);

#[cfg(test)]
impl super::Steps {
    /// What is shown to be wrong and on the cards, and the same with all products looked at again.
    pub fn found_twice(&self) -> Option<[OnScreen; 2]> {
        let kept = self.editor()?;
        let mut again = kept.clone();
        again.shown.catalog = None;
        again.numbers.forget_marks();
        again.look_at_news();
        again.check();
        let of = |editor: &Editor| {
            let mut marks: Vec<_> = editor.shown.products.iter().map(|(at, mark)| (*at, mark.clone())).collect();
            marks.sort_by_key(|(at, _)| *at);
            let problems = editor.shown.problems.all().iter().map(|met| (met.words(), Fault::clone(met)));
            (problems.collect(), marks)
        };
        Some([of(kept), of(&again)])
    }
}
