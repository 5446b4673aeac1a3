//! Words of a store that are spelled almost alike: S31, S32.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::domain::text::fold;

/// A word used so rarely may be a slip of the pen.
const RARE: u64 = 2;

/// Shorter words are a letter apart by chance: `red` and `bed`.
const LONG: usize = 5;

/// More different words than this are no vocabulary, but texts of one's own for each product: those that come later are not
/// compared.
const MOST: usize = 50_000;

/// Of so many products that use a word it is known which.
const LISTED: usize = 20;

/// Who uses a word.
#[derive(Debug, Default)]
struct Users {
    /// How many products.
    count: u64,
    /// The last one that came.
    last: Option<u32>,
    /// The first of them.
    listed: Vec<u32>,
}

/// How often each word is used.
#[derive(Debug, Default)]
pub(super) struct Used(BTreeMap<String, Users>);

/// A word that is spelled almost like a more common one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Near {
    pub(super) word: String,
    pub(super) uses: u64,
    pub(super) like: String,
    pub(super) like_uses: u64,
    /// The first products that use it, by the order in which they came.
    pub(super) products: Vec<u32>,
}

impl Users {
    /// Counts a product once, however often it has the word.
    fn add(&mut self, product: u32) {
        if self.last.replace(product) == Some(product) {
            return;
        }
        self.count += 1;
        if self.listed.len() < LISTED {
            self.listed.push(product);
        }
    }
}

impl Used {
    /// Counts a product that uses a word; whether the word is among those that are compared.
    pub(super) fn add(&mut self, word: &str, product: u32) -> bool {
        if word.trim().is_empty() {
            return true;
        }
        let is_full = self.0.len() >= MOST;
        match self.0.get_mut(word) {
            Some(users) => users.add(product),
            None if is_full => return false,
            None => {
                let mut users = Users::default();
                users.add(product);
                self.0.insert(word.to_owned(), users);
            }
        }
        true
    }

    /// Every word with the more common one that it is like.
    pub(super) fn near(&self) -> Vec<Near> {
        let mut by_key: BTreeMap<String, Vec<(&str, u64)>> = BTreeMap::new();
        for (word, users) in &self.0 {
            by_key.entry(key(word)).or_default().push((word, users.count));
        }
        let mut near = Vec::new();
        // The most common spelling stands for all of its key; the first of those that are as common.
        let mut heads: Vec<(String, &str, u64)> = Vec::new();
        for (key, mut words) in by_key {
            words.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
            let Some(((head, head_uses), rest)) = words.split_first() else { continue };
            near.extend(rest.iter().map(|(word, uses)| told(word, *uses, head, *head_uses)));
            heads.push((key, head, words.iter().map(|(_, uses)| uses).sum()));
        }
        near.extend(slips(&heads));
        for near in &mut near {
            near.products = self.0.get(&near.word).map(|users| users.listed.clone()).unwrap_or_default();
        }
        near.sort_by(|one, other| one.word.cmp(&other.word));
        near
    }
}

fn told(word: &str, uses: u64, like: &str, like_uses: u64) -> Near {
    Near { word: word.to_owned(), uses, like: like.to_owned(), like_uses, products: Vec::new() }
}

/// What remains of a word when what people spell differently is gone: case, accents, blanks, hyphens, the plural.
fn key(word: &str) -> String {
    let plain: String = fold(word).chars().filter(|c| c.is_alphanumeric()).collect();
    let stem = |ending: &str| plain.strip_suffix(ending).filter(|stem| stem.chars().count() > 2);
    if let Some(stem) = stem("ies") {
        return format!("{stem}y");
    }
    let hisses = |stem: &&str| ["s", "x", "z", "ch", "sh"].iter().any(|end| stem.ends_with(end));
    if let Some(stem) = stem("es").filter(hisses) {
        return stem.to_owned();
    }
    stem("s").filter(|stem| !stem.ends_with('s')).map_or(plain.clone(), str::to_owned)
}

