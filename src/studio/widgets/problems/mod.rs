//! Problems of a catalog or of videos: a list that fills while they are found, the worst first.

mod asked;
mod found;
mod view;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

pub use asked::{CheckReply, CheckRequest};
pub use found::{FoundProblem, Opens};

use crate::lint::{Rule, Severity};
use crate::studio::ground::{Command, Hint, Moment, RequestId};
use crate::studio::widgets::Select;
use crate::studio::widgets::paint::number;

/// So many problems of a rule are listed: a large catalog may have any number of them. The others are counted.
const LISTED: usize = 200;

/// What the last line shows while the list has the keys.
pub const HINTS: &[Hint] = &[
    Hint::moves(),
    Hint::of(Command::Open).saying("go there"),
    Hint::of(Command::StepsIgnore),
    Hint::of(Command::StepsFix).saying("how to fix"),
    Hint::of(Command::StepsBaseline),
    Hint::of(Command::Retry).saying("check again"),
    Hint::of(Command::Back),
];

/// How far checking is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Course {
    /// It goes on.
    Running {
        request: RequestId,
        since: Moment,
    },
    Done,
    /// It stopped, and why. What was found stays.
    Failed(String),
}

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// The products of the store.
    Products,
    /// The videos of the library.
    Videos,
}

impl Checked {
    /// So many of them, in words.
    fn counted(self, count: u64) -> String {
        let one = match self {
            Self::Products => "product",
            Self::Videos => "video",
        };
        format!("{} {one}{}", number(i64::try_from(count).unwrap_or(i64::MAX)), if count == 1 { "" } else { "s" })
    }
}

/// The problems that were found so far.
#[derive(Debug, Clone)]
pub struct Problems {
    of: Checked,
    found: Select<Arc<FoundProblem>>,
    /// How many each rule found, and how bad they are.
    counts: BTreeMap<(Rule, Severity), usize>,
    /// The keys of those that are ignored since the list was opened: they stay in it, so that this can be undone.
    ignored: HashSet<String>,
    /// How many were ignored before.
    left_out: u64,
    read: u64,
    course: Course,
}

/// What a command in the list asks whoever shows it to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemAct {
    /// The command is for something else.
    NotMine,
    /// Another problem is selected, or nothing is to be done.
    Moved,
    /// Go where the selected problem is.
    Open,
    /// The list is closed.
    Close,
    /// Check again.
    Again,
    /// Ask for the file that what is ignored is saved to.
    Save,
    /// Keep that a problem is ignored, or isn't any more.
    Ignore {
        /// What a baseline knows it by.
        key: String,
        /// Whether it is ignored.
        ignored: bool,
    },
    /// Say this.
    Say(String),
}

impl Problems {
    /// An empty list of what this request finds.
    #[must_use]
    pub fn new(of: Checked, request: RequestId, since: Moment) -> Self {
        Self {
            of,
            found: Select::default(),
            counts: BTreeMap::new(),
            ignored: HashSet::new(),
            left_out: 0,
            read: 0,
            course: Course::Running { request, since },
        }
    }

    /// The request that finds them, while it goes on.
    #[must_use]
    pub fn waiting(&self) -> Option<RequestId> {
        if let Course::Running { request, .. } = self.course { Some(request) } else { None }
    }

    /// The selected problem.
    #[must_use]
    pub fn current(&self) -> Option<&FoundProblem> {
        self.found.current().map(Arc::as_ref)
    }

    /// Which of how many is selected.
    #[must_use]
    pub fn position(&self) -> Option<(usize, usize)> {
        self.found.position()
    }

    /// The keys of those that are ignored since the list was opened.
    #[must_use]
    pub fn ignored(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.ignored.iter().cloned().collect();
        keys.sort();
        keys
    }

    /// Whether anything is ignored.
    #[must_use]
    pub fn has_ignored(&self) -> bool {
        !self.ignored.is_empty() || self.left_out > 0
    }

