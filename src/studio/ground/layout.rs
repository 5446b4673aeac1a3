//! Where things stand, worked out from the size alone: drawing, scrolling and the mouse use the same answer.

use ratatui::layout::Rect;

/// Smaller screens show one sentence.
pub const LEAST: (u16, u16) = (40, 10);

/// The screen's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// The tabs and the status.
    pub bar: Rect,
    /// The screen.
    pub body: Rect,
    /// The key hints.
    pub hints: Rect,
}

impl Frame {
    /// The parts of a screen of this size.
    #[must_use]
    pub fn of(width: u16, height: u16) -> Self {
        let row = |y: u16, height: u16| Rect { x: 0, y, width, height };
        Self {
            bar: row(0, height.min(1)),
            body: row(height.min(1), height.saturating_sub(2)),
            hints: row(height.saturating_sub(1), u16::from(height > 1)),
        }
    }
}

/// Whether a screen of this size shows more than a sentence.
#[must_use]
pub fn is_enough(width: u16, height: u16) -> bool {
    width >= LEAST.0 && height >= LEAST.1
}

/// An area in the middle of another, of at most this size.
#[must_use]
pub fn centered(outer: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(outer.width), height.min(outer.height));
    Rect { x: outer.x + (outer.width - width) / 2, y: outer.y + (outer.height - height) / 3, width, height }
}

/// Moves a scroll position as little as needed for the selection to be seen.
#[must_use]
pub fn scrolled(top: usize, selected: usize, seen: usize, all: usize) -> usize {
    let seen = seen.max(1);
    let top = top.min(all.saturating_sub(seen));
    if selected < top {
        selected
    } else if selected >= top + seen {
        selected + 1 - seen
    } else {
        top
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_is_always_seen() {
        for all in 0..12usize {
            for seen in 0..6usize {
                for selected in 0..all {
                    for top in 0..14 {
                        let moved = scrolled(top, selected, seen, all);
                        assert!(moved <= selected && selected < moved + seen.max(1));
                    }
                }
            }
        }
    }

    #[test]
    fn any_size_has_parts_inside_it() {
        for width in 0..5 {
            for height in 0..5 {
                let frame = Frame::of(width, height);
                for part in [frame.bar, frame.body, frame.hints] {
                    assert!(part.bottom() <= height.max(1) && part.right() <= width);
                }
                assert_eq!(frame.bar.height + frame.body.height + frame.hints.height, height);
            }
        }
    }
}
