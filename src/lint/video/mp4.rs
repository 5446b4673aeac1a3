//! What the index of an MP4 says (ISO/IEC 14496-12). It comes from strangers: boxes are looked into by name, none may reach
//! past the one that it is in, and what can't be read is left out.

use mp4_atom::{Atom as _, Mdhd, Mvhd, Stsz, StszSamples, Stts, Tkhd};

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
    if let Some(head) = find(body, b"mvhd").and_then(|mut body| Mvhd::decode_body(&mut body).ok()) {
        film.seconds = seconds(head.duration, head.timescale);
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

/// The pixels of a track as it is shown, which may be turned by a quarter.
fn picture(track: &[u8]) -> Option<(u32, u32)> {
    let head = Tkhd::decode_body(&mut find(track, b"tkhd")?).ok()?;
    let (width, height) = (u32::from(head.width.integer()), u32::from(head.height.integer()));
    let turned = head.matrix.a == 0 && head.matrix.d == 0;
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
    let head = Mdhd::decode_body(&mut find(media, b"mdhd")?).ok()?;
    let times = Stts::decode_body(&mut find(table, b"stts")?).ok()?;
    let sizes = Stsz::decode_body(&mut find(table, b"stsz")?).ok()?;
    let until = BEGINNING * f64::from(head.timescale);
    let (mut samples, mut at) = (0u64, 0.0);
    for entry in &times.entries {
        let (count, each) = (f64::from(entry.sample_count), f64::from(entry.sample_delta));
        let fit = if each > 0.0 { ((until - at) / each).ceil().clamp(0.0, count) } else { count };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^32")]
        let fit_count = fit as u64;
        samples = samples.saturating_add(fit_count);
        at += count * each;
        if at >= until {
            break;
        }
    }
    Some(match &sizes.samples {
        StszSamples::Identical { count, size } => samples.min(u64::from(*count)) * u64::from(*size),
        StszSamples::Different { sizes } => {
            let samples = usize::try_from(samples).unwrap_or(usize::MAX);
            sizes.iter().take(samples).map(|size| u64::from(*size)).sum()
        }
    })
}
