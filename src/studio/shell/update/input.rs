//! Keys, pasted text and the mouse: what they name or type, given to whoever is in front.

use super::commands::run;
use super::outcomes::give;
use super::overlays::{take_answer, take_pick};
use super::show_next_notice;
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, Mouse, MouseAction, NoticeKind};
use crate::studio::screens::pane::Input;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::Overlay;
use crate::studio::shell::{signing, view};
use crate::studio::widgets::select::notch;

pub(super) fn press(model: &mut Model, key: Key, effects: &mut Vec<Effect>) {
    // Whoever goes on does not want the screen filled by what they asked for before.
    effects.extend(model.shell.awaited_picture.take().map(Effect::Cancel));
    // An error stays until it was seen: the next key takes it away and does what it does.
    if model.shell.notices.current().is_some_and(|notice| notice.kind == NoticeKind::Error) {
        show_next_notice(model, effects);
    }
    // The digits before the answers of a question are its own, whatever they do elsewhere.
    let answer = match model.layers.last() {
        Some(Overlay::Confirm(confirm, _)) => confirm.key(key),
        _ => None,
    };
    if answer.is_some() {
        take_answer(model, answer, effects);
        return;
    }
    let command =
        |model: &Model, key| model.layers().iter().find_map(|layer| model.shell.begin.keymap.command(*layer, key));
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

fn type_key(model: &mut Model, key: Key, effects: &mut Vec<Effect>) {
    match model.layers.last_mut() {
        Some(Overlay::Help(help)) => help.key(key),
        Some(Overlay::Picker(picker, _)) => {
            let marked = key == Key::char(' ') && picker.mark();
            if !marked {
                picker.key(key);
            }
        }
        Some(Overlay::Prompt(prompt, _)) => prompt.key(key),
        Some(Overlay::SignIn(sign_in)) => effects.extend(sign_in.key(key)),
        Some(Overlay::Page(_) | Overlay::Confirm(..) | Overlay::LiveWrite(_) | Overlay::Preview(_)) => {}
        None => {
            give(model, effects, model.screens.shown, Input::Key(key));
        }
    }
}

pub(super) fn paste(model: &mut Model, pasted: &str, effects: &mut Vec<Effect>) {
    match model.layers.last_mut() {
        Some(Overlay::Picker(picker, _)) => picker.paste(pasted),
        Some(Overlay::Prompt(prompt, _)) => prompt.paste(pasted),
        Some(Overlay::Help(help)) => help.paste(pasted),
        Some(Overlay::SignIn(sign_in)) => sign_in.paste(pasted),
        Some(Overlay::Page(_) | Overlay::Confirm(..) | Overlay::LiveWrite(_) | Overlay::Preview(_)) => {}
        None => {
            give(model, effects, model.screens.shown, Input::Pasted(pasted));
        }
    }
}

pub(super) fn take_mouse(model: &mut Model, mouse: Mouse, effects: &mut Vec<Effect>) {
    if matches!(mouse.what, MouseAction::Drag | MouseAction::Release) && !model.layers.is_empty() {
        return;
    }
    if let Some(overlay) = model.layers.last_mut() {
        match (overlay, notch(mouse.what)) {
            (Overlay::Help(help), Some(by)) => help.wheel(by, &model.shell.begin.keymap),
            (Overlay::Page(page), Some(by)) => page.wheel(by),
            (Overlay::Picker(picker, _), Some(by)) => picker.wheel(by),
            (Overlay::Confirm(confirm, _) | Overlay::LiveWrite(confirm), Some(by)) => confirm.wheel(by),
            (Overlay::Prompt(..) | Overlay::SignIn(_), Some(_)) => {}
            (Overlay::Preview(_), Some(by)) => {
                run(model, if by < 0 { Command::Up } else { Command::Down }, effects);
            }
            (Overlay::Picker(picker, _), None) if picker.covers(mouse.x, mouse.y) => {
                let choice = picker.press(mouse.x, mouse.y);
                take_pick(model, choice, effects);
            }
            (Overlay::Confirm(confirm, _), None) if confirm.press(mouse.x, mouse.y).is_some() => {
                let answer = confirm.press(mouse.x, mouse.y);
                take_answer(model, answer, effects);
            }
            (Overlay::LiveWrite(confirm), None) if confirm.press(mouse.x, mouse.y).is_some() => {
                let answer = confirm.press(mouse.x, mouse.y);
                signing::answer_write(model, answer, effects);
            }
            // A stray press does not throw away a sign-in.
            (Overlay::SignIn(_), None) => {}
            (_, None) => run(model, Command::Back, effects),
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
