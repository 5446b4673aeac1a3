//! Which row each card and bend stands in: near what it is linked with, in the order of its layer, nothing overlapping.
//! Each layer is a weighted isotonic regression, solved exactly by pooling neighbors that are in each other's way.

use super::dense::{Dense as _, nearest, real};
use super::lattice::Lattice;

/// What takes part in a layer: how tall cards are and where their answers stand.
pub(super) struct Sizes<'a> {
    /// Rows of each card.
    pub(super) heights: &'a [i32],
    /// The row of the first answer, from the top of each card.
    pub(super) answers: &'a [i32],
    /// The row at which lines come in, from the top of each card.
    pub(super) entry: i32,
    /// The rows of each card after its last answer.
    pub(super) below: i32,
}

/// Empty rows between cards.
pub(super) const GAP: i32 = 1;

/// The first row of every card and the row of every bend; the smallest is 0.
pub(super) fn rows(lattice: &Lattice, sizes: &Sizes) -> Vec<i32> {
    let mut place = vec![0.0; lattice.len()];
    let mut offsets: Vec<Vec<f64>> = Vec::with_capacity(lattice.layers.len());
    for layer in &lattice.layers {
        let (mut at, mut last_is_card) = (0, false);
        let mut list = Vec::with_capacity(layer.len());
        for item in layer {
            let is_card = *item < lattice.steps;
            at += if is_card && last_is_card { GAP } else { 0 };
            list.push(f64::from(at));
            place.put(*item, f64::from(at));
            at += if is_card { sizes.heights.at(*item) } else { 1 };
            last_is_card = is_card;
        }
        offsets.push(list);
    }
    let rounds = if lattice.len() < 2_000 { 8 } else { 3 };
    let count = lattice.layers.len();
    let mut pool = Pool::default();
    for round in 0..rounds {
        for at in 1..count {
            settle(lattice, sizes, at, (true, false), &offsets, &mut place, &mut pool);
        }
        for at in (0..count.saturating_sub(1)).rev() {
            // In the end what follows has moved: cards are put between both their sides.
            settle(lattice, sizes, at, (round + 1 == rounds, true), &offsets, &mut place, &mut pool);
        }
    }
    for at in 1..count {
        settle(lattice, sizes, at, (true, false), &offsets, &mut place, &mut pool);
    }
    let mut rows = vec![0; lattice.len()];
    let mut top = i32::MAX;
    for (layer, offsets) in lattice.layers.iter().zip(&offsets) {
        for (item, offset) in layer.iter().zip(offsets) {
            // Rounding what the regression kept in order keeps it in order; the offsets are whole.
            let row = nearest(place.at(*item) - offset).saturating_add(nearest(*offset));
            rows.put(*item, row);
            top = top.min(row);
        }
    }
    for item in lattice.layers.iter().flatten() {
        if let Some(row) = rows.get_mut(*item) {
            *row -= top;
        }
    }
    rows
}

/// Moves what stands in one layer to where its links want it.
fn settle(
    lattice: &Lattice,
    sizes: &Sizes,
    at: usize,
    (before, after): (bool, bool),
    offsets: &[Vec<f64>],
    place: &mut [f64],
    pool: &mut Pool,
) {
    let (Some(layer), Some(offsets)) = (lattice.layers.get(at), offsets.get(at)) else { return };
    let is_card = |item: usize| item < lattice.steps;
    pool.clear();
    for (item, offset) in layer.iter().zip(offsets) {
        let (mut sum, mut weight) = (0.0, 0.0);
        let mut want = |row: f64, heavy: f64| {
            sum += row * heavy;
            weight += heavy;
        };
        if before {
            for link in lattice.before.of(*item) {
                let there = place.at(link.other);
                match (is_card(link.other), is_card(*item)) {
                    // Cards are aligned at their tops, a little lower for each answer, so that steps in a row stay in one.
                    (true, true) => {
                        let answers = sizes.heights.at(link.other) - sizes.answers.at(link.other) - sizes.below;
                        want(there + real(link.port) - f64::from(answers - 1) / 2.0, 1.0);
                    }
                    (true, false) => want(there + f64::from(sizes.answers.at(link.other)) + real(link.port), 2.0),
                    (false, true) => want(there - f64::from(sizes.entry), 2.0),
                    (false, false) => want(there, 8.0),
                }
            }
        }
        if after {
            for link in lattice.after.of(*item) {
                let there = place.at(link.other);
                match (is_card(*item), is_card(link.other)) {
                    (true, true) => {
                        let answers = sizes.heights.at(*item) - sizes.answers.at(*item) - sizes.below;
                        want(there - real(link.port) + f64::from(answers - 1) / 2.0, 1.0);
                    }
                    (true, false) => want(there - f64::from(sizes.answers.at(*item)) - real(link.port), 2.0),
                    (false, true) => want(there + f64::from(sizes.entry), 2.0),
                    (false, false) => want(there, 8.0),
                }
            }
        }
        // What is linked with nothing stays, if it is not pushed.
        let (wanted, weight) = if weight > 0.0 { (sum / weight, weight) } else { (place.at(*item), 0.01) };
        pool.add(wanted - offset, weight);
    }
    let mut items = layer.iter().zip(offsets);
    for (value, count) in pool.blocks() {
        for (item, offset) in items.by_ref().take(count) {
            place.put(*item, value + offset);
        }
    }
}

/// The blocks of an isotonic regression by least squares: neighbors that would change places are pooled.
#[derive(Default)]
struct Pool {
    /// Sum of weighted values, sum of weights, and how many.
    blocks: Vec<(f64, f64, usize)>,
}

impl Pool {
    fn clear(&mut self) {
        self.blocks.clear();
    }

    fn add(&mut self, value: f64, weight: f64) {
        let mut block = (value * weight, weight, 1);
        while let Some(above) = self.blocks.last()
            && above.0 * block.1 >= block.0 * above.1
        {
            block = (block.0 + above.0, block.1 + above.1, block.2 + above.2);
            self.blocks.pop();
        }
        self.blocks.push(block);
    }

    fn blocks(&self) -> impl Iterator<Item = (f64, usize)> + '_ {
        self.blocks.iter().map(|(sum, weight, count)| (sum / weight, *count))
    }
}

/// How tall the rows of a layer reach: the row after the last one taken.
pub(super) fn bottom(lattice: &Lattice, sizes: &Sizes, rows: &[i32]) -> i32 {
    let ends = lattice.layers.iter().flatten().map(|item| {
        let tall = if *item < lattice.steps { sizes.heights.at(*item) } else { 1 };
        rows.at(*item).saturating_add(tall)
    });
    ends.max().unwrap_or(0)
}
