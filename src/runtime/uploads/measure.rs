//! How long a video plays and how large its picture is, from its container. Nothing depends on it: what can't be read is
//! left out.

use std::io::{BufReader, Read, Seek, SeekFrom};

use mp4_atom::{Atom, FourCC, Header, Mvhd, ReadAtom as _, ReadFrom as _, Tkhd};

use super::matroska;
use super::measures::Measures;

/// Boxes looked at, at most: a file of many small ones is no reason to read it all.
const MOST_BOXES: usize = 10_000;
/// The longest header box that is read, bytes; they have about a hundred.
const LONGEST: usize = 4096;

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
    const MOOV: FourCC = FourCC::new(b"moov");
    const TRAK: FourCC = FourCC::new(b"trak");
    for _ in 0..MOST_BOXES {
        let header = Header::read_from(file).ok()?;
        // Of these two the boxes inside come next; the others are stepped over.
        if header.kind == MOOV || header.kind == TRAK {
            continue;
        }
        let size = header.size?;
        let short = size <= LONGEST;
        if header.kind == Mvhd::KIND && short {
            let head = Mvhd::read_atom(&header, file).ok()?;
            measures.duration_ms = milliseconds(head.duration, head.timescale);
        } else if header.kind == Tkhd::KIND && short {
            let track = Tkhd::read_atom(&header, file).ok()?;
            let (width, height) = (u32::from(track.width.integer()), u32::from(track.height.integer()));
            if width > 0 && height > 0 && measures.picture.is_none() {
                // A picture that is shown turned by a quarter.
                let turned = track.matrix.a == 0 && track.matrix.d == 0;
                measures.picture = Some(if turned { (height, width) } else { (width, height) });
            }
        } else {
            file.seek_relative(i64::try_from(size).ok()?).ok()?;
        }
        if measures.duration_ms.is_some() && measures.picture.is_some() {
            break;
        }
    }
    Some(())
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
