//! The calls that make the service say what a draft says, as inert data.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::refs::{AnswerRef, StepRef};
use crate::api;
use crate::domain::{Answer, Num, PlayerChange, ProjectId, StepId, StepProduct, VideoId};

/// One call of a plan. Only what changes is in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "call")]
pub enum Call {
    /// `POST /projects`
    CreateProject {
        /// Its name.
        name: String,
    },
    /// `POST /projects/steps`
    CreateStep(NewStep),
    /// `PUT /projects/steps/{id}`
    UpdateStep {
        /// Which one.
        step: StepRef,
        /// Its id; none where an earlier call of the plan makes it.
        id: Option<StepId>,
        /// What people call it.
        label: String,
        /// What changes.
        change: StepFields,
    },
    /// `DELETE /projects/steps`
    DeleteStep {
        /// Which one.
        step: StepRef,
        /// Its id.
        id: StepId,
        /// What people call it.
        label: String,
    },
    /// `PUT /projects/{id}`
    UpdateProject {
        /// What changes.
        change: ProjectFields,
    },
}

/// A step to be created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewStep {
    /// Which one.
    pub step: StepRef,
    /// What people call it until the service names it.
    pub label: String,
    /// What it holds. An answer that leads to a step which comes later ends the video for the time being.
    pub fields: StepFields,
}

/// Fields of a step, §2.8; those that are none are not sent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepFields {
    /// `description`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `overlayText`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay_text: Option<String>,
    /// `videoId`; empty takes the video away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video_id: Option<VideoId>,
    /// `answerTime`, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_time: Option<f64>,
    /// `answers`: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<SentAnswer>>,
    /// `products`, an extension: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub products: Option<Vec<StepProduct>>,
}

/// An answer as it is sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SentAnswer {
    /// Which one.
    pub key: AnswerRef,
    /// What the viewer reads.
    pub text: String,
    /// `next`; none leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Named>,
    /// Members that the specification does not declare.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// What stands for a step in a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Named {
    /// This text.
    As(String),
    /// The name that the service gives to a step when it is created; until then it is called by this one.
    Created(StepRef, String),
}

impl Named {
    /// The text, as far as it is known.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::As(text) | Self::Created(_, text) => text,
        }
    }

    pub(super) fn known(&self) -> Result<String, StepRef> {
        match self {
            Self::As(text) => Ok(text.clone()),
            Self::Created(step, _) => Err(*step),
        }
    }
}

/// Fields of a project, §2.7; those that are none are not sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectFields {
    /// `name`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `folder`; empty takes the project out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// `emailNotifications`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_notifications: Option<Vec<String>>,
    /// `stepsOrder`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps_order: Option<Vec<Named>>,
    /// `player`: the settings that change; null clears one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<Map<String, Value>>,
}

/// A call as it goes over the wire.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Creates the project.
    CreateProject(api::CreateProject),
    /// Creates a step.
    CreateStep(api::CreateStep),
    /// Changes a step.
    UpdateStep(api::UpdateStep),
    /// Deletes a step.
    DeleteStep(api::DeleteStep),
    /// Changes the project.
    UpdateProject(api::UpdateProject),
}

impl StepFields {
    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The answers as the service takes them.
    ///
    /// # Errors
    /// The step of which the name is not known yet.
    pub(super) fn wire_answers(&self) -> Result<Option<Vec<Answer>>, StepRef> {
        let wire = |answer: &SentAnswer| {
            let next = answer.next.as_ref().map(Named::known).transpose()?;
            Ok(Answer { text: answer.text.clone(), next, extra: answer.extra.clone() })
        };
        self.answers.as_ref().map(|answers| answers.iter().map(wire).collect()).transpose()
    }
}

