//! Programs of the person's own, with what is current among their arguments.

use url::Url;

use super::outcomes::context;
use crate::domain::text::is_hostile;
use crate::settings::PLACEHOLDERS;
use crate::studio::ground::{Command, NoticeKind};
use crate::studio::screens::pane::Input;
use crate::studio::screens::turn::Outcome;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::{Answer, What};
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
    if is_running(model, &own.title, effects) {
        return;
    }
    // Whoever names a program in plain mode doesn't go on with the keys before it.
    model.layers.pop_if(|overlay| matches!(overlay.what, What::Following(_)));
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
    if is_running(model, &title, effects) {
        return;
    }
    model.say(NoticeKind::Hint, format!("Running {title}."), effects);
    model.shell.programs.insert(title.clone());
    effects.push(Effect::RunProgram { title, run });
}

/// Whether it runs already, which is said then: a key that is held down starts it once.
fn is_running(model: &mut Model, title: &str, effects: &mut Vec<Effect>) -> bool {
    let runs = model.shell.programs.contains(title);
    if runs {
        model.say(NoticeKind::Hint, format!("{title} is still running."), effects);
    }
    runs
}

/// It ended.
pub(super) fn ended(model: &mut Model, title: &str, ended: Result<String, String>, effects: &mut Vec<Effect>) {
    model.shell.programs.remove(title);
    let (kind, words) = match ended {
        Ok(said) if said.is_empty() => (NoticeKind::Done, format!("{title}: done.")),
        Ok(said) => (NoticeKind::Done, format!("{title}: {said}")),
        Err(why) => (NoticeKind::Error, format!("{title} failed: {why}")),
    };
    model.say(kind, words, effects);
}

/// A command line as it would be typed into a shell, so that it shows where each argument begins and ends: for people only.
fn shown(run: &[String]) -> String {
    let is_plain =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./:=@,+%".contains(c));
    let quoted =
        |word: &String| if is_plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', "'\\''")) };
    run.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// An address of the web, as it was read: others would have a program open files or run code.
fn of_web(address: String) -> Option<String> {
    let url = Url::parse(&address).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())?;
    (!address.chars().any(is_hostile)).then(|| url.to_string())
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
                "address" => first(&["address", "Address", "player address", "the player's address"]).and_then(of_web),
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
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_passed_on() {
        let of = |address: &str| of_web(address.to_owned());
        assert_eq!(of("https://shop.example/a b").as_deref(), Some("https://shop.example/a%20b"));
        for odd in
            ["javascript:alert(1)", "file:///etc/passwd", "--help", "/etc/passwd", "https://a.example/\u{1b}[2J", ""]
        {
            assert_eq!(of(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn a_line_shows_where_each_argument_begins_and_ends() {
        let words = ["erp", "--id=a/b", "x' --force '", "", "$(id)"].map(str::to_owned);
        assert_eq!(shown(&words), r"erp --id=a/b 'x'\'' --force '\''' '' '$(id)'");
    }
}
