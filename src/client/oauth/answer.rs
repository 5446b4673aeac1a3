//! What the authorization server answers with: tokens (RFC 6749 §5.1), a device code (RFC 8628 §3.2), or a refusal (RFC 6749
//! §5.2). The bodies hold secrets: nothing of them is told where they can't be read.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use super::OAuthError;

/// Tokens. Their texts are put into their own types at once.
#[derive(Deserialize)]
pub(super) struct TokenAnswer {
    pub(super) access_token: String,
    token_type: String,
    #[serde(default)]
    pub(super) refresh_token: Option<String>,
    /// Seconds.
    #[serde(default)]
    pub(super) expires_in: Option<u64>,
}

/// A device code that was given.
#[derive(Clone, Deserialize)]
pub(super) struct DeviceAnswer {
    /// A secret: whoever has it gets the tokens.
    pub(super) device_code: String,
    pub(super) user_code: String,
    #[serde(alias = "verification_url")]
    pub(super) verification_uri: Url,
    #[serde(default)]
    pub(super) verification_uri_complete: Option<String>,
    /// Seconds.
    pub(super) expires_in: u64,
    /// Seconds between two questions.
    #[serde(default = "usual_interval")]
    pub(super) interval: u64,
}

/// What RFC 8628 §3.2 has where nothing is said.
fn usual_interval() -> u64 {
    5
}

#[derive(Deserialize)]
struct RefusalAnswer {
    error: String,
    #[serde(default)]
    error_description: Option<String>,
}

/// What came of a question to the token endpoint.
pub(super) enum Answered<T> {
    Given(T),
    /// The code of a refusal, and what the server says about it.
    Refused(String, Option<String>),
}

impl<T> Answered<T> {
    /// What was given, where something was.
    pub(super) fn given(self) -> Result<T, OAuthError> {
        match self {
            Self::Given(given) => Ok(given),
            Self::Refused(code, description) => Err(OAuthError::of_code(&code, description.as_deref())),
        }
    }
}

/// Reads an answer by its status.
pub(super) fn read<T: DeserializeOwned>(answer: &http::Response<Vec<u8>>) -> Result<Answered<T>, OAuthError> {
    let kind = answer.headers().get(http::header::CONTENT_TYPE).map(http::HeaderValue::as_bytes);
    let is_json = kind.is_none_or(|kind| kind.to_ascii_lowercase().starts_with(b"application/json"));
    if answer.body().is_empty() || !is_json {
        return Err(OAuthError::Unreadable("it is empty, or of another type than JSON".to_owned()));
    }
    // What stands there may be a token: only where it went wrong is told.
    let wrong = |error: serde_json::Error| {
        OAuthError::Unreadable(format!("at line {}, column {}", error.line(), error.column()))
    };
    if answer.status().is_success() {
        return serde_json::from_slice(answer.body()).map(Answered::Given).map_err(wrong);
    }
    let refusal: RefusalAnswer = serde_json::from_slice(answer.body()).map_err(wrong)?;
    Ok(Answered::Refused(refusal.error, refusal.error_description))
}

/// Tokens of another kind than those that are sent as they are are of no use here (RFC 6749 §7.1).
pub(super) fn read_tokens(answer: &http::Response<Vec<u8>>) -> Result<Answered<TokenAnswer>, OAuthError> {
    let read = read(answer)?;
    match &read {
        Answered::Given(TokenAnswer { token_type, .. }) if !token_type.eq_ignore_ascii_case("bearer") => {
            Err(OAuthError::Unreadable("the tokens aren't of the type bearer".to_owned()))
        }
        _ => Ok(read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, kind: &str, body: &str) -> http::Response<Vec<u8>> {
        http::Response::builder().status(status).header("content-type", kind).body(body.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn tokens_and_refusals_are_told_apart() {
        let good = answer(200, "application/json; charset=utf-8", r#"{"access_token":"a","token_type":"bearer"}"#);
        assert!(matches!(read_tokens(&good), Ok(Answered::Given(given)) if given.access_token == "a"));
        let no = answer(400, "application/json", r#"{"error":"invalid_grant","error_description":"used"}"#);
        let refused = read_tokens(&no).unwrap().given().map(|_| ()).unwrap_err();
        assert_eq!(refused.to_string(), "the authorization server refused: used (invalid_grant)");
    }

    #[test]
    fn nothing_of_an_answer_that_cannot_be_read_is_told() {
        for (status, kind, body) in [
            (200, "text/html", "<p>marked</p>"),
            (200, "application/json", ""),
            (200, "application/json", r#"{"access_token":["marked"],"token_type":"Bearer"}"#),
            (200, "application/json", r#"{"access_token":"marked","token_type":"mac"}"#),
            (200, "application/json", r#"{"access_token":"marked"}"#),
            (500, "application/json", r#""marked""#),
        ] {
            let error = read_tokens(&answer(status, kind, body)).map(|_| ()).unwrap_err();
            assert!(matches!(error, OAuthError::Unreadable(_)), "{error}");
            assert!(!format!("{error} {error:?}").contains("marked"), "{error:?}");
        }
    }
}
