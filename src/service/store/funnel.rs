//! What viewers do at each step, as numbers: kept with every report of a visit, so that showing them reads no visits. What
//! a visit adds follows from its events alone; a report adds the difference to what the visit had added before. So nothing
//! is counted twice, whatever comes twice, late or in another order.
//!
//! No text that a visitor wrote is kept here: steps, answers and products count only where the project had them when the
//! visit began, and are written as the project has them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::{OptionalExtension as _, Transaction, params};
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::domain::{Reader, StepProduct};

pub(super) const DAY: i64 = 24 * 3600 * 1000;
/// Characters that are kept of an answer's text.
const MOST_TEXT: usize = 500;

/// What is counted, as the table has it.
pub(super) mod kind {
    pub(in super::super) const VISIT: &str = "visit";
    pub(in super::super) const COMPLETED: &str = "completed";
    pub(in super::super) const SEEN: &str = "seen";
    pub(in super::super) const LEFT: &str = "left";
    pub(in super::super) const BACK: &str = "back";
    pub(in super::super) const CHOSEN: &str = "chosen";
    pub(in super::super) const UNKNOWN_ANSWER: &str = "unknown_answer";
    pub(in super::super) const UNKNOWN_STEP: &str = "unknown_step";
    pub(in super::super) const SECONDS: &str = "seconds";
    pub(in super::super) const SHOWN: &str = "shown";
    pub(in super::super) const CLICKED: &str = "clicked";
    pub(in super::super) const DIRECT: &str = "direct";
    pub(in super::super) const INDIRECT: &str = "indirect";
    pub(in super::super) const UNVERIFIED: &str = "unverified";
}

/// A step as viewers meet it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownStep {
    pub(super) name: String,
    pub(super) answers: Vec<String>,
    pub(super) products: Vec<String>,
}

/// A text as it is counted: what players cut off of it counts no more.
pub(super) fn counted_text(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(MOST_TEXT).collect();
    text.trim().to_owned()
}

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
    let sql = "SELECT step.name, step.answers, step.products FROM step JOIN project ON project.number = step.project
        WHERE project.id = ?1 ORDER BY step.number";
    let mut hasher = blake3::Hasher::new();
    let mut rows = Vec::new();
    {
        let mut statement = transaction.prepare_cached(sql)?;
        let mut found = statement.query([project])?;
        while let Some(row) = found.next()? {
            let row: [String; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
            for part in &row {
                hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
            }
            rows.push(row);
        }
    }
    let version: String = hasher.finalize().to_hex().chars().take(12).collect();
    let known = "SELECT 1 FROM funnel_version WHERE project = ?1 AND version = ?2 AND steps <> ''";
    if !transaction.prepare_cached(known)?.exists([project, &version])? {
        let step = |[name, answers, products]: [String; 3]| {
            let answers = answers_of(&answers)?.iter().map(|(text, _)| counted_text(text)).collect();
            Ok::<_, StoreError>(KnownStep { name, answers, products: products_of(&products)? })
        };
        let steps = rows.into_iter().map(step).collect::<Result<Vec<_>, _>>()?;
        transaction.execute(
            "INSERT INTO funnel_version (project, version, first_at, steps) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET steps = excluded.steps",
            params![project, version, now, serde_json::to_string(&steps)?],
        )?;
    }
    Ok(version)
}

/// An event as it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) name: String,
    pub(super) step: Option<String>,
    pub(super) text: Option<String>,
    /// Milliseconds since 1970.
    pub(super) at: i64,
}

