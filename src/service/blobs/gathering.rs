//! The memory of a file on its way into S3: blocks that are filled, sent and filled again, so that a file of any size takes as
//! much as its parts on the way, and nothing is left to the allocator.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use object_store::PutPayload;

/// Bytes of a block.
const BLOCK: usize = 1024 * 1024;

/// Blocks that nobody needs at the moment.
type Spare = Arc<Mutex<Vec<Vec<u8>>>>;

/// A block that was filled. It is spare again when whoever sends it is done.
struct Filled {
    bytes: Vec<u8>,
    spare: Spare,
}

impl AsRef<[u8]> for Filled {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Filled {
    fn drop(&mut self) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
    }
}

/// What is gathered for the next part of a file.
#[derive(Default)]
pub(super) struct Gathering {
    spare: Spare,
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
                let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
                self.last = spare.unwrap_or_else(|| Vec::with_capacity(BLOCK));
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
        gathering.spare.lock().unwrap().len()
    }

    #[test]
    fn bytes_are_handed_over_as_they_came_and_their_blocks_are_filled_again() {
        let mut gathering = Gathering::default();
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
}
