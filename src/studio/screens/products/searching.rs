//! Asking for products: page by page, as it is typed, again where it failed.

use super::vocabulary::{Effect, Page, Turn};
use super::{Fetch, Products};
use crate::domain::{PageSize, text};
use crate::studio::ground::{Alarm, Failure, Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;

/// The first page is small, so that it is here soon; the rest come in fewer, larger ones.
const FIRST_PAGE: i64 = 100;
const NEXT_PAGE: i64 = 250;
/// A spinner is shown only for what takes longer, milliseconds.
pub const SPINNER_AFTER_MS: i64 = 300;
/// Old rows are dimmed only once new ones are that late, milliseconds.
pub const DIM_AFTER_MS: i64 = 100;

impl Products {
    pub(super) fn cancel_all(&mut self, turn: &mut Turn) {
        self.close_compare(turn);
        self.drop_problems(turn);
        self.stop_gathering(turn);
        let waiting = [self.list.waiting(), self.total.waiting()];
        let detail = self.detail.as_ref().map(|d| [d.record.waiting(), d.analysis.waiting()]);
        turn.cancel(waiting.into_iter().chain(detail.into_iter().flatten()).flatten());
    }

    pub(super) fn count(&mut self, now: Moment, turn: &mut Turn) {
        if let Some(store) = turn.context.store.clone() {
            let request = turn.next_id();
            self.total.load(request, now);
            turn.ask(Effect::Count { request, store });
        }
    }

    /// Searches again; the search before is cancelled, its rows stay until new ones come.
    pub(super) fn search(&mut self, now: Moment, after_ms: u64, turn: &mut Turn) {
        let Some(store) = turn.context.store.clone() else { return };
        if let Some(waiting) = self.list.waiting() {
            turn.cancel(Some(waiting));
        }
        let request = turn.next_id();
        self.list.fetch = Fetch::First { request, since: now };
        let limit = PageSize::new(FIRST_PAGE).unwrap_or_default();
        self.forget_pending(turn);
        let search = Box::new(self.with_facets(self.query.request(&store, None, limit)));
        turn.ask(Effect::Search { request, search, after_ms });
        turn.wake(Alarm::Spinner, after_ms + DIM_AFTER_MS.unsigned_abs());
        turn.wake(Alarm::Spinner, spinner_after(after_ms));
    }

    pub(super) fn fetch_more(&mut self, now: Moment, turn: &mut Turn) {
        let Some(store) = turn.context.store.clone() else { return };
        let request = turn.next_id();
        let limit = PageSize::new(NEXT_PAGE).unwrap_or_default();
        let search = Box::new(self.with_facets(self.query.request(&store, self.list.next.clone(), limit)));
        self.list.fetch = Fetch::More { request, since: now };
        turn.ask(Effect::Search { request, search, after_ms: 0 });
        turn.wake(Alarm::Spinner, spinner_after(0));
    }

    pub(super) fn fetch_ahead(&mut self, now: Moment, turn: &mut Turn) {
        if self.list.wants_more(self.page()) {
            self.fetch_more(now, turn);
        }
    }

    /// How long more typing is waited for: nothing where answers come at once, else a part of the way there and back.
    pub(super) fn typing_pause(&self) -> u64 {
        self.round_trip_ms.filter(|ms| *ms > 30).map_or(0, |ms| (ms / 2).min(200))
    }

    pub(super) fn page_arrived(&mut self, page: Result<Page, Failure>, now: Moment, turn: &mut Turn) {
        match page {
            Ok(page) => {
                if page.findings_count > 0 {
                    let first = page.findings.first().map(String::as_str).unwrap_or_default();
                    let say =
                        format!("{} fields don't match the API specification, such as: {first}", page.findings_count);
                    turn.outcomes.push(Outcome::Notify(NoticeKind::Warning, text::line(&say).into_owned()));
                }
                let rows_seen = self.page();
                if self.list.is_stale() || !self.list.read {
                    self.list.of_all = self.query.is_all();
                }
                let first = self.list.is_stale() || !self.list.read;
                self.list.take(page, rows_seen);
                self.take_up(now, turn);
                if first {
                    self.note_last_search(turn);
                }
                self.await_pending(turn);
                self.resize(self.area, now);
                self.fetch_ahead(now, turn);
            }
            Err(failure) => {
                refused(&failure, turn);
                self.list.fail(failure.what);
                self.resize(self.area, now);
            }
        }
    }

    pub(super) fn term_changed(&mut self, now: Moment, turn: &mut Turn) {
        if self.query.term != self.line.text() {
            let same = self.query.term.trim() == self.line.text().trim();
            self.line.text().clone_into(&mut self.query.term);
            if !same {
                self.search(now, self.typing_pause(), turn);
            }
        }
    }
}

fn spinner_after(after_ms: u64) -> u64 {
    SPINNER_AFTER_MS.unsigned_abs() + after_ms
}

pub(super) fn refused(failure: &Failure, turn: &mut Turn) {
    if failure.unauthorized {
        turn.outcomes.push(Outcome::Unauthorized);
    }
}
