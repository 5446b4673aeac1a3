//! Opening a project: what the service has, what a draft of it says, and what is worked out of both.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::vocabulary::Turn;
use crate::domain::{Project, ProjectId, VideoId};
use crate::draft::{Draft, Record};
use crate::graph::{Chart, Graph, Known};
use crate::studio::ground::{Failure, Moment, NoticeKind, Remote};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::Select;
use crate::studio::widgets::graph::{Marks, View};
use crate::studio::widgets::time::ago;

use super::{Cursor, Effect, Event, Focus, Found, Journal, Mode, Open, Shown, Steps, outline};

/// What is kept in a draft beside its edits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Beside {
    /// What was typed and not yet an edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    typed: Option<super::form::Typed>,
}

impl Steps {
    /// Opens a project's steps.
    pub fn open(&mut self, project: ProjectId, name: String, now: Moment, turn: &mut Turn) {
        if self.open.as_ref().is_some_and(|open| open.id == project) {
            return self.refresh(now, turn);
        }
        if self.is_unkept() {
            let say = "Your edits would be lost: they couldn't be stored on disk. S saves, D discards.";
            turn.say(NoticeKind::Error, say);
            return;
        }
        self.close(turn);
        self.open = Some(Open {
            id: project.clone(),
            name,
            read: Remote::Idle,
            journal: Journal::Sought,
            draft: None,
            shown: Shown::default(),
            cursor: None,
            came: Vec::new(),
            places: (Vec::new(), 0),
            focus: Focus::Map,
            finding: Select::default(),
            mode: Mode::Normal,
            look: View::default(),
            looked: false,
            top: 0,
            walked: std::collections::BTreeSet::new(),
            untidied: None,
            latest: None,
            begun: None,
            handed_typed: None,
            damaged: None,
            arrivals: super::Arrivals::default(),
        });
        turn.ask(Effect::FindJournal { workspace: turn.context.workspace.clone(), project });
        self.refresh(now, turn);
    }

    /// Whether there are edits that are neither saved nor on the disk.
    #[must_use]
    pub fn is_unkept(&self) -> bool {
        let unkept = |open: &Open| matches!(open.journal, Journal::Failing { .. } | Journal::Unusable(_));
        self.open
            .as_ref()
            .is_some_and(|open| unkept(open) && open.draft.as_ref().is_some_and(|draft| !draft.is_saved()))
    }

    /// Lets go of the open project. Its draft stays on the disk.
    pub fn close(&mut self, turn: &mut Turn) {
        self.note_place();
        if let Some(open) = self.open.take() {
            // What was not looked at yet is not known to be spent.
            let spent = open.journal != Journal::Sought && open.draft.as_ref().is_some_and(is_spent);
            let project = open.id.clone();
            if spent {
                open.forget_new_steps(&self.overview, turn);
                turn.ask(Effect::DropJournal { project: project.clone() });
            }
            turn.ask(Effect::LeaveJournal { project });
        }
        self.asking = None;
    }

    /// Reads the project and the library again.
    pub(super) fn refresh(&mut self, now: Moment, turn: &mut Turn) {
        let request = self.requests.next_id();
        let Some(open) = &mut self.open else { return };
        // What is read while calls are made is older than they are.
        if open.is_applying() {
            return;
        }
        if open.journal == Journal::Taken {
            // The other studio may be gone by now.
            open.draft = None;
            open.journal = Journal::Sought;
            let (workspace, project) = (turn.context.workspace.clone(), open.id.clone());
            turn.ask(Effect::FindJournal { workspace, project });
        }
        open.read.load(request, now);
        self.claim_anew();
        let Some(open) = &mut self.open else { return };
        turn.ask(Effect::Read { request, project: open.id.clone() });
        if !matches!(self.library, Remote::Loading { .. }) {
            let request = self.requests.next_id();
            self.library.load(request, now);
            turn.ask(Effect::Library { request });
        }
    }

