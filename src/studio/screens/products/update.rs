//! What happens on the Products screen.

use super::panel::{Form, form};
use super::{Choosing, Detail, Fetch, Field, FilterPanel, Focus, Outcome, Products, Tab};
use crate::domain::{PageSize, SortBy, SortDirection, StoreUrl, TagsMatch, text};
use crate::settings::{Key, KeyCode};
use crate::studio::command::Command;
use crate::studio::effect::Effect;
use crate::studio::event::{Alarm, Event, Failure, Moment, Page};
use crate::studio::model::NoticeKind;
use crate::studio::overlays::picker::{Entry, Picker};
use crate::studio::remote::Remote;
use crate::studio::widgets::chips;

/// What comes of an update: effects for the world, outcomes for the parent.
#[derive(Debug, Default)]
pub struct Turn {
    /// The effects.
    pub effects: Vec<Effect>,
    /// The outcomes.
    pub outcomes: Vec<Outcome>,
}

/// The first page is small, so that it is here soon; the rest come in fewer, larger ones.
const FIRST_PAGE: i64 = 100;
const NEXT_PAGE: i64 = 250;
/// A spinner is shown only for what takes longer, milliseconds.
pub const SPINNER_AFTER_MS: i64 = 300;
/// Old rows are dimmed only once new ones are that late, milliseconds.
pub const DIM_AFTER_MS: i64 = 100;
/// While the selection moves on, the open product waits so long before it is fetched, milliseconds.
const FOLLOW_AFTER_MS: u64 = 80;

impl Products {
    /// Shows the products of a store.
    pub fn open_store(&mut self, store: StoreUrl, now: Moment, turn: &mut Turn) {
        if self.store.as_ref() == Some(&store) && self.list.read {
            return;
        }
        self.cancel_all(turn);
        let (area, ids, round_trip_ms) = (self.area, self.ids, self.round_trip_ms);
        *self = Self { store: Some(store.clone()), area, ids, round_trip_ms, ..Self::default() };
        self.count(now, turn);
        self.search(now, 0, turn);
    }

    fn cancel_all(&mut self, turn: &mut Turn) {
        let waiting = [self.list.waiting(), self.total.waiting()];
        let detail = self.detail.as_ref().map(|d| [d.record.waiting(), d.analysis.waiting()]);
        turn.effects.extend(waiting.into_iter().chain(detail.into_iter().flatten()).flatten().map(Effect::Cancel));
    }

    fn count(&mut self, now: Moment, turn: &mut Turn) {
        if let Some(store) = self.store.clone() {
            let request = self.next_id();
            self.total.load(request, now);
            turn.effects.push(Effect::Count { request, store });
        }
    }

    /// Searches anew; the search before is cancelled, its rows stay until new ones come.
    fn search(&mut self, now: Moment, after_ms: u64, turn: &mut Turn) {
        let Some(store) = self.store.clone() else { return };
        if let Some(waiting) = self.list.waiting() {
            turn.effects.push(Effect::Cancel(waiting));
        }
        let request = self.next_id();
        self.list.fetch = Fetch::First { request, since: now };
        let limit = PageSize::new(FIRST_PAGE).unwrap_or_default();
        let search = Box::new(self.query.request(&store, None, limit));
        turn.effects.push(Effect::Search { request, search, after_ms });
        turn.effects.push(Effect::Wake { alarm: Alarm::Spinner, after_ms: after_ms + DIM_AFTER_MS.unsigned_abs() });
        turn.effects.push(Effect::Wake { alarm: Alarm::Spinner, after_ms: spinner_after(after_ms) });
    }

    fn fetch_more(&mut self, now: Moment, turn: &mut Turn) {
        let Some(store) = self.store.clone() else { return };
        let request = self.next_id();
        let limit = PageSize::new(NEXT_PAGE).unwrap_or_default();
        let search = Box::new(self.query.request(&store, self.list.next.clone(), limit));
        self.list.fetch = Fetch::More { request, since: now };
        turn.effects.push(Effect::Search { request, search, after_ms: 0 });
        turn.effects.push(Effect::Wake { alarm: Alarm::Spinner, after_ms: spinner_after(0) });
    }

    fn fetch_ahead(&mut self, now: Moment, turn: &mut Turn) {
        if self.list.wants_more(self.page()) {
            self.fetch_more(now, turn);
        }
    }

    /// How long more typing is waited for: nothing where answers come at once, else a part of the way there and back.
    fn typing_pause(&self) -> u64 {
        self.round_trip_ms.filter(|ms| *ms > 30).map_or(0, |ms| (ms / 2).min(200))
    }

