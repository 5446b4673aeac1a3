//! Videos that arrived for steps of the open project: each becomes an edit of the draft, once, whoever sent it and
//! whenever. The queue is told that it is settled only after the draft's journal holds the edit: should everything end
//! between the two, the draft itself says that the edit was made.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::modes::upload::{key_of, step_of};
use super::vocabulary::Turn;
use super::{Editor, Effect, Journal, Mode, Shared, Steps};
use crate::domain::{Video, VideoId};
use crate::draft::{Draft, Edit, StepRef};
use crate::studio::ground::{Moment, NoticeKind, Remote};
use crate::studio::widgets::graph::UploadMark;
use crate::uploads::{Destination, Entry, Overview, Placement, State, StepKey, Upload, UploadId, short_words};

/// What this studio did about the uploads for the open project.
#[derive(Debug, Clone, Default)]
pub struct Arrivals {
    claim: Claim,
    /// Those of which the queue was told what became of them.
    settled: BTreeSet<UploadId>,
    /// Those of which the queue was told by what their step is known now.
    aimed: BTreeSet<UploadId>,
    /// Those of which it was said that their step is deleted, which may be undone.
    told_deleted: BTreeSet<UploadId>,
}

/// Whether the draft's journal is this studio's before there is an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Claim {
    #[default]
    NotAsked,
    Asked,
    Held,
    /// Another studio has it.
    Refused,
}

/// What is to be done about a video that arrived.
enum Due {
    Nothing,
    Edit(StepRef, VideoId),
    Settle(Placement),
    /// Its step is deleted, and comes back when that is undone.
    Wait,
}

impl Arrivals {
    /// Another studio may be gone by now: what it was asked for is asked again.
    pub(super) fn claim_again(&mut self) {
        if self.claim == Claim::Refused {
            self.claim = Claim::NotAsked;
        }
    }

    /// Another studio has taken the draft's journal.
    pub(super) fn refuse_claim(&mut self) {
        self.claim = Claim::Refused;
    }

    /// Takes whether the draft's journal is held.
    pub(super) fn take_claim(&mut self, held: bool, turn: &mut Turn) {
        self.claim = if held { Claim::Held } else { Claim::Refused };
        if !held {
            let say =
                "A video was uploaded for this project, which is being edited in another window: it is added there.";
            turn.say(NoticeKind::Hint, say);
        }
    }
}

impl Shared {
    /// Whether a draft says that a video was put into its step that the queue says is still to be.
    pub(super) fn has_placed(&self, draft: &Draft) -> bool {
        self.overview.queue.uploads().iter().filter(|upload| upload.is_owed()).any(|upload| {
            let here = upload.waits_for().filter(|destination| destination.project == *draft.project_id());
            let step = here.and_then(|destination| step_of(draft, destination));
            step.zip(upload.video()).is_some_and(|(step, video)| draft.has_given_video(step, &video.into()))
        })
    }
}

impl Steps {
    /// Takes how the uploads stand.
    pub fn uploads(&mut self, overview: &Overview, now: Moment, turn: &mut Turn) {
        match self.editor_mut() {
            Some(editor) => editor.take_uploads(overview, now, turn),
            None => self.shared_mut().overview = overview.clone(),
        }
    }
}

impl Editor {
    /// Takes how the uploads stand.
    fn take_uploads(&mut self, overview: &Overview, now: Moment, turn: &mut Turn) {
        let concerned = |overview: &Overview| {
            let uploads = overview.queue.uploads().iter();
            let mut destinations = uploads.filter_map(Upload::waits_for);
            destinations.any(|destination| destination.project == self.session.id)
        };
        let concerns = concerned(overview) || concerned(&self.shared.overview);
        let learned = self.shared.overview.lengths != overview.lengths;
        self.shared.overview = overview.clone();
        if learned {
            self.check();
        }
        if concerns {
            self.mark_uploads();
            self.place_arrived(now, turn);
            self.keep_typed(turn);
        }
    }

    /// What stands on the cards of steps that wait for an upload.
    pub(super) fn mark_uploads(&mut self) {
        let marks = self.marks_of_uploads();
        self.shown.marks.uploads = marks;
    }

