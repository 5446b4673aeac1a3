//! A command is done: by what lies over the screen, by the studio, or by the screen that is shown. What is answered to a
//! question may be a command in its turn.

use serde_json::{Value, json};

use super::outcomes::{give, go, open_address, open_store, switch_to, take_turn};
use super::overlays::{open_notices, open_palette, open_stores, open_themes};
use super::pictures::switch_pictures;
use super::{own, recording, resize, sharing};
use crate::domain::{BUILT, StoreUrl};
use crate::studio::ground::{Command, NoticeKind, Remote, Screen, every_screen};
use crate::studio::screens::account;
use crate::studio::screens::pane::{Handler, Input};
use crate::studio::shell::begin::Credential;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::help::Help;
use crate::studio::shell::overlays::{Answer, Came, Overlay, Purpose, What};
use crate::studio::shell::signing;
use crate::studio::widgets::{Answered, Answers, Choice};

/// Runs a command.
pub(super) fn run(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    // A mouse finds what has no key.
    if !model.shell.begin.keymap.offers(command) || sharing::refuses(model, command, effects) {
        return;
    }
    // A command that is named ends the waiting for more keys; to go back does no more than that.
    let waited = model.layers.pop_if(|overlay| matches!(overlay.what, What::Following(_)));
    if waited.is_some() && command == Command::Back {
        return;
    }
    if command == Command::Help {
        ask_help(model);
        return;
    }
    if !model.layers.is_empty() && run_over(model, command, effects) {
        return;
    }
    if command == Command::Open && model.layers.is_empty() && model.pane().awaits_what_opens() {
        model.shell.awaited_open = Some(model.screens.shown);
        return;
    }
    if let Some(screen) = Screen::of(command) {
        // The tab shows what was open in it; chosen again, the list.
        let steps = screen == Screen::Projects && model.screens.steps.is_open() && model.screens.shown.tab() != screen;
        return go(model, if steps { Screen::Steps } else { screen }, effects);
    }
    match command {
        Command::Palette => open_palette(model),
        Command::Notices => open_notices(model),
        Command::Themes => open_themes(model),
        Command::Stores => open_stores(model, effects),
        Command::Switch => signing::open_switcher(model),
        Command::Reconnect => model.connect(effects),
        Command::Bundle => {
            let (studio, stores) = facts(model);
            take_turn(model, effects, |model, _, turn| {
                model.screens.inspector.ask_bundle(studio, stores, turn);
            });
        }
        Command::Share => sharing::ask(model, effects),
        Command::ShareKeys => sharing::give_or_take(model, effects),
        Command::ShareEnd => sharing::end(model, effects),
        Command::Redraw => effects.push(Effect::Repaint),
        Command::Pictures => switch_pictures(model, effects),
        Command::Suspend => effects.push(Effect::Suspend),
        Command::CommandLine => recording::show_last(model, effects),
        Command::CommandLines => recording::show_all(model, effects),
        Command::Record => recording::toggle(model, effects),
        Command::Quit => quit(model, effects),
        command => run_on_pane(model, command, effects),
    }
}

/// Goes to the screen where a command is, and says by which key it is given there: what is current there was not seen yet.
fn go_where(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    let group = command.group();
    let screen = match group {
        "projects" | "steps" => Command::GoProjects,
        "videos" => Command::GoVideos,
        "webhooks" => Command::GoWebhooks,
        "account" => Command::GoAccount,
        "inspector" => Command::GoInspector,
        _ => Command::GoProducts,
    };
    run(model, screen, effects);
    if group == "projects" && model.screens.shown == Screen::Steps {
        // Chosen again, the tab shows the list.
        run(model, screen, effects);
    }
    let key = model.shell.begin.keymap.first_key(command).map(|key| key.label(model.shell.begin.ascii));
    let by = key.unwrap_or_else(|| "the palette".to_owned());
    let say = match group {
        "steps" if model.screens.shown != Screen::Steps => format!("{}: open a project, then {by}.", command.title()),
        _ => format!("{}: {by} does it here.", command.title()),
    };
    model.say(NoticeKind::Hint, say, effects);
}

