//! Pictures and videos of the sample store: public, with ETag and ranges (RFC 9110 §14).

use axum::body::Body;
use axum::extract::Path;
use axum::response::Response;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH, IF_RANGE, RANGE,
};
use http::{HeaderMap, HeaderValue, StatusCode};

use super::answer;
use crate::api::Problem;
use crate::service::sample::file;

/// `GET /sample/…`
pub(super) async fn answer(Path(path): Path<String>, headers: HeaderMap) -> Response {
    let Some(found) = file(&path) else {
        return answer::problem(&Problem::new(404, "The sample store has no such file."));
    };
    let header = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let mut response = Response::new(Body::empty());
    let mut set = |name, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    };
    set(ETAG, found.etag);
    set(ACCEPT_RANGES, "bytes");
    set(CACHE_CONTROL, "public, max-age=3600");
    if header(IF_NONE_MATCH).is_some_and(|tags| {
        tags.split(',').any(|tag| matches!(tag.trim(), "*") || tag.trim().trim_start_matches("W/") == found.etag)
    }) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    set(CONTENT_TYPE, found.content_type());
    let whole = found.bytes.len();
    let fresh = header(IF_RANGE).is_none_or(|tag| tag == found.etag);
    match header(RANGE).filter(|_| fresh).map_or(Wanted::Whole, |range| wanted(range, whole)) {
        Wanted::Whole => {
            set(CONTENT_LENGTH, &whole.to_string());
            *response.body_mut() = Body::from(found.bytes);
        }
        Wanted::Part(first, last) => {
            set(CONTENT_RANGE, &format!("bytes {first}-{last}/{whole}"));
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            *response.body_mut() = Body::from(found.bytes.get(first..=last).unwrap_or_default());
        }
        Wanted::Nothing => {
            response = answer::problem(&Problem::new(416, format!("The file has {whole} bytes.")));
            if let Ok(value) = HeaderValue::from_str(&format!("bytes */{whole}")) {
                response.headers_mut().insert(CONTENT_RANGE, value);
            }
        }
    }
    response
}

#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    Whole,
    Part(usize, usize),
    Nothing,
}

/// What a `Range` header asks of so many bytes. Several ranges, and what can't be read, are answered with the whole.
fn wanted(range: &str, whole: usize) -> Wanted {
    let Some((first, last)) = range.strip_prefix("bytes=").and_then(|one| one.trim().split_once('-')) else {
        return Wanted::Whole;
    };
    let number = |text: &str| text.trim().parse::<usize>().ok();
    match (first.trim(), last.trim()) {
        ("", suffix) => match number(suffix) {
            None => Wanted::Whole,
            Some(bytes) if bytes == 0 || whole == 0 => Wanted::Nothing,
            Some(bytes) => Wanted::Part(whole.saturating_sub(bytes), whole - 1),
        },
        (first, last) => match (number(first), last.is_empty(), number(last)) {
            (Some(first), true, _) if first < whole => Wanted::Part(first, whole - 1),
            (Some(first), false, Some(last)) if first < whole && first <= last => {
                Wanted::Part(first, last.min(whole - 1))
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
        assert_eq!(wanted("bytes=0-9", 100), Wanted::Part(0, 9));
        assert_eq!(wanted("bytes=90-", 100), Wanted::Part(90, 99));
        assert_eq!(wanted("bytes=90-200", 100), Wanted::Part(90, 99));
        assert_eq!(wanted("bytes=-10", 100), Wanted::Part(90, 99));
        assert_eq!(wanted("bytes=-200", 100), Wanted::Part(0, 99));
        assert_eq!(wanted("bytes=100-", 100), Wanted::Nothing);
        assert_eq!(wanted("bytes=-0", 100), Wanted::Nothing);
        for odd in ["bytes=5-2", "bytes=a-b", "lines=0-1", "bytes=0-1,4-5", "bytes=-"] {
            assert_eq!(wanted(odd, 100), Wanted::Whole, "{odd}");
        }
    }
}
