//! Every key and what it does.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::text::fold;
use crate::settings::Key;
use crate::studio::command::Command;
use crate::studio::keys::{Keymap, Layer};
use crate::studio::layout::centred;
use crate::studio::widgets::{Ink, LineEdit, Panel, Role, piece, put, scrollbar};

/// The help page: what was typed to search it, and how far it is scrolled.
#[derive(Debug, Clone, Default)]
pub struct Help {
    query: LineEdit,
    top: usize,
    size: (u16, u16),
}

impl Help {
    /// Tells it the size of the screen.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
    }

    /// Takes a typed key.
    pub fn key(&mut self, key: Key) {
        if self.query.key(key) {
            self.top = 0;
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, pasted: &str) {
        if self.query.paste(pasted) {
            self.top = 0;
        }
    }

    /// Takes a command.
    pub fn command(&mut self, command: Command, keymap: &Keymap) {
        let page = self.page();
        let last = self.lines(keymap).len().saturating_sub(page);
        self.top = match command {
            Command::Up => self.top.saturating_sub(1),
            Command::Down => (self.top + 1).min(last),
            Command::PageUp => self.top.saturating_sub(page),
            Command::PageDown => (self.top + page).min(last),
            Command::Home => 0,
            Command::End => last,
            _ => self.top,
        };
    }

    /// Keys, title and sentence of every command that matches.
    fn lines(&self, keymap: &Keymap) -> Vec<(String, Command)> {
        let wanted = fold(self.query.text().trim());
        Command::ALL
            .iter()
            .filter_map(|command| {
                let keys: Vec<String> =
                    keymap.keys_of(*command, &Layer::OUTSIDE_TEXT).map(|key| key.label(true)).collect();
                let keys = keys.join(" ");
                let all = format!("{keys} {} {} {}", command.title(), command.name(), command.about());
                fold(&all).contains(&wanted).then_some((keys, *command))
            })
            .collect()
    }

    fn area(&self) -> Rect {
        centred(Rect { x: 0, y: 0, width: self.size.0, height: self.size.1 }, 100, self.size.1.saturating_sub(2))
    }

    fn page(&self) -> usize {
        usize::from(self.area().height.saturating_sub(4)).max(1)
    }

    /// Draws it over everything else and gives the cursor's place.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink, keymap: &Keymap) -> Option<(u16, u16)> {
        let area = self.area();
        super::wipe(buf, ink, area);
        let lines = self.lines(keymap);
        let right = vec![piece(Role::Dim, format!("{} commands", lines.len()))];
        let panel = Panel { title: "Help", right, focused: true, ..Panel::default() };
        let inside = panel.draw(buf, ink, area);
        if inside.height < 2 || inside.width < 20 {
            return None;
        }
        put(buf, ink, (inside.x + 1, inside.y), 2, ink.sign("❯ ", "> "), ink.style(Role::Accent));
        let cursor = self.query.draw(buf, ink, (inside.x + 3, inside.y), inside.width - 4);
        if self.query.text().is_empty() {
            let say = "type to search; keymap.toml in the configuration folder changes the keys";
            put(buf, ink, (inside.x + 4, inside.y), inside.width - 5, say, ink.style(Role::Faint));
        }
        let wide = inside.width >= 84;
        for (row, (keys, command)) in lines.iter().skip(self.top).take(self.page()).enumerate() {
            let y = inside.y + 2 + u16::try_from(row).unwrap_or(0);
            put(buf, ink, (inside.x + 1, y), 15, keys, ink.style(Role::Accent));
            let rest = inside.width.saturating_sub(18);
            if wide {
                put(buf, ink, (inside.x + 17, y), 23, command.name(), ink.style(Role::Dim));
                put(buf, ink, (inside.x + 41, y), rest.saturating_sub(24), command.about(), ink.style(Role::Text));
            } else {
                put(buf, ink, (inside.x + 17, y), rest, command.about(), ink.style(Role::Text));
            }
        }
        if lines.is_empty() {
            put(
                buf,
                ink,
                (inside.x + 1, inside.y + 2),
                inside.width - 2,
                "No command says that.",
                ink.style(Role::Dim),
            );
        }
        scrollbar(buf, ink, area, self.top, self.page(), lines.len());
        Some(cursor)
    }

    /// The page as lines.
    pub fn reading(&self, keymap: &Keymap, lines: &mut Vec<String>) {
        lines.push(format!("Help: {}", self.query.text()));
        for (keys, command) in self.lines(keymap) {
            lines.push(format!("{keys}  {}  {}", command.name(), command.about()));
        }
    }
}
