//! Device codes, RFC 8628: the client shows a few letters, the owner types them on the page.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use http::header::USER_AGENT;
use http::{HeaderMap, StatusCode};
use serde_json::json;

use super::browser::{Binding, with_cookie};
use super::form::{Form, Unfit};
use super::page::{self, Approve, TypeCode};
use super::ticket::Wish;
use super::token::{self, Refusal};
use super::{CLIENT, DEVICE, SCOPE, owner};
use crate::service::http::App;
use crate::service::http::answer;
use crate::service::http::base_url::BaseUrl;
use crate::service::http::slowing::{Peer, retry_after};
use crate::service::store::{DeviceAsker, DeviceState};
use crate::service::timing::{self, seconds};

/// Characters of what a client calls itself.
const MOST_CLIENT: usize = 60;

/// `POST /oauth/device_authorization`
pub(super) async fn begin(
    State(app): State<Arc<App>>,
    BaseUrl(base): BaseUrl,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let client = client(request.headers());
    let form = match Form::of(request).await {
        Ok(Ok(form)) => form,
        Ok(Err(unfit)) => return token::unfit_request(&unfit),
        Err(problem) => return answer::problem(&problem),
    };
    if form.get("client_id") != Some(CLIENT) {
        return token::refusal(&Refusal::CLIENT);
    }
    if form.get("scope").is_some_and(|scope| scope != SCOPE) {
        return token::refusal(&Refusal::SCOPE);
    }
    match app.approvals.device_codes.take_shared(&app.store, "device_code", peer).await {
        Err(error) => return answer::refused(&error),
        Ok(Err(wait)) => return token::slow(retry_after(wait)),
        Ok(Ok(())) => {}
    }
    let (lifetime, interval) = (seconds(app.timing.device_code), seconds(app.timing.poll_interval));
    let asker = DeviceAsker { client, address: peer.0.to_canonical().to_string() };
    match app.store.add_device_code(asker, lifetime, interval).await {
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

/// What a client calls itself, as far as it can be shown.
fn client(headers: &HeaderMap) -> String {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    agent.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').take(MOST_CLIENT).collect::<String>().trim().to_owned()
}

/// The two pages about a device code, for one browser.
struct Pages<'a> {
    app: &'a App,
    base: &'a str,
}

impl Pages<'_> {
    fn sealed(&self, wish: Wish) -> (String, http::HeaderValue) {
        let (binding, cookie) = Binding::new(self.base);
        (self.app.approvals.tickets.seal(wish, binding, timing::timestamp().as_second()), cookie)
    }

    /// The page on which the words are typed.
    fn typed(&self, user_code: &str, fault: Option<&str>, status: StatusCode) -> Response {
        let (token, cookie) = self.sealed(Wish::DeviceCode);
        with_cookie(TypeCode { action: DEVICE, token: &token, user_code, fault }.page(status), cookie)
    }

    /// The page on which the owner decides, and sees who asks.
    fn decided(&self, user_code: &str, asker: &DeviceAsker, fault: Option<&str>, status: StatusCode) -> Response {
        let (token, cookie) = self.sealed(Wish::Device { user_code: user_code.to_owned() });
        let name =
            if asker.client.is_empty() { "without a name".to_owned() } else { format!("“{}”", asker.client) };
        let origin = format!(
            "The code {user_code} was given to the client {name} at {}. Approve only if you have just started to sign in \
             there yourself: whoever has that client gets the access.",
            asker.address
        );
        let approve = Approve { action: DEVICE, token: &token, origin: &origin, fault, redirect: None };
        with_cookie(approve.page(status), cookie)
    }

    fn not_waiting(&self, user_code: &str) -> Response {
        let why = "No client is waiting with this code. It may have expired: start again there.";
        self.typed(user_code, Some(why), StatusCode::NOT_FOUND)
    }
}

