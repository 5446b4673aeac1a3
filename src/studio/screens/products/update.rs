//! What happens on the Products screen.

use super::searching::refused;
use super::vocabulary::{Event, Turn};
use super::{Fetch, FilterPanel, Focus, Products};
use crate::settings::Key;
use crate::studio::ground::{Command, Moment, NoticeKind, Remote};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::rows::stride;

impl Products {
    /// Shows the products of the store that was opened.
    pub fn store_opened(&mut self, now: Moment, turn: &mut Turn) {
        self.cancel_all(turn);
        let Some(store) = turn.context.store.clone() else { return };
        if self.store.as_ref().is_some_and(|before| !before.is_same(&store)) {
            // What was left was left in the other one.
            self.left = None;
        }
        // An export goes on to its end, whatever is looked at meanwhile.
        let exporting = self.exporting.take();
        let memory = std::mem::take(&mut self.memory);
        let last = self.left_search(memory.searches(&store).last);
        *self = Self {
            left: self.left.take(),
            store: Some(store),
            area: self.area,
            round_trip_ms: self.round_trip_ms,
            grain: self.grain,
            thumbnails: self.thumbnails,
            memory,
            exporting,
            ..Self::default()
        };
        if last != super::Query::default() {
            turn.say(
                NoticeKind::Hint,
                format!("Restored your last search: {}. ‹products.filter.clear› clears it.", last.words()),
            );
            self.set_query(last);
        }
        self.resize(self.area, now);
        self.count(now, turn);
        self.search(now, 0, turn);
    }

    /// Takes what happened elsewhere.
    pub fn event(&mut self, event: Event, now: Moment, turn: &mut Turn) {
        match event {
            Event::PageArrived { request, page } => {
                if self.list.waiting() == Some(request) {
                    // One that is not waited for any more may be of another store.
                    if let Ok(page) = &page {
                        self.seen.merge(&page.seen);
                    }
                    self.page_arrived(page, now, turn);
                }
            }
            Event::CountArrived { request, total } => {
                if self.total.wants(request) {
                    if let Err(failure) = &total {
                        refused(failure, turn);
                    }
                    self.total.settle(total.map_err(|failure| failure.what));
                }
            }
            Event::ProductArrived { request, product } => {
                if self.compared(request, &product, now) {
                    if let Err(failure) = &product {
                        refused(failure, turn);
                    }
                } else if let Some(detail) = self.detail.as_mut().filter(|detail| detail.record.wants(request)) {
                    if let Err(failure) = &product {
                        refused(failure, turn);
                    }
                    detail.record.settle(product.map_err(|failure| failure.what));
                    self.lay_out_detail(now);
                }
            }
            Event::AnalysisArrived { request, analysis } => {
                if let Some(detail) = self.detail.as_mut().filter(|detail| detail.analysis.wants(request)) {
                    detail.analysis.settle(analysis.map_err(|failure| failure.what));
                    self.lay_out_detail(now);
                    self.await_pending(turn);
                }
            }
            Event::FacetsArrived { request, facets } => self.facets_arrived(request, facets, turn),
            Event::Gathered { request, gathered } => self.gathered(request, gathered, turn),
            Event::Exported { request, done, ended } => self.exported(request, done, ended, turn),
            Event::Check(reply) => self.checked(reply, turn),
        }
    }

    /// Takes a key that is text; whether it was taken.
    pub fn text_key(&mut self, key: Key, now: Moment, turn: &mut Turn) -> bool {
        self.left = None;
        match self.focus {
            Focus::Search => {
                if self.line.key(key) {
                    self.term_changed(now, turn);
                }
                true
            }
            Focus::Filters => self.panel_key(key, now, turn),
            _ => false,
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, pasted: &str, now: Moment, turn: &mut Turn) {
        self.left = None;
        match self.focus {
            Focus::Search | Focus::List => {
                self.focus = Focus::Search;
                if self.line.paste(pasted) {
                    self.term_changed(now, turn);
                }
            }
            Focus::Filters => {
                let changed = self.panel.as_mut().is_some_and(|panel| panel.paste(pasted, &mut self.query, now));
                if changed {
                    self.search(now, self.typing_pause(), turn);
                }
            }
            Focus::Chips(_) | Focus::Detail | Focus::Compare | Focus::Problems => {}
        }
    }

    /// Takes a command; whether this screen knew what to do with it.
    pub fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        // Whoever goes on is where they are now.
        self.left = None;
        let is_done = (self.focus == Focus::Problems && self.problems_command(command, now, turn))
            || self.command_on_products(command, now, turn);
        self.leave_problems(now, turn);
        is_done
    }

