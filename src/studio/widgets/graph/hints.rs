//! Letters to jump with: the home row first, one letter while that is enough, and no pair that ties fingers in knots.

/// The letters, the easiest first, each with the finger that types it, counted from the left.
const LETTERS: [(char, u8); 20] = [
    ('f', 3),
    ('j', 4),
    ('d', 2),
    ('k', 5),
    ('s', 1),
    ('l', 6),
    ('a', 0),
    ('g', 3),
    ('h', 4),
    ('e', 2),
    ('i', 5),
    ('r', 3),
    ('u', 4),
    ('w', 1),
    ('o', 6),
    ('n', 4),
    ('c', 2),
    ('m', 4),
    ('v', 3),
    ('t', 3),
];

/// Labels for so many things, the easiest first, none the beginning of another. There are at most 400.
#[must_use]
pub fn labels(count: usize) -> Vec<String> {
    if count <= LETTERS.len() {
        return LETTERS.iter().take(count).map(|(letter, _)| letter.to_string()).collect();
    }
    let mut pairs: Vec<(usize, String)> = Vec::with_capacity(LETTERS.len() * LETTERS.len());
    for (rank, (first, finger)) in LETTERS.iter().enumerate() {
        for (next_rank, (second, next_finger)) in LETTERS.iter().enumerate() {
            let same_hand = (*finger < 4) == (*next_finger < 4);
            let strain = match () {
                // One finger that has to leave one key for another.
                () if finger == next_finger && first != second => 100,
                () if same_hand => 8,
                () => 0,
            };
            pairs.push((rank + next_rank + strain, format!("{first}{second}")));
        }
    }
    pairs.sort_by_key(|(cost, _)| *cost);
    pairs.into_iter().take(count).map(|(_, label)| label).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn labels_are_short_easy_and_told_apart() {
        assert_eq!(labels(3), ["f", "j", "d"]);
        assert!(labels(20).iter().all(|label| label.len() == 1));
        let many = labels(300);
        assert!(many.iter().all(|label| label.len() == 2));
        assert_eq!(many.iter().collect::<HashSet<_>>().len(), 300);
        let easy = labels(120);
        assert!(!easy.iter().any(|label| ["fr", "de", "ju", "lo", "ws"].contains(&label.as_str())));
        assert_eq!(easy.first().map(String::as_str), Some("fj"));
        assert_eq!(labels(1_000).len(), 400);
    }
}
