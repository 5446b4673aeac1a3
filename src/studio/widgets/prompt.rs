//! A line to be typed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::Veil;
use crate::settings::Key;
use crate::studio::ground::layout::centered;
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::{Ink, LineEdit, Panel, Role, put};

/// A question that a line of text answers.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    title: String,
    /// What is said above the line; all of it is harmless text.
    lines: Vec<(Role, String)>,
    line: LineEdit,
    is_fleeting: bool,
    size: (u16, u16),
}

impl Prompt {
    /// Asks for a text; `begin` is what it might be.
    #[must_use]
    pub fn new(title: &str, begin: &str) -> Self {
        Self { title: title.to_owned(), line: LineEdit::with(begin), ..Self::default() }
    }

    /// Says this above the line.
    #[must_use]
    pub fn with_lines(mut self, lines: Vec<(Role, String)>) -> Self {
        self.lines = lines;
        self
    }

    /// Says that what is typed means something only now: it is never kept.
    #[must_use]
    pub fn fleeting(mut self) -> Self {
        self.is_fleeting = true;
        self
    }

    /// Whether what is typed is never kept.
    #[must_use]
    pub fn is_fleeting(&self) -> bool {
        self.is_fleeting
    }

    /// What is asked for.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Puts this in the place of what was typed.
    pub fn retype(&mut self, text: &str) {
        self.line = LineEdit::with(text);
    }

    /// Tells it the size of the screen.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
    }

    /// Takes a typed key.
    pub fn key(&mut self, key: Key) {
        self.line.key(key);
    }

    /// Takes pasted text.
    pub fn paste(&mut self, pasted: &str) {
        self.line.paste(pasted);
    }

    /// What was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        self.line.text().trim()
    }

    /// Hides what is not for somebody who watches.
    pub fn veil(&mut self, veil: &Veil) {
        for (_, line) in &mut self.lines {
            *line = veil.text(line).into_owned();
        }
    }

    /// Draws it over everything else and gives the cursor's place.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink) -> Option<(u16, u16)> {
        let screen = Rect { x: 0, y: 0, width: self.size.0, height: self.size.1 };
        let across = screen.width.min(64).saturating_sub(4);
        let above: Vec<(Role, String)> = self
            .lines
            .iter()
            .flat_map(|(role, line)| wrap(line, across).into_iter().map(|line| (*role, line)))
            .collect();
        let rows = u16::try_from(above.len()).unwrap_or(u16::MAX).saturating_add(3);
        let area = centered(screen, 64, rows);
        super::wipe(buf, ink, area);
        let inside = Panel { title: &self.title, focused: true, ..Panel::default() }.draw(buf, ink, area);
        if inside.height == 0 || inside.width < 8 {
            return None;
        }
        // Where not all has room the line to be typed does.
        let y = inside.bottom() - 1;
        for ((role, line), y) in above.iter().zip(inside.y..y) {
            put(buf, ink, (inside.x + 1, y), inside.width - 2, line, ink.style(*role));
        }
        put(buf, ink, (inside.x + 1, y), 2, ink.sign("❯ ", "> "), ink.style(Role::Accent));
        Some(self.line.draw(buf, ink, (inside.x + 3, y), inside.width - 4))
    }

    /// The question as lines: first what is asked for.
    pub fn reading(&self, lines: &mut Vec<String>) {
        lines.push(format!("{}: {}", self.title, self.line.text()));
        lines.extend(self.lines.iter().map(|(_, line)| line.trim_start().to_owned()));
    }
}
