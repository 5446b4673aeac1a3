//! Visits of viewers, and the payloads of §6 that they cause: each queued in the transaction that causes it.

use uuid::Uuid;

use super::db::{self, OptionalExtension as _, Transaction, params};
use super::player_settings::Agreed;
use super::rules::payload::{Collected, Payload, PayloadEvent};
use super::visitor_use::{self, Use};
use super::{Store, StoreError, deliveries, funnel, moment_text, player_settings};
use crate::domain::WebhookEvent;
use crate::service::limits::VisitorLimits;

/// What happened in a visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitEvent {
    /// Its number in the visit: what arrives twice is kept once.
    pub number: u32,
    /// What happened.
    pub name: String,
    /// At which step.
    pub step: Option<String>,
    /// With which video.
    pub video: Option<String>,
    /// The text chosen or shown.
    pub text: Option<String>,
    /// Milliseconds before now.
    pub ago: i64,
}

/// A purchase in a visit.
#[derive(Debug, Clone, PartialEq)]
pub struct Purchase {
    /// Its order, or what else tells it from others.
    pub id: String,
    /// What was bought, in words.
    pub text: String,
    /// What it cost.
    pub amount: Option<f64>,
    /// In which currency.
    pub currency: Option<String>,
    /// The products, by their external ids.
    pub products: Vec<String>,
    /// Whether the shop said it, and not just somebody who knows the visit.
    pub verified: bool,
}

/// When something is told of a visit, how long that is tried, and how much visitors may cause.
#[derive(Debug, Clone, Copy)]
pub struct Told {
    /// Now, milliseconds since 1970.
    pub now: i64,
    /// How long a delivery is tried, milliseconds.
    pub tried_for: i64,
    /// What the visitors of a project may write.
    pub limits: VisitorLimits,
}

/// A visit that began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BegunVisit {
    /// What it is known by: whoever knows it may add to it.
    pub session: String,
    /// The viewer, the same in all their visits.
    pub anonymous: String,
    /// Whether a form may be sent.
    pub form: bool,
}

/// Purchases of one visit at most that nobody verified. They keep no place from those that the shop reports.
const MOST_PURCHASES: i64 = 50;
/// What is before the id of a purchase that nobody verified: the shop's own report of it is another.
const UNVERIFIED: &str = "?";
/// What a row costs beside its texts, bytes, roughly.
const ROW: u64 = 100;
/// How often a viewer may change what they gave.
const MOST_FORMS: i64 = 20;
/// The event names of what the service itself notes; a visitor's own events are not called so.
const PURCHASE: &str = "purchase";
const FORM: &str = "form_submitted";

/// Whether an event of this name is the service's own.
pub(in crate::service) fn is_reserved(name: &str) -> bool {
    [PURCHASE, FORM].contains(&name)
}

const NO_VISIT: StoreError = StoreError::Missing("There is no such visit.");

/// A visit as it is kept.
struct Row {
    number: i64,
    workspace: i64,
    project: String,
    begun_at: i64,
    open: bool,
}

fn find(transaction: &Transaction, publish_id: &str, session: &str) -> Result<Row, StoreError> {
    let sql = "SELECT number, workspace, project, begun_at, ended_at IS NULL FROM visit
        WHERE session = ?1 AND publish_id = ?2";
    let read = |row: &db::Row<'_>| {
        let (workspace, project) = (row.get(1)?, row.get(2)?);
        Ok(Row { number: row.get(0)?, workspace, project, begun_at: row.get(3)?, open: row.get(4)? })
    };
    transaction.prepare_cached(sql)?.query_row([session, publish_id], read).optional()?.ok_or(NO_VISIT)
}

/// Puts together what is told of a visit.
fn payload(transaction: &Transaction, number: i64, verified: Option<bool>, now: i64) -> Result<String, StoreError> {
    const EVENTS: &str =
        "SELECT name, step, video, text, at, verified FROM visit_event WHERE visit = ?1 ORDER BY at, number";
    const VISIT: &str = "SELECT session, project, publish_id, playlist, anonymous, collected, begun_at,
        coalesce(ended_at, seen_at) FROM visit WHERE number = ?1";
    let mut events = transaction.prepare_cached(EVENTS)?;
    let events = events.query_map([number], |row| {
        Ok(PayloadEvent {
            event_name: row.get(0)?,
            step_name: row.get(1)?,
            video_name: row.get(2)?,
            text: row.get(3)?,
            timestamp: moment_text(row.get(4)?),
            verified: row.get(5)?,
        })
    })?;
    let events = events.collect::<Result<_, _>>()?;
    let mut payload = transaction.prepare_cached(VISIT)?.query_row([number], |row| {
        let lasted: i64 = row.get::<i64>(7)? - row.get::<i64>(6)?;
        let collected: Option<String> = row.get(5)?;
        Ok(Payload {
            session_id: row.get(0)?,
            timestamp: moment_text(now),
            project_id: row.get(1)?,
            publish_id: row.get(2)?,
            playlist: row.get(3)?,
            anonymous_id: row.get(4)?,
            collected_info: collected.and_then(|text| serde_json::from_str(&text).ok()),
            events: Vec::new(),
            session_time: f64::from(u32::try_from(lasted).unwrap_or_default()) / 1000.0,
            verified,
        })
    })?;
    payload.events = events;
    Ok(serde_json::to_string(&payload)?)
}