/// Rare words that are one letter away from a more common one. Words that differ in a digit are different words.
fn slips(words: &[(String, &str, u64)]) -> Vec<Near> {
    // By hashes: two that are taken for the same are told apart when they are compared.
    let mut without: Vec<(u64, usize)> = Vec::new();
    for (at, (key, ..)) in words.iter().enumerate().filter(|(_, (key, ..))| key.chars().count() >= LONG - 1) {
        without.extend(deletions(key).iter().map(|shorter| (hash(shorter), at)));
    }
    without.sort_unstable();
    let of = |shorter: &String| {
        let hash = hash(shorter);
        let from = without.partition_point(|(other, _)| *other < hash);
        without.get(from..).into_iter().flatten().take_while(move |(other, _)| *other == hash).map(|(_, at)| *at)
    };
    let mut near = Vec::new();
    for (at, (key, word, uses)) in words.iter().enumerate() {
        if *uses > RARE || key.chars().count() < LONG {
            continue;
        }
        let shorter = deletions(key);
        let like = shorter
            .iter()
            .flat_map(of)
            .filter(|other| *other != at)
            .filter_map(|other| words.get(other))
            .filter(|(other, _, other_uses)| {
                let comes_first = (*other_uses, key.as_str()) > (*uses, other.as_str());
                comes_first && is_one_edit(key, other)
            })
            .max_by(|one, other| one.2.cmp(&other.2).then(other.0.cmp(&one.0)));
        near.extend(like.map(|(_, like, like_uses)| told(word, *uses, like, *like_uses)));
    }
    near
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

/// The word itself, and without each of its letters.
fn deletions(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let without = |skip: usize| letters.iter().enumerate().filter(|(at, _)| *at != skip).map(|(_, c)| *c).collect();
    let mut all: Vec<String> = (0..=letters.len()).map(without).collect();
    all.sort();
    all.dedup();
    all
}

/// Whether one letter was put in, left out or taken for another, and no digit.
fn is_one_edit(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let begin = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let end = short.iter().rev().zip(long.iter().rev()).take_while(|(a, b)| a == b).count();
    let end = end.min(short.len() - begin);
    let (from_short, from_long) = (short.get(begin..short.len() - end), long.get(begin..long.len() - end));
    let (Some(from_short), Some(from_long)) = (from_short, from_long) else { return false };
    let digits = from_short.iter().chain(from_long).any(char::is_ascii_digit);
    from_short.len() <= 1 && from_long.len() == 1 && !digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(words: &[(&str, u64)]) -> Vec<(String, String)> {
        let mut used = Used::default();
        for (word, uses) in words {
            (0..*uses).for_each(|at| assert!(used.add(word, u32::try_from(at).unwrap())));
        }
        used.near().into_iter().map(|near| (near.word, near.like)).collect()
    }

    #[test]
    fn spellings_of_one_word_are_told_by_the_most_common() {
        let pair = |one: &str, other: &str| vec![(one.to_owned(), other.to_owned())];
        assert_eq!(near(&[("winter", 9), ("Winter", 8)]), pair("Winter", "winter"));
        assert_eq!(near(&[("t-shirt", 9), ("T Shirts", 8)]), pair("T Shirts", "t-shirt"));
        assert_eq!(near(&[("Fjällräven", 3), ("Fjallraven", 1)]), pair("Fjallraven", "Fjällräven"));
        assert_eq!(near(&[("accessories", 1), ("accessory", 9)]), pair("accessories", "accessory"));
    }

    #[test]
    fn words_of_ones_own_for_each_product_are_not_compared_for_ever() {
        let mut used = Used::default();
        assert!((0..MOST).all(|at| used.add(&format!("own {at}"), 1)));
        assert!(!used.add("winter", 2) && used.add("own 5", 2), "one that is known is counted on");
    }

    #[test]
    fn products_that_use_a_word_are_listed_once_and_so_many() {
        let mut used = Used::default();
        for at in 0..50 {
            used.add("winter", at);
            if at % 2 == 0 {
                // A product may have a word twice.
                used.add("Winter", at);
                used.add("Winter", at);
            }
        }
        let near = used.near();
        let [near] = near.as_slice() else { panic!("{near:?}") };
        assert_eq!((near.word.as_str(), near.uses, near.like_uses), ("Winter", 25, 50));
        assert_eq!(near.products, (0..LISTED).map(|at| u32::try_from(2 * at).unwrap()).collect::<Vec<_>>());
    }

    #[test]
    fn a_slip_is_rare_long_and_no_digit() {
        let pair = |one: &str, other: &str| vec![(one.to_owned(), other.to_owned())];
        assert_eq!(near(&[("merino", 40), ("mernio", 1)]), vec![], "two letters");
        assert_eq!(near(&[("merino", 40), ("merinno", 2)]), pair("merinno", "merino"));
        assert_eq!(near(&[("merino", 40), ("merinq", 1)]), pair("merinq", "merino"));
        assert_eq!(near(&[("merino", 40), ("merinq", 3)]), vec![], "three uses are no slip");
        assert_eq!(near(&[("red", 40), ("bed", 1)]), vec![]);
        assert_eq!(near(&[("size 38", 40), ("size 39", 1)]), vec![]);
        assert_eq!(near(&[("glass", 4), ("glasses", 3)]), vec![("glasses".to_owned(), "glass".to_owned())]);
    }
}
