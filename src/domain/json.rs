//! JSON text as it came: read with a clear word on what it is otherwise, and written so that a terminal can bear it.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::Value;
use serde_json::value::RawValue;

use super::text::is_hostile;

/// Reads a body as JSON.
///
/// # Errors
/// A sentence that says what the body is in place of JSON.
pub fn read(body: &[u8]) -> Result<Value, String> {
    let body = without_mark(body);
    match serde_json::from_slice(body) {
        Ok(value) => Ok(value),
        Err(error) => match within_range(body).and_then(|text| serde_json::from_str(&text).ok()) {
            Some(value) => Ok(value),
            None => Err(otherwise(body, &error)),
        },
    }
}

/// JSON with numbers that no double holds (`1e400`) as texts: one of them, perhaps in a field that nobody asked for,
/// shall not cost the whole answer. Where it is asked for it is no number, and named. Nothing where there is none.
fn within_range(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let (mut out, mut rest, mut found) = (String::new(), text, false);
    while let Some(at) = rest.find(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let length = if from.starts_with('"') { string(from) } else { number(from) };
        let (token, after) = from.split_at(length);
        if token.parse::<f64>().is_ok_and(f64::is_infinite) {
            out.extend(["\"", token, "\""]);
            found = true;
        } else {
            out.push_str(token);
        }
        rest = after;
    }
    out.push_str(rest);
    found.then_some(out)
}

/// How long the string is that a text begins with, its quotes included.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at + 1,
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    text.len()
}

/// How long the number is that a text begins with.
fn number(text: &str) -> usize {
    text.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(text.len())
}

/// The text of a body that is one JSON document, without white space around it.
///
/// # Errors
/// A sentence that says what the body is in place of JSON.
pub fn document(body: &[u8]) -> Result<&str, String> {
    let raw: Result<&RawValue, _> = serde_json::from_slice(without_mark(body));
    raw.map(RawValue::get).map_err(|error| otherwise(body, &error))
}

/// Some services begin with a byte order mark, which JSON forbids and readers may skip (RFC 8259 §8.1).
fn without_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)
}

fn otherwise(body: &[u8], error: &serde_json::Error) -> String {
    let first = body.trim_ascii_start().first();
    match first {
        None => "the body is empty".to_owned(),
        Some(b'<') => "it is HTML, not JSON; check the base URL".to_owned(),
        Some(b'{' | b'[') if error.is_eof() => format!("the JSON ends too early, after {} bytes", body.len()),
        Some(b'{' | b'[') => format!("the JSON is wrong: {error}"),
        Some(_) => "it is not JSON".to_owned(),
    }
}

/// A page of a search, its products as they came.
pub struct RawPage<'a> {
    /// One product each, as text.
    pub products: Vec<&'a RawValue>,
    /// Where the next page begins; an empty one counts as none.
    pub next_cursor: Option<String>,
    /// Whether there is more, where the service said so.
    pub has_more: Option<bool>,
}

/// Takes a page apart without reading its products.
///
/// # Errors
/// A sentence that says why the body is no page.
pub fn split_page(body: &[u8]) -> Result<RawPage<'_>, String> {
    let text = document(body)?;
    let members: HashMap<String, &RawValue> =
        serde_json::from_str(text).map_err(|_| "the answer is not an object".to_owned())?;
    let products = members.get("products").ok_or("the answer has no products")?;
    Ok(RawPage {
        products: serde_json::from_str(products.get()).map_err(|_| "its products are not an array".to_owned())?,
        next_cursor: members
            .get("nextCursor")
            .and_then(|cursor| serde_json::from_str::<String>(cursor.get()).ok())
            .filter(|cursor| !cursor.is_empty()),
        has_more: members.get("hasMore").and_then(|more| serde_json::from_str(more.get()).ok()),
    })
}

/// Writes JSON text value for value; inside its strings, characters that would do something to a terminal or turn its
/// text around are written as `\u` escapes.
///
/// # Errors
/// Where `out` can't be written to.
pub fn escape_for_terminal(json: &str, out: &mut impl Write) -> io::Result<()> {
    write(json, out, false)
}