/// How often what was counted: by step, kind, and what of it.
type Counts = BTreeMap<(String, &'static str, String), i64>;

/// The bucket of a length of time: there are four to each doubling of a quarter of a second.
pub(super) fn bucket(milliseconds: i64) -> u32 {
    let mut at = 0;
    while at < 60 && milliseconds > upper(at) {
        at += 1;
    }
    at
}

/// The longest time of a bucket, milliseconds.
pub(super) fn upper(bucket: u32) -> i64 {
    #[allow(clippy::cast_possible_truncation)] // At most 250 * 2^15.
    let upper = (250.0 * (f64::from(bucket.min(60)) / 4.0).exp2()).round() as i64;
    upper
}

/// What a visit adds, by its events in the order in which they happened.
pub(super) fn counted(steps: &[KnownStep], events: &[Event], ended: bool) -> Counts {
    let known: HashMap<&str, &KnownStep> = steps.iter().map(|step| (step.name.as_str(), step)).collect();
    let mut found: BTreeSet<(String, &'static str, String)> = BTreeSet::new();
    let mut unknown: BTreeSet<&str> = BTreeSet::new();
    let mut unknown_answers: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut last = None;
    let mut completed = false;
    found.insert((String::new(), kind::VISIT, String::new()));
    for (number, event) in events.iter().enumerate() {
        completed |= event.name == "completed";
        let Some(name) = event.step.as_deref() else { continue };
        let Some(step) = known.get(name) else {
            if event.name == "step_shown" {
                unknown.insert(name);
                last = Some("");
            }
            continue;
        };
        let mut note = |kind, what: &str| found.insert((name.to_owned(), kind, what.to_owned()));
        let text = event.text.as_deref().unwrap_or_default();
        match event.name.as_str() {
            "step_shown" => {
                last = Some(name);
                let first = note(kind::SEEN, "");
                let gone = events.iter().skip(number + 1).find(|next| is_elsewhere(&next.name));
                if let Some(gone) = gone.filter(|_| first) {
                    note(kind::SECONDS, &bucket(gone.at.saturating_sub(event.at)).to_string());
                }
            }
            "back" => drop(note(kind::BACK, "")),
            "answer_selected" if step.answers.iter().any(|answer| answer == text) => drop(note(kind::CHOSEN, text)),
            "answer_selected" => drop(unknown_answers.insert((name, text))),
            "product_shown" if step.products.iter().any(|id| id == text) => drop(note(kind::SHOWN, text)),
            "product_clicked" if step.products.iter().any(|id| id == text) => drop(note(kind::CLICKED, text)),
            _ => {}
        }
    }
    if completed {
        found.insert((String::new(), kind::COMPLETED, String::new()));
    } else if let Some(last) = last.filter(|_| ended) {
        found.insert((last.to_owned(), kind::LEFT, String::new()));
    }
    let mut counts: Counts = found.into_iter().map(|key| (key, 1)).collect();
    for (name, _) in unknown_answers {
        *counts.entry((name.to_owned(), kind::UNKNOWN_ANSWER, String::new())).or_default() += 1;
    }
    if let Some(more) = i64::try_from(unknown.len()).ok().filter(|more| *more > 0) {
        counts.insert((String::new(), kind::UNKNOWN_STEP, String::new()), more);
    }
    counts
}

/// Whether a viewer is at another place with this.
fn is_elsewhere(event: &str) -> bool {
    ["step_shown", "completed", "dead_end"].contains(&event)
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
    let read = |row: &rusqlite::Row<'_>| {
        let day = row.get::<_, i64>(1)?.div_euclid(DAY);
        let met = Met { project: row.get(0)?, day, version: row.get(2)?, ended: row.get(3)?, steps: Vec::new() };
        Ok((met, row.get::<_, String>(4)?))
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
        let sql = "INSERT INTO funnel (project, day, version, step, kind, what, count, amount)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount";
        let row = params![self.project, self.day, self.version, step, kind, what, count, amount];
        transaction.prepare_cached(sql)?.execute(row)?;
        Ok(())
    }
}

/// What one order may cost at most, in whatever currency: one above it counts, its amount does not.
const MOST_AMOUNT: f64 = 1e9;

/// The codes of ISO 4217: what is kept of an order's currency is one of these words, and none of a visitor's.
const CURRENCIES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD \
    CAD CDF CHF CLF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD \
    HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA \
    MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF \
    SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED \
    VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";

/// A currency as ISO 4217 writes it; what is none is not kept.
fn currency(given: Option<&str>) -> String {
    let given = given.unwrap_or_default().to_ascii_uppercase();
    if CURRENCIES.split_whitespace().any(|known| known == given) { given } else { String::new() }
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
    let seen = statement.query_map(params![visit, now.saturating_sub(DAY)], |row| row.get::<_, String>(0))?;
    let seen = seen.collect::<Result<BTreeSet<_>, _>>()?;
    // A shop may name a product with its variant or without.
    let same = |one: &str, other: &str| one == other || one.split(' ').next() == Some(other);
    let is_bought = |id: &String| bought.products.iter().any(|product| same(id, product) || same(product, id));
    let mut direct = false;
    for step in met.steps.iter().filter(|step| seen.contains(&step.name) && step.products.iter().any(is_bought)) {
        count(&step.name, kind::DIRECT)?;
        direct = true;
    }
    count("", if direct { kind::DIRECT } else { kind::INDIRECT })
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
