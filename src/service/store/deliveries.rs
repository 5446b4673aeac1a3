//! Deliveries to subscriptions, §6: a queue that survives, and what became of each.

use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::db::{self, Connection, OptionalExtension as _, Row, Transaction, params};
use super::rules::outcome::{Outcome, Said, SwitchOff};
use super::rules::payload::Payload;
use super::webhooks::{self, NO_WEBHOOK, Secrets};
use super::{Store, StoreError, moment_text, now_text};
use crate::domain::{Webhook, WebhookEvent, WebhookId, WebhookSecret};

/// A delivery that is due, with what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// Its id.
    pub id: String,
    /// The subscription.
    pub webhook: String,
    /// Where it goes.
    pub url: String,
    /// The workspace.
    pub workspace: i64,
    /// Whether its receiver did not take the last thing, or nothing yet.
    pub unproven: bool,
    /// What it is signed with.
    pub secrets: Secrets,
    /// The message's id, the same in each attempt.
    pub message: String,
    /// The body.
    pub body: String,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is given up, milliseconds since 1970.
    pub tried_until: i64,
    /// When it became due, milliseconds since 1970: another one by the time it is settled means that it was asked for
    /// again meanwhile.
    pub due_at: i64,
    /// How often its subscription was claimed. Whoever claims it raises that, so of several who read it only one claims it,
    /// and what came of an attempt counts only while nobody claimed it again.
    pub fence: i64,
}

/// The deliveries that are due, and when to look again.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// One for each subscription at most.
    pub due: Vec<Due>,
    /// When the next one will be due, milliseconds since 1970.
    pub next_at: Option<i64>,
}

/// A subscription with something due, before it is chosen.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The subscription.
    pub webhook: &'a str,
    /// Its workspace.
    pub workspace: i64,
    /// Where it goes.
    pub url: &'a str,
    /// Whether its receiver did not take the last thing, or nothing yet.
    pub unproven: bool,
}

/// A delivery as it is shown.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryRecord {
    /// Its id.
    pub id: String,
    /// The subscription's.
    pub webhook_id: String,
    /// The `webhook-id` header.
    pub message_id: String,
    /// The event.
    pub event: String,
    /// `pending`, `delivered`, `failed` or `ended`.
    pub state: String,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was queued.
    pub created_at: String,
    /// When it is tried next.
    pub next_at: Option<String>,
    /// When it was tried last.
    pub attempted_at: Option<String>,
    /// The last answer's status.
    pub status: Option<u16>,
    /// Why there was no answer.
    pub error: Option<String>,
    /// The begin of the last answer's body.
    pub response_body: Option<String>,
    /// What was sent.
    pub body: Box<RawValue>,
}

/// Deliveries shown at most.
const MOST_SHOWN: i64 = 100;

const NO_DELIVERY: StoreError = StoreError::Missing("The webhook has no such delivery.");

const RECORD: &str = "SELECT id, webhook, message, event, state, attempts, created_at, next_at, attempted_at, status,
    error, answer, body FROM delivery";

fn record(row: &Row<'_>) -> db::Result<DeliveryRecord> {
    let moment = |at: Option<i64>| at.map(moment_text);
    let body: String = row.get(12)?;
    let body = RawValue::from_string(body).map_err(|error| db::Error::Other(error.into()))?;
    Ok(DeliveryRecord {
        id: row.get(0)?,
        webhook_id: row.get(1)?,
        message_id: row.get(2)?,
        event: row.get(3)?,
        state: row.get(4)?,
        attempts: row.get(5)?,
        created_at: moment_text(row.get(6)?),
        next_at: moment(row.get(7)?),
        attempted_at: moment(row.get(8)?),
        status: row.get(9)?,
        error: row.get(10)?,
        response_body: row.get(11)?,
        body,
    })
}

/// Whether anybody is to be told of this event.
pub(super) fn has_subscription(
    connection: &Connection,
    workspace: i64,
    event: &WebhookEvent,
) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM webhook WHERE workspace = ?1 AND event = ?2 AND ended_at IS NULL";
    Ok(connection.prepare_cached(sql)?.exists(params![workspace, event.as_str()])?)
}

