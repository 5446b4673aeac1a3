//! The four catalog operations, §4.1.

use std::io::Write as _;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;

use super::App;
use super::answer::{finding, invalid, json, json_text, refused, unknown_store};
use super::answered::answers;
use super::asked::Asked;
use super::base_url::BaseUrl;
use crate::api::{CountProducts, GetProduct, GetProductMedia, ProductsCount};
use crate::domain::{Finding, Num, ProductSearch, Segment, StoreUrl};
use crate::service::search::{Query, cursor};
use crate::service::store::{Identity, PageAsk, PageWish, StoreError, StoreRow};

answers! {
    GetProduct => get_product,
    GetProductMedia => get_product_media,
    SearchProducts => search_products,
    CountProducts => count_products,
}

type Caller = Extension<Identity>;

/// Everything that is wrong with a request that names a store; that it names none of the workspace's is part of it.
async fn wrong(app: &App, identity: &Identity, app_url: &StoreUrl, mut findings: Vec<Finding>) -> Response {
    match app.store.store(identity.workspace, app_url.clone()).await {
        Ok(_) => {}
        Err(StoreError::UnknownStore(_)) => note_unknown_store(&mut findings),
        Err(error) => return refused(&error),
    }
    invalid(&findings)
}

fn note_unknown_store(findings: &mut Vec<Finding>) {
    let named = |finding: &Finding| finding.at.first() == Some(&Segment::Key("appUrl".to_owned()));
    if !findings.iter().any(named) {
        findings.push(unknown_store());
    }
}

/// `POST /products-service/getProduct`
async fn get_product(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    base: BaseUrl,
    Asked { body: ask, findings }: Asked<GetProduct>,
) -> Response {
    if !findings.is_empty() {
        return wrong(&app, &identity, &ask.app_url, findings).await;
    }
    let skip = ask.skip_variant_metafields == Some(true);
    match app.store.product_json(identity.workspace, ask.app_url, ask.product_id, skip, base.0).await {
        Err(error) => refused(&error),
        Ok(None) => json_text(r#"{"product":null}"#),
        Ok(Some(product)) => json_text([br#"{"product":"#, product.as_slice(), b"}"].concat()),
    }
}

/// `POST /products-service/getProductMedia`
async fn get_product_media(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    base: BaseUrl,
    Asked { body: ask, findings }: Asked<GetProductMedia>,
) -> Response {
    if !findings.is_empty() {
        return wrong(&app, &identity, &ask.app_url, findings).await;
    }
    match app.store.media_json(identity.workspace, ask.app_url, ask.product_id, base.0).await {
        Err(error) => refused(&error),
        Ok(media) => json_text(media.unwrap_or_else(|| b"[]".to_vec())),
    }
}

/// `POST /products-service/getProductsCount`: `strict` counts published products only.
async fn count_products(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    Asked { body: ask, findings }: Asked<CountProducts>,
) -> Response {
    if !findings.is_empty() {
        return wrong(&app, &identity, &ask.app_url, findings).await;
    }
    match app.store.store(identity.workspace, ask.app_url).await {
        Err(error) => refused(&error),
        Ok(store) => {
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
async fn search_products(
    State(app): State<Arc<App>>,
    Extension(identity): Caller,
    base: BaseUrl,
    asked: Asked<ProductSearch>,
) -> Response {
    let Asked { body: search, mut findings } = asked;
    let (app_url, secret) = (search.app_url.clone(), *app.store.cursor_key());
    let reached = search.cursor.as_ref().and_then(cursor::generation);
    let judge = move |store: Option<&StoreRow>| {
        if store.is_none() {
            note_unknown_store(&mut findings);
        }
        let query = Query::of(&search).map_err(|more| findings.extend(more)).ok();
        let judged = query.is_some() && !findings.iter().any(changes_the_search);
        if !judged && search.cursor.as_ref().is_some_and(|cursor| !cursor::is_formed(cursor)) {
            findings.push(finding("cursor", "is not a cursor of this service"));
        }
        let (Some(store), Some(query), true) = (store, query, judged) else { return Err(findings) };
        let fingerprint = query.fingerprint(store.id);
        let after = search.cursor.as_ref().map(|given| cursor::read(given, fingerprint, &secret));
        if after == Some(None) {
            findings.push(finding("cursor", "was changed, or comes from another search"));
        }
        if !findings.is_empty() {
            return Err(findings);
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
        Ok((ask, fingerprint))
    };
    match app.store.page(identity.workspace, (app_url, reached), judge).await {
        Err(error) => refused(&error),
        Ok((page, fingerprint)) => {
            let next = page.last.and_then(|last| cursor::write(last, page.generation, fingerprint, &secret));
            let mut json = page.json;
            let _ = match next {
                None => write!(json, r#","nextCursor":null,"hasMore":false}}"#),
                // Base64 needs no escaping.
                Some(next) => write!(json, r#","nextCursor":"{next}","hasMore":true}}"#),
            };
            json_text(json)
        }
    }
}
