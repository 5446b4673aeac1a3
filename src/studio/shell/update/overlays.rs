//! What lies over the screen: laid there, given its commands, and its answers taken.

use super::commands::run;
use super::outcomes::{give, open_address, open_store};
use super::{notice_role, recording};
use crate::domain::{StoreUrl, text};
use crate::studio::ground::{Command, Layer, NoticeKind, SwitchTo};
use crate::studio::screens::pane::Input;
use crate::studio::screens::turn::Choice;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::{Came, Overlay, Purpose, What};
use crate::studio::shell::signing;
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{Entry, Page, Picker, Role};

/// Lays something over the screen.
pub(super) fn lay_over(model: &mut Model, overlay: impl Into<Overlay>) {
    let mut overlay = overlay.into();
    overlay.layer_mut().resize(model.shell.size.0, model.shell.size.1);
    model.layers.push(overlay);
}

/// Runs a command on what lies over the screen; whether it was for that.
pub(super) fn run_over(model: &mut Model, command: Command, effects: &mut Vec<Effect>) -> bool {
    let Some(overlay) = model.layers.last_mut() else { return false };
    let came = match command {
        Command::Suspend | Command::Redraw => return false,
        Command::Back | Command::Quit => overlay.layer_mut().back(),
        command => overlay.layer_mut().take(command, &model.shell.begin.keymap),
    };
    take_from_layer(model, came, effects);
    true
}

/// Does what came of what the uppermost layer was given.
pub(super) fn take_from_layer(model: &mut Model, came: Came, effects: &mut Vec<Effect>) {
    match came {
        Came::Nothing | Came::NotTaken => {}
        Came::Effects(more) => effects.extend(more),
        Came::Hint(words) => model.say(NoticeKind::Hint, words.to_owned(), effects),
        Came::Address(address) => open_address(model, address, effects),
        Came::Answered(choice) => {
            if let Some(overlay) = model.layers.pop() {
                answer(model, overlay.purpose, choice, effects);
            }
        }
        Came::Left(more) => {
            effects.extend(more);
            match model.layers.pop().map(|overlay| overlay.purpose) {
                Some(Purpose::Screen(screen)) => model.screens.of_mut(screen).dismissed(),
                // Nothing said is a no.
                Some(Purpose::LiveWrite) => effects.push(signing::write_answer(None)),
                _ => {}
            }
        }
    }
}

/// Takes the answer of a layer.
fn answer(model: &mut Model, purpose: Purpose, choice: Choice, effects: &mut Vec<Effect>) {
    let one = choice.one;
    match purpose {
        Purpose::Nothing => {}
        Purpose::Palette(commands, switches) => {
            let Some(at) = one else { return };
            match commands.get(at) {
                Some(command) => run(model, *command, effects),
                None => switch_to(model, switches.get(at - commands.len()).cloned(), effects),
            }
        }
        Purpose::Switch(switches) => switch_to(model, one.and_then(|at| switches.get(at).cloned()), effects),
        Purpose::Theme(names) => effects.extend(one.and_then(|at| names.get(at).cloned()).map(Effect::ReadTheme)),
        Purpose::Store(stores) => {
            let chosen = one.and_then(|at| stores.get(at).cloned());
            let typed = choice.typed.map(|typed| StoreUrl::from(typed).known_as(stores.iter()));
            if let Some(store) = chosen.or(typed) {
                open_store(model, store, effects);
            }
        }
        Purpose::Copy(texts) => effects.extend(one.and_then(|at| texts.get(at).cloned()).map(Effect::CopyText)),
        Purpose::Screen(screen) => {
            give(model, effects, screen, Input::Chosen(choice));
        }
        Purpose::Recording => recording::save(model, choice.typed.unwrap_or_default(), effects),
        Purpose::LiveWrite => effects.push(signing::write_answer(one)),
    }
}

pub(super) fn switch_to(model: &mut Model, to: Option<SwitchTo>, effects: &mut Vec<Effect>) {
    let Some(to) = to else { return };
    if let Some(store) = signing::switch(model, to, effects) {
        open_store(model, store, effects);
    }
}

pub(super) fn open_palette(model: &mut Model) {
    // The commands of the other screens can't be given here.
    let own = model.pane().layer();
    let here = |command: &Command| {
        let of = command.name().split('.').next().unwrap_or_default();
        let elsewhere = Layer::OUTSIDE_TEXT.iter().any(|layer| layer.name() == of && *layer != own);
        *command != Command::Palette && !elsewhere && model.shell.begin.keymap.offers(*command)
    };
    let commands: Vec<Command> = Command::ALL.iter().copied().filter(here).collect();
    let entries: Vec<Entry> = commands
        .iter()
        .map(|command| Entry {
            label: command.title().to_owned(),
            detail: if model.shell.begin.read_only.is_some() && Command::WRITES.contains(command) {
                format!("Read-only here. {}", command.about())
            } else {
                command.about().to_owned()
            },
            right: model
                .shell
                .begin
                .keymap
                .first_key(*command)
                .map(|key| key.label(model.shell.begin.ascii))
                .unwrap_or_default(),
        })
        .collect();
    // One line goes to any store of any profile.
    let (places, switches) = signing::switches(model);
    let places = places.into_iter().map(|place| Entry { label: format!("Go to {}", place.label), ..place });
    let picker = Picker::new("Commands", entries.into_iter().chain(places).collect());
    lay_over(model, Overlay::new(What::Picker(picker), Purpose::Palette(commands, switches)));
}

pub(super) fn open_notices(model: &mut Model) {
    let mut lines: Vec<(Role, String)> = model
        .shell
        .notices
        .past
        .iter()
        .rev()
        .map(|notice| (notice_role(notice.kind), format!("{:>6}  {}", ago(model.shell.now, notice.at), notice.text)))
        .collect();
    if lines.is_empty() {
        lines.push((Role::Dim, "No notices yet. Messages of this session are listed here.".to_owned()));
    }
    lay_over(model, Page::new("Notices", lines, "Esc closes"));
}

pub(super) fn open_themes(model: &mut Model) {
    let names = model.shell.begin.themes.clone();
    let at = names.iter().position(|name| *name == model.shell.theme.name).unwrap_or(0);
    let entries = names.iter().map(|name| Entry { label: name.clone(), ..Entry::default() }).collect();
    lay_over(model, Overlay::new(What::Picker(Picker::new("Theme", entries).with_selected(at)), Purpose::Theme(names)));
}

pub(super) fn open_stores(model: &mut Model, effects: &mut Vec<Effect>) {
    let mut stores: Vec<StoreUrl> = model.shell.connection.known().map(|c| c.stores.clone()).unwrap_or_default();
    stores.extend(model.shell.store.clone().filter(|store| !stores.contains(store)));
    if model.shell.connection.known().is_none() {
        model.say(NoticeKind::Hint, "Not connected to a service yet.".to_owned(), effects);
        return;
    }
    let at = stores.iter().position(|store| Some(store) == model.shell.store.as_ref()).unwrap_or(0);
    let entries = stores
        .iter()
        .map(|store| Entry { label: text::line(store.as_str()).into_owned(), ..Entry::default() })
        .collect();
    lay_over(
        model,
        Overlay::new(
            What::Picker(Picker::new("Store: choose, or type an address", entries).with_selected(at).with_free_text()),
            Purpose::Store(stores),
        ),
    );
}
