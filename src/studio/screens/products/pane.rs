//! The Products screen as its parent sees it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::vocabulary::{Answer, Turn};
use super::{Fetch, Focus, Products};
use crate::domain::Veil;
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment, Mouse};
use crate::studio::screens::pane::{Handler, Hint, Pane, Spoken, Waits};
use crate::studio::widgets::pictures::Place;
use crate::studio::widgets::{Answered, Ink, problems};

impl Pane for Products {
    fn layer(&self) -> Layer {
        Layer::Products
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        match self.focus {
            Focus::Search => const { &[Hint::moves(), Hint::pair(C::Open, C::Back, "done")] },
            Focus::Filters => {
                const {
                    &[
                        Hint::moves(),
                        Hint::of(C::Open).saying("edit"),
                        Hint::of(C::Remove),
                        Hint::of(C::Back).saying("done"),
                    ]
                }
            }
            Focus::Chips(_) => {
                const { &[Hint::pair(C::Left, C::Right, "turn"), Hint::of(C::Remove), Hint::of(C::Back)] }
            }
            Focus::Problems => problems::HINTS,
            Focus::Compare => const { &[Hint::moves(), Hint::of(C::Mark), Hint::of(C::Back)] },
            Focus::Detail => {
                const {
                    &[
                        Hint::pair(C::Left, C::Right, "turn"),
                        Hint::moves(),
                        Hint::of(C::FullPicture),
                        Hint::of(C::Copy),
                        Hint::of(C::Address),
                        Hint::of(C::Back),
                        Hint::of(C::NextPane),
                    ]
                }
            }
            Focus::List => {
                const {
                    &[
                        Hint::moves(),
                        Hint::of(C::Open),
                        Hint::of(C::Search),
                        Hint::of(C::Filter),
                        Hint::of(C::Sort),
                        Hint::of(C::Mark),
                        Hint::of(C::Export),
                        Hint::of(C::Copy),
                        Hint::of(C::Address),
                        Hint::of(C::FilterChips),
                        Hint::of(C::Quit),
                    ]
                }
            }
        }
    }

    fn back_says(&self) -> Option<&'static str> {
        let is_alone = self.focus == Focus::List && self.detail.is_none() && self.panel.is_none();
        (is_alone && !self.query.term.is_empty()).then_some("clear search")
    }

    fn is_typing(&self) -> bool {
        Self::is_typing(self)
    }

    fn resize(&mut self, area: Rect, now: Moment) {
        Self::resize(self, area, now);
    }

    fn waits(&self) -> Option<Waits> {
        self.list.first_asked().map(Waits::stops)
    }

    fn awaits_what_opens(&self) -> bool {
        let is_coming = match self.list.fetch {
            Fetch::First { .. } => true,
            Fetch::Idle => !self.list.read,
            Fetch::More { .. } | Fetch::Failed { .. } => false,
        };
        self.focus == Focus::List && self.list.found.is_empty() && is_coming
    }

    fn pictures(&self) -> Vec<Place> {
        self.places()
    }

    fn veil(&mut self, _veil: &Veil) {
        // Nobody's but the shop's.
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        super::view(self, buf, ink, now)
    }

    fn reading(&self, now: Moment, lines: &mut Vec<String>) {
        Self::reading(self, now, lines);
    }

    fn spoken(&self, _now: Moment) -> Spoken {
        if self.focus == Focus::Problems {
            let position = self.problems.as_ref().and_then(|problems| problems.position());
            return Spoken { position, ..Spoken::default() };
        }
        let is_listed = matches!(self.focus, Focus::List | Focus::Search) && !self.list.found.is_empty();
        let position = is_listed.then_some((self.list.found.selected(), self.list.found.len()));
        let position = position.or_else(|| self.listed_filters().map(|(rows, current)| (current, rows.len())));
        Spoken { position, ..Spoken::default() }
    }

    fn listed(&self) -> Option<(Vec<String>, usize)> {
        self.listed_filters()
    }
}

impl Handler for Products {
    type Answer = Answer;
    type Effect = super::Effect;

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
