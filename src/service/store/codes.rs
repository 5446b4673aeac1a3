//! Authorization codes, RFC 6749 §4.1.

use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use super::credentials::{Identity, hash, now_seconds, secret};
use super::db::{OptionalExtension as _, params};
use super::grants::{Granted, Lifetimes, Whose, begin, end_stolen, same};
use super::{Store, StoreError};
use crate::domain::AccessToken;

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
        self.write(move |transaction| {
            let now = now_seconds();
            transaction.execute(
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
        self.write(move |transaction| {
            let found = transaction
                .query_row(FIND, [wanted], |row| {
                    let whose = Whose { workspace: row.get(1)?, user: row.get(2)?, family: row.get(3)? };
                    let (kept_challenge, kept_redirect): (String, String) = (row.get(4)?, row.get(5)?);
                    let fits = kept_challenge.as_bytes().ct_eq(challenge.as_bytes()).into()
                        && kept_redirect == redirect
                        && row.get::<i64>(6)? > now_seconds();
                    let key: Option<String> = row.get(8)?;
                    Ok((row.get::<[u8; 32]>(0)?, whose, fits, row.get::<bool>(7)?, key))
                })
                .optional()?;
            let Some((_, whose, fits, used, key)) = found.filter(|(stored, ..)| same(stored, &wanted)) else {
                return Ok(None);
            };
            transaction.execute("UPDATE authorization_code SET used = 1 WHERE hash = ?1", [wanted])?;
            let granted = match (used, fits) {
                (false, true) => begin(transaction, &whose, "authorization_code", key, lifetimes)?,
                (true, _) => {
                    end_stolen(transaction, &whose, "an authorization code")?;
                    None
                }
                (false, false) => None,
            };
            Ok(granted)
        })
        .await
    }
}