    /// Takes what happened elsewhere; whether it was for this screen.
    pub fn event(&mut self, event: Event, now: Moment, turn: &mut Turn) -> bool {
        match event {
            Event::PageArrived { request, page } => {
                if self.list.waiting() == Some(request) {
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
                if let Some(detail) = self.detail.as_mut().filter(|detail| detail.record.wants(request)) {
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
                }
            }
            _ => return false,
        }
        true
    }

    fn page_arrived(&mut self, page: Result<Page, Failure>, now: Moment, turn: &mut Turn) {
        match page {
            Ok(page) => {
                if page.findings_count > 0 {
                    let first = page.findings.first().map(String::as_str).unwrap_or_default();
                    let say =
                        format!("The service sent {} fields not as specified, such as: {first}", page.findings_count);
                    turn.outcomes.push(Outcome::Notify(NoticeKind::Warning, text::line(&say).into_owned()));
                }
                let rows_seen = self.page();
                self.list.take(page, rows_seen);
                self.fetch_ahead(now, turn);
            }
            Err(failure) => {
                refused(&failure, turn);
                self.list.fail(failure.what);
                self.resize(self.area, now);
            }
        }
    }

    /// Notes what a page was seen to hold.
    pub fn saw(&mut self, seen: &super::Seen) {
        self.seen.merge(seen);
    }

    /// Takes a key that is text; whether it was taken.
    pub fn text_key(&mut self, key: Key, now: Moment, turn: &mut Turn) -> bool {
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
            Focus::Chips(_) | Focus::Detail => {}
        }
    }

    fn term_changed(&mut self, now: Moment, turn: &mut Turn) {
        if self.query.term != self.line.text() {
            let same = self.query.term.trim() == self.line.text().trim();
            self.line.text().clone_into(&mut self.query.term);
            if !same {
                self.search(now, self.typing_pause(), turn);
            }
        }
    }

    fn panel_key(&mut self, key: Key, now: Moment, turn: &mut Turn) -> bool {
        let Some(panel) = &mut self.panel else { return false };
        let field = panel.field();
        match form(field) {
            Form::Text => {
                if panel.key(key, &mut self.query, now) {
                    self.search(now, self.typing_pause(), turn);
                }
                true
            }
            Form::Switch if key.code == KeyCode::Char(' ') => {
                self.switch(field, now, turn);
                true
            }
            _ => false,
        }
    }

    fn switch(&mut self, field: Field, now: Moment, turn: &mut Turn) {
        match field {
            Field::Published => self.query.published = !self.query.published,
            Field::TagsMatch => {
                let all = self.query.filters.tags_match_mode == Some(TagsMatch::All);
                self.query.filters.tags_match_mode = (!all).then_some(TagsMatch::All);
            }
            _ => return,
        }
        self.search(now, 0, turn);
    }

