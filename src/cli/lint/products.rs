//! A store's products, read page by page and checked.

use jiff::Timestamp;

use super::ask::Asking;
use super::line::Line;
use super::links;
use super::records::Catalog;
use super::report::Report;
use crate::api::SearchProducts;
use crate::cli::Failure;
use crate::cli::products::pages::{Page, Pages};
use crate::client::Client;
use crate::domain::{Fault, Finding, Include, IncludeAnalysis, Num, PageSize, ProductSearch, Segment, StoreUrl};
use crate::lint::{self, Limits, Links};

/// An analysis that is not there is not waited for, milliseconds.
const AT_ONCE: f64 = 1.0;

/// Products of a page: larger ones only take more memory.
const AT_A_TIME: i64 = 100;

/// Reads the catalog once: for the rules over products where they are asked for, and for those over projects.
pub(super) async fn read(
    (client, store): (&Client, &StoreUrl),
    asking: &Asking,
    (limits, checks): (&Limits, bool),
    mut wants: Option<&mut Catalog>,
    report: &mut Report,
) -> Result<(), Failure> {
    let mut catalog = lint::Catalog::new(store.clone(), limits.clone(), Timestamp::now());
    let mut dead = Links::new(limits.clone());
    Pages::new(SearchProducts(search(store)))
        .follow(async |request| {
            let answer = client.call(request).await?;
            let found = answer.value;
            if checks && dead.is_on() {
                links::ask(asking, &mut dead, &found.products).await;
            }
            for (at, product) in found.products.iter().enumerate() {
                if let Some(wants) = wants.as_deref_mut() {
                    wants.take(product);
                }
                if !checks {
                    continue;
                }
                let breaches: Vec<_> = answer.findings.iter().filter_map(|finding| of(finding, at)).collect();
                for problem in catalog.product(product, &breaches) {
                    report.take(&Line::of(&problem))?;
                }
                if dead.is_on() {
                    for problem in dead.product(product) {
                        report.take(&Line::of(&problem))?;
                    }
                }
            }
            let said = !answer.findings.iter().any(|finding| finding.path() == "hasMore");
            Ok(Page {
                products: found.products.len(),
                next: found.next_cursor.filter(|cursor| !cursor.is_empty()),
                more: said.then_some(found.has_more),
            })
        })
        .await?;
    if let Some(wants) = wants {
        wants.is_read = true;
    }
    if checks {
        for problem in catalog.end() {
            report.take(&Line::of(&problem))?;
        }
        report.checked(catalog.tally());
        report.checked(dead.tally());
        report.products(catalog.products());
    }
    Ok(())
}

fn search(store: &StoreUrl) -> ProductSearch {
    let include = Include {
        analysis: Some(IncludeAnalysis { timeout_ms: Some(Num(AT_ONCE)) }),
        media: Some(true),
        variants: Some(true),
        ..Include::default()
    };
    ProductSearch {
        app_url: store.clone(),
        include: Some(include),
        limit: PageSize::new(AT_A_TIME).ok(),
        ..ProductSearch::default()
    }
}

/// What is not as specified in this product of a page: the field, and what is wrong with it. Fields and words that the
/// specification doesn't know are no breach: services grow.
fn of(finding: &Finding, product: usize) -> Option<(String, String)> {
    let [Segment::Key(list), Segment::Index(at), rest @ ..] = finding.at.as_slice() else { return None };
    let is_breach = matches!(finding.fault, Fault::Missing | Fault::Mistyped { .. } | Fault::Invalid(_));
    (list == "products" && *at == product && is_breach).then(|| {
        let field = Finding { at: rest.to_vec(), fault: finding.fault.clone() };
        (field.path(), finding.fault.to_string())
    })
}
