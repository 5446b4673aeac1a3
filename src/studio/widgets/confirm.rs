//! A question with a few answers, each said in words.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::{Veil, text};
use crate::settings::{Key, KeyCode};
use crate::studio::ground::Command;
use crate::studio::ground::layout::{centered, scrolled};
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::rows::scroll;
use crate::studio::widgets::{Ink, Panel, Role, Select, put};

/// What is to be decided, what is known about it, and the ways that can be chosen.
#[derive(Debug, Clone, Default)]
pub struct Confirm {
    title: String,
    /// What is said above the answers; all of it is harmless text.
    lines: Vec<(Role, String)>,
    answers: Select<String>,
    /// Whether only arrows and Enter answer it.
    deliberate: bool,
    top: usize,
    size: (u16, u16),
}

impl Confirm {
    /// A question; the first answer is selected. Put the harmless one first.
    #[must_use]
    pub fn new(title: impl Into<String>, lines: Vec<(Role, String)>, answers: Vec<String>) -> Self {
        Self { title: title.into(), lines, answers: answers.into(), ..Self::default() }
    }

    /// No digit answers it: it may come up while someone is about to press one for something else.
    #[must_use]
    pub fn deliberate(mut self) -> Self {
        self.deliberate = true;
        self
    }

    /// Whether no digit answers it.
    #[must_use]
    pub fn is_deliberate(&self) -> bool {
        self.deliberate
    }

    /// Passes over everything that it says above the answers.
    pub fn each_words(&mut self, change: impl FnMut(&mut String)) {
        self.lines.iter_mut().map(|(_, line)| line).for_each(change);
    }

    /// Hides what is not for somebody who watches.
    pub fn veil(&mut self, veil: &Veil) {
        for (_, line) in &mut self.lines {
            *line = veil.text(line).into_owned();
        }
    }

    /// The answers, in their order.
    pub fn answers(&self) -> impl Iterator<Item = &str> {
        self.answers.all().map(|(answer, _)| answer.as_str())
    }

    /// The answer that is meant by words: by its number, unless only arrows and Enter answer, or by what it says.
    #[must_use]
    pub fn named(&self, words: &str) -> Option<usize> {
        let wanted = text::fold(words.trim());
        let number = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let of_number = number.filter(|at| !self.deliberate && *at < self.answers.len());
        of_number.or_else(|| self.answers().position(|answer| text::fold(answer) == wanted))
    }

    /// Tells it the size of the screen.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
    }

    /// Takes a command; the answer that was chosen.
    pub fn command(&mut self, command: Command) -> Option<usize> {
        let page = (self.size.1 / 2).cast_signed();
        match command {
            Command::PageDown => self.wheel(page.into()),
            Command::PageUp => self.wheel((-page).into()),
            Command::Open => return self.answers.current().map(|_| self.answers.selected()),
            command => drop(self.answers.cycle(command)),
        }
        None
    }

    /// Moves what is said above the answers.
    pub fn wheel(&mut self, by: isize) {
        let (area, lines) = self.area();
        let page = usize::from(area.height).saturating_sub(self.answers.len() + 3);
        scroll(&mut self.top, by, page, lines.len());
    }

    /// Takes a key: a digit chooses.
    pub fn key(&self, key: Key) -> Option<usize> {
        let KeyCode::Char(c) = key.code else { return None };
        // Esc and a digit that arrive together are no answer.
        if self.deliberate || key != Key::char(c) {
            return None;
        }
        let at = usize::try_from(c.to_digit(10)?).ok()?.checked_sub(1)?;
        (at < self.answers.len()).then_some(at)
    }

    fn area(&self) -> (Rect, Vec<(Role, String)>) {
        let across = self.size.0.saturating_sub(4).min(76);
        let lines: Vec<(Role, String)> = self
            .lines
            .iter()
            .flat_map(|(role, line)| {
                let mut wrapped = wrap(line, across.saturating_sub(4));
                if wrapped.is_empty() {
                    wrapped.push(String::new());
                }
                wrapped.into_iter().map(|line| (*role, line))
            })
            .collect();
        let rows = lines.len() + self.answers.len() + 3;
        let height = u16::try_from(rows).unwrap_or(u16::MAX).min(self.size.1);
        (centered(Rect { x: 0, y: 0, width: self.size.0, height: self.size.1 }, across, height), lines)
    }

    /// The answer at a place of the screen.
    #[must_use]
    pub fn press(&self, x: u16, y: u16) -> Option<usize> {
        let (area, _) = self.area();
        let first = area.bottom().saturating_sub(1 + u16::try_from(self.answers.len()).unwrap_or(0));
        let inside = x > area.x && x + 1 < area.right() && y >= first && y + 1 < area.bottom();
        inside.then(|| usize::from(y - first))
    }

    /// Draws it over everything else.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink) {
        let (area, lines) = self.area();
        super::wipe(buf, ink, area);
        let inside = Panel { title: &self.title, focused: true, ..Panel::default() }.draw(buf, ink, area);
        let answers = u16::try_from(self.answers.len()).unwrap_or(0);
        let room = inside.height.saturating_sub(answers + 1);
        let top = scrolled(self.top, self.top, usize::from(room), lines.len());
        for ((role, line), y) in lines.iter().skip(top).zip(inside.y..inside.y + room) {
            put(buf, ink, (inside.x + 1, y), inside.width.saturating_sub(2), line, ink.style(*role));
        }
        let first = inside.bottom().saturating_sub(answers);
        for ((at, (answer, chosen)), y) in self.answers.all().enumerate().zip(first..inside.bottom()) {
            let mark = if chosen { ink.sign("▌ ", "> ") } else { "  " };
            let line = if self.deliberate { format!("{mark}{answer}") } else { format!("{mark}{} {answer}", at + 1) };
            let role = if chosen { Role::Accent } else { Role::Text };
            put(buf, ink, (inside.x, y), inside.width, &line, ink.style(role));
            if chosen {
                ink.stands((inside.x, y));
            }
        }
    }

    /// Which answer is current, of how many.
    #[must_use]
    pub fn position(&self) -> Option<(usize, usize)> {
        self.answers.position()
    }

    /// The question as lines.
    pub fn reading(&self, lines: &mut Vec<String>) {
        lines.push(self.title.clone());
        lines.extend(self.lines.iter().map(|(_, line)| line.trim_start().to_owned()));
        for (at, (answer, chosen)) in self.answers.all().enumerate() {
            lines.push(format!("{} {} {answer}", if chosen { ">" } else { " " }, at + 1));
        }
    }
}
