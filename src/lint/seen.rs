//! What was seen before, and with which product, in 8 bytes each: a store of a million products is checked in little memory.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The shards are told apart by so many bits of a hash, the first ones.
const SHARD_BITS: u32 = 12;

/// Of an entry the first bytes are a part of the hash. With the shard's, these are 52 bits: among a million texts two different
/// ones are taken for the same once in 9,000 stores.
const HASH: usize = 5;

/// Of an entry that says with which product it came, the rest.
const NUMBER: usize = 3;

/// The number of all products behind the last one that has its own.
pub(super) const LAST: u32 = (1 << (NUMBER * 8)) - 1;

/// Entries of a chunk. Shards grow by these, and whole ones are never moved or given back: blocks that grow one by one would
/// leave holes of their former sizes behind, which took a seventh of the memory.
const CHUNK: usize = 24;

/// Bytes of chunks that are asked for together.
const AT_ONCE: usize = 64 * 1024;

/// No chunk.
const NONE: u32 = u32::MAX;

/// Some entries of a shard.
#[derive(Debug)]
struct Chunk<const BYTES: usize> {
    entries: [[u8; BYTES]; CHUNK],
    /// The chunk of the same shard before this one.
    before: u32,
}

/// The last chunk of a shard, and how many entries it has.
#[derive(Debug, Clone, Copy)]
struct Shard {
    last: u32,
    filled: u32,
}

/// Entries of so many bytes, each found by the hash that it begins with.
#[derive(Debug)]
struct Shards<const BYTES: usize> {
    shards: Vec<Shard>,
    /// The chunks of all shards, in the order in which they were needed.
    chunks: Vec<Vec<Chunk<BYTES>>>,
}

impl<const BYTES: usize> Default for Shards<BYTES> {
    fn default() -> Self {
        Self { shards: vec![Shard { last: NONE, filled: 0 }; 1 << SHARD_BITS], chunks: Vec::new() }
    }
}

impl<const BYTES: usize> Shards<BYTES> {
    /// Chunks that are asked for together.
    const TOGETHER: usize = AT_ONCE / size_of::<Chunk<BYTES>>();

    fn chunk(&self, at: u32) -> Option<&Chunk<BYTES>> {
        let at = usize::try_from(at).ok()?;
        self.chunks.get(at / Self::TOGETHER)?.get(at % Self::TOGETHER)
    }

    /// The entry of a text that was seen; else one is made of the bytes of its hash and kept.
    fn find(&mut self, text: &str, make: impl FnOnce([u8; HASH]) -> [u8; BYTES]) -> Option<[u8; BYTES]> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        let [_, _, _, key @ ..] = (hash << SHARD_BITS >> (NUMBER * 8)).to_be_bytes();
        let number = usize::try_from(hash >> (u64::BITS - SHARD_BITS)).unwrap_or_default();
        let shard = *self.shards.get(number)?;
        let (mut at, mut filled) = (shard.last, usize::try_from(shard.filled).unwrap_or(CHUNK));
        while let Some(chunk) = self.chunk(at) {
            let entries = chunk.entries.iter().take(filled);
            if let Some(known) = entries.copied().find(|entry| entry.starts_with(&key)) {
                return Some(known);
            }
            (at, filled) = (chunk.before, CHUNK);
        }
        self.keep(number, shard, make(key));
        None
    }

    fn keep(&mut self, number: usize, Shard { mut last, mut filled }: Shard, entry: [u8; BYTES]) {
        let full = u32::try_from(CHUNK).unwrap_or_default();
        if last == NONE || filled == full {
            (last, filled) = (self.add(last), 0);
        }
        let at = usize::try_from(last).unwrap_or(usize::MAX);
        let chunk = self.chunks.get_mut(at / Self::TOGETHER).and_then(|some| some.get_mut(at % Self::TOGETHER));
        let place = chunk.and_then(|chunk| chunk.entries.get_mut(usize::try_from(filled).unwrap_or(CHUNK)));
        if let (Some(place), Some(shard)) = (place, self.shards.get_mut(number)) {
            *place = entry;
            *shard = Shard { last, filled: filled + 1 };
        }
    }

    /// Adds an empty chunk behind another one of its shard; its number.
    fn add(&mut self, before: u32) -> u32 {
        if self.chunks.last().is_none_or(|some| some.len() == Self::TOGETHER) {
            self.chunks.push(Vec::with_capacity(Self::TOGETHER));
        }
        let full = (self.chunks.len() - 1) * Self::TOGETHER;
        let Some(some) = self.chunks.last_mut() else { return NONE };
        some.push(Chunk { entries: [[0; BYTES]; CHUNK], before });
        u32::try_from(full + some.len() - 1).unwrap_or(NONE)
    }

    /// How many bytes are held.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.chunks.iter().map(|some| some.capacity() * size_of::<Chunk<BYTES>>()).sum::<usize>()
            + self.shards.capacity() * size_of::<Shard>()
    }
}

