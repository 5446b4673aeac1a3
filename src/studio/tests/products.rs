//! What happens on the Products screen, in effects.

use super::probe::{NOON, Probe};
use crate::domain::{SortBy, SortDirection, StoreUrl, TagsMatch};
use crate::studio::Left;
use crate::studio::ground::{Alarm, Failure, Moment, Mouse, MouseAction, Spot};
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::screens::products::{Change, Focus, Page, Query, Record, Row};
use crate::studio::shell::Sent;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::{Connected, Event};

const TITLES: [&str; 3] = ["Fjell wool sock", "Fjell wool liner", "Merino base layer"];

fn store() -> Probe {
    let mut probe = Probe::new(120, 40);
    probe.counted(3).found(&TITLES, None);
    probe.effects.clear();
    probe
}

#[test]
fn typing_searches_and_cancels_the_search_before() {
    let mut probe = store();
    probe.keys("/w");
    let (first, search) = probe.search();
    assert_eq!(search.search_term.as_deref(), Some("w"));
    assert!(probe.shows("Merino base layer"), "old rows stay until new ones come");
    probe.keys("o");
    assert!(probe.effects.contains(&Effect::Cancel(first)));
    probe.event(Event::Products(OfProducts::PageArrived { request: first, page: Err(Failure::new("late")) }));
    assert!(!probe.shows("late"), "a reply that is no longer wanted is dropped");
    probe.found(&TITLES[..2], None);
    assert!(probe.shows("2 found") && !probe.shows("Merino base layer"));
    probe.keys("<enter>q");
    assert!(probe.effects.contains(&Effect::Quit), "after Enter letters are keys again");
}

#[test]
fn letters_of_a_search_are_not_keys() {
    let mut probe = store();
    probe.keys("/q?:123");
    assert_eq!(probe.search().1.search_term.as_deref(), Some("q?:123"));
    probe.keys("<esc><esc>");
    assert_eq!(probe.search().1.search_term, None, "the second Esc clears the search");
    assert!(!probe.model.shell.over);
}

#[test]
fn counts_are_as_the_contract_says() {
    let mut probe = Probe::new(120, 40);
    probe.counted(1280).found(&TITLES, Some("next"));
    assert!(probe.shows("1,280 products"));
    probe.keys("/x").found(&["x"; 90], Some("next"));
    assert!(probe.shows("90+ found"));
    probe.keys("y").found(&["xy"; 214], None);
    assert!(probe.shows("214 found"));
}

