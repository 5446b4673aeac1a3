//! Panes and what runs along their edges.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::paint::{Ink, Piece, Role, inside, put, put_pieces, width};

/// A pane: a border with words in it.
#[derive(Debug, Clone, Default)]
pub struct Panel<'a> {
    /// What it is.
    pub title: &'a str,
    /// On the right of the upper edge.
    pub right: Vec<Piece>,
    /// On the right of the lower edge.
    pub bottom: Vec<Piece>,
    /// Whether keys go to it.
    pub focused: bool,
}

impl Panel<'_> {
    /// Draws the border and gives the area inside.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink, area: Rect) -> Rect {
        let area = area.intersection(buf.area);
        if area.width < 2 || area.height < 2 {
            return Rect { width: 0, height: 0, ..area };
        }
        if self.focused {
            ink.has_keys(area);
        }
        let style = if self.focused { ink.theme.accent } else { ink.theme.faint };
        let style = ink.theme.frame.unwrap_or(style);
        let style = Style { add_modifier: ratatui::style::Modifier::empty(), ..style };
        let signs = match () {
            () if ink.ascii => ["+", "+", "+", "+", "-", "|"],
            // Where no color says which pane has the keys, its border does.
            () if self.focused && !ink.is_colored() => ["┏", "┓", "┗", "┛", "━", "┃"],
            () => ["╭", "╮", "╰", "╯", "─", "│"],
        };
        let [top_left, top_right, bottom_left, bottom_right, across, down] = signs;
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        for x in area.left() + 1..right {
            set(buf, x, area.top(), across, style);
            set(buf, x, bottom, across, style);
        }
        for y in area.top() + 1..bottom {
            set(buf, area.left(), y, down, style);
            set(buf, right, y, down, style);
        }
        set(buf, area.left(), area.top(), top_left, style);
        set(buf, right, area.top(), top_right, style);
        set(buf, area.left(), bottom, bottom_left, style);
        set(buf, right, bottom, bottom_right, style);

        let title_style = if self.focused { ink.theme.accent } else { ink.theme.text };
        let room = area.width.saturating_sub(6);
        let mut used = 0;
        if !self.title.is_empty() && room > 0 {
            set(buf, area.left() + 1, area.top(), " ", style);
            used = put(buf, ink, (area.left() + 2, area.top()), room, self.title, title_style);
            set(buf, area.left() + 2 + used, area.top(), " ", style);
        }
        edge(buf, ink, (right, area.top()), room.saturating_sub(used + 1), &self.right);
        edge(buf, ink, (right, bottom), room, &self.bottom);
        inside(area)
    }
}

/// Pieces that end two cells before the corner.
fn edge(buf: &mut Buffer, ink: Ink, corner: (u16, u16), room: u16, pieces: &[Piece]) {
    let taken: u16 = pieces.iter().map(|piece| width(&ink.keyed(&piece.text))).fold(0, u16::saturating_add);
    if taken == 0 || room == 0 {
        return;
    }
    let shown = taken.min(room);
    let x = corner.0.saturating_sub(shown + 1);
    set(buf, x.saturating_sub(1), corner.1, " ", Style::new());
    put_pieces(buf, ink, (x, corner.1), shown, pieces);
    set(buf, x + shown, corner.1, " ", Style::new());
}

fn set(buf: &mut Buffer, x: u16, y: u16, sign: &str, style: Style) {
    if let Some(cell) = buf.cell_mut((x, y)) {
        cell.set_symbol(sign).set_style(style);
    }
}

/// Shows on a pane's right border which part of something long is seen.
pub fn scrollbar(buf: &mut Buffer, ink: Ink, panel: Rect, first: usize, seen: usize, all: usize) {
    let track = usize::from(panel.height.saturating_sub(2));
    if all <= seen || track < 3 || panel.width < 2 {
        return;
    }
    let length = (track * seen / all).clamp(1, track);
    let start = (track - length) * first.min(all - seen) / (all - seen);
    for step in start..start + length {
        let y = panel.y + 1 + u16::try_from(step).unwrap_or(0);
        set(buf, panel.right() - 1, y, ink.sign("┃", "#"), ink.style(Role::Dim));
    }
}

/// Clears an area for what lies over it.
pub fn wipe(buf: &mut Buffer, ink: Ink, area: Rect) {
    let area = area.intersection(buf.area);
    // A wide sign that began to the left of the area would be torn: it is taken away whole.
    for y in area.top()..area.bottom() {
        if area.left() > 0
            && let Some(cell) = buf.cell_mut((area.left() - 1, y))
            && unicode_width::UnicodeWidthStr::width(cell.symbol()) > 1
        {
            cell.reset();
        }
        for x in area.left()..area.right() {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.reset();
                cell.set_style(ink.theme.text);
            }
        }
    }
}
