//! Pictures as a terminal is given them: read back, decoded, and held against the picture that the shop has.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use image::{RgbImage, imageops};

use crate::bytes::frames;
use crate::output::strangers;
use crate::terminal::{Start, Studio};

/// The first product's picture.
const PICTURE: &[u8] = include_bytes!("../../assets/sample/pictures/sock-grey.jpg");

/// What terminals answer to what is asked about pictures: a cell of 10x20, and what they can show.
pub const KITTY: &[u8] = b"\x1b[6;20;10t\x1b_Gi=31;OK\x1b\\\x1b_Gi=32;OK\x1b\\\x1b[?62c";
const OLD_KITTY: &[u8] = b"\x1b[6;20;10t\x1b_Gi=31;OK\x1b\\\x1b_Gi=32;EINVAL:no\x1b\\\x1b[?62c";
pub const SIXEL: &[u8] = b"\x1b[6;20;10t\x1b[?62;4;22c";
pub const ITERM: &[u8] = b"\x1bP>|iTerm2 3.5.0\x1b\\\x1b[6;20;10t\x1b[?62;4c";
pub const PLAIN: &[u8] = b"\x1b[?62c";

/// The room of the picture in the overview of a terminal of 120x40, in cells.
const ROOM: (u16, u16) = (20, 10);

fn opened(answers: &[u8]) -> Studio {
    let mut studio = Start::new().with("COLORTERM", "truecolor").open();
    studio.writes(0, b"\x1b[c").bytes(answers).shows("274 products").shows("Fjell wool sock");
    studio
}

/// How far two pictures are from each other: the mean difference of their values, of 255.
fn distance(found: &RgbImage, expected: &RgbImage) -> f64 {
    let expected = imageops::resize(expected, found.width(), found.height(), imageops::FilterType::Triangle);
    let differences = found.as_raw().iter().zip(expected.as_raw()).map(|(a, b)| f64::from(a.abs_diff(*b)));
    differences.sum::<f64>() / f64::from(found.width() * found.height() * 3)
}

fn expected() -> RgbImage {
    image::load_from_memory(PICTURE).unwrap().into_rgb8()
}

/// The pictures in what was written by kitty's protocol: the sizes they say and their bytes.
pub fn kitty_pictures(written: &[u8]) -> Vec<(String, Vec<u8>)> {
    let text = String::from_utf8_lossy(written);
    let mut pictures: Vec<(String, String)> = Vec::new();
    for command in text.split("\x1b_G").skip(1) {
        let command = command.split("\x1b\\").next().unwrap();
        let Some((keys, payload)) = command.split_once(';') else { continue };
        if keys.contains("a=T") {
            pictures.push((keys.to_owned(), payload.to_owned()));
        } else if !keys.contains("a=") {
            pictures.last_mut().unwrap().1.push_str(payload);
        }
    }
    let decoded = pictures.into_iter().map(|(keys, payload)| (keys, BASE64_STANDARD.decode(payload).unwrap()));
    decoded.collect()
}

pub fn key(keys: &str, name: &str) -> u32 {
    keys.split(',').find_map(|key| key.strip_prefix(name)?.strip_prefix('=')?.parse().ok()).unwrap()
}

