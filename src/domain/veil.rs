//! What somebody who looks on is not shown: secrets, and what belongs to a person. Whatever is hidden is as long as
//! before, so that nothing moves.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use super::ShareCode;
use super::wire::looks_secret;

/// Stands for each character that is hidden.
pub const HIDDEN: char = '•';

/// Shorter ones are no secrets: they would hide words.
const LEAST_SECRET: usize = 6;

/// Hides e-mail addresses, phone numbers, keys, and the secrets that it was given.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Veil {
    secrets: Vec<String>,
}

impl std::fmt::Debug for Veil {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Veil(…)")
    }
}

impl Veil {
    /// Hides these secrets beside what is known by its form.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        Self { secrets: secrets.into_iter().filter(|secret| secret.len() >= LEAST_SECRET).collect() }
    }

    /// The text with nothing of that in it, character by character as long as before.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        hide(text, &self.hidden(text))
    }

    /// What of a text is hidden, by its bytes.
    fn hidden(&self, text: &str) -> Vec<Range<usize>> {
        let mut hidden = Vec::new();
        for secret in &self.secrets {
            hidden.extend(text.match_indices(secret.as_str()).map(|(at, found)| at..at + found.len()));
        }
        addresses(text, &mut hidden);
        if text.len() >= LEAST_DIGITS {
            numbers(text, &mut hidden);
            keys(text, &mut hidden);
        }
        hidden
    }

    /// A line of JSON with none of its texts; the names of its fields stay.
    #[must_use]
    pub fn json(&self, line: &str) -> String {
        let mut hidden = Vec::new();
        let mut open = None;
        let mut escaped = false;
        for (at, c) in line.char_indices() {
            match (c, open) {
                _ if escaped => escaped = false,
                ('\\', Some(_)) => escaped = true,
                ('"', None) => open = Some(at + 1),
                ('"', Some(begin)) => {
                    let is_name = line.get(at + 1..).is_some_and(|rest| rest.trim_start().starts_with(':'));
                    if !is_name {
                        hidden.push(begin..at);
                    }
                    open = None;
                }
                _ => {}
            }
        }
        hidden.extend(open.map(|begin| begin..line.len()));
        let text = hide(line, &hidden);
        self.text(&text).into_owned()
    }
}

thread_local! {
    /// What everything that this thread draws now is hidden by.
    static DRAWN: RefCell<Option<Arc<Veil>>> = const { RefCell::new(None) };
}

/// Takes the veil away again, whatever happens while it is drawn.
struct Lifted(Option<Arc<Veil>>);

impl Drop for Lifted {
    fn drop(&mut self) {
        let before = self.0.take();
        DRAWN.with(|drawn| drop(drawn.replace(before)));
    }
}

/// Draws behind a veil: while this runs on this thread, [`drawn`] hides, so that no text is cut or broken before what is
/// in it was known for what it is.
pub fn behind<T>(veil: &Arc<Veil>, draw: impl FnOnce() -> T) -> T {
    let _lifted = Lifted(DRAWN.with(|drawn| drawn.replace(Some(Arc::clone(veil)))));
    draw()
}

/// The text as it may be drawn now; itself where nothing is drawn [`behind`] a veil.
#[must_use]
pub fn drawn(text: &str) -> Cow<'_, str> {
    let veil = DRAWN.with(|drawn| drawn.borrow().clone());
    match veil.as_ref().map(|veil| veil.text(text)) {
        Some(Cow::Owned(hidden)) => Cow::Owned(hidden),
        _ => Cow::Borrowed(text),
    }
}

/// What is hidden may be so much longer than where a text is cut, characters: an address has at most 320.
const LONGEST_KEPT: usize = 400;

/// A text that is kept, of so many characters at most. What is known by its form is cut before it or behind it, never in
/// it: of what is left nobody could tell what it is, and it would be shown to those who look on.
#[must_use]
pub fn cut(text: &str, most: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(most) else { return text };
    let seen = text.char_indices().nth(most + LONGEST_KEPT).map_or(text, |(end, _)| text.get(..end).unwrap_or(text));
    let hidden = Veil::default().hidden(seen);
    let (mut from, mut to) = (end, end);
    let through = |from: usize, to: usize| {
        let grows = |range: &&Range<usize>| range.start < from || range.end > to;
        hidden.iter().filter(|range| range.start < to && from < range.end).find(grows)
    };
    while let Some(range) = through(from, to) {
        (from, to) = (from.min(range.start), to.max(range.end));
    }
    let is_whole = to < seen.len() || seen.len() == text.len();
    text.get(..if is_whole { to } else { from }).unwrap_or_default()
}

