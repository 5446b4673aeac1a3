//! What is wrong with the project as the pane under the map lists it: the worst first, and many alike in one row.

use std::cmp::Reverse;
use std::ops::{Deref, Range};
use std::sync::Arc;

use super::{Cursor, Editor};
use crate::graph::{Fault, Kind};
use crate::lint::Reach;
use crate::studio::widgets::RowCursor;
use crate::studio::widgets::paint::number;

/// From so many on, problems that are alike share a row.
const MANY_ALIKE: usize = 4;

/// A problem, and how many meet it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Met {
    /// What is wrong.
    pub fault: Arc<Fault>,
    /// Who meets it.
    pub reach: Reach,
}

impl Deref for Met {
    type Target = Fault;

    fn deref(&self) -> &Fault {
        &self.fault
    }
}

impl Met {
    /// It in a sentence, with who meets it.
    pub(super) fn words(&self) -> String {
        // This rule's own sentence says for how many the video ends.
        let is_said = matches!(self.kind, Kind::Linted("W06", _));
        format!("{}{}", self.sentence, if is_said { String::new() } else { self.reach_words() })
    }

    /// Who meets it, to stand behind other words.
    pub(super) fn reach_words(&self) -> String {
        format!(" ({})", self.reach.told())
    }

    /// The share of those who meet it, in its order: shares are never below zero.
    fn share(&self) -> u64 {
        self.reach.share.to_bits()
    }
}

/// What problems of one kind have in common.
struct Alike {
    kind: Kind,
    /// Where the first of them was found.
    first: usize,
    count: usize,
    /// The largest share that meets one of them.
    share: u64,
}

/// The problems in the order of the pane, and which of them share a row.
#[derive(Debug, Clone, Default)]
pub(super) struct Problems {
    all: Vec<Met>,
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
    /// Lists what a check found: errors first, then what most meet, then in the author's order; those that are alike where
    /// the one is that most meet.
    pub(super) fn new(found: Vec<Met>) -> Self {
        // There are a few kinds, however many problems there are.
        let mut kinds: Vec<Alike> = Vec::new();
        for (at, met) in found.iter().enumerate() {
            match kinds.iter_mut().find(|alike| alike.kind == met.kind) {
                Some(alike) => (alike.count, alike.share) = (alike.count + 1, alike.share.max(met.share())),
                None => kinds.push(Alike { kind: met.kind, first: at, count: 1, share: met.share() }),
            }
        }
        let alike = |kind: Kind| kinds.iter().find(|alike| alike.kind == kind && alike.count >= MANY_ALIKE);
        let mut placed: Vec<_> = found
            .into_iter()
            .enumerate()
            .map(|(at, met)| {
                let (share, place) = alike(met.kind).map_or((met.share(), at), |alike| (alike.share, alike.first));
                let key = (Reverse(met.severity()), Reverse(share), place, Reverse(met.share()), at);
                (key, met)
            })
            .collect();
        // From one edit to the next they are found in nearly the same order, which this sort makes use of.
        placed.sort_by_key(|(key, _)| *key);
        let all: Vec<Met> = placed.into_iter().map(|(_, met)| met).collect();
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
    pub(super) fn all(&self) -> &[Met] {
        &self.all
    }

    /// One of them.
    pub(super) fn get(&self, at: usize) -> Option<&Met> {
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
    fn find(&self, fault: &Met) -> Option<usize> {
        self.all.iter().position(|other| other.key == fault.key && other.port == fault.port)
    }

    /// The problem of a step or an answer; of a step without one its first answer's.
    fn at(&self, step: usize, port: Option<usize>) -> Option<usize> {
        let of = |is: &dyn Fn(&Met) -> bool| self.all.iter().position(|fault| fault.step == Some(step) && is(fault));
        of(&|fault| fault.port == port)
            .or_else(|| of(&|fault| fault.port.is_none()))
            .or_else(|| of(&|_| port.is_none()))
    }
}

impl Editor {
    /// The selected problem.
    pub(super) fn problem(&self) -> Option<&Met> {
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
        let is_here = |fault: &Met| fault.step == Some(step) && fault.port == port;
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
        Kind::SameProduct => "steps show a product twice",
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
    use crate::lint::ReachOf;

    fn found(steps: &[Step]) -> Problems {
        let graph = Graph::new(steps, &[]);
        let shares = graph.shares();
        let met = |fault: Fault| {
            let share = fault.step.map_or(1.0, |step| shares.of(step));
            Met { fault: Arc::new(fault), reach: Reach { share, of: ReachOf::Paths, counted: None } }
        };
        Problems::new(graph.check(&Known::default()).into_iter().map(met).collect())
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
        let severities: Vec<_> = problems.all().iter().map(|met| met.severity()).collect();
        assert!(severities.is_sorted_by(|a, b| a >= b), "{severities:?}");
    }

    #[test]
    fn what_most_meet_comes_first_among_what_is_equally_bad() {
        // The author's order is a, b, c, d: of two that go on from a, c is met by two paths of three.
        let problems =
            found(&[step("a", &["b", "c"]), step("b", &["gone"]), step("c", &["d", "lost"]), step("d", &[])]);
        let of = |kind: Kind| -> Vec<(usize, f64)> {
            let of = problems.all().iter().filter(|met| met.kind == kind);
            of.map(|met| (met.step.unwrap(), (met.reach.share * 1e3).round())).collect()
        };
        assert_eq!(of(Kind::Dangling), [(2, 667.0), (1, 333.0)]);
        // Many that are alike stay together, where the one is that most meet, and are in that order among themselves.
        assert_eq!(of(Kind::NoVideo), [(0, 1000.0), (2, 667.0), (1, 333.0), (3, 333.0)]);
        let kinds: Vec<Kind> = problems.rows().iter().map(|row| problems.get(row.start).unwrap().kind).collect();
        assert_eq!(kinds, [Kind::NoVideo, Kind::Dangling, Kind::Dangling, Kind::DeadEnd]);
        assert_eq!(problems.get(4).unwrap().words(), format!("{} (67% of paths)", problems.get(4).unwrap().sentence));
    }
}
