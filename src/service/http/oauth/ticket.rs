//! What an approval page carries to its own answer: sealed, so that only a page of this service can be answered, and
//! only as it was shown.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderMap;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::browser::{Binding, OPEN};

/// What is asked for, as the page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Wish {
    /// A code for this redirect.
    Code { redirect: String, challenge: String, state: Option<String> },
    /// The words of a device code, which are typed next.
    DeviceCode,
    /// The decision about the device code with these words, which were typed.
    Device { user_code: String },
}

#[derive(Serialize, Deserialize)]
struct Ticket {
    wish: Wish,
    browser: Binding,
    expires_at: i64,
}

/// Seals and opens tickets.
pub(super) struct Tickets {
    mac: Option<Hmac<Sha256>>,
}

impl Tickets {
    /// With a key of their own, made from the service's.
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let derived = Hmac::<Sha256>::new_from_slice(key).ok().and_then(|mut mac| {
            mac.update(b"approval page");
            Hmac::new_from_slice(&mac.finalize().into_bytes()).ok()
        });
        Self { mac: derived }
    }

    /// The text that the page carries, which this browser may send back.
    pub(super) fn seal(&self, wish: Wish, browser: Binding, now: i64) -> String {
        let text = serde_json::to_vec(&Ticket { wish, browser, expires_at: now + OPEN }).unwrap_or_default();
        let Some(mut mac) = self.mac.clone() else { return String::new() };
        mac.update(&text);
        format!("{}.{}", URL_SAFE_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
    }

    /// What the page was about; nothing where it is not ours, was open too long or was shown to another browser.
    pub(super) fn open(&self, sealed: &str, headers: &HeaderMap, now: i64) -> Option<Wish> {
        let (text, seal) = sealed.split_once('.')?;
        let (text, seal) = (URL_SAFE_NO_PAD.decode(text).ok()?, URL_SAFE_NO_PAD.decode(seal).ok()?);
        let mut mac = self.mac.clone()?;
        mac.update(&text);
        mac.verify_slice(&seal).ok()?;
        let ticket: Ticket = serde_json::from_slice(&text).ok()?;
        (ticket.expires_at > now && ticket.browser.holds(headers)).then_some(ticket.wish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_and_not_too_old() {
        let tickets = Tickets::new(&[7; 32]);
        let (binding, cookie) = Binding::new("");
        let headers = HeaderMap::from_iter([(http::header::COOKIE, cookie)]);
        let sealed = tickets.seal(Wish::DeviceCode, binding, 100);
        assert_eq!(tickets.open(&sealed, &headers, 699), Some(Wish::DeviceCode));
        assert_eq!(tickets.open(&sealed, &headers, 700), None);
        assert_eq!(tickets.open(&sealed, &HeaderMap::new(), 100), None);
        assert_eq!(Tickets::new(&[8; 32]).open(&sealed, &headers, 100), None);
        for changed in ["", ".", "a.b", sealed.trim_end_matches(|c| c != '.')] {
            assert_eq!(tickets.open(changed, &headers, 100), None);
        }
        assert_eq!(tickets.open(&format!("x{sealed}"), &headers, 100), None);
    }
}
