//! What the authorization server hands out, §5.3: codes, device codes, refresh tokens; kept as SHA-256 hashes only.

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use super::audit::{self, Entry};
use super::credentials::{Identity, TOKEN_SECONDS, hash, now_seconds, random, secret};
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

/// What became of a device code so far, RFC 8628 §3.5.
#[derive(Debug)]
pub enum DeviceAnswer {
    /// The owner approved.
    Granted(Granted),
    /// Nobody decided yet.
    Pending,
    /// The same, and the client asks too often.
    SlowDown,
    /// The owner refused.
    Denied,
    /// It was not decided in time.
    Expired,
    /// There is no such code.
    Unknown,
}

/// Who asked for a device code, as the owner is shown it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceAsker {
    /// What the client calls itself; empty where it says nothing.
    pub client: String,
    /// The address that it asked from.
    pub address: String,
}

/// What is known of the words of a device code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceState {
    /// A client waits with them.
    Waiting(DeviceAsker),
    /// They were good before: decided, or expired.
    Over,
    /// They belong to nobody.
    Unknown,
}

/// A device code and the words for it that a person types.
#[derive(Debug)]
pub struct DeviceCode {
    /// The client's own.
    pub device_code: AccessToken,
    /// `XXXX-XXXX`.
    pub user_code: String,
}

/// Letters of a user code: none that makes a word or looks like another (RFC 8628 §6.1).
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// Letters in a user code.
const CODE_LETTERS: usize = 8;
/// Seconds by which a client that asks too often has to ask less often.
const SLOWER: i64 = 5;
/// For how many seconds it is known that a device code expired.
pub(super) const REMEMBERED: i64 = 3600;
/// Device codes that wait to be decided at most.
const MOST_WAITING: i64 = 10_000;

/// A user code as it is compared: letters only, in capitals.
fn plain(user_code: &str) -> String {
    user_code.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

fn new_user_code() -> Result<String, StoreError> {
    let mut code = String::with_capacity(CODE_LETTERS + 1);
    while code.len() < CODE_LETTERS {
        for byte in random::<16>()? {
            // The bytes that would make some letters likelier are left out.
            let fair = usize::from(byte) < 256 / LETTERS.len() * LETTERS.len() && code.len() < CODE_LETTERS;
            if let Some(letter) = LETTERS.get(usize::from(byte) % LETTERS.len()).filter(|_| fair) {
                code.push(char::from(*letter));
            }
        }
    }
    code.insert(CODE_LETTERS / 2, '-');
    Ok(code)
}

/// How long what a client holds lasts, seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetimes {
    /// A refresh token that is not used.
    pub refresh: i64,
    /// Everything that came of one approval, however often it is refreshed.
    pub grant: i64,
}

/// For whom tokens are made. `family` is the id of the grant, which ties together all that came of one approval.
struct Whose {
    workspace: i64,
    user: String,
    family: String,
}

