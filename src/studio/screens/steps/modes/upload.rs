//! "Upload here": a file of this machine is chosen for a step, and queued with the step that it is for.

use std::path::PathBuf;

use ratatui::layout::Rect;

use super::super::vocabulary::Turn;
use super::super::{Editor, Effect, Mode, Steps};
use super::form::Field;
use crate::domain::{VideoId, text};
use crate::draft::{Draft, StepRef};
use crate::settings::Key;
use crate::studio::ground::{Command, Moment, NoticeKind, RequestId};
use crate::studio::widgets::chooser::{Chooser, Chosen, FolderList, paths};
use crate::uploads::{Destination, Entry, Placement, StepKey, Upload};

/// A file that is being chosen for a step.
#[derive(Debug, Clone)]
pub struct Choosing {
    /// The step.
    pub step: StepRef,
    /// The files.
    pub chooser: Chooser,
    /// Whether it was asked for in the step's form, which it goes back to.
    from_form: bool,
}

impl Steps {
    /// Which steps of a draft that is not saved use which video: project, step, video. Their texts are harmless.
    #[must_use]
    pub fn uses_of_videos(&self) -> Vec<(String, String, VideoId)> {
        let editor = self.editor().filter(|editor| !editor.draft.is_saved());
        editor.map(Editor::uses_of_videos).unwrap_or_default()
    }
}

impl Editor {
    /// Lets a file be chosen for the step of the form, or the selected one.
    pub(in super::super) fn begin_upload(&mut self, now: Moment, turn: &mut Turn) {
        if !self.may_edit(turn) || !turn.may_write() {
            return;
        }
        let request = turn.next_id();
        let (step, from_form) = match (&self.mode, self.cursor) {
            (Mode::Form(form), _) => (form.step, true),
            (_, Some(cursor)) => (cursor.step, false),
            (_, None) => return,
        };
        let mut chooser = Chooser::of_one();
        chooser.folder.load(request, now);
        self.mode = Mode::Upload(Box::new(Choosing { step, chooser, from_form }));
        turn.ask(Effect::ReadFolder { request, folder: None });
    }

    /// The file that is being chosen, in a list that knows how many files are seen.
    pub(super) fn choosing(&mut self) -> Option<&mut Choosing> {
        let page = Chooser::page(self.side().unwrap_or(Rect::ZERO));
        let Mode::Upload(choosing) = &mut self.mode else { return None };
        choosing.chooser.found.resize(page);
        Some(choosing)
    }

    /// Takes a folder that was read.
    pub(in super::super) fn take_folder(
        &mut self,
        request: RequestId,
        folder: Result<FolderList, String>,
        turn: &mut Turn,
    ) {
        let Some(choosing) = self.choosing().filter(|choosing| choosing.chooser.folder.wants(request)) else { return };
        if let Err(why) = &folder {
            turn.say(NoticeKind::Warning, why.clone());
        }
        choosing.chooser.take(folder);
    }

