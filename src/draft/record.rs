//! What happened to a draft, as it is kept in its journal.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::base::{Base, Fresh, Named};
use super::call::NewStep;
use super::change::Change;
use super::refs::{AnswerRef, StepRef};
use crate::domain::{Project, ProjectId, Reader, Step};

/// One thing that happened to a draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Record {
    /// It was begun.
    Begun(Begun),
    /// It was edited.
    Edit {
        /// What the edit is called.
        name: String,
        /// What it changed.
        change: Change,
        /// The last reference given out.
        fresh: u32,
        /// How many of the oldest edits can't be undone any more from here on: the history is bounded.
        #[serde(default, skip_serializing_if = "is_zero")]
        forget: usize,
    },
    /// Edits were undone or made again, until so many were made.
    Go {
        /// How many, counted from the first edit of the draft.
        to: usize,
        /// How many were made before. Where a record is missing in between, the distance still holds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<usize>,
    },
    /// What was typed and is no edit yet.
    View {
        /// Whatever the screen wants to find again.
        view: Value,
    },
    /// The beginning again, right behind it in the file: no single damage loses what everything else stands on.
    Again(Begun),
    /// The file was made so that no other studio begins to edit the project; nothing is edited yet.
    Claimed,
    /// What the first edit of the history was made on, told by how it differs from what the service has.
    Origin {
        /// The difference.
        change: Change,
    },
    /// Where the history stands, once its edits were told.
    Mark {
        /// How many edits are older than those that were told.
        forgotten: usize,
        /// How many were made when everything was saved last.
        saved: usize,
    },
    /// Something is about to be asked of the service that must not be asked twice; or it is known that it was not done.
    Sent {
        /// What; none where nothing is open any more.
        sent: Option<Sent>,
        /// What tells this creation from every other one, however often it is sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        /// Whether the service was looked through since, and has nothing that could be it: it is to be sent again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        absent: bool,
        /// Whether it was sent more than once: that the last sending was refused says nothing of those before it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        resent: bool,
        /// Whether the service finds what was sent wrong: where it has nothing that could be it, it is over.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        invalid: bool,
    },
    /// The service did something.
    Done(Done),
    /// The service was read again, and the draft stands on that: what was edited elsewhere is in it.
    Rebased(Box<(Begun, String, Option<Change>)>),
}

impl Record {
    /// A creation is known not to have been made, and is over.
    pub(super) fn unsent() -> Self {
        Self::Sent { sent: None, key: None, absent: false, resent: false, invalid: false }
    }

    /// A creation as it is known to stand.
    pub(super) fn of_sent(open: &Unanswered) -> Self {
        let Unanswered { sent, key, absent, resent, invalid } = open.clone();
        Self::Sent { sent: Some(sent), key, absent, resent, invalid }
    }
}

/// What a draft stands on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Begun {
    workspace: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    project: Value,
    steps: Vec<(StepRef, Vec<AnswerRef>)>,
    fresh: u32,
    /// Whether the project's answers name steps by their ids; where it isn't said, the project itself tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_id: Option<bool>,
    /// Whether the draft began without a project, though there is one by now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_new: bool,
}

impl Begun {
    pub(super) fn of(workspace: &str, base: &Base, fresh: Fresh) -> Self {
        Self {
            workspace: workspace.to_owned(),
            profile: None,
            project: to_value(&base.project()),
            steps: base.named().collect(),
            fresh: fresh.0,
            by_id: None,
            is_new: false,
        }
    }

    /// The same, of a project that was saved in parts since: how its answers name steps stays as it was.
    pub(super) fn naming_as(self, base: &Base) -> Self {
        Self { by_id: Some(base.names_by_id()), ..self }
    }

    /// The same, begun in a profile, with a project or without one.
    pub(super) fn within(self, profile: Option<String>, is_new: bool) -> Self {
        Self { profile, is_new, ..self }
    }

    pub(super) fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    pub(super) fn into_base(self) -> (String, Base, Fresh) {
        let mut project: Project = Reader::read(&self.project).0;
        let raw = project.steps.take();
        let told = raw.is_some();
        let with = |(raw, (step, answers))| Named { step, answers, raw };
        let steps = raw.unwrap_or_default().into_iter().zip(self.steps).map(with).collect();
        project.steps = told.then(Vec::new);
        let base = Base::of(project, steps);
        let base = match self.by_id {
            Some(by_id) => base.naming_by_id(by_id),
            None => base,
        };
        (self.workspace, base, Fresh(self.fresh))
    }
}

/// A creation whose answer is not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Sent {
    /// A step.
    Step(Box<NewStep>),
    /// The project.
    Project {
        /// Its name as it was sent.
        name: String,
        /// The projects of that name before.
        before: Vec<ProjectId>,
    },
}

/// A creation that was asked for without its answer being known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unanswered {
    pub sent: Sent,
    /// What tells it from every other one.
    pub key: Option<String>,
    /// Whether the service has nothing that could be it.
    pub absent: bool,
    /// Whether it was sent more than once.
    pub resent: bool,
    /// Whether the service finds what was sent wrong.
    pub invalid: bool,
}

/// What the service did, as it would tell it if it were read again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Done {
    /// The project is so.
    Project(Value),
    /// A step is so, its answers by these references.
    Step(StepRef, Value, Vec<AnswerRef>),
    /// A step is gone.
    Deleted(StepRef),
}

impl Done {
    pub(super) fn make(self, base: &mut Base) {
        match self {
            Self::Project(project) => base.put_project(Reader::read(&project).0),
            Self::Step(step, raw, answers) => base.put(step, Some((Reader::read::<Step>(&raw).0, answers))),
            Self::Deleted(step) => base.put(step, None),
        }
    }
}

/// What is written of it when it is read back.
pub(super) fn to_value(told: &impl Serialize) -> Value {
    serde_json::to_value(told).unwrap_or_default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}
