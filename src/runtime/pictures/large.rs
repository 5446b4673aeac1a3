//! Large pictures in little memory: made smaller while they are decoded, and refused where that can't be done.

use image::{ImageFormat, RgbImage};
use jpeg_decoder::PixelFormat;
use png::{BitDepth, ColorType, Transformations};

use super::metered::{BUDGET, Metered, is_spent};
use crate::studio::pictures::PictureFault;

/// The most memory that decoding one picture may take, its bytes apart.
pub const MOST_WORK: u64 = 32 << 20;

/// The most memory that a picture of this form may take to be decoded whole; what takes more is made smaller meanwhile,
/// where it can be.
pub fn most_whole(format: ImageFormat) -> u64 {
    match format {
        ImageFormat::Jpeg | ImageFormat::Png => MOST_WORK / 4,
        _ => MOST_WORK,
    }
}

/// What decoding a picture whole takes beside the pixels that come out of it, bytes.
pub fn beside(format: ImageFormat, bytes: &[u8], pixels: u64) -> u64 {
    match format {
        ImageFormat::Jpeg => frame(bytes).map_or(0, |frame| frame.coefficients(pixels)),
        // It is put together in another form first.
        ImageFormat::WebP => pixels * 4,
        _ => 0,
    }
}

/// Decodes a picture that has too many pixels to be decoded whole, as small as it may become: no smaller than `most`.
///
/// # Errors
/// Where that can't be done in the memory that there is, or at all.
pub fn smaller(
    format: ImageFormat,
    bytes: &[u8],
    size: (u32, u32),
    most: (u32, u32),
) -> Result<RgbImage, PictureFault> {
    let small = match format {
        ImageFormat::Jpeg => jpeg(bytes, size, most),
        ImageFormat::Png => png(bytes, most),
        _ => None,
    };
    small.ok_or(PictureFault::TooManyPixels(size.0, size.1))?
}

/// What the frame of a JPEG says that matters here.
struct Frame {
    progressive: bool,
    /// Samples of all components for as many pixels as the most frequent one has samples.
    samples: (u64, u64),
}

impl Frame {
    /// Bytes of the coefficients that are kept until all scans were read.
    fn coefficients(&self, pixels: u64) -> u64 {
        let (all, of) = self.samples;
        if self.progressive { pixels.saturating_mul(2 * all) / of.max(1) } else { 0 }
    }
}

/// The frame header, which stands before the first scan.
fn frame(bytes: &[u8]) -> Option<Frame> {
    let mut rest = bytes.get(2..)?;
    loop {
        let (&[mark, kind, high, low], _) = rest.split_first_chunk::<4>()?;
        if mark != 0xff {
            return None;
        }
        if kind == 0xff {
            // A mark may be preceded by any number of these.
            rest = rest.get(1..)?;
            continue;
        }
        let segment = rest.get(4..2 + usize::from(u16::from_be_bytes([high, low])))?;
        match kind {
            0xc0..=0xc2 => {
                let count = usize::from(*segment.get(5)?);
                let factors: Vec<(u64, u64)> = segment
                    .get(6..6 + 3 * count)?
                    .chunks_exact(3)
                    .filter_map(|component| component.get(1))
                    .map(|factors| (u64::from(factors >> 4), u64::from(factors & 15)))
                    .collect();
                let most = |of: fn(&(u64, u64)) -> u64| factors.iter().map(of).max().unwrap_or(1);
                let all = factors.iter().map(|(across, down)| across * down).sum();
                return Some(Frame {
                    progressive: kind == 0xc2,
                    samples: (all, most(|factors| factors.0) * most(|factors| factors.1)),
                });
            }
            0xda => return None,
            _ => rest = rest.get(2 + usize::from(u16::from_be_bytes([high, low]))..)?,
        }
    }
}

