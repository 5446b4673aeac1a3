//! The numbers of a project as they are shown: sums of what was counted, beside the steps of now.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::funnel::{self, DAY, kind};
use super::{Store, StoreError, moment_text};
use crate::api::{
    AnswerFunnel, FunnelDay, FunnelVersion, GoneFunnel, ProductFunnel, ProjectFunnel, Revenue, StepFunnel,
};
use crate::domain::{Num, Share};

/// Sums by step, kind, and what of it: how often, and how much.
type Sums = BTreeMap<(String, String, String), (i64, f64)>;

/// Which days are read: since 1970, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunnelDays {
    /// The first.
    pub first: i64,
    /// The last.
    pub last: i64,
}

impl FunnelDays {
    /// All days.
    pub const ALL: Self = Self { first: i64::MIN, last: i64::MAX };

    /// The day of a moment, milliseconds since 1970.
    #[must_use]
    pub fn of(moment: i64) -> i64 {
        moment.div_euclid(DAY)
    }
}

fn sums(connection: &Connection, project: &str, days: FunnelDays) -> Result<Sums, StoreError> {
    let sql = "SELECT step, kind, what, sum(count), sum(amount) FROM funnel
        WHERE project = ?1 AND day BETWEEN ?2 AND ?3 GROUP BY step, kind, what HAVING sum(count) <> 0";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![project, days.first, days.last], |row| {
        Ok(((row.get(0)?, row.get(1)?, row.get(2)?), (row.get(3)?, row.get(4)?)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Takes out the sums of one kind at a step.
fn take(sums: &mut Sums, step: &str, wanted: &str) -> Vec<(String, i64, f64)> {
    let key = |what: String| (step.to_owned(), wanted.to_owned(), what);
    let found: Vec<_> = sums
        .range(key(String::new())..)
        .take_while(|((of, kind, _), _)| of == step && kind == wanted)
        .map(|((.., what), (count, amount))| (what.clone(), *count, *amount))
        .collect();
    for (what, ..) in &found {
        sums.remove(&key(what.clone()));
    }
    found
}

fn count(sums: &mut Sums, step: &str, kind: &str) -> i64 {
    take(sums, step, kind).iter().map(|(_, count, _)| count).sum()
}

fn revenue(sums: &mut Sums, step: &str, kind: &str) -> Vec<Revenue> {
    let sold = take(sums, step, kind).into_iter().map(|(currency, orders, amount)| Revenue {
        currency,
        orders: orders.into(),
        // Sums of cents are written as such.
        amount: Num((amount * 100.0).round() / 100.0),
        ..Revenue::default()
    });
    sold.collect()
}

/// The median of buckets, seconds: between the ends of the bucket that it falls into.
fn median(mut buckets: Vec<(u32, i64)>) -> Option<Num> {
    buckets.sort_unstable();
    let all: i64 = buckets.iter().map(|(_, count)| count).sum();
    let mut before = 0;
    for (bucket, count) in buckets {
        if (before + count) * 2 >= all && count > 0 {
            let least = if bucket == 0 { 0 } else { funnel::upper(bucket - 1) };
            let Num(middle) = Num::from(i64::midpoint(least, funnel::upper(bucket)));
            return Some(Num((middle / 100.0).round() / 10.0));
        }
        before += count;
    }
    None
}

fn share(part: i64, of: i64) -> Share {
    let whole = |count: i64| u64::try_from(count).unwrap_or_default();
    Share { part: whole(part), of: whole(of) }
}

/// A share as it is written: four digits say all that is known of it.
fn digits(share: f64) -> Num {
    Num((share * 10_000.0).round() / 10_000.0)
}

/// A step as the project has it now.
struct Now {
    name: String,
    title: Option<String>,
    answers: Vec<(String, Option<String>)>,
    products: Vec<String>,
}

fn steps_of(connection: &Connection, workspace: i64, project: &str) -> Result<Option<Vec<Now>>, StoreError> {
    let sql = "SELECT number FROM project WHERE id = ?1 AND workspace = ?2";
    let number = connection.prepare_cached(sql)?.query_row(params![project, workspace], |row| row.get::<_, i64>(0));
    let Some(number) = number.optional()? else { return Ok(None) };
    let sql = "SELECT name, description, overlay_text, answers, products FROM step WHERE project = ?1 ORDER BY number";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([number])?;
    let mut steps = Vec::new();
    while let Some(row) = rows.next()? {
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let title = filled(row.get(1)?).or(filled(row.get(2)?));
        let (answers, products): (String, String) = (row.get(3)?, row.get(4)?);
        let (answers, products) = (funnel::answers_of(&answers)?, funnel::products_of(&products)?);
        steps.push(Now { name: row.get(0)?, title, answers, products });
    }
    Ok(Some(steps))
}

fn step(sums: &mut Sums, now: Now) -> StepFunnel {
    let name = now.name;
    let seen = count(sums, &name, kind::SEEN);
    let mut chosen: BTreeMap<String, i64> =
        take(sums, &name, kind::CHOSEN).into_iter().map(|(text, count, _)| (text, count)).collect();
    let answers = now.answers.into_iter().map(|(text, next)| {
        let chosen = chosen.remove(&funnel::counted_text(&text)).unwrap_or_default();
        let share = share(chosen, seen);
        let interval = share.interval();
        AnswerFunnel {
            text,
            next: next.filter(|next| !next.is_empty()),
            chosen: chosen.into(),
            share: share.ratio().map(digits),
            low: interval.map(|(low, _)| digits(low)),
            high: interval.map(|(_, high)| digits(high)),
            ..AnswerFunnel::default()
        }
    });
    let answers = answers.collect();
    let mut clicked: BTreeMap<String, i64> =
        take(sums, &name, kind::CLICKED).into_iter().map(|(id, count, _)| (id, count)).collect();
    let mut shown: BTreeMap<String, i64> =
        take(sums, &name, kind::SHOWN).into_iter().map(|(id, count, _)| (id, count)).collect();
    // Those of now first, then those that the step had.
    let had: BTreeSet<String> = shown.keys().chain(clicked.keys()).cloned().collect();
    let had = had.into_iter().filter(|id| !now.products.contains(id)).collect::<Vec<_>>();
    let products = now.products.iter().cloned().chain(had).map(|id| ProductFunnel {
        shown: shown.remove(&id).unwrap_or_default().into(),
        clicked: clicked.remove(&id).unwrap_or_default().into(),
        id,
        ..ProductFunnel::default()
    });
    let products = products.collect();
    let buckets = take(sums, &name, kind::SECONDS).into_iter();
    let buckets = buckets.filter_map(|(bucket, count, _)| Some((bucket.parse().ok()?, count)));
    StepFunnel {
        title: now.title,
        seen: seen.into(),
        left: count(sums, &name, kind::LEFT).into(),
        back: count(sums, &name, kind::BACK).into(),
        median_seconds: median(buckets.collect()),
        answers,
        gone_answers: (chosen.values().sum::<i64>() + count(sums, &name, kind::UNKNOWN_ANSWER)).into(),
        products,
        orders: revenue(sums, &name, kind::DIRECT),
        name,
        ..StepFunnel::default()
    }
}

/// Visits and those that came to the end, by day or by version.
fn by<T: rusqlite::types::FromSql + Ord>(
    connection: &Connection,
    column: &str,
    project: &str,
    days: FunnelDays,
) -> Result<Vec<(T, i64, i64)>, StoreError> {
    let sql = format!(
        "SELECT {column}, sum(count) FILTER (WHERE kind = 'visit'), sum(count) FILTER (WHERE kind = 'completed')
         FROM funnel WHERE project = ?1 AND day BETWEEN ?2 AND ?3 AND step = '' GROUP BY {column} ORDER BY {column}"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![project, days.first, days.last], |row| {
        let count = |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.unwrap_or_default());
        Ok((row.get(0)?, count(1)?, count(2)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn day_text(day: i64) -> String {
    let moment = Timestamp::from_millisecond(day.saturating_mul(DAY)).unwrap_or_default();
    moment.to_string().split('T').next().unwrap_or_default().to_owned()
}

fn read(connection: &Connection, project: &str, now: Vec<Now>, days: FunnelDays) -> Result<ProjectFunnel, StoreError> {
    let mut sums = sums(connection, project, days)?;
    let steps = now.into_iter().map(|now| step(&mut sums, now)).collect();
    let visits = count(&mut sums, "", kind::VISIT).into();
    let completed = count(&mut sums, "", kind::COMPLETED).into();
    let [direct, indirect, unverified] =
        [kind::DIRECT, kind::INDIRECT, kind::UNVERIFIED].map(|kind| revenue(&mut sums, "", kind));
    // What is left belongs to no step of now.
    let gone = |wanted: &str| sums.iter().filter(|((_, kind, _), _)| kind == wanted).map(|(_, (count, _))| count).sum();
    let (seen, left, unknown): (i64, i64, i64) = (gone(kind::SEEN), gone(kind::LEFT), gone(kind::UNKNOWN_STEP));
    let gone = GoneFunnel { seen: seen.into(), left: left.into(), unknown: unknown.into(), ..GoneFunnel::default() };
    let by_day = by::<i64>(connection, "day", project, days)?.into_iter().map(|(day, visits, completed)| FunnelDay {
        day: day_text(day),
        visits: visits.into(),
        completed: completed.into(),
        ..FunnelDay::default()
    });
    let mut versions = Vec::new();
    for (version, visits, completed) in by::<String>(connection, "version", project, days)? {
        let sql = "SELECT first_at FROM funnel_version WHERE project = ?1 AND version = ?2";
        let first: i64 = connection.prepare_cached(sql)?.query_row([project, &version], |row| row.get(0))?;
        let (visits, completed, first_visit_at) = (visits.into(), completed.into(), moment_text(first));
        versions
            .push((first, FunnelVersion { version, first_visit_at, visits, completed, ..FunnelVersion::default() }));
    }
    versions.sort_by_key(|(first, _)| *first);
    Ok(ProjectFunnel {
        since: (days.first > i64::MIN).then(|| day_text(days.first)),
        until: (days.last < i64::MAX).then(|| day_text(days.last)),
        visits,
        completed,
        steps,
        gone,
        direct,
        indirect,
        unverified,
        days: by_day.collect(),
        versions: versions.into_iter().map(|(_, version)| version).collect(),
        ..ProjectFunnel::default()
    })
}

impl Store {
    /// What viewers did in a project on these days.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where the workspace has no such project; else where the database refuses.
    pub async fn funnel(&self, workspace: i64, project: String, days: FunnelDays) -> Result<ProjectFunnel, StoreError> {
        self.readers
            .run(move |connection| {
                let transaction = connection.transaction()?;
                let now = steps_of(&transaction, workspace, &project)?.ok_or(super::project_rows::NO_PROJECT)?;
                read(&transaction, &project, now, days)
            })
            .await
    }
}
