//! Driving a duplicate: the next call when the last one was answered; what to do when one was not.

use std::sync::Arc;

use serde_json::Value;

use super::asking::{Asking, quoted};
use super::fetching::{refused, remind};
use super::vocabulary::Turn;
use super::vocabulary::{Effect, Record, Trouble, Write, Written};
use super::{Copying, Projects, ReadFor, Reading, Stage, Words, WriteOf};
use crate::domain::Project;
use crate::studio::ground::{Failure, Moment, NoticeKind, RequestId};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Confirm, Role};

/// What can become of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Nothing for now.
    Leave,
    /// It goes on.
    GoOn,
    /// It goes on, without the video that was refused.
    WithoutVideo,
    /// What was made is deleted.
    Delete,
    /// What was made stays, the rest is not made.
    Forget,
    /// It stops after the call under way.
    Stop,
}

impl Way {
    fn words(self) -> &'static str {
        match self {
            Self::Leave => "Not now (d asks again)",
            Self::GoOn => "Continue",
            Self::WithoutVideo => "Continue without this step's video",
            Self::Delete => "Delete the copy",
            Self::Forget => "Keep the copy as it is",
            Self::Stop => "Stop after the current step",
        }
    }
}

impl Projects {
    /// Duplicates the selected project, or asks what becomes of a copy that is not whole yet.
    pub(super) fn duplicate(&mut self, turn: &mut Turn) {
        match &self.copying {
            Some((copying, _)) if matches!(copying.stage, Stage::Stopped(_)) => self.ask_about_copy(turn),
            Some((copying, _)) => {
                let (done, all) = copying.progress();
                let lines = vec![(Role::Text, format!("{done} of {all} requests done."))];
                let title = format!("Duplicating as {}", quoted(&copying.name));
                self.ask_way(title, lines, vec![Way::Leave, Way::Stop], turn);
            }
            None => self.ask_copy_name(turn),
        }
    }

    fn ask_way(&mut self, title: String, lines: Vec<(Role, String)>, ways: Vec<Way>, turn: &mut Turn) {
        let running = ways.contains(&Way::Stop);
        let words = |way: &Way| if running && *way == Way::Leave { "Continue" } else { way.words() }.to_owned();
        let answers = ways.iter().map(words).collect();
        self.asking = Some(Asking::Copying(ways));
        turn.outcomes.push(Outcome::Confirm(Box::new(Confirm::new(title, lines, answers))));
    }

    fn ask_about_copy(&mut self, turn: &mut Turn) {
        let Some((copying, _)) = &self.copying else { return };
        let Stage::Stopped(why) = &copying.stage else { return };
        let lines =
            vec![(Role::Error, crate::domain::text::line(why).into_owned()), (Role::Text, copying.what_exists())];
        let mut ways = vec![Way::Leave, Way::GoOn];
        if copying.may_leave_video_out() {
            ways.push(Way::WithoutVideo);
        }
        ways.extend([Way::Delete, Way::Forget]);
        let title = format!("The copy {} is incomplete", quoted(&copying.name));
        self.ask_way(title, lines, ways, turn);
    }

    /// Does with a copy what the person decided.
    pub(super) fn decide_copy(&mut self, way: Way, now: Moment, turn: &mut Turn) {
        let Some((copying, _)) = &mut self.copying else { return };
        match way {
            Way::Leave => {}
            Way::Stop => copying.stopping = !matches!(copying.stage, Stage::Stopped(_)),
            Way::Forget => {
                turn.say(NoticeKind::Hint, format!("Kept {} as it is.", quoted(&copying.name)));
                self.copying = None;
            }
            Way::Delete => {
                let (Some(project), called) = (copying.project().cloned(), quoted(&copying.name)) else { return };
                let (doing, done) = (format!("deleting {called}"), format!("Deleted the copy {called}."));
                self.write(WriteOf::Copy, Write::Delete(project), Words::new(doing, done, "Not deleted"), now, turn);
            }
            Way::GoOn | Way::WithoutVideo => {
                if !self.may_write(turn) {
                    return;
                }
                let Some((copying, _)) = &mut self.copying else { return };
                if way == Way::WithoutVideo {
                    copying.leave_video_out();
                }
                copying.stopping = false;
                let Some(project) = copying.project().cloned().filter(|_| copying.is_in_doubt()) else {
                    self.go_on(now, turn);
                    return;
                };
                copying.stage = Stage::Checking;
                let called = copying.name.clone();
                self.read_for(project, called, ReadFor::Check, now, turn);
            }
        }
    }

