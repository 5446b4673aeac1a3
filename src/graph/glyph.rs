//! The sign of a cell, from the sides its lines leave by.

use std::ops::BitOr;

/// The sides of a cell that a line leaves by, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Mask(u8);

impl Mask {
    /// Up.
    pub const N: Self = Self(1);
    /// Right.
    pub const E: Self = Self(2);
    /// Down.
    pub const S: Self = Self(4);
    /// Left.
    pub const W: Self = Self(8);

    /// Whether all the sides of the other are among these.
    #[must_use]
    pub fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether no side is left by.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether some side is left by both.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// These sides where `yes`, else none.
    pub(super) fn when(self, yes: bool) -> Self {
        if yes { self } else { Self(0) }
    }
}

impl BitOr for Mask {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The sign of a mask: rounded corners, tees where lines join, `┼` where they cross.
#[must_use]
pub fn glyph(mask: Mask) -> char {
    match mask.0 & 15 {
        0 => ' ',
        1 => '╵',
        2 => '╶',
        3 => '╰',
        4 => '╷',
        5 => '│',
        6 => '╭',
        7 => '├',
        8 => '╴',
        9 => '╯',
        10 => '─',
        11 => '┴',
        12 => '╮',
        13 => '┤',
        14 => '┬',
        _ => '┼',
    }
}

/// The same in heavy lines, which have no rounded corners.
#[must_use]
pub fn glyph_heavy(mask: Mask) -> char {
    match mask.0 & 15 {
        0 => ' ',
        1 => '╹',
        2 => '╺',
        3 => '┗',
        4 => '╻',
        5 => '┃',
        6 => '┏',
        7 => '┣',
        8 => '╸',
        9 => '┛',
        10 => '━',
        11 => '┻',
        12 => '┓',
        13 => '┫',
        14 => '┳',
        _ => '╋',
    }
}

/// The same where only ASCII can be shown.
#[must_use]
pub fn glyph_ascii(mask: Mask) -> char {
    match mask.0 & 15 {
        0 => ' ',
        1 | 4 | 5 => '|',
        2 | 8 | 10 => '-',
        _ => '+',
    }
}