    /// Takes what was found, and how far reading is.
    pub fn take(&mut self, found: Vec<FoundProblem>, read: u64, left_out: u64) {
        (self.read, self.left_out) = (read, left_out);
        let mut new = Vec::new();
        for problem in found {
            *self.counts.entry((problem.rule, problem.severity)).or_default() += 1;
            if self.of_rule(problem.rule) <= LISTED {
                new.push(Arc::new(problem));
            }
        }
        if new.is_empty() {
            return;
        }
        let mut rows = self.found.rows().to_vec();
        rows.extend(new);
        // In the order of the rules among what is equally bad, and as they were found among those of one rule.
        rows.sort_by_key(|problem| (Reverse(problem.severity), problem.rule));
        // Whoever has not moved stays at the worst; another selection stays at its problem.
        match self.found.current().filter(|_| self.found.selected() > 0).map(Arc::clone) {
            Some(kept) => self.found.show_at(rows, |row| Arc::ptr_eq(row, &kept)),
            None => self.found.show(rows),
        }
    }

    /// Checking ended; why, where it stopped.
    pub fn end(&mut self, ended: Result<(), String>) {
        self.course = ended.map_or_else(Course::Failed, |()| Course::Done);
    }

    fn of_rule(&self, rule: Rule) -> usize {
        let of = |severity| self.counts.get(&(rule, severity)).copied().unwrap_or_default();
        [Severity::Error, Severity::Warning, Severity::Note].into_iter().map(of).sum()
    }

    /// How many there are of a severity, without those that were just ignored.
    fn count(&self, severity: Severity) -> usize {
        let all = self.counts.iter().filter(|((_, of), _)| *of == severity).map(|(_, count)| count).sum::<usize>();
        let ignored = self.found.rows().iter().filter(|row| row.severity == severity && self.is_ignored(row)).count();
        all.saturating_sub(ignored)
    }

    fn is_ignored(&self, problem: &FoundProblem) -> bool {
        !self.ignored.is_empty() && self.ignored.contains(&problem.key)
    }

    /// So many rows are seen.
    pub fn resize(&mut self, page: usize) {
        self.found.resize(page);
    }

    /// Takes a command; what whoever shows the list has to do for it.
    pub fn command(&mut self, command: Command) -> ProblemAct {
        if self.found.command(command) {
            return ProblemAct::Moved;
        }
        match command {
            Command::StepsNextProblem => self.go_on(1),
            Command::StepsPreviousProblem => self.go_on(-1),
            Command::Open | Command::Right => ProblemAct::Open,
            Command::Back => ProblemAct::Close,
            Command::Retry | Command::Refresh | Command::VideosRefresh => ProblemAct::Again,
            Command::StepsBaseline if !self.has_ignored() => {
                ProblemAct::Say("No problem is ignored. ‹steps.problem.ignore› ignores the selected one.".to_owned())
            }
            Command::StepsBaseline => ProblemAct::Save,
            Command::StepsIgnore => self.ignore(),
            Command::StepsFix => ProblemAct::Say(self.fix_words()),
            _ => ProblemAct::NotMine,
        }
    }

    /// Selects the next problem that isn't ignored, or the one before, and goes round.
    fn go_on(&mut self, by: isize) -> ProblemAct {
        let count = self.found.len();
        let mut at = self.found.selected();
        for _ in 0..count {
            at = (at + count).saturating_add_signed(by) % count;
            if self.found.rows().get(at).is_some_and(|row| !self.is_ignored(row)) {
                self.found.go_to(at);
                return ProblemAct::Moved;
            }
        }
        ProblemAct::Say("No problems.".to_owned())
    }

    /// Ignores the selected problem, or no longer does.
    fn ignore(&mut self) -> ProblemAct {
        let Some(key) = self.current().map(|problem| problem.key.clone()) else {
            return ProblemAct::Say("No problems.".to_owned());
        };
        let ignored = !self.ignored.remove(&key);
        if ignored {
            self.ignored.insert(key.clone());
        }
        ProblemAct::Ignore { key, ignored }
    }

