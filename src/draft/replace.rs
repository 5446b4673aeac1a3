//! Finding a text in all texts of a project, and putting another in its place.

use std::ops::Range;

use super::content::Content;
use super::draft::Draft;
use super::refs::{AnswerRef, StepRef};

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Find {
    /// The text; an empty one is found nowhere.
    pub text: String,
    /// Whether large and small letters are told apart.
    pub case: bool,
}

/// A text of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The project's name.
    Name,
    /// What a step is about.
    Description(StepRef),
    /// The text over a step's video.
    Overlay(StepRef),
    /// What an answer says.
    Answer(StepRef, AnswerRef),
}

/// A text in which something was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Which text.
    pub place: Place,
    /// The text as it is.
    pub text: String,
    /// Where in it, in bytes; none overlaps another.
    pub found: Vec<Range<usize>>,
}

impl Hit {
    /// The text with another in the place of what was found.
    #[must_use]
    pub fn replaced(&self, with: &str) -> String {
        let (mut out, mut at) = (String::with_capacity(self.text.len()), 0);
        for range in &self.found {
            out.push_str(self.text.get(at..range.start).unwrap_or_default());
            out.push_str(with);
            at = range.end;
        }
        out.push_str(self.text.get(at..).unwrap_or_default());
        out
    }
}

impl Find {
    /// Where it stands in a text, in bytes.
    #[must_use]
    pub fn within(&self, text: &str) -> Vec<Range<usize>> {
        if self.text.is_empty() {
            return Vec::new();
        }
        if self.case {
            return text.match_indices(&self.text).map(|(at, found)| at..at + found.len()).collect();
        }
        let sought: Vec<char> = self.text.chars().flat_map(char::to_lowercase).collect();
        let (mut found, mut past) = (Vec::new(), 0);
        for (at, _) in text.char_indices() {
            if at >= past
                && let Some(length) = text.get(at..).and_then(|rest| begins(rest, &sought))
            {
                past = at + length;
                found.push(at..past);
            }
        }
        found
    }
}

/// How many bytes of a text are these letters, large or small, if it begins with them.
fn begins(text: &str, sought: &[char]) -> Option<usize> {
    let mut left = sought.iter();
    for (at, letter) in text.char_indices() {
        for lower in letter.to_lowercase() {
            if left.next() != Some(&lower) {
                return None;
            }
        }
        if left.as_slice().is_empty() {
            return Some(at + letter.len_utf8());
        }
    }
    None
}

impl Draft {
    /// Every text in which something is found: the project's name, then the steps in the author's order.
    #[must_use]
    pub fn hits(&self, find: &Find) -> Vec<Hit> {
        hits(self.content(), &self.shown_order(), find)
    }
}

pub(super) fn hits(content: &Content, order: &[StepRef], find: &Find) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut look = |place, text: &str| {
        let found = find.within(text);
        if !found.is_empty() {
            hits.push(Hit { place, text: text.to_owned(), found });
        }
    };
    look(Place::Name, content.head().name());
    for (step, content) in order.iter().filter_map(|step| Some((*step, content.step(*step)?))) {
        look(Place::Description(step), content.description());
        look(Place::Overlay(step), content.overlay());
        for answer in content.answers() {
            look(Place::Answer(step, answer.key), &answer.text);
        }
    }
    hits
}
