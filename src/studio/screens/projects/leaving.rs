//! Where the person is among the projects, and how the next start gets there.

use super::arrange::{Line, Place};
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
            folder: self.current_folder().map(|group| told(&group.place)),
            folded: self.folded_ids(),
            ..Spot::default()
        }
    }

    /// Goes where the person was, now that there is a list. Where a project was wanted, that one stays selected.
    pub(super) fn take_up(&mut self, is_wanted: bool) {
        let Some(left) = self.left.take() else { return };
        self.folded = left.folded.iter().map(|id| read(id)).collect();
        self.rearrange();
        let folder = left.folder.as_deref().map(read);
        let of_folder = folder.and_then(|folder| self.line_of(&folder));
        if is_wanted {
            // It is selected already.
        } else if let Some(line) = of_folder {
            self.arranged.lines.go_to(line);
        } else {
            let id_at = |line| self.row_at(line).map(|row| row.project.id.as_str());
            let row = left.row_among((0..self.arranged.lines.len()).map(id_at));
            self.arranged.lines.go_to(row);
        }
        if left.inside && self.current().is_some() {
            self.focus = Focus::Detail;
        }
    }

    /// The folders that are folded, in an order that stays.
    fn folded_ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.folded.iter().map(told).collect();
        ids.sort_unstable();
        ids
    }

    /// The line of a folder.
    fn line_of(&self, place: &Place) -> Option<usize> {
        let is_it = |line: &Line| match line {
            Line::Folder(group) => self.arranged.groups.get(*group).is_some_and(|group| group.place == *place),
            Line::Project(..) => false,
        };
        self.arranged.lines.rows().iter().position(is_it)
    }
}

/// A folder as it is kept; nothing for what is in none.
fn told(place: &Place) -> String {
    place.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// The folder that was kept so.
fn read(id: &str) -> Place {
    (!id.is_empty()).then(|| id.into())
}
