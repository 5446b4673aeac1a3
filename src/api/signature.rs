//! Signatures of Standard Webhooks 1.0: HMAC-SHA256 over id, time and body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::domain::{Verdict, WebhookSecret};

/// A signature older than this, or so far in the future, is not believed, seconds.
pub const TOLERANCE: i64 = 300;

fn mac(secret: &WebhookSecret, message: &str, timestamp: &str, body: &[u8]) -> Option<Hmac<Sha256>> {
    let key = STANDARD.decode(secret.expose().strip_prefix("whsec_")?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(format!("{message}.{timestamp}.").as_bytes());
    mac.update(body);
    Some(mac)
}

/// The value of `webhook-signature`; `timestamp` is seconds since 1970. Nothing where the secret is none.
#[must_use]
pub fn sign(secret: &WebhookSecret, message: &str, timestamp: i64, body: &str) -> Option<String> {
    let mac = mac(secret, message, &timestamp.to_string(), body.as_bytes())?;
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

/// Whether one of the signatures of a `webhook-signature` header, which may be several, is of this secret; `now` is
/// seconds since 1970.
#[must_use]
pub fn verify(
    secret: &WebhookSecret,
    message: &str,
    timestamp: &str,
    body: &[u8],
    signatures: &str,
    now: i64,
) -> Verdict {
    let matches = |signature: &str| {
        let given = signature.strip_prefix("v1,").and_then(|encoded| STANDARD.decode(encoded).ok());
        let mac = mac(secret, message, timestamp, body);
        given.zip(mac).is_some_and(|(given, mac)| mac.verify_slice(&given).is_ok())
    };
    if !signatures.split_ascii_whitespace().any(matches) {
        return Verdict::Forged;
    }
    let off = timestamp.parse::<i64>().map_or(i64::MAX, |signed| now.saturating_sub(signed));
    if off.saturating_abs() > TOLERANCE { Verdict::Stale(off) } else { Verdict::Verified }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &str = r#"{"test": 2432232314}"#;
    const SIGNED: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    #[test]
    fn the_example_of_the_specification() {
        let secret = WebhookSecret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        assert_eq!(sign(&secret, ID, 1_614_265_330, BODY).as_deref(), Some(SIGNED));
        assert_eq!(sign(&WebhookSecret::new("secret"), "m", 0, ""), None);
        let verdict = |id, time, body: &str, signed, now| verify(&secret, id, time, body.as_bytes(), signed, now);
        let now = 1_614_265_331;
        assert_eq!(verdict(ID, "1614265330", BODY, SIGNED, now), Verdict::Verified);
        let several = format!("v1,AAAA v1a,xyz {SIGNED}");
        assert_eq!(verdict(ID, "1614265330", BODY, &several, now), Verdict::Verified);
        assert_eq!(verdict(ID, "1614265330", BODY, SIGNED, now + 900), Verdict::Stale(901));
        assert_eq!(verdict(ID, "1614265330", BODY, SIGNED, now - 900), Verdict::Stale(-899));
        assert_eq!(verdict(ID, "1614265331", BODY, SIGNED, now), Verdict::Forged);
        assert_eq!(verdict("msg_other", "1614265330", BODY, SIGNED, now), Verdict::Forged);
        assert_eq!(verdict(ID, "1614265330", "{}", SIGNED, now), Verdict::Forged);
        assert_eq!(verdict(ID, "1614265330", BODY, "", now), Verdict::Forged);
    }
}
