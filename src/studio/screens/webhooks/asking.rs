//! Deleting a subscription, after a question.

use super::{Effect, Outer, Webhooks};
use crate::domain::{Webhook, WebhookId, text};
use crate::studio::event::{Failure, Moment};
use crate::studio::model::NoticeKind;
use crate::studio::overlays::confirm::Confirm;
use crate::studio::turn::{Choice, Outcome, Turn};
use crate::studio::widgets::Role;

impl Webhooks {
    /// Asks whether to delete a subscription.
    pub(super) fn ask_delete(&mut self, webhook: Webhook, turn: &mut Turn) {
        let lines = vec![
            (Role::Text, text::line(&webhook.url).into_owned()),
            (Role::Text, format!("{} · id {}", text::line(webhook.event.as_str()), text::line(webhook.id.as_str()))),
            (Role::Dim, "It gets no more deliveries, and the list of its deliveries goes with it.".to_owned()),
        ];
        let answers = vec!["Keep it".to_owned(), "Delete it".to_owned()];
        turn.outcomes.push(Outcome::Confirm(Box::new(Confirm::new("Delete this subscription?", lines, answers))));
        self.deleting = Some(webhook.id);
    }

    /// Takes the answer to that.
    pub(super) fn take_choice(&mut self, choice: &Choice, turn: &mut Turn) {
        if let (Some(webhook), Some(1)) = (self.deleting.take(), choice.one) {
            turn.effects.push(Outer::Webhooks(Effect::Delete(webhook)));
        }
    }

    /// Takes what came of it.
    pub(super) fn deleted(&mut self, webhook: &WebhookId, said: Result<(), Failure>, now: Moment, turn: &mut Turn) {
        match said {
            Ok(()) => turn.say(NoticeKind::Done, format!("Deleted the subscription {}.", text::line(webhook.as_str()))),
            Err(failure) => {
                Self::refused(&failure, turn);
                let what = text::line(&failure.what);
                turn.say(NoticeKind::Error, format!("Couldn't delete the subscription: {what}"));
            }
        }
        // Somebody else may have deleted it: the list shows what is true now.
        self.refresh(now, turn);
    }
}
