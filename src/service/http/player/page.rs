//! The page itself, and what it plays.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, StatusCode};

use crate::api::Problem;
use crate::service::http::page::{escaped, file, filled};
use crate::service::http::routes::BaseUrl;
use crate::service::http::written::PathId;
use crate::service::http::{App, answer};
use crate::service::timing::milliseconds;

const PAGE: &str = include_str!("../../../../assets/player/player.html");
const MISSING: &str = include_str!("../../../../assets/player/missing.html");
const STYLE: &str = include_str!("../../../../assets/player/player.css");
const SCRIPT: &str = include_str!("../../../../assets/player/player.js");

/// Only our own script and style; videos and posters may be registered from anywhere. Shops put the page into frames of
/// their own pages, so it may be framed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' http: https: data:; media-src 'self' http: https:; form-action 'none'; base-uri 'none'";

fn html(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// `GET /play/{publishId}`
pub(super) async fn page(
    State(app): State<Arc<App>>,
    Extension(BaseUrl(base)): Extension<BaseUrl>,
    PathId(publish_id): PathId,
) -> Response {
    match app.store.played(publish_id, base).await {
        Err(error) => answer::refused(&error),
        Ok(None) => html(StatusCode::NOT_FOUND, MISSING.to_owned()),
        Ok(Some(played)) => {
            let heartbeat = milliseconds(app.timing.heartbeat).to_string();
            let values = [
                ("name", &*escaped(&played.name)),
                ("publish", &escaped(&played.publish_id)),
                ("heartbeat", &heartbeat),
            ];
            html(StatusCode::OK, filled(PAGE, &values))
        }
    }
}

/// `GET /play/{publishId}/project`
pub(super) async fn project(
    State(app): State<Arc<App>>,
    Extension(BaseUrl(base)): Extension<BaseUrl>,
    PathId(publish_id): PathId,
) -> Response {
    match app.store.played(publish_id, base).await {
        Err(error) => answer::refused(&error),
        Ok(None) => answer::problem(&Problem::new(404, "There is no such video.")),
        Ok(Some(played)) => answer::json(&played),
    }
}

/// `GET /player/player.css`
pub(super) async fn style() -> Response {
    file("text/css; charset=utf-8", STYLE)
}

/// `GET /player/player.js`
pub(super) async fn script() -> Response {
    file("text/javascript; charset=utf-8", SCRIPT)
}
