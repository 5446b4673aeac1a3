//! Addresses as the service takes them: of videos, posters and webhooks.

use url::Url;

/// The most characters of an address.
pub const MOST_ADDRESS: usize = 4_000;

/// Whether a text is an http(s) address with a host, as everything that fetches it understands it.
#[must_use]
pub fn is_web_address(text: &str) -> bool {
    let schemes = ["http://", "https://"];
    let rest = schemes.iter().find_map(|scheme| text.strip_prefix(scheme));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '['))
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
        && Url::parse(text).is_ok_and(|url| url.has_host())
}

/// Why the service would refuse a text as an address, for the person who types it; none where it would take it.
#[must_use]
pub fn address_problem(text: &str) -> Option<&'static str> {
    match text {
        "" | "https://" | "http://" => Some("enter an address that starts with https://"),
        _ if text.contains(char::is_whitespace) => Some("an address has no spaces"),
        _ if text.chars().count() > MOST_ADDRESS => Some("an address has 4,000 characters at most"),
        _ if is_web_address(text) => None,
        _ if text.starts_with("https://") || text.starts_with("http://") => Some("this host can't be read"),
        _ => Some("start with https:// or http://"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_says_why() {
        for good in ["https://a.example/x?y=1", "http://[::1]:80/", "http://127.0.0.1:7227/v.mp4"] {
            assert_eq!((is_web_address(good), address_problem(good)), (true, None));
        }
        let long = format!("https://a.example/{}", "x".repeat(MOST_ADDRESS));
        for bad in
            ["", "https://", "a.example", "ftp://a.example", "https://a b", "https:///x", "HTTPS://a.example", &long]
        {
            assert!(address_problem(bad).is_some(), "{bad}");
        }
    }
}
