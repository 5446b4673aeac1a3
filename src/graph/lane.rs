//! Rows for the lines that lead back, in graphs that are small enough for whole ones.

use super::dense::{Dense as _, cells, index};
use super::layout::{HEADS, Layout};
use super::steps::{Edge, Graph};

impl Layout {
    /// Gives every step that is led back to a row of its own, which no card and no other line has anywhere near.
    pub(super) fn find_lanes(&mut self, graph: &Graph, reachable: &[bool]) {
        self.lanes = Vec::new();
        if !self.whole {
            return;
        }
        let mut taken: Vec<i32> = self.bends.iter().map(|(_, _, row)| *row).collect();
        for to in 0..graph.len() {
            let back = graph.incoming(to).iter().filter(|edge| self.leads_back(**edge, reachable));
            let from = back.clone().filter_map(|edge| self.card(edge.from)).map(|card| card.layer);
            let ports = back.filter_map(|edge| Some(self.card(edge.from)?.port(edge.port).1));
            let (Some(last), Some(port), Some(card)) = (from.max(), ports.max(), self.card(to)) else { continue };
            let row = self.free_row(card.layer.saturating_sub(1), last + 1, port, &taken);
            taken.push(row);
            self.lanes.push((to, row));
        }
    }

    /// Whether an answer leads back, or to the same column, and could have a line.
    pub(super) fn leads_back(&self, edge: Edge, reachable: &[bool]) -> bool {
        let layers = self.card(edge.from).zip(self.card(edge.to)).map(|(from, to)| (from.layer, to.layer));
        edge.from != edge.to
            && layers.is_some_and(|(from, to)| to <= from)
            && reachable.at(edge.from) == reachable.at(edge.to)
    }

    /// The row along which lines lead back to a step.
    pub(super) fn lane(&self, to: usize) -> Option<i32> {
        let found = self.lanes.binary_search_by_key(&to, |(to, _)| *to);
        found.ok().and_then(|at| self.lanes.get(at)).map(|(_, row)| *row)
    }

    /// The cells left of the first column that lines may take.
    pub(super) fn lead(&self) -> i32 {
        let first = |to: usize| self.card(to).is_some_and(|card| card.layer == 0);
        match self.lanes.iter().filter(|(to, _)| first(*to)).count() {
            0 => 0,
            count => HEADS + cells(count),
        }
    }

    /// The first and last layer that the lines leading back to a step pass.
    pub(super) fn lane_span(&self, graph: &Graph, to: usize, reachable: &[bool]) -> Option<(usize, usize)> {
        let back = graph.incoming(to).iter().filter(|edge| self.leads_back(**edge, reachable));
        let last = back.filter_map(|edge| self.card(edge.from)).map(|card| card.layer).max()?;
        Some((self.card(to)?.layer, last))
    }

    /// The column of a channel's first cell, of its first track, and of its last cell. The first channel is left of all
    /// columns, each of the others right of one.
    pub(super) fn channel(&self, channel: usize, tracks: usize) -> Option<(i32, i32, i32)> {
        let next = self.columns.get(channel);
        let Some(before) = channel.checked_sub(1) else {
            let end = next?.x;
            let begin = end.saturating_sub(HEADS + cells(tracks));
            return Some((begin, begin, end - 1));
        };
        let column = self.columns.get(before)?;
        let end = next.map_or(column.end(), |next| next.x);
        let spare = index(column.tracks - cells(tracks)) / 2;
        let first = column.channel().saturating_add(column.stubs).saturating_add(cells(spare));
        Some((column.channel(), first, end - 1))
    }
}
