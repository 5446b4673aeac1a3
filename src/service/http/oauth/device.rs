//! Device codes, RFC 8628: the client shows a few letters, the owner types them on the page.

use std::sync::Arc;
use std::time::Instant;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde_json::json;

use super::authorize::is_foreign;
use super::form::Form;
use super::page::{self, Approve};
use super::ticket::Wish;
use super::token::{self, Refusal};
use super::{CLIENT, DEVICE, SCOPE, owner};
use crate::service::http::App;
use crate::service::http::answer;
use crate::service::http::routes::BaseUrl;
use crate::service::http::slowing::{Peer, retry_after};
use crate::service::timing::seconds;

/// `POST /oauth/device_authorization`
pub(super) async fn begin(
    State(app): State<Arc<App>>,
    Extension(BaseUrl(base)): Extension<BaseUrl>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let form = match Form::of(request).await {
        Ok(Ok(form)) => form,
        Ok(Err(_)) => return token::refusal(&Refusal::TWICE),
        Err(problem) => return answer::problem(&problem),
    };
    if form.get("client_id") != Some(CLIENT) {
        return token::refusal(&Refusal::CLIENT);
    }
    if form.get("scope").is_some_and(|scope| scope != SCOPE) {
        return token::refusal(&Refusal::SCOPE);
    }
    if let Err(wait) = app.approvals.device_codes.take(peer, Instant::now()) {
        return token::slow(retry_after(wait));
    }
    let (lifetime, interval) = (seconds(app.timing.device_code), seconds(app.timing.poll_interval));
    match app.store.add_device_code(lifetime, interval).await {
        Ok(Some(code)) => {
            let mut response = answer::json(&json!({
                "device_code": code.device_code.expose(),
                "user_code": code.user_code,
                "verification_uri": format!("{base}{DEVICE}"),
                "verification_uri_complete": format!("{base}{DEVICE}?user_code={}", code.user_code),
                "expires_in": lifetime,
                "interval": interval,
            }));
            page::close(&mut response);
            response
        }
        Ok(None) => token::slow(60),
        Err(error) => answer::refused(&error),
    }
}

fn shown(app: &App, user_code: &str, fault: Option<&str>, status: StatusCode) -> Response {
    let token = app.approvals.tickets.seal(Wish::Device, jiff::Timestamp::now().as_second());
    let origin = "Approve only if you have just started to sign in yourself, and only if the code below is the one that \
                  your own client shows: whoever has that client gets the access.";
    Approve { action: DEVICE, token: &token, origin, user_code: Some(user_code), fault, redirect: None }.page(status)
}

/// `GET /oauth/device`
pub(super) async fn ask(State(app): State<Arc<App>>, request: Request) -> Response {
    let form = Form::read(request.uri().query().unwrap_or_default().as_bytes()).unwrap_or_default();
    let user_code: String = form.get("user_code").unwrap_or_default().chars().take(20).collect();
    shown(&app, &user_code, None, StatusCode::OK)
}

/// `POST /oauth/device`
pub(super) async fn decide(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    if is_foreign(request.headers()) {
        return page::said(StatusCode::FORBIDDEN, "Not from here", "This form was sent by another site.");
    }
    if let Some(wait) = app.approvals.failures.wait(peer, Instant::now()) {
        return page::wait(retry_after(wait));
    }
    let form = match Form::of(request).await {
        Ok(form) => form.unwrap_or_default(),
        Err(problem) => return answer::problem(&problem),
    };
    let now = jiff::Timestamp::now().as_second();
    let opened = app.approvals.tickets.open(form.get("state_token").unwrap_or_default(), now);
    let user_code = form.get("user_code").unwrap_or_default();
    if opened != Some(Wish::Device) {
        let why = "The page was open for too long. Try once more.";
        return shown(&app, user_code, Some(why), StatusCode::BAD_REQUEST);
    }
    match app.store.is_waiting(user_code).await {
        Err(error) => return answer::refused(&error),
        Ok(true) => {}
        Ok(false) => {
            app.approvals.failures.note(peer, Instant::now());
            let why = "No client waits with this code. It may have expired: start again there.";
            return shown(&app, user_code, Some(why), StatusCode::NOT_FOUND);
        }
    }
    let approved = if form.get("decision") == Some("approve") {
        match owner(&app, peer, form.get("api_key").unwrap_or_default().trim()).await {
            Err(error) => return answer::refused(&error),
            Ok(None) => {
                let why = "This is no API key of a workspace here.";
                return shown(&app, user_code, Some(why), StatusCode::FORBIDDEN);
            }
            Ok(found) => found,
        }
    } else {
        None
    };
    match app.store.decide_device(user_code, approved.as_ref()).await {
        Err(error) => answer::refused(&error),
        Ok(false) => page::said(StatusCode::CONFLICT, "Decided already", "This code was decided meanwhile."),
        Ok(true) if approved.is_some() => {
            page::said(StatusCode::OK, "Approved", "The client goes on by itself. You can close this page.")
        }
        Ok(true) => page::said(StatusCode::OK, "Refused", "The client gets no access. You can close this page."),
    }
}
