//! The uploads as they are led: paused, cancelled, sent again, moved, cleared, limited.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::answer::{Answer, Turn};
use super::vocabulary::Effect;
use super::{Focus, Videos};
use crate::domain::{ProjectId, text};
use crate::studio::ground::layout::scrolled;
use crate::studio::ground::{Command, Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Page, Prompt, Question, Role, RowCursor};
use crate::uploads::{Entry, MOST_AT_ONCE, Overview, Placement, State, Upload, UploadId, rate, read_rate};

impl Videos {
    /// The upload that is selected.
    pub(super) fn current_upload(&self) -> Option<&Upload> {
        self.overview.queue.uploads().get(self.upload_row())
    }

    /// Its row: where it went, or the one that came to its place.
    pub(super) fn upload_row(&self) -> usize {
        let uploads = self.overview.queue.uploads();
        let (id, place) = self.at_upload;
        let found = id.and_then(|id| uploads.iter().position(|upload| upload.id == id));
        found.unwrap_or(place).min(uploads.len().saturating_sub(1))
    }

    pub(super) fn select_upload(&mut self, row: usize) {
        let uploads = self.overview.queue.uploads();
        let row = row.min(uploads.len().saturating_sub(1));
        self.at_upload = (uploads.get(row).map(|upload| upload.id), row);
        self.keep_upload_in_sight();
    }

    /// Moves the rows so that the selected upload is seen; while nobody leads them, those that are being sent are.
    fn keep_upload_in_sight(&mut self) {
        let uploads = self.overview.queue.uploads();
        let sent = || uploads.iter().position(|upload| matches!(upload.state, State::Sending { .. }));
        let followed = if self.focus == Focus::Queue { None } else { sent() };
        let row = followed.unwrap_or_else(|| self.upload_row());
        self.queue_top = scrolled(self.queue_top, row, self.queue_page(), uploads.len());
    }

    /// The keys go to the uploads.
    pub(super) fn lead_uploads(&mut self) {
        self.focus = Focus::Queue;
        self.step_upload(0);
    }

    pub(super) fn step_upload(&mut self, by: isize) {
        self.select_upload(self.upload_row().saturating_add_signed(by));
    }

    /// Turns the wheel over the uploads: who does leads them.
    pub(super) fn wheel_uploads(&mut self, by: isize) {
        self.focus = Focus::Queue;
        let mut place = RowCursor { selected: self.upload_row(), top: self.queue_top };
        place.wheel(by, self.queue_page(), self.overview.queue.uploads().len());
        self.queue_top = place.top;
        self.select_upload(place.selected);
    }

    /// Takes how the uploads stand; says so when the last has ended.
    pub(super) fn take_overview(&mut self, overview: Overview, now: Moment, turn: &mut Turn) {
        let before = self.overview.sum();
        if overview.fault != self.overview.fault
            && let Some(fault) = &overview.fault
        {
            turn.say(NoticeKind::Error, format!("{fault} The queue from before is kept."));
        }
        // Most of what comes is progress, which changes nothing in the queue.
        let changed = !Arc::ptr_eq(&overview.queue, &self.overview.queue);
        let arrived = |overview: &Overview| overview.queue.uploads().iter().filter_map(Upload::video).count();
        let is_new = changed && arrived(&overview) > arrived(&self.overview);
        let learned = !Arc::ptr_eq(&overview.lengths, &self.overview.lengths);
        let failed = if changed { self.note_ended(&overview) } else { Vec::new() };
        self.overview = overview;
        if changed || learned {
            self.learn_measures();
            self.step_upload(0);
        }
        if self.overview.queue.uploads().is_empty() && self.focus == Focus::Queue {
            self.focus = Focus::List;
        }
        let sum = self.overview.sum();
        if is_new {
            // What just arrived is what a person looks for next.
            self.library.wanted = self.overview.queue.uploads().iter().rev().find_map(Upload::video).map(Into::into);
        }
        self.library.outdated |= is_new;
        self.reread_library(sum.under_way > 0, now, turn);
        for say in failed {
            turn.say(NoticeKind::Error, say);
        }
        if before.under_way > 0 && sum.under_way == 0 {
            self.say_ended(sum.paused, turn);
        } else if !std::mem::replace(&mut self.heard, true) {
            self.say_found(turn);
        }
        // The list is as high as the uploads leave it.
        self.lay_out();
    }

