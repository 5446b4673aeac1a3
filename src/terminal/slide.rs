//! Contents that moved over the page in both directions, as a map does under a window.

use ratatui::buffer::Cell;

use super::cells::{is_plain, looks_same};

/// So many signs beside each other are looked for elsewhere, and so many of them are no blanks.
const SIGNS: usize = 6;
const SEEN: usize = 4;

/// Fewer such that moved alike say nothing.
const LEAST: usize = 12;

/// How far what a page shows moved: to the right and down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slide {
    pub(super) right: isize,
    pub(super) down: isize,
}

impl Slide {
    /// How most of what is there only once moved; nothing where it stayed.
    pub(super) fn best(old: &[Cell], new: &[Cell], across: usize) -> Option<Self> {
        let (old, new) = (places(old, across), places(new, across));
        let mut moved = Vec::new();
        let mut before = old.iter().peekable();
        for (mark, (x, y)) in new {
            while before.next_if(|(other, _)| *other < mark).is_some() {}
            if let Some((_, (from, line))) = before.peek().filter(|(other, _)| *other == mark) {
                moved.push(Self { right: x - from, down: y - line });
            }
        }
        // What is beside it stays, and may be more.
        moved.retain(|slide| *slide != Self { right: 0, down: 0 });
        moved.sort_unstable();
        let most = moved.chunk_by(|one, other| one == other).max_by_key(|alike| alike.len())?;
        let slide = *most.first()?;
        (most.len() >= LEAST).then_some(slide)
    }
}

/// Where each text stands of those that a page shows once, by a digest of it.
fn places(cells: &[Cell], across: usize) -> Vec<(u64, (isize, isize))> {
    let mut places = Vec::new();
    for (y, row) in cells.chunks(across).enumerate() {
        let signs: Vec<u64> = row.iter().map(sign).collect();
        for (x, window) in signs.windows(SIGNS).enumerate() {
            if window.iter().filter(|sign| **sign != u64::from(b' ')).count() < SEEN {
                continue;
            }
            let mark = window.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |sum, sign| {
                (sum.rotate_left(23) ^ sign).wrapping_mul(0xd6e8_feb8_6659_fd93)
            });
            places.extend(isize::try_from(x).ok().zip(isize::try_from(y).ok()).map(|place| (mark, place)));
        }
    }
    places.sort_unstable();
    places
        .chunk_by(|one, other| one.0 == other.0)
        .filter_map(|alike| <[_; 1]>::try_from(alike).ok())
        .map(|[one]| one)
        .collect()
}

fn sign(cell: &Cell) -> u64 {
    cell.symbol().bytes().fold(0, |sign, byte| sign.rotate_left(8) ^ u64::from(byte))
}

/// The stretch of a list of gains that has the highest sum, with that sum; nothing where none is a gain.
pub(super) fn best_stretch(gains: impl Iterator<Item = isize>) -> Option<(isize, std::ops::Range<usize>)> {
    let mut best: Option<(isize, std::ops::Range<usize>)> = None;
    let (mut sum, mut from) = (0, 0);
    for (at, gain) in gains.enumerate() {
        if sum <= 0 {
            (sum, from) = (0, at);
        }
        sum += gain;
        if sum > best.as_ref().map_or(0, |(most, _)| *most) {
            best = Some((sum, from..at + 1));
        }
    }
    best
}

/// What drawing a cell over another takes, about, bytes.
pub(super) fn price(new: &Cell, old: Option<&Cell>) -> isize {
    let differs = old.is_none_or(|old| !looks_same(new, old));
    if differs { 1 + isize::try_from(new.symbol().len()).unwrap_or(1) } else { 0 }
}

/// Whether cells of a row can be moved along it: every terminal agrees where they are.
pub(super) fn may_slide(row: &[Cell]) -> bool {
    row.iter().all(is_plain)
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;

    use super::*;

    #[test]
    fn what_moved_is_found_wherever_it_went() {
        let lines = |right: usize, down: usize| {
            let mut lines = vec!["|".to_owned() + &" ".repeat(58) + "|"; 14];
            for row in 0..4 {
                let text = format!("{:right$} card {row} of some {}", "", row * 37);
                lines[down + row] = format!("|{text:58.58}|");
            }
            Buffer::with_lines(lines)
        };
        let slide =
            |(right, down), (to, under)| Slide::best(&lines(right, down).content, &lines(to, under).content, 60);
        assert_eq!(slide((20, 2), (6, 7)), Some(Slide { right: -14, down: 5 }));
        assert_eq!(slide((2, 7), (30, 1)), Some(Slide { right: 28, down: -6 }));
        assert_eq!(slide((2, 7), (2, 7)), None);
        assert_eq!(best_stretch([-1, 2, -1, 3, -5, 2].into_iter()), Some((4, 1..4)));
        assert_eq!(best_stretch([-1, 0].into_iter()), None);
    }
}