/// Queues a message for every subscription of an event; how many there are.
pub(super) fn queue(
    transaction: &Transaction,
    workspace: i64,
    event: &WebhookEvent,
    body: &str,
    now: i64,
    tried_for: i64,
) -> Result<usize, StoreError> {
    let webhooks: Vec<String> = {
        let sql = "SELECT id FROM webhook WHERE workspace = ?1 AND event = ?2 AND ended_at IS NULL ORDER BY number";
        let mut statement = transaction.prepare_cached(sql)?;
        let rows = statement.query_map(params![workspace, event.as_str()], |row| row.get(0))?;
        rows.collect::<Result<_, _>>()?
    };
    let message = new_message();
    for webhook in &webhooks {
        insert(transaction, webhook, &message, event.as_str(), body, now, tried_for)?;
    }
    Ok(webhooks.len())
}

fn new_message() -> String {
    format!("msg_{}", Uuid::new_v4().simple())
}

fn insert(
    transaction: &Transaction,
    webhook: &str,
    message: &str,
    event: &str,
    body: &str,
    now: i64,
    tried_for: i64,
) -> Result<String, StoreError> {
    let id = Uuid::new_v4().to_string();
    transaction
        .prepare_cached(
            "INSERT INTO delivery (id, webhook, message, event, body, created_at, tried_until, next_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6)",
        )?
        .execute(params![id, webhook, message, event, body, now, now.saturating_add(tried_for)])?;
    Ok(id)
}

/// The event of a workspace's subscription.
fn event_of(connection: &Connection, workspace: i64, webhook: &str) -> Result<String, StoreError> {
    let sql = "SELECT event FROM webhook WHERE id = ?1 AND workspace = ?2";
    connection.query_row(sql, params![webhook, workspace], |row| row.get(0)).optional()?.ok_or(NO_WEBHOOK)
}

fn one(connection: &Connection, id: &str) -> Result<DeliveryRecord, StoreError> {
    connection.query_row(&format!("{RECORD} WHERE id = ?1"), [id], record).optional()?.ok_or(NO_DELIVERY)
}

/// Switches a subscription off, with all that waits for it. Says whether it was on.
fn end(transaction: &Transaction, webhook: &str, why: &str) -> Result<bool, StoreError> {
    let sql = "UPDATE webhook SET ended_at = ?2, ended_why = ?3 WHERE id = ?1 AND ended_at IS NULL";
    let was_on = transaction.execute(sql, params![webhook, now_text(), why])? > 0;
    let sql = "UPDATE delivery SET state = 'ended', next_at = NULL WHERE webhook = ?1 AND next_at IS NOT NULL";
    transaction.execute(sql, [webhook])?;
    Ok(was_on)
}

impl Store {
    /// The deliveries that are due, the longest due first: one of each subscription that is `admitted`, `most` in all.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn due(
        &self,
        now: i64,
        most: usize,
        mut admitted: impl FnMut(Candidate<'_>) -> bool + Send + 'static,
    ) -> Result<Round, StoreError> {
        // By subscription, so that a receiver with a long queue costs no more than one with a short.
        const SUBSCRIPTIONS: &str = "SELECT id, url, secret, max(due, lease) AS free, workspace, unproven, old_secrets, due, fence
            FROM (SELECT id, url, secret, workspace, failing_since IS NOT NULL OR delivered_at IS NULL AS unproven, old_secrets,
            coalesce(lease_until, 0) AS lease, fence, (SELECT min(next_at)
            FROM delivery WHERE delivery.webhook = webhook.id AND next_at IS NOT NULL) AS due FROM webhook) AS waiting
            WHERE due IS NOT NULL ORDER BY free";
        const DELIVERY: &str = "SELECT id, message, body, attempts, tried_until FROM delivery
            WHERE webhook = ?1 AND next_at = ?2 ORDER BY number LIMIT 1";
        self.readers
            .run(move |connection| {
                let transaction = connection.transaction()?;
                let mut round = Round::default();
                let mut subscriptions = transaction.prepare_cached(SUBSCRIPTIONS)?;
                let mut rows = subscriptions.query([])?;
                while let Some(row) = rows.next()? {
                    let (webhook, free, at): (String, i64, i64) = (row.get(0)?, row.get(3)?, row.get(7)?);
                    if free > now || round.due.len() == most {
                        round.next_at = Some(free);
                        break;
                    }
                    let (url, workspace, unproven): (String, i64, bool) = (row.get(1)?, row.get(4)?, row.get(5)?);
                    // Whoever is not admitted waits for one that runs, whose end begins another round.
                    if !admitted(Candidate { webhook: &webhook, workspace, url: &url, unproven }) {
                        continue;
                    }
                    let (secret, old): (String, String) = (row.get(2)?, row.get(6)?);
                    let (secrets, fence) = (Secrets::read(&secret, &old, now)?, row.get(8)?);
                    let due = transaction.prepare_cached(DELIVERY)?.query_row(params![webhook, at], |found| {
                        Ok(Due {
                            id: found.get(0)?,
                            webhook: webhook.clone(),
                            url,
                            workspace,
                            unproven,
                            secrets,
                            message: found.get(1)?,
                            body: found.get(2)?,
                            attempts: found.get(3)?,
                            tried_until: found.get(4)?,
                            due_at: at,
                            fence,
                        })
                    })?;
                    round.due.push(due);
                }
                Ok(round)
            })
            .await
    }

