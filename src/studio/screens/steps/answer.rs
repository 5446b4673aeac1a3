//! What this screen's questions are answered with.

use super::{Cursor, Damaged};
use crate::domain::{StepProduct, VariantId, VideoId};
use crate::draft::{AnswerRef, Incoming, ProjectFormat, StepRef};

/// An answer to a question of the Steps screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Nothing changes.
    Nothing,
    /// Go there.
    Go(Cursor),
    /// Take this step for the answer that is being wired.
    Target(StepRef),
    /// What was typed is the text of a new answer of this step.
    NewAnswer(StepRef),
    /// What was typed is this answer's text.
    AnswerText(AnswerRef),
    /// Delete this step, and do this with the answers that lead to it.
    DeleteStep(StepRef, Incoming),
    /// This step's video is this one.
    Video(StepRef, VideoId),
    /// This step's video has the ID that was typed.
    TypedVideo(StepRef),
    /// Show this variant of this product of the step, or all of them.
    ProductVariant(StepRef, Box<StepProduct>, Option<VariantId>),
    /// This product of the step shows from the second that was typed.
    ProductFrom(StepRef, Box<StepProduct>),
    /// Go back or forth until so many edits are made.
    History(usize),
    /// Export to a file of this format.
    ExportAs(ProjectFormat),
    /// What was typed is the file's name.
    ExportFile(ProjectFormat),
    /// The file that ignored problems are saved to.
    BaselineFile,
    /// What was typed is to be looked for in all texts.
    ReplaceWhat,
    /// What was typed takes the place of this.
    ReplaceWith(String),
    /// Put the second in the place of the first.
    Replace(String, String),
    /// Take what can be read behind the damage of a draft, too.
    Rescue(Box<Damaged>),
    /// Take the project over from the studio that edits it.
    TakeOver,
    /// Throw the draft away.
    Discard,
    /// Make a new project of the draft, as the service has its own no more.
    Renew,
    /// What was typed is the project's name.
    Rename,
    /// Change this setting of the player.
    PlayerSetting(&'static str),
    /// What was typed is this setting's value.
    PlayerValue(&'static str),
}