#[test]
fn kitty_is_given_the_picture_and_cells_that_place_it() {
    for (answers, deflated) in [(KITTY, true), (OLD_KITTY, false)] {
        let mut studio = opened(answers);
        studio.keys("\r").writes(0, b"a=T,U=1").shows("\u{10eeee}");
        let written = studio.since(0);
        let (keys, mut bytes) = kitty_pictures(&written).pop().unwrap();
        assert_eq!(keys.contains("o=z"), deflated, "{keys}");
        if deflated {
            let mut inflated = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(bytes.as_slice()), &mut inflated).unwrap();
            bytes = inflated;
        }
        assert!(keys.contains("f=24,"), "{keys}");
        let found = image::RgbImage::from_raw(key(&keys, "s"), key(&keys, "v"), bytes).unwrap();
        assert_eq!(found.dimensions(), (200, 200));
        assert!(distance(&found, &expected()) < 3.0, "{}", distance(&found, &expected()));

        // Its cells: a square of them, in the colour that is its id.
        let screen = studio.screen();
        let id = key(&keys, "i").to_be_bytes();
        let mut places = Vec::new();
        for row in 0..40 {
            for column in 0..120 {
                let cell = screen.cell(row, column).unwrap();
                if cell.contents().starts_with('\u{10eeee}') {
                    assert_eq!(cell.fgcolor(), vt100::Color::Rgb(id[1], id[2], id[3]));
                    assert_eq!(cell.contents().chars().count(), 3, "each cell says its row and column");
                    places.push((row, column));
                }
            }
        }
        assert_eq!(places.len(), usize::from(ROOM.0 * ROOM.1));

        // Nothing of it stays when it is scrolled away, and coming back it is not sent again.
        let before = studio.written();
        studio.keys("\t").keys("j").hides("\u{10eeee}").keys("k").shows("\u{10eeee}");
        assert!(kitty_pictures(&studio.since(before)).is_empty(), "the terminal has it already");
        // A dialog lies over it, not under it.
        studio.keys("?").shows("Help");
        let covered = studio.rows().concat().matches('\u{10eeee}').count();
        assert!(covered < places.len(), "{covered} of {}", places.len());
        studio.keys("\x1b").hides("Help");
        let ended = studio.quit();
        assert_eq!(strangers(&ended.raw), [""; 0]);
        let all = String::from_utf8_lossy(&ended.raw).into_owned();
        let given = format!("i={}", key(&keys, "i"));
        assert!(all.contains(&format!("a=d,d=I,{given}")), "what the terminal was given to keep is taken back");
    }
}

#[test]
fn sixels_are_the_picture_and_go_without_a_trace() {
    let mut studio = opened(SIXEL);
    studio.keys("\r").writes(0, b"\x1bP");
    let written = studio.since(0);
    let at = find(&written, b"\x1bP").unwrap();
    let end = at + find(&written[at..], b"\x1b\\").unwrap() + 2;
    let found = icy_sixel::SixelImage::decode(&written[at..end]).unwrap();
    assert_eq!((found.width, found.height), (200, 198), "no sixel is begun below it");
    let rgba = image::RgbaImage::from_raw(200, 198, found.pixels).unwrap();
    let found = image::DynamicImage::ImageRgba8(rgba).into_rgb8();
    // 256 colours, so a little further away.
    assert!(distance(&found, &expected()) < 10.0, "{}", distance(&found, &expected()));

    // It is painted once: other keys do not paint it again. A dialog over it wipes it away, and when it goes the
    // picture comes back.
    let sixels = |studio: &Studio, from: usize| count(&studio.since(from), b"\x1bP");
    let before = studio.written();
    studio.keys("\t").keys("I").shows("Pictures off").keys("I").writes(before, b"\x1bP");
    let before = studio.written();
    studio.keys("?").shows("Help");
    assert_eq!(sixels(&studio, before), 0, "never over a dialog");
    studio.keys("\x1b").hides("Help").writes(before, b"\x1bP");
    assert_eq!(sixels(&studio, before), 1);
    let before = studio.written();
    // Text, or blanks, are written wherever it stood: that is what wipes sixels away.
    studio.keys("]").shows("SKU");
    let written = studio.since(before);
    assert_eq!(count(&written, b"\x1bP"), 0);
    assert!(written.len() > usize::from(ROOM.0 * ROOM.1), "{} bytes", written.len());
    studio.quit();
}

#[test]
fn iterm2_is_given_a_file() {
    let mut studio = opened(ITERM);
    studio.keys("\r").writes(0, b"1337;File=inline=1").writes(0, b"\x07");
    let written = String::from_utf8_lossy(&studio.since(0)).into_owned();
    let file = written.split("1337;File=").nth(1).unwrap();
    let payload = file.split_once(':').unwrap().1.split('\x07').next().unwrap();
    let png = BASE64_STANDARD.decode(payload).unwrap();
    let found = image::load_from_memory_with_format(&png, image::ImageFormat::Png).unwrap().into_rgb8();
    assert_eq!(found.dimensions(), (200, 200));
    assert!(distance(&found, &expected()) < 3.0);
    studio.quit();
}

