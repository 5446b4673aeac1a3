//! What viewers do at each step, as numbers: kept with every report of a visit, so that showing them reads no visits. What
//! a visit adds follows from its events alone; a report adds the difference to what the visit had added before. So nothing
//! is counted twice, whatever comes twice, late or in another order.
//!
//! No text that a visitor wrote is kept here: steps, answers and products count only where the project had them when the
//! visit began, and are written as the project has them.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;

use super::StoreError;
use super::db::{self, OptionalExtension as _, Transaction, params};
use crate::domain::funnel::{Counts, Event, KnownStep, counted, counted_text, kind, sold_key};
use crate::domain::{Reader, StepProduct, is_currency};

pub(super) const DAY: i64 = 24 * 3600 * 1000;

/// The texts of a step's answers and where they lead, as the database keeps them.
pub(super) fn answers_of(kept: &str) -> Result<Vec<(String, Option<String>)>, StoreError> {
    #[derive(Deserialize)]
    struct Kept {
        #[serde(default)]
        text: String,
        #[serde(default)]
        next: Option<String>,
    }
    let answers: Vec<Kept> = serde_json::from_str(kept)?;
    Ok(answers.into_iter().map(|answer| (answer.text, answer.next)).collect())
}

/// The ids of a step's products, as players report them: that of the product, and the variant's behind a blank.
pub(super) fn products_of(kept: &str) -> Result<Vec<String>, StoreError> {
    let links: Vec<StepProduct> = Reader::read(&serde_json::from_str(kept)?).0;
    let id = |link: &StepProduct| match &link.variant_id {
        Some(variant) => format!("{} {}", link.product_id.as_str(), variant.as_str()),
        None => link.product_id.as_str().to_owned(),
    };
    Ok(links.iter().map(id).collect())
}

/// Keeps what viewers meet in a project as it is now; the hash that tells it from any other version.
pub(super) fn version(transaction: &Transaction, project: &str, now: i64) -> Result<String, StoreError> {
    let sql =
        "SELECT step.name, step.answers, step.products, step.id FROM step JOIN project ON project.number = step.project
        WHERE project.id = ?1 ORDER BY step.number";
    let mut hasher = blake3::Hasher::new();
    let mut rows = Vec::new();
    {
        let mut statement = transaction.prepare_cached(sql)?;
        let mut found = statement.query([project])?;
        while let Some(row) = found.next()? {
            let parts: [String; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
            for part in &parts {
                hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
            }
            rows.push((row.get::<String>(3)?, parts));
        }
    }
    let version: String = hasher.finalize().to_hex().chars().take(12).collect();
    let known = "SELECT 1 FROM funnel_version WHERE project = ?1 AND version = ?2 AND steps <> ''";
    if !transaction.prepare_cached(known)?.exists([project, &version])? {
        let names: HashMap<String, String> = rows.iter().map(|(id, [name, ..])| (id.clone(), name.clone())).collect();
        // An answer names a step by its name or its id.
        let to = |next: String| names.get(&next).cloned().unwrap_or(next);
        let step = |(_, [name, answers, products]): (String, [String; 3])| {
            let (texts, leads) = answers_of(&answers)?
                .into_iter()
                .map(|(text, next)| (counted_text(&text), next.filter(|next| !next.is_empty()).map(to)))
                .unzip();
            Ok::<_, StoreError>(KnownStep { name, answers: texts, leads, products: products_of(&products)? })
        };
        let steps = rows.into_iter().map(step).collect::<Result<Vec<_>, _>>()?;
        transaction.execute(
            "INSERT INTO funnel_version (project, version, first_at, steps) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (project, version) DO UPDATE SET steps = excluded.steps",
            params![project, version, now, serde_json::to_string(&steps)?],
        )?;
    }
    Ok(version)
}

/// Where a visit is counted, and what it met.
struct Met {
    project: String,
    day: i64,
    version: String,
    ended: bool,
    /// The steps of that version.
    steps: Vec<KnownStep>,
}

impl Met {
    fn place(&self) -> Place<'_> {
        Place { project: &self.project, day: self.day, version: &self.version }
    }
}

