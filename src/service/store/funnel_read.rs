//! The numbers of a project as they are shown: sums of what was counted, beside the steps of now.

use std::collections::BTreeMap;

use super::db::{self, Connection, OptionalExtension as _, params};
use super::funnel::{self, DAY};
use super::{Store, StoreError, moment_text};
use crate::api::{FunnelFrame, FunnelStep, FunnelSums, FunnelVersion, ProjectFunnel, funnel_of, version_of};
use crate::domain::funnel::KnownStep;

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

/// The sums of each version.
fn sums(connection: &Connection, project: &str, days: FunnelDays) -> Result<BTreeMap<String, FunnelSums>, StoreError> {
    let sql = "SELECT version, step, kind, what, sum(count), sum(amount) FROM funnel
        WHERE project = ?1 AND day BETWEEN ?2 AND ?3 GROUP BY version, step, kind, what HAVING sum(count) <> 0";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![project, days.first, days.last])?;
    let mut sums: BTreeMap<String, FunnelSums> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let of = sums.entry(row.get(0)?).or_default();
        of.insert((row.get(1)?, row.get(2)?, row.get(3)?), (row.get(4)?, row.get(5)?));
    }
    Ok(sums)
}

/// The sums of all versions together.
fn all_of(sums: &BTreeMap<String, FunnelSums>) -> FunnelSums {
    let mut all = FunnelSums::new();
    for (key, (count, amount)) in sums.values().flatten() {
        let of = all.entry(key.clone()).or_default();
        *of = (of.0 + count, of.1 + amount);
    }
    all.retain(|_, (count, _)| *count != 0);
    all
}

/// The steps that a version had, with the titles of now; those of now where nobody knows them any more.
fn steps_then(kept: &str, now: &[FunnelStep]) -> Result<Vec<FunnelStep>, StoreError> {
    if kept.is_empty() {
        return Ok(now.to_vec());
    }
    let known: Vec<KnownStep> = serde_json::from_str(kept)?;
    let then = known.into_iter().map(|step| FunnelStep {
        title: now.iter().find(|now| now.name == step.name).and_then(|now| now.title.clone()),
        answers: step.answers.into_iter().zip(step.leads.into_iter().chain(std::iter::repeat(None))).collect(),
        products: step.products,
        name: step.name,
    });
    Ok(then.collect())
}

fn steps_of(connection: &Connection, workspace: i64, project: &str) -> Result<Option<Vec<FunnelStep>>, StoreError> {
    let sql = "SELECT number FROM project WHERE id = ?1 AND workspace = ?2";
    let number = connection.prepare_cached(sql)?.query_row(params![project, workspace], |row| row.get::<i64>(0));
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
        steps.push(FunnelStep { name: row.get(0)?, title, answers, products });
    }
    Ok(Some(steps))
}

/// Visits and those that came to the end, by day or by version.
fn by<T: db::FromSql + Ord>(
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
        let count = |at| Ok::<_, db::Error>(row.get::<Option<i64>>(at)?.unwrap_or_default());
        Ok((row.get(0)?, count(1)?, count(2)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read(
    connection: &Connection,
    project: &str,
    now: Vec<FunnelStep>,
    days: FunnelDays,
) -> Result<ProjectFunnel, StoreError> {
    let mut sums = sums(connection, project, days)?;
    let all = all_of(&sums);
    let mut versions = Vec::new();
    let mut sample = 0;
    for (version, visits, completed) in by::<String>(connection, "version", project, days)? {
        let sql = "SELECT first_at, steps FROM funnel_version WHERE project = ?1 AND version = ?2";
        let read = |row: &db::Row<'_>| Ok((row.get::<i64>(0)?, row.get::<String>(1)?));
        let (first, kept) = connection.prepare_cached(sql)?.query_row([project, &version], read)?;
        let had = steps_then(&kept, &now)?;
        let of_version = sums.remove(&version).unwrap_or_default();
        let is_sample = version == funnel::SAMPLE;
        sample += if is_sample { visits } else { 0 };
        let (visits, completed, first_visit_at) = (visits.into(), completed.into(), moment_text(first));
        let version = FunnelVersion {
            version,
            first_visit_at,
            visits,
            completed,
            sample: is_sample.then_some(true),
            ..FunnelVersion::default()
        };
        versions.push((first, version_of(version, of_version, had)));
    }
    versions.sort_by_key(|(first, _)| *first);
    let frame = FunnelFrame {
        since: (days.first > i64::MIN).then_some(days.first),
        until: (days.last < i64::MAX).then_some(days.last),
        days: by(connection, "day", project, days)?,
        versions: versions.into_iter().map(|(_, version)| version).collect(),
        sample,
    };
    Ok(funnel_of(all, now, frame))
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
