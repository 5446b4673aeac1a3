//! What the products that steps show are called, for people who read a plan or a sheet.

use std::collections::{HashMap, HashSet};

use crate::api::SearchProducts;
use crate::client::Client;
use crate::domain::{PageSize, ProductFilters, ProductId, ProductSearch, StepProduct, StoreUrl};
use crate::draft::{Difference, Plan};

/// The most products that are asked for by one request.
const MOST: usize = 100;

/// Titles of products by their stores and ids.
#[derive(Debug, Default)]
pub(super) struct Titles(HashMap<(StoreUrl, ProductId), String>);

impl Titles {
    /// The titles of these products, as far as the service tells them: one that doesn't leaves the ids.
    pub async fn of(client: &Client, products: Vec<StepProduct>) -> Self {
        let sought: HashSet<(StoreUrl, ProductId)> =
            products.into_iter().map(|product| (product.store, product.product_id)).collect();
        let mut by_store: HashMap<StoreUrl, Vec<ProductId>> = HashMap::new();
        for (store, product) in sought {
            by_store.entry(store).or_default().push(product);
        }
        let mut titles = HashMap::new();
        for (store, products) in by_store {
            for products in products.chunks(MOST) {
                let ids = products.iter().map(|id| id.as_str().to_owned()).collect();
                let search = ProductSearch {
                    app_url: store.clone(),
                    limit: PageSize::new(i64::try_from(MOST).unwrap_or(i64::MAX)).ok(),
                    filters: Some(ProductFilters { product_id: Some(ids), ..ProductFilters::default() }),
                    ..ProductSearch::default()
                };
                let Ok(answer) = client.call(&SearchProducts(search)).await else { break };
                titles.extend(answer.value.products.into_iter().map(|found| {
                    let product = found.product;
                    ((store.clone(), product.external_product_id), product.title)
                }));
            }
        }
        Self(titles)
    }

    /// What a product is called, where that is known.
    pub fn get(&self, product: &StepProduct) -> Option<&str> {
        self.0.get(&(product.store.clone(), product.product_id.clone())).map(String::as_str)
    }

    /// Calls the products of a plan by their titles.
    pub async fn name(client: &Client, plan: &mut Plan) {
        let mut products = Vec::new();
        for difference in plan.calls.iter().flat_map(|planned| &planned.differences) {
            if let Difference::Products { products: changed } = difference {
                products.extend(changed.iter().map(|one| one.product.clone()));
            }
        }
        let titles = Self::of(client, products).await;
        for difference in plan.calls.iter_mut().flat_map(|planned| &mut planned.differences) {
            if let Difference::Products { products } = difference {
                for product in products {
                    product.title = titles.get(&product.product).map(str::to_owned);
                }
            }
        }
    }
}
