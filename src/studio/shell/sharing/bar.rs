//! What the first line and the last say of a studio that is shared: to the owner, and to whoever watches.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Keys, Sharing};
use crate::studio::widgets::{Ink, Piece, Role, piece, put_pieces};

/// What the first line says; nothing where nothing is shared.
pub fn status(sharing: &Sharing) -> Option<Piece> {
    if let Some(seat) = sharing.seat {
        let has_keys = sharing.watcher(seat).is_some_and(|watcher| watcher.keys == Keys::Given);
        return Some(piece(Role::Error, if has_keys { "watching: you have the keys" } else { "watching" }));
    }
    if !sharing.is_on() {
        return None;
    }
    let words = match (sharing.holder(), sharing.watchers.as_slice()) {
        (Some(holder), _) => format!("shared: {} has the keys", holder.name),
        (None, []) => "shared: nobody yet".to_owned(),
        (None, [one]) => format!("shared: {}", one.name),
        (None, several) => format!("shared: {} people", several.len()),
    };
    Some(piece(Role::Error, words))
}

/// The last line of whoever watches and has no keys; whether it was drawn.
pub fn draw_hints(sharing: &Sharing, buf: &mut Buffer, ink: Ink, area: Rect) -> bool {
    let Some(watcher) = sharing.seat.and_then(|seat| sharing.watcher(seat)) else { return false };
    if watcher.keys == Keys::Given {
        return false;
    }
    let arrows = ink.sign("↑↓←→", "arrows");
    let mut hints = vec![(arrows, "or click: point"), ("Esc", "clear")];
    if watcher.keys == Keys::WithOwner {
        hints.push(("k", "ask for the keys"));
    }
    hints.push(("q", "leave"));
    let pieces: Vec<Piece> = hints
        .into_iter()
        .flat_map(|(key, what)| [piece(Role::Accent, format!(" {key}")), piece(Role::Dim, format!(" {what} "))])
        .collect();
    put_pieces(buf, ink, (area.x, area.y), area.width, &pieces);
    true
}
