//! What the questions of this screen are answered with, and its turn.

use super::filter::Filter;
use super::vocabulary::Effect;
use crate::domain::{FolderId, ProjectId};

/// What an answer of the person is for. Projects are meant by id and harmless name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The name of a new project was typed, which goes to this folder: by id and name.
    Create(Option<(FolderId, String)>),
    /// Another name was typed.
    Rename(ProjectId, String),
    /// The project goes to this folder, or to none.
    Move(ProjectId, String, Option<FolderId>),
    /// The project goes to a folder whose name was typed.
    MoveToNew(ProjectId, String),
    /// Who is told by e-mail was typed.
    Emails(ProjectId, String),
    /// The name of a copy was typed.
    Copy(ProjectId, String),
    /// The name was typed to delete the project.
    Delete(ProjectId, String),
    /// These projects are shown.
    Filter(Filter),
    /// This becomes of a copy.
    Copying(Way),
}

/// What can become of a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Nothing for now.
    Leave,
    /// It goes on.
    GoOn,
    /// It goes on, without the video that was refused.
    WithoutVideo,
    /// It goes on, and creates again what the service does not show, or has nothing of that was asked for here.
    CreateAgain,
    /// It goes on with this one of the projects that may be the one that was created.
    Adopt(usize),
    /// What was made is deleted.
    Delete,
    /// What was made stays, the rest is not made.
    Forget,
    /// It stops after the call under way.
    Stop,
}

impl Way {
    /// It in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Leave => "Not now (d asks again)",
            Self::GoOn => "Continue",
            Self::WithoutVideo => "Continue without this step's video",
            Self::CreateAgain => "Create the missing step again",
            Self::Adopt(_) => "Continue with this project",
            Self::Delete => "Delete the copy",
            Self::Forget => "Keep the copy as it is",
            Self::Stop => "Stop after the current step",
        }
    }
}

/// A turn of this screen.
pub type Turn = crate::studio::screens::turn::Turn<Effect, Answer>;
