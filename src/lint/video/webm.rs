//! What the beginning of a `WebM` file says (RFC 8794, RFC 9559). As careful as with any stranger's file.

use super::film::{Codec, Container, Film};

const DOC_TYPE: u32 = 0x4282;
const EBML: u32 = 0x1A45_DFA3;
const SEGMENT: u32 = 0x1853_8067;
const INFO: u32 = 0x1549_A966;
const SCALE: u32 = 0x002A_D7B1;
const DURATION: u32 = 0x4489;
const TRACKS: u32 = 0x1654_AE6B;
const TRACK: u32 = 0xAE;
const KIND: u32 = 0x83;
const CODEC: u32 = 0x86;
const VIDEO: u32 = 0xE0;
const WIDTH: u32 = 0xB0;
const HEIGHT: u32 = 0xBA;
const CLUSTER: u32 = 0x1F43_B675;

/// Whether a file begins like one of this family.
pub(super) fn is_ebml(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1A, 0x45, 0xDF, 0xA3])
}

/// The number that begins here, and how many bytes it has; with its length's mark where it is an id.
fn number(bytes: &[u8], is_id: bool) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let length = usize::try_from(first.leading_zeros()).ok()? + 1;
    if length > if is_id { 4 } else { 8 } {
        return None;
    }
    let mark = if is_id { 0 } else { 0x80u8 >> (length - 1) };
    let mut value = u64::from(first & !mark);
    for byte in bytes.get(1..length)? {
        value = (value << 8) | u64::from(*byte);
    }
    Some((value, length))
}

/// The elements in a body: ids and bodies. One that reaches further is cut: only the beginning of a file is at hand.
fn elements(body: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut rest = body;
    std::iter::from_fn(move || {
        let (id, id_size) = number(rest, true)?;
        let (length, size) = number(rest.get(id_size..)?, false)?;
        let body = rest.get(id_size + size..)?;
        let is_open = length == (1u64 << (7 * size)) - 1;
        let length = if is_open { body.len() } else { usize::try_from(length).unwrap_or(usize::MAX).min(body.len()) };
        let (own, after) = body.split_at_checked(length)?;
        rest = after;
        Some((u32::try_from(id).ok()?, own))
    })
}

fn unsigned(body: &[u8]) -> Option<u64> {
    (body.len() <= 8).then(|| body.iter().fold(0, |value, byte| (value << 8) | u64::from(*byte)))
}

fn float(body: &[u8]) -> Option<f64> {
    match body.len() {
        4 => Some(f64::from(f32::from_be_bytes(body.try_into().ok()?))),
        8 => Some(f64::from_be_bytes(body.try_into().ok()?)),
        _ => None,
    }
}

/// Reads the beginning of a file.
pub(super) fn read(bytes: &[u8], film: &mut Film) {
    for (id, body) in elements(bytes) {
        if id == EBML {
            let kind = elements(body).find(|(id, _)| *id == DOC_TYPE).map(|(_, kind)| kind);
            film.container = Some(if kind.is_some_and(|kind| kind.starts_with(b"webm")) {
                Container::Webm
            } else {
                Container::Other("Matroska")
            });
        } else if id == SEGMENT {
            for (id, body) in elements(body) {
                match id {
                    INFO => info(body, film),
                    TRACKS => tracks(body, film),
                    CLUSTER => break,
                    _ => {}
                }
            }
        }
    }
}

fn info(body: &[u8], film: &mut Film) {
    let of = |wanted: u32| elements(body).find(|(id, _)| *id == wanted).map(|(_, body)| body);
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds of one unit are few")]
    let scale = of(SCALE).and_then(unsigned).map_or(1e6, |scale| scale as f64);
    let seconds = of(DURATION).and_then(float).map(|units| units * scale / 1e9);
    film.seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
}

fn tracks(body: &[u8], film: &mut Film) {
    let (mut sound, mut text) = (false, false);
    for (_, track) in elements(body).filter(|(id, _)| *id == TRACK) {
        let of = |wanted: u32| elements(track).find(|(id, _)| *id == wanted).map(|(_, body)| body);
        match of(KIND).and_then(unsigned) {
            Some(1) => {
                let name = of(CODEC).map(|name| String::from_utf8_lossy(name).trim_end_matches('\0').to_owned());
                film.codec = film.codec.take().or(name.map(codec));
                film.picture = film.picture.or_else(|| of(VIDEO).and_then(pixels));
            }
            Some(2) => sound = true,
            Some(17) => text = true,
            _ => {}
        }
    }
    (film.sound, film.text_track) = (Some(sound), Some(text));
}

fn codec(name: String) -> Codec {
    match name.as_str() {
        "V_MPEG4/ISO/AVC" => Codec::Avc,
        "V_VP9" => Codec::Vp9,
        "V_AV1" => Codec::Av1,
        "V_MPEGH/ISO/HEVC" => Codec::Hevc,
        _ => Codec::Other(name.trim_start_matches("V_").to_owned()),
    }
}

fn pixels(video: &[u8]) -> Option<(u32, u32)> {
    let of = |wanted: u32| elements(video).find(|(id, _)| *id == wanted).and_then(|(_, body)| unsigned(body));
    let (width, height) = (u32::try_from(of(WIDTH)?).ok()?, u32::try_from(of(HEIGHT)?).ok()?);
    (width > 0 && height > 0).then_some((width, height))
}
