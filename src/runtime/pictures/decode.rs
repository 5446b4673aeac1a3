//! From bytes that may be anything to pixels, in bounds.

use image::error::LimitErrorKind;
use image::{DynamicImage, ImageDecoder as _, ImageError, ImageFormat, ImageReader, Limits, RgbImage, imageops};

use super::large::{self, MOST_WORK};
use super::metered::{BUDGET, Metered, is_spent};
use super::vet::vet;
use crate::studio::pictures::PictureFault;

/// More pixels than these are not decoded, however little memory that would take: it takes time too.
const MOST_PIXELS: u64 = 25_000_000;
/// Nor those that are longer: what lies along them is counted in this many.
const MOST_EDGE: u32 = 65_535;

/// What the bytes are, held against what they are called.
///
/// # Errors
/// Where they are no picture, or another than they are called.
pub fn sniff(bytes: &[u8], called: Option<&str>) -> Result<ImageFormat, PictureFault> {
    let Ok(format) = image::guess_format(bytes) else { return Err(PictureFault::NotAPicture(kind_of(bytes))) };
    let Some(is) = name_of(format) else { return Err(PictureFault::NotAPicture("unknown form")) };
    let called = called.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let called = match called.as_str() {
        "" | "application/octet-stream" | "binary/octet-stream" | "image/*" => return Ok(format),
        "image/png" | "image/x-png" => "PNG",
        "image/jpeg" | "image/jpg" | "image/pjpeg" => "JPEG",
        "image/gif" => "GIF",
        "image/webp" => "WebP",
        "image/bmp" | "image/x-ms-bmp" => "BMP",
        "image/svg+xml" => "SVG",
        "text/html" => "HTML",
        _ => "another",
    };
    if called == is { Ok(format) } else { Err(PictureFault::Mislabelled(called, is)) }
}

fn name_of(format: ImageFormat) -> Option<&'static str> {
    Some(match format {
        ImageFormat::Png => "PNG",
        ImageFormat::Jpeg => "JPEG",
        ImageFormat::Gif => "GIF",
        ImageFormat::WebP => "WebP",
        ImageFormat::Bmp => "BMP",
        _ => return None,
    })
}

fn kind_of(bytes: &[u8]) -> &'static str {
    let head = bytes.get(..bytes.len().min(1024)).unwrap_or_default();
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    if bytes.is_empty() {
        "empty"
    } else if head.contains("<svg") {
        "SVG"
    } else if head.contains("<!doctype html") || head.contains("<html") {
        "HTML"
    } else {
        "unknown form"
    }
}

/// Decodes a picture, turned as it says, on white where it lets the background through, and no larger than `most`.
///
/// # Errors
/// Where it has too many pixels, is cut off, or can't be decoded.
pub fn decode(bytes: Vec<u8>, most: (u32, u32)) -> Result<RgbImage, PictureFault> {
    let format = sniff(&bytes, None)?;
    if format == ImageFormat::Jpeg && !is_ended_jpeg(&bytes) {
        return Err(PictureFault::CutOff);
    }
    let bytes = vet(format, bytes)?;
    let reader = ImageReader::with_format(Metered::new(&bytes, BUDGET), format);
    let mut decoder = reader.into_decoder().map_err(|error| fault(&error))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS || width.max(height) > MOST_EDGE {
        return Err(PictureFault::TooManyPixels(width, height));
    }
    if width == 0 || height == 0 {
        return Err(PictureFault::Broken);
    }
    let orientation = decoder.orientation().ok();
    let pixels = u64::from(width) * u64::from(height);
    let work = decoder.total_bytes().saturating_add(large::beside(format, &bytes, pixels));
    let mut image = if work > large::most_whole(format) {
        drop(decoder);
        DynamicImage::ImageRgb8(large::smaller(format, &bytes, (width, height), most)?)
    } else {
        let mut limits = Limits::default();
        limits.max_alloc = Some(2 * MOST_WORK);
        decoder.set_limits(limits).map_err(|error| fault(&error))?;
        DynamicImage::from_decoder(decoder).map_err(|error| fault(&error))?
    };
    drop(bytes);
    // First made small: turning and flattening then cost little.
    let edge = most.0.max(most.1).max(1);
    if image.width() > edge || image.height() > edge {
        image = image.thumbnail(edge, edge);
    }
    if let Some(orientation) = orientation {
        image.apply_orientation(orientation);
    }
    Ok(flatten(image))
}

/// Puts a picture on white: shops do, and pictures are made for that.
fn flatten(image: DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.into_rgb8();
    }
    let image = image.into_rgba8();
    let mut flat = RgbImage::new(image.width(), image.height());
    for (from, to) in image.pixels().zip(flat.pixels_mut()) {
        let image::Rgba([r, g, b, alpha]) = *from;
        let alpha = u32::from(alpha);
        let over = |value: u8| u8::try_from((u32::from(value) * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX);
        *to = image::Rgb([over(r), over(g), over(b)]);
    }
    flat
}

/// Makes a picture of exactly so many pixels.
pub fn resized(image: &RgbImage, (width, height): (u32, u32)) -> RgbImage {
    if image.dimensions() == (width, height) {
        return image.clone();
    }
    imageops::resize(image, width.max(1), height.max(1), imageops::FilterType::Triangle)
}

