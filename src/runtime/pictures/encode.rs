//! From pixels to what a terminal shows.

use std::cmp::Ordering;
use std::io::Cursor;
use std::sync::OnceLock;
use std::sync::atomic::{self, AtomicU32};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, Rgb, RgbImage};
use ratatui::buffer::Cell;

use super::decode::resized;
use super::{kitty, sixel};
use crate::settings::{Depth, Graphics, shown_colour};
use crate::studio::pictures::{Data, Picture, PictureFault};
use crate::terminal::marker;

/// Pixels that a room of cells has.
pub fn pixels((columns, rows): (u16, u16), (across, down): (u16, u16)) -> (u32, u32) {
    (u32::from(columns) * u32::from(across), u32::from(rows) * u32::from(down))
}

/// Makes a picture for a room of cells. What it takes of it keeps its proportions.
pub fn encode(
    image: RgbImage,
    room: (u16, u16),
    graphics: Graphics,
    cell: (u16, u16),
    depth: Depth,
) -> Result<Picture, PictureFault> {
    let (wide, high) = pixels(room, cell);
    let (width, height) = fitted(image.dimensions(), (wide, high));
    // A sixel is six pixels high: one that is begun would reach into the row below.
    let height = if graphics == Graphics::Sixel { (height - height % 6).max(6) } else { height };
    let columns = cells(width, cell.0).min(room.0);
    let rows = cells(height, cell.1).min(room.1);
    let size = (columns, rows);
    let id = next_id();
    let whole = || resized(&image, (width, height));
    let over = |bytes: String| Some(Data { bytes: (wiped(size) + &bytes).into(), over: true });
    let (cells, data) = match graphics {
        Graphics::Off => return Err(PictureFault::Broken),
        Graphics::Blocks => (blocks_of(&image, size, depth), None),
        Graphics::Kitty { deflate } => {
            let bytes = kitty::given(&whole(), id, deflate);
            (kitty::cells(id, size), Some(Data { bytes: bytes.into(), over: false }))
        }
        Graphics::Sixel => (markers(id, size), over(sixel::drawn(&whole()))),
        Graphics::Iterm2 => (markers(id, size), over(file_of(&whole())?)),
    };
    Ok(Picture { id, size, cells: cells.into(), data })
}

/// The largest size of these proportions in a room, at least a pixel; small pictures grow to at most four times.
pub fn fitted((width, height): (u32, u32), (wide, high): (u32, u32)) -> (u32, u32) {
    let (width, height) = (u64::from(width.max(1)), u64::from(height.max(1)));
    let (wide, high) = (u64::from(wide).min(width * 4), u64::from(high).min(height * 4));
    let (across, down) =
        if wide * height <= high * width { (wide, wide * height / width) } else { (high * width / height, high) };
    let least = |value: u64| u32::try_from(value.max(1)).unwrap_or(u32::MAX);
    (least(across), least(down))
}

fn cells(pixels: u32, of: u16) -> u16 {
    u16::try_from(pixels.div_ceil(u32::from(of.max(1)))).unwrap_or(u16::MAX).max(1)
}

/// An id that no other picture of this process has, and hardly one of another: its 24 bits are a colour.
fn next_id() -> u32 {
    static NEXT: OnceLock<AtomicU32> = OnceLock::new();
    let next = NEXT.get_or_init(|| AtomicU32::new(getrandom::u32().unwrap_or(0)));
    (next.fetch_add(1, atomic::Ordering::Relaxed) & 0x00ff_ffff).max(1)
}

/// Two pixels a cell, one over the other: the lighter one is drawn by the character, so that a cell that a terminal has no
/// background for shows the more of it.
fn blocks_of(image: &RgbImage, (columns, rows): (u16, u16), depth: Depth) -> Vec<Cell> {
    let pixels = resized(image, (u32::from(columns), u32::from(rows) * 2));
    let cell = |row: u32, column: u32| {
        let of = |down| pixels.get_pixel_checked(column, row * 2 + down).copied().unwrap_or(Rgb([0; 3]));
        let (above, below) = (of(0), of(1));
        let (symbol, ink, paper) = match lightness(above).cmp(&lightness(below)) {
            _ if above == below => (" ", above, below),
            Ordering::Less => ("▄", below, above),
            _ => ("▀", above, below),
        };
        let shown = |Rgb([red, green, blue]): Rgb<u8>| shown_colour((red, green, blue), depth);
        let mut cell = Cell::default();
        cell.set_symbol(symbol).set_fg(shown(ink)).set_bg(shown(paper));
        cell
    };
    let columns = u32::from(columns);
    (0..u32::from(rows))
        .flat_map(|row| (0..columns).map(move |column| (row, column)))
        .map(|(row, column)| cell(row, column))
        .collect()
}

