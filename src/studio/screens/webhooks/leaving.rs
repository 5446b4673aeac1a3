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
        let Some(left) = self.left.take() else { return };
        if let Some(search) = left.search.filter(|search| !search.is_empty())
            && !self.lines.is_searched()
        {
            self.lines.paste(&search);
            let found = self.find();
            self.lines.show(found);
        }
        let is_it = |line: &Line| match line {
            Line::Event(..) => false,
            Line::Webhook(at) => {
                self.known().get(*at).is_some_and(|webhook| Some(webhook.id.as_str()) == left.id.as_deref())
            }
        };
        let at = self.lines.rows().iter().position(is_it);
        self.lines.go_to(at.unwrap_or(left.row));
        if left.inside && self.focus == Focus::List && self.chosen_webhook().is_some() {
            self.focus = Focus::Deliveries;
        }
    }
}
