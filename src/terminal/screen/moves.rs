//! Where the cursor goes, in the fewest bytes.

use std::io::Write;

use super::Screen;

/// A place: column and row.
type Place = (u16, u16);

/// Where the terminal's cursor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) at: Place,
    /// Whether the column is certain. Where it isn't, it is so far from the row's first sign of ambiguous width that the
    /// terminal may have drawn over two cells; the row is certain all the same.
    pub(super) is_sure: bool,
}

impl Cursor {
    pub(super) fn sure(at: Place) -> Self {
        Self { at, is_sure: true }
    }

    /// The ways from here to a place, each with its bytes. Where the column isn't certain they begin at the row's first.
    fn ways(self, to: Place) -> ((usize, Upright), (usize, Along)) {
        let is_there = self.is_sure || self.at == to;
        (upright(self.at.1, to.1), if is_there { along(self.at.0, to.0) } else { from_start(to.0) })
    }
}

/// How the cursor comes to another column of its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Along {
    Stays,
    Right(u16),
    /// By as many backspaces.
    Back(u16),
    Left(u16),
    /// From the row's beginning.
    Start(u16),
}

/// How it comes to another row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Upright {
    Stays,
    /// By as many line feeds: they keep the column, where the terminal is raw.
    Feeds(u16),
    Down(u16),
    Up(u16),
}

/// The bytes of a sequence with one number.
fn of_number(number: u16) -> usize {
    if number == 1 { 3 } else { 3 + digits(number) }
}

fn digits(number: u16) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

fn along(from: u16, to: u16) -> (usize, Along) {
    let (right, left) = (to.saturating_sub(from), from.saturating_sub(to));
    let plain = match (right, left) {
        (0, 0) => (0, Along::Stays),
        (0, left) if usize::from(left) <= of_number(left) => (usize::from(left), Along::Back(left)),
        (0, left) => (of_number(left), Along::Left(left)),
        (right, _) => (of_number(right), Along::Right(right)),
    };
    let start = from_start(to);
    if start.0 < plain.0 { start } else { plain }
}

fn from_start(to: u16) -> (usize, Along) {
    (1 + if to == 0 { 0 } else { of_number(to) }, Along::Start(to))
}

fn upright(from: u16, to: u16) -> (usize, Upright) {
    let (down, up) = (to.saturating_sub(from), from.saturating_sub(to));
    match (down, up) {
        (0, 0) => (0, Upright::Stays),
        (0, up) => (of_number(up), Upright::Up(up)),
        (down, _) if usize::from(down) <= of_number(down) => (usize::from(down), Upright::Feeds(down)),
        (down, _) => (of_number(down), Upright::Down(down)),
    }
}

/// The bytes of going to a place by its numbers.
fn by_numbers((x, y): Place) -> usize {
    match (x, y) {
        (0, 0) => 3,
        (0, y) => 3 + digits(y + 1),
        (x, y) => 4 + digits(x + 1) + digits(y + 1),
    }
}

/// How many bytes the cursor's way to a place takes.
pub(super) fn distance(from: Option<Cursor>, to: Place) -> usize {
    let beside = from.map(|from| from.ways(to)).map(|(upright, along)| upright.0 + along.0);
    beside.unwrap_or(usize::MAX).min(by_numbers(to))
}

impl<W: Write> Screen<W> {
    pub(super) fn go(&mut self, x: u16, y: u16) {
        if self.cursor.is_some_and(|from| from.at == (x, y)) {
            return;
        }
        let ways = self.cursor.map(|from| from.ways((x, y)));
        match ways.filter(|(upright, along)| upright.0 + along.0 <= by_numbers((x, y))) {
            Some(((_, upright), (_, along))) => self.go_beside(upright, along),
            None => {
                let _ = match (x, y) {
                    (0, 0) => write!(self.frame, "\x1b[H"),
                    (0, y) => write!(self.frame, "\x1b[{}H", y + 1),
                    (x, y) => write!(self.frame, "\x1b[{};{}H", y + 1, x + 1),
                };
            }
        }
        self.cursor = Some(Cursor::sure((x, y)));
    }

    fn go_beside(&mut self, upright: Upright, along: Along) {
        let (up, down) = match upright {
            Upright::Stays => (0, 0),
            Upright::Feeds(by) => {
                self.frame.extend(std::iter::repeat_n(b'\n', usize::from(by)));
                (0, 0)
            }
            Upright::Down(by) => (0, by),
            Upright::Up(by) => (by, 0),
        };
        self.by(up, 'A');
        self.by(down, 'B');
        match along {
            Along::Stays => {}
            Along::Right(by) => self.by(by, 'C'),
            Along::Left(by) => self.by(by, 'D'),
            Along::Back(by) => self.frame.extend(std::iter::repeat_n(b'\x08', usize::from(by))),
            Along::Start(by) => {
                self.frame.push(b'\r');
                self.by(by, 'C');
            }
        }
    }

    /// A sequence with a number, where that is any.
    pub(super) fn by(&mut self, number: u16, letter: char) {
        let _ = match number {
            0 => Ok(()),
            1 => write!(self.frame, "\x1b[{letter}"),
            _ => write!(self.frame, "\x1b[{number}{letter}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_way_is_gone_and_is_as_long_as_it_is_said_to_be() {
        let way = |from: Option<Place>, to: Place| {
            let mut screen = Screen::new(Vec::new());
            screen.cursor = from.map(Cursor::sure);
            screen.go(to.0, to.1);
            assert_eq!(screen.frame.len(), distance(from.map(Cursor::sure), to), "{from:?} {to:?}");
            String::from_utf8(screen.frame).unwrap()
        };
        assert_eq!(way(None, (4, 2)), "\x1b[3;5H");
        assert_eq!(way(Some((4, 2)), (4, 2)), "");
        assert_eq!(way(Some((5, 2)), (4, 3)), "\n\x08");
        assert_eq!(way(Some((50, 2)), (0, 3)), "\n\r");
        assert_eq!(way(Some((50, 2)), (3, 3)), "\n\x1b[47D");
        assert_eq!(way(Some((119, 2)), (3, 3)), "\n\r\x1b[3C");
        assert_eq!(way(Some((0, 2)), (1, 2)), "\x1b[C");
        assert_eq!(way(Some((50, 9)), (50, 1)), "\x1b[8A");
        assert_eq!(way(Some((50, 9)), (20, 9)), "\x1b[30D");
        assert_eq!(way(Some((50, 9)), (0, 0)), "\x1b[H");
        let unsure = |at: Place, to: Place| {
            let mut screen = Screen::new(Vec::new());
            let from = Some(Cursor { at, is_sure: false });
            screen.cursor = from;
            screen.go(to.0, to.1);
            assert_eq!(screen.frame.len(), distance(from, to), "{at:?} {to:?}");
            assert_eq!(screen.cursor.map(|cursor| cursor.is_sure), Some(at != to));
            String::from_utf8(screen.frame).unwrap()
        };
        assert_eq!(unsure((5, 2), (5, 2)), "");
        assert_eq!(unsure((5, 2), (4, 3)), "\n\r\x1b[4C");
        assert_eq!(unsure((5, 2), (0, 4)), "\n\n\r");
        assert_eq!(unsure((5, 2), (9, 2)), "\r\x1b[9C");
        assert_eq!(unsure((5, 9), (40, 2)), "\x1b[3;41H");
        for from in [None, Some((0, 0)), Some((119, 39)), Some((7, 20)), Some((100, 3))] {
            for to in [(0, 0), (8, 20), (119, 39), (6, 21), (99, 2), (3, 19), (0, 20)] {
                way(from, to);
            }
        }
    }
}
