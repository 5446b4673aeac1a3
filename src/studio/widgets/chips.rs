//! Small words in a row, each of which can be taken away.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{Ink, put, width};

/// Columns between chips.
const GAP: u16 = 2;

/// Where each chip goes, in rows of `area`'s width; those that no row has room for are left out.
#[must_use]
pub fn places(chips: &[String], area: Rect) -> Vec<Rect> {
    let mut places = Vec::with_capacity(chips.len());
    let (mut x, mut y) = (area.x, area.y);
    for chip in chips {
        let taken = (width(chip) + 2).min(area.width);
        if x > area.x && x + taken > area.right() {
            x = area.x;
            y += 1;
        }
        if y >= area.bottom() {
            break;
        }
        places.push(Rect { x, y, width: taken, height: 1 });
        x = x.saturating_add(taken + GAP);
    }
    places
}

/// How many rows the chips need at a width, at most `most`.
#[must_use]
pub fn rows(chips: &[String], across: u16, most: u16) -> u16 {
    let area = Rect { x: 0, y: 0, width: across, height: most };
    places(chips, area).last().map_or(0, |last| last.y + 1)
}

/// Draws the chips; the selected one stands out.
pub fn draw(buf: &mut Buffer, ink: Ink, chips: &[String], area: Rect, selected: Option<usize>) {
    for (index, (chip, place)) in chips.iter().zip(places(chips, area)).enumerate() {
        let chosen = selected == Some(index);
        if chosen {
            ink.stands((place.x, place.y));
        }
        let style = if chosen { ink.theme.accent.patch(ink.theme.select) } else { ink.theme.accent };
        let plain = ratatui::style::Style { add_modifier: ratatui::style::Modifier::empty(), ..style };
        let used = put(buf, ink, (place.x, place.y), place.width.saturating_sub(2), chip, plain);
        let cross = if chosen { ink.theme.error.patch(ink.theme.select) } else { ink.theme.dim };
        put(buf, ink, (place.x + used, place.y), 2, ink.sign(" ×", " x"), cross);
    }
}
