//! The driver of the Webhooks screen.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::failure;
use super::listen::{DEFAULT_LISTEN, ListenOptions, Receiver};
use crate::api::{
    CreateWebhook, DeleteWebhook, GetWebhookSecret, ListDeliveries, ListWebhooks, PingWebhook, Redeliver,
    RotateWebhookSecret,
};
use crate::client::{Client, ClientError};
use crate::domain::{WebhookId, WebhookSecret};
use crate::studio::event::{Event as Outer, Failure, RequestId};
use crate::studio::webhooks::{Effect, Event};

/// Carries out what the Webhooks screen asks for.
pub struct WebhooksDriver {
    events: UnboundedSender<Outer>,
    receiver: Arc<Mutex<Option<Receiver>>>,
}

/// What the local service offers and others need not.
fn offered(error: &ClientError) -> String {
    match error.status() {
        Some(404 | 405) => "This service does not offer that; the local workspace and cutaway serve do.".to_owned(),
        _ => error.to_string(),
    }
}

impl WebhooksDriver {
    /// The driver that reports to `events`.
    #[must_use]
    pub fn new(events: UnboundedSender<Outer>) -> Self {
        Self { events, receiver: Arc::default() }
    }

    /// Carries an effect out.
    pub fn carry_out(&mut self, effect: Effect, client: Option<Client>) {
        let tell = {
            let events = self.events.clone();
            move |event| {
                let _ = events.send(Outer::Webhooks(event));
            }
        };
        let Some(client) = client else {
            let request = match effect {
                Effect::Ping { request, .. } | Effect::Redeliver { request, .. } => request,
                _ => RequestId::default(),
            };
            tell(Event::Queued { request, queued: Err("There is no connection to the service yet.".to_owned()) });
            return;
        };
        let receiver = Arc::clone(&self.receiver);
        let events = self.events.clone();
        tokio::spawn(async move {
            match effect {
                Effect::List(request) => {
                    let webhooks = client.call(&ListWebhooks).await;
                    let webhooks = webhooks.map(|answer| answer.value).map_err(|error| failure(&error));
                    tell(Event::Listed { request, webhooks });
                }
                Effect::Deliveries { request, webhook, after_ms } => {
                    tokio::time::sleep(Duration::from_millis(after_ms)).await;
                    let deliveries = match client.call(&ListDeliveries(webhook)).await {
                        Ok(answer) => Ok(Some(answer.value.deliveries)),
                        Err(error) if matches!(error.status(), Some(404 | 405)) => Ok(None),
                        Err(error) => Err(failure(&error)),
                    };
                    tell(Event::Deliveries { request, deliveries });
                }
                Effect::Create { event, url } => {
                    let created = client.call(&CreateWebhook { event, url, ..CreateWebhook::default() }).await;
                    let created = created.map(|answer| Box::new(answer.value)).map_err(|error| error.to_string());
                    tell(Event::Created(created));
                }
                Effect::Delete(webhook) => {
                    let said = delete(&client, &webhook).await;
                    tell(Event::Deleted { webhook, said });
                }
                Effect::Change(request) => {
                    let changed = client.perform(&request).await;
                    tell(Event::Changed(changed.map(|answer| Box::new(answer.value)).map_err(|error| offered(&error))));
                }
                Effect::Ping { request, webhook } => {
                    let queued = client.call(&PingWebhook(webhook)).await;
                    let queued = queued.map(|_| "A message is on its way.").map_err(|error| offered(&error));
                    tell(Event::Queued { request, queued });
                }
                Effect::Redeliver { request, webhook, delivery } => {
                    let queued = client.call(&Redeliver { webhook, delivery }).await;
                    let queued = queued.map(|_| "It is delivered once more.").map_err(|error| offered(&error));
                    tell(Event::Queued { request, queued });
                }
                Effect::Rotate(webhook) => {
                    let secret = client.call(&RotateWebhookSecret(webhook.clone())).await;
                    let secret = secret.map(|answer| WebhookSecret::new(&answer.value.secret));
                    tell(Event::Rotated { webhook, secret: secret.map_err(|error| offered(&error)) });
                }
                Effect::Secret(webhook) => {
                    let secret = client.call(&GetWebhookSecret(webhook)).await;
                    let secret = secret.map(|answer| WebhookSecret::new(&answer.value.secret));
                    tell(Event::Secret(secret.map_err(|error| offered(&error))));
                }
                Effect::Listen => tell(Event::Listening(listen(client, events, &receiver).await)),
                Effect::StopListening => drop(keep(&receiver, None)),
            }
        });
    }
}

/// Deletes a subscription. A service that lists it and answers 404 does not offer that.
async fn delete(client: &Client, webhook: &WebhookId) -> Result<(), Failure> {
    let Err(error) = client.call(&DeleteWebhook { id: webhook.clone() }).await else { return Ok(()) };
    let not_offered = match error.status() {
        Some(404) => match client.call(&ListWebhooks).await {
            Ok(listed) => listed.value.iter().any(|listed| listed.id == *webhook),
            Err(_) => true,
        },
        Some(405 | 501) => true,
        _ => false,
    };
    let mut failure = failure(&error);
    if not_offered {
        "this service does not offer deleting webhooks. Nothing was deleted.".clone_into(&mut failure.what);
    }
    Err(failure)
}

fn keep(kept: &Mutex<Option<Receiver>>, receiver: Option<Receiver>) -> Option<Receiver> {
    std::mem::replace(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner), receiver)
}

async fn listen(
    client: Client,
    events: UnboundedSender<Outer>,
    kept: &Mutex<Option<Receiver>>,
) -> Result<String, String> {
    let (sender, mut arrived) = unbounded_channel();
    let usual = DEFAULT_LISTEN.parse().map_err(|_| "no address to receive on".to_owned())?;
    let options = |addr| ListenOptions {
        addr,
        forward_to: None,
        forward_unverified: false,
        client: client.clone(),
        secret: None,
    };
    let receiver = if let Ok(receiver) = Receiver::start(options(usual), sender.clone()).await {
        receiver
    } else {
        // Another studio listens there.
        let free = std::net::SocketAddr::new(usual.ip(), 0);
        Receiver::start(options(free), sender).await.map_err(|error| error.to_string())?
    };
    let address = receiver.url.to_string();
    keep(kept, Some(receiver));
    tokio::spawn(async move {
        while let Some(event) = arrived.recv().await {
            let _ = events.send(Outer::Webhooks(Event::Received(Box::new(event))));
        }
    });
    Ok(address)
}
