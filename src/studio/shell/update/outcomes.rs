//! A screen takes its turn, and what comes of it is done.

use std::sync::Arc;

use super::pictures::{open_picture, open_preview};
use crate::domain::{StoreUrl, text};
use crate::studio::ground::{Command, Context, Failure, Moment, NoticeKind, Remote, Screen, SwitchTo};
use crate::studio::screens::account;
use crate::studio::screens::pane::Input;
use crate::studio::screens::turn::{Outcome, Turn};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::{Answer, Overlay, Purpose};
use crate::studio::shell::signing;
use crate::studio::widgets::{Entry, Page, Picker, Question, Role};

/// Gives a screen what any screen can take, and does what comes of it; whether the screen knew what to do with it.
pub(super) fn give(model: &mut Model, effects: &mut Vec<Effect>, screen: Screen, input: Input) -> bool {
    let (context, now) = (context(model), model.shell.now);
    let taken = model.screens.of_mut(screen).take(input, now, context);
    model.shell.requests = taken.requests;
    effects.extend(taken.effects);
    settle(model, effects, taken.outcomes, taken.questions);
    taken.known
}

/// Lets a screen take a turn that only it can take. What it lays over itself comes to the front, whatever is shown.
pub(in crate::studio) fn take_turn<E, A>(
    model: &mut Model,
    effects: &mut Vec<Effect>,
    take: impl FnOnce(&mut Model, Moment, &mut Turn<E, A>),
) where
    Effect: From<E>,
    Overlay: From<Question<A>>,
{
    let mut turn = Turn::new(context(model));
    let now = model.shell.now;
    take(model, now, &mut turn);
    model.shell.requests = turn.context.requests;
    effects.extend(turn.effects.into_iter().map(Into::into));
    let questions = turn.questions.into_iter().map(Into::into).collect();
    settle(model, effects, turn.outcomes, questions);
}

pub(super) fn context(model: &Model) -> Context {
    Context {
        read_only: model.shell.begin.read_only.clone(),
        connected: matches!(model.shell.connection, Remote::Ready(_)),
        has_ffmpeg: model.shell.begin.has_ffmpeg,
        workspace: workspace(model),
        looked_at: model.layers.is_empty().then_some(model.screens.shown),
        profile: model.shell.begin.profile.clone(),
        store: model.shell.store.clone(),
        project: model.screens.steps.opened().map(|(id, _)| id.clone()),
        ssh: model.shell.begin.ssh.clone(),
        guest_port: model.shell.begin.guest.as_ref().map(|guest| guest.port),
        keymap: Arc::clone(&model.shell.begin.keymap),
        requests: model.shell.requests,
    }
}

/// Works in a store: its products are shown. What is shown of the one that is open already may be old by now.
pub(super) fn open_store(model: &mut Model, store: StoreUrl, effects: &mut Vec<Effect>) {
    if model.shell.store.as_ref().is_some_and(|open| open.is_same(&store)) {
        give(model, effects, Screen::Products, Input::Command(Command::Refresh));
        return;
    }
    model.shell.store = Some(store);
    take_turn(model, effects, |model, now, turn| model.screens.products.store_opened(now, turn));
}

/// What tells what is kept of this workspace from what is kept of others.
pub(super) fn workspace(model: &Model) -> String {
    match model.shell.connection.known() {
        // The local workspace is the same wherever it is served.
        _ if model.shell.begin.local => "local".to_owned(),
        Some(connected) => connected.base.clone(),
        None => String::new(),
    }
}

/// Does what came of a screen's turn.
fn settle(model: &mut Model, effects: &mut Vec<Effect>, outcomes: Vec<Outcome>, questions: Vec<Overlay>) {
    for outcome in outcomes {
        match outcome {
            Outcome::Notify(kind, words) => model.say(kind, words, effects),
            Outcome::Show(page) => model.lay_over(*page),
            Outcome::Copy(choices) => offer_copy(model, choices, effects),
            Outcome::Address(address) => open_address(model, address, effects),
            Outcome::CloseQuestions => {
                model.layers.retain(|overlay| !matches!(overlay.purpose, Purpose::Steps(_)));
            }
            Outcome::Quit => {
                model.shell.over = true;
                effects.push(Effect::Quit);
            }
            Outcome::Picture(title, address) => open_picture(model, title, address, effects),
            Outcome::Preview(film) => open_preview(model, *film, effects),
            Outcome::RetryPictures => model.shell.pictures.forget_faults(),
            Outcome::Go(screen) => go(model, screen, effects),
            Outcome::OpenProject(project, name) => {
                take_turn(model, effects, |model, now, turn| {
                    model.screens.steps.open(project, name, now, turn);
                });
                go(model, Screen::Steps, effects);
            }
            Outcome::NewProject(project) => {
                go(model, Screen::Projects, effects);
                take_turn(model, effects, |model, now, turn| {
                    model.screens.projects.make_of(*project, now, turn);
                });
            }
            Outcome::SignIn(profile) => signing::open(model, &profile),
            Outcome::Switch(to) => switch_to(model, to, effects),
            Outcome::Reopen => {
                let to = SwitchTo { profile: model.shell.begin.profile.clone(), store: None };
                signing::leave_for(model, account::Effect::Switch(to), effects);
            }
            Outcome::RenameOpen(to) => signing::leave_for(model, account::Effect::RenameOpen(to), effects),
            Outcome::Unauthorized => {
                let failure = Failure::new(
                    "Not signed in, or the service refused the credential (401). Press ‹go.account› for Account, then \
                     ‹account.sign_in› to sign in.",
                );
                model.say(NoticeKind::Error, failure.what, effects);
            }
        }
    }
    for question in questions {
        model.lay_over(question);
    }
}

/// Brings a screen to the front.
pub(super) fn go(model: &mut Model, screen: Screen, effects: &mut Vec<Effect>) {
    model.screens.shown = screen;
    if screen == Screen::Projects {
        effects.push(Effect::FindDrafts(workspace(model)));
    }
    give(model, effects, screen, Input::Shown);
}

pub(super) fn switch_to(model: &mut Model, to: SwitchTo, effects: &mut Vec<Effect>) {
    if let Some(store) = signing::switch(model, to, effects) {
        open_store(model, store, effects);
    }
}

fn offer_copy(model: &mut Model, choices: Vec<(&'static str, String)>, effects: &mut Vec<Effect>) {
    if let [(_, only)] = choices.as_slice() {
        effects.push(Effect::CopyText(only.clone()));
        return;
    }
    let options = choices.into_iter().map(|(what, text)| {
        let entry = Entry { label: what.to_owned(), detail: shortened(&text), ..Entry::default() };
        (Answer::Copy(text), entry)
    });
    model.lay_over(Question::choose(options, |entries| Picker::new("Copy", entries)));
}

/// The beginning of a text that is offered to be copied; that it goes on is seen.
fn shortened(text: &str) -> String {
    const MOST: usize = 100;
    let line = text::line(text);
    if line.chars().count() <= MOST {
        return line.into_owned();
    }
    line.chars().take(MOST - 1).chain(['…']).collect()
}

pub(super) fn open_address(model: &mut Model, address: String, effects: &mut Vec<Effect>) {
    let web = address.starts_with("https://") || address.starts_with("http://");
    if model.shell.begin.opens_addresses && web {
        effects.push(Effect::OpenAddress(address));
    } else {
        let lines = vec![(Role::Text, address.clone())];
        model.lay_over(Page::new("Address", lines, "‹app.copy› copies  Esc closes").with_copy(address));
    }
}
