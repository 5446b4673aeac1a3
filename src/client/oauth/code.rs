//! The code with PKCE: the browser is sent to the server, and comes back with a code, or the person brings it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use url::Url;

use super::{AuthServer, CLIENT_ID, OAuthError, SCOPE};
use crate::settings::Tokens;

/// A code that was asked for.
pub struct CodeRequest {
    /// Where the browser goes.
    pub address: Url,
    redirect: Url,
    /// What the answer has to say, so that it is the one to this request.
    state: SecretString,
    /// What only who asked knows (RFC 7636 §4.1).
    verifier: SecretString,
}

/// So many random bytes, as text that may stand anywhere in an address.
fn random<const BYTES: usize>() -> Result<SecretString, OAuthError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|_| OAuthError::Unreadable("this machine gives no random numbers".to_owned()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes).into())
}

/// What came back: by redirect, or pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PastedCode {
    /// The whole address that the browser was sent to.
    Address(Url),
    /// The code alone.
    Code(String),
}

impl PastedCode {
    /// Reads what a person pasted: the address that their browser ended at, or the code in it.
    ///
    /// # Errors
    /// A sentence that says what it has to be.
    pub fn read(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if let Ok(url) = Url::parse(text)
            && matches!(url.scheme(), "http" | "https")
        {
            return Ok(Self::Address(url));
        }
        let plain = text.bytes().all(|b| b.is_ascii_graphic());
        if text.is_empty() || !plain || text.len() > 2048 {
            return Err("that is neither the address the browser ended at nor the code in it");
        }
        Ok(Self::Code(text.to_owned()))
    }
}

impl CodeRequest {
    /// Whether an address says to be the answer to this request.
    pub(super) fn is_answered_by(&self, address: &Url) -> bool {
        address.query_pairs().any(|(name, value)| name == "state" && value == self.state.expose_secret())
    }
}

impl AuthServer {
    /// Begins a sign-in that comes back to this address.
    ///
    /// # Errors
    /// Where the server offers none.
    pub fn begin_code(&self, redirect: &Url) -> Result<CodeRequest, OAuthError> {
        let offered = self.metadata.authorization_endpoint.clone();
        let endpoint = offered.ok_or_else(|| OAuthError::NotOffered(self.metadata.issuer.clone()))?;
        let (state, verifier) = (random::<16>()?, random::<32>()?);
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose_secret()));
        let mut address = endpoint;
        address.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", CLIENT_ID),
            ("redirect_uri", redirect.as_str()),
            ("scope", SCOPE),
            ("state", state.expose_secret()),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        Ok(CodeRequest { address, redirect: redirect.clone(), state, verifier })
    }

    /// Has the tokens of what came back.
    ///
    /// # Errors
    /// Where it is not the answer to this request, the person refused, or the server does not take the code.
    pub async fn redeem(&self, request: CodeRequest, back: PastedCode) -> Result<Tokens, OAuthError> {
        let code = match back {
            PastedCode::Code(code) => code,
            PastedCode::Address(address) => self.code_in(&request, &address)?,
        };
        let pairs = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", request.redirect.as_str()),
            ("code_verifier", request.verifier.expose_secret()),
        ];
        let answer = self.ask_for_tokens(&pairs).await?.given()?;
        Ok(self.tokens(&answer, None))
    }

    /// The code in an address, where it is the answer of this server (RFC 9207) to this request.
    fn code_in(&self, request: &CodeRequest, address: &Url) -> Result<String, OAuthError> {
        let all: Vec<(String, String)> =
            address.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        let given = |name: &str| all.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        if !request.is_answered_by(address) {
            return Err(OAuthError::NotOurs("that address belongs to another sign-in"));
        }
        match given("iss").map(|issuer| issuer.trim_end_matches('/')) {
            Some(issuer) if issuer != self.metadata.issuer.trim_end_matches('/') => {
                let said = issuer.chars().take(200).collect();
                return Err(OAuthError::Issuer { asked: self.metadata.issuer.clone(), said });
            }
            None if self.metadata.authorization_response_iss_parameter_supported => {
                return Err(OAuthError::NotOurs("the response doesn't say which server it's from"));
            }
            _ => {}
        }
        if let Some(error) = given("error") {
            return Err(OAuthError::of_code(error, given("error_description")));
        }
        given("code").map(str::to_owned).ok_or(OAuthError::NotOurs("there is no code in that address"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_up_is_long_enough_and_never_the_same() {
        let [one, other] = [(); 2].map(|()| random::<32>().unwrap());
        // RFC 7636 §4.1: 43 letters at least.
        assert_eq!(one.expose_secret().len(), 43);
        assert_ne!(one.expose_secret(), other.expose_secret());
    }

    #[test]
    fn addresses_and_codes_are_told_apart() {
        let url = "http://127.0.0.1:5000/?code=abc&state=s";
        assert_eq!(PastedCode::read(&format!(" {url}\n")), Ok(PastedCode::Address(Url::parse(url).unwrap())));
        assert_eq!(PastedCode::read("abc-123"), Ok(PastedCode::Code("abc-123".to_owned())));
        assert!(PastedCode::read("").is_err() && PastedCode::read("two words").is_err());
    }
}
