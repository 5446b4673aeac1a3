//! Saves recordings: a script that its owner can run, whole or not at all, and never over what is there.

use super::context::Context;
use crate::runtime::host::{Access, Existing};
use crate::studio::event::Event;

/// Saves a script, under another name where its own is taken.
pub async fn save(context: Context, file: String, script: String) -> Event {
    let saved = context.write_file(file, script.into_bytes(), Access::Program, Existing::Number).await;
    Event::ScriptSaved(saved.map_err(|error| error.to_string()))
}
