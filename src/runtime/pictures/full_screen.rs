//! A picture on the whole screen.

use std::io;

use image::{DynamicImage, RgbImage};

use super::decode::resized;
use super::encode::{fitted, pixels, screenful};
use crate::settings::{Depth, Graphics};
use crate::studio::pictures::Raster;

/// Prints a picture on a screen of so many cells that nobody else writes to or reads from, and gives what is to be
/// written after it. Waits for the terminal: not for the loop's own thread.
///
/// # Errors
/// Where it can't be printed.
pub fn print(
    picture: &Raster,
    graphics: Graphics,
    depth: Depth,
    screen: (u16, u16),
    cell: (u16, u16),
) -> io::Result<Vec<u8>> {
    let image = RgbImage::from_raw(picture.width, picture.height, picture.rgb.clone());
    let image = image.ok_or_else(|| io::Error::other("it has fewer pixels than it says"))?;
    // The last row stays free: printing there would move the picture up.
    let room = (screen.0, screen.1.saturating_sub(1).max(1));
    if graphics == Graphics::Sixel {
        let sixels = screenful(image, screen, cell).map_err(|fault| io::Error::other(fault.long()))?;
        return Ok(format!("\x1b[H{sixels}\x1b[{};1H", screen.1).into_bytes());
    }
    let (width, height) = fitted(image.dimensions(), pixels(room, cell));
    let columns = width.div_ceil(u32::from(cell.0.max(1))).clamp(1, u32::from(room.0.max(1)));
    let rows = height.div_ceil(u32::from(cell.1.max(1))).clamp(1, u32::from(room.1));
    let config = viuer::Config {
        x: u16::try_from((u32::from(room.0).saturating_sub(columns)) / 2).unwrap_or(0),
        y: i16::try_from((u32::from(room.1).saturating_sub(rows)) / 2).unwrap_or(0),
        width: Some(columns),
        height: Some(rows),
        truecolor: depth == Depth::True,
        // It asks the terminal, and waits for ever for an answer: only where ours was answered.
        use_kitty: matches!(graphics, Graphics::Kitty { .. }),
        use_iterm: graphics == Graphics::Iterm2,
        ..viuer::Config::default()
    };
    // A large picture is tens of megabytes on the wire: no more pixels than the screen has.
    let small = DynamicImage::ImageRgb8(resized(&image, (width, height)));
    viuer::print(&small, &config).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("\x1b[m\x1b[{};1H", screen.1).into_bytes())
}