/// Begins a grant: what the owner approved with this key. Nothing where the key is over meanwhile. A grant may do no more
/// than its key, and ends no later.
fn begin(
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
    transaction.execute("DELETE FROM access_token WHERE expires_at <= ?1", [now])?;
    transaction.execute("DELETE FROM refresh_token WHERE expires_at <= ?1", [now])?;
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
fn end_stolen(transaction: &Transaction, whose: &Whose, what: &str) -> Result<(), StoreError> {
    revoke_family(transaction, &whose.family)?;
    let (id, detail) = (Some(whose.family.clone()), Some(format!("{what} came twice, so somebody else may have it")));
    audit::insert(transaction, &Entry::local(whose.workspace, "grant end", id, detail))
}

fn same(stored: &[u8; 32], wanted: &[u8; 32]) -> bool {
    stored.ct_eq(wanted).into()
}

impl Store {
    /// A new authorization code for what the owner approved: `challenge` is PKCE's, S256.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn add_code(
        &self,
        of: &Identity,
        challenge: String,
        redirect: String,
        lifetime: i64,
    ) -> Result<AccessToken, StoreError> {
        let text = secret("cutaway_code_")?;
        let (workspace, user, hash) = (of.workspace, of.user.to_string(), hash(&text));
        let (key, family) = (of.key_id().map(str::to_owned), Uuid::new_v4().to_string());
        self.writer
            .run(move |connection| {
                let now = now_seconds();
                // Used ones stay a while: that one comes again means that somebody else has it.
                connection.execute("DELETE FROM authorization_code WHERE expires_at <= ?1", [now - REMEMBERED])?;
                connection.execute(
                    "INSERT INTO authorization_code
                     (hash, workspace, user, challenge, redirect, expires_at, family, api_key)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    params![hash, workspace, user, challenge, redirect, now + lifetime, family, key],
                )?;
                Ok(())
            })
            .await?;
        Ok(AccessToken::new(&text))
    }

    /// Tokens for a code; nothing where it is unknown, over, used or does not belong to this redirect and challenge. A
    /// code that comes twice takes back what it gave (RFC 6749 §4.1.2).
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn redeem_code(
        &self,
        code: &str,
        challenge: String,
        redirect: String,
        lifetimes: Lifetimes,
    ) -> Result<Option<Granted>, StoreError> {
        const FIND: &str = "SELECT hash, workspace, user, family, challenge, redirect, expires_at, used,
            api_key FROM authorization_code WHERE hash = ?1";
        let wanted = hash(code);
        self.writer
            .run(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let found = transaction
                    .query_row(FIND, [wanted], |row| {
                        let whose = Whose { workspace: row.get(1)?, user: row.get(2)?, family: row.get(3)? };
                        let (kept_challenge, kept_redirect): (String, String) = (row.get(4)?, row.get(5)?);
                        let fits = kept_challenge.as_bytes().ct_eq(challenge.as_bytes()).into()
                            && kept_redirect == redirect
                            && row.get::<_, i64>(6)? > now_seconds();
                        let key: Option<String> = row.get(8)?;
                        Ok((row.get::<_, [u8; 32]>(0)?, whose, fits, row.get::<_, bool>(7)?, key))
                    })
                    .optional()?;
                let Some((_, whose, fits, used, key)) = found.filter(|(stored, ..)| same(stored, &wanted)) else {
                    return Ok(None);
                };
                transaction.execute("UPDATE authorization_code SET used = 1 WHERE hash = ?1", [wanted])?;
                let granted = match (used, fits) {
                    (false, true) => begin(&transaction, &whose, "authorization_code", key, lifetimes)?,
                    (true, _) => {
                        end_stolen(&transaction, &whose, "an authorization code")?;
                        None
                    }
                    (false, false) => None,
                };
                transaction.commit()?;
                Ok(granted)
            })
            .await
    }

    /// A new device code; nothing where too many wait already.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn add_device_code(
        &self,
        asker: DeviceAsker,
        lifetime: i64,
        interval: i64,
    ) -> Result<Option<DeviceCode>, StoreError> {
        let (text, user_code) = (secret("cutaway_device_")?, new_user_code()?);
        let (device_hash, user_hash) = (hash(&text), hash(&plain(&user_code)));
        let added = self
            .writer
            .run(move |connection| {
                let now = now_seconds();
                connection.execute("DELETE FROM device_code WHERE expires_at <= ?1", [now - REMEMBERED])?;
                // Expired and decided ones take nobody's place; where they are many, they are forgotten early.
                let expires_at = now.saturating_add(lifetime);
                let added = connection.execute(
                    "INSERT OR IGNORE INTO device_code (hash, user_code, expires_at, interval, client, address)
                     SELECT ?1, ?2, ?3, ?4, ?6, ?7
                     WHERE (SELECT count(*) FROM device_code WHERE decided = 0 AND expires_at > ?8) < ?5",
                    params![
                        device_hash,
                        user_hash,
                        expires_at,
                        interval,
                        MOST_WAITING,
                        asker.client,
                        asker.address,
                        now
                    ],
                )?;
                connection.execute(
                    "DELETE FROM device_code WHERE expires_at <= ?1 AND (SELECT count(*) FROM device_code) > 2 * ?2",
                    [now, MOST_WAITING],
                )?;
                Ok(added > 0)
            })
            .await?;
        Ok(added.then(|| DeviceCode { device_code: AccessToken::new(&text), user_code }))
    }

    /// What is known of these words.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn device_state(&self, user_code: &str) -> Result<DeviceState, StoreError> {
        const FIND: &str = "SELECT user_code, decided = 0 AND expires_at > ?2, client, address
            FROM device_code WHERE user_code = ?1";
        let wanted = hash(&plain(user_code));
        self.readers
            .run(move |connection| {
                let found = connection
                    .query_row(FIND, params![wanted, now_seconds()], |row| {
                        let asker = DeviceAsker { client: row.get(2)?, address: row.get(3)? };
                        Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, bool>(1)?, asker))
                    })
                    .optional()?;
                Ok(match found.filter(|(stored, ..)| same(stored, &wanted)) {
                    Some((_, true, asker)) => DeviceState::Waiting(asker),
                    Some(_) => DeviceState::Over,
                    None => DeviceState::Unknown,
                })
            })
            .await
    }

    /// Decides a device code: for somebody, or for nobody. Says whether it was waiting.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn decide_device(&self, user_code: &str, by: Option<&Identity>) -> Result<bool, StoreError> {
        let wanted = hash(&plain(user_code));
        let by = by.map(|by| (by.workspace, by.user.to_string(), by.key_id().map(str::to_owned)));
        self.writer
            .run(move |connection| {
                let Some(device) = waiting(connection, wanted)? else { return Ok(false) };
                let (workspace, user, key) =
                    by.map_or((None, None, None), |(workspace, user, key)| (Some(workspace), Some(user), key));
                let changed = connection.execute(
                    "UPDATE device_code SET decided = 1, workspace = ?2, user = ?3, api_key = ?4
                     WHERE hash = ?1 AND decided = 0",
                    params![device, workspace, user, key],
                )?;
                Ok(changed > 0)
            })
            .await
    }

    /// What became of a device code. One that was granted is gone afterwards.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn poll_device(&self, device_code: &str, lifetimes: Lifetimes) -> Result<DeviceAnswer, StoreError> {
        const FIND: &str = "SELECT hash, decided, workspace, user, expires_at, interval, polled_at,
            api_key FROM device_code WHERE hash = ?1";
        let wanted = hash(device_code);
        self.writer
            .run(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let now = now_seconds();
                let found = transaction
                    .query_row(FIND, [wanted], |row| {
                        let approved: Option<i64> = row.get(2)?;
                        let whose = match approved {
                            None => None,
                            Some(workspace) => {
                                let family = Uuid::new_v4().to_string();
                                Some(Whose { workspace, user: row.get(3)?, family })
                            }
                        };
                        let early = row
                            .get::<_, Option<i64>>(6)?
                            .is_some_and(|polled| row.get::<_, i64>(5).is_ok_and(|interval| now - polled < interval));
                        let expired = row.get::<_, i64>(4)? <= now;
                        let key: Option<String> = row.get(7)?;
                        Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, bool>(1)?, whose, expired, early, key))
                    })
                    .optional()?;
                let Some((_, decided, whose, expired, early, key)) = found.filter(|(stored, ..)| same(stored, &wanted))
                else {
                    return Ok(DeviceAnswer::Unknown);
                };
                let answer = match (expired, decided, whose) {
                    (true, ..) => DeviceAnswer::Expired,
                    (false, true, None) => DeviceAnswer::Denied,
                    (false, true, Some(whose)) => {
                        transaction.execute("DELETE FROM device_code WHERE hash = ?1", [wanted])?;
                        let granted = begin(&transaction, &whose, "device_code", key, lifetimes)?;
                        granted.map_or(DeviceAnswer::Denied, DeviceAnswer::Granted)
                    }
                    (false, false, _) => {
                        transaction.execute(
                            "UPDATE device_code SET polled_at = ?2, interval = interval + ?3 WHERE hash = ?1",
                            params![wanted, now, if early { SLOWER } else { 0 }],
                        )?;
                        if early { DeviceAnswer::SlowDown } else { DeviceAnswer::Pending }
                    }
                };
                transaction.commit()?;
                Ok(answer)
            })
            .await
    }

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
                        .get::<_, Option<i64>>(6)?
                        .filter(|ends| *ends > now && row.get(4).is_ok_and(|end: i64| end > now));
                    Ok((row.get::<_, [u8; 32]>(0)?, whose, row.get::<_, bool>(5)?, ends))
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
                let found = connection.query_row(FIND, [wanted], |row| row.get::<_, [u8; 32]>(0)).optional()?;
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
        self.writer
            .run(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
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
                    revoke_family(&transaction, &family)?;
                }
                transaction.commit()?;
                Ok(())
            })
            .await
    }
}

/// The device code behind these words, where it waits to be decided.
fn waiting(connection: &Connection, user_code: [u8; 32]) -> Result<Option<[u8; 32]>, StoreError> {
    let found = connection
        .query_row(
            "SELECT user_code, hash FROM device_code WHERE user_code = ?1 AND decided = 0 AND expires_at > ?2",
            params![user_code, now_seconds()],
            |row| Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, [u8; 32]>(1)?)),
        )
        .optional()?;
    Ok(found.filter(|(stored, _)| same(stored, &user_code)).map(|(_, device)| device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_codes_are_readable_and_differ() {
        let codes: std::collections::HashSet<String> = (0..100).map(|_| new_user_code().unwrap()).collect();
        assert_eq!(codes.len(), 100);
        for code in codes {
            assert_eq!((code.len(), code.find('-')), (9, Some(4)), "{code}");
            assert_eq!(plain(&code.to_lowercase().replace('-', " ")), plain(&code));
        }
    }
}
