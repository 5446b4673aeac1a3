//! What is to be joined by lines in each channel, and which answers have stubs in place of lines.

use super::channel::Net;
use super::dense::{Dense as _, cells, index};
use super::layout::Layout;
use super::steps::{Edge, Graph, Leads};
use super::stub::StubKind;

/// What is left out for want of room.
#[derive(Clone, Copy, Default)]
pub(super) struct Cut<'a> {
    pub(super) lines: &'a [i32],
    pub(super) lanes: &'a [bool],
}

impl Cut<'_> {
    pub(super) fn holds(self, edge: Edge, layer: i32) -> bool {
        self.lines.get(edge.to).is_some_and(|cut| layer <= *cut)
    }

    /// The row along which lines lead back to a step, if they are drawn.
    pub(super) fn lane(self, layout: &Layout, to: usize) -> Option<i32> {
        layout.lane(to).filter(|_| !self.lanes.at(to))
    }
}

/// What is to be joined in each channel; the first is left of all columns.
pub(super) fn nets(graph: &Graph, layout: &Layout, reachable: &[bool], cut: Cut) -> Vec<Vec<Net>> {
    let mut nets: Vec<Vec<Net>> = vec![Vec::new(); layout.layers.len() + 1];
    let layer = layout.layer_of();
    let all = layout.drawn(&layer, reachable);
    for to in 0..graph.len() {
        let lane = cut.lane(layout, to);
        if let Some(lane) = lane {
            nets_back(graph, layout, reachable, (to, lane), &mut nets);
        }
        let drawn = |edge: &&Edge| all.has(**edge) && !cut.holds(**edge, layer.at(edge.from));
        let begin = graph.incoming(to).iter().filter(drawn).map(|edge| layer.at(edge.from)).min();
        let Some(card) = layout.card(to) else { continue };
        let Some(begin) = begin else {
            if let Some((list, lane)) = nets.get_mut(card.layer).zip(lane) {
                list.push(Net { to, lefts: Vec::new(), rights: vec![card.entry().1, lane] });
            }
            continue;
        };
        let base = layer.at(to) - begin;
        let mut lefts: Vec<Vec<i32>> = vec![Vec::new(); index(base)];
        for edge in graph.incoming(to).iter().filter(drawn) {
            let row = layout.card(edge.from).map(|card| card.port(edge.port).1);
            if let (Some(list), Some(row)) = (lefts.get_mut(index(layer.at(edge.from) - begin)), row) {
                list.push(row);
            }
        }
        let mut came = None;
        for (mut lefts, at) in lefts.into_iter().zip(begin..) {
            lefts.extend(came);
            let enters = at + 1 == layer.at(to);
            let bend = if enters { Some(card.entry().1) } else { layout.bend(to, at + 1) };
            let right = bend.unwrap_or_default();
            let mut rights = vec![right];
            rights.extend(lane.filter(|_| enters));
            if let Some(list) = nets.get_mut(index(at) + 1) {
                list.push(Net { to, lefts, rights });
            }
            came = Some(right);
        }
    }
    nets
}

/// The nets of lines that lead back to a step, but for the last one, in which they turn in: there they join the others.
fn nets_back(graph: &Graph, layout: &Layout, reachable: &[bool], (to, lane): (usize, i32), nets: &mut [Vec<Net>]) {
    let Some((first, last)) = layout.lane_span(graph, to, reachable) else { return };
    for layer in first..=last {
        let back = graph.incoming(to).iter().filter(|edge| layout.leads_back(**edge, reachable));
        let ports = back.filter_map(|edge| Some((layout.card(edge.from)?, edge.port)));
        let mut lefts: Vec<i32> =
            ports.filter(|(card, _)| card.layer == layer).map(|(card, port)| card.port(port).1).collect();
        lefts.push(lane);
        let rights = if layer < last { vec![lane] } else { Vec::new() };
        if let Some(list) = nets.get_mut(layer + 1) {
            list.push(Net { to, lefts, rights });
        }
    }
}

/// Why an answer has a stub; none where it ends the video or is drawn as a line.
pub(super) fn stub_kind(
    graph: &Graph,
    layout: &Layout,
    reachable: &[bool],
    cut: Cut,
    step: usize,
    port: usize,
) -> Option<StubKind> {
    let to = match graph.ports(step).get(port)?.leads {
        Leads::End => return None,
        Leads::Dangling => return Some(StubKind::Dangling),
        Leads::Step(to) if to == step => return Some(StubKind::Itself),
        Leads::Step(to) => to,
    };
    let edge = Edge { from: step, port, to };
    let (here, there) = (layout.card(step)?.layer, layout.card(to)?.layer);
    if there <= here {
        let whole = layout.leads_back(edge, reachable) && cut.lane(layout, to).is_some();
        return (!whole).then_some(StubKind::Back);
    }
    (!layout.is_near(edge, reachable) || cut.holds(edge, cells(here))).then_some(StubKind::Far)
}
