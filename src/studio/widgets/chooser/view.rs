//! How the choosing of files looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Chooser, Chosen, FolderEntry};
use crate::domain::text;
use crate::studio::ground::Remote;
use crate::studio::widgets::paint::inside;
use crate::studio::widgets::{Ink, Panel, Role, piece, put, put_right, scrollbar, select};
use crate::uploads::bytes;

impl Chooser {
    /// How many files are seen at once in this area: a line goes to what is typed, one stays free.
    #[must_use]
    pub fn page(area: Rect) -> usize {
        usize::from(inside(area).height.saturating_sub(2)).max(1)
    }

    /// Takes a press of the mouse where it is drawn into this area: goes to the entry. A second press opens a folder, or takes
    /// the file: with those that are marked where it is one of them.
    pub fn press(&mut self, area: Rect, x: u16, y: u16) -> Chosen {
        let was_current = self.current().map(|entry| entry.path.clone());
        let pressed = self.pressed.take().filter(|pressed| was_current.as_ref() == Some(pressed));
        if self.found.press(rows(inside(area)), 1, x, y).is_none() {
            return Chosen::Nothing;
        }
        let Some(FolderEntry { path, is_folder, .. }) = self.current().cloned() else { return Chosen::Nothing };
        if pressed.as_ref() != Some(&path) {
            self.pressed = Some(path);
            return Chosen::Nothing;
        }
        match is_folder {
            true => Chosen::Folder(path),
            false if self.marked.contains(&path) => Chosen::Files(self.marked.iter().cloned().collect()),
            false => Chosen::Files(vec![path]),
        }
    }

    /// Draws it and gives the cursor's place.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink, area: Rect) -> Option<(u16, u16)> {
        let chooser = self;
        let folder = chooser.folder.known();
        let path = folder.map(|folder| folder.path.to_string_lossy().into_owned()).unwrap_or_default();
        let whose = folder.and_then(|folder| folder.machine.as_deref());
        let title = match whose {
            // Over a line to another machine it is easily forgotten that these are not one's own.
            Some(machine) => format!("Files of {}: {}", text::line(machine), text::line(&path)),
            None => format!("Files: {}", text::line(&path)),
        };
        let bottom = match chooser.marked.len() {
            0 => Vec::new(),
            marked => vec![piece(Role::Text, format!("{marked} selected"))],
        };
        let panel = Panel {
            title: &title,
            right: vec![piece(Role::Dim, chooser.found.len().to_string())],
            bottom,
            focused: true,
        };
        let room = panel.draw(buf, ink, area);
        if room.height < 3 || room.width < 12 {
            return None;
        }
        put(buf, ink, (room.x + 1, room.y), 2, ink.sign("❯ ", "> "), ink.style(Role::Accent));
        let cursor = chooser.found.draw_query(buf, ink, (room.x + 3, room.y), room.width - 4);
        let rows = rows(room);
        if chooser.found.is_empty() {
            let say = match &chooser.folder {
                Remote::Loading { .. } => "",
                Remote::Failed { .. } => "Can't open the folder. Type a path, or ← goes up.",
                _ if chooser.found.query().is_empty() => "The folder is empty. Type a path, or ← goes up.",
                _ => "No match in this folder.",
            };
            put(buf, ink, (rows.x + 3, rows.y), rows.width.saturating_sub(4), say, ink.style(Role::Dim));
        }
        for ((row, entry), y) in chooser.rows().enumerate().skip(chooser.found.top()).zip(rows.y..rows.bottom()) {
            let line = Rect { y, height: 1, ..rows };
            let (sign, name, size) = if entry.is_folder {
                (" ", format!("{}/", entry.name), String::new())
            } else if chooser.marked.contains(&entry.path) {
                (ink.sign("●", "*"), entry.name.clone(), bytes(entry.size))
            } else {
                (ink.sign("○", "."), entry.name.clone(), bytes(entry.size))
            };
            put(buf, ink, (line.x + 2, y), 1, sign, ink.style(Role::Accent));
            put_right(buf, ink, (line.right().saturating_sub(10), y), 9, &size, ink.style(Role::Dim));
            let role = if entry.is_folder { Role::Accent } else { Role::Text };
            put(buf, ink, (line.x + 4, y), line.width.saturating_sub(16), &name, ink.style(role));
            if row == chooser.found.selected() {
                select(buf, ink, line);
            }
        }
        scrollbar(buf, ink, area, chooser.found.top(), usize::from(rows.height), chooser.found.len());
        Some(cursor)
    }
}

/// Where the entries are, below what is typed.
fn rows(room: Rect) -> Rect {
    Rect { y: room.y + 2, height: room.height.saturating_sub(2), ..room }
}
