//! The numbers of a project as they are shown: sums of what was counted, beside the steps of now.

use super::db::{self, Connection, OptionalExtension as _, params};
use super::funnel::{self, DAY};
use super::{Store, StoreError, moment_text};
use crate::api::{FunnelFrame, FunnelStep, FunnelSums, FunnelVersion, ProjectFunnel, funnel_of};

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

fn sums(connection: &Connection, project: &str, days: FunnelDays) -> Result<FunnelSums, StoreError> {
    let sql = "SELECT step, kind, what, sum(count), sum(amount) FROM funnel
        WHERE project = ?1 AND day BETWEEN ?2 AND ?3 GROUP BY step, kind, what HAVING sum(count) <> 0";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![project, days.first, days.last], |row| {
        Ok(((row.get(0)?, row.get(1)?, row.get(2)?), (row.get(3)?, row.get(4)?)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
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
    let sums = sums(connection, project, days)?;
    let mut versions = Vec::new();
    let mut sample = 0;
    for (version, visits, completed) in by::<String>(connection, "version", project, days)? {
        let sql = "SELECT first_at FROM funnel_version WHERE project = ?1 AND version = ?2";
        let first: i64 = connection.prepare_cached(sql)?.query_row([project, &version], |row| row.get(0))?;
        let is_sample = version == funnel::SAMPLE;
        sample += if is_sample { visits } else { 0 };
        let (visits, completed, first_visit_at) = (visits.into(), completed.into(), moment_text(first));
        versions.push((
            first,
            FunnelVersion {
                version,
                first_visit_at,
                visits,
                completed,
                sample: is_sample.then_some(true),
                ..FunnelVersion::default()
            },
        ));
    }
    versions.sort_by_key(|(first, _)| *first);
    let frame = FunnelFrame {
        since: (days.first > i64::MIN).then_some(days.first),
        until: (days.last < i64::MAX).then_some(days.last),
        days: by(connection, "day", project, days)?,
        versions: versions.into_iter().map(|(_, version)| version).collect(),
        sample,
    };
    Ok(funnel_of(sums, now, frame))
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
