//! The Videos screen as its parent sees it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::vocabulary::Turn;
use super::{Focus, Videos};
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment, Mouse, MouseAction};
use crate::studio::screens::pane::{Handler, Hint, Pane};
use crate::studio::screens::turn::Choice;
use crate::studio::widgets::Ink;
use crate::studio::widgets::pictures::Place;
use crate::uploads::next_count;

/// Rows that a notch of the wheel moves.
const NOTCH: isize = 3;

impl Pane for Videos {
    fn layer(&self) -> Layer {
        Layer::Videos
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        match self.focus {
            Focus::Filter | Focus::Chooser => &[(C::Up, Some(C::Down)), (C::Open, None), (C::Back, None)],
            Focus::Queue => &[
                (C::Up, Some(C::Down)),
                (C::Open, None),
                (C::UploadPause, None),
                (C::UploadCancel, None),
                (C::Retry, None),
                (C::UploadEarlier, Some(C::UploadLater)),
                (C::UploadClear, None),
                (C::UploadLimit, None),
                (C::UploadAtOnce, None),
                (C::VideosPreview, None),
                (C::VideosUpload, None),
                (C::Back, None),
            ],
            Focus::List | Focus::Detail => &[
                (C::Up, Some(C::Down)),
                (C::Open, None),
                (C::VideosUpload, None),
                (C::VideosFilter, None),
                (C::VideosShow, None),
                (C::VideosSort, None),
                (C::Copy, None),
                (C::Address, None),
                (C::VideosPreview, None),
                (C::VideosRegister, None),
                (C::VideosDelete, None),
                (C::NextPane, None),
                (C::Help, None),
                (C::Quit, None),
            ],
        }
    }

    fn is_typing(&self) -> bool {
        matches!(self.focus, Focus::Filter | Focus::Chooser)
    }

    fn resize(&mut self, area: Rect, _now: Moment) {
        self.area = area;
        let page = self.list_page();
        self.library.keep_in_sight(page);
        let page = self.chooser_page();
        self.chooser.step(0, page);
        self.step_upload(0);
    }

    fn dismissed(&mut self) {
        self.asked = None;
    }

    fn pictures(&self) -> Vec<Place> {
        self.places()
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        self.draw(buf, ink, now)
    }

    fn countdown(&self, now: Moment) -> Option<u64> {
        let seen = self.overview.queue.uploads().iter().skip(self.queue_top).take(self.queue_rows());
        seen.filter_map(|upload| next_count(upload, now.0)).min()
    }

    fn reading(&self, now: Moment, lines: &mut Vec<String>) {
        self.read_out(now, lines);
    }
}

impl Handler for Videos {
    type Effect = super::Effect;

    fn shown(&mut self, now: Moment, turn: &mut Turn) {
        self.came_to_the_front(now, turn);
        self.tell_of_ffmpeg(turn);
    }

    fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        self.take_command(command, now, turn)
    }

    fn text_key(&mut self, key: Key, now: Moment, turn: &mut Turn) {
        self.take_text_key(key, now, turn);
    }

    fn paste(&mut self, pasted: &str, _now: Moment, turn: &mut Turn) {
        self.take_paste(pasted, turn);
    }

    fn mouse(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let parts = self.parts();
        let at = (mouse.x, mouse.y).into();
        let by = match mouse.what {
            MouseAction::WheelUp => -NOTCH,
            MouseAction::WheelDown => NOTCH,
            MouseAction::Press => 0,
            MouseAction::Drag | MouseAction::Release => return,
        };
        if parts.queue.contains(at) {
            let row = usize::from(mouse.y.saturating_sub(parts.queue.y + 1)) + self.queue_top;
            let row = isize::try_from(row).unwrap_or_default() - isize::try_from(self.upload_row()).unwrap_or_default();
            self.focus = Focus::Queue;
            self.step_upload(if by == 0 { row } else { by });
        } else if parts.main.contains(at) {
            let first = usize::from(mouse.y.saturating_sub(parts.main.y + 3));
            if self.focus == Focus::Chooser {
                let row = first + self.chooser.top;
                let again = by == 0 && row == self.chooser.selected;
                let row = isize::try_from(row).unwrap_or_default()
                    - isize::try_from(self.chooser.selected).unwrap_or_default();
                let page = self.chooser_page();
                self.chooser.step(if by == 0 { row } else { by }, page);
                if again {
                    self.take_command(Command::Open, now, turn);
                }
                return;
            }
            self.focus = Focus::List;
            let first = first / usize::from(self.row_height());
            let row = isize::try_from(first + self.library.top).unwrap_or_default()
                - isize::try_from(self.library.selected).unwrap_or_default();
            let page = self.list_page();
            self.library.step(if by == 0 { row } else { by }, page);
            self.moved(turn);
        } else if parts.detail.contains(at) {
            self.focus = Focus::Detail;
            self.detail_top = self.detail_top.saturating_add_signed(by);
        }
    }

    fn chosen(&mut self, choice: Choice, _now: Moment, turn: &mut Turn) {
        self.take_choice(choice, turn);
    }
}
