//! Links: cells that the terminal opens an address for (OSC 8).

use std::ops::{Range, RangeInclusive};

/// Cells of a row that are a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The first cell.
    pub at: (u16, u16),
    /// How many.
    pub width: u16,
    /// The address. One that isn't printable ASCII, or of another scheme than http and https, is none.
    pub address: String,
}

impl Anchor {
    /// Whether it may be written to a terminal.
    fn is_harmless(&self) -> bool {
        let is_web = self.address.starts_with("https://") || self.address.starts_with("http://");
        is_web && self.address.bytes().all(|byte| byte.is_ascii_graphic())
    }
}

/// The links of the frame that is shown, and of the next.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// Whether the terminal is known to have them.
    pub(super) known: bool,
    /// Whether any were written.
    pub(super) were_drawn: bool,
    wanted: Vec<Anchor>,
    shown: Vec<Anchor>,
    /// Whether cells were drawn since without their links.
    owed: bool,
}

impl Anchors {
    /// Those of the next frame.
    pub(super) fn want(&mut self, anchors: Vec<Anchor>) {
        if self.known {
            self.wanted = anchors.into_iter().filter(Anchor::is_harmless).collect();
        }
    }

    /// Whether a part of the page shows some: what the terminal moves would take theirs along.
    pub(super) fn touch(&self, rows: RangeInclusive<usize>, columns: Range<usize>) -> bool {
        self.shown.iter().any(|anchor| {
            let (from, row) = (usize::from(anchor.at.0), usize::from(anchor.at.1));
            rows.contains(&row) && from < columns.end && from + usize::from(anchor.width) > columns.start
        })
    }

    /// The screen was cleared.
    pub(super) fn forget(&mut self) {
        self.shown.clear();
    }

    /// The next frame stays a part: links are drawn with its rest.
    pub(super) fn owe(&mut self) {
        self.owed = !(self.wanted.is_empty() && self.shown.is_empty());
    }

    /// What is to be drawn again in a frame of which these rows were drawn: each with its address, or without one.
    pub(super) fn due(&mut self, drawn: &[bool]) -> Vec<(Anchor, bool)> {
        let is_drawn = |anchor: &Anchor| drawn.get(usize::from(anchor.at.1)).copied().unwrap_or(true);
        let gone =
            self.shown.iter().filter(|anchor| !self.wanted.contains(anchor)).map(|anchor| (anchor.clone(), false));
        let new = self.wanted.iter().filter(|anchor| self.owed || is_drawn(anchor) || !self.shown.contains(anchor));
        let due = gone.chain(new.map(|anchor| (anchor.clone(), true))).collect();
        self.shown.clone_from(&self.wanted);
        self.owed = false;
        due
    }
}
