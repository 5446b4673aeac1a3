//! Links on the screen: their cells are drawn again, between the sequences that begin and end a link.

use std::io::Write;

use ratatui::buffer::Buffer;

use super::super::cells::cells_of;
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
            // What a wide sign covers is not drawn: that would take the sign away.
            let (mut covered, mut is_open) = (0, false);
            for x in 0..from.saturating_add(anchor.width).min(next.area.width) {
                let Some(cell) = next.cell((x, y)) else { break };
                let wide = cells_of(cell.symbol());
                if covered > 0 {
                    covered -= 1;
                    continue;
                }
                covered = wide.saturating_sub(1);
                if x < from || is_marker(cell) {
                    continue;
                }
                self.go(x, y);
                if is_link && !is_open {
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