/// A JPEG at an eighth, a quarter or half of its size, as it comes out of its transform.
fn jpeg(bytes: &[u8], size: (u32, u32), most: (u32, u32)) -> Option<Result<RgbImage, PictureFault>> {
    let pixels = u64::from(size.0) * u64::from(size.1);
    let kept = frame(bytes)?.coefficients(pixels);
    let mut decoder = jpeg_decoder::Decoder::new(Metered::new(bytes, BUDGET));
    let mut wanted = most;
    let (width, height) = loop {
        let edge = |edge: u32| u16::try_from(edge).unwrap_or(u16::MAX).max(1);
        let scaled = decoder.scale(edge(wanted.0), edge(wanted.1)).ok()?;
        // Its planes, and what is put together of them.
        let work = kept + 2 * 3 * u64::from(scaled.0) * u64::from(scaled.1);
        if work <= MOST_WORK {
            break scaled;
        }
        if wanted == (1, 1) {
            return None;
        }
        wanted = ((wanted.0.min(size.0) / 2).max(1), (wanted.1.min(size.1) / 2).max(1));
    };
    let samples = match decoder.decode() {
        Ok(samples) => samples,
        Err(jpeg_decoder::Error::Io(error)) if is_spent(&error) => return Some(Err(PictureFault::TooMuchWork)),
        Err(jpeg_decoder::Error::Io(_)) => return Some(Err(PictureFault::CutOff)),
        Err(_) => return Some(Err(PictureFault::Broken)),
    };
    let rgb = match decoder.info()?.pixel_format {
        PixelFormat::RGB24 => samples,
        PixelFormat::L8 => samples.into_iter().flat_map(|grey| [grey; 3]).collect(),
        PixelFormat::L16 | PixelFormat::CMYK32 => return None,
    };
    RgbImage::from_raw(u32::from(width), u32::from(height), rgb).map(Ok)
}

