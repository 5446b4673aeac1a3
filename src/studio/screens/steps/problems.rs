//! What is wrong with the project as the pane under the map lists it: the worst first, and many alike in one row.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use super::{Cursor, Editor};
use crate::graph::{Fault, Kind};
use crate::studio::widgets::RowCursor;
use crate::studio::widgets::paint::number;

/// From so many on, problems that are alike share a row.
const MANY_ALIKE: usize = 4;

/// The problems in the order of the pane, and which of them share a row.
#[derive(Debug, Clone, Default)]
pub(super) struct Problems {
    all: Vec<Fault>,
    rows: Vec<Range<usize>>,
}

/// Which problem is selected.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Chosen {
    /// Its place among all.
    pub at: usize,
    /// The first row that is seen.
    pub top: usize,
    /// Where the cursor was when it was selected: the selection follows a cursor that moves to another problem.
    pub cursor: Option<Cursor>,
    /// Whether it was gone to, where it concerns no step.
    pub shown: bool,
}

impl Problems {
    /// Lists what a check found: errors first, in the author's order, those that are alike where the first of them is.
    pub(super) fn new(found: Vec<Fault>) -> Self {
        let mut kinds: HashMap<Kind, (usize, usize)> = HashMap::new();
        for (at, fault) in found.iter().enumerate() {
            kinds.entry(fault.kind).or_insert((at, 0)).1 += 1;
        }
        let alike = |kind: Kind| kinds.get(&kind).copied().filter(|(_, count)| *count >= MANY_ALIKE);
        let mut placed: Vec<(usize, Fault)> = found.into_iter().enumerate().collect();
        placed.sort_by_cached_key(|(at, fault)| {
            let place = alike(fault.kind).map_or(*at, |(first, _)| first);
            (Reverse(fault.severity()), place, *at)
        });
        let all: Vec<Fault> = placed.into_iter().map(|(_, fault)| fault).collect();
        let mut rows: Vec<Range<usize>> = Vec::new();
        for (at, fault) in all.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| all.get(before)).map(|before| before.kind);
            match rows.last_mut().filter(|_| before == Some(fault.kind) && alike(fault.kind).is_some()) {
                Some(row) => row.end = at + 1,
                None => rows.push(at..at + 1),
            }
        }
        Self { all, rows }
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Fault] {
        &self.all
    }

    /// One of them.
    pub(super) fn get(&self, at: usize) -> Option<&Fault> {
        self.all.get(at)
    }

    /// The rows, each with the problems that share it.
    pub(super) fn rows(&self) -> &[Range<usize>] {
        &self.rows
    }

    /// The row of a problem.
    pub(super) fn row_of(&self, at: usize) -> usize {
        self.rows.partition_point(|row| row.end <= at)
    }

    /// Where a problem is that a check found before.
    fn find(&self, fault: &Fault) -> Option<usize> {
        self.all.iter().position(|other| other.key == fault.key && other.port == fault.port)
    }

    /// The problem of a step or an answer; of a step without one its first answer's.
    fn at(&self, step: usize, port: Option<usize>) -> Option<usize> {
        let of = |is: &dyn Fn(&Fault) -> bool| self.all.iter().position(|fault| fault.step == Some(step) && is(fault));
        of(&|fault| fault.port == port)
            .or_else(|| of(&|fault| fault.port.is_none()))
            .or_else(|| of(&|_| port.is_none()))
    }
}

impl Editor {
    /// The selected problem.
    pub(super) fn problem(&self) -> Option<&Fault> {
        self.shown.problems.get(self.chosen.at)
    }

    /// Whether the cursor is at the selected problem.
    pub(super) fn is_at_problem(&self) -> bool {
        let Some(problem) = self.problem() else { return false };
        match problem.step {
            Some(step) => self
                .selected()
                .is_some_and(|(here, port)| here == step && problem.port.is_none_or(|of| port == Some(of))),
            None => self.chosen.shown && self.chosen.cursor == self.cursor,
        }
    }

    /// Takes what a check found; the problem that was selected stays selected, or the next one is in its place.
    pub(super) fn take_problems(&mut self, problems: Problems) {
        let before = self.problem().cloned();
        self.shown.problems = problems;
        let kept = before.and_then(|before| self.shown.problems.find(&before));
        self.chosen.at = kept.unwrap_or(self.chosen.at).min(self.shown.problems.all.len().saturating_sub(1));
    }