    /// Says what came of the uploads, now that the last of them has ended.
    fn say_ended(&mut self, paused: usize, turn: &mut Turn) {
        let (done, failed) = std::mem::take(&mut self.since);
        let owed = self.owed_words(turn).map(|say| format!(" {say}")).unwrap_or_default();
        if failed > 0 {
            let say = match done {
                0 => format!("{} failed.", uploads(failed)),
                done => format!("{} done, {failed} failed.", uploads(done)),
            };
            // No key of the studio is pressed on the desktop.
            turn.tell_desktop(format!("Cutaway: {say}"));
            turn.say(NoticeKind::Error, format!("{say} ‹go.videos› shows why.{owed}"));
        } else if paused > 0 {
            turn.say(NoticeKind::Hint, format!("{} done, {paused} paused.{owed}", uploads(done)));
        } else if done > 0 {
            let say = format!("{} done.", uploads(done));
            turn.tell_desktop(format!("Cutaway: {say}"));
            turn.say(NoticeKind::Done, format!("{say}{owed}"));
        }
        if self.leaving {
            turn.outcomes.push(Outcome::Quit);
        }
    }

    /// Says what of the uploads was there before the studio was.
    fn say_found(&mut self, turn: &mut Turn) {
        self.since = (0, 0);
        if let Some(say) = self.owed_words(turn) {
            turn.say(NoticeKind::Hint, say);
        }
        let mut failed = self.overview.queue.uploads().iter().filter_map(failure);
        if let Some((name, why, _)) = failed.next() {
            let more = match failed.count() {
                0 => String::new(),
                more => format!(" ({more} more failed)"),
            };
            let say = format!("Couldn't upload {name}: {why}{more}. 3 shows what to do.");
            turn.say(NoticeKind::Warning, say);
        }
    }

    /// Counts those that ended since they were seen last; what failed meanwhile, in words.
    fn note_ended(&mut self, now: &Overview) -> Vec<String> {
        if !self.heard {
            return Vec::new();
        }
        let before: HashMap<UploadId, &State> =
            self.overview.queue.uploads().iter().map(|upload| (upload.id, &upload.state)).collect();
        let mut said = Vec::new();
        for upload in now.queue.uploads() {
            match (&upload.state, before.get(&upload.id)) {
                (State::Done { .. }, Some(State::Done { .. })) => {}
                (State::Done { .. }, _) => self.since.0 += 1,
                // Tried again it may have failed again, of which only the time tells.
                (failed @ State::Failed { .. }, before) if before.is_none_or(|before| *before != failed) => {
                    self.since.1 += 1;
                    said.extend(
                        failure(upload).map(|(name, why, fix)| format!("Couldn't upload {name}: {why}; {fix}.")),
                    );
                }
                _ => {}
            }
        }
        said
    }

    /// Says which files are queued, and which are not and why. That stays until it was read where something else that
    /// is said would cover it.
    pub(super) fn queued(&self, count: usize, refused: &[String], repeated: &[String], turn: &mut Turn) {
        let files = |count: usize| if count == 1 { "1 file is".to_owned() } else { format!("{count} files are") };
        let queued = (count > 0).then(|| format!("{} queued.", files(count)));
        let repeats = repeated.iter().map(|again| format!("{}.", text::line(again)));
        let queued = queued.into_iter().chain(repeats).collect::<Vec<_>>().join(" ");
        if refused.is_empty() {
            if !queued.is_empty() {
                turn.say(if repeated.is_empty() { NoticeKind::Done } else { NoticeKind::Hint }, queued);
            }
            return;
        }
        // In the list of what was said it stands as a whole.
        let say = format!("Not uploaded: {}. {queued}", refused.join("; "));
        turn.say(NoticeKind::Error, say.trim_end());
        if refused.len() > 1 || count > 0 || self.overview.queue.is_under_way() {
            let mut lines = vec![(Role::Warn, format!("{} not uploaded:", files(refused.len())))];
            lines.extend(refused.iter().map(|why| (Role::Text, format!("• {}", text::line(why)))));
            if !queued.is_empty() {
                lines.push((Role::Dim, queued));
            }
            let page = Page::new("Not uploaded", lines, "Esc closes  ‹app.notices› shows it again");
            turn.outcomes.push(Outcome::Show(Box::new(page)));
        }
    }

