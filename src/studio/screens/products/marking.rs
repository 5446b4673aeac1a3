//! Marks: what is marked stays marked while the list scrolls and other searches come.

use std::collections::BTreeSet;

use super::vocabulary::{Effect, Gathered, Turn};
use super::{Products, Row};
use crate::domain::{PageSize, ProductId};
use crate::studio::ground::{Moment, NoticeKind, RequestId};
use crate::studio::widgets::number;

/// More products than these are not marked: an export of all found needs no marks.
pub const MOST: usize = 100_000;
/// Products in a page while those are marked that were not read yet.
const PAGE: i64 = 500;

/// The marked products, and where the last mark was set.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    /// The products.
    pub products: BTreeSet<ProductId>,
    /// The product that was marked last: a range begins there.
    last: Option<ProductId>,
    /// The request that follows the search to its end, to mark what was not read yet.
    pub gathering: Option<RequestId>,
}

impl Marks {
    /// Marks products; how many of them can't be: they came without an id, by which alone a product is known.
    fn add<'a>(&mut self, rows: impl Iterator<Item = &'a Row>) -> usize {
        let mut without = 0;
        for row in rows {
            if row.id.as_str().is_empty() {
                without += 1;
            } else if self.products.len() < MOST {
                self.products.insert(row.id.clone());
            }
        }
        without
    }
}

fn told(count: usize) -> String {
    number(i64::try_from(count).unwrap_or(i64::MAX))
}

fn say_without(without: usize, turn: &mut Turn) {
    match without {
        0 => {}
        1 => turn.say(NoticeKind::Warning, "One product has no ID and can't be selected."),
        many => {
            turn.say(NoticeKind::Warning, format!("{} products have no ID and can't be selected.", told(many)));
        }
    }
}

impl Products {
    /// How many products are selected; none where none is.
    pub(super) fn selected_words(&self) -> Option<String> {
        let marked = self.marks.products.len();
        let more = if self.marks.gathering.is_some() { ", selecting more" } else { "" };
        (marked > 0).then(|| format!("{} selected{more}", told(marked)))
    }

    /// Marks the selected product, or takes its mark away, and goes on to the next.
    pub(super) fn mark(&mut self, now: Moment, turn: &mut Turn) {
        let Some(row) = self.list.current() else { return };
        let id = row.id.clone();
        if self.marks.products.remove(&id) {
            self.marks.last = None;
        } else {
            let row = row.clone();
            say_without(self.marks.add(std::iter::once(&row)), turn);
            self.marks.last = self.marks.products.contains(&id).then_some(id);
            self.say_full(turn);
        }
        let page = self.page();
        self.list.step(1, page);
        self.moved(now, turn);
    }

    /// Marks everything from the last mark to the selected product.
    pub(super) fn mark_range(&mut self, turn: &mut Turn) {
        let start =
            self.marks.last.as_ref().and_then(|last| self.list.found.rows().iter().position(|row| row.id == *last));
        let Some(start) = start else {
            turn.say(
                NoticeKind::Hint,
                "Select the first product with ‹app.select›, then the last with ‹products.select.range›.",
            );
            return;
        };
        let (low, high) = (start.min(self.list.found.selected()), start.max(self.list.found.selected()));
        let range = self.list.found.rows().get(low..=high).unwrap_or_default();
        say_without(self.marks.add(range.iter()), turn);
        self.say_full(turn);
    }

    /// Marks every product found, those that were not read yet as well, or takes all marks away where they all are.
    /// While others are being gathered it stops that.
    pub(super) fn mark_all(&mut self, turn: &mut Turn) {
        if self.stop_gathering(turn) {
            let marked = told(self.marks.products.len());
            turn.say(NoticeKind::Done, format!("Stopped: {marked} selected."));
            return;
        }
        let mut can_be = self.list.found.rows().iter().filter(|row| !row.id.as_str().is_empty()).peekable();
        if can_be.peek().is_some() && can_be.all(|row| self.marks.products.contains(&row.id)) {
            self.marks = Marks::default();
            return;
        }
        say_without(self.marks.add(self.list.found.rows().iter()), turn);
        if self.say_full(turn) || self.list.is_stale() {
            return;
        }
        if let (Some(store), Some(next)) = (turn.context.store.clone(), self.list.next.clone()) {
            let request = turn.next_id();
            self.marks.gathering = Some(request);
            let page = PageSize::new(PAGE).unwrap_or_default();
            let mut search = self.query.request(&store, Some(next), page);
            // Only ids are wanted.
            search.include = None;
            turn.ask(Effect::Gather { request, search: Box::new(search) });
        }
    }

    /// Takes ids of products that were found and not read yet.
    pub(super) fn gathered(&mut self, request: RequestId, gathered: Gathered, turn: &mut Turn) {
        if self.marks.gathering != Some(request) {
            return;
        }
        match gathered {
            Gathered::Some(ids) => {
                let room = MOST.saturating_sub(self.marks.products.len());
                self.marks.products.extend(ids.into_iter().filter(|id| !id.as_str().is_empty()).take(room));
                if self.say_full(turn) {
                    self.stop_gathering(turn);
                }
            }
            Gathered::All => {
                self.marks.gathering = None;
                turn.say(NoticeKind::Done, format!("{} selected.", told(self.marks.products.len())));
            }
            Gathered::Failed(why) => {
                self.marks.gathering = None;
                let marked = told(self.marks.products.len());
                turn.say(NoticeKind::Error, format!("{marked} selected; couldn't load the rest: {why}"));
            }
        }
    }

    /// Stops gathering; whether it was under way.
    pub(super) fn stop_gathering(&mut self, turn: &mut Turn) -> bool {
        let gathering = self.marks.gathering.take();
        turn.cancel(gathering);
        gathering.is_some()
    }

    /// Says that no more are marked; whether that is so.
    fn say_full(&self, turn: &mut Turn) -> bool {
        let full = self.marks.products.len() >= MOST;
        if full {
            let say = format!("{} selected, the maximum. To export all found, clear the selection.", told(MOST));
            turn.say(NoticeKind::Warning, say);
        }
        full
    }
}
