//! What is entered in plain mode where text is asked for, or one of a list.

use super::commands::run;
use super::input::{paste, press, type_key};
use super::outcomes::give;
use crate::domain::text;
use crate::settings::{Key, KeyCode};
use crate::studio::ground::Command;
use crate::studio::screens::pane::{Entered, Input, Spoken};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::What;
use crate::studio::shell::plain::{self, words};
use crate::studio::widgets::Picker;

/// The list to choose from that is in front.
pub(super) fn picker(model: &Model) -> Option<&Picker> {
    match model.layers.last().map(|overlay| &overlay.what) {
        Some(What::Picker(picker)) => Some(picker),
        _ => None,
    }
}

/// The same, to choose in.
pub(super) fn picker_mut(model: &mut Model) -> Option<&mut Picker> {
    match model.layers.last_mut().map(|overlay| &mut overlay.what) {
        Some(What::Picker(picker)) => Some(picker),
        _ => None,
    }
}

/// Fills in what asks for text.
pub(super) fn take_text(model: &mut Model, line: &str, effects: &mut Vec<Effect>) -> Vec<String> {
    let said = line.trim();
    let literal = said.strip_prefix('=');
    if literal.is_none()
        && let Some(key) = words::key_that_is_no_text(said)
    {
        press(model, key, effects);
        return Vec::new();
    }
    let text = literal.unwrap_or(said);
    if picker(model).is_some() {
        return choose_said(model, said, effects);
    }
    let spoken = if model.layers.is_empty() { model.pane().spoken(model.shell.now) } else { Spoken::default() };
    let entry = spoken.entry;
    if said.is_empty() {
        // What the field says stays.
        let is_last = entry != Entered::Field && spoken.position.is_some_and(|(at, all)| at + 1 >= all);
        let goes_on = if entry == Entered::Line || is_last { Command::Open } else { Command::NextPane };
        run(model, goes_on, effects);
        return Vec::new();
    }
    match entry {
        Entered::Choice => {
            let named = words::key(said).filter(|key| is_named(model, *key));
            match named {
                Some(key) => press(model, key, effects),
                None if model.pane().mode().is_some() => run(model, Command::Mark, effects),
                None => type_key(model, Key::char(' '), effects),
            }
            let is_asked = named.is_none() && picker(model).is_some();
            return if is_asked { choose_said(model, said, effects) } else { Vec::new() };
        }
        Entered::Whole => {
            give(model, effects, model.screens.shown, Input::TextEdited(text::line(text).into_owned()));
            run(model, Command::NextPane, effects);
        }
        Entered::Field | Entered::Line => {
            let asked = (model.screens.shown, model.layers.len());
            type_key(model, Key::plain(KeyCode::End), effects);
            type_key(model, Key::ctrl('u'), effects);
            paste(model, text, effects);
            // A path that was pasted into a list of files is taken at once.
            if model.takes_text() && asked == (model.screens.shown, model.layers.len()) {
                run(model, if entry == Entered::Field { Command::NextPane } else { Command::Open }, effects);
            }
        }
    }
    Vec::new()
}

/// Whether the mode has a key that help names.
fn is_named(model: &Model, key: Key) -> bool {
    let (keymap, layers) = (&model.shell.begin.keymap, model.layers());
    model.pane().hints().iter().any(|hint| hint.keys(keymap, &layers).contains(&key.into()))
}

/// Chooses what a line names; behind `=` it is taken as it is, where the list allows that.
fn choose_said(model: &mut Model, said: &str, effects: &mut Vec<Effect>) -> Vec<String> {
    let literal = said.strip_prefix('=');
    if literal.is_some_and(|text| take_typed(model, text, effects)) {
        return Vec::new();
    }
    choose(model, literal.unwrap_or(said), effects).unwrap_or_else(|doubt| doubt)
}

/// Chooses a text as it is in the list that is in front; whether the list allows that.
pub(super) fn take_typed(model: &mut Model, text: &str, effects: &mut Vec<Effect>) -> bool {
    let is_taken = picker_mut(model).is_some_and(|picker| picker.take_typed(text));
    if is_taken {
        run(model, Command::Open, effects);
    }
    is_taken
}

/// Chooses the entry of a list that a text names; what is said of that.
///
/// # Errors
///
/// What is said where several may be meant, or none.
pub(super) fn choose(model: &mut Model, text: &str, effects: &mut Vec<Effect>) -> Result<Vec<String>, Vec<String>> {
    if text.is_empty() {
        run(model, Command::Open, effects);
        return Ok(Vec::new());
    }
    let Some(picker) = picker_mut(model) else { return Ok(Vec::new()) };
    let is_clear = picker.name(text);
    if is_clear && picker.mark() {
        let say = picker.current().map(|(label, is_marked)| {
            let not = if is_marked { "" } else { "not " };
            format!("{label} {not}selected")
        });
        picker.name("");
        return Ok(say.into_iter().collect());
    }
    if is_clear {
        run(model, Command::Open, effects);
        return Ok(Vec::new());
    }
    if !picker.has_found() {
        let goes_on = if picker.is_free() { "Enter takes it as it is" } else { "type another name" };
        return Err(vec![format!("“{text}” isn't in the list; {goes_on}, Esc cancels.")]);
    }
    let found = plain::rows(model, true);
    let say = match found.len() {
        1 => "One entry matches; type more of the name, or Enter for it.".to_owned(),
        many => format!("{many} match; type more of the name, or Enter for the current one."),
    };
    Err(std::iter::once(say).chain(found).collect())
}
