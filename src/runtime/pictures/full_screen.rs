//! A picture on the whole screen.

use std::io;

use image::RgbImage;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::encode::encode;
use crate::settings::{Depth, Graphics};
use crate::studio::pictures::Raster;
use crate::terminal::Placed;

/// Draws a picture in the middle of a screen of so many cells: a frame, and what the terminal is given beside its cells.
/// It takes a while: not for the loop's own thread.
///
/// # Errors
/// Where it can't be drawn.
pub fn draw(
    picture: &Raster,
    graphics: Graphics,
    depth: Depth,
    screen: (u16, u16),
    cell: (u16, u16),
) -> io::Result<(Buffer, Option<Placed>)> {
    let image = RgbImage::from_raw(picture.width, picture.height, picture.rgb.clone());
    let image = image.ok_or_else(|| io::Error::other("it has fewer pixels than it says"))?;
    // The last row stays free: a picture that reaches into it would move the screen up.
    let room = (screen.0, screen.1.saturating_sub(1).max(1));
    let drawn = encode(image, room, graphics, cell, depth).map_err(|fault| io::Error::other(fault.long()))?;
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width: screen.0, height: screen.1 });
    let (width, height) = drawn.size;
    let area = Rect {
        x: room.0.saturating_sub(width) / 2,
        y: room.1.saturating_sub(height) / 2,
        width: width.min(room.0),
        height: height.min(room.1),
    };
    for (at, cell) in area.positions().zip(drawn.cells.iter()) {
        if let Some(place) = buffer.cell_mut(at) {
            place.clone_from(cell);
        }
    }
    let placed = drawn.data.map(|data| Placed { id: drawn.id, area, bytes: data.bytes, over: data.over });
    Ok((buffer, placed))
}