/// A PNG row by row, so many pixels by so many made one, on white where it lets the background through. One that is
/// interlaced has no rows until all of it is there.
fn png(bytes: &[u8], most: (u32, u32)) -> Option<Result<RgbImage, PictureFault>> {
    let limits = png::Limits { bytes: usize::try_from(MOST_WORK).ok()? };
    let mut decoder = png::Decoder::new_with_limits(Metered::new(bytes, BUDGET), limits);
    decoder.set_transformations(Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    let mut reader = decoder.read_info().ok()?;
    let info = reader.info();
    if info.interlaced {
        return None;
    }
    let (width, height) = info.size();
    let (colour, depth) = reader.output_color_type();
    let samples = colour.samples();
    let step = (width / most.0.max(1)).max(height / most.1.max(1)).max(1);
    let (across, down) = (width / step, height / step);
    if depth != BitDepth::Eight || across == 0 || down == 0 {
        return None;
    }
    let mut small = Vec::with_capacity(usize::try_from(u64::from(across) * u64::from(down) * 3).ok()?);
    // Each sample of the rows that become one is added where it stands: what is done with one is as little as can be.
    let mut sums = vec![0u32; usize::try_from(across * step).ok()?.checked_mul(3)?];
    let of = step * step;
    let wide = usize::try_from(step).ok()?;
    for y in 0..down * step {
        let row = match reader.next_row() {
            Ok(Some(row)) => row,
            Err(png::DecodingError::IoError(error)) if is_spent(&error) => return Some(Err(PictureFault::TooMuchWork)),
            Ok(None) | Err(png::DecodingError::IoError(_)) => return Some(Err(PictureFault::CutOff)),
            Err(_) => return Some(Err(PictureFault::Broken)),
        };
        if colour == ColorType::Rgb {
            for (sum, value) in sums.iter_mut().zip(row.data()) {
                *sum += u32::from(*value);
            }
        } else {
            for (sum, pixel) in sums.chunks_exact_mut(3).zip(row.data().chunks_exact(samples)) {
                for (sum, value) in sum.iter_mut().zip(on_white(pixel, colour)) {
                    *sum += u32::from(value);
                }
            }
        }
        if (y + 1) % step == 0 {
            for pixels in sums.chunks_exact(3 * wide) {
                for channel in 0..3 {
                    let sum: u32 = pixels.iter().skip(channel).step_by(3).sum();
                    small.push(u8::try_from(sum / of).unwrap_or(u8::MAX));
                }
            }
            sums.fill(0);
        }
    }
    RgbImage::from_raw(across, down, small).map(Ok)
}

fn on_white(pixel: &[u8], colour: ColorType) -> [u8; 3] {
    let over = |value: u8, alpha: u8| {
        let alpha = u32::from(alpha);
        u8::try_from((u32::from(value) * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
    };
    match (colour, pixel) {
        (ColorType::Rgba, &[r, g, b, alpha]) => [r, g, b].map(|value| over(value, alpha)),
        (ColorType::GrayscaleAlpha, &[grey, alpha]) => [over(grey, alpha); 3],
        (_, &[r, g, b]) => [r, g, b],
        (_, &[grey]) => [grey; 3],
        _ => [255; 3],
    }
}

#[cfg(test)]
mod tests {
    use image::{ColorType as Samples, ImageEncoder as _, codecs::jpeg::JpegEncoder, codecs::png::PngEncoder};

    use super::*;

    /// Progressive, 64x48, its colours at a quarter of its brightness' samples.
    const PROGRESSIVE: &[u8] = include_bytes!("progressive.jpg");

    fn rgb(width: u32, height: u32) -> RgbImage {
        RgbImage::from_fn(width, height, |x, y| {
            image::Rgb([(x * 255 / width).to_le_bytes()[0], (y * 255 / height).to_le_bytes()[0], 90])
        })
    }

    fn near(found: &RgbImage, expected: &RgbImage) {
        let expected = image::imageops::thumbnail(expected, found.width(), found.height());
        let sum: u64 = found.as_raw().iter().zip(expected.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        let mean = sum / u64::try_from(found.as_raw().len()).unwrap();
        assert!(mean <= 3, "{mean}");
    }

    #[test]
    fn a_picture_made_smaller_is_the_same_picture() {
        let picture = rgb(640, 480);
        let mut bytes = Vec::new();
        JpegEncoder::new_with_quality(&mut bytes, 95).encode_image(&picture).unwrap();
        let small = smaller(ImageFormat::Jpeg, &bytes, (640, 480), (100, 100)).unwrap();
        assert_eq!(small.dimensions(), (160, 120));
        near(&small, &picture);
        let mut bytes = Vec::new();
        PngEncoder::new(&mut bytes).write_image(picture.as_raw(), 640, 480, Samples::Rgb8.into()).unwrap();
        let small = smaller(ImageFormat::Png, &bytes, (640, 480), (100, 100)).unwrap();
        assert_eq!(small.dimensions(), (106, 80));
        near(&small, &picture);
        let cut = &bytes[..bytes.len() / 2];
        assert_eq!(smaller(ImageFormat::Png, cut, (640, 480), (100, 100)), Err(PictureFault::CutOff));
    }

    #[test]
    fn what_a_png_lets_through_is_white_and_grey_is_grey() {
        let mut bytes = Vec::new();
        PngEncoder::new(&mut bytes).write_image(&[200, 0, 0, 0].repeat(64), 8, 8, Samples::Rgba8.into()).unwrap();
        let small = smaller(ImageFormat::Png, &bytes, (8, 8), (2, 2)).unwrap();
        assert_eq!(small.get_pixel(1, 1).0, [255; 3]);
        let mut bytes = Vec::new();
        PngEncoder::new(&mut bytes).write_image(&[7; 64], 8, 8, Samples::L8.into()).unwrap();
        assert_eq!(smaller(ImageFormat::Png, &bytes, (8, 8), (2, 2)).unwrap().get_pixel(0, 0).0, [7; 3]);
    }

    #[test]
    fn what_is_kept_of_a_progressive_jpeg_is_known_before() {
        let pixels = 64 * 48;
        assert_eq!(beside(ImageFormat::Jpeg, PROGRESSIVE, pixels), pixels * 3);
        assert!(smaller(ImageFormat::Jpeg, PROGRESSIVE, (64, 48), (8, 8)).is_ok());
        // The same head over so many pixels that there is no room for it at any size.
        let huge = smaller(ImageFormat::Jpeg, PROGRESSIVE, (4_000, 4_000), (8, 8));
        assert_eq!(huge, Err(PictureFault::TooManyPixels(4_000, 4_000)));
        let mut baseline = Vec::new();
        JpegEncoder::new(&mut baseline).encode_image(&rgb(16, 16)).unwrap();
        assert_eq!(beside(ImageFormat::Jpeg, &baseline, 256), 0);
        for end in 0..PROGRESSIVE.len().min(700) {
            let _ = beside(ImageFormat::Jpeg, &PROGRESSIVE[..end], pixels);
        }
    }
}