/// What a visit met; nothing where nobody knows that any more: so it is with visits from before there were numbers, and of
/// projects that were deleted.
fn met(transaction: &Transaction, visit: i64) -> Result<Option<Met>, StoreError> {
    let sql = "SELECT visit.project, visit.begun_at, visit.version, visit.ended_at IS NOT NULL, funnel_version.steps
        FROM visit JOIN funnel_version ON funnel_version.project = visit.project
        AND funnel_version.version = visit.version WHERE visit.number = ?1";
    let read = |row: &db::Row<'_>| {
        let day = row.get::<i64>(1)?.div_euclid(DAY);
        let met = Met { project: row.get(0)?, day, version: row.get(2)?, ended: row.get(3)?, steps: Vec::new() };
        Ok((met, row.get::<String>(4)?))
    };
    let found = transaction.prepare_cached(sql)?.query_row([visit], read).optional()?;
    let Some((met, steps)) = found else { return Ok(None) };
    Ok(Some(Met { steps: serde_json::from_str(&steps)?, ..met }))
}

/// What a visit that met this counts, at its end or not.
fn counts_of(transaction: &Transaction, visit: i64, met: &Met, ended: bool) -> Result<Counts, StoreError> {
    let sql = "SELECT name, step, text, at FROM visit_event WHERE visit = ?1 ORDER BY number";
    let mut statement = transaction.prepare_cached(sql)?;
    let events = statement.query_map([visit], |row| {
        Ok(Event { name: row.get(0)?, step: row.get(1)?, text: row.get(2)?, at: row.get(3)? })
    })?;
    let events = events.collect::<Result<Vec<_>, _>>()?;
    Ok(counted(&met.steps, &events, ended))
}

/// Changes a visit, and the numbers with it.
pub(super) fn counting<T>(
    transaction: &Transaction,
    visit: i64,
    change: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let Some(met) = met(transaction, visit)? else { return change() };
    let mut before = counts_of(transaction, visit, &met, met.ended)?;
    let done = change()?;
    let sql = "SELECT ended_at IS NOT NULL FROM visit WHERE number = ?1";
    let ended = transaction.prepare_cached(sql)?.query_row([visit], |row| row.get(0))?;
    let place = met.place();
    for (key, count) in counts_of(transaction, visit, &met, ended)? {
        let more = count - before.remove(&key).unwrap_or_default();
        place.add(transaction, (&key.0, key.1, &key.2), more, 0.0)?;
    }
    // What an event that came late undid.
    for ((step, kind, what), count) in before {
        place.add(transaction, (&step, kind, &what), -count, 0.0)?;
    }
    Ok(done)
}

/// Counts a visit of a project and its version that begins now, milliseconds since 1970.
pub(super) fn begun(transaction: &Transaction, project: &str, version: &str, now: i64) -> Result<(), StoreError> {
    Place { project, day: now.div_euclid(DAY), version }.add(transaction, ("", kind::VISIT, ""), 1, 0.0)
}

/// Where it is counted.
struct Place<'a> {
    project: &'a str,
    day: i64,
    version: &'a str,
}

impl Place<'_> {
    fn add(
        &self,
        transaction: &Transaction,
        (step, kind, what): (&str, &str, &str),
        count: i64,
        amount: f64,
    ) -> Result<(), StoreError> {
        if count == 0 {
            return Ok(());
        }
        let is_apart = kind != kind::PATH || self.is_apart(transaction, what)?;
        let what = if is_apart { what } else { "" };
        let sql = "INSERT INTO funnel (project, day, version, step, kind, what, count, amount)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (project, day, version, step, kind, what)
            DO UPDATE SET count = funnel.count + excluded.count, amount = funnel.amount + excluded.amount";
        let row = params![self.project, self.day, self.version, step, kind, what, count, amount];
        transaction.prepare_cached(sql)?.execute(row)?;
        Ok(())
    }
}

