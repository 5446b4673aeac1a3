//! What happened, as the Webhooks screen takes it.

use super::vocabulary::{Event, Turn};
use super::{LOOKS, MOST_RECEIVED, Webhooks};
use crate::studio::ground::{Failure, Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;

impl Webhooks {
    /// Takes what happened.
    pub fn event(&mut self, event: Event, now: Moment, turn: &mut Turn) {
        match event {
            Event::Listed { request, webhooks } if self.list.wants(request) => {
                if let Err(failure) = &webhooks {
                    Self::refused(failure, turn);
                }
                self.list.settle(webhooks.map_err(|failure| failure.what));
                self.listed(now, turn);
            }
            Event::Deliveries { request, deliveries } if self.deliveries.wants(request) => {
                self.deliveries.settle(deliveries.map_err(|failure| failure.what));
                let all = self.deliveries.known().and_then(Option::as_ref);
                if all.is_some_and(|all| all.iter().any(|delivery| delivery.state == "pending")) {
                    self.look_later(1_000, now, turn);
                }
            }
            Event::Created { created: Ok(webhook), .. } => {
                self.new = None;
                turn.say(NoticeKind::Done, format!("Webhook created: {} gets {}.", webhook.url, webhook.event));
                self.refresh(now, turn);
            }
            Event::Changed { changed: Ok(webhook), .. } => {
                let now_it = if webhook.disabled_at.is_none() { "is switched on" } else { "is switched off" };
                turn.say(NoticeKind::Done, format!("{} {now_it}.", webhook.url));
                self.refresh(now, turn);
            }
            Event::Rotated { webhook, secret, .. } => Self::rotated(&webhook, secret, turn),
            Event::Deleted { webhook, said, .. } => self.deleted(&webhook, said, now, turn),
            Event::Queued { queued: Ok(what), .. } => {
                turn.say(NoticeKind::Done, what);
                self.looks = LOOKS;
                self.look_closer(true, now, turn);
            }
            Event::Secret { secret: Ok(secret), .. } => turn.copy_secret(secret.expose().to_owned()),
            Event::Listening { listening: Ok(address), .. } => {
                turn.say(NoticeKind::Done, format!("Receiving on {address}. ‹webhooks.new› creates a webhook for it."));
                self.listening = Some(address);
                self.lay_out();
            }
            Event::Received(received) => {
                self.received.push_front(*received, MOST_RECEIVED);
                self.lay_out();
                // The sender hears the answer before it notes it.
                self.looks = LOOKS;
                self.look_later(200, now, turn);
            }
            // What was typed is not lost: the form stays.
            Event::Created { created: Err(why), .. }
            | Event::Changed { changed: Err(why), .. }
            | Event::Queued { queued: Err(why), .. }
            | Event::Secret { secret: Err(why), .. }
            | Event::Listening { listening: Err(why), .. } => {
                turn.say(NoticeKind::Error, why);
            }
            Event::Listed { .. } | Event::Deliveries { .. } => {}
        }
    }

    pub(super) fn refused(failure: &Failure, turn: &mut Turn) {
        if failure.unauthorized {
            turn.outcomes.push(Outcome::Unauthorized);
        }
    }
}