    /// What fixes the selected problem: nothing that is done here.
    fn fix_words(&self) -> String {
        match self.current() {
            None => "No problems.".to_owned(),
            Some(FoundProblem { fix: Some(fix), .. }) => format!("To fix it: {fix}"),
            Some(_) if self.of == Checked::Products => {
                "No automatic fix: the record comes from the shop's platform. Enter shows it, \
                 ‹steps.problem.ignore› ignores the problem."
                    .to_owned()
            }
            Some(_) => {
                "No automatic fix. Enter shows the video, ‹steps.problem.ignore› ignores the problem.".to_owned()
            }
        }
    }

    /// Turns the wheel.
    pub fn wheel(&mut self, by: isize) {
        self.found.wheel(by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::{Problem, Record};

    fn problem(rule: Rule, id: &str) -> FoundProblem {
        let record = Record::Product { store: "https://a.example".into(), id: id.to_owned(), title: None };
        FoundProblem::of(&Problem::new(rule, record, "field", "is wrong"))
    }

    fn ids(problems: &Problems) -> Vec<&str> {
        problems.found.rows().iter().map(|row| row.id.as_str()).collect()
    }

    #[test]
    fn the_worst_comes_first_whenever_it_is_found_and_the_selection_stays() {
        let mut problems = Problems::new(Checked::Products, RequestId(1), Moment(0));
        problems.resize(5);
        problems.take(vec![problem(Rule::Unpublished, "a"), problem(Rule::SoldOut, "b")], 2, 0);
        assert_eq!((ids(&problems), problems.current().unwrap().id.as_str()), (vec!["b", "a"], "b"));
        problems.take(vec![problem(Rule::NoMedia, "c"), problem(Rule::SoldOut, "d")], 4, 1);
        assert_eq!(ids(&problems), ["c", "b", "d", "a"]);
        assert_eq!(problems.current().unwrap().id, "c", "whoever has not moved sees the worst");
        assert_eq!(problems.command(Command::Down), ProblemAct::Moved);
        problems.take(vec![problem(Rule::NoMedia, "e")], 5, 1);
        assert_eq!(problems.current().unwrap().id, "b", "the selection stays at its problem");
    }

    #[test]
    fn what_is_ignored_stays_to_be_undone_and_is_passed_over() {
        let mut problems = Problems::new(Checked::Products, RequestId(1), Moment(0));
        problems.take(
            vec![problem(Rule::SoldOut, "a"), problem(Rule::SoldOut, "b"), problem(Rule::SoldOut, "c")],
            3,
            0,
        );
        let key = problem(Rule::SoldOut, "a").key;
        let ignore = |ignored| ProblemAct::Ignore { key: key.clone(), ignored };
        assert!(matches!(problems.command(Command::StepsBaseline), ProblemAct::Say(_)), "there is nothing to be saved");
        assert_eq!(problems.command(Command::StepsIgnore), ignore(true));
        assert_eq!((problems.count(Severity::Warning), problems.ignored()), (2, vec![key.clone()]));
        problems.command(Command::StepsPreviousProblem);
        problems.command(Command::StepsNextProblem);
        assert_eq!(problems.current().unwrap().id, "b", "it goes round, past what is ignored");
        problems.command(Command::Up);
        assert_eq!(problems.command(Command::StepsIgnore), ignore(false));
        assert_eq!((problems.count(Severity::Warning), problems.has_ignored()), (3, false));
    }

    #[test]
    fn of_very_many_of_one_rule_some_are_listed_and_all_are_counted() {
        let mut problems = Problems::new(Checked::Products, RequestId(1), Moment(0));
        for page in 0..100 {
            let found = (0..50).map(|at| problem(Rule::SkuMissing, &format!("{page}-{at}"))).collect();
            problems.take(found, page * 50, 0);
        }
        problems.take(vec![problem(Rule::NoMedia, "bad")], 5_001, 0);
        assert_eq!((problems.found.len(), problems.count(Severity::Warning)), (LISTED + 1, 5_000));
        assert_eq!(ids(&problems)[0], "bad");
    }
}
