//! Where the person is among the videos, and how the next start gets there.

use super::{Focus, Videos};
use crate::studio::ground::Spot;

impl Videos {
    /// Where the person is; what is not taken up yet stays as it was.
    #[must_use]
    pub fn here(&self) -> Spot {
        if let Some(left) = &self.left {
            return left.clone();
        }
        Spot {
            id: self.library.current().map(|video| video.id.to_string()),
            row: self.library.shown.selected(),
            inside: self.focus == Focus::Detail,
            search: Some(self.library.shown.query().to_owned()),
            ..Spot::default()
        }
    }

    /// Goes where the person was, now that there is a library.
    pub(super) fn take_up(&mut self) {
        if self.library.videos.known().is_none() {
            return;
        }
        let Some(mut left) = self.left.take() else { return };
        if let Some(search) = left.search.take().filter(|search| !search.is_empty())
            && !self.library.shown.is_searched()
        {
            self.library.shown.paste(&search);
            self.arrange();
        }
        let row = left.row_among(self.library.rows().map(|video| Some(video.id.as_str())));
        self.library.shown.go_to(row);
        if left.inside && self.focus == Focus::List {
            self.focus = Focus::Detail;
        }
    }
}