/// Tells the subscriptions of an event about a visit.
fn tell(
    transaction: &Transaction,
    visit: &Row,
    event: &WebhookEvent,
    verified: Option<bool>,
    now: i64,
    tried_for: i64,
) -> Result<(), StoreError> {
    if deliveries::has_subscription(transaction, visit.workspace, event)? {
        let body = payload(transaction, visit.number, verified, now)?;
        let queued = deliveries::queue(transaction, visit.workspace, event, &body, now, tried_for)?;
        let bytes = size([body.as_str()]).saturating_mul(queued as u64);
        visitor_use::note(transaction, &visit.project, Use { bytes, ..Use::default() }, now)?;
    }
    Ok(())
}

/// What a row with these texts takes, bytes.
fn size<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    texts.into_iter().fold(ROW, |bytes, text| bytes.saturating_add(text.len() as u64))
}

/// Ends a visit at this moment, and tells of it.
fn end(transaction: &Transaction, visit: &Row, at: i64, now: i64, tried_for: i64) -> Result<(), StoreError> {
    transaction
        .prepare_cached("UPDATE visit SET ended_at = ?2 WHERE number = ?1")?
        .execute(params![visit.number, at])?;
    tell(transaction, visit, &WebhookEvent::ResponseSummary, None, now, tried_for)
}

/// Notes an event of the service's own behind those of the player.
fn note(
    transaction: &Transaction,
    visit: &Row,
    name: &str,
    bought: Option<&Purchase>,
    now: i64,
) -> Result<(), StoreError> {
    let (text, verified) = (bought.map(|bought| &bought.text), bought.map(|bought| bought.verified));
    transaction.execute(
        "INSERT INTO visit_event (visit, number, name, text, at, verified)
         SELECT ?1, max(1000000, coalesce(max(number) + 1, 0)), ?2, ?3, ?4, ?5 FROM visit_event WHERE visit = ?1",
        params![visit.number, name, text, now, verified],
    )?;
    Ok(())
}

/// Adds what happened in a visit, which is a sign of life.
fn note_events(transaction: &Transaction, visit: &Row, events: &[VisitEvent], now: i64) -> Result<(), StoreError> {
    let mut statement = transaction.prepare_cached(
        // A line that is slow now and then makes no event older than the one before it.
        "INSERT OR IGNORE INTO visit_event (visit, number, name, step, video, text, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, max(?7,
         coalesce((SELECT at FROM visit_event WHERE visit = ?1 AND number < ?2 ORDER BY number DESC LIMIT 1), 0)))",
    )?;
    for event in events {
        // A viewer's clock is not asked: only how long ago it was, and not before the visit.
        let at = now.saturating_sub(event.ago.max(0)).max(visit.begun_at);
        let VisitEvent { number, name, step, video, text, .. } = event;
        statement.execute(params![visit.number, number, name, step, video, text, at])?;
    }
    transaction
        .prepare_cached("UPDATE visit SET seen_at = max(seen_at, ?2) WHERE number = ?1")?
        .execute(params![visit.number, now])?;
    Ok(())
}