#[test]
fn the_next_page_is_fetched_ahead_and_a_failed_one_is_retried_in_place() {
    let mut probe = Probe::new(120, 40);
    let titles: Vec<String> = (0..100).map(|n| format!("Product {n}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    probe.counted(300).found(&titles, Some("page 2"));
    let before = probe.search().0;
    probe.keys("<page_down>");
    let (request, search) = probe.search();
    assert_ne!(request, before);
    assert_eq!(search.cursor.unwrap().as_str(), "page 2");
    probe.event(Event::Products(OfProducts::PageArrived { request, page: Err(Failure::new("the line broke")) }));
    probe.keys("G");
    assert!(probe.shows("Product 99") && probe.shows("the line broke") && probe.shows("What was loaded is kept"));
    probe.keys("R");
    let (again, search) = probe.search();
    assert!(again > request && search.cursor.unwrap().as_str() == "page 2");
    probe.found(&["Last one"], None);
    probe.keys("G");
    assert!(probe.shows("Last one"));
}

#[test]
fn every_filter_of_the_spec_can_be_set() {
    let mut probe = store();
    // Type and category and tags are chosen from what was seen, or typed.
    probe.keys("f<enter>").keys("so<enter>");
    probe.keys("<down><enter>Apparel<enter>");
    probe.keys("<down><enter><space><down><space><enter>");
    probe.keys("<down><enter>");
    probe.keys("<down>3<down>9");
    probe.keys("<down>2026-01-31<down>7d");
    probe.keys("<down>1, 2<down>v1<down>A-1<down>\"Sock, long\"");
    probe.keys("<down> ");
    let (_, search) = probe.search();
    let filters = search.filters.unwrap();
    assert_eq!(filters.product_type, Some(vec!["socks".to_owned()]));
    assert_eq!(filters.category, Some(vec!["Apparel".to_owned()]));
    assert_eq!(filters.tags, Some(vec!["winter".to_owned(), "wool".to_owned()]));
    assert_eq!(filters.tags_match_mode, Some(TagsMatch::All));
    let stock = filters.inventory.unwrap();
    assert_eq!((stock.min.unwrap().whole(), stock.max.unwrap().whole()), (Some(3), Some(9)));
    let created = filters.created_at.unwrap();
    assert_eq!((created.from.as_deref(), created.to.as_deref()), (Some("2026-01-31"), Some("2026-11-13")));
    assert_eq!(filters.product_id, Some(vec!["1".to_owned(), "2".to_owned()]));
    assert_eq!(filters.variant_id, Some(vec!["v1".to_owned()]));
    assert_eq!(filters.sku, Some(vec!["A-1".to_owned()]));
    assert_eq!(filters.product_name, Some(vec!["Sock, long".to_owned()]));
    assert_eq!(search.published_only, Some(true));
    // The chips take them away again, one by one.
    probe.keys("<esc>c");
    for _ in 0..10 {
        probe.keys("x");
    }
    let (_, search) = probe.search();
    assert_eq!((search.filters, search.published_only), (None, None));
}

#[test]
fn sorting_is_chosen_from_a_list() {
    let mut probe = store();
    probe.keys("sNewest<enter>");
    let (_, search) = probe.search();
    assert_eq!(search.sort_by, Some(SortBy::ProviderCreatedAt));
    assert_eq!(search.sort_direction, Some(SortDirection::Desc));
}

#[test]
fn an_open_product_follows_the_selection() {
    let mut probe = store();
    probe.keys("<enter>").fetched();
    assert!(probe.shows("Warm, dry and light.") && probe.shows("NOK 149–189"));
    probe.keys("<tab><down>");
    let follow = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Products(OnProducts::FetchProduct { product, after_ms, .. }) => {
            Some((product.as_str().to_owned(), *after_ms))
        }
        _ => None,
    });
    assert_eq!(follow, Some(("1".to_owned(), 80)));
    probe.fetched();
    assert!(probe.shows("Fjell wool liner"));
    probe.keys("<esc>");
    assert!(probe.model.screens.products.detail.is_none());
}

#[test]
fn trees_fold() {
    let mut probe = store();
    probe.keys("<enter>").fetched().keys("]]]]");
    assert!(probe.shows("material: \"wool\""));
    probe.keys("<down><enter>");
    assert!(!probe.shows("material"));
    probe.keys("<right>");
    assert!(probe.shows("material"));
}

#[test]
fn the_next_start_goes_to_the_product_that_was_open_wherever_it_stands_now() {
    let mut probe = store();
    probe.keys("<down><down><enter>").fetched().keys("]");
    probe.effects.clear();
    probe.event(Event::Woke(Alarm::Session));
    let left = probe.effects.iter().find_map(|effect| match effect {
        Effect::KeepSession(left) => Some((**left).clone()),
        _ => None,
    });
    let left = left.expect("the place is kept");
    let shop = StoreUrl::from("https://nordlys.example");
    let mut begin = super::probe::begin();
    // What was searched for in an earlier studio is not searched for again: it was cleared since.
    let earlier = Query { term: "wool".to_owned(), ..Query::default() };
    begin.memory.apply(&Change::Last(shop.clone(), earlier));
    begin.resume = Some(left.clone());
    let mut again = Probe::unconnected(begin, 120, 40);
    assert_eq!(crate::studio::left(&again.model), left, "nothing is lost where the service never answers");
    again.event(Event::Connected(Connected {
        base: "http://127.0.0.1:7227/".into(),
        store: Some(shop),
        stores: vec!["https://nordlys.example".into()],
    }));
    assert_eq!(again.search().1.search_term, None);
    assert_eq!(crate::studio::left(&again.model).spots, left.spots, "and nothing while the list is read");
    // Another product stands in its row, and it further up.
    let rows = [super::probe::product(9, "New"), super::probe::product(2, "Merino"), super::probe::product(0, "Sock")];
    let page = Page { rows: rows.iter().map(Row::of).collect(), ..Page::default() };
    let request = again.search().0;
    again.event(Event::Products(OfProducts::PageArrived { request, page: Ok(page) }));
    again.fetched();
    let products = &again.model.screens.products;
    let detail = products.detail.as_ref().expect("the product is open");
    assert_eq!((detail.id.as_str(), detail.tab.title(), products.focus), ("2", "Variants", Focus::Detail));
    assert_eq!(products.list.current().unwrap().id.as_str(), "2");
}

