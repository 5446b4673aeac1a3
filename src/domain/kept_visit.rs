//! What is kept of a webhook event about a visit (§6), and how visits are put together of such events. The specification
//! does not show their payload, so the members are looked for under the names that services give them. Who the viewer is
//! stays out of it: no name, no address, no number, and no text that could hold one.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::BorrowedJson;
use super::kept_event::{ANSWER, KeptEvent, WITH_TEXT, member, text};
use super::kept_order::{self, Order, is_order};
use super::kept_personal::{NAMES, Personal, has_number, is_contact, is_no_number};

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

/// What of a payload is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Texts, because they may say who the viewer is.
    pub withheld: u64,
    /// Events that say not what happened.
    pub events: u64,
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

impl KeptVisit {
    /// What is kept of a payload.
    ///
    /// # Errors
    /// What is missing, in words, where it tells of no visit.
    pub fn of(payload: &Value) -> Result<Self, &'static str> {
        Self::told(&BorrowedJson::from(payload)).map(|(kept, _)| kept)
    }

    /// The same of one that was just read, and what was left out of it.
    ///
    /// # Errors
    /// As [`KeptVisit::of`].
    pub fn told(payload: &BorrowedJson) -> Result<(Self, LeftOut), &'static str> {
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
        let personal = Personal::of(payload, events.map_or(&[], Vec::as_slice));
        let at = moment(payload, &["timestamp", "time", "createdAt"]);
        let mut left = LeftOut::default();
        let is_one = |event: &&BorrowedJson| text(event, &NAMES).is_some_and(|name| is_order(&name));
        // Of several orders nothing that the payload says is of one of them.
        let around = (events.into_iter().flatten().filter(is_one).take(2).count() == 1).then_some(payload);
        let event = |event: &BorrowedJson| {
            let kept = event_of(event, around, at.unwrap_or_default(), &personal, &mut left.withheld);
            left.events += u64::from(kept.is_none());
            kept
        };
        let mut kept: Vec<KeptEvent> = events.into_iter().flatten().filter_map(event).collect();
        // What a shop tells of an order may be no more than that.
        let is_bare = events.is_none_or(Vec::is_empty);
        let order = if is_bare { kept_order::alone(payload) } else { None };
        let order = order.map(|order| order.without(|text| personal.is_it(text)));
        let says_who = member(payload, &["collectedInfo", "collected_info"]).is_some();
        let is_told = events.is_some() || order.is_some() || says_who;
        kept.extend(order.map(|order| order.event(at.unwrap_or_default())));
        // An id that only holds such a word is an id all the same.
        let session = session.ok_or("it has no sessionId")?;
        if is_contact(&session) || personal.has(&session) {
            return Err("its sessionId says who the viewer is");
        }
        let kept = Self {
            session,
            project: project.ok_or("it has no projectId")?,
            at: at.or_else(|| kept.first().map(|event| event.at)).ok_or("it has no timestamp")?,
            events: if is_told { kept } else { return Err("it has no events") },
        };
        Ok((kept, left))
    }
}

/// What is kept of an event. What events and steps are called is the project's: no viewer wrote it.
fn event_of(
    event: &BorrowedJson,
    payload: Option<&BorrowedJson>,
    before: i64,
    personal: &Personal,
    withheld: &mut u64,
) -> Option<KeptEvent> {
    let name = text(event, &NAMES).filter(|name| !is_contact(name))?;
    let told = text(event, &["text", "value"]);
    let at = moment(event, &["timestamp", "time", "at"]).unwrap_or(before);
    if is_order(&name) {
        let order = Order::of(event, payload, told.as_deref());
        return Some(order.without(|text| personal.is_it(text)).event(at));
    }
    let mut kept = KeptEvent {
        at,
        step: text(event, &["stepName", "step_name", "step"]).filter(|step| !is_contact(step)),
        ..KeptEvent::default()
    };
    if WITH_TEXT.contains(&name.as_str()) {
        let is_open = |text: &String| match name.as_str() {
            ANSWER => !has_number(text) && !personal.is_in(text, event, |_| true),
            _ => !personal.is_in(text, event, is_no_number),
        };
        *withheld += u64::from(told.as_ref().is_some_and(|text| !is_open(text)));
        kept.text = told.filter(is_open);
    }
    kept.name = name;
    Some(kept)
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
            let (kept, left) = KeptVisit::told(&BorrowedJson::from(&visit)).unwrap();
            assert!(kept.events.iter().all(|event| event.step.as_deref() == Some("edann")), "{kept:?}");
            let kept = kept.events.into_iter().map(|event| (event.name, event.text)).collect::<Vec<_>>();
            (kept, left.withheld)
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
