//! The steps as a tree: each once with its answers, what an answer leads to below it.

use crate::graph::{Graph, Leads};

/// A row of the outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The step.
    pub step: usize,
    /// Its answer; none for the row of the step itself.
    pub port: Option<usize>,
    /// How far it stands in.
    pub depth: usize,
    /// Whether a walk from the first step comes here.
    pub reachable: bool,
}

/// The rows of a graph, depth first along the answers.
#[must_use]
pub fn rows(graph: &Graph) -> Vec<Row> {
    let reachable = graph.reachable(graph.first());
    let is_reachable = |step: usize| reachable.get(step).copied().unwrap_or(false);
    let mut seen = vec![false; graph.len()];
    let mut rows = Vec::with_capacity(graph.len() * 3);
    let roots =
        graph.first().into_iter().chain(graph.outline().into_iter().filter(|row| row.depth == 0).map(|row| row.step));
    let mut open = Vec::new();
    for root in roots.chain(graph.order().iter().copied()) {
        open.push((root, None, 0));
        while let Some((step, port, depth)) = open.pop() {
            let Some(mark) = seen.get_mut(step) else { continue };
            if port.is_none() && std::mem::replace(mark, true) {
                continue;
            }
            rows.push(Row { step, port, depth, reachable: is_reachable(step) });
            let ports = graph.ports(step);
            match port {
                None => open.extend((0..ports.len()).rev().map(|port| (step, Some(port), depth + 1))),
                Some(port) => {
                    if let Some(Leads::Step(to)) = ports.get(port).map(|port| port.leads) {
                        open.push((to, None, depth + 1));
                    }
                }
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Answer, Step};

    fn step(name: &str, answers: &[&str]) -> Step {
        let answers = answers.iter().map(|next| Answer {
            text: format!("to {next}"),
            next: Some((*next).into()),
            ..Answer::default()
        });
        Step { name: Some(name.into()), answers: Some(answers.collect()), ..Step::default() }
    }

    #[test]
    fn every_step_and_every_answer_has_one_row() {
        let graph = Graph::new(
            &[
                step("a", &["b", "c", "a"]),
                step("b", &["c", "nowhere"]),
                step("c", &[]),
                step("d", &["e"]),
                step("e", &["d"]),
            ],
            &["a".into()],
        );
        let rows = rows(&graph);
        let told: Vec<String> = rows
            .iter()
            .map(|row| {
                format!(
                    "{}{}{}",
                    " ".repeat(row.depth),
                    graph.name(row.step),
                    row.port.map(|p| p.to_string()).unwrap_or_default()
                )
            })
            .collect();
        assert_eq!(told, ["a", " a0", "  b", "   b0", "    c", "   b1", " a1", " a2", "d", " d0", "  e", "   e0"]);
    }
}
