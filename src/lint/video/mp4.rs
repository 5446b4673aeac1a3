//! What the index of an MP4 says (ISO/IEC 14496-12). It comes from strangers: boxes are looked into by name, none may reach
//! past the one that it is in, and what can't be read is left out.

use super::film::{BEGINNING, Codec, Container, Film};

/// The head of a box.
pub(super) struct Head {
    pub(super) kind: [u8; 4],
    /// How many bytes the head has.
    pub(super) size: usize,
    /// How many the box has with its head; nothing where it reaches to the end of the file.
    pub(super) length: Option<u64>,
}

/// The head of the box that begins here.
pub(super) fn head(bytes: &[u8]) -> Option<Head> {
    let length = u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?);
    let kind = bytes.get(4..8)?.try_into().ok()?;
    match length {
        0 => Some(Head { kind, size: 8, length: None }),
        1 => {
            let length = u64::from_be_bytes(bytes.get(8..16)?.try_into().ok()?);
            (length >= 16).then_some(Head { kind, size: 16, length: Some(length) })
        }
        8.. => Some(Head { kind, size: 8, length: Some(u64::from(length)) }),
        _ => None,
    }
}

/// What a file that begins so is packed in.
pub(super) fn container(bytes: &[u8]) -> Option<Container> {
    let first = head(bytes)?;
    match &first.kind {
        b"ftyp" => Some(if bytes.get(8..12)? == b"qt  " { Container::Other("QuickTime") } else { Container::Mp4 }),
        b"moov" | b"mdat" | b"wide" | b"free" => Some(Container::Other("QuickTime")),
        _ => None,
    }
}

/// What a file of another family is packed in, by how it begins: no browser counts on any of these.
pub(super) fn other_container(bytes: &[u8]) -> Option<Container> {
    const ASF: [u8; 8] = [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11];
    let packets = |from: usize, each: usize| (0..3).all(|nth| bytes.get(from + nth * each) == Some(&0x47));
    let name = if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"AVI ") {
        "AVI"
    } else if bytes.starts_with(&[0, 0, 1, 0xBA]) {
        "MPEG program stream"
    } else if bytes.starts_with(&[0, 0, 1, 0xB3]) {
        "MPEG video"
    // Packets of 188 bytes that all begin alike; on some disks each has four more in front.
    } else if packets(0, 188) || packets(4, 192) {
        "MPEG transport stream"
    } else if bytes.starts_with(b"FLV\x01") {
        "Flash video"
    } else if bytes.starts_with(&ASF) {
        "Windows Media"
    } else if bytes.starts_with(b"OggS") {
        "Ogg"
    } else {
        return None;
    };
    Some(Container::Other(name))
}

/// The boxes one behind the other in the body of one: their names and bodies.
fn boxes(body: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    let mut rest = body;
    std::iter::from_fn(move || {
        let found = head(rest)?;
        let length = match found.length {
            Some(length) => usize::try_from(length).ok()?,
            None => rest.len(),
        };
        let (own, after) = rest.split_at_checked(length)?;
        rest = after;
        Some((found.kind, own.get(found.size..)?))
    })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "names are written as byte strings")]
fn find<'b>(body: &'b [u8], kind: &[u8; 4]) -> Option<&'b [u8]> {
    boxes(body).find(|(found, _)| found == kind).map(|(_, body)| body)
}

/// Reads the body of a `moov`.
pub(super) fn read(body: &[u8], film: &mut Film) {
    if let Some((scale, units)) = find(body, b"mvhd").and_then(clock) {
        film.seconds = seconds(units, scale);
    }
    let fragmented = find(body, b"mvex").is_some();
    let (mut sound, mut text, mut beginning) = (false, false, Some(0u64));
    for (_, track) in boxes(body).filter(|(kind, _)| kind == b"trak") {
        let Some(media) = find(track, b"mdia") else { continue };
        let handler = find(media, b"hdlr").and_then(|body| body.get(8..12)).unwrap_or_default();
        let table = find(media, b"minf").and_then(|info| find(info, b"stbl")).unwrap_or_default();
        match handler {
            b"vide" => {
                film.codec = film.codec.take().or_else(|| codec(table));
                film.picture = film.picture.or_else(|| picture(track));
            }
            b"soun" => sound = true,
            b"text" | b"sbtl" | b"subt" | b"clcp" => text = true,
            _ => {}
        }
        beginning = beginning.zip(of_beginning(media, table)).map(|(sum, own)| sum.saturating_add(own));
    }
    film.sound = Some(sound);
    film.text_track = Some(text);
    film.beginning = beginning.filter(|bytes| !fragmented && *bytes > 0);
}

