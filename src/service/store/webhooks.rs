//! Webhook subscriptions, §4.6.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::{Identity, Store, StoreError, now_text};
use crate::domain::{Webhook, WebhookEvent, WebhookId};

/// What is said of a subscription that the workspace does not have.
pub(super) const NO_WEBHOOK: StoreError = StoreError::Missing("The workspace has no such webhook.");

/// Random bytes of a subscription's secret, as Standard Webhooks has it.
const SECRET_BYTES: usize = 32;

/// Keeps a subscription, with a secret of its own that signs its deliveries.
pub(super) fn insert(
    connection: &Connection,
    of: &Identity,
    event: &WebhookEvent,
    url: &str,
) -> Result<Webhook, StoreError> {
    let mut secret = [0_u8; SECRET_BYTES];
    getrandom::fill(&mut secret).map_err(|error| StoreError::Random(error.to_string()))?;
    let now = now_text();
    let webhook = Webhook {
        id: WebhookId::new(Uuid::new_v4()),
        url: url.to_owned(),
        event: event.clone(),
        owner: of.user.clone(),
        typename: Some("webhook".to_owned()),
        created_at: now.clone(),
        updated_at: now,
        ..Webhook::default()
    };
    connection.execute(
        "INSERT INTO webhook (id, workspace, owner, event, url, secret, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
        params![
            webhook.id.as_str(),
            of.workspace,
            of.user.as_str(),
            event.as_str(),
            url,
            format!("whsec_{}", STANDARD.encode(secret)),
            webhook.created_at,
        ],
    )?;
    Ok(webhook)
}

impl Store {
    /// Subscribes an address to an event.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn create_webhook(&self, of: &Identity, event: WebhookEvent, url: String) -> Result<Webhook, StoreError> {
        let of = of.clone();
        self.write(move |transaction| insert(transaction, &of, &event, &url)).await
    }

    /// Ends a subscription. Its deliveries go with it, those under way and those that are shown.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such subscription; else where the database refuses.
    pub async fn delete_webhook(&self, workspace: i64, id: WebhookId) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let sql = "DELETE FROM webhook WHERE id = ?1 AND workspace = ?2";
            if transaction.execute(sql, params![id.as_str(), workspace])? == 0 {
                return Err(NO_WEBHOOK);
            }
            transaction.execute("DELETE FROM delivery WHERE webhook = ?1", [id.as_str()])?;
            Ok(())
        })
        .await
    }

    /// The subscriptions of a workspace, the oldest first, without the member that only create shows (§2.6).
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn webhooks(&self, workspace: i64) -> Result<Vec<Webhook>, StoreError> {
        self.readers
            .run(move |connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT id, url, event, owner, created_at, updated_at FROM webhook WHERE workspace = ?1
                     ORDER BY number",
                )?;
                let webhooks = statement.query_map([workspace], |row| {
                    let event: String = row.get(2)?;
                    Ok(Webhook {
                        id: row.get::<_, String>(0)?.into(),
                        url: row.get(1)?,
                        event: WebhookEvent::known(&event).unwrap_or(WebhookEvent::Other(event)),
                        owner: row.get::<_, String>(3)?.into(),
                        typename: None,
                        created_at: row.get(4)?,
                        updated_at: row.get(5)?,
                        ..Webhook::default()
                    })
                })?;
                Ok(webhooks.collect::<Result<_, _>>()?)
            })
            .await
    }
}