/// Leaves the studio, unless something would be lost by that which was not said yet.
fn quit(model: &mut Model, effects: &mut Vec<Effect>) {
    if model.shell.deeds.recorded() > 0 && !std::mem::replace(&mut model.shell.warned_recording, true) {
        let say = "The recording isn't saved. ‹record.toggle› saves it; ‹app.quit› again quits without it.";
        model.say(NoticeKind::Error, say.to_owned(), effects);
    } else if model.screens.steps.is_unkept() && !std::mem::replace(&mut model.shell.warned_unkept, true) {
        let say = "Your edits would be lost: they couldn't be stored on disk. ‹steps.save› saves, ‹steps.discard› \
             discards; ‹app.quit› again quits anyway.";
        model.say(NoticeKind::Error, say.to_owned(), effects);
    } else if model.shell.begin.read_only.is_none() && model.screens.videos.keeps_from_leaving() {
        take_turn(model, effects, |model, _, turn| model.screens.videos.ask_leave(turn));
    } else {
        model.shell.over = true;
        effects.push(Effect::Quit);
    }
}

/// What the studio knows of itself, for support, and the stores that are known.
fn facts(model: &Model) -> (Value, Vec<String>) {
    let connected = model.shell.connection.known();
    let connection = match &model.shell.connection {
        Remote::Ready(_) => "ready",
        Remote::Failed { .. } => "failed",
        Remote::Idle | Remote::Loading { .. } => "connecting",
    };
    let notices: Vec<Value> = model
        .shell
        .notices
        .past
        .iter()
        .map(|notice| json!({ "at": notice.at.0, "kind": format!("{:?}", notice.kind), "said": notice.text }))
        .collect();
    let credential = match &model.shell.begin.credential {
        Credential::None => None,
        Credential::From(source) => Some(source),
    };
    let studio = json!({
        "version": BUILT.version,
        "build": BUILT,
        "profile": model.shell.begin.profile,
        "credential": credential,
        "readOnly": model.shell.begin.read_only,
        "base": connected.map(|connected| &connected.base),
        "store": model.shell.store.as_ref().map(StoreUrl::as_str),
        "connection": connection,
        "problem": if let Remote::Failed { problem, .. } = &model.shell.connection { Some(problem) } else { None },
        "inFlight": model.shell.in_flight,
        "roundTripMs": model.shell.round_trip_ms,
        "screen": model.screens.shown.title(),
        "terminal": {
            "roundTripMs": model.shell.link_ms,
            "columns": model.shell.size.0,
            "rows": model.shell.size.1,
            "ascii": model.shell.begin.ascii,
            "pictures": model.shell.pictures.graphics.map(|graphics| format!("{graphics:?}")),
            "theme": model.shell.theme.name,
        },
        "notices": notices,
    });
    let stores = connected.map(|connected| connected.stores.iter().map(ToString::to_string).collect());
    (studio, stores.unwrap_or_default())
}

/// Opens what Enter was pressed for while it was on its way, once it is here and nothing else was done meanwhile.
pub(super) fn open_awaited(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(screen) = model.shell.awaited_open else { return };
    if model.screens.shown == screen && model.layers.is_empty() && model.pane().awaits_what_opens() {
        return;
    }
    model.shell.awaited_open = None;
    if model.screens.shown == screen && model.layers.is_empty() {
        give(model, effects, screen, Input::Awaited);
    }
}

/// Shows the help over whatever is in front; the keys of a mode or of what lies over the screen come first.
fn ask_help(model: &mut Model) {
    if matches!(model.layers.last(), Some(Overlay { what: What::Help(_), .. })) {
        return;
    }
    let pane = model.pane();
    let of = if model.layers.is_empty() { pane.mode() } else { None };
    let mut help = Help::of(of.unwrap_or(pane.layer()));
    if !model.layers.is_empty() || model.is_typing() {
        let (keymap, layers) = (&model.shell.begin.keymap, model.layers());
        let now = model.hints().into_iter();
        help = help.in_a_mode(now.map(|hint| (hint.label(keymap, &layers, true), hint.words())).collect());
    }
    model.lay_over(Overlay::new(What::Help(help), Purpose::Nothing));
}

