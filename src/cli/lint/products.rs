//! A store's products, read page by page and checked.

use jiff::Timestamp;

use super::line::Line;
use super::report::Report;
use crate::api::SearchProducts;
use crate::cli::products::pages::{Page, Pages};
use crate::cli::{Failure, Session};
use crate::domain::{Fault, Finding, Include, IncludeAnalysis, Num, PageSize, ProductSearch, Segment};
use crate::lint::{Catalog, Limits};

/// An analysis that is not there is not waited for, milliseconds.
const AT_ONCE: f64 = 1.0;

pub(super) async fn check(session: &Session, limits: Limits, report: &mut Report) -> Result<(), Failure> {
    let (connection, store) = session.connect_to_store().await?;
    let include = Include {
        analysis: Some(IncludeAnalysis { timeout_ms: Some(Num(AT_ONCE)) }),
        media: Some(true),
        variants: Some(true),
        ..Include::default()
    };
    let search = ProductSearch {
        app_url: store.clone(),
        include: Some(include),
        limit: Some(PageSize::MOST),
        ..ProductSearch::default()
    };
    let mut catalog = Catalog::new(store, limits.clone(), Timestamp::now());
    let pages = Pages::new(SearchProducts(search));
    pages
        .follow(async |request| {
            let answer = connection.client.call(request).await?;
            let found = answer.value;
            for (at, product) in found.products.iter().enumerate() {
                let breaches: Vec<_> = answer.findings.iter().filter_map(|finding| of(finding, at)).collect();
                for problem in catalog.product(product, &breaches) {
                    report.take(&Line::of(&problem))?;
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
    for problem in catalog.end() {
        report.take(&Line::of(&problem))?;
    }
    report.checked(&catalog, |rule| limits.has(rule));
    Ok(())
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