/// Paths of a day and a version that are told apart: whoever makes up more of them fills no database.
pub(super) const MOST_PATHS: i64 = 400;

impl Place<'_> {
    /// Whether a path is told apart from the others: those that come when there are too many are not, and stay so.
    fn is_apart(&self, transaction: &Transaction, path: &str) -> Result<bool, StoreError> {
        let sql = "SELECT count(*), coalesce(max(CASE WHEN what = ?5 THEN 1 ELSE 0 END), 0) FROM funnel
            WHERE project = ?1 AND day = ?2 AND version = ?3 AND step = '' AND kind = ?4";
        let read = |row: &db::Row<'_>| Ok((row.get::<i64>(0)?, row.get::<bool>(1)?));
        let of = params![self.project, self.day, self.version, kind::PATH, path];
        let (count, is_known) = transaction.prepare_cached(sql)?.query_row(of, read)?;
        Ok(is_known || count < MOST_PATHS)
    }
}

/// What one order may cost at most, in whatever currency: one above it counts, its amount does not.
const MOST_AMOUNT: f64 = 1e9;

/// A currency as ISO 4217 writes it. What is kept of an order's currency is one of its codes, and no word of a visitor's.
fn currency(given: Option<&str>) -> String {
    let given = given.unwrap_or_default().to_ascii_uppercase();
    if is_currency(&given) { given } else { String::new() }
}

/// What of an amount is added up.
fn amount(given: Option<f64>) -> f64 {
    given.filter(|amount| (0.0..=MOST_AMOUNT).contains(amount)).unwrap_or_default()
}

/// What was bought.
pub(super) struct Bought<'a> {
    pub(super) amount: Option<f64>,
    pub(super) currency: Option<&'a str>,
    /// External ids of products.
    pub(super) products: &'a [String],
    pub(super) verified: bool,
}

/// Counts a purchase that is new: direct where one of its products was on a step that the visit saw in the 24 hours before.
pub(super) fn bought(transaction: &Transaction, visit: i64, bought: &Bought<'_>, now: i64) -> Result<(), StoreError> {
    let Some(met) = met(transaction, visit)? else { return Ok(()) };
    let place = met.place();
    let (currency, amount) = (currency(bought.currency), amount(bought.amount));
    let count = |step: &str, kind: &str| place.add(transaction, (step, kind, &currency), 1, amount);
    if !bought.verified {
        return count("", kind::UNVERIFIED);
    }
    let sql = "SELECT DISTINCT step FROM visit_event WHERE visit = ?1 AND name = 'step_shown' AND at >= ?2
        AND step IS NOT NULL";
    let mut statement = transaction.prepare_cached(sql)?;
    let seen = statement.query_map(params![visit, now.saturating_sub(DAY)], |row| row.get::<String>(0))?;
    let seen = seen.collect::<Result<BTreeSet<_>, _>>()?;
    // A shop may name a product with its variant or without.
    let same = |one: &str, other: &str| one == other || one.split(' ').next() == Some(other);
    let is_bought = |id: &String| bought.products.iter().any(|product| same(id, product) || same(product, id));
    let mut direct = false;
    for step in met.steps.iter().filter(|step| seen.contains(&step.name) && step.products.iter().any(is_bought)) {
        count(&step.name, kind::DIRECT)?;
        direct = true;
    }
    count("", if direct { kind::DIRECT } else { kind::INDIRECT })?;
    // The shop says what it sold, and only its own products count: there are no more of them than it has.
    for product in bought.products.iter().filter_map(|id| id.split(' ').next()).collect::<BTreeSet<_>>() {
        let key = sold_key(product, &currency);
        if is_of_shop(transaction, &met.project, product)? {
            place.add(transaction, ("", kind::SOLD, &key), 1, amount)?;
        }
    }
    Ok(())
}

