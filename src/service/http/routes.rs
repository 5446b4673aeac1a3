//! Which path leads where: the paths and methods of operations come from their table.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, get};
use axum::{Router, middleware};
use http::header::{CONNECTION, HeaderName, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderValue, Uri};
use tower::ServiceExt as _;
use uuid::Uuid;

use super::activity::Activity;
use super::answered::Answered as _;
use super::base_url::BaseUrl;
use super::slowing::Peer;
use super::{
    App, access, answer, captions, guard, metrics, oauth, openapi, player, readiness, sample_files, unread, videos,
};
use crate::api::{self, Method, Operation, Problem, UploadVideo, each_operation};
use crate::domain::{Finding, NO_NUL};
use crate::service::address;
use crate::service::store::Identity;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// How long an answer may take to be made, body of the request included.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// Parameters of a query that are named at most.
const MOST_NAMED: usize = 100;

/// A request whose head has two lengths.
#[derive(Debug, Clone, Copy)]
pub(super) struct TwoLengths;

/// Every path of the service.
pub(crate) fn router(app: Arc<App>) -> Router {
    let router = Router::new()
        .route(guard::HEALTH, get(readiness::health))
        .route("/readyz", get(readiness::ready))
        .route(metrics::METRICS, get(metrics::metrics))
        .route("/openapi.json", get(openapi::openapi))
        .route("/sample/{*path}", get(sample_files::answer))
        .route(&format!("{}{{id}}", address::VIDEO_FILES), get(videos::file))
        .merge(oauth::routes())
        .merge(player::routes())
        .merge(captions::routes());
    // Around routes only: what is no path or no method of one changes nothing.
    let router = operations(router).route_layer(middleware::from_fn_with_state(Arc::clone(&app), access::watch));
    let router = router.route_layer(middleware::from_fn(metrics::with_route));
    router.fallback(unknown_path).method_not_allowed_fallback(other_method).with_state(app)
}

/// The paths of the operations; each of them is [`Answered`].
macro_rules! routes {
    ($( $operation:ident )*) => {
        [$( (api::$operation::ROW, api::$operation::route as fn(MethodFilter) -> MethodRouter<Arc<App>>) ),*]
    };
}

fn operations(router: Router<Arc<App>>) -> Router<Arc<App>> {
    each_operation!(routes).into_iter().fold(router, |router, (row, route)| {
        let method = match row.method {
            Method::Get => MethodFilter::GET,
            Method::Post => MethodFilter::POST,
            Method::Put => MethodFilter::PUT,
            Method::Delete => MethodFilter::DELETE,
        };
        // A slash at the end is taken off before a request comes here.
        router.route(row.path.trim_end_matches('/'), route(method))
    })
}

/// Answers one request: credentials come before paths, methods and bodies.
pub(super) async fn respond(app: Arc<App>, router: Router, request: Request) -> Response {
    let started = Instant::now();
    let _in_flight = app.metrics.begin();
    let request_id = Uuid::new_v4().simple().to_string();
    let (mut parts, body) = request.into_parts();
    without_last_slash(&mut parts.uri);
    let (method, path) = (parts.method.clone(), parts.uri.path().to_owned());
    let waits = unread::waits(&parts.headers);
    let (body, begun) = unread::watched(body, &parts.headers);
    let mut response = if let Err(refusal) = admit(&app, &mut parts).await {
        refusal
    } else {
        if let Some(base) = BaseUrl::known(&app, &parts) {
            parts.extensions.insert(base);
        }
        // An upload lasts as long as its bytes keep coming, which its handler minds.
        let limit = if path == UploadVideo::ROW.path { None } else { Some(ANSWER_TIME) };
        answer_within(limit, router.oneshot(Request::from_parts(parts, body))).await
    };
    if waits && !begun.is() {
        // It was not told to go on: what it sends next may be the body or another request.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    app.metrics.answered(&method, &response, started.elapsed());
    let (status, ms) = (response.status().as_u16(), started.elapsed().as_millis());
    tracing::info!(%method, path = &*told(&path), status, ms, request_id, "answered");
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&request_id) {
        headers.insert(REQUEST_ID, value);
    }
    // Whatever an answer is, it is what its type says.
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Every path is the same with a slash at its end. What has several there is another one.
fn without_last_slash(uri: &mut Uri) {
    let Some(bare) = uri.path().strip_suffix('/').filter(|bare| !bare.is_empty() && !bare.ends_with('/')) else {
        return;
    };
    let bare = match uri.query() {
        None => bare.to_owned(),
        Some(query) => format!("{bare}?{query}"),
    };
    if let Ok(path) = PathAndQuery::try_from(bare) {
        let mut parts = std::mem::take(uri).into_parts();
        parts.path_and_query = Some(path);
        *uri = Uri::from_parts(parts).unwrap_or_default();
    }
}

/// A path as the log has it: whoever knows a visit's session may add to it, so that is left out.
fn told(path: &str) -> Cow<'_, str> {
    const VISITS: &str = "/visits/";
    let visit = path.strip_prefix(address::PLAYER).and_then(|rest| rest.split_once(VISITS));
    let Some((publish_id, session)) = visit else { return Cow::Borrowed(path) };
    let rest = session.split_once('/').map_or(String::new(), |(_, what)| format!("/{what}"));
    Cow::Owned(format!("{}{publish_id}{VISITS}…{rest}", address::PLAYER))
}

