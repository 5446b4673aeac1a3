//! The signing secrets of a receiver's subscriptions: asked for once at the start, and again for a signature that none of
//! them made. Strangers' posts make as good as no questions of it, and nobody whose secret is known waits for one.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::{Mutex, OnceCell};
use tokio::time::Instant;

use crate::api::{GetWebhookSecret, ListWebhooks};
use crate::client::Client;
use crate::domain::{Webhook, WebhookId, WebhookSecret};

/// Between two questions at least, however many signatures are unknown.
const ASKING_AGAIN: Duration = Duration::from_secs(2);

/// A subscription and its secret.
#[derive(Clone)]
pub struct Known {
    /// The subscription and its event; nothing of a secret that is known otherwise.
    pub webhook: Option<(WebhookId, String)>,
    /// What its deliveries are signed with.
    pub secret: WebhookSecret,
}

/// All that are known.
pub struct Secrets {
    client: Client,
    known: RwLock<Arc<Vec<Known>>>,
    first: OnceCell<()>,
    /// When it was asked again. Held while that is done: who needs the same answer waits for it.
    asked: Mutex<Option<Instant>>,
}

impl Secrets {
    /// Those that `client` is told of, beside one that is known otherwise. Nothing is asked yet.
    #[must_use]
    pub fn new(client: Client, given: Option<WebhookSecret>) -> Self {
        let given = given.into_iter().map(|secret| Known { webhook: None, secret });
        let known = RwLock::new(Arc::new(given.collect()));
        Self { client, known, first: OnceCell::new(), asked: Mutex::default() }
    }

    /// What is known by now.
    #[must_use]
    pub fn known(&self) -> Arc<Vec<Known>> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What is known once the service was asked for the first time.
    pub async fn at_first(&self) -> Arc<Vec<Known>> {
        self.first.get_or_init(|| self.ask()).await;
        self.known()
    }

    /// What is known where `known` was not enough: the service is asked again, unless it was asked a moment ago.
    pub async fn beyond(&self, known: &Arc<Vec<Known>>) -> Arc<Vec<Known>> {
        let mut asked = self.asked.lock().await;
        let lately = asked.is_some_and(|at| at.elapsed() < ASKING_AGAIN);
        // Another one may have asked while this one waited.
        if Arc::ptr_eq(known, &self.known()) && !lately {
            self.ask().await;
            *asked = Some(Instant::now());
        }
        self.known()
    }

    /// Learns the secrets of all subscriptions, as far as the service tells them. What can't be had at the moment stays
    /// as it is known: a service that fails makes no signature unknown.
    async fn ask(&self) {
        let before = self.known();
        let webhooks: Vec<Webhook> = match self.client.call(&ListWebhooks).await {
            Ok(answer) => answer.value,
            Err(error) => {
                tracing::debug!(%error, "the subscriptions are not told");
                return;
            }
        };
        let of = |id: &WebhookId| before.iter().find(|one| one.webhook.as_ref().is_some_and(|(known, _)| known == id));
        let has_told = before.iter().any(|one| one.webhook.is_some());
        let mut known: Vec<Known> = before.iter().filter(|one| one.webhook.is_none()).cloned().collect();
        for webhook in webhooks {
            match self.client.call(&GetWebhookSecret(webhook.id.clone())).await {
                Ok(answer) => {
                    let secret = WebhookSecret::new(&answer.value.secret);
                    known.push(Known { webhook: Some((webhook.id, webhook.event.as_str().to_owned())), secret });
                }
                // A service without this says so for each of them. One that had it tells of a subscription that was
                // deleted meanwhile.
                Err(error) if matches!(error.status(), Some(404 | 405)) && !has_told && known.is_empty() => break,
                Err(error) if matches!(error.status(), Some(404 | 405 | 410)) => {}
                Err(_) => known.extend(of(&webhook.id).cloned()),
            }
        }
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(known);
    }
}
