//! What a picture's bytes promise, looked through before anything is decoded: parts that nobody needs are taken out, and
//! what would cost more than any picture does is refused.
//!
//! Decoders inflate the texts and color profiles of a PNG, go over all of a JPEG's pixels once a scan, and
//! make ready all codes that a WebP has. Some hundred
//! kilobytes can so cost hundreds of megabytes, or minutes.

use image::ImageFormat;

use super::vp8l;
use crate::studio::pictures::PictureFault;

/// A PNG has at most so many parts. Writers put several kilobytes into each.
const MOST_CHUNKS: usize = 20_000;
/// How a picture is turned is said in less than this, bytes.
const MOST_EXIF: usize = 64 << 10;
/// A JPEG has at most so many scans. Those that become clear step by step have about ten.
const MOST_SCANS: u64 = 100;
/// A JPEG's scans go over at most so many pixels, all together.
const MOST_SCANNED: u64 = 1_000_000_000;
/// A lossless WebP has at most so many groups of codes; what is written by libwebp never has more.
const MOST_GROUPS: u32 = 2_600;
/// A JPEG has at most so many segments beside its scans.
const MOST_SEGMENTS: usize = 2_000;

/// The bytes without what is not needed to show the picture.
///
/// # Errors
/// Where it would take too much work to be decoded, or is put together as no picture is.
pub fn vet(format: ImageFormat, mut bytes: Vec<u8>) -> Result<Vec<u8>, PictureFault> {
    match format {
        ImageFormat::Png => {
            let kept = strip_png(&mut bytes)?;
            bytes.truncate(kept);
        }
        ImageFormat::Jpeg => vet_jpeg(&bytes)?,
        // One that ends before its codes do is the decoder's to refuse.
        ImageFormat::WebP if vp8l::groups(&bytes).is_some_and(|groups| groups > MOST_GROUPS) => {
            return Err(PictureFault::TooMuchWork);
        }
        _ => {}
    }
    Ok(bytes)
}

/// Moves what is needed of a PNG to the front; how many bytes that is. A picture that is cut off stays so.
fn strip_png(bytes: &mut [u8]) -> Result<usize, PictureFault> {
    const SIGNATURE: usize = 8;
    /// Length, name and sum.
    const AROUND: usize = 12;
    let (mut from, mut to) = (SIGNATURE, SIGNATURE);
    for _ in 0..MOST_CHUNKS {
        let Some(Some((head, _))) = bytes.get(from..).map(<[u8]>::split_first_chunk::<8>) else { return Ok(to) };
        let &[a, b, c, d, name @ ..] = head;
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
        let end = from.saturating_add(length).saturating_add(AROUND).min(bytes.len());
        let needed = match &name {
            b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" | b"IEND" => true,
            b"eXIf" => length <= MOST_EXIF,
            _ => false,
        };
        if needed {
            bytes.copy_within(from..end, to);
            to += end - from;
        }
        if &name == b"IEND" {
            return Ok(to);
        }
        from = end;
    }
    Err(PictureFault::TooMuchWork)
}

/// Goes through a JPEG's segments and scans as far as it is one; what can't be read is the decoder's to refuse.
fn vet_jpeg(bytes: &[u8]) -> Result<(), PictureFault> {
    let (mut at, mut scans, mut segments, mut pixels) = (2, 0_u64, 0_usize, None);
    while let Some(segment) = next_segment(bytes, at) {
        let Segment { kind, body, end } = segment;
        at = end;
        match kind {
            // The end.
            0xd9 => break,
            // A frame: all but the tables for codes (0xc4), an extension (0xc8) and arithmetic (0xcc).
            0xc0..=0xcf if !matches!(kind, 0xc4 | 0xc8 | 0xcc) => {
                if pixels.replace(pixels_of(body)).is_some() {
                    return Err(PictureFault::Broken);
                }
            }
            0xda => {
                scans += 1;
                if scans > MOST_SCANS || scans.saturating_mul(pixels.unwrap_or(0)) > MOST_SCANNED {
                    return Err(PictureFault::TooMuchWork);
                }
            }
            _ => {
                segments += 1;
                if segments > MOST_SEGMENTS {
                    return Err(PictureFault::TooMuchWork);
                }
            }
        }
    }
    Ok(())
}

/// A part of a JPEG: what it is, what it says, and where it ends.
struct Segment<'b> {
    kind: u8,
    body: &'b [u8],
    end: usize,
}

/// The next segment from a place on; codes of pixels are passed over.
fn next_segment(bytes: &[u8], from: usize) -> Option<Segment<'_>> {
    let mut at = from;
    loop {
        at += memchr::memchr(0xff, bytes.get(at..)?)?;
        let kind = *bytes.get(at + 1)?;
        match kind {
            // Filling before a mark.
            0xff => at += 1,
            // A byte of the codes that looks like a mark; restarts; marks without a body.
            0x00 | 0x01 | 0xd0..=0xd8 => at += 2,
            0xd9 => return Some(Segment { kind, body: &[], end: at + 2 }),
            _ => {
                let &[high, low] = bytes.get(at + 2..)?.first_chunk::<2>()?;
                let length = usize::from(u16::from_be_bytes([high, low])).max(2);
                let end = at + 2 + length;
                return Some(Segment { kind, body: bytes.get(at + 4..end)?, end });
            }
        }
    }
}

