//! Runs programs of the person's own.

use super::context::{Context, Lost};
use crate::runtime::host::programs;
use crate::studio::effect::Effect;
use crate::studio::event::Event;

/// Begins a program; what comes of it is told once it ended.
pub fn begin(title: String, run: Vec<String>, context: &Context) {
    let lost = Lost::beside(&Effect::RunProgram { title: title.clone(), run: Vec::new() });
    context.answer(None, 0, lost, async move {
        let ended = programs::run(&run).await;
        Some(Event::ProgramEnded { title, ended })
    });
}
