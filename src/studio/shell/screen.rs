//! A screen as the shell takes it, whichever it is.

use super::effect::Effect;
use super::overlays::Overlay;
use crate::studio::ground::{Context, Moment, Requests};
use crate::studio::screens::pane::{Handler, Input, Pane};
use crate::studio::screens::turn::{Outcome, Turn};
use crate::studio::widgets::Question;

/// What came of what a screen was given.
pub struct Taken {
    /// Whether it knew what to do with it.
    pub known: bool,
    /// The effects, among those of the studio.
    pub effects: Vec<Effect>,
    /// What it tells its parent.
    pub outcomes: Vec<Outcome>,
    /// What it asks.
    pub questions: Vec<Overlay>,
    /// Counts what is asked for.
    pub requests: Requests,
}

/// Any screen.
pub trait AnyScreen: Pane {
    /// Gives it what comes to it.
    fn take(&mut self, input: Input, now: Moment, context: Context) -> Taken;
}

impl<S: Handler> AnyScreen for S
where
    Effect: From<S::Effect>,
    Overlay: From<Question<S::Answer>>,
{
    fn take(&mut self, input: Input, now: Moment, context: Context) -> Taken {
        let mut turn = Turn::new(context);
        let known = self.handle(input, now, &mut turn);
        Taken {
            known,
            effects: turn.effects.into_iter().map(Into::into).collect(),
            outcomes: turn.outcomes,
            questions: turn.questions.into_iter().map(Into::into).collect(),
            requests: turn.context.requests,
        }
    }
}
