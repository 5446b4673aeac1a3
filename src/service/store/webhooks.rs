//! Webhook subscriptions, §4.6.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::creations::once;
use super::db::{self, Connection, OptionalExtension as _, Row, params};
use super::{Created, CreationKey, Identity, Store, StoreError, now_text};
use crate::domain::{Webhook, WebhookEvent, WebhookId, WebhookSecret};

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
    let (secret, now) = (new_secret()?, now_text());
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
        params![webhook.id.as_str(), of.workspace, of.user.as_str(), event.as_str(), url, secret, webhook.created_at,],
    )?;
    Ok(webhook)
}

fn record(row: &Row<'_>) -> db::Result<Webhook> {
    let event: String = row.get(2)?;
    Ok(Webhook {
        id: row.get::<String>(0)?.into(),
        url: row.get(1)?,
        event: WebhookEvent::known(&event).unwrap_or(WebhookEvent::Other(event)),
        owner: row.get::<String>(3)?.into(),
        typename: None,
        created_at: row.get(4)?,
        updated_at: row.get(5)?,
        disabled_at: row.get(6)?,
        disabled_reason: row.get(7)?,
        ..Webhook::default()
    })
}

/// One subscription, as it is now.
pub(super) fn one(connection: &Connection, id: &str) -> Result<Webhook, StoreError> {
    let sql = "SELECT id, url, event, owner, created_at, updated_at, ended_at, ended_why FROM webhook WHERE id = ?1";
    Ok(connection.query_row(sql, [id], record)?)
}

/// A new secret, as Standard Webhooks writes it.
pub(super) fn new_secret() -> Result<String, StoreError> {
    let mut secret = [0_u8; SECRET_BYTES];
    getrandom::fill(&mut secret).map_err(|error| StoreError::Random(error.to_string()))?;
    Ok(format!("whsec_{}", STANDARD.encode(secret)))
}

/// Secrets of a subscription that were replaced and still sign, at most: each makes every delivery's head longer.
const MOST_OLD: usize = 3;

/// A secret that was replaced, and when it stops signing, milliseconds since 1970.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct OldSecret {
    secret: String,
    until: i64,
}

/// The secrets of a subscription: the one that signs, and those that were replaced lately and sign beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secrets {
    /// The one that signs.
    pub current: WebhookSecret,
    /// Those that were replaced and still sign, the latest first.
    pub old: Vec<WebhookSecret>,
    /// When the last of them stops signing, milliseconds since 1970.
    pub until: Option<i64>,
}

impl Secrets {
    /// Reads them as they are kept, without those whose time is over.
    pub(super) fn read(current: &str, old: &str, now: i64) -> Result<Self, StoreError> {
        let old: Vec<OldSecret> = serde_json::from_str(old)?;
        let old: Vec<OldSecret> = old.into_iter().filter(|old| old.until > now).collect();
        Ok(Self {
            current: WebhookSecret::new(current),
            until: old.iter().map(|old| old.until).max(),
            old: old.iter().map(|old| WebhookSecret::new(&old.secret)).collect(),
        })
    }

    /// Everything that signs, the current one first.
    pub fn all(&self) -> impl Iterator<Item = &WebhookSecret> {
        std::iter::once(&self.current).chain(&self.old)
    }
}

impl Store {
    /// Gives a subscription a new secret; the one before signs beside it for so many milliseconds.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such subscription, [`StoreError::Conflict`] where too many
    /// replaced secrets sign still; else where the database refuses.
    pub async fn rotate_secret(
        &self,
        workspace: i64,
        webhook: WebhookId,
        now: i64,
        kept_for: i64,
    ) -> Result<Secrets, StoreError> {
        self.write(move |transaction| {
            let sql = "SELECT secret, old_secrets FROM webhook WHERE id = ?1 AND workspace = ?2";
            let read = |row: &Row<'_>| Ok((row.get::<String>(0)?, row.get::<String>(1)?));
            let kept = transaction.query_row(sql, params![webhook.as_str(), workspace], read).optional()?;
            let (current, old) = kept.ok_or(NO_WEBHOOK)?;
            let mut old: Vec<OldSecret> = serde_json::from_str(&old)?;
            old.retain(|old| old.until > now);
            if old.len() >= MOST_OLD {
                let why = format!("The secret was replaced {MOST_OLD} times recently; wait until an old one expires.");
                return Err(StoreError::Conflict(why));
            }
            old.insert(0, OldSecret { secret: current, until: now.saturating_add(kept_for) });
            let (new, old) = (new_secret()?, serde_json::to_string(&old)?);
            let sql = "UPDATE webhook SET secret = ?2, old_secrets = ?3, updated_at = ?4 WHERE id = ?1";
            transaction.execute(sql, params![webhook.as_str(), new, old, now_text()])?;
            Secrets::read(&new, &old, now)
        })
        .await
    }

    /// Switches a subscription on again. What was not delivered while it was off is not delivered now.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such subscription; else where the database refuses.
    pub async fn enable_webhook(&self, workspace: i64, id: WebhookId) -> Result<Webhook, StoreError> {
        self.write(move |transaction| {
            let changed = transaction.execute(
                "UPDATE webhook SET ended_at = NULL, ended_why = NULL, failing_since = NULL, failures = 0,
                 updated_at = CASE WHEN ended_at IS NULL THEN updated_at ELSE ?3 END WHERE id = ?1 AND workspace = ?2",
                params![id.as_str(), workspace, now_text()],
            )?;
            if changed == 0 {
                return Err(NO_WEBHOOK);
            }
            one(transaction, id.as_str())
        })
        .await
    }

    /// Subscribes an address to an event, once under its key.
    ///
    /// # Errors
    /// [`StoreError::OtherCreation`]; else where the database refuses.
    pub async fn create_webhook(
        &self,
        of: &Identity,
        event: WebhookEvent,
        url: String,
        key: Option<CreationKey>,
    ) -> Result<Created, StoreError> {
        let of = of.clone();
        self.write(move |transaction| {
            once(transaction, of.workspace, key.as_ref(), || {
                Ok(serde_json::to_vec(&insert(transaction, &of, &event, &url)?)?)
            })
        })
        .await
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
            super::creations::forget_deleted(transaction, workspace, id.as_str())?;
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
                    "SELECT id, url, event, owner, created_at, updated_at, ended_at, ended_why FROM webhook
                     WHERE workspace = ?1 ORDER BY number",
                )?;
                let webhooks = statement.query_map([workspace], record)?;
                Ok(webhooks.collect::<Result<_, _>>()?)
            })
            .await
    }
}