    fn command_on_products(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        match command {
            Command::ProductProblems | Command::StepsNextProblem | Command::StepsPreviousProblem => {
                self.go_to_problems(command, now, turn);
            }
            Command::StepsFix | Command::StepsIgnore | Command::StepsBaseline => {
                turn.say(NoticeKind::Hint, "No problems are listed here. ‹products.problems› checks the catalog.");
            }
            Command::Search => {
                self.close_compare(turn);
                self.panel = None;
                self.focus = Focus::Search;
            }
            Command::Filter => {
                self.close_compare(turn);
                self.panel = Some(FilterPanel::new(&self.query));
                self.focus = Focus::Filters;
                self.resize(self.area, now);
            }
            Command::FilterChips => self.go_to_chips(turn),
            Command::FilterClear => self.clear_filters(now, turn),
            Command::Published => {
                self.query.published = !self.query.published;
                self.show_in_panel();
                self.search(now, 0, turn);
            }
            Command::Sort => self.choose_sort(turn),
            Command::Refresh => {
                self.count(now, turn);
                self.search(now, 0, turn);
                self.fetch_detail(now, 0, turn);
            }
            Command::Retry => self.retry(now, turn),
            Command::NextTab => self.turn_tab(1, now, turn),
            Command::PreviousTab => self.turn_tab(-1, now, turn),
            Command::SaveSearch => self.save_search(turn),
            Command::SavedSearches => self.choose_search(turn),
            Command::ForgetSearch => self.choose_forgotten(turn),
            Command::Compare => self.compare(now, turn),
            Command::Facets | Command::Summary | Command::AnalysisLimit => self.facets_command(command, now, turn),
            Command::ListWider => self.move_border(40, now, turn),
            Command::ListNarrower => self.move_border(-40, now, turn),
            Command::MarkRange => self.mark_range(turn),
            Command::MarkAll => self.mark_all(turn),
            Command::Export => self.export(turn),
            Command::ExportStop => self.stop_export(turn),
            Command::FullPicture | Command::Thumbnails => self.picture_command(command, now, turn),
            Command::Copy => self.copy(turn),
            Command::Address => match self.current_address() {
                Some(address) => turn.outcomes.push(Outcome::Address(address)),
                None => turn.outcomes.push(Outcome::Notify(NoticeKind::Hint, "No address here.".to_owned())),
            },
            Command::NextPane => self.next_pane(1),
            Command::PreviousPane => self.next_pane(-1),
            Command::Back => return self.back(now, turn),
            _ => return self.command_in_focus(command, now, turn),
        }
        true
    }

    fn go_to_chips(&mut self, turn: &mut Turn) {
        if self.query.chips().is_empty() {
            Self::say_no_filters(turn);
        } else {
            self.focus = Focus::Chips(0);
        }
    }

    fn command_in_focus(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        match self.focus {
            Focus::List => self.list_command(command, now, turn),
            Focus::Search => match command {
                Command::Open => {
                    self.used_search(turn);
                    self.focus = Focus::List;
                    true
                }
                _ => self.list_command(command, now, turn),
            },
            Focus::Chips(at) => self.chip_command(at, command, now, turn),
            Focus::Filters => self.panel_command(command, now, turn),
            Focus::Detail => self.detail_command(command, now, turn),
            Focus::Compare => self.compare_command(command, turn),
            Focus::Problems => false,
        }
    }

    fn list_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let page = self.page();
        if let Some(by) = stride(command, page) {
            self.list.step(by, page);
            self.moved(now, turn);
            return true;
        }
        match command {
            Command::Open | Command::Right => self.open_selected(now, turn),
            Command::Mark => self.mark(now, turn),
            _ => return false,
        }
        true
    }

    fn retry(&mut self, now: Moment, turn: &mut Turn) {
        turn.outcomes.push(Outcome::RetryPictures);
        match self.list.fetch {
            Fetch::Failed { first: true, .. } => self.search(now, 0, turn),
            Fetch::Failed { first: false, .. } => self.fetch_more(now, turn),
            _ => {}
        }
        if matches!(self.total, Remote::Failed { .. }) {
            self.count(now, turn);
        }
        let Some(detail) = &self.detail else { return };
        if matches!(detail.record, Remote::Failed { .. } | Remote::Ready(None)) {
            self.fetch_detail(now, 0, turn);
        } else if matches!(detail.analysis, Remote::Failed { .. } | Remote::Ready(None)) {
            self.fetch_analysis(now, 0, turn);
        }
    }

    fn next_pane(&mut self, by: isize) {
        if let (Focus::Filters, Some(_)) = (self.focus, &self.panel) {
            let page = self.panel_page();
            let command = if by < 0 { Command::PreviousPane } else { Command::NextPane };
            if let Some(panel) = &mut self.panel {
                panel.command(command, page);
            }
            return;
        }
        self.focus = match self.focus {
            Focus::Compare => Focus::Compare,
            Focus::Problems if self.detail.is_some() => Focus::Detail,
            Focus::Problems | Focus::Detail if self.problems.is_some() => Focus::Problems,
            Focus::List | Focus::Search | Focus::Chips(_) if self.panel.is_some() => Focus::Filters,
            Focus::List | Focus::Search | Focus::Chips(_) if self.detail.is_some() => Focus::Detail,
            _ => Focus::List,
        };
    }

    /// Goes back one thing; whether there was one.
    fn back(&mut self, now: Moment, turn: &mut Turn) -> bool {
        if let Some(request) = self.list.stop(now) {
            turn.cancel([request]);
            return true;
        }
        match self.focus {
            Focus::Search | Focus::Chips(_) => self.focus = Focus::List,
            Focus::Compare => {
                self.close_compare(turn);
                self.focus = if self.detail.is_some() { Focus::Detail } else { Focus::List };
            }
            Focus::Filters => {
                self.used_search(turn);
                self.panel = None;
                self.focus = if self.detail.is_some() { Focus::Detail } else { Focus::List };
            }
            Focus::Detail | Focus::List | Focus::Problems if self.detail.is_some() => {
                let waiting = self.detail.take().map(|d| [d.record.waiting(), d.analysis.waiting()]);
                turn.cancel(waiting.into_iter().flatten().flatten());
                self.focus = if self.problems.is_some() { Focus::Problems } else { Focus::List };
            }
            Focus::List | Focus::Detail if self.panel.is_some() => self.panel = None,
            Focus::List | Focus::Detail if !self.query.term.is_empty() => {
                self.line.clear();
                self.query.term.clear();
                self.search(now, 0, turn);
            }
            Focus::List | Focus::Detail | Focus::Problems => return false,
        }
        self.resize(self.area, now);
        true
    }
}
