//! Filters and order: the panel, the chips, the lists to choose from.

use super::panel::{Form, form};
use super::vocabulary::Turn;
use super::{Choosing, Field, Focus, Products};
use crate::domain::{SortBy, SortDirection, TagsMatch, text};
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, Moment};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Entry, Picker, chips};

impl Products {
    pub(super) fn panel_key(&mut self, key: Key, now: Moment, turn: &mut Turn) -> bool {
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

    pub(super) fn switch(&mut self, field: Field, now: Moment, turn: &mut Turn) {
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

    pub(super) fn chip_command(&mut self, at: usize, command: Command, now: Moment, turn: &mut Turn) -> bool {
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

    pub(super) fn clear_filters(&mut self, now: Moment, turn: &mut Turn) {
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

    pub(super) fn show_in_panel(&mut self) {
        if let Some(panel) = &mut self.panel {
            panel.show(&self.query);
        }
    }

    pub(super) fn panel_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
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

    pub(super) fn choose_values(&mut self, field: Field, turn: &mut Turn) {
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
        let title = format!("{}: select one or more, or type another", field.title());
        turn.outcomes.push(Outcome::Choose(Box::new(Picker::new(title, entries).with_marks(marks).with_free_text())));
        self.choosing = Some(Choosing::Values(field, values.into_iter().map(|(value, _)| value).collect()));
    }

    pub(super) fn choose_sort(&mut self, turn: &mut Turn) {
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
            Some(Choosing::Export(choices)) => {
                if let Some((scope, format)) = one.and_then(|at| choices.get(at).copied()) {
                    self.export_form(scope, format, turn);
                }
            }
            Some(Choosing::Columns(draft)) => self.export_columns(draft, &marked.unwrap_or_default(), turn),
            Some(Choosing::File(draft)) => {
                if let Some(file) = typed.filter(|file| !file.is_empty()) {
                    self.export_to(draft, file, turn);
                }
            }
            Some(Choosing::AnalysisLimit) => self.set_analysis_limit(&typed.unwrap_or_default(), now, turn),
            Some(Choosing::SearchName) => self.save_search_as(&typed.unwrap_or_default(), turn),
            Some(Choosing::Searches(queries)) => {
                if let Some(query) = one.and_then(|at| queries.get(at)) {
                    self.use_search(query.clone(), now, turn);
                }
            }
            Some(Choosing::Forgotten(names)) => {
                if let Some(name) = one.and_then(|at| names.get(at)) {
                    self.forget_search(name.clone(), turn);
                }
            }
            None => {}
        }
    }

    /// The chip at a place of the list's pane, and whether its cross was meant.
    #[must_use]
    pub fn chip_at(&self, x: u16, y: u16) -> Option<usize> {
        let pane = self.split().0?;
        let parts = self.parts(pane);
        chips::places(&parts.labels, parts.chips).iter().position(|place| place.contains((x, y).into()))
    }
}

type SortChoice = (&'static str, &'static str, Option<(SortBy, SortDirection)>);

/// The orders that §4.1 offers.
pub const SORTS: [SortChoice; 7] = [
    ("Default order", "", None),
    ("Lowest stock first", "inventoryQuantity asc", Some((SortBy::InventoryQuantity, SortDirection::Asc))),
    ("Highest stock first", "inventoryQuantity desc", Some((SortBy::InventoryQuantity, SortDirection::Desc))),
    ("Newest first", "providerCreatedAt desc", Some((SortBy::ProviderCreatedAt, SortDirection::Desc))),
    ("Oldest first", "providerCreatedAt asc", Some((SortBy::ProviderCreatedAt, SortDirection::Asc))),
    ("Recently updated", "providerUpdatedAt desc", Some((SortBy::ProviderUpdatedAt, SortDirection::Desc))),
    ("Least recently updated", "providerUpdatedAt asc", Some((SortBy::ProviderUpdatedAt, SortDirection::Asc))),
];
