//! What is kept of a webhook event about a visit (§6), and how visits are put together of such events. The specification
//! does not show their payload, so the members are looked for under the names that services give them. Who the viewer is
//! stays out of it: no name, no address, no number, and no text that could hold one.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::BorrowedJson;

/// What is kept of a payload.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptVisit {
    /// What tells the visit from others.
    pub session: String,
    /// The project.
    pub project: String,
    /// When the payload was made, milliseconds since 1970.
    pub at: i64,
    /// What happened.
    pub events: Vec<KeptEvent>,
}

/// What happened in a visit, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptEvent {
    /// When, milliseconds since 1970.
    pub at: i64,
    /// What.
    pub name: String,
    /// At which step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The answer or the product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of a purchase: what it cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
    /// Of a purchase: in which currency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Of a purchase: whether the shop said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
}

/// Events of which the text is an answer or a product, and not something that a viewer wrote.
const WITH_TEXT: [&str; 3] = [ANSWER, "product_shown", "product_clicked"];
const ANSWER: &str = "answer_selected";
const PURCHASE: &str = "purchase";
/// The longest name or id that is kept, characters.
const LONGEST: usize = 200;

fn member<'a, 'b>(object: &'b BorrowedJson<'a>, names: &[&str]) -> Option<&'b BorrowedJson<'a>> {
    names.iter().find_map(|name| object.get(name)).filter(|value| **value != BorrowedJson::Null)
}

/// A text without control characters, as long as it may be. Most are so already.
fn clean(text: &str) -> String {
    if text.len() <= LONGEST && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    text.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

fn text(object: &BorrowedJson, names: &[&str]) -> Option<String> {
    let text = match member(object, names)? {
        BorrowedJson::Text(text) => clean(text),
        BorrowedJson::Number(number) => clean(&number.to_string()),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

/// A moment as an ISO 8601 time, or as seconds or milliseconds since 1970.
fn moment(object: &BorrowedJson, names: &[&str]) -> Option<i64> {
    match member(object, names)? {
        BorrowedJson::Text(text) => text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond),
        BorrowedJson::Number(number) => {
            #[expect(clippy::cast_possible_truncation, reason = "a float becomes the nearest number that there is")]
            let number = number.as_i64().or_else(|| number.as_f64().map(|number| number as i64))?;
            Some(if number.unsigned_abs() < 100_000_000_000 { number.saturating_mul(1000) } else { number })
        }
        _ => None,
    }
}

/// What the viewer said of themselves, in whatever member it is.
fn said(value: &BorrowedJson, found: &mut Vec<String>) {
    match value {
        BorrowedJson::Text(text) if text.trim().chars().count() > 1 => found.push(text.trim().to_lowercase()),
        BorrowedJson::Object(members) => members.iter().for_each(|(_, value)| said(value, found)),
        BorrowedJson::List(values) => values.iter().for_each(|value| said(value, found)),
        _ => {}
    }
}

/// Whether a text has the form of an address or a number of somebody.
fn is_contact(text: &str) -> bool {
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
fn is_no_number(said: &str) -> bool {
    said.chars().any(char::is_alphabetic)
}

impl KeptVisit {
    /// What is kept of a payload.
    ///
    /// # Errors
    /// What is missing, in words, where it tells of no visit.
    pub fn of(payload: &Value) -> Result<Self, &'static str> {
        Self::told(&BorrowedJson::from(payload)).map(|(kept, _)| kept)
    }

    /// The same of one that was just read, and how many texts were left out of it because they may say who the viewer is.
    ///
    /// # Errors
    /// As [`KeptVisit::of`].
    pub fn told(payload: &BorrowedJson) -> Result<(Self, u64), &'static str> {
        let is_object = |value: &BorrowedJson| matches!(value, BorrowedJson::Object(_));
        if !is_object(payload) {
            return Err("it is no JSON object");
        }
        // Some services wrap what they tell.
        let payload = member(payload, &["data", "payload"]).filter(|inner| is_object(inner)).unwrap_or(payload);
        let session = text(payload, &["sessionId", "session_id", "session", "visitId", "visit_id"]);
        let project = text(payload, &["projectId", "project_id"]);
        let events = member(payload, &["events"]).and_then(|events| match events {
            BorrowedJson::List(events) => Some(events),
            _ => None,
        });
        let mut personal = Vec::new();
        for name in ["collectedInfo", "collected_info", "contact", "customer", "name", "email", "phone"] {
            if let Some(value) = payload.get(name) {
                said(value, &mut personal);
            }
        }
        let at = moment(payload, &["timestamp", "time", "createdAt"]);
        let mut withheld = 0;
        let event = |event: &BorrowedJson| KeptEvent::of(event, at.unwrap_or_default(), &personal, &mut withheld);
        let kept: Vec<KeptEvent> = events.into_iter().flatten().filter_map(event).collect();
        // An id that only holds such a word is an id all the same.
        let is_said = |session: &String| personal.contains(&session.to_lowercase());
        let session =
            session.filter(|session| !is_contact(session) && !is_said(session)).ok_or("it has no sessionId")?;
        let kept = Self {
            session,
            project: project.ok_or("it has no projectId")?,
            at: at.or_else(|| kept.first().map(|event| event.at)).ok_or("it has no timestamp")?,
            events: if events.is_some() { kept } else { return Err("it has no events") },
        };
        Ok((kept, withheld))
    }
}

impl KeptEvent {
    /// What is kept of an event. What events and steps are called is the project's: no viewer wrote it.
    fn of(event: &BorrowedJson, before: i64, personal: &[String], withheld: &mut u64) -> Option<Self> {
        let name = text(event, &["eventName", "event_name", "name", "type"])?;
        let told = text(event, &["text", "value"]);
        let mut kept = Self {
            at: moment(event, &["timestamp", "time", "at"]).unwrap_or(before),
            step: text(event, &["stepName", "step_name", "step"]),
            ..Self::default()
        };
        if WITH_TEXT.contains(&name.as_str()) {
            let is_open = |text: &String| match name.as_str() {
                ANSWER => !is_personal(text, personal.iter()),
                _ => !is_personal(text, personal.iter().filter(|said| is_no_number(said))),
            };
            *withheld += u64::from(told.as_ref().is_some_and(|text| !is_open(text)));
            kept.text = told.filter(is_open);
        } else if name == PURCHASE {
            // `1001 499.5 NOK`: the order stays out of it, but for what tells it from others.
            let mut words = told.as_deref().unwrap_or_default().split_whitespace().rev();
            let is_code = |word: &&str| word.len() == 3 && word.chars().all(|c| c.is_ascii_uppercase());
            kept.currency = words.next().filter(is_code).map(str::to_owned);
            let is_amount = |word: &&str| word.parse::<f64>().is_ok_and(f64::is_finite);
            kept.amount = words.next().filter(|_| kept.currency.is_some()).filter(is_amount).map(str::to_owned);
            kept.verified = Some(event.get("verified") == Some(&BorrowedJson::Bool(true)));
        }
        kept.name = name;
        Some(kept)
    }
}

/// A visit as far as its payloads told it: each event once, in the order of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToldVisit {
    /// How often each event was told at most by one payload.
    events: BTreeMap<KeptEvent, usize>,
    /// When the first payload was made.
    at: Option<i64>,
}

