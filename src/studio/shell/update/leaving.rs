//! What is only read in plain mode is left by itself for what was entered.

use super::commands::run;
use crate::studio::ground::{Command, Layer, Screen};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::What;
use crate::studio::shell::plain::words;

/// So many layers are left at most: some are left a stage at a time.
const MOST_LAYERS: usize = 8;

/// Leaves a page that is read, or what says that all is saved, for another screen and for what this one does: both take no
/// more than a few keys of their own.
pub(super) fn leave_what_is_read(model: &mut Model, said: &str, effects: &mut Vec<Effect>) {
    let is_page = matches!(model.layers.last().map(|overlay| &overlay.what), Some(What::Page(_)));
    let is_saved = model.layers.is_empty() && model.screens.shown == Screen::Steps && model.screens.steps.shows_saved();
    if !is_page && !is_saved {
        return;
    }
    let key = words::key(said).filter(|_| said.chars().count() == 1);
    let command = match key {
        Some(key) => model.shell.begin.keymap.command(Layer::Global, key).filter(|it| Screen::of(*it).is_some()),
        None => words::command_and_rest(model, said).map(|named| named.command),
    };
    let here = model.pane().layer().name();
    let is_elsewhere =
        |command: Command| Screen::of(command).is_some() || command.name().split('.').next() == Some(here);
    if !command.is_some_and(is_elsewhere) {
        return;
    }
    leave_layers(model, effects);
    if model.screens.steps.shows_saved() {
        run(model, Command::Back, effects);
    }
}

/// Leaves what lies over the screen without an answer.
pub(super) fn leave_layers(model: &mut Model, effects: &mut Vec<Effect>) {
    for _ in 0..MOST_LAYERS {
        if model.layers.is_empty() {
            return;
        }
        run(model, Command::Back, effects);
    }
}
