//! How products are numbered: densely within their store, so that bitmaps hold them, and by store and number over all.

/// The id of a product of a store.
#[must_use]
pub fn id(store: i64, number: u32) -> i64 {
    store << 32 | i64::from(number)
}

/// The number of a product in its store.
#[must_use]
pub fn number(id: i64) -> u32 {
    u32::try_from(id & i64::from(u32::MAX)).unwrap_or_default()
}

/// The store of a product.
#[must_use]
pub fn store_of(id: i64) -> i64 {
    id >> 32
}

/// The chunk of a product number: 65,536 of them share one.
#[must_use]
pub fn chunk_of(number: u32) -> u32 {
    number >> 16
}
