//! The memory of files on their way into S3: blocks that are filled, sent and filled again, whichever file they were of, so
//! that little more is taken than is gathered or being sent, and little is left to the allocator.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use object_store::PutPayload;

/// Bytes of a block.
const BLOCK: usize = 1024 * 1024;

/// Blocks that are kept while nobody needs them, for as long as a file is on its way.
const MOST_SPARE: usize = 16;

/// Blocks that nobody needs at the moment.
#[derive(Default)]
struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    fn take(&self) -> Vec<u8> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| Vec::with_capacity(BLOCK))
    }

    fn give(&self, mut block: Vec<u8>) {
        block.clear();
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < MOST_SPARE {
            spare.push(block);
        }
    }
}

/// The blocks of all files that are on their way; none where there is no such file.
#[derive(Default)]
pub(super) struct Blocks(Mutex<Weak<Spare>>);

impl Blocks {
    /// Begins to gather a file.
    pub(super) fn gathering(&self) -> Gathering {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = shared.upgrade().unwrap_or_else(|| {
            let spare = Arc::default();
            *shared = Arc::downgrade(&spare);
            spare
        });
        Gathering { spare, filled: Vec::new(), last: Vec::new(), length: 0 }
    }
}

/// A block that was filled. It is spare again when whoever sends it is done.
struct Filled {
    bytes: Vec<u8>,
    spare: Arc<Spare>,
}

impl AsRef<[u8]> for Filled {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Filled {
    fn drop(&mut self) {
        self.spare.give(std::mem::take(&mut self.bytes));
    }
}

/// What is gathered for the next part of a file.
pub(super) struct Gathering {
    spare: Arc<Spare>,
    filled: Vec<Bytes>,
    /// The block that is being filled.
    last: Vec<u8>,
    length: u64,
}

impl Gathering {
    /// How many bytes there are.
    pub(super) fn len(&self) -> u64 {
        self.length
    }

    /// Takes some more.
    pub(super) fn extend(&mut self, mut piece: &[u8]) {
        self.length += piece.len() as u64;
        while !piece.is_empty() {
            if self.last.capacity() == 0 {
                self.last = self.spare.take();
            }
            let (now, later) = piece.split_at(piece.len().min(self.last.capacity() - self.last.len()));
            self.last.extend_from_slice(now);
            piece = later;
            if self.last.len() == self.last.capacity() {
                self.fill();
            }
        }
    }

    fn fill(&mut self) {
        if !self.last.is_empty() {
            let filled = Filled { bytes: std::mem::take(&mut self.last), spare: Arc::clone(&self.spare) };
            self.filled.push(Bytes::from_owner(filled));
        }
    }

    /// Hands over what there is; the next part begins empty.
    pub(super) fn take(&mut self) -> PutPayload {
        self.fill();
        self.length = 0;
        std::mem::take(&mut self.filled).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spare(gathering: &Gathering) -> usize {
        gathering.spare.0.lock().unwrap().len()
    }

    #[test]
    fn bytes_are_handed_over_as_they_came_and_their_blocks_are_filled_again() {
        let blocks = Blocks::default();
        let mut gathering = blocks.gathering();
        let piece: Vec<u8> = (0..700_001_u32).map(|at| at.to_le_bytes()[0]).collect();
        let mut parts = Vec::new();
        for _ in 0..2 {
            (0..3).for_each(|_| gathering.extend(&piece));
            assert_eq!(gathering.len(), 3 * 700_001);
            parts.push(gathering.take());
            assert_eq!(gathering.len(), 0);
        }
        for part in &parts {
            let whole: Vec<u8> = part.iter().flatten().copied().collect();
            assert!(whole == piece.repeat(3));
        }
        assert_eq!(spare(&gathering), 0, "all are on their way");
        drop(parts);
        assert_eq!(spare(&gathering), 6);
        gathering.extend(&piece.repeat(3));
        drop(gathering.take());
        assert_eq!(spare(&gathering), 6, "no other one was made");
        assert_eq!(gathering.take().content_length(), 0);
    }

    #[test]
    fn files_share_what_is_spare_and_leave_nothing() {
        let blocks = Blocks::default();
        let (mut one, mut other) = (blocks.gathering(), blocks.gathering());
        one.extend(&vec![7; (MOST_SPARE + 9) * BLOCK]);
        drop(one.take());
        assert_eq!(spare(&one), MOST_SPARE, "the rest is given back");
        other.extend(&vec![7; BLOCK]);
        assert_eq!(spare(&other), MOST_SPARE - 1);
        // Who is silent holds what it gathers, and nothing else.
        let on_its_way = other.take();
        drop((one, other));
        assert!(blocks.0.lock().unwrap().upgrade().is_some());
        drop(on_its_way);
        assert!(blocks.0.lock().unwrap().upgrade().is_none());
    }
}
