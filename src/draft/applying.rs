//! Applying a plan, as a machine without hands: which call is next, and what its answer means.
//!
//! What the service did becomes part of what the draft stands on, so the plan shrinks with every answer and can be gone on
//! with at any time. A creation is written down before it is asked for; where its answer is not known, the service is
//! read again and what came of it is looked for before anything is created.

use thiserror::Error;

use super::call::{Call, NewStep, StepFields};
use super::draft::Draft;
use super::record::{Done, Record, Sent, to_value};
use super::refs::AnswerRef;
use crate::domain::{Answer, FolderId, Num, Project, ProjectId, Step, StepId, StepName, VideoId};

/// What is to be done next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// A creation's answer is not known: read the project and hand it to [`Draft::settle`].
    ReadProject,
    /// The project's creation has no known answer: list the projects and hand them to [`Draft::settle_project`].
    ListProjects,
    /// Make this call: [`Draft::sending`], then the call, then [`Draft::answered`].
    Call(Box<Call>),
    /// Nothing is left to do.
    Nothing,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A step was created, by this id and name.
    CreatedStep(StepId, StepName),
    /// The project was created.
    CreatedProject(ProjectId),
    /// It was done.
    Done,
    /// The service has no such thing (404).
    Gone(String),
    /// The service refused, or nothing was sent: it is certain that nothing was done.
    Refused(String),
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
    /// What is to be done next so that the service says what the draft says.
    #[must_use]
    pub fn next(&self) -> Next {
        match &self.sent {
            Some(Sent::Step(_)) => return Next::ReadProject,
            Some(Sent::Project { .. }) => return Next::ListProjects,
            None => {}
        }
        let first = self.calls().0.into_iter().next();
        first.map_or(Next::Nothing, |call| Next::Call(Box::new(call)))
    }

    /// To be kept, and known to be kept, before a call is made; none where it can be made twice without harm.
    /// `projects` are those that the service has, where the call creates the project.
    pub fn sending(&mut self, call: &Call, projects: &[Project]) -> Option<Record> {
        let sent = match call {
            Call::CreateStep(new) => Sent::Step(Box::new(new.clone())),
            Call::CreateProject { name } => {
                let alike = projects.iter().filter(|project| project.name.as_ref() == Some(name));
                Sent::Project { name: name.clone(), before: alike.map(|project| project.id.clone()).collect() }
            }
            _ => return None,
        };
        Some(self.keep(Record::Sent { sent: Some(sent) }))
    }

    /// Takes what a call came to.
    ///
    /// # Errors
    /// Where applying has to stop. A creation of which nothing is known does not: [`Self::next`] reads again.
    pub fn answered(&mut self, call: &Call, outcome: Outcome) -> Result<Option<Record>, Stopped> {
        let done = match (call, outcome) {
            (Call::CreateStep(new), Outcome::CreatedStep(id, name)) if !(id.is_empty() && name.is_empty()) => {
                self.created(new, id, name)
            }
            (Call::CreateProject { name }, Outcome::CreatedProject(id)) if !id.is_empty() => {
                self.created_project(name, id)
            }
            (Call::UpdateStep { step, change, .. }, Outcome::Done) => {
                let raw = self.base.step(*step).cloned().unwrap_or_default();
                let known = self.base.named().find(|(other, _)| other == step).map(|(_, answers)| answers);
                let (raw, answers) = with(raw, change, known.unwrap_or_default());
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
                if let Some(order) = &change.steps_order {
                    project.steps_order = Some(order.iter().map(|named| named.text().to_owned()).collect());
                }
                Done::Project(to_value(&project))
            }
            (call, Outcome::Gone(why) | Outcome::Refused(why)) => {
                let record = call.creates().then(|| Box::new(self.keep(Record::Sent { sent: None })));
                return Err(Stopped { title: call.title(), why, record });
            }
            // A service that says yes without saying to what may have created it.
            (call, _) if call.creates() => return Ok(None),
            (call, Outcome::Unknown(why)) => return Err(Stopped { title: call.title(), why, record: None }),
            (call, _) => {
                let why = "the answer does not fit the call".to_owned();
                return Err(Stopped { title: call.title(), why, record: None });
            }
        };
        Ok(Some(self.keep(Record::Done(done))))
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

    fn created_project(&self, name: &str, id: ProjectId) -> Done {
        let project = Project { id, name: Some(name.to_owned()), ..self.base.head().clone() };
        Done::Project(to_value(&project))
    }

    /// Looks in the project as it is now for the step whose creation was not answered. It is bound to it, or known not to
    /// have been created; none where nothing was open.
    pub fn settle(&mut self, theirs: &Project) -> Option<Record> {
        let Some(Sent::Step(new)) = self.sent.clone() else { return None };
        let known = |id: &str, name: &str| {
            self.base.sequence().iter().any(|step| match id {
                "" => self.base.name(*step) == name,
                id => self.base.step_id(*step) == id,
            })
        };
        let created = theirs.steps.iter().flatten().find(|step| {
            let id = step.id.as_ref().map_or("", StepId::as_str);
            let name = step.name.as_ref().map_or("", StepName::as_str);
            !known(id, name) && is_as_sent(step, &new.fields)
        });
        let record = match created {
            Some(step) => {
                let keys = new.fields.answers.iter().flatten().map(|answer| answer.key).collect();
                Record::Done(Done::Step(new.step, to_value(step), keys))
            }
            None => Record::Sent { sent: None },
        };
        Some(self.keep(record))
    }

    /// The same for the project's own creation.
    pub fn settle_project(&mut self, projects: &[Project]) -> Option<Record> {
        let Some(Sent::Project { name, before }) = self.sent.clone() else { return None };
        let created = projects.iter().find(|project| {
            project.name.as_deref() == Some(name.as_str())
                && !before.contains(&project.id)
                && project.steps_count.is_none_or(|count| count == Num(0.0))
        });
        let record = match created {
            Some(project) => Record::Done(self.created_project(&name, project.id.clone())),
            None => Record::Sent { sent: None },
        };
        Some(self.keep(record))
    }
}