    fn marks_of_uploads(&self) -> HashMap<usize, UploadMark> {
        let mut marks = HashMap::new();
        // The one that was chosen last is the one that counts.
        let mut uploads: Vec<&Upload> = self.shared.overview.queue.uploads().iter().collect();
        uploads.retain(|upload| upload.waits_for().is_some_and(|destination| destination.project == self.session.id));
        uploads.sort_by_key(|upload| upload.id);
        for upload in uploads {
            let step = upload.waits_for().and_then(|destination| step_of(&self.draft, destination));
            let Some(step) = step.and_then(|step| self.shown.index(step)) else { continue };
            let words = short_words(upload, self.shared.overview.course(upload).sent);
            let stopped = matches!(upload.state, State::Failed { .. } | State::Cancelled { .. });
            marks.insert(step, UploadMark { words, stopped });
        }
        marks
    }

    /// Puts what arrived into its step, where that can be done now.
    pub(super) fn place_arrived(&mut self, now: Moment, turn: &mut Turn) {
        if turn.context.read_only.is_some()
            || self.shared.overview.queue.uploads().iter().all(|upload| upload.waits_for().is_none())
        {
            return;
        }
        self.retarget(turn);
        let owed: Vec<Upload> =
            self.shared.overview.queue.uploads().iter().filter(|upload| upload.is_owed()).cloned().collect();
        for upload in owed {
            match self.due(&upload) {
                Due::Nothing => {}
                Due::Edit(step, video) => self.put_video(&upload, step, video, now, turn),
                Due::Settle(how) => self.settle_upload(&upload, how, turn),
                Due::Wait => self.tell_deleted(&upload, turn),
            }
        }
    }

    /// A step that the service has by now is known by its id.
    fn retarget(&mut self, turn: &mut Turn) {
        let queue = Arc::clone(&self.shared.overview.queue);
        let draft = &self.draft;
        let mut entries = Vec::new();
        for upload in queue.uploads() {
            let Some(destination) = upload.waits_for().filter(|destination| {
                destination.project == self.session.id && matches!(destination.step, StepKey::New(_))
            }) else {
                continue;
            };
            let Some(step) = step_of(draft, destination) else { continue };
            let key = key_of(draft, step);
            if !matches!(key, StepKey::New(_)) && self.session.arrivals.aimed.insert(upload.id) {
                entries.push(Entry::Aimed { id: upload.id, step: key, label: draft.label(step) });
            }
        }
        if !entries.is_empty() {
            turn.ask(Effect::NoteUploads(entries));
        }
    }

    fn due(&self, upload: &Upload) -> Due {
        let Some(destination) = upload.waits_for().filter(|destination| destination.project == self.session.id) else {
            return Due::Nothing;
        };
        let Journal::Open { handed, kept } = self.session.journal else { return Due::Nothing };
        let (draft, Some(video)) = (&self.draft, upload.video()) else { return Due::Nothing };
        // Under a plan that is shown nothing changes, and what the service has is looked at before anything is said.
        let reading = matches!(self.session.read, Remote::Idle | Remote::Loading { .. });
        if reading || matches!(self.mode, Mode::Saving(_)) || self.session.arrivals.settled.contains(&upload.id) {
            return Due::Nothing;
        }
        let later = |other: &&Upload| {
            other.id > upload.id && other.destination.as_deref().is_some_and(|to| to.is_same_step(destination))
        };
        for other in self.shared.overview.queue.uploads().iter().filter(later) {
            match other.placed {
                Some(Placement::Made) => return Due::Settle(Placement::Overtaken),
                // One that failed may never arrive: what has arrived is put there meanwhile.
                None if !matches!(other.state, State::Cancelled { .. } | State::Failed { .. }) => return Due::Nothing,
                _ => {}
            }
        }
        let Some((step, content)) =
            step_of(draft, destination).and_then(|step| Some((step, draft.content().step(step)?)))
        else {
            let known =
                matches!(self.session.read, Remote::Ready(())) && (draft.base().told_steps() || destination.is_new());
            return match known {
                true if may_come_back(draft, destination) => Due::Wait,
                true => Due::Settle(Placement::Gone),
                false => Due::Nothing,
            };
        };
        let video = VideoId::from(video);
        if content.video() == video.as_str() || draft.has_given_video(step, &video) {
            return if handed == kept { Due::Settle(Placement::Made) } else { Due::Nothing };
        }
        // What an earlier upload put there gives way, as it does to one that is chosen now.
        let has_earlier = self.shared.overview.queue.uploads().iter().any(|other| {
            other.id < upload.id
                && other.video() == Some(content.video())
                && other.destination.as_deref().is_some_and(|to| to.is_same_step(destination))
        });
        if has_earlier || content.video() == destination.before {
            Due::Edit(step, video)
        } else {
            Due::Settle(Placement::Kept)
        }
    }

