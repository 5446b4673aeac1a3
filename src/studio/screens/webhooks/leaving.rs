//! Where the person is among the webhooks, and how the next start gets there.

use super::{Focus, Line, Webhooks};
use crate::studio::ground::Spot;

impl Webhooks {
    /// Where the person is; what is not taken up yet stays as it was.
    #[must_use]
    pub fn here(&self) -> Spot {
        if let Some(left) = &self.left {
            return left.clone();
        }
        Spot {
            id: self.chosen_webhook().map(|webhook| webhook.id.to_string()),
            row: self.lines.selected(),
            inside: self.focus == Focus::Deliveries,
            search: Some(self.lines.query().to_owned()),
            ..Spot::default()
        }
    }

    /// Goes where the person was, once there is a list.
    pub(super) fn take_up(&mut self) {
        if self.list.known().is_none() {
            return;
        }
        let Some(mut left) = self.left.take() else { return };
        if let Some(search) = left.search.take().filter(|search| !search.is_empty())
            && !self.lines.is_searched()
        {
            self.lines.paste(&search);
            let found = self.find();
            self.lines.show(found);
        }
        let id_of = |line: &Line| match line {
            Line::Event(..) => None,
            Line::Webhook(at) => self.known().get(*at).map(|webhook| webhook.id.as_str()),
        };
        let row = left.row_among(self.lines.rows().iter().map(id_of));
        self.lines.go_to(row);
        if left.inside && self.focus == Focus::List && self.chosen_webhook().is_some() {
            self.focus = Focus::Deliveries;
        }
    }
}
