//! Searches that are remembered, and products that are compared.

use super::probe::{Probe, begin, product};
use crate::domain::StoreUrl;
use crate::studio::ground::{Failure, RequestId};
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::screens::products::Record;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::{Connected, Event};
use crate::studio::{Begin, Change, Memory, Query};

const TITLES: [&str; 3] = ["Fjell wool sock", "Fjell wool liner", "Merino base layer"];
const STORE: &str = "https://nordlys.example";

fn store() -> Probe {
    let mut probe = Probe::new(120, 40);
    probe.counted(3).found(&TITLES, None);
    probe.effects.clear();
    probe
}

fn changes(probe: &Probe) -> Vec<Change> {
    let kept = probe.effects.iter().filter_map(|effect| match effect {
        Effect::Products(OnProducts::Remember(change)) => Some((**change).clone()),
        _ => None,
    });
    kept.collect()
}

fn query(term: &str) -> Query {
    Query { term: term.into(), ..Query::default() }
}

#[test]
fn a_search_is_saved_found_again_and_forgotten() {
    let mut probe = store();
    probe.keys("S");
    assert!(probe.shows("No search to save"));
    probe.keys("/wool").found(&TITLES[..2], None);
    probe.keys("<enter>P").found(&TITLES[..1], None);
    probe.keys("S");
    assert!(probe.shows("wool, published"), "its words are the name at first: {}", probe.screen());
    probe.keys("<ctrl-u>").event(Event::Pasted(" for winter".into()));
    probe.keys("<enter>");
    assert!(probe.shows("Saved as"), "{}", probe.screen());
    assert!(changes(&probe).iter().any(|change| matches!(change, Change::Save(store, name, query)
        if store.as_str() == STORE && name.ends_with("for winter") && query.term == "wool" && query.published)));
    probe.keys("<esc>F").found(&TITLES, None);
    probe.keys("b");
    assert!(probe.shows("for winter") && probe.shows("recent"), "{}", probe.screen());
    probe.keys("winter<enter>");
    let (_, search) = probe.search();
    assert_eq!((search.search_term.as_deref(), search.published_only), (Some("wool"), Some(true)));
    probe.found(&TITLES[..1], None);
    assert!(probe.shows("/ wool") && probe.shows("published"), "line and chips say it too");
    probe.keys("D<enter>");
    assert!(probe.shows("Deleted saved search"));
    assert!(matches!(changes(&probe).last(), Some(Change::Forget(..))));
}

#[test]
fn the_last_search_is_back_at_the_next_start() {
    let mut memory = Memory::default();
    memory.apply(&Change::Last(STORE.into(), query("wool")));
    let mut probe = Probe::unconnected(Begin { memory, ..begin() }, 120, 40);
    probe.event(Event::Connected(Connected {
        base: "http://127.0.0.1:7227/".into(),
        store: Some(StoreUrl::from(STORE)),
        stores: vec![STORE.into(), "https://other.example".into()],
    }));
    assert_eq!(probe.search().1.search_term.as_deref(), Some("wool"));
    assert!(probe.shows("Restored your last search: wool"));
    probe.found(&TITLES[..1], None);
    assert!(probe.shows("/ wool") && probe.shows("1 found"));
    // What the notice says clears it does.
    let mut cleared = Probe { model: probe.model.clone(), effects: probe.effects.clone(), ..Probe::new(120, 40) };
    cleared.keys("F");
    assert_eq!(cleared.search().1.search_term, None);
    cleared.counted(3).found(&TITLES, None);
    assert!(cleared.shows("3 products") && !cleared.shows("/ wool"), "{}", cleared.screen());
    let asked = cleared.effects.len();
    cleared.keys("F");
    assert!(cleared.shows("No active filters. f adds some."), "{}", cleared.screen());
    let searches = |effect: &Effect| matches!(effect, Effect::Products(OnProducts::Search { .. }));
    assert!(!cleared.effects[asked..].iter().any(searches), "nothing changed: nothing is searched for");
    // Another store has its own.
    probe.keys("<ctrl-t>other<enter>").found(&TITLES, None);
    assert_eq!(probe.search().1.search_term, None);
    probe.keys("/sock").found(&TITLES[..1], None);
    let last = changes(&probe).into_iter().next_back();
    assert_eq!(last, Some(Change::Last("https://other.example".into(), query("sock"))));
}