/// Whether the workspace of a project has a product of this id: no other word is kept.
fn is_of_shop(transaction: &Transaction, project: &str, product: &str) -> Result<bool, StoreError> {
    const OF_SHOP: &str = "SELECT 1 FROM product JOIN store ON store.id = product.store
        JOIN project ON project.workspace = store.workspace WHERE project.id = ?1 AND product.external = ?2";
    // PostgreSQL's index has the beginning of an external id, which may be long.
    const OF_SHARED: &str = "SELECT 1 FROM product JOIN store ON store.id = product.store
        JOIN project ON project.workspace = store.workspace
        WHERE project.id = ?1 AND left(product.external, 512) = left(?2, 512) AND product.external = ?2";
    let sql = if transaction.postgres().is_some() { OF_SHARED } else { OF_SHOP };
    Ok(transaction.prepare_cached(sql)?.exists([project, product])?)
}

/// The version that made-up visits count for: no hash is called so.
pub(super) const SAMPLE: &str = "sample";

/// Counts made-up visits of one day, in the order of what they add.
pub(super) fn made_up(transaction: &Transaction, project: &str, day: i64, counts: &Counts) -> Result<(), StoreError> {
    let place = Place { project, day, version: SAMPLE };
    let known = "INSERT OR IGNORE INTO funnel_version (project, version, first_at, steps) VALUES (?1, ?2, ?3, '')";
    transaction.prepare_cached(known)?.execute(params![project, SAMPLE, day * DAY])?;
    for ((step, kind, what), count) in counts {
        place.add(transaction, (step, kind, what), *count, 0.0)?;
    }
    Ok(())
}

/// Counts a made-up order of a step's product.
pub(super) fn made_up_order(
    transaction: &Transaction,
    project: &str,
    day: i64,
    step: Option<&str>,
    (currency, amount): (&str, f64),
) -> Result<(), StoreError> {
    let place = Place { project, day, version: SAMPLE };
    let kind = if step.is_some() { kind::DIRECT } else { kind::INDIRECT };
    for step in step.into_iter().chain([""]) {
        place.add(transaction, (step, kind, currency), 1, amount)?;
    }
    Ok(())
}

/// Removes the made-up visits of every project of a database; how many there were.
pub(super) fn remove_made_up(transaction: &Transaction) -> Result<i64, StoreError> {
    let sql = "SELECT coalesce(sum(count), 0) FROM funnel WHERE version = ?1 AND kind = ?2";
    let count = transaction.query_row(sql, [SAMPLE, kind::VISIT], |row| row.get(0))?;
    for table in ["funnel", "funnel_version"] {
        transaction.execute(&format!("DELETE FROM {table} WHERE version = ?1"), [SAMPLE])?;
    }
    Ok(count)
}

/// Forgets the numbers of a project that is deleted.
pub(super) fn forget(transaction: &Transaction, project: &str) -> Result<(), StoreError> {
    for table in ["funnel", "funnel_version"] {
        transaction.prepare_cached(&format!("DELETE FROM {table} WHERE project = ?1"))?.execute([project])?;
    }
    Ok(())
}

/// Takes an order back that counts as one that nobody verified: the shop has verified it by now.
pub(super) fn verified_now(transaction: &Transaction, visit: i64, bought: &Bought<'_>) -> Result<(), StoreError> {
    let Some(met) = met(transaction, visit)? else { return Ok(()) };
    let (currency, amount) = (currency(bought.currency), amount(bought.amount));
    met.place().add(transaction, ("", kind::UNVERIFIED, &currency), -1, -amount)
}

/// Removes the steps of versions that began before a moment, milliseconds since 1970, and have no visits anymore: only what
/// visits add is counted by them.
pub(super) fn sweep(transaction: &Transaction, before: i64) -> Result<(), StoreError> {
    let sql =
        "UPDATE funnel_version SET steps = '' WHERE steps <> '' AND first_at < ?1 AND NOT EXISTS (SELECT 1 FROM visit
        WHERE visit.project = funnel_version.project AND visit.version = funnel_version.version)";
    transaction.prepare_cached(sql)?.execute([before])?;
    Ok(())
}
