//! What a profile signs in with: an API key, or the tokens of a sign-in at the authorization server.

use jiff::Timestamp;
use toml::{Table, Value};

use crate::domain::{AccessToken, ApiKey, RefreshToken};

/// A credential as it is kept. Printing one shows nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Secret {
    /// An API key, §5.4.
    Key(ApiKey),
    /// Tokens of OAuth 2.0, §5.3.
    Tokens(Box<Tokens>),
}

/// The tokens of a sign-in, RFC 6749 §5.1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    /// What calls are made with.
    pub access: AccessToken,
    /// What the next access token is had for.
    pub refresh: Option<RefreshToken>,
    /// When the access token ends, by this machine's clock.
    pub expires_at: Option<Timestamp>,
    /// Who gave them: tokens go back to nobody else.
    pub issuer: String,
}

impl Secret {
    /// What it is, in words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Key(_) => "API key",
            Self::Tokens(_) => "OAuth sign-in",
        }
    }

    /// The members of its table in a file.
    pub(super) fn to_table(&self) -> Table {
        let mut table = Table::new();
        let mut set = |key: &str, value: &str| table.insert(key.to_owned(), Value::from(value));
        match self {
            Self::Key(key) => {
                set("api_key", key.expose());
            }
            Self::Tokens(tokens) => {
                set("access_token", tokens.access.expose());
                if let Some(refresh) = &tokens.refresh {
                    set("refresh_token", refresh.expose());
                }
                if let Some(at) = tokens.expires_at {
                    set("expires_at", &at.to_string());
                }
                set("issuer", &tokens.issuer);
            }
        }
        table
    }

    /// Reads such a table; nothing where it holds no credential.
    pub(super) fn of_table(table: &Table) -> Option<Self> {
        let text = |key: &str| table.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty());
        if let Some(key) = text("api_key") {
            return Some(Self::Key(ApiKey::new(key)));
        }
        Some(Self::Tokens(Box::new(Tokens {
            access: AccessToken::new(text("access_token")?),
            refresh: text("refresh_token").map(RefreshToken::new),
            expires_at: text("expires_at").and_then(|at| at.parse().ok()),
            issuer: text("issuer").unwrap_or_default().to_owned(),
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_come_back_and_are_not_printed() {
        let tokens = Tokens {
            access: AccessToken::new("marked-access"),
            refresh: Some(RefreshToken::new("marked-refresh")),
            expires_at: "2026-01-31T12:00:00Z".parse().ok(),
            issuer: "https://auth.example".to_owned(),
        };
        let bare = Tokens { refresh: None, expires_at: None, ..tokens.clone() };
        for secret in
            [Secret::Key(ApiKey::new("marked-key")), Secret::Tokens(Box::new(tokens)), Secret::Tokens(Box::new(bare))]
        {
            assert_eq!(Secret::of_table(&secret.to_table()), Some(secret.clone()));
            assert!(!format!("{secret:?}").contains("marked"));
        }
        assert_eq!(Secret::of_table(&Table::new()), None);
    }
}
