//! Where things stand on the Videos screen: drawing, scrolling and the mouse use the same answer.

use ratatui::layout::Rect;

use super::{Focus, Videos};
use crate::studio::widgets::chooser::Chooser;
use crate::studio::widgets::paint::inside;
use crate::studio::widgets::problems::Problems;

/// From here on the detail stands beside the list, columns.
const WIDE: u16 = 100;

/// The panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts {
    /// The library, or the choosing of files.
    pub main: Rect,
    /// What is known of one video.
    pub detail: Rect,
    /// The uploads.
    pub queue: Rect,
}

impl Videos {
    /// The panes; one that is not shown has no height.
    pub(super) fn parts(&self) -> Parts {
        let area = self.area;
        let uploads = u16::try_from(self.overview.queue.uploads().len()).unwrap_or(u16::MAX);
        let most = (area.height * 2 / 5).max(5);
        let wanted = if uploads == 0 { 0 } else { uploads.saturating_add(2).min(most) };
        let below = if area.height >= wanted + 6 { wanted } else { 0 };
        let whole = if self.focus == Focus::Queue && below == 0 && uploads > 0 { area.height } else { below };
        let queue = Rect { y: area.y + area.height - whole, height: whole, ..area };
        let above = Rect { height: area.height - whole, ..area };
        let none = Rect { height: 0, ..above };
        if self.focus == Focus::Chooser {
            return Parts { main: above, detail: none, queue };
        }
        if area.width < WIDE {
            return if self.focus == Focus::Detail {
                Parts { main: none, detail: above, queue }
            } else {
                Parts { main: above, detail: none, queue }
            };
        }
        let left = area.width * 11 / 20;
        let main = Rect { width: left, ..above };
        Parts { main, detail: Rect { x: area.x + left, width: area.width - left, ..above }, queue }
    }

    /// How many videos are seen at once: two lines go to the filter and the headings.
    pub(super) fn list_page(&self) -> usize {
        usize::from(inside(self.parts().main).height.saturating_sub(2) / self.row_height()).max(1)
    }

    /// Tells the lists how many of their rows are seen, as things stand now.
    pub(super) fn lay_out(&mut self) {
        let (videos, files) = (self.list_page(), Chooser::page(self.parts().main));
        self.library.shown.resize(videos);
        self.chooser.found.resize(files);
        let problems = Problems::page(self.parts().main);
        self.problems.iter_mut().for_each(|list| list.resize(problems));
    }

    /// How many rows the uploads have.
    pub(super) fn queue_rows(&self) -> usize {
        usize::from(inside(self.parts().queue).height)
    }

    /// How many uploads are moved by at once.
    pub(super) fn queue_page(&self) -> usize {
        self.queue_rows().max(1)
    }
}
