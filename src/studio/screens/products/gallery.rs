//! The media of a product as tiles, or as a list where no pictures are shown: what each is, and the address of the one
//! that is selected.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::lines::{Line, clean, padded};
use crate::domain::Media;
use crate::studio::ground::layout::scrolled;
use crate::studio::widgets::pictures::Place;
use crate::studio::widgets::{Ink, Role, piece, put, width};

/// How the tiles stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gallery {
    /// Tiles side by side.
    pub columns: usize,
    /// Rows of tiles that are seen.
    pub rows: usize,
    /// The picture of a tile, columns and rows; a line of a list has none.
    picture: (u16, u16),
    /// Rows of a tile under its picture.
    under: u16,
}

/// Rows of a tile under its picture: what it is, and a gap.
const UNDER: u16 = 2;
/// Rows under the tiles: the address.
const BELOW: u16 = 2;

impl Gallery {
    /// The tiles of an area of this size; none where there is no room for one.
    #[must_use]
    pub fn of(across: u16, down: u16) -> Option<Self> {
        let room = down.saturating_sub(BELOW);
        let high = room.saturating_sub(UNDER).min(if across >= 60 { 10 } else { 7 });
        let wide = (high * 2).min(across);
        if high < 3 || wide < 6 {
            return None;
        }
        let columns = usize::from((across + 2) / (wide + 2)).max(1);
        let rows = usize::from(room / (high + UNDER)).max(1);
        Some(Self { columns, rows, picture: (wide, high), under: UNDER })
    }

    /// A line each, for an area of this size.
    #[must_use]
    pub fn list(across: u16, down: u16) -> Option<Self> {
        let rows = usize::from(down.saturating_sub(BELOW));
        (across > 0 && rows > 0).then_some(Self { columns: 1, rows, picture: (across, 0), under: 1 })
    }

    /// The first row of tiles so that a medium is seen.
    #[must_use]
    pub fn top(self, top: usize, selected: usize, media: usize) -> usize {
        scrolled(top, selected / self.columns, self.rows, media.div_ceil(self.columns))
    }

    /// The tiles that are seen: which medium stands where.
    fn tiles(self, body: Rect, top: usize, media: usize) -> impl Iterator<Item = (usize, Rect)> {
        let (wide, high) = self.picture;
        let first = top * self.columns;
        (first..media.min(first + self.rows * self.columns)).filter_map(move |index| {
            let at = index - first;
            let x = u16::try_from(at % self.columns).ok()? * (wide + 2);
            let y = u16::try_from(at / self.columns).ok()? * (high + self.under);
            let tile = Rect { x: body.x + x, y: body.y + y, width: wide, height: high + self.under };
            (tile.bottom() <= body.bottom() && tile.right() <= body.right()).then_some((index, tile))
        })
    }

    /// The medium whose tile covers a cell.
    #[must_use]
    pub fn at(self, body: Rect, top: usize, media: usize, (x, y): (u16, u16)) -> Option<usize> {
        self.tiles(body, top, media).find(|(_, tile)| tile.contains((x, y).into())).map(|(index, _)| index)
    }

    /// The pictures of the tiles that are seen.
    #[must_use]
    pub fn places(self, body: Rect, top: usize, media: &[Media]) -> Vec<Place> {
        self.tiles(body, top, media.len())
            .filter(|_| self.picture.1 > 0)
            .filter_map(|(index, tile)| {
                let address = media.get(index)?.preview_url.as_deref()?;
                Some(Place { address: address.into(), area: Rect { height: self.picture.1, ..tile } })
            })
            .collect()
    }