/// `GET /oauth/device`
pub(super) async fn ask(State(app): State<Arc<App>>, BaseUrl(base): BaseUrl, request: Request) -> Response {
    let form = match Form::read(request.uri().query().unwrap_or_default().as_bytes()) {
        Err(unfit @ Unfit::Nul(_)) => {
            let why = format!("In this request {unfit}.");
            return Pages { app: &app, base: &base }.typed("", Some(&why), StatusCode::BAD_REQUEST);
        }
        form => form.unwrap_or_default(),
    };
    let user_code: String = form.get("user_code").unwrap_or_default().chars().take(20).collect();
    Pages { app: &app, base: &base }.typed(&user_code, None, StatusCode::OK)
}

/// `POST /oauth/device`: the words, or the decision about them.
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
    let pages = Pages { app: &app, base: &base };
    match app.approvals.tickets.open(form.get("state_token").unwrap_or_default(), &headers, now) {
        Some(Wish::DeviceCode) => look_up(&pages, peer, form.get("user_code").unwrap_or_default()).await,
        Some(Wish::Device { user_code }) => settle(&pages, &form, &user_code).await,
        _ => {
            let why = "The page was open for too long, or this browser doesn't accept cookies. Try again.";
            let user_code: String = form.get("user_code").unwrap_or_default().chars().take(20).collect();
            pages.typed(&user_code, Some(why), StatusCode::BAD_REQUEST)
        }
    }
}

/// Shows who waits with these words. Only words that belong to nobody count as a guess.
async fn look_up(pages: &Pages<'_>, peer: Peer, user_code: &str) -> Response {
    let (store, failures) = (&pages.app.store, &pages.app.approvals.failures);
    match failures.wait(store, peer).await {
        Err(error) => return answer::refused(&error),
        Ok(Some(wait)) => return page::wait(retry_after(wait)),
        Ok(None) => {}
    }
    match store.device_state(user_code).await {
        Err(error) => answer::refused(&error),
        Ok(DeviceState::Waiting(asker)) => pages.decided(user_code, &asker, None, StatusCode::OK),
        Ok(DeviceState::Over) => pages.not_waiting(user_code),
        Ok(DeviceState::Unknown) => match failures.note(store, peer).await {
            Err(error) => answer::refused(&error),
            Ok(()) => pages.not_waiting(user_code),
        },
    }
}

/// The page of a code that was approved, refused or has expired since it was shown.
fn decided_already() -> Response {
    let text = "This code was already approved or refused, or it has expired. If the client is still waiting, start \
                the sign-in there again. You can close this page.";
    page::said(StatusCode::CONFLICT, "Nothing left to decide", text)
}

/// Carries out the owner's decision.
async fn settle(pages: &Pages<'_>, form: &Form, user_code: &str) -> Response {
    let app = pages.app;
    let asker = match app.store.device_state(user_code).await {
        Err(error) => return answer::refused(&error),
        Ok(DeviceState::Waiting(asker)) => asker,
        // A second click on Approve comes here too: a form to fill in again would look as if the first had failed.
        Ok(DeviceState::Over | DeviceState::Unknown) => return decided_already(),
    };
    let approved = if form.get("decision") == Some("approve") {
        match owner(app, form.get("api_key").unwrap_or_default().trim()).await {
            Err(error) => return answer::refused(&error),
            Ok(None) => {
                let why = "This is not an API key of a workspace here.";
                return pages.decided(user_code, &asker, Some(why), StatusCode::FORBIDDEN);
            }
            Ok(found) => found,
        }
    } else {
        None
    };
    match app.store.decide_device(user_code, approved.as_ref()).await {
        Err(error) => answer::refused(&error),
        Ok(false) => decided_already(),
        Ok(true) if approved.is_some() => {
            page::said(StatusCode::OK, "Approved", "The app continues on its own. You can close this page.")
        }
        Ok(true) => page::said(StatusCode::OK, "Refused", "The client gets no access. You can close this page."),
    }
}
