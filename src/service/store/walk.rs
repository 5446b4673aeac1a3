//! Products in an order: walks along an index, and look-ups of single ones.

use super::StoreError;
use super::db::{Connection, OptionalExtension as _, params};
use crate::service::search::cursor::Position;
use crate::service::search::machine::Column;
use crate::service::search::numbers::{id, number};
use crate::service::search::{Key, Order, Query};

/// The ranges that a row has to be in; an open one is null.
const IN_RANGES: &str = "(?4 IS NULL OR inventory BETWEEN ?4 AND ?5) AND (?6 IS NULL OR created BETWEEN ?6 AND ?7)";

/// A store walked for one query.
pub(super) struct Walk<'a> {
    pub connection: &'a Connection,
    pub store: i64,
    pub query: &'a Query,
}

/// A part of a sorted index that lies in one piece.
enum Stretch {
    /// Rows with the key of the last product seen, after it.
    Ties,
    /// Rows between two keys.
    Between,
    /// Rows without a key.
    Nulls,
}

impl Key {
    fn column(self) -> &'static str {
        match self {
            Self::Inventory => "inventory",
            Self::ProviderCreated => "provider_created",
            Self::ProviderUpdated => "provider_updated",
        }
    }
}

impl Walk<'_> {
    /// Shows `see` the products behind a position, or from the first on, until it says that it has enough. Products outside the
    /// query's ranges are not shown; its terms are not looked at.
    pub(super) fn run(
        &self,
        after: Option<Position>,
        mut see: impl FnMut(Position) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        match self.query.order {
            Order::Id => {
                let (first, last) = (id(self.store, 0), id(self.store, u32::MAX));
                let from = after.map_or(first, |after| after.id.max(first));
                let sql = format!(
                    "SELECT id, NULL FROM product NOT INDEXED WHERE id > ?2 AND id <= ?3 AND {IN_RANGES} ORDER BY id"
                );
                self.rows(&sql, from, last, &mut see).map(|_| ())
            }
            Order::By { key, down } => self.sorted(key, down, after, &mut see),
        }
    }

    fn sorted(
        &self,
        key: Key,
        down: bool,
        after: Option<Position>,
        see: &mut impl FnMut(Position) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let range = if key == Key::Inventory { self.query.inventory } else { None };
        let (mut low, mut high) = range.unwrap_or((i64::MIN, i64::MAX));
        let sql = |stretch| statement(key, down, &stretch);
        if let Some(Position { key: Some(last), id }) = after {
            if self.rows(&sql(Stretch::Ties), last, id, see)? {
                return Ok(());
            }
            if down {
                high = high.min(last.saturating_sub(1));
            } else {
                low = low.max(last.saturating_add(1));
            }
        }
        let in_nulls = after.is_some_and(|after| after.key.is_none());
        if !in_nulls && low <= high && self.rows(&sql(Stretch::Between), low, high, see)? {
            return Ok(());
        }
        if range.is_none() {
            let from = after.filter(|_| in_nulls).map_or(0, |after| after.id);
            self.rows(&sql(Stretch::Nulls), from, 0, see)?;
        }
        Ok(())
    }

    fn rows(
        &self,
        sql: &str,
        first: i64,
        second: i64,
        see: &mut impl FnMut(Position) -> Result<bool, StoreError>,
    ) -> Result<bool, StoreError> {
        let [low, high, from, to] = self.ranges();
        let of = params![self.store, first, second, low, high, from, to];
        self.connection.walk(sql, of, |id, key| see(Position { key, id }))
    }

    fn ranges(&self) -> [Option<i64>; 4] {
        let (inventory, created) = (self.query.inventory, self.query.created);
        [inventory.map(|r| r.0), inventory.map(|r| r.1), created.map(|r| r.0), created.map(|r| r.1)]
    }

    /// The position of a product in the order, or `None` where it is outside the query's ranges.
    pub(super) fn position(&self, number: u32) -> Result<Option<Position>, StoreError> {
        let column = match self.query.order {
            Order::Id => "NULL",
            Order::By { key, .. } => key.column(),
        };
        let sql = format!("SELECT {column} FROM product NOT INDEXED WHERE id = ?2 AND {IN_RANGES}");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let [low, high, from, to] = self.ranges();
        let id = id(self.store, number);
        let key = statement
            .query_row(params![self.store, id, 0, low, high, from, to], |row| row.get::<Option<i64>>(0))
            .optional()?;
        Ok(key.map(|key| Position { key, id }))
    }
}

fn statement(key: Key, down: bool, stretch: &Stretch) -> String {
    let column = key.column();
    let (way, order) = if down { ("down", "DESC") } else { ("up", "ASC") };
    let (condition, order) = match stretch {
        Stretch::Ties => (format!("{column} = ?2 AND id > ?3"), "id".to_owned()),
        Stretch::Between => (format!("{column} BETWEEN ?2 AND ?3"), format!("{column} {order}, id")),
        Stretch::Nulls => (format!("{column} IS NULL AND id > ?2"), "id".to_owned()),
    };
    format!(
        "SELECT id, {column} FROM product INDEXED BY product_{column}_{way}
         WHERE store = ?1 AND {condition} AND {IN_RANGES} ORDER BY {order}"
    )
}

/// The numbers of the products whose inventory or date of creation lies in a range, where they are at most `most`.
pub(super) fn few_in_range(
    connection: &Connection,
    store: i64,
    column: Column,
    range: (i64, i64),
    most: usize,
) -> Result<Option<roaring::RoaringBitmap>, StoreError> {
    let column = match column {
        Column::Inventory => "inventory",
        Column::Created => "created",
    };
    let sql = format!("SELECT id FROM product WHERE store = ?1 AND {column} BETWEEN ?2 AND ?3 LIMIT ?4");
    let mut statement = connection.prepare_cached(&sql)?;
    let limit = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
    let mut rows = statement.query(params![store, range.0, range.1, limit])?;
    let (mut found, mut count) = (roaring::RoaringBitmap::new(), 0);
    while let Some(row) = rows.next()? {
        found.insert(number(row.get(0)?));
        count += 1;
    }
    Ok((count <= most).then_some(found))
}
