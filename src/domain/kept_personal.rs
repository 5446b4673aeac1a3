//! Who a viewer is, as a payload may say it: what is said of that is not kept, wherever it stands.

use std::collections::HashSet;

use super::BorrowedJson;

/// What an event may call what happened.
pub(super) const NAMES: [&str; 4] = ["eventName", "event_name", "name", "type"];
/// How a member ends that says who somebody is, in small letters and without what is between its words.
const WHO: [&str; 11] = [
    "name",
    "surname",
    "email",
    "mail",
    "phone",
    "mobile",
    "tel",
    "address",
    "phonenumber",
    "mobilenumber",
    "telephone",
];
/// What stands before that: nothing, or whose it is, or which part of it.
const WHOSE: [&str; 28] = [
    "",
    "email",
    "mail",
    "home",
    "work",
    "first",
    "last",
    "full",
    "given",
    "family",
    "middle",
    "display",
    "user",
    "customer",
    "contact",
    "viewer",
    "visitor",
    "person",
    "buyer",
    "lead",
    "attendee",
    "recipient",
    "billing",
    "shipping",
    "userfull",
    "customerfull",
    "customerfirst",
    "customerlast",
];
/// Members that hold what somebody said of themselves.
const PERSON: [&str; 19] = [
    "collectedinfo",
    "contact",
    "contacts",
    "customer",
    "customers",
    "user",
    "users",
    "viewer",
    "visitor",
    "person",
    "profile",
    "buyer",
    "lead",
    "attendee",
    "attendees",
    "recipient",
    "billingaddress",
    "shippingaddress",
    "fields",
];
/// Members that hold what is the project's or the shop's, names and all.
const PROJECT: [&str; 18] = [
    "events",
    "project",
    "playlist",
    "step",
    "steps",
    "answer",
    "answers",
    "video",
    "videos",
    "folder",
    "product",
    "products",
    "items",
    "lineitems",
    "variant",
    "variants",
    "store",
    "organization",
];
/// Members that nearly every event has and that say nothing of anybody.
const USUAL: [&str; 6] = ["eventName", "stepName", "videoName", "timestamp", "text", "events"];
/// Words of somebody that are looked for in every text: of more only those are that stand beside it.
const MOST_WORDS: usize = 200;

/// What the viewer said of themselves, in whatever member it is but an id.
fn said(value: &BorrowedJson, found: &mut Vec<String>) {
    match value {
        BorrowedJson::Text(text) if text.trim().chars().count() > 1 => found.push(text.trim().to_lowercase()),
        BorrowedJson::Object(members) => {
            let others =
                members.iter().filter(|(name, _)| !is_called(name, &["session", "locale", "language"]) && !is_id(name));
            others.for_each(|(_, value)| said(value, found));
        }
        BorrowedJson::List(values) => values.iter().for_each(|value| said(value, found)),
        _ => {}
    }
}

/// Whether a member holds an id.
fn is_id(name: &str) -> bool {
    name.eq_ignore_ascii_case("id") || name.ends_with("Id") || name.ends_with("_id")
}

/// The name of a member in small letters, without what is between its words.
fn letters(name: &str) -> impl Iterator<Item = u8> + Clone {
    name.bytes().filter(u8::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase())
}

/// Whether the name of a member is one of these, whatever its case and whatever is between its words.
fn is_called(name: &str, one_of: &[&str]) -> bool {
    one_of.iter().any(|one| letters(name).eq(one.bytes()))
}

/// Whether the name of a member says that it says who somebody is.
fn says_who(name: &str) -> bool {
    // Most members don't end so.
    if !name.as_bytes().last().is_some_and(|last| b"elrsELRS".contains(last)) {
        return false;
    }
    let mut held = [0; 32];
    let mut length = 0;
    for letter in letters(name) {
        let Some(place) = held.get_mut(length) else { return false };
        *place = letter;
        length += 1;
    }
    let all = held.get(..length).unwrap_or_default();
    let whose = |who: &&str| all.strip_suffix(who.as_bytes());
    WHO.iter().filter_map(whose).any(|whose| WHOSE.iter().any(|known| known.as_bytes() == whose))
}

