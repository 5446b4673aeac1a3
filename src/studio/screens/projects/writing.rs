//! Writing: one call at a time, said while it is under way, shown once the service tells what came of it.

use std::sync::Arc;

use super::asking::quoted;
use super::fetching::{refused, remind};
use super::vocabulary::Turn;
use super::vocabulary::{Change, Effect, Record, Trouble, Write, Written};
use super::{Ordering, Projects, ReadFor, Stage, Words, WriteOf, Writing};
use crate::domain::ProjectId;
use crate::studio::ground::{Command, Failure, Moment, NoticeKind, RequestId};

impl Projects {
    /// What is being written, in words.
    #[must_use]
    pub fn doing(&self) -> Option<String> {
        if let Some(writing) = &self.writing {
            return Some(writing.words.doing.clone());
        }
        let copying = self.copying.as_ref()?;
        (!matches!(copying.stage, Stage::Stopped(_))).then(|| format!("duplicating as {}", quoted(&copying.name)))
    }

    /// Sends a write; whether it was.
    pub(super) fn write(&mut self, of: WriteOf, write: Write, words: Words, now: Moment, turn: &mut Turn) -> bool {
        if !self.may_write(turn) {
            return false;
        }
        let request = turn.next_id();
        let project = if let Write::Change(id, _) = &write { Some(id.clone()) } else { None };
        self.writing = Some(Writing { request, since: now, of, project, words });
        turn.ask(Effect::Write { request, write: Box::new(write) });
        remind(turn, 0);
        true
    }

    /// Takes what came of a write.
    pub(super) fn written(
        &mut self,
        request: RequestId,
        written: Result<Written, Trouble>,
        now: Moment,
        turn: &mut Turn,
    ) {
        let Some(writing) = self.writing.take_if(|writing| writing.request == request) else { return };
        match written {
            Ok(Written::Project(id)) if matches!(writing.of, WriteOf::New(..)) => self.put_in(id, writing, now, turn),
            Ok(written) => {
                turn.say(NoticeKind::Done, writing.words.done);
                self.unsent = None;
                match &writing.of {
                    WriteOf::Order => self.ordering = None,
                    WriteOf::Copy => self.copying = None,
                    WriteOf::Itself | WriteOf::New(..) | WriteOf::Player => {}
                }
                self.wanted = match written {
                    Written::Project(id) => Some(id),
                    Written::Done => writing.project,
                };
                self.refresh(now, turn);
                if writing.of == WriteOf::Player {
                    self.setting_saved(now, turn);
                }
            }
            Err(trouble) => {
                refused(&trouble.failure, turn);
                let what = trouble.failure.what;
                if writing.of == WriteOf::Player {
                    self.setting_not_saved(&what);
                }
                if trouble.unknown {
                    let doing = writing.words.doing;
                    let say = format!(
                        "We don't know whether {doing} worked: {what}. The list is reloaded; look there first."
                    );
                    turn.say(NoticeKind::Error, say);
                    // What may have been done is not to be asked for again with the same words.
                    self.unsent = None;
                    self.refresh(now, turn);
                } else if trouble.gone {
                    turn.say(NoticeKind::Error, "The service no longer has this project. The list is reloaded.");
                    self.refresh(now, turn);
                } else if !trouble.failure.unauthorized {
                    turn.say(NoticeKind::Error, format!("{}: {what}", writing.words.failed));
                }
            }
        }
    }

    /// Puts a project that was just created into its folder: not every service takes one with a new project.
    fn put_in(&mut self, id: ProjectId, writing: Writing, now: Moment, turn: &mut Turn) {
        let WriteOf::New(folder, name) = writing.of else { return };
        self.unsent = None;
        let done = format!("{} in {}.", writing.words.done.trim_end_matches('.'), quoted(&name));
        let words = Words::new(writing.words.doing, done, "Created, but not moved to the folder");
        let change = Change { folder: Some(folder.to_string()), ..Change::default() };
        self.wanted = Some(id.clone());
        self.write(WriteOf::Itself, Write::Change(id, change), words, now, turn);
        // Should it stay outside of the folder, it is there all the same.
        self.refresh(now, turn);
    }

    /// Reads a project's steps to put them in order.
    pub(super) fn order_steps(&mut self, now: Moment, turn: &mut Turn) {
        if let Some((id, called, _)) = self.to_write(turn) {
            self.read_for(id, called, ReadFor::Order, now, turn);
        }
    }

    pub(super) fn open_ordering(
        &mut self,
        record: Result<Option<Arc<Record>>, Failure>,
        called: &str,
        turn: &mut Turn,
    ) {
        match record {
            Ok(Some(record)) => match Ordering::of(&record, called) {
                Some(ordering) if ordering.places.is_empty() => {
                    turn.say(NoticeKind::Hint, "This project has no steps to order.");
                }
                Some(mut ordering) => {
                    ordering.places.resize(self.ordering_page());
                    self.ordering = Some(ordering);
                }
                None => {
                    turn.say(NoticeKind::Warning, "The service sent no steps of this project.");
                }
            },
            Ok(None) => {
                turn.say(
                    NoticeKind::Error,
                    "The service no longer has this project. ‹projects.refresh› reloads the list.",
                );
            }
            Err(failure) if failure.unauthorized => {}
            Err(failure) => {
                turn.say(NoticeKind::Error, format!("Couldn't load the steps: {}", failure.what));
            }
        }
    }

    pub(super) fn ordering_command(&mut self, command: Command, now: Moment, turn: &mut Turn) {
        let Some(ordering) = &mut self.ordering else { return };
        let leaving = std::mem::take(&mut ordering.leaving);
        match command {
            _ if ordering.places.command(command) => {}
            Command::ProjectOrderUp => ordering.places.shift(-1),
            Command::ProjectOrderDown => ordering.places.shift(1),
            Command::Open => self.save_order(now, turn),
            Command::Back if ordering.changed().is_some() && !leaving => {
                ordering.leaving = true;
                turn.say(NoticeKind::Hint, "The new order isn't saved. Enter saves it, Esc discards it.");
            }
            Command::Back => self.ordering = None,
            _ => {}
        }
    }

    fn save_order(&mut self, now: Moment, turn: &mut Turn) {
        let Some(ordering) = &self.ordering else { return };
        let Some(order) = ordering.changed() else {
            self.ordering = None;
            turn.say(NoticeKind::Hint, "The order is unchanged.");
            return;
        };
        let (id, called) = (ordering.project.clone(), quoted(&ordering.called));
        let (doing, done) = (format!("ordering the steps of {called}"), format!("Saved the new order of {called}."));
        let change = Change { order: Some(order), ..Change::default() };
        self.write(
            WriteOf::Order,
            Write::Change(id, change),
            Words::new(doing, done, "Couldn't save the order"),
            now,
            turn,
        );
    }
}
