//! Asking for the analysis of the products in the list (§2.5), again while it is pending, and summing it up as bars.

use std::collections::BTreeMap;

use super::facets::{Facets, NAMES};
use super::memory::Change;
use super::vocabulary::{Answer, Effect, Turn};
use super::{Products, Row};
use crate::domain::{Include, IncludeAnalysis, Num, ProductId, ProductSearch};
use crate::studio::ground::{Alarm, Command, Moment, NoticeKind, RequestId};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Page, Prompt, Question, Role, number};

/// How long the service may wait for the analysis of an open product where nothing else is set, milliseconds.
const USUAL_MS: u32 = 10_000;
/// The most that it may be set to wait: less than what a request may take.
const MOST_MS: u32 = 25_000;
/// The most that a page of the list waits, milliseconds: products come first, what is pending is asked again.
const PAGE_MS: u32 = 400;
/// What is pending is asked again so often, the first time after so long, milliseconds, then each time twice that.
const MOST_AGAIN: u32 = 5;
const AGAIN_MS: u64 = 2_000;
/// Cells of the longest bar.
const BAR: usize = 24;

/// What is asked again of what is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Again {
    /// How often it was, since something else was shown.
    times: u32,
    /// The request that is on its way.
    request: Option<RequestId>,
    /// Whether the model is to be woken for the next time.
    awaited: bool,
}

impl Products {
    /// How long the service may wait for an analysis, milliseconds.
    #[must_use]
    pub fn analysis_ms(&self) -> u32 {
        self.memory.analysis_ms.unwrap_or(USUAL_MS)
    }

    /// Lets a page of the list carry the analysis, where the list shows it.
    pub(super) fn with_facets(&self, mut search: ProductSearch) -> ProductSearch {
        if self.memory.facets {
            let limit = self.analysis_ms().min(PAGE_MS);
            let include = search.include.get_or_insert_with(Include::default);
            include.analysis = Some(IncludeAnalysis { timeout_ms: Some(Num::from(limit)) });
        }
        search
    }

    /// Takes a command about the analysis.
    pub(super) fn facets_command(&mut self, command: Command, now: Moment, turn: &mut Turn) {
        match command {
            Command::AnalysisLimit => {
                let title = "Analysis timeout (ms)";
                let prompt = Prompt::new(title, &self.analysis_ms().to_string());
                turn.question(Question::line(prompt, Answer::AnalysisLimit));
            }
            Command::Summary if !self.memory.facets => {
                turn.say(NoticeKind::Hint, "No analysis loaded. ‹products.facets› loads it.");
            }
            Command::Summary => {
                let page = Page::new(
                    "Summary of the analysis",
                    summary(self.list.found.rows(), self.list.next.is_some()),
                    "Esc closes",
                );
                turn.outcomes.push(Outcome::Show(Box::new(page)));
            }
            _ => {
                let on = !self.memory.facets;
                self.remember(Change::Facets(on), turn);
                if on {
                    self.search(now, 0, turn);
                }
            }
        }
    }

    /// Takes the limit that was typed.
    pub(super) fn set_analysis_limit(&mut self, typed: &str, now: Moment, turn: &mut Turn) {
        let limit = typed.trim().parse::<u32>().ok().filter(|limit| (1..=MOST_MS).contains(limit));
        let Some(limit) = limit else {
            turn.say(NoticeKind::Warning, format!("Enter a whole number from 1 to {MOST_MS} (ms)."));
            return;
        };
        self.remember(Change::AnalysisMs((limit != USUAL_MS).then_some(limit)), turn);
        let list = limit.min(PAGE_MS);
        turn.say(
            NoticeKind::Done,
            format!("Analysis timeout: {limit} ms for an open product, {list} ms for a page of the list."),
        );
        self.fetch_analysis(now, 0, turn);
    }

    /// Something else is shown: what is pending there may be asked again as often as before.
    pub(super) fn forget_pending(&mut self, turn: &mut Turn) {
        turn.cancel(self.again.request);
        self.again = Again { awaited: self.again.awaited, ..Again::default() };
    }

    /// Has what is pending asked again later, where that was not done too often.
    pub(super) fn await_pending(&mut self, turn: &mut Turn) {
        let waits = self.again.awaited || self.again.request.is_some() || self.again.times >= MOST_AGAIN;
        if !waits && (self.detail_is_pending() || !self.pending_rows().is_empty()) {
            self.again.awaited = true;
            turn.wake(Alarm::Pending, AGAIN_MS << self.again.times);
        }
    }

