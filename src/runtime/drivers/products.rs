//! The driver of the catalog: asks, reads what came off the loop, and reports rows and records.

use std::collections::BTreeSet;

use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::checking;
use super::context::{Answer, Context, Driver};
use crate::api::{CountProducts, GetProduct, ProductPage, SearchProducts};
use crate::client::Client;
use crate::domain::{
    Analysis, Finding, FoundProduct, Include, IncludeAnalysis, Num, PageSize, ProductFilters, ProductId, ProductSearch,
    StoreUrl,
};
use crate::runtime::export::export;
use crate::runtime::failure;
use crate::studio::event::{Event, Failure, RequestId};
use crate::studio::products::{Effect, Event as OfProducts, Gathered, Page, Record};
use crate::studio::{Facets, Row, Seen, description_lines};

/// Carries out what the Products screen asks for.
#[derive(Default)]
pub struct ProductsDriver;

impl Driver for ProductsDriver {
    type Effect = Effect;

    fn answer(&self, effect: Effect, context: Context) -> Answer<Effect> {
        Box::pin(answered(effect, context))
    }
}

async fn answered(effect: Effect, context: Context) -> Option<OfProducts> {
    // What is ignored is kept without a connection, too.
    if let Effect::Check(asked) = effect {
        return Some(OfProducts::Check(Box::pin(checking::products(asked, context)).await?));
    }
    let client = context.client()?;
    Some(match effect {
        Effect::Search { request, search: asked, .. } => {
            OfProducts::PageArrived { request, page: search(&client, *asked, &context).await }
        }
        Effect::Count { request, store } => OfProducts::CountArrived { request, total: count(&client, store).await },
        Effect::FetchProduct { request, store, product, .. } => {
            OfProducts::ProductArrived { request, product: fetch(&client, store, product, &context).await }
        }
        Effect::FetchAnalysis { request, store, product, timeout_ms, .. } => {
            OfProducts::AnalysisArrived { request, analysis: analyze(&client, store, product, timeout_ms).await }
        }
        Effect::FetchFacets { request, store, products, timeout_ms } => {
            OfProducts::FacetsArrived { request, facets: facets(&client, store, products, timeout_ms).await }
        }
        Effect::Gather { request, search: asked } => gather(client, request, *asked, context.events).await,
        Effect::Export { request, export: asked } => match context.files() {
            Ok(files) => export(client, files, request, *asked, context.events).await,
            Err(why) => OfProducts::Exported { request, done: 0, ended: Some(Err(why)) },
        },
        // What is remembered has a keeper of its own.
        Effect::Check(_) | Effect::Remember(_) => return None,
    })
}

/// How many findings of an answer are told in words.
const TOLD_FINDINGS: usize = 20;

pub(super) fn told(findings: &[Finding]) -> Vec<String> {
    findings.iter().take(TOLD_FINDINGS).map(ToString::to_string).collect()
}

/// Asks for a page of products.
async fn search(client: &Client, search: ProductSearch, context: &Context) -> Result<Page, Failure> {
    let answer = client.call(&SearchProducts(search)).await.map_err(|error| failure(&error))?;
    let read = context.tasks.block(move || page_of(&answer.value, &answer.findings)).await;
    read.map_err(|lost| Failure::new(lost.to_string()))
}

fn page_of(page: &ProductPage, findings: &[Finding]) -> Page {
    let mut seen = Seen::default();
    page.products.iter().for_each(|found| seen.note(found));
    Page {
        rows: page.products.iter().map(Row::of).collect(),
        next: page.next().cloned(),
        seen,
        findings: told(findings),
        findings_count: findings.len(),
    }
}

/// Asks how many products a store has.
async fn count(client: &Client, store: StoreUrl) -> Result<u64, Failure> {
    let operation = CountProducts { app_url: store, ..CountProducts::default() };
    let answer = client.call(&operation).await.map_err(|error| failure(&error))?;
    match answer.value.total.whole().and_then(|total| u64::try_from(total).ok()) {
        Some(total) if answer.findings.iter().all(|finding| finding.path() != "total") => Ok(total),
        _ => Err(Failure::new("The service didn't send the number of products.")),
    }
}

