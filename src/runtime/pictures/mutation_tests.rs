//! Pictures of a right structure in which something is wrong: parts that are missing, repeated, in another place or say
//! something else. Whatever comes of it is a small picture or a refusal, in bounded time and of bounded size.

use std::io::Cursor;
use std::sync::LazyLock;

use image::codecs::gif::GifEncoder;
use image::{DynamicImage, Frame, ImageFormat, RgbImage};
use proptest::prelude::*;

use super::decode::decode;
use super::metered::{BUDGET, time_of_thread};

/// The room that pictures are decoded for.
const ROOM: (u32, u32) = (64, 64);

/// Something that is wrong with a part, by its number.
#[derive(Debug, Clone)]
enum Wrong {
    /// It is missing.
    Missing(usize),
    /// It is there so many times more.
    Repeated(usize, usize),
    /// It has the place of another.
    Elsewhere(usize, usize),
    /// It says something else from this byte on.
    Says(usize, usize, Vec<u8>),
    /// Nothing comes after so many of its bytes.
    Cut(usize, usize),
}

fn wrong() -> impl Strategy<Value = Wrong> {
    let part = || 0..40_usize;
    // What says how long, how large or of what kind a part is stands near its begin.
    let at = || prop_oneof![4 => 0..24_usize, 1 => 0..4096_usize];
    let bytes = prop_oneof![
        3 => prop::collection::vec(any::<u8>(), 1..5),
        1 => (1..5_usize).prop_map(|count| vec![0xff; count]),
        1 => (1..5_usize).prop_map(|count| vec![0; count]),
    ];
    prop_oneof![
        1 => part().prop_map(Wrong::Missing),
        2 => (part(), 1..3_000_usize).prop_map(|(part, times)| Wrong::Repeated(part, times)),
        1 => (part(), part()).prop_map(|(one, other)| Wrong::Elsewhere(one, other)),
        6 => (part(), at(), bytes).prop_map(|(part, at, bytes)| Wrong::Says(part, at, bytes)),
        1 => (part(), at()).prop_map(|(part, at)| Wrong::Cut(part, at)),
    ]
}

fn drawn(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        image::Rgb([x.to_le_bytes()[0].wrapping_mul(4), y.to_le_bytes()[0].wrapping_mul(5), 128])
    })
}

fn picture(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    DynamicImage::ImageRgb8(drawn(96, 80)).write_to(&mut Cursor::new(&mut bytes), format).unwrap();
    bytes
}

/// A GIF of three pictures, made once: choosing its colors takes longer than all else.
static MOVING: LazyLock<Vec<u8>> = LazyLock::new(moving);

fn moving() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = GifEncoder::new(&mut bytes);
    for size in [96, 64, 32] {
        encoder.encode_frame(Frame::new(DynamicImage::ImageRgb8(drawn(size, size)).into_rgba8())).unwrap();
    }
    drop(encoder);
    bytes
}

/// The parts of a JPEG: its segments, and the codes after each scan's head.
fn of_jpeg(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut parts, mut at) = (vec![bytes[..2].to_vec()], 2);
    while at < bytes.len() {
        let next = |from: usize| {
            let marks = bytes[from..].windows(2);
            let mut marks =
                marks.enumerate().filter(|(_, pair)| pair[0] == 0xff && !matches!(pair[1], 0 | 0xd0..=0xd7));
            marks.next().map_or(bytes.len(), |(by, _)| from + by)
        };
        let end = match bytes[at..] {
            [0xff, 0xd9, ..] => bytes.len(),
            [0xff, _, high, low, ..] => at + 2 + usize::from(u16::from_be_bytes([high, low])),
            _ => next(at),
        };
        parts.push(bytes[at..end].to_vec());
        at = end;
    }
    parts
}

/// The parts of a GIF: its head with the colors, extensions, heads of pictures, and each of the pieces of their codes.
fn of_gif(bytes: &[u8]) -> Vec<Vec<u8>> {
    let colors = |packed: u8| if packed & 0x80 == 0 { 0 } else { 3 << ((packed & 7) + 1) };
    let head = 13 + colors(bytes[10]);
    let (mut parts, mut at) = (vec![bytes[..13].to_vec(), bytes[13..head].to_vec()], head);
    while at < bytes.len() {
        let begin = at;
        at += match bytes[at] {
            0x21 => 2,
            // With how many bits codes begin.
            0x2c => 10 + colors(bytes[at + 9]) + 1,
            _ => bytes.len() - at,
        };
        parts.push(bytes[begin..at].to_vec());
        while at < bytes.len() {
            let length = usize::from(bytes[at]);
            parts.push(bytes[at..=at + length].to_vec());
            at += length + 1;
            if length == 0 {
                break;
            }
        }
    }
    parts
}