impl Call {
    /// It in words: `create new-1`.
    #[must_use]
    pub fn title(&self) -> String {
        match self {
            Self::CreateProject { name } => format!("create project {name}"),
            Self::CreateStep(NewStep { label, .. }) => format!("create step {label}"),
            Self::UpdateStep { label, change, .. } => format!("update step {label}: {}", change.names().join(", ")),
            Self::DeleteStep { label, .. } => format!("delete step {label}"),
            Self::UpdateProject { change } => format!("update the project: {}", change.names().join(", ")),
        }
    }

    /// Its step.
    #[must_use]
    pub fn step(&self) -> Option<StepRef> {
        match self {
            Self::CreateStep(NewStep { step, .. }) | Self::UpdateStep { step, .. } | Self::DeleteStep { step, .. } => {
                Some(*step)
            }
            _ => None,
        }
    }

    /// Whether both do the same to the same, though perhaps by names known better by now.
    #[must_use]
    pub fn is_alike(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self.step() == other.step()
    }

    /// Whether it must not be made twice.
    #[must_use]
    pub fn creates(&self) -> bool {
        matches!(self, Self::CreateProject { .. } | Self::CreateStep(_))
    }

    /// It as it goes over the wire; none where it needs what an earlier call of the plan makes known.
    #[must_use]
    pub fn request(&self, project: &ProjectId) -> Option<Request> {
        Some(match self {
            Self::CreateProject { name } => {
                let project = api::NewProject { name: name.clone(), ..api::NewProject::default() };
                Request::CreateProject(api::CreateProject { project, ..api::CreateProject::default() })
            }
            Self::CreateStep(NewStep { fields, .. }) => {
                let step = api::NewStep {
                    project_id: Some(project.clone()).filter(|project| !project.is_empty())?,
                    description: fields.description.clone(),
                    answers: fields.wire_answers().ok()?,
                    video_id: fields.video_id.clone(),
                    overlay_text: fields.overlay_text.clone(),
                    products: fields.products.clone(),
                    ..api::NewStep::default()
                };
                Request::CreateStep(api::CreateStep { step, ..api::CreateStep::default() })
            }
            Self::UpdateStep { id, change, .. } => {
                let change = api::StepChange {
                    description: change.description.clone(),
                    answers: change.wire_answers().ok()?,
                    video_id: change.video_id.clone(),
                    overlay_text: change.overlay_text.clone(),
                    answer_time: change.answer_time.map(Num),
                    products: change.products.clone(),
                    ..api::StepChange::default()
                };
                Request::UpdateStep(api::UpdateStep { id: id.clone()?, change })
            }
            Self::DeleteStep { id, .. } => {
                Request::DeleteStep(api::DeleteStep { step_id: id.clone(), ..api::DeleteStep::default() })
            }
            Self::UpdateProject { change } => {
                let known = |order: &Vec<Named>| order.iter().map(Named::known).collect::<Result<_, _>>();
                let steps_order = change.steps_order.as_ref().map(known).transpose().ok()?;
                let change = api::ProjectChange {
                    name: change.name.clone(),
                    email_notifications: change.email_notifications.clone(),
                    steps_order,
                    folder: change.folder.clone(),
                    player: change.player.clone().map(|members| PlayerChange { members }),
                    ..api::ProjectChange::default()
                };
                Request::UpdateProject(api::UpdateProject { id: project.clone(), change })
            }
        })
    }
}

impl StepFields {
    fn names(&self) -> Vec<&'static str> {
        [
            ("description", self.description.is_some()),
            ("text", self.overlay_text.is_some()),
            ("video", self.video_id.is_some()),
            ("answer time", self.answer_time.is_some()),
            ("answers", self.answers.is_some()),
            ("products", self.products.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, sent)| sent.then_some(name))
        .collect()
    }
}

impl ProjectFields {
    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn names(&self) -> Vec<&'static str> {
        [
            ("name", self.name.is_some()),
            ("folder", self.folder.is_some()),
            ("e-mails", self.email_notifications.is_some()),
            ("order", self.steps_order.is_some()),
            ("player", self.player.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, sent)| sent.then_some(name))
        .collect()
    }
}
