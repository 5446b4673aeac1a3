//! Where the studio is, kept while it runs: a start after a crash begins there too.

use crate::studio::effect::Effect;
use crate::studio::event::Alarm;
use crate::studio::left;
use crate::studio::model::Model;
use crate::studio::remote::Remote;

/// What changes within so long is kept at once, milliseconds.
const GATHER_MS: u64 = 2_000;

/// Asks to be woken once the studio is elsewhere than was kept last.
pub(super) fn watch(model: &mut Model, effects: &mut Vec<Effect>) {
    // Before there is a connection nothing is taken up yet: what was kept before would be lost.
    let is_due = !model.session.1 && matches!(model.connection, Remote::Ready(_));
    if is_due && model.session.0.as_deref() != Some(&left(model)) {
        model.session.1 = true;
        effects.push(Effect::Wake { alarm: Alarm::Session, after_ms: GATHER_MS });
    }
}

/// Keeps where the studio is.
pub(super) fn keep(model: &mut Model, effects: &mut Vec<Effect>) {
    model.session.1 = false;
    let left = Box::new(left(model));
    if model.session.0.as_ref() != Some(&left) {
        effects.push(Effect::KeepSession(left.clone()));
        model.session.0 = Some(left);
    }
}
