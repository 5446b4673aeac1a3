//! What sells best, by its orders or its stock, and is in no step: W07.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Reaches, Wired, Wiring};
use crate::api::ProductSold;
use crate::domain::{FoundProduct, Num, ProductId, StoreUrl, Variant};
use crate::lint::problem::{Problem, Record};
use crate::lint::rule::Rule;

/// A product that can be bought.
#[derive(Debug, Clone)]
struct Buyable {
    id: ProductId,
    title: String,
    store: StoreUrl,
}

impl Buyable {
    fn of(found: &FoundProduct) -> Self {
        let product = &found.product;
        let (id, store) = (product.external_product_id.clone(), product.app_url.clone());
        Self { id, title: product.title.trim().to_owned(), store }
    }

    fn record(&self) -> Record {
        let (store, id) = (self.store.clone(), self.id.as_str().to_owned());
        Record::Product { store, id, title: Some(self.title.clone()) }
    }
}

/// What orders of a product came to, in one currency.
#[derive(Debug, Default)]
struct Sold {
    orders: f64,
    amount: f64,
}

/// The products with the most in stock so far, the most first, and those that were bought.
#[derive(Debug)]
pub struct Sellers {
    most: usize,
    top: Vec<(f64, Buyable)>,
    /// By currency and id.
    sold: BTreeMap<String, BTreeMap<String, Sold>>,
    /// Those of them that the catalog has, and that can be bought.
    bought: HashMap<String, Buyable>,
}

impl Sellers {
    /// Keeps so many, beside what orders had in them.
    #[must_use]
    pub fn new<'a>(most: usize, orders: impl IntoIterator<Item = &'a ProductSold>) -> Self {
        let mut sold: BTreeMap<String, BTreeMap<String, Sold>> = BTreeMap::new();
        for one in orders {
            let sum = sold.entry(one.currency.clone()).or_default().entry(one.id.clone()).or_default();
            *sum = Sold { orders: sum.orders + one.orders.0, amount: sum.amount + one.amount.0 };
        }
        Self { most, top: Vec::new(), sold, bought: HashMap::new() }
    }

    /// Takes the next product of the catalog. One that can't be bought sells nothing.
    pub fn take(&mut self, found: &FoundProduct) {
        let product = &found.product;
        if product.published_at.is_none() || self.most == 0 {
            return;
        }
        let id = product.external_product_id.as_str();
        if self.sold.values().any(|sold| sold.contains_key(id)) && product.is_sold_out() != Some(true) {
            self.bought.insert(id.to_owned(), Buyable::of(found));
        }
        let counted = |variant: &Variant| variant.inventory_tracked == Some(true);
        let left: f64 = product
            .variants
            .iter()
            .filter(|variant| counted(variant))
            .filter_map(|variant| variant.inventory_quantity)
            .map(|Num(left)| left.max(0.0))
            .sum();
        if left <= 0.0 || (self.top.len() >= self.most && self.top.last().is_some_and(|(last, _)| *last >= left)) {
            return;
        }
        let at = self.top.partition_point(|(other, _)| *other >= left);
        self.top.insert(at, (left, Buyable::of(found)));
        self.top.truncate(self.most);
    }

    /// Of each currency the products whose orders came to most, and what is said of them; then those with the most in stock.
    fn best(&self) -> Vec<(&Buyable, String)> {
        let mut best = Vec::new();
        for (currency, sold) in &self.sold {
            let mut sold: Vec<_> = sold
                .iter()
                .filter(|(_, sold)| sold.amount > 0.0)
                .filter_map(|(id, sold)| Some((sold, self.bought.get(id)?)))
                .collect();
            sold.sort_by(|(one, _), (other, _)| other.amount.total_cmp(&one.amount));
            best.extend(sold.into_iter().take(self.most).map(|(Sold { orders, amount }, product)| {
                let (noun, amount) = (if (orders - 1.0).abs() < 0.5 { "order" } else { "orders" }, Num(*amount));
                let came = format!("{} verified {noun} with it came to {amount} {currency}", Num(*orders));
                (product, format!("{}, among the most of all, and no step shows it", came.trim_end()))
            }));
        }
        let stocked = |(left, product)| {
            (product, format!("{} are in stock, among the most of all, and no step shows it", Num(left)))
        };
        best.extend(self.top.iter().map(|(left, product)| (*left, product)).map(stocked));
        let mut told = HashSet::new();
        best.retain(|(product, _)| told.insert(product.id.as_str()));
        best
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
        let best = self.best();
        let Some(nobody) = nobody else {
            for _ in &best {
                wiring.stand(Rule::BestSellerNowhere, None);
            }
            return Vec::new();
        };
        let mut problems = Vec::new();
        for (product, sentence) in best {
            let is_nowhere = !shown.contains(product.id.as_str());
            wiring.stand(Rule::BestSellerNowhere, Some(is_nowhere));
            if is_nowhere && wiring.has(Rule::BestSellerNowhere) {
                let problem = Problem::new(Rule::BestSellerNowhere, product.record(), "products", sentence);
                problems.push(problem.reaching(nobody));
            }
        }
        problems
    }
}