impl Store {
    /// Begins a visit of a project, once under its key; nothing where there is none with this publish id.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn begin_visit(
        &self,
        publish_id: String,
        anonymous: Option<String>,
        key: Option<String>,
        now: i64,
        limits: VisitorLimits,
    ) -> Result<Option<BegunVisit>, StoreError> {
        self.write(move |transaction| {
            if let Some(key) = &key {
                let sql = "SELECT session, anonymous FROM visit WHERE publish_id = ?1 AND begin_key = ?2";
                let read = |row: &db::Row<'_>| Ok((row.get(0)?, row.get(1)?));
                let begun: Option<(String, String)> =
                    transaction.prepare_cached(sql)?.query_row([&publish_id, key], read).optional()?;
                if let Some((session, anonymous)) = begun {
                    let form = player_settings::form_of(transaction, &session)?.is_some();
                    return Ok(Some(BegunVisit { session, anonymous, form }));
                }
            }
            let sql = "SELECT id, name FROM project WHERE publish_id = ?1";
            let read = |row: &db::Row<'_>| Ok((row.get::<String>(0)?, row.get::<String>(1)?));
            let found = transaction.prepare_cached(sql)?.query_row([&publish_id], read).optional()?;
            let Some((project, name)) = found else { return Ok(None) };
            let bytes = size([name.as_str(), anonymous.as_deref().unwrap_or_default()]);
            visitor_use::spend(transaction, &project, Use { visits: 1, bytes, events: 0 }, limits, now)?;
            let session = Uuid::new_v4().to_string();
            let anonymous = anonymous.unwrap_or_else(|| Uuid::new_v4().to_string());
            let version = funnel::version(transaction, &project, now)?;
            let added = transaction.execute(
                "INSERT INTO visit
                 (session, workspace, project, publish_id, playlist, anonymous, begun_at, seen_at, begin_key, version)
                 SELECT ?2, workspace, id, publish_id, name, ?3, ?4, ?4, ?5, ?6 FROM project WHERE publish_id = ?1",
                params![publish_id, session, anonymous, now, key, version],
            )?;
            if added == 0 {
                return Ok(None);
            }
            funnel::begun(transaction, &project, &version, now)?;
            let form = player_settings::form_of(transaction, &session)?.is_some();
            Ok(Some(BegunVisit { session, anonymous, form }))
        })
        .await
    }

    /// Keeps a visit alive and reports what happened meanwhile; `ended` where the viewer came to the end. Says whether
    /// the visit was open: what happens after its end is not kept.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is no such visit; else where the database refuses.
    pub async fn add_visit_events(
        &self,
        publish_id: String,
        session: String,
        events: Vec<VisitEvent>,
        ended: bool,
        told: Told,
    ) -> Result<bool, StoreError> {
        let Told { now, tried_for, limits } = told;
        self.write(move |transaction| {
            let visit = find(transaction, &publish_id, &session)?;
            if !visit.open {
                return Ok(false);
            }
            if !events.is_empty() {
                let texts = |event: &VisitEvent| {
                    let VisitEvent { name, step, video, text, .. } = event;
                    let texts = [step, video, text].map(|text| text.as_deref().unwrap_or_default());
                    size(texts.into_iter().chain([name.as_str()]))
                };
                let more = Use { visits: 0, events: events.len() as u64, bytes: events.iter().map(texts).sum() };
                visitor_use::spend(transaction, &visit.project, more, limits, now)?;
            }
            let change = || {
                note_events(transaction, &visit, &events, now)?;
                if ended { end(transaction, &visit, now, now, tried_for) } else { Ok(()) }
            };
            // A mere sign of life counts nothing.
            if ended || !events.is_empty() {
                funnel::counting(transaction, visit.number, change)?;
            } else {
                change()?;
            }
            Ok(true)
        })
        .await
    }

    /// Ends the visits that gave no sign of life since `before`, a bounded number at once; when the earliest of the
    /// others gave its last one.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn end_silent_visits(&self, before: i64, now: i64, tried_for: i64) -> Result<Option<i64>, StoreError> {
        let silent = self.next_silent_visit().await?;
        if silent.is_none_or(|seen_at| seen_at > before) {
            return Ok(silent);
        }
        self.write(move |transaction| {
            let silent: Vec<(Row, i64)> = {
                let mut statement = transaction.prepare_cached(
                    "SELECT number, workspace, project, begun_at, seen_at FROM visit
                     WHERE ended_at IS NULL AND seen_at <= ?1 ORDER BY seen_at LIMIT 100",
                )?;
                let rows = statement.query_map([before], |row| {
                    let (workspace, project) = (row.get(1)?, row.get(2)?);
                    let visit = Row { number: row.get(0)?, workspace, project, begun_at: row.get(3)?, open: true };
                    Ok((visit, row.get(4)?))
                })?;
                rows.collect::<Result<_, _>>()?
            };
            for (visit, seen_at) in &silent {
                funnel::counting(transaction, visit.number, || end(transaction, visit, *seen_at, now, tried_for))?;
            }
            let sql = "SELECT min(seen_at) FROM visit WHERE ended_at IS NULL";
            Ok(transaction.query_row(sql, [], |row| row.get(0))?)
        })
        .await
    }

    /// When the open visit that was silent longest gave its last sign of life.
    async fn next_silent_visit(&self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT min(seen_at) FROM visit WHERE ended_at IS NULL";
        self.readers.run(move |connection| Ok(connection.query_row(sql, [], |row| row.get(0))?)).await
    }

    /// Keeps what a viewer left of what the form asks for, and tells of it. Says whether there is a form. `agreed` is
    /// whether they agreed to what the merchant wants them to agree to.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is no such visit, [`StoreError::Invalid`] where nothing is left or they had to
    /// agree; else where the database refuses.
    pub async fn collect(
        &self,
        publish_id: String,
        session: String,
        mut collected: Collected,
        agreed: Agreed,
        told: Told,
    ) -> Result<bool, StoreError> {
        let Told { now, tried_for, limits } = told;
        self.write(move |transaction| {
            let visit = find(transaction, &publish_id, &session)?;
            let Some(form) = player_settings::form_of(transaction, &session)? else { return Ok(false) };
            form.limit(&mut collected, &agreed)?;
            let sql = "SELECT count(*) FROM visit_event WHERE visit = ?1 AND name = ?2";
            if transaction.query_row(sql, params![visit.number, FORM], |row| row.get::<i64>(0))? >= MOST_FORMS {
                return Err(StoreError::Conflict("The form was submitted too often.".to_owned()));
            }
            let text = serde_json::to_string(&collected)?;
            let more = Use { visits: 0, events: 1, bytes: size([text.as_str()]) };
            visitor_use::spend(transaction, &visit.project, more, limits, now)?;
            let sql = "UPDATE visit SET collected = ?2 WHERE number = ?1 AND collected IS DISTINCT FROM ?2";
            // The same again is an answer that got lost.
            if transaction.execute(sql, params![visit.number, text])? > 0 {
                note(transaction, &visit, FORM, None, now)?;
                tell(transaction, &visit, &WebhookEvent::CollectedInfo, None, now, tried_for)?;
            }
            Ok(true)
        })
        .await
    }

    /// Tells of a purchase in a visit, each of its ids once. Says whether it was new.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is no such visit, [`StoreError::Conflict`] where it had too many already that
    /// nobody verified; else where the database refuses.
    pub async fn purchase(
        &self,
        publish_id: String,
        session: String,
        bought: Purchase,
        told: Told,
    ) -> Result<bool, StoreError> {
        let Told { now, tried_for, limits } = told;
        self.write(move |transaction| {
            let visit = find(transaction, &publish_id, &session)?;
            let known = |id: &str| {
                let sql = "SELECT 1 FROM visit_purchase WHERE visit = ?1 AND purchase = ?2";
                Ok::<_, StoreError>(transaction.prepare_cached(sql)?.exists(params![visit.number, id])?)
            };
            let unverified = format!("{UNVERIFIED}{}", bought.id);
            if known(&bought.id)? || (!bought.verified && known(&unverified)?) {
                return Ok(false);
            }
            let (currency, products) = (bought.currency.as_deref(), bought.products.as_slice());
            let counted = funnel::Bought { amount: bought.amount, currency, products, verified: bought.verified };
            if bought.verified && known(&unverified)? {
                // The player reported the same order before, in the same words.
                let sql = "SELECT 1 FROM visit_event WHERE visit = ?1 AND name = ?2 AND verified = 0 AND text = ?3";
                if transaction.prepare_cached(sql)?.exists(params![visit.number, PURCHASE, bought.text])? {
                    funnel::verified_now(transaction, visit.number, &counted)?;
                }
            }
            let id = if bought.verified { bought.id.as_str() } else { unverified.as_str() };
            if !bought.verified {
                let sql = "SELECT count(*) FROM visit_purchase WHERE visit = ?1 AND substr(purchase, 1, 1) = ?2";
                let count: i64 = transaction.query_row(sql, params![visit.number, UNVERIFIED], |row| row.get(0))?;
                if count >= MOST_PURCHASES {
                    return Err(StoreError::Conflict("The visit already has too many purchases.".to_owned()));
                }
                let more = Use { visits: 0, events: 1, bytes: size([id, bought.text.as_str()]) };
                visitor_use::spend(transaction, &visit.project, more, limits, now)?;
            }
            let sql = "INSERT INTO visit_purchase (visit, purchase) VALUES (?1, ?2)";
            transaction.execute(sql, params![visit.number, id])?;
            note(transaction, &visit, PURCHASE, Some(&bought), now)?;
            funnel::bought(transaction, visit.number, &counted, now)?;
            tell(transaction, &visit, &WebhookEvent::Conversion, Some(bought.verified), now, tried_for)?;
            Ok(true)
        })
        .await
    }
}