    /// Takes a command while a file is chosen.
    pub(in super::super) fn upload_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let Some(choosing) = self.choosing() else { return false };
        match command {
            _ if choosing.chooser.found.command(command) => {}
            Command::Open => {
                let chosen = choosing.chooser.open();
                self.take_chosen(chosen, now, turn);
            }
            Command::Back => self.end_upload(),
            _ => return false,
        }
        true
    }

    /// Turns the wheel over the files.
    pub(in super::super) fn upload_wheel(&mut self, by: isize) {
        if let Some(choosing) = self.choosing() {
            choosing.chooser.found.wheel(by);
        }
    }

    /// Takes a key while a file is chosen.
    pub(in super::super) fn upload_key(&mut self, key: Key, now: Moment, turn: &mut Turn) {
        let Some(choosing) = self.choosing() else { return };
        let chosen = choosing.chooser.key(key);
        self.take_chosen(chosen, now, turn);
    }

    /// Takes text that was pasted or dropped while a file is chosen.
    pub(in super::super) fn upload_paste(&mut self, pasted: &str, turn: &mut Turn) {
        let dropped = paths(pasted);
        let Some(choosing) = self.choosing() else { return };
        if dropped.is_empty() {
            choosing.chooser.paste(pasted);
        } else {
            let step = choosing.step;
            self.end_upload();
            self.upload_into(step, dropped, turn);
        }
    }

    pub(super) fn take_chosen(&mut self, chosen: Chosen, now: Moment, turn: &mut Turn) {
        match chosen {
            Chosen::Nothing => {}
            Chosen::Refused(why) => turn.say(NoticeKind::Hint, why),
            Chosen::Folder(folder) => {
                let request = turn.next_id();
                let Some(choosing) = self.choosing() else { return };
                choosing.chooser.folder.load(request, now);
                turn.ask(Effect::ReadFolder { request, folder: Some(folder) });
            }
            Chosen::Files(files) => {
                let Some(step) = self.choosing().map(|choosing| choosing.step) else { return };
                self.end_upload();
                self.upload_into(step, files, turn);
            }
        }
    }

    /// Goes back to where the choosing began.
    fn end_upload(&mut self) {
        let Some(choosing) = self.choosing() else { return };
        let (step, from_form) = (choosing.step, choosing.from_form);
        self.mode = Mode::Normal;
        if from_form {
            self.form_on(step, Field::Video);
        }
        self.keep_in_sight();
    }

    /// Queues a file for a step.
    pub(in super::super) fn upload_into(&mut self, step: StepRef, files: Vec<PathBuf>, turn: &mut Turn) {
        if !self.may_edit(turn) || !turn.may_write() {
            return;
        }
        let count = files.len();
        let (Some(file), 1) = (files.into_iter().next(), count) else {
            turn.say(
                NoticeKind::Hint,
                format!("A step has one video; these are {count} files. Upload several in Videos (3)."),
            );
            return;
        };
        let Some(destination) = self.destination(step) else {
            turn.say(NoticeKind::Warning, "The step is gone. Nothing was uploaded.");
            return;
        };
        let destination = Box::new(destination);
        turn.request(|request| Effect::Upload { request, file, destination });
    }

    /// A step as it is found again by whoever opens the project.
    fn destination(&self, step: StepRef) -> Option<Destination> {
        let draft = &self.draft;
        let content = draft.content().step(step)?;
        let name = draft.content().head().name();
        Some(Destination {
            project: self.session.id.clone(),
            project_name: text::line(if name.is_empty() { &self.session.name } else { name }).into_owned(),
            step: key_of(draft, step),
            label: text::line(&draft.label(step)).into_owned(),
            before: content.video().to_owned(),
        })
    }

    fn uses_of_videos(&self) -> Vec<(String, String, VideoId)> {
        let draft = &self.draft;
        let name = draft.content().head().name();
        let project = text::line(if name.is_empty() { &self.session.name } else { name }).into_owned();
        let used = draft.content().steps().filter(|(_, content)| !content.video().is_empty());
        let named = used.map(|(step, content)| {
            let label = text::line(&draft.label(step)).into_owned();
            (project.clone(), label, VideoId::from(content.video()))
        });
        named.collect()
    }

    /// The upload that a step waits for, the one that was chosen last.
    pub(in super::super) fn upload_for(&self, step: StepRef) -> Option<&Upload> {
        let draft = &self.draft;
        let uploads = self.shared.overview.queue.uploads().iter().filter(|upload| {
            upload.waits_for().is_some_and(|destination| {
                destination.project == self.session.id && step_of(draft, destination) == Some(step)
            })
        });
        uploads.max_by_key(|upload| upload.id)
    }

    /// Gives up the upload that a step waits for, or takes it off the list where it has ended; whether there is one.
    pub(in super::super) fn give_up_upload(&mut self, step: StepRef, now: Moment, turn: &mut Turn) -> bool {
        let Some(upload) = self.upload_for(step) else { return false };
        let id = upload.id;
        let dropped = Entry::Placed { id, how: Placement::Dropped };
        let name = &upload.file.name;
        let (entries, say) = if upload.state.has_ended() {
            (vec![dropped, Entry::Cleared { ids: vec![id] }], format!("{name} won't be added to this step."))
        } else {
            (vec![Entry::Cancelled { id, at_ms: now.0 }, dropped], format!("Stopped the upload of {name}."))
        };
        if turn.may_write() {
            turn.ask(Effect::NoteUploads(entries));
            turn.say(NoticeKind::Done, say);
        }
        true
    }

    /// Sends the upload again that a step waits for; whether there is one.
    pub(in super::super) fn retry_upload(&mut self, step: StepRef, turn: &mut Turn) -> bool {
        let Some(upload) = self.upload_for(step) else { return false };
        let id = upload.id;
        if turn.may_write() {
            turn.ask(Effect::ResumeUpload(id));
        }
        true
    }
}

/// By what a step is found again: a draft's own numbers mean nothing once it is saved.
pub(in super::super) fn key_of(draft: &Draft, step: StepRef) -> StepKey {
    let Some(raw) = draft.base().step(step) else { return StepKey::New(step.to_string()) };
    match (&raw.id, &raw.name) {
        (Some(id), _) if !id.is_empty() => StepKey::Id(id.as_str().to_owned()),
        (_, Some(name)) if !name.is_empty() => StepKey::Name(name.as_str().to_owned()),
        _ => StepKey::New(step.to_string()),
    }
}

/// The step that a video is for, where the draft has it.
pub(in super::super) fn step_of(draft: &Draft, destination: &Destination) -> Option<StepRef> {
    let is_it = |step: StepRef, label: &str| match (&destination.step, draft.base().step(step)) {
        (StepKey::Id(id), Some(raw)) => raw.id.as_ref().is_some_and(|known| known.as_str() == id),
        (StepKey::Name(name), Some(raw)) => raw.name.as_ref().is_some_and(|known| known.as_str() == name),
        (StepKey::New(number), told) => step.to_string() == *number && (told.is_some() || label == destination.label),
        (_, None) => false,
    };
    draft.content().steps().find(|(step, content)| is_it(*step, &content.label)).map(|(step, _)| step)
}
