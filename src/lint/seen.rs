//! What was seen before, and with which product, in 8 bytes each: a store of a million products is checked in little memory.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The shards are told apart by so many bits of a hash, the first ones.
const SHARD_BITS: u32 = 14;

/// Of an entry the lower bits say with which product it came. The rest, with the shard's, are 54 bits of a hash: among a million
/// texts two different ones are taken for the same once in 30,000 stores.
const NUMBER_BITS: u32 = 24;

/// The number of all products behind the last one that has its own.
pub(super) const LAST: u32 = (1 << NUMBER_BITS) - 1;

/// Texts, by their hashes, with the numbers of the products that they came with first.
#[derive(Debug)]
pub(super) struct Seen {
    /// Sorted, each.
    shards: Vec<Vec<u64>>,
}

impl Default for Seen {
    fn default() -> Self {
        Self { shards: vec![Vec::new(); 1 << SHARD_BITS] }
    }
}

impl Seen {
    /// The product that this text came with before; where it is new, it is kept with this product.
    pub(super) fn first(&mut self, text: &str, product: u32) -> Option<u32> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        let shard = self.shards.get_mut(usize::try_from(hash >> (u64::BITS - SHARD_BITS)).unwrap_or_default())?;
        let number = u64::from(LAST);
        let key = (hash << SHARD_BITS) & !number;
        let at = shard.partition_point(|entry| *entry < key);
        match shard.get(at) {
            Some(entry) if entry & !number == key => u32::try_from(entry & number).ok(),
            _ => {
                if shard.len() == shard.capacity() {
                    // Doubling would leave a quarter of the memory empty.
                    shard.reserve_exact(shard.len() / 8 + 4);
                }
                shard.insert(at, key | u64::from(product.min(LAST)));
                None
            }
        }
    }
}

/// The ids of products in the order in which they came. Numbers, which most services use, take 8 bytes.
#[derive(Debug, Default)]
pub(super) struct Ids {
    ids: Vec<u64>,
    /// Where those that are no numbers end in the text.
    text: String,
}

/// An id that is no number: the rest are where it begins in the text, and how long it is.
const IS_TEXT: u64 = 1 << 63;
/// Longer ids are not kept.
const LENGTH_BITS: u32 = 12;

impl Ids {
    /// Keeps an id; its number.
    pub(super) fn add(&mut self, id: &str) -> u32 {
        let at = u32::try_from(self.ids.len()).unwrap_or(LAST);
        if at >= LAST {
            return LAST;
        }
        let number = id.parse().ok().filter(|number: &u64| *number < IS_TEXT && number.to_string() == id);
        self.ids.push(number.unwrap_or_else(|| {
            let length = u64::try_from(id.len()).unwrap_or(u64::MAX);
            if length >> LENGTH_BITS != 0 {
                return IS_TEXT;
            }
            let from = u64::try_from(self.text.len()).unwrap_or_default();
            self.text.push_str(id);
            IS_TEXT | from << LENGTH_BITS | length
        }));
        at
    }

    /// The id with this number; nothing where it wasn't kept.
    pub(super) fn get(&self, at: u32) -> Option<String> {
        let id = *self.ids.get(usize::try_from(at).ok()?)?;
        if id & IS_TEXT == 0 {
            return Some(id.to_string());
        }
        let length = usize::try_from(id & ((1 << LENGTH_BITS) - 1)).ok()?;
        let from = usize::try_from((id & !IS_TEXT) >> LENGTH_BITS).ok()?;
        self.text.get(from..from + length).filter(|id| !id.is_empty()).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_known_with_the_product_that_it_came_with_first() {
        let mut seen = Seen::default();
        for at in 0..200_000_u32 {
            assert_eq!(seen.first(&format!("SKU-{at}"), at), None, "{at}");
        }
        for at in (0..200_000_u32).step_by(7) {
            assert_eq!(seen.first(&format!("SKU-{at}"), 5), Some(at));
        }
        let kept: usize = seen.shards.iter().map(Vec::capacity).sum();
        assert!(kept * 8 < 200_000 * 13, "{kept}");
    }

    #[test]
    fn ids_come_back_as_they_were() {
        let mut ids = Ids::default();
        let long = "x".repeat(5_000);
        let given = [
            "7000000001",
            "0",
            "007",
            "gid://shop/Product/1",
            "",
            "18446744073709551615",
            "9223372036854775808",
            "ü",
            &long,
        ];
        let numbers: Vec<u32> = given.iter().map(|id| ids.add(id)).collect();
        for (id, at) in given.iter().zip(numbers) {
            let kept = Some((*id).to_owned()).filter(|id| !id.is_empty() && id.len() < 4_096);
            assert_eq!(ids.get(at), kept);
        }
        assert_eq!(ids.get(99), None);
    }
}
