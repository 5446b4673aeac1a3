//! The dialogue: what was said, so that only what changed is said again.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::mem::Discriminant;

use super::fit;
use crate::studio::ground::Screen;
use crate::studio::shell::overlays::What;

/// What the first line says of itself.
const GREETING: &str = "Cutaway, as a dialogue of lines. ? lists what works here, quit ends.";

/// The dialogue: what was said, so that only what changed is said again.
#[derive(Debug, Clone, Default)]
pub struct Dialogue {
    seen: Option<Seen>,
    /// What of the last answer was not said yet, for want of room.
    rest: VecDeque<String>,
    /// What the dialogue itself answers to the line that was entered: lists, help, what it did not understand.
    own: Vec<String>,
    turn: Turn,
    /// The last notice that was said.
    pub(super) notice: u64,
    /// How far the uploads were when that was said last, tenths.
    pub(super) tenths: Option<u8>,
}

/// What the person did since the last answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Turn {
    /// Nothing.
    #[default]
    None,
    /// They entered a line; whether something was asked for that is still to come.
    Entered { waits: bool },
    /// They want the rest of the last answer.
    More,
}

impl Dialogue {
    /// A line was entered; these are the dialogue's own answers to it.
    pub(in crate::studio) fn entered(&mut self, own: Vec<String>, waits: bool) {
        self.own.extend(own);
        self.turn = Turn::Entered { waits };
    }

    /// Something is to be said with the next answer.
    pub(in crate::studio) fn note(&mut self, words: String) {
        self.own.push(words);
    }

    /// The rest of the last answer is wanted.
    pub(in crate::studio) fn goes_on(&mut self) {
        self.turn = Turn::More;
    }

    /// What there is to say now that this is in front, and these notices came.
    pub(super) fn say(&mut self, now: &Seen, notices: Vec<String>) -> Vec<String> {
        let turn = std::mem::take(&mut self.turn);
        let mut items = if self.seen.is_none() { vec![GREETING.to_owned()] } else { Vec::new() };
        let before = self.seen.replace(now.clone()).unwrap_or_default();
        if turn != Turn::More {
            items.extend(now.here(&before, turn != Turn::None));
        }
        items.append(&mut self.own);
        items.extend(notices);
        if turn != Turn::More {
            items.extend(now.changed(&before));
        }
        let mut items: Vec<String> =
            items.iter().map(|item| fit::plain(item)).filter(|item| !item.is_empty()).collect();
        match turn {
            Turn::More if items.is_empty() && self.rest.is_empty() => items.push("That was all.".to_owned()),
            Turn::Entered { waits: true } if items.is_empty() => items.push("Wait: the answer follows.".to_owned()),
            Turn::Entered { .. } if items.is_empty() => {
                items.push("Nothing changed. ? lists what works here.".to_owned());
            }
            Turn::None if items.is_empty() => return Vec::new(),
            _ => {}
        }
        if let Turn::Entered { .. } = turn {
            // What went wrong is said, also to whoever doesn't ask for more.
            self.rest.retain(|item| item.starts_with("Error: ") || item.starts_with("Warning: "));
        }
        let mut now: VecDeque<String> = items.into();
        // What comes by itself says nothing of what nobody asked for more of.
        if turn != Turn::None {
            now.append(&mut self.rest);
        }
        let said = fit::answer(&mut now);
        now.append(&mut self.rest);
        self.rest = now;
        said
    }
}

/// What is in front.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    pub(super) place: Option<(Screen, usize, Option<Discriminant<What>>)>,
    /// What it is called.
    pub(super) title: String,
    /// What is current, its name first.
    pub current: Option<String>,
    pub(super) position: Option<(usize, usize)>,
    /// Everything else that stands there, without rows of lists.
    pub(super) lines: Vec<String>,
}

impl Seen {
    /// What is current, where that is another than before; after a line of the person also where it says something else.
    pub fn here(&self, before: &Self, was_asked: bool) -> Option<String> {
        let moved = self.place != before.place;
        // What something arrives for changes times and counts in its row, which nobody asked for.
        let name = |seen: &Self| seen.current.as_deref().map(|current| current.split(';').next().map(str::to_owned));
        let is_other = if was_asked {
            (&self.current, self.position.map(|(at, _)| at)) != (&before.current, before.position.map(|(at, _)| at))
        } else {
            name(self) != name(before)
        };
        match &self.current {
            Some(_) if moved || is_other => Some(self.sentence(moved)),
            None if moved => Some(self.title.clone()),
            _ => None,
        }
    }

    /// What is current, which of how many, and where that is.
    fn sentence(&self, with_title: bool) -> String {
        let mut words = self.current.clone().unwrap_or_default();
        if let Some((at, all)) = self.position {
            let _ = write!(words, "; {} of {all}", at + 1);
        }
        if with_title {
            let _ = write!(words, "; {}", self.title);
        }
        words
    }

    /// What else stands there now and did not before.
    pub fn changed(&self, before: &Self) -> Vec<String> {
        let is_same = self.place == before.place && self.title == before.title;
        let known: &[String] = if is_same { &before.lines } else { &[] };
        // Where one came from elsewhere the title was said already.
        let said = (self.place != before.place).then_some(&self.title);
        let new = self.lines.iter().filter(|line| !known.contains(line) && Some(*line) != said);
        new.filter(|line| !line.trim().is_empty()).cloned().collect()
    }

    /// All of it.
    pub fn whole(&self) -> Vec<String> {
        let here = if self.current.is_some() { self.sentence(true) } else { self.title.clone() };
        let lines = self.lines.iter().filter(|line| **line != self.title && !line.trim().is_empty());
        std::iter::once(here).chain(lines.cloned()).collect()
    }
}
