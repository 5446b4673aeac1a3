//! A store's products, read page by page and checked.

use jiff::Timestamp;

use super::links;
use super::records::Catalog;
use super::report::Report;
use crate::api::{CountProducts, SearchProducts};
use crate::cli::Failure;
use crate::cli::products::pages::{Page, Pages};
use crate::client::Client;
use crate::domain::{Finding, FoundProduct, StoreUrl};
use crate::lint::{self, Limits, Links};
use crate::runtime::checking::Asking;
use crate::runtime::checking::products::{AT_A_TIME, breaches, search};

/// A store of so many products is read for one project, too: that takes twenty requests.
const FEW: i64 = 20 * AT_A_TIME;

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
    let read = async |request: &SearchProducts| {
        let answer = client.call(request).await?;
        let said = !answer.findings.iter().any(|finding| finding.path() == "hasMore");
        let page = Page {
            products: answer.value.products.len(),
            next: answer.value.next_cursor.clone().filter(|cursor| !cursor.is_empty()),
            more: said.then_some(answer.value.has_more),
        };
        Ok(((answer.value.products, answer.findings), page))
    };
    let take = async |(products, findings): (Vec<FoundProduct>, Vec<Finding>)| {
        report.read(products.len(), "products");
        if checks && dead.is_on() {
            links::ask(asking, &mut dead, &products).await;
        }
        for (at, product) in products.iter().enumerate() {
            if let Some(wants) = wants.as_deref_mut() {
                wants.take(product);
            }
            if !checks {
                continue;
            }
            for problem in catalog.product(product, &breaches(&findings, at)) {
                report.problem(&problem)?;
            }
            if dead.is_on() {
                for problem in dead.product(product) {
                    report.problem(&problem)?;
                }
            }
        }
        Ok(())
    };
    Pages::new(SearchProducts(search(store))).read_ahead(read, take).await?;
    if let Some(wants) = wants {
        wants.is_read = true;
    }
    if checks {
        for problem in catalog.end() {
            report.problem(&problem)?;
        }
        report.checked(catalog.tally());
        report.checked(dead.tally());
        report.products(catalog.products());
    }
    Ok(())
}

/// Whether a store has so few products that they are read for one project. Where it doesn't say how many, it
/// may have any number.
pub(super) async fn are_few(client: &Client, store: &StoreUrl) -> bool {
    let ask = CountProducts { app_url: store.clone(), ..CountProducts::default() };
    let counted = client.call(&ask).await;
    counted.is_ok_and(|answer| answer.value.total.whole().is_some_and(|count| (1..=FEW).contains(&count)))
}
