//! Products on steps: kept by the service, set on the command line, and shown to viewers as cards that say what the catalog
//! says now. Where there is no Chromium it says loudly that the cards were skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr)]

use crate::browser;
use crate::receiver;

use browser::{Page, api, player, serve};
use cutaway::domain::{Num, Product, StoreUrl, Variant};
use cutaway::service::{Running, offline};
use receiver::Receiver;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;

const SHOP: &str = "https://shop.example";

struct Stage {
    running: Running,
    key: String,
    data: TempDir,
}

impl Stage {
    async fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let (running, key) = serve(data.path()).await;
        Self { running, key, data }
    }

    /// Takes a product into the shop's catalog, in place of what it was.
    async fn catalog(&self, id: &str, price: &str, stock: f64) {
        let variant = |variant: &str, title: &str, price: &str| Variant {
            app_url: SHOP.into(),
            external_product_id: id.into(),
            external_variant_id: variant.into(),
            title: Some(title.to_owned()),
            inventory_quantity: Some(Num(stock)),
            inventory_policy: Some("deny".to_owned()),
            inventory_tracked: Some(true),
            price: Some(price.to_owned()),
            ..Variant::default()
        };
        let product = Product {
            external_product_id: id.into(),
            app_url: SHOP.into(),
            title: format!("Mug {id}"),
            published_at: Some("2026-01-01T00:00:00Z".to_owned()),
            currency_code: Some("EUR".to_owned()),
            product_url: format!("{SHOP}/mug-{id}"),
            variants: vec![variant("small", "Small", price), variant("large", "Large", "99.00")],
            ..Product::default()
        };
        let line = serde_json::to_string(&product).unwrap();
        let imported =
            offline::import_products(self.data.path(), &StoreUrl::new(SHOP), line.as_bytes(), |_| ()).await.unwrap();
        assert_eq!(imported.added + imported.updated, 1);
    }

    /// The first step of the sample's quiz, as its project has it.
    async fn first_step(&self) -> Value {
        let base = self.running.base_url();
        let projects = api(base, &self.key, "/projects/", None).await;
        let quiz = projects["projects"].as_array().unwrap().iter().find(|one| one["name"] == "Gift finder").unwrap();
        api(base, &self.key, &format!("/projects/{}", quiz["id"].as_str().unwrap()), None).await["steps"][0].clone()
    }

    async fn update(&self, step: &Value, change: Value) -> (StatusCode, Value) {
        let url = format!("{}/projects/steps/{}", self.running.base_url(), step["id"].as_str().unwrap());
        let answer = reqwest::Client::new().put(url).bearer_auth(&self.key).json(&change).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap())
    }
}

#[tokio::test]
async fn a_step_keeps_its_products_until_they_are_replaced() {
    let stage = Stage::new().await;
    let step = stage.first_step().await;
    assert!(step.get("products").is_none(), "whoever does not use them does not see them");
    let products = json!([
        { "store": SHOP, "productId": "1" },
        { "store": SHOP, "productId": "2", "variantId": "small", "from": 2.5 },
    ]);
    let (status, updated) = stage.update(&step, json!({ "products": products })).await;
    assert_eq!((status, &updated["products"]), (StatusCode::OK, &products));
    // Another change leaves them.
    stage.update(&step, json!({ "overlayText": "Who?" })).await;
    assert_eq!(stage.first_step().await["products"], products);
    let wrong = json!([{ "store": "shop", "productId": " ", "from": -1 }]);
    let (status, problem) = stage.update(&step, json!({ "products": wrong })).await;
    let mut named: Vec<_> =
        problem["errors"].as_array().unwrap().iter().map(|error| error["pointer"].clone()).collect();
    named.sort_by_key(ToString::to_string);
    let places = ["/products/0/from", "/products/0/productId", "/products/0/store"];
    assert_eq!((status, json!(named)), (StatusCode::BAD_REQUEST, json!(places)));
    stage.update(&step, json!({ "products": [] })).await;
    assert!(stage.first_step().await.get("products").is_none());

    // A step is created with them, too.
    let new = json!({ "step": { "projectId": step["projectId"], "products": products } });
    let made = api(stage.running.base_url(), &stage.key, "/projects/steps", Some(new)).await;
    let path = format!("/projects/{}", step["projectId"].as_str().unwrap());
    let opened = api(stage.running.base_url(), &stage.key, &path, None).await;
    let steps = opened["steps"].as_array().unwrap();
    assert_eq!(steps.iter().find(|step| step["id"] == made["id"]).unwrap()["products"], products);

    let description = api(stage.running.base_url(), &stage.key, "/openapi.json", None).await;
    for name in ["Step", "NewStep", "StepChange"] {
        let products = &description["components"]["schemas"][name]["properties"]["products"];
        assert_eq!(products["x-extension"], true, "{name}");
    }
    stage.running.stop().await;
}

