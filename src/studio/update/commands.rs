//! A command is done: what every screen knows here, the rest by the screen that is shown.

use super::outcomes::{on_pane, take_turn, workspace};
use super::overlays::{lay_over, open_notices, open_palette, open_stores, open_themes, run_over};
use super::pictures::switch_pictures;
use super::resize;
use crate::studio::command::Command;
use crate::studio::effect::Effect;
use crate::studio::model::{Model, NoticeKind};
use crate::studio::overlays::Overlay;
use crate::studio::overlays::help::Help;
use crate::studio::remote::Remote;
use crate::studio::screens::Screen;
use crate::studio::signing;

/// Runs a command.
pub(super) fn run(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    if !model.overlays.is_empty() && run_over(model, command, effects) {
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
        Command::Redraw => effects.push(Effect::Repaint),
        Command::Pictures => switch_pictures(model, effects),
        Command::Suspend => effects.push(Effect::Suspend),
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
