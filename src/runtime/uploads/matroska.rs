//! How long a WebM or Matroska file plays and how large its picture is: only that is read, element by element, and
//! everything else is stepped over (RFC 8794 for EBML, RFC 9559 for the elements).
//!
//! Such files come from strangers, so what they say is not believed: the elements that are looked into are named here,
//! which bounds the depth; no element may reach past the one that it is in; nothing is allocated; and after
//! [`MOST_ELEMENTS`] elements the reading ends.

use std::io::{BufReader, Read, Seek, SeekFrom};

use super::measures::Measures;

/// Elements looked at, at most. Before the pictures of an ordinary file there are some dozens.
const MOST_ELEMENTS: u32 = 10_000;

const EBML: u32 = 0x1A45_DFA3;
const SEGMENT: u32 = 0x1853_8067;
const INFO: u32 = 0x1549_A966;
const TIMESTAMP_SCALE: u32 = 0x002A_D7B1;
const DURATION: u32 = 0x4489;
const TRACKS: u32 = 0x1654_AE6B;
const TRACK_ENTRY: u32 = 0xAE;
const TRACK_TYPE: u32 = 0x83;
const VIDEO: u32 = 0xE0;
const PIXEL_WIDTH: u32 = 0xB0;
const PIXEL_HEIGHT: u32 = 0xBA;

/// The `TrackType` of a track with pictures.
const IS_VIDEO: u64 = 1;
/// Nanoseconds of one unit of time where the file names no other.
const USUAL_SCALE: u64 = 1_000_000;

/// Reads what the file tells. What was found before something can't be read stays found.
pub(super) fn measure<R: Read + Seek>(file: &mut BufReader<R>) -> Measures {
    let mut measures = Measures::default();
    if file.seek(SeekFrom::Start(0)).is_ok() {
        let mut elements = Elements { file, at: 0, left: MOST_ELEMENTS };
        // Whatever it ends by, there is no more to be known.
        let _ = elements.find_segment(&mut measures);
    }
    measures
}

/// The beginning of an element: what it is, and where its body ends; a live stream does not know that.
#[derive(Debug, Clone, Copy)]
struct Element {
    id: u32,
    end: Option<u64>,
}

/// The elements of a file, in their order.
struct Elements<'f, R> {
    file: &'f mut BufReader<R>,
    /// Where the next byte is read from.
    at: u64,
    /// How many more elements are looked at.
    left: u32,
}

