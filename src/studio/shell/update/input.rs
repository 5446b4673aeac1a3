//! Keys, pasted text and the mouse: what they name or type, given to whoever is in front.

use super::commands::{run, take_from_layer};
use super::outcomes::give;
use super::show_next_notice;
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, Layer, Mouse, MouseAction, NoticeKind};
use crate::studio::screens::pane::Input;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::notices::{Notice, READ_MS};
use crate::studio::shell::overlays::Came;
use crate::studio::shell::{hints, view};
use crate::studio::widgets::rows::notch;

pub(super) fn press(model: &mut Model, key: Key, effects: &mut Vec<Effect>) {
    // Whoever goes on does not want the screen filled by what they asked for before.
    effects.extend(model.shell.awaited_picture.take().map(Effect::Cancel));
    // An error stays until it was read: then the next key takes it away and does what it does.
    let screen = model.screens.shown;
    let now = model.shell.now;
    let was_read = |notice: &Notice| now.since(notice.at) >= READ_MS || key == Key::plain(KeyCode::Esc);
    let error = model.shell.notices.on(screen).filter(|notice| notice.kind == NoticeKind::Error);
    if error.is_some_and(was_read) {
        show_next_notice(model, effects);
    }
    let own = model.layers.last_mut().map_or(Came::NotTaken, |overlay| overlay.layer_mut().own_key(key));
    if own != Came::NotTaken {
        take_from_layer(model, own, effects);
        return;
    }
    let command = |model: &Model, key| {
        let keymap = &model.shell.begin.keymap;
        // A mode that owns the keys but takes no text leaves help its key.
        let help = || keymap.command(Layer::Global, key).filter(|it| *it == Command::Help && !model.takes_text());
        model.layers().iter().find_map(|layer| keymap.command(*layer, key)).or_else(help)
    };
    if key.alt && command(model, key).is_none() && !(model.is_typing() && is_word_motion(key)) {
        // Terminals send Alt as an escape before the key, so a quick Esc and a key look the same. Alt with a key that
        // nobody bound is taken for the two.
        press(model, Key::plain(KeyCode::Esc), effects);
        press(model, Key { alt: false, ..key }, effects);
        return;
    }
    match command(model, key) {
        Some(command) => run(model, command, effects),
        None => type_key(model, key, effects),
    }
}

/// Whether Alt with this key moves or deletes by words in a line of text.
fn is_word_motion(key: Key) -> bool {
    matches!(
        key.code,
        KeyCode::Char('b' | 'f' | 'd') | KeyCode::Backspace | KeyCode::Delete | KeyCode::Left | KeyCode::Right
    )
}

pub(super) fn type_key(model: &mut Model, key: Key, effects: &mut Vec<Effect>) {
    if let Some(overlay) = model.layers.last_mut() {
        let came = overlay.layer_mut().text_key(key);
        take_from_layer(model, came, effects);
    } else {
        give(model, effects, model.screens.shown, Input::Key(key));
    }
}

pub(super) fn paste(model: &mut Model, pasted: &str, effects: &mut Vec<Effect>) {
    if let Some(overlay) = model.layers.last_mut() {
        overlay.layer_mut().pasted(pasted);
    } else {
        give(model, effects, model.screens.shown, Input::Pasted(pasted));
    }
}

pub(super) fn take_mouse(model: &mut Model, mouse: Mouse, effects: &mut Vec<Effect>) {
    if mouse.y >= model.frame().hints.y {
        // A hint that is clicked presses its key.
        let hint = hints::places(model).into_iter().find(|hint| hint.place.contains(&mouse.x));
        if let Some(key) = hint.filter(|_| mouse.what == MouseAction::Press).and_then(|hint| hint.keys.first().copied())
        {
            press(model, key, effects);
        }
        if mouse.what == MouseAction::Press {
            return;
        }
    }
    if let Some(overlay) = model.layers.last_mut() {
        let came = match (notch(mouse.what), mouse.what) {
            (Some(by), _) => overlay.layer_mut().wheel(by, &model.shell.begin.keymap),
            (None, MouseAction::Press) => overlay.layer_mut().pressed(mouse.x, mouse.y),
            (None, _) => Came::Nothing,
        };
        take_from_layer(model, came, effects);
        return;
    }
    if mouse.y == 0 {
        if mouse.what == MouseAction::Press
            && let Some((screen, _)) = view::tab_places(model).into_iter().find(|(_, place)| place.contains(&mouse.x))
        {
            run(model, screen.command(), effects);
        }
    } else {
        give(model, effects, model.screens.shown, Input::Mouse(mouse));
    }
}
