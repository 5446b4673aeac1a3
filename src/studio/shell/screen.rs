//! A screen as the shell takes it, whichever it is.

use super::effect::Effect;
use crate::studio::ground::{Context, Moment};
use crate::studio::screens::pane::{Handler, Input, Pane};
use crate::studio::screens::turn::{Outcome, Turn};

/// What came of what a screen was given.
pub struct Taken {
    /// Whether it knew what to do with it.
    pub known: bool,
    /// The effects, among those of the studio.
    pub effects: Vec<Effect>,
    /// What it tells its parent.
    pub outcomes: Vec<Outcome>,
}

/// Any screen.
pub trait AnyScreen: Pane {
    /// Gives it what comes to it.
    fn take(&mut self, input: Input, now: Moment, context: Context) -> Taken;
}

impl<S: Handler> AnyScreen for S
where
    Effect: From<S::Effect>,
{
    fn take(&mut self, input: Input, now: Moment, context: Context) -> Taken {
        let mut turn = Turn::new(context);
        let known = self.handle(input, now, &mut turn);
        Taken { known, effects: turn.effects.into_iter().map(Into::into).collect(), outcomes: turn.outcomes }
    }
}
