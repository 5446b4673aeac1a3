//! A project that another studio edits: it can be taken over, with everything that was typed there. The other one is left
//! with a view of it.

use super::vocabulary::Turn;
use super::{Answer, Editor, Effect, Journal, Mode, State, Steps};
use crate::studio::ground::{Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Question, Role};

/// What was done about another studio that edits the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Over {
    /// Nothing.
    #[default]
    Nothing,
    /// Taking it over was offered: once is enough, unless one tries to edit it.
    Offered,
    /// The other studio is asked for it when the journal is looked for next.
    Chosen,
    /// It was asked for it.
    Asked,
}

impl Over {
    /// Whether the other studio is asked for the project now.
    pub(super) fn is_to_be_asked(&mut self) -> bool {
        let is_chosen = *self == Self::Chosen;
        if is_chosen {
            *self = Self::Asked;
        }
        is_chosen
    }
}

impl Steps {
    /// Another studio has the project.
    pub(super) fn found_taken(&mut self, turn: &mut Turn) {
        let Some((_, session)) = self.parts() else { return };
        let before = std::mem::replace(&mut session.over, Over::Offered);
        if before == Over::Asked {
            let say = "The other window didn't let go of this project: it is saving it, or can't store its draft.";
            turn.say(NoticeKind::Warning, say);
        } else if before == Over::Nothing {
            Editor::offer_over(turn);
        }
    }

    /// Asks the studio that edits the project for it.
    pub(super) fn take_over(&mut self, now: Moment, turn: &mut Turn) {
        let Some((_, session)) = self.parts().filter(|(_, session)| session.journal == Journal::Taken) else { return };
        session.over = Over::Chosen;
        self.refresh(now, turn);
    }

    /// Another studio asks for the project. While calls are made it waits: what is asked of the service is not asked by two.
    pub(super) fn let_go(&mut self, turn: &mut Turn) {
        if let Some((_, session)) = self.parts() {
            session.is_wanted = true;
        }
        self.let_go_of_wanted(turn);
    }

    /// Lets go of the project where another studio asked for it and nothing hinders that any more.
    pub(super) fn let_go_of_wanted(&mut self, turn: &mut Turn) {
        let is_wanted = self.session().is_some_and(|session| session.is_wanted);
        let Some(editor) = self.editor_mut().filter(|editor| is_wanted && !editor.is_applying()) else { return };
        // What is on the screen and not on the disk would be lost to the other one.
        if !matches!(editor.session.journal, Journal::Open { .. }) {
            return;
        }
        // Only what is on the disk is there for the other one; it is asked again when it is.
        if !editor.keep_all(turn) {
            return;
        }
        let project = editor.session.id.clone();
        turn.ask(Effect::LeaveJournal { project });
        editor.become_view(turn);
        let say =
            "Another window took this project over, with your edits and what you were typing. Here it is read-only.";
        turn.say(NoticeKind::Warning, say);
    }

    /// Another studio took the project, as this one was stopped or far too slow to be asked.
    pub(super) fn seized(&mut self, turn: &mut Turn) {
        let State::Editing(editor) = &mut self.state else { return };
        if editor.session.journal == Journal::Taken {
            return;
        }
        let typed = match (&editor.session.line, &editor.mode) {
            (Some(line), _) if line.is_changed() => Some(line.text().to_owned()),
            (_, Mode::Form(form)) if form.is_changed() => Some(form.prose.text()),
            _ => None,
        };
        editor.become_view(turn);
        let what = "Another window took this project over while this one didn't answer.";
        let rest = if typed.is_some() { "What you were typing was copied." } else { "Here it is read-only." };
        turn.say(NoticeKind::Warning, format!("{what} {rest}"));
        if let Some(text) = typed {
            turn.copy(text);
        }
    }
}

impl Editor {
    /// Asks whether the project is to be taken over.
    pub(super) fn offer_over(turn: &mut Turn) {
        let lines = vec![
            (Role::Text, "Read-only: this project is being edited in another window.".to_owned()),
            (
                Role::Text,
                "If you take it over, its edits and half-typed text are here, and the other window only shows it."
                    .to_owned(),
            ),
        ];
        let options = [(Answer::Nothing, "only look"), (Answer::TakeOver, "take it over")];
        turn.question(Question::decide("Open in another window", lines, options).deliberate());
    }

    /// Shows the project from now on, and edits it no more.
    fn become_view(&mut self, turn: &mut Turn) {
        turn.outcomes.push(Outcome::CloseQuestions);
        self.session.journal = Journal::Taken;
        (self.session.is_wanted, self.session.over) = (false, Over::Offered);
        self.session.handed_over = None;
        (self.session.begun, self.session.handed_typed) = (None, None);
        (self.session.line, self.session.handed_line) = (None, None);
        self.session.arrivals.refuse_claim();
        self.mode = Mode::Normal;
        self.mark();
        self.keep_in_sight();
    }
}
