//! The open product: fetched, followed, turned over, copied.

use super::vocabulary::{Effect, Turn};
use super::{Detail, Focus, Products, Tab};
use crate::domain::{Media, text};
use crate::studio::ground::{Command, Moment, NoticeKind, Remote};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::rows::stride;

/// While the selection moves on, the open product waits so long before it is fetched, milliseconds.
const FOLLOW_AFTER_MS: u64 = 80;

impl Products {
    /// After the selection moved: the next page is fetched ahead, and an open product follows.
    pub fn moved(&mut self, now: Moment, turn: &mut Turn) {
        self.fetch_ahead(now, turn);
        self.await_pending(turn);
        let row = self.list.current().map(|row| (row.id.clone(), row.title.to_string()));
        let open = self.detail.as_ref().map(|detail| (detail.id.clone(), detail.tab));
        if let (Some((id, title)), Some((open, tab))) = (row, open)
            && id != open
        {
            self.replace_detail(Detail::new(id, title, tab), turn);
            self.fetch_detail(now, FOLLOW_AFTER_MS, turn);
        }
    }

    pub(super) fn replace_detail(&mut self, detail: Detail, turn: &mut Turn) {
        self.forget_pending(turn);
        if let Some(old) = self.detail.replace(detail) {
            let waiting = [old.record.waiting(), old.analysis.waiting()];
            turn.cancel(waiting.into_iter().flatten());
        }
    }

    pub(super) fn open_selected(&mut self, now: Moment, turn: &mut Turn) {
        self.used_search(turn);
        let Some(row) = self.list.current() else { return };
        if self.detail.as_ref().is_none_or(|detail| detail.id != row.id) {
            let tab = self.detail.as_ref().map_or(Tab::Overview, |detail| detail.tab);
            let detail = Detail::new(row.id.clone(), row.title.to_string(), tab);
            self.replace_detail(detail, turn);
            self.fetch_detail(now, 0, turn);
        }
        self.panel = None;
        self.focus = Focus::Detail;
        self.resize(self.area, now);
    }

    pub(super) fn fetch_detail(&mut self, now: Moment, after_ms: u64, turn: &mut Turn) {
        let request = turn.next_id();
        let (Some(detail), Some(store)) = (&mut self.detail, turn.context.store.clone()) else { return };
        turn.cancel(detail.record.waiting());
        detail.record.load(request, now);
        turn.ask(Effect::FetchProduct { request, store, product: detail.id.clone(), after_ms });
        self.fetch_analysis(now, after_ms, turn);
    }

    pub(super) fn fetch_analysis(&mut self, now: Moment, after_ms: u64, turn: &mut Turn) {
        let (request, timeout_ms) = (turn.next_id(), self.analysis_ms());
        let (Some(detail), Some(store)) = (&mut self.detail, turn.context.store.clone()) else { return };
        if detail.tab == Tab::Analysis {
            turn.cancel(detail.analysis.waiting());
            detail.analysis.load(request, now);
            let product = detail.id.clone();
            turn.ask(Effect::FetchAnalysis { request, store, product, timeout_ms, after_ms });
        }
    }

    /// Shows a tab of the open product.
    pub fn show_tab(&mut self, tab: Tab, now: Moment, turn: &mut Turn) {
        let Some(detail) = &mut self.detail else { return };
        detail.show(tab);
        if detail.analysis == Remote::Idle {
            self.fetch_analysis(now, 0, turn);
        }
        self.lay_out_detail(now);
    }

    pub(super) fn turn_tab(&mut self, by: isize, now: Moment, turn: &mut Turn) {
        let Some(detail) = &self.detail else { return };
        let all = Tab::ALL.len().cast_signed();
        let at = Tab::ALL.iter().position(|tab| *tab == detail.tab).unwrap_or(0).cast_signed();
        let next = usize::try_from((at + by).rem_euclid(all)).unwrap_or(0);
        self.show_tab(Tab::ALL.get(next).copied().unwrap_or_default(), now, turn);
    }

    pub(super) fn detail_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let page = self.detail_page();
        let Some(detail) = &mut self.detail else { return false };
        let tree = detail.tab.is_tree();
        if detail.gallery_command(command) {
            return true;
        }
        if let Some(by) = stride(command, page) {
            detail.scroll(by, page);
            return true;
        }
        match command {
            Command::Open | Command::Mark if tree => {
                if detail.tree.toggle(detail.selected) {
                    self.lay_out_detail(now);
                }
            }
            Command::Left if tree => {
                if detail.tree.set_folded(detail.selected, true) {
                    self.lay_out_detail(now);
                } else if let Some(parent) = detail.tree.parent(detail.selected) {
                    detail.selected = parent;
                    detail.scroll(0, page);
                }
            }
            Command::Right if tree => {
                if detail.tree.set_folded(detail.selected, false) {
                    self.lay_out_detail(now);
                } else {
                    detail.scroll(1, page);
                }
            }
            Command::Left => self.turn_tab(-1, now, turn),
            Command::Right | Command::Open => self.turn_tab(1, now, turn),
            _ => return false,
        }
        true
    }

    pub(super) fn current_address(&self) -> Option<String> {
        if let Some(medium) = self.meant_medium() {
            let address = super::gallery::address(medium).map(|address| text::line(address).into_owned());
            return address.filter(|address| !address.is_empty());
        }
        let record = self.detail.as_ref().and_then(Detail::known).map(|record| record.product.product_url.clone());
        let address = record.or_else(|| self.list.current().map(|row| row.address.to_string()))?;
        Some(text::line(&address).into_owned()).filter(|address| !address.is_empty())
    }

    /// The medium whose tile is selected.
    fn meant_medium(&self) -> Option<&Media> {
        let detail = self.detail.as_ref().filter(|detail| detail.tab == Tab::Media && detail.gallery.is_some())?;
        detail.known()?.product.media.get(detail.selected)
    }

    pub(super) fn copy(&mut self, turn: &mut Turn) {
        let Some(id) = self.detail.as_ref().map(|d| d.id.clone()).or_else(|| self.list.current().map(|r| r.id.clone()))
        else {
            turn.outcomes.push(Outcome::Notify(NoticeKind::Hint, "Nothing to copy.".to_owned()));
            return;
        };
        let mut choices = vec![("ID", id.as_str().to_owned())];
        choices.extend(self.current_address().map(|address| ("address", address)));
        if let Some(medium) = self.meant_medium().filter(|medium| medium.video_url.is_some()) {
            choices.extend(medium.preview_url.as_deref().map(|address| ("picture", text::line(address).into_owned())));
        }
        if let Some(record) = self.detail.as_ref().and_then(Detail::known) {
            choices.extend(serde_json::to_string_pretty(&record.raw).ok().map(|json| ("JSON", json)));
        }
        turn.outcomes.push(Outcome::Copy(choices));
    }
}
