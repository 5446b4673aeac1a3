//! How many lines cross, beside what other engines make of the same steps and lines.

use super::generate::{bushy, story};
use crate::domain::Step;
use crate::graph::{Graph, Layout, Routes};

/// A graph of `benches/graph.rs`: what makes it, its steps, and how many lines cross in what `dot` (Graphviz 2.43, answers
/// bound to their ports) and dagre 3.1 draw of the lines that are drawn here, counted by `benches/dot.py`.
type Row = (fn(usize, u64) -> Vec<Step>, usize, usize, usize);

const OTHERS: [Row; 6] = [
    (story, 50, 4, 5),
    (bushy, 50, 0, 0),
    (story, 500, 163, 171),
    (bushy, 500, 0, 1),
    (story, 1_000, 384, 402),
    (bushy, 1_000, 1, 4),
];

#[test]
fn no_more_lines_cross_than_in_what_dot_and_dagre_draw() {
    for (make, count, dot, dagre) in OTHERS {
        let graph = Graph::new(&make(count, 7), &[]);
        let layout = Layout::new(&graph);
        let crossings = Routes::new(&graph, &layout).crossings();
        assert!(crossings <= dot.min(dagre), "{crossings} lines cross in a graph of {count} steps: {dot}, {dagre}");
    }
}

#[test]
fn at_most_every_eighth_line_gives_way() {
    for (make, count, ..) in OTHERS {
        let graph = Graph::new(&make(count, 7), &[]);
        let layout = Layout::new(&graph);
        let routes = Routes::new(&graph, &layout);
        let layer = |step: usize| layout.card(step).unwrap().layer;
        let near = graph.edges().filter(|edge| {
            (layer(edge.from) + 1..=layer(edge.from) + 6).contains(&layer(edge.to))
                && routes.is_reachable(edge.from) == routes.is_reachable(edge.to)
        });
        let (drawn, stubs): (Vec<_>, Vec<_>) = near.partition(|edge| routes.is_line(&layout, *edge));
        assert!(stubs.len() * 8 <= drawn.len() + stubs.len(), "{} of {} lines", stubs.len(), drawn.len() + stubs.len());
    }
}

#[test]
fn small_projects_keep_all_of_their_lines() {
    for seed in 0..40 {
        let graph = Graph::new(&story(12, seed), &[]);
        let layout = Layout::new(&graph);
        let routes = Routes::new(&graph, &layout);
        let near = graph.edges().filter(|edge| {
            let (from, to) = (layout.card(edge.from).unwrap().layer, layout.card(edge.to).unwrap().layer);
            (from + 1..=from + 6).contains(&to) && routes.is_reachable(edge.from) == routes.is_reachable(edge.to)
        });
        for edge in near {
            assert!(routes.is_line(&layout, edge), "{edge:?} of seed {seed}");
        }
    }
}
