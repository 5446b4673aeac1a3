//! The four catalog operations, §4.1.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;

use super::App;
use super::answer::{finding, invalid, json, json_text, refused, unknown_store};
use super::asked::Asked;
use super::routes::BaseUrl;
use crate::api::{CountProducts, GetProduct, GetProductMedia, ProductsCount};
use crate::domain::{Finding, Num, ProductSearch, Segment, StoreUrl};
use crate::service::search::{Query, cursor};
use crate::service::store::{Identity, PageAsk, PageWish, StoreError, StoreRow};

type Caller = Extension<Identity>;

/// The store of a request; where the workspace has none, one finding more.
async fn store(
    app: &App,
    identity: &Identity,
    app_url: &StoreUrl,
    findings: &mut Vec<Finding>,
) -> Result<Option<StoreRow>, StoreError> {
    match app.store.store(identity.workspace, app_url.clone()).await {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::UnknownStore(_)) => {
            let named = |finding: &Finding| finding.at.first() == Some(&Segment::Key("appUrl".to_owned()));
            if !findings.iter().any(named) {
                findings.push(unknown_store());
            }
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// `POST /products-service/getProduct`
pub(super) async fn get_product(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    Extension(base): Extension<BaseUrl>,
    mut asked: Asked<GetProduct>,
) -> Response {
    if let Err(error) = store(&app, &identity, &asked.body.app_url, &mut asked.findings).await {
        return refused(&error);
    }
    let ask = match asked.valid() {
        Ok(ask) => ask,
        Err(findings) => return invalid(&findings),
    };
    let skip = ask.skip_variant_metafields == Some(true);
    match app.store.product_json(identity.workspace, ask.app_url, ask.product_id, skip, base.0).await {
        Err(error) => refused(&error),
        Ok(None) => json_text(r#"{"product":null}"#),
        Ok(Some(product)) => json_text([br#"{"product":"#, product.as_slice(), b"}"].concat()),
    }
}

/// `POST /products-service/getProductMedia`
pub(super) async fn get_product_media(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    Extension(base): Extension<BaseUrl>,
    mut asked: Asked<GetProductMedia>,
) -> Response {
    if let Err(error) = store(&app, &identity, &asked.body.app_url, &mut asked.findings).await {
        return refused(&error);
    }
    let ask = match asked.valid() {
        Ok(ask) => ask,
        Err(findings) => return invalid(&findings),
    };
    match app.store.media_json(identity.workspace, ask.app_url, ask.product_id, base.0).await {
        Err(error) => refused(&error),
        Ok(media) => json_text(media.unwrap_or_else(|| b"[]".to_vec())),
    }
}

/// `POST /products-service/getProductsCount`: `strict` counts published products only.
pub(super) async fn count_products(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    mut asked: Asked<CountProducts>,
) -> Response {
    let store = match store(&app, &identity, &asked.body.app_url, &mut asked.findings).await {
        Ok(store) => store,
        Err(error) => return refused(&error),
    };
    match (asked.valid(), store) {
        (Err(findings), _) => invalid(&findings),
        (Ok(_), None) => invalid(&[unknown_store()]),
        (Ok(ask), Some(store)) => {
            let total = if ask.strict == Some(true) { store.published } else { store.products };
            json(&ProductsCount { total: Num::from(total), ..ProductsCount::default() })
        }
    }
}

/// Whether a finding is about a member that a cursor is bound to: with it, another search's cursor can't be told from
/// this one's.
fn changes_the_search(finding: &Finding) -> bool {
    const BOUND: [&str; 6] = ["appUrl", "searchTerm", "filters", "sortBy", "sortDirection", "publishedOnly"];
    matches!(finding.at.first(), Some(Segment::Key(key)) if BOUND.contains(&key.as_str()))
}

/// `POST /products-service/searchProductsCursor`
pub(super) async fn search_products(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    Extension(base): Extension<BaseUrl>,
    asked: Asked<ProductSearch>,
) -> Response {
    let Asked { body: search, mut findings } = asked;
    let store = match store(&app, &identity, &search.app_url, &mut findings).await {
        Ok(store) => store,
        Err(error) => return refused(&error),
    };
    let query = Query::of(&search).map_err(|more| findings.extend(more)).ok();
    let judged = query.is_some() && !findings.iter().any(changes_the_search);
    if !judged && search.cursor.as_ref().is_some_and(|cursor| !cursor::is_formed(cursor)) {
        findings.push(finding("cursor", "is no cursor of this service"));
    }
    let (Some(store), Some(query), true) = (store, query, judged) else { return invalid(&findings) };
    let (fingerprint, secret) = (query.fingerprint(store.id), app.store.cursor_key());
    let after = search.cursor.as_ref().map(|given| cursor::read(given, fingerprint, secret));
    if after == Some(None) {
        findings.push(finding("cursor", "was changed, or comes from another search"));
    }
    if !findings.is_empty() {
        return invalid(&findings);
    }
    let include = search.include.unwrap_or_default();
    let ask = PageAsk {
        query,
        limit: search.limit.unwrap_or_default().get(),
        after: after.flatten(),
        wish: PageWish {
            media: include.media == Some(true),
            variants: include.variants == Some(true),
            analysis: include.analysis.is_some(),
        },
        base_url: base.0,
    };
    match app.store.page(store.id, ask).await {
        Err(error) => refused(&error),
        Ok(page) => {
            let next = page.last.and_then(|last| cursor::write(last, fingerprint, secret));
            let end = match next {
                None => r#","nextCursor":null,"hasMore":false}"#.to_owned(),
                // Base64 needs no escaping.
                Some(next) => format!(r#","nextCursor":"{next}","hasMore":true}}"#),
            };
            json_text([br#"{"products":"#, page.products.as_slice(), end.as_bytes()].concat())
        }
    }
}
