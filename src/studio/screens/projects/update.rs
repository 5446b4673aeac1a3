//! What happens on the Projects screen.

use super::row::called;
use super::vocabulary::Event;
use super::vocabulary::Turn;
use super::{Filter, Focus, PlayerCode, Projects};
use crate::domain::Embed;
use crate::settings::Key;
use crate::studio::ground::{Command, Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::rows::stride;

impl Projects {
    /// Takes what happened.
    pub fn event(&mut self, event: Event, now: Moment, turn: &mut Turn) {
        match event {
            Event::Listed { request, list } => {
                if self.list.wants(request) {
                    self.listed_arrived(list, now, turn);
                }
            }
            Event::Read { request, record } => self.record_arrived(request, record, now, turn),
            Event::Checked { request, faults } => self.checked(request, faults, now),
            Event::Written { request, written } => self.written(request, written, now, turn),
            Event::Answered { request, reply } => self.copy_answered(request, *reply, now, turn),
            Event::Drafts(drafts) => self.take_drafts(drafts, now, turn),
        }
    }

    /// Whether plain characters are text.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        if let Some(editor) = &self.player {
            return editor.is_typing();
        }
        self.focus == Focus::Search && self.ordering.is_none() && self.code.is_none()
    }

    /// Takes a key that is text.
    pub fn text_key(&mut self, key: Key, now: Moment, turn: &mut Turn) {
        if let Some(editor) = &mut self.player {
            editor.key(key);
            return;
        }
        if self.is_typing() && self.arranged.lines.key(key) {
            self.term_changed(now, turn);
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, pasted: &str, now: Moment, turn: &mut Turn) {
        if let Some(editor) = &mut self.player {
            editor.paste(pasted);
            return;
        }
        if self.ordering.is_none() && self.code.is_none() && self.focus != Focus::Detail {
            self.focus = Focus::Search;
            if self.arranged.lines.paste(pasted) {
                self.term_changed(now, turn);
            }
        }
    }

    fn term_changed(&mut self, now: Moment, turn: &mut Turn) {
        self.search();
        self.follow(now, turn);
    }

    /// Takes a command; whether this screen knew what to do with it.
    pub fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        if self.code.is_some() {
            self.code_command(command, turn);
            return true;
        }
        if self.ordering.is_some() {
            self.ordering_command(command, now, turn);
            return true;
        }
        if self.player.is_some() {
            self.player_command(command, now, turn);
            return true;
        }
        match command {
            Command::ProjectsSearch => {
                self.focus = Focus::Search;
                self.follow(now, turn);
            }
            Command::ProjectsFilter => self.choose_filter(now, turn),
            Command::ProjectsSort => self.sort(),
            Command::ProjectsFold => self.fold_all(now, turn),
            Command::ProjectsRefresh => self.refresh(now, turn),
            Command::Retry => self.retry(now, turn),
            Command::ProjectCreate => self.ask_create(turn),
            Command::ProjectRename => self.ask_rename(turn),
            Command::ProjectMove => self.ask_move(turn),
            Command::ProjectEmails => self.ask_emails(turn),
            Command::ProjectOrder => self.order_steps(now, turn),
            Command::ProjectDuplicate => self.duplicate(turn),
            Command::ProjectDelete | Command::Remove => self.ask_delete(turn),
            Command::ProjectCode => self.show_code(turn),
            Command::ProjectPlayer => self.edit_player(now, turn),
            Command::ProjectEmbed => {
                if let Some((address, name)) = self.player(turn) {
                    turn.outcomes.push(Outcome::Copy(Embed::choices(&address, &name)));
                }
            }
            Command::Copy => self.copy(turn),
            Command::Address => match self.player(turn) {
                Some((address, _)) => turn.outcomes.push(Outcome::Address(address)),
                None => return true,
            },
            Command::NextPane | Command::PreviousPane => {
                if self.focus == Focus::Detail {
                    self.focus = Focus::List;
                } else if self.current().is_some() {
                    self.focus = Focus::Detail;
                }
                self.follow(now, turn);
            }
            Command::Open => self.open(now, turn),
            Command::Back => return self.back(now, turn),
            _ if self.focus == Focus::Detail => return self.detail_command(command, now, turn),
            _ => return self.list_command(command, now, turn),
        }
        true
    }

    fn list_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        if let Some(by) = stride(command, self.page()) {
            self.step(by, now, turn);
            return true;
        }
        match command {
            Command::Left => self.go_out(now, turn),
            Command::Right => self.go_in(now, turn),
            Command::Mark => {
                self.toggle_fold();
            }
            _ => return false,
        }
        true
    }

    fn detail_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let page = self.detail_page();
        let Some(detail) = &mut self.detail else { return false };
        if let Some(by) = stride(command, page) {
            detail.scroll(by, page);
            return true;
        }
        match command {
            Command::Left => {
                self.focus = Focus::List;
                self.follow(now, turn);
            }
            _ => return false,
        }
        true
    }

    fn open(&mut self, now: Moment, turn: &mut Turn) {
        if self.focus == Focus::Search {
            self.focus = Focus::List;
        } else if self.toggle_fold() {
            self.follow(now, turn);
        } else if let Some(row) = self.current() {
            if row.project.id.is_empty() {
                turn.say(NoticeKind::Hint, "The service sent no ID for this project: it can't be opened.");
                return;
            }
            let (id, name) = (row.project.id.clone(), row.called().to_owned());
            turn.outcomes.push(Outcome::OpenProject(id, name));
        }
    }

    /// Goes back one thing.
    fn back(&mut self, now: Moment, turn: &mut Turn) -> bool {
        if let Some(request) = self.list.stop(now) {
            turn.cancel([request]);
        } else if self.focus != Focus::List {
            self.focus = Focus::List;
        } else if let Some(reading) = self.reading.take() {
            turn.cancel(Some(reading.request));
        } else if self.arranged.lines.clear_query() {
            self.rearrange();
        } else if self.filter != Filter::All {
            self.filter = Filter::All;
            self.rearrange();
        } else {
            return false;
        }
        self.follow(now, turn);
        true
    }

    /// The player's address of the selected project and what it is called; where there is none, that is said.
    fn player(&self, turn: &mut Turn) -> Option<(String, String)> {
        let Some(row) = self.current() else {
            turn.say(NoticeKind::Hint, "Select a project first.");
            return None;
        };
        let read = self.record().and_then(|record| super::row::player(&record.project));
        let Some(address) = row.player().or(read) else {
            turn.say(NoticeKind::Hint, "This project has no player address.");
            return None;
        };
        Some((address, row.called().to_owned()))
    }

    fn copy(&self, turn: &mut Turn) {
        let Some(row) = self.current() else {
            turn.say(NoticeKind::Hint, "Nothing to copy.");
            return;
        };
        let read = self.record().and_then(|record| super::row::player(&record.project));
        let address = row.player().or(read).map(|address| ("player address", address));
        let id = Some(("ID", row.project.id.to_string())).filter(|(_, id)| !id.is_empty());
        let json = self.record().and_then(|record| serde_json::to_string_pretty(&record.raw).ok());
        let choices: Vec<_> = address.into_iter().chain(id).chain(json.map(|json| ("JSON", json))).collect();
        if choices.is_empty() {
            turn.say(NoticeKind::Hint, "Nothing to copy.");
        } else {
            turn.outcomes.push(Outcome::Copy(choices));
        }
    }

    fn show_code(&mut self, turn: &mut Turn) {
        let Some((address, name)) = self.player(turn) else { return };
        self.code = PlayerCode::of(&address, called(&name));
        if self.code.is_none() {
            turn.say(NoticeKind::Warning, "The address is too long for a QR code. ‹app.address› shows it.");
        }
    }

    fn code_command(&mut self, command: Command, turn: &mut Turn) {
        let Some(code) = &self.code else { return };
        match command {
            Command::Copy => turn.outcomes.push(Outcome::Copy(vec![("player address", code.address.clone())])),
            Command::Address => turn.outcomes.push(Outcome::Address(code.address.clone())),
            Command::Back | Command::Open | Command::ProjectCode => self.code = None,
            _ => {}
        }
    }
}
