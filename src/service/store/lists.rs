//! Products looked up in PostgreSQL by lists: one statement for all of them.

use std::borrow::Cow;
use std::fmt::Write as _;

use roaring::RoaringBitmap;

use super::StoreError;
use super::db::{Listed, Question, Row, Session};
use crate::service::search::cursor::Position;
use crate::service::search::machine::{Column, NEAR};
use crate::service::search::numbers::{id, number};
use crate::service::search::{Key, Name, Order, Query};

/// Products whose positions are asked for at first, where few of them may do, and how many times as many then.
const FIRST: (usize, usize) = (128, 4);

/// The numbers of the products with these external ids.
pub(super) fn external(session: &Session, store: i64, wanted: &[String]) -> Result<RoaringBitmap, StoreError> {
    let wanted: Vec<Cow<'_, str>> = wanted.iter().map(|text| Cow::from(text.as_str())).collect();
    numbers(&ids_of(session, store, &wanted)?)
}

/// The ids of the products with these external ids, and which each has.
pub(super) fn ids_of(session: &Session, store: i64, wanted: &[Cow<'_, str>]) -> Result<Vec<Row<'static>>, StoreError> {
    // The index has the beginnings of external ids, which may be long.
    const IDS_OF: &str = "SELECT found.id, wanted.external FROM unnest(?2::text[]) AS wanted (external)
        CROSS JOIN LATERAL (
            SELECT id FROM product WHERE store = ?1 AND left(external, 512) = left(wanted.external, 512)
            AND external = wanted.external OFFSET 0
        ) AS found";
    Ok(session.rows(Question::new(IDS_OF, &[Listed::Number(store), Listed::Texts(wanted)]))?)
}

/// The numbers of the products with one of these names.
pub(super) fn named(session: &Session, store: i64, name: Name, hashes: &[i64]) -> Result<RoaringBitmap, StoreError> {
    const NAMED: &str = "SELECT number FROM lookup WHERE store = ?1 AND field = ?2 AND hash = ANY (?3)";
    let of = [Listed::Number(store), Listed::Number(name.number()), Listed::Numbers(hashes)];
    numbers(&session.rows(Question::new(NAMED, &of))?)
}

fn numbers(rows: &[Row<'_>]) -> Result<RoaringBitmap, StoreError> {
    let read = rows.iter().map(|row| Ok(number(row.get(0)?)));
    read.collect()
}

/// The numbers of the products in a range, where they are at most so many. The server plans it for the range that it is: of
/// most of a catalog and of a few products another way is best.
pub(super) fn few_in_range(
    session: &Session,
    store: i64,
    column: Column,
    (least, most): (i64, i64),
    few: usize,
) -> Result<Option<RoaringBitmap>, StoreError> {
    let column = match column {
        Column::Inventory => "inventory",
        Column::Created => "created",
    };
    let limit = few.saturating_add(1).min(i32::MAX as usize);
    let sql = format!(
        "SELECT id FROM product WHERE store = ?1 AND {column} BETWEEN ?2 AND ?3 ORDER BY {column} LIMIT {limit}"
    );
    let values = [Listed::Number(store), Listed::Number(least), Listed::Number(most)];
    let rows = session.rows(Question { sql: &sql, values: &values, is_planned: true })?;
    if rows.len() > few { Ok(None) } else { numbers(&rows).map(Some) }
}

impl Key {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Inventory => "inventory",
            Self::ProviderCreated => "provider_created",
            Self::ProviderUpdated => "provider_updated",
        }
    }
}

/// The query's ranges as a condition, with their values behind those that are there.
pub(super) fn ranges(query: &Query, values: &mut Vec<Listed<'_>>) -> String {
    let mut condition = String::new();
    for (column, range) in [("inventory", query.inventory), ("created", query.created)] {
        if let Some((least, most)) = range {
            values.extend([Listed::Number(least), Listed::Number(most)]);
            let _ = write!(condition, " AND {column} BETWEEN ?{} AND ?{}", values.len() - 1, values.len());
        }
    }
    condition
}

/// The positions of products in the order of numbers, without those outside of the query's ranges, and not more than so many.
pub(super) fn positions(
    session: &Session,
    (store, query): (i64, &Query),
    of: &RoaringBitmap,
    most: usize,
) -> Result<Vec<Position>, StoreError> {
    let (mut left, mut found) = (of.iter(), Vec::new());
    let mut at_once = if most == usize::MAX { usize::MAX } else { FIRST.0 };
    while found.len() < most {
        let some: Vec<u32> = left.by_ref().take(at_once).collect();
        if some.is_empty() {
            break;
        }
        at_once = at_once.saturating_mul(FIRST.1);
        let mut positions = asked(session, (store, query), &some)?;
        positions.sort_unstable_by_key(|position| position.id);
        found.extend(positions.into_iter().filter(|position| of.contains(number(position.id))));
    }
    found.truncate(most);
    Ok(found)
}

/// What is [`NEAR`] to each other, each from its first number to its last.
fn runs(numbers: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if number - *last <= NEAR => *last = *number,
            _ => runs.push((*number, *number)),
        }
    }
    runs
}

/// The positions of these products, and maybe of others between them.
fn asked(session: &Session, (store, query): (i64, &Query), wanted: &[u32]) -> Result<Vec<Position>, StoreError> {
    let key = match query.order {
        Order::Id => "NULL::bigint",
        Order::By { key, .. } => key.name(),
    };
    let runs = runs(wanted);
    let ids: Vec<i64> = wanted.iter().map(|number| id(store, *number)).collect();
    let ends = |end: fn(&(u32, u32)) -> u32| runs.iter().map(|run| id(store, end(run))).collect::<Vec<i64>>();
    let (first, last) = (ends(|run| run.0), ends(|run| run.1));
    let rows = if runs.len() * 2 <= wanted.len() {
        let mut values = vec![Listed::Numbers(&first), Listed::Numbers(&last)];
        let ranges = ranges(query, &mut values);
        let sql = format!(
            "SELECT array_agg(found.id), array_agg(found.key) FROM unnest(?1::bigint[], ?2::bigint[]) AS run (first_id, last_id)
             CROSS JOIN LATERAL (
                SELECT id, {key} AS key FROM product WHERE id BETWEEN run.first_id AND run.last_id{ranges} OFFSET 0
             ) AS found"
        );
        session.rows(Question::new(&sql, &values))?
    } else {
        let mut values = vec![Listed::Numbers(&ids)];
        let ranges = ranges(query, &mut values);
        let sql = format!("SELECT array_agg(id), array_agg({key}) FROM product WHERE id = ANY (?1){ranges}");
        session.rows(Question::new(&sql, &values))?
    };
    gathered(&rows)
}

/// Positions that come as a list of ids and one of their keys: for each of many rows a message would cost as much as finding it.
pub(super) fn gathered(rows: &[Row<'_>]) -> Result<Vec<Position>, StoreError> {
    let mut positions = Vec::new();
    for row in rows {
        let (ids, keys) = (row.numbers(0)?, row.numbers(1)?);
        let both = ids.into_iter().zip(keys);
        positions.extend(both.filter_map(|(id, key)| id.map(|id| Position { key, id })));
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn numbers_with_narrow_gaps_are_read_in_a_run() {
        assert_eq!(runs(&[3, 4, 9, 33, 58, 59]), [(3, 33), (58, 59)]);
        assert_eq!(runs(&[]), []);
    }
}
