//! Opening a project: what the service has and what a draft of it says come together.

use std::sync::Arc;

use super::keeping::is_half_typed;
use super::vocabulary::Turn;
use super::{Editor, Effect, Event, Found, Journal, Session, Shared, State, Steps};
use crate::domain::{ProjectId, Video};
use crate::draft::{Draft, Reading};
use crate::studio::ground::{Failure, Moment, NoticeKind, Remote, RequestId};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::time::ago;

impl Session {
    /// Asks for the project and the library again.
    pub(super) fn refresh(&mut self, shared: &mut Shared, now: Moment, turn: &mut Turn) {
        let request = turn.next_id();
        if self.journal == Journal::Taken {
            // The other studio may be gone by now.
            self.is_outdated = true;
            self.journal = Journal::Sought;
            let (workspace, project) = (turn.context.workspace.clone(), self.id.clone());
            turn.ask(if self.over.is_to_be_asked() {
                Effect::TakeOver { workspace, project }
            } else {
                Effect::FindJournal { workspace, project }
            });
        }
        self.read.load(request, now);
        self.arrivals.claim_again();
        turn.ask(Effect::Read { request, project: self.id.clone() });
        if !matches!(shared.library, Remote::Loading { .. }) {
            let request = turn.next_id();
            shared.library.load(request, now);
            turn.ask(Effect::Library { request });
        }
    }
}

impl Steps {
    /// Opens a project's steps.
    pub fn open(&mut self, project: ProjectId, name: String, now: Moment, turn: &mut Turn) {
        if self.session().is_some_and(|session| session.id == project) {
            return self.refresh(now, turn);
        }
        if self.is_unkept() {
            let say = "Your edits would be lost: they couldn't be stored on disk. ‹steps.save› saves, ‹steps.discard› discards.";
            turn.say(NoticeKind::Error, say);
            return;
        }
        self.close(turn);
        let session = Session { id: project.clone(), name, ..Session::default() };
        self.state = State::Opening(Box::new((std::mem::take(self.shared_mut()), session)));
        turn.ask(Effect::FindJournal { workspace: turn.context.workspace.clone(), project });
        self.refresh(now, turn);
    }

    /// Whether there are edits that are neither saved nor on the disk.
    #[must_use]
    pub fn is_unkept(&self) -> bool {
        let unkept = |editor: &Editor| matches!(editor.session.journal, Journal::Failing { .. } | Journal::Unusable(_));
        self.editor().is_some_and(|editor| unkept(editor) && !editor.draft.is_saved())
    }

    /// Lets go of the open project. Its draft stays on the disk.
    pub fn close(&mut self, turn: &mut Turn) {
        if let Some(editor) = self.editor_mut() {
            editor.note_place();
            // What was not looked at yet is not known to be spent.
            if !matches!(editor.session.journal, Journal::Sought | Journal::Taken) && is_spent(&editor.draft) {
                editor.forget_new_steps(turn);
                turn.ask(Effect::DropJournal { project: editor.session.id.clone() });
            }
        }
        if let Some((_, session)) = self.parts() {
            turn.ask(Effect::LeaveJournal { project: std::mem::take(&mut session.id) });
        }
        self.state = State::Closed(Box::new(std::mem::take(self.shared_mut())));
    }

    /// Throws the draft away; what the service has is read again.
    pub(super) fn discard(&mut self, now: Moment, turn: &mut Turn) {
        let Some(editor) = self.editor_mut() else { return };
        editor.note_place();
        editor.forget_new_steps(turn);
        let known = std::mem::take(&mut editor.session);
        turn.ask(Effect::DropJournal { project: known.id.clone() });
        let journal =
            if known.journal == Journal::Taken { known.journal } else { Journal::Open { handed: 0, kept: 0 } };
        let session = Session {
            id: known.id,
            name: known.name,
            read: known.read,
            latest: known.latest,
            journal,
            ..Session::default()
        };
        self.state = State::Opening(Box::new((std::mem::take(self.shared_mut()), session)));
        turn.say(NoticeKind::Done, "Draft discarded. This is the project as saved at the service.");
        self.refresh(now, turn);
    }

    /// Reads the project and the library again.
    pub(super) fn refresh(&mut self, now: Moment, turn: &mut Turn) {
        match &mut self.state {
            State::Closed(_) => {}
            State::Opening(opening) => opening.1.refresh(&mut opening.0, now, turn),
            State::Editing(editor) => {
                editor.shared.catalog.forget();
                editor.look_at_news();
                editor.refresh(now, turn);
            }
        }
    }

