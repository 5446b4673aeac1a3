//! The stores of a workspace.

use super::db::{self, Connection, OptionalExtension as _, params};
use super::{Store, StoreError};
use crate::domain::StoreUrl;

/// A store to be connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewStore {
    /// Its address.
    pub app_url: StoreUrl,
    /// Its name for people.
    pub name: Option<String>,
    /// ISO 4217 code of its currency.
    pub currency_code: Option<String>,
    /// How the currency is written.
    pub currency_symbol: Option<String>,
}

impl NewStore {
    /// The store of this address, of which no more is known. Its address is written as it is kept.
    #[must_use]
    pub fn at(app_url: &StoreUrl) -> Self {
        Self {
            app_url: StoreUrl::new(trimmed(&app_url.normalized())),
            name: None,
            currency_code: None,
            currency_symbol: None,
        }
    }
}

/// A connected store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreRow {
    /// Its number in the database.
    pub id: i64,
    /// Its address.
    pub app_url: StoreUrl,
    /// How many products it has.
    pub products: i64,
    /// How many of them are published.
    pub published: i64,
}

/// Addresses are compared without the slash at their end.
pub(super) fn trimmed(app_url: &StoreUrl) -> &str {
    app_url.as_str().trim_end_matches('/')
}

pub(super) fn find(
    connection: &Connection,
    workspace: i64,
    app_url: &StoreUrl,
) -> Result<Option<StoreRow>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT id, app_url, products, published FROM store WHERE workspace = ?1 AND app_url = ?2")?;
    if let Some(found) = statement.query_row(params![workspace, trimmed(app_url)], read).optional()? {
        return Ok(Some(found));
    }
    // Written otherwise it is the same store: a host has no capitals.
    let mut statement =
        connection.prepare_cached("SELECT id, app_url, products, published FROM store WHERE workspace = ?1")?;
    let mut stores = statement.query_map([workspace], read)?;
    let same = stores.find(|store| store.as_ref().map_or(true, |store| store.app_url.is_same(app_url)));
    Ok(same.transpose()?)
}

fn read(row: &db::Row<'_>) -> db::Result<StoreRow> {
    let app_url = StoreUrl::new(row.get::<String>(1)?);
    Ok(StoreRow { id: row.get(0)?, app_url, products: row.get(2)?, published: row.get(3)? })
}

impl Store {
    /// The stores of a workspace, in the order in which they were connected.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn stores(&self, workspace: i64) -> Result<Vec<StoreRow>, StoreError> {
        self.readers
            .run(move |connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT id, app_url, products, published FROM store WHERE workspace = ?1 ORDER BY id",
                )?;
                let rows = statement.query_map([workspace], read)?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// The store of this address in a workspace.
    ///
    /// # Errors
    /// [`StoreError::UnknownStore`] where the workspace has none; else where the database refuses.
    pub async fn store(&self, workspace: i64, app_url: StoreUrl) -> Result<StoreRow, StoreError> {
        self.readers
            .run(move |connection| find(connection, workspace, &app_url)?.ok_or(StoreError::UnknownStore(app_url)))
            .await
    }

    /// Connects a store, or finds the one that has this address already.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn connect(&self, workspace: i64, new: NewStore) -> Result<StoreRow, StoreError> {
        self.write(move |transaction| connect(transaction, workspace, new)).await
    }
}

/// Connects a store, or finds the one that has this address already; part of the transaction that is open.
pub(super) fn connect(connection: &Connection, workspace: i64, new: NewStore) -> Result<StoreRow, StoreError> {
    if let Some(known) = find(connection, workspace, &new.app_url)? {
        return Ok(known);
    }
    connection.execute(
        "INSERT INTO store (workspace, app_url, name, currency_code, currency_symbol)
         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
        params![workspace, trimmed(&new.app_url), new.name, new.currency_code, new.currency_symbol],
    )?;
    find(connection, workspace, &new.app_url)?.ok_or(StoreError::UnknownStore(new.app_url))
}
