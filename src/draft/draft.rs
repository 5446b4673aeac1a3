//! A project being edited.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::base::{Base, Fresh};
use super::change::Change;
use super::content::Content;
use super::history::History;
use super::record::{Begun, Record, Unanswered};
use super::refs::{StepRef, Target};
use crate::domain::{Project, ProjectId, VideoId};

/// A project being edited: what it started from, what it says now, and every edit between.
///
/// Whatever changes a draft hands out a [`Record`] of it. All records of a draft, in their order, make the same draft
/// again ([`Draft::from_records`]).
#[derive(Debug, Clone)]
pub struct Draft {
    workspace: String,
    profile: Option<String>,
    pub(super) base: Base,
    /// Whether it began without a project, which is created with its first call.
    pub(super) is_new: bool,
    pub(super) now: Content,
    pub(super) history: History,
    pub(super) fresh: Fresh,
    /// What was asked of the service without its answer being known.
    pub(super) sent: Option<Unanswered>,
    view: Option<Value>,
    /// How many edits were made when everything was saved last.
    saved_at: usize,
    /// Whether the service did something since it was last compared with the draft: then everything may be saved by now.
    /// A thousand steps are not compared after each one that is created.
    is_compared_late: bool,
    /// How often something happened that a plan depends on.
    revision: u64,
}

/// Two drafts are the same that began with the same and say the same, after the same edits.
impl PartialEq for Draft {
    fn eq(&self, other: &Self) -> bool {
        let same = |one: &Self, other: &Self| {
            one.workspace == other.workspace
                && one.profile == other.profile
                && one.base == other.base
                && one.now == other.now
                && one.history == other.history
                && one.fresh == other.fresh
                && one.sent == other.sent
                && one.view == other.view
        };
        same(self, other) && self.saved_at() == other.saved_at()
    }
}

/// What undoing, doing again and jumping came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Gone {
    /// The name of the last edit that was undone or made again.
    pub name: String,
    /// To be kept.
    pub record: Record,
}

impl Draft {
    /// Begins to edit a project as the service told it. `workspace` tells the drafts of one workspace from others.
    ///
    /// A project without an id is one that is to be created.
    #[must_use]
    pub fn new(workspace: impl Into<String>, project: Project) -> Self {
        let mut fresh = Fresh::default();
        let base = Base::read(project, &mut fresh);
        Self::on(workspace.into(), None, base, fresh)
    }

    /// A draft of which nothing is edited yet.
    fn on(workspace: String, profile: Option<String>, base: Base, fresh: Fresh) -> Self {
        let now = base.content().clone();
        Self {
            workspace,
            profile,
            is_new: base.id().is_empty(),
            base,
            now,
            history: History::default(),
            fresh,
            sent: None,
            view: None,
            saved_at: 0,
            is_compared_late: false,
            revision: 0,
        }
    }

    /// The first record of it: what it started from.
    #[must_use]
    pub fn begun(&self) -> Record {
        Record::Begun(Begun::of(&self.workspace, &self.base, self.fresh).within(self.profile.clone(), self.is_new))
    }

    /// The same, begun in this profile: of two that lead to one host, each lists its own where the service does not.
    #[must_use]
    pub fn within(self, profile: impl Into<String>) -> Self {
        Self { profile: Some(profile.into()), ..self }
    }

    /// The profile that it was begun in, where that is known.
    #[must_use]
    pub fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// Makes a draft of the records it handed out; what does not fit is where it ends.
    #[must_use]
    pub fn from_records(records: impl IntoIterator<Item = Record>) -> Option<Self> {
        let mut records = records.into_iter();
        let Some(Record::Begun(begun)) = records.next() else { return None };
        let mut draft = Self::from_begun(begun);
        for record in records {
            draft.take(record);
        }
        Some(draft)
    }

    pub(super) fn from_begun(begun: Begun) -> Self {
        let profile = begun.profile().map(ToOwned::to_owned);
        let is_new = begun.is_new;
        let (workspace, base, fresh) = begun.into_base();
        let draft = Self::on(workspace, profile, base, fresh);
        Self { is_new: is_new || draft.is_new, ..draft }
    }

