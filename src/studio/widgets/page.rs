//! A page of text over the screen: notices, an address, what a start says.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::Veil;
use crate::studio::ground::Command;
use crate::studio::ground::layout::centered;
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::rows::{scroll, stride};
use crate::studio::widgets::{Ink, Panel, Piece, Role, piece, put_pieces, scrollbar};

/// Text to be read, scrolled where it is long.
#[derive(Debug, Clone, Default)]
pub struct Page {
    title: String,
    lines: Vec<(Role, String)>,
    hint: String,
    copy: Option<String>,
    of_others: bool,
    top: usize,
    size: (u16, u16),
}

impl Page {
    /// A page of lines, each in a role; the texts are harmless already.
    #[must_use]
    pub fn new(title: impl Into<String>, lines: Vec<(Role, String)>, hint: impl Into<String>) -> Self {
        Self { title: title.into(), lines, hint: hint.into(), ..Self::default() }
    }

    /// Lets this text be copied from the page.
    #[must_use]
    pub fn with_copy(mut self, text: String) -> Self {
        self.copy = Some(text);
        self
    }

    /// Says that it shows what people did: whoever watches sees nothing of it.
    #[must_use]
    pub fn of_others(mut self) -> Self {
        self.of_others = true;
        self
    }

    /// What it is called.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Passes over everything that it says.
    pub fn each_words(&mut self, change: impl FnMut(&mut String)) {
        self.lines.iter_mut().map(|(_, line)| line).chain([&mut self.hint]).for_each(change);
    }

    /// Gives it other lines, of which new ones come first: those that are read stay where they are.
    pub fn renew(&mut self, lines: Vec<(Role, String)>) {
        let before = self.wrapped().len();
        self.lines = lines;
        if self.top > 0 {
            self.wheel(self.wrapped().len().saturating_sub(before).cast_signed());
        }
    }

    /// The text that can be copied from the page.
    #[must_use]
    pub fn text_to_copy(&self) -> Option<&str> {
        self.copy.as_deref()
    }

    /// Hides what is not for somebody who watches. Of JSON, which is what services sent, only the names of fields stay.
    pub fn veil(&mut self, veil: &Veil) {
        if self.of_others {
            let words = "What is open here is not shown to people who watch.".to_owned();
            *self = Self { size: self.size, ..Self::new("Hidden", vec![(Role::Dim, words)], "") };
            return;
        }
        let is_json = self.copy.take().is_some_and(|text| text.trim_start().starts_with(['{', '[']));
        for (_, line) in &mut self.lines {
            *line = if is_json { veil.json(line) } else { veil.text(line).into_owned() };
        }
    }

    /// Tells it the size of the screen.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        self.top = self.top.min(self.wrapped().len().saturating_sub(self.page()));
    }

    /// Takes a command.
    pub fn command(&mut self, command: Command) {
        if let Some(by) = stride(command, self.page()) {
            self.wheel(by);
        }
    }

    /// Moves the lines that are seen.
    pub fn wheel(&mut self, by: isize) {
        let (page, all) = (self.page(), self.wrapped().len());
        scroll(&mut self.top, by, page, all);
    }

    fn wrapped(&self) -> Vec<Piece> {
        let room = 74.min(self.size.0.saturating_sub(4));
        self.lines.iter().flat_map(|(role, line)| wrap(line, room).into_iter().map(|part| piece(*role, part))).collect()
    }

    fn area(&self) -> Rect {
        let screen = Rect { x: 0, y: 0, width: self.size.0, height: self.size.1 };
        let rows = u16::try_from(self.wrapped().len()).unwrap_or(u16::MAX).saturating_add(2);
        centered(screen, 78, rows.min(self.size.1.saturating_sub(2)))
    }

    fn page(&self) -> usize {
        usize::from(self.area().height.saturating_sub(2)).max(1)
    }

    /// Draws it over everything else.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink) {
        let area = self.area();
        super::wipe(buf, ink, area);
        let bottom = vec![piece(Role::Dim, self.hint.clone())];
        let inside = Panel { title: &self.title, bottom, focused: true, ..Panel::default() }.draw(buf, ink, area);
        let lines = self.wrapped();
        // Where reading begins.
        ink.stands((inside.x + 1, inside.y));
        for (row, line) in lines.iter().skip(self.top).take(usize::from(inside.height)).enumerate() {
            let y = inside.y + u16::try_from(row).unwrap_or(0);
            put_pieces(buf, ink, (inside.x + 1, y), inside.width.saturating_sub(1), std::slice::from_ref(line));
        }
        for (_, line) in self.lines.iter().filter(|(_, line)| line.starts_with("http")) {
            ink.link(buf, inside, line);
        }
        scrollbar(buf, ink, area, self.top, usize::from(inside.height), lines.len());
    }

    /// The page as lines.
    pub fn reading(&self, lines: &mut Vec<String>) {
        lines.push(self.title.clone());
        // What is set in is no row of a list.
        lines.extend(self.lines.iter().map(|(_, line)| line.trim_start().to_owned()));
    }
}
