//! What sells best by its stock and is in no step: W07.

use std::collections::HashSet;

use super::{Reaches, Wired, Wiring};
use crate::domain::{FoundProduct, Num, ProductId, StoreUrl, Variant};
use crate::lint::problem::{Problem, Record};
use crate::lint::rule::Rule;

/// A product among those with the most in stock.
#[derive(Debug)]
struct Stock {
    left: f64,
    id: ProductId,
    title: String,
    store: StoreUrl,
}

/// The products with the most in stock so far, the most first.
#[derive(Debug)]
pub struct Sellers {
    most: usize,
    top: Vec<Stock>,
}

impl Sellers {
    /// Keeps so many.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, top: Vec::new() }
    }

    /// Takes the next product of the catalog. One that can't be bought sells nothing.
    pub fn take(&mut self, found: &FoundProduct) {
        let product = &found.product;
        let counted = |variant: &Variant| variant.inventory_tracked == Some(true);
        let left: f64 = product
            .variants
            .iter()
            .filter(|variant| counted(variant))
            .filter_map(|variant| variant.inventory_quantity)
            .map(|Num(left)| left.max(0.0))
            .sum();
        let is_sold = product.published_at.is_some() && left > 0.0 && self.most > 0;
        if !is_sold || (self.top.len() >= self.most && self.top.last().is_some_and(|last| last.left >= left)) {
            return;
        }
        let at = self.top.partition_point(|other| other.left >= left);
        let (id, store) = (product.external_product_id.clone(), product.app_url.clone());
        self.top.insert(at, Stock { left, id, title: product.title.trim().to_owned(), store });
        self.top.truncate(self.most);
    }

    /// Those that none of all projects shows. Where there are no projects, nothing is told.
    pub fn end<'a>(self, projects: impl IntoIterator<Item = &'a Wired>, wiring: &mut Wiring) -> Vec<Problem> {
        let mut shown: HashSet<&str> = HashSet::new();
        let mut nobody = None;
        for wired in projects {
            nobody = nobody.or_else(|| (!wired.graph.is_empty()).then(|| Reaches::none(&wired.reaches)));
            let links = wired.graph.nodes().iter().flat_map(|node| &node.products);
            shown.extend(links.map(|link| link.product_id.as_str()));
        }
        let Some(nobody) = nobody else {
            self.top.iter().for_each(|_| wiring.stand(Rule::BestSellerNowhere, None));
            return Vec::new();
        };
        let mut problems = Vec::new();
        for stock in &self.top {
            let is_nowhere = !shown.contains(stock.id.as_str());
            wiring.stand(Rule::BestSellerNowhere, Some(is_nowhere));
            if is_nowhere && wiring.has(Rule::BestSellerNowhere) {
                let record = Record::Product {
                    store: stock.store.clone(),
                    id: stock.id.as_str().to_owned(),
                    title: Some(stock.title.clone()),
                };
                let sentence = format!("{} are in stock, among the most of all, and no step shows it", Num(stock.left));
                problems.push(Problem::new(Rule::BestSellerNowhere, record, "products", sentence).reaching(nobody));
            }
        }
        problems
    }
}