    /// Says once that what arrived waits for its step to come back.
    fn tell_deleted(&mut self, upload: &Upload, turn: &mut Turn) {
        let (true, Some(to)) = (self.session.arrivals.told_deleted.insert(upload.id), upload.waits_for()) else {
            return;
        };
        let (name, label) = (&upload.file.name, &to.label);
        let say = format!(
            "Uploaded {name}, but its step {label} is deleted. If you undo that with ‹steps.undo›, the step gets it."
        );
        turn.say(NoticeKind::Warning, say);
    }

    /// Makes the edit, once the draft's journal is this studio's.
    fn put_video(&mut self, upload: &Upload, step: StepRef, video: VideoId, now: Moment, turn: &mut Turn) {
        if matches!(self.session.journal, Journal::Open { handed: 0, .. }) && self.session.arrivals.claim != Claim::Held
        {
            if self.session.arrivals.claim == Claim::NotAsked {
                self.session.arrivals.claim = Claim::Asked;
                turn.ask(Effect::Claim { project: self.session.id.clone() });
            }
            return;
        }
        let file = upload.file.name.clone();
        self.know_video(&video, &file, now, turn);
        let label = self.draft.label(step);
        if self.edit(Edit::Uploaded { step, video, file: file.clone() }, now, turn) {
            turn.say(
                NoticeKind::Done,
                format!("{file} is now the video of {label}. ‹steps.save› saves, ‹steps.undo› undoes."),
            );
        }
    }

    /// The library was read before the video arrived.
    fn know_video(&mut self, id: &VideoId, name: &str, now: Moment, turn: &mut Turn) {
        let Some(known) = self.shared.library.known().filter(|videos| videos.iter().all(|video| video.id != *id))
        else {
            return;
        };
        let mut videos = Vec::clone(known);
        videos.push(Video { id: id.clone(), name: name.to_owned(), ..Video::default() });
        self.shared.library.settle(Ok(Arc::new(videos)));
        let request = turn.next_id();
        self.shared.library.load(request, now);
        turn.ask(Effect::Library { request });
    }

    fn settle_upload(&mut self, upload: &Upload, how: Placement, turn: &mut Turn) {
        let Some(destination) = upload.waits_for() else { return };
        let (name, label) = (&upload.file.name, &destination.label);
        match how {
            Placement::Kept => {
                let say =
                    format!("Uploaded {name}; {label} keeps the video it got meanwhile. ‹steps.video› changes it.");
                turn.say(NoticeKind::Warning, say);
            }
            Placement::Gone => {
                let say = format!("Uploaded {name} to the library (‹go.videos›): its step {label} is gone.");
                turn.say(NoticeKind::Warning, say);
            }
            Placement::Made | Placement::Overtaken | Placement::Dropped => {}
        }
        self.session.arrivals.settled.insert(upload.id);
        let entries = vec![Entry::Placed { id: upload.id, how }];
        turn.ask(Effect::NoteUploads(entries));
    }
}

/// Whether a step that the draft does not have is back once an edit is undone or made again.
fn may_come_back(draft: &Draft, destination: &Destination) -> bool {
    let base = draft.base();
    let mut told = base.sequence().iter().filter_map(|step| base.step(*step));
    let is_told = match &destination.step {
        StepKey::Id(id) => told.any(|raw| raw.id.as_ref().is_some_and(|known| known.as_str() == id)),
        StepKey::Name(name) => told.any(|raw| raw.name.as_ref().is_some_and(|known| known.as_str() == name)),
        StepKey::New(_) => true,
    };
    is_told && draft.history().len() > 0
}

impl Editor {
    /// The draft goes, and the steps with it that only it had: what was for them is for nobody. Their numbers may be
    /// given to other steps.
    pub(super) fn forget_new_steps(&self, turn: &mut Turn) {
        let lost = |upload: &&Upload| {
            let is_new = |to: &Destination| to.project == self.session.id && to.is_new();
            upload.waits_for().is_some_and(is_new) && !self.session.arrivals.aimed.contains(&upload.id)
        };
        let lost = self.shared.overview.queue.uploads().iter().filter(lost);
        let entries: Vec<Entry> = lost.map(|upload| Entry::Placed { id: upload.id, how: Placement::Gone }).collect();
        if !entries.is_empty() && turn.context.read_only.is_none() {
            turn.ask(Effect::NoteUploads(entries));
        }
    }
}
