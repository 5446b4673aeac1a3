//! What is typed where no journal has it, followed as it is typed.

use crate::studio::ground::{NoticeKind, Screen};
use crate::studio::screens::steps::Steps;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::{Purpose, What};
use crate::studio::shell::typing::Typed;

/// Takes what is typed as it stands; what an earlier studio left is put where it was typed.
pub(super) fn follow(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(now) = open(model) else {
        model.shell.typing.open = None;
        return;
    };
    let typing = &mut model.shell.typing;
    if let Some((known, _)) = typing.open.as_mut().filter(|(known, _)| known.is_of(&now)) {
        known.text = now.text;
        return;
    }
    let before = now.text.clone();
    let earlier = typing.earlier.take_if(|earlier| earlier.is_of(&now));
    if let Some(earlier) = &earlier {
        put(model, &earlier.text);
        model.say(NoticeKind::Hint, "Restored what you were typing.".to_owned(), effects);
    }
    model.shell.typing.open = Some((earlier.unwrap_or(now), before));
}

/// Takes what an earlier studio left, and says so.
pub(super) fn take_up(model: &mut Model, earlier: Option<Typed>, effects: &mut Vec<Effect>) {
    if let Some(Typed { screen, title, text }) = &earlier {
        let say = format!("You were typing \"{text}\" in {screen}: {title}. It is there again when you go on.");
        model.say(NoticeKind::Hint, say, effects);
    }
    model.shell.typing.earlier = earlier;
}

/// The text that is typed into, where what is typed there is kept.
fn open(model: &Model) -> Option<Typed> {
    let prompt = model.layers.iter().rev().find_map(|overlay| match (&overlay.what, &overlay.purpose) {
        (What::Prompt(_), Purpose::Steps(answers)) if answers.typed().is_some_and(Steps::keeps_line) => None,
        (What::Prompt(prompt), _) if !prompt.is_fleeting() => Some((prompt.title(), prompt.text())),
        _ => None,
    });
    let form = || Some(("New webhook", model.screens.webhooks.new_address()?));
    let (title, text) = prompt.or_else(|| form().filter(|_| model.screens.shown == Screen::Webhooks))?;
    let screen = model.screens.shown.title().to_owned();
    Some(Typed { screen, title: title.to_owned(), text: text.to_owned() })
}

/// Puts a text where one is typed.
fn put(model: &mut Model, text: &str) {
    let prompt = model.layers.iter_mut().rev().find_map(|overlay| match &mut overlay.what {
        What::Prompt(prompt) => Some(prompt),
        _ => None,
    });
    match prompt {
        Some(prompt) => prompt.retype(text),
        None => model.screens.webhooks.retype_address(text),
    }
}