/// Texts, by their hashes, with the numbers of the products that they came with first.
#[derive(Debug, Default)]
pub(super) struct Seen(Shards<{ HASH + NUMBER }>);

impl Seen {
    /// The product that this text came with before; where it is new, it is kept with this product.
    pub(super) fn first(&mut self, text: &str, product: u32) -> Option<u32> {
        let entry = |[a, b, c, d, e]: [u8; HASH]| {
            let [_, number @ ..] = product.min(LAST).to_be_bytes();
            let [x, y, z] = number;
            [a, b, c, d, e, x, y, z]
        };
        let [_, _, _, _, _, x, y, z] = self.0.find(text, entry)?;
        Some(u32::from_be_bytes([0, x, y, z]))
    }
}

/// Texts, by their hashes alone.
#[derive(Debug, Default)]
pub(super) struct Known(Shards<HASH>);

impl Known {
    /// Whether a text comes for the first time. It is known from then on.
    pub(super) fn is_new(&mut self, text: &str) -> bool {
        self.0.find(text, |key| key).is_none()
    }
}

/// Ids of one block.
const BLOCK: usize = 256;

/// An id that is kept as a text: the rest are where that begins, and how long it is.
const IS_TEXT: u64 = 1 << 63;
/// Longer ids are not kept.
const LENGTH_BITS: u32 = 12;

/// Other ids are a number behind a text that many begin with: below are the number's bits, above which text it is.
const VALUE_BITS: u32 = 50;
/// So many texts are told apart.
const PREFIXES: usize = 1 << 12;
/// Longer ones are not, bytes.
const LONGEST_PREFIX: usize = 64;

/// The ids of products in the order in which they came. Those that end in a number, which most do, take the bytes by which
/// they differ from those beside them.
#[derive(Debug, Default)]
pub(super) struct Ids {
    full: Vec<Block>,
    /// Those behind the last full block.
    open: Vec<u64>,
    prefixes: Vec<String>,
    places: BTreeMap<String, u64>,
    /// All ids that are kept as texts.
    text: String,
}

/// So many ids, each as what it is more than the least of them.
#[derive(Debug)]
struct Block {
    least: u64,
    /// Bytes of each.
    width: usize,
    bytes: Box<[u8]>,
}

impl Block {
    fn of(ids: &[u64]) -> Self {
        let least = ids.iter().copied().min().unwrap_or_default();
        let most = ids.iter().copied().max().unwrap_or_default() - least;
        let width = usize::try_from(u64::BITS - most.leading_zeros()).unwrap_or(64).div_ceil(8);
        let bytes = ids.iter().flat_map(|id| (id - least).to_le_bytes().into_iter().take(width)).collect();
        Self { least, width, bytes }
    }

    fn get(&self, at: usize) -> Option<u64> {
        let own = self.bytes.get(at * self.width..(at + 1) * self.width)?;
        let mut bytes = [0; 8];
        bytes.get_mut(..self.width)?.copy_from_slice(own);
        Some(self.least + u64::from_le_bytes(bytes))
    }
}

impl Ids {
    /// Keeps an id; its number.
    pub(super) fn add(&mut self, id: &str) -> u32 {
        let at = u32::try_from(self.full.len() * BLOCK + self.open.len()).unwrap_or(LAST);
        if at >= LAST {
            return LAST;
        }
        let id = self.numbered(id).unwrap_or_else(|| self.worded(id));
        self.open.push(id);
        if self.open.len() == BLOCK {
            self.full.push(Block::of(&self.open));
            self.open.clear();
        }
        at
    }

