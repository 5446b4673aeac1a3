//! The dialogue: what was said, so that only what changed is said again.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::mem::Discriminant;

use super::fit;
use crate::studio::ground::{Moment, Screen};
use crate::studio::shell::overlays::What;

/// What the first line says of itself.
const GREETING: &str = "Cutaway, as a dialogue of lines. ? lists what works here, quit ends.";

/// What arrives within so many milliseconds after a line belongs to the answer to it.
const LATE_MS: i64 = 10_000;

/// The dialogue: what was said, so that only what changed is said again.
#[derive(Debug, Clone, Default)]
pub struct Dialogue {
    seen: Option<Seen>,
    /// What of the last answer was not said yet, for want of room.
    rest: VecDeque<String>,
    /// What the dialogue itself answers to the line that was entered: lists, help, what it did not understand.
    own: Vec<String>,
    turn: Turn,
    /// When the last answer began, and how many characters of it were said.
    answering: (Moment, usize),
    /// Whether the line before read a list: a number then goes to its row.
    listed: bool,
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

    /// A list was read.
    pub(in crate::studio) fn lists(&mut self) {
        self.listed = true;
    }

    /// Whether the line before read a list; what comes next is another line.
    pub(in crate::studio) fn take_listed(&mut self) -> bool {
        std::mem::take(&mut self.listed)
    }

    /// The rest of the last answer is wanted.
    pub(in crate::studio) fn goes_on(&mut self) {
        self.turn = Turn::More;
    }

    /// What there is to say now that this is in front, and these notices came.
    pub(super) fn say(&mut self, now: &Seen, notices: Vec<String>, at: Moment) -> Vec<String> {
        let turn = std::mem::take(&mut self.turn);
        let is_first = self.seen.is_none();
        let mut items = if is_first { vec![GREETING.to_owned()] } else { Vec::new() };
        let before = self.seen.replace(now.clone()).unwrap_or_default();
        let asks = now.asks_now(&before).filter(|_| turn != Turn::More);
        if turn != Turn::More {
            items.extend(now.here(&before, turn != Turn::None));
        }
        // What is asked for is never behind what has no room.
        items = fit::before(items, asks);
        items.append(&mut self.own);
        let has_news = !notices.is_empty();
        items.extend(notices);
        let told = |items: Vec<String>| -> Vec<String> {
            items.iter().map(|item| fit::plain(item)).filter(|item| !item.is_empty()).collect()
        };
        let changed = if turn == Turn::More { Vec::new() } else { told(now.changed(&before)) };
        let mut items = told(items);
        if turn == Turn::None && !is_first {
            return self.say_late(items, changed, at, (now.place != before.place, has_news));
        }
        self.answering = (at, 0);
        items.extend(changed);
        match turn {
            Turn::More if items.is_empty() && self.rest.is_empty() => items.push("That was all.".to_owned()),
            Turn::Entered { waits: true } if items.is_empty() => items.push("Wait: the answer follows.".to_owned()),
            Turn::Entered { .. } if items.is_empty() => {
                items.push("Nothing changed. ? lists what works here.".to_owned());
            }
            _ => {}
        }
        if let Turn::Entered { .. } = turn {
            self.drop_rest();
        }
        let mut now: VecDeque<String> = items.into();
        now.append(&mut self.rest);
        let said = fit::answer(&mut now, fit::MOST);
        self.rest = now;
        self.answering.1 = fit::length(&said);
        said
    }

    /// Nobody asked for more of it. What went wrong is said, also to whoever doesn't ask.
    fn drop_rest(&mut self) {
        self.rest.retain(|item| item.starts_with("Error: ") || item.starts_with("Warning: "));
    }

    /// What came by itself. It says nothing of what nobody asked for more of; and with the answer to the line that it
    /// came of, it is no longer than an answer is.
    fn say_late(
        &mut self,
        first: Vec<String>,
        changed: Vec<String>,
        at: Moment,
        (moved, has_news): (bool, bool),
    ) -> Vec<String> {
        let is_late = at.since(self.answering.0) < LATE_MS;
        if moved {
            self.drop_rest();
        }
        let goes_on = !self.rest.is_empty();
        let mut now: VecDeque<String> = first.into();
        if goes_on && is_late {
            self.rest.extend(changed);
        } else {
            now.extend(changed);
        }
        if now.is_empty() {
            return Vec::new();
        }
        let used = if is_late { self.answering.1 } else { 0 };
        // A notice is said whole, whatever was said before it.
        let least = if moved { fit::MOST / 2 } else { fit::LEAST };
        let room = if goes_on || has_news { fit::MOST } else { fit::MOST.saturating_sub(used).max(least) };
        let said = fit::answer(&mut now, room);
        now.append(&mut self.rest);
        self.rest = now;
        self.answering.1 = used + fit::length(&said);
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
    /// What is asked for, and how to leave without it.
    pub(super) asks: Option<String>,
}

impl Seen {
    /// What is current, where that is another than before; after a line of the person also where it says something else.
    pub fn here(&self, before: &Self, any_question: bool) -> Option<String> {
        let moved = self.place != before.place;
        // What something arrives for changes times and counts in its row, which nobody asked for.
        let name = |seen: &Self| seen.current.as_deref().map(|current| current.split(';').next().map(str::to_owned));
        let is_other = if any_question {
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

    /// What is asked for, where that was not said yet.
    fn asks_now(&self, before: &Self) -> Option<String> {
        self.asks.clone().filter(|_| self.asks != before.asks || self.place != before.place)
    }

    /// What else stands there now and did not before.
    pub fn changed(&self, before: &Self) -> Vec<String> {
        let is_same = self.place == before.place && self.title == before.title;
        let known: &[String] = if is_same { &before.lines } else { &[] };
        // Where one came from elsewhere the title was said already.
        let said = (self.place != before.place).then_some(&self.title);
        // A search line that is typed in again says what it says.
        let is_asked = |line: &str| self.asks_now(before).is_some() && line.starts_with("Search: ");
        let new = self.lines.iter().filter(|line| (!known.contains(line) || is_asked(line)) && Some(*line) != said);
        new.filter(|line| !line.trim().is_empty()).cloned().collect()
    }

    /// All of it.
    pub fn whole(&self) -> Vec<String> {
        let here = if self.current.is_some() { self.sentence(true) } else { self.title.clone() };
        let lines = self.lines.iter().filter(|line| **line != self.title && !line.trim().is_empty());
        std::iter::once(here).chain(self.asks.clone()).chain(lines.cloned()).collect()
    }
}