impl<R: Read + Seek> Elements<'_, R> {
    fn find_segment(&mut self, measures: &mut Measures) -> Option<()> {
        let first = self.next(None)?;
        if first.id != EBML {
            return None;
        }
        self.step_over(first)?;
        loop {
            let element = self.next(None)?;
            if element.id == SEGMENT {
                return self.read_segment(element.end, measures);
            }
            self.step_over(element)?;
        }
    }

    fn read_segment(&mut self, end: Option<u64>, measures: &mut Measures) -> Option<()> {
        while measures.duration_ms.is_none() || measures.picture.is_none() {
            let element = self.next(end)?;
            match element.id {
                INFO if measures.duration_ms.is_none() => self.read_info(element.end?, measures)?,
                TRACKS if measures.picture.is_none() => self.read_tracks(element.end?, measures)?,
                _ => {}
            }
            self.step_over(element)?;
        }
        Some(())
    }

    /// The length of an `Info` element, milliseconds, where it has one.
    fn read_info(&mut self, end: u64, measures: &mut Measures) -> Option<()> {
        let (mut scale, mut duration) = (USUAL_SCALE, None);
        while self.at < end {
            let element = self.next(Some(end))?;
            match element.id {
                TIMESTAMP_SCALE => scale = self.read_unsigned(element)?,
                DURATION => duration = Some(self.read_float(element)?),
                _ => {}
            }
            self.step_over(element)?;
        }
        measures.duration_ms = duration.and_then(|duration| milliseconds(duration, scale));
        Some(())
    }

    /// The pixels of the first track with pictures.
    fn read_tracks(&mut self, end: u64, measures: &mut Measures) -> Option<()> {
        while self.at < end {
            let element = self.next(Some(end))?;
            if element.id == TRACK_ENTRY && measures.picture.is_none() {
                measures.picture =
                    Some(self.read_track(element.end?)?).filter(|(width, height)| *width > 0 && *height > 0);
            }
            self.step_over(element)?;
        }
        Some(())
    }

    /// The pixels of a track; none across where it is another than one of pictures.
    fn read_track(&mut self, end: u64) -> Option<(u32, u32)> {
        let (mut is_video, mut pixels) = (false, (0, 0));
        while self.at < end {
            let element = self.next(Some(end))?;
            match element.id {
                TRACK_TYPE => is_video = self.read_unsigned(element)? == IS_VIDEO,
                VIDEO => pixels = self.read_pixels(element.end?)?,
                _ => {}
            }
            self.step_over(element)?;
        }
        Some(if is_video { pixels } else { (0, 0) })
    }

    fn read_pixels(&mut self, end: u64) -> Option<(u32, u32)> {
        let mut pixels = (0, 0);
        while self.at < end {
            let element = self.next(Some(end))?;
            let side = match element.id {
                PIXEL_WIDTH => &mut pixels.0,
                PIXEL_HEIGHT => &mut pixels.1,
                _ => {
                    self.step_over(element)?;
                    continue;
                }
            };
            *side = u32::try_from(self.read_unsigned(element)?).ok()?;
        }
        Some(pixels)
    }

    /// The next element, whose body may not reach past `end`.
    fn next(&mut self, end: Option<u64>) -> Option<Element> {
        self.left = self.left.checked_sub(1)?;
        if end.is_some_and(|end| self.at >= end) {
            return None;
        }
        let (id, _) = self.read_number(4, true)?;
        let (size, unknown) = self.read_number(8, false)?;
        let body_ends = if unknown { None } else { Some(self.at.checked_add(size)?) };
        if end.is_some_and(|end| self.at > end || body_ends.is_some_and(|body| body > end)) {
            return None;
        }
        Some(Element { id: u32::try_from(id).ok()?, end: body_ends })
    }

    /// A number of variable length: the zeros before the first one say how many more bytes it has. An id keeps that
    /// one. Whether all its other bits are ones is told, too: as a size that is an unknown one.
    fn read_number(&mut self, longest: u32, keep_length: bool) -> Option<(u64, bool)> {
        let [first] = self.read_bytes::<1>()?;
        let more = first.leading_zeros();
        if more >= longest {
            return None;
        }
        let mark = 0x80_u8 >> more;
        let mut number = u64::from(if keep_length { first } else { first & !mark });
        for _ in 0..more {
            let [byte] = self.read_bytes::<1>()?;
            number = (number << 8) | u64::from(byte);
        }
        let ones = (1_u64 << (7 * (more + 1))) - 1;
        Some((number, number & ones == ones))
    }

    fn read_bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes).ok()?;
        self.at = self.at.checked_add(u64::try_from(N).ok()?)?;
        Some(bytes)
    }

    /// How long the body is of an element of which nothing was read yet.
    fn length(&self, element: Element) -> Option<u64> {
        element.end?.checked_sub(self.at)
    }

    fn read_unsigned(&mut self, element: Element) -> Option<u64> {
        let length = self.length(element).filter(|length| *length <= 8)?;
        let mut number = 0;
        for _ in 0..length {
            let [byte] = self.read_bytes::<1>()?;
            number = (number << 8) | u64::from(byte);
        }
        Some(number)
    }

    fn read_float(&mut self, element: Element) -> Option<f64> {
        match self.length(element)? {
            0 => Some(0.0),
            4 => self.read_bytes::<4>().map(|bytes| f64::from(f32::from_be_bytes(bytes))),
            8 => self.read_bytes::<8>().map(f64::from_be_bytes),
            _ => None,
        }
    }

    /// To the end of an element's body. Of one without an end nothing that follows is known.
    fn step_over(&mut self, element: Element) -> Option<()> {
        let left = self.length(element)?;
        self.file.seek_relative(i64::try_from(left).ok()?).ok()?;
        self.at = self.at.checked_add(left)?;
        Some(())
    }
}

/// A length in units of so many nanoseconds; none where that is no length at all.
fn milliseconds(units: f64, scale: u64) -> Option<u64> {
    #[expect(clippy::cast_precision_loss, reason = "a scale is a few digits, and lengths are not that exact")]
    let ns = units * scale as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^63")]
    let ns = (0.0..9.0e18).contains(&ns).then_some(ns as u64)?;
    Some(ns / 1_000_000).filter(|ms| *ms > 0)
}