    /// Draws what stands under the pictures, and the address of the medium that is selected.
    pub fn draw(self, buf: &mut Buffer, ink: Ink, body: Rect, media: &[Media], (top, selected): (usize, usize)) {
        for (index, tile) in self.tiles(body, top, media.len()) {
            let Some(medium) = media.get(index) else { continue };
            if medium.preview_url.is_none() && self.picture.1 > 0 {
                let at = (tile.x, tile.y + self.picture.1 / 2);
                put(buf, ink, at, tile.width, "no picture", ink.style(Role::Faint));
            }
            let chosen = index == selected;
            let sign = if chosen { ink.sign("▌", ">") } else { " " };
            let y = tile.y + self.picture.1;
            if chosen {
                ink.stands((tile.x, y));
            }
            put(buf, ink, (tile.x, y), 1, sign, ink.style(Role::Accent));
            let role = if chosen { Role::Text } else { Role::Dim };
            let said = if self.picture.1 > 0 { caption(medium, ink) } else { told(medium) };
            put(buf, ink, (tile.x + 1, y), tile.width - 1, &said, ink.style(role));
        }
        if let Some(medium) = media.get(selected) {
            let y = body.bottom().saturating_sub(1);
            let address = clean(address(medium).unwrap_or("no address"));
            let used = put(buf, ink, (body.x, y), body.width, &words(medium), ink.style(Role::Dim));
            let left = body.width.saturating_sub(used + 2);
            put(buf, ink, (body.x + used + 2, y), left, &address, ink.style(Role::Accent));
        }
    }
}

/// The address of a medium: of the video where it is one, else of the picture.
#[must_use]
pub fn address(medium: &Media) -> Option<&str> {
    medium.video_url.as_deref().or(medium.preview_url.as_deref())
}

/// What a medium measures.
#[must_use]
pub fn measure(medium: &Media) -> String {
    match (medium.preview_width, medium.preview_height, medium.video_size) {
        (_, _, Some(bytes)) => format!("{:.1} MB", bytes.0 / 1e6),
        (Some(width), Some(height), None) => format!("{width}x{height}"),
        _ => "–".to_owned(),
    }
}

/// A medium in a line.
fn told(medium: &Media) -> String {
    let sign = if medium.video_url.is_some() { "▶" } else { " " };
    let kind = padded(&clean(&medium.media_content_type), 14, false);
    let status = padded(&clean(medium.status.as_deref().unwrap_or("–")), 10, false);
    let measured = padded(&measure(medium), 10, true);
    format!("{sign} {kind} {measured}  {status} {}", clean(medium.alt.as_deref().unwrap_or_default()))
        .trim_end()
        .to_owned()
}

/// The media as lines of text, with their addresses.
#[must_use]
pub fn lines(media: &[Media]) -> Vec<Line> {
    if media.is_empty() {
        return vec![vec![piece(Role::Dim, "No media.")]];
    }
    let line = |medium| format!("{}  {}", told(medium), clean(address(medium).unwrap_or("no address")));
    media.iter().map(|medium| vec![piece(Role::Text, line(medium))]).collect()
}

fn caption(medium: &Media, ink: Ink) -> String {
    let sign = if medium.video_url.is_some() { ink.sign("▶ ", "> ") } else { "" };
    let alt = medium.alt.as_deref().filter(|alt| !alt.trim().is_empty()).unwrap_or(&medium.media_content_type);
    format!("{sign}{}", clean(alt))
}

fn words(medium: &Media) -> String {
    let kind = clean(&medium.media_content_type);
    let kind: String = kind.chars().take(14).collect();
    let measured = measure(medium);
    if width(&kind) == 0 { measured } else { format!("{kind} {measured}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_never_leave_their_room() {
        for across in 0..120 {
            for down in 0..60 {
                let body = Rect { x: 3, y: 4, width: across, height: down };
                for gallery in [Gallery::of(across, down), Gallery::list(across, down)].into_iter().flatten() {
                    for (top, (index, tile)) in
                        (0..3).flat_map(|top| gallery.tiles(body, top, 17).map(move |t| (top, t)))
                    {
                        assert!(index < 17 && body.intersection(tile) == tile, "{tile:?} in {body:?}");
                        assert_eq!(gallery.at(body, top, 17, (tile.x, tile.y)), Some(index));
                    }
                }
            }
        }
    }
}
