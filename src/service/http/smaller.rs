//! Posters of the service's own in smaller sizes: a phone need not load what a wide screen shows.

use std::collections::HashMap;
use std::io::Cursor;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use bytes::Bytes;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{GenericImageView as _, ImageReader, Limits};
use tokio::sync::{OnceCell, Semaphore};

/// A picture with a longer side is not made smaller, pixels; nor one that takes more memory while it is read, bytes.
const MOST_SIDE: u32 = 4096;
const MOST_MEMORY: u64 = 64 * 1024 * 1024;

/// Of JPEG: little is seen of it at these sizes.
const QUALITY: u8 = 65;

/// So many are made at once; the rest waits.
static WORKERS: Semaphore = Semaphore::const_new(2);

type Made = Arc<OnceCell<Option<Bytes>>>;

/// What was made, by path and width. There are only so many: the files are those of the program.
static KEPT: LazyLock<Mutex<HashMap<(&'static str, u32), Made>>> = LazyLock::new(Mutex::default);

/// A picture made narrower, as JPEG; nothing where it is that narrow already, is no smaller by it, or
/// can't be read. It is made once, beside
/// the workers that answer requests.
pub(super) async fn narrower(path: &'static str, bytes: &'static [u8], width: u32) -> Option<Bytes> {
    let made = {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(kept.entry((path, width)).or_default())
    };
    let made = made.get_or_init(async || {
        // It is never closed.
        let _turn = WORKERS.acquire().await;
        tokio::task::spawn_blocking(move || resized(bytes, width)).await.ok().flatten()
    });
    made.await.clone()
}

fn resized(bytes: &[u8], width: u32) -> Option<Bytes> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MOST_SIDE);
    limits.max_image_height = Some(MOST_SIDE);
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let picture = reader.decode().ok()?;
    let (across, down) = picture.dimensions();
    if across <= width {
        return None;
    }
    let height = u32::try_from(u64::from(down) * u64::from(width) / u64::from(across)).ok()?.max(1);
    let small = picture.resize_exact(width, height, FilterType::Triangle).into_rgb8();
    let mut out = Vec::new();
    small.write_with_encoder(JpegEncoder::new_with_quality(&mut out, QUALITY)).ok()?;
    // A picture that was packed well may be the smaller file as it is.
    (out.len() < bytes.len()).then(|| out.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_made_narrower_and_never_wider() {
        let mut wide = Vec::new();
        let picture = image::RgbImage::from_pixel(640, 360, image::Rgb([200, 30, 30]));
        picture.write_with_encoder(JpegEncoder::new_with_quality(&mut wide, 90)).unwrap();
        let small = image::load_from_memory(&resized(&wide, 160).unwrap()).unwrap();
        assert_eq!(small.dimensions(), (160, 90));
        assert_eq!(resized(&wide, 640), None);
        assert_eq!(resized(b"\xff\xd8 no picture", 160), None);
        // A head that promises what would not fit into the memory.
        let mut bomb = Vec::new();
        image::GrayImage::new(5000, 1).write_with_encoder(JpegEncoder::new(&mut bomb)).unwrap();
        assert_eq!(resized(&bomb, 160), None);
    }
}