    /// Makes a project that holds what this one does, of which the service may have nothing.
    pub fn make_of(&mut self, project: Project, now: Moment, turn: &mut Turn) {
        if self.copying.is_some() {
            turn.say(NoticeKind::Hint, "Another copy is incomplete; d continues or deletes it.");
            return;
        }
        if !self.may_write(turn) {
            return;
        }
        let name = super::row::called(project.name.as_deref().unwrap_or_default()).to_owned();
        self.begin_copy(Ok(Some(Arc::new(Record::of(project, Value::Null, Vec::new())))), name, now, turn);
    }

    /// Begins a copy with the project as it is now.
    pub(super) fn begin_copy(
        &mut self,
        record: Result<Option<Arc<Record>>, Failure>,
        name: String,
        now: Moment,
        turn: &mut Turn,
    ) {
        match record {
            Ok(Some(record)) if record.graph.is_none() => {
                let say = "Not duplicated: the service sent no steps of this project. Nothing was created.";
                turn.say(NoticeKind::Error, say);
            }
            Ok(Some(record)) => {
                self.copying = Some((Box::new(Copying::new(record, name)), None));
                self.go_on(now, turn);
            }
            Ok(None) => {
                turn.say(NoticeKind::Error, "The service no longer has this project. r reloads the list.");
            }
            Err(failure) if failure.unauthorized => {}
            Err(failure) => {
                turn.say(NoticeKind::Error, format!("Not duplicated: couldn't load the project: {}", failure.what));
            }
        }
    }

    /// The next call of a copy, or its end.
    fn go_on(&mut self, now: Moment, turn: &mut Turn) {
        let request = self.ids.next_id();
        let Some((copying, waiting)) = &mut self.copying else { return };
        copying.stage = Stage::Running;
        if let Some(write) = copying.next_write() {
            *waiting = Some(request);
            turn.ask(Effect::Write { request, write: Box::new(write) });
            remind(turn, 0);
            return;
        }
        let (aliens, videos) = copying.left_behind();
        let mut said = vec![format!("Duplicated as {}.", quoted(&copying.name))];
        if videos > 0 {
            said.push(format!("{videos} without a video: the service refused it."));
        }
        if aliens > 0 {
            said.push(format!("{aliens} entries of the order named no step and were left out."));
        }
        turn.say(NoticeKind::Done, said.join(" "));
        self.wanted = copying.project().cloned();
        self.copying = None;
        self.refresh(now, turn);
    }

    /// Takes what came of a call of the copy.
    pub(super) fn copy_written(
        &mut self,
        request: RequestId,
        written: Result<Written, Trouble>,
        now: Moment,
        turn: &mut Turn,
    ) {
        let Some((copying, waiting)) = &mut self.copying else { return };
        if waiting.take_if(|waiting| *waiting == request).is_none() {
            return;
        }
        match written {
            Ok(written) => {
                copying.took(written);
                if copying.stopping && copying.next_write().is_some() {
                    copying.stopping = false;
                    copying.stage = Stage::Stopped("Stopped, as you asked.".to_owned());
                    self.stopped(now, turn);
                } else {
                    self.go_on(now, turn);
                }
            }
            Err(trouble) => {
                refused(&trouble.failure, turn);
                copying.stop(&trouble);
                if copying.project().is_some() {
                    self.stopped(now, turn);
                    return;
                }
                let (name, what) = (quoted(&copying.name), &trouble.failure.what);
                self.copying = None;
                if trouble.unknown {
                    let say = format!(
                        "We don't know whether {name} was created: {what}. No step was created. Look for it in the list."
                    );
                    turn.say(NoticeKind::Error, say);
                    self.refresh(now, turn);
                } else if !trouble.failure.unauthorized {
                    turn.say(NoticeKind::Error, format!("Not duplicated, nothing was created: {what}"));
                }
            }
        }
    }

    fn stopped(&mut self, now: Moment, turn: &mut Turn) {
        self.refresh(now, turn);
        self.ask_about_copy(turn);
    }

    /// Takes the copy as it is now, and goes on from there.
    pub(super) fn checked_copy(&mut self, record: Result<Option<Arc<Record>>, Failure>, now: Moment, turn: &mut Turn) {
        let Some((copying, _)) = &mut self.copying else { return };
        let why = match record {
            Ok(Some(record)) if record.graph.is_some() => {
                copying.found(record.steps());
                self.go_on(now, turn);
                return;
            }
            Ok(Some(_)) => "The service doesn't list the copy's steps, so none is created twice.".to_owned(),
            Ok(None) => "The service no longer has the copy.".to_owned(),
            Err(failure) => failure.what,
        };
        copying.stage = Stage::Stopped(why);
        self.ask_about_copy(turn);
    }

    /// A read that was for a copy is no longer wanted.
    pub(super) fn unread_copy(&mut self, reading: &Reading) {
        if let (ReadFor::Check, Some((copying, _))) = (&reading.what_for, &mut self.copying) {
            copying.stage = Stage::Stopped("Stopped, as you asked.".to_owned());
        }
    }
}
