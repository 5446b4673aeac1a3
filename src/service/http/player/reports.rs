//! What players report of a visit: that it began, what happened, what the viewer left, what the shop sold.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{MOST_AT_ONCE, MOST_NAME, MOST_TEXT, shop, too_many};
use crate::api::{BeginVisit, BoughtInVisit, LeftInVisit, Problem, ReportVisit};
use crate::domain::{Fault, Finding, FromJson, NO_NUL, Num, Segment};
use crate::service::checks::is_email;
use crate::service::http::answer;
use crate::service::http::base_url::BaseUrl;
use crate::service::http::slowing::{Peer, Rate};
use crate::service::http::written::PathId;
use crate::service::http::{App, small, strict_json};
use crate::service::store::{Agreed, Collected, Purchase, StoreError, Told, VisitEvent, is_reserved};
use crate::service::timing::{milliseconds, now};
use crate::service::wrong::{indices, wrong};

/// The largest body, bytes.
const MOST_BODY: usize = 32 * 1024;
/// Events of a visit at most.
const MOST_EVENTS: u32 = 500;

/// Reads a small JSON body, and what is wrong with it. Its media type is not asked: a page that is left can send plain
/// text only.
async fn read<T: FromJson>(rate: &Rate, peer: Peer, request: Request) -> Result<(T, Vec<Finding>), Response> {
    let (_, bytes) = arrived(rate, peer, request).await?;
    parse(&bytes).map_err(|problem| answer::problem(&problem))
}

/// The bytes of a small body, and the head before it.
async fn arrived(rate: &Rate, peer: Peer, request: Request) -> Result<(HeaderMap, Bytes), Response> {
    if let Some(refused) = too_many(rate, peer) {
        return Err(refused);
    }
    let (parts, body) = request.into_parts();
    let bytes = small::read(&parts.headers, body, MOST_BODY).await.map_err(|problem| answer::problem(&problem))?;
    Ok((parts.headers, bytes))
}

fn parse<T: FromJson>(bytes: &[u8]) -> Result<(T, Vec<Finding>), Box<Problem>> {
    let value = if bytes.is_empty() { Ok(Value::Object(Map::new())) } else { strict_json::parse(bytes) };
    let (read, mut found) = strict_json::read(&value?);
    found.retain(|finding: &Finding| finding.fault != Fault::Undeclared);
    Ok((read, found))
}

