//! The settings of a project's player, in a form. Each is saved as it is entered, so that `o` shows what viewers get.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::Value;

use super::answer::Turn;
use super::asking::quoted;
use super::vocabulary::{Change, Record, Write};
use super::{Projects, ReadFor, Words, WriteOf};
use crate::domain::{PlayerChange, PlayerSettings, ProjectId, setting_text};
use crate::settings::Key;
use crate::studio::ground::{Command, Failure, Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::paint::inside;
use crate::studio::widgets::player_form::{Formed, PlayerForm, page};
use crate::studio::widgets::{Ink, Panel, Piece};

/// A project's form while it is open.
#[derive(Debug, Clone)]
pub struct PlayerEditor {
    project: ProjectId,
    called: String,
    address: Option<String>,
    form: PlayerForm,
    /// What was entered and is not seen on the service yet.
    entered: Option<PlayerChange>,
}

impl PlayerEditor {
    /// Whether plain characters are text.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.form.is_typing()
    }

    /// Takes a typed key.
    pub(super) fn key(&mut self, key: Key) {
        self.form.key(key);
    }

    /// Takes pasted text.
    pub(super) fn paste(&mut self, pasted: &str) {
        self.form.paste(pasted);
    }

    /// The form itself.
    pub(super) fn form(&mut self) -> &mut PlayerForm {
        &mut self.form
    }

    /// What it is the form of.
    fn title(&self) -> String {
        format!("Player of {}", self.called)
    }

    /// Draws it, with what is under way on the lower edge, and gives the cursor's place.
    pub(super) fn view(&self, buf: &mut Buffer, ink: Ink, area: Rect, bottom: Vec<Piece>) -> Option<(u16, u16)> {
        let inside = Panel { title: &self.title(), bottom, focused: true, ..Panel::default() }.draw(buf, ink, area);
        self.form.draw(buf, ink, inside)
    }

    /// The form as lines.
    pub(super) fn reading(&self, lines: &mut Vec<String>) {
        lines.push(self.title());
        self.form.reading(lines);
    }
}

impl Projects {
    /// Reads the selected project to show the settings of its player.
    pub(super) fn edit_player(&mut self, now: Moment, turn: &mut Turn) {
        if let Some((id, called, _)) = self.to_write(turn) {
            self.read_for(id, called, ReadFor::Player, now, turn);
        }
    }

    /// Opens the form with what was read; where it is open already, it takes what the service has now.
    pub(super) fn open_player(&mut self, record: Result<Option<Arc<Record>>, Failure>, called: &str, turn: &mut Turn) {
        let record = match record {
            Ok(Some(record)) => record,
            Ok(None) => {
                self.player = None;
                turn.say(
                    NoticeKind::Error,
                    "The service no longer has this project. ‹projects.refresh› reloads the list.",
                );
                return;
            }
            Err(failure) if failure.unauthorized => return,
            Err(failure) => {
                turn.say(NoticeKind::Error, format!("Couldn't read the player settings: {}", failure.what));
                return;
            }
        };
        let settings = record.project.player.as_ref().map(PlayerSettings::members).unwrap_or_default();
        let address = super::row::player(&record.project);
        let editor = self.player.take_if(|editor| editor.project == record.project.id);
        let mut editor = editor.unwrap_or_else(|| PlayerEditor {
            project: record.project.id.clone(),
            called: called.to_owned(),
            address,
            form: PlayerForm::default(),
            entered: None,
        });
        let entered = editor.entered.take();
        let lost = entered.as_ref().and_then(|change| {
            let mut kept = change.members.iter();
            kept.find(|(name, value)| !value.is_null() && settings.get(*name).is_none_or(Value::is_null))
        });
        editor.form.take(settings);
        if let Some((name, value)) = lost {
            editor.form.refuse(name, &setting_text(value), "This service doesn't store this setting.");
        }
        self.player = Some(editor);
    }

    /// Takes a command while the form is open.
    pub(super) fn player_command(&mut self, command: Command, now: Moment, turn: &mut Turn) {
        let seen = page(inside(self.area));
        let Some(editor) = &mut self.player else { return };
        match editor.form.command(command, seen) {
            Formed::Left => self.player = None,
            Formed::Set(change, label) => self.save_setting(change, label, now, turn),
            Formed::Other if command == Command::Address => match editor.address.clone() {
                Some(address) => turn.outcomes.push(Outcome::Address(address)),
                None => turn.say(NoticeKind::Hint, "The service gave no player address for this project."),
            },
            Formed::Nothing | Formed::Other => {}
        }
        let area = inside(self.area);
        self.player.iter_mut().for_each(|editor| editor.form.keep_in_sight(area));
    }

    fn save_setting(&mut self, change: PlayerChange, label: &str, now: Moment, turn: &mut Turn) {
        let Some(editor) = &mut self.player else { return };
        editor.entered = Some(change.clone());
        let id = editor.project.clone();
        let doing = format!("saving the player of {}", quoted(&editor.called));
        let words = Words::new(doing, format!("Saved: {label}."), "The setting was not saved");
        let change = Change { player: Some(change), ..Change::default() };
        if !self.write(WriteOf::Player, Write::Change(id, change), words, now, turn) {
            self.setting_not_saved("It isn't saved yet; press Enter again.");
        }
    }

    /// A setting was saved: what the service made of it is read.
    pub(super) fn setting_saved(&mut self, now: Moment, turn: &mut Turn) {
        if let Some(editor) = &self.player {
            let (id, called) = (editor.project.clone(), editor.called.clone());
            self.read_for(id, called, ReadFor::Player, now, turn);
        }
    }

    /// A setting was not saved: what was typed stands there again.
    pub(super) fn setting_not_saved(&mut self, why: &str) {
        let Some(editor) = &mut self.player else { return };
        let Some(change) = editor.entered.take() else { return };
        if let Some((name, value)) = change.members.iter().next() {
            let typed = setting_text(value).replace('\n', "\\n");
            editor.form.refuse(name, &typed, why);
        }
    }
}
