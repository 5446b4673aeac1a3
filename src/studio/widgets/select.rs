//! A list: its rows, the selected one, those that are seen, and what is typed to find some of them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::rows::RowCursor;
use super::{Ink, LineEdit};
use crate::settings::Key;
use crate::studio::ground::Command;
use crate::studio::ground::layout::scrolled;

/// A list of rows that are all there: keys, paging, the wheel and the mouse move in it, and a line that is typed or
/// pasted into can find some of them. Which rows are found, and in which order, is for whoever has the list to say: it
/// shows them with one of [`show`](Self::show), [`show_found`](Self::show_found) and [`show_at`](Self::show_at).
#[derive(Debug, Clone)]
pub struct Select<T> {
    rows: Vec<T>,
    place: RowCursor,
    page: usize,
    /// Rows that say what the ones below them are, and can't be selected.
    is_heading: Option<fn(&T) -> bool>,
    query: Option<Box<LineEdit>>,
}

impl<T> Default for Select<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), place: RowCursor::default(), page: 0, is_heading: None, query: None }
    }
}

impl<T: PartialEq> PartialEq for Select<T> {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows && self.place == other.place && self.query() == other.query()
    }
}

impl<T: Eq> Eq for Select<T> {}

impl<T> From<Vec<T>> for Select<T> {
    /// A list of these rows, of which the first is selected. Until it is told how many are seen, all of them are.
    fn from(rows: Vec<T>) -> Self {
        Self { page: rows.len(), rows, ..Self::default() }
    }
}