    /// Takes what happened.
    pub fn event(&mut self, event: Event, now: Moment, turn: &mut Turn) {
        let is_of = |project: &ProjectId| self.session().is_some_and(|session| session.id == *project);
        match event {
            Event::Read { request, project } => {
                if self.session().is_some_and(|session| session.read.wants(request)) {
                    self.take_project(project, now, turn);
                }
            }
            Event::JournalFound { project, found } if is_of(&project) => self.take_journal(found, now, turn),
            Event::Kept { project, records } if is_of(&project) => self.take_kept(records, turn),
            Event::Wanted { project } if is_of(&project) => self.let_go(turn),
            Event::Withdrawn { project } if is_of(&project) => {
                if let Some((_, session)) = self.parts() {
                    session.is_wanted = false;
                }
            }
            Event::Seized { project } if is_of(&project) => self.seized(turn),
            Event::Library { request, videos } => self.take_library(request, videos, turn),
            Event::Funnel { request, funnel } => {
                if let Some(editor) = self.editor_mut() {
                    editor.take_funnel(request, funnel, turn);
                }
            }
            Event::LookedUp { store, products, found, .. } => {
                self.shared_mut().catalog.take(&store, products, found);
                if let Some(editor) = self.editor_mut() {
                    editor.look_at_news();
                    editor.check();
                }
            }
            Event::ProductsFound { request, found } => {
                if let Some(editor) = self.editor_mut() {
                    editor.take_found(request, found);
                }
            }
            Event::Claimed { project, held } if is_of(&project) => {
                if let Some((_, session)) = self.parts() {
                    session.arrivals.take_claim(held, turn);
                }
            }
            Event::Answered { request, reply } => {
                if let Some(editor) = self.editor_mut() {
                    editor.answered(request, *reply, turn);
                }
            }
            Event::FolderRead { request, folder } => {
                if let Some(editor) = self.editor_mut() {
                    editor.take_folder(request, folder, turn);
                }
            }
            Event::JournalFound { .. }
            | Event::Kept { .. }
            | Event::Claimed { .. }
            | Event::Wanted { .. }
            | Event::Withdrawn { .. }
            | Event::Seized { .. } => {}
            Event::Exported { exported: Ok(file), .. } => turn.say(NoticeKind::Done, format!("Saved to {file}.")),
            Event::Exported { exported: Err(why), .. } => turn.say(NoticeKind::Error, why),
        }
        if let Some(editor) = self.editor_mut() {
            editor.place_arrived(now, turn);
            editor.look_up_products(turn);
            editor.read_funnel_once(now, turn);
        }
        self.let_go_of_wanted(turn);
    }

    fn take_library(&mut self, request: RequestId, videos: Result<Arc<Vec<Video>>, Failure>, turn: &mut Turn) {
        let shared = self.shared_mut();
        if shared.library.wants(request) {
            shared.library.settle(videos.map_err(|failure| failure.what));
            if let Some(editor) = self.editor_mut() {
                editor.check();
                editor.show_waiting_preview(turn);
            }
        }
    }

    fn take_project(&mut self, project: Result<Box<Reading>, Failure>, now: Moment, turn: &mut Turn) {
        let is_applying = self.editor().is_some_and(Editor::is_applying);
        let Some((_, session)) = self.parts() else { return };
        match project {
            Ok(project) => {
                session.read.settle(Ok(()));
                session.is_missing = false;
                if is_applying {
                    return;
                }
                if let Some(name) = project.project.name.clone() {
                    session.name = name;
                }
                session.latest = Some(project);
                self.meet(now, turn);
            }
            Err(failure) => {
                if failure.unauthorized {
                    turn.outcomes.push(Outcome::Unauthorized);
                }
                session.read.settle(Err(failure.what.clone()));
                session.is_missing = failure.missing;
                if let Some(editor) = self.editor_mut() {
                    editor.unread(&failure, turn);
                }
            }
        }
    }

