//! Filters and order: the panel, the chips, the lists to choose from.

use super::panel::{Form, form};
use super::vocabulary::{Answer, ExportDraft, Turn};
use super::{Field, Focus, Products};
use crate::domain::{SortBy, SortDirection, TagsMatch, text};
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, Moment, NoticeKind};
use crate::studio::widgets::{Answered, Entry, Picker, Question, chips};

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

    /// Takes the search and all filters away; where there are none, says so.
    pub(super) fn clear_filters(&mut self, now: Moment, turn: &mut Turn) {
        let before = self.query.clone();
        for field in Field::ALL {
            self.query.remove(field);
        }
        self.query.term.clear();
        if self.query == before {
            return Self::say_no_filters(turn);
        }
        self.line.clear();
        if let Focus::Chips(_) = self.focus {
            self.focus = Focus::List;
        }
        self.show_in_panel();
        self.resize(self.area, now);
        self.search(now, 0, turn);
    }

    pub(super) fn say_no_filters(turn: &mut Turn) {
        turn.say(NoticeKind::Hint, "No active filters. ‹products.filter.open› adds some.");
    }

    pub(super) fn show_in_panel(&mut self) {
        if let Some(panel) = &mut self.panel {
            panel.show(&self.query);
        }
    }

    pub(super) fn panel_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let page = self.panel_page();
        let Some(panel) = &mut self.panel else { return false };
        let field = panel.field();
        match command {
            _ if panel.command(command, page) => {}
            Command::Open | Command::Mark | Command::Right => match form(field) {
                Form::Choice => self.choose_values(field, turn),
                Form::Switch => self.switch(field, now, turn),
                Form::Text => drop(panel.command(Command::Down, page)),
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
        let seen = self.seen.values(field);
        let times = |value: &str| seen.iter().find(|(known, _)| known == value).map(|(_, times)| times.to_string());
        let chosen_first = chosen.iter().map(|value| (value.clone(), times(value).unwrap_or_default()));
        let others = seen.iter().filter(|(value, _)| !chosen.contains(value));
        let values: Vec<(String, String)> =
            chosen_first.chain(others.map(|(value, times)| (value.clone(), times.to_string()))).collect();
        let marks = values.iter().map(|(value, _)| chosen.contains(value)).collect();
        let options = values.into_iter().map(|(value, times)| {
            let entry = Entry { label: text::line(&value).into_owned(), right: times, ..Entry::default() };
            (Answer::Value(field, value), entry)
        });
        let title = format!("{}: select one or more, or type another", field.title());
        let question = Question::choose(options, |entries| Picker::new(title, entries).with_marks(marks));
        turn.question(question.or_typed(Answer::OtherValue(field)));
    }

    pub(super) fn choose_sort(&self, turn: &mut Turn) {
        let options = SORTS.iter().map(|(label, detail, sort)| {
            let (label, detail) = ((*label).to_owned(), (*detail).to_owned());
            (Answer::Sort(sort.clone()), Entry { label, detail, ..Entry::default() })
        });
        let at = SORTS.iter().position(|(_, _, sort)| *sort == self.query.sort).unwrap_or(0);
        turn.question(Question::choose(options, |entries| Picker::new("Sort by", entries).with_selected(at)));
    }

    /// Takes the answer to a question of this screen.
    pub(super) fn take_answer(&mut self, answered: Answered<Answer>, now: Moment, turn: &mut Turn) {
        let Answered { answer, marked, typed } = answered;
        match answer {
            Answer::Value(field, value) => self.take_values(field, Some(value), marked, typed, now, turn),
            Answer::OtherValue(field) => self.take_values(field, None, marked, typed, now, turn),
            Answer::Sort(sort) => {
                if sort != self.query.sort {
                    self.query.sort = sort;
                    self.search(now, 0, turn);
                }
            }
            Answer::Export(scope, format) => Self::export_form(scope, format, turn),
            Answer::Column(scope, format, _) => {
                let columns = marked.into_iter().filter_map(|answer| match answer {
                    Answer::Column(_, _, column) => Some(column),
                    _ => None,
                });
                Self::export_columns(ExportDraft { scope, format, columns: columns.collect() }, turn);
            }
            Answer::File(_) | Answer::BaselineFile if typed.is_empty() => {}
            Answer::BaselineFile => self.save_ignored(typed, turn),
            Answer::File(draft) => self.export_to(draft, typed, turn),
            Answer::AnalysisLimit => self.set_analysis_limit(&typed, now, turn),
            Answer::SearchName => self.save_search_as(&typed, turn),
            Answer::Search(query) => self.use_search(*query, now, turn),
            Answer::Forget(name) => self.forget_search(name, turn),
        }
        self.leave_problems(now, turn);
    }

    /// Sets the values of a filter to those that are selected, and one that was typed.
    fn take_values(
        &mut self,
        field: Field,
        one: Option<String>,
        marked: Vec<Answer>,
        typed: String,
        now: Moment,
        turn: &mut Turn,
    ) {
        let mut chosen: Vec<String> = marked
            .into_iter()
            .filter_map(|answer| match answer {
                Answer::Value(_, value) => Some(value),
                _ => None,
            })
            .collect();
        let chosen_before = self.query.list_mut(field).is_some_and(|list| list.is_some());
        match one {
            // Enter without a mark means the entry it stands on, unless marks were just taken away.
            Some(one) if chosen.is_empty() && !chosen_before => chosen.push(one),
            Some(_) => {}
            None if chosen.contains(&typed) => {}
            None => chosen.push(typed),
        }
        if let Some(list) = self.query.list_mut(field) {
            *list = (!chosen.is_empty()).then_some(chosen);
        }
        self.resize(self.area, now);
        self.search(now, 0, turn);
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
