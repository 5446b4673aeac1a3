//! What is different in two answers.

use serde_json::Value;

use crate::domain::text;
use crate::studio::widgets::Role;

/// Differences told at most.
const MOST: usize = 500;
/// Longer values are cut.
const MOST_VALUE: usize = 60;

/// The differences from one JSON value to another, a line each.
#[must_use]
pub fn differences(one: &Value, other: &Value) -> Vec<(Role, String)> {
    let mut lines = Vec::new();
    compare(&mut lines, String::new(), Some(one), Some(other));
    if lines.is_empty() {
        lines.push((Role::Ok, "Both responses are the same.".to_owned()));
    }
    if lines.len() > MOST {
        let more = lines.len() - MOST;
        lines.truncate(MOST);
        lines.push((Role::Dim, format!("and {more} more")));
    }
    lines
}

fn compare(lines: &mut Vec<(Role, String)>, path: String, one: Option<&Value>, other: Option<&Value>) {
    // More is not told anyway, and two large answers may differ in everything.
    if lines.len() > MOST * 4 {
        return;
    }
    match (one, other) {
        (Some(one), Some(other)) if one == other => {}
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            for (key, value) in one {
                compare(lines, format!("{path}.{key}"), Some(value), other.get(key));
            }
            for (key, value) in other.iter().filter(|(key, _)| !one.contains_key(*key)) {
                compare(lines, format!("{path}.{key}"), None, Some(value));
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            for at in 0..one.len().max(other.len()) {
                compare(lines, format!("{path}[{at}]"), one.get(at), other.get(at));
            }
        }
        (Some(one), Some(other)) => {
            lines.push((Role::Warn, format!("~ {}  {} → {}", place(&path), shown(one), shown(other))));
        }
        (Some(one), None) => lines.push((Role::Error, format!("- {}  {}", place(&path), shown(one)))),
        (None, Some(other)) => lines.push((Role::Ok, format!("+ {}  {}", place(&path), shown(other)))),
        (None, None) => {}
    }
}

fn place(path: &str) -> String {
    let path = path.trim_start_matches('.');
    if path.is_empty() { "the body".to_owned() } else { text::line(path).into_owned() }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    let mut short: String = text::line(&text).chars().take(MOST_VALUE).collect();
    if short.chars().count() == MOST_VALUE {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_changed_came_and_went() {
        let lines = differences(&json!({"a": 1, "b": [1, 2], "c": {"d": null}}), &json!({"a": 2, "b": [1], "e": "x"}));
        let lines: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        assert_eq!(lines, ["~ a  1 → 2", "- b[1]  2", "- c  {\"d\":null}", "+ e  \"x\""]);
        assert_eq!(differences(&json!([]), &json!([]))[0].1, "Both responses are the same.");
        let many = |n: u64| Value::Array((0..n).map(Value::from).collect());
        assert_eq!(differences(&many(0), &many(5_000)).len(), MOST + 1);
    }
}