/// Whether a JPEG's last scan has an end: decoders fill in grey where it has none.
fn is_ended_jpeg(bytes: &[u8]) -> bool {
    let last = |mark: u8| bytes.windows(2).rposition(|pair| pair == [0xff, mark]);
    last(0xd9) > last(0xda)
}

fn fault(error: &ImageError) -> PictureFault {
    match error {
        ImageError::Limits(limits) if matches!(limits.kind(), LimitErrorKind::DimensionError) => {
            PictureFault::TooManyBytes
        }
        ImageError::Limits(_) => PictureFault::TooManyBytes,
        ImageError::IoError(error) if is_spent(error) => PictureFault::TooMuchWork,
        ImageError::IoError(_) => PictureFault::CutOff,
        other if ends_early(other) => PictureFault::CutOff,
        _ => PictureFault::Broken,
    }
}

/// Whether the cause of an error is that bytes are missing.
fn ends_early(error: &ImageError) -> bool {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = source {
        if error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::UnexpectedEof) {
            return true;
        }
        let words = error.to_string().to_ascii_lowercase();
        if words.contains("unexpected end") || words.contains("unexpected eof") || words.contains("truncated") {
            return true;
        }
        source = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn picture(format: ImageFormat) -> Vec<u8> {
        let image = RgbImage::from_fn(64, 48, |x, y| image::Rgb([x.to_le_bytes()[0] * 4, y.to_le_bytes()[0] * 5, 128]));
        let mut bytes = Vec::new();
        DynamicImage::ImageRgb8(image).write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        bytes
    }

    const FORMATS: [(ImageFormat, &str); 5] = [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::Gif, "image/gif"),
        (ImageFormat::WebP, "image/webp; charset=binary"),
        (ImageFormat::Bmp, "image/bmp"),
    ];

    #[test]
    fn every_form_is_decoded() {
        for (format, called) in FORMATS {
            let bytes = picture(format);
            assert_eq!(sniff(&bytes, Some(called)), Ok(format));
            assert_eq!(decode(bytes.clone(), (500, 500)).unwrap().dimensions(), (64, 48));
            assert_eq!(decode(bytes, (32, 32)).unwrap().dimensions(), (32, 24));
        }
    }

    #[test]
    fn what_is_cut_off_is_said_to_be() {
        for (format, _) in FORMATS {
            let bytes = picture(format);
            for part in [10, 50, 90] {
                let cut = &bytes[..bytes.len() * part / 100];
                let found = decode(cut.to_vec(), (500, 500));
                assert!(
                    matches!(found, Err(PictureFault::CutOff | PictureFault::Broken | PictureFault::NotAPicture(_))),
                    "{format:?} at {part}: {found:?}"
                );
            }
        }
        let jpeg = picture(ImageFormat::Jpeg);
        assert_eq!(decode(jpeg[..jpeg.len() / 2].to_vec(), (500, 500)), Err(PictureFault::CutOff));
    }

    #[test]
    fn bombs_and_liars_are_refused() {
        // A PNG of 50,000 x 50,000 in a few bytes: its head says so, and nothing else of it is read.
        let mut bomb = picture(ImageFormat::Png);
        bomb[16..24].copy_from_slice(&[0, 0, 0xc3, 0x50, 0, 0, 0xc3, 0x50]);
        let head = crc(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&head.to_be_bytes());
        assert_eq!(decode(bomb, (100, 100)), Err(PictureFault::TooManyPixels(50_000, 50_000)));
        // One that says it is larger than what is in it.
        let mut larger = picture(ImageFormat::Png);
        larger[16..24].copy_from_slice(&[0, 0, 1, 0, 0, 0, 1, 0]);
        let head = crc(&larger[12..29]);
        larger[29..33].copy_from_slice(&head.to_be_bytes());
        assert!(matches!(decode(larger, (100, 100)), Err(PictureFault::CutOff | PictureFault::Broken)));
        assert_eq!(
            sniff(&picture(ImageFormat::Jpeg), Some("image/png")),
            Err(PictureFault::Mislabelled("PNG", "JPEG"))
        );
        assert_eq!(sniff(b"<!DOCTYPE html><html>", Some("image/png")), Err(PictureFault::NotAPicture("HTML")));
        assert_eq!(sniff(b"<?xml version='1.0'?><svg>", Some("image/svg+xml")), Err(PictureFault::NotAPicture("SVG")));
        assert_eq!(sniff(b"", None), Err(PictureFault::NotAPicture("empty")));
        assert_eq!(sniff(b"II*\0 a TIFF", None), Err(PictureFault::NotAPicture("unknown form")));
    }

    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0u32, |sum, byte| {
            (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
        })
    }

    #[test]
    fn what_lets_the_background_through_stands_on_white() {
        let image = image::RgbaImage::from_pixel(2, 2, image::Rgba([200, 0, 0, 0]));
        assert_eq!(flatten(DynamicImage::ImageRgba8(image)).get_pixel(0, 0).0, [255, 255, 255]);
    }
}
