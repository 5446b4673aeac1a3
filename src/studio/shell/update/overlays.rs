//! What lies over the screen: laid there, given its commands, and its answers taken.

use std::sync::Arc;

use super::commands::run;
use super::outcomes::{give, open_address, open_store};
use super::{notice_role, recording};
use crate::domain::{StoreUrl, text};
use crate::studio::ground::{Command, Layer, NoticeKind, SwitchTo};
use crate::studio::screens::pane::Input;
use crate::studio::screens::turn::Choice;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::preview::Said;
use crate::studio::shell::overlays::{Asker, Overlay, Purpose};
use crate::studio::shell::signing;
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{Entry, Page, Picked, Picker, Role};

pub(super) fn size_overlay(overlay: &mut Overlay, width: u16, height: u16) {
    match overlay {
        Overlay::Help(help) => help.resize(width, height),
        Overlay::Page(page) => page.resize(width, height),
        Overlay::Picker(picker, _) => picker.resize(width, height),
        Overlay::Prompt(prompt, _) => prompt.resize(width, height),
        Overlay::Confirm(confirm, _) | Overlay::LiveWrite(confirm) => confirm.resize(width, height),
        Overlay::SignIn(sign_in) => sign_in.resize(width, height),
        Overlay::Preview(preview) => preview.resize(width, height),
    }
}

pub(super) fn lay_over(model: &mut Model, mut overlay: Overlay) {
    size_overlay(&mut overlay, model.shell.size.0, model.shell.size.1);
    model.layers.push(overlay);
}

/// Runs a command on what lies over the screen; whether it was for that.
pub(super) fn run_over(model: &mut Model, command: Command, effects: &mut Vec<Effect>) -> bool {
    match command {
        Command::Back | Command::Quit if matches!(model.layers.last(), Some(Overlay::LiveWrite(_))) => {
            signing::answer_write(model, None, effects);
            return true;
        }
        Command::Back | Command::Quit if matches!(model.layers.last(), Some(Overlay::SignIn(_))) => {
            if let Some(Overlay::SignIn(sign_in)) = model.layers.last_mut() {
                let (closed, told) = sign_in.back();
                effects.extend(told);
                if closed {
                    model.layers.pop();
                }
            }
            return true;
        }
        Command::Back | Command::Quit => {
            let of = match model.layers.pop() {
                Some(
                    Overlay::Picker(_, Purpose::Screen(screen))
                    | Overlay::Prompt(_, Asker::Screen(screen))
                    | Overlay::Confirm(_, screen),
                ) => Some(screen),
                _ => None,
            };
            if let Some(screen) = of {
                model.screens.of_mut(screen).dismissed();
            }
            return true;
        }
        Command::Suspend | Command::Redraw => return false,
        _ => {}
    }
    let keymap = Arc::clone(&model.shell.begin.keymap);
    match model.layers.last_mut() {
        Some(Overlay::Help(help)) => help.command(command, &keymap),
        Some(Overlay::Page(page)) => match page.text_to_copy().filter(|_| command == Command::Copy) {
            Some(text) => effects.push(Effect::CopyText(text.to_owned())),
            None => page.command(command),
        },
        Some(Overlay::Picker(picker, _)) => {
            let choice = picker.command(command);
            take_pick(model, choice, effects);
        }
        Some(Overlay::Prompt(prompt, Asker::Recording)) if command == Command::Open => {
            let file = prompt.text().to_owned();
            model.layers.pop();
            recording::save(model, file, effects);
        }
        Some(Overlay::Prompt(prompt, Asker::Screen(screen))) if command == Command::Open => {
            let (screen, choice) = (*screen, Choice { typed: Some(prompt.text().to_owned()), ..Choice::default() });
            model.layers.pop();
            give(model, effects, screen, Input::Chosen(choice));
        }
        Some(Overlay::Confirm(confirm, _)) => {
            let answer = confirm.command(command);
            take_answer(model, answer, effects);
        }
        Some(Overlay::LiveWrite(confirm)) => {
            if let Some(answer) = confirm.command(command) {
                signing::answer_write(model, Some(answer), effects);
            }
        }
        Some(Overlay::SignIn(sign_in)) => effects.extend(sign_in.command(command)),
        Some(Overlay::Preview(preview)) => match preview.command(command) {
            Said::Nothing => {}
            Said::Hint(words) => model.say(NoticeKind::Hint, words.to_owned(), effects),
            Said::Address(address) => open_address(model, address, effects),
        },
        Some(Overlay::Prompt(..)) | None => {}
    }
    true
}

