//! What is said of what was copied: no terminal tells whether its clipboard took it, so the text is shown as well.

use super::overlays::renew_notices;
use crate::domain::text;
use crate::studio::ground::NoticeKind;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::hints::fits;
use crate::studio::shell::model::Model;
use crate::studio::shell::state::Sent;
use crate::studio::widgets::{Page, Role};

/// Remembers the text that is being copied.
pub(super) fn note(model: &mut Model, effects: &[Effect]) {
    for effect in effects {
        match effect {
            Effect::CopyText(text) => model.shell.sent = Sent::Text(text.clone()),
            Effect::CopySignIn(address) => model.shell.sent = Sent::SignIn(address.clone()),
            Effect::CopySecret(_) => model.shell.sent = Sent::Secret,
            _ => continue,
        }
        model.shell.notices.copying();
    }
}

/// It was sent.
pub(super) fn copied(model: &mut Model, bytes: usize, effects: &mut Vec<Effect>) {
    model.shell.notices.copied();
    let text = match std::mem::replace(&mut model.shell.sent, Sent::Secret) {
        Sent::Text(text) => text,
        // Whoever watches reads what is said here.
        sent => {
            let what = if sent == Sent::Secret { "secret" } else { "address" };
            let say = format!("Sent the {what} to your terminal's clipboard ({bytes} bytes).");
            return model.say(NoticeKind::Done, say, effects);
        }
    };
    let say = format!("Sent to your terminal: {text}");
    if model.shell.sharing.code.is_some_and(|code| code.to_string() == text) {
        // Whoever watches already sees what is said here.
        model.say(NoticeKind::Done, "Sent the code to your terminal's clipboard.".to_owned(), effects);
    } else if text.contains('\n') || !fits(&text::line(&say), model.shell.size.0, model.shell.ink()) {
        model.say(NoticeKind::Done, format!("Sent {bytes} bytes to your terminal's clipboard."), effects);
        // What is open may show it already, and is what one works with.
        if model.layers.is_empty() {
            show(model, "Sent to your terminal", text);
        }
    } else {
        model.say(NoticeKind::Done, say, effects);
    }
}

/// The terminal is not known to have a clipboard.
pub(super) fn not_copied(model: &mut Model, effects: &mut Vec<Effect>) {
    model.shell.notices.copied();
    match std::mem::replace(&mut model.shell.sent, Sent::Secret) {
        Sent::Text(text) if model.layers.is_empty() => show(model, "Copy this by hand", text),
        Sent::SignIn(address) => {
            let say = format!("This terminal has no known clipboard. Copy the address by hand: {address}");
            model.say(NoticeKind::Warning, say, effects);
            model.shell.notices.is_for_owner();
            renew_notices(model);
        }
        Sent::Text(_) => {
            let say = "This terminal has no known clipboard. Copy the text by hand.";
            model.say(NoticeKind::Warning, say.to_owned(), effects);
        }
        Sent::Secret => {
            let say = "This terminal has no known clipboard. `cutaway webhooks secret ID` prints the secret.";
            model.say(NoticeKind::Warning, say.to_owned(), effects);
        }
    }
}

fn show(model: &mut Model, title: &'static str, text: String) {
    let lines = text.split('\n').map(|line| (Role::Text, text::line(line).into_owned())).collect();
    model.lay_over(Page::new(title, lines, "‹app.copy› copies again  Esc closes").with_copy(text));
}