/// The same on one line: white space outside strings is left out.
///
/// # Errors
/// Where `out` can't be written to.
pub fn escape_on_one_line(json: &str, out: &mut impl Write) -> io::Result<()> {
    write(json, out, true)
}

fn write(json: &str, out: &mut impl Write, one_line: bool) -> io::Result<()> {
    let mut inside = false;
    let mut escaped = false;
    let mut from = 0;
    for (at, c) in json.char_indices() {
        let skipped = match c {
            '"' if !escaped => {
                inside = !inside;
                false
            }
            ' ' | '\t' | '\r' | '\n' if !inside => one_line,
            _ => false,
        };
        escaped = inside && c == '\\' && !escaped;
        let hostile = inside && (is_hostile(c) || matches!(c, '\u{200c}' | '\u{200d}'));
        if skipped || hostile {
            out.write_all(json.get(from..at).unwrap_or_default().as_bytes())?;
            from = at + c.len_utf8();
        }
        if hostile {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
        }
    }
    out.write_all(json.get(from..).unwrap_or_default().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(json: &str, one_line: bool) -> String {
        let mut out = Vec::new();
        write(json, &mut out, one_line).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn hostile_characters_become_escapes_and_the_values_stay() {
        let json = "{\"a\u{202e}b\": \"x\u{9b}31m\u{7f}\u{200f}\u{e0041}\\\"\u{ad}é👍 \\u001b\", \"n\": 1.50e3}";
        let out = escaped(json, false);
        assert!(!out.chars().any(is_hostile));
        assert!(
            out.contains("\\u202e") && out.contains("\\u009b31m\\u007f\\u200f\\udb40\\udc41\\\"\\u00adé👍 \\u001b")
        );
        assert!(out.contains("1.50e3"), "numbers stay as they were written");
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(value(&out), value(json));
    }

    #[test]
    fn one_line_keeps_the_space_in_strings() {
        assert_eq!(escaped("{ \"a b\" :\n [ 1,\t\"c\\\\\" , \"d \\\" e\" ] }", true), r#"{"a b":[1,"c\\","d \" e"]}"#);
    }

    #[test]
    fn a_number_that_no_double_holds_costs_nothing_else() {
        let body = br#"{"total": 3, "a": 1e400, "b": [-1e999, "1e400 \" 1e400", 1.5e3], "c\\": 2}"#;
        let value =
            serde_json::json!({ "total": 3, "a": "1e400", "b": ["-1e999", "1e400 \" 1e400", 1500.0], "c\\": 2 });
        assert_eq!(read(body).unwrap(), value);
        assert!(read(br#"{"a": 1e400, "b"}"#).is_err() && read(br#"{"a": 1e400"#).is_err());
        assert!(read(b"{\"a\": 1e400, \"b").is_err() && read(b"1e400e3").is_err());
    }

    #[test]
    fn what_is_no_json_is_named() {
        let said = |body: &str| read(body.as_bytes()).unwrap_err();
        assert_eq!(said("  "), "the body is empty");
        assert!(said("<html>").contains("HTML"));
        assert!(said("{\"a\":").contains("too early"));
        assert!(said("{\"a\" 1}").contains("wrong"));
        assert_eq!(said("hello"), "it is not JSON");
        assert_eq!(read(b"\xef\xbb\xbf{}").unwrap(), serde_json::json!({}));
        assert!(document(b"\"\xff\"").is_err());
    }

    #[test]
    fn pages_are_taken_apart() {
        let page = split_page(br#"{"x":1,"products":[{"a": 1},2],"nextCursor":"c","hasMore":true}"#).unwrap();
        assert_eq!(page.products.iter().map(|p| p.get()).collect::<Vec<_>>(), ["{\"a\": 1}", "2"]);
        assert_eq!((page.next_cursor.as_deref(), page.has_more), (Some("c"), Some(true)));
        assert!(split_page(b"[]").is_err());
        assert!(split_page(br#"{"products":3}"#).is_err());
    }
}