#[test]
fn half_blocks_are_the_picture_and_cost_nothing_where_nothing_changes() {
    let mut studio = opened(PLAIN);
    studio.keys("\r").shows("▄");
    let screen = studio.screen();
    let colour = |colour: vt100::Color| match colour {
        vt100::Color::Rgb(r, g, b) => image::Rgb([r, g, b]),
        other => panic!("{other:?} is no colour of a picture"),
    };
    // The picture stands in the upper left of the right pane.
    let (left, top) = (64, 5);
    let found = RgbImage::from_fn(u32::from(ROOM.0), u32::from(ROOM.1) * 2, |x, y| {
        let at = (top + u16::try_from(y / 2).unwrap(), left + u16::try_from(x).unwrap());
        let cell = screen.cell(at.0, at.1).unwrap();
        let upper = y % 2 == 0;
        match (cell.contents(), upper) {
            ("▀", true) | ("▄", false) => colour(cell.fgcolor()),
            ("▀", false) | ("▄", true) | (" " | "", _) => colour(cell.bgcolor()),
            other => panic!("{other:?} at {at:?}"),
        }
    });
    assert!(distance(&found, &expected()) < 6.0, "{}", distance(&found, &expected()));

    // Another tab and back: its cells are written again, and only then.
    studio.keys("]").hides("▄").keys("[").shows("▄");
    let before = studio.written();
    studio.keys("\t").keys("\t");
    studio.keys("-").shows("Select the first");
    let written = studio.since(before);
    assert!(!frames(&written).is_empty() && !String::from_utf8_lossy(&written).contains('▄'));
    studio.quit();
}

#[test]
fn no_pictures_where_they_are_not_wanted() {
    let none = |start: Start| {
        let mut studio = start.open();
        studio.shows("274 products").keys("\r").shows("NOK 149");
        studio.keys("v").shows("shows no pictures");
        assert!(!studio.rows().concat().contains('▄'));
        let ended = studio.quit();
        assert!(find(&ended.raw, b"\x1b_G").is_none(), "and nothing is asked");
    };
    none(Start::new().with("NO_COLOR", "1"));
    none(Start::new().configured("config.toml", "pictures = \"off\"\n"));
    // Switched off by a command they go, and come back.
    let mut studio = opened(PLAIN);
    studio.keys("\r").shows("▄").keys("I").hides("▄").keys("I").shows("▄");
    studio.quit();
}

#[test]
fn a_picture_fills_the_screen_until_it_is_closed() {
    // Where the terminal shows nothing better it is drawn with blocks.
    let mut studio = opened(PLAIN);
    studio.keys("\r").shows("▄").keys("v").hides("Overview");
    studio.until("a picture", |rows| rows.iter().filter(|row| row.contains('▄')).count() > 30);
    studio.shows("Esc close").keys("\x1b").shows("Overview").shows("274 products");
    studio.quit();
    // Where it shows sixels it is given them.
    let mut studio = opened(SIXEL);
    studio.keys("\r").shows("NOK 149").writes(0, b"\x1bP");
    let before = studio.written();
    studio.keys("v").hides("Overview").writes(before, b"\x1b\\");
    let written = studio.since(before);
    let at = find(&written, b"\x1bP").unwrap();
    let end = at + find(&written[at..], b"\x1b\\").unwrap() + 2;
    let found = icy_sixel::SixelImage::decode(&written[at..end]).unwrap();
    assert!(found.width > 400 && found.height > 400, "{}x{}", found.width, found.height);
    studio.keys("\x1b").shows("Overview");
    studio.quit();
    // Kitty is given it as any other picture, larger.
    let mut studio = opened(KITTY);
    studio.keys("\r").shows("\u{10eeee}");
    let before = studio.written();
    studio.keys("v").hides("Overview").writes(before, b"a=T,U=1").shows("\u{10eeee}");
    let (keys, _) = kitty_pictures(&studio.since(before)).pop().unwrap();
    assert!(key(&keys, "s") > 400 && key(&keys, "v") > 400, "{keys}");
    assert!(!studio.since(before).windows(3).any(|sign| sign == b"a=q"), "nothing more is asked");
    studio.keys("\x1b").shows("Overview").shows("\u{10eeee}");
    studio.quit();
}

pub fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn count(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).filter(|window| *window == wanted).count()
}
