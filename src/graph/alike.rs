//! Which step a text could have meant that is the name of none.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::steps::Graph;
use crate::domain::text::fold;

/// The steps by their names, ids and descriptions, in any case and with any accents; nothing where two are called so. Made
/// when something is looked for first, and not again for each answer that leads nowhere.
#[derive(Default)]
pub(super) struct Alike(OnceCell<HashMap<String, Option<usize>>>);

impl Alike {
    /// The only step that a value could have meant.
    pub(super) fn only(&self, graph: &Graph, value: &str) -> Option<usize> {
        let wanted = fold(value.trim());
        if wanted.is_empty() {
            return None;
        }
        self.0.get_or_init(|| Self::of(graph)).get(&wanted).copied().flatten()
    }

    fn of(graph: &Graph) -> HashMap<String, Option<usize>> {
        let mut found: HashMap<String, Option<usize>> = HashMap::with_capacity(graph.len() * 2);
        for (step, node) in graph.nodes().iter().enumerate() {
            let id = node.id.as_ref().map_or("", |id| id.as_str());
            for text in [node.name.as_str(), &node.description, id] {
                let only = found.entry(fold(text.trim())).or_insert(Some(step));
                *only = only.filter(|other| *other == step);
            }
        }
        found
    }
}
