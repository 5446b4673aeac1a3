//! Where the person is among the projects, and how the next start gets there.

use super::{Focus, Projects};
use crate::studio::ground::Spot;

impl Projects {
    /// Where the person is; what is not taken up yet stays as it was.
    #[must_use]
    pub fn here(&self) -> Spot {
        if let Some(left) = &self.left {
            return left.clone();
        }
        Spot {
            id: self.current().map(|row| row.project.id.to_string()),
            row: self.arranged.lines.selected(),
            inside: self.focus == Focus::Detail,
            ..Spot::default()
        }
    }

    /// Goes where the person was, now that there is a list. Where a project was wanted, that one stays selected.
    pub(super) fn take_up(&mut self, is_wanted: bool) {
        let Some(left) = self.left.take() else { return };
        if !is_wanted {
            let id_at = |line| self.row_at(line).map(|row| row.project.id.as_str());
            let row = left.row_among((0..self.arranged.lines.len()).map(id_at));
            self.arranged.lines.go_to(row);
        }
        if left.inside && self.current().is_some() {
            self.focus = Focus::Detail;
        }
    }
}
