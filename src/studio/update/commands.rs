//! A command is done: what every screen knows here, the rest by the screen that is shown.

use serde_json::{Value, json};

use super::outcomes::{on_pane, take_turn, workspace};
use super::overlays::{lay_over, open_notices, open_palette, open_stores, open_themes, run_over};
use super::pictures::switch_pictures;
use super::{recording, resize};
use crate::domain::StoreUrl;
use crate::studio::command::Command;
use crate::studio::effect::Effect;
use crate::studio::model::{Credential, Model, NoticeKind};
use crate::studio::overlays::Overlay;
use crate::studio::overlays::help::Help;
use crate::studio::remote::Remote;
use crate::studio::screens::Screen;
use crate::studio::signing;

/// Runs a command.
pub(super) fn run(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    // A mouse finds what has no key.
    if !model.begin.keymap.offers(command) {
        return;
    }
    if !model.overlays.is_empty() && run_over(model, command, effects) {
        return;
    }
    if command == Command::Open && model.overlays.is_empty() && model.pane().awaits_what_opens() {
        model.awaited_open = Some(model.screen);
        return;
    }
    match command {
        Command::GoProducts => go(model, Screen::Products, effects),
        Command::GoProjects => {
            // The tab shows what was open in it; chosen again, the list.
            let steps = model.steps.is_open() && model.screen.tab() != Screen::Projects;
            go(model, if steps { Screen::Steps } else { Screen::Projects }, effects);
        }
        Command::GoVideos => go(model, Screen::Videos, effects),
        Command::GoWebhooks => go(model, Screen::Webhooks, effects),
        Command::GoAccount => go(model, Screen::Account, effects),
        Command::GoInspector => go(model, Screen::Inspector, effects),
        Command::Help => {
            let help = Help::of(model.pane().layer());
            lay_over(model, Overlay::Help(help));
        }
        Command::Palette => open_palette(model),
        Command::Notices => open_notices(model),
        Command::Themes => open_themes(model),
        Command::Stores => open_stores(model, effects),
        Command::Switch => signing::open_switcher(model),
        Command::Reconnect => model.connect(effects),
        Command::Bundle => {
            let (studio, stores) = facts(model);
            take_turn(model, effects, Screen::Inspector, |model, _, turn| {
                model.inspector.ask_bundle(studio, stores, turn);
            });
        }
        Command::Redraw => effects.push(Effect::Repaint),
        Command::Pictures => switch_pictures(model, effects),
        Command::Suspend => effects.push(Effect::Suspend),
        Command::CommandLine => recording::show_last(model, effects),
        Command::CommandLines => recording::show_all(model, effects),
        Command::Record => recording::toggle(model, effects),
        Command::Quit if model.deeds.recorded() > 0 && !std::mem::replace(&mut model.warned_recording, true) => {
            let say = "What is recorded is not saved and would be lost: * saves it. q again leaves all the same.";
            model.say(NoticeKind::Error, say.to_owned(), effects);
        }
        Command::Quit if model.steps.is_unkept() && !std::mem::replace(&mut model.warned_unkept, true) => {
            let say = "What is edited in the project is not on the disk and would be lost: S saves it, D throws it away. q again leaves all the same.";
            model.say(NoticeKind::Error, say.to_owned(), effects);
        }
        Command::Quit => {
            if model.begin.read_only.is_none() && model.videos.keeps_from_leaving() {
                take_turn(model, effects, Screen::Videos, |model, _, turn| model.videos.ask_leave(turn));
            } else {
                model.over = true;
                effects.push(Effect::Quit);
            }
        }
        command => run_on_pane(model, command, effects),
    }
}

/// What the studio knows of itself, for support, and the stores that are known.
fn facts(model: &Model) -> (Value, Vec<String>) {
    let connected = model.connection.known();
    let connection = match &model.connection {
        Remote::Ready(_) => "ready",
        Remote::Failed { .. } => "failed",
        Remote::Idle | Remote::Loading { .. } => "connecting",
    };
    let notices: Vec<Value> = model
        .notices
        .past
        .iter()
        .map(|notice| json!({ "at": notice.at.0, "kind": format!("{:?}", notice.kind), "said": notice.text }))
        .collect();
    let credential = match &model.begin.credential {
        Credential::None => None,
        Credential::From(source) => Some(source),
    };
    let studio = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "profile": model.begin.profile,
        "credential": credential,
        "readOnly": model.begin.read_only,
        "base": connected.map(|connected| &connected.base),
        "store": model.products.store.as_ref().map(StoreUrl::as_str),
        "connection": connection,
        "problem": if let Remote::Failed { problem, .. } = &model.connection { Some(problem) } else { None },
        "inFlight": model.in_flight,
        "roundTripMs": model.round_trip_ms,
        "screen": model.screen.title(),
        "terminal": {
            "columns": model.size.0,
            "rows": model.size.1,
            "ascii": model.begin.ascii,
            "pictures": model.pictures.graphics.map(|graphics| format!("{graphics:?}")),
            "theme": model.theme.name,
        },
        "notices": notices,
    });
    let stores = connected.map(|connected| connected.stores.iter().map(ToString::to_string).collect());
    (studio, stores.unwrap_or_default())
}

/// Opens what Enter was pressed for while it was on its way, once it is here and nothing else was done meanwhile.
pub(super) fn open_awaited(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(screen) = model.awaited_open else { return };
    if model.screen == screen && model.overlays.is_empty() && model.pane().awaits_what_opens() {
        return;
    }
    model.awaited_open = None;
    if model.screen == screen && model.overlays.is_empty() {
        on_pane(model, effects, screen, |pane, now, turn| pane.open_awaited(now, turn));
    }
}

/// Brings a screen to the front.
pub(super) fn go(model: &mut Model, screen: Screen, effects: &mut Vec<Effect>) {
    model.screen = screen;
    if screen == Screen::Projects {
        effects.push(Effect::FindDrafts(workspace(model)));
    }
    on_pane(model, effects, screen, |pane, now, turn| pane.shown(now, turn));
}

fn run_on_pane(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    if command == Command::Retry && matches!(model.connection, Remote::Failed { .. }) {
        model.connect(effects);
        return;
    }
    let mut known = false;
    on_pane(model, effects, model.screen, |pane, now, turn| known = pane.command(command, now, turn));
    if !known && command == Command::Back && model.greeting {
        model.greeting = false;
        resize(model);
    }
}
