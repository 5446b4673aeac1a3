//! What can be done to a project, each by a name for people.

use thiserror::Error;

use super::base::Fresh;
use super::content::Content;
use super::draft::Draft;
use super::record::Record;
use super::refs::{AnswerRef, StepRef, Target};
use super::replace::{Find, Place};
use crate::domain::{PlayerChange, StepProduct, VideoId};

/// What a person does to a project.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// What a step is about, for those who make it.
    Describe {
        /// The step.
        step: StepRef,
        /// The new text.
        text: String,
    },
    /// The text over a step's video.
    Overlay {
        /// The step.
        step: StepRef,
        /// The new text.
        text: String,
    },
    /// When a step's answers appear.
    AnswerTime {
        /// The step.
        step: StepRef,
        /// Seconds from the video's start, 0 or more.
        seconds: f64,
    },
    /// A step's video.
    Video {
        /// The step.
        step: StepRef,
        /// The video; none takes it away.
        video: Option<VideoId>,
    },
    /// A video that was uploaded for a step.
    Uploaded {
        /// The step.
        step: StepRef,
        /// The video.
        video: VideoId,
        /// What its file was called.
        file: String,
    },
    /// Products that a step shows, behind those that it shows already.
    AddProducts {
        /// The step.
        step: StepRef,
        /// The products.
        products: Vec<StepProduct>,
        /// What people call them.
        title: String,
    },
    /// Another product in the place of one that a step shows, or the same with another variant or time.
    ChangeProduct {
        /// The step.
        step: StepRef,
        /// Which of its products, from 0.
        at: usize,
        /// What it becomes; none removes it.
        to: Option<StepProduct>,
        /// What people call it.
        title: String,
    },
    /// A new answer.
    AddAnswer {
        /// The step.
        step: StepRef,
        /// Before which of its answers, from 0; none is after the last.
        at: Option<usize>,
        /// What the viewer reads.
        text: String,
        /// Where it leads.
        target: Target,
    },
    /// What an answer says.
    AnswerText {
        /// The answer.
        answer: AnswerRef,
        /// The new text.
        text: String,
    },
    /// An answer's place among those of its step.
    MoveAnswer {
        /// The answer.
        answer: AnswerRef,
        /// The place, from 0; beyond the last is the last.
        to: usize,
    },
    /// Where an answer leads. [`Target::End`] unwires it.
    Retarget {
        /// The answer.
        answer: AnswerRef,
        /// Where to.
        target: Target,
    },
    /// An answer goes.
    DeleteAnswer {
        /// The answer.
        answer: AnswerRef,
    },
    /// A new step.
    AddStep {
        /// The answer that shall lead there.
        from: Option<AnswerRef>,
    },
    /// A copy of a step, with its answers.
    DuplicateStep {
        /// The step.
        step: StepRef,
    },
    /// A new step between an answer and where it leads.
    InsertStep {
        /// The answer that shall lead to it.
        answer: AnswerRef,
        /// What the new step's only answer says.
        text: String,
    },
    /// A step goes.
    DeleteStep {
        /// The step.
        step: StepRef,
        /// What becomes of the answers that lead to it.
        incoming: Incoming,
    },
    /// A step's place in the order. Where there is no order yet it becomes the one that is shown.
    MoveStep {
        /// The step.
        step: StepRef,
        /// The place, from 0; beyond the last is the last.
        to: usize,
    },
    /// The whole order. Entries that are no steps stay after it.
    SetOrder {
        /// The steps.
        steps: Vec<StepRef>,
    },
    /// Steps that the order lacks are put at its end.
    AddMissing,
    /// Entries of the order that are no steps go.
    DropAlien,
    /// A step stands where an entry of the order was that is no step.
    ReplaceInOrder {
        /// The entry, as it was given.
        entry: String,
        /// The step.
        step: StepRef,
    },
    /// The project's name.
    Name {
        /// The new name.
        name: String,
    },
    /// The project's folder.
    Folder {
        /// A folder's id, or its name; empty takes the project out.
        folder: String,
    },
    /// Who is told by e-mail.
    Emails {
        /// The addresses.
        emails: Vec<String>,
    },
    /// How the player looks and what it asks.
    Player {
        /// Its settings by their names; a change of these members only.
        change: PlayerChange,
    },
    /// A text in the place of another, wherever it stands or at some places only.
    Replace {
        /// What is looked for.
        find: Find,
        /// What comes in its place.
        with: String,
        /// Where; none is everywhere.
        only: Option<Vec<Place>>,
    },
    /// A finding of the checks is meant, or is not.
    Meant {
        /// What whoever found it calls it.
        finding: String,
        /// Whether it is meant.
        meant: bool,
    },
    /// Marks no finding as meant any more.
    NoneMeant,
}

/// What becomes of the answers that lead to a step that goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Incoming {
    /// They lead where the step's own answer leads: see [`Draft::deletion`].
    Rewired,
    /// They keep naming the step, and lead nowhere.
    Dangling,
    /// They go too.
    Removed,
}