fn asked(probe: &Probe) -> Vec<(RequestId, String)> {
    let asked = probe.effects.iter().filter_map(|effect| match effect {
        Effect::Products(OnProducts::FetchProduct { request, product, .. }) => Some((*request, product.to_string())),
        _ => None,
    });
    asked.collect()
}

fn answer(probe: &mut Probe, request: RequestId, id: &str) {
    let at: usize = id.parse().unwrap();
    let product = product(at, TITLES[at]).product;
    let raw = serde_json::json!({"metafields": {"custom": {"material": "wool", "size": at}}});
    let record = Record { id: id.into(), raw, product, description: vec!["Warm.".into()], findings: Vec::new() };
    probe.event(Event::Products(OfProducts::ProductArrived { request, product: Ok(Some(Box::new(record))) }));
}

#[test]
fn two_marked_products_are_compared() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut probe = Probe::new(width, height);
        probe.counted(3).found(&TITLES, None).keys("  =");
        for (request, id) in asked(&probe) {
            answer(&mut probe, request, &id);
        }
        insta::assert_snapshot!(format!("compared {width}x{height}"), probe.screen());
    }
}

#[test]
fn a_comparison_says_what_differs() {
    let mut probe = store();
    probe.keys("=");
    assert!(probe.shows("Select two products with Space"));
    // One that is marked is compared with the one that is selected.
    probe.keys(" =");
    let both = asked(&probe);
    assert_eq!(both.iter().map(|(_, id)| id.as_str()).collect::<Vec<_>>(), ["0", "1"]);
    answer(&mut probe, both[0].0, "0");
    assert!(!probe.shows("Vendor"), "half a comparison is none");
    answer(&mut probe, both[1].0, "1");
    assert!(
        probe.shows("≠Title") && probe.shows("≠custom.size") && probe.shows(" Vendor") && probe.shows("differences")
    );
    probe.keys(" ");
    assert!(probe.shows("only what differs;") && !probe.shows("Vendor") && !probe.shows("material"));
    let reading = crate::studio::shell::reading(&probe.model).join("\n");
    assert!(reading.contains("Title: Fjell wool sock | Fjell wool liner (differs)"), "{reading}");
    probe.keys("<esc>");
    assert!(probe.shows("Products") && probe.model.screens.products.comparison.is_none());
    // A product that is gone, and one that can't be read.
    probe.effects.clear();
    probe.keys("=");
    let both = asked(&probe);
    probe.event(Event::Products(OfProducts::ProductArrived { request: both[0].0, product: Ok(None) }));
    probe.event(Event::Products(OfProducts::ProductArrived {
        request: both[1].0,
        product: Err(Failure::new("the line broke")),
    }));
    assert!(probe.shows("no longer at the service") && probe.shows("the line broke"));
    probe.effects.clear();
    probe.keys("<esc>=<esc>");
    assert_eq!(probe.effects.iter().filter(|effect| matches!(effect, Effect::Cancel(_))).count(), 2);
}

#[test]
fn a_page_of_another_store_says_nothing_of_this_one() {
    use crate::studio::screens::products::Field;
    use crate::studio::screens::products::Page;

    let mut probe = Probe::new(120, 40);
    let (request, _) = probe.search();
    probe.keys("<ctrl-t><down><enter>");
    assert_eq!(probe.model.shell.store, Some("https://other.example".into()));
    let mut late = product(1, "Late");
    late.product.tags = vec!["of-the-first-store".into()];
    let mut seen = crate::studio::Seen::default();
    seen.note(&late);
    let page = Page { rows: vec![crate::studio::Row::of(&late)], seen, ..Page::default() };
    probe.event(Event::Products(OfProducts::PageArrived { request, page: Ok(page) }));
    assert_eq!(probe.model.screens.products.seen.values(Field::Tags), []);
    probe.found(&TITLES, None);
    let tags: Vec<String> =
        probe.model.screens.products.seen.values(Field::Tags).into_iter().map(|(tag, _)| tag).collect();
    assert_eq!(tags, ["winter", "wool"]);
}
