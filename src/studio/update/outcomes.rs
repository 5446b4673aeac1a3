//! A screen takes its turn, and what comes of it is done.

use super::commands::go;
use super::overlays::{lay_over, switch_to};
use super::pictures::{fetch_picture, open_preview};
use crate::domain::text;
use crate::studio::effect::Effect;
use crate::studio::event::{Failure, Moment};
use crate::studio::model::{Model, NoticeKind};
use crate::studio::overlays::page::Page;
use crate::studio::overlays::picker::{Entry, Picker};
use crate::studio::overlays::{Asker, Overlay, Purpose};
use crate::studio::pane::Pane;
use crate::studio::remote::Remote;
use crate::studio::screens::Screen;
use crate::studio::screens::account::{self, SwitchTo};
use crate::studio::signing;
use crate::studio::turn::{Outcome, Turn};
use crate::studio::widgets::Role;

/// Lets one screen take its turn as any screen can, and does what comes of it.
pub(super) fn on_pane(
    model: &mut Model,
    effects: &mut Vec<Effect>,
    screen: Screen,
    take: impl FnOnce(&mut dyn Pane, Moment, &mut Turn),
) {
    let mut turn = turn_of(model);
    let now = model.now;
    take(model.pane_of_mut(screen), now, &mut turn);
    settle(model, effects, screen, turn);
}

/// Lets a screen take a turn that only it can take. What it lays over itself comes to the front, whatever is shown.
pub(super) fn take_turn(
    model: &mut Model,
    effects: &mut Vec<Effect>,
    screen: Screen,
    take: impl FnOnce(&mut Model, Moment, &mut Turn),
) {
    let mut turn = turn_of(model);
    let now = model.now;
    take(model, now, &mut turn);
    settle(model, effects, screen, turn);
}

fn turn_of(model: &Model) -> Turn {
    Turn {
        read_only: model.begin.read_only.clone(),
        connected: matches!(model.connection, Remote::Ready(_)),
        has_ffmpeg: model.begin.has_ffmpeg,
        workspace: workspace(model),
        profile: model.begin.profile.clone(),
        store: model.products.store.clone(),
        ..Turn::default()
    }
}

/// What tells what is kept of this workspace from what is kept of others.
pub(super) fn workspace(model: &Model) -> String {
    match model.connection.known() {
        // The local workspace is the same wherever it is served.
        _ if model.begin.local => "local".to_owned(),
        Some(connected) => connected.base.clone(),
        None => String::new(),
    }
}

/// Does what came of a screen's turn.
fn settle(model: &mut Model, effects: &mut Vec<Effect>, screen: Screen, mut turn: Turn) {
    effects.append(&mut turn.effects);
    for outcome in turn.outcomes {
        match outcome {
            Outcome::Notify(kind, words) => model.say(kind, words, effects),
            Outcome::Ask(prompt) => lay_over(model, Overlay::Prompt(*prompt, Asker::Screen(screen))),
            Outcome::Choose(picker) => lay_over(model, Overlay::Picker(*picker, Purpose::Screen(screen))),
            Outcome::Confirm(confirm) => lay_over(model, Overlay::Confirm(*confirm, screen)),
            Outcome::Show(page) => lay_over(model, Overlay::Page(*page)),
            Outcome::Copy(choices) => offer_copy(model, choices, effects),
            Outcome::Address(address) => open_address(model, address, effects),
            Outcome::Quit => {
                model.over = true;
                effects.push(Effect::Quit);
            }
            Outcome::Picture(address) => fetch_picture(model, address, effects),
            Outcome::Preview(film) => open_preview(model, *film, effects),
            Outcome::RetryPictures => model.pictures.forget_faults(),
            Outcome::Go(screen) => go(model, screen, effects),
            Outcome::OpenProject(project, name) => {
                take_turn(model, effects, Screen::Steps, |model, now, turn| model.steps.open(project, name, now, turn));
                go(model, Screen::Steps, effects);
            }
            Outcome::NewProject(project) => {
                go(model, Screen::Projects, effects);
                take_turn(model, effects, Screen::Projects, |model, now, turn| {
                    model.projects.make_of(*project, now, turn);
                });
            }
            Outcome::SignIn(profile) => signing::open(model, &profile),
            Outcome::Switch(to) => switch_to(model, Some(to), effects),
            Outcome::Reopen => {
                let to = SwitchTo { profile: model.begin.profile.clone(), store: None };
                signing::leave_for(model, account::Effect::Switch(to), effects);
            }
            Outcome::RenameOpen(to) => signing::leave_for(model, account::Effect::RenameOpen(to), effects),
            Outcome::Unauthorized => {
                let failure = Failure::new(
                    "Nobody is signed in, or the service refused the credential (401). Account (5) shows which one is in use; s there signs in.",
                );
                model.say(NoticeKind::Error, failure.what, effects);
            }
        }
    }
}

fn offer_copy(model: &mut Model, choices: Vec<(&'static str, String)>, effects: &mut Vec<Effect>) {
    if let [(_, only)] = choices.as_slice() {
        effects.push(Effect::CopyText(only.clone()));
        return;
    }
    let entries = choices
        .iter()
        .map(|(what, text)| {
            let short: String = text.chars().take(60).collect();
            Entry { label: (*what).to_owned(), detail: text::line(&short).into_owned(), ..Entry::default() }
        })
        .collect();
    let texts = choices.into_iter().map(|(_, text)| text).collect();
    lay_over(model, Overlay::Picker(Picker::new("Copy", entries), Purpose::Copy(texts)));
}

pub(super) fn open_address(model: &mut Model, address: String, effects: &mut Vec<Effect>) {
    let web = address.starts_with("https://") || address.starts_with("http://");
    if model.begin.opens_addresses && web {
        effects.push(Effect::OpenAddress(address));
    } else {
        let lines = vec![(Role::Text, address.clone())];
        lay_over(model, Overlay::Page(Page::new("Address", lines, "y copies  Esc closes").with_copy(address)));
    }
}
