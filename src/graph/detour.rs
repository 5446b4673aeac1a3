//! The way of one answer drawn by itself, over everything else: what a stub stands for, and an answer that is about to be
//! wired.

use super::layout::{HEADS, Layout, Rect};
use super::route::along;
use super::segment::{Cell, Segment};
use super::steps::Edge;

impl Layout {
    /// The cells from an answer's port to a step's card, whether or not it leads there: it enters no card, but may run on
    /// other lines. Empty where one of the steps is not there.
    #[must_use]
    pub fn detour(&self, edge: Edge) -> Vec<Cell> {
        let (Some(from), Some(to)) = (self.card(edge.from), self.card(edge.to)) else { return Vec::new() };
        let Some(column) = self.columns.get(from.layer) else { return Vec::new() };
        let ((x, y), (goal, entry)) = (from.port(edge.port), to.entry());
        let (out, back) = (column.end().saturating_sub(HEADS), goal.saturating_sub(HEADS));
        let mut pieces = vec![Segment { open_end: false, ..along(edge.to, y, x + 1, out) }];
        if to.layer == from.layer + 1 {
            pieces.push(upright(edge.to, out, y, entry));
        } else {
            let (first, last) =
                if to.layer > from.layer { (from.layer + 1, to.layer - 1) } else { (to.layer, from.layer) };
            let row = self.free_row(first, last, y, &[]);
            pieces.push(upright(edge.to, out, y, row));
            let (begin, end) = (out.min(back), out.max(back));
            pieces.push(Segment { open_begin: false, open_end: false, ..along(edge.to, row, begin, end) });
            pieces.push(upright(edge.to, back, row, entry));
        }
        pieces.push(Segment { open_begin: false, entry: true, ..along(edge.to, entry, back, goal - 1) });
        let all = Rect { x: i32::MIN / 2, y: i32::MIN / 2, width: i32::MAX, height: i32::MAX };
        pieces.into_iter().flat_map(|piece| piece.cells(all)).collect()
    }

    /// The row nearest to the one that is wanted at which no card stands in any of the layers, and that is none of those
    /// taken.
    pub(super) fn free_row(&self, first: usize, last: usize, wanted: i32, rows: &[i32]) -> i32 {
        let layers = self.layers.get(first..self.layers.len().min(last + 1)).unwrap_or_default();
        let mut taken: Vec<(i32, i32)> = layers
            .iter()
            .flatten()
            .filter_map(|step| self.cards.get(*step))
            .map(|card| (card.area.y, card.area.bottom()))
            .chain(rows.iter().map(|row| (*row, row.saturating_add(1))))
            .collect();
        taken.sort_unstable();
        let (mut best, mut free) = (None, i32::MIN / 2);
        // What is free are the rows from the last card's end to the next one's beginning.
        for at in 0..=taken.len() {
            let (begin, end) = taken.get(at).copied().unwrap_or((i32::MAX / 2, i32::MAX / 2));
            if free < begin {
                let row = wanted.clamp(free, begin - 1);
                let away = row.abs_diff(wanted);
                if best.is_none_or(|(least, _)| away < least) {
                    best = Some((away, row));
                }
            }
            free = free.max(end);
        }
        best.map_or(wanted, |(_, row)| row)
    }
}

/// A piece that runs up or down between two rows.
fn upright(to: usize, column: i32, one: i32, other: i32) -> Segment {
    Segment { to, at: column, begin: one.min(other), end: one.max(other), ..Segment::default() }
}
