//! Taking out what is secret: by the name it has, and by what it is.

use url::Url;

/// What stands in the place of a secret.
pub const TAKEN_OUT: &str = "[taken out]";

/// Headers that carry credentials.
const HEADERS: [&str; 7] =
    ["authorization", "proxy-authorization", "x-cli-api-key", "x-api-key", "cookie", "set-cookie", "webhook-signature"];

/// Names of members and parameters that hold secrets, without case and separators.
const NAMES: [&str; 15] = [
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "token",
    "authtoken",
    "apikey",
    "appkey",
    "secret",
    "clientsecret",
    "password",
    "passwd",
    "devicecode",
    "codeverifier",
    "xamzsignature",
    "signature",
];

/// Shorter values are no secrets, and would be found everywhere.
const LEAST: usize = 6;

/// Takes secrets out of texts: those that are known, and whatever has the name of one.
#[derive(Clone, Default)]
pub struct Redaction {
    known: Vec<String>,
}

fn is_secret(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).take(40).collect();
    NAMES.contains(&plain.as_str())
}

impl Redaction {
    /// Knows these secrets, beside those that their names betray.
    #[must_use]
    pub fn new<'a>(known: impl IntoIterator<Item = &'a str>) -> Self {
        Self { known: known.into_iter().filter(|secret| secret.len() >= LEAST).map(str::to_owned).collect() }
    }

    /// The text without the secrets that are known.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.known {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), TAKEN_OUT);
            }
        }
        text
    }

    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str, value: &str) -> String {
        if !HEADERS.iter().any(|secret| name.eq_ignore_ascii_case(secret)) {
            return self.text(value);
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
        if url.query().is_some() {
            let pairs: Vec<(String, String)> = url
                .query_pairs()
                .map(|(name, value)| {
                    let value = if is_secret(&name) { TAKEN_OUT.to_owned() } else { self.text(&value) };
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
            out.push_str(before);
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
            hides_next = !hidden && is_secret(string.trim_matches('"'));
            rest = from.get(end..).unwrap_or_default();
        }
        out.push_str(rest);
        self.text(&out)
    }
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
