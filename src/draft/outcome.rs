//! What a call came to, and what its answer means for the draft.

use std::time::Duration;

use thiserror::Error;

use super::call::{Call, NewStep};
use super::draft::Draft;
use super::record::{Done, Record, Unanswered, to_value};
use super::settling::with;
use crate::domain::{FolderId, PlayerChange, PlayerSettings, Project, ProjectId, Step, StepId, StepName};

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A step was created, by this id and name.
    CreatedStep(StepId, StepName),
    /// The project was created.
    CreatedProject(ProjectId),
    /// It was done.
    Done,
    /// It was done, and this is the entity tag of the state after it.
    Tagged(String),
    /// The service has no such thing (404).
    Gone(String),
    /// The project is another one by now than the call was made for (412): nothing was done.
    Changed(String),
    /// The service refused, or nothing was sent: it is certain that nothing was done.
    Refused(String),
    /// The same, because something is wrong with what was sent: it will be refused again.
    Invalid(String),
    /// The service can't at the moment, and may be asked again. Whether it was done is known of creations only: it was not.
    Busy {
        /// What was said.
        why: String,
        /// How long the service wants to be left alone.
        after: Duration,
    },
    /// No answer that tells: it may have been done or not.
    Unknown(String),
}

/// Why applying stops. The rest stays in the draft and can be gone on with.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{title}: {why}")]
pub struct Stopped {
    /// The call, in words.
    pub title: String,
    /// What was said.
    pub why: String,
    /// What has to be kept of it.
    pub record: Option<Box<Record>>,
}

impl Draft {
    pub(super) fn answered(&mut self, call: &Call, outcome: Outcome) -> Result<Option<Record>, Stopped> {
        let done = match (call, outcome) {
            (Call::CreateStep(new), Outcome::CreatedStep(id, name)) if !(id.is_empty() && name.is_empty()) => {
                self.created(new, id, name)
            }
            (Call::CreateProject { name }, Outcome::CreatedProject(id)) if !id.is_empty() => {
                self.created_project(name, id)
            }
            (Call::UpdateStep { step, change, .. }, Outcome::Done) => {
                let raw = self.base.step(*step).cloned().unwrap_or_default();
                let (raw, answers) = with(raw, change, self.base.keys(*step));
                Done::Step(*step, to_value(&raw), answers)
            }
            // What was to go and is not there is gone.
            (Call::DeleteStep { step, .. }, Outcome::Done | Outcome::Gone(_)) => Done::Deleted(*step),
            (Call::UpdateProject { change }, Outcome::Done) => {
                let mut project = self.base.head().clone();
                if let Some(name) = &change.name {
                    project.name = Some(name.clone());
                }
                if let Some(folder) = &change.folder {
                    project.folder = Some(FolderId::from(folder.as_str()));
                }
                if let Some(emails) = &change.email_notifications {
                    project.email_notifications = Some(emails.clone());
                }
                if let Some(members) = change.player.clone() {
                    let mut settings = project.player.map(|player| player.members()).unwrap_or_default();
                    PlayerChange { members }.make(&mut settings);
                    project.player = Some(PlayerSettings::of(&settings));
                }
                if let Some(order) = &change.steps_order {
                    project.steps_order = Some(order.iter().map(|named| named.text().to_owned()).collect());
                }
                Done::Project(to_value(&project))
            }
            (call, Outcome::Invalid(why)) => return Err(self.stopped(call, why, true)),
            (call, Outcome::Gone(why) | Outcome::Refused(why) | Outcome::Changed(why) | Outcome::Busy { why, .. }) => {
                return Err(self.stopped(call, why, false));
            }
            // A service that says yes without saying to what may have created it.
            (call, _) if call.creates() => return Ok(None),
            (call, Outcome::Unknown(why)) => return Err(Stopped { title: call.title(), why, record: None }),
            (call, _) => {
                let why = "the response doesn't fit the request".to_owned();
                return Err(Stopped { title: call.title(), why, record: None });
            }
        };
        Ok(Some(self.keep(Record::Done(done))))
    }

    fn stopped(&mut self, call: &Call, why: String, invalid: bool) -> Stopped {
        let record = if call.creates() { self.refused_creation(invalid) } else { None };
        Stopped { title: call.title(), why, record: record.map(Box::new) }
    }

    /// A creation was refused. That ends it where it was sent only once; else one of the sendings before may have been
    /// done, or be done yet, and it is looked for again.
    pub(super) fn refused_creation(&mut self, invalid: bool) -> Option<Record> {
        match &self.sent {
            Some(open) if open.resent && invalid => {
                let open = Unanswered { invalid, ..open.clone() };
                Some(self.keep(Record::of_sent(&open)))
            }
            Some(open) if open.resent => None,
            _ => Some(self.keep(Record::unsent())),
        }
    }

    fn created(&self, new: &NewStep, id: StepId, name: StepName) -> Done {
        let raw = Step {
            id: Some(id).filter(|id| !id.is_empty()),
            name: Some(name).filter(|name| !name.is_empty()),
            project_id: Some(self.base.id().clone()),
            ..Step::default()
        };
        let (raw, answers) = with(raw, &new.fields, Vec::new());
        Done::Step(new.step, to_value(&raw), answers)
    }

    pub(super) fn created_project(&self, name: &str, id: ProjectId) -> Done {
        let project = Project { id, name: Some(name.to_owned()), ..self.base.head().clone() };
        Done::Project(to_value(&project))
    }
}