fn run_on_pane(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    let connects = command == Command::Retry && matches!(model.shell.connection, Remote::Failed { .. });
    if connects && model.pane().mode().is_none() {
        model.connect(effects);
        return;
    }
    let known = give(model, effects, model.screens.shown, Input::Command(command));
    // What a mode has nothing to retry of, its screen may have.
    if !known && connects {
        model.connect(effects);
    }
    if !known && command == Command::Back && model.shell.greeting {
        model.shell.greeting = false;
        resize(model);
    }
}

/// Runs a command on what lies over the screen; whether it was for that.
fn run_over(model: &mut Model, command: Command, effects: &mut Vec<Effect>) -> bool {
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
        // A key that is to be pressed is pressed where the mouse is taken.
        Came::Nothing | Came::NotTaken | Came::Pressed(_) => {}
        Came::Effects(more) => effects.extend(more),
        Came::Hint(words) => model.say(NoticeKind::Hint, words.to_owned(), effects),
        Came::Address(address) => open_address(model, address, effects),
        Came::Answered(choice) => {
            if let Some(overlay) = model.layers.pop() {
                give_answer(model, overlay.purpose, Some(choice), effects);
            }
        }
        Came::Left(more) => {
            effects.extend(more);
            if let Some(overlay) = model.layers.pop() {
                give_answer(model, overlay.purpose, None, effects);
            }
        }
    }
}

/// Gives the answer of a layer to whoever asked; none where the layer was left without one.
fn give_answer(model: &mut Model, purpose: Purpose, choice: Option<Choice>, effects: &mut Vec<Effect>) {
    /// Hands it to whoever asked, a screen in a turn of its own.
    macro_rules! give_to {
        ($( $screen:ident $name:ident )*) => {
            match purpose {
                Purpose::Nothing => {}
                Purpose::Studio(answers) => {
                    if let Some(answered) = given(answers, choice) {
                        answer(model, answered, effects);
                    }
                }
                $( Purpose::$name(answers) => {
                    if let Some(answered) = given(answers, choice) {
                        take_turn(model, effects, |model, now, turn| {
                            model.screens.$screen.answered(answered, now, turn);
                        });
                    }
                } )*
            }
        };
    }
    every_screen!(give_to);
}

fn given<A: Clone>(answers: Answers<A>, choice: Option<Choice>) -> Option<Answered<A>> {
    match choice {
        Some(choice) => answers.given(choice),
        None => answers.left(),
    }
}

/// Does what was answered to a question of the studio itself.
fn answer(model: &mut Model, answered: Answered<Answer>, effects: &mut Vec<Effect>) {
    match answered.answer {
        Answer::Run(command) => run(model, command, effects),
        Answer::Elsewhere(command) => go_where(model, command, effects),
        Answer::Own(at) => own::start(model, at, effects),
        Answer::RunOwn(title, program) => own::begin(model, title, program, effects),
        Answer::Leave => {}
        Answer::Switch(to) => switch_to(model, to, effects),
        Answer::Theme(name) => {
            model.shell.theme_chosen = true;
            effects.push(Effect::ReadTheme(name));
        }
        Answer::Store(store) => open_store(model, store, effects),
        Answer::OtherStore(stores) => {
            open_store(model, StoreUrl::from(answered.typed).known_as(stores.iter()), effects);
        }
        Answer::Copy(text) => effects.push(Effect::CopyText(text)),
        Answer::Admit(watcher, admitted) => sharing::admit(model, watcher, admitted, effects),
        Answer::GiveKeys(watcher) => sharing::give(model, watcher, effects),
        Answer::SaveRecording => recording::save(model, answered.typed, effects),
        Answer::Write(answer) => effects.push(Effect::Account(account::Effect::AnswerWrite(answer))),
    }
}
