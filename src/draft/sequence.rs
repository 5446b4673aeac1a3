//! The three-way merge of lists whose members are told apart.

use std::collections::HashSet;
use std::hash::Hash;

/// Who is right where both changed the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// The draft.
    #[default]
    Mine,
    /// The service.
    Theirs,
}

/// Merges two lists that came of one. What one side added is there, what one side took away is not; `None` stands for two
/// orders that contradict each other, of which `side` is taken.
pub(super) fn sequence<K: Copy + Eq + Hash>(base: &[K], mine: &[K], theirs: &[K], side: Side) -> (Vec<K>, bool) {
    if mine == base || mine == theirs {
        return (theirs.to_vec(), false);
    }
    if theirs == base {
        return (mine.to_vec(), false);
    }
    let [in_base, in_mine, in_theirs] = [base, mine, theirs].map(|list| list.iter().copied().collect::<HashSet<K>>());
    let stays = |key: &K| match (in_base.contains(key), in_mine.contains(key), in_theirs.contains(key)) {
        (true, mine, theirs) => mine && theirs,
        (false, mine, theirs) => mine || theirs,
    };
    let common = |list: &[K]| -> Vec<K> {
        let all = |key: &&K| in_base.contains(key) && in_mine.contains(key) && in_theirs.contains(key);
        list.iter().filter(all).copied().collect()
    };
    let [before, of_mine, of_theirs] = [base, mine, theirs].map(common);
    let (taken, other, conflict) = if of_mine == before || of_mine == of_theirs {
        (theirs, mine, false)
    } else if of_theirs == before || side == Side::Mine {
        (mine, theirs, of_theirs != before)
    } else {
        (theirs, mine, true)
    };
    let mut merged: Vec<K> = Vec::with_capacity(taken.len() + other.len());
    let mut put: HashSet<K> = HashSet::new();
    merged.extend(taken.iter().filter(|key| stays(key) && put.insert(**key)));
    let mut after = 0;
    for key in other.iter().filter(|key| stays(key)) {
        if put.insert(*key) {
            merged.insert(after.min(merged.len()), *key);
            after += 1;
        } else if let Some(at) = merged.iter().position(|one| one == key) {
            after = at + 1;
        }
    }
    (merged, conflict)
}