fn seconds(units: u64, scale: u32) -> Option<f64> {
    let unknown = units == 0 || units == u64::MAX || units == u64::from(u32::MAX) || scale == 0;
    #[expect(clippy::cast_precision_loss, reason = "no video runs for 2^52 units")]
    (!unknown).then(|| units as f64 / f64::from(scale))
}

fn short(body: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*body.get(at..)?.first_chunk()?))
}

fn word(body: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*body.get(at..)?.first_chunk()?))
}

/// How many units a second has, and how many units it runs: alike in the heads of a film (`mvhd`) and a medium (`mdhd`). In
/// their second version times have eight bytes.
fn clock(body: &[u8]) -> Option<(u32, u64)> {
    match body.first()? {
        0 => Some((word(body, 12)?, u64::from(word(body, 16)?))),
        1 => Some((word(body, 20)?, u64::from_be_bytes(*body.get(24..)?.first_chunk()?))),
        _ => None,
    }
}

/// The pixels of a track as it is shown, which may be turned by a quarter.
fn picture(track: &[u8]) -> Option<(u32, u32)> {
    let head = find(track, b"tkhd")?;
    // Behind what has times in it: a matrix of nine numbers, then both sizes, whole pixels before their fractions.
    let matrix = match head.first()? {
        0 => 40,
        1 => 52,
        _ => return None,
    };
    let (width, height) = (u32::from(short(head, matrix + 36)?), u32::from(short(head, matrix + 40)?));
    let turned = word(head, matrix)? == 0 && word(head, matrix + 16)? == 0;
    (width > 0 && height > 0).then_some(if turned { (height, width) } else { (width, height) })
}

/// How the samples of a track are coded, by its first description (`stsd`).
fn codec(table: &[u8]) -> Option<Codec> {
    let kind = find(table, b"stsd")?.get(12..16)?;
    Some(match kind {
        b"avc1" | b"avc2" | b"avc3" | b"avc4" => Codec::Avc,
        b"vp09" => Codec::Vp9,
        b"av01" => Codec::Av1,
        b"hvc1" | b"hev1" | b"dvh1" | b"dvhe" => Codec::Hevc,
        other => Codec::Other(String::from_utf8_lossy(other).trim().to_owned()),
    })
}

/// How many bytes the samples of a track take that begin in the first seconds.
fn of_beginning(media: &[u8], table: &[u8]) -> Option<u64> {
    let (scale, _) = clock(find(media, b"mdhd")?)?;
    let (times, sizes) = (find(table, b"stts")?, find(table, b"stsz")?);
    let entries = list(times, 4, 8)?;
    let until = BEGINNING * f64::from(scale);
    let (mut samples, mut at) = (0u64, 0.0);
    for entry in entries.chunks_exact(8) {
        let (count, each) = (f64::from(word(entry, 0)?), f64::from(word(entry, 4)?));
        let fit = if each > 0.0 { ((until - at) / each).ceil().clamp(0.0, count) } else { count };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^32")]
        let fit_count = fit as u64;
        samples = samples.saturating_add(fit_count);
        at += count * each;
        if at >= until {
            break;
        }
    }
    match word(sizes, 4)? {
        0 => {
            let samples = usize::try_from(samples).unwrap_or(usize::MAX);
            let sizes = list(sizes, 8, 4)?.chunks_exact(4).take(samples);
            Some(sizes.filter_map(|size| word(size, 0)).map(u64::from).sum())
        }
        size => Some(samples.min(u64::from(word(sizes, 8)?)) * u64::from(size)),
    }
}

/// The entries, of so many bytes each, of a list whose length stands before it. Nothing where the box ends before them.
fn list(body: &[u8], at: usize, each: usize) -> Option<&[u8]> {
    let length = usize::try_from(word(body, at)?).ok()?;
    body.get(at + 4..)?.get(..length.checked_mul(each)?)
}

