//! Links on the screen: their cells are drawn again, between the sequences that begin and end a link.

use std::io::Write;

use ratatui::buffer::Buffer;

use super::super::cells::{cells_of, reach};
use super::super::placed::is_marker;
use super::Screen;

/// What ends a link.
pub(in crate::terminal) const NO_LINK: &[u8] = b"\x1b]8;;\x1b\\";

impl<W: Write> Screen<W> {
    /// Draws the cells of links again, where they were drawn without theirs, and those of links that are gone without any;
    /// `drawn` says in which rows something was drawn.
    pub(super) fn draw_anchors(&mut self, next: &Buffer, drawn: &[bool]) {
        let across = usize::from(next.area.width);
        for (anchor, is_link) in self.anchors.due(drawn) {
            let (from, y) = anchor.at;
            let end = from.saturating_add(anchor.width).min(next.area.width);
            // What a wide sign covers is not drawn: that would take the sign away. What is behind one is drawn again as far as a
            // terminal may have drawn over it.
            let (mut covered, mut stale, mut is_open) = (0, 0_usize, false);
            for x in 0..next.area.width {
                let Some(cell) = next.cell((x, y)).filter(|_| x < end || stale > 0) else { break };
                let wide = cells_of(cell.symbol());
                stale = stale.saturating_sub(1);
                if covered > 0 {
                    covered -= 1;
                    continue;
                }
                covered = wide.saturating_sub(1);
                if x < from || is_marker(cell) {
                    continue;
                }
                if x >= end && is_open {
                    is_open = false;
                    self.frame.extend_from_slice(NO_LINK);
                }
                stale = stale.max(reach(cell.symbol()).saturating_sub(1));
                self.go(x, y);
                if is_link && !is_open && x < end {
                    is_open = true;
                    self.anchors.were_drawn = true;
                    let _ = write!(self.frame, "\x1b]8;;{}\x1b\\", anchor.address);
                }
                self.put(cell, wide, x, y, across);
            }
            if is_open {
                self.frame.extend_from_slice(NO_LINK);
            }
        }
    }
}
