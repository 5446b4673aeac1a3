//! Who a viewer is, as a payload may say it: what is said of that is not kept, wherever it stands.

use super::BorrowedJson;

/// What the viewer said of themselves, in whatever member it is.
fn said(value: &BorrowedJson, found: &mut Vec<String>) {
    match value {
        BorrowedJson::Text(text) if text.trim().chars().count() > 1 => found.push(text.trim().to_lowercase()),
        BorrowedJson::Object(members) => members.iter().for_each(|(_, value)| said(value, found)),
        BorrowedJson::List(values) => values.iter().for_each(|value| said(value, found)),
        _ => {}
    }
}

/// Members that say who somebody is, in small letters and without what is between their words.
const WHO: [&str; 18] = [
    "name",
    "firstname",
    "lastname",
    "fullname",
    "givenname",
    "familyname",
    "middlename",
    "surname",
    "displayname",
    "username",
    "email",
    "emailaddress",
    "mail",
    "phone",
    "phonenumber",
    "mobile",
    "tel",
    "address",
];
/// Members that hold what somebody said of themselves.
const PERSON: [&str; 11] = [
    "collectedinfo",
    "contact",
    "customer",
    "user",
    "viewer",
    "visitor",
    "person",
    "profile",
    "buyer",
    "lead",
    "fields",
];
/// Members that hold what is the project's, names and all.
const PROJECT: [&str; 8] = ["events", "project", "playlist", "step", "video", "product", "products", "store"];

/// Whether the name of a member is one of these, whatever its case and whatever is between its words.
fn is_called(name: &str, one_of: &[&str]) -> bool {
    let letters = || name.bytes().filter(u8::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase());
    one_of.iter().any(|one| letters().eq(one.bytes()))
}

/// What a payload says of who the viewer is, at any depth, but for its events.
pub(super) fn of_payload(payload: &BorrowedJson, found: &mut Vec<String>) {
    of_members(payload, false, found);
}

/// The same of an event, whose own name is what happened.
pub(super) fn of_event(event: &BorrowedJson, found: &mut Vec<String>) {
    of_members(event, true, found);
}

fn of_members(value: &BorrowedJson, is_event: bool, found: &mut Vec<String>) {
    match value {
        BorrowedJson::Object(members) => {
            for (name, value) in members {
                let is_plain = !matches!(value, BorrowedJson::Object(_) | BorrowedJson::List(_));
                let says_who = is_called(name, &WHO) && !(is_event && name == "name");
                if says_who || is_called(name, &PERSON) {
                    said(value, found);
                } else if !is_plain && !is_called(name, &PROJECT) {
                    of_members(value, false, found);
                }
            }
        }
        BorrowedJson::List(values) => values.iter().for_each(|value| of_members(value, false, found)),
        _ => {}
    }
}

/// Whether a text holds what may be somebody's phone number: seven digits or more, with no more between them than such a
/// number is written with.
pub(super) fn has_number(text: &str) -> bool {
    let mut digits = 0;
    text.chars().any(|c| {
        if c.is_ascii_digit() {
            digits += 1;
        } else if !matches!(c, ' ' | '\u{a0}' | '-' | '.' | '/' | '(' | ')' | '+') {
            digits = 0;
        }
        digits > 6
    })
}

/// Whether a text has the form of an address or a number of somebody.
pub(super) fn is_contact(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    text.contains('@') || (text.trim_start().starts_with('+') && digits > 6)
}

/// Whether a text has these words, and not only a part of longer ones: `no` is in `oh, no`, and not in `not sure`.
fn has_words(text: &str, words: &str) -> bool {
    let is_bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (text.get(..at), text.get(at + words.len()..));
        is_bound(before.and_then(|text| text.chars().next_back()))
            && is_bound(after.and_then(|text| text.chars().next()))
    })
}

/// Whether a text could be or hold an address or a number of somebody, or what the viewer said.
pub(super) fn is_personal<'s>(text: &str, mut said: impl Iterator<Item = &'s String>) -> bool {
    let mut folded = None;
    is_contact(text)
        || said.any(|words| {
            // Most texts are shorter than whatever a viewer says.
            let may_hold = !text.is_ascii() || words.len() <= text.len();
            may_hold && has_words(folded.get_or_insert_with(|| text.to_lowercase()), words)
        })
}

/// Whether what a viewer said could be in the id of a product: some ids are numbers, as are ages and post codes.
pub(super) fn is_no_number(said: &str) -> bool {
    said.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_seen_however_they_are_written() {
        for text in [
            "Call me: 91 23 45 67",
            "my number is +47 91234567 thanks",
            "0047-91234567",
            "(555) 010-9999",
            "1.2/3 45 67",
        ] {
            assert!(has_number(text), "{text}");
        }
        for text in ["Under 500 kr", "2 or 3, 4 or 5, 6 or 7", "100–200 for 30", "Size 42, 2026", ""] {
            assert!(!has_number(text), "{text}");
        }
    }

    #[test]
    fn who_it_is_is_found_at_any_depth() {
        let mut found = Vec::new();
        let payload = json!({
            "user": { "name": "Kari", "tags": ["gold"] }, "meta": { "by": [{ "First-Name": "Ola" }, { "e_mail": "x@y.no" }] },
            "project": { "name": "Gift finder" }, "playlist": "Quiz", "events": [{ "name": "step_shown" }],
        });
        of_payload(&BorrowedJson::from(&payload), &mut found);
        let event = json!({ "name": "completed", "email": "me@here.no", "customer": { "id": "c-7" }, "step": "Step" });
        of_event(&BorrowedJson::from(&event), &mut found);
        found.sort();
        assert_eq!(found, ["c-7", "gold", "kari", "me@here.no", "ola", "x@y.no"]);
    }
}