/// A studio that is to begin at row 40 of the products, of which the first page is here.
fn being_taken_up() -> Probe {
    let shop = StoreUrl::from("https://nordlys.example");
    let spot = Spot { id: Some("99".to_owned()), row: 40, open: Some("99".to_owned()), ..Spot::default() };
    let mut begin = super::probe::begin();
    begin.resume = Some(Left {
        screen: "Products".to_owned(),
        store: Some(shop.clone()),
        spots: [("Products".to_owned(), spot)].into(),
        ..Left::default()
    });
    let mut probe = Probe::unconnected(begin, 120, 40);
    probe.event(Event::Connected(Connected {
        base: "http://127.0.0.1:7227/".into(),
        store: Some(shop.clone()),
        stores: vec![shop, "https://other.example".into()],
    }));
    probe.found(&TITLES, Some("more"));
    assert!(probe.model.screens.products.left.is_some(), "it is looked for on the next page");
    probe
}

#[test]
fn whoever_goes_on_by_mouse_or_paste_or_in_another_store_stays_where_they_are() {
    let mut probe = being_taken_up();
    let y = probe.screen().lines().position(|row| row.contains(TITLES[0])).unwrap();
    probe.event(Event::Mouse(Mouse { x: 5, y: u16::try_from(y).unwrap(), what: MouseAction::Press }));
    probe.found(&["More"; 50], None);
    let products = &probe.model.screens.products;
    assert_eq!((products.list.found.selected(), products.detail.is_none()), (0, true), "{}", probe.screen());

    let mut probe = being_taken_up();
    probe.event(Event::Mouse(Mouse { x: 5, y: 10, what: MouseAction::WheelUp }));
    assert_eq!(probe.model.screens.products.left, None);

    let mut probe = being_taken_up();
    probe.event(Event::Pasted("wool".to_owned())).found(&["Wool"; 50], None);
    let products = &probe.model.screens.products;
    assert_eq!((products.focus, &products.left, products.detail.is_none()), (Focus::Search, &None, true));

    let mut probe = being_taken_up();
    probe.keys("<ctrl-t>other<enter>");
    assert_eq!(probe.search().1.app_url.as_str(), "https://other.example");
    assert_eq!(probe.model.screens.products.left, None);
    probe.found(&["Other"; 50], None);
    assert_eq!(probe.model.screens.products.list.found.selected(), 0);
}

#[test]
fn what_is_copied_is_shown_for_copying_by_hand() {
    let mut probe = store();
    probe.keys("<enter>").fetched();
    probe.keys("yid<enter>");
    probe.event(Event::Copied(1));
    assert!(probe.shows("Sent to your terminal: 0"), "{}", probe.screen());
    probe.keys("yJSON<enter>");
    probe.event(Event::Copied(900));
    assert!(probe.shows("Sent to your terminal ") && probe.shows("\"externalProductId\": \"0\""), "{}", probe.screen());
    probe.keys("<esc>yid<enter>");
    probe.event(Event::NoClipboard);
    assert!(probe.shows("Copy this by hand"), "{}", probe.screen());
    // From a page that shows the text no other one is opened.
    probe.keys("<esc>oy");
    probe.event(Event::NoClipboard);
    assert!(!probe.shows("Copy this by hand") && probe.shows("Copy the text by hand"), "{}", probe.screen());
}

#[test]
fn what_a_notice_would_cut_is_shown_on_a_page() {
    let address = |length: usize| format!("{:x<length$}", "https://nordlys.example/");
    for ((width, height), text, page) in [
        ((40, 10), address(74), true),
        ((40, 10), address(30), false),
        ((80, 24), address(170), true),
        ((80, 24), "Wool ".repeat(34), true),
        ((80, 24), address(74), false),
        ((120, 40), address(110), false),
    ] {
        let mut probe = Probe::new(width, height);
        probe.counted(3).found(&TITLES, None);
        probe.model.shell.sent = Sent::Text(text.clone());
        probe.event(Event::Copied(text.len()));
        assert_eq!(probe.shows("y copies again"), page, "{width}x{height} {text}\n{}", probe.screen());
        let rows = probe.screen();
        let words = rows.lines().map(|row| row.trim_matches(['│', '┃', ' ', '✓']));
        let all = words.collect::<String>().replace(' ', "");
        assert!(all.contains(&text.replace(' ', "")), "{width}x{height} {text}\n{rows}");
    }
}

