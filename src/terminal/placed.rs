//! Pictures in a frame. Their cells travel with all others; what is not cells is written beside them.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Arc;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Color;

use super::session::through_tmux;

/// What stands in a cell that a picture covers: the character that kitty keeps for that.
pub const PLACEHOLDER: char = '\u{10eeee}';

/// A picture's place in the next frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Tells the picture from all others; its lower 24 bits are the colour of its cells.
    pub id: u32,
    /// The cells that it takes.
    pub area: Rect,
    /// What the terminal is given beside the cells.
    pub bytes: Arc<str>,
    /// Whether that paints the picture over its cells; else the cells show it once the terminal was given this.
    pub over: bool,
}

/// The cell of a picture that is painted over its cells, so many columns and rows from its upper left.
#[must_use]
pub fn marker(id: u32, across: u16, down: u16) -> Cell {
    let mut cell = Cell::default();
    let low = |value: u16| value.to_le_bytes()[0];
    cell.set_symbol("\u{10eeee}").set_fg(colour(id)).set_bg(Color::Rgb(low(across), low(down), 1));
    cell
}

/// Whether a cell is covered by a picture that is painted over it.
#[must_use]
pub fn is_marker(cell: &Cell) -> bool {
    cell.symbol() == "\u{10eeee}"
}

/// The colour that stands for a picture.
#[must_use]
pub fn colour(id: u32) -> Color {
    let [_, r, g, b] = id.to_be_bytes();
    Color::Rgb(r, g, b)
}

/// More bytes than these are not put into one frame, but for the first picture: keys are not to wait for pictures.
const MOST_BYTES: usize = 192 * 1024;
/// So many pictures the terminal is let keep that are not on the screen.
const MOST_KEPT: usize = 24;

/// What a frame does about its pictures.
#[derive(Debug, Default)]
pub struct Plan {
    /// What goes before the cells.
    pub before: String,
    /// What is painted over the cells: where, and what.
    pub over: Vec<((u16, u16), Arc<str>)>,
}

/// Keeps what the terminal was given.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Gallery {
    placed: Vec<Placed>,
    /// Pictures that the terminal has, those seen last at the end.
    given: VecDeque<u32>,
    /// Whether a picture that is painted over cells is on the screen.
    over: bool,
    behind: bool,
    /// Whether pictures that would have to be painted wait.
    hurried: bool,
    /// Whether what the terminal is given goes through tmux.
    pub passes: bool,
}

impl Gallery {
    /// The pictures of the next frame. While keys follow each other the frame is hurried: what has to be painted over
    /// cells then waits, as it would be painted again for every step of a list that moves.
    pub fn place(&mut self, placed: Vec<Placed>, hurried: bool) {
        self.placed = placed;
        self.hurried = hurried;
    }

    /// Whether pictures wait for the next frame.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.behind
    }

    /// Whether rows may be moved by the terminal: what is painted over them would not move everywhere.
    #[must_use]
    pub fn may_scroll(&self) -> bool {
        !self.over && (self.hurried || !self.placed.iter().any(|placed| placed.over))
    }

    /// Whether pictures are in the next frame, or were in the last.
    #[must_use]
    pub fn has_any(&self) -> bool {
        self.over || self.behind || !self.placed.is_empty()
    }

    /// The terminal forgot everything.
    pub fn forget(&mut self) {
        self.given.clear();
    }

    /// What takes every picture back from the terminal.
    #[must_use]
    pub fn withdraw(&mut self) -> String {
        let bytes = self.given.drain(..).fold(String::new(), |bytes, id| bytes + &delete(id));
        self.passed(&bytes).into_owned()
    }

    /// What is given to the terminal, as it gets there.
    fn passed<'b>(&self, bytes: &'b str) -> Cow<'b, str> {
        if self.passes { through_tmux(bytes).into() } else { bytes.into() }
    }

    /// Works out what the frame does about its pictures, held against what is shown. Pictures that are covered, or
    /// that have to wait, leave `next`.
    pub fn plan(&mut self, next: &mut Buffer, shown: &Buffer) -> Plan {
        let mut plan = Plan::default();
        let mut bytes = 0;
        self.behind = false;
        self.over = false;
        for placed in std::mem::take(&mut self.placed) {
            let (whole, changed) = state(&placed, next, shown);
            let seen = if placed.over { whole } else { any(&placed, next) };
            let known = self.given.iter().position(|id| *id == placed.id);
            let due = if placed.over { changed } else { known.is_none() };
            if !seen {
                blank(&placed, next);
                continue;
            }
            let is_much = bytes > 0 && bytes + placed.bytes.len() > MOST_BYTES;
            if due && (is_much || (placed.over && self.hurried)) {
                self.behind = true;
                blank(&placed, next);
                continue;
            }
            self.over |= placed.over;
            if due {
                bytes += placed.bytes.len();
                if placed.over {
                    plan.over.push(((placed.area.x, placed.area.y), Arc::clone(&placed.bytes)));
                } else {
                    plan.before.push_str(&self.passed(&placed.bytes));
                }
            }
            if !placed.over {
                known.and_then(|at| self.given.remove(at));
                self.given.push_back(placed.id);
            }
        }
        // Those of this frame stand at the end.
        while self.given.len() > MOST_KEPT {
            let Some(oldest) = self.given.pop_front() else { break };
            let deletion = delete(oldest);
            plan.before.push_str(&self.passed(&deletion));
        }
        plan
    }
}

