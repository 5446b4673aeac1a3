//! The driver of the Webhooks screen.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::unbounded_channel;

use super::context::{Answer, Context, Driver};
use crate::api::{
    CreateWebhook, DeleteWebhook, GetWebhookSecret, ListDeliveries, ListWebhooks, PingWebhook, Redeliver,
    RotateWebhookSecret,
};
use crate::client::{Client, ClientError};
use crate::domain::{WebhookId, WebhookSecret};
use crate::runtime::failure;
use crate::runtime::listen::{DEFAULT_LISTEN, ListenOptions, Receiver};
use crate::studio::event::{Event as Outer, Failure};
use crate::studio::webhooks::{Effect, Event};

/// Carries out what the Webhooks screen asks for.
#[derive(Default)]
pub struct WebhooksDriver {
    receiver: Arc<Mutex<Option<Receiver>>>,
}

/// What the local service offers and others need not.
fn offered(error: &ClientError) -> String {
    match error.status() {
        Some(404 | 405) => "This service doesn't offer that; the local workspace and cutaway serve do.".to_owned(),
        _ => error.to_string(),
    }
}

impl Driver for WebhooksDriver {
    type Effect = Effect;

    fn hand_over(&mut self, effect: Effect, _context: &Context) -> Option<Effect> {
        if let Effect::StopListening = effect {
            drop(keep(&self.receiver, None));
            return None;
        }
        Some(effect)
    }

    fn answer(&self, effect: Effect, context: Context) -> Answer<Effect> {
        Box::pin(answered(effect, context, Arc::clone(&self.receiver)))
    }
}

async fn answered(effect: Effect, context: Context, receiver: Arc<Mutex<Option<Receiver>>>) -> Option<Event> {
    let client = context.client()?;
    Some(match effect {
        Effect::List(request) => {
            let webhooks = client.call(&ListWebhooks).await;
            let webhooks = webhooks.map(|answer| answer.value).map_err(|error| failure(&error));
            Event::Listed { request, webhooks }
        }
        Effect::Deliveries { request, webhook, .. } => {
            let deliveries = match client.call(&ListDeliveries(webhook)).await {
                Ok(answer) => Ok(Some(answer.value.deliveries)),
                Err(error) if matches!(error.status(), Some(404 | 405)) => Ok(None),
                Err(error) => Err(failure(&error)),
            };
            Event::Deliveries { request, deliveries }
        }
        Effect::Create { request, event, url } => {
            let created = client.call(&CreateWebhook { event, url, ..CreateWebhook::default() }).await;
            let created = created.map(|answer| Box::new(answer.value)).map_err(|error| error.to_string());
            Event::Created { request, created }
        }
        Effect::Delete { request, webhook } => {
            let said = delete(&client, &webhook).await;
            Event::Deleted { request, webhook, said }
        }
        Effect::Change { request, change } => {
            let changed = client.perform(&change).await;
            let changed = changed.map(|answer| Box::new(answer.value)).map_err(|error| offered(&error));
            Event::Changed { request, changed }
        }
        Effect::Ping { request, webhook } => {
            let queued = client.call(&PingWebhook(webhook)).await;
            let queued = queued.map(|_| "Test event sent.").map_err(|error| offered(&error));
            Event::Queued { request, queued }
        }
        Effect::Redeliver { request, webhook, delivery } => {
            let queued = client.call(&Redeliver { webhook, delivery }).await;
            let queued = queued.map(|_| "Delivery sent again.").map_err(|error| offered(&error));
            Event::Queued { request, queued }
        }
        Effect::Rotate { request, webhook } => {
            let secret = client.call(&RotateWebhookSecret(webhook.clone())).await;
            let secret = secret.map(|answer| WebhookSecret::new(&answer.value.secret));
            Event::Rotated { request, webhook, secret: secret.map_err(|error| offered(&error)) }
        }
        Effect::Secret { request, webhook } => {
            let secret = client.call(&GetWebhookSecret(webhook)).await;
            let secret = secret.map(|answer| WebhookSecret::new(&answer.value.secret));
            Event::Secret { request, secret: secret.map_err(|error| offered(&error)) }
        }
        Effect::Listen(request) => Event::Listening { request, listening: listen(client, &context, &receiver).await },
        Effect::StopListening => return None,
    })
}

/// Deletes a subscription. A service that lists it and answers 404 does not offer that.
async fn delete(client: &Client, webhook: &WebhookId) -> Result<(), Failure> {
    const CANT: &str = "this service can't delete webhooks. Nothing was deleted.";
    let Err(error) = client.call(&DeleteWebhook { id: webhook.clone() }).await else { return Ok(()) };
    let mut failure = failure(&error);
    match error.status() {
        Some(404) => match client.call(&ListWebhooks).await {
            Ok(listed) if listed.value.iter().any(|listed| listed.id == *webhook) => CANT.clone_into(&mut failure.what),
            Ok(_) => {}
            Err(unlisted) => {
                failure.what = format!(
                    "{error}. Either the service has no such webhook, or it can't delete webhooks; the list couldn't be \
                     loaded: {unlisted}"
                );
            }
        },
        Some(405 | 501) => CANT.clone_into(&mut failure.what),
        _ => {}
    }
    Err(failure)
}

fn keep(kept: &Mutex<Option<Receiver>>, receiver: Option<Receiver>) -> Option<Receiver> {
    std::mem::replace(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner), receiver)
}

async fn listen(client: Client, context: &Context, kept: &Mutex<Option<Receiver>>) -> Result<String, String> {
    if !context.host.listening {
        return Err("Events can't be received here.".to_owned());
    }
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
    let events = context.events.clone();
    context.tasks.spawn(async move {
        while let Some(event) = arrived.recv().await {
            let _ = events.send(Outer::Webhooks(Event::Received(Box::new(event))));
        }
    });
    Ok(address)
}
