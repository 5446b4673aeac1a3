//! Marks: what is marked stays marked while the list scrolls and other searches come.

use std::collections::BTreeSet;

use super::Products;
use crate::domain::ProductId;
use crate::studio::event::Moment;
use crate::studio::model::NoticeKind;
use crate::studio::turn::{Outcome, Turn};

/// The marked products, and where the last mark was set.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    /// The products.
    pub products: BTreeSet<ProductId>,
    /// The product that was marked last: a range begins there.
    last: Option<ProductId>,
}

impl Products {
    /// Marks the selected product, or takes its mark away, and goes on to the next.
    pub(super) fn mark(&mut self, now: Moment, turn: &mut Turn) {
        let Some(id) = self.list.current().map(|row| row.id.clone()) else { return };
        if self.marks.products.remove(&id) {
            self.marks.last = None;
        } else {
            self.marks.products.insert(id.clone());
            self.marks.last = Some(id);
        }
        let page = self.page();
        self.list.step(1, page);
        self.moved(now, turn);
    }

    /// Marks everything from the last mark to the selected product.
    pub(super) fn mark_range(&mut self, turn: &mut Turn) {
        let start = self.marks.last.as_ref().and_then(|last| self.list.rows.iter().position(|row| row.id == *last));
        let Some(start) = start else {
            let say = "Mark the first of the range with Space, then the last with this.".to_owned();
            turn.outcomes.push(Outcome::Notify(NoticeKind::Hint, say));
            return;
        };
        let (low, high) = (start.min(self.list.selected), start.max(self.list.selected));
        let range = self.list.rows.get(low..=high).unwrap_or_default();
        self.marks.products.extend(range.iter().map(|row| row.id.clone()));
    }

    /// Marks every product read so far, or takes all marks away where they all are.
    pub(super) fn mark_all(&mut self, turn: &mut Turn) {
        let all = self.list.rows.iter().all(|row| self.marks.products.contains(&row.id));
        if all {
            self.marks = Marks::default();
            return;
        }
        self.marks.products.extend(self.list.rows.iter().map(|row| row.id.clone()));
        if self.list.next.is_some() {
            let say = "Marked what was read so far; an export of all found follows the search to its end.".to_owned();
            turn.outcomes.push(Outcome::Notify(NoticeKind::Hint, say));
        }
    }
}
