//! What was done in this session, and what of it is recorded.

use std::collections::VecDeque;
use std::sync::Arc;

use super::line::{Deed, Line, comment};
use crate::studio::ground::Moment;

/// The most that is kept of a session beside a recording.
const MOST: usize = 200;

/// The most that a recording takes in: longer scripts are nobody's.
const MOST_RECORDED: usize = 10_000;

/// A look at something: it changes nothing, and the next one may take its place. Ordered by what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// At an analysis.
    Analysis,
    /// At a product.
    Product,
    /// At what a search finds.
    Search,
}

/// Something that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// When.
    pub at: Moment,
    /// What.
    pub deed: Deed,
    /// The flags that lead to the workspace it was done in.
    pub way: Arc<[String]>,
    /// The look it was, where the next one takes its place: what is typed, and what is passed by, is not yet what was
    /// meant.
    pub passing: Option<Look>,
}

impl Done {
    /// As a line for a shell; what no script can do, as a comment.
    #[must_use]
    pub fn shell(&self) -> String {
        self.shell_with(&|_| None)
    }

    /// The same; what earlier lines made stands as the variable that holds it.
    #[must_use]
    pub fn shell_with(&self, variable: &impl Fn(&str) -> Option<String>) -> String {
        match &self.deed {
            Deed::Line(line) => line.shell(&self.way, variable),
            Deed::Aside { what, line: None } => comment(&format!("Not a command: {what}.")),
            Deed::Aside { what, line: Some(line) } => {
                comment(&format!("Not run: {what}: {}", line.shell(&self.way, variable)))
            }
        }
    }

    /// What tells it from others of its workspace.
    #[must_use]
    pub fn brief(&self) -> String {
        self.deed.line().map_or_else(|| self.shell(), Line::brief)
    }

    /// What is copied of it: the command, also one that a script leaves out.
    #[must_use]
    pub fn command(&self) -> String {
        match &self.deed {
            Deed::Aside { line: Some(line), .. } => line.shell(&self.way, &|_| None),
            _ => self.shell(),
        }
    }
}

/// What was done in this session.
#[derive(Debug, Clone, Default)]
pub struct Deeds {
    /// The latest, oldest first.
    pub done: VecDeque<Done>,
    /// What is being recorded, oldest first.
    pub recording: Option<Vec<Done>>,
}

impl Deeds {
    /// Writes something down.
    pub fn note(&mut self, done: Done) {
        let look = done.passing;
        let takes_place_of = |last: &Done| last.passing.is_some_and(|before| look.is_some_and(|look| before <= look));
        while self.done.back().is_some_and(takes_place_of) {
            let last = self.done.pop_back();
            if let Some(recording) = &mut self.recording
                && recording.last() == last.as_ref()
            {
                recording.pop();
            }
        }
        if self.done.len() == MOST {
            self.done.pop_front();
        }
        self.recording.iter_mut().for_each(|recording| match recording.len() {
            ..MOST_RECORDED => recording.push(done.clone()),
            MOST_RECORDED => {
                let what = format!("a recording has at most {MOST_RECORDED} lines; later actions are not in it");
                recording.push(Done { deed: Deed::aside(what), passing: None, ..done.clone() });
            }
            _ => {}
        });
        self.done.push_back(done);
    }

    /// What was looked at last was meant.
    pub fn settle(&mut self) {
        let recorded = self.recording.iter_mut().flat_map(|recording| recording.iter_mut().rev());
        let passing = |done: &&mut Done| done.passing.is_some();
        recorded.take_while(passing).for_each(|done| done.passing = None);
        self.done.iter_mut().rev().take_while(passing).for_each(|done| done.passing = None);
    }

    /// What would be lost if the recording were.
    #[must_use]
    pub fn recorded(&self) -> usize {
        self.recording.as_ref().map_or(0, Vec::len)
    }
}
