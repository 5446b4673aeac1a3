//! Where the person is among the products, and how the next start gets there.

use super::vocabulary::Turn;
use super::{Detail, Focus, Products, Query, Tab};
use crate::domain::ProductId;
use crate::studio::ground::{Moment, Spot};

impl Products {
    /// Where the person is; what is not taken up yet stays as it was.
    #[must_use]
    pub fn here(&self) -> Spot {
        if let Some(left) = &self.left {
            return left.clone();
        }
        let detail = self.detail.as_ref();
        Spot {
            id: self.list.current().map(|row| row.id.to_string()),
            row: self.list.found.selected(),
            open: detail.map(|detail| detail.id.to_string()),
            inside: self.focus == Focus::Detail,
            tab: detail.map(|detail| detail.tab.title().to_owned()),
            search: Some(if self.query == Query::default() { String::new() } else { self.query.to_kept() }),
            ..Spot::default()
        }
    }

    /// The search that the person left: what was searched for last, where that is not known.
    pub(super) fn left_search(&self, last: Query) -> Query {
        match self.left.as_ref().and_then(|left| left.search.as_deref()) {
            Some(kept) => Query::of_kept(kept),
            None => last,
        }
    }

    /// Goes where the person was, once that is read; else the next page is fetched and looked through.
    pub(super) fn take_up(&mut self, now: Moment, turn: &mut Turn) {
        let Some(left) = self.left.take() else { return };
        let id_at = |row: &super::Row| left.id.as_deref().is_some_and(|id| row.id.as_str() == id);
        let at = self.list.found.rows().iter().position(id_at);
        self.list.found.go_to(at.unwrap_or(left.row));
        if at.is_none() && self.list.next.is_some() && self.list.found.len() <= left.row {
            self.left = Some(left);
            return;
        }
        let Some(open) = left.open else { return };
        let title = self.list.found.rows().iter().find(|row| row.id.as_str() == open).map(|row| row.title.to_string());
        let tab = Tab::ALL.into_iter().find(|tab| Some(tab.title()) == left.tab.as_deref()).unwrap_or_default();
        let detail = Detail::new(ProductId::from(open), title.unwrap_or_default(), tab);
        self.replace_detail(detail, turn);
        self.fetch_detail(now, 0, turn);
        if left.inside {
            self.focus = Focus::Detail;
        }
    }
}
