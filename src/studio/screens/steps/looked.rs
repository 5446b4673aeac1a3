//! What was found of the products of each step, kept from one edit to the next: an edit of one step looks at no product of
//! another one. Who comes to a step changes with every answer that is rewired, so that is no part of it.

use std::sync::Arc;

use super::catalog::Said;
use super::{Editor, Shown};
use crate::domain::{ProductId, StepProduct};
use crate::draft::StepRef;
use crate::graph::{Fault, Fix, Graph, Kind, Leads, Severity};
use crate::lint::{self, Limits, Problem, Reach, Reaches, Record, Wired, Wiring};
use crate::studio::widgets::graph::ProductMark;

/// What is said and what is wrong about the products of one step.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// How its card shows them.
    pub mark: Option<ProductMark>,
    /// What is wrong with them, and what its answers promise of those they lead to.
    pub told: [Vec<Told>; 2],
    /// What is wrong with each product itself: which one, its place among those of the step, and the problems.
    pub cards: Vec<(ProductId, usize, Vec<Problem>)>,
}

/// A problem of a step in the shape of what the check of the steps finds, but for who meets it.
#[derive(Debug)]
pub(super) struct Told {
    kind: Kind,
    key: String,
    sentence: String,
    port: Option<usize>,
    /// The product of which another one would fix it.
    product: Option<usize>,
}

impl Told {
    /// A problem of a step, or of one of its products.
    pub(super) fn of(problem: &Problem, who: &str, of: Option<usize>) -> Self {
        let severity = match problem.severity() {
            lint::Severity::Error => Severity::Fault,
            lint::Severity::Warning => Severity::Warning,
            lint::Severity::Note => Severity::Note,
        };
        let port = if let Record::Step { port, .. } = &problem.record { *port } else { None };
        let product = || problem.field.strip_prefix("products[")?.split(']').next()?.parse().ok();
        let product = of.or_else(product).filter(|_| problem.fix == Some(lint::Fix::ChooseProducts));
        Self {
            kind: Kind::Linted(problem.rule.id(), severity),
            key: problem.key(),
            sentence: format!("{who}: {}", problem.sentence),
            port,
            product,
        }
    }

    /// The same at a step, with who meets it. Whether it is meant the caller knows.
    pub(super) fn fault(&self, step: Option<usize>, reach: Option<Reach>, is_meant: impl Fn(&str) -> bool) -> Fault {
        let reach = reach.map(|reach| format!(" ({})", reach.told())).unwrap_or_default();
        Fault {
            kind: self.kind,
            meant: is_meant(&self.key),
            key: self.key.clone(),
            step,
            port: self.port,
            value: String::new(),
            sentence: format!("{}{reach}", self.sentence),
            way: Vec::new(),
            fix: step.zip(self.product).map(|(step, product)| Fix::ChooseProducts { step, product }),
        }
    }
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
            before.found.get(at).filter(|_| is_same((&graph, index), (&before.graph, at))).map(Arc::clone)
        };
        let mut found: Vec<Option<Arc<Looked>>> =
            self.shown.refs.iter().enumerate().map(|(index, step)| kept(index, step)).collect();
        let new: Vec<usize> =
            found.iter().enumerate().filter(|(_, kept)| kept.is_none()).map(|(index, _)| index).collect();
        let own = new.iter().filter_map(|index| graph.node(*index));
        self.shared.catalog.seek(own.clone().flat_map(|node| &node.products));
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
            let told = told.map(|problems| problems.iter().map(|one| Told::of(one, graph.name(index), None)).collect());
            let fresh = Looked { mark: self.product_mark(step), told, cards: self.cards(&graph, index) };
            if let Some(place) = found.get_mut(index) {
                *place = Some(Arc::new(fresh));
            }
        }
        self.shown.found = found.into_iter().map(Option::unwrap_or_default).collect();
        self.shown.catalog = version;
    }

    /// How the card of a step shows its products.
    fn product_mark(&self, step: StepRef) -> Option<ProductMark> {
        let all: Vec<Said> = (0..self.products_of(step).len()).map(|at| self.say_product(step, at)).collect();
        // The card has one row: what is wrong comes first.
        let first = all.iter().find(|said| !said.wrong.is_empty()).or(all.first())?;
        let words = first.line();
        let more = all.len() - 1;
        let words = if more > 0 { format!("+{more} {words}") } else { words };
        Some(ProductMark { words, is_wrong: !first.wrong.is_empty() })
    }

    /// What is wrong with the products of a step themselves.
    fn cards(&self, graph: &Graph, index: usize) -> Vec<(ProductId, usize, Vec<Problem>)> {
        let links = graph.node(index).map(|node| node.products.as_slice()).unwrap_or_default();
        let card = |(at, link): (usize, &StepProduct)| {
            let listing = self.shared.catalog.listed(link)?;
            let told = |problem: &Problem| {
                let mut problem = problem.clone();
                problem.sentence = format!("\"{}\": {}", listing.title, problem.sentence);
                problem
            };
            let problems: Vec<Problem> = listing.offer.on_card().iter().map(told).collect();
            (!problems.is_empty()).then(|| (link.product_id.clone(), at, problems))
        };
        links.iter().enumerate().filter_map(card).collect()
    }
}

/// Whether what a step shows of products, and what its answers promise of others, is what it was.
fn is_same<'a>((now, step): (&'a Graph, usize), (before, at): (&'a Graph, usize)) -> bool {
    let (Some(step), Some(was)) = (now.node(step), before.node(at)) else { return false };
    let shown = |graph: &'a Graph, step: usize| graph.node(step).map(|node| &node.products);
    step.name == was.name
        && step.products == was.products
        && step.ports.len() == was.ports.len()
        && step.ports.iter().zip(&was.ports).all(|(port, was)| {
            port.text == was.text
                && match (port.leads, was.leads) {
                    (Leads::Step(to), Leads::Step(was)) => shown(now, to) == shown(before, was),
                    (leads, was) => leads == was,
                }
        })
}

/// What is wrong, and what stands on the cards.
#[cfg(test)]
type OnScreen = (Vec<Fault>, Vec<(usize, ProductMark)>);

#[cfg(test)]
impl super::Steps {
    /// What is shown to be wrong and on the cards, and the same with all products looked at again.
    pub fn found_twice(&self) -> Option<[OnScreen; 2]> {
        let kept = self.editor()?;
        let mut again = kept.clone();
        again.shown.catalog = None;
        again.mark_products();
        again.check();
        let of = |editor: &Editor| {
            let mut marks: Vec<_> = editor.shown.products.iter().map(|(at, mark)| (*at, mark.clone())).collect();
            marks.sort_by_key(|(at, _)| *at);
            (editor.shown.problems.all().to_vec(), marks)
        };
        Some([of(kept), of(&again)])
    }
}
