//! Kitty's graphics protocol with Unicode placeholders: the terminal is given the picture once, and characters say where it
//! is shown. <https://sw.kovidgoyal.net/kitty/graphics-protocol/>

use std::fmt::Write as _;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use image::RgbImage;
use ratatui::buffer::Cell;
use ratatui::style::Color;

use crate::terminal::PLACEHOLDER;

/// Bytes of a picture that go into one sequence: 4096 letters are the most that the protocol has.
const CHUNK: usize = 3072;

/// The marks by which a cell says its row or its column, in their order, as runs of how many follow each other
/// (`rowcolumn-diacritics.txt` of the protocol).
#[rustfmt::skip]
const MARKS: [(char, u32); 86] = [
    ('\u{305}', 1), ('\u{30d}', 2), ('\u{310}', 1), ('\u{312}', 1), ('\u{33d}', 3), ('\u{346}', 1), ('\u{34a}', 3),
    ('\u{350}', 3), ('\u{357}', 1), ('\u{35b}', 1), ('\u{363}', 13), ('\u{483}', 5), ('\u{592}', 4), ('\u{597}', 3),
    ('\u{59c}', 6), ('\u{5a8}', 2), ('\u{5ab}', 2), ('\u{5af}', 1), ('\u{5c4}', 1), ('\u{610}', 8), ('\u{657}', 5),
    ('\u{65d}', 2), ('\u{6d6}', 7), ('\u{6df}', 4), ('\u{6e4}', 1), ('\u{6e7}', 2), ('\u{6eb}', 2), ('\u{730}', 1),
    ('\u{732}', 2), ('\u{735}', 2), ('\u{73a}', 1), ('\u{73d}', 1), ('\u{73f}', 3), ('\u{743}', 1), ('\u{745}', 1),
    ('\u{747}', 1), ('\u{749}', 2), ('\u{7eb}', 7), ('\u{7f3}', 1), ('\u{816}', 4), ('\u{81b}', 9), ('\u{825}', 3),
    ('\u{829}', 5), ('\u{951}', 1), ('\u{953}', 2), ('\u{f82}', 2), ('\u{f86}', 2), ('\u{135d}', 3), ('\u{17dd}',
    1), ('\u{193a}', 1), ('\u{1a17}', 1), ('\u{1a75}', 8), ('\u{1b6b}', 1), ('\u{1b6d}', 7), ('\u{1cd0}', 3),
    ('\u{1cda}', 2), ('\u{1ce0}', 1), ('\u{1dc0}', 2), ('\u{1dc3}', 7), ('\u{1dcb}', 2), ('\u{1dd1}', 22),
    ('\u{1dfe}', 1), ('\u{20d0}', 2), ('\u{20d4}', 4), ('\u{20db}', 2), ('\u{20e1}', 1), ('\u{20e7}', 1),
    ('\u{20e9}', 1), ('\u{20f0}', 1), ('\u{2cef}', 3), ('\u{2de0}', 32), ('\u{a66f}', 1), ('\u{a67c}', 2),
    ('\u{a6f0}', 2), ('\u{a8e0}', 18), ('\u{aab0}', 1), ('\u{aab2}', 2), ('\u{aab7}', 2), ('\u{aabe}', 2),
    ('\u{aac1}', 1), ('\u{fe20}', 7), ('\u{10a0f}', 1), ('\u{10a38}', 1), ('\u{1d185}', 5), ('\u{1d1aa}', 4),
    ('\u{1d242}', 3),
];

/// What gives the terminal a picture under an id, to be placed by characters.
pub fn given(image: &RgbImage, id: u32, deflate: bool) -> String {
    let raw = image.as_raw().as_slice();
    let deflated = deflate.then(|| deflated(raw)).flatten();
    let (bytes, packed) = deflated.as_deref().map_or((raw, ""), |bytes| (bytes, "o=z,"));
    let (width, height) = image.dimensions();
    let last = bytes.len().div_ceil(CHUNK).saturating_sub(1);
    let mut given = String::with_capacity(bytes.len() * 4 / 3 + 16 * (last + 6));
    for (at, chunk) in bytes.chunks(CHUNK).enumerate() {
        given.push_str("\x1b_Gq=2,");
        if at == 0 {
            // Shown where placeholders say so (a=T, U=1), as bytes of red, green and blue (f=24) that come here (t=d).
            let _ = write!(given, "i={id},a=T,U=1,f=24,{packed}t=d,s={width},v={height},");
        }
        let _ = write!(given, "m={};", u8::from(at < last));
        STANDARD.encode_string(chunk, &mut given);
        given.push_str("\x1b\\");
    }
    given
}

/// At the fastest level: of a photograph the others save a few bytes in a hundred and take three times as long.
fn deflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

/// The cells that show it. Each says which part it is, so that it does not matter which of them are covered.
pub fn cells(id: u32, (columns, rows): (u16, u16)) -> Vec<Cell> {
    let marks = marks();
    let mark = |at: u16| marks.get(usize::from(at)).copied().unwrap_or_default();
    let [_, red, green, blue] = id.to_be_bytes();
    let cell = |row: u16, column: u16| {
        let symbol: String = [PLACEHOLDER, mark(row), mark(column)].into_iter().collect();
        let mut cell = Cell::default();
        cell.set_symbol(&symbol).set_fg(Color::Rgb(red, green, blue));
        cell
    };
    (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (row, column)))
        .map(|(row, column)| cell(row, column))
        .collect()
}

/// All marks, in their order.
pub fn marks() -> Vec<char> {
    let run = |(first, count): (char, u32)| (0..count).filter_map(move |at| char::from_u32(u32::from(first) + at));
    MARKS.into_iter().flat_map(run).collect()
}
