//! What differs on the page, drawn pen by pen: what is near first.

use std::io::Write;

use ratatui::buffer::Cell;
use ratatui::style::Color;

use super::super::cells::{is_blank, is_plain, looks_same, reach};
use super::super::pen::Pen;
use super::Screen;
use super::moves::distance;

/// What a page shows and what it is to show, row after row.
#[derive(Clone, Copy)]
pub(super) struct Page<'a> {
    pub(super) new: &'a [Cell],
    pub(super) old: &'a [Cell],
    pub(super) across: usize,
}

impl<'a> Page<'a> {
    /// A row of it, from a column on.
    pub(super) fn rest(&self, y: usize, x: usize) -> (&'a [Cell], &'a [Cell]) {
        let row = y * self.across + x..(y + 1) * self.across;
        (self.new.get(row.clone()).unwrap_or_default(), self.old.get(row).unwrap_or_default())
    }
}

/// Cells of a row that differ, beside each other and drawn with one pen.
#[derive(Debug, Clone, PartialEq)]
struct Run {
    from: usize,
    to: usize,
    /// None where all are blank: any pen of the same background does.
    pen: Option<Pen>,
    ground: Color,
}

impl Run {
    fn of(at: usize, cell: &Cell) -> Self {
        Self { from: at, to: at + 1, pen: (!is_blank(cell)).then(|| Pen::of(cell)), ground: cell.bg }
    }

    /// Takes the next cell, where the same pen draws it.
    fn takes(&mut self, at: usize, cell: &Cell) -> bool {
        let takes = self.to == at
            && match self.pen {
                Some(pen) => pen.for_cell(cell) == pen,
                None if cell.bg != self.ground => false,
                None if is_blank(cell) => true,
                None => {
                    let pen = Pen::of(cell);
                    self.pen = pen.is_unseen().then_some(pen);
                    pen.is_unseen()
                }
            };
        self.to += usize::from(takes);
        takes
    }

    fn is_for(&self, pen: Pen) -> bool {
        self.pen.map_or_else(|| pen.is_unseen() && pen.is_on(self.ground), |own| own == pen)
    }
}

/// The column of a row before which cells have to be drawn in their order, as terminals disagree on how wide some are.
fn ordered_until(new: &[Cell], old: &[Cell]) -> usize {
    let odd = |row: &[Cell]| {
        let odd = row.iter().enumerate().filter(|(_, cell)| !is_plain(cell));
        odd.map(|(at, cell)| at + 1 + reach(cell.symbol())).max().unwrap_or_default()
    };
    odd(new).max(odd(old)).min(new.len())
}

/// The runs of a row from a column on.
fn runs(new: &[Cell], old: &[Cell], from: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, (cell, before)) in new.iter().zip(old).enumerate().skip(from) {
        if looks_same(cell, before) || runs.last_mut().is_some_and(|run| run.takes(at, cell)) {
            continue;
        }
        runs.push(Run::of(at, cell));
    }
    runs
}

/// So many rows from the cursor's on are looked through for what is near.
const NEAR: usize = 2;

/// A page of more runs, as of pictures drawn as blocks, is drawn row by row: each run is looked for among all that wait.
const MOST_RUNS: usize = 1_000;

/// Whether a page is worth drawing pen by pen.
pub(super) fn has_few_runs(page: Page, differing: &[usize]) -> bool {
    let mut runs = differing.iter().map(|&y| {
        let (new, old) = page.rest(y, 0);
        runs(new, old, 0).len()
    });
    runs.try_fold(0, |sum, of_row| Some(sum + of_row).filter(|sum| *sum <= MOST_RUNS)).is_some()
}

impl<W: Write> Screen<W> {
    /// Draws these rows of a page: how many cells differ.
    pub(super) fn page(&mut self, page: Page, differing: &[usize]) -> usize {
        let mut count = 0;
        let mut waiting: Vec<Vec<Run>> = vec![Vec::new(); page.new.len() / page.across];
        let mut left = 0;
        for &y in differing {
            let (new, old) = page.rest(y, 0);
            let until = ordered_until(new, old);
            if until > 0 {
                count += self.row_in_order(u16::try_from(y).unwrap_or(u16::MAX), new, old, until);
            }
            let runs = runs(new, old, until);
            count += runs.iter().map(|run| run.to - run.from).sum::<usize>();
            left += runs.len();
            waiting.get_mut(y).into_iter().for_each(|row| row.clone_from(&runs));
        }
        let mut drawn = vec![false; page.new.len()];
        while left > 0 {
            let Some((y, at)) = self.nearest(&waiting) else { break };
            let Some(row) = waiting.get_mut(y) else { break };
            let run = row.remove(at);
            left -= 1;
            self.run(page, y, run.from..run.to, &mut drawn);
        }
        count
    }

    /// Draws a run, but for what was drawn already.
    fn run(&mut self, page: Page, y: usize, run: std::ops::Range<usize>, drawn: &mut [bool]) {
        let (row, _) = page.rest(y, 0);
        for x in run {
            let at = y * page.across + x;
            if drawn.get(at).copied().unwrap_or(true) {
                continue;
            }
            let (column, line) = (u16::try_from(x).unwrap_or(u16::MAX), u16::try_from(y).unwrap_or(u16::MAX));
            self.go_along(column, line, row);
            let (new, old) = page.rest(y, x);
            let done = self.put_many(new, old, column, line, page.across);
            drawn.iter_mut().skip(at).take(done + 1).for_each(|cell| *cell = true);
        }
    }

    /// Which run is drawn next: of those for the pen that is held the one that the cursor comes to in the fewest bytes.
    fn nearest(&self, waiting: &[Vec<Run>]) -> Option<(usize, usize)> {
        let pen = self.pen;
        if let Some(cursor) = self.cursor {
            let from = cursor.at;
            let line = usize::from(from.1);
            let near = waiting.iter().enumerate().skip(line).take(NEAR);
            let all = near.flat_map(|(y, row)| row.iter().enumerate().map(move |(at, run)| (y, at, run)));
            let way = |(y, at, run): (usize, usize, &Run)| {
                let to = (u16::try_from(run.from).ok()?, u16::try_from(y).ok()?);
                let gap = run.from.checked_sub(usize::from(from.0)).filter(|_| y == line).unwrap_or(usize::MAX);
                // What is left behind has to be come back to.
                Some((distance(Some(cursor), to).min(gap) + usize::from(y != line), y, at))
            };
            let best = all.filter(|(_, _, run)| run.is_for(pen)).filter_map(way).min();
            if let Some((_, y, at)) = best {
                return Some((y, at));
            }
        }
        let mut all = waiting.iter().enumerate().flat_map(|(y, row)| (0..row.len()).map(move |at| (y, at)));
        let run = |(y, at): (usize, usize)| waiting.get(y).and_then(|row| row.get(at));
        let held = all.clone().find(|place| run(*place).is_some_and(|run| run.is_for(pen)));
        held.or_else(|| all.next())
    }
}
