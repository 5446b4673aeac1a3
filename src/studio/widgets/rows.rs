//! A place in rows of any number: the selected one, and those that are seen. Every list moves by these rules.

use ratatui::layout::Rect;

use crate::studio::ground::layout::scrolled;
use crate::studio::ground::{Command, MouseAction};

/// Rows that a notch of the wheel moves.
const NOTCH: isize = 3;

/// By how many rows a turn of the wheel moves what is under it; none where the mouse did something else.
#[must_use]
pub fn notch(what: MouseAction) -> Option<isize> {
    match what {
        MouseAction::WheelUp => Some(-NOTCH),
        MouseAction::WheelDown => Some(NOTCH),
        MouseAction::Press | MouseAction::Drag | MouseAction::Release => None,
    }
}

/// By how many rows a command moves in a list of which a page is seen; none where the command is for something else.
#[must_use]
pub fn stride(command: Command, page: usize) -> Option<isize> {
    let page = page.max(1).cast_signed();
    Some(match command {
        Command::Up => -1,
        Command::Down => 1,
        Command::PageUp => -page,
        Command::PageDown => page,
        Command::Home => isize::MIN,
        Command::End => isize::MAX,
        _ => return None,
    })
}

/// Moves the first line that is seen of a text, and never past its last page.
pub fn scroll(top: &mut usize, by: isize, page: usize, all: usize) {
    *top = top.saturating_add_signed(by).min(all.saturating_sub(page));
}

/// The selected row of a list, and the first row that is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowCursor {
    /// The selected row.
    pub selected: usize,
    /// The first row that is seen.
    pub top: usize,
}

impl RowCursor {
    /// Takes a command that moves; whether it does.
    pub fn command(&mut self, command: Command, page: usize, all: usize) -> bool {
        let Some(by) = stride(command, page) else { return false };
        self.step(by, page, all);
        true
    }

    /// The same in a short list, where up from the first row leads to the last and down from the last to the first.
    pub fn cycle(&mut self, command: Command, page: usize, all: usize) -> bool {
        match command {
            Command::Up | Command::PreviousPane if self.selected == 0 => self.step(isize::MAX, page, all),
            Command::Up | Command::PreviousPane => self.step(-1, page, all),
            Command::Down | Command::NextPane if self.selected + 1 >= all => self.go_to(0, page, all),
            Command::Down | Command::NextPane => self.step(1, page, all),
            command => return self.command(command, page, all),
        }
        true
    }

    /// Moves the selection by so many rows.
    pub fn step(&mut self, by: isize, page: usize, all: usize) {
        self.go_to(self.selected.saturating_add_signed(by), page, all);
    }

    /// RowCursors a row, or the last where there is no such row.
    pub fn go_to(&mut self, row: usize, page: usize, all: usize) {
        self.selected = row;
        self.keep_in_sight(page, all);
    }

    /// Turns the wheel: the rows move, the selection only as far as it must to be seen.
    pub fn wheel(&mut self, by: isize, page: usize, all: usize) {
        scroll(&mut self.top, by, page.max(1), all);
        let last = (self.top + page.max(1)).min(all).saturating_sub(1);
        self.selected = self.selected.clamp(self.top, last.max(self.top));
    }

    /// Moves the rows as little as needed for the selection to be seen.
    pub fn keep_in_sight(&mut self, page: usize, all: usize) {
        self.selected = self.selected.min(all.saturating_sub(1));
        self.top = scrolled(self.top, self.selected, page, all);
    }

    /// The row at a place of the screen, where the rows are drawn into this area and each is so many cells high.
    #[must_use]
    pub fn row_at(&self, rows: Rect, height: u16, x: u16, y: u16, all: usize) -> Option<usize> {
        let row = self.top + usize::from(y.checked_sub(rows.y)? / height.max(1));
        (rows.contains((x, y).into()) && row < all).then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_stays_in_the_list_and_in_sight() {
        let commands = [Command::Up, Command::Down, Command::PageUp, Command::PageDown, Command::Home, Command::End];
        for all in 0..9usize {
            for page in 0..5usize {
                let mut place = RowCursor::default();
                for turn in 0..60usize {
                    match turn % 4 {
                        0 => place.wheel(if turn % 3 == 0 { -3 } else { 3 }, page, all),
                        1 => drop(place.cycle(commands[turn % 6], page, all)),
                        _ => drop(place.command(commands[(turn * 5) % 6], page, all)),
                    }
                    assert!(place.selected < all.max(1), "{place:?} of {all}");
                    assert!(place.top <= place.selected && place.selected < place.top + page.max(1), "{place:?}");
                }
            }
        }
    }

    #[test]
    fn the_wheel_moves_the_rows_and_leaves_the_selection_where_it_can_be_seen() {
        let mut place = RowCursor { selected: 4, top: 0 };
        place.wheel(3, 10, 100);
        assert_eq!(place, RowCursor { selected: 4, top: 3 });
        place.wheel(3, 10, 100);
        assert_eq!(place, RowCursor { selected: 6, top: 6 });
        place.wheel(isize::MAX, 10, 100);
        assert_eq!(place, RowCursor { selected: 90, top: 90 });
    }
}