    /// What has arrived for a step of a project that is not open, and is not in it yet, in words.
    fn owed_words(&self, turn: &Turn) -> Option<String> {
        let open = turn.context.project.as_ref();
        let is_elsewhere = |upload: &&Upload| upload.waits_for().is_some_and(|to| Some(&to.project) != open);
        let owed = self.overview.queue.uploads().iter().filter(|upload| upload.is_owed());
        let mut owed = owed.filter(is_elsewhere);
        let first = owed.next()?;
        let more = owed.count();
        let (name, to) = (text::line(&first.file.name), first.waits_for()?);
        let more = if more > 0 { format!(", and {more} more for their steps") } else { String::new() };
        Some(format!("Uploaded {name} for {} of {}: open the project (2) to use it{more}.", to.label, to.project_name))
    }

    /// What arrived for a step of a project that is gone is for nobody.
    pub(super) fn miss_projects(&mut self, projects: &BTreeSet<ProjectId>, turn: &mut Turn) {
        // A list without any may be an answer that could not be read.
        if projects.is_empty() {
            return;
        }
        let owed = self.overview.queue.uploads().iter().filter(|upload| upload.is_owed());
        let missed: Vec<&Upload> =
            owed.filter(|upload| upload.waits_for().is_some_and(|to| !projects.contains(&to.project))).collect();
        let (Some(first), None) = (missed.first(), &turn.context.read_only) else { return };
        let project = first.waits_for().map(|to| to.project_name.clone()).unwrap_or_default();
        let name = text::line(&first.file.name).into_owned();
        let entries = missed.iter().map(|upload| Entry::Placed { id: upload.id, how: Placement::Gone }).collect();
        turn.ask(Effect::Note(entries));
        turn.say(NoticeKind::Warning, format!("Uploaded {name} to the library; its project {project} is gone."));
    }

    /// Takes a command for the uploads; whether it is one.
    pub(super) fn queue_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let Some(upload) = self.current_upload().cloned() else {
            if is_of_uploads(command) {
                turn.say(NoticeKind::Hint, "No uploads. ‹videos.upload› chooses files.");
            }
            return is_of_uploads(command);
        };
        if is_of_uploads(command) && command != Command::UploadClear && self.focus != Focus::Queue {
            // What it would be done to is not seen to be selected.
            self.lead_uploads();
            let name = self.current_upload().map(|upload| text::line(&upload.file.name).into_owned());
            let say = format!("{} is selected; press again to do it.", name.unwrap_or_default());
            turn.say(NoticeKind::Hint, say);
            return true;
        }
        let id = upload.id;
        let entry = match command {
            Command::UploadPause if matches!(upload.state, State::Paused) => return resume(&upload, turn),
            Command::UploadPause if upload.state.is_under_way() => Entry::Paused { id },
            Command::Retry if !matches!(upload.state, State::Done { .. } | State::Sending { .. }) => {
                return resume(&upload, turn);
            }
            Command::UploadPause | Command::Retry => {
                turn.say(NoticeKind::Hint, format!("It is already {}.", upload.state.word()));
                return true;
            }
            Command::UploadCancel if upload.is_owed() => {
                // The person says so: no step gets it.
                let entries = vec![Entry::Placed { id, how: Placement::Dropped }, Entry::Cleared { ids: vec![id] }];
                return note(entries, turn);
            }
            Command::UploadCancel if upload.state.has_ended() => Entry::Cleared { ids: vec![id] },
            Command::UploadCancel => Entry::Cancelled { id, at_ms: now.0 },
            Command::UploadEarlier => {
                let row = self.upload_row();
                let Some(before) = row.checked_sub(1).and_then(|at| self.overview.queue.uploads().get(at)) else {
                    return true;
                };
                Entry::Moved { id, before: Some(before.id) }
            }
            Command::UploadLater => {
                let after = self.overview.queue.uploads().get(self.upload_row() + 2).map(|upload| upload.id);
                Entry::Moved { id, before: after }
            }
            Command::UploadClear => {
                let uploads = self.overview.queue.uploads().iter();
                if uploads.clone().any(Upload::is_owed) {
                    let say = "Uploads for a step stay until the step has them; ‹videos.uploads.cancel› removes one.";
                    turn.say(NoticeKind::Hint, say);
                }
                Entry::Cleared { ids: uploads.filter(|upload| upload.is_over()).map(|upload| upload.id).collect() }
            }
            _ => return false,
        };
        if turn.may_write() {
            self.at_upload = (Some(id), self.upload_row());
            turn.ask(Effect::Note(vec![entry]));
        }
        true
    }

    /// Asks for a limit.
    pub(super) fn ask_limit(&self, turn: &mut Turn) {
        if !turn.may_write() {
            return;
        }
        let limit = self.overview.queue.limit;
        let begin = limit.map_or_else(|| "off".to_owned(), rate);
        let prompt = Prompt::new("Limit for all uploads, per second: 500k, 2M, off", &begin);
        turn.question(Question::line(prompt, Answer::Limit));
    }

    /// Asks how many are sent at once.
    pub(super) fn ask_at_once(&self, turn: &mut Turn) {
        if !turn.may_write() {
            return;
        }
        let prompt = Prompt::new("Parallel uploads: 1 to 16", &self.overview.queue.at_once.to_string());
        turn.question(Question::line(prompt, Answer::AtOnce));
    }

    /// Whether leaving has to be thought about: uploads are under way that nobody else would send.
    #[must_use]
    pub fn keeps_from_leaving(&self) -> bool {
        !self.overview.elsewhere && self.overview.queue.is_under_way()
    }

    /// Asks what becomes of the uploads.
    pub fn ask_leave(&self, turn: &mut Turn) {
        let sum = self.overview.sum();
        let lines = vec![
            (Role::Text, format!("{} of {} uploads aren't done.", sum.under_way, sum.count())),
            (Role::Dim, "Nothing is lost whatever you choose; sent files are never sent twice.".to_owned()),
        ];
        let options = [
            (Answer::HandOver, "Continue in the background and quit now"),
            (Answer::Wait, "Stay, and quit when they are done"),
            (Answer::Stop, "Pause; the next session continues them"),
        ];
        turn.question(Question::decide("Uploads are running", lines, options));
    }
}

