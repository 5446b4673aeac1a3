//! What lies over a screen and takes the keys while it does.

pub mod confirm;
pub mod help;
pub mod page;
pub mod picker;
pub mod preview;
pub mod prompt;
pub mod signin;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::command::Command;
use super::screens::Screen;
use super::screens::account::SwitchTo;
use super::widgets::Ink;
use crate::domain::StoreUrl;
use confirm::Confirm;
use help::Help;
use page::Page;
use picker::Picker;
use preview::Preview;
use prompt::Prompt;
use signin::SignIn;

/// What lies over the screen.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// Every key and what it does.
    Help(Help),
    /// Text to be read.
    Page(Page),
    /// A list to choose from, and what the choice is for.
    Picker(Picker, Purpose),
    /// A line to be typed, and what it is for.
    Prompt(Prompt, Asker),
    /// A question with a few answers, for a screen.
    Confirm(Confirm, Screen),
    /// The sign-in.
    SignIn(Box<SignIn>),
    /// Whether a live profile may be changed.
    LiveWrite(Confirm),
    /// The pictures of a video.
    Preview(Box<Preview>),
}

/// Who asked for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// A screen.
    Screen(Screen),
    /// The end of a recording: the script's file.
    Recording,
}

/// What a choice is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Run one of these commands, or go to one of these profiles and stores, which come after them.
    Palette(Vec<Command>, Vec<SwitchTo>),
    /// Go to one of these profiles and stores.
    Switch(Vec<SwitchTo>),
    /// Show these colours.
    Theme(Vec<String>),
    /// Work in one of these stores.
    Store(Vec<StoreUrl>),
    /// Put one of these texts on the clipboard.
    Copy(Vec<String>),
    /// Something of a screen's own.
    Screen(Screen),
}

/// Clears an area for what lies over it.
pub fn wipe(buf: &mut Buffer, ink: Ink, area: Rect) {
    let area = area.intersection(buf.area);
    // A wide sign that began to the left of the area would be torn: it is taken away whole.
    for y in area.top()..area.bottom() {
        if area.left() > 0
            && let Some(cell) = buf.cell_mut((area.left() - 1, y))
            && unicode_width::UnicodeWidthStr::width(cell.symbol()) > 1
        {
            cell.reset();
        }
        for x in area.left()..area.right() {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.reset();
                cell.set_style(ink.theme.text);
            }
        }
    }
}
