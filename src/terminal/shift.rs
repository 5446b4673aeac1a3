//! Rows that moved: what a terminal is told to scroll in place of writing it.

use ratatui::buffer::Cell;
use ratatui::style::Color;

/// Fewer moved rows are not worth a scroll.
pub(super) const LEAST_ROWS: usize = 4;

/// Rows, from `top` to before `bottom`, of which each moved `by` rows up or down.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shift {
    pub(super) top: usize,
    pub(super) bottom: usize,
    pub(super) by: usize,
    pub(super) up: bool,
}

impl Shift {
    /// Whether a row is one that another moves to.
    pub(super) fn is_filled(&self, row: usize) -> bool {
        if self.up { row + self.by <= self.bottom } else { row >= self.top + self.by }
    }
}

/// The shift that most changed rows agree on.
pub(super) fn best_shift(old: &[u64], new: &[u64]) -> Option<Shift> {
    let rows = old.len().min(new.len());
    let mut best: Option<(usize, Shift)> = None;
    for by in 1..rows / 2 {
        for up in [true, false] {
            // Going up, a new row is the old one `by` below it.
            let source = |row: usize| if up { row.checked_add(by) } else { row.checked_sub(by) };
            let agrees = |row: usize| {
                let now = new.get(row);
                let moved = source(row).and_then(|from| old.get(from));
                now.is_some() && now == moved && now != old.get(row)
            };
            let mut agreeing = (0..rows).filter(|row| agrees(*row));
            let Some(first) = agreeing.next() else { continue };
            let (count, last) = agreeing.fold((1, first), |(count, _), row| (count + 1, row));
            if count < LEAST_ROWS || best.as_ref().is_some_and(|(most, _)| *most >= count) {
                continue;
            }
            let (top, bottom) = if up { (first, last + by) } else { (first - by, last) };
            best = Some((count, Shift { top, bottom, by, up }));
        }
    }
    best.map(|(_, shift)| shift)
}

/// A digest of a row: 64 bits, well mixed, so that two rows on a screen don't share one by chance.
pub(super) fn digest(row: &[Cell]) -> u64 {
    row.iter().fold(0x9e37_79b9_7f4a_7c15, |sum, cell| {
        let mut sign = 0u64;
        for byte in cell.symbol().bytes() {
            sign = sign.rotate_left(9) ^ u64::from(byte);
        }
        let look = (colour_bits(cell.fg) << 32) | colour_bits(cell.bg);
        mix(mix(sum, sign), look ^ (u64::from(cell.modifier.bits()) << 17))
    })
}

/// Multiplies into 128 bits and folds them.
fn mix(sum: u64, value: u64) -> u64 {
    let product = u128::from(sum ^ value) * 0xd6e8_feb8_6659_fd93_u128 + u128::from(value);
    #[allow(clippy::cast_possible_truncation)]
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high ^ sum.rotate_left(23)
}

fn colour_bits(colour: Color) -> u64 {
    match colour {
        Color::Rgb(r, g, b) => u64::from(u32::from_be_bytes([0xff, r, g, b])),
        Color::Indexed(index) => 0x100 | u64::from(index),
        Color::Reset => 0x200,
        Color::Black => 0x201,
        Color::Red => 0x202,
        Color::Green => 0x203,
        Color::Yellow => 0x204,
        Color::Blue => 0x205,
        Color::Magenta => 0x206,
        Color::Cyan => 0x207,
        Color::Gray => 0x208,
        Color::DarkGray => 0x209,
        Color::LightRed => 0x20a,
        Color::LightGreen => 0x20b,
        Color::LightYellow => 0x20c,
        Color::LightBlue => 0x20d,
        Color::LightMagenta => 0x20e,
        Color::LightCyan => 0x20f,
        Color::White => 0x210,
    }
}