impl<T> Select<T> {
    /// Leaves rows out of the selection: those that are headings of others.
    #[must_use]
    pub fn with_headings(mut self, is_heading: fn(&T) -> bool) -> Self {
        self.is_heading = Some(is_heading);
        self
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[T] {
        &self.rows
    }

    /// The rows, where what they say changes and not how many they are.
    pub fn rows_mut(&mut self) -> &mut [T] {
        &mut self.rows
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows from the first that is seen on, each with whether it is selected.
    pub fn seen(&self) -> impl Iterator<Item = (&T, bool)> {
        self.all().skip(self.place.top)
    }

    /// All rows, each with whether it is selected.
    pub fn all(&self) -> impl Iterator<Item = (&T, bool)> {
        self.rows.iter().enumerate().map(|(at, row)| (row, at == self.place.selected))
    }

    /// The selected row.
    #[must_use]
    pub fn current(&self) -> Option<&T> {
        self.rows.get(self.place.selected).filter(|row| !self.heads(row))
    }

    /// The number of the selected row.
    #[must_use]
    pub fn selected(&self) -> usize {
        self.place.selected
    }

    /// The number of the first row that is seen.
    #[must_use]
    pub fn top(&self) -> usize {
        self.place.top
    }

    /// How many rows are seen at once.
    #[must_use]
    pub fn page(&self) -> usize {
        self.page
    }

    /// Which of how many rows is selected, headings left out; none where there is none.
    #[must_use]
    pub fn position(&self) -> Option<(usize, usize)> {
        let count = |rows: &[T]| rows.iter().filter(|row| !self.heads(row)).count();
        let all = if self.is_heading.is_some() { count(&self.rows) } else { self.rows.len() };
        (all > 0).then(|| match self.is_heading {
            Some(_) => (count(self.rows.get(..self.place.selected).unwrap_or_default()), all),
            None => (self.place.selected, all),
        })
    }

    /// Shows these rows. The selection stays at its number, headings left out.
    pub fn show(&mut self, rows: Vec<T>) {
        let at = self.is_heading.and(self.position()).map(|(at, _)| at);
        self.rows = rows;
        match at {
            Some(at) => self.go_to_nth(at),
            None => self.settle(),
        }
    }

    /// Shows what was found, the best first: that is selected.
    pub fn show_found(&mut self, rows: Vec<T>) {
        self.place = RowCursor::default();
        self.rows = rows;
        self.settle();
    }

    /// Shows these rows and selects the one that this is true of, where there is one.
    pub fn show_at(&mut self, rows: Vec<T>, is_it: impl FnMut(&T) -> bool) {
        match rows.iter().position(is_it) {
            Some(row) => {
                self.rows = rows;
                self.go_to(row);
            }
            None => self.show(rows),
        }
    }

    /// Adds rows after the others.
    pub fn extend(&mut self, rows: impl IntoIterator<Item = T>) {
        self.rows.extend(rows);
        self.settle();
    }

    /// Adds a row before the others and keeps so many of them.
    pub fn push_front(&mut self, row: T, most: usize) {
        self.rows.insert(0, row);
        self.rows.truncate(most);
        self.settle();
    }

    /// Moves the selected row up or down among the others.
    pub fn shift(&mut self, by: isize) {
        let to = self.place.selected.saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
        if self.place.selected < self.rows.len() {
            self.rows.swap(self.place.selected, to);
        }
        self.go_to(to);
    }

    /// So many rows are seen now; the selected one among them.
    pub fn resize(&mut self, page: usize) {
        self.page = page;
        self.place.keep_in_sight(page, self.rows.len());
    }

    /// Takes a command that moves; whether it does.
    pub fn command(&mut self, command: Command) -> bool {
        let Some(by) = super::rows::stride(command, self.page) else { return false };
        self.step(by);
        true
    }

    /// The same in a short list, where up from the first row leads to the last and down from the last to the first.
    pub fn cycle(&mut self, command: Command) -> bool {
        self.place.cycle(command, self.page, self.rows.len())
    }

    /// Moves the selection by so many rows that can be selected.
    pub fn step(&mut self, by: isize) {
        if self.is_heading.is_none() {
            self.place.step(by, self.page, self.rows.len());
            return;
        }
        let (at, all) = self.position().unwrap_or_default();
        self.go_to_nth(at.saturating_add_signed(by).min(all.saturating_sub(1)));
    }

    /// Selects the row of this number, headings left out, or the last where there is no such row.
    fn go_to_nth(&mut self, at: usize) {
        let mut rows = self.rows.iter().enumerate().filter(|(_, row)| !self.heads(row));
        let row = rows.nth(at).map_or(self.rows.len(), |(row, _)| row);
        self.go_to(row);
    }

    /// Selects a row, or the last where there is no such row.
    pub fn go_to(&mut self, row: usize) {
        self.place.selected = row;
        self.settle();
    }

    /// Turns the wheel: the rows move, the selection only as far as it must to be seen.
    pub fn wheel(&mut self, by: isize) {
        self.place.wheel(by, self.page, self.rows.len());
        // Below what is seen of the list, a heading stands for the row above it.
        let is_last = self.place.selected + 1 >= self.place.top + self.page;
        self.leave_heading(is_last);
    }

    /// The row at a place of the screen, where the rows are drawn into this area and each is so many cells high.
    #[must_use]
    pub fn row_at(&self, area: Rect, height: u16, x: u16, y: u16) -> Option<usize> {
        self.place.row_at(area, height, x, y, self.rows.len())
    }

    /// Selects the row at a place of the screen; which one, where there is one that can be selected.
    pub fn press(&mut self, area: Rect, height: u16, x: u16, y: u16) -> Option<usize> {
        let row = self.row_at(area, height, x, y)?;
        let can_be = self.rows.get(row).is_some_and(|row| !self.heads(row));
        can_be.then(|| {
            self.go_to(row);
            row
        })
    }

    /// Moves what is seen so that it begins at this row, as far as the selection allows.
    pub fn scroll_to(&mut self, top: usize) {
        self.place.top = scrolled(top, self.place.selected, self.page, self.rows.len());
    }

    /// What is typed to find some.
    #[must_use]
    pub fn query(&self) -> &str {
        self.query.as_deref().map_or("", LineEdit::text)
    }

    /// Whether something is typed to find some.
    #[must_use]
    pub fn is_searched(&self) -> bool {
        !self.query().trim().is_empty()
    }

    /// Takes a typed key; whether other rows are to be found now.
    pub fn key(&mut self, key: Key) -> bool {
        self.query.get_or_insert_default().key(key)
    }

    /// Takes pasted text; whether other rows are to be found now.
    pub fn paste(&mut self, pasted: &str) -> bool {
        self.query.get_or_insert_default().paste(pasted)
    }

    /// Takes away what was typed; whether something was.
    pub fn clear_query(&mut self) -> bool {
        self.query.take().is_some_and(|query| !query.text().is_empty())
    }

    /// Draws what is typed and gives the cursor's place.
    pub fn draw_query(&self, buf: &mut Buffer, ink: Ink, at: (u16, u16), room: u16) -> (u16, u16) {
        match &self.query {
            Some(query) => query.draw(buf, ink, at, room),
            None => at,
        }
    }

    fn heads(&self, row: &T) -> bool {
        self.is_heading.is_some_and(|is_heading| is_heading(row))
    }

    fn settle(&mut self) {
        self.place.selected = self.place.selected.min(self.rows.len().saturating_sub(1));
        self.leave_heading(false);
        if self.page > 0 {
            self.place.keep_in_sight(self.page, self.rows.len());
        } else {
            // How many are seen isn't known yet: once it is, the selected one is, with what precedes it.
            self.place.top = self.place.top.min(self.place.selected);
        }
    }

    /// Goes from a heading to the row below it, or to the one above.
    fn leave_heading(&mut self, upwards: bool) {
        let Some(is_heading) = self.is_heading else { return };
        let can_be = |row: &usize| self.rows.get(*row).is_some_and(|row| !is_heading(row));
        let at = self.place.selected;
        let below = (at..self.rows.len()).find(can_be);
        let above = (0..=at).rev().find(can_be);
        let to = if upwards { above.or(below) } else { below.or(above) };
        self.place.selected = to.unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(list: &mut Select<&'static str>, all: &[&'static str], words: &str) {
        assert!(list.paste(words));
        let found = all.iter().copied().filter(|row| row.contains(list.query())).collect();
        list.show_found(found);
    }

    #[test]
    fn what_is_typed_finds_rows_and_selects_the_best() {
        let all = ["wool", "silk", "wood", "wax"];
        let mut list = Select::from(all.to_vec());
        list.resize(2);
        list.step(9);
        assert_eq!((list.current(), list.top()), (Some(&"wax"), 2));
        typed(&mut list, &all, "wo");
        assert_eq!((list.current(), list.position(), list.top()), (Some(&"wool"), Some((0, 2)), 0));
        typed(&mut list, &all, "x");
        assert_eq!((list.current(), list.position(), list.is_searched()), (None, None, true));
        assert!(list.clear_query() && !list.clear_query());
        list.show_at(all.to_vec(), |row| *row == "silk");
        assert_eq!(list.current(), Some(&"silk"));
        list.show_at(all.to_vec(), |row| *row == "gone");
        assert_eq!(list.current(), Some(&"silk"), "the selection stays at its number");
    }

    #[test]
    fn what_precedes_the_row_that_is_begun_on_is_seen() {
        let mut list = Select::default();
        list.show((0..9).collect());
        list.go_to(5);
        list.resize(3);
        assert_eq!((list.selected(), list.top()), (5, 3));
    }

    #[test]
    fn headings_are_never_selected() {
        // Upper case are headings.
        let rows = ["A", "b", "c", "D", "e", "F", "g"];
        let mut list = Select::from(rows.to_vec()).with_headings(|row| row.starts_with(char::is_uppercase));
        for page in 1..=rows.len() {
            list.resize(page);
            for turn in 0..80_usize {
                match turn % 5 {
                    0 => list.wheel(if turn % 3 == 0 { -3 } else { 3 }),
                    1 => list.step([-1, 1, 2, -2, isize::MAX, isize::MIN][turn % 6]),
                    2 => list.go_to(turn % 9),
                    3 => drop(list.press(Rect::new(0, 0, 5, 7), 1, 1, u16::try_from(turn % 7).unwrap())),
                    _ => list.show(rows.to_vec()),
                }
                assert!(list.current().is_some_and(|row| row.starts_with(char::is_lowercase)), "{list:?}");
            }
        }
        list.resize(7);
        list.go_to(0);
        assert_eq!(list.position(), Some((0, 4)));
        list.step(2);
        assert_eq!((list.current(), list.position()), (Some(&"e"), Some((2, 4))));
    }

    #[test]
    fn a_row_is_moved_among_the_others_and_stays_selected() {
        let mut list = Select::from(vec![1, 2, 3]);
        list.shift(1);
        list.shift(9);
        assert_eq!((list.rows(), list.current()), ([2, 3, 1].as_slice(), Some(&1)));
        let mut none: Select<u8> = Select::default();
        none.shift(1);
        assert_eq!(none.current(), None);
    }
}
