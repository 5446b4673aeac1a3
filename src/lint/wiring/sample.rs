//! A catalog and a project of which nothing is wrong, for the tests of the rules over projects.

use super::{Reaches, Wired};
use crate::domain::{Answer, FoundProduct, Media, Num, Product, Step, StepProduct, StoreUrl, Variant};
use crate::graph::Graph;

pub(super) const STORE: &str = "https://shop.example";

/// Another store of the same workspace.
pub(super) const SECOND: &str = "https://second.example";

/// How many steps have a fault, and how many a look-alike of it.
pub(super) const EACH: usize = 20;

/// A product of which nothing is wrong; of each number another.
pub(super) fn product(number: usize) -> FoundProduct {
    let product = Product {
        external_product_id: format!("p{number}").as_str().into(),
        app_url: StoreUrl::from(STORE),
        title: format!("Felt hat model{number}"),
        handle: format!("felt-hat-model{number}"),
        status: Some("ACTIVE".to_owned()),
        published_at: Some("2026-05-02T10:00:00Z".to_owned()),
        currency_code: Some("NOK".to_owned()),
        product_url: format!("{STORE}/products/felt-hat-model{number}"),
        media: vec![Media::default()],
        variants: ["S", "L"].map(|size| variant(number, size)).to_vec(),
        ..Product::default()
    };
    FoundProduct { product, media_count: Num(1.0), variants_count: Num(2.0), ..FoundProduct::default() }
}

pub(super) fn variant(number: usize, size: &str) -> Variant {
    Variant {
        title: Some(size.to_owned()),
        external_variant_id: format!("v{number}-{size}").as_str().into(),
        inventory_quantity: Some(Num(7.0)),
        inventory_policy: Some("DENY".to_owned()),
        inventory_tracked: Some(true),
        price: Some(if size == "S" { "400.00" } else { "600.00" }.to_owned()),
        ..Variant::default()
    }
}

/// A link to a product.
pub(super) fn link(number: usize) -> StepProduct {
    StepProduct {
        store: StoreUrl::from(STORE),
        product_id: format!("p{number}").as_str().into(),
        ..StepProduct::default()
    }
}

/// A step that shows the product of its number, and leads to the next one.
pub(super) fn step(number: usize) -> Step {
    let answer = Answer {
        text: "Go on".to_owned(),
        next: Some(format!("s{}", number + 1).as_str().into()),
        ..Answer::default()
    };
    Step {
        name: Some(format!("s{number}").as_str().into()),
        overlay_text: Some("Which one is yours?".to_owned()),
        answers: Some(vec![answer]),
        products: Some(vec![link(number)]),
        ..Step::default()
    }
}

pub(super) fn wired(steps: &[Step]) -> Wired {
    let graph = std::sync::Arc::new(Graph::new(steps, &[]));
    let reaches = Reaches::of(&graph, None);
    Wired { id: "project".to_owned(), name: "Hats".to_owned(), graph, reaches }
}
