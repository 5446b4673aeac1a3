//! Edits that fix what a check found, as data: nothing is done until a person says so.

use super::steps::Graph;

/// An edit that fixes a fault. Steps and answers are meant by their index.
#[derive(Debug, Clone, PartialEq)]
pub enum Fix {
    /// Let an answer lead to a step.
    Retarget {
        /// The step that has the answer.
        step: usize,
        /// Which of its answers.
        port: usize,
        /// Where it is to lead.
        to: usize,
    },
    /// Take an answer away: there is one just like it.
    RemoveAnswer {
        /// The step that has it.
        step: usize,
        /// Which of its answers.
        port: usize,
    },
    /// Let a person choose a video for a step.
    ChooseVideo {
        /// The step.
        step: usize,
    },
    /// Let a person choose another product in place of one that a step shows.
    ChooseProducts {
        /// The step.
        step: usize,
        /// Which of its products.
        product: usize,
    },
    /// Let the answers appear so many seconds after the video's start.
    AnswerTime {
        /// The step.
        step: usize,
        /// Seconds.
        seconds: f64,
    },
    /// Put a step at the end of `stepsOrder`.
    AddToOrder {
        /// The step.
        step: usize,
    },
    /// Take an entry out of `stepsOrder`.
    RemoveFromOrder {
        /// The entry as it stands there.
        entry: String,
    },
    /// Put a step where an entry of `stepsOrder` stands that is no step.
    ReplaceInOrder {
        /// The entry as it stands there.
        entry: String,
        /// The step.
        step: usize,
    },
}

impl Fix {
    /// It in a few words, in the imperative. Holds texts from the service: to be cleaned before it is shown.
    #[must_use]
    pub fn words(&self, graph: &Graph) -> String {
        match self {
            Self::Retarget { to, .. } => format!("lead it to {}", graph.name(*to)),
            Self::RemoveAnswer { port, .. } => format!("delete answer {}", port + 1),
            Self::ChooseVideo { .. } => "choose a video".to_owned(),
            Self::ChooseProducts { .. } => "choose another product".to_owned(),
            Self::AnswerTime { seconds, .. } => format!("show the answers after {seconds} s"),
            Self::AddToOrder { step } => format!("add {} to the order", graph.name(*step)),
            Self::RemoveFromOrder { entry } => format!("remove {entry:?} from the order"),
            Self::ReplaceInOrder { entry, step } => format!("replace {entry:?} with {}", graph.name(*step)),
        }
    }
}
