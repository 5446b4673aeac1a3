//! API keys as their owner sees them: made, listed, revoked.

use serde::Serialize;
use uuid::Uuid;

use super::audit::{self, Entry};
use super::credentials::{hash, now_seconds, secret};
use super::db::{self, Connection, OptionalExtension as _, Row, Transaction, params};
use super::{Credential, Identity, Store, StoreError, moment_text, now_text};
use crate::domain::ApiKey;

/// A key that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewKey {
    /// A name to know it by.
    pub name: Option<String>,
    /// Whether it may only read.
    pub read_only: bool,
    /// When it ends, seconds since 1970; never without.
    pub expires_at: Option<i64>,
    /// The start of the service that it ends with.
    pub process: Option<String>,
}

/// A key as it is listed: everything but its text, which nobody has any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyRecord {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// `read-write` or `read-only`.
    pub scope: &'static str,
    /// When it was made.
    pub created_at: String,
    /// When it ends; nothing where it does not.
    pub expires_at: Option<String>,
    /// Whether that moment is past.
    pub expired: bool,
    /// When it was used last, to the minute.
    pub last_used_at: Option<String>,
    /// Whether it ends with the process that serves the folder.
    pub ends_with_process: bool,
}

/// What ended with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokedKey {
    /// The key.
    pub key: KeyRecord,
    /// How many sign-ins had been approved with it.
    pub grants: u64,
}

/// Digits of a key's id.
const ID_DIGITS: usize = 12;

/// What a key, or what was approved with it, may do.
pub(super) fn scope(read_only: bool) -> &'static str {
    if read_only { "read-only" } else { "read-write" }
}

/// A moment in seconds since 1970, as the timestamps of §2 are written.
pub(super) fn second_text(seconds: i64) -> String {
    moment_text(seconds.saturating_mul(1000))
}

/// The oldest first. A moment without thousandths is written with fewer digits, and its `Z` must not come behind those of another.
const BY_AGE: &str = "rtrim(created_at, 'Z'), id";
const RECORD: &str = "SELECT id, name, read_only, created_at, expires_at, used_at, process IS NOT NULL FROM api_key";

fn record(row: &Row<'_>, now: i64) -> db::Result<KeyRecord> {
    let expires_at: Option<i64> = row.get(4)?;
    Ok(KeyRecord {
        id: row.get(0)?,
        name: row.get(1)?,
        scope: scope(row.get(2)?),
        created_at: row.get(3)?,
        expires_at: expires_at.map(second_text),
        expired: expires_at.is_some_and(|end| end <= now),
        last_used_at: row.get::<Option<i64>>(5)?.map(second_text),
        ends_with_process: row.get(6)?,
    })
}

/// The one key of this id or name.
fn named(connection: &Connection, workspace: i64, wanted: &str) -> Result<KeyRecord, StoreError> {
    let now = now_seconds();
    let by_id = format!("{RECORD} WHERE workspace = ?1 AND id = ?2");
    if let Some(key) = connection.query_row(&by_id, params![workspace, wanted], |row| record(row, now)).optional()? {
        return Ok(key);
    }
    let mut statement =
        connection.prepare(&format!("{RECORD} WHERE workspace = ?1 AND name = ?2 ORDER BY {BY_AGE}"))?;
    let rows = statement.query_map(params![workspace, wanted], |row| record(row, now))?;
    let mut keys: Vec<KeyRecord> = rows.collect::<Result<_, _>>()?;
    match (keys.pop(), keys.is_empty()) {
        (Some(key), true) => Ok(key),
        (None, _) => Err(StoreError::Missing("The workspace has no key with this name or id.")),
        (Some(key), false) => {
            keys.push(key);
            let ids: Vec<&str> = keys.iter().map(|key| key.id.as_str()).collect();
            let why = format!("{} keys have this name; give the id of one of them: {}.", ids.len(), ids.join(", "));
            Err(StoreError::Conflict(why))
        }
    }
}

/// Removes a key with the tokens that it was exchanged for and the sign-ins that were approved with it; how many of
/// these there were.
fn remove(transaction: &Transaction, id: &str) -> Result<usize, StoreError> {
    let grants: Vec<String> = {
        let mut statement = transaction.prepare("SELECT id FROM oauth_grant WHERE api_key = ?1")?;
        let rows = statement.query_map([id], |row| row.get(0))?;
        rows.collect::<Result<_, _>>()?
    };
    for grant in &grants {
        super::grants::revoke_family(transaction, grant)?;
    }
    transaction.execute("DELETE FROM access_token WHERE api_key = ?1", [id])?;
    transaction.execute("DELETE FROM api_key WHERE id = ?1", [id])?;
    Ok(grants.len())
}

