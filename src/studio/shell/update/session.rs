//! Where the studio is, kept while it runs: a start after a crash begins there too.

use crate::studio::ground::{Alarm, Remote};
use crate::studio::left;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;

/// What changes within so long is kept at once, milliseconds.
const GATHER_MS: u64 = 2_000;

/// The same of what is typed.
const TYPED_MS: u64 = 250;

/// Asks to be woken once the studio is elsewhere than was kept last.
pub(super) fn watch(model: &mut Model, effects: &mut Vec<Effect>) {
    // Before there is a connection nothing is taken up yet: what was kept before would be lost.
    let is_due = !model.shell.session.1 && matches!(model.shell.connection, Remote::Ready(_));
    if !is_due {
        return;
    }
    let (now, kept) = (left(model), model.shell.session.0.as_deref());
    if kept != Some(&now) {
        let is_typed = kept.is_some_and(|kept| kept.typing != now.typing);
        model.shell.session.1 = true;
        effects.push(Effect::Wake { alarm: Alarm::Session, after_ms: if is_typed { TYPED_MS } else { GATHER_MS } });
    }
}

/// Keeps where the studio is.
pub(super) fn keep(model: &mut Model, effects: &mut Vec<Effect>) {
    model.shell.session.1 = false;
    let left = Box::new(left(model));
    if model.shell.session.0.as_ref() != Some(&left) {
        effects.push(Effect::KeepSession(left.clone()));
        model.shell.session.0 = Some(left);
    }
}