    /// Asks again for what is pending: the open product's analysis, and those of the rows that are seen.
    pub fn ask_pending(&mut self, now: Moment, turn: &mut Turn) {
        if !std::mem::take(&mut self.again.awaited) || self.again.times >= MOST_AGAIN {
            return;
        }
        self.again.times += 1;
        if self.detail_is_pending() {
            self.fetch_analysis(now, 0, turn);
        }
        let products = self.pending_rows();
        if let (false, Some(store)) = (products.is_empty(), turn.context.store.clone()) {
            let request = turn.next_id();
            self.again.request = Some(request);
            let timeout_ms = self.analysis_ms().min(PAGE_MS);
            turn.ask(Effect::FetchFacets { request, store, products, timeout_ms });
        }
    }

    /// Takes the facets of products that were pending.
    pub(super) fn facets_arrived(
        &mut self,
        request: RequestId,
        facets: Result<Vec<(ProductId, Facets)>, String>,
        turn: &mut Turn,
    ) {
        if self.again.request != Some(request) {
            return;
        }
        self.again.request = None;
        // What can't be had now is not worth a word: it stays pending.
        let known: BTreeMap<ProductId, Facets> = facets.unwrap_or_default().into_iter().collect();
        for row in self.list.found.rows_mut() {
            if let (Some(Facets::Pending), Some(facets)) = (&row.facets, known.get(&row.id)) {
                row.facets = Some(facets.clone());
            }
        }
        self.await_pending(turn);
    }

    fn detail_is_pending(&self) -> bool {
        self.detail
            .as_ref()
            .is_some_and(|detail| detail.tab == super::Tab::Analysis && detail.analysis.known() == Some(&None))
    }

    /// The rows that are seen whose analysis is pending.
    fn pending_rows(&self) -> Vec<ProductId> {
        if !self.memory.facets {
            return Vec::new();
        }
        let seen = self.list.found.rows().iter().skip(self.list.found.top()).take(self.page());
        seen.filter(|row| row.facets == Some(Facets::Pending)).map(|row| row.id.clone()).collect()
    }
}

/// What the rows that were read have of each facet, as bars.
fn summary(rows: &[Row], more: bool) -> Vec<(Role, String)> {
    let mut counts: [BTreeMap<&str, usize>; 4] = Default::default();
    let (mut known, mut pending) = (0usize, 0usize);
    for row in rows {
        match &row.facets {
            Some(Facets::Known(words)) => {
                known += 1;
                for (count, word) in counts.iter_mut().zip(words.iter()) {
                    *count.entry(word).or_default() += 1;
                }
            }
            Some(Facets::Pending) => pending += 1,
            None => {}
        }
    }
    let count = |value: usize| number(i64::try_from(value).unwrap_or(i64::MAX));
    let mut lines = vec![(
        Role::Dim,
        format!(
            "Of {} loaded{}: {} analyzed, {} pending.",
            count(rows.len()),
            if more { " so far, scroll to load more" } else { "" },
            count(known),
            count(pending)
        ),
    )];
    for (name, counts) in NAMES.iter().zip(&counts) {
        if counts.is_empty() {
            continue;
        }
        lines.push((Role::Text, String::new()));
        lines.push((Role::Accent, (*name).to_owned()));
        let mut sorted: Vec<(&&str, &usize)> = counts.iter().collect();
        sorted.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
        let most = sorted.first().map_or(1, |(_, most)| **most).max(1);
        for (word, times) in sorted {
            let word = if word.is_empty() { "–" } else { word };
            let whole = format!("{word:<14} {:<BAR$} {}", bar(*times, most), count(*times));
            lines.push((Role::Text, whole));
        }
    }
    lines
}

/// A bar in eighths of a cell; what is there at all is seen.
fn bar(value: usize, most: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (value * BAR * 8).div_ceil(most.max(1));
    "█".repeat(eighths / 8) + EIGHTHS.get(eighths % 8).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_what_they_stand_for() {
        assert_eq!(bar(0, 10), "");
        assert_eq!(bar(10, 10), "█".repeat(BAR));
        assert_eq!(bar(1, 1_000_000), "▏");
        assert_eq!(bar(5, 10), "█".repeat(BAR / 2));
        assert_eq!(bar(0, 0), "");
    }
}