impl Store {
    /// A new API key; its text is handed out this once.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn add_key(&self, of: &Identity, new: NewKey) -> Result<ApiKey, StoreError> {
        let text = secret("cutaway_key_")?;
        let id: String = Uuid::new_v4().simple().to_string().chars().take(ID_DIGITS).collect();
        let (workspace, user, hash) = (of.workspace, of.user.to_string(), hash(&text));
        self.write(move |transaction| {
            transaction.execute(
                "INSERT INTO api_key (hash, workspace, user, name, created_at, id, read_only, expires_at, process)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![hash, workspace, user, new.name, now_text(), id, new.read_only, new.expires_at, new.process],
            )?;
            let detail = format!("key {}, {}", new.name.as_deref().unwrap_or("without a name"), scope(new.read_only));
            audit::insert(transaction, &Entry::local(workspace, "key add", Some(id), Some(detail)))
        })
        .await?;
        Ok(ApiKey::new(&text))
    }

    /// The keys of a workspace, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn keys(&self, workspace: i64) -> Result<Vec<KeyRecord>, StoreError> {
        self.readers
            .run(move |connection| {
                let now = now_seconds();
                let mut statement = connection.prepare(&format!("{RECORD} WHERE workspace = ?1 ORDER BY {BY_AGE}"))?;
                let rows = statement.query_map([workspace], |row| record(row, now))?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Ends a key, the tokens that it was exchanged for, and the sign-ins that were approved with it: whoever stole the
    /// key may have approved one.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is no such key, [`StoreError::Conflict`] where several have the name; else
    /// where the database refuses.
    pub async fn revoke_key(&self, workspace: i64, wanted: String) -> Result<RevokedKey, StoreError> {
        self.write(move |transaction| {
            let key = named(transaction, workspace, &wanted)?;
            let grants = remove(transaction, &key.id)?;
            let named = key.name.as_deref().unwrap_or("without a name");
            let detail = format!("key {named}, with {grants} sign-ins");
            audit::insert(transaction, &Entry::local(workspace, "key revoke", Some(key.id.clone()), Some(detail)))?;
            Ok(RevokedKey { key, grants: grants as u64 })
        })
        .await
    }

    /// Removes the keys that end with a process: those of the given start of the service, or of all that are over where
    /// none is given. Only who holds the data folder may call it.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn end_process_keys(&self, process: Option<String>) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let ids: Vec<String> = {
                let sql = "SELECT id FROM api_key WHERE process IS NOT NULL AND (process = ?1 OR ?1 IS NULL)";
                let mut statement = transaction.prepare(sql)?;
                let rows = statement.query_map([&process], |row| row.get(0))?;
                rows.collect::<Result<_, _>>()?
            };
            ids.iter().try_for_each(|id| remove(transaction, id).map(|_| ()))
        })
        .await
    }

    /// Lets the keys of a start of the service last until this moment, seconds since 1970: where the processes of a database
    /// don't know of each other, those of one that is killed end by themselves. How many there were: a key that somebody
    /// revoked, or that a restored database never had, isn't there.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn renew_process_keys(&self, process: String, until: i64) -> Result<usize, StoreError> {
        self.write(move |transaction| {
            let sql = "UPDATE api_key SET expires_at = ?2 WHERE process = ?1";
            Ok(transaction.execute(sql, params![process, until])?)
        })
        .await
    }

    /// Whether a key or grant that admitted somebody was revoked since. One that merely reached its end was not: what began
    /// in time may end.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn is_revoked(&self, of: &Credential) -> Result<bool, StoreError> {
        let (sql, id) = match of {
            Credential::Owner => return Ok(false),
            Credential::Key { id, .. } => ("SELECT 1 FROM api_key WHERE id = ?1", id.clone()),
            Credential::Grant { id } => ("SELECT 1 FROM oauth_grant WHERE id = ?1", id.clone()),
        };
        self.bearers.run(move |connection| Ok(!connection.prepare_cached(sql)?.exists([id])?)).await
    }

    /// Records that a key or grant was used at this moment, seconds since 1970.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn note_use(&self, of: &Credential, at: i64) -> Result<(), StoreError> {
        let (sql, id) = match of {
            Credential::Owner => return Ok(()),
            Credential::Key { id, .. } => ("UPDATE api_key SET used_at = ?2 WHERE id = ?1", id.clone()),
            Credential::Grant { id } => ("UPDATE oauth_grant SET used_at = ?2 WHERE id = ?1", id.clone()),
        };
        self.write_lightly(move |transaction| {
            transaction.execute(sql, params![id, at])?;
            Ok(())
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keys_of_one_second_are_in_the_order_in_which_they_were_made() {
        const MADE: [(&str, &str); 3] = [("first", "05Z"), ("second", "05.34Z"), ("third", "05.345Z")];
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let owner = store.own_workspace().await.unwrap();
        for (name, _) in MADE {
            store.add_key(&owner, NewKey { name: Some(name.to_owned()), ..NewKey::default() }).await.unwrap();
        }
        let dated = store.write(|transaction| {
            for (name, at) in MADE {
                let at = format!("2026-01-01T00:00:{at}");
                transaction.execute("UPDATE api_key SET created_at = ?1 WHERE name = ?2", [at.as_str(), name])?;
            }
            Ok(())
        });
        dated.await.unwrap();
        let keys = store.keys(owner.workspace).await.unwrap();
        let names: Vec<&str> = keys.iter().filter_map(|key| key.name.as_deref()).collect();
        assert_eq!(names, MADE.map(|(name, _)| name));
    }
}