#[test]
fn ids_addresses_and_json_are_copied() {
    let mut probe = store();
    probe.keys("<enter>").fetched();
    probe.keys("yid<enter>");
    assert_eq!(probe.effects.last(), Some(&Effect::CopyText("0".into())));
    probe.keys("yJSON<enter>");
    let Some(Effect::CopyText(json)) = probe.effects.last() else { panic!("{:?}", probe.effects.last()) };
    assert!(json.contains("\"externalProductId\": \"0\""));
    probe.keys("o");
    assert!(probe.shows("https://nordlys.example/products/0"));
    probe.keys("y");
    assert_eq!(probe.effects.last(), Some(&Effect::CopyText("https://nordlys.example/products/0".into())));
}

#[test]
fn a_refused_credential_is_said_once_and_the_rows_stay() {
    let mut probe = store();
    probe.keys("r");
    let (request, _) = probe.search();
    let refused = Failure { what: "401 Authentication required".into(), unauthorized: true, missing: false };
    probe.event(Event::Products(OfProducts::PageArrived { request, page: Err(refused) }));
    assert!(probe.shows("refused the credential") && probe.shows("Fjell wool sock"));
}

#[test]
fn a_spinner_comes_only_for_what_takes_long() {
    let mut probe = store();
    probe.keys("/w");
    assert!(!probe.shows("searching"));
    probe.now = Moment(NOON.0 + 301);
    probe.event(Event::Woke(crate::studio::ground::Alarm::Spinner));
    assert!(probe.shows("searching"));
}

#[test]
fn an_escape_and_a_quick_key_are_not_taken_for_alt() {
    let mut probe = store();
    probe.keys("/wool<alt-q>");
    assert!(probe.effects.contains(&Effect::Quit));
}

#[test]
fn marks_survive_other_searches() {
    let mut probe = store();
    probe.keys(" <down>-");
    assert!(probe.shows("3 selected"));
    probe.keys("/w").found(&TITLES[..1], None).keys("<enter>");
    assert!(probe.shows("3 selected") && probe.shows("● Fjell wool sock"));
    probe.keys("k ");
    assert!(probe.shows("2 selected"));
    probe.keys("aa");
    assert!(!probe.shows("selected"), "all were marked, so all marks are taken away");
}

#[test]
fn what_is_marked_is_exported_with_the_columns_that_were_chosen() {
    let mut probe = store();
    probe.keys("  e2 selected CSV<enter>");
    probe.keys("<space><enter><ctrl-u>~/out.csv<enter>");
    let Some(Effect::Products(OnProducts::Export { request, export })) = probe.effects.last().cloned() else {
        panic!("{:?}", probe.effects.last())
    };
    assert_eq!(export.file, "~/out.csv");
    assert_eq!(export.columns.first(), Some(&crate::domain::ExportColumn::Title), "the id was switched off");
    let ids = export.searches[0].filters.as_ref().unwrap().product_id.clone().unwrap();
    assert_eq!(ids, ["0", "1"]);
    probe.event(Event::Products(OfProducts::Exported { request, done: 1, ended: None }));
    assert!(probe.shows("exporting 1"));
    probe.event(Event::Products(OfProducts::Exported { request, done: 2, ended: Some(Ok("/home/a/out.csv".into())) }));
    assert!(probe.shows("Exported 2 products to /home/a/out.csv."));
}

#[test]
fn an_export_can_be_stopped() {
    let mut probe = store();
    probe.keys("eNDJSON<enter><enter>");
    let Some(Effect::Products(OnProducts::Export { request, export })) = probe.effects.last().cloned() else {
        panic!("{:?}", probe.effects.last())
    };
    assert_eq!((export.file.as_str(), export.searches.len()), ("products.ndjson", 1));
    probe.keys("X");
    assert!(probe.effects.contains(&Effect::Cancel(request)));
    probe.event(Event::Products(OfProducts::Exported { request, done: 9, ended: Some(Ok("late".into())) }));
    assert!(!probe.shows("late"));
}