/// The parts of a BMP: its two heads, and its pixels.
fn of_bmp(bytes: &[u8]) -> Vec<Vec<u8>> {
    let pixels = usize::try_from(u32::from_le_bytes([bytes[10], bytes[11], bytes[12], bytes[13]])).unwrap();
    [&bytes[..14], &bytes[14..pixels], &bytes[pixels..]].map(<[u8]>::to_vec).to_vec()
}

/// The chunks of a PNG.
fn of_png(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut parts, mut at) = (vec![bytes[..8].to_vec()], 8);
    while at < bytes.len() {
        let length = u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let end = at + 12 + usize::try_from(length).unwrap();
        parts.push(bytes[at..end].to_vec());
        at = end;
    }
    parts
}

/// The sums of a PNG's chunks made right again: what is wrong is looked at, and not refused at its sum.
fn summed(mut parts: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    for part in parts.iter_mut().skip(1).filter(|part| part.len() >= 12) {
        let end = part.len() - 4;
        let mut sum = flate2::Crc::new();
        sum.update(&part[4..end]);
        part[end..].copy_from_slice(&sum.sum().to_be_bytes());
    }
    parts
}

fn spoiled(mut parts: Vec<Vec<u8>>, wrongs: &[Wrong]) -> Vec<Vec<u8>> {
    for wrong in wrongs {
        let count = parts.len();
        if count == 0 {
            break;
        }
        match wrong {
            Wrong::Missing(part) => drop(parts.remove(part % count)),
            Wrong::Repeated(part, times) => {
                let part = part % count;
                // No picture that is fetched is larger than some megabytes.
                let times = (*times).min((2 << 20) / parts[part].len().max(1));
                let copies = vec![parts[part].clone(); times];
                parts.splice(part..part, copies);
            }
            Wrong::Elsewhere(one, other) => parts.swap(one % count, other % count),
            Wrong::Says(part, at, bytes) => {
                let part = &mut parts[part % count];
                let at = at % part.len().max(1);
                for (byte, says) in part[at..].iter_mut().zip(bytes) {
                    *byte = *says;
                }
            }
            Wrong::Cut(part, at) => {
                let part = part % count;
                parts.truncate(part + 1);
                parts[part].truncate(*at);
            }
        }
    }
    parts
}

/// Decodes it: small, or refused, and in time.
fn holds(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let begun = time_of_thread();
    if let Ok(small) = decode(bytes, ROOM) {
        prop_assert!(small.width() <= ROOM.0 && small.height() <= ROOM.1, "{:?}", small.dimensions());
    }
    // What is done once the pixels are there is not metered; nothing of it is optimized here.
    let took = time_of_thread().saturating_sub(begun);
    prop_assert!(took < 2 * BUDGET, "{took:?}");
    Ok(())
}

#[test]
fn parts_are_the_whole_picture_and_it_is_decoded() {
    type Parts = fn(&[u8]) -> Vec<Vec<u8>>;
    let pictures: [(Vec<u8>, Parts, usize); 5] = [
        (picture(ImageFormat::Jpeg), of_jpeg, 8),
        (include_bytes!("progressive.jpg").to_vec(), of_jpeg, 20),
        (MOVING.clone(), of_gif, 12),
        (picture(ImageFormat::Bmp), of_bmp, 3),
        (picture(ImageFormat::Png), of_png, 4),
    ];
    for (bytes, parts, least) in pictures {
        let parts = parts(&bytes);
        assert!(parts.len() >= least, "{}", parts.len());
        assert_eq!(parts.concat(), bytes);
        assert!(decode(bytes, ROOM).is_ok());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn a_spoiled_jpeg_is_small_or_refused(progressive: bool, wrongs in prop::collection::vec(wrong(), 1..4)) {
        let whole = if progressive { include_bytes!("progressive.jpg").to_vec() } else { picture(ImageFormat::Jpeg) };
        holds(spoiled(of_jpeg(&whole), &wrongs).concat())?;
    }

    #[test]
    fn a_spoiled_gif_is_small_or_refused(wrongs in prop::collection::vec(wrong(), 1..4)) {
        holds(spoiled(of_gif(&MOVING), &wrongs).concat())?;
    }

    #[test]
    fn a_spoiled_bmp_is_small_or_refused(wrongs in prop::collection::vec(wrong(), 1..4)) {
        holds(spoiled(of_bmp(&picture(ImageFormat::Bmp)), &wrongs).concat())?;
    }

    #[test]
    fn a_spoiled_png_is_small_or_refused(wrongs in prop::collection::vec(wrong(), 1..4)) {
        holds(summed(spoiled(of_png(&picture(ImageFormat::Png)), &wrongs)).concat())?;
    }
}
