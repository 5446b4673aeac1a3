//! Grants as their owner sees them: what was approved for clients, listed and revoked (RFC 9700 §2.2.2, §4.14).

use serde::Serialize;

use super::audit::{self, Entry};
use super::credentials::now_seconds;
use super::db::{self, OptionalExtension as _, Row, params};
use super::grants::revoke_family;
use super::keys::{scope, second_text};
use super::{Store, StoreError};

/// A grant as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantRecord {
    /// Its id.
    pub id: String,
    /// `authorization_code` or `device_code`; nothing where it is older than this record.
    pub flow: Option<String>,
    /// `read-write` or `read-only`.
    pub scope: &'static str,
    /// The id of the key that approved it.
    pub key_id: Option<String>,
    /// The name of that key.
    pub key_name: Option<String>,
    /// When it was approved.
    pub created_at: String,
    /// When it ends, however often it is refreshed.
    pub expires_at: String,
    /// When it was used last, to the minute.
    pub last_used_at: Option<String>,
}

const RECORD: &str = "SELECT granted.id, flow, granted.read_only, granted.api_key, key.name, granted.created_at,
    granted.expires_at, granted.used_at FROM oauth_grant AS granted LEFT JOIN api_key AS key ON key.id = granted.api_key";

fn record(row: &Row<'_>) -> db::Result<GrantRecord> {
    Ok(GrantRecord {
        id: row.get(0)?,
        flow: row.get(1)?,
        scope: scope(row.get(2)?),
        key_id: row.get(3)?,
        key_name: row.get(4)?,
        created_at: second_text(row.get(5)?),
        expires_at: second_text(row.get(6)?),
        last_used_at: row.get::<Option<i64>>(7)?.map(second_text),
    })
}

impl Store {
    /// The grants of a workspace that are not over, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn grants(&self, workspace: i64) -> Result<Vec<GrantRecord>, StoreError> {
        self.readers
            .run(move |connection| {
                let sql = format!(
                    "{RECORD} WHERE granted.workspace = ?1 AND granted.expires_at > ?2 ORDER BY granted.created_at, granted.id"
                );
                let mut statement = connection.prepare(&sql)?;
                let rows = statement.query_map(params![workspace, now_seconds()], record)?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Ends a grant and every token of it.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is no such grant; else where the database refuses.
    pub async fn revoke_grant(&self, workspace: i64, id: String) -> Result<GrantRecord, StoreError> {
        self.write(move |transaction| {
            let sql = format!("{RECORD} WHERE granted.workspace = ?1 AND granted.id = ?2");
            let found = transaction.query_row(&sql, params![workspace, id], record).optional()?;
            let grant = found.ok_or(StoreError::Missing("The workspace has no grant with this id."))?;
            revoke_family(transaction, &grant.id)?;
            let entry = Entry::local(workspace, "grant revoke", Some(grant.id.clone()), grant.flow.clone());
            audit::insert(transaction, &entry)?;
            Ok(grant)
        })
        .await
    }
}
