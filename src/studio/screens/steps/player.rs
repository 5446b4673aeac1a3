//! The player's settings, one after another: a list of them, then the value of one. Each is an edit of the draft.

use serde_json::{Map, Value};

use super::vocabulary::Turn;
use super::{Answer, Editor};
use crate::domain::{Embed, PlayerChange, setting_text, text};
use crate::draft::Edit;
use crate::studio::ground::{Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::player_form::{SETTINGS, fault, value_of};
use crate::studio::widgets::{Entry, Picker, Prompt, Question, Role};

impl Editor {
    /// Lets the person choose a setting of the player; `at` is the one to begin on.
    pub(super) fn ask_player(&self, at: Option<&str>, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let draft = &self.draft;
        let head = draft.content().head();
        let option = |(name, label, _): &(&'static str, &str, &str)| {
            let value = setting_text(head.setting(name));
            let detail = if value.is_empty() { "not set".to_owned() } else { text::line(&value).into_owned() };
            (Answer::PlayerSetting(name), Entry { label: (*label).to_owned(), detail, ..Entry::default() })
        };
        let selected = SETTINGS.iter().position(|(name, ..)| Some(*name) == at).unwrap_or(0);
        let list = |entries| Picker::new("Player settings", entries).with_selected(selected);
        turn.question(Question::choose(SETTINGS.iter().map(option), list));
    }

    /// Asks for the value of the setting that was chosen.
    pub(super) fn ask_setting(&self, name: &'static str, turn: &mut Turn) {
        let draft = &self.draft;
        let begin = setting_text(draft.content().head().setting(name)).replace('\n', "\\n");
        Self::ask_value(name, &begin, None, turn);
    }

    fn ask_value(name: &'static str, begin: &str, wrong: Option<String>, turn: &mut Turn) {
        let Some((_, label, about)) = SETTINGS.iter().find(|(known, ..)| *known == name) else { return };
        let mut lines = vec![(Role::Dim, format!("{about} Empty: the default."))];
        lines.extend(wrong.map(|wrong| (Role::Error, wrong)));
        let prompt = Prompt::new(label, &text::line(begin)).with_lines(lines);
        turn.question(Question::line(prompt, Answer::PlayerValue(name)));
    }

    /// Makes the typed value an edit, then shows the settings again; a value that can't be is asked for again.
    pub(super) fn set_player(&mut self, name: &'static str, typed: &str, now: Moment, turn: &mut Turn) {
        let members: Map<String, Value> = [(name.to_owned(), value_of(name, typed))].into_iter().collect();
        let change = PlayerChange { members };
        if let Some(why) = fault(&change) {
            let why = text::line(&format!("It {why}.")).into_owned();
            Self::ask_value(name, typed, Some(why), turn);
            return;
        }
        let changes = *self.draft.content().head().setting(name) != *change.members.get(name).unwrap_or(&Value::Null);
        if changes {
            self.edit(Edit::Player { change }, now, turn);
        }
        self.ask_player(Some(name), turn);
    }

    /// Offers what puts the player into a page of a shop.
    pub(super) fn copy_embed(&self, turn: &mut Turn) {
        let Some(address) = self.player() else {
            turn.say(NoticeKind::Hint, "This project has no player address.");
            return;
        };
        let name = self.draft.content().head().name();
        turn.outcomes.push(Outcome::Copy(Embed::choices(&address, name)));
    }
}
