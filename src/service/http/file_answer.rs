//! The head of an answer that carries a file: ETag, conditions and ranges (RFC 9110 §13 and §14).

use std::ops::Range;

use axum::body::Body;
use axum::response::Response;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HeaderName, IF_NONE_MATCH, IF_RANGE, RANGE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, StatusCode};

use super::answer;
use crate::api::Problem;

const OPEN_TO_OTHERS: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// A page of a browser's own around a video needs its style and the video, and nothing else.
const SANDBOX: &str = "default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'; sandbox";

/// What is known of a file before it is read.
pub(super) struct About<'a> {
    /// Its entity tag, quoted.
    pub etag: &'a str,
    pub content_type: &'a str,
    /// Bytes.
    pub size: u64,
}

/// The answer without its body, and which bytes belong into it.
pub(super) fn head(about: &About<'_>, asked: &HeaderMap) -> (Response, Option<Range<u64>>) {
    let header = |name| asked.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let mut response = Response::new(Body::empty());
    set(&mut response, ETAG, about.etag);
    set(&mut response, ACCEPT_RANGES, "bytes");
    set(&mut response, CACHE_CONTROL, "public, max-age=3600");
    if header(IF_NONE_MATCH).is_some_and(|tags| {
        tags.split(',').any(|tag| matches!(tag.trim(), "*") || tag.trim().trim_start_matches("W/") == about.etag)
    }) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return (response, None);
    }
    set(&mut response, CONTENT_TYPE, about.content_type);
    // The type is that of the bytes; nothing else is to be made of them.
    set(&mut response, X_CONTENT_TYPE_OPTIONS, "nosniff");
    // Shown by itself, it has no origin and no scripts, whatever a browser makes of it. Players on other sites show it,
    // also those that are isolated from what does not say that they may.
    set(&mut response, CONTENT_SECURITY_POLICY, SANDBOX);
    set(&mut response, OPEN_TO_OTHERS, "cross-origin");
    let fresh = header(IF_RANGE).is_none_or(|tag| tag == about.etag);
    let range = match header(RANGE).filter(|_| fresh).map_or(Wanted::Whole, |range| wanted(range, about.size)) {
        Wanted::Whole => 0..about.size,
        Wanted::Part(range) => {
            set(&mut response, CONTENT_RANGE, &format!("bytes {}-{}/{}", range.start, range.end - 1, about.size));
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            range
        }
        Wanted::Nothing => {
            let mut refusal = answer::problem(&Problem::new(416, format!("The file has {} bytes.", about.size)));
            set(&mut refusal, CONTENT_RANGE, &format!("bytes */{}", about.size));
            return (refusal, None);
        }
    };
    set(&mut response, CONTENT_LENGTH, &(range.end - range.start).to_string());
    (response, Some(range))
}

fn set(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    Whole,
    Part(Range<u64>),
    Nothing,
}

/// What a `Range` header asks of so many bytes. Several ranges, and what can't be read, are answered with the whole.
fn wanted(range: &str, whole: u64) -> Wanted {
    let Some((first, last)) = range.strip_prefix("bytes=").and_then(|one| one.trim().split_once('-')) else {
        return Wanted::Whole;
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match (first.trim(), last.trim()) {
        ("", suffix) => match number(suffix) {
            None => Wanted::Whole,
            Some(bytes) if bytes == 0 || whole == 0 => Wanted::Nothing,
            Some(bytes) => Wanted::Part(whole.saturating_sub(bytes)..whole),
        },
        (first, last) => match (number(first), last.is_empty(), number(last)) {
            (Some(first), true, _) if first < whole => Wanted::Part(first..whole),
            (Some(first), false, Some(last)) if first < whole && first <= last => {
                Wanted::Part(first..last.saturating_add(1).min(whole))
            }
            (Some(first), true, _) if first >= whole => Wanted::Nothing,
            (Some(first), false, Some(last)) if first <= last => Wanted::Nothing,
            _ => Wanted::Whole,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_as_rfc_9110_has_them() {
        assert_eq!(wanted("bytes=0-9", 100), Wanted::Part(0..10));
        assert_eq!(wanted("bytes=90-", 100), Wanted::Part(90..100));
        assert_eq!(wanted("bytes=90-200", 100), Wanted::Part(90..100));
        assert_eq!(wanted("bytes=-10", 100), Wanted::Part(90..100));
        assert_eq!(wanted("bytes=-200", 100), Wanted::Part(0..100));
        assert_eq!(wanted("bytes=100-", 100), Wanted::Nothing);
        assert_eq!(wanted("bytes=-0", 100), Wanted::Nothing);
        for odd in ["bytes=5-2", "bytes=a-b", "lines=0-1", "bytes=0-1,4-5", "bytes=-"] {
            assert_eq!(wanted(odd, 100), Wanted::Whole, "{odd}");
        }
    }
}
