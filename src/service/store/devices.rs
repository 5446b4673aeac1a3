//! Device codes, RFC 8628.

use uuid::Uuid;

use super::credentials::{Identity, hash, now_seconds, random, secret};
use super::db::{Connection, OptionalExtension as _, params};
use super::grants::{Granted, Lifetimes, Whose, begin, same};
use super::{Store, StoreError};
use crate::domain::AccessToken;

/// Letters of a user code: none that makes a word or looks like another (RFC 8628 §6.1).
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// Letters in a user code.
const CODE_LETTERS: usize = 8;
/// Seconds by which a client that asks too often has to ask less often.
const SLOWER: i64 = 5;
/// Device codes that wait to be decided at most.
const MOST_WAITING: i64 = 10_000;

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

impl Store {
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
            .write(move |transaction| {
                let now = now_seconds();
                // Expired and decided ones take nobody's place; where they are many, they are forgotten early.
                let expires_at = now.saturating_add(lifetime);
                let added = transaction.execute(
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
                transaction.execute(
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
                        Ok((row.get::<[u8; 32]>(0)?, row.get::<bool>(1)?, asker))
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
        self.write(move |transaction| {
            let Some(device) = waiting(transaction, wanted)? else { return Ok(false) };
            let (workspace, user, key) =
                by.map_or((None, None, None), |(workspace, user, key)| (Some(workspace), Some(user), key));
            let changed = transaction.execute(
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
        self.write(move |transaction| {
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
                        .get::<Option<i64>>(6)?
                        .is_some_and(|polled| row.get::<i64>(5).is_ok_and(|interval| now - polled < interval));
                    let expired = row.get::<i64>(4)? <= now;
                    let key: Option<String> = row.get(7)?;
                    Ok((row.get::<[u8; 32]>(0)?, row.get::<bool>(1)?, whose, expired, early, key))
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
                    let granted = begin(transaction, &whose, "device_code", key, lifetimes)?;
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
            Ok(answer)
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
            |row| Ok((row.get::<[u8; 32]>(0)?, row.get::<[u8; 32]>(1)?)),
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