    /// Selects the problem that the cursor came to, where it came to one.
    pub(super) fn follow_problem(&mut self) {
        if self.chosen.cursor == self.cursor {
            return;
        }
        self.chosen.cursor = self.cursor;
        self.chosen.shown = false;
        let Some((step, port)) = self.selected().filter(|(step, _)| self.shown.marks.faults.contains_key(step)) else {
            return;
        };
        let is_here = |fault: &Fault| fault.step == Some(step) && fault.port == port;
        if self.problem().is_some_and(is_here) {
            return;
        }
        if let Some(at) = self.shown.problems.at(step, port) {
            self.chosen.at = at;
        }
    }

    /// The selected row, as a place among the rows of which so many are seen.
    pub(super) fn problem_row(&self, page: usize) -> RowCursor {
        let problems = &self.shown.problems;
        let mut row = RowCursor { selected: problems.row_of(self.chosen.at), top: self.chosen.top };
        row.keep_in_sight(page, problems.rows.len());
        row
    }

    /// Selects the problem of a row: the selected one, where it is in that row, else the first.
    pub(super) fn choose_row(&mut self, row: RowCursor) {
        self.chosen.top = row.top;
        if let Some(of) = self.shown.problems.rows.get(row.selected).filter(|of| !of.contains(&self.chosen.at)) {
            self.chosen.at = of.start;
        }
    }
}

/// So many problems of a kind in a sentence, without a full stop.
pub(super) fn together(kind: Kind, count: usize) -> String {
    let what = match kind {
        Kind::Dangling => "answers lead nowhere",
        Kind::Ambiguous => "answers could lead to two steps",
        Kind::Unreachable => "steps are unreachable",
        Kind::Trap => "loops have no way out",
        Kind::NoVideo => "steps have no video",
        Kind::LostVideo => "steps have a video that is not in the library",
        Kind::NoText => "answers have no text",
        Kind::SameName => "steps have the name of another step",
        Kind::SameAnswer => "answers repeat another answer of their step",
        Kind::AlienInOrder => "entries in the order name no step",
        Kind::MissingInOrder => "steps are missing from the order",
        Kind::LongText => "steps have more text than their video leaves time to read",
        Kind::LateAnswers => "steps show their answers after the video's end",
        Kind::DeadEnd => "steps have no answers: the video ends there",
        Kind::ManySteps => "projects have many steps",
        Kind::Linted("W01", _) => "steps show products that are sold out",
        Kind::Linted("W02", _) => "steps show products that are hidden or gone",
        Kind::Linted("W03", _) => "steps show products without a price, a picture or an address",
        Kind::Linted("W04", _) => "answers promise a lower price than that of the product",
        Kind::Linted("W06", _) => "endings offer nothing",
        Kind::Linted("S02", _) => "products on steps are nearly sold out",
        Kind::Linted("V05", _) => "steps have a long video",
        Kind::Linted(..) => "problems are alike",
    };
    format!("{} {what}", number(i64::try_from(count).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Answer, Step};
    use crate::graph::{Graph, Known};

    fn found(steps: &[Step]) -> Problems {
        Problems::new(Graph::new(steps, &[]).check(&Known::default()))
    }

    fn step(name: &str, next: &[&str]) -> Step {
        let answers = next.iter().zip(1..).map(|(next, number)| Answer {
            text: format!("answer {number}"),
            next: Some((*next).into()),
            ..Answer::default()
        });
        Step { name: Some(name.into()), answers: Some(answers.collect()), ..Step::default() }
    }

    #[test]
    fn many_alike_share_a_row_and_few_do_not() {
        let problems = found(&[step("a", &["b", "gone"]), step("b", &["c"]), step("c", &["d"]), step("d", &[])]);
        let rows: Vec<(Kind, usize)> = problems
            .rows()
            .iter()
            .map(|row| (problems.get(row.start).map(|fault| fault.kind).unwrap(), row.len()))
            .collect();
        assert_eq!(rows, [(Kind::NoVideo, 4), (Kind::Dangling, 1), (Kind::DeadEnd, 1)]);
        for (at, row) in problems.rows().iter().enumerate() {
            assert!(row.clone().all(|problem| problems.row_of(problem) == at), "{row:?}");
        }
        let problems = found(&[step("a", &["b"]), step("b", &["c"]), step("c", &[""])]);
        assert_eq!(problems.rows().len(), 3, "three are told one by one");
    }

    #[test]
    fn what_is_worse_comes_first() {
        let problems = found(&[step("a", &["b"]), step("b", &[])]);
        let severities: Vec<_> = problems.all().iter().map(Fault::severity).collect();
        assert!(severities.is_sorted_by(|a, b| a >= b), "{severities:?}");
    }
}
