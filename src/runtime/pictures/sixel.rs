//! Sixels: a picture of at most 256 colors, drawn six rows of pixels at a time (DEC STD 070, chapter 9).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use color_quant::NeuQuant;
use image::imageops::{dither, index_colors};
use image::{DynamicImage, Rgb, RgbImage};

/// Colors that terminals have for sixels.
const MOST_COLORS: usize = 256;
/// Every so many pixels are looked at to find the colors: 1 is the best and 30 the fastest.
const SAMPLED: i32 = 10;
/// Rows of pixels in a band.
const BAND: usize = 6;

/// A picture in few colors: of each pixel which one it is.
struct Indexed {
    width: usize,
    pixels: Vec<u8>,
    colors: Vec<[u8; 3]>,
}

/// The sequence that draws a picture from the cursor on.
pub fn drawn(image: &RgbImage) -> String {
    let indexed = exact(image).unwrap_or_else(|| reduced(image));
    let (width, height) = image.dimensions();
    // Pixels that are not drawn keep what is there; each is as wide as it is high.
    let mut drawn = format!("\x1bP0;1;0q\"1;1;{width};{height}");
    for (at, color) in indexed.colors.iter().enumerate() {
        let [red, green, blue] = color.map(percent);
        let _ = write!(drawn, "#{at};2;{red};{green};{blue}");
    }
    for (at, band) in indexed.pixels.chunks(indexed.width.max(1) * BAND).enumerate() {
        if at > 0 {
            drawn.push('-');
        }
        draw_band(&mut drawn, band, indexed.width.max(1));
    }
    drawn.push_str("\x1b\\");
    drawn
}

/// Shares of a color are told in hundredths.
fn percent(share: u8) -> u32 {
    (u32::from(share) * 100 + 127) / 255
}

/// The colors of a picture that has few.
fn exact(image: &RgbImage) -> Option<Indexed> {
    let mut known: BTreeMap<[u8; 3], u8> = BTreeMap::new();
    let mut colors = Vec::new();
    let mut pixels = Vec::with_capacity(image.as_raw().len() / 3);
    for Rgb(color) in image.pixels() {
        let index = match known.get(color) {
            Some(index) => *index,
            None if colors.len() < MOST_COLORS => {
                let index = u8::try_from(colors.len()).ok()?;
                known.insert(*color, index);
                colors.push(*color);
                index
            }
            None => return None,
        };
        pixels.push(index);
    }
    Some(Indexed { width: usize::try_from(image.width()).ok()?, pixels, colors })
}

/// The colors that come nearest to those of a picture, with what each pixel is off spread over its neighbors.
fn reduced(image: &RgbImage) -> Indexed {
    let mut image = DynamicImage::ImageRgb8(image.clone()).into_rgba8();
    let colors = NeuQuant::new(SAMPLED, MOST_COLORS, image.as_raw());
    dither(&mut image, &colors);
    let pixels = index_colors(&image, &colors).into_raw();
    let of = |color: &[u8]| <[u8; 3]>::try_from(color).unwrap_or_default();
    let width = usize::try_from(image.width()).unwrap_or_default();
    Indexed { width, pixels, colors: colors.color_map_rgb().chunks_exact(3).map(of).collect() }
}

/// Draws a band, one color over the other.
fn draw_band(drawn: &mut String, band: &[u8], width: usize) {
    let mut columns: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
    for (row, pixels) in band.chunks(width).enumerate() {
        for (column, color) in pixels.iter().enumerate() {
            let bits = columns.entry(*color).or_insert_with(|| vec![0; width]);
            if let Some(bits) = bits.get_mut(column) {
                *bits |= 1 << row;
            }
        }
    }
    for (nth, (color, bits)) in columns.iter().enumerate() {
        if nth > 0 {
            // Back to the band's beginning.
            drawn.push('$');
        }
        let _ = write!(drawn, "#{color}");
        let used = bits.iter().rposition(|bits| *bits != 0).map_or(0, |last| last + 1);
        for run in bits.get(..used).unwrap_or_default().chunk_by(|one, other| one == other) {
            let sixel = char::from(run.first().copied().unwrap_or_default() + b'?');
            if run.len() > 3 {
                let _ = write!(drawn, "!{}{sixel}", run.len());
            } else {
                drawn.extend(run.iter().map(|_| sixel));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What another's reader of sixels sees.
    fn seen(image: &RgbImage) -> RgbImage {
        let found = icy_sixel::SixelImage::decode(drawn(image).as_bytes()).unwrap();
        // A band is six rows high, also the last one.
        assert_eq!((found.width, found.height), (image.width() as usize, image.height().next_multiple_of(6) as usize));
        let mut rgba = found.pixels;
        rgba.truncate(image.as_raw().len() / 3 * 4);
        assert!(rgba.chunks_exact(4).all(|pixel| pixel[3] == 255), "every pixel is drawn");
        let rgba = image::RgbaImage::from_raw(image.width(), image.height(), rgba).unwrap();
        DynamicImage::ImageRgba8(rgba).into_rgb8()
    }

    fn furthest(one: &RgbImage, other: &RgbImage) -> u8 {
        one.as_raw().iter().zip(other.as_raw()).map(|(one, other)| one.abs_diff(*other)).max().unwrap()
    }

    fn byte(number: u32) -> u8 {
        u8::try_from(number).unwrap()
    }

    #[test]
    fn few_colors_are_as_they_are() {
        let image = RgbImage::from_fn(37, 17, |x, y| Rgb([if x > y { 255 } else { 10 }, 90, byte(x / 8 * 50)]));
        // Hundredths are a little coarser than bytes.
        assert!(furthest(&seen(&image), &image) <= 2);
    }

    #[test]
    fn many_colors_come_near() {
        let image = RgbImage::from_fn(96, 60, |x, y| Rgb([byte(x * 2), byte(y * 4), byte(x + y)]));
        let shown = seen(&image);
        let off: u64 =
            shown.as_raw().iter().zip(image.as_raw()).map(|(one, other)| u64::from(one.abs_diff(*other))).sum();
        assert!(off / (image.as_raw().len() as u64) < 12, "{off}");
    }

    #[test]
    fn a_single_pixel_is_a_picture_too() {
        let image = RgbImage::from_pixel(1, 1, Rgb([255, 0, 0]));
        assert!(furthest(&seen(&image), &image) <= 2);
    }
}