fn delete(id: u32) -> String {
    let mut bytes = String::new();
    let _ = write!(bytes, "\x1b_Ga=d,d=I,i={id},q=2\x1b\\");
    bytes
}

/// The cells of a picture that are still its own.
fn own<'a>(placed: &'a Placed, buffer: &'a Buffer) -> impl Iterator<Item = &'a Cell> {
    let mine = colour(placed.id);
    let cells = placed.area.positions().filter_map(|at| buffer.cell(at));
    cells.filter(move |cell| cell.fg == mine && cell.symbol().starts_with(PLACEHOLDER))
}

fn any(placed: &Placed, next: &Buffer) -> bool {
    own(placed, next).next().is_some()
}

/// Whether nothing covers a picture, and whether it is not shown there yet.
fn state(placed: &Placed, next: &Buffer, shown: &Buffer) -> (bool, bool) {
    let all = usize::from(placed.area.width) * usize::from(placed.area.height);
    let whole = all > 0 && own(placed, next).count() == all;
    let changed = placed.area.positions().any(|at| shown.cell(at) != next.cell(at));
    (whole, changed)
}

fn blank(placed: &Placed, next: &mut Buffer) {
    let mine = colour(placed.id);
    for at in placed.area.positions() {
        if let Some(cell) = next.cell_mut(at)
            && cell.fg == mine
            && cell.symbol().starts_with(PLACEHOLDER)
        {
            cell.reset();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::{Screen, Shortcuts};

    const AREA: Rect = Rect { x: 2, y: 1, width: 4, height: 2 };

    fn page() -> Buffer {
        Buffer::with_lines(["..........", "..........", "..........", "..........", ".........."])
    }

    fn placed(id: u32, over: bool) -> Placed {
        let bytes = if over { format!("\x1bPq#{id}\x1b\\") } else { format!("\x1b_Gi={id};\x1b\\") };
        Placed { id, area: AREA, bytes: bytes.into(), over }
    }

    fn with_picture(id: u32) -> Buffer {
        let mut page = page();
        for at in AREA.positions() {
            page[at] = marker(id, at.x - AREA.x, at.y - AREA.y);
        }
        page
    }

    /// What is written for each frame.
    fn written(frames: &[(Option<Placed>, Buffer)]) -> Vec<String> {
        let mut all = Vec::new();
        let mut screen = Screen::new(&mut all);
        let mut ends = Vec::new();
        for (picture, page) in frames {
            screen.place(picture.iter().cloned().collect(), false);
            ends.push(screen.present(page, None).unwrap().bytes);
        }
        let mut rest = String::from_utf8(all).unwrap();
        let mut frames = Vec::new();
        for end in ends {
            let after = rest.split_off(end);
            frames.push(std::mem::replace(&mut rest, after));
        }
        frames
    }

    #[test]
    fn a_picture_painted_over_its_cells_is_painted_once() {
        let mut covered = with_picture(7);
        covered.set_string(3, 2, "dialog", ratatui::style::Style::reset());
        let mut beside = with_picture(7);
        beside.set_string(8, 4, "X", ratatui::style::Style::new());
        let frames = written(&[
            (Some(placed(7, true)), with_picture(7)),
            (Some(placed(7, true)), with_picture(7)),
            (Some(placed(7, true)), beside),
            (Some(placed(7, true)), covered),
            (Some(placed(7, true)), with_picture(7)),
            (None, page()),
        ]);
        let painted: Vec<bool> = frames.iter().map(|frame| frame.contains("\x1bPq#7")).collect();
        assert_eq!(painted, [true, false, false, false, true, false]);
        assert_eq!(frames[1], "", "what did not change costs no byte");
        assert!(frames[3].contains("dialog"), "{:?}", frames[3]);
        assert!(frames[3].matches("  ").count() >= 1, "what the dialog leaves free is wiped: {:?}", frames[3]);
        assert!(frames[5].contains("...."), "text stands where it was: {:?}", frames[5]);
        assert!(frames.iter().all(|frame| !frame.contains(PLACEHOLDER)), "its cells are not written");
    }

    #[test]
    fn a_picture_shown_by_its_cells_is_given_once() {
        let mut screen = Screen::new(Vec::new());
        let mut sizes = Vec::new();
        for page in [with_picture(9), with_picture(9), page(), with_picture(9)] {
            screen.place(vec![placed(9, false)], false);
            sizes.push(screen.present(&page, None).unwrap().bytes);
        }
        assert!(sizes[0] > 0 && sizes[1] == 0);
        screen.withdraw_pictures().unwrap();
        screen.withdraw_pictures().unwrap();
    }

    #[test]
    fn while_keys_follow_each_other_what_is_painted_waits_and_rows_are_moved() {
        let lines: Vec<String> = (0..24).map(|n| format!("row {n:>4} ................")).collect();
        let page = |from: usize, id: u32| {
            let mut page = Buffer::with_lines(lines[from..from + 12].iter().map(String::as_str));
            for at in AREA.positions() {
                page[at] = marker(id, at.x - AREA.x, at.y - AREA.y);
            }
            page
        };
        let mut screen = Screen::new(Vec::new()).with(Shortcuts { scrolls: true, ..Shortcuts::default() });
        let mut show = |from: usize, id: u32, hurried: bool| {
            screen.place(vec![placed(id, true)], hurried);
            let before = screen.out().len();
            screen.present(&page(from, id), None).unwrap();
            (String::from_utf8(screen.out()[before..].to_vec()).unwrap(), screen.is_behind())
        };
        let (first, _) = show(0, 1, false);
        assert!(first.contains("\x1bPq#1"));
        let (same, behind) = show(0, 1, true);
        assert!(same.is_empty() && !behind, "one that stays where it is stays");
        for from in 1..4 {
            let (moved, behind) = show(from, 1 + u32::try_from(from).unwrap(), true);
            assert!(!moved.contains("\x1bPq") && behind, "{moved:?}");
            assert!(from == 1 || moved.contains('M'), "nothing is painted, so the terminal moves the rows: {moved:?}");
        }
        let (rested, behind) = show(3, 4, false);
        assert!(rested.contains("\x1bPq#4") && !behind);
    }

    #[test]
    fn what_the_terminal_keeps_is_bounded_and_taken_back() {
        let mut gallery = Gallery::default();
        let mut deleted = 0;
        for id in 1..100 {
            gallery.place(vec![placed(id, false)], false);
            let plan = gallery.plan(&mut with_picture(id), &page());
            assert!(plan.before.contains(&format!("i={id};")));
            deleted += plan.before.matches("a=d").count();
        }
        assert_eq!(deleted, 99 - MOST_KEPT);
        assert_eq!(gallery.withdraw().matches("a=d").count(), MOST_KEPT);
        assert_eq!(gallery.withdraw(), "");
    }

    #[test]
    fn many_pictures_come_in_several_frames() {
        let mut gallery = Gallery::default();
        let large = |id: u32, y: u16| {
            let area = Rect { x: 0, y, width: 10, height: 1 };
            Placed { id, area, bytes: "x".repeat(MOST_BYTES / 2 + 1).into(), over: true }
        };
        let mut page = page();
        for (id, y) in [(1, 0), (2, 1), (3, 2)] {
            for x in 0..10 {
                page[(x, y)] = marker(id, x, 0);
            }
        }
        let mut shown = Buffer::empty(page.area);
        let mut frames = Vec::new();
        for _ in 0..4 {
            gallery.place(vec![large(1, 0), large(2, 1), large(3, 2)], false);
            let mut next = page.clone();
            frames.push((gallery.plan(&mut next, &shown).over.len(), gallery.is_behind()));
            shown = next;
        }
        assert_eq!(frames, [(1, true), (1, true), (1, false), (0, false)]);
    }
}
