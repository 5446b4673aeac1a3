//! The modes of editing, each with its keys, its hints, and what it draws beside the map.

mod apply;
mod code;
pub(super) mod form;
mod form_view;
mod funnel;
mod funnel_view;
pub(super) mod labels;
mod normal;
mod plan_words;
mod play;
mod play_view;
mod pressed;
mod problems;
mod products;
mod products_view;
mod save;
mod save_view;
pub(super) mod upload;
pub(super) mod wire;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::vocabulary::Turn;
use super::{Editor, Focus, Journal};
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment};
use crate::studio::screens::pane::Hint;
use crate::studio::widgets::Ink;
use crate::studio::widgets::qr::PlayerCode;

use code::CODE;
use form::Form;
use funnel::FunnelPanel;
use labels::Labels;
use play::Play;
use products::Choosing as ChoosingProducts;
use save::Saving;
use upload::Choosing;
use wire::Wire;

/// A mode that owns the keys.
#[derive(Debug, Clone, Default)]
pub enum Mode {
    /// None does.
    #[default]
    Normal,
    /// Letters over the cards: the next ones go there.
    Labels(Labels),
    /// An answer is being wired.
    Wire(Wire),
    /// The project is played as a viewer does.
    Play(Play),
    /// A step is being edited.
    Form(Box<Form>),
    /// The plan of saving.
    Saving(Box<Saving>),
    /// A file is chosen for a step.
    Upload(Box<Choosing>),
    /// The products of a step are chosen.
    Products(Box<ChoosingProducts>),
    /// What viewers did, in numbers.
    Funnel(FunnelPanel),
    /// The QR code of the player's address.
    Code(Box<PlayerCode>),
}

impl Mode {
    /// How wide the pane beside the map is; none where the mode has none.
    pub(super) fn side_width(&self) -> Option<u16> {
        match self {
            Self::Normal | Self::Labels(_) | Self::Wire(_) => None,
            Self::Form(_) => Some(46),
            Self::Play(_) | Self::Upload(_) => Some(56),
            Self::Saving(_) | Self::Products(_) | Self::Funnel(_) => Some(72),
            Self::Code(_) => Some(u16::MAX / 2),
        }
    }
}

impl Editor {
    /// What the last line shows.
    pub(super) fn hints(&self) -> &'static [Hint] {
        match &self.mode {
            Mode::Normal if self.focus == Focus::Problems => problems::HINTS,
            Mode::Normal if self.session.journal == Journal::Taken => normal::VIEW,
            Mode::Normal => normal::HINTS,
            Mode::Labels(_) => labels::HINTS,
            Mode::Wire(wire) => wire.hints(),
            Mode::Play(play) => play.hints(),
            Mode::Form(form) => form.hints(),
            Mode::Saving(saving) => saving.stage.hints(),
            Mode::Upload(choosing) => choosing.chooser.hints(),
            Mode::Products(choosing) => self.products_hints(choosing),
            Mode::Funnel(_) => funnel::HINTS,
            Mode::Code(_) => CODE,
        }
    }

    /// Takes a command in the mode that is on; whether it was for it.
    pub(super) fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        match &self.mode {
            Mode::Normal => return self.normal_command(command, now, turn),
            Mode::Labels(_) => self.labels_command(command),
            Mode::Wire(_) => return self.wire_command(command, now, turn),
            Mode::Play(_) => {
                let taken = self.play_command(command, turn);
                self.mark();
                return taken;
            }
            Mode::Form(_) => return self.form_command(command, now, turn),
            Mode::Saving(_) => return self.saving_command(command, now, turn),
            Mode::Upload(_) => return self.upload_command(command, now, turn),
            Mode::Products(_) => return self.products_command(command, now, turn),
            Mode::Funnel(_) => return self.funnel_command(command, now, turn),
            Mode::Code(_) => return self.code_command(command, turn),
        }
        true
    }

    /// The layer of the keys of the mode that is on; none where it takes text or letters, or where no mode is.
    pub(super) fn mode_layer(&self) -> Option<Layer> {
        match &self.mode {
            // The second of two letters is one, whatever key it is else.
            Mode::Wire(wire) if wire.labels.typed.is_empty() => Some(Layer::Wire),
            Mode::Play(_) => Some(Layer::Play),
            Mode::Form(form) if !form.field().is_text() => Some(Layer::Form),
            Mode::Saving(_) => Some(Layer::Save),
            Mode::Products(choosing) if !choosing.typing => Some(Layer::StepProducts),
            Mode::Funnel(_) => Some(Layer::Funnel),
            Mode::Code(_) => Some(Layer::Qr),
            Mode::Normal | Mode::Labels(_) | Mode::Wire(_) | Mode::Form(_) | Mode::Upload(_) | Mode::Products(_) => {
                None
            }
        }
    }

    /// Takes a key in the mode that is on.
    pub(super) fn key(&mut self, key: Key, now: Moment, turn: &mut Turn) {
        match &self.mode {
            Mode::Normal | Mode::Saving(_) | Mode::Funnel(_) | Mode::Code(_) => {}
            Mode::Labels(_) => self.labels_key(key, turn),
            Mode::Wire(_) => self.wire_key(key, turn),
            Mode::Play(_) => {
                self.play_key(key, turn);
                self.mark();
            }
            Mode::Form(_) => self.form_key(key, turn),
            Mode::Upload(_) => self.upload_key(key, now, turn),
            Mode::Products(_) => self.products_key(key, turn),
        }
    }

    /// Turns the wheel over the pane beside the map.
    pub(super) fn wheel_side(&mut self, by: isize) {
        match &mut self.mode {
            Mode::Saving(_) => self.saving_wheel(by),
            Mode::Play(play) => {
                let ports = play.at.map_or(0, |at| self.shown.graph.ports(at).len());
                play.answers.wheel(by, ports, ports);
            }
            Mode::Upload(_) => self.upload_wheel(by),
            Mode::Products(_) => self.products_wheel(by),
            Mode::Funnel(_) => self.funnel_wheel(by),
            Mode::Normal | Mode::Labels(_) | Mode::Wire(_) | Mode::Form(_) | Mode::Code(_) => {}
        }
    }

    /// Draws the pane beside the map, or over it (`beside` is false), and gives the cursor's place.
    pub(super) fn draw_side(
        &self,
        buf: &mut Buffer,
        ink: Ink,
        side: Rect,
        beside: bool,
        now: Moment,
    ) -> Option<(u16, u16)> {
        match &self.mode {
            Mode::Form(form) => return self.draw_form(form, buf, ink, side, beside, now),
            Mode::Play(play) => self.draw_play(play, buf, ink, side, beside),
            Mode::Products(choosing) => return self.draw_products(choosing, buf, ink, side, beside),
            Mode::Saving(saving) => self.draw_saving(saving, buf, ink, (side, beside), now),
            Mode::Upload(choosing) => {
                crate::studio::widgets::wipe(buf, ink, side);
                return choosing.chooser.draw(buf, ink, side);
            }
            Mode::Funnel(panel) => self.draw_funnel(panel, buf, ink, side, beside),
            Mode::Code(code) => code.draw(buf, ink, self.shared.area),
            Mode::Normal | Mode::Labels(_) | Mode::Wire(_) => {}
        }
        None
    }
}