/// How light a color is to the eye (ITU-R BT.709), in ten-thousandths of 255.
fn lightness(Rgb([red, green, blue]): Rgb<u8>) -> u32 {
    2126 * u32::from(red) + 7152 * u32::from(green) + 722 * u32::from(blue)
}

/// Wipes the cells of a picture, so that no text is left at its edges, and comes back to the first of them.
fn wiped((columns, rows): (u16, u16)) -> String {
    let down = format!("\x1b[{columns}X\x1b[1B").repeat(usize::from(rows.saturating_sub(1)));
    let back = if rows > 1 { format!("\x1b[{}A", rows - 1) } else { String::new() };
    format!("{down}\x1b[{columns}X{back}")
}

/// A picture as a file in iTerm2's own sequence.
fn file_of(image: &RgbImage) -> Result<String, PictureFault> {
    let mut png = Cursor::new(Vec::new());
    image.write_to(&mut png, ImageFormat::Png).map_err(|_| PictureFault::Broken)?;
    let (png, (width, height)) = (png.into_inner(), image.dimensions());
    let size = png.len();
    let head = format!("\x1b]1337;File=inline=1;size={size};width={width}px;height={height}px;doNotMoveCursor=1:");
    Ok(format!("{head}{}\x07", STANDARD.encode(png)))
}

fn markers(id: u32, (columns, rows): (u16, u16)) -> Vec<Cell> {
    (0..rows).flat_map(|down| (0..columns).map(move |across| marker(id, across, down))).collect()
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

    use super::*;

    fn image() -> RgbImage {
        RgbImage::from_fn(80, 60, |x, y| image::Rgb([x.to_le_bytes()[0] * 3, y.to_le_bytes()[0] * 4, 90]))
    }

    #[test]
    fn pictures_keep_their_proportions() {
        assert_eq!(fitted((800, 600), (200, 200)), (200, 150));
        assert_eq!(fitted((600, 800), (200, 200)), (150, 200));
        assert_eq!(fitted((10, 10), (200, 200)), (40, 40));
        assert_eq!(fitted((10_000, 1), (200, 200)), (200, 1));
        assert_eq!(fitted((1, 1), (0, 0)), (1, 1));
    }

    #[test]
    fn every_way_fills_its_cells() {
        for graphics in [Graphics::Blocks, Graphics::Sixel, Graphics::Iterm2, Graphics::Kitty { deflate: true }] {
            let picture = encode(image(), (20, 10), graphics, (10, 20), Depth::True).unwrap();
            assert_eq!(picture.size, (20, 8), "{graphics:?}");
            assert_eq!(picture.cells.len(), 160);
            assert_eq!(picture.data.is_some(), graphics != Graphics::Blocks);
        }
    }

    #[test]
    fn each_cell_of_kitty_says_which_part_it_is() {
        let picture = encode(image(), (20, 10), Graphics::Kitty { deflate: false }, (10, 20), Depth::True).unwrap();
        let marks = kitty::marks();
        assert_eq!(marks.len(), 297);
        for (at, cell) in picture.cells.iter().enumerate() {
            let expected: String = [crate::terminal::PLACEHOLDER, marks[at / 20], marks[at % 20]].into_iter().collect();
            assert_eq!(cell.symbol(), expected);
        }
        let bytes = picture.data.unwrap().bytes;
        assert!(bytes.starts_with("\x1b_Gq=2,i=") && bytes.ends_with("\x1b\\"));
    }

    #[test]
    fn half_blocks_have_the_colours_that_there_are() {
        let of = |depth| encode(image(), (8, 4), Graphics::Blocks, (10, 20), depth).unwrap().cells[0].fg;
        assert!(matches!(of(Depth::True), Color::Rgb(..)));
        assert!(matches!(of(Depth::Indexed), Color::Indexed(_)));
        assert!(!matches!(of(Depth::Basic), Color::Rgb(..) | Color::Indexed(_)));
    }
}
