//! The tables that a workspace consists of, and how their rows are asked for in the order of their keys.

use super::super::StoreError;
use super::super::db::{Connection, ToSql, TransactionBehavior, Value, ValueRef};
use super::digest::{Digest, Row};

/// Every table, those first that others refer to.
pub(super) const TABLES: [&str; 33] = [
    "setting",
    "workspace",
    "user",
    "api_key",
    "access_token",
    "store",
    "product",
    "document",
    "posting",
    "lookup",
    "folder",
    "project",
    "step",
    "video",
    "caption",
    "webhook",
    "refresh_token",
    "authorization_code",
    "device_code",
    "oauth_grant",
    "visit",
    "visit_event",
    "visit_purchase",
    "delivery",
    "visitor_use",
    "funnel_version",
    "funnel",
    "creation",
    "blob",
    "audit",
    "guest_note",
    "guest_draft",
    "guest_line",
];

/// Rows of a chunk, and bytes in it after which the next one has fewer.
const ROWS: (usize, usize) = (16, 16_384);
const BYTES: usize = 4 * 1024 * 1024;

/// Bytes of texts that every index of PostgreSQL takes.
const INDEXED: usize = 2_500;

/// A table of both databases.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// Its columns in the order of their names, quoted and with commas between.
    pub(super) columns: String,
    /// How many.
    width: usize,
    /// Those that have text.
    texts: Vec<String>,
    /// Where in the columns those of the key are, in the key's order.
    key: Vec<usize>,
    names: Vec<String>,
}

fn quoted(names: &[String], after: &str) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"{after}")).collect();
    names.join(", ")
}

/// A value of a row, as either database has it.
fn owned(value: ValueRef<'_>) -> Result<Value, StoreError> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        ValueRef::Text(bytes) => {
            let text = std::str::from_utf8(bytes).map_err(|error| StoreError::Document(error.to_string()))?;
            Value::Text(text.to_owned())
        }
    })
}

fn size(row: &Row) -> usize {
    let size = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        _ => 8,
    };
    row.iter().map(size).sum()
}

impl Table {
    /// A table as a database of SQLite has it.
    pub(super) fn of(sqlite: &Connection, name: &'static str) -> Result<Self, StoreError> {
        let asked = "SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY name";
        let mut statement = sqlite.prepare(asked)?;
        let columns = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let columns: Vec<(String, String, i64)> = columns.collect::<Result<_, _>>()?;
        let mut key: Vec<(i64, usize)> =
            columns.iter().enumerate().filter(|(_, column)| column.2 > 0).map(|(at, column)| (column.2, at)).collect();
        key.sort_unstable();
        let texts = columns.iter().filter(|(_, kind, _)| kind == "TEXT").map(|(name, ..)| name.clone()).collect();
        let names: Vec<String> = columns.into_iter().map(|(name, ..)| name).collect();
        Ok(Self {
            name,
            columns: quoted(&names, ""),
            width: names.len(),
            texts,
            key: key.into_iter().map(|(_, at)| at).collect(),
            names,
        })
    }

    fn key_names(&self) -> Vec<String> {
        self.key.iter().filter_map(|at| self.names.get(*at).cloned()).collect()
    }

