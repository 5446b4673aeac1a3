//! Reading a file by the parts that matter.

use super::film::Film;

/// A part of a file that is wanted next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The first byte.
    pub from: u64,
    /// How many; fewer are fine at the end of the file.
    pub length: u64,
}

/// How much of a file is read at first: the whole index of most that are made for the web.
const FIRST: u64 = 256 * 1024;

/// No index is larger; it is left out.
const LARGEST_INDEX: u64 = 32 * 1024 * 1024;

/// Boxes at the top of a file are few.
const MOST_BOXES: u32 = 1_000;

/// Reads a file by the parts that matter: asks for one, takes it, and asks for the next one.
#[derive(Debug)]
pub struct Reading {
    film: Film,
    next: Option<Part>,
    size: Option<u64>,
    saw_pictures: bool,
    asked_index: bool,
    left: u32,
}

impl Default for Reading {
    fn default() -> Self {
        let next = Some(Part { from: 0, length: FIRST });
        Self { film: Film::default(), next, size: None, saw_pictures: false, asked_index: false, left: MOST_BOXES }
    }
}

impl Reading {
    /// The part that is wanted next; nothing where all is known that there is.
    #[must_use]
    pub fn wants(&self) -> Option<Part> {
        self.next
    }

    /// Takes the part that was wanted, of a file of this size, bytes.
    pub fn take(&mut self, bytes: &[u8], size: Option<u64>) {
        let Some(part) = self.next.take() else { return };
        self.size = size.or(self.size);
        self.film.bytes = self.size;
        if part.from == 0 {
            if super::webm::is_ebml(bytes) {
                super::webm::read(bytes, &mut self.film);
                return;
            }
            // A stream of MPEG may begin like the length of a box.
            if let Some(other) = super::mp4::other_container(bytes) {
                self.film.container = Some(other);
                return;
            }
            self.film.container = super::mp4::container(bytes);
            if self.film.container.is_none() {
                return;
            }
        }
        self.boxes(part.from, bytes);
    }

    /// What was found. What can't be read is left out.
    #[must_use]
    pub fn end(self) -> Film {
        self.film
    }

    /// Goes through the boxes at the top of an MP4, from `from` on.
    fn boxes(&mut self, from: u64, bytes: &[u8]) {
        let mut at = from;
        loop {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            if self.size.is_some_and(|size| at >= size) {
                return;
            }
            let here = usize::try_from(at - from).ok().and_then(|skip| bytes.get(skip..)).unwrap_or_default();
            let Some(head) = super::mp4::head(here) else {
                // Not read so far; where nothing comes, the file ends.
                self.next = (at > from).then_some(Part { from: at, length: 4 * 1024 });
                return;
            };
            let length = match head.length {
                Some(length) => length,
                None => self.size.unwrap_or(at).saturating_sub(at),
            };
            if &head.kind == b"mdat" {
                self.saw_pictures = true;
            }
            if &head.kind == b"moov" {
                let whole = usize::try_from(length).ok().and_then(|length| here.get(..length));
                match whole {
                    Some(index) => {
                        self.film.index_first = Some(!self.saw_pictures);
                        super::mp4::read(index.get(head.size..).unwrap_or_default(), &mut self.film);
                    }
                    // Asked for once: what comes short then is the end of the file.
                    None if length <= LARGEST_INDEX && !self.asked_index => {
                        self.asked_index = true;
                        self.next = Some(Part { from: at, length });
                    }
                    None => {}
                }
                return;
            }
            match at.checked_add(length).filter(|end| *end > at) {
                Some(end) => at = end,
                None => return,
            }
        }
    }
}