    fn take_journal(&mut self, found: Found, now: Moment, turn: &mut Turn) {
        // It says which videos were put into steps and taken out again.
        let tells = matches!(&found, Found::Draft { draft, .. } if self.shared().has_placed(draft));
        let Some((_, session)) = self.parts().filter(|(_, session)| session.journal == Journal::Sought) else { return };
        let mut journal = Journal::Open { handed: 0, kept: 0 };
        let (mut known, mut is_taken) = (None, false);
        match found {
            Found::Nothing => {}
            Found::Taken => {
                journal = Journal::Taken;
                is_taken = true;
            }
            Found::Unusable(why) => {
                let say = format!("Couldn't open the draft of this project: {why}. Its file is left as it is.");
                turn.say(NoticeKind::Error, say);
                journal = Journal::Unusable(why);
            }
            Found::Damaged(damaged) => {
                journal = Journal::Open { handed: damaged.records, kept: damaged.records };
                known = session.take_damaged(damaged, turn);
            }
            // A draft that was saved says no more than the service does.
            Found::Draft { draft, .. } if is_spent(&draft) && !tells => {
                turn.ask(Effect::DropJournal { project: session.id.clone() });
            }
            Found::Draft { draft, written, records } => {
                journal = Journal::Open { handed: records, kept: records };
                let edits = draft.unsaved_edits();
                let since = match ago(now, written).as_str() {
                    "now" => "just now".to_owned(),
                    since => format!("{since} ago"),
                };
                let say = format!(
                    "Restored your draft from {since}: {edits} unsaved edit{}. ‹steps.save› saves, ‹steps.undo› undoes, \
                     ‹steps.discard› discards.",
                    if edits == 1 { "" } else { "s" }
                );
                if edits > 0 {
                    turn.say(NoticeKind::Hint, say);
                }
                known = Some(*draft);
            }
        }
        session.journal = journal;
        if let Some(draft) = known {
            session.is_outdated = false;
            if let Some(editor) = self.begin(draft) {
                editor.rebuild(true);
                editor.look_again(now, turn);
                // The service may have answered before the draft was found.
                if editor.session.is_missing {
                    editor.say_missing(turn);
                }
            }
        }
        self.meet(now, turn);
        self.ask_rescue(turn);
        if is_taken {
            self.found_taken(turn);
        }
    }

    /// Edits this draft from now on.
    fn begin(&mut self, draft: Draft) -> Option<&mut Editor> {
        match &mut self.state {
            State::Closed(_) => {}
            State::Opening(opening) => {
                let (shared, session) = std::mem::take(&mut **opening);
                self.state = State::Editing(Box::new(Editor::new(shared, session, draft)));
            }
            State::Editing(editor) => editor.draft = draft,
        }
        self.editor_mut()
    }

    /// Brings what was read and what is edited together, once both are there.
    fn meet(&mut self, now: Moment, turn: &mut Turn) {
        let is_editing = self.editor().is_some_and(|editor| !editor.session.is_outdated);
        let Some((_, session)) = self.parts().filter(|(_, session)| session.journal != Journal::Sought) else { return };
        let Some(latest) = session.latest.take() else { return };
        if is_editing {
            if let Some(editor) = self.editor_mut() {
                editor.notice_newer(*latest, now, turn);
            }
            return;
        }
        let draft = Draft::new(turn.context.workspace.clone(), latest.project).within(turn.context.profile.clone());
        session.begun = Some(draft.begun());
        session.is_outdated = false;
        if let Some(editor) = self.begin(draft) {
            editor.rebuild(true);
            match editor.known_place() {
                Some(place) => editor.go_to_place(place),
                None => editor.keep_in_sight(),
            }
        }
        self.ask_rescue(turn);
    }

    fn ask_rescue(&mut self, turn: &mut Turn) {
        if let Some(editor) = self.editor_mut() {
            editor.ask_rescue(turn);
        }
    }

    fn take_kept(&mut self, records: Result<u64, String>, turn: &mut Turn) {
        let Some((_, session)) = self.parts() else { return };
        match (records, &mut session.journal) {
            (Ok(count), Journal::Open { kept, .. }) => *kept = count.max(*kept),
            (Ok(kept), Journal::Failing { handed, .. }) => {
                session.journal = Journal::Open { handed: *handed, kept };
                turn.say(NoticeKind::Done, "The draft is stored on disk again.");
            }
            (Err(why), Journal::Open { handed, .. }) => {
                let say = format!(
                    "Couldn't store the draft on disk: {why}. You can go on editing; ‹steps.save› saves to the service."
                );
                session.journal = Journal::Failing { handed: *handed, why };
                turn.say(NoticeKind::Error, say);
            }
            _ => {}
        }
        if let Some(editor) = self.editor_mut() {
            editor.kept_while_saving(turn);
            editor.keep_typed(turn);
        }
    }
}

/// Whether a draft holds nothing that the service does not: then its journal can go. What is marked as meant stays here.
fn is_spent(draft: &Draft) -> bool {
    !is_half_typed(draft) && draft.content().head().meant.is_empty() && draft.is_saved()
}
