//! Taking out what is secret: by the name it has, and by what it is.

use url::Url;

#[path = "free.rs"]
mod free;

/// What stands in the place of a secret.
pub const TAKEN_OUT: &str = "[taken out]";

/// Headers that carry credentials.
const HEADERS: [&str; 7] =
    ["authorization", "proxy-authorization", "x-cli-api-key", "x-api-key", "cookie", "set-cookie", "webhook-signature"];

/// How the names of members, parameters, headers and variables that hold secrets end, without case and separators.
const NAMES: [&str; 17] = [
    "token",
    "apikey",
    "appkey",
    "accesskey",
    "privatekey",
    "secretkey",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "devicecode",
    "codeverifier",
    "signature",
    "authorization",
    "cookie",
    "sessionid",
    "credential",
];

/// How tokens begin whose issuers made them to be recognized.
const PREFIXES: [&str; 14] = [
    "sk_",
    "sk-",
    "pk_",
    "rk_",
    "whsec_",
    "ghp_",
    "gho_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "shpat_",
    "AKIA",
    "eyJ",
];

/// Shorter values are no secrets, and would be found everywhere.
const LEAST: usize = 6;

/// Takes secrets out of texts: those that are known, and whatever has the name of one.
#[derive(Clone, Default)]
pub struct Redaction {
    known: Vec<String>,
}

/// Whether what is called so is a secret: a header, a member, a parameter, a variable.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).take(80).collect();
    NAMES.iter().any(|secret| plain.ends_with(secret))
}

/// Whether a name looks as if somebody had put a key in its place: it begins as keys do, or letters and digits alternate
/// in it as in no word.
#[must_use]
pub fn looks_secret(text: &str) -> bool {
    if text.len() < 12 || text.chars().any(char::is_whitespace) {
        return false;
    }
    let mixed = |part: &str| {
        let mut runs = 0;
        let mut before = false;
        for c in part.chars() {
            let digit = c.is_ascii_digit();
            runs += usize::from(digit && !before);
            before = digit;
        }
        part.len() >= 8 && runs >= 2 && part.chars().any(|c| c.is_ascii_alphabetic())
    };
    PREFIXES.iter().any(|prefix| text.starts_with(prefix)) || text.split(['-', '_', '.', ':', '/']).any(mixed)
}

/// A word that a person wrote somewhere, as a message may show it: not where it looks like a key.
#[must_use]
pub fn shown_word(text: &str) -> &str {
    if looks_secret(text) { TAKEN_OUT } else { text }
}

impl Redaction {
    /// Knows these secrets, beside those that their names betray.
    #[must_use]
    pub fn new<'a>(known: impl IntoIterator<Item = &'a str>) -> Self {
        Self { known: known.into_iter().filter(|secret| secret.len() >= LEAST).map(str::to_owned).collect() }
    }

    /// The text without the secrets that are known, and its addresses without names, passwords and keys.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut text = addresses(text);
        for secret in &self.known {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), TAKEN_OUT);
            }
        }
        text
    }

    /// A text of any kind, of which nobody knows what a person put into it: also what follows the name of a secret, and
    /// what looks like one, goes.
    #[must_use]
    pub fn free_text(&self, text: &str) -> String {
        self.text(&free::named(&self.text(text)))
    }

    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str, value: &str) -> String {
        if !HEADERS.iter().any(|secret| name.eq_ignore_ascii_case(secret)) && !is_secret_name(name) {
            // What a service wants to be signed in with is no credential.
            let challenge = name.eq_ignore_ascii_case("www-authenticate");
            return if challenge { self.text(value) } else { self.free_text(value) };
        }
        // The scheme says how it was signed in, and is no secret.
        match value.split_once(' ') {
            Some((scheme @ ("Bearer" | "Basic"), _)) => format!("{scheme} {TAKEN_OUT}"),
            _ => TAKEN_OUT.to_owned(),
        }
    }

    /// An address, with its query's secrets taken out.
    #[must_use]
    pub fn address(&self, url: &Url) -> String {
        let mut shown = url.clone();
        if url.password().is_some() || !url.username().is_empty() {
            // Neither fails where the address has a host, as one that holds them does.
            let _ = shown.set_password(None).and_then(|()| shown.set_username(""));
        }
        if url.query().is_some() {
            let pairs: Vec<(String, String)> = url
                .query_pairs()
                .map(|(name, value)| {
                    let value = if is_secret_name(&name) { TAKEN_OUT.to_owned() } else { self.text(&value) };
                    (name.into_owned(), value)
                })
                .collect();
            shown.query_pairs_mut().clear().extend_pairs(pairs);
        }
        self.text(shown.as_str())
    }

    /// A body. Read as text, so that one that is cut off or no JSON is no way out: a string that follows a member's name
    /// which is that of a secret goes, whatever is around it.
    #[must_use]
    pub fn body(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let mut hides_next = false;
        while let Some(start) = rest.find('"') {
            let (before, from) = rest.split_at(start);
            push_between(&mut out, before, hides_next);
            // A value follows its name at once; anything else between them makes it another value.
            let between = before.trim();
            let hidden = hides_next && between == ":";
            let end = string_end(from);
            let string = from.get(..end).unwrap_or(from);
            if hidden {
                out.push('"');
                out.push_str(TAKEN_OUT);
                out.push('"');
            } else {
                out.push_str(string);
            }
            hides_next = !hidden && is_secret_name(string.trim_matches('"'));
            rest = from.get(end..).unwrap_or_default();
        }
        push_between(&mut out, rest, hides_next);
        self.text(&out)
    }
}

