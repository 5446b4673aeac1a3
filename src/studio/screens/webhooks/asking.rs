//! Deleting a subscription and replacing its secret, each after a question.

use super::Webhooks;
use super::vocabulary::{Answer, Turn};
use crate::domain::{Webhook, WebhookId, WebhookSecret, text};
use crate::studio::ground::{Failure, Moment, NoticeKind};
use crate::studio::widgets::{Question, Role};

impl Webhooks {
    /// Asks whether to delete a subscription.
    pub(super) fn ask_delete(webhook: Webhook, turn: &mut Turn) {
        let lines = vec![
            (Role::Text, text::line(&webhook.url).into_owned()),
            (Role::Text, format!("{} · id {}", text::line(webhook.event.as_str()), text::line(webhook.id.as_str()))),
            (Role::Dim, "It gets no more events, and its list of deliveries is deleted.".to_owned()),
        ];
        let options = [(Answer::Keep, "Keep it"), (Answer::Delete(webhook.id), "Delete it")];
        turn.question(Question::decide("Delete this webhook?", lines, options));
    }

    /// Asks whether to replace the secret of a subscription.
    pub(super) fn ask_rotate(webhook: Webhook, turn: &mut Turn) {
        let lines = vec![
            (Role::Text, text::line(&webhook.url).into_owned()),
            (Role::Text, format!("{} · id {}", text::line(webhook.event.as_str()), text::line(webhook.id.as_str()))),
            (Role::Dim, "For one day, deliveries are signed with both secrets; then only".to_owned()),
            (Role::Dim, "with the new one, which is copied to the clipboard now.".to_owned()),
        ];
        let options = [(Answer::Keep, "Keep the secret"), (Answer::Rotate(webhook.id), "Replace it")];
        turn.question(Question::decide("Replace the signing secret?", lines, options));
    }

    /// Takes what came of replacing a secret. The new one is copied: its receiver needs it.
    pub(super) fn rotated(webhook: &WebhookId, secret: Result<WebhookSecret, String>, turn: &mut Turn) {
        match secret {
            Ok(secret) => {
                let of = text::line(webhook.as_str());
                let say = format!("Replaced the secret of {of}. Give the receiver the new one within a day.");
                turn.say(NoticeKind::Done, say);
                turn.copy_secret(secret.expose().to_owned());
            }
            Err(why) => turn.say(NoticeKind::Error, format!("Couldn't replace the secret: {}", text::line(&why))),
        }
    }

    /// Takes what came of deleting one.
    pub(super) fn deleted(&mut self, webhook: &WebhookId, said: Result<(), Failure>, now: Moment, turn: &mut Turn) {
        match said {
            Ok(()) => turn.say(NoticeKind::Done, format!("Deleted the webhook {}.", text::line(webhook.as_str()))),
            Err(failure) => {
                Self::refused(&failure, turn);
                let what = text::line(&failure.what);
                turn.say(NoticeKind::Error, format!("Couldn't delete the webhook: {what}"));
            }
        }
        // Somebody else may have deleted it: the list shows what is true now.
        self.refresh(now, turn);
    }
}
