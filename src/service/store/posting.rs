//! The bitmap of a term in a chunk, and what becomes of it.

use roaring::RoaringBitmap;

use super::StoreError;
use crate::service::search::Field;

/// Products that get a term, and products that lose it.
#[derive(Default)]
pub(super) struct Change {
    pub(super) added: RoaringBitmap,
    pub(super) removed: RoaringBitmap,
}

/// What becomes of one bitmap.
pub(super) struct Posting {
    pub(super) field: Field,
    pub(super) chunk: u32,
    pub(super) term: String,
    pub(super) change: Change,
}

/// A bitmap as it is kept.
pub(super) fn bitmap(blob: &[u8]) -> Result<RoaringBitmap, StoreError> {
    Ok(RoaringBitmap::deserialize_from(blob)?)
}