    /// Claims the subscription of a delivery from now until then, milliseconds since 1970; its fence from then on. Nothing
    /// where somebody else has claimed it meanwhile, or the delivery is not due any more. `lease` is asked for both moments
    /// once the transaction has begun, which tells this process the clock of the database.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn claim(
        &self,
        due: &Due,
        lease: impl Fn() -> (i64, i64) + Clone + Send + 'static,
    ) -> Result<Option<i64>, StoreError> {
        const CLAIM: &str = "UPDATE webhook SET lease_until = ?4, fence = fence + 1
            WHERE id = ?1 AND fence = ?2 AND coalesce(lease_until, 0) <= ?3
            AND EXISTS (SELECT 1 FROM delivery WHERE id = ?5 AND next_at = ?6) RETURNING fence";
        let (webhook, fence, id, due_at) = (due.webhook.clone(), due.fence, due.id.clone(), due.due_at);
        self.write_beside(move |transaction| {
            let (now, until) = lease();
            let claim = params![webhook, fence, now, until, id, due_at];
            Ok(transaction.prepare_cached(CLAIM)?.query_row(claim, |row| row.get(0)).optional()?)
        })
        .await
    }

    /// Ends all claims: whoever knows that nobody else delivers need not wait for what a process before left.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn end_claims(&self) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("UPDATE webhook SET lease_until = NULL WHERE lease_until IS NOT NULL", [])?;
            Ok(())
        })
        .await
    }

    /// Notes what became of an attempt, where the claim that it was made under still holds, and ends that claim. Says
    /// whether the subscription was switched off by it.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn settle(
        &self,
        of: &Due,
        outcome: Outcome,
        said: Said,
        now: i64,
        off: SwitchOff,
    ) -> Result<bool, StoreError> {
        let (id, webhook, due_at, fence) = (of.id.clone(), of.webhook.clone(), of.due_at, of.fence);
        self.write(move |transaction| {
            let sql = "UPDATE webhook SET lease_until = NULL WHERE id = ?1 AND fence = ?2";
            if transaction.prepare_cached(sql)?.execute(params![webhook, fence])? == 0 {
                return Ok(false);
            }
            let (state, next_at) = outcome.kept();
            transaction.execute(
                "UPDATE delivery SET state = CASE WHEN next_at IS NOT DISTINCT FROM ?8 THEN ?2 ELSE state END,
                 next_at = CASE WHEN next_at IS NOT DISTINCT FROM ?8 THEN ?3 ELSE next_at END,
                 attempts = attempts + CASE WHEN next_at IS NOT DISTINCT FROM ?8 THEN 1 ELSE 0 END, attempted_at = ?4, status = ?5, error = ?6, answer = ?7
                 WHERE id = ?1",
                params![id, state, next_at, now, said.status, said.error, said.answer, due_at],
            )?;
            match outcome {
                Outcome::Gone => end(transaction, &webhook, "gone"),
                // What was asked for by hand was taken: the receiver is there again. Whom a person switched off stays off.
                Outcome::Delivered => {
                    let sql = "UPDATE webhook SET ended_at = CASE WHEN ended_why = 'disabled' THEN ended_at END,
                        ended_why = CASE WHEN ended_why = 'disabled' THEN ended_why END, failing_since = NULL, failures = 0,
                        delivered_at = coalesce(delivered_at, ?2) WHERE id = ?1
                        AND (ended_at IS NOT NULL OR failing_since IS NOT NULL OR delivered_at IS NULL)";
                    transaction.execute(sql, params![webhook, now])?;
                    Ok(false)
                }
                Outcome::Again(_) | Outcome::Failed => {
                    let sql = "UPDATE webhook SET failing_since = coalesce(failing_since, ?2), failures = failures + 1
                        WHERE id = ?1 RETURNING ended_at IS NULL AND failing_since <= ?3 AND failures >= ?4";
                    let before = now.saturating_sub(off.after);
                    let over: Option<bool> = transaction
                        .prepare_cached(sql)?
                        .query_row(params![webhook, now, before, off.failures], |row| row.get(0))
                        .optional()?;
                    if over == Some(true) { end(transaction, &webhook, "failing") } else { Ok(false) }
                }
            }
        })
        .await
    }

    /// Switches a subscription off, with all that waits for it, until a person switches it on again.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such subscription; else where the database refuses.
    pub async fn disable_webhook(&self, workspace: i64, id: WebhookId) -> Result<Webhook, StoreError> {
        self.write(move |transaction| {
            event_of(transaction, workspace, id.as_str())?;
            // Also one that was off because it failed: it stays off though its receiver takes something by hand.
            let sql = "UPDATE webhook SET updated_at = CASE WHEN ended_why = 'disabled' THEN updated_at ELSE ?2 END,
                ended_at = coalesce(ended_at, ?2), ended_why = 'disabled' WHERE id = ?1";
            transaction.execute(sql, params![id.as_str(), now_text()])?;
            end(transaction, id.as_str(), "disabled")?;
            webhooks::one(transaction, id.as_str())
        })
        .await
    }

    /// The latest deliveries of a subscription, the latest first.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such subscription; else where the database refuses.
    pub async fn deliveries(&self, workspace: i64, webhook: WebhookId) -> Result<Vec<DeliveryRecord>, StoreError> {
        self.readers
            .run(move |connection| {
                event_of(connection, workspace, webhook.as_str())?;
                let sql = format!("{RECORD} WHERE webhook = ?1 ORDER BY number DESC LIMIT ?2");
                let mut statement = connection.prepare_cached(&sql)?;
                let rows = statement.query_map(params![webhook.as_str(), MOST_SHOWN], record)?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Queues a delivery again, as if it were new.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is no such delivery; else where the database refuses.
    pub async fn redeliver(
        &self,
        workspace: i64,
        webhook: WebhookId,
        delivery: String,
        now: i64,
        tried_for: i64,
    ) -> Result<DeliveryRecord, StoreError> {
        self.write(move |transaction| {
            event_of(transaction, workspace, webhook.as_str())?;
            let changed = transaction.execute(
                "UPDATE delivery SET state = 'pending', attempts = 0, next_at = ?3, tried_until = ?4
                 WHERE id = ?1 AND webhook = ?2",
                params![delivery, webhook.as_str(), now, now.saturating_add(tried_for)],
            )?;
            if changed == 0 {
                return Err(NO_DELIVERY);
            }
            one(transaction, &delivery)
        })
        .await
    }

    /// Queues a message that says nothing, to try a subscription.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such subscription; else where the database refuses.
    pub async fn ping(
        &self,
        workspace: i64,
        webhook: WebhookId,
        now: i64,
        tried_for: i64,
    ) -> Result<DeliveryRecord, StoreError> {
        self.write(move |transaction| {
            let event = event_of(transaction, workspace, webhook.as_str())?;
            let body = serde_json::to_string(&Payload::ping(moment_text(now)))?;
            let message = new_message();
            one(transaction, &insert(transaction, webhook.as_str(), &message, &event, &body, now, tried_for)?)
        })
        .await
    }

    /// What a subscription's deliveries are signed with.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such subscription; else where the database refuses.
    pub async fn webhook_secret(&self, workspace: i64, webhook: WebhookId) -> Result<WebhookSecret, StoreError> {
        Ok(self.webhook_secrets(workspace, webhook, i64::MAX).await?.current)
    }

    /// The same, with those that were replaced and sign beside it at this moment.
    ///
    /// # Errors
    /// As [`Store::webhook_secret`].
    pub async fn webhook_secrets(&self, workspace: i64, webhook: WebhookId, now: i64) -> Result<Secrets, StoreError> {
        self.readers
            .run(move |connection| {
                let sql = "SELECT secret, old_secrets FROM webhook WHERE id = ?1 AND workspace = ?2";
                let read = |row: &Row<'_>| Ok((row.get::<String>(0)?, row.get::<String>(1)?));
                let kept = connection.query_row(sql, params![webhook.as_str(), workspace], read).optional()?;
                let (secret, old) = kept.ok_or(NO_WEBHOOK)?;
                Secrets::read(&secret, &old, now)
            })
            .await
    }
}
