//! Choosing which projects are shown.

use super::Projects;
use super::answer::Answer;
use super::filter::Filter;
use super::vocabulary::Turn;
use crate::studio::ground::Moment;
use crate::studio::widgets::{Entry, Picker, Question, number};

impl Projects {
    /// Lets the person choose which projects are shown.
    pub(super) fn choose_filter(&self, now: Moment, turn: &mut Turn) {
        let mut filters = vec![
            Filter::All,
            Filter::Draft,
            Filter::Changed(1, now),
            Filter::Changed(7, now),
            Filter::Changed(30, now),
            Filter::Unchanged(30, now),
            Filter::Empty,
            Filter::Telling,
        ];
        filters.extend(self.arranged.groups.iter().map(|group| Filter::In(group.place.clone(), group.name.clone())));
        let rows = self.listed().map(|listed| listed.rows.as_slice()).unwrap_or_default();
        let entry = |filter: &Filter| {
            let words = filter.words();
            let (first, rest) = words.split_at(1);
            let count = rows.iter().filter(|row| filter.keeps(row, &self.drafts)).count();
            Entry {
                label: format!("{}{rest}", first.to_uppercase()),
                right: number(i64::try_from(count).unwrap_or(i64::MAX)),
                ..Entry::default()
            }
        };
        let at = filters.iter().position(|filter| filter.words() == self.filter.words()).unwrap_or(0);
        let options = filters.into_iter().map(|filter| (Answer::Filter(filter.clone()), entry(&filter)));
        turn.question(Question::choose(options, |entries| Picker::new("Show", entries).with_selected(at)));
    }

    /// Shows what was chosen.
    pub(super) fn show_only(&mut self, filter: Filter, now: Moment, turn: &mut Turn) {
        self.filter = filter;
        self.rearrange();
        self.follow(now, turn);
    }
}