impl ToldVisit {
    /// Takes one more payload of it.
    pub fn take(&mut self, kept: KeptVisit) {
        let mut told: BTreeMap<KeptEvent, usize> = BTreeMap::new();
        for event in kept.events {
            *told.entry(event).or_default() += 1;
        }
        if self.events.is_empty() {
            self.events = told;
        } else {
            for (event, times) in told {
                let known = self.events.entry(event).or_default();
                *known = times.max(*known);
            }
        }
        self.at = Some(self.at.map_or(kept.at, |at| at.min(kept.at)));
    }

    /// When it began, milliseconds since 1970.
    #[must_use]
    pub fn begun(&self) -> i64 {
        self.events.keys().next().map(|event| event.at).or(self.at).unwrap_or_default()
    }

    /// What happened, in the order of time.
    pub fn told(&self) -> impl DoubleEndedIterator<Item = &KeptEvent> {
        self.events.keys()
    }

    /// What happened, as visits are counted where the steps are known.
    #[cfg(test)]
    pub(super) fn events(&self) -> Vec<super::funnel::Event> {
        let event = |event: &KeptEvent| super::funnel::Event {
            name: event.name.clone(),
            step: event.step.clone(),
            text: event.text.as_deref().map(super::funnel::counted_text),
            at: event.at,
        };
        self.events.keys().map(event).collect()
    }

