//! U+0000 in texts. Databases and C programs take it for the end of a text or refuse it, so no text that is kept has it.

use serde_json::Value;

use super::read::{Fault, Finding, Segment};

/// What is wrong with a text that contains U+0000.
pub const NO_NUL: &str = "must not contain U+0000";

/// The places named at most.
const MOST_NAMED: usize = 100;

/// Every text of a document that contains U+0000, be it a value or the name of a member: 100 of them at most.
#[must_use]
pub fn with_nul(document: &Value) -> Vec<Finding> {
    let (mut at, mut found) = (Vec::new(), Vec::new());
    look(document, &mut at, &mut found);
    found
}

fn look<'a>(value: &'a Value, at: &mut Vec<Place<'a>>, found: &mut Vec<Finding>) {
    match value {
        Value::String(text) if text.contains('\0') => note(at, found),
        Value::Array(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                at.push(Place::Index(index));
                look(entry, at, found);
                at.pop();
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                at.push(Place::Key(name));
                if name.contains('\0') {
                    note(at, found);
                } else {
                    look(member, at, found);
                }
                at.pop();
            }
        }
        _ => {}
    }
}

/// A [`Segment`] that borrows its name: nearly every document has nothing to name.
enum Place<'a> {
    Key(&'a str),
    Index(usize),
}

fn note(at: &[Place<'_>], found: &mut Vec<Finding>) {
    if found.len() < MOST_NAMED {
        let segment = |place: &Place<'_>| match place {
            Place::Key(name) => Segment::Key((*name).to_owned()),
            Place::Index(index) => Segment::Index(*index),
        };
        found.push(Finding { at: at.iter().map(segment).collect(), fault: Fault::Invalid(NO_NUL.to_owned()) });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_place_is_named_and_nothing_else() {
        let document = json!({ "a": "x\0", "b": ["", { "c": "\0" }, 0], "d\0": ["\0"], "e": { "f": "\u{1}" } });
        let paths: Vec<String> = with_nul(&document).iter().map(Finding::pointer).collect();
        assert_eq!(paths, ["/a", "/b/1/c", "/d\0"]);
        assert_eq!(with_nul(&json!("\0"))[0].to_string(), "the body must not contain U+0000");
        assert_eq!(with_nul(&json!(vec!["\0"; 1000])).len(), MOST_NAMED);
        assert_eq!(with_nul(&json!({ "a": [null, true, 1.5, "\\u0000"] })), []);
    }
}
