//! Workspaces, their users, and the credentials of §5: kept as SHA-256 hashes only.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use super::{Store, StoreError, now_text};
use crate::domain::{AccessToken, ApiKey, User, UserId};

/// Who a credential speaks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The workspace whose stores it reaches.
    pub workspace: i64,
    /// The user of §2.11.
    pub user: UserId,
    /// Whether it is an API key, which can be exchanged for a token (§5.4).
    pub by_key: bool,
    /// When it ends, seconds since 1970; keys do not.
    pub expires_at: Option<i64>,
}

/// Lifetime of a token, seconds.
pub const TOKEN_SECONDS: i64 = 3600;

/// Random bytes of a credential.
const SECRET_BYTES: usize = 32;

pub(super) fn random<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Random(error.to_string()))?;
    Ok(bytes)
}

pub(super) fn secret(prefix: &str) -> Result<String, StoreError> {
    Ok(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(random::<SECRET_BYTES>()?)))
}

pub(super) fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

pub(super) fn now_seconds() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// The key that authenticates cursors, made on the first start.
pub(super) fn cursor_key(connection: &mut Connection) -> Result<[u8; 32], StoreError> {
    let read = |connection: &Connection| {
        connection
            .query_row("SELECT value FROM setting WHERE name = 'cursor_key'", [], |row| row.get::<_, [u8; 32]>(0))
            .optional()
    };
    if let Some(key) = read(connection)? {
        return Ok(key);
    }
    let key = random::<32>()?;
    connection.execute("INSERT OR IGNORE INTO setting (name, value) VALUES ('cursor_key', ?1)", [key])?;
    Ok(read(connection)?.unwrap_or(key))
}

impl Store {
    /// The first workspace of the database, made with its owner where there is none.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn own_workspace(&self) -> Result<Identity, StoreError> {
        const FIRST: &str = "SELECT workspace, id FROM user ORDER BY workspace, created_at, id LIMIT 1";
        let identity = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Identity> {
            let user = UserId::new(row.get::<_, String>(1)?);
            Ok(Identity { workspace: row.get(0)?, user, by_key: true, expires_at: None })
        };
        self.writer
            .run(move |connection| {
                if let Some(owner) = connection.query_row(FIRST, [], identity).optional()? {
                    return Ok(owner);
                }
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                if transaction.query_row(FIRST, [], identity).optional()?.is_none() {
                    make_workspace(&transaction, "owner@cutaway.local")?;
                }
                let owner = transaction.query_row(FIRST, [], identity)?;
                transaction.commit()?;
                Ok(owner)
            })
            .await
    }

    /// A workspace beside those that are there; its owner.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn add_workspace(&self, email: String) -> Result<Identity, StoreError> {
        self.write(move |transaction| make_workspace(transaction, &email)).await
    }

    /// A new API key; its text is handed out this once.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn add_key(&self, of: &Identity, name: Option<String>) -> Result<ApiKey, StoreError> {
        let text = secret("cutaway_key_")?;
        let (workspace, user, hash) = (of.workspace, of.user.to_string(), hash(&text));
        self.writer
            .run(move |connection| {
                connection.execute(
                    "INSERT INTO api_key (hash, workspace, user, name, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![hash, workspace, user, name, now_text()],
                )?;
                Ok(())
            })
            .await?;
        Ok(ApiKey::new(&text))
    }

    /// A new access token for the bearer of a key, §5.4; it lasts [`TOKEN_SECONDS`].
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn add_token(&self, of: &Identity) -> Result<AccessToken, StoreError> {
        let text = secret("cutaway_token_")?;
        let (workspace, user, hash) = (of.workspace, of.user.to_string(), hash(&text));
        self.writer
            .run(move |connection| {
                let now = now_seconds();
                connection.execute("DELETE FROM access_token WHERE expires_at <= ?1", [now])?;
                connection.execute(
                    "INSERT INTO access_token (hash, workspace, user, expires_at) VALUES (?1, ?2, ?3, ?4)",
                    params![hash, workspace, user, now + TOKEN_SECONDS],
                )?;
                Ok(())
            })
            .await?;
        Ok(AccessToken::new(&text))
    }

    /// Who bears this key or token; nobody where it is unknown or over.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn bearer(&self, secret: &str) -> Result<Option<Identity>, StoreError> {
        let hash = hash(secret);
        self.readers
            .run(move |connection| {
                let key = find(connection, "SELECT hash, workspace, user, NULL FROM api_key WHERE hash = ?1", hash)?;
                if key.is_some() {
                    return Ok(key);
                }
                let token = "SELECT hash, workspace, user, expires_at FROM access_token WHERE hash = ?1";
                Ok(find(connection, token, hash)?.filter(|identity| identity.expires_at > Some(now_seconds())))
            })
            .await
    }

    /// The user behind a credential, §2.11.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn user(&self, identity: &Identity) -> Result<User, StoreError> {
        const USER: &str = "SELECT user.email, workspace.app_key FROM user
            JOIN workspace ON workspace.id = user.workspace WHERE user.id = ?1";
        let id = identity.user.clone();
        self.readers
            .run(move |connection| {
                let (email, app_key) =
                    connection.query_row(USER, [id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
                Ok(User { id, email, app_key, ..User::default() })
            })
            .await
    }
}

/// Makes a workspace with its owner.
fn make_workspace(connection: &Connection, email: &str) -> Result<Identity, StoreError> {
    let (now, user) = (now_text(), UserId::new(Uuid::new_v4()));
    connection.execute(
        "INSERT INTO workspace (app_key, created_at) VALUES (?1, ?2)",
        params![Uuid::new_v4().to_string(), now],
    )?;
    let workspace = connection.last_insert_rowid();
    connection.execute(
        "INSERT INTO user (id, workspace, email, created_at) VALUES (?1, ?2, ?3, ?4)",
        params![user.as_str(), workspace, email, now],
    )?;
    Ok(Identity { workspace, user, by_key: true, expires_at: None })
}

fn find(connection: &Connection, sql: &str, wanted: [u8; 32]) -> Result<Option<Identity>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement
        .query_row([wanted], |row| {
            let stored: [u8; 32] = row.get(0)?;
            let expires_at: Option<i64> = row.get(3)?;
            let user = UserId::new(row.get::<_, String>(2)?);
            Ok((stored, Identity { workspace: row.get(1)?, user, by_key: expires_at.is_none(), expires_at }))
        })
        .optional()?;
    // The index led here by comparing hashes, whose bytes tell nothing of the secret; the last word is constant-time.
    Ok(found.filter(|(stored, _)| bool::from(stored.ct_eq(&wanted))).map(|(_, identity)| identity))
}
