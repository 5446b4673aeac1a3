//! What players report of a visit: that it began, what happened, what the viewer left, what the shop sold.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::too_many;
use crate::api::Problem;
use crate::service::delivery::now;
use crate::service::http::answer::{self, finding};
use crate::service::http::routes::BaseUrl;
use crate::service::http::slowing::Peer;
use crate::service::http::written::PathId;
use crate::service::http::{App, small};
use crate::service::store::{Collected, StoreError, VisitEvent};
use crate::service::timing::milliseconds;

/// The largest body, bytes.
const MOST_BODY: usize = 32 * 1024;
/// Events in one body at most.
const MOST_AT_ONCE: usize = 50;
/// Events of a visit at most.
const MOST_EVENTS: u32 = 500;
/// Whether a text may be an e-mail address: the page's own check is the stricter one.
fn is_email(text: &str) -> bool {
    let sides = text.split_once('@');
    sides.is_some_and(|(user, host)| !user.is_empty() && !host.is_empty() && !text.contains(char::is_whitespace))
}

/// Characters kept of a text.
const MOST_TEXT: usize = 500;
/// Characters kept of a name.
const MOST_NAME: usize = 100;

/// Reads a small JSON body. Its media type is not asked: a page that is left can send plain text only.
async fn read<T: DeserializeOwned + Default>(request: Request) -> Result<T, Problem> {
    let (parts, body) = request.into_parts();
    let bytes = small::read(&parts.headers, body, MOST_BODY).await?;
    if bytes.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_slice(&bytes).map_err(|error| Problem::new(400, format!("The body can't be read: {error}.")))
}

/// A text without what can't be shown, shortened; nothing where nothing is left.
fn kept(text: Option<String>, most: usize) -> Option<String> {
    let text: String = text?.chars().filter(|c| !c.is_control()).take(most).collect();
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Begin {
    anonymous_id: Option<String>,
}

/// `POST /play/{publishId}/visits`
pub(super) async fn begin(
    State(app): State<Arc<App>>,
    Extension(BaseUrl(base)): Extension<BaseUrl>,
    Extension(peer): Extension<Peer>,
    PathId(publish_id): PathId,
    request: Request,
) -> Response {
    if let Some(refused) = too_many(&app.visitors.begun, peer) {
        return refused;
    }
    let asked: Begin = match read(request).await {
        Ok(asked) => asked,
        Err(problem) => return answer::problem(&problem),
    };
    let plain = |id: &String| id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let anonymous = asked.anonymous_id.filter(plain).filter(|id| !id.is_empty());
    match app.store.begin_visit(publish_id.clone(), anonymous, now()).await {
        Err(error) => answer::refused(&error),
        Ok(None) => answer::problem(&Problem::new(404, "There is no such video.")),
        Ok(Some(visit)) => {
            app.begun.notify_one();
            let at = |what: &str| {
                format!("{base}{}{publish_id}/visits/{}/{what}", crate::service::address::PLAYER, visit.session)
            };
            let mut response = answer::json(&json!({
                "sessionId": visit.session,
                "anonymousId": visit.anonymous,
                "eventsUrl": at("events"),
                "formUrl": visit.form.then(|| at("form")),
                "purchaseUrl": at("purchase"),
            }));
            *response.status_mut() = StatusCode::CREATED;
            response
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Reported {
    events: Vec<ReportedEvent>,
    ended: bool,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ReportedEvent {
    number: u32,
    event_name: Option<String>,
    step_name: Option<String>,
    video_name: Option<String>,
    text: Option<String>,
    /// Milliseconds before it was sent.
    ago: i64,
}

/// `POST /play/{publishId}/visits/{session}/events`: a sign of life, with what happened. The answer says whether the
/// visit was open.
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    PathId((publish_id, session)): PathId<(String, String)>,
    request: Request,
) -> Response {
    if let Some(refused) = too_many(&app.visitors.reports, peer) {
        return refused;
    }
    let reported: Reported = match read(request).await {
        Ok(reported) => reported,
        Err(problem) => return answer::problem(&problem),
    };
    if reported.events.len() > MOST_AT_ONCE {
        return answer::invalid(&[finding("events", format!("may have {MOST_AT_ONCE} entries"))]);
    }
    let events = reported.events.into_iter().filter(|event| event.number < MOST_EVENTS).filter_map(|event| {
        Some(VisitEvent {
            number: event.number,
            name: kept(event.event_name, MOST_NAME)?,
            step: kept(event.step_name, MOST_NAME),
            video: kept(event.video_name, MOST_TEXT),
            text: kept(event.text, MOST_TEXT),
            ago: event.ago,
        })
    });
    let tried_for = milliseconds(app.timing.tried_for);
    let added =
        app.store.add_visit_events(publish_id, session, events.collect(), reported.ended, now(), tried_for).await;
    if reported.ended {
        app.queued.notify_one();
    }
    match added {
        Ok(open) => answer::json(&json!({ "open": open && !reported.ended })),
        Err(error) => answer::refused(&error),
    }
}

/// `POST /play/{publishId}/visits/{session}/form`
pub(super) async fn form(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    PathId((publish_id, session)): PathId<(String, String)>,
    request: Request,
) -> Response {
    if let Some(refused) = too_many(&app.visitors.reports, peer) {
        return refused;
    }
    let given: Collected = match read::<Form>(request).await {
        Ok(Form { name, email, phone }) => {
            Collected { name: kept(name, MOST_TEXT), email: kept(email, MOST_TEXT), phone: kept(phone, MOST_NAME) }
        }
        Err(problem) => return answer::problem(&problem),
    };
    if given == Collected::default() {
        return answer::invalid(&[finding("name", "give a name, an e-mail address or a telephone number")]);
    }
    if given.email.as_deref().is_some_and(|email| !is_email(email)) {
        return answer::invalid(&[finding("email", "is no e-mail address")]);
    }
    let tried_for = milliseconds(app.timing.tried_for);
    match app.store.collect(publish_id, session, given, now(), tried_for).await {
        Ok(true) => {
            app.queued.notify_one();
            answer::json(&json!({ "collected": true }))
        }
        Ok(false) => answer::refused(&StoreError::Conflict("The workspace asks viewers for nothing.".to_owned())),
        Err(error) => answer::refused(&error),
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Form {
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Purchase {
    order_id: Option<String>,
    amount: Option<serde_json::Number>,
    currency: Option<String>,
}

/// `POST /play/{publishId}/visits/{session}/purchase`: what the shop sold. An order is told of once.
pub(super) async fn purchase(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    PathId((publish_id, session)): PathId<(String, String)>,
    request: Request,
) -> Response {
    if let Some(refused) = too_many(&app.visitors.reports, peer) {
        return refused;
    }
    let bought: Purchase = match read(request).await {
        Ok(bought) => bought,
        Err(problem) => return answer::problem(&problem),
    };
    let order = kept(bought.order_id, MOST_NAME);
    let amount = bought.amount.map(|amount| amount.to_string());
    let parts = [order.clone(), kept(amount, MOST_NAME), kept(bought.currency, MOST_NAME)];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let tried_for = milliseconds(app.timing.tried_for);
    match app.store.purchase(publish_id, session, order.unwrap_or_default(), text, now(), tried_for).await {
        Ok(new) => {
            app.queued.notify_one();
            answer::json(&json!({ "reported": new }))
        }
        Err(error) => answer::refused(&error),
    }
}
