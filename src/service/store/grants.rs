//! What the authorization server hands out, §5.3: codes, device codes, refresh tokens; kept as SHA-256 hashes only.

use subtle::ConstantTimeEq as _;

use super::audit::{self, Entry};
use super::credentials::{TOKEN_SECONDS, hash, now_seconds, secret};
use super::db::{OptionalExtension as _, Transaction, params};
use super::{Store, StoreError};
use crate::domain::AccessToken;

/// What a client holds after it was approved.
#[derive(Debug)]
pub struct Granted {
    /// Ends after [`TOKEN_SECONDS`], or with the grant.
    pub access: AccessToken,
    /// Good for one renewal.
    pub refresh: AccessToken,
    /// How long the first of them lasts, seconds.
    pub access_seconds: i64,
}

/// For how many seconds it is known that a code expired or was used: that one comes again means that somebody else has it.
pub(super) const REMEMBERED: i64 = 3600;

/// How long what a client holds lasts, seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetimes {
    /// A refresh token that is not used.
    pub refresh: i64,
    /// Everything that came of one approval, however often it is refreshed.
    pub grant: i64,
}

/// For whom tokens are made. `family` is the id of the grant, which ties together all that came of one approval.
pub(super) struct Whose {
    pub(super) workspace: i64,
    pub(super) user: String,
    pub(super) family: String,
}