fn hide<'t>(text: &'t str, hidden: &[Range<usize>]) -> Cow<'t, str> {
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    let is_hidden = |at: usize| hidden.iter().any(|range| range.contains(&at));
    Cow::Owned(text.char_indices().map(|(at, c)| if is_hidden(at) { HIDDEN } else { c }).collect())
}

/// How an at sign is written: as it is, in an address of the web, and in JSON.
const AT: [&str; 3] = ["@", "%40", "\\u0040"];

fn is_of_mailbox(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-' | '\'' | HIDDEN)
}

fn is_of_host(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '…' | '~')
}

/// E-mail addresses, and what is left of one that was cut.
fn addresses(text: &str, hidden: &mut Vec<Range<usize>>) {
    for sign in AT {
        for (at, _) in text.match_indices(sign) {
            let (before, after) = (text.get(..at).unwrap_or(""), text.get(at + sign.len()..).unwrap_or(""));
            let mailbox: usize = before.chars().rev().take_while(|c| is_of_mailbox(*c)).map(char::len_utf8).sum();
            let host: usize = after.chars().take_while(|c| is_of_host(*c)).map(char::len_utf8).sum();
            if mailbox + host > 0 {
                hidden.push(at - mailbox..at + sign.len() + host);
            }
        }
    }
}

/// The digits of the shortest phone number that is known as one.
const LEAST_DIGITS: usize = 7;

/// Phone numbers: what begins with `+`, `0` or `(`, is grouped as in North America, or is nothing but nine digits or more.
fn numbers(text: &str, hidden: &mut Vec<Range<usize>>) {
    let is_inside = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '\u{a0}' | '-' | '.' | '(' | ')' | '/');
    let mut before = ' ';
    let mut from = 0;
    while let Some(rest) = text.get(from..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or(' ');
        let begins = (first.is_ascii_digit() || matches!(first, '+' | '('))
            && !(before.is_alphanumeric() || matches!(before, '/' | '-' | '_' | '.' | ',' | '#'));
        if !begins {
            (before, from) = (first, from + first.len_utf8());
            continue;
        }
        let more: usize =
            rest.chars().skip(1).take_while(|c| is_inside(*c)).map(char::len_utf8).sum::<usize>() + first.len_utf8();
        let run = rest.get(..more).unwrap_or("").trim_end_matches(|c: char| !c.is_ascii_digit());
        let taken = run.len().max(first.len_utf8());
        if is_phone(run) {
            hidden.push(from..from + run.len());
        }
        before = text.get(..from + taken).and_then(|read| read.chars().next_back()).unwrap_or(' ');
        from += taken;
    }
}

fn is_phone(run: &str) -> bool {
    let digits = run.chars().filter(char::is_ascii_digit).count();
    let groups: Vec<usize> =
        run.split(|c: char| !c.is_ascii_digit()).map(str::len).filter(|length| *length > 0).collect();
    let is_date = groups.first() == Some(&2) && groups.get(1) == Some(&2) && groups.get(2) == Some(&4);
    match run.chars().next() {
        Some('+') => (LEAST_DIGITS..=15).contains(&digits),
        Some('0' | '(') if !is_date => (8..=17).contains(&digits),
        _ => groups == [3, 3, 4] || (groups.len() == 1 && (9..=15).contains(&digits)),
    }
}

