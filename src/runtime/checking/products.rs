//! A store's products as the rules read them: page by page.

use crate::domain::{Fault, Finding, Include, IncludeAnalysis, Num, PageSize, ProductSearch, Segment, StoreUrl};

/// An analysis that is not there is not waited for, milliseconds.
const AT_ONCE: f64 = 1.0;

/// Products of a page: larger ones only take more memory.
pub const AT_A_TIME: i64 = 50;

/// The request for the first page of a store: with all that the rules look at.
#[must_use]
pub fn search(store: &StoreUrl) -> ProductSearch {
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

/// What is not as specified in this product of a page: fields, and what is wrong with each.
#[must_use]
pub fn breaches(findings: &[Finding], product: usize) -> Vec<(String, String)> {
    findings.iter().filter_map(|finding| breach(finding, product)).collect()
}

/// The same of one finding. Fields and words that the
/// specification doesn't know are no breach: services grow.
fn breach(finding: &Finding, product: usize) -> Option<(String, String)> {
    let [Segment::Key(list), Segment::Index(at), rest @ ..] = finding.at.as_slice() else { return None };
    let is_breach = matches!(finding.fault, Fault::Missing | Fault::Mistyped { .. } | Fault::Invalid(_));
    (list == "products" && *at == product && is_breach).then(|| {
        let field = Finding { at: rest.to_vec(), fault: finding.fault.clone() };
        (field.path(), finding.fault.to_string())
    })
}
