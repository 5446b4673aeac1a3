//! A command is done: what every screen knows here, the rest by the screen that is shown.

use serde_json::{Value, json};

use super::outcomes::{give, take_turn, workspace};
use super::overlays::{lay_over, open_notices, open_palette, open_stores, open_themes, run_over};
use super::pictures::switch_pictures;
use super::{recording, resize};
use crate::domain::StoreUrl;
use crate::studio::ground::{Command, NoticeKind, Remote, Screen};
use crate::studio::screens::pane::Input;
use crate::studio::shell::begin::Credential;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::help::Help;
use crate::studio::shell::overlays::{Overlay, Purpose, What};
use crate::studio::shell::signing;

/// Runs a command.
pub(super) fn run(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    // A mouse finds what has no key.
    if !model.shell.begin.keymap.offers(command) {
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
    match command {
        Command::GoProducts => go(model, Screen::Products, effects),
        Command::GoProjects => {
            // The tab shows what was open in it; chosen again, the list.
            let steps = model.screens.steps.is_open() && model.screens.shown.tab() != Screen::Projects;
            go(model, if steps { Screen::Steps } else { Screen::Projects }, effects);
        }
        Command::GoVideos => go(model, Screen::Videos, effects),
        Command::GoWebhooks => go(model, Screen::Webhooks, effects),
        Command::GoAccount => go(model, Screen::Account, effects),
        Command::GoInspector => go(model, Screen::Inspector, effects),
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
        Command::Redraw => effects.push(Effect::Repaint),
        Command::Pictures => switch_pictures(model, effects),
        Command::Suspend => effects.push(Effect::Suspend),
        Command::CommandLine => recording::show_last(model, effects),
        Command::CommandLines => recording::show_all(model, effects),
        Command::Record => recording::toggle(model, effects),
        Command::Quit
            if model.shell.deeds.recorded() > 0 && !std::mem::replace(&mut model.shell.warned_recording, true) =>
        {
            let say = "The recording isn't saved. * saves it; q again quits without it.";
            model.say(NoticeKind::Error, say.to_owned(), effects);
        }
        Command::Quit
            if model.screens.steps.is_unkept() && !std::mem::replace(&mut model.shell.warned_unkept, true) =>
        {
            let say =
                "Your edits would be lost: they couldn't be stored on disk. S saves, D discards; q again quits anyway.";
            model.say(NoticeKind::Error, say.to_owned(), effects);
        }
        Command::Quit => {
            if model.shell.begin.read_only.is_none() && model.screens.videos.keeps_from_leaving() {
                take_turn(model, effects, |model, _, turn| model.screens.videos.ask_leave(turn));
            } else {
                model.shell.over = true;
                effects.push(Effect::Quit);
            }
        }
        command => run_on_pane(model, command, effects),
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
        "version": env!("CARGO_PKG_VERSION"),
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

/// Brings a screen to the front.
pub(super) fn go(model: &mut Model, screen: Screen, effects: &mut Vec<Effect>) {
    model.screens.shown = screen;
    if screen == Screen::Projects {
        effects.push(Effect::FindDrafts(workspace(model)));
    }
    give(model, effects, screen, Input::Shown);
}

/// Shows the help over whatever is in front; the keys of a mode or of what lies over the screen come first.
fn ask_help(model: &mut Model) {
    if matches!(model.layers.last(), Some(Overlay { what: What::Help(_), .. })) {
        return;
    }
    let mut help = Help::of(model.pane().layer());
    if !model.layers.is_empty() || model.is_typing() {
        let (keymap, layers) = (&model.shell.begin.keymap, model.layers());
        let now = model.hints().iter();
        help = help.in_a_mode(now.map(|hint| (hint.label(keymap, &layers, true), hint.words())).collect());
    }
    lay_over(model, Overlay::new(What::Help(help), Purpose::Nothing));
}

fn run_on_pane(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    if command == Command::Retry && matches!(model.shell.connection, Remote::Failed { .. }) {
        model.connect(effects);
        return;
    }
    let known = give(model, effects, model.screens.shown, Input::Command(command));
    if !known && command == Command::Back && model.shell.greeting {
        model.shell.greeting = false;
        resize(model);
    }
}
