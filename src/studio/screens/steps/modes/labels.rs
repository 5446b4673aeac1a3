//! Letters over the cards: typing them goes there; a digit goes to an answer of the card where one is.

use super::super::vocabulary::Turn;
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, NoticeKind};
use crate::studio::screens::pane::Hint;
use crate::studio::widgets::graph;

use super::super::{Cursor, Editor, Mode};

/// What the last line shows.
pub(super) const HINTS: &[Hint] = &[
    Hint::range("a-z", Key::char('a'), "that step"),
    Hint::range("1-9", Key::char('1'), "answer of this step"),
    Hint::of(Command::Back).saying("cancel"),
];

/// The letters, and what of them was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// The steps with their letters.
    pub of: Vec<(usize, String)>,
    /// What was typed.
    pub typed: String,
}

impl Labels {
    /// Takes a letter: the step that it completes, or whether any still may be meant.
    pub fn letter(&mut self, c: char) -> Result<usize, bool> {
        self.typed.push(c.to_ascii_lowercase());
        if let Some((step, _)) = self.of.iter().find(|(_, label)| *label == self.typed) {
            return Ok(*step);
        }
        let open = self.of.iter().any(|(_, label)| label.starts_with(&self.typed));
        if !open {
            self.typed.clear();
        }
        Err(open)
    }

    /// The letters that still can be typed.
    pub fn open(&self) -> impl Iterator<Item = (usize, &str)> + '_ {
        self.of.iter().filter_map(|(step, label)| Some((*step, label.strip_prefix(&self.typed)?)))
    }
}

impl Editor {
    /// Puts letters over the cards that are seen; those in `without` are keys of their own.
    pub(in super::super) fn labels(&self, without: &str) -> Labels {
        let steps: Vec<usize> = if self.is_outlined() {
            let rows = self.shown.outline.iter().skip(self.top).take(self.outline_page());
            rows.filter(|row| row.port.is_none()).map(|row| row.step).collect()
        } else {
            self.canvas().hints(self.map_area()).into_iter().map(|(step, _)| step).collect()
        };
        let is_free = |label: &String| !label.contains(|letter| without.contains(letter));
        let free = |count| graph::labels(count).into_iter().filter(is_free).collect::<Vec<_>>();
        let mut letters = free(steps.len() + without.len());
        if letters.len() < steps.len() {
            letters = free(400);
        }
        Labels { of: steps.into_iter().zip(letters).collect(), typed: String::new() }
    }

    /// Shows letters to go to a card with.
    pub(in super::super) fn begin_labels(&mut self, turn: &mut Turn) {
        let labels = self.labels("");
        if labels.of.is_empty() {
            turn.say(NoticeKind::Hint, "No steps to jump to.");
            return;
        }
        self.mode = Mode::Labels(labels);
        self.mark();
    }

    /// Takes a command while letters are shown: only leaving them is one.
    pub(super) fn labels_command(&mut self, command: Command) {
        if command == Command::Back {
            self.mode = Mode::Normal;
            self.mark();
        }
    }

    /// Takes a key while letters are shown.
    pub(in super::super) fn labels_key(&mut self, key: Key, turn: &mut Turn) {
        let Mode::Labels(labels) = &mut self.mode else { return };
        let KeyCode::Char(c) = key.code else { return };
        if let Some(number) = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()) {
            return self.select_answer(number, turn);
        }
        match labels.letter(c) {
            Ok(step) => {
                self.mode = Mode::Normal;
                if let Some(step) = self.shown.step(step) {
                    self.jump_to(Cursor { step, port: None });
                }
            }
            Err(true) => {}
            Err(false) => self.mode = Mode::Normal,
        }
        self.mark();
    }

    /// Selects an answer of the selected card, counted from 1.
    fn select_answer(&mut self, number: usize, turn: &mut Turn) {
        self.mode = Mode::Normal;
        self.mark();
        let Some((step, _)) = self.selected() else { return };
        if let Some((port, step)) = self.port_numbered(step, number, turn).zip(self.shown.step(step)) {
            self.go_to(Cursor { step, port: Some(port) });
        }
    }

    /// An answer of a card, counted from 1; says how many there are where there is none.
    pub(super) fn port_numbered(&self, step: usize, number: usize, turn: &mut Turn) -> Option<usize> {
        let ports = self.shown.graph.ports(step).len();
        let port = number.checked_sub(1).filter(|port| *port < ports);
        match (port, ports) {
            (Some(_), _) => {}
            (None, 0) => turn.say(NoticeKind::Hint, "This step has no answers. ‹steps.answer.add› adds one."),
            (None, 1) => turn.say(NoticeKind::Hint, "This step has 1 answer."),
            (None, _) => turn.say(NoticeKind::Hint, format!("This step has {ports} answers.")),
        }
        port
    }
}
