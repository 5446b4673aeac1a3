//! What a project offers against its own products alone, in the shape of what the check of its steps finds.

use std::collections::HashSet;

use super::{Shelf, Stocked, Wired, Wiring};
use crate::domain::{FoundProduct, StoreUrl};
use crate::graph;
use crate::lint::limits::Limits;
use crate::lint::problem::{Problem, Record};

/// What is wrong with the products that a project's steps show, where these are all that its store has of them: errors and
/// warnings of W01 to W04 and, once for each product, of what viewers meet on its card. Notes are left out: whether some of
/// them apply depends on how many viewers come there.
#[must_use]
pub fn offered(wired: &Wired, store: &StoreUrl, found: &[FoundProduct]) -> Vec<graph::Fault> {
    let links = || wired.graph.nodes().iter().flat_map(|node| &node.products);
    let mut shelf = Shelf::new(store.clone(), links());
    for found in found {
        shelf.take(found);
    }
    for missing in shelf.missing() {
        shelf.put(missing, Stocked::Gone);
    }
    let of_rules = Wiring::new(Limits::default()).project(wired, &shelf);
    let place = |problem: &Problem| match &problem.record {
        Record::Step { step, port, .. } => (Some(*step), *port),
        _ => (None, None),
    };
    let mut faults: Vec<graph::Fault> =
        of_rules.iter().filter_map(|problem| fault(problem, place(problem), "", wired)).collect();
    let mut told = HashSet::new();
    for (step, node) in wired.graph.nodes().iter().enumerate() {
        for link in node.products.iter().filter(|link| told.insert(&link.product_id)) {
            let Some(Stocked::There(offer)) = shelf.get(link) else { continue };
            let title = format!("\"{}\": ", offer.found().product.title.trim());
            faults.extend(offer.on_card().iter().filter_map(|one| fault(one, (Some(step), None), &title, wired)));
        }
    }
    faults
}

/// A problem that is no note.
fn fault(
    problem: &Problem,
    (step, port): (Option<usize>, Option<usize>),
    of: &str,
    wired: &Wired,
) -> Option<graph::Fault> {
    let severity = graph::Severity::from(problem.severity());
    if severity == graph::Severity::Note {
        return None;
    }
    let who = step.map_or("the project", |step| wired.graph.name(step));
    Some(graph::Fault {
        kind: graph::Kind::Linted(problem.rule.id(), severity),
        key: problem.key(),
        meant: false,
        step,
        port,
        value: String::new(),
        sentence: format!("{who}: {of}{}", problem.sentence),
        way: Vec::new(),
        fix: None,
    })
}
