//! The Inspector as its parent sees it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::detail::Detail;
use super::vocabulary::{Answer, Bundle, Effect, Turn};
use super::{Inspector, Only, view};
use crate::domain::Veil;
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment, Mouse, MouseAction};
use crate::studio::screens::pane::{Handler, Hint, Pane, Spoken};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::rows::notch;
use crate::studio::widgets::{Answered, Ink, Prompt, Question};

impl Inspector {
    pub(super) fn common(&mut self, command: Command, turn: &mut Turn) -> bool {
        match (command, self.chosen_exchange()) {
            (Command::InspectorIssues, _) => self.show_sums(turn),
            (Command::InspectorDifference, _) => self.show_difference(turn),
            (Command::InspectorSave, _) => {
                let prompt = Prompt::new("Save as a HAR file", "cutaway.har");
                turn.question(Question::line(prompt, Answer::Har));
            }
            (Command::InspectorAgain, Some(recorded)) => {
                turn.request(|request| Effect::Again { request, recorded });
            }
            (Command::Copy, Some(recorded)) => Self::offer_copies(&recorded, turn),
            (Command::Address, Some(recorded)) => turn.outcomes.push(Outcome::Address(recorded.url.clone())),
            _ => return false,
        }
        true
    }
}

impl Pane for Inspector {
    fn layer(&self) -> Layer {
        Layer::Inspector
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        if self.searching || self.detail.as_ref().is_some_and(Detail::is_typing) {
            return const { &[Hint::of(C::Open).saying("done"), Hint::of(C::Back).saying("clear")] };
        }
        if self.detail.is_some() {
            return const {
                &[
                    Hint::moves(),
                    Hint::pair(C::Left, C::Right, "turn"),
                    Hint::of(C::InspectorSearch),
                    Hint::of(C::Copy),
                    Hint::of(C::InspectorAgain),
                    Hint::of(C::Back),
                ]
            };
        }
        const {
            &[
                Hint::moves(),
                Hint::of(C::Open),
                Hint::of(C::InspectorSearch),
                Hint::of(C::InspectorFilter),
                Hint::of(C::InspectorIssues),
                Hint::of(C::Mark),
                Hint::of(C::InspectorDifference),
                Hint::of(C::InspectorAgain),
                Hint::of(C::Copy),
                Hint::of(C::InspectorSave),
                Hint::of(C::Bundle),
                Hint::of(C::Quit),
            ]
        }
    }

    fn is_typing(&self) -> bool {
        self.searching || self.detail.as_ref().is_some_and(Detail::is_typing)
    }

    fn resize(&mut self, area: Rect, _now: Moment) {
        self.area = area;
        self.shown.resize(view::list_rows(area));
        if let Some(detail) = &mut self.detail {
            detail.keep_in_sight(view::detail_rows(area));
        }
    }

    fn veil(&mut self, _veil: &Veil) {
        // Requests and responses hold whatever the service knows.
        self.detail = None;
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, _now: Moment) -> Option<(u16, u16)> {
        match &self.detail {
            Some(detail) => detail.view(buf, ink, self.area),
            None => view::view(self, buf, ink),
        }
    }

    fn reading(&self, _now: Moment, lines: &mut Vec<String>) {
        if let Some(detail) = &self.detail {
            detail.reading(lines);
            return;
        }
        for (recorded, selected) in self.shown.all() {
            let status = recorded.status.map_or_else(|| "no response".to_owned(), |status| status.to_string());
            let mark = if selected { ">" } else { " " };
            let marked = if self.marked == Some(recorded.number) { "; selected" } else { "" };
            let (method, path, elapsed) = (&recorded.method, &recorded.path, recorded.elapsed_ms);
            lines.push(format!("{mark} {method} {path} {status} {elapsed} ms{marked}"));
        }
    }

    fn spoken(&self, _now: Moment) -> Spoken {
        let position = self.shown.position().filter(|_| self.detail.is_none());
        Spoken { position, ..Spoken::default() }
    }
}

impl Handler for Inspector {
    type Answer = Answer;
    type Effect = Effect;

    fn command(&mut self, command: Command, _now: Moment, turn: &mut Turn) -> bool {
        if self.searching {
            if matches!(command, Command::Open | Command::Back) {
                self.searching = false;
                if command == Command::Back {
                    self.shown.clear_query();
                }
                self.searched();
            }
            return true;
        }
        if let Some(detail) = &mut self.detail {
            if detail.command(command, view::detail_rows(self.area)) {
                return true;
            }
            if command == Command::Back {
                self.detail = None;
                return true;
            }
            return self.common(command, turn);
        }
        match command {
            _ if self.shown.command(command) => self.moved(),
            Command::Open => {
                if let Some(recorded) = self.chosen_exchange() {
                    self.selected = Some(recorded.number);
                    self.detail = Some(Detail::new(&recorded, &self.zone));
                }
            }
            Command::Mark => {
                let number = self.chosen_exchange().map(|recorded| recorded.number);
                self.marked = if self.marked == number { None } else { number };
            }
            Command::InspectorSearch => self.searching = true,
            Command::InspectorFilter => {
                self.only = self.only.next();
                self.searched();
            }
            Command::InspectorClear => {
                self.log.clear();
                self.marked = None;
                self.searched();
            }
            Command::Back if self.only != Only::All || !self.shown.query().is_empty() => {
                self.only = Only::All;
                self.shown.clear_query();
                self.searched();
            }
            other => return self.common(other, turn),
        }
        true
    }

    fn text_key(&mut self, key: Key, _now: Moment, _turn: &mut Turn) {
        if let Some(detail) = &mut self.detail {
            detail.key(key, view::detail_rows(self.area));
        } else if self.searching && self.shown.key(key) {
            self.searched();
        }
    }

    fn paste(&mut self, pasted: &str, _now: Moment, _turn: &mut Turn) {
        if let Some(detail) = &mut self.detail {
            detail.paste(pasted, view::detail_rows(self.area));
        } else if self.searching && self.shown.paste(pasted) {
            self.searched();
        }
    }

    fn mouse(&mut self, mouse: Mouse, _now: Moment, _turn: &mut Turn) {
        match (notch(mouse.what), &mut self.detail) {
            (Some(by), Some(detail)) => detail.wheel(by, view::detail_rows(self.area)),
            (Some(by), None) => {
                self.shown.wheel(by);
                self.moved();
            }
            (None, None) if mouse.what == MouseAction::Press => {
                if let Some(row) = view::list_row(self.area, mouse.y) {
                    self.shown.go_to(self.shown.top() + row);
                    self.moved();
                }
            }
            (None, _) => {}
        }
    }

    fn answered(&mut self, answered: Answered<Answer>, _now: Moment, turn: &mut Turn) {
        let file = Some(answered.typed).filter(|file| !file.trim().is_empty());
        match (answered.answer, file) {
            (Answer::Har, Some(file)) => {
                let exchanges = self.shown.rows().iter().rev().cloned().collect();
                turn.request(|request| Effect::SaveHar { request, file, exchanges });
            }
            (Answer::Bundle(bundle), Some(file)) => {
                let bundle = Box::new(Bundle { file, ..*bundle });
                turn.request(|request| Effect::ListBundle { request, bundle });
            }
            (Answer::Write { bundle, mask }, _) => {
                turn.request(|request| Effect::WriteBundle { request, bundle, mask });
            }
            (Answer::No | Answer::Har | Answer::Bundle(_), _) => {}
        }
    }
}
