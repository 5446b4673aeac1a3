//! A JSON value as a tree whose branches fold.

use std::collections::HashSet;

use serde_json::Value;

use super::paint::{Piece, Role, piece};
use crate::domain::text;

/// Longer strings are cut in the tree; the copy has them whole.
const MOST_TEXT: usize = 2_000;
/// More rows than anyone scrolls through; a branch folded shows the rest.
const MOST_ROWS: usize = 20_000;
/// Deeper branches are not opened: JSON bombs nest without end.
const MOST_DEPTH: usize = 64;

/// One row of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeRow {
    /// The path of keys and indices, as `/a/0/b`.
    pub path: String,
    /// How deep it is.
    pub depth: usize,
    /// Whether it can fold.
    pub branch: bool,
    /// What it shows.
    pub pieces: Vec<Piece>,
}

/// Which branches are folded, and the rows that are left.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    folded: HashSet<String>,
    /// The rows to be seen.
    pub rows: Vec<TreeRow>,
}

impl Tree {
    /// Lays the value out again.
    pub fn lay_out(&mut self, value: &Value) {
        self.rows.clear();
        self.add(value, None, String::new(), 0);
    }

    /// Folds or unfolds the branch at a row; whether there was one.
    pub fn toggle(&mut self, row: usize) -> bool {
        let Some(row) = self.rows.get(row).filter(|row| row.branch) else { return false };
        if !self.folded.remove(&row.path) {
            self.folded.insert(row.path.clone());
        }
        true
    }

    /// Folds (or unfolds) the branch at a row; whether that changed anything.
    pub fn set_folded(&mut self, row: usize, folded: bool) -> bool {
        match self.rows.get(row) {
            Some(row) if row.branch && folded => self.folded.insert(row.path.clone()),
            Some(row) if row.branch => self.folded.remove(&row.path),
            _ => false,
        }
    }

    /// The row of the branch that a row belongs to.
    #[must_use]
    pub fn parent(&self, row: usize) -> Option<usize> {
        let depth = self.rows.get(row)?.depth;
        self.rows.get(..row)?.iter().rposition(|above| above.depth < depth)
    }

    fn add(&mut self, value: &Value, key: Option<&str>, path: String, depth: usize) {
        if self.rows.len() >= MOST_ROWS {
            return;
        }
        let branch =
            matches!(value, Value::Object(o) if !o.is_empty()) || matches!(value, Value::Array(a) if !a.is_empty());
        let folded = branch && (depth >= MOST_DEPTH || self.folded.contains(&path));
        let mut pieces = Vec::new();
        if let Some(key) = key {
            pieces.push(piece(Role::Accent, shown(key)));
            pieces.push(piece(Role::Faint, ": "));
        }
        pieces.push(leaf(value, folded));
        let below = if folded { None } else { Some(value) };
        self.rows.push(TreeRow { path: path.clone(), depth, branch, pieces });
        match below {
            Some(Value::Object(members)) => {
                for (key, member) in members {
                    self.add(member, Some(key), format!("{path}/{}", key.replace('/', "~1")), depth + 1);
                }
            }
            Some(Value::Array(members)) => {
                for (index, member) in members.iter().enumerate() {
                    let label = index.to_string();
                    self.add(member, Some(&label), format!("{path}/{index}"), depth + 1);
                }
            }
            _ => {}
        }
    }
}

fn leaf(value: &Value, folded: bool) -> Piece {
    match value {
        Value::Null => piece(Role::Faint, "null"),
        Value::Bool(truth) => piece(Role::Ok, truth.to_string()),
        Value::Number(number) => piece(Role::Warn, number.to_string()),
        Value::String(text) => piece(Role::Text, format!("\"{}\"", shown(text))),
        Value::Array(members) if members.is_empty() => piece(Role::Faint, "[]"),
        Value::Object(members) if members.is_empty() => piece(Role::Faint, "{}"),
        Value::Array(members) => {
            piece(Role::Faint, if folded { format!("[ {} ]", members.len()) } else { format!("[{}]", members.len()) })
        }
        Value::Object(members) => piece(
            Role::Faint,
            if folded { format!("{{ {} }}", members.len()) } else { format!("{{{}}}", members.len()) },
        ),
    }
}

fn shown(text: &str) -> String {
    let text = &*crate::domain::drawn(text);
    let cut = text.char_indices().nth(MOST_TEXT).map_or(text, |(end, _)| text.get(..end).unwrap_or(text));
    let mut line = text::line(cut).into_owned();
    if cut.len() < text.len() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_fold() {
        let value = serde_json::json!({"a": {"b": 1, "c": [true, null]}, "d": "x\u{1b}"});
        let mut tree = Tree::default();
        tree.lay_out(&value);
        let paths = |tree: &Tree| tree.rows.iter().map(|row| row.path.clone()).collect::<Vec<_>>();
        assert_eq!(paths(&tree), ["", "/a", "/a/b", "/a/c", "/a/c/0", "/a/c/1", "/d"]);
        assert!(tree.toggle(1));
        tree.lay_out(&value);
        assert_eq!(paths(&tree), ["", "/a", "/d"]);
        assert_eq!(tree.parent(2), Some(0));
        assert!(!tree.toggle(2));
        assert_eq!(tree.rows[2].pieces[2].text, "\"x·\"");
    }

    #[test]
    fn bombs_are_bounded() {
        let mut value = Value::Null;
        for _ in 0..100 {
            value = Value::Array(vec![value]);
        }
        let mut tree = Tree::default();
        tree.lay_out(&value);
        assert!(tree.rows.len() <= MOST_DEPTH + 1);
        tree.lay_out(&Value::Array(vec![Value::Null; MOST_ROWS * 2]));
        assert_eq!(tree.rows.len(), MOST_ROWS);
    }
}