/// What came of an edit.
#[derive(Debug, Clone, PartialEq)]
pub struct Edited {
    /// To be kept; none where the edit changed nothing.
    pub record: Option<Record>,
    /// What the edit is called.
    pub name: String,
    /// The step that was made.
    pub step: Option<StepRef>,
    /// The answer that was made.
    pub answer: Option<AnswerRef>,
}

/// Why an edit can't be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refused {
    /// There is no such step any more.
    #[error("the step is gone")]
    NoStep,
    /// There is no such answer any more.
    #[error("the answer is gone")]
    NoAnswer,
    /// There is no such product at the step any more.
    #[error("the step no longer shows that product")]
    NoProduct,
    /// Nothing can lead to a step that nothing is known by.
    #[error("no answer can link to that step: the service gave it neither a name nor an ID of its own")]
    Nameless,
    /// The text has to say something.
    #[error("{0} must not be empty")]
    Empty(&'static str),
    /// The time is none.
    #[error("the time must be a number of seconds, 0 or more")]
    Time,
}

/// What an edit works on.
pub(super) struct Bench<'a> {
    pub draft: &'a Draft,
    pub content: Content,
    pub fresh: Fresh,
    pub step: Option<StepRef>,
    pub answer: Option<AnswerRef>,
}

impl Draft {
    /// Makes an edit.
    ///
    /// # Errors
    /// Where it can't be made; the draft is then as it was.
    pub fn apply(&mut self, edit: &Edit) -> Result<Edited, Refused> {
        let mut bench = Bench { draft: self, content: self.now.clone(), fresh: self.fresh, step: None, answer: None };
        let name = bench.make(edit)?;
        let Bench { content, fresh, step, answer, .. } = bench;
        let record = self.made(name.clone(), &content, fresh);
        Ok(Edited { record, name, step, answer })
    }
}

impl Bench<'_> {
    fn make(&mut self, edit: &Edit) -> Result<String, Refused> {
        match edit {
            Edit::Describe { step, text } => self.describe(*step, text),
            Edit::Overlay { step, text } => self.overlay(*step, text),
            Edit::AnswerTime { step, seconds } => self.answer_time(*step, *seconds),
            Edit::Video { step, video } => self.video(*step, video.as_ref()),
            Edit::Uploaded { step, video, file } => {
                self.video(*step, Some(video))?;
                Ok(format!("video uploaded into {}: {}", self.label(*step), quoted(file)))
            }
            Edit::AddProducts { step, products, title } => self.add_products(*step, products, title),
            Edit::ChangeProduct { step, at, to, title } => self.change_product(*step, *at, to.as_ref(), title),
            Edit::AddAnswer { step, at, text, target } => self.add_answer(*step, *at, text, target),
            Edit::AnswerText { answer, text } => self.answer_text(*answer, text),
            Edit::MoveAnswer { answer, to } => self.move_answer(*answer, *to),
            Edit::Retarget { answer, target } => self.retarget(*answer, target),
            Edit::DeleteAnswer { answer } => self.delete_answer(*answer),
            Edit::AddStep { from } => self.add_step(*from),
            Edit::DuplicateStep { step } => self.duplicate_step(*step),
            Edit::InsertStep { answer, text } => self.insert_step(*answer, text),
            Edit::DeleteStep { step, incoming } => self.delete_step(*step, *incoming),
            Edit::MoveStep { step, to } => self.move_step(*step, *to),
            Edit::SetOrder { steps } => self.set_order(steps),
            Edit::AddMissing => Ok(self.add_missing()),
            Edit::DropAlien => Ok(self.drop_alien()),
            Edit::ReplaceInOrder { entry, step } => self.replace_in_order(entry, *step),
            Edit::Name { name } => self.name(name),
            Edit::Folder { folder } => Ok(self.folder(folder)),
            Edit::Emails { emails } => Ok(self.emails(emails)),
            Edit::Player { change } => Ok(self.player(change)),
            Edit::Replace { find, with, only } => self.replace(find, with, only.as_deref()),
            Edit::Meant { finding, meant } => Ok(self.meant(finding, *meant)),
            Edit::NoneMeant => Ok(self.none_meant()),
        }
    }

    pub(super) fn label(&self, step: StepRef) -> String {
        if self.draft.now.step(step).is_some() || self.draft.base.step(step).is_some() {
            self.draft.label(step)
        } else {
            self.content.step(step).map(|content| content.label.clone()).unwrap_or_default()
        }
    }
}

/// The most characters of a text in an edit's name.
const LONGEST: usize = 24;

/// A text in an edit's name.
pub(super) fn quoted(text: &str) -> String {
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match plain.char_indices().nth(LONGEST).and_then(|(at, _)| plain.get(..at)) {
        Some(begin) => format!("“{}…”", begin.trim_end()),
        None => format!("“{plain}”"),
    }
}
