//! A service that says nothing: for how long, and whether the person was told that it is gone.

use super::effect::Effect;
use super::event::Event;
use super::model::Model;
use super::notices::Notice;
use crate::studio::ground::{Alarm, Answers as _, NoticeKind, Remote, SILENT_MS};

/// Between two looks at the clock while something is on its way, milliseconds.
const TICK_MS: u64 = 1_000;

/// Takes that a request began or ended; `lost` says whether that one had no answer, where it says anything.
pub(super) fn hear(model: &mut Model, in_flight: usize, lost: Option<bool>, effects: &mut Vec<Effect>) {
    let now = model.shell.now;
    let silence = &mut model.shell.silence;
    silence.hear(in_flight, lost == Some(false), now);
    if in_flight > 0 && !std::mem::replace(&mut silence.ticks, true) {
        effects.push(Effect::Wake { alarm: Alarm::Silence, after_ms: SILENT_MS.unsigned_abs() });
    }
}

/// Looks at the clock, and again in a second while something is on its way.
pub(super) fn tick(model: &mut Model, effects: &mut Vec<Effect>) {
    model.shell.silence.ticks = model.shell.in_flight > 0;
    if model.shell.silence.ticks {
        effects.push(Effect::Wake { alarm: Alarm::Silence, after_ms: TICK_MS });
    }
}

/// For how many seconds the service has said nothing, where that is worth a word. A video on its way up is answered only
/// at its end; one that failed is on its way no longer.
#[must_use]
pub(super) fn seconds(model: &Model) -> Option<i64> {
    let since = model.shell.silence.since.filter(|_| !model.screens.videos.is_uploading())?;
    model.shell.now.silent_since(since)
}

/// Who is asked for what the screen waits for and hasn't answered, and what Esc does; the same words as long as it lasts.
#[must_use]
pub(super) fn words(model: &Model) -> Option<String> {
    let waits = model.pane().waits().filter(|_| model.layers.is_empty())?;
    model.shell.now.silent_since(waits.since)?;
    Some(format!("{} hasn't answered yet; {}.", sentence(model.shell.service().who()), waits.esc))
}

/// Says once that the service is gone: what ended was told by the screen that asked for it, beside what it shows.
pub(super) fn tell(model: &mut Model, before: u64, effects: &mut Vec<Effect>) {
    let is_gone = model.shell.lost && matches!(model.shell.connection, Remote::Ready(_));
    if !is_gone || std::mem::replace(&mut model.shell.silence.told, true) {
        return;
    }
    let is_new = |notice: &Notice| notice.id > before && notice.kind == NoticeKind::Error;
    if model.shell.notices.past.iter().any(is_new) {
        return;
    }
    let who = model.shell.service().who();
    let say = format!("Couldn't reach {who}. What was loaded is kept; ‹app.retry› tries again.");
    model.say(NoticeKind::Error, say, effects);
}

/// The last notice before an event that ends a request, 0 where nothing was said yet.
pub(super) fn before(model: &Model, event: &Event) -> Option<u64> {
    event.ends().map(|_| model.shell.notices.past.back().map_or(0, |notice| notice.id))
}

fn sentence(who: &str) -> String {
    let mut signs = who.chars();
    signs.next().map(|first| first.to_uppercase().chain(signs).collect()).unwrap_or_default()
}
