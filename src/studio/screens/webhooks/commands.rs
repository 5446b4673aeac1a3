//! What the commands of the Webhooks screen do, by what has the focus.

use super::vocabulary::{Effect, Turn};
use super::{Focus, Webhooks, view};
use crate::api::{AnyRequest, DisableWebhook, EnableWebhook};
use crate::domain::{WebhookEvent, text};
use crate::studio::ground::{Command, Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Page, Role};

impl Webhooks {
    pub(super) fn on_webhook(&mut self, command: Command, turn: &mut Turn) -> bool {
        let Some(webhook) = self.chosen_webhook().cloned() else { return false };
        match command {
            Command::Open => self.focus = Focus::Deliveries,
            Command::Copy => {
                let texts = vec![
                    ("address", webhook.url),
                    ("ID", webhook.id.to_string()),
                    ("event", webhook.event.as_str().to_owned()),
                    ("created", webhook.created_at),
                ];
                turn.outcomes.push(Outcome::Copy(texts));
            }
            Command::Address => turn.outcomes.push(Outcome::Address(webhook.url)),
            Command::WebhookSecret => {
                let request = turn.next_id();
                turn.ask(Effect::Secret { request, webhook: webhook.id });
            }
            Command::WebhookPing if turn.may_write() => {
                let request = turn.next_id();
                turn.ask(Effect::Ping { request, webhook: webhook.id });
            }
            Command::WebhookRedeliver if turn.may_write() => match self.chosen_delivery() {
                Some(delivery) => {
                    let delivery = delivery.id.clone();
                    let (request, webhook) = (turn.next_id(), webhook.id);
                    turn.ask(Effect::Redeliver { request, webhook, delivery });
                }
                None => turn.say(NoticeKind::Hint, "No delivery to resend."),
            },
            Command::WebhookEnable if turn.may_write() => {
                if webhook.disabled_at.is_none() {
                    turn.say(NoticeKind::Hint, "This webhook is already on.");
                } else {
                    let enable = AnyRequest::EnableWebhook(EnableWebhook(webhook.id));
                    turn.request(|request| Effect::Change { request, change: Box::new(enable) });
                }
            }
            Command::WebhookRotate if turn.may_write() => Self::ask_rotate(webhook, turn),
            Command::WebhookDisable if turn.may_write() => {
                if webhook.disabled_at.is_some() {
                    turn.say(NoticeKind::Hint, "This webhook is already off.");
                } else {
                    let disable = AnyRequest::DisableWebhook(DisableWebhook(webhook.id));
                    turn.request(|request| Effect::Change { request, change: Box::new(disable) });
                }
            }
            Command::WebhookDelete | Command::Remove if turn.may_write() => Self::ask_delete(webhook, turn),
            Command::WebhookPing
            | Command::WebhookRedeliver
            | Command::WebhookDelete
            | Command::WebhookEnable
            | Command::WebhookRotate
            | Command::WebhookDisable
            | Command::Remove => {}
            _ => return false,
        }
        true
    }

    pub(super) fn on_deliveries(&mut self, command: Command, turn: &mut Turn) -> bool {
        let (page, all) = (view::delivery_rows(self).max(1), self.deliveries_count());
        match command {
            _ if self.delivery.command(command, page, all) => {}
            Command::Back | Command::Left => self.focus = Focus::List,
            Command::Open => {
                if let Some(delivery) = self.chosen_delivery() {
                    turn.outcomes.push(Outcome::Show(Box::new(view::delivery_page(delivery, &self.zone))));
                }
            }
            Command::Copy => {
                if let Some(delivery) = self.chosen_delivery() {
                    let texts = vec![
                        ("body", delivery.body.to_string()),
                        ("message ID", delivery.message_id.clone()),
                        ("created", delivery.created_at.clone()),
                    ];
                    turn.outcomes.push(Outcome::Copy(texts));
                }
            }
            _ => return false,
        }
        true
    }

    pub(super) fn on_received(&mut self, command: Command, turn: &mut Turn) -> bool {
        match command {
            _ if self.received.command(command) => {}
            Command::Back | Command::Left => self.focus = Focus::List,
            Command::Open | Command::Copy => {
                let Some(received) = self.received.current() else { return true };
                let body = serde_json::to_string_pretty(&received.body).unwrap_or_default();
                let lines = body.lines().map(|line| (Role::Text, text::line(line).into_owned())).collect();
                let page = Page::new("Received event", lines, "‹app.copy› copies  Esc closes")
                    .with_copy(received.body.to_string());
                turn.outcomes.push(Outcome::Show(Box::new(page)));
            }
            _ => return false,
        }
        true
    }

    pub(super) fn next_event(&mut self) {
        let at = self.event.as_ref().and_then(|event| WebhookEvent::ALL.iter().position(|known| known == event));
        self.event = match at {
            None => WebhookEvent::ALL.first().cloned(),
            Some(at) => WebhookEvent::ALL.get(at + 1).cloned(),
        };
    }

    pub(super) fn on_list(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        if command == Command::Back
            && let Some(request) = self.list.stop(now)
        {
            turn.cancel([request]);
            return true;
        }
        match command {
            _ if self.lines.command(command) => self.look_closer(false, now, turn),
            Command::WebhookEvent => {
                self.next_event();
                self.searched(now, turn);
            }
            Command::Back if !self.lines.query().is_empty() || self.event.is_some() => {
                self.lines.clear_query();
                self.event = None;
                self.listed(now, turn);
            }
            Command::NextPane => {
                self.focus = if self.received.is_empty() { Focus::Deliveries } else { Focus::Received };
            }
            other => return self.on_webhook(other, turn),
        }
        true
    }
}
