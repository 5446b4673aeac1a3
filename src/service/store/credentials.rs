//! Workspaces, their users, and the credentials of §5: kept as SHA-256 hashes only.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use super::db::{self, Connection, OptionalExtension as _, params};
use super::{Store, StoreError, now_text};
use crate::domain::{AccessToken, User, UserId};

/// Who a credential speaks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The workspace whose stores it reaches.
    pub workspace: i64,
    /// The user of §2.11.
    pub user: UserId,
    /// Whether it is an API key, which can be exchanged for a token (§5.4).
    pub by_key: bool,
    /// When it ends, seconds since 1970; a key without an end has none.
    pub expires_at: Option<i64>,
    /// Whether it may only read.
    pub read_only: bool,
    /// The key or grant behind it.
    pub credential: Credential,
    /// When a use of that key or grant was last recorded, seconds since 1970.
    pub used_at: Option<i64>,
}

/// What lets somebody in. A token exchanged for a key counts as that key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// The owner on this machine, who has the data folder and needs no key.
    Owner,
    /// An API key.
    Key {
        /// Its id.
        id: String,
        /// Its name.
        name: Option<String>,
    },
    /// What the owner approved for a client.
    Grant {
        /// Its id.
        id: String,
    },
}

impl Identity {
    /// The owner of a workspace, on this machine.
    fn owner(workspace: i64, user: UserId) -> Self {
        let credential = Credential::Owner;
        Self { workspace, user, by_key: true, expires_at: None, read_only: false, credential, used_at: None }
    }

