//! From pixels to what a terminal shows.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use image::{DynamicImage, RgbImage};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Rect, Size};
use ratatui::style::Color;
use ratatui::widgets::Widget as _;
use ratatui_image::Image;
use ratatui_image::protocol::Protocol;
use ratatui_image::protocol::halfblocks::Halfblocks;
use ratatui_image::protocol::iterm2::Iterm2;
use ratatui_image::protocol::kitty::Kitty;
use ratatui_image::protocol::sixel::Sixel;

use super::decode::resized;
use crate::settings::{Depth, Graphics, shown_colour};
use crate::studio::pictures::{Data, Picture, PictureFault};
use crate::terminal::{PLACEHOLDER, marker};

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
    let size = Size::new(columns, rows);
    let id = next_id();
    let broken = |_| PictureFault::Broken;
    let whole = || DynamicImage::ImageRgb8(resized(&image, (width, height)));
    let (cells, data) = match graphics {
        Graphics::Off => return Err(PictureFault::Broken),
        Graphics::Blocks => {
            let blocks = Halfblocks::new(DynamicImage::ImageRgb8(image), size).map_err(broken)?;
            (blocks_of(Protocol::Halfblocks(blocks), size, depth), None)
        }
        Graphics::Kitty { deflate } => {
            let kitty = Kitty::new(whole(), size, id, false, deflate).map_err(broken)?;
            let (cells, bytes) = kitty_cells(Protocol::Kitty(kitty), size);
            (cells, Some(Data { bytes: bytes.into(), over: false }))
        }
        Graphics::Sixel => {
            let sixel = Sixel::new(whole(), size, false).map_err(broken)?;
            (markers(id, size), Some(Data { bytes: sixel.data.into(), over: true }))
        }
        Graphics::Iterm2 => {
            let file = Iterm2::new(whole(), size, false).map_err(broken)?;
            (markers(id, size), Some(Data { bytes: file.data.into(), over: true }))
        }
    };
    Ok(Picture { id, size: (size.width, size.height), cells: cells.into(), data })
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
    (next.fetch_add(1, Ordering::Relaxed) & 0x00ff_ffff).max(1)
}

fn drawn(protocol: &Protocol, size: Size) -> Vec<Cell> {
    let area = Rect { x: 0, y: 0, width: size.width, height: size.height };
    let mut buffer = Buffer::empty(area);
    Image::new(protocol).render(area, &mut buffer);
    buffer.content
}

fn blocks_of(protocol: Protocol, size: Size, depth: Depth) -> Vec<Cell> {
    let shown = |colour: Color| match colour {
        Color::Rgb(r, g, b) => shown_colour((r, g, b), depth),
        other => other,
    };
    let mut cells = drawn(&protocol, size);
    for cell in &mut cells {
        (cell.fg, cell.bg) = (shown(cell.fg), shown(cell.bg));
    }
    cells
}

fn markers(id: u32, size: Size) -> Vec<Cell> {
    (0..size.height).flat_map(|down| (0..size.width).map(move |across| marker(id, across, down))).collect()
}

/// The cells that show a picture of kitty's protocol, and what the terminal has to be given first. Each cell says
/// which part it is, so that it does not matter which of them are covered.
fn kitty_cells(protocol: Protocol, size: Size) -> (Vec<Cell>, String) {
    let mut cells = drawn(&protocol, size);
    let mut bytes = String::new();
    if let Some(first) = cells.first()
        && let Some(at) = first.symbol().find(PLACEHOLDER)
    {
        first.symbol().get(..at).unwrap_or_default().clone_into(&mut bytes);
    }
    let marks = diacritics();
    let mark = |at: usize| marks.get(at).copied().unwrap_or_default();
    let across = usize::from(size.width).max(1);
    for (at, cell) in cells.iter_mut().enumerate() {
        let symbol: String = [PLACEHOLDER, mark(at / across), mark(at % across)].into_iter().collect();
        cell.set_symbol(&symbol);
    }
    (cells, bytes)
}

/// The marks by which a cell says its row or column, in their order: as the crate itself draws them.
fn diacritics() -> &'static [char] {
    static MARKS: OnceLock<Vec<char>> = OnceLock::new();
    MARKS.get_or_init(|| {
        let size = Size::new(1, 297);
        let one = DynamicImage::ImageRgb8(RgbImage::new(1, 1));
        let Ok(kitty) = Kitty::new(one, size, 1, false, false) else { return Vec::new() };
        let column = drawn(&Protocol::Kitty(kitty), size);
        column.iter().filter_map(|cell| cell.symbol().split_once(PLACEHOLDER)?.1.chars().next()).collect()
    })
}

#[cfg(test)]
mod tests {
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
        let marks = diacritics();
        assert_eq!(marks.len(), 297);
        for (at, cell) in picture.cells.iter().enumerate() {
            let expected: String = [PLACEHOLDER, marks[at / 20], marks[at % 20]].into_iter().collect();
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
