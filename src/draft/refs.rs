//! What a step, an answer and a target are meant by while a project is edited.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! reference {
    ($( $(#[$meta:meta])* $name:ident ),* $(,)?) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub(super) u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )* };
}

reference! {
    /// A step of a draft. Stays the same through edits, undo, saving and merging, whatever the step is called and also
    /// before it has a name; means nothing in another draft.
    StepRef,
    /// An answer of a draft, told apart from all others of all steps. Stays the same as [`StepRef`] does.
    AnswerRef,
}

/// Where an answer leads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Target {
    /// The video ends.
    #[default]
    End,
    /// To a step.
    Step(StepRef),
    /// The value of `next` is the name and id of no step: as it was given.
    Unresolved(String),
}