#[cfg(test)]
mod tests {
    use mp4_atom::{Encode, FixedPoint, Matrix, Mdhd, Mvhd, Stsz, StszSamples, Stts, SttsEntry, Tkhd};
    use proptest::prelude::*;

    use super::*;

    /// A box as somebody else's library writes it.
    fn written(atom: &impl Encode) -> Vec<u8> {
        let mut bytes = Vec::new();
        atom.encode(&mut bytes).unwrap();
        bytes
    }

    fn body(atom: &impl Encode) -> Vec<u8> {
        written(atom).split_off(8)
    }

    proptest! {
        #[test]
        fn heads_are_read_as_they_were_written(scale in any::<u32>(), units in any::<u64>(), size in any::<(u16, u16)>(), turned: bool) {
            let head = Mvhd { timescale: scale, duration: units, ..Mvhd::default() };
            prop_assert_eq!(clock(&body(&head)), Some((scale, units)));
            let media = Mdhd { timescale: scale, duration: units, language: "und".to_owned(), ..Mdhd::default() };
            prop_assert_eq!(clock(&body(&media)), Some((scale, units)));
            let unturned = Matrix::default();
            let matrix = if turned { Matrix { a: 0, b: 1 << 16, c: -(1 << 16), d: 0, ..unturned } } else { unturned };
            let (width, height) = (FixedPoint::from(size.0), FixedPoint::from(size.1));
            let track = written(&Tkhd { width, height, matrix, ..Tkhd::default() });
            let (wide, high) = (u32::from(size.0), u32::from(size.1));
            let seen = (wide > 0 && high > 0).then_some(if turned { (high, wide) } else { (wide, high) });
            prop_assert_eq!(picture(&track), seen);
        }

        #[test]
        fn the_beginning_is_counted(
            times in prop::collection::vec((0..500u32, 0..4_000u32), 0..8),
            sizes in prop::collection::vec(0..9_000u32, 0..600),
            alike in prop::option::of(1..9_000u32),
        ) {
            let head = Mdhd { timescale: 1_000, language: "und".to_owned(), ..Mdhd::default() };
            let entries = times.iter().map(|(sample_count, sample_delta)| SttsEntry { sample_count: *sample_count, sample_delta: *sample_delta });
            let count = u32::try_from(sizes.len()).unwrap();
            let samples = alike.map_or_else(|| StszSamples::Different { sizes: sizes.clone() }, |size| StszSamples::Identical { count, size });
            let mut table = written(&Stts { entries: entries.collect() });
            table.extend(written(&Stsz { samples }));
            // One sample after the other.
            let begins = times.iter().flat_map(|(count, each)| (0..*count).map(move |_| f64::from(*each)));
            let in_time = begins.scan(0.0, |at, each| {
                let begin = *at;
                *at += each;
                Some(begin)
            });
            let in_time = in_time.take_while(|begin| *begin < BEGINNING * 1_000.0).count();
            let sum = sizes.iter().take(in_time).map(|size| u64::from(alike.unwrap_or(*size))).sum::<u64>();
            prop_assert_eq!(of_beginning(&written(&head), &table), Some(sum));
            // What ends too early says nothing.
            if !sizes.is_empty() && alike.is_none() {
                table.truncate(table.len() - 1);
                prop_assert_eq!(of_beginning(&written(&head), &table), None);
            }
        }
    }

    #[test]
    fn short_times_are_read_too() {
        let mut head = vec![0; 12];
        head.extend(600u32.to_be_bytes());
        head.extend(1_800u32.to_be_bytes());
        assert_eq!(clock(&head), Some((600, 1_800)));
        head[0] = 2;
        assert_eq!(clock(&head), None);
        let mut track = vec![0; 8];
        track.extend([0; 76]);
        track.extend((640u32 << 16).to_be_bytes());
        track.extend((360u32 << 16).to_be_bytes());
        track[..8].copy_from_slice(b"\0\0\0\x5ctkhd");
        track[8 + 40..8 + 44].copy_from_slice(&(1u32 << 16).to_be_bytes());
        assert_eq!(picture(&track), Some((640, 360)));
        track[8 + 40..8 + 44].copy_from_slice(&[0; 4]);
        assert_eq!(picture(&track), Some((360, 640)));
        assert_eq!(picture(&track[..80]), None);
    }
}
