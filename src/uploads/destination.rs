//! Where a video is for once it has arrived: a step of a project, whose draft takes it as an edit.

use serde::{Deserialize, Serialize};

use crate::domain::ProjectId;

/// By what a step is found again, whoever opens its project.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKey {
    /// The service knows it by this id.
    Id(String),
    /// The service told no id of it; this is its name.
    Name(String),
    /// The service does not have it yet: its number in the draft.
    New(String),
}

/// The step that a video is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    /// Its project.
    pub project: ProjectId,
    /// What the project is called.
    pub project_name: String,
    /// The step.
    pub step: StepKey,
    /// What the step is called.
    pub label: String,
    /// The id of the video it had when the file was chosen; empty where it had none. What a person chose since stays.
    pub before: String,
}

impl Destination {
    /// Whether only the draft has the step so far.
    #[must_use]
    pub fn is_new(&self) -> bool {
        matches!(self.step, StepKey::New(_))
    }

    /// Whether both are the same step.
    #[must_use]
    pub fn is_same_step(&self, other: &Self) -> bool {
        self.project == other.project && self.step == other.step
    }
}

/// What became of a video that was for a step. Said once: nobody puts it there a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// The draft has it as an edit, or the service has it in the step.
    Made,
    /// The step had another video by then, which it kept.
    Kept,
    /// The step, or its project, is gone.
    Gone,
    /// A file that was chosen later for the same step is there.
    Overtaken,
    /// The person took it off the list.
    Dropped,
}
