//! Terms that are too long for an index, written shorter: a database has no room for more than 2,700 bytes, and whoever writes
//! no end. What is written in their place says the same, so that nothing has to be looked at again.

use sha2::{Digest as _, Sha256};

/// Bytes of a term at most that is written as it is.
pub(super) const MOST: usize = 512;

/// What no word has, and stands before what is written in the place of its later parts.
const MARK: char = '\u{1}';

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// As much of the start as a term has room for, and the rest.
fn cut(text: &str) -> (&str, &str) {
    let at = (0..=MOST.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.split_at_checked(at).unwrap_or((text, ""))
}

/// A term that is asked for as a whole: a long one is its beginning and its hash, which together are longer than any that is
/// written as it is.
pub(super) fn whole(text: &str) -> String {
    if text.len() <= MOST {
        return text.to_owned();
    }
    let (start, _) = cut(text);
    format!("{start}{MARK}{}", hash(text))
}

/// What a part of a word is written as, behind what stands before it in the word.
fn part(before: &str, part: &str) -> String {
    if before.is_empty() { part.to_owned() } else { format!("{MARK}{}{MARK}{part}", hash(before)) }
}

/// A word as it is written, so that it can be found by each of its beginnings: in parts, each of which knows what is before it.
pub(super) fn word(word: &str) -> Vec<String> {
    let (mut parts, mut at) = (Vec::new(), 0);
    while let Some((before, rest)) = word.split_at_checked(at).filter(|(_, rest)| !rest.is_empty()) {
        let (piece, _) = cut(rest);
        parts.push(part(before, piece));
        at += piece.len();
    }
    parts
}

/// The beginning of a word as it is looked for: the beginning of its last part.
pub(super) fn beginning(word: &str) -> String {
    let mut at = 0;
    while let Some(rest) = word.get(at..).filter(|rest| rest.len() > MOST) {
        at += cut(rest).0.len();
    }
    let (before, last) = word.split_at_checked(at).unwrap_or((word, ""));
    part(before, last)
}

/// What a term of an earlier version is written as now: one that was asked for as a whole, or a word.
pub(super) fn rewritten(term: &str, is_word: bool) -> Vec<String> {
    if is_word { word(term) } else { vec![whole(term)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_terms_are_told_apart_and_fit() {
        let long = |end: char| "x".repeat(5_000) + &end.to_string();
        assert_eq!((whole("wool"), whole(&"ä".repeat(256))), ("wool".to_owned(), "ä".repeat(256)));
        assert_ne!(whole(&long('a')), whole(&long('b')));
        assert!(whole(&long('a')).len() > MOST && whole(&long('a')).len() < 600);
        // Cut where a character ends.
        assert!(whole(&("x".to_owned() + &"靴".repeat(400))).starts_with(&("x".to_owned() + &"靴".repeat(170) + "\u{1}")));
    }

    #[test]
    fn a_word_is_found_by_each_of_its_beginnings_and_by_nothing_else() {
        let words = ["wool".to_owned(), "ä".repeat(700), "aä".repeat(400), "x".repeat(1_024), "x".repeat(1_025)];
        for own in &words {
            let written = word(own);
            assert!(written.iter().all(|part| part.len() < 600), "{own}");
            for (at, _) in own.char_indices().skip(1).chain([(own.len(), ' ')]) {
                let start = &own[..at];
                assert!(written.iter().any(|part| part.starts_with(&beginning(start))), "{at} of {own}");
                // Another letter at its end, or one more before it.
                for other in [start.to_owned() + "y", "y".to_owned() + start] {
                    assert!(!written.iter().any(|part| part.starts_with(&beginning(&other))), "{other} in {own}");
                }
            }
        }
        assert_eq!(word("wool"), ["wool"]);
        assert!(word("").is_empty());
    }
}