    /// Makes what a record tells of.
    pub(super) fn take(&mut self, record: Record) {
        match record {
            Record::Again(_) | Record::Claimed | Record::View { .. } | Record::Sent { .. } => {}
            Record::Done(_) => self.revision += 1,
            _ => {
                self.saved_at = self.saved_at();
                self.is_compared_late = false;
                self.revision += 1;
            }
        }
        match record {
            Record::Begun(begun) => *self = Self { revision: self.revision, ..Self::from_begun(begun) },
            Record::Again(_) | Record::Claimed => {}
            Record::Edit { name, change, fresh, forget } => {
                self.fresh.past(fresh);
                self.history.make(name, change, &mut self.now, forget);
            }
            Record::Go { to, .. } => self.history.go(to, &mut self.now),
            Record::View { view } => self.view = Some(view),
            Record::Origin { change } => drop(change.make(&mut self.now)),
            Record::Mark { forgotten, saved } => {
                self.history.count_from(forgotten);
                self.saved_at = saved;
            }
            Record::Sent { sent, key, absent, resent, invalid } => {
                self.sent = sent.map(|sent| Unanswered { sent, key, absent, resent, invalid });
            }
            Record::Done(done) => {
                self.sent = None;
                done.make(&mut self.base);
                self.is_compared_late = true;
            }
            Record::Rebased(rebased) => {
                let (begun, name, change) = *rebased;
                let (_, base, fresh) = begun.into_base();
                self.fresh.past(fresh.0);
                self.base = base;
                if let Some(change) = change {
                    self.history.make(name, change, &mut self.now, 0);
                }
                self.is_compared_late = true;
            }
        }
    }

    /// Makes what a record tells of that was written after others that are missing.
    pub(super) fn take_later(&mut self, record: Record) {
        match record {
            Record::Go { to, from: Some(from) } => {
                let at = self.history.at();
                let to = if to < from { at.saturating_sub(from - to) } else { at.saturating_add(to - from) };
                self.history.go(to, &mut self.now);
            }
            record => self.take(record),
        }
    }

    /// What leads to a step that is not there any more leads nowhere: its creation may be among what is missing.
    pub(super) fn loosen_missing(&mut self) {
        let known: HashSet<StepRef> = self.now.steps.keys().copied().collect();
        let is_lost = |target: &Target| matches!(target, Target::Step(step) if !known.contains(step));
        let mut after = self.now.clone();
        for content in after.steps.values_mut() {
            if content.answers().iter().any(|answer| is_lost(&answer.target)) {
                for answer in Arc::make_mut(content).answers.iter_mut().flatten() {
                    if let Target::Step(step) = answer.target
                        && !known.contains(&step)
                    {
                        answer.target = Target::Unresolved(format!("missing-step-{step}"));
                    }
                }
            }
        }
        let is_gone = |step: Option<StepRef>| step.is_some_and(|step| !known.contains(&step));
        if after.head.order().iter().any(|entry| is_gone(entry.step)) {
            after.head_mut().order.iter_mut().for_each(|order| order.retain(|entry| !is_gone(entry.step)));
        }
        drop(self.made("Answers whose step is missing".to_owned(), &after, self.fresh));
    }

    /// How many edits were made when everything was saved last.
    fn saved_at(&self) -> usize {
        if self.is_compared_late && self.is_saved() { self.history.at() } else { self.saved_at }
    }

    /// Changes whenever a plan made before may not be the plan any more.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// Makes it, and hands it back to be kept.
    pub(super) fn keep(&mut self, record: Record) -> Record {
        self.take(record.clone());
        record
    }

    /// Which workspace the project is in.
    #[must_use]
    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    /// The project's id; empty where it is to be created.
    #[must_use]
    pub fn project_id(&self) -> &ProjectId {
        self.base.id()
    }

    /// What it started from, or what the service has of it since.
    #[must_use]
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// What it says now.
    #[must_use]
    pub fn content(&self) -> &Content {
        &self.now
    }