fn pixels_of(frame: &[u8]) -> u64 {
    let Some(&[_, h, i, w, j]) = frame.first_chunk::<5>() else { return 0 };
    u64::from(u16::from_be_bytes([h, i])) * u64::from(u16::from_be_bytes([w, j]))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use image::{DynamicImage, ImageFormat, RgbImage};

    use super::*;

    fn picture(format: ImageFormat) -> Vec<u8> {
        let image = RgbImage::from_fn(64, 48, |x, y| image::Rgb([x.to_le_bytes()[0] * 4, y.to_le_bytes()[0] * 5, 128]));
        let mut bytes = Vec::new();
        DynamicImage::ImageRgb8(image).write_to(&mut std::io::Cursor::new(&mut bytes), format).unwrap();
        bytes
    }

    /// A PNG with a part more before its pixels.
    fn with_chunk(name: [u8; 4], body: &[u8]) -> Vec<u8> {
        let mut bytes = picture(ImageFormat::Png);
        let mut crc = flate2::Crc::new();
        crc.update(&name);
        crc.update(body);
        let length = u32::try_from(body.len()).unwrap().to_be_bytes();
        let chunk = [length.as_slice(), &name, body, &crc.sum().to_be_bytes()].concat();
        // After the signature and the head.
        bytes.splice(33..33, chunk);
        bytes
    }

    fn deflated(megabytes: usize) -> Vec<u8> {
        let mut out = ZlibEncoder::new(Vec::new(), Compression::best());
        for _ in 0..megabytes {
            out.write_all(&vec![0; 1 << 20]).unwrap();
        }
        out.finish().unwrap()
    }

    #[test]
    fn what_nobody_needs_of_a_png_is_taken_out() {
        let plain = picture(ImageFormat::Png);
        let bomb = deflated(64);
        for (name, head) in
            [(*b"iCCP", b"a\0\0".as_slice()), (*b"zTXt", b"a\0\0"), (*b"iTXt", b"a\0\x01\0\0\0"), (*b"acTL", b"")]
        {
            let with = with_chunk(name, &[head, &bomb].concat());
            assert!(with.len() > plain.len() + 60_000);
            assert_eq!(vet(ImageFormat::Png, with).unwrap(), plain, "{name:?}");
        }
        let turned = with_chunk(*b"eXIf", b"II*\0\x08\0\0\0\0\0");
        assert_eq!(vet(ImageFormat::Png, turned.clone()).unwrap(), turned);
        for cut in 0..plain.len() {
            let kept = vet(ImageFormat::Png, plain[..cut].to_vec()).unwrap();
            assert!(plain.starts_with(&kept));
        }
        // A length beyond the end, and more parts than a picture has.
        let mut lies = plain.clone();
        lies[33..37].copy_from_slice(&[0xff; 4]);
        assert_eq!(vet(ImageFormat::Png, lies.clone()).unwrap(), lies);
        let parts = [&plain[..8], &b"\0\0\0\0abcd\0\0\0\0".repeat(MOST_CHUNKS + 1)].concat();
        assert_eq!(vet(ImageFormat::Png, parts), Err(PictureFault::TooMuchWork));
    }

    #[test]
    fn scans_are_counted_before_any_is_read() {
        let plain = picture(ImageFormat::Jpeg);
        assert_eq!(vet(ImageFormat::Jpeg, plain.clone()).unwrap(), plain);
        let begin = plain.windows(2).position(|pair| pair == [0xff, 0xda]).unwrap();
        let (head, scan) = plain[..plain.len() - 2].split_at(begin);
        let end = [0xff, 0xd9];
        let most = usize::try_from(MOST_SCANS).unwrap();
        let scans = |count: usize| [head, &scan.repeat(count), &end].concat();
        assert!(vet(ImageFormat::Jpeg, scans(most)).is_ok());
        assert_eq!(vet(ImageFormat::Jpeg, scans(most + 1)), Err(PictureFault::TooMuchWork));
        // Fewer, where each goes over more pixels.
        let frame = head.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
        let mut large = scans(50);
        large[frame + 5..frame + 9].copy_from_slice(&[0x13, 0x88, 0x13, 0x88]);
        assert_eq!(vet(ImageFormat::Jpeg, large), Err(PictureFault::TooMuchWork));
        let segments = [&plain[..2], &b"\xff\xfe\0\x02".repeat(MOST_SEGMENTS + 1), &plain[2..]].concat();
        assert_eq!(vet(ImageFormat::Jpeg, segments), Err(PictureFault::TooMuchWork));
        let twice = [&head[..frame], &head[frame..frame + 19], &head[frame..], scan].concat();
        assert_eq!(vet(ImageFormat::Jpeg, twice), Err(PictureFault::Broken));
    }
}
