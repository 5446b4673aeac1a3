//! The screens that are still to come say what they will hold.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Screen;
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::{Ink, Panel, Role, put};

/// What a screen that is not built yet will hold.
#[must_use]
pub fn promise(screen: Screen) -> &'static str {
    match screen {
        Screen::Products => "",
        Screen::Projects | Screen::Steps => {
            "Here your projects will stand: folders, steps as a graph whose answers are wired by hand, checks, and a plan of every change before it is saved."
        }
        Screen::Videos => {
            "Here your videos will stand: the library, and an upload queue that survives a dropped line and a closed terminal."
        }
        Screen::Webhooks => "Here your webhook subscriptions will stand, by event, with what was delivered to them.",
        Screen::Account => "Here will stand who is signed in, the profiles and their stores, and the way to sign in.",
        Screen::Inspector => {
            "Here every exchange with the service will stand: time, path, status, headers and bodies, and what in them is not as the specification says."
        }
    }
}

/// Draws the promise.
pub fn view(screen: Screen, buf: &mut Buffer, ink: Ink, area: Rect) {
    let inside = Panel { title: screen.title(), focused: true, ..Panel::default() }.draw(buf, ink, area);
    let room = inside.width.saturating_sub(4).min(70);
    let lines = wrap(promise(screen), room);
    let top = inside.y + inside.height / 4;
    for (row, line) in lines.iter().enumerate() {
        let y = top.saturating_add(u16::try_from(row).unwrap_or(u16::MAX));
        if y < inside.bottom() {
            put(buf, ink, (inside.x + 2, y), room, line, ink.style(Role::Dim));
        }
    }
    let y = top.saturating_add(u16::try_from(lines.len()).unwrap_or(0) + 1);
    if y < inside.bottom() {
        let say = "This screen comes with a later version. Products (1) works today.";
        put(buf, ink, (inside.x + 2, y), room, say, ink.style(Role::Text));
    }
}