#[tokio::test]
async fn viewers_are_told_what_the_catalog_says_now() {
    let stage = Stage::new().await;
    let step = stage.first_step().await;
    for (id, stock) in [("1", 4.0), ("2", 0.0)] {
        stage.catalog(id, "12.50", stock).await;
    }
    let link = |id: &str, variant: Option<&str>| {
        let mut link = json!({ "store": SHOP, "productId": id });
        if let Some(variant) = variant {
            link["variantId"] = json!(variant);
        }
        link
    };
    // Products and variants that are gone, or of a store that nobody knows, are not shown.
    let elsewhere = json!({ "store": "https://other.example", "productId": "1" });
    let products =
        json!([link("1", None), link("2", Some("large")), link("2", Some("huge")), link("3", None), elsewhere]);
    assert_eq!(stage.update(&step, json!({ "products": products })).await.0, StatusCode::OK);
    let address = player(stage.running.base_url(), &stage.key, "Gift finder").await;
    let name = step["name"].as_str().unwrap();
    let shown: Value = reqwest::get(format!("{address}/steps/{name}/products")).await.unwrap().json().await.unwrap();
    assert_eq!(
        shown,
        json!({ "products": [
            { "id": "1", "fromSeconds": 0, "title": "Mug 1", "price": "12.50", "isFrom": true, "currency": "EUR",
              "url": format!("{SHOP}/mug-1") },
            { "id": "2 large", "fromSeconds": 0, "title": "Mug 2, Large", "price": "99.00", "currency": "EUR", "soldOut": true,
              "url": format!("{SHOP}/mug-2") },
        ] })
    );
    assert_eq!(reqwest::get(format!("{address}/steps/none/products")).await.unwrap().status(), 404);
    stage.running.stop().await;
}

#[tokio::test]
async fn cards_are_read_and_followed_by_keyboard_and_follow_the_catalog() {
    let Some(program) = browser::found() else {
        eprintln!("\n*** SKIPPED: product cards were not tried in a browser, no Chromium is on PATH ***\n");
        return;
    };
    let stage = Stage::new().await;
    let told = Receiver::start().await;
    let hook = json!({ "event": "response_summary", "url": told.url });
    api(stage.running.base_url(), &stage.key, "/webhooks", Some(hook)).await;
    let step = stage.first_step().await;
    for id in ["1", "2"] {
        stage.catalog(id, "12.50", 4.0).await;
    }
    let products = json!([
        { "store": SHOP, "productId": "1" }, { "store": SHOP, "productId": "2", "from": 0.4 },
    ]);
    stage.update(&step, json!({ "products": products })).await;
    let mut page = Page::open(program).await;
    page.go(&format!("{}?lang=en", player(stage.running.base_url(), &stage.key, "Gift finder").await)).await;
    page.press("Play").await;
    let card = |id: &str| format!("document.querySelector('[data-product=\"{id}\"]')");
    let says = |id: &str, words: &str| {
        format!("{}?.checkVisibility() && {}.textContent === {}", card(id), card(id), json!(words))
    };
    page.wait_until(&says("1", "Mug 1From €12.50")).await;
    page.wait_until(&format!("video.currentTime > 0.4 && {}", says("2", "Mug 2From €12.50"))).await;
    // What changes in the catalog changes on the card, and nothing is pulled from under the focus.
    page.value(&format!("{}.querySelector('a').focus()", card("1"))).await;
    stage.catalog("1", "10.00", 0.0).await;
    page.wait_until(&says("1", "Mug 1From €10.00Sold out")).await;
    assert_eq!(page.value(&format!("{}.contains(document.activeElement)", card("1"))).await, true);
    // It is a link by its name, and opens beside the player.
    let link = page
        .value(&format!("(({{ href, target, rel }}) => [href, target, rel])({}.querySelector('a'))", card("1")))
        .await;
    assert_eq!(link, json!([format!("{SHOP}/mug-1"), "_blank", "noopener"]));
    page.value("addEventListener('click', (event) => event.target.closest('.card') && event.preventDefault())").await;
    page.value("document.addEventListener('cutaway:product', ({ detail }) => (window.followed = detail))").await;
    page.wait_until("!document.querySelector('[data-settling]')").await;
    page.key("Enter", 13).await;
    page.wait_until("window.followed?.id === '1' && followed.step && video.paused").await;
    // They go with the step, and are told of with the visit.
    page.skip().await;
    let cards = "[...document.getElementById('products').children].map(({ dataset }) => dataset.product)";
    let ways: [(&str, &[&str]); 4] = [
        ("For him", &[]),
        ("Old boots", &[]),
        ("To the small presents", &["8123456789012", "8123463769235"]),
        ("Wrap it", &[]),
    ];
    for (answer, products) in ways {
        page.press(answer).await;
        page.skip().await;
        // Of the sample's steps on this way only that of the small presents has some.
        page.wait_until(&format!("JSON.stringify({cards}) === {}", json!(json!(products).to_string()))).await;
        page.wait_until(&format!("document.getElementById('products').hidden === {}", products.is_empty())).await;
    }
    page.wait_until("player.dataset.state === 'end'").await;
    let summary = told.wait_for(1).await.body;
    let events = summary["events"].as_array().unwrap().iter();
    // Other steps of the sample show products of their own.
    let name = &step["name"];
    let is_ours = |event: &&Value| event["stepName"] == *name;
    let happened = events.filter(|event| event["eventName"].as_str().unwrap().starts_with("product_")).filter(is_ours);
    let happened: Vec<_> =
        happened.map(|event| json!([event["eventName"], event["text"], event["stepName"]])).collect();
    assert_eq!(
        happened,
        [
            json!(["product_shown", "1", name]),
            json!(["product_shown", "2", name]),
            json!(["product_clicked", "1", name])
        ]
    );
    assert_eq!(page.complaints, Vec::<String>::new());
    stage.running.stop().await;
}
