//! What only SQLite has, of what the rooms of the store ask for.

use super::{Connection, Result};

impl Connection {
    /// Several statements, or a setting, that mean something to SQLite alone.
    pub(in crate::service::store) fn sqlite_batch(&self, sql: &str) -> Result<()> {
        match self.sqlite() {
            Some(connection) => Ok(connection.execute_batch(sql)?),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Connection, Result};
    use crate::service::store::db::{FromSql, ToSql};

    /// What tests ask of SQLite.
    impl Connection {
        pub(in crate::service::store) fn open_in_memory() -> Result<Self> {
            Ok(rusqlite::Connection::open_in_memory()?.into())
        }

        pub(in crate::service::store) fn execute_batch(&self, sql: &str) -> Result<()> {
            match self.postgres() {
                Some(session) => session.batch(sql),
                None => self.sqlite_batch(sql),
            }
        }

        /// A setting, changed or read.
        pub(in crate::service::store) fn pragma<T: FromSql>(&self, name: &str, value: Option<i64>) -> Result<T> {
            let value = value.map_or_else(String::new, |value| format!(" = {value}"));
            self.query_row(&format!("PRAGMA {name}{value}"), &[] as &[&dyn ToSql], |row| row.get(0))
        }
    }
}
