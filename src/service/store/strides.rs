//! Walks along the indexes of PostgreSQL: so many rows at once as likely fill the page, then more.

use super::StoreError;
use super::db::{self, Listed, Question, Row, Session};
use super::lists::{gathered, ranges};
use crate::service::search::cursor::Position;
use crate::service::search::machine::{Machine, compare};
use crate::service::search::numbers::id;
use crate::service::search::{Key, Order, Query};

/// Rows of a stride: at least, and at most.
const ROWS: (usize, usize) = (16, 8192);
/// From so many rows on they come as lists.
const MANY: usize = 256;

/// A store walked for one query.
pub(super) struct Strides<'a> {
    pub(super) session: &'a Session,
    pub(super) store: i64,
    pub(super) query: &'a Query,
}

/// A part of a sorted index that lies in one piece.
#[derive(Debug, Clone, Copy)]
enum Stretch {
    /// By id, behind this one.
    Ids(i64),
    /// Rows with the key of the last product seen, after it.
    Ties(i64, i64),
    /// Rows between two keys.
    Between(i64, i64),
    /// Rows without a key, behind this id.
    Nulls(i64),
}

/// A number of rows for which there is a statement: of any number there would be too many of them.
fn rounded(rows: u64) -> usize {
    let rows = usize::try_from(rows).unwrap_or(usize::MAX).clamp(ROWS.0, ROWS.1);
    rows.next_power_of_two()
}

impl Strides<'_> {
    /// Shows the machine the products behind a position, or from the first on, until it has enough.
    pub(super) fn run(&self, after: Option<Position>, machine: &mut Machine<'_>) -> Result<(), StoreError> {
        let mut after = after;
        // A quarter more, as no catalog is quite even.
        let even = machine.even_steps();
        let mut most = rounded(even + if even > machine.lacks() as u64 { even / 4 } else { 0 });
        loop {
            let rows = self.stride(after, most)?;
            for position in &rows {
                if machine.see(*position) {
                    return Ok(());
                }
            }
            if rows.len() < most {
                return Ok(());
            }
            after = rows.last().copied();
            most = rounded(most as u64 * 4);
        }
    }

    /// The products behind a position, as many as that, or fewer where there are no more.
    fn stride(&self, after: Option<Position>, most: usize) -> Result<Vec<Position>, StoreError> {
        let mut found: Vec<Position> = Vec::new();
        let stretches = self.stretches(after);
        // Of the rows behind the last one's ties some are always wanted, so both are asked for together.
        let (together, rest) = stretches.split_at(stretches.len().min(if after.is_some() { 2 } else { 1 }));
        for stretches in std::iter::once(together).chain(rest.chunks(1)) {
            if found.len() < most {
                found.extend(self.rows(stretches, most)?);
            }
        }
        found.truncate(most);
        Ok(found)
    }

    fn stretches(&self, after: Option<Position>) -> Vec<Stretch> {
        let Order::By { key, down } = self.query.order else {
            let first = id(self.store, 0);
            return vec![Stretch::Ids(after.map_or(first, |after| after.id.max(first)))];
        };
        let range = if key == Key::Inventory { self.query.inventory } else { None };
        let (mut low, mut high) = range.unwrap_or((i64::MIN, i64::MAX));
        let mut stretches = Vec::with_capacity(3);
        if let Some(Position { key: Some(last), id }) = after {
            stretches.push(Stretch::Ties(last, id));
            if down {
                high = high.min(last.saturating_sub(1));
            } else {
                low = low.max(last.saturating_add(1));
            }
        }
        let in_nulls = after.filter(|after| after.key.is_none());
        if in_nulls.is_none() && low <= high {
            stretches.push(Stretch::Between(low, high));
        }
        if range.is_none() {
            stretches.push(Stretch::Nulls(in_nulls.map_or(0, |after| after.id)));
        }
        stretches
    }

    /// The first rows of stretches, one after the other; so many of each at most.
    fn rows(&self, stretches: &[Stretch], most: usize) -> Result<Vec<Position>, StoreError> {
        let asked: Vec<_> = stretches.iter().map(|stretch| self.statement(*stretch, most)).collect();
        let questions: Vec<_> =
            asked.iter().map(|(sql, values, is_planned)| Question { sql, values, is_planned: *is_planned }).collect();
        let rows = self.session.answers(&questions)?.into_iter().flatten();
        if most < MANY {
            let read = |row: Row<'_>| Ok(Position { id: row.get(0)?, key: row.get(1)? });
            return Ok(rows.map(read).collect::<db::Result<_>>()?);
        }
        let mut found = gathered(&rows.collect::<Vec<_>>())?;
        // Nothing says that a list keeps an order.
        let is_down = matches!(self.query.order, Order::By { down: true, .. });
        let order = |a: &Position, b: &Position| compare(*a, *b, is_down);
        if !found.is_sorted_by(|a, b| order(a, b).is_lt()) {
            found.sort_unstable_by(order);
        }
        Ok(found)
    }

    /// What asks for the rows of a stretch. Where ranges are tested on the way, the server plans it for them: it walks the index
    /// that was meant unless they leave hardly a row.
    fn statement(&self, stretch: Stretch, most: usize) -> (String, Vec<Listed<'static>>, bool) {
        let (column, order) = match self.query.order {
            Order::Id => ("NULL::bigint", ""),
            Order::By { key, down } => (key.name(), if down { "DESC" } else { "ASC" }),
        };
        let numbers = |numbers: &[i64]| numbers.iter().map(|number| Listed::Number(*number)).collect::<Vec<_>>();
        let (condition, order, mut values) = match stretch {
            Stretch::Ids(after) => {
                let values = numbers(&[after, id(self.store, u32::MAX)]);
                ("id > ?1 AND id <= ?2".to_owned(), "id".to_owned(), values)
            }
            Stretch::Ties(key, after) => (
                format!("store = ?1 AND {column} = ?2 AND id > ?3"),
                "id".to_owned(),
                numbers(&[self.store, key, after]),
            ),
            Stretch::Between(low, high) => (
                format!("store = ?1 AND {column} BETWEEN ?2 AND ?3"),
                format!("{column} {order}, id"),
                numbers(&[self.store, low, high]),
            ),
            Stretch::Nulls(after) => {
                (format!("store = ?1 AND {column} IS NULL AND id > ?2"), "id".to_owned(), numbers(&[self.store, after]))
            }
        };
        let own = values.len();
        let ranges = ranges(&self.tested(), &mut values);
        let mut sql =
            format!("SELECT id, {column} AS key FROM product WHERE {condition}{ranges} ORDER BY {order} LIMIT {most}");
        if most >= MANY {
            sql = format!("SELECT array_agg(id), array_agg(key) FROM ({sql}) AS found");
        }
        let is_planned = values.len() > own;
        (sql, values, is_planned)
    }

    /// The query with the ranges alone that the walk itself doesn't keep to.
    fn tested(&self) -> Query {
        let keeps = matches!(self.query.order, Order::By { key: Key::Inventory, .. });
        Query { inventory: self.query.inventory.filter(|_| !keeps), created: self.query.created, ..Query::default() }
    }
}
