//! The terminal's pen: which colours and weights the next character gets, and the fewest bytes to change them.

use std::io::Write as _;

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// What the terminal draws with now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pen {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

/// What the terminal draws with after `SGR 0`.
pub const PLAIN: Pen = Pen { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() };

const NONE: Modifier = Modifier::empty();

/// Modifiers that show where there is no text.
const SEEN_ON_BLANKS: Modifier = Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);

/// Modifiers with the codes that switch them on and off (ECMA-48 §8.3.117).
const MODIFIERS: [(Modifier, u8, u8); 8] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::HIDDEN, 8, 28),
    (Modifier::CROSSED_OUT, 9, 29),
];

impl Pen {
    /// The pen that a cell needs.
    #[must_use]
    pub fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }

    /// The pen that a cell needs when this one is held: a blank shows no text, so its colour and weight don't matter.
    #[must_use]
    pub fn for_cell(self, cell: &Cell) -> Self {
        let wanted = Self::of(cell);
        if cell.symbol() == " " && self.bg == wanted.bg && (self.modifier | wanted.modifier) & SEEN_ON_BLANKS == NONE {
            self
        } else {
            wanted
        }
    }

    /// Whether nothing of it shows where there is no text, but what is behind.
    pub(super) fn is_unseen(self) -> bool {
        self.modifier & SEEN_ON_BLANKS == NONE
    }

    /// Whether this is behind what it draws.
    pub(super) fn is_on(self, ground: Color) -> bool {
        self.bg == ground
    }

    /// Writes what changes this pen into another.
    pub fn change(&mut self, to: Self, out: &mut Vec<u8>) {
        if *self == to {
            return;
        }
        let mut delta = Vec::with_capacity(32);
        self.codes_to(to, &mut delta);
        let mut again = vec![b'0'];
        PLAIN.codes_to(to, &mut again);
        let shorter = if delta.len() <= again.len() { delta } else { again };
        out.extend_from_slice(b"\x1b[");
        // `SGR` without a number is `SGR 0`.
        out.extend_from_slice(if shorter == b"0" { b"" } else { &shorter });
        out.push(b'm');
        *self = to;
    }

    fn codes_to(self, to: Self, codes: &mut Vec<u8>) {
        let mut had = self.modifier;
        for (modifier, _, off) in MODIFIERS {
            if had.contains(modifier) && !to.modifier.contains(modifier) {
                code(codes, off);
                had.remove(modifier);
                if off == 22 {
                    // Bold and dim are switched off together.
                    had.remove(Modifier::BOLD | Modifier::DIM);
                }
            }
        }
        for (modifier, on, _) in MODIFIERS {
            if to.modifier.contains(modifier) && !had.contains(modifier) {
                code(codes, on);
            }
        }
        if self.fg != to.fg {
            colour(codes, to.fg, 30);
        }
        if self.bg != to.bg {
            colour(codes, to.bg, 40);
        }
    }
}

fn code(codes: &mut Vec<u8>, number: u8) {
    if !codes.is_empty() {
        codes.push(b';');
    }
    let _ = write!(codes, "{number}");
}

/// The codes of a colour; `base` is 30 for the text, 40 for what is behind it.
fn colour(codes: &mut Vec<u8>, colour: Color, base: u8) {
    let basic = |number: u8| base + number;
    let bright = |number: u8| base + 60 + number;
    match colour {
        Color::Reset => code(codes, base + 9),
        Color::Black => code(codes, basic(0)),
        Color::Red => code(codes, basic(1)),
        Color::Green => code(codes, basic(2)),
        Color::Yellow => code(codes, basic(3)),
        Color::Blue => code(codes, basic(4)),
        Color::Magenta => code(codes, basic(5)),
        Color::Cyan => code(codes, basic(6)),
        Color::Gray => code(codes, basic(7)),
        Color::DarkGray => code(codes, bright(0)),
        Color::LightRed => code(codes, bright(1)),
        Color::LightGreen => code(codes, bright(2)),
        Color::LightYellow => code(codes, bright(3)),
        Color::LightBlue => code(codes, bright(4)),
        Color::LightMagenta => code(codes, bright(5)),
        Color::LightCyan => code(codes, bright(6)),
        Color::White => code(codes, bright(7)),
        Color::Indexed(index) => {
            code(codes, base + 8);
            code(codes, 5);
            code(codes, index);
        }
        Color::Rgb(r, g, b) => {
            for number in [base + 8, 2, r, g, b] {
                code(codes, number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(from: Pen, to: Pen) -> String {
        let mut out = Vec::new();
        let mut pen = from;
        pen.change(to, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_fewest_bytes_are_written() {
        let red = Pen { fg: Color::Red, ..PLAIN };
        let bold_red = Pen { modifier: Modifier::BOLD, ..red };
        assert_eq!(change(PLAIN, PLAIN), "");
        assert_eq!(change(PLAIN, bold_red), "\x1b[1;31m");
        assert_eq!(change(bold_red, red), "\x1b[22m");
        assert_eq!(change(bold_red, PLAIN), "\x1b[m");
        let dim = Pen { modifier: Modifier::DIM, ..red };
        assert_eq!(change(bold_red, dim), "\x1b[22;2m");
        assert_eq!(change(PLAIN, Pen { bg: Color::Rgb(1, 2, 3), ..PLAIN }), "\x1b[48;2;1;2;3m");
    }
}