/// Sets the limit that was typed.
pub(super) fn set_limit(typed: &str, turn: &mut Turn) {
    match read_rate(typed) {
        Ok(limit) => {
            let entry = Entry::Limited { per_second: limit.0 };
            turn.ask(Effect::Note(vec![entry]));
            let say = limit.0.map_or_else(|| "full speed".to_owned(), rate);
            turn.say(NoticeKind::Done, format!("Upload speed: {say}."));
        }
        Err(why) => turn.say(NoticeKind::Warning, format!("{why}.")),
    }
}

/// Sets how many are sent at once, as it was typed.
pub(super) fn set_at_once(typed: &str, turn: &mut Turn) {
    match typed.trim().parse() {
        Ok(count @ 1..=MOST_AT_ONCE) => {
            turn.ask(Effect::Note(vec![Entry::AtOnce { count }]));
            let say = if count == 1 { "one at a time".to_owned() } else { format!("{count} in parallel") };
            turn.say(NoticeKind::Done, format!("Uploads: {say}."));
        }
        _ => turn.say(NoticeKind::Warning, format!("Choose 1 to {MOST_AT_ONCE} parallel uploads.")),
    }
}

fn note(entries: Vec<Entry>, turn: &mut Turn) -> bool {
    if turn.may_write() {
        turn.ask(Effect::Note(entries));
    }
    true
}

fn resume(upload: &Upload, turn: &mut Turn) -> bool {
    if turn.may_write() {
        turn.ask(Effect::Resume(vec![upload.id]));
    }
    true
}

/// So many uploads, in words.
fn uploads(count: usize) -> String {
    if count == 1 { "1 upload".to_owned() } else { format!("{count} uploads") }
}

/// The name of an upload that failed, why, and what to do; harmless.
fn failure(upload: &Upload) -> Option<(String, String, String)> {
    let State::Failed { why, fix, .. } = &upload.state else { return None };
    let harmless = |words: &str| text::line(words).into_owned();
    Some((harmless(&upload.file.name), harmless(why), harmless(fix)))
}

fn is_of_uploads(command: Command) -> bool {
    matches!(
        command,
        Command::UploadPause
            | Command::Retry
            | Command::UploadCancel
            | Command::UploadEarlier
            | Command::UploadLater
            | Command::UploadClear
    )
}