    /// Takes what happened.
    pub fn event(&mut self, event: Event, now: Moment, turn: &mut Turn) {
        match event {
            Event::Read { request, project } => {
                if self.open.as_ref().is_some_and(|open| open.read.wants(request)) {
                    self.take_project(project, now, turn);
                }
            }
            Event::JournalFound { project, found } => {
                if self.open.as_ref().is_some_and(|open| open.id == project) {
                    self.take_journal(found, now, turn);
                }
            }
            Event::Kept { project, records } => self.take_kept(&project, records, turn),
            Event::Library { request, videos } => {
                if self.library.wants(request) {
                    self.library.settle(videos.map_err(|failure| failure.what));
                    self.check();
                }
            }
            Event::Answered { request, reply } => self.answered(request, *reply, turn),
            Event::FolderRead { request, folder } => self.take_folder(request, folder, turn),
            Event::Claimed { project, held } => {
                if self.open.as_ref().is_some_and(|open| open.id == project) {
                    self.take_claim(held, turn);
                }
            }
            Event::Exported(Ok(file)) => turn.say(NoticeKind::Done, format!("Saved to {file}.")),
            Event::Exported(Err(why)) => turn.say(NoticeKind::Error, why),
        }
        self.place_arrived(now, turn);
    }

    fn take_project(&mut self, project: Result<Box<Project>, Failure>, now: Moment, turn: &mut Turn) {
        let Some(open) = &mut self.open else { return };
        match project {
            Ok(project) => {
                open.read.settle(Ok(()));
                if open.is_applying() {
                    return;
                }
                if let Some(name) = project.name.clone() {
                    open.name = name;
                }
                open.latest = Some(project);
                self.meet(now, turn);
            }
            Err(failure) => {
                if failure.unauthorized {
                    turn.outcomes.push(Outcome::Unauthorized);
                }
                let why = failure.what.clone();
                if failure.missing && open.draft.as_ref().is_some_and(|draft| !draft.is_saved()) {
                    if matches!(open.mode, Mode::Saving(_)) {
                        open.mode = Mode::Normal;
                        open.read.settle(Err(failure.what));
                        return self.ask_renew(turn);
                    }
                    let say = "The service has this project no more; your draft of it is kept. S makes a new project \
                               of it, e writes it to a file, D throws it away.";
                    turn.say(NoticeKind::Warning, say);
                }
                open.read.settle(Err(failure.what));
                if matches!(&open.mode, Mode::Saving(saving) if saving.stage == super::saving::Stage::Reading) {
                    self.plan_unread(&why);
                }
            }
        }
    }

    fn take_journal(&mut self, found: Found, now: Moment, turn: &mut Turn) {
        // It says which videos were put into steps and taken out again.
        let tells = matches!(&found, Found::Draft { draft, .. } if self.has_placed(draft));
        let Some(open) = self.open.as_mut().filter(|open| open.journal == Journal::Sought) else { return };
        let mut journal = Journal::Open { handed: 0, kept: 0 };
        match found {
            Found::Nothing => {}
            Found::Taken => {
                journal = Journal::Taken;
                turn.say(NoticeKind::Warning, "Read-only: this project is being edited in another window.");
            }
            Found::Unusable(why) => {
                let say = format!("Couldn't open the draft of this project: {why}. Its file is left as it is.");
                turn.say(NoticeKind::Error, say);
                journal = Journal::Unusable(why);
            }
            Found::Damaged(damaged) => {
                self.take_damaged(damaged, turn);
                return self.begin_with_draft(now, turn);
            }
            // A draft that was saved says no more than the service does.
            Found::Draft { draft, .. } if is_spent(&draft) && !tells => {
                turn.ask(Effect::DropJournal { project: open.id.clone() });
            }
            Found::Draft { draft, written, records } => {
                journal = Journal::Open { handed: records, kept: records };
                let edits = draft.unsaved_edits();
                let since = match ago(now, written).as_str() {
                    "now" => "just now".to_owned(),
                    since => format!("{since} ago"),
                };
                let say = format!(
                    "Restored your draft from {since}: {edits} unsaved edit{}. S saves, u undoes, D discards.",
                    if edits == 1 { "" } else { "s" }
                );
                if edits > 0 {
                    turn.say(NoticeKind::Hint, say);
                }
                open.draft = Some(*draft);
            }
        }
        open.journal = journal;
        self.begin_with_draft(now, turn);
    }

    /// Shows the draft that was found, where one was.
    fn begin_with_draft(&mut self, now: Moment, turn: &mut Turn) {
        if self.open.as_ref().is_some_and(|open| open.draft.is_some()) {
            self.rebuild(true);
            self.look_again(now);
        }
        self.meet(now, turn);
        self.ask_rescue(turn);
    }

