//! Saving is a plan.

use super::Steps;
use crate::domain::Project;
use crate::settings::Key;
use crate::studio::command::Command;
use crate::studio::event::{Moment, RequestId};
use crate::studio::turn::Turn;
use crate::studio::widgets::Ink;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

#[derive(Debug, Clone, Default)]
pub struct Saving {}

impl super::Open {
    pub(super) fn is_applying(&self) -> bool {
        false
    }
}

impl Steps {
    pub(super) fn begin_saving(&mut self, _now: Moment, _turn: &mut Turn) {}
    pub(super) fn saving_key(&mut self, _key: Key, _now: Moment, _turn: &mut Turn) {}
    pub(super) fn saving_command(&mut self, _command: Command, _now: Moment, _turn: &mut Turn) -> bool {
        false
    }
    pub(super) fn notice_newer(&mut self, _latest: Project, _now: Moment, _turn: &mut Turn) {}
    pub(super) fn read_out_saving(&self, _lines: &mut Vec<String>) {}
    pub(super) fn draw_saving(&self, _buf: &mut Buffer, _ink: Ink, _area: Rect, _beside: bool, _now: Moment) {}
}
