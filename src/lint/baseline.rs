//! A baseline: problems that are known, one key a line.

use std::collections::BTreeSet;

use crate::domain::text;

/// The first line of a baseline.
const HEAD: &str = "# Problems that cutaway lint ignores: one per line. Delete a line to see it again.";

/// The keys that a baseline lists.
#[must_use]
pub fn baseline_keys(text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// A key as a baseline has it: on one line, whatever a service put into it.
#[must_use]
pub fn baseline_key(key: &str) -> String {
    text::line(key).trim().to_owned()
}

/// The text of a baseline with these keys, in order.
#[must_use]
pub fn baseline_text<'k>(keys: impl IntoIterator<Item = &'k String>) -> String {
    let keys: BTreeSet<String> = keys.into_iter().map(|key| baseline_key(key)).collect();
    let mut text = format!("{HEAD}\n");
    for key in keys {
        text.push_str(&key);
        text.push('\n');
    }
    text
}

/// Whether a text is a baseline that was written here.
#[must_use]
pub fn is_baseline(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.trim() == HEAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let keys = ["S01 https://a.example 7 variants".to_owned(), "S15 a\n b".to_owned()];
        let text = baseline_text(&keys);
        assert!(is_baseline(&text) && !is_baseline("my notes") && !is_baseline(""), "{text}");
        assert_eq!(text.lines().count(), 3, "a key is one line: {text}");
        let read = baseline_keys(&format!("{text}\n# a remark\n"));
        assert_eq!(read, keys.iter().map(|key| baseline_key(key)).collect());
    }
}