    /// What was bought: the amount, the currency, and whether the shop said it.
    pub fn purchases(&self) -> impl Iterator<Item = (f64, &str, bool)> {
        self.events.iter().filter(|(event, _)| event.name == PURCHASE).flat_map(|(event, times)| {
            let amount = event.amount.as_deref().and_then(|amount| amount.parse().ok()).unwrap_or_default();
            let currency = event.currency.as_deref().unwrap_or_default();
            std::iter::repeat_n((amount, currency, event.verified == Some(true)), *times)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn payload() -> Value {
        json!({
            "sessionId": "s1", "projectId": "p1", "timestamp": "2026-01-01T00:01:00Z", "anonymousId": "viewer-7",
            "collectedInfo": { "name": "Kari Nordmann", "email": "kari@example.com", "phone": "+47 22 33 44 55" },
            "events": [
                { "eventName": "answer_selected", "stepName": "aaaaa", "text": "For her", "timestamp": "2026-01-01T00:00:09Z" },
                { "eventName": "step_shown", "stepName": "aaaaa", "text": "Kari Nordmann", "timestamp": "2026-01-01T00:00:01Z" },
                { "eventName": "answer_selected", "stepName": "bbbbb", "text": "I am kari nordmann", "timestamp": "2026-01-01T00:00:11Z" },
                { "eventName": "product_clicked", "stepName": "bbbbb", "text": "ola@example.com", "timestamp": "2026-01-01T00:00:12Z" },
                { "eventName": "purchase", "text": "Order-of-Kari-1 499.5 NOK", "timestamp": "2026-01-01T00:00:13Z", "verified": true },
            ],
        })
    }

    #[test]
    fn who_it_was_is_not_kept() {
        let kept = KeptVisit::of(&payload()).unwrap();
        let text = serde_json::to_string(&kept).unwrap();
        for personal in ["Kari", "kari", "@", "22 33", "viewer-7"] {
            assert!(!text.contains(personal), "{personal}: {text}");
        }
        assert_eq!(kept.events[0].text.as_deref(), Some("For her"));
        assert_eq!(serde_json::from_str::<KeptVisit>(&text).unwrap(), kept);
    }

    /// What a viewer said may be a part of any word; only where it is a word of its own, it says who that is.
    #[test]
    fn short_words_that_viewers_say_take_no_answer_away() {
        let told = |info: Value, events: &[(&str, &str)]| {
            let event = |(name, text): &(&str, &str)| json!({ "eventName": name, "stepName": "edann", "text": text });
            let events: Vec<Value> = events.iter().map(event).collect();
            let visit = json!({
                "sessionId": "ed-1", "projectId": "p", "timestamp": 1, "collectedInfo": info, "events": events,
            });
            let (kept, withheld) = KeptVisit::told(&BorrowedJson::from(&visit)).unwrap();
            assert!(kept.events.iter().all(|event| event.step.as_deref() == Some("edann")), "{kept:?}");
            let kept = kept.events.into_iter().map(|event| (event.name, event.text)).collect::<Vec<_>>();
            (kept, withheld)
        };
        let kept = |name: &str, text: Option<&str>| (name.to_owned(), text.map(str::to_owned));
        for viewer in ["Ed", "An", "completed"] {
            let (events, withheld) =
                told(json!({ "name": viewer }), &[("answer_selected", "Redder, and another"), ("completed", "")]);
            let all = [kept("answer_selected", Some("Redder, and another")), kept("completed", None)];
            assert_eq!((events, withheld), (all.to_vec(), 0), "{viewer}");
        }
        let (events, withheld) = told(
            json!({ "country": "NO", "age": "42" }),
            &[("answer_selected", "Not sure"), ("answer_selected", "Oh, no!"), ("product_clicked", "42")],
        );
        let all = [
            kept("answer_selected", Some("Not sure")),
            kept("answer_selected", None),
            kept("product_clicked", Some("42")),
        ];
        assert_eq!((events, withheld), (all.to_vec(), 1));
        let (events, withheld) = told(json!({ "name": "Åse" }), &[("answer_selected", "Jeg er åse"), ("x", "Åse")]);
        assert_eq!((events, withheld), (vec![kept("answer_selected", None), kept("x", None)], 1));
    }

    #[test]
    fn payloads_of_one_visit_are_put_together_in_any_order() {
        let whole = KeptVisit::of(&payload()).unwrap();
        let part = KeptVisit { events: whole.events[..2].to_vec(), ..whole.clone() };
        let mut told = ToldVisit::default();
        for kept in [&whole, &part, &whole, &part] {
            told.take(kept.clone());
        }
        assert_eq!(
            told.events().iter().map(|event| event.name.as_str()).collect::<Vec<_>>()[..2],
            ["step_shown", "answer_selected"]
        );
        assert_eq!((told.events().len(), told.begun()), (5, 1_767_225_601_000));
        assert_eq!(told.purchases().collect::<Vec<_>>(), [(499.5, "NOK", true)]);
    }

    #[test]
    fn other_shapes_are_read_or_named() {
        let other = json!({ "data": { "visit_id": 7, "project_id": "p", "time": 1_767_225_600, "events": [{ "name": "step_shown", "step": "a" }] } });
        let kept = KeptVisit::of(&other).unwrap();
        assert_eq!((kept.session.as_str(), kept.at, kept.events.len()), ("7", 1_767_225_600_000, 1));
        for (odd, why) in [
            (json!("text"), "it is no JSON object"),
            (json!({}), "it has no sessionId"),
            (json!({ "sessionId": "s" }), "it has no projectId"),
            (json!({ "sessionId": "s", "projectId": "p" }), "it has no timestamp"),
            (json!({ "sessionId": "s", "projectId": "p", "timestamp": 1, "events": 7 }), "it has no events"),
        ] {
            assert_eq!(KeptVisit::of(&odd), Err(why));
        }
    }
}
