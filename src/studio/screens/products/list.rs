//! The products found so far, and the page that is on its way.

use std::collections::BTreeSet;

use super::row::Row;
use super::vocabulary::Page;
use crate::domain::Cursor;
use crate::studio::ground::{Moment, RequestId, stopped};
use crate::studio::widgets::Select;

/// What is being fetched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Fetch {
    /// Nothing.
    #[default]
    Idle,
    /// The first page: what is shown is of the search before.
    First {
        /// Its request.
        request: RequestId,
        /// Since when.
        since: Moment,
    },
    /// The next page.
    More {
        /// Its request.
        request: RequestId,
        /// Since when.
        since: Moment,
    },
    /// The last page asked for could not be had.
    Failed {
        /// Why.
        what: String,
        /// Whether it was the first: then what is shown is of the search before.
        first: bool,
    },
}

/// The products found.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// The rows read so far.
    pub found: Select<Row>,
    /// Where the next page begins; none when all were read.
    pub next: Option<Cursor>,
    /// The cursors that pages began at: a service that gives one again would be followed without end.
    followed: BTreeSet<Cursor>,
    /// Whether the rows are the store's, not a search's.
    pub of_all: bool,
    /// What is being fetched.
    pub fetch: Fetch,
    /// Whether a first page was ever read.
    pub read: bool,
}

impl List {
    /// The request that is on its way.
    #[must_use]
    pub fn waiting(&self) -> Option<RequestId> {
        match self.fetch {
            Fetch::First { request, .. } | Fetch::More { request, .. } => Some(request),
            Fetch::Idle | Fetch::Failed { .. } => None,
        }
    }

    /// Since when something is on its way.
    #[must_use]
    pub fn since(&self) -> Option<Moment> {
        match self.fetch {
            Fetch::First { since, .. } | Fetch::More { since, .. } => Some(since),
            Fetch::Idle | Fetch::Failed { .. } => None,
        }
    }

    /// Since when the first products are waited for: there are none yet.
    #[must_use]
    pub fn first_asked(&self) -> Option<Moment> {
        match self.fetch {
            Fetch::First { since, .. } if self.found.is_empty() => Some(since),
            _ => None,
        }
    }

    /// Gives up waiting for the first products where there was no answer for long; the request that is no longer wanted.
    pub fn stop(&mut self, now: Moment) -> Option<RequestId> {
        let seconds = now.silent_since(self.first_asked()?)?;
        let Fetch::First { request, .. } = self.fetch else { return None };
        self.fetch = Fetch::Failed { what: stopped(seconds), first: true };
        Some(request)
    }

    /// Whether what is shown belongs to the search before.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        matches!(self.fetch, Fetch::First { .. } | Fetch::Failed { first: true, .. })
    }

    /// The selected row.
    #[must_use]
    pub fn current(&self) -> Option<&Row> {
        self.found.current()
    }

    /// Takes a page that was waited for.
    pub fn take(&mut self, page: Page, rows_seen: usize) {
        let empty = page.rows.is_empty();
        self.found.resize(rows_seen);
        if self.is_stale() || !self.read {
            self.followed.clear();
            let keep = self.current().map(|row| row.id.clone());
            let kept = keep.and_then(|id| page.rows.iter().take(rows_seen).position(|row| row.id == id));
            self.found.show_found(page.rows);
            self.found.go_to(kept.unwrap_or(0));
        } else {
            self.found.extend(page.rows);
        }
        self.next = page.next;
        self.fetch = Fetch::Idle;
        self.read = true;
        if let Some(next) = &self.next {
            let known = !self.followed.insert(next.clone());
            if known {
                self.next = None;
                let what = "The service sent the same page again; the rest can't be loaded.".to_owned();
                self.fetch = Fetch::Failed { what, first: false };
            } else if empty {
                let what = "The service sent an empty page but says there is more.".to_owned();
                self.fetch = Fetch::Failed { what, first: false };
            }
        }
    }

    /// Notes that the page could not be had. What was read stays.
    pub fn fail(&mut self, what: String) {
        let first = matches!(self.fetch, Fetch::First { .. });
        self.fetch = Fetch::Failed { what, first };
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize, rows_seen: usize) {
        self.found.resize(rows_seen);
        self.found.step(by);
    }

    /// Turns the wheel: the list moves, the selection only as far as it must to be seen.
    pub fn wheel(&mut self, by: isize, rows_seen: usize) {
        self.found.resize(rows_seen);
        self.found.wheel(by);
    }

    /// Moves the rows so that the selection is seen.
    pub fn keep_in_sight(&mut self, rows_seen: usize) {
        self.found.resize(rows_seen);
    }

    /// Whether the next page should be asked for now: two screens before its rows are needed.
    #[must_use]
    pub fn wants_more(&self, rows_seen: usize) -> bool {
        self.fetch == Fetch::Idle
            && self.next.is_some()
            && self.found.selected() + 3 * rows_seen.max(10) >= self.found.len()
    }
}
