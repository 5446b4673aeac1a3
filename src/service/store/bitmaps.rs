//! Bitmaps of terms that a process has fetched from PostgreSQL before. A bitmap is known by its term and by the token of its
//! chunk, which is read in the same moment of the database as the page that it is for: one with that token is the one that
//! the database has in that moment, never an earlier one. Time plays no part.

use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use roaring::RoaringBitmap;

use crate::service::search::Field;

/// Bytes of bitmaps, with what they are known by.
const MOST: usize = 64 * 1024 * 1024;
/// Bytes that a bitmap takes beside its bits and its term: its place in the list and in the map, and its containers.
const AROUND: usize = 224;

/// What a bitmap is of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Of {
    pub(super) store: i64,
    pub(super) chunk: u32,
    pub(super) token: u64,
    pub(super) field: Field,
    /// A term, or the beginning of terms.
    pub(super) term: Arc<str>,
    pub(super) is_beginning: bool,
}

/// Bitmaps of all stores of a database, and of the copies of it.
pub(super) struct Bitmaps {
    held: Mutex<Held>,
    most: usize,
}

struct Held {
    bitmaps: LruCache<Of, Arc<RoaringBitmap>>,
    bytes: usize,
}

impl Default for Bitmaps {
    fn default() -> Self {
        Self::of_bytes(MOST)
    }
}

fn weight(of: &Of, bitmap: &RoaringBitmap) -> usize {
    bitmap.serialized_size() + of.term.len() + AROUND
}

impl Bitmaps {
    fn of_bytes(most: usize) -> Self {
        Self { held: Mutex::new(Held { bitmaps: LruCache::unbounded(), bytes: 0 }), most }
    }

    /// A bitmap that was fetched before.
    pub(super) fn get(&self, of: &Of) -> Option<Arc<RoaringBitmap>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.bitmaps.get(of).cloned()
    }

    /// Keeps a bitmap, and gives up those that were not asked for the longest where there are too many.
    pub(super) fn keep(&self, of: Of, bitmap: &Arc<RoaringBitmap>) {
        let mut guard = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let held = &mut *guard;
        held.bytes += weight(&of, bitmap);
        if let Some((of, replaced)) = held.bitmaps.push(of, Arc::clone(bitmap)) {
            held.bytes = held.bytes.saturating_sub(weight(&of, &replaced));
        }
        while held.bytes > self.most {
            let Some((of, given_up)) = held.bitmaps.pop_lru() else { break };
            held.bytes = held.bytes.saturating_sub(weight(&of, &given_up));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(chunk: u32, token: u64) -> Of {
        Of { store: 1, chunk, token, field: Field::Tag, term: "wool".into(), is_beginning: false }
    }

    #[test]
    fn a_bitmap_is_found_by_its_own_token_only() {
        let (bitmaps, bits) = (Bitmaps::default(), Arc::new(RoaringBitmap::from([3])));
        bitmaps.keep(of(0, 7), &bits);
        assert_eq!(bitmaps.get(&of(0, 7)), Some(bits));
        for other in [of(0, 8), of(1, 7), Of { is_beginning: true, ..of(0, 7) }, Of { store: 2, ..of(0, 7) }] {
            assert_eq!(bitmaps.get(&other), None);
        }
    }

    #[test]
    fn those_not_asked_for_the_longest_make_room() {
        let bits = Arc::new((0..1000).collect::<RoaringBitmap>());
        let bitmaps = Bitmaps::of_bytes(3 * weight(&of(0, 0), &bits));
        let is_held = |chunk| bitmaps.held.lock().unwrap().bitmaps.contains(&of(chunk, 0));
        for chunk in [0, 1, 2, 2, 1] {
            bitmaps.keep(of(chunk, 0), &bits);
        }
        assert!(bitmaps.get(&of(0, 0)).is_some());
        bitmaps.keep(of(3, 0), &bits);
        assert_eq!([0, 1, 2, 3].map(is_held), [true, true, false, true]);
        // One that is larger than all of the room is given up itself.
        let large = Arc::new((0..65_536).step_by(2).collect::<RoaringBitmap>());
        bitmaps.keep(of(4, 0), &large);
        assert!([0, 1, 3, 4].map(is_held) == [false; 4] && bitmaps.held.lock().unwrap().bytes == 0);
    }
}