    /// Brings what was read and what is edited together, once both are there.
    fn meet(&mut self, now: Moment, turn: &mut Turn) {
        let Some(open) = &mut self.open else { return };
        if open.journal == Journal::Sought {
            return;
        }
        let Some(latest) = open.latest.take() else { return };
        if open.draft.is_some() {
            return self.notice_newer(*latest, now, turn);
        }
        let draft = Draft::new(turn.context.workspace.clone(), *latest).within(turn.context.profile.clone());
        open.begun = Some(draft.begun());
        open.draft = Some(draft);
        self.rebuild(true);
        self.settle_cursor();
        match self.known_place() {
            Some(place) => self.go_to_place(place),
            None => self.keep_in_sight(),
        }
        self.ask_rescue(turn);
    }

    /// Works out what is shown of the draft; `anew` lays the graph out anew.
    pub(super) fn rebuild(&mut self, anew: bool) {
        let Some(open) = &mut self.open else { return };
        let Some(draft) = &open.draft else { return };
        let graph = Graph::new(&draft.steps(), &draft.steps_order());
        let refs = draft.refs();
        let at = refs.iter().enumerate().map(|(index, step)| (*step, index)).collect();
        let mut chart = std::mem::take(&mut open.shown.chart);
        if anew {
            chart = Chart::new(&graph);
        } else {
            chart.follow(&graph);
        }
        let outline = outline::rows(&graph);
        let edits = draft.unsaved_edits();
        open.shown = Shown { refs, at, graph, chart, outline, edits, faults: Vec::new(), marks: Marks::default() };
        self.check();
        self.settle_cursor();
    }

    /// Checks the project as it stands.
    pub(super) fn check(&mut self) {
        let library: Option<HashSet<VideoId>> =
            self.library.known().map(|videos| videos.iter().map(|video| video.id.clone()).collect());
        let Some(open) = &mut self.open else { return };
        let meant: HashSet<String> =
            open.draft.iter().flat_map(|draft| draft.content().head().meant.iter().cloned()).collect();
        let seconds = self.seconds();
        let Some(open) = &mut self.open else { return };
        let known = Known { library: library.as_ref(), meant: Some(&meant), seconds: Some(&seconds) };
        open.shown.faults = open.shown.graph.check(&known).into_iter().filter(|fault| !fault.meant).collect();
        open.finding.selected = open.finding.selected.min(open.shown.faults.len().saturating_sub(1));
        self.mark();
    }

    /// How long the videos run that the steps have, seconds, of those whose length is known.
    fn seconds(&self) -> HashMap<VideoId, f64> {
        let lengths = &self.overview.lengths;
        let told = |id: &VideoId| {
            let videos = self.library.known()?;
            videos.iter().find(|video| video.id == *id)?.duration_ms()
        };
        let graph = self.open.as_ref().map(|open| &open.shown.graph);
        let videos =
            graph.into_iter().flat_map(|graph| (0..graph.len()).filter_map(|step| graph.node(step)?.video.as_ref()));
        let known = videos.filter_map(|id| {
            let ms = lengths.get(id).copied().or_else(|| told(id))?;
            Some((id.clone(), Duration::from_millis(ms).as_secs_f64()))
        });
        known.collect()
    }

    /// What is drawn on the cards beside what their steps hold.
    pub(super) fn mark(&mut self) {
        let videos = self.names.of(self.library.known());
        let Some(open) = &mut self.open else { return };
        let mut marks = Marks { videos, ..Marks::default() };
        marks.note(&open.shown.faults);
        if let Some(draft) = &open.draft {
            for answer in &open.walked {
                if let Some((step, port, _)) = draft.content().answer(*answer)
                    && let Some(step) = open.shown.at.get(&step)
                {
                    marks.walked.insert(*step);
                    marks.walked_answers.insert((*step, port));
                }
            }
        }
        let labels = match &open.mode {
            Mode::Labels(labels) => Some(labels),
            Mode::Wire(wire) if !wire.dragged => Some(&wire.labels),
            _ => None,
        };
        for (step, letters) in labels.into_iter().flat_map(super::labels::Labels::open) {
            marks.hints.insert(step, letters.to_owned());
        }
        open.shown.marks = marks;
        self.mark_uploads();
    }

