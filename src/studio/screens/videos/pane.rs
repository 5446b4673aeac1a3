//! The Videos screen as its parent sees it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::answer::{Answer, Turn};
use super::{Focus, Videos};
use crate::domain::Veil;
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment, Mouse, MouseAction};
use crate::studio::screens::pane::{Handler, Hint, Pane, Spoken, Waits};
use crate::studio::widgets::pictures::Place;
use crate::studio::widgets::rows::notch;
use crate::studio::widgets::{Answered, Ink, problems};
use crate::uploads::next_count;

impl Pane for Videos {
    fn layer(&self) -> Layer {
        Layer::Videos
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        match self.focus {
            Focus::Filter => {
                const { &[Hint::moves(), Hint::of(C::Open).saying("done"), Hint::of(C::Back).saying("clear")] }
            }
            Focus::Chooser => self.chooser.hints(),
            Focus::Problems => problems::HINTS,
            Focus::Queue => {
                const {
                    &[
                        Hint::moves(),
                        Hint::of(C::Open),
                        Hint::of(C::UploadPause),
                        Hint::of(C::UploadCancel),
                        Hint::of(C::Retry),
                        Hint::pair(C::UploadEarlier, C::UploadLater, "order"),
                        Hint::of(C::UploadClear),
                        Hint::of(C::UploadLimit),
                        Hint::of(C::UploadAtOnce),
                        Hint::of(C::VideosPreview),
                        Hint::of(C::VideosUpload),
                        Hint::of(C::Back),
                    ]
                }
            }
            Focus::Detail => {
                const {
                    &[
                        Hint::of(C::VideosPreview),
                        Hint::of(C::Copy),
                        Hint::of(C::Address),
                        Hint::of(C::VideosCaptions),
                        Hint::of(C::VideosDelete),
                        Hint::of(C::NextPane),
                        Hint::of(C::Back),
                    ]
                }
            }
            Focus::List => {
                const {
                    &[
                        Hint::moves(),
                        Hint::of(C::Open),
                        Hint::of(C::VideosUpload),
                        Hint::of(C::VideosFilter),
                        Hint::of(C::VideosShow),
                        Hint::of(C::VideosSort),
                        Hint::of(C::Copy),
                        Hint::of(C::Address),
                        Hint::of(C::VideosPreview),
                        Hint::of(C::VideosRegister),
                        Hint::of(C::VideosDelete),
                        Hint::of(C::NextPane),
                        Hint::of(C::Quit),
                    ]
                }
            }
        }
    }

    fn is_typing(&self) -> bool {
        matches!(self.focus, Focus::Filter | Focus::Chooser)
    }

    fn resize(&mut self, area: Rect, now: Moment) {
        self.area = area;
        self.lay_out();
        self.step_upload(0);
        self.scroll_detail(0, now);
    }

    fn pictures(&self) -> Vec<Place> {
        self.places()
    }

    fn veil(&mut self, _veil: &Veil) {
        // Nobody's but the shop's.
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        self.draw(buf, ink, now)
    }

    fn countdown(&self, now: Moment) -> Option<u64> {
        let seen = self.overview.queue.uploads().iter().skip(self.queue_top).take(self.queue_rows());
        seen.filter_map(|upload| next_count(upload, now.0)).min()
    }

    fn waits(&self) -> Option<Waits> {
        self.library.videos.first_asked().map(Waits::stops)
    }

    fn reading(&self, now: Moment, lines: &mut Vec<String>) {
        self.read_out(now, lines);
    }

    fn spoken(&self, _now: Moment) -> Spoken {
        let position = match self.focus {
            Focus::Chooser => self.chooser.found.position(),
            Focus::Problems => self.problems.as_ref().and_then(|problems| problems.position()),
            _ => self.library.shown.position(),
        };
        Spoken { position, ..Spoken::default() }
    }
}

impl Handler for Videos {
    type Answer = Answer;
    type Effect = super::Effect;

    fn shown(&mut self, now: Moment, turn: &mut Turn) {
        self.came_to_the_front(now, turn);
        self.tell_of_ffmpeg(turn);
    }

    fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        self.lay_out();
        self.take_command(command, now, turn)
    }

    fn text_key(&mut self, key: Key, now: Moment, turn: &mut Turn) {
        self.lay_out();
        self.take_text_key(key, now, turn);
    }

    fn paste(&mut self, pasted: &str, _now: Moment, turn: &mut Turn) {
        self.take_paste(pasted, turn);
    }

    fn mouse(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        self.lay_out();
        let (parts, at) = (self.parts(), (mouse.x, mouse.y).into());
        if let Some(by) = notch(mouse.what) {
            if parts.queue.contains(at) {
                self.wheel_uploads(by);
            } else if parts.main.contains(at) && self.focus == Focus::Chooser {
                self.chooser.found.wheel(by);
            } else if let Some(problems) = self.problems.as_mut().filter(|_| parts.main.contains(at)) {
                problems.wheel(by);
                self.follow_problem(turn);
            } else if parts.main.contains(at) {
                self.library.shown.wheel(by);
                self.moved(turn);
            } else if parts.detail.contains(at) {
                self.scroll_detail(by, now);
            }
        } else if mouse.what == MouseAction::Press {
            self.press(mouse, now, turn);
        }
    }

    fn answered(&mut self, answered: Answered<Answer>, _now: Moment, turn: &mut Turn) {
        self.take_answer(answered, turn);
    }
}

impl Videos {
    fn press(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let (parts, at) = (self.parts(), (mouse.x, mouse.y).into());
        if parts.queue.contains(at) {
            self.focus = Focus::Queue;
            self.select_upload(usize::from(mouse.y.saturating_sub(parts.queue.y + 1)) + self.queue_top);
        } else if let Some(problems) = self.problems.as_mut().filter(|_| parts.main.contains(at)) {
            let had_keys = std::mem::replace(&mut self.focus, Focus::Problems) == Focus::Problems;
            let again = problems.press(parts.main, mouse.x, mouse.y) == Some(true) && had_keys;
            self.follow_problem(turn);
            if again {
                self.take_command(Command::Open, now, turn);
            }
        } else if parts.main.contains(at) && self.focus == Focus::Chooser {
            let chosen = self.chooser.press(parts.main, mouse.x, mouse.y);
            self.take_chosen(chosen, now, turn);
        } else if parts.main.contains(at) {
            let first = usize::from(mouse.y.saturating_sub(parts.main.y + 3));
            self.focus = Focus::List;
            let row = first / usize::from(self.row_height()) + self.library.shown.top();
            self.library.shown.go_to(row);
            self.moved(turn);
        } else if parts.detail.contains(at) {
            self.focus = Focus::Detail;
        }
    }
}