/// Asks for a product's record.
async fn fetch(
    client: &Client,
    store: StoreUrl,
    product: ProductId,
    context: &Context,
) -> Result<Option<Box<Record>>, Failure> {
    let operation = GetProduct { app_url: store, product_id: product.clone(), ..GetProduct::default() };
    let answer = client.call(&operation).await.map_err(|error| failure(&error))?;
    // Descriptions can be long and broken: they are read here, not in the loop.
    let record = context.tasks.block(move || {
        let raw = serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
        let findings = told(&answer.findings);
        answer.value.product.map(|read| {
            let raw = raw.get("product").cloned().unwrap_or_default();
            let description = description_lines(read.description_html.as_deref(), read.description.as_deref());
            Box::new(Record { id: product, product: read, raw, description, findings })
        })
    });
    record.await.map_err(|_| Failure::new("Couldn't read the product's description."))
}

/// Asks for the analyses of products in the list; those that are still pending are left out.
async fn facets(
    client: &Client,
    store: StoreUrl,
    products: Vec<ProductId>,
    timeout_ms: u32,
) -> Result<Vec<(ProductId, Facets)>, String> {
    let asked = SearchProducts(analysis_of(store, &products, timeout_ms));
    let answer = client.call(&asked).await.map_err(|error| error.to_string())?;
    let known = answer.value.products.iter().filter_map(|found| {
        let facets = Facets::of(found).filter(|facets| *facets != Facets::Pending)?;
        Some((found.product.external_product_id.clone(), facets))
    });
    Ok(known.collect())
}

/// Follows a search to its end and reports the ids of what it finds, page by page.
pub async fn gather(
    client: Client,
    request: RequestId,
    mut search: ProductSearch,
    events: UnboundedSender<Event>,
) -> OfProducts {
    let mut followed = BTreeSet::new();
    let gathered = loop {
        let page = match client.call(&SearchProducts(search.clone())).await {
            Ok(answer) => answer.value,
            Err(error) => break Gathered::Failed(error.to_string()),
        };
        let ids = page.products.iter().map(|found| found.product.external_product_id.clone()).collect();
        let _ = events.send(Event::Products(OfProducts::Gathered { request, gathered: Gathered::Some(ids) }));
        let Some(next) = page.next().cloned() else { break Gathered::All };
        if !followed.insert(next.clone()) {
            break Gathered::Failed("the service keeps returning the same page".to_owned());
        }
        search.cursor = Some(next);
    };
    OfProducts::Gathered { request, gathered }
}

/// The search that carries the analyses of products, and nothing else that can be left out.
fn analysis_of(store: StoreUrl, products: &[ProductId], timeout_ms: u32) -> ProductSearch {
    let analysis = Some(IncludeAnalysis { timeout_ms: Some(Num::from(timeout_ms)) });
    let ids = products.iter().map(|product| product.as_str().to_owned()).collect();
    ProductSearch {
        app_url: store,
        limit: i64::try_from(products.len()).ok().and_then(|count| PageSize::new(count.clamp(1, 500)).ok()),
        include: Some(Include { analysis, ..Include::default() }),
        filters: Some(ProductFilters { product_id: Some(ids), ..ProductFilters::default() }),
        ..ProductSearch::default()
    }
}

/// Asks for a product's analysis, which only searches carry.
async fn analyze(
    client: &Client,
    store: StoreUrl,
    product: ProductId,
    timeout_ms: u32,
) -> Result<Option<Box<Analysis>>, Failure> {
    let search = analysis_of(store, std::slice::from_ref(&product), timeout_ms);
    let answer = client.call(&SearchProducts(search)).await.map_err(|error| failure(&error))?;
    let found = answer.value.products.into_iter().find(|found| found.product.external_product_id == product);
    Ok(found.and_then(|FoundProduct { analysis, .. }| analysis).map(Box::new))
}
