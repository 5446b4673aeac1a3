//! One exchange, whole: a tree whose branches fold, and in which can be searched.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::{Map, Value, json};

use super::view::time_of;
use crate::domain::text;
use crate::domain::wire::{Message, Recorded};
use crate::settings::Key;
use crate::studio::ground::{Command, Zone};
use crate::studio::widgets::tree::Tree;
use crate::studio::widgets::{Ink, LineEdit, Panel, Role, RowCursor, ground, piece, put, put_pieces, scrollbar};

/// An exchange that is looked at.
#[derive(Debug, Clone)]
pub struct Detail {
    title: String,
    right: String,
    value: Value,
    tree: Tree,
    place: RowCursor,
    search: LineEdit,
    searching: bool,
}

fn message(message: &Message) -> Value {
    let headers: Map<String, Value> =
        message.headers.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
    let mut object = Map::new();
    object.insert("headers".to_owned(), headers.into());
    object.insert("bytes".to_owned(), message.size.into());
    if !message.body.is_empty() {
        // What is no JSON, or was cut, is shown as it came.
        let body = serde_json::from_str(&message.body).unwrap_or_else(|_| Value::from(message.body.as_str()));
        object.insert("body".to_owned(), body);
    }
    if message.cut {
        object.insert("cut".to_owned(), "only the start of the body is kept".into());
    }
    object.into()
}

impl Detail {
    /// Looks at an exchange.
    #[must_use]
    pub fn new(recorded: &Recorded, zone: &Zone) -> Self {
        let status = recorded.status.map_or_else(|| "no response".to_owned(), |status| status.to_string());
        let mut value = json!({
            "at": recorded.at.to_string(),
            "operation": recorded.operation,
            "address": recorded.url,
            "milliseconds": recorded.elapsed_ms,
            "time to first byte (ms)": recorded.round_trip_ms,
            "retries": recorded.retries,
            "request ID": recorded.request_id,
            "request": message(&recorded.sent),
            "response": message(&recorded.received),
        });
        if let Some(object) = value.as_object_mut() {
            if let Some(error) = &recorded.error {
                object.insert("failed".to_owned(), Value::from(error.as_str()));
            }
            if !recorded.findings.is_empty() {
                let findings: Vec<String> = recorded.findings.iter().map(ToString::to_string).collect();
                object.insert("issues".to_owned(), findings.into());
            }
        }
        let mut detail = Self {
            title: text::line(&format!("{} {} {status}", recorded.method, recorded.path)).into_owned(),
            right: time_of(recorded, zone),
            value,
            tree: Tree::default(),
            place: RowCursor::default(),
            search: LineEdit::default(),
            searching: false,
        };
        detail.tree.lay_out(&detail.value);
        // Headers are seldom what is looked for.
        for path in ["/request/headers", "/response/headers"] {
            if let Some(row) = detail.tree.rows.iter().position(|row| row.path == path) {
                detail.tree.set_folded(row, true);
            }
        }
        detail.tree.lay_out(&detail.value);
        detail
    }

    /// Whether plain characters are text.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.searching
    }

    /// Takes a typed key.
    pub fn key(&mut self, key: Key, page: usize) {
        if self.searching && self.search.key(key) {
            self.find(self.place.selected, 0);
            self.keep_in_sight(page);
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, pasted: &str, page: usize) {
        if self.searching && self.search.paste(pasted) {
            self.find(self.place.selected, 0);
            self.keep_in_sight(page);
        }
    }

    /// Moves the rows as little as needed for the selected one to be seen.
    pub fn keep_in_sight(&mut self, page: usize) {
        self.place.keep_in_sight(page, self.tree.rows.len());
    }

    /// Turns the wheel.
    pub fn wheel(&mut self, by: isize, page: usize) {
        self.place.wheel(by, page, self.tree.rows.len());
    }

    /// Goes to the next row from this one on that has what is searched for.
    fn find(&mut self, from: usize, after: usize) {
        let wanted = text::fold(self.search.text().trim());
        if wanted.is_empty() {
            return;
        }
        let rows = self.tree.rows.len();
        let has = |at: &usize| {
            let row = self.tree.rows.get(*at);
            let said: String =
                row.map(|row| row.pieces.iter().map(|piece| piece.text.as_str()).collect()).unwrap_or_default();
            text::fold(&said).contains(&wanted)
        };
        if let Some(found) = (0..rows).map(|step| (from + after + step) % rows).find(has) {
            self.place.selected = found;
        }
    }

    /// Takes a command; whether it was for this.
    pub fn command(&mut self, command: Command, page: usize) -> bool {
        let all = self.tree.rows.len();
        if self.searching {
            match command {
                Command::Open | Command::Down => self.find(self.place.selected, 1),
                Command::Back => self.searching = false,
                _ => {}
            }
            self.place.keep_in_sight(page, all);
            return true;
        }
        match command {
            _ if self.place.command(command, page, all) => {}
            Command::InspectorSearch => {
                // What is folded can't be found.
                self.tree = Tree::default();
                self.tree.lay_out(&self.value);
                self.searching = true;
            }
            Command::Open | Command::Mark => {
                self.tree.toggle(self.place.selected);
                self.tree.lay_out(&self.value);
            }
            Command::Left => {
                if self.tree.set_folded(self.place.selected, true) {
                    self.tree.lay_out(&self.value);
                } else if let Some(parent) = self.tree.parent(self.place.selected) {
                    self.place.selected = parent;
                }
            }
            Command::Right => {
                self.tree.set_folded(self.place.selected, false);
                self.tree.lay_out(&self.value);
            }
            _ => return false,
        }
        self.place.keep_in_sight(page, self.tree.rows.len());
        true
    }

    /// Draws it and gives the cursor's place.
    pub fn view(&self, buf: &mut Buffer, ink: Ink, area: Rect) -> Option<(u16, u16)> {
        let right = vec![piece(Role::Dim, self.right.clone())];
        let inside = Panel { title: &self.title, right, focused: true, ..Panel::default() }.draw(buf, ink, area);
        let searches = u16::from(self.searching).min(inside.height);
        let mut cursor = None;
        if searches > 0 {
            put(buf, ink, (inside.x + 1, inside.y), 2, "/ ", ink.style(Role::Accent));
            cursor = Some(self.search.draw(buf, ink, (inside.x + 3, inside.y), inside.width.saturating_sub(4)));
        }
        let rows = Rect { y: inside.y + searches, height: inside.height - searches, ..inside };
        for ((at, row), y) in self.tree.rows.iter().enumerate().skip(self.place.top).zip(rows.y..rows.bottom()) {
            let indent = u16::try_from(row.depth * 2).unwrap_or(0).min(rows.width / 2);
            let room = rows.width.saturating_sub(indent + 2);
            put_pieces(buf, ink, (rows.x + 1 + indent, y), room, &row.pieces);
            if at == self.place.selected {
                ink.stands((rows.x + 1 + indent, y));
                ground(buf, ink, Rect { y, height: 1, ..rows });
            }
        }
        scrollbar(buf, ink, area, self.place.top, usize::from(rows.height), self.tree.rows.len());
        cursor
    }

    /// The exchange as lines.
    pub fn reading(&self, lines: &mut Vec<String>) {
        lines.push(self.title.clone());
        for (at, row) in self.tree.rows.iter().enumerate() {
            let said: String = row.pieces.iter().map(|piece| piece.text.as_str()).collect();
            let mark = if at == self.place.selected { ">" } else { " " };
            lines.push(format!("{mark} {}{said}", "  ".repeat(row.depth)));
        }
    }
}
