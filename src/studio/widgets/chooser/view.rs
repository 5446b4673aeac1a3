//! How the choosing of files looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Chooser;
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

    /// Where the entries are inside of a pane, below what is typed.
    pub(super) fn rows_in(room: Rect) -> Rect {
        Rect { y: room.y + 2, height: room.height.saturating_sub(2), ..room }
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
        let rows = Self::rows_in(room);
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
