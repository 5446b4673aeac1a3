//! The driver of the catalog: asks, reads what came off the loop, and reports rows and records.

use std::collections::BTreeSet;

use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::context::{Context, Driver, NOT_CONNECTED};
use crate::api::{CountProducts, GetProduct, ProductPage, SearchProducts};
use crate::client::Client;
use crate::domain::{
    Finding, FoundProduct, Include, IncludeAnalysis, Num, PageSize, ProductFilters, ProductId, ProductSearch, StoreUrl,
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

    fn carry_out(&mut self, effect: Effect, context: &Context) {
        let lost = || Failure::new(NOT_CONNECTED);
        match effect {
            Effect::Search { request, search: asked, after_ms } => {
                let gone = Event::Products(OfProducts::PageArrived { request, page: Err(lost()) });
                context.ask(request, after_ms, gone, |client| search(client, request, *asked));
            }
            Effect::Count { request, store } => {
                let gone = Event::Products(OfProducts::CountArrived { request, total: Err(lost()) });
                context.ask(request, 0, gone, |client| count(client, request, store));
            }
            Effect::FetchProduct { request, store, product, after_ms } => {
                let gone = Event::Products(OfProducts::ProductArrived { request, product: Err(lost()) });
                context.ask(request, after_ms, gone, |client| fetch(client, request, store, product));
            }
            Effect::FetchAnalysis { request, store, product, timeout_ms, after_ms } => {
                let gone = Event::Products(OfProducts::AnalysisArrived { request, analysis: Err(lost()) });
                let ask = |client| analyse(client, request, store, product, timeout_ms);
                context.ask(request, after_ms, gone, ask);
            }
            Effect::FetchFacets { request, store, products, timeout_ms } => {
                let gone = Event::Products(OfProducts::FacetsArrived { request, facets: Err(lost().what) });
                let ask = |client| facets(client, request, store, products, timeout_ms);
                context.ask(request, 0, gone, ask);
            }
            Effect::Gather { request, search: asked } => {
                let reports = context.events.clone();
                let gone = Event::Products(OfProducts::Gathered { request, gathered: Gathered::Failed(lost().what) });
                context.ask(request, 0, gone, |client| gather(client, request, *asked, reports));
            }
            Effect::Export { request, export: asked } => {
                let ended = |why| Event::Products(OfProducts::Exported { request, done: 0, ended: Some(Err(why)) });
                let files = match context.files() {
                    Ok(files) => files,
                    Err(why) => return context.tell(ended(why)),
                };
                let reports = context.events.clone();
                let gone = ended("not connected to the service yet".to_owned());
                context.ask(request, 0, gone, |client| export(client, files, request, *asked, reports));
            }
            // What is remembered has a keeper of its own.
            Effect::Remember(_) => {}
        }
    }
}

/// How many findings of an answer are told in words.
const TOLD_FINDINGS: usize = 20;

pub(super) fn told(findings: &[Finding]) -> Vec<String> {
    findings.iter().take(TOLD_FINDINGS).map(ToString::to_string).collect()
}

/// Asks for a page of products.
async fn search(client: Client, request: RequestId, search: ProductSearch) -> Event {
    let page = match client.call(&SearchProducts(search)).await {
        Ok(answer) => Ok(page_of(&answer.value, &answer.findings)),
        Err(error) => Err(failure(&error)),
    };
    Event::Products(OfProducts::PageArrived { request, page })
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
async fn count(client: Client, request: RequestId, store: StoreUrl) -> Event {
    let operation = CountProducts { app_url: store, ..CountProducts::default() };
    let total = match client.call(&operation).await {
        Ok(answer) => match answer.value.total.whole().and_then(|total| u64::try_from(total).ok()) {
            Some(total) if answer.findings.iter().all(|finding| finding.path() != "total") => Ok(total),
            _ => Err(Failure::new("The service didn't send the number of products.")),
        },
        Err(error) => Err(failure(&error)),
    };
    Event::Products(OfProducts::CountArrived { request, total })
}

/// Asks for a product's record.
async fn fetch(client: Client, request: RequestId, store: StoreUrl, product: ProductId) -> Event {
    let operation = GetProduct { app_url: store, product_id: product.clone(), ..GetProduct::default() };
    let product = match client.call(&operation).await {
        Ok(answer) => {
            let raw = serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
            let findings = told(&answer.findings);
            let read = answer.value.product.map(|read| (read, raw.get("product").cloned().unwrap_or_default()));
            // Descriptions can be long and broken: they are read here, not in the loop.
            let record = tokio::task::spawn_blocking(move || {
                read.map(|(read, raw)| {
                    let description = description_lines(read.description_html.as_deref(), read.description.as_deref());
                    Box::new(Record { id: product, product: read, raw, description, findings })
                })
            });
            record.await.map_err(|_| Failure::new("Couldn't read the product's description."))
        }
        Err(error) => Err(failure(&error)),
    };
    Event::Products(OfProducts::ProductArrived { request, product })
}

/// Asks for the analyses of products in the list; those that are still pending are left out.
async fn facets(
    client: Client,
    request: RequestId,
    store: StoreUrl,
    products: Vec<ProductId>,
    timeout_ms: u32,
) -> Event {
    let facets = match client.call(&SearchProducts(analysis_of(store, &products, timeout_ms))).await {
        Ok(answer) => {
            let known = answer.value.products.iter().filter_map(|found| {
                let facets = Facets::of(found).filter(|facets| *facets != Facets::Pending)?;
                Some((found.product.external_product_id.clone(), facets))
            });
            Ok(known.collect())
        }
        Err(error) => Err(error.to_string()),
    };
    Event::Products(OfProducts::FacetsArrived { request, facets })
}

/// Follows a search to its end and reports the ids of what it finds, page by page.
pub async fn gather(
    client: Client,
    request: RequestId,
    mut search: ProductSearch,
    events: UnboundedSender<Event>,
) -> Event {
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
    Event::Products(OfProducts::Gathered { request, gathered })
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
async fn analyse(client: Client, request: RequestId, store: StoreUrl, product: ProductId, timeout_ms: u32) -> Event {
    let search = analysis_of(store, std::slice::from_ref(&product), timeout_ms);
    let analysis = match client.call(&SearchProducts(search)).await {
        Ok(answer) => {
            let found = answer.value.products.into_iter().find(|found| found.product.external_product_id == product);
            Ok(found.and_then(|FoundProduct { analysis, .. }| analysis).map(Box::new))
        }
        Err(error) => Err(failure(&error)),
    };
    Event::Products(OfProducts::AnalysisArrived { request, analysis })
}