    /// An id that ends in a number.
    fn numbered(&mut self, id: &str) -> Option<u64> {
        let prefix = id.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = id.get(prefix.len()..)?;
        let value = digits.parse().ok().filter(|value: &u64| *value >> VALUE_BITS == 0)?;
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        let place = match self.places.get(prefix) {
            Some(place) => *place,
            None if self.prefixes.len() >= PREFIXES || prefix.len() > LONGEST_PREFIX => return None,
            None => {
                let place = u64::try_from(self.prefixes.len()).ok()?;
                self.prefixes.push(prefix.to_owned());
                self.places.insert(prefix.to_owned(), place);
                place
            }
        };
        Some(place << VALUE_BITS | value)
    }

    /// Any other.
    fn worded(&mut self, id: &str) -> u64 {
        let length = u64::try_from(id.len()).unwrap_or(u64::MAX);
        if length >> LENGTH_BITS != 0 {
            return IS_TEXT;
        }
        let from = u64::try_from(self.text.len()).unwrap_or_default();
        if self.text.capacity() - self.text.len() < id.len() {
            self.text.reserve_exact(self.text.len() / 8 + id.len());
        }
        self.text.push_str(id);
        IS_TEXT | from << LENGTH_BITS | length
    }

    /// The id with this number; nothing where it wasn't kept.
    pub(super) fn get(&self, at: u32) -> Option<String> {
        let at = usize::try_from(at).ok()?;
        let id = match self.full.get(at / BLOCK) {
            Some(block) => block.get(at % BLOCK)?,
            None => *self.open.get(at.checked_sub(self.full.len() * BLOCK)?)?,
        };
        if id & IS_TEXT == 0 {
            let prefix = self.prefixes.get(usize::try_from(id >> VALUE_BITS).ok()?)?;
            return Some(format!("{prefix}{}", id & ((1 << VALUE_BITS) - 1)));
        }
        let length = usize::try_from(id & ((1 << LENGTH_BITS) - 1)).ok()?;
        let from = usize::try_from((id & !IS_TEXT) >> LENGTH_BITS).ok()?;
        self.text.get(from..from + length).filter(|id| !id.is_empty()).map(str::to_owned)
    }

    /// How many bytes are held.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        let full: usize = self.full.iter().map(|block| size_of::<Block>() + block.bytes.len()).sum();
        let prefixes: usize = self.prefixes.iter().map(|prefix| 2 * (prefix.len() + 32)).sum();
        full + self.open.capacity() * 8 + prefixes + self.text.capacity()
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
    }

    #[test]
    fn a_text_is_new_once() {
        let mut known = Known::default();
        assert!((0..200_000).all(|at| known.is_new(&format!("{at}"))));
        assert!((0..200_000).step_by(7).all(|at| !known.is_new(&format!("{at}"))));
    }

    /// What `cutaway lint` keeps of a million products has to fit into 64 MiB with the program around it.
    #[test]
    fn a_million_texts_take_8_bytes_each_and_5_without_their_products() {
        let (mut seen, mut known) = (Seen::default(), Known::default());
        for at in 0..1_000_000_u32 {
            let text = at.to_string();
            seen.first(&text, at);
            known.is_new(&text);
        }
        let (seen, known) = (seen.0.bytes(), known.0.bytes());
        assert!(seen < 9_000_000 && known < 5_700_000, "{seen} {known}");
    }

    #[test]
    fn ids_take_the_bytes_by_which_they_differ() {
        let all = |id: &dyn Fn(u64) -> String| {
            let mut ids = Ids::default();
            for at in 0..100_000 {
                assert_eq!(u64::from(ids.add(&id(at))), at);
            }
            for at in (0..100_000).step_by(97).chain([99_999]) {
                assert_eq!(ids.get(u32::try_from(at).unwrap()), Some(id(at)));
            }
            ids.bytes()
        };
        // Numbered in a row; far apart, as a large platform gives them; with a text before; texts alone.
        assert!(all(&|at| (7_000_000_000 + at).to_string()) < 100_000 * 2);
        assert!(all(&|at| (7_000_000_000_000 + at * 7_919_123 % 2_000_000_000).to_string()) < 100_000 * 5);
        assert!(all(&|at| format!("gid://shop/Product/{}", 7_000_000_000 + at)) < 100_000 * 2);
        assert!(all(&|at| format!("sock-{at}-b")) < 100_000 * 20);
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
            "gid://shop/Product/007",
            "sock-12",
            "1125899906842624",
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
