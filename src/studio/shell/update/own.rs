//! Programs of the person's own, with what is current among their arguments.

use super::outcomes::context;
use crate::settings::PLACEHOLDERS;
use crate::studio::ground::{Command, NoticeKind};
use crate::studio::screens::pane::Input;
use crate::studio::screens::turn::Outcome;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::Answer;
use crate::studio::widgets::{Question, Role};

/// Runs a program of the person's own, or asks whether to.
pub(super) fn start(model: &mut Model, at: usize, effects: &mut Vec<Effect>) {
    let Some(own) = model.shell.begin.keymap.own(at).cloned() else { return };
    if model.shell.sharing.hand.is_some() {
        return model.say(NoticeKind::Hint, format!("{}: only the owner can do this.", own.title), effects);
    }
    if let Some(why) = &model.shell.begin.read_only {
        let say = format!("Refused: read-only ({why}). {} wasn't run.", own.title);
        return model.say(NoticeKind::Warning, say, effects);
    }
    let known = known(model);
    let value = |name: &str| known.iter().find(|(it, _)| *it == name).map(|(_, value)| value.clone());
    let run = match own.filled(value) {
        Ok(run) => run,
        Err(why) => return model.say(NoticeKind::Warning, format!("{} wasn't run: {why}.", own.title), effects),
    };
    if !own.ask {
        return begin(model, own.title, run, effects);
    }
    let words = vec![(Role::Text, "This program will be run, as you:".to_owned()), (Role::Accent, shown(&run))];
    let options = [(Answer::Leave, "Don't run it"), (Answer::RunOwn(own.title.clone(), run), "Run it")];
    model.lay_over(Question::decide(own.title, words, options));
}

/// Runs it now.
pub(super) fn begin(model: &mut Model, title: String, run: Vec<String>, effects: &mut Vec<Effect>) {
    model.say(NoticeKind::Hint, format!("Running {title}."), effects);
    effects.push(Effect::RunProgram { title, run });
}

/// It ended.
pub(super) fn ended(model: &mut Model, title: &str, ended: Result<String, String>, effects: &mut Vec<Effect>) {
    let (kind, words) = match ended {
        Ok(said) if said.is_empty() => (NoticeKind::Done, format!("{title}: done.")),
        Ok(said) => (NoticeKind::Done, format!("{title}: {said}")),
        Err(why) => (NoticeKind::Error, format!("{title} failed: {why}")),
    };
    model.say(kind, words, effects);
}

/// A command line as it would be typed: words with spaces are quoted, for people only.
fn shown(run: &[String]) -> String {
    let quoted = |word: &String| if word.contains(char::is_whitespace) { format!("'{word}'") } else { word.clone() };
    run.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// What the placeholders stand for here. What is current is what could be copied of it: asked of a copy of the screens.
fn known(model: &Model) -> Vec<(&'static str, String)> {
    let mut screens = model.screens.clone();
    let shown = screens.shown;
    let taken = screens.of_mut(shown).take(Input::Command(Command::Copy), model.shell.now, context(model));
    let copied = taken.outcomes.into_iter().find_map(|outcome| match outcome {
        Outcome::Copy(choices) => Some(choices),
        _ => None,
    });
    let copied = copied.unwrap_or_default();
    let first = |names: &[&str]| copied.iter().find(|(what, _)| names.contains(what)).map(|(_, text)| text.clone());
    let connected = model.shell.connection.known();
    PLACEHOLDERS
        .iter()
        .filter_map(|(name, _)| {
            let value = match *name {
                "id" => first(&["ID", "the step's ID", "request id"]),
                "address" => first(&["address", "Address", "player address", "the player's address"]),
                "project" => first(&["the project's ID"]),
                "store" => model.shell.store.as_ref().map(|store| store.as_str().to_owned()),
                "profile" => Some(model.shell.begin.profile.clone()),
                "service" => connected.map(|connected| connected.base.clone()),
                _ => None,
            };
            Some((*name, value?))
        })
        .collect()
}
