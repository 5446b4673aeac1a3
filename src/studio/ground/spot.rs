//! Where one was on a screen: kept, so that the next start begins there.

use serde::{Deserialize, Serialize};

/// Where one was on a screen. What is selected is known by its ID: rows move.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spot {
    /// What was selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its row, from 0: for where the ID is not found any more.
    pub row: usize,
    /// What was open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
    /// Whether the keys went to what was open.
    pub inside: bool,
    /// The tab of it that was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// What was searched for, where that is kept: empty for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// The folder that was selected, in the place of what stands in folders: its ID, empty for what is in none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The folders that were folded, by their IDs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<String>,
}

impl Spot {
    /// The row to go to among rows of these IDs: that of what was selected, else the one that it was in.
    #[must_use]
    pub fn row_among<'r>(&self, ids: impl IntoIterator<Item = Option<&'r str>>) -> usize {
        let id = self.id.as_deref();
        let at = ids.into_iter().position(|its| its.is_some() && its == id);
        at.unwrap_or(self.row)
    }
}