/// A step with what was sent of it.
fn with(mut raw: Step, sent: &StepFields, known: Vec<AnswerRef>) -> (Step, Vec<AnswerRef>) {
    if let Some(description) = &sent.description {
        raw.description = Some(description.clone());
    }
    if let Some(overlay) = &sent.overlay_text {
        raw.overlay_text = Some(overlay.clone());
    }
    if let Some(video) = &sent.video_id {
        raw.video_id = Some(video.clone());
    }
    if let Some(seconds) = sent.answer_time {
        raw.answer_time = Some(Num(seconds));
    }
    let Some(answers) = &sent.answers else { return (raw, known) };
    raw.answers = Some(sent.wire_answers().ok().flatten().unwrap_or_default());
    (raw, answers.iter().map(|answer| answer.key).collect())
}

/// Whether a step says what was sent. White space at the ends is what services like to take away.
fn is_as_sent(step: &Step, sent: &StepFields) -> bool {
    let same =
        |told: Option<&str>, sent: Option<&str>| told.unwrap_or_default().trim() == sent.unwrap_or_default().trim();
    let expected: Vec<Answer> = sent.wire_answers().ok().flatten().unwrap_or_default();
    let answers = step.answers.as_deref().unwrap_or_default();
    same(step.description.as_deref(), sent.description.as_deref())
        && same(step.overlay_text.as_deref(), sent.overlay_text.as_deref())
        && same(step.video_id.as_ref().map(VideoId::as_str), sent.video_id.as_ref().map(VideoId::as_str))
        && answers.len() == expected.len()
        && answers.iter().zip(&expected).all(|(told, sent)| {
            same(Some(&told.text), Some(&sent.text)) && same(told.next.as_deref(), sent.next.as_deref())
        })
}
