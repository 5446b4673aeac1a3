//! The authorization endpoint, RFC 6749 §4.1 with PKCE (RFC 7636): asks the owner and sends the browser back.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::LOCATION;
use http::{HeaderValue, StatusCode};
use url::{Host, Url};

use super::browser::{Binding, with_cookie};
use super::form::Form;
use super::page::{self, Approve};
use super::ticket::Wish;
use super::{AUTHORIZE, CLIENT, MOST_CARRIED, SCOPE, owner};
use crate::service::http::App;
use crate::service::http::answer;
use crate::service::http::base_url::BaseUrl;
use crate::service::http::slowing::Peer;
use crate::service::timing::{self, seconds};

/// A redirect to this machine, as RFC 8252 §7.3 has it for programs: any port and path of a loopback address.
fn loopback(redirect: &str) -> Option<Url> {
    let url = Url::parse(redirect).ok().filter(|_| redirect.len() <= MOST_CARRIED)?;
    let loopback = match url.host()? {
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
        // Somebody else may answer to the name (RFC 8252 §8.3).
        Host::Domain(_) => false,
    };
    let bare = url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
    (url.scheme() == "http" && loopback && bare).then_some(url)
}

/// The redirect's origin for `form-action`; a source there can't be an address of IPv6.
fn form_target(redirect: &Url) -> String {
    match redirect.host() {
        Some(Host::Ipv4(_)) => redirect.origin().ascii_serialization(),
        _ => "http:".to_owned(),
    }
}

/// Sends the browser back with these parameters.
fn back(base: &str, redirect: &Url, state: Option<&str>, pairs: &[(&str, &str)]) -> Response {
    let mut url = redirect.clone();
    url.query_pairs_mut()
        .extend_pairs(pairs)
        .extend_pairs(state.map(|state| ("state", state)))
        .append_pair("iss", base);
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    if let Ok(url) = HeaderValue::from_str(url.as_str()) {
        response.headers_mut().insert(LOCATION, url);
    }
    page::close(&mut response);
    response
}

/// What a request asks for, once client and redirect are known to be good.
fn wish(form: &Form, redirect: &str) -> Result<Wish, (&'static str, &'static str)> {
    match form.get("response_type") {
        Some("code") => {}
        None => return Err(("invalid_request", "response_type is missing")),
        Some(_) => return Err(("unsupported_response_type", "response_type must be code")),
    }
    if form.get("scope").is_some_and(|scope| scope != SCOPE) {
        return Err(("invalid_scope", "the one scope is workspace"));
    }
    if form.get("code_challenge_method") != Some("S256") {
        return Err(("invalid_request", "code_challenge_method must be S256"));
    }
    let challenge = form.get("code_challenge").unwrap_or_default();
    if URL_SAFE_NO_PAD.decode(challenge).map_or(0, |bytes| bytes.len()) != 32 {
        return Err(("invalid_request", "code_challenge must be the base64url of a SHA-256"));
    }
    let state = form.get("state").map(str::to_owned);
    Ok(Wish::Code { redirect: redirect.to_owned(), challenge: challenge.to_owned(), state })
}

/// `GET /oauth/authorize`
pub(super) async fn ask(
    State(app): State<Arc<App>>,
    BaseUrl(base): BaseUrl,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let refused = |why: &str| page::said(StatusCode::BAD_REQUEST, "This request can't be approved", why);
    let form = match Form::read(request.uri().query().unwrap_or_default().as_bytes()) {
        Ok(form) => form,
        Err(unfit) => return refused(&format!("In this request {unfit}.")),
    };
    // Before these two are known to be good, nobody is sent anywhere.
    if form.get("client_id") != Some(CLIENT) {
        return refused("The client is not known here.");
    }
    let given = form.get("redirect_uri").unwrap_or_default();
    let Some(redirect) = loopback(given) else {
        return refused("The client may send you back to this machine only: http://127.0.0.1 or http://[::1].");
    };
    let state = form.get("state");
    if state.is_some_and(|state| state.len() > MOST_CARRIED) {
        return refused("The state is too long.");
    }
    match wish(&form, given) {
        Ok(wish) => Shown { app: &app, base: &base, peer, redirect: &redirect }.page(wish, None, StatusCode::OK),
        Err((error, why)) => back(&base, &redirect, state, &[("error", error), ("error_description", why)]),
    }
}

/// The page on which the owner decides, for the browser that asks.
struct Shown<'a> {
    app: &'a App,
    base: &'a str,
    peer: Peer,
    redirect: &'a Url,
}

impl Shown<'_> {
    fn page(&self, wish: Wish, fault: Option<&str>, status: StatusCode) -> Response {
        let origin = format!(
            "Approve only if you have just started to sign in yourself. The request came from this browser, at {}. \
             Afterwards you are sent back to {}, on the machine of this browser.",
            self.peer.0.to_canonical(),
            self.redirect.origin().ascii_serialization()
        );
        let (binding, cookie) = Binding::new(self.base);
        let token = self.app.approvals.tickets.seal(wish, binding, timing::timestamp().as_second());
        let target = form_target(self.redirect);
        let approve = Approve { action: AUTHORIZE, token: &token, origin: &origin, fault, redirect: Some(&target) };
        with_cookie(approve.page(status), cookie)
    }
}

/// `POST /oauth/authorize`
pub(super) async fn decide(
    State(app): State<Arc<App>>,
    BaseUrl(base): BaseUrl,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let headers = request.headers().clone();
    let form = match Form::of(request).await {
        Ok(form) => form.unwrap_or_default(),
        Err(problem) => return answer::problem(&problem),
    };
    let now = timing::timestamp().as_second();
    let opened = app.approvals.tickets.open(form.get("state_token").unwrap_or_default(), &headers, now);
    let Some(Wish::Code { redirect, challenge, state }) = opened else {
        let why = "The page was open for too long, or this browser doesn't accept cookies. Go back to the client and \
                   start again.";
        return page::said(StatusCode::BAD_REQUEST, "Not approved", why);
    };
    let Some(to) = loopback(&redirect) else {
        return page::said(StatusCode::BAD_REQUEST, "Not approved", "The client gave no address to go back to.");
    };
    if form.get("decision") != Some("approve") {
        return back(&base, &to, state.as_deref(), &[("error", "access_denied")]);
    }
    let key = form.get("api_key").unwrap_or_default().trim();
    let code = match owner(&app, key).await {
        Err(error) => return answer::refused(&error),
        Ok(None) => {
            let wish = Wish::Code { redirect, challenge, state };
            let why = "This is not an API key of a workspace here.";
            let shown = Shown { app: &app, base: &base, peer, redirect: &to };
            return shown.page(wish, Some(why), StatusCode::FORBIDDEN);
        }
        Ok(Some(owner)) => app.store.add_code(&owner, challenge, redirect, seconds(app.timing.code)).await,
    };
    match code {
        Ok(code) => back(&base, &to, state.as_deref(), &[("code", code.expose())]),
        Err(error) => answer::refused(&error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine() {
        for good in
            ["http://127.0.0.1:5000/back", "http://127.0.0.1/", "http://[::1]:65535/a?b=c", "http://127.9.9.9:1/"]
        {
            assert!(loopback(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "http://localhost:5000/",
            "https://127.0.0.1/",
            "http://127.0.0.1.example/",
            "http://example.com/",
            "http://127.0.0.1:5000/#x",
            "http://a@127.0.0.1/",
            "http://0.0.0.0/",
            "cutaway://back",
            "http://[::]/",
        ] {
            assert!(loopback(bad).is_none(), "{bad}");
        }
    }
}
