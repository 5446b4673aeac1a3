//! How long a video plays and how large its picture is, from its container. Nothing depends on it: what can't be read is
//! left out.

use std::io::{BufReader, Read, Seek, SeekFrom};

use super::matroska;
use super::measures::Measures;

/// Boxes looked at, at most: a file of many small ones is no reason to read it all.
const MOST_BOXES: usize = 10_000;
/// The longest header box that is read, bytes; they have about a hundred.
const LONGEST: u64 = 4096;
/// The size of a track that shows nothing.
const NO_PICTURE: (u32, u32) = (0, 0);

/// Reads what the container of a file of this media type tells.
#[must_use]
pub fn measure(file: impl Read + Seek, content_type: &str) -> Measures {
    let mut file = BufReader::new(file);
    match content_type {
        "video/mp4" | "video/quicktime" | "video/x-m4v" | "video/3gpp" => of_mp4(&mut file),
        "video/webm" | "video/x-matroska" => matroska::measure(&mut file),
        _ => Measures::default(),
    }
}

/// What was found before something can't be read stays found.
fn of_mp4(file: &mut BufReader<impl Read + Seek>) -> Measures {
    let mut measures = Measures::default();
    if file.seek(SeekFrom::Start(0)).is_ok() {
        let _ = read_boxes(file, &mut measures);
    }
    measures
}

/// Goes through the boxes one after the other, never into one that is not named here: nothing is nested, so there is no
/// depth to bound. No body is read but a short one.
fn read_boxes(file: &mut BufReader<impl Read + Seek>, measures: &mut Measures) -> Option<()> {
    for _ in 0..MOST_BOXES {
        let (kind, size) = read_head(file)?;
        match (&kind, size) {
            // Of these two the boxes inside come next; the others are stepped over.
            (b"moov" | b"trak", _) => continue,
            (b"mvhd", Some(size)) if size <= LONGEST => {
                let (scale, units) = Body::read(file, size)?.movie()?;
                measures.duration_ms = milliseconds(units, scale);
            }
            (b"tkhd", Some(size)) if size <= LONGEST => {
                let picture = Body::read(file, size)?.track()?;
                measures.picture = measures.picture.or(Some(picture).filter(|picture| *picture != NO_PICTURE));
            }
            (_, size) => file.seek_relative(i64::try_from(size?).ok()?).ok()?,
        }
        if measures.duration_ms.is_some() && measures.picture.is_some() {
            break;
        }
    }
    Some(())
}

/// The head of a box, ISO/IEC 14496-12 § 4.2: its kind, and how long its body is; none where it goes to the file's end.
fn read_head(file: &mut impl Read) -> Option<([u8; 4], Option<u64>)> {
    let mut word = [0; 4];
    file.read_exact(&mut word).ok()?;
    let mut kind = [0; 4];
    file.read_exact(&mut kind).ok()?;
    let body = match u32::from_be_bytes(word) {
        0 => None,
        1 => {
            let mut long = [0; 8];
            file.read_exact(&mut long).ok()?;
            Some(u64::from_be_bytes(long).checked_sub(16)?)
        }
        size => Some(u64::from(size).checked_sub(8)?),
    };
    Some((kind, body))
}

/// The body of a box that begins with its version, read field by field.
struct Body {
    bytes: Vec<u8>,
    at: usize,
    /// Times are of 64 bits.
    is_long: bool,
}

impl Body {
    fn read(file: &mut impl Read, size: u64) -> Option<Self> {
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        file.read_exact(&mut bytes).ok()?;
        // The version, then 24 bits of flags.
        let is_long = match bytes.first()? {
            0 => false,
            1 => true,
            _ => return None,
        };
        Some(Self { bytes, at: 4, is_long })
    }

    fn step(&mut self, bytes: usize) -> Option<()> {
        self.at = self.at.checked_add(bytes).filter(|at| *at <= self.bytes.len())?;
        Some(())
    }

    fn step_times(&mut self, times: usize) -> Option<()> {
        self.step(times * if self.is_long { 8 } else { 4 })
    }

    fn word(&mut self) -> Option<u32> {
        let word = *self.bytes.get(self.at..)?.first_chunk()?;
        self.step(4)?;
        Some(u32::from_be_bytes(word))
    }

    /// A time or a length: how many bits it has is told by the version.
    fn time(&mut self) -> Option<u64> {
        let high = if self.is_long { u64::from(self.word()?) << 32 } else { 0 };
        Some(high | u64::from(self.word()?))
    }

    /// Of a movie's head (§ 8.2.2): how many units a second has, and how many of them it plays.
    fn movie(mut self) -> Option<(u32, u64)> {
        // Made and changed.
        self.step_times(2)?;
        let scale = self.word()?;
        Some((scale, self.time()?))
    }

    /// Of a track's head (§ 8.3.2): width and height of the picture as it is shown, [`NO_PICTURE`] where it has none.
    fn track(mut self) -> Option<(u32, u32)> {
        // Made, changed, number, reserved, length; then reserved, layer, group, volume.
        self.step_times(2)?;
        self.step(8)?;
        self.step_times(1)?;
        self.step(16)?;
        let a = self.word()?;
        self.step(12)?;
        let d = self.word()?;
        self.step(16)?;
        // Numbers of 16 bits with 16 more after the point.
        let (width, height) = (self.word()? >> 16, self.word()? >> 16);
        // One that is shown turned by a quarter.
        let shown = if a == 0 && d == 0 { (height, width) } else { (width, height) };
        Some(if width > 0 && height > 0 { shown } else { NO_PICTURE })
    }
}

/// A length in so many units a second; none where the file says that it does not know, or nonsense.
fn milliseconds(units: u64, scale: u32) -> Option<u64> {
    // ISO/IEC 14496-12 § 8.2.2.3: all ones stand for an unknown length.
    if units == u64::MAX || units == u64::from(u32::MAX) {
        return None;
    }
    let ms = u128::from(units).checked_mul(1000)?.checked_div(scale.into())?;
    u64::try_from(ms).ok().filter(|ms| *ms > 0)
}

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
