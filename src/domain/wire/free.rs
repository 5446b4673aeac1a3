//! Texts of which nobody knows what a person put into them: logs, error messages, settings.

use super::{PREFIXES, TAKEN_OUT, is_secret_name};

/// Whether a character belongs to a name, or to a token without quotes.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether a character ends a value that stands without quotes.
fn ends_value(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '"' | '\'' | '`' | ',' | ';' | '&' | '}' | ']' | ')' | '<' | '>' | '\\')
}

/// The text without what follows the name of a secret (`api_key = "…"`, `X-Token: …`, `--password …`), what follows
/// `Bearer` and `Basic`, and tokens that are made to be recognized.
pub(super) fn named(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_of_name) {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let (word, after) = from.split_at(from.find(|c| !is_of_name(c)).unwrap_or(from.len()));
        if is_token(word, after) {
            let end = from.find(ends_value).unwrap_or(from.len());
            out.push_str(TAKEN_OUT);
            rest = from.get(end..).unwrap_or_default();
            continue;
        }
        out.push_str(word);
        rest = after;
        let scheme = matches!(word, "Bearer" | "Basic" | "bearer" | "basic");
        let gap = if scheme { blank(after) } else { is_secret_name(word).then(|| separator(word, after)).flatten() };
        let Some(gap) = gap else { continue };
        let (between, value) = after.split_at(gap);
        // The scheme says how it is signed in; what follows it is taken out in the next round.
        if ["Bearer ", "Basic "].iter().any(|scheme| value.starts_with(scheme)) {
            out.push_str(between);
            rest = value;
            continue;
        }
        let end = value_end(value, between.chars().last());
        if end > 0 && !value.starts_with(TAKEN_OUT) {
            out.push_str(between);
            out.push_str(TAKEN_OUT);
            rest = value.get(end..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    out
}

/// Whether a word is, or begins, a token that is made to be recognized.
fn is_token(word: &str, after: &str) -> bool {
    let long = word.len() + after.find(ends_value).unwrap_or(after.len()) >= 16;
    long && PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

/// How long the white space is that a text begins with, where there is some.
fn blank(text: &str) -> Option<usize> {
    let length = text.len() - text.trim_start_matches([' ', '\t']).len();
    (length > 0).then_some(length)
}

/// How long that is which stands between a name and its value: `: `, ` = "`, `\\":\\"`, or after a flag a space.
fn separator(name: &str, after: &str) -> Option<usize> {
    let trimmed = |text: &str, of: &[char]| text.len() - text.trim_start_matches(of).len();
    let closing = trimmed(after, &['\\', '"', '\'', '`', ' ', '\t']);
    let sign = after.get(closing..)?;
    if !sign.starts_with([':', '=']) {
        return if name.starts_with("--") { blank(after) } else { None };
    }
    let behind = trimmed(sign, &[':', '=', '>', ' ', '\t', '\\', '"', '\'', '`']);
    Some(closing + behind)
}

/// Where a value ends: at the quote that it began with, else where no value goes on.
fn value_end(value: &str, quote: Option<char>) -> usize {
    match quote {
        Some(quote @ ('"' | '\'' | '`')) => {
            let mut escaped = false;
            let end = value.char_indices().find(|(_, c)| {
                let is_end = (*c == quote && !escaped) || *c == '\n';
                escaped = *c == '\\' && !escaped;
                is_end
            });
            end.map_or(value.len(), |(at, _)| at)
        }
        _ => value.find(ends_value).unwrap_or(value.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_follows_the_name_of_a_secret_goes() {
        for text in [
            "api_key = \"marked two words\"",
            "apiKey: marked-1",
            "X-Auth-Token: marked",
            "Authorization: Bearer marked",
            "authorization: Basic bWFya2Vk=marked",
            "Some(\"{\\\"access_token\\\":\\\"marked\\\"}\")",
            "curl --password marked -x",
            "password='it\\'s marked'",
            "AWS_SECRET_ACCESS_KEY=marked",
            "got Bearer marked, and more",
            "the key sk_live_marked123456 was refused",
            "eyJhbGciOi.marked.sig",
        ] {
            let clean = named(text);
            assert!(!clean.contains("marked") && clean.contains(TAKEN_OUT), "{text}: {clean}");
            assert_eq!(named(&clean), clean, "once is enough");
        }
        for text in [
            "API key from: credential file",
            "a token of 3 words; the secret is safe",
            "tokenType: Bearer",
            "signed in; sk_ and sk-a are short",
            "",
        ] {
            assert_eq!(named(text), text);
        }
    }
}
