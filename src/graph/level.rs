//! How much of a step is drawn, and how many cells that takes.

use unicode_width::UnicodeWidthChar as _;

use super::dense::{cells, index};
use super::steps::Node;

/// How much of each step is drawn, from most to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// A card: a border with the name and description, the video, the overlay text, the products, a row for each answer.
    #[default]
    Card,
    /// One line: name and description; a step of several answers takes a row for each port.
    Chip,
    /// A dot, with a row for each port.
    Dot,
}

/// The least and the greatest width of a card.
const CARD: (i32, i32) = (24, 29);

/// The least and the greatest width of a chip.
const CHIP: (i32, i32) = (9, 18);

/// The most cells that the stub of a card takes.
const WIDEST_STUB: i32 = 14;

/// Room for a stub that is to come: a space and its sign.
pub(super) const LEAST_STUB: i32 = 2;

impl Level {
    /// All of them, from most to least.
    pub const ALL: [Self; 3] = [Self::Card, Self::Chip, Self::Dot];

    /// The row at which lines come in, from the top.
    pub(super) fn entry(self) -> i32 {
        match self {
            Self::Card => 1,
            Self::Chip | Self::Dot => 0,
        }
    }

    /// The rows after the last answer.
    pub(super) fn below(self) -> i32 {
        match self {
            Self::Card => 1,
            Self::Chip | Self::Dot => 0,
        }
    }

    /// The row of a step's first answer, from the top.
    pub(super) fn first_answer(self, node: &Node) -> i32 {
        match self {
            Self::Card => 2 + i32::from(node.has_overlay()) + i32::from(!node.products.is_empty()),
            Self::Chip | Self::Dot => 0,
        }
    }

    /// How many rows a step takes.
    pub(super) fn height(self, node: &Node) -> i32 {
        (self.first_answer(node) + cells(node.ports.len()) + self.below()).max(1)
    }

    /// How many columns a step takes.
    pub(super) fn width(self, node: &Node) -> i32 {
        match self {
            Self::Card => {
                // "╭ name ─ description ─╮", "│ 1 answer ●" with some air before the port, "│ "overlay" │".
                let title = cells_of(&node.name) + cells_of(&node.description) + 9;
                let answers = node.ports.iter().map(|port| cells_of(&port.text) + 7).max().unwrap_or(0);
                title.max(answers).max(cells_of(&node.overlay) + 6).clamp(CARD.0, CARD.1)
            }
            // "name description !●"
            Self::Chip => (cells_of(&node.name) + cells_of(&node.description) + 4).clamp(CHIP.0, CHIP.1),
            Self::Dot => 1,
        }
    }

    /// How many cells a stub takes whose label this is: " ↩ name ".
    pub(super) fn stub_width(self, label: &str) -> i32 {
        match self {
            Self::Card if label.is_empty() => 3,
            Self::Card => (cells_of(label) + 4).min(WIDEST_STUB),
            Self::Chip | Self::Dot => LEAST_STUB,
        }
    }
}

/// How many cells a text takes, as far as that matters for a card.
fn cells_of(text: &str) -> i32 {
    // What is longer than a card is cut there.
    let most = index(CARD.1);
    let begin = text.as_bytes().get(..most).unwrap_or(text.as_bytes());
    if begin.is_ascii() {
        return cells(begin.len());
    }
    text.chars().take(most).map(|c| cells(c.width().unwrap_or(1))).sum()
}
