//! Why nobody was signed in.

use thiserror::Error;

use crate::client::ClientError;
use crate::domain::text;

/// Why nobody was signed in. Holds nothing secret.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum OAuthError {
    /// The authorization server could not be talked to.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// It offers no sign-in.
    #[error("{0} doesn't offer this kind of sign-in; sign in with an API key")]
    NotOffered(String),
    /// It says to be someone else.
    #[error("the authorization server {asked} identifies itself as {said:?}; it isn't trusted")]
    Issuer {
        /// Who was asked.
        asked: String,
        /// Who it says to be.
        said: String,
    },
    /// It names an address that is not its own, or not safe.
    #[error("the authorization server gives {address:?} as its {what}, which {why}; it isn't trusted")]
    Address {
        /// What the address is for.
        what: &'static str,
        /// The address.
        address: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Its answer can't be read.
    #[error("couldn't read the authorization server's response: {0}")]
    Unreadable(String),
    /// The person refused, on the page.
    #[error("the sign-in was refused on the page")]
    Denied,
    /// Nobody decided in time.
    #[error("the sign-in wasn't approved in time; start again")]
    Expired,
    /// What came back is not the answer to what was asked.
    #[error("{0}; start again")]
    NotOurs(&'static str),
    /// It refused, in its words.
    #[error("the authorization server refused: {0}")]
    Refused(String),
    /// This machine can't be sent back to.
    #[error("couldn't open a port for the browser to return to: {0}")]
    Redirect(String),
}

/// The words of a refusal: its code, and what the server says about it.
fn refused(code: &str, description: Option<&str>) -> OAuthError {
    match code {
        "access_denied" => OAuthError::Denied,
        "expired_token" => OAuthError::Expired,
        code => {
            let words = description.map_or_else(|| code.to_owned(), |words| format!("{words} ({code})"));
            OAuthError::Refused(text::line(&words).chars().take(300).collect())
        }
    }
}

impl OAuthError {
    /// A refusal, from the token endpoint or with a redirect.
    pub(super) fn of_code(code: &str, description: Option<&str>) -> Self {
        refused(code, description)
    }

    /// Whether the server said no to a token that it gave once: signing in again is the only way on.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Denied | Self::Expired)
    }
}
