//! Keys, pasted text and the mouse: what they name or type, given to whoever is in front.

use super::commands::{run, take_from_layer};
use super::outcomes::give;
use super::show_next_notice;
use super::{guests, own};
use crate::settings::{Chord, Key, KeyCode};
use crate::studio::ground::{Command, Found, Layer, Mouse, MouseAction, NoticeKind, Target};
use crate::studio::screens::pane::Input;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::notices::{Notice, READ_MS};
use crate::studio::shell::overlays::following::Following;
use crate::studio::shell::overlays::{Came, Overlay, Purpose, What};
use crate::studio::shell::{hints, view};
use crate::studio::widgets::rows::notch;

pub(super) fn press(model: &mut Model, key: Key, effects: &mut Vec<Effect>) {
    // An error stays until it was read: then the next key takes it away and does what it does.
    let screen = model.screens.shown;
    let now = model.shell.now;
    let was_read = |notice: &Notice| now.since(notice.at) >= READ_MS || key == Key::plain(KeyCode::Esc);
    let error = model.shell.notices.on(screen).filter(|notice| notice.kind == NoticeKind::Error);
    if error.is_some_and(was_read) {
        show_next_notice(model, effects);
    }
    if let Some(Overlay { what: What::Following(following), .. }) = model.layers.last() {
        let pressed = [following.pressed(), &[key]].concat();
        model.layers.pop();
        let is_bound = model.shell.begin.keymap.find(&model.layers(), &pressed) != Found::Nothing;
        if key.alt && !is_bound {
            // Esc and a key that arrived together: the one leaves the chord, the other does what it does.
            return press(model, Key { alt: false, ..key }, effects);
        }
        return go_on(model, pressed, effects);
    }
    let own = model.layers.last_mut().map_or(Came::NotTaken, |overlay| overlay.layer_mut().own_key(key));
    if own != Came::NotTaken {
        take_from_layer(model, own, effects);
        return;
    }
    let found = found(model, key);
    if key.alt && found == Found::Nothing && !(model.takes_text() && is_word_motion(key)) {
        // Terminals send Alt as an escape before the key, so a quick Esc and a key look the same. Alt with a key that
        // nobody bound is taken for the two.
        press(model, Key::plain(KeyCode::Esc), effects);
        press(model, Key { alt: false, ..key }, effects);
        return;
    }
    let elsewhere = if found == Found::Nothing { guests::pressed(model, key) } else { None };
    if let Some(say) = elsewhere {
        return model.say(NoticeKind::Hint, say, effects);
    }
    match found {
        Found::Nothing => type_key(model, key, effects),
        _ => go_on(model, vec![key], effects),
    }
}

/// Whether a mode has the keys that takes no text.
fn owns_keys(model: &Model) -> bool {
    model.layers.is_empty() && model.pane().mode().is_some()
}

/// What a key is bound to now.
fn found(model: &Model, key: Key) -> Found {
    let keymap = &model.shell.begin.keymap;
    match keymap.find(&model.layers(), &[key]) {
        // A mode that owns the keys but takes no text leaves help its key.
        Found::Nothing
            if (!model.takes_text() || owns_keys(model))
                && keymap.command(Layer::Global, key) == Some(Command::Help) =>
        {
            Found::Does(Target::Command(Command::Help))
        }
        found => found,
    }
}

/// Does what keys do that were pressed one after the other, or shows what may follow them. Nothing but a key ends the
/// waiting for one; what follows none of them, and isn't bound, does nothing.
fn go_on(model: &mut Model, pressed: Vec<Key>, effects: &mut Vec<Effect>) {
    let layers = model.layers();
    let found = match pressed.as_slice() {
        [key] => found(model, *key),
        keys => model.shell.begin.keymap.find(&layers, keys),
    };
    match found {
        Found::Does(Target::Command(command)) => run(model, command, effects),
        Found::Does(Target::Own(at)) => own::start(model, at, effects),
        Found::Begins => {
            let following = Following::of(pressed, &model.shell.begin.keymap, &layers);
            model.lay_over(Overlay::new(What::Following(following), Purpose::Nothing));
        }
        Found::Nothing if pressed.last() == Some(&Key::plain(KeyCode::Esc)) => {}
        Found::Nothing => {
            let ascii = model.shell.begin.ascii;
            let label: Vec<String> = pressed.iter().map(|key| key.label(ascii)).collect();
            model.say(NoticeKind::Hint, format!("{} isn't bound to a command.", label.join(" ")), effects);
        }
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
        let chord = hint.filter(|_| mouse.what == MouseAction::Press).and_then(|hint| hint.keys.first().cloned());
        for key in chord.iter().flat_map(Chord::keys) {
            press(model, *key, effects);
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
        match came {
            Came::Pressed(key) => press(model, key, effects),
            came => take_from_layer(model, came, effects),
        }
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