    /// Puts the cursor on something that exists.
    pub(super) fn settle_cursor(&mut self) {
        let Some(open) = &mut self.open else { return };
        let first = open.shown.graph.first().and_then(|first| open.shown.step(first));
        let cursor = open.cursor.filter(|cursor| open.shown.at.contains_key(&cursor.step));
        open.cursor = cursor.or(first.map(|step| Cursor { step, port: None }));
        if let Some(cursor) = &mut open.cursor
            && let Some(step) = open.shown.at.get(&cursor.step)
        {
            let ports = open.shown.graph.ports(*step).len();
            cursor.port = cursor.port.map(|port| port.min(ports.saturating_sub(1))).filter(|_| ports > 0);
        }
    }

    // ----- what is kept

    /// Hands a record to the journal.
    pub(super) fn keep(&mut self, record: Record, turn: &mut Turn) {
        let Some(open) = &mut self.open else { return };
        let (Journal::Open { handed, .. } | Journal::Failing { handed, .. }) = &mut open.journal else { return };
        let mut records = Vec::new();
        if *handed == 0
            && let Some(begun) = open.begun.take()
        {
            records.push(begun);
        }
        records.push(record);
        *handed += u64::try_from(records.len()).unwrap_or(0);
        turn.ask(Effect::Keep { project: open.id.clone(), records });
    }

    fn take_kept(&mut self, project: &ProjectId, records: Result<u64, String>, turn: &mut Turn) {
        let Some(open) = self.open.as_mut().filter(|open| open.id == *project) else { return };
        match (records, &mut open.journal) {
            (Ok(count), Journal::Open { kept, .. }) => *kept = count.max(*kept),
            (Ok(kept), Journal::Failing { handed, .. }) => {
                open.journal = Journal::Open { handed: *handed, kept };
                turn.say(NoticeKind::Done, "The draft is stored on disk again.");
            }
            (Err(why), Journal::Open { handed, .. }) => {
                let say =
                    format!("Couldn't store the draft on disk: {why}. You can go on editing; S saves to the service.");
                open.journal = Journal::Failing { handed: *handed, why };
                turn.say(NoticeKind::Error, say);
            }
            _ => {}
        }
        self.kept_while_saving(turn);
        self.keep_typed(turn);
    }

    /// Writes down what is being typed, once what was written before is on the disk.
    pub(super) fn keep_typed(&mut self, turn: &mut Turn) {
        let Some(open) = &mut self.open else { return };
        let typed = match &open.mode {
            Mode::Form(form) if form.is_changed() => Some(form.typed()),
            _ => None,
        };
        let is_kept = matches!(open.journal, Journal::Open { handed, kept } if handed == kept);
        if !is_kept || open.handed_typed == typed {
            return;
        }
        let Some(draft) = &mut open.draft else { return };
        open.handed_typed.clone_from(&typed);
        let record = draft.look(serde_json::to_value(Beside { typed }).unwrap_or(Value::Null));
        self.keep(record, turn);
    }

    /// Goes where one was last, and shows what was being typed there.
    fn look_again(&mut self, now: Moment) {
        let known = self.known_place();
        let Some(draft) = self.open.as_ref().and_then(|open| open.draft.as_ref()) else { return };
        let (beside, before) = match draft.view() {
            // Drafts of earlier versions hold the place too.
            Some(view) => (Beside::deserialize(view).unwrap_or_default(), super::Place::deserialize(view).ok()),
            None => (Beside::default(), None),
        };
        if let Some(place) = known.or(before) {
            self.go_to_place(place);
        }
        if let Some(typed) = beside.typed {
            if let Some(open) = &mut self.open {
                open.handed_typed = Some(typed.clone());
            }
            self.form_again(typed, now);
        }
    }
}

/// Whether a draft holds nothing that the service does not: then its journal can go. What is marked as meant stays here.
fn is_spent(draft: &Draft) -> bool {
    let typed = draft.view().and_then(|view| view.get("typed")).is_some_and(|typed| !typed.is_null());
    !typed && draft.content().head().meant.is_empty() && draft.is_saved()
}
