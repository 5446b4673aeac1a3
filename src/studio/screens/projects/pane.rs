//! The Projects screen as its parent sees it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::answer::Answer;
use super::filter::Filter;
use super::vocabulary::Turn;
use super::{Focus, Projects};
use crate::domain::Veil;
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment, Mouse, Remote};
use crate::studio::screens::pane::{Entered, Handler, Hint, Pane, Spoken, Waits};
use crate::studio::widgets::{Answered, Ink};

impl Pane for Projects {
    fn layer(&self) -> Layer {
        Layer::Projects
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        if self.code.is_some() {
            return const { &[Hint::of(C::Copy), Hint::of(C::Address), Hint::of(C::Back)] };
        }
        if self.ordering.is_some() {
            return const {
                &[
                    Hint::pair(C::ProjectOrderUp, C::ProjectOrderDown, "move step"),
                    Hint::moves(),
                    Hint::of(C::Open).saying("save order"),
                    Hint::of(C::Back).saying("cancel"),
                ]
            };
        }
        if let Some(editor) = &self.player {
            let typing = const { &[Hint::of(C::Open).saying("done"), Hint::of(C::Back).saying("cancel")] }.as_slice();
            let list =
                const { &[Hint::moves(), Hint::of(C::Open).saying("edit"), Hint::of(C::Address), Hint::of(C::Back)] };
            return if editor.is_typing() { typing } else { list };
        }
        match self.focus {
            Focus::Search => const { &[Hint::moves(), Hint::of(C::Open), Hint::of(C::Back).saying("done")] },
            Focus::Detail => {
                const { &[Hint::moves(), Hint::of(C::Open), Hint::of(C::Copy), Hint::of(C::Address), Hint::of(C::Back)] }
            }
            Focus::List => {
                const {
                    &[
                        Hint::moves(),
                        Hint::of(C::Open),
                        Hint::of(C::ProjectsSearch),
                        Hint::of(C::ProjectsFilter),
                        Hint::of(C::ProjectCreate),
                        Hint::of(C::ProjectRename),
                        Hint::of(C::ProjectMove),
                        Hint::of(C::ProjectDuplicate),
                        Hint::of(C::ProjectOrder),
                        Hint::of(C::Copy),
                        Hint::of(C::ProjectDelete),
                        Hint::of(C::ProjectsSort),
                        Hint::of(C::ProjectCode),
                        Hint::of(C::ProjectPlayer),
                        Hint::of(C::Quit),
                    ]
                }
            }
        }
    }

    fn back_says(&self) -> Option<&'static str> {
        let is_alone =
            self.focus == Focus::List && self.code.is_none() && self.ordering.is_none() && self.player.is_none();
        let is_part = !self.arranged.lines.query().is_empty() || self.filter != Filter::All;
        (is_alone && is_part && self.reading.is_none()).then_some("show all")
    }

    fn is_typing(&self) -> bool {
        Self::is_typing(self)
    }

    fn resize(&mut self, area: Rect, now: Moment) {
        self.area = area;
        self.lay_out();
        self.lay_out_detail(now);
        let page = self.ordering_page();
        self.ordering.iter_mut().for_each(|ordering| ordering.places.resize(page));
        let inside = crate::studio::widgets::paint::inside(area);
        self.player.iter_mut().for_each(|editor| editor.form().keep_in_sight(inside));
    }

    fn waits(&self) -> Option<Waits> {
        self.list.first_asked().map(Waits::stops)
    }

    fn awaits_what_opens(&self) -> bool {
        let is_coming = matches!(self.list, Remote::Idle | Remote::Loading { stale: None, .. });
        self.focus == Focus::List
            && self.code.is_none()
            && self.ordering.is_none()
            && self.player.is_none()
            && is_coming
    }

    fn veil(&mut self, _veil: &Veil) {
        // E-mail addresses are known by their form.
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        super::view::view(self, buf, ink, now)
    }

    fn reading(&self, now: Moment, lines: &mut Vec<String>) {
        Self::reading(self, now, lines);
    }

    fn spoken(&self, _now: Moment) -> Spoken {
        let (position, entry) = match (&self.ordering, &self.player) {
            (Some(ordering), _) => (ordering.places.position(), Entered::Line),
            (None, Some(_)) => (None, Entered::Field),
            (None, None) => (self.arranged.lines.position(), Entered::Line),
        };
        Spoken { position: position.filter(|_| self.code.is_none()), entry, ..Spoken::default() }
    }
}

impl Handler for Projects {
    type Answer = Answer;
    type Effect = super::Effect;

    fn shown(&mut self, now: Moment, turn: &mut Turn) {
        self.refresh(now, turn);
    }

    fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        Self::command(self, command, now, turn)
    }

    fn text_key(&mut self, key: Key, now: Moment, turn: &mut Turn) {
        Self::text_key(self, key, now, turn);
    }

    fn paste(&mut self, pasted: &str, now: Moment, turn: &mut Turn) {
        Self::paste(self, pasted, now, turn);
    }

    fn mouse(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        Self::mouse(self, mouse, now, turn);
    }

    fn answered(&mut self, answered: Answered<Answer>, now: Moment, turn: &mut Turn) {
        self.take_answer(answered, now, turn);
    }
}
