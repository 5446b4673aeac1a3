//! Where a video ends without an offer: W06.

use super::reach::is_end;
use super::{Wired, Wiring};
use crate::domain::text::fold;
use crate::graph::Node;
use crate::lint::problem::Problem;
use crate::lint::rule::Rule;

impl Wiring {
    /// W06 of a project.
    pub fn endings(&mut self, wired: &Wired) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (step, node) in wired.graph.nodes().iter().enumerate().filter(|(step, _)| is_end(&wired.graph, *step)) {
            let reach = wired.reaches.end(&wired.graph, step);
            let is_fine = !node.products.is_empty() || has_address(node);
            // Where few were counted, nobody knows how many come here.
            let is_bare = if is_fine { Some(false) } else { reach.is_above(self.limits.many_end) };
            self.stand(Rule::EndWithoutOffer, is_bare);
            if is_bare == Some(true) && self.has(Rule::EndWithoutOffer) {
                let sentence = format!("the video ends here for {} without a product or an address", reach.told());
                let problem = Problem::new(Rule::EndWithoutOffer, wired.record(step, None), "products", sentence);
                problems.push(problem.reaching(reach));
            }
        }
        problems
    }
}

/// Whether a step tells viewers of an address.
fn has_address(node: &Node) -> bool {
    let texts = [node.overlay.as_str(), node.description.as_str()];
    let answers = node.ports.iter().map(|port| port.text.as_str());
    texts.into_iter().chain(answers).any(|text| {
        let folded = fold(text);
        ["https://", "http://", "www."].iter().any(|sign| folded.contains(sign))
    })
}