    /// What is no row of the workspace: the marks of moves.
    fn only(&self) -> &'static str {
        if self.name == "setting" { "name NOT IN ('moving', 'moved')" } else { "1 = 1" }
    }

    /// How many rows it has.
    pub(super) fn count(&self, connection: &Connection) -> Result<u64, StoreError> {
        let sql = format!("SELECT count(*) FROM \"{}\" WHERE {}", self.name, self.only());
        let rows: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
        Ok(u64::try_from(rows).unwrap_or_default())
    }

    /// A column of SQLite's that has a text with U+0000, which PostgreSQL can't store.
    pub(super) fn zeros(&self, sqlite: &Connection) -> Result<Option<&str>, StoreError> {
        for column in &self.texts {
            let sql = format!("SELECT 1 FROM \"{}\" WHERE instr(CAST(\"{column}\" AS BLOB), x'00') > 0", self.name);
            if sqlite.prepare(&sql)?.exists([])? {
                return Ok(Some(column));
            }
        }
        Ok(None)
    }

    /// The texts that each of its indexes in PostgreSQL is over.
    pub(super) fn keys(&self, postgres: &Connection) -> Result<Vec<Vec<String>>, StoreError> {
        let sql = "SELECT string_agg(attname::text, ',' ORDER BY attname) FROM pg_index
            JOIN pg_class ON pg_class.oid = pg_index.indrelid
            JOIN pg_attribute ON attrelid = pg_class.oid AND attnum = ANY (indkey)
            WHERE relname::text = ?1 AND pg_table_is_visible(pg_class.oid) GROUP BY indexrelid";
        let mut statement = postgres.prepare(sql)?;
        let found = statement.query_map([self.name], |row| row.get::<String>(0))?;
        let mut keys = Vec::new();
        for names in found {
            let names = names?;
            let texts = names.split(',').filter(|name| self.texts.iter().any(|text| text == name));
            let texts: Vec<String> = texts.map(str::to_owned).collect();
            if !texts.is_empty() && !keys.contains(&texts) {
                keys.push(texts);
            }
        }
        Ok(keys)
    }

    /// Whether a row is more than PostgreSQL takes into the index over these texts. Only the server can say that of a long
    /// one, as it packs them, so it is asked; nothing of it is kept.
    pub(super) fn exceeds(
        &self,
        sqlite: &Connection,
        postgres: &mut Connection,
        keys: &[String],
    ) -> Result<bool, StoreError> {
        let bytes: Vec<String> =
            keys.iter().map(|name| format!("coalesce(length(CAST(\"{name}\" AS BLOB)), 0)")).collect();
        let (columns, bytes) = (&self.columns, bytes.join(" + "));
        let sql = format!("SELECT {columns} FROM \"{}\" WHERE {bytes} > {INDEXED} ORDER BY {bytes} DESC", self.name);
        let mut statement = sqlite.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let values = (0..self.width).map(|at| owned(row.get_ref(at)?));
            let row = values.collect::<Result<Row, StoreError>>()?;
            let transaction = postgres.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let Some(session) = transaction.postgres() else { return Ok(false) };
            match session.copy_in(&format!("\"{}\"", self.name), &self.columns, &[row]) {
                Err(error) if error.is_too_long() => return Ok(true),
                // It is there already where a move goes on.
                Err(error) if error.is_double() => {}
                Err(error) => return Err(error.into()),
                Ok(()) => {}
            }
        }
        Ok(false)
    }

    /// Takes out every row.
    pub(super) fn clear(&self, connection: &Connection) -> Result<(), StoreError> {
        connection.execute(&format!("DELETE FROM \"{}\" WHERE {}", self.name, self.only()), [])?;
        Ok(())
    }

    /// The last row's key.
    pub(super) fn last(&self, connection: &Connection) -> Result<Option<Row>, StoreError> {
        let names = self.key_names();
        let (keys, down) = (quoted(&names, ""), quoted(&names, " DESC"));
        let sql = format!("SELECT {keys} FROM \"{}\" WHERE {} ORDER BY {down} LIMIT 1", self.name, self.only());
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        (0..names.len()).map(|at| owned(row.get_ref(at)?)).collect::<Result<_, _>>().map(Some)
    }

    /// Shows its rows behind a key, a chunk at a time.
    pub(super) fn chunks(
        &self,
        connection: &Connection,
        mut after: Option<Row>,
        mut see: impl FnMut(Vec<Row>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut most = ROWS.0;
        loop {
            let rows = self.chunk(connection, after.as_ref(), most)?;
            let Some(last) = rows.last() else { return Ok(()) };
            let bytes: usize = rows.iter().map(size).sum();
            let is_last = rows.len() < most;
            after = Some(self.key.iter().filter_map(|at| last.get(*at).cloned()).collect());
            most = if bytes > BYTES { most / 2 } else { most * 2 }.clamp(ROWS.0, ROWS.1);
            see(rows)?;
            if is_last {
                return Ok(());
            }
        }
    }

    fn chunk(&self, connection: &Connection, after: Option<&Row>, most: usize) -> Result<Vec<Row>, StoreError> {
        let keys = quoted(&self.key_names(), "");
        let behind = after.map_or_else(String::new, |key| {
            let places: Vec<String> = (1..=key.len()).map(|place| format!("?{place}")).collect();
            format!(" AND ({keys}) > ({})", places.join(", "))
        });
        let (columns, only) = (&self.columns, self.only());
        // The number is in the text: a statement is kept for each of the few that there are.
        let sql = format!("SELECT {columns} FROM \"{}\" WHERE {only}{behind} ORDER BY {keys} LIMIT {most}", self.name);
        let mut statement = connection.prepare_cached(&sql)?;
        let values: Vec<&dyn ToSql> = after.into_iter().flatten().map(|value| value as &dyn ToSql).collect();
        let mut rows = statement.query(values.as_slice())?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let values = (0..self.width).map(|at| owned(row.get_ref(at)?));
            found.push(values.collect::<Result<Row, StoreError>>()?);
        }
        Ok(found)
    }

    /// What all of its rows amount to.
    pub(super) fn digest(&self, connection: &Connection) -> Result<Digest, StoreError> {
        let mut digest = Digest::default();
        self.chunks(connection, None, |rows| {
            digest.add(&rows);
            Ok(())
        })?;
        Ok(digest)
    }

    /// Takes rows in: all of them, or none.
    pub(super) fn insert(&self, connection: &mut Connection, rows: &[Row]) -> Result<(), StoreError> {
        if let Some(session) = connection.postgres() {
            return Ok(session.copy_in(&format!("\"{}\"", self.name), &self.columns, rows)?);
        }
        let places: Vec<String> = (1..=self.width).map(|place| format!("?{place}")).collect();
        let sql = format!("INSERT INTO \"{}\" ({}) VALUES ({})", self.name, self.columns, places.join(", "));
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut statement = transaction.prepare_cached(&sql)?;
            for row in rows {
                let values: Vec<&dyn ToSql> = row.iter().map(|value| value as &dyn ToSql).collect();
                statement.execute(values.as_slice())?;
            }
        }
        Ok(transaction.commit()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::store::schema;

    /// What no workspace has: which tables there are, and whose turn it is to write.
    const OF_POSTGRES: [&str; 2] = ["schema_version", "turn"];

    #[test]
    fn every_table_of_both_databases_is_moved() {
        let mut sqlite = Connection::open_in_memory().unwrap();
        schema::migrate(&mut sqlite).unwrap();
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let mut statement = sqlite.prepare(sql).unwrap();
        let tables = statement.query_map([], |row| row.get::<String>(0)).unwrap();
        let tables: Vec<String> = tables.collect::<Result<_, _>>().unwrap();
        let mut moved = TABLES.map(str::to_owned);
        moved.sort_unstable();
        assert_eq!(tables, moved);
        let made = include_str!("../db/sql/0001.sql").lines();
        let made = made.chain(include_str!("../db/sql/0003.sql").lines());
        let made = made.filter_map(|line| line.strip_prefix("CREATE TABLE ")?.split_whitespace().next());
        let made = made.map(|name| name.trim_matches('"')).filter(|name| !OF_POSTGRES.contains(name));
        let mut made: Vec<&str> = made.collect();
        made.sort_unstable();
        assert_eq!(made, moved);
        for name in TABLES {
            let table = Table::of(&sqlite, name).unwrap();
            assert!(!table.key.is_empty(), "{name} has no key");
        }
    }
}
