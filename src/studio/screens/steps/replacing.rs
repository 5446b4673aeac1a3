//! Find and replace over all texts, with what would change shown first.

use super::vocabulary::Turn;
use crate::domain::{cut, text};
use crate::draft::{Edit, Find};
use crate::studio::ground::{Moment, NoticeKind};
use crate::studio::widgets::{Prompt, Question, Role};

use super::{Answer, Editor};

/// So many of the texts that would change are shown.
const SHOWN: usize = 10;

fn find(what: &str) -> Find {
    // A capital letter asks for exactly what was typed.
    Find { text: what.to_owned(), case: what.chars().any(char::is_uppercase) }
}

impl Editor {
    pub(super) fn ask_replace(&self, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        turn.question(Question::line(Prompt::new("Find text", ""), Answer::ReplaceWhat));
    }

    pub(super) fn replace_what(&self, what: String, turn: &mut Turn) {
        let draft = &self.draft;
        let hits: usize = draft.hits(&find(&what)).iter().map(|hit| hit.found.len()).sum();
        if hits == 0 {
            turn.say(NoticeKind::Hint, format!("No text contains “{}”.", text::line(&what)));
            return;
        }
        let title = format!("Replace “{}” ({hits} found) with", text::line(&what));
        turn.question(Question::line(Prompt::new(&title, ""), Answer::ReplaceWith(what)));
    }

    pub(super) fn preview_replace(&self, what: String, with: String, turn: &mut Turn) {
        let draft = &self.draft;
        let hits = draft.hits(&find(&what));
        let mut lines = Vec::new();
        for hit in hits.iter().take(SHOWN) {
            lines.push((Role::Dim, format!("- {}", shortened(&hit.text))));
            lines.push((Role::Text, format!("+ {}", shortened(&hit.replaced(&with)))));
        }
        if hits.len() > SHOWN {
            lines.push((Role::Dim, format!("and {} more texts", hits.len() - SHOWN)));
        }
        let replace = format!("replace in {} texts", hits.len());
        let options = [(Answer::Nothing, "cancel".to_owned()), (Answer::Replace(what, with), replace)];
        turn.question(Question::decide("Replace", lines, options));
    }

    pub(super) fn replace(&mut self, what: &str, with: String, now: Moment, turn: &mut Turn) {
        self.edit(Edit::Replace { find: find(what), with, only: None }, now, turn);
    }
}

fn shortened(said: &str) -> String {
    let line = text::line(said);
    if line.chars().count() <= 70 { line.into_owned() } else { format!("{}…", cut(&line, 69)) }
}