/// A text without what can't be shown, shortened; nothing where nothing is left.
fn kept(text: Option<String>, most: usize) -> Option<String> {
    let text: String = text?.chars().filter(|c| !c.is_control()).take(most).collect();
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The same of a text that may not be longer.
fn whole(text: Option<String>, most: usize, pointer: &str, found: &mut Vec<Finding>) -> Option<String> {
    if text.as_ref().is_some_and(|text| text.chars().count() > most) {
        wrong(found, pointer, format!("may have at most {most} characters"));
    }
    kept(text, most)
}

fn told(app: &App) -> Told {
    Told { now: now(), tried_for: milliseconds(app.timing.tried_for), limits: app.visitor_limits }
}

/// `POST /play/{publishId}/visits`
pub(super) async fn begin(
    State(app): State<Arc<App>>,
    BaseUrl(base): BaseUrl,
    Extension(peer): Extension<Peer>,
    PathId(publish_id): PathId,
    request: Request,
) -> Response {
    let (asked, found) = match read::<BeginVisit>(&app.visitors.begun, peer, request).await {
        Ok(read) => read,
        Err(refused) => return refused,
    };
    if !found.is_empty() {
        return answer::invalid(&found);
    }
    let plain = |id: &String| id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let anonymous = asked.anonymous_id.filter(plain).filter(|id| !id.is_empty());
    let key = asked.key.filter(plain).filter(|key| key.len() >= 16);
    match app.store.begin_visit(publish_id.clone(), anonymous, key, now(), app.visitor_limits).await {
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

/// `POST /play/{publishId}/visits/{session}/events`: a sign of life, with what happened. The answer says whether the
/// visit was open.
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    PathId((publish_id, session)): PathId<(String, String)>,
    request: Request,
) -> Response {
    let (reported, mut found) = match read::<ReportVisit>(&app.visitors.reports, peer, request).await {
        Ok(read) => read,
        Err(refused) => return refused,
    };
    let (given, ended) = (reported.events.unwrap_or_default(), reported.ended == Some(true));
    if given.len() > MOST_AT_ONCE {
        wrong(&mut found, "/events", format!("may have at most {MOST_AT_ONCE} entries"));
    }
    let mut events = Vec::with_capacity(given.len().min(MOST_AT_ONCE));
    for (event, at) in given.into_iter().zip(indices(&found, "/events")) {
        let number = event.number.unwrap_or_default().whole().and_then(|number| u32::try_from(number).ok());
        let Some(number) = number else {
            wrong(&mut found, &format!("/events/{at}/number"), "must be a whole number, 0 or more");
            continue;
        };
        // What the service itself reports under these names nobody else does.
        let plain = |name: &String| number < MOST_EVENTS && !is_reserved(name);
        if let Some(name) = kept(event.event_name, MOST_NAME).filter(plain) {
            events.push(VisitEvent {
                number,
                name,
                step: kept(event.step_name, MOST_NAME),
                video: kept(event.video_name, MOST_TEXT),
                text: kept(event.text, MOST_TEXT),
                ago: event.ago.and_then(Num::whole).unwrap_or_default(),
            });
        }
    }
    if !found.is_empty() {
        return answer::invalid(&found);
    }
    let added = app.store.add_visit_events(publish_id, session, events, ended, told(&app)).await;
    if ended {
        app.queued.notify_one();
    }
    match added {
        Ok(open) => answer::json(&json!({ "open": open && !ended })),
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
    let (form, mut found) = match read::<LeftInVisit>(&app.visitors.reports, peer, request).await {
        Ok(read) => read,
        Err(refused) => return refused,
    };
    let given = Collected {
        name: whole(form.name, MOST_TEXT, "/name", &mut found),
        email: whole(form.email, MOST_TEXT, "/email", &mut found),
        phone: whole(form.phone, MOST_NAME, "/phone", &mut found),
        consent: None,
    };
    // The page's own check is the stricter one.
    if given.email.as_deref().is_some_and(|email| !is_email(email)) {
        wrong(&mut found, "/email", "must be an e-mail address");
    }
    if found.is_empty() && given == Collected::default() {
        for member in ["/name", "/email", "/phone"] {
            wrong(&mut found, member, "must be given, or one of the other two");
        }
    }
    if !found.is_empty() {
        return answer::invalid(&found);
    }
    let agreed =
        Agreed { yes: form.consent == Some(true), shown: form.consent_version.filter(|shown| !shown.is_empty()) };
    match app.store.collect(publish_id, session, given, agreed, told(&app)).await {
        Ok(true) => {
            app.queued.notify_one();
            answer::json(&json!({ "collected": true }))
        }
        Ok(false) => {
            answer::refused(&StoreError::Conflict("This workspace doesn't ask viewers for contact details.".to_owned()))
        }
        Err(error) => answer::refused(&error),
    }
}

/// `POST /play/{publishId}/visits/{session}/purchase`: what the shop sold. An order is told of once; what comes
/// without a number of its order is another one each time.
pub(super) async fn purchase(
    State(app): State<Arc<App>>,
    Extension(peer): Extension<Peer>,
    PathId((publish_id, session)): PathId<(String, String)>,
    request: Request,
) -> Response {
    let (headers, body) = match arrived(&app.visitors.reports, peer, request).await {
        Ok(arrived) => arrived,
        Err(refused) => return refused,
    };
    let verified = match shop::verified(&app, &publish_id, &headers, &body).await {
        Ok(verified) => verified,
        Err(refused) => return refused,
    };
    let (bought, mut found) = match parse::<BoughtInVisit>(&body) {
        Ok(read) => read,
        Err(problem) => return answer::problem(&problem),
    };
    let order = whole(bought.order_id, MOST_NAME, "/orderId", &mut found);
    let currency = whole(bought.currency, MOST_NAME, "/currency", &mut found);
    // Which products they were only tells direct from indirect: no order is refused for the form that a shop gives them.
    found.retain(|finding| {
        let of_products = matches!(finding.at.first(), Some(Segment::Key(key)) if key == "products");
        !of_products || finding.fault == Fault::Invalid(NO_NUL.to_owned())
    });
    if !found.is_empty() {
        return answer::invalid(&found);
    }
    let mut products = bought.products.unwrap_or_default();
    products.truncate(MOST_AT_ONCE);
    let amount = bought.amount.map(|amount| amount.0);
    let parts = [order.clone(), amount.map(|amount| amount.to_string()), currency.clone()];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    // A signed message that comes again is the same purchase, also without a number.
    let id =
        order.or_else(|| shop::message(&headers).filter(|_| verified)).unwrap_or_else(|| Uuid::new_v4().to_string());
    let bought = Purchase { id, text, amount, currency, products, verified };
    match app.store.purchase(publish_id, session, bought, told(&app)).await {
        Ok(new) => {
            app.queued.notify_one();
            let mut said = json!({ "reported": new });
            if let Some(said) = said.as_object_mut().filter(|_| verified) {
                said.insert("verified".to_owned(), Value::Bool(true));
            }
            answer::json(&said)
        }
        Err(error) => answer::refused(&error),
    }
}
