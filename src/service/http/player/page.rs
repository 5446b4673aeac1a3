//! The page itself, and what it plays.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use http::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, StatusCode};

use super::brand::Brand;
use super::language::{self, Language};
use super::{files, story};
use crate::api::Problem;
use crate::service::http::base_url::BaseUrl;
use crate::service::http::page::{escaped, filled};
use crate::service::http::written::PathId;
use crate::service::http::{App, answer};
use crate::service::store::Played;
use crate::service::timing::milliseconds;

const PAGE: &str = include_str!("../../../../assets/player/player.html");
const MISSING: &str = include_str!("../../../../assets/player/missing.html");

/// Only our own script and style; videos and posters may be registered from anywhere. Shops put the page into frames of
/// their own pages: the workspace says which (`frame-ancestors`).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' http: https: data:; media-src 'self' http: https:; form-action 'none'; base-uri 'none'";

/// The policy of a page that these origins may embed (all, where nothing is said), with the style that stands in it.
fn policy(embed: Option<&[String]>, brand: &Brand) -> HeaderValue {
    let mut policy = POLICY.replace("style-src 'self'", &format!("style-src 'self' {}", brand.style_source));
    policy = policy.replace("script-src 'self'", &format!("script-src 'self' {}", files::late().1));
    if brand.loads_font {
        policy.push_str("; font-src https:");
    }
    match embed {
        None => {}
        Some([]) => policy.push_str("; frame-ancestors 'none'"),
        Some(origins) => policy.extend(["; frame-ancestors ", &origins.join(" ")]),
    }
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"))
}

fn html(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(VARY, HeaderValue::from_static("accept-language"));
    response
}

/// The question of the page's address.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Shown {
    /// The language of the interface, BCP 47; that of the viewer's browser where nothing is said.
    lang: Option<String>,
    /// Whether it is a floating bubble of a shop's page: then it begins as a preview.
    bubble: Option<String>,
}

/// `GET /play/{publishId}`
pub(super) async fn page(
    State(app): State<Arc<App>>,
    BaseUrl(base): BaseUrl,
    PathId(publish_id): PathId,
    shown: Result<Query<Shown>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let Query(shown) = shown.unwrap_or_default();
    let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let asked = shown.lang.as_deref();
    match app.store.played(publish_id, base.clone()).await {
        Err(error) => answer::refused(&error),
        Ok(None) => {
            let language = language::choose(None, asked, accepted);
            let values: Vec<_> = frame(language, language.code).collect();
            html(StatusCode::NOT_FOUND, filled(MISSING, &values))
        }
        Ok(Some(played)) => {
            let own = played.settings.language.as_deref();
            let language = language::choose(own, asked, accepted);
            // The page is in the project's own language where its texts are, if only in another spelling of it.
            let lang = own.filter(|own| language.is_of(own)).unwrap_or(language.code);
            let mut brand = Brand::of(&played, language, lang);
            if shown.bubble.is_some() {
                brand.attributes.push_str(" data-bubble=\"preview\"");
            }
            whole(&app, &played, &brand, &base, (language, lang))
        }
    }
}

/// The page of a project.
fn whole(app: &App, played: &Played, brand: &Brand, base: &str, (language, lang): (&Language, &str)) -> Response {
    let heartbeat = milliseconds(app.timing.heartbeat).to_string();
    let (share, story) = (story::share(played, base), story::story(played, language));
    let (name, publish, texts) = (escaped(&played.name), escaped(&played.publish_id), escaped(language.json));
    // Who is told of the visit by message; nobody where nobody may embed it.
    let embed = played.embed.as_ref().map_or_else(|| "*".to_owned(), |origins| escaped(&origins.join(" ")));
    let lang = escaped(lang);
    let values = [
        ("name", &*name),
        ("publish", &publish),
        ("heartbeat", &heartbeat),
        ("texts", &texts),
        ("share", &share),
        ("story", &story),
        ("embed", &embed),
        ("attributes", &brand.attributes),
        ("theme", &brand.theme),
        ("late", files::late().0),
        ("icon", &brand.icon),
        ("style", &brand.style),
        ("logo", &brand.logo),
        ("form", &brand.form),
        ("shop", &brand.shop),
        ("end_text", &brand.end_text),
        ("content_lang", &brand.content_lang),
        ("content", &brand.content),
    ];
    let mut response = html(StatusCode::OK, filled(PAGE, &frame(language, &lang).chain(values).collect::<Vec<_>>()));
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy(played.embed.as_deref(), brand));
    response
}

/// What every page of the player fills in: its language and the interface's texts.
fn frame<'a>(language: &'a Language, lang: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    [("files", files::folder()), ("lang", lang), ("dir", language.direction())].into_iter().chain(language.texts())
}

/// `GET /play/{publishId}/project`
pub(super) async fn project(
    State(app): State<Arc<App>>,
    BaseUrl(base): BaseUrl,
    PathId(publish_id): PathId,
) -> Response {
    match app.store.played(publish_id, base).await {
        Err(error) => answer::refused(&error),
        Ok(None) => answer::problem(&Problem::new(404, "There is no such video.")),
        Ok(Some(played)) => answer::json(&played),
    }
}

/// `GET /play/{publishId}/steps/{name}/products`
pub(super) async fn products(
    State(app): State<Arc<App>>,
    BaseUrl(base): BaseUrl,
    PathId((publish_id, step)): PathId<(String, String)>,
) -> Response {
    match app.store.played_products(publish_id, step, base).await {
        Err(error) => answer::refused(&error),
        Ok(None) => answer::problem(&Problem::new(404, "There is no such step.")),
        Ok(Some(products)) => answer::json(&serde_json::json!({ "products": products })),
    }
}
