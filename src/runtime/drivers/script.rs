//! Saves recordings: a script that its owner can run, whole or not at all, and never over what is there.

use super::context::{Context, Lost};
use crate::runtime::host::{Access, Existing};
use crate::studio::effect::Effect;
use crate::studio::event::Event;

/// Begins to save a script.
pub fn begin(context: &Context, file: String, script: String) {
    let lost = Lost::beside(&Effect::SaveScript { file: String::new(), script: String::new() });
    let save = save(context.clone(), file, script);
    context.answer(None, 0, lost, async { Some(save.await) });
}

/// Saves a script, under another name where its own is taken.
async fn save(context: Context, file: String, script: String) -> Event {
    let saved = context.write_file(file, script.into_bytes(), Access::Program, Existing::Number).await;
    Event::ScriptSaved(saved.map_err(|error| error.to_string()))
}
