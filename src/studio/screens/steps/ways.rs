//! How many ways lead through the project, and what of it no walk has covered.

use super::vocabulary::Turn;
use crate::domain::text;
use crate::graph::{Edge, Graph};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Page, Role};

use super::Editor;

/// So many answers that were not walked are named.
const NAMED: usize = 40;

impl Editor {
    pub(super) fn show_ways(&self, turn: &mut Turn) {
        let graph = &self.shown.graph;
        let ways = graph.paths();
        let mut lines = Vec::new();
        let count = match ways.count {
            u64::MAX => "more paths than can be counted lead".to_owned(),
            1 => "1 path leads".to_owned(),
            count => format!("{count} paths lead"),
        };
        let loops = if ways.loops { ", each loop at most once" } else { "" };
        lines.push((Role::Text, format!("{count} from the first step to an end{loops}.")));
        for (name, way) in [("Shortest", &ways.shortest), ("Longest", &ways.longest)] {
            if let Some(way) = way {
                lines.push((Role::Dim, format!("{name}, {} steps:", way.len() + 1)));
                lines.push((Role::Text, format!("  {}", told(graph, way))));
            }
        }
        let walked = &self.shown.marks.walked_answers;
        let all = graph.order().iter().flat_map(|step| (0..graph.ports(*step).len()).map(move |port| (*step, port)));
        let rest: Vec<(usize, usize)> = all.filter(|answer| !walked.contains(answer)).collect();
        lines.push((Role::Text, String::new()));
        lines.push((Role::Text, format!("Answers played: {}; not played yet: {}.", walked.len(), rest.len())));
        for (step, port) in rest.iter().take(NAMED) {
            let said =
                graph.ports(*step).get(*port).map(|port| text::line(&port.text).into_owned()).unwrap_or_default();
            lines.push((Role::Dim, format!("  {} {} {said}", text::line(graph.name(*step)), port + 1)));
        }
        if rest.len() > NAMED {
            lines.push((Role::Dim, format!("  and {} more; ‹steps.play.next› goes to the next", rest.len() - NAMED)));
        }
        turn.outcomes.push(Outcome::Show(Box::new(Page::new("Paths", lines, "Esc closes"))));
    }
}

/// The steps of a way.
fn told(graph: &Graph, way: &[Edge]) -> String {
    let first = graph.first().map(|first| graph.name(first).to_owned()).unwrap_or_default();
    let names = std::iter::once(first).chain(way.iter().map(|edge| graph.name(edge.to).to_owned()));
    text::line(&names.collect::<Vec<_>>().join(" > ")).into_owned()
}