    /// Whether there is nothing to save.
    #[must_use]
    pub fn is_saved(&self) -> bool {
        // What can't be saved is not saved either.
        self.sent.is_none() && self.says_what_the_service_says()
    }

    /// How many edits were made or undone since everything was saved; at least one where something is not.
    #[must_use]
    pub fn unsaved_edits(&self) -> usize {
        if self.is_saved() { 0 } else { self.at().abs_diff(self.saved_at).max(1) }
    }

    /// Whether a creation was asked for without its answer being known: the project has to be read again.
    #[must_use]
    pub fn is_unsettled(&self) -> bool {
        self.sent.is_some()
    }

    /// What the screen last wanted remembered beside the edits: what is being typed.
    #[must_use]
    pub fn view(&self) -> Option<&Value> {
        self.view.as_ref()
    }

    /// The fewest records that make the same draft again.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        let begun = Begun::of(&self.workspace, &self.base, self.fresh).within(self.profile.clone(), self.is_new);
        let mut records = vec![Record::Begun(begun.naming_as(&self.base))];
        let (mut history, mut origin) = (self.history.clone(), self.now.clone());
        history.go(0, &mut origin);
        let change = Change::between(self.base.content(), &origin);
        if !change.is_empty() {
            records.push(Record::Origin { change });
        }
        let edits = self.history.names().zip(self.history.changes());
        records.extend(edits.map(|(name, change)| Record::Edit {
            name: name.to_owned(),
            change: change.clone(),
            fresh: self.fresh.0,
            forget: 0,
        }));
        let forgotten = self.history.forgotten();
        let saved = self.saved_at();
        if forgotten > 0 || saved > 0 {
            records.push(Record::Mark { forgotten, saved });
        }
        let last = forgotten + self.history.names().len();
        if self.at() < last {
            records.push(Record::Go { to: self.at(), from: Some(last) });
        }
        if let Some(sent) = &self.sent {
            records.push(Record::of_sent(sent));
        }
        if let Some(view) = &self.view {
            records.push(Record::View { view: view.clone() });
        }
        records
    }

    /// Remembers what is being typed.
    pub fn look(&mut self, view: Value) -> Record {
        self.keep(Record::View { view })
    }

    // ----- history

    /// The names of the edits, the undone ones too, from the oldest that is not forgotten on; those up to [`Self::at`]
    /// are made.
    pub fn history(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.history.names()
    }

    /// Whether an edit, made or undone, has left a step with this video.
    #[must_use]
    pub fn has_given_video(&self, step: StepRef, video: &VideoId) -> bool {
        self.history.changes().any(|change| change.step(step).is_some_and(|step| step.video.as_ref() == Some(video)))
    }

    /// How many edits are made, counted from the first one, also where that one is forgotten.
    #[must_use]
    pub fn at(&self) -> usize {
        self.history.at()
    }

    /// How many edits are too old to be undone.
    #[must_use]
    pub fn forgotten(&self) -> usize {
        self.history.forgotten()
    }

    /// Takes the last edit back.
    pub fn undo(&mut self) -> Option<Gone> {
        self.go(self.at().checked_sub(1)?)
    }

    /// Makes the edit again that was undone last.
    pub fn redo(&mut self) -> Option<Gone> {
        self.go(self.at() + 1)
    }

    /// Undoes or makes again until so many edits are made; none where that is how it stands, or there are not so many.
    pub fn go(&mut self, to: usize) -> Option<Gone> {
        let from = self.at();
        let last = if to < from { to } else { to.checked_sub(1)? };
        if to == from {
            return None;
        }
        let name = self.history.names().nth(last.checked_sub(self.forgotten())?)?.to_owned();
        Some(Gone { name, record: self.keep(Record::Go { to, from: Some(from) }) })
    }

    /// What two contents differ in, as an edit; none where they don't.
    pub(super) fn made(&mut self, name: String, after: &Content, fresh: Fresh) -> Option<Record> {
        let change = Change::between(&self.now, after);
        let forget = self.history.excess();
        (!change.is_empty()).then(|| self.keep(Record::Edit { name, change, fresh: fresh.0, forget }))
    }
}