/// Takes the answer to the question that lies over the screen, where one was given.
pub(super) fn take_answer(model: &mut Model, answer: Option<usize>, effects: &mut Vec<Effect>) {
    let Some(one) = answer else { return };
    let Some(Overlay::Confirm(_, screen)) = model.layers.pop() else { return };
    let choice = Choice { one: Some(one), ..Choice::default() };
    give(model, effects, screen, Input::Chosen(choice));
}

pub(super) fn take_pick(model: &mut Model, choice: Picked, effects: &mut Vec<Effect>) {
    if choice == Picked::Nothing {
        return;
    }
    let Some(Overlay::Picker(picker, purpose)) = model.layers.pop() else { return };
    let (one, typed) = match choice {
        Picked::One(entry) => (Some(entry), None),
        Picked::Typed(text) => (None, Some(text)),
        Picked::Nothing => (None, None),
    };
    match purpose {
        Purpose::Palette(commands, switches) => {
            let Some(at) = one else { return };
            match commands.get(at) {
                Some(command) => run(model, *command, effects),
                None => switch_to(model, switches.get(at - commands.len()).cloned(), effects),
            }
        }
        Purpose::Switch(switches) => switch_to(model, one.and_then(|at| switches.get(at).cloned()), effects),
        Purpose::Theme(names) => {
            effects.extend(one.and_then(|at| names.get(at).cloned()).map(Effect::ReadTheme));
        }
        Purpose::Store(stores) => {
            let chosen = one.and_then(|at| stores.get(at).cloned());
            let typed = typed.map(|typed| StoreUrl::from(typed).known_as(stores.iter()));
            if let Some(store) = chosen.or(typed) {
                open_store(model, store, effects);
            }
        }
        Purpose::Copy(texts) => {
            effects.extend(one.and_then(|at| texts.get(at).cloned()).map(Effect::CopyText));
        }
        Purpose::Screen(screen) => {
            let choice = Choice { marked: picker.marked(), one, typed };
            give(model, effects, screen, Input::Chosen(choice));
        }
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
        *command != Command::Palette && !elsewhere && model.begin.keymap.offers(*command)
    };
    let commands: Vec<Command> = Command::ALL.iter().copied().filter(here).collect();
    let entries: Vec<Entry> = commands
        .iter()
        .map(|command| Entry {
            label: capital(command.title()),
            detail: if model.shell.begin.read_only.is_some() && Command::WRITES.contains(command) {
                format!("Refused here: read-only. {}", command.about())
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
    lay_over(model, Overlay::Picker(picker, Purpose::Palette(commands, switches)));
}

fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
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
        lines.push((Role::Dim, "Nothing was said yet. What the studio tells you is kept here.".to_owned()));
    }
    lay_over(model, Overlay::Page(Page::new("Notices", lines, "Esc closes")));
}

pub(super) fn open_themes(model: &mut Model) {
    let names = model.shell.begin.themes.clone();
    let at = names.iter().position(|name| *name == model.shell.theme.name).unwrap_or(0);
    let entries = names.iter().map(|name| Entry { label: name.clone(), ..Entry::default() }).collect();
    lay_over(model, Overlay::Picker(Picker::new("Theme", entries).with_selected(at), Purpose::Theme(names)));
}

pub(super) fn open_stores(model: &mut Model, effects: &mut Vec<Effect>) {
    let mut stores: Vec<StoreUrl> = model.shell.connection.known().map(|c| c.stores.clone()).unwrap_or_default();
    stores.extend(model.shell.store.clone().filter(|store| !stores.contains(store)));
    if model.shell.connection.known().is_none() {
        model.say(NoticeKind::Hint, "There is no connection to a service yet.".to_owned(), effects);
        return;
    }
    let at = stores.iter().position(|store| Some(store) == model.shell.store.as_ref()).unwrap_or(0);
    let entries = stores
        .iter()
        .map(|store| Entry { label: text::line(store.as_str()).into_owned(), ..Entry::default() })
        .collect();
    lay_over(
        model,
        Overlay::Picker(
            Picker::new("Store: choose, or type an address", entries).with_selected(at).with_free_text(),
            Purpose::Store(stores),
        ),
    );
}