    /// The id of the API key behind it.
    #[must_use]
    pub fn key_id(&self) -> Option<&str> {
        match &self.credential {
            Credential::Key { id, .. } => Some(id),
            Credential::Owner | Credential::Grant { .. } => None,
        }
    }
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

/// A new API key, which nobody knows yet.
///
/// # Errors
/// [`StoreError::Random`] where the system gives no random bytes.
pub fn fresh_key() -> Result<crate::domain::ApiKey, StoreError> {
    Ok(crate::domain::ApiKey::new(&secret("cutaway_own_")?))
}

pub(super) fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// The time by the clock of the database, which all processes share, seconds since 1970.
pub(super) fn now_seconds() -> i64 {
    crate::service::timing::now().div_euclid(1000)
}

/// The key that authenticates cursors, made on the first start.
pub(super) fn cursor_key(connection: &mut Connection) -> Result<[u8; 32], StoreError> {
    if let Some(key) = kept_cursor_key(connection)? {
        return Ok(key);
    }
    let key = random::<32>()?;
    connection.execute("INSERT OR IGNORE INTO setting (name, value) VALUES ('cursor_key', ?1)", [key])?;
    Ok(kept_cursor_key(connection)?.unwrap_or(key))
}

/// The same where it was made.
pub(super) fn kept_cursor_key(connection: &Connection) -> Result<Option<[u8; 32]>, StoreError> {
    let sql = "SELECT value FROM setting WHERE name = 'cursor_key'";
    Ok(connection.query_row(sql, [], |row| row.get::<[u8; 32]>(0)).optional()?)
}

impl Store {
    /// The first workspace of the database, made with its owner where there is none.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn own_workspace(&self) -> Result<Identity, StoreError> {
        const FIRST: &str = "SELECT workspace, id FROM user ORDER BY workspace, rtrim(created_at, 'Z'), id LIMIT 1";
        let identity = |row: &db::Row<'_>| -> db::Result<Identity> {
            let user = UserId::new(row.get::<String>(1)?);
            Ok(Identity::owner(row.get(0)?, user))
        };
        let known =
            self.writer.run(move |connection| Ok(connection.query_row(FIRST, [], identity).optional()?)).await?;
        if let Some(owner) = known {
            return Ok(owner);
        }
        self.write(move |transaction| {
            // Another process may have been first.
            if transaction.query_row(FIRST, [], identity).optional()?.is_none() {
                make_workspace(transaction, "owner@cutaway.local")?;
            }
            Ok(transaction.query_row(FIRST, [], identity)?)
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

    /// A new access token for the bearer of a key, §5.4; it lasts [`TOKEN_SECONDS`], and never longer than its key. With it how many
    /// seconds that are.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn add_token(&self, of: &Identity) -> Result<(AccessToken, i64), StoreError> {
        let text = secret(TOKEN_BEGINS)?;
        let (workspace, user, hash) = (of.workspace, of.user.to_string(), hash(&text));
        let (key, key_ends) = (of.key_id().map(str::to_owned), of.expires_at.unwrap_or(i64::MAX));
        let lasts = self
            .write(move |transaction| {
                let now = now_seconds();
                let ends = now.saturating_add(TOKEN_SECONDS).min(key_ends);
                transaction.execute(
                    "INSERT INTO access_token (hash, workspace, user, expires_at, api_key) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![hash, workspace, user, ends, key],
                )?;
                Ok(ends - now)
            })
            .await?;
        Ok((AccessToken::new(&text), lasts))
    }

    /// Who bears this key or token; nobody where it is unknown, over or revoked. Asked of the database each time, so that
    /// what another process revokes is refused from the next request on.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn bearer(&self, secret: &str) -> Result<Option<Identity>, StoreError> {
        let hash = hash(secret);
        if self.is_shared {
            let (asking, mut answered) = (Arc::clone(&self.asking), self.asking.join(secret, hash));
            let answering = self.bearers.run(move |connection| match connection.postgres() {
                Some(session) => asking.answer(session),
                None => Ok(()),
            });
            // Who was answered together with others need not wait for its own turn.
            let told = tokio::select! {
                biased;
                told = &mut answered => told.ok(),
                done = answering => {
                    done?;
                    answered.try_recv().ok()
                }
            };
            if let Some(identity) = told {
                return Ok(identity);
            }
        }
        self.bearers
            .run(move |connection| {
                let now = now_seconds();
                match find(connection, KEY, hash, now)? {
                    Some(key) => Ok(Some(key)),
                    None => find(connection, TOKEN, hash, now),
                }
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
    let workspace = connection.query_row(
        "INSERT INTO workspace (app_key, created_at) VALUES (?1, ?2) RETURNING id",
        params![Uuid::new_v4().to_string(), now],
        |row| row.get(0),
    )?;
    connection.execute(
        "INSERT INTO user (id, workspace, email, created_at) VALUES (?1, ?2, ?3, ?4)",
        params![user.as_str(), workspace, email, now],
    )?;
    Ok(Identity::owner(workspace, user))
}

/// What every token begins with.
const TOKEN_BEGINS: &str = "cutaway_token_";

/// Whether a credential is more likely a token than a key.
pub(super) fn is_like_token(secret: &str) -> bool {
    secret.starts_with(TOKEN_BEGINS)
}

macro_rules! key {
    ($hash:literal) => {
        concat!(
            "SELECT hash, workspace, user, expires_at, read_only, used_at, id, name, NULL FROM api_key
    WHERE ",
            $hash,
            " AND (expires_at IS NULL OR expires_at > ?2)"
        )
    };
}
macro_rules! token {
    ($hash:literal) => {
        concat!(
            "SELECT token.hash, token.workspace, token.user, token.expires_at,
        coalesce(key.read_only, granted.read_only), coalesce(key.used_at, granted.used_at), key.id, key.name, granted.id
    FROM access_token AS token
    LEFT JOIN api_key AS key ON key.id = token.api_key
    LEFT JOIN oauth_grant AS granted ON granted.id = token.family
    WHERE ",
            $hash,
            " AND token.expires_at > ?2
    AND ((key.id IS NOT NULL AND (key.expires_at IS NULL OR key.expires_at > ?2)) OR granted.expires_at > ?2)"
        )
    };
}

/// A key that is not over. The columns are those that [`Identity::read`] reads.
const KEY: &str = key!("hash = ?1");
/// Some of them.
pub(super) const KEYS: &str = key!("hash = ANY (?1)");

/// A token that is not over, of a key or grant that is there and not over.
const TOKEN: &str = token!("token.hash = ?1");
/// Some of them.
pub(super) const TOKENS: &str = token!("token.hash = ANY (?1)");

impl Identity {
    /// Whose a credential is, with its hash; nobody's where what it was made from is gone.
    pub(super) fn read(row: &db::Row<'_>, by_key: bool) -> db::Result<Option<([u8; 32], Self)>> {
        let (key, grant): (Option<String>, Option<String>) = (row.get(6)?, row.get(8)?);
        let credential = match (key, grant) {
            (Some(id), _) => Credential::Key { id, name: row.get(7)? },
            (None, Some(id)) => Credential::Grant { id },
            (None, None) => return Ok(None),
        };
        let identity = Self {
            workspace: row.get(1)?,
            user: UserId::new(row.get::<String>(2)?),
            by_key,
            expires_at: row.get(3)?,
            read_only: row.get(4)?,
            credential,
            used_at: row.get(5)?,
        };
        Ok(Some((row.get::<[u8; 32]>(0)?, identity)))
    }
}

/// Who has this hash among those that were found. The index led here by comparing hashes, whose bytes tell nothing of the
/// secret; the last word is constant-time.
pub(super) fn said(wanted: [u8; 32], found: &[([u8; 32], Identity)]) -> Option<Identity> {
    let same = found.iter().find(|(stored, _)| bool::from(stored.ct_eq(&wanted)));
    same.map(|(_, identity)| identity.clone())
}

fn find(connection: &Connection, sql: &str, wanted: [u8; 32], now: i64) -> Result<Option<Identity>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row(params![wanted, now], |row| Identity::read(row, sql == KEY)).optional()?.flatten();
    // The index led here by comparing hashes, whose bytes tell nothing of the secret; the last word is constant-time.
    Ok(found.filter(|(stored, _)| bool::from(stored.ct_eq(&wanted))).map(|(_, identity)| identity))
}