#[test]
fn a_service_that_goes_in_circles_is_not_followed() {
    let mut probe = Probe::new(120, 40);
    probe.counted(9).found(&TITLES, Some("again")).found(&TITLES, Some("again"));
    assert!(probe.shows("the same page again"));
    probe.effects.clear();
    probe.keys("G<down><down>");
    assert!(!probe.effects.iter().any(|effect| matches!(effect, Effect::Products(OnProducts::Search { .. }))));
    let mut probe = Probe::new(120, 40);
    probe.counted(9).found(&[], Some("more"));
    assert!(probe.shows("empty page"));
}

#[test]
fn how_tags_match_is_no_filter_without_tags() {
    let mut probe = store();
    probe.keys("f<down><down><down><enter><esc>");
    assert_eq!(probe.search().1.filters, None);
    probe.found(&TITLES, None);
    assert!(probe.shows("3 products"));
}

#[test]
fn connecting_again_keeps_the_place() {
    let mut probe = store();
    probe.keys("<ctrl-t>other<enter>").counted(2).found(&TITLES, None);
    probe.keys("/wo").found(&TITLES[..2], None).keys("<enter>");
    probe.effects.clear();
    let stores = vec!["https://nordlys.example".into(), "https://other.example".into()];
    let connected = Connected { base: "http://127.0.0.1/".into(), store: stores.first().cloned(), stores };
    probe.event(Event::Connected(connected));
    let (_, search) = probe.search();
    assert_eq!(search.app_url.as_str(), "https://other.example");
    assert_eq!(search.search_term.as_deref(), Some("wo"));
    assert!(probe.shows("Fjell wool sock"));
}

#[test]
fn without_a_store_the_way_on_is_said() {
    let mut probe = Probe::unconnected(super::probe::begin(), 100, 30);
    probe.event(Event::Connected(Connected { base: "https://api.example/".into(), store: None, stores: vec![] }));
    assert!(probe.shows("no store is set"));
    probe.keys("<ctrl-t>https://shop.example<enter>");
    assert_eq!(probe.search().1.app_url.as_str(), "https://shop.example");
}

#[test]
fn what_was_not_sent_is_shown_as_missing() {
    let mut probe = store();
    probe.keys("<enter>");
    let request = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Products(OnProducts::FetchProduct { request, .. }) => Some(*request),
        _ => None,
    });
    let raw = serde_json::json!({"title": "Odd one", "version": "new", "vendor": null});
    let record = Record { raw, ..Record::default() };
    probe.event(Event::Products(OfProducts::ProductArrived {
        request: request.unwrap(),
        product: Ok(Some(Box::new(record))),
    }));
    let screen = probe.screen();
    let line =
        |name: &str| screen.lines().find(|line| line.contains(&format!("││ {name}"))).unwrap_or_default().to_owned();
    assert!(line("Version").contains('–') && line("Vendor").contains("none") && line("Published").contains('–'));
    assert!(!probe.shows("not published"));
}

#[test]
fn help_takes_what_is_pasted() {
    let mut probe = store();
    probe.keys("?").event(Event::Pasted("palette".into()));
    assert!(probe.shows("app.palette") && !probe.shows("app.suspend"));
}

#[test]
fn the_border_between_the_panes_is_drawn_and_stays() {
    use crate::studio::Change;
    use crate::studio::ground::{Mouse, MouseAction};
    let mut probe = store();
    probe.keys("<enter>").fetched();
    let left = |probe: &Probe| probe.model.screens.products.split().0.unwrap().width;
    let before = left(&probe);
    let mut mouse = |x: u16, what: MouseAction| {
        probe.event(Event::Mouse(Mouse { x, y: 10, what }));
    };
    mouse(before, MouseAction::Press);
    mouse(80, MouseAction::Drag);
    mouse(80, MouseAction::Release);
    mouse(40, MouseAction::Drag);
    assert_eq!(left(&probe), 79, "what is drawn after the button was let go moves nothing");
    assert!(
        probe
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Products(OnProducts::Remember(change)) if matches!(**change, Change::Split(_))))
    );
    probe.event(Event::Mouse(Mouse { x: 79, y: 10, what: MouseAction::Press }));
    probe.event(Event::Mouse(Mouse { x: 3, y: 10, what: MouseAction::Drag }));
    probe.event(Event::Mouse(Mouse { x: 3, y: 10, what: MouseAction::Release }));
    assert_eq!(left(&probe), 30, "neither pane goes away");
    probe.keys(">");
    assert!(left(&probe) >= 30);
    probe.keys(">");
    assert!(left(&probe) > 30, "the same by keys");
}