/// Lets a request pass that is sound, was meant for this service and may be asked by who asks it.
async fn admit(app: &Arc<App>, parts: &mut Parts) -> Result<(), Response> {
    if let Some(peer) = parts.extensions.get::<Peer>().copied() {
        parts.extensions.insert(app.ingress.client(peer, &parts.headers));
    }
    if parts.extensions.get::<TwoLengths>().is_some() {
        let why = "A request must not have both Content-Length and Transfer-Encoding.";
        let mut refusal = answer::problem(&Problem::new(400, why));
        refusal.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        return Err(refusal);
    }
    if let Some(refusal) = app.ingress.other_host(parts) {
        return Err(refusal);
    }
    guard::admit(app, parts).await?;
    without_nul(&parts.uri)?;
    if let (Some(_), Some(activity)) = (parts.extensions.get::<Identity>(), parts.extensions.get::<Arc<Activity>>()) {
        activity.is_known();
    }
    Ok(())
}

/// Refuses an address with U+0000 in it. The pages of the authorization server read their questions themselves, for they
/// answer with pages.
#[allow(clippy::result_large_err)] // A refusal is an answer, as everywhere here.
fn without_nul(uri: &Uri) -> Result<(), Response> {
    if uri.path().contains("%00") {
        return Err(answer::problem(&Problem::new(400, format!("The path {NO_NUL}."))));
    }
    let Some(query) = uri.query().filter(|query| query.contains("%00") && !uri.path().starts_with(address::OAUTH))
    else {
        return Ok(());
    };
    let with_nul = url::form_urlencoded::parse(query.as_bytes());
    let with_nul = with_nul.filter(|(name, value)| name.contains('\0') || value.contains('\0'));
    let findings: Vec<Finding> = with_nul.take(MOST_NAMED).map(|(name, _)| answer::finding(&name, NO_NUL)).collect();
    if findings.is_empty() { Ok(()) } else { Err(answer::invalid(&findings)) }
}

async fn answer_within(
    limit: Option<Duration>,
    answering: impl Future<Output = Result<Response, Infallible>>,
) -> Response {
    let answered = match limit {
        None => answering.await,
        Some(limit) => match tokio::time::timeout(limit, answering).await {
            Ok(answered) => answered,
            Err(_) => {
                return answer::problem(&Problem::new(503, "The service was too busy to respond within a minute."));
            }
        },
    };
    match answered {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

async fn unknown_path() -> Response {
    answer::problem(&Problem::new(404, "There is nothing at this path."))
}

async fn other_method() -> Response {
    answer::problem(&Problem::new(405, "This path doesn't support the method; see the Allow header."))
}

#[cfg(test)]
mod tests {
    use http::Uri;

    use super::{told, without_last_slash};

    #[test]
    fn a_slash_at_the_end_is_no_other_path() {
        for (given, bare) in [
            ("/webhooks/", "/webhooks"),
            ("/webhooks", "/webhooks"),
            ("/projects/?a=/", "/projects?a=/"),
            ("/projects/%2F/", "/projects/%2F"),
            ("/projects//", "/projects//"),
            ("/", "/"),
            ("//", "//"),
            ("http://h:1/users/me/?x", "http://h:1/users/me?x"),
            ("*", "*"),
        ] {
            let mut uri: Uri = given.parse().unwrap();
            without_last_slash(&mut uri);
            assert_eq!(uri, bare.parse::<Uri>().unwrap(), "{given}");
        }
    }

    #[test]
    fn sessions_of_visits_are_not_told() {
        assert_eq!(told("/play/pub-1/visits/5e55-10/events"), "/play/pub-1/visits/…/events");
        assert_eq!(told("/play/pub-1/visits/5e55-10"), "/play/pub-1/visits/…");
        for path in ["/play/pub-1/visits", "/play/pub-1/project", "/projects/visits/1", "/"] {
            assert_eq!(told(path), path);
        }
    }
}
