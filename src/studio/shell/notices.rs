//! What was said to the person.

use std::collections::VecDeque;

use super::event::Event;
use crate::studio::ground::{Moment, NoticeKind, Screen};
use crate::studio::widgets::Role;

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Which one.
    pub id: u64,
    /// When.
    pub at: Moment,
    /// What it is.
    pub kind: NoticeKind,
    /// The words, harmless already.
    pub text: String,
    /// Whether it is for the owner of a shared studio, and for nobody who watches.
    pub is_owners: bool,
    /// The screen that was shown once the turn that said it was over: it stays with that.
    pub screen: Option<Screen>,
}

/// How many notices are kept.
const MOST_NOTICES: usize = 200;

/// So many notices wait for the one that is shown.
const MOST_WAITING: usize = 8;

/// A notice goes by itself after so long, milliseconds; an error stays until it was read.
pub(super) const NOTICE_MS: i64 = 5_000;

/// So long an error has to be seen before a key takes it away, milliseconds: one that comes while someone types stays.
pub(super) const READ_MS: i64 = 1_000;

/// In whose turn something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Voice {
    /// It answers what the person did just now.
    Answer,
    /// It tells what came of what was asked for.
    #[default]
    Reply,
    /// It is said beside: nobody asked for it. It hides no answer that was hardly seen yet, and no error that wasn't read.
    Aside,
}

impl Voice {
    /// Whose turn an event is.
    #[must_use]
    pub(super) fn of(event: &Event) -> Self {
        match event {
            Event::Pressed(_) | Event::Pasted(_) | Event::Entered(_) | Event::Mouse(_) => Self::Answer,
            Event::Connected(_)
            | Event::DraftsFound(_)
            | Event::DraftUnreadable(_)
            | Event::ThemeRead { .. }
            | Event::ThemeFits(_)
            | Event::LinkMeasured { .. } => Self::Aside,
            _ => Self::Reply,
        }
    }
}

/// What was said, and what of it is still shown.
#[derive(Debug, Clone, Default)]
pub struct Notices {
    /// Oldest first.
    pub past: VecDeque<Notice>,
    /// The one that is shown.
    pub shown: Option<u64>,
    /// In whose turn something is said now.
    pub voice: Voice,
    /// Whether the one that is shown answers what the person did.
    answers: bool,
    /// The one that was said together with what is copied.
    with_copy: Option<u64>,
    /// Those that are to be shown after it.
    waiting: VecDeque<u64>,
    /// The screen that was shown when the last turn was over.
    front: Option<Screen>,
    count: u64,
}

impl Notices {
    /// Says something; gives its id. It is shown now, or once the one that is shown was seen long enough.
    pub fn say(&mut self, at: Moment, kind: NoticeKind, text: String) -> u64 {
        self.count += 1;
        if self.past.len() == MOST_NOTICES {
            self.past.pop_front();
        }
        self.past.push_back(Notice { id: self.count, at, kind, text, is_owners: false, screen: None });
        let holds = |notice: &Notice| match notice.kind {
            // One of another screen is not seen.
            NoticeKind::Error => notice.screen.is_none() || notice.screen == self.front,
            _ => self.answers && at.since(notice.at) < NOTICE_MS,
        };
        if self.voice == Voice::Aside && self.current().is_some_and(holds) {
            if self.waiting.len() == MOST_WAITING {
                self.waiting.pop_front();
            }
            self.waiting.push_back(self.count);
        } else {
            (self.shown, self.answers) = (Some(self.count), self.voice == Voice::Answer);
        }
        self.count
    }

    /// What was said last is for the owner of the studio.
    pub fn is_for_owner(&mut self) {
        if let Some(last) = self.past.back_mut() {
            last.is_owners = true;
        }
    }

    /// Leaves to somebody who watches what is for them; `has_keys` is whether they press the keys.
    pub fn of_watcher(&mut self, has_keys: bool) {
        let shown = self.shown;
        if self.current().is_some_and(|notice| notice.is_owners) {
            if has_keys {
                if let Some(current) = self.past.iter_mut().find(|notice| Some(notice.id) == shown) {
                    "You have the keys. Ctrl-Q leaves.".clone_into(&mut current.text);
                }
            } else {
                self.shown = None;
            }
        }
        let shown = self.shown;
        self.past.retain(|notice| !notice.is_owners || Some(notice.id) == shown);
    }

    /// Something is copied in this turn. What was said in it is worth more than that it was copied: it is shown first.
    pub fn copying(&mut self) {
        self.with_copy = self.current().filter(|notice| notice.screen.is_none()).map(|notice| notice.id);
        self.answers |= self.with_copy.is_some();
    }

    /// What is said next tells that it was copied.
    pub fn copied(&mut self) {
        if self.with_copy.take().is_some_and(|id| self.shown == Some(id)) {
            self.voice = Voice::Aside;
        }
    }

    /// Shows the next one that waits in the place of the one that is shown.
    pub fn show_next(&mut self) {
        (self.shown, self.answers) = (self.waiting.pop_front(), false);
    }

    /// What was said in this turn stays with the screen that is shown at its end.
    pub fn belong_to(&mut self, screen: Screen) {
        self.front = Some(screen);
        for notice in self.past.iter_mut().rev().take_while(|notice| notice.screen.is_none()) {
            notice.screen = Some(screen);
        }
    }

    /// The notice that is shown while this screen is in front.
    #[must_use]
    pub fn on(&self, screen: Screen) -> Option<&Notice> {
        self.current().filter(|notice| notice.screen.is_none_or(|its| its == screen))
    }

    /// The notice that is shown.
    #[must_use]
    pub fn current(&self) -> Option<&Notice> {
        self.shown.and_then(|id| self.past.iter().rev().find(|notice| notice.id == id))
    }
}

/// The role of a notice.
#[must_use]
pub fn notice_role(kind: NoticeKind) -> Role {
    match kind {
        NoticeKind::Done => Role::Ok,
        NoticeKind::Hint => Role::Text,
        NoticeKind::Warning => Role::Warn,
        NoticeKind::Error => Role::Error,
    }
}
