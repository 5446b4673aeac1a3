//! Account and identity, §4.2.

use crate::domain::Num;
use crate::shape;

/// The header that carries the API key to be exchanged, §4.2 and §5.4.
pub const API_KEY_HEADER: &str = "x-cli-api-key";

shape! {
    /// The answer of the exchange, whose shape §4.2 does not show: the names that services use for it.
    pub struct ExchangedToken {
        access_token: optnull String => "accessToken",
        access_token_snake: optnull String => "access_token",
        token: optnull String => "token",
        token_type: optnull String => "tokenType",
        /// Seconds from now.
        expires_in: optnull Num => "expiresIn",
        expires_in_snake: optnull Num => "expires_in",
    }
}
