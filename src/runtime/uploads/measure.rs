//! How long a video plays and how large its picture is, from its container. Nothing depends on it: what can't be read is
//! left out.

use std::io::{BufReader, Read, Seek, SeekFrom};

use mp4_atom::{Atom, FourCC, Header, Mvhd, ReadAtom as _, ReadFrom as _, Tkhd};

/// What a container tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measures {
    /// How long it plays, milliseconds.
    pub duration_ms: Option<u64>,
    /// Width and height, pixels.
    pub picture: Option<(u32, u32)>,
}

/// Boxes looked at, at most: a file of many small ones is no reason to read it all.
const MOST_BOXES: usize = 10_000;
/// The longest header box that is read, bytes; they have about a hundred.
const LONGEST: usize = 4096;

/// Reads what the container of a file of this media type tells.
#[must_use]
pub fn measure(file: impl Read + Seek, content_type: &str) -> Measures {
    let mut file = BufReader::new(file);
    match content_type {
        "video/mp4" | "video/quicktime" | "video/x-m4v" | "video/3gpp" => of_mp4(&mut file).unwrap_or_default(),
        "video/webm" | "video/x-matroska" => of_matroska(file).unwrap_or_default(),
        _ => Measures::default(),
    }
}

fn of_mp4(file: &mut (impl Read + Seek)) -> Option<Measures> {
    const MOOV: FourCC = FourCC::new(b"moov");
    const TRAK: FourCC = FourCC::new(b"trak");
    file.seek(SeekFrom::Start(0)).ok()?;
    let mut measures = Measures::default();
    for _ in 0..MOST_BOXES {
        let Ok(header) = Header::read_from(file) else { break };
        // Of these two the boxes inside come next; the others are stepped over.
        if header.kind == MOOV || header.kind == TRAK {
            continue;
        }
        let Some(size) = header.size else { break };
        let short = size <= LONGEST;
        if header.kind == Mvhd::KIND && short {
            let head = Mvhd::read_atom(&header, file).ok()?;
            let ms = u128::from(head.duration).checked_mul(1000)?.checked_div(head.timescale.into())?;
            measures.duration_ms = u64::try_from(ms).ok().filter(|ms| *ms > 0);
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
    Some(measures)
}

fn of_matroska(mut file: impl Read + Seek) -> Option<Measures> {
    file.seek(SeekFrom::Start(0)).ok()?;
    let read = matroska::Matroska::open(file).ok()?;
    let duration_ms = read.info.duration.and_then(|duration| u64::try_from(duration.as_millis()).ok());
    let picture = read.video_tracks().find_map(|track| match &track.settings {
        matroska::Settings::Video(video) => {
            Some((u32::try_from(video.pixel_width).ok()?, u32::try_from(video.pixel_height).ok()?))
        }
        _ => None,
    });
    Some(Measures { duration_ms: duration_ms.filter(|ms| *ms > 0), picture })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn garbage_is_no_reason_to_fail(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mp4 = [b"\0\0\0\x10ftypisom\0\0\0\0\0\0\0\xffmoov".as_slice(), &bytes].concat();
            let _ = measure(Cursor::new(mp4), "video/mp4");
            let webm = [b"\x1a\x45\xdf\xa3".as_slice(), &bytes].concat();
            let _ = measure(Cursor::new(webm), "video/webm");
        }
    }
}
