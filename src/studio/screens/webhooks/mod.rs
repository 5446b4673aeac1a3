//! The Webhooks screen.

mod vocabulary;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Screen, later};
use crate::studio::command::Command;
use crate::studio::event::Moment;
use crate::studio::keys::Layer;
use crate::studio::pane::{Hint, Pane};
use crate::studio::turn::Turn;
use crate::studio::widgets::Ink;

pub use vocabulary::{Effect, Event};

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct Webhooks {
    area: Rect,
}

impl Webhooks {
    /// Takes what happened.
    pub fn event(&mut self, event: Event, _now: Moment, _turn: &mut Turn) {
        match event {}
    }
}

impl Pane for Webhooks {
    fn layer(&self) -> Layer {
        Layer::Webhooks
    }

    fn hints(&self) -> &'static [Hint] {
        &[(Command::GoProducts, None), (Command::Help, None), (Command::Quit, None)]
    }

    fn resize(&mut self, area: Rect, _now: Moment) {
        self.area = area;
    }

    fn command(&mut self, _command: Command, _now: Moment, _turn: &mut Turn) -> bool {
        false
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, _now: Moment) -> Option<(u16, u16)> {
        later::view(Screen::Webhooks, buf, ink, self.area);
        None
    }

    fn reading(&self, _now: Moment, lines: &mut Vec<String>) {
        lines.push(later::promise(Screen::Webhooks).to_owned());
    }
}
