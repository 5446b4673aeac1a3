//! The pages of the authorization server: plain HTML that works without scripts, closed to everything from elsewhere.

use axum::body::Body;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, PRAGMA, REFERRER_POLICY, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderValue, StatusCode};

use crate::service::http::page::{escaped, file, filled};

const PAGE: &str = include_str!("../../../../assets/approval/page.html");
const APPROVE: &str = include_str!("../../../../assets/approval/approve.html");
const CODE: &str = include_str!("../../../../assets/approval/code.html");
const STYLE: &str = include_str!("../../../../assets/approval/page.css");

/// The form on which the owner decides.
pub(super) struct Approve<'a> {
    /// Where the form goes.
    pub action: &'a str,
    /// The sealed ticket.
    pub token: &'a str,
    /// Where this comes from, in a sentence.
    pub origin: &'a str,
    /// What went wrong the last time.
    pub fault: Option<&'a str>,
    /// Where the browser may be sent after it (a form's redirect counts as its target).
    pub redirect: Option<&'a str>,
}

impl Approve<'_> {
    pub(super) fn page(&self, status: StatusCode) -> Response {
        let fault = self.fault.map_or_else(String::new, fault);
        let main = filled(
            APPROVE,
            &[
                ("fault", &fault),
                ("origin", &escaped(self.origin)),
                ("action", self.action),
                ("token", &escaped(self.token)),
            ],
        );
        let title = if self.fault.is_some() { "Error: access not approved" } else { "Approve access" };
        page(status, title, &main, self.redirect)
    }
}

/// The form on which the owner types the words of a device code.
pub(super) struct TypeCode<'a> {
    /// Where the form goes.
    pub action: &'a str,
    /// The sealed ticket.
    pub token: &'a str,
    /// What is known of the words.
    pub user_code: &'a str,
    /// What went wrong the last time.
    pub fault: Option<&'a str>,
}

impl TypeCode<'_> {
    pub(super) fn page(&self, status: StatusCode) -> Response {
        let fault = self.fault.map_or_else(String::new, fault);
        let user_code = escaped(self.user_code);
        let values =
            [("fault", &*fault), ("action", self.action), ("token", &escaped(self.token)), ("user_code", &user_code)];
        let title = if self.fault.is_some() { "Error: sign in with a code" } else { "Sign in with a code" };
        page(status, title, &filled(CODE, &values), None)
    }
}

/// What went wrong. It has the focus, so that a screen reader begins with it.
fn fault(text: &str) -> String {
    format!("<p class=\"fault\" role=\"alert\" tabindex=\"-1\" autofocus>{}</p>", escaped(text))
}

/// A page that says one thing, and has nothing to press. It has the focus; an error is named as one in the title.
pub(super) fn said(status: StatusCode, title: &str, text: &str) -> Response {
    if status.is_success() {
        let text = format!("<p class=\"said\" role=\"status\" tabindex=\"-1\" autofocus>{}</p>", escaped(text));
        return page(status, title, &text, None);
    }
    page(status, &format!("Error: {}", lower_first(title)), &fault(text), None)
}

fn lower_first(title: &str) -> String {
    let mut letters = title.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// The page for who failed too often.
pub(super) fn wait(seconds: u64) -> Response {
    let text = format!("Too many attempts failed. Try again in {seconds} seconds.");
    let mut response = said(StatusCode::TOO_MANY_REQUESTS, "Wait a little", &text);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

fn page(status: StatusCode, title: &str, main: &str, redirect: Option<&str>) -> Response {
    let text = filled(PAGE, &[("title", &escaped(title)), ("main", main)]);
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let targets = redirect.map_or_else(String::new, |origin| format!(" {origin}"));
    let policy = format!(
        "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'{targets}; base-uri 'none'; frame-ancestors 'none'"
    );
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    close(&mut response);
    response
}

/// Neither kept nor framed nor told to another site. The referrer's policy leaves the page's own forms their `Origin`,
/// which is looked at where a browser says nothing better.
pub(super) fn close(response: &mut Response) {
    const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(PRAGMA, HeaderValue::from_static("no-cache"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
}

/// `GET /oauth/page.css`
pub(super) async fn style() -> Response {
    file("text/css; charset=utf-8", STYLE)
}