/// What looks like a key or a token. Ids of records are none.
fn keys(text: &str, hidden: &mut Vec<Range<usize>>) {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '=' | '-');
    let mut from = 0;
    for run in text.split(|c| !is_inside(c)) {
        if (looks_secret(run) && !is_record(run)) || is_code(run) {
            hidden.push(from..from + run.len());
        }
        // The sign between two runs; all of them have at least a byte.
        from += run.len();
        from += text.get(from..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
}

/// Whether it is a code by which a studio is shared, as it is shown.
fn is_code(run: &str) -> bool {
    ShareCode::as_shown(run).is_some_and(|code| code.to_string() == run)
}

/// Whether it is a UUID.
fn is_record(run: &str) -> bool {
    let parts: Vec<&str> = run.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.iter().all(|part| part.chars().all(|c| c.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn veiled(text: &str) -> String {
        Veil::new(["the owner's key".to_owned()]).text(text).into_owned()
    }

    #[test]
    fn what_is_of_a_person_is_hidden() {
        for (text, part) in [
            ("Sent to anna.berg+shop@example.com.", "anna"),
            ("Sent to anna.berg+shop@example.com.", "example"),
            ("ånna@bücher.example", "ånna"),
            ("?email=anna%40example.com&x=1", "anna"),
            (r#"{"mail": "anna\u0040example.com"}"#, "anna"),
            ("anna.be@exam…", "anna"),
            ("call +47 22 33 44 55 now", "22 33"),
            ("0151 23456789", "0151"),
            ("(555) 123-4567", "123"),
            ("555-123-4567", "555"),
            ("\"4722334455\"", "4722334455"),
            ("it is the owner's key here", "owner's"),
            ("Bearer ctw_8Kd2mQ91xLp4", "8Kd2"),
            ("Shared: the code is K7QF-29MX-4TBD.", "29MX"),
            ("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "C2FV"),
        ] {
            let shown = veiled(text);
            assert!(!shown.contains(part) && shown.contains(HIDDEN), "{text} -> {shown}");
            assert_eq!(shown.chars().count(), text.chars().count(), "{text}");
        }
    }

    #[test]
    fn what_is_of_the_shop_is_shown() {
        for text in [
            "Fjell wool sock",
            "149–189 NOK, 86 in stock",
            "1,280 products",
            "2026-11-23 07:15:01",
            "23.11.2026",
            "gid://shopify/Product/8123456789012",
            "3f2b8c1a-7d4e-4f60-9a1b-2c3d4e5f6071",
            "https://shop.example/products/wool-sock",
            "SKU FW-S-36",
            "48 MB, 0:24, 18 MB/s",
        ] {
            assert_eq!(veiled(text), text);
        }
    }

    #[test]
    fn of_json_only_the_names_of_fields_are_left() {
        let line = r#"  "name": "Anna \"B\" Berg", "age": 31"#;
        let shown = Veil::default().json(line);
        assert!(shown.contains("\"name\": \"•") && !shown.contains("Anna") && !shown.contains("Berg"), "{shown}");
        assert_eq!(Veil::default().json("  \"Anna"), "  \"••••");
    }

    #[test]
    fn a_text_that_is_kept_is_not_cut_in_what_would_be_hidden() {
        let text = "Ask anna.berg@example.com or +47 22 33 44 55, then ctw_8Kd2mQ91xLp4Zr7T whatever comes";
        for most in 0..text.len() {
            let kept = cut(text, most);
            let (shown, whole) = (Veil::default().text(kept).into_owned(), Veil::default().text(text).into_owned());
            assert!(whole.starts_with(&shown), "{most}: {kept:?} is shown as {shown:?}");
            assert!(kept.len() <= most + 24, "{most}: {kept:?}");
        }
        assert_eq!(cut("short", 16), "short");
        assert_eq!(cut("a long name without anything", 6), "a long");
        let endless = format!("a {}@example.com", "x".repeat(9_000));
        assert_eq!(cut(&endless, 200).len(), 200, "so long is no address");
    }

    proptest! {
        #[test]
        fn nothing_moves_whatever_is_hidden(text in "\\PC{0,60}") {
            prop_assert_eq!(veiled(&text).chars().count(), text.chars().count());
            prop_assert_eq!(Veil::default().json(&text).chars().count(), text.chars().count());
        }

        #[test]
        fn no_address_is_left(before in "[a-z]{1,9}", host in "[a-z]{2,9}", around in "[ <(\\[\"']") {
            let text = format!("{around}{before}@{host}.example ");
            let shown = veiled(&text);
            prop_assert!(!shown.contains('@') && !shown.contains(".example"), "{}", shown);
        }
    }
}
