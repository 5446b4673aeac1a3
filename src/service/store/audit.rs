//! The audit log: who changed what, with which key. No bodies, nobody's data.

use serde::Serialize;

use super::db::{self, Connection, Row, params};
use super::{Credential, Identity, Store, StoreError, moment_text};
use crate::service::timing;

/// What the record of a person who was forgotten is called. It is kept for ever: it says that it was done, not to whom.
pub(super) const FORGET: &str = "forget";

/// An entry that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    workspace: i64,
    actor: &'static str,
    credential: Option<String>,
    name: Option<String>,
    action: String,
    record: Option<String>,
    status: Option<u16>,
    address: Option<String>,
    detail: Option<String>,
}

impl Entry {
    /// A request that changes something: `action` is its method and the template of its path.
    #[must_use]
    pub fn request(
        by: &Identity,
        action: String,
        record: Option<String>,
        status: u16,
        address: Option<String>,
    ) -> Self {
        let (actor, credential, name) = match &by.credential {
            Credential::Owner => ("owner", None, None),
            Credential::Key { id, name } => ("key", Some(id.clone()), name.clone()),
            Credential::Grant { id } => ("grant", Some(id.clone()), None),
        };
        let (workspace, status) = (by.workspace, Some(status));
        Self { workspace, actor, credential, name, action, record, status, address, detail: None }
    }

    /// What was done to the data folder from the command line, or by the service itself.
    pub(in crate::service) fn local(
        workspace: i64,
        action: &str,
        record: Option<String>,
        detail: Option<String>,
    ) -> Self {
        let (credential, name, status, address) = (None, None, None, None);
        let action = action.to_owned();
        Self { workspace, actor: "owner", credential, name, action, record, status, address, detail }
    }
}

/// An entry as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord {
    /// When it was done.
    pub time: String,
    /// `key`, `grant`, or `owner` for what was done on the machine of the service.
    pub actor: String,
    /// The id of the key or grant.
    pub credential_id: Option<String>,
    /// The key's name.
    pub key_name: Option<String>,
    /// The method and the template of the path, or the command.
    pub action: String,
    /// The id of what was changed.
    pub record_id: Option<String>,
    /// The HTTP status of the answer.
    pub status: Option<u16>,
    /// The address of the client.
    pub client_address: Option<String>,
    /// What else there is to know.
    pub detail: Option<String>,
}

/// Keeps an entry in a transaction.
pub(super) fn insert(connection: &Connection, entry: &Entry) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO audit (at, workspace, actor, credential, name, action, record, status, address, detail)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            timing::now(),
            entry.workspace,
            entry.actor,
            entry.credential,
            entry.name,
            entry.action,
            entry.record,
            entry.status,
            entry.address,
            entry.detail,
        ])?;
    Ok(())
}

fn record(row: &Row<'_>) -> db::Result<AuditRecord> {
    Ok(AuditRecord {
        time: moment_text(row.get(0)?),
        actor: row.get(1)?,
        credential_id: row.get(2)?,
        key_name: row.get(3)?,
        action: row.get(4)?,
        record_id: row.get(5)?,
        status: row.get(6)?,
        client_address: row.get(7)?,
        detail: row.get(8)?,
    })
}

impl Store {
    /// Keeps an entry. It survives the end of the process at once, that of the machine with the next change.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn add_audit(&self, entry: Entry) -> Result<(), StoreError> {
        self.write_beside(move |transaction| insert(transaction, &entry)).await
    }

    /// The latest entries since a moment (milliseconds since 1970), the oldest of them first.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn audit(&self, since: Option<i64>, most: u32) -> Result<Vec<AuditRecord>, StoreError> {
        const LATEST: &str = "SELECT at, actor, credential, name, action, record, status, address, detail FROM audit
            WHERE at >= ?1 ORDER BY number DESC LIMIT ?2";
        self.readers
            .run(move |connection| {
                let mut statement = connection.prepare(LATEST)?;
                let rows = statement.query_map(params![since.unwrap_or(i64::MIN), most], record)?;
                let mut entries: Vec<AuditRecord> = rows.collect::<Result<_, _>>()?;
                entries.reverse();
                Ok(entries)
            })
            .await
    }
}
