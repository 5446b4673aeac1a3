//! Which path leads where: the paths and methods of §4 come from the operations themselves.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, get, on};
use axum::{Router, middleware};
use http::header::{CONNECTION, HeaderName, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderValue, Uri};
use tower::ServiceExt as _;
use uuid::Uuid;

use super::activity::Activity;
use super::base_url::BaseUrl;
use super::slowing::Peer;
use super::{
    App, access, answer, catalog, deliveries, guard, identity, oauth, openapi, player, projects, sample_files, steps,
    unread, upload, videos, webhooks,
};
use crate::api::{
    CountProducts, CreateProject, CreateStep, CreateVideo, CreateWebhook, DeleteAsset, DeleteProject, DeleteStep,
    DeleteWebhook, ExchangeKey, GetProduct, GetProductMedia, GetProject, GetProjectByPost, ListFolders, ListProjects,
    ListVideos, ListWebhooks, Me, Method, OPERATIONS, Operation as _, Problem, Row, SearchProducts, UpdateProject,
    UpdateStep, UploadVideo,
};
use crate::service::address;
use crate::service::store::Identity;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// How long an answer may take to be made, body of the request included.
const ANSWER_TIME: Duration = Duration::from_secs(60);

/// A request whose head has two lengths.
#[derive(Debug, Clone, Copy)]
pub(super) struct TwoLengths;

/// Every path of the service.
pub(crate) fn router(app: Arc<App>) -> Router {
    let mut router = Router::new()
        .route("/healthz", get(health))
        .route("/openapi.json", get(openapi::openapi))
        .route("/sample/{*path}", get(sample_files::answer))
        .route(&format!("{}{{id}}", address::VIDEO_FILES), get(videos::file))
        .merge(oauth::routes())
        .merge(player::routes())
        .merge(deliveries::routes());
    for row in OPERATIONS {
        // A slash at the end is taken off before a request comes here.
        router = router.route(row.path.trim_end_matches('/'), route(&row));
    }
    // Around routes only: what is no path or no method of one changes nothing.
    let router = router.route_layer(middleware::from_fn_with_state(Arc::clone(&app), access::watch));
    router.fallback(unknown_path).method_not_allowed_fallback(other_method).with_state(app)
}

fn route(row: &Row) -> MethodRouter<Arc<App>> {
    let method = match row.method {
        Method::Get => MethodFilter::GET,
        Method::Post => MethodFilter::POST,
        Method::Put => MethodFilter::PUT,
        Method::Delete => MethodFilter::DELETE,
    };
    match row.name {
        name if name == GetProduct::ROW.name => on(method, catalog::get_product),
        name if name == GetProductMedia::ROW.name => on(method, catalog::get_product_media),
        name if name == SearchProducts::ROW.name => on(method, catalog::search_products),
        name if name == CountProducts::ROW.name => on(method, catalog::count_products),
        name if name == ExchangeKey::ROW.name => on(method, identity::exchange),
        name if name == Me::ROW.name => on(method, identity::me),
        name if name == CreateProject::ROW.name => on(method, projects::create),
        name if name == ListProjects::ROW.name => on(method, projects::list),
        name if name == GetProject::ROW.name => on(method, projects::get),
        name if name == GetProjectByPost::ROW.name => on(method, projects::get_by_post),
        name if name == UpdateProject::ROW.name => on(method, projects::update),
        name if name == DeleteProject::ROW.name => on(method, projects::delete),
        name if name == ListFolders::ROW.name => on(method, projects::folders),
        name if name == CreateStep::ROW.name => on(method, steps::create),
        name if name == UpdateStep::ROW.name => on(method, steps::update),
        name if name == DeleteStep::ROW.name => on(method, steps::delete),
        name if name == CreateVideo::ROW.name => on(method, videos::create),
        name if name == UploadVideo::ROW.name => on(method, upload::upload),
        name if name == ListVideos::ROW.name => on(method, videos::list),
        name if name == DeleteAsset::ROW.name => on(method, videos::delete),
        name if name == CreateWebhook::ROW.name => on(method, webhooks::create),
        name if name == ListWebhooks::ROW.name => on(method, webhooks::list),
        name if name == DeleteWebhook::ROW.name => on(method, webhooks::delete),
        // Every row of §4 is above; the test that walks them would meet this.
        name => on(method, move || std::future::ready(not_here(name))),
    }
}

/// Answers one request: credentials come before paths, methods and bodies.
pub(super) async fn respond(app: Arc<App>, router: Router, request: Request) -> Response {
    let started = Instant::now();
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
        let why = "A request has a Content-Length or a Transfer-Encoding, not both.";
        let mut refusal = answer::problem(&Problem::new(400, why));
        refusal.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        return Err(refusal);
    }
    if let Some(refusal) = app.ingress.other_host(parts) {
        return Err(refusal);
    }
    guard::admit(app, parts).await?;
    if let (Some(_), Some(activity)) = (parts.extensions.get::<Identity>(), parts.extensions.get::<Arc<Activity>>()) {
        activity.is_known();
    }
    Ok(())
}

async fn answer_within(
    limit: Option<Duration>,
    answering: impl Future<Output = Result<Response, Infallible>>,
) -> Response {
    let answered = match limit {
        None => answering.await,
        Some(limit) => match tokio::time::timeout(limit, answering).await {
            Ok(answered) => answered,
            Err(_) => return answer::problem(&Problem::new(503, "The service was too busy to answer in a minute.")),
        },
    };
    match answered {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

async fn health(State(app): State<Arc<App>>) -> Response {
    answer::json(&serde_json::json!({ "status": "ok", "instance": app.instance }))
}

fn not_here(operation: &'static str) -> Response {
    answer::problem(&Problem::new(501, format!("The local service does not answer {operation}.")))
}

async fn unknown_path() -> Response {
    answer::problem(&Problem::new(404, "There is nothing at this path."))
}

async fn other_method() -> Response {
    answer::problem(&Problem::new(405, "This path has other methods; Allow names them."))
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