/// Begins a grant: what the owner approved with this key. Nothing where the key is over meanwhile. A grant may do no more
/// than its key, and ends no later.
pub(super) fn begin(
    transaction: &Transaction,
    whose: &Whose,
    flow: &str,
    key: Option<String>,
    lifetimes: Lifetimes,
) -> Result<Option<Granted>, StoreError> {
    const KEY: &str = "SELECT read_only, expires_at, name FROM api_key WHERE id = ?1
        AND (expires_at IS NULL OR expires_at > ?2)";
    type Approving = (bool, Option<i64>, Option<String>);
    let now = now_seconds();
    let approving: Option<Approving> = match &key {
        None => Some((false, None, None)),
        Some(id) => transaction
            .query_row(KEY, params![id, now], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?,
    };
    let Some((read_only, key_ends, name)) = approving else { return Ok(None) };
    let ends = now.saturating_add(lifetimes.grant).min(key_ends.unwrap_or(i64::MAX));
    transaction.execute(
        "INSERT INTO oauth_grant (id, workspace, user, flow, api_key, read_only, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![whose.family, whose.workspace, whose.user, flow, key, read_only, now, ends],
    )?;
    let by = name.or(key).unwrap_or_else(|| "the owner".to_owned());
    let (id, detail) = (Some(whose.family.clone()), Some(format!("{flow}, approved with {by}")));
    audit::insert(transaction, &Entry::local(whose.workspace, "grant add", id, detail))?;
    Ok(Some(tokens(transaction, whose, ends, lifetimes)?))
}

/// Tokens of a grant that ends then; they end no later.
fn tokens(transaction: &Transaction, whose: &Whose, ends: i64, lifetimes: Lifetimes) -> Result<Granted, StoreError> {
    let (access, refresh, now) = (secret("cutaway_token_")?, secret("cutaway_refresh_")?, now_seconds());
    let lasts = |seconds: i64| now.saturating_add(seconds).min(ends);
    transaction.execute(
        "INSERT INTO access_token (hash, workspace, user, expires_at, family) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![hash(&access), whose.workspace, whose.user, lasts(TOKEN_SECONDS), whose.family],
    )?;
    transaction.execute(
        "INSERT INTO refresh_token (hash, workspace, user, expires_at, family) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![hash(&refresh), whose.workspace, whose.user, lasts(lifetimes.refresh), whose.family],
    )?;
    let access_seconds = lasts(TOKEN_SECONDS) - now;
    Ok(Granted { access: AccessToken::new(&access), refresh: AccessToken::new(&refresh), access_seconds })
}

/// Takes back everything that came of one approval.
pub(super) fn revoke_family(transaction: &Transaction, family: &str) -> Result<(), StoreError> {
    transaction.execute("DELETE FROM access_token WHERE family = ?1", [family])?;
    transaction.execute("DELETE FROM refresh_token WHERE family = ?1", [family])?;
    transaction.execute("DELETE FROM oauth_grant WHERE id = ?1", [family])?;
    Ok(())
}

/// The same where something came twice that is good once: somebody else has it too.
pub(super) fn end_stolen(transaction: &Transaction, whose: &Whose, what: &str) -> Result<(), StoreError> {
    revoke_family(transaction, &whose.family)?;
    let (id, detail) = (Some(whose.family.clone()), Some(format!("{what} came twice, so somebody else may have it")));
    audit::insert(transaction, &Entry::local(whose.workspace, "grant end", id, detail))
}

pub(super) fn same(stored: &[u8; 32], wanted: &[u8; 32]) -> bool {
    stored.ct_eq(wanted).into()
}

impl Store {
    /// New tokens for a refresh token, which is used up by it; nothing where it is unknown or over, or its grant is. One
    /// that comes twice takes back everything of its approval (RFC 9700 §4.14.2).
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn refresh(&self, token: &str, lifetimes: Lifetimes) -> Result<Option<Granted>, StoreError> {
        const FIND: &str = "SELECT refresh.hash, refresh.workspace, refresh.user, refresh.family, refresh.expires_at,
            refresh.used, granted.expires_at FROM refresh_token AS refresh
            LEFT JOIN oauth_grant AS granted ON granted.id = refresh.family WHERE refresh.hash = ?1";
        let wanted = hash(token);
        self.write(move |transaction| {
            let now = now_seconds();
            let found = transaction
                .query_row(FIND, [wanted], |row| {
                    let whose = Whose { workspace: row.get(1)?, user: row.get(2)?, family: row.get(3)? };
                    let ends = row
                        .get::<Option<i64>>(6)?
                        .filter(|ends| *ends > now && row.get(4).is_ok_and(|end: i64| end > now));
                    Ok((row.get::<[u8; 32]>(0)?, whose, row.get::<bool>(5)?, ends))
                })
                .optional()?;
            let Some((_, whose, used, ends)) = found.filter(|(stored, ..)| same(stored, &wanted)) else {
                return Ok(None);
            };
            if used {
                end_stolen(transaction, &whose, "a refresh token")?;
                return Ok(None);
            }
            let Some(ends) = ends else { return Ok(None) };
            transaction.execute("UPDATE refresh_token SET used = 1 WHERE hash = ?1", [wanted])?;
            Ok(Some(tokens(transaction, &whose, ends, lifetimes)?))
        })
        .await
    }

    /// Whether this is a token that was given to a client and is not forgotten yet.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn is_token(&self, token: &str) -> Result<bool, StoreError> {
        const FIND: &str = "SELECT hash FROM access_token WHERE hash = ?1
            UNION ALL SELECT hash FROM refresh_token WHERE hash = ?1";
        let wanted = hash(token);
        self.readers
            .run(move |connection| {
                let found = connection.query_row(FIND, [wanted], |row| row.get::<[u8; 32]>(0)).optional()?;
                Ok(found.is_some_and(|stored| same(&stored, &wanted)))
            })
            .await
    }

    /// Takes a token back, and with it everything of its approval (RFC 7009).
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn revoke(&self, token: &str) -> Result<(), StoreError> {
        let wanted = hash(token);
        self.write(move |transaction| {
            let family: Option<Option<String>> = transaction
                .query_row(
                    "SELECT family FROM access_token WHERE hash = ?1
                         UNION ALL SELECT family FROM refresh_token WHERE hash = ?1",
                    [wanted],
                    |row| row.get(0),
                )
                .optional()?;
            transaction.execute("DELETE FROM access_token WHERE hash = ?1", [wanted])?;
            if let Some(Some(family)) = family {
                revoke_family(transaction, &family)?;
            }
            Ok(())
        })
        .await
    }
}
