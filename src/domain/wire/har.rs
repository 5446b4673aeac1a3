//! Exchanges as an HTTP archive (HAR 1.2), which browsers and other tools open.

use serde_json::{Value, json};
use url::Url;

use super::{Message, Recorded};

/// The exchanges as one archive.
#[must_use]
pub fn har<'a>(exchanges: impl Iterator<Item = &'a Recorded>) -> Value {
    json!({
        "log": {
            "version": "1.2",
            "creator": { "name": "cutaway", "version": env!("CARGO_PKG_VERSION") },
            "entries": exchanges.map(entry).collect::<Vec<_>>(),
        }
    })
}

fn headers(message: &Message) -> Value {
    message.headers.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn entry(recorded: &Recorded) -> Value {
    let query: Vec<Value> = Url::parse(&recorded.url)
        .map(|url| url.query_pairs().map(|(name, value)| json!({ "name": name, "value": value })).collect())
        .unwrap_or_default();
    let mime = |message: &Message| message.header("content-type").unwrap_or("application/octet-stream").to_owned();
    let mut request = json!({
        "method": recorded.method,
        // What was not sent at all has none, and readers want a whole address.
        "url": if recorded.url.is_empty() { "about:blank" } else { &recorded.url },
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers(&recorded.sent),
        "queryString": query,
        "headersSize": -1,
        "bodySize": recorded.sent.size,
    });
    if !recorded.sent.body.is_empty()
        && let Some(request) = request.as_object_mut()
    {
        request.insert("postData".to_owned(), json!({ "mimeType": mime(&recorded.sent), "text": recorded.sent.body }));
    }
    let wait = recorded.round_trip_ms.unwrap_or(recorded.elapsed_ms);
    let mut entry = json!({
        "startedDateTime": recorded.at.to_string(),
        "time": recorded.elapsed_ms,
        "request": request,
        "response": {
            "status": recorded.status.unwrap_or(0),
            "statusText": "",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": headers(&recorded.received),
            "content": {
                "size": recorded.received.size,
                "mimeType": mime(&recorded.received),
                "text": recorded.received.body,
            },
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": recorded.received.size,
        },
        "cache": {},
        "timings": { "send": 0, "wait": wait, "receive": recorded.elapsed_ms.saturating_sub(wait) },
        "_operation": recorded.operation,
        "_retries": recorded.retries,
        "_findings": recorded.findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    if let (Some(error), Some(entry)) = (&recorded.error, entry.as_object_mut()) {
        entry.insert("comment".to_owned(), json!(error));
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::super::log::tests::recorded;
    use super::*;

    #[test]
    fn an_entry_has_what_the_form_asks_for() {
        let archive = har([recorded(1, "{\"a\":1}")].iter());
        let entry = &archive["log"]["entries"][0];
        assert_eq!(archive["log"]["version"], "1.2");
        assert_eq!(entry["response"]["content"]["text"], "{\"a\":1}");
        assert_eq!(entry["request"]["postData"]["text"], "{\"limit\":\"it's\"}");
        assert_eq!(entry["timings"], json!({ "send": 0, "wait": 12, "receive": 8 }));
        assert_eq!(entry["startedDateTime"], "2026-01-31T12:00:00Z");
    }

    #[test]
    fn what_was_not_sent_has_an_address_all_the_same() {
        let unsent = Recorded { url: String::new(), status: None, error: Some("no".to_owned()), ..recorded(1, "") };
        let archive = har([unsent].iter());
        let entry = &archive["log"]["entries"][0];
        assert!(Url::parse(entry["request"]["url"].as_str().unwrap()).is_ok());
        assert_eq!((&entry["response"]["status"], &entry["comment"]), (&json!(0), &json!("no")));
    }
}
