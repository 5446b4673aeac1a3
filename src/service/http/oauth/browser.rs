//! The browser behind an approval page: it alone can answer the page that it was shown, and no other site can.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::header::{COOKIE, HOST, ORIGIN, SET_COOKIE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use url::{Position, Url};
use uuid::Uuid;

use super::{AUTHORIZE, DEVICE, page};
use crate::api::Problem;
use crate::service::http::answer;
use crate::service::http::base_url::BaseUrl;

/// How long a page may stay open, seconds.
pub(super) const OPEN: i64 = 600;

/// What the names of the cookies begin with. Each page has a cookie of its own, so that two open pages don't end each
/// other.
const COOKIE_NAME: &str = "cutaway_approval_";

/// Ties a page to the browser that was shown it: the browser keeps the secret, the ticket its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Binding {
    /// The end of the cookie's name.
    name: String,
    /// The SHA-256 of its value.
    hash: [u8; 32],
}

impl Binding {
    /// A new one, with the cookie that the browser has to bring back.
    pub(super) fn new(base: &str) -> (Self, HeaderValue) {
        let (name, secret) = (Uuid::new_v4().simple().to_string(), Uuid::new_v4().simple().to_string());
        let secure = if base.starts_with("https://") { "; Secure" } else { "" };
        let cookie =
            format!("{COOKIE_NAME}{name}={secret}; Path=/oauth; Max-Age={OPEN}; HttpOnly; SameSite=Strict{secure}");
        // Letters and digits only: it is always a header's value.
        let cookie = HeaderValue::from_str(&cookie).unwrap_or_else(|_| HeaderValue::from_static(""));
        (Self { name, hash: Sha256::digest(secret.as_bytes()).into() }, cookie)
    }

    /// Whether a request comes from the browser that was shown the page.
    pub(super) fn holds(&self, headers: &HeaderMap) -> bool {
        let wanted = format!("{COOKIE_NAME}{}", self.name);
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, secret)| {
            let hash: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
            name == wanted && bool::from(hash.ct_eq(&self.hash))
        })
    }
}

/// Adds the cookie to the page that needs it.
pub(super) fn with_cookie(mut page: Response, cookie: HeaderValue) -> Response {
    page.headers_mut().append(SET_COOKIE, cookie);
    page
}

/// Whether a browser says that a request was made by the page of another site. Who is no browser says nothing.
fn is_foreign(headers: &HeaderMap, base: &str) -> bool {
    let text = |value: Option<&HeaderValue>| value.and_then(|value| value.to_str().ok()).map(str::to_owned);
    if let Some(from) = headers.get("sec-fetch-site") {
        return from != "same-origin";
    }
    let Some(origin) = headers.get(ORIGIN) else { return false };
    let Some(origin) = text(Some(origin)).and_then(|origin| Url::parse(&origin).ok()) else { return true };
    let own = Url::parse(base).is_ok_and(|base| base.origin() == origin.origin());
    let host = text(headers.get(HOST)).and_then(|host| Url::parse(&format!("{}://{host}", origin.scheme())).ok());
    let asked = |url: &Url| url[Position::BeforeHost..Position::AfterPort].to_owned();
    !own && host.is_none_or(|host| asked(&host) != asked(&origin))
}

/// Refuses what another site's page sends, before it is read and before it counts as an attempt.
pub(super) async fn same_site(request: Request, next: Next) -> Response {
    let base = request.extensions().get::<BaseUrl>().map(|base| base.0.clone()).unwrap_or_default();
    if request.method() != Method::POST || !is_foreign(request.headers(), &base) {
        return next.run(request).await;
    }
    if matches!(request.uri().path(), AUTHORIZE | DEVICE) {
        return page::said(StatusCode::FORBIDDEN, "Request refused", "This form was sent by another site.");
    }
    answer::problem(&Problem::new(403, "This request came from a page of another site."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_sites_are_told_by_what_the_browser_says() {
        let base = "http://127.0.0.1:7227";
        let foreign = |pairs: &[(&'static str, &'static str)]| {
            let headers = pairs
                .iter()
                .map(|(name, value)| (http::HeaderName::from_static(name), HeaderValue::from_static(value)));
            is_foreign(&headers.collect(), base)
        };
        assert!(!foreign(&[]));
        assert!(!foreign(&[("sec-fetch-site", "same-origin"), ("origin", "null")]));
        for from in ["cross-site", "same-site", "none"] {
            assert!(foreign(&[("sec-fetch-site", from)]), "{from}");
        }
        assert!(!foreign(&[("origin", base)]));
        assert!(!foreign(&[("origin", "http://localhost:9000"), ("host", "localhost:9000")]));
        assert!(!foreign(&[("origin", "http://localhost"), ("host", "localhost:80")]));
        for origin in ["null", "http://127.0.0.1:7228", "https://shop.example", "http://localhost:9001"] {
            assert!(foreign(&[("origin", origin), ("host", "localhost:9000")]), "{origin}");
        }
    }

    #[test]
    fn only_the_browser_that_was_shown_the_page() {
        let (binding, cookie) = Binding::new("https://shop.example");
        let cookie = cookie.to_str().unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
        let brought = |text: &str| {
            let value = HeaderValue::from_str(text).unwrap();
            binding.holds(&HeaderMap::from_iter([(COOKIE, value)]))
        };
        let pair = cookie.split(';').next().unwrap();
        assert!(brought(pair) && brought(&format!("a=b; {pair}; c")));
        assert!(!brought(&format!("{pair}x")) && !brought(&format!("x{pair}")) && !brought(""));
        let (other, _) = Binding::new("http://127.0.0.1:1");
        assert!(!other.holds(&HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(pair).unwrap())])));
    }
}