/// What stands between two strings of a body. A number that follows the name of a secret is one, too.
fn push_between(out: &mut String, between: &str, hidden: bool) {
    let value = between.trim_start().strip_prefix(':').map(str::trim_start).filter(|_| hidden);
    let number = value.map_or("", |value| value.split([',', '}', ']']).next().unwrap_or_default()).trim_end();
    if number.is_empty() || !number.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        out.push_str(between);
    } else {
        out.push_str(&between.replacen(number, &format!("\"{TAKEN_OUT}\""), 1));
    }
}

/// The text with the addresses in it without names and passwords, and without the values of parameters that hold
/// secrets.
fn addresses(text: &str) -> String {
    const ENDS: [char; 8] = [' ', '"', '\'', '<', '>', '\\', '`', ')'];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, from) = rest.split_at(at + 3);
        out.push_str(before);
        let end = from.find(|c: char| c.is_control() || ENDS.contains(&c)).unwrap_or(from.len());
        let (address, after) = from.split_at(end);
        let authority_end = address.find(['/', '?', '#']).unwrap_or(address.len());
        let (authority, path) = address.split_at(authority_end);
        match authority.rsplit_once('@') {
            Some((_, host)) => out.extend([TAKEN_OUT, "@", host]),
            None => out.push_str(authority),
        }
        let (path, query) = path.split_at(path.find(['?', '#']).unwrap_or(path.len()));
        out.push_str(path);
        for part in query.split_inclusive(['?', '&', '#', ';']) {
            match part.split_once('=') {
                Some((name, value)) if is_secret_name(name) => {
                    let separator = value.chars().last().filter(|c| matches!(c, '&' | '#' | ';' | '?'));
                    out.extend([name, "=", TAKEN_OUT]);
                    out.extend(separator);
                }
                _ => out.push_str(part),
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Where the string that begins a text ends, behind its closing quote.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, b) in text.bytes().enumerate().skip(1) {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_go_by_their_name() {
        let redaction = Redaction::default();
        let body = redaction.body(
            r#"{"accessToken": "marked-1", "a": ["app_key"], "x": {"appKey":"mark\"ed-2"}, "title": "a token", "n": 1}"#,
        );
        assert_eq!(
            body,
            r#"{"accessToken": "[taken out]", "a": ["app_key"], "x": {"appKey":"[taken out]"}, "title": "a token", "n": 1}"#
        );
        // Cut off in the middle of a secret, and no JSON at all.
        assert_eq!(redaction.body(r#"{"secret":"marked-3"#), r#"{"secret":"[taken out]""#);
        assert_eq!(redaction.body("<p>token</p> \"x\" \""), "<p>token</p> \"x\" \"");
    }

    #[test]
    fn numbers_and_addresses_hide_nothing() {
        let redaction = Redaction::default();
        assert_eq!(redaction.body(r#"{"password": 12345678, "n": 1}"#), r#"{"password": "[taken out]", "n": 1}"#);
        assert_eq!(redaction.body(r#"{"n": 1, "apiKey":-5}"#), r#"{"n": 1, "apiKey":"[taken out]"}"#);
        assert_eq!(redaction.body(r#"{"token": null, "a": "b"}"#), r#"{"token": null, "a": "b"}"#);
        let body = redaction.body(r#"{"url":"https://me:marked@x.example/a?q=1&access_token=marked&r=2#f"}"#);
        assert_eq!(body, r#"{"url":"https://[taken out]@x.example/a?q=1&access_token=[taken out]&r=2#f"}"#);
        let url = Url::parse("https://me:marked@x.example/a").unwrap();
        assert_eq!(redaction.address(&url), "https://x.example/a");
    }

    #[test]
    fn keys_in_the_place_of_names_are_seen() {
        for key in ["sk_live_MARKED7f3a9c", "whsec_abcdefghijk", "A1b2C3d4E5f6", "0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e"]
        {
            assert!(looks_secret(key), "{key}");
        }
        for name in
            ["shop", "production-eu-west-1", "store-2024-production", "Acme Shoes 2024 no 17", "nordlys.example"]
        {
            assert!(!looks_secret(name), "{name}");
        }
    }

    #[test]
    fn known_secrets_go_wherever_they_are() {
        let redaction = Redaction::new(["marked-key", "ab"]);
        assert_eq!(redaction.body(r#"{"echo":"got marked-key!"}"#), r#"{"echo":"got [taken out]!"}"#);
        assert_eq!(redaction.text("about"), "about");
        let url = Url::parse("https://x.example/a?token=marked-1&q=marked-key&r=1").unwrap();
        let shown = redaction.address(&url);
        assert!(!shown.contains("marked") && shown.ends_with("&r=1"), "{shown}");
    }

    #[test]
    fn headers_go_by_their_name() {
        let redaction = Redaction::new(["marked-key"]);
        assert_eq!(redaction.header("Authorization", "Bearer marked"), "Bearer [taken out]");
        assert_eq!(redaction.header("x-cli-api-key", "marked"), "[taken out]");
        assert_eq!(redaction.header("set-cookie", "sid=marked"), "[taken out]");
        assert_eq!(redaction.header("x-echo", "is marked-key"), "is [taken out]");
        assert_eq!(redaction.header("content-type", "text/html"), "text/html");
    }
}