/// What a payload, or an event of it, says of who the viewer is, at any depth, but for its events. Of an event `names` is
/// what happened.
fn of_members(value: &BorrowedJson, names: bool, found: &mut Vec<String>) {
    match value {
        BorrowedJson::Object(members) => {
            for (name, value) in members {
                if USUAL.contains(&&**name) {
                    continue;
                }
                let is_plain = !matches!(value, BorrowedJson::Object(_) | BorrowedJson::List(_));
                if (says_who(name) && !(names && name == "name")) || is_called(name, &PERSON) {
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

/// The same of an event.
fn of_event(event: &BorrowedJson, found: &mut Vec<String>) {
    let names = event.get("eventName").or_else(|| event.get("event_name")).is_none();
    of_members(event, names, found);
}

/// What a payload says of who the viewer is.
pub(super) struct Personal {
    all: HashSet<String>,
    searched: Vec<String>,
}

impl Personal {
    /// What a payload with these events says.
    pub fn of(payload: &BorrowedJson, events: &[BorrowedJson]) -> Self {
        let mut found = Vec::new();
        of_members(payload, false, &mut found);
        let (mut all, mut searched) = (HashSet::new(), Vec::new());
        let mut take = |found: &mut Vec<String>| {
            for words in found.drain(..) {
                if searched.len() < MOST_WORDS && !all.contains(&words) {
                    searched.push(words.clone());
                }
                all.insert(words);
            }
        };
        take(&mut found);
        for event in events {
            of_event(event, &mut found);
            take(&mut found);
        }
        Self { all, searched }
    }

    /// Whether a text is just what the viewer said.
    pub fn has(&self, text: &str) -> bool {
        !self.all.is_empty() && self.all.contains(&text.to_lowercase())
    }

    /// Whether an id or a number is one of the viewer. Some ids are numbers, as are ages and post codes.
    pub fn is_it(&self, text: &str) -> bool {
        is_contact(text) || (self.has(text) && (is_no_number(text) || has_number(text)))
    }

    /// Whether a text of an event could be or hold an address or a number of somebody, or what the viewer said.
    pub fn is_in(&self, text: &str, event: &BorrowedJson, which: fn(&str) -> bool) -> bool {
        if is_personal(text, self.searched.iter().filter(|said| which(said))) {
            return true;
        }
        let mut beside = Vec::new();
        if self.all.len() > self.searched.len() {
            of_event(event, &mut beside);
        }
        is_personal(text, beside.iter().filter(|said| which(said)))
    }
}

/// Signs and words of currencies: a number in a text with one may be a price of millions.
const MONEY: [&str; 12] = ["kr", "$", "€", "£", "¥", "nok", "sek", "dkk", "eur", "usd", "gbp", "mill"];

/// Whether a text holds what may be somebody's phone number: seven digits or more, with no more between them than such a
/// number is written with. A price with its thousands apart is none.
pub(super) fn has_number(text: &str) -> bool {
    let is_within = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '\u{a0}' | '-' | '.' | '/' | '(' | ')' | '+');
    let mut runs = text.split(|c| !is_within(c)).map(str::trim);
    let is_long = |run: &str| run.bytes().filter(u8::is_ascii_digit).count() > 6;
    if !runs.clone().any(is_long) {
        return false;
    }
    let folded = text.to_lowercase();
    let is_money = MONEY.iter().any(|money| folded.contains(money));
    runs.any(|run| is_long(run) && !(is_money && is_price(run)))
}

/// Whether a number is written in thousands: `2 000 000`.
fn is_price(run: &str) -> bool {
    let mut parts = run.trim_matches(['.', '-', ' ']).split([' ', '\u{a0}', '.']);
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    parts.next().is_some_and(|first| (1..=3).contains(&first.len()) && is_number(first))
        && parts.all(|part| part.len() == 3 && is_number(part))
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
fn is_personal<'s>(text: &str, mut said: impl Iterator<Item = &'s String>) -> bool {
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
        for text in [
            "Under 500 kr",
            "Up to 2 000 000 kr",
            "€1.250.000",
            "2 or 3, 4 or 5, 6 or 7",
            "100–200 for 30",
            "Size 42, 2026",
            "",
        ] {
            assert!(!has_number(text), "{text}");
        }
    }

    #[test]
    fn who_it_is_is_found_at_any_depth() {
        let payload = json!({
            "user": { "name": "Kari", "tags": ["gold"], "id": "u-7", "sessionId": "s-7" },
            "meta": { "by": [{ "First-Name": "Ola" }, { "e_mail": "x@y.no" }] },
            "customerName": "Per", "emailAddress": "z@z.no", "contact_name": "Pål", "attendees": ["Espen"], "billingAddress": { "who": "Askeladd" },
            "project": { "name": "Gift finder" }, "playlist": "Quiz", "lineItems": [{ "name": "Red scarf" }],
            "answers": [{ "name": "For her" }], "productName": "Tent", "fileName": "a.mp4",
            "events": [{ "name": "step_shown" }],
        });
        let events = [
            json!({ "name": "completed", "email": "me@here.no", "customer": { "id": "c-7" }, "step": "Step" }),
            json!({ "eventName": "completed", "name": "Guri", "answer": { "name": "Blue scarf" } }),
        ];
        let events: Vec<BorrowedJson> = events.iter().map(BorrowedJson::from).collect();
        let personal = Personal::of(&BorrowedJson::from(&payload), &events);
        let mut found = personal.searched.clone();
        found.sort();
        let wanted =
            ["askeladd", "espen", "gold", "guri", "kari", "me@here.no", "ola", "per", "pål", "x@y.no", "z@z.no"];
        assert_eq!(found, wanted);
        assert!(personal.has("KARI") && !personal.has("u-7") && personal.is_it("a@b.no") && !personal.is_it("Tent"));
    }

    /// Of very many words those beside a text are looked for in it.
    #[test]
    fn many_words_cost_no_more_than_their_number() {
        let event =
            |at: usize| json!({ "eventName": "x", "user": { "name": format!("Viewer {at}") }, "text": "Redder" });
        let events: Vec<_> = (0..20_000).map(event).collect();
        let events: Vec<BorrowedJson> = events.iter().map(BorrowedJson::from).collect();
        let personal = Personal::of(&BorrowedJson::Null, &events);
        assert_eq!((personal.searched.len(), personal.all.len()), (MOST_WORDS, 20_000));
        assert!(personal.is_in("I am Viewer 9999.", &events[9_999], |_| true));
        assert!(!personal.is_in("I am Viewer 9999.", &events[9_998], |_| true), "nobody said that here");
        assert!(personal.is_in("I am Viewer 7.", &events[9_998], |_| true));
    }
}
