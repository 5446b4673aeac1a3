//! What is being typed into a question of this screen. It is kept beside the draft as the texts of the form are: a line
//! that was cut finds it again.

use serde::{Deserialize, Serialize};

use super::vocabulary::Turn;
use super::{Answer, Editor, Steps};
use crate::draft::{AnswerRef, StepRef};
use crate::studio::widgets::{Prompt, Question};

/// A question whose half-typed answer is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Asked {
    /// The text of a new answer of this step.
    NewAnswer(StepRef),
    /// The text of this answer.
    AnswerText(AnswerRef),
    /// The project's name.
    Name,
}

/// What is typed into a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    asked: Asked,
    text: String,
    /// What it said before anything was typed.
    before: String,
}

impl Line {
    /// What was typed, and stood there before.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether something was typed.
    pub(super) fn is_changed(&self) -> bool {
        self.text != self.before
    }
}

impl Asked {
    /// The question that is answered so, where what is typed into it is kept.
    fn of(answer: &Answer) -> Option<Self> {
        match answer {
            Answer::NewAnswer(step) => Some(Self::NewAnswer(*step)),
            Answer::AnswerText(answer) => Some(Self::AnswerText(*answer)),
            Answer::Rename => Some(Self::Name),
            _ => None,
        }
    }
}

impl Steps {
    /// Whether what is typed into the question that is answered so is kept in the journal.
    #[must_use]
    pub fn keeps_line(answer: &Answer) -> bool {
        Asked::of(answer).is_some()
    }

    /// Whether something is being typed into a question, as far as is known.
    #[must_use]
    pub fn is_line_open(&self) -> bool {
        self.session().is_some_and(|session| session.line.is_some())
    }

    /// Takes what stands in the question that is open, as often as that may have changed; none where none is open.
    pub fn typing(&mut self, open: Option<(&Answer, &str)>, turn: &mut Turn) {
        let Some(editor) = self.editor_mut() else { return };
        let open = open.and_then(|(answer, text)| Some((Asked::of(answer)?, text)));
        let known = &mut editor.session.line;
        match (open, &mut *known) {
            (None, None) => return,
            (None, Some(_)) => *known = None,
            (Some((asked, text)), Some(line)) if line.asked == asked => {
                if line.text == text {
                    return;
                }
                text.clone_into(&mut line.text);
            }
            (Some((asked, text)), _) => {
                *known = Some(Line { asked, text: text.to_owned(), before: text.to_owned() });
            }
        }
        editor.keep_typed(turn);
    }
}

impl Editor {
    /// Asks again what was being answered when the studio ended, with what was typed.
    pub(super) fn ask_line_again(&mut self, line: Line, turn: &mut Turn) {
        let draft = &self.draft;
        let is_there = match line.asked {
            Asked::NewAnswer(step) => draft.content().step(step).is_some(),
            Asked::AnswerText(answer) => draft.content().answer(answer).is_some(),
            Asked::Name => true,
        };
        if is_there {
            turn.question(Self::line_question(line.asked, &line.text));
            self.session.handed_line = Some(line.clone());
            self.session.line = Some(line);
        }
    }

    /// The question, with a text that its answer may be.
    pub(super) fn line_question(asked: Asked, begin: &str) -> Question<Answer> {
        let (title, answer) = match asked {
            Asked::NewAnswer(step) => ("Text of the new answer", Answer::NewAnswer(step)),
            Asked::AnswerText(answer) => ("Text of the answer", Answer::AnswerText(answer)),
            Asked::Name => ("Rename project", Answer::Rename),
        };
        Question::line(Prompt::new(title, begin), answer)
    }
}