    /// Takes a command; whether this screen knew what to do with it.
    pub fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        match command {
            Command::Search => {
                self.panel = None;
                self.focus = Focus::Search;
            }
            Command::Filter => {
                self.panel = Some(FilterPanel::new(&self.query));
                self.focus = Focus::Filters;
                self.resize(self.area, now);
            }
            Command::FilterChips => {
                if self.query.chips().is_empty() {
                    let say = "No filter is in use; f chooses some.".to_owned();
                    turn.outcomes.push(Outcome::Notify(NoticeKind::Hint, say));
                } else {
                    self.focus = Focus::Chips(0);
                }
            }
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
            Command::Copy => self.copy(turn),
            Command::Address => match self.current_address() {
                Some(address) => turn.outcomes.push(Outcome::Address(address)),
                None => turn.outcomes.push(Outcome::Notify(NoticeKind::Hint, "There is no address here.".to_owned())),
            },
            Command::NextPane => self.next_pane(1),
            Command::PreviousPane => self.next_pane(-1),
            Command::Back => return self.back(now, turn),
            _ => return self.command_in_focus(command, now, turn),
        }
        true
    }

    fn command_in_focus(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        match self.focus {
            Focus::List => self.list_command(command, now, turn),
            Focus::Search => match command {
                Command::Open => {
                    self.focus = Focus::List;
                    true
                }
                _ => self.list_command(command, now, turn),
            },
            Focus::Chips(at) => self.chip_command(at, command, now, turn),
            Focus::Filters => self.panel_command(command, now, turn),
            Focus::Detail => self.detail_command(command, now, turn),
        }
    }

    fn list_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let page = self.page();
        let all = self.list.rows.len().cast_signed();
        let step = page.cast_signed();
        let by = match command {
            Command::Up => -1,
            Command::Down => 1,
            Command::PageUp => -step,
            Command::PageDown => step,
            Command::Home => -all,
            Command::End => all,
            Command::Open | Command::Right => {
                self.open_selected(now, turn);
                return true;
            }
            _ => return false,
        };
        self.list.step(by, page);
        self.moved(now, turn);
        true
    }

    /// After the selection moved: the next page is fetched ahead, and an open product follows.
    pub fn moved(&mut self, now: Moment, turn: &mut Turn) {
        self.fetch_ahead(now, turn);
        let row = self.list.current().map(|row| (row.id.clone(), row.title.to_string()));
        let open = self.detail.as_ref().map(|detail| (detail.id.clone(), detail.tab));
        if let (Some((id, title)), Some((open, tab))) = (row, open)
            && id != open
        {
            self.replace_detail(Detail::new(id, title, tab), turn);
            self.fetch_detail(now, FOLLOW_AFTER_MS, turn);
        }
    }

    fn replace_detail(&mut self, detail: Detail, turn: &mut Turn) {
        if let Some(old) = self.detail.replace(detail) {
            let waiting = [old.record.waiting(), old.analysis.waiting()];
            turn.effects.extend(waiting.into_iter().flatten().map(Effect::Cancel));
        }
    }

    fn open_selected(&mut self, now: Moment, turn: &mut Turn) {
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

    fn fetch_detail(&mut self, now: Moment, after_ms: u64, turn: &mut Turn) {
        let request = self.next_id();
        let (Some(detail), Some(store)) = (&mut self.detail, self.store.clone()) else { return };
        turn.effects.extend(detail.record.waiting().map(Effect::Cancel));
        detail.record.load(request, now);
        turn.effects.push(Effect::FetchProduct { request, store, product: detail.id.clone(), after_ms });
        self.fetch_analysis(now, after_ms, turn);
    }

    fn fetch_analysis(&mut self, now: Moment, after_ms: u64, turn: &mut Turn) {
        let request = self.next_id();
        let (Some(detail), Some(store)) = (&mut self.detail, self.store.clone()) else { return };
        if detail.tab == Tab::Analysis {
            turn.effects.extend(detail.analysis.waiting().map(Effect::Cancel));
            detail.analysis.load(request, now);
            turn.effects.push(Effect::FetchAnalysis { request, store, product: detail.id.clone(), after_ms });
        }
    }

    fn retry(&mut self, now: Moment, turn: &mut Turn) {
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

    /// Shows a tab of the open product.
    pub fn show_tab(&mut self, tab: Tab, now: Moment, turn: &mut Turn) {
        let Some(detail) = &mut self.detail else { return };
        detail.show(tab);
        if detail.analysis == Remote::Idle {
            self.fetch_analysis(now, 0, turn);
        }
        self.lay_out_detail(now);
    }

    fn turn_tab(&mut self, by: isize, now: Moment, turn: &mut Turn) {
        let Some(detail) = &self.detail else { return };
        let all = Tab::ALL.len().cast_signed();
        let at = Tab::ALL.iter().position(|tab| *tab == detail.tab).unwrap_or(0).cast_signed();
        let next = usize::try_from((at + by).rem_euclid(all)).unwrap_or(0);
        self.show_tab(Tab::ALL.get(next).copied().unwrap_or_default(), now, turn);
    }

    fn next_pane(&mut self, by: isize) {
        if let (Focus::Filters, Some(_)) = (self.focus, &self.panel) {
            let page = self.detail_page();
            self.panel.iter_mut().for_each(|panel| panel.step(by, page));
            return;
        }
        self.focus = match self.focus {
            Focus::List | Focus::Search | Focus::Chips(_) if self.panel.is_some() => Focus::Filters,
            Focus::List | Focus::Search | Focus::Chips(_) if self.detail.is_some() => Focus::Detail,
            _ => Focus::List,
        };
    }

    fn chip_command(&mut self, at: usize, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let chips = self.query.chips();
        match command {
            Command::Left | Command::Up => self.focus = Focus::Chips(at.saturating_sub(1)),
            Command::Right => self.focus = Focus::Chips((at + 1).min(chips.len().saturating_sub(1))),
            Command::Down => self.focus = Focus::List,
            Command::Remove | Command::Open | Command::Mark => self.remove_chip(at, now, turn),
            _ => return false,
        }
        true
    }

    /// Takes a chip's filters away.
    pub fn remove_chip(&mut self, at: usize, now: Moment, turn: &mut Turn) {
        let chips = self.query.chips();
        let Some(chip) = chips.get(at) else { return };
        for field in chip.fields {
            self.query.remove(*field);
        }
        if let Focus::Chips(_) = self.focus {
            let left = chips.len() - 1;
            self.focus = if left == 0 { Focus::List } else { Focus::Chips(at.min(left - 1)) };
        }
        self.show_in_panel();
        self.resize(self.area, now);
        self.search(now, 0, turn);
    }

    fn clear_filters(&mut self, now: Moment, turn: &mut Turn) {
        for field in Field::ALL {
            self.query.remove(field);
        }
        if let Focus::Chips(_) = self.focus {
            self.focus = Focus::List;
        }
        self.show_in_panel();
        self.resize(self.area, now);
        self.search(now, 0, turn);
    }

    fn show_in_panel(&mut self) {
        if let Some(panel) = &mut self.panel {
            panel.show(&self.query);
        }
    }

    fn panel_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let page = self.detail_page();
        let Some(panel) = &mut self.panel else { return false };
        let field = panel.field();
        match command {
            Command::Up => panel.step(-1, page),
            Command::Down => panel.step(1, page),
            Command::PageUp | Command::Home => panel.select(0, page),
            Command::PageDown | Command::End => panel.select(usize::MAX, page),
            Command::Open | Command::Mark | Command::Right => match form(field) {
                Form::Choice => self.choose_values(field, turn),
                Form::Switch => self.switch(field, now, turn),
                Form::Text => panel.step(1, page),
            },
            Command::Remove => {
                self.query.remove(field);
                self.show_in_panel();
                self.search(now, 0, turn);
            }
            _ => return false,
        }
        true
    }

    fn choose_values(&mut self, field: Field, turn: &mut Turn) {
        let chosen = self.query.list_mut(field).and_then(|list| list.clone()).unwrap_or_default();
        let mut values: Vec<(String, String)> = chosen.iter().map(|value| (value.clone(), String::new())).collect();
        for (value, times) in self.seen.values(field) {
            if !chosen.contains(&value) {
                values.push((value, times.to_string()));
            }
        }
        let marks = values.iter().map(|(value, _)| chosen.contains(value)).collect();
        let entries = values
            .iter()
            .map(|(value, _)| Entry { label: text::line(value).into_owned(), ..Entry::default() })
            .collect();
        let title = format!("{}: mark some, or type another", field.title());
        turn.outcomes.push(Outcome::Choose(Box::new(Picker::new(title, entries).with_marks(marks).with_free_text())));
        self.choosing = Some(Choosing::Values(field, values.into_iter().map(|(value, _)| value).collect()));
    }

    fn choose_sort(&mut self, turn: &mut Turn) {
        let entries = SORTS
            .iter()
            .map(|(label, detail, _)| Entry {
                label: (*label).to_owned(),
                detail: (*detail).to_owned(),
                ..Entry::default()
            })
            .collect();
        let at = SORTS.iter().position(|(_, _, sort)| *sort == self.query.sort).unwrap_or(0);
        turn.outcomes.push(Outcome::Choose(Box::new(Picker::new("Sort by", entries).with_selected(at))));
        self.choosing = Some(Choosing::Sort);
    }

    /// Takes what was chosen from a list that this screen opened: the marks where several could be, the entry, or
    /// what was typed.
    pub fn chosen(
        &mut self,
        marked: Option<Vec<usize>>,
        one: Option<usize>,
        typed: Option<String>,
        now: Moment,
        turn: &mut Turn,
    ) {
        match self.choosing.take() {
            Some(Choosing::Values(field, values)) => {
                let mut indices = marked.unwrap_or_default();
                let chosen_before = self.query.list_mut(field).is_some_and(|list| list.is_some());
                // Enter without a mark means the entry it stands on, unless marks were just taken away.
                if indices.is_empty() && typed.is_none() && !chosen_before {
                    indices.extend(one);
                }
                let mut chosen: Vec<String> = indices.into_iter().filter_map(|at| values.get(at).cloned()).collect();
                if let Some(typed) = typed.filter(|typed| !chosen.contains(typed)) {
                    chosen.push(typed);
                }
                if let Some(list) = self.query.list_mut(field) {
                    *list = (!chosen.is_empty()).then_some(chosen);
                }
                self.resize(self.area, now);
                self.search(now, 0, turn);
            }
            Some(Choosing::Sort) => {
                let sort = one.and_then(|at| SORTS.get(at)).map(|(_, _, sort)| sort.clone());
                if let Some(sort) = sort.filter(|sort| *sort != self.query.sort) {
                    self.query.sort = sort;
                    self.search(now, 0, turn);
                }
            }
            None => {}
        }
    }

    fn detail_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let page = self.detail_page();
        let step = page.cast_signed();
        let Some(detail) = &mut self.detail else { return false };
        let tree = detail.tab.is_tree();
        match command {
            Command::Up => detail.scroll(-1, page),
            Command::Down => detail.scroll(1, page),
            Command::PageUp => detail.scroll(-step, page),
            Command::PageDown => detail.scroll(step, page),
            Command::Home => detail.scroll(isize::MIN / 2, page),
            Command::End => detail.scroll(isize::MAX / 2, page),
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

    fn current_address(&self) -> Option<String> {
        let record = self.detail.as_ref().and_then(Detail::known).map(|record| record.product.product_url.clone());
        let address = record.or_else(|| self.list.current().map(|row| row.address.to_string()))?;
        Some(text::line(&address).into_owned()).filter(|address| !address.is_empty())
    }

    fn copy(&mut self, turn: &mut Turn) {
        let Some(id) = self.detail.as_ref().map(|d| d.id.clone()).or_else(|| self.list.current().map(|r| r.id.clone()))
        else {
            turn.outcomes.push(Outcome::Notify(NoticeKind::Hint, "There is nothing to copy here.".to_owned()));
            return;
        };
        let mut choices = vec![("id", id.as_str().to_owned())];
        choices.extend(self.current_address().map(|address| ("address", address)));
        if let Some(record) = self.detail.as_ref().and_then(Detail::known) {
            choices.extend(serde_json::to_string_pretty(&record.raw).ok().map(|json| ("JSON", json)));
        }
        turn.outcomes.push(Outcome::Copy(choices));
    }

    /// Goes back one thing; whether there was one.
    fn back(&mut self, now: Moment, turn: &mut Turn) -> bool {
        match self.focus {
            Focus::Search | Focus::Chips(_) => self.focus = Focus::List,
            Focus::Filters => {
                self.panel = None;
                self.focus = if self.detail.is_some() { Focus::Detail } else { Focus::List };
            }
            Focus::Detail | Focus::List if self.detail.is_some() => {
                let waiting = self.detail.take().map(|d| [d.record.waiting(), d.analysis.waiting()]);
                turn.effects.extend(waiting.into_iter().flatten().flatten().map(Effect::Cancel));
                self.focus = Focus::List;
            }
            Focus::List | Focus::Detail if self.panel.is_some() => self.panel = None,
            Focus::List | Focus::Detail if !self.query.term.is_empty() => {
                self.line.clear();
                self.query.term.clear();
                self.search(now, 0, turn);
            }
            Focus::List | Focus::Detail => return false,
        }
        self.resize(self.area, now);
        true
    }

    /// The chip at a place of the list's pane, and whether its cross was meant.
    #[must_use]
    pub fn chip_at(&self, x: u16, y: u16) -> Option<usize> {
        let pane = self.split().0?;
        let parts = self.parts(pane);
        chips::places(&parts.labels, parts.chips).iter().position(|place| place.contains((x, y).into()))
    }
}

fn spinner_after(after_ms: u64) -> u64 {
    SPINNER_AFTER_MS.unsigned_abs() + after_ms
}

fn refused(failure: &Failure, turn: &mut Turn) {
    if failure.unauthorized {
        turn.outcomes.push(Outcome::Unauthorized);
    }
}

type SortChoice = (&'static str, &'static str, Option<(SortBy, SortDirection)>);

/// The orders that §4.1 offers.
pub const SORTS: [SortChoice; 7] = [
    ("The service's order", "", None),
    ("Stock, least first", "inventoryQuantity asc", Some((SortBy::InventoryQuantity, SortDirection::Asc))),
    ("Stock, most first", "inventoryQuantity desc", Some((SortBy::InventoryQuantity, SortDirection::Desc))),
    ("Newest first", "providerCreatedAt desc", Some((SortBy::ProviderCreatedAt, SortDirection::Desc))),
    ("Oldest first", "providerCreatedAt asc", Some((SortBy::ProviderCreatedAt, SortDirection::Asc))),
    ("Changed last", "providerUpdatedAt desc", Some((SortBy::ProviderUpdatedAt, SortDirection::Desc))),
    ("Changed longest ago", "providerUpdatedAt asc", Some((SortBy::ProviderUpdatedAt, SortDirection::Asc))),
];
