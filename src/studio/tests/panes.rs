//! Every pane of the Products screen at three sizes, and without colours.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;

use super::probe::{Probe, product};
use crate::domain::{Analysis, AnalysisData, Num, Product, ProductOption, SelectedOption, Variant};
use crate::settings::{Depth, Theme};
use crate::studio::ground::{Failure, RequestId};
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::screens::products::Record;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::view;

const TITLES: [&str; 3] = ["Fjell wool sock", "Fjell wool liner", "Merino base layer"];
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

fn store(width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.counted(3).found(&TITLES, None);
    probe
}

fn option(name: &str, values: &[&str]) -> ProductOption {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    ProductOption { name: name.into(), values, ..ProductOption::default() }
}

fn variant(size: &str, colour: &str, stock: Option<i64>, policy: &str, tracked: bool) -> Variant {
    let selected = |name: &str, value: &str| SelectedOption {
        name: name.into(),
        value: value.into(),
        ..SelectedOption::default()
    };
    Variant {
        sku: Some(format!("FW-{size}-{colour}").to_uppercase()),
        price: Some("149.00".into()),
        compare_at_price: Some("189.00".into()),
        selected_options: Some(vec![selected("Size", size), selected("Colour", colour)]),
        inventory_quantity: stock.map(Num::from),
        inventory_policy: Some(policy.into()),
        inventory_tracked: Some(tracked),
        barcode: Some("7044567890123".into()),
        external_variant_id: format!("4412345{size}").as_str().into(),
        ..Variant::default()
    }
}

/// A product that stands in stock in every way that there is.
fn stocked() -> Product {
    Product {
        options: Some(vec![option("Size", &["S", "M", "L", "XL"]), option("Colour", &["Moss", "Stone"])]),
        variants: vec![
            variant("S", "Moss", Some(14), "deny", true),
            variant("S", "Stone", Some(3), "deny", true),
            variant("M", "Moss", Some(0), "deny", true),
            variant("M", "Stone", Some(-2), "continue", true),
            variant("L", "Moss", Some(1_200), "continue", true),
            variant("L", "Stone", Some(2), "continue", true),
            variant("XL", "Moss", None, "deny", false),
            variant("XL", "Stone", None, "deny", true),
        ],
        ..product(0, TITLES[0]).product
    }
}

/// Opens the first product and answers with it.
fn opened(width: u16, height: u16) -> Probe {
    let mut probe = store(width, height);
    probe.keys("<enter>");
    let request = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Products(OnProducts::FetchProduct { request, .. }) => Some(*request),
        _ => None,
    });
    let product = stocked();
    let raw = serde_json::to_value(&product).unwrap();
    let description = vec!["Warm, dry and light.".into(), String::new(), "* merino".into()];
    let record = Record { id: "0".into(), raw, product, description, findings: Vec::new() };
    probe.event(Event::Products(OfProducts::ProductArrived {
        request: request.unwrap(),
        product: Ok(Some(Box::new(record))),
    }));
    probe
}

fn analysis_asked(probe: &Probe) -> RequestId {
    let asked = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Products(OnProducts::FetchAnalysis { request, .. }) => Some(*request),
        _ => None,
    });
    asked.unwrap()
}

/// A pane by its name, and how it comes about at a size.
type Pane = (&'static str, fn(u16, u16) -> Probe);

fn panes() -> Vec<Pane> {
    fn with(mut probe: Probe, keys: &str) -> Probe {
        probe.keys(keys);
        probe
    }
    vec![
        ("overview", opened),
        ("variants", |w, h| with(opened(w, h), "]")),
        ("media without pictures", |w, h| with(opened(w, h), "]]<down>")),
        ("options", |w, h| with(opened(w, h), "]]]")),
        ("meta", |w, h| {
            let mut probe = store(w, h);
            probe.keys("<enter>").fetched().keys("]]]]");
            probe
        }),
        ("JSON", |w, h| with(opened(w, h), "[")),
        ("analysis", |w, h| {
            let mut probe = with(opened(w, h), "[[");
            let request = analysis_asked(&probe);
            let data = AnalysisData { confidence: Num(0.93), ..AnalysisData::default() };
            let analysis = Analysis { data, updated_at: "2026-11-19T12:00:00Z".into(), ..Analysis::default() };
            probe.event(Event::Products(OfProducts::AnalysisArrived {
                request,
                analysis: Ok(Some(Box::new(analysis))),
            }));
            probe
        }),
        ("analysis pending", |w, h| {
            let mut probe = with(opened(w, h), "[[");
            let request = analysis_asked(&probe);
            probe.event(Event::Products(OfProducts::AnalysisArrived { request, analysis: Ok(None) }));
            probe
        }),
        ("filter panel", |w, h| with(store(w, h), "f<down><down><down><down>50<down>200")),
        ("filter values", |w, h| with(store(w, h), "f<down><down><enter>")),
        ("chips", |w, h| {
            let mut probe = store(w, h);
            probe.keys("f<enter>so<enter><down><down><enter><space><enter><esc>P/wool").found(&TITLES[..2], None);
            probe.keys("<esc>c<right>");
            probe
        }),
        ("sort", |w, h| with(store(w, h), "s")),
        ("marked", |w, h| with(store(w, h), " <down> ")),
        ("export", |w, h| with(store(w, h), "  e")),
        ("export columns", |w, h| with(store(w, h), "  e2 selected CSV<enter>")),
        ("export file", |w, h| with(store(w, h), "  e2 selected NDJSON<enter>")),
        ("exporting", |w, h| {
            let mut probe = with(store(w, h), "  e2 selected NDJSON<enter><enter>");
            let request = probe.effects.iter().rev().find_map(|effect| match effect {
                Effect::Products(OnProducts::Export { request, .. }) => Some(*request),
                _ => None,
            });
            probe.event(Event::Products(OfProducts::Exported { request: request.unwrap(), done: 1, ended: None }));
            probe
        }),
        ("search saved", |w, h| {
            let mut probe = store(w, h);
            probe.keys("/wool").found(&TITLES[..2], None);
            probe.keys("<enter>S");
            probe
        }),
        ("searches", |w, h| {
            let mut probe = store(w, h);
            probe.keys("/wool").found(&TITLES[..2], None);
            probe.keys("<enter>S<enter>/merino").found(&TITLES[2..], None);
            probe.keys("<enter>b");
            probe
        }),
        ("search forgotten", |w, h| {
            let mut probe = store(w, h);
            probe.keys("/wool").found(&TITLES[..2], None);
            probe.keys("<enter>S<enter>D");
            probe
        }),
        ("analysis limit", |w, h| with(store(w, h), "<ctrl-u>")),
        ("page failed", |w, h| {
            let mut probe = with(store(w, h), "r");
            let (request, _) = probe.search();
            probe.event(Event::Products(OfProducts::PageArrived {
                request,
                page: Err(Failure::new("the service did not answer for 30 s")),
            }));
            probe
        }),
        ("product gone", |w, h| {
            let mut probe = store(w, h);
            probe.keys("<enter>");
            let request = probe.effects.iter().rev().find_map(|effect| match effect {
                Effect::Products(OnProducts::FetchProduct { request, .. }) => Some(*request),
                _ => None,
            });
            probe.event(Event::Products(OfProducts::ProductArrived { request: request.unwrap(), product: Ok(None) }));
            probe
        }),
    ]
}

#[test]
fn each_pane_at_three_sizes() {
    for (name, pane) in panes() {
        for (width, height) in SIZES {
            insta::assert_snapshot!(format!("{name} {width}x{height}"), pane(width, height).screen());
        }
    }
}

#[test]
fn no_pane_has_a_colour_where_there_are_none() {
    for (name, pane) in panes() {
        let mut probe = pane(120, 40);
        probe.model.shell.begin.theme = Arc::new(Theme::load("monochrome", None, Depth::True).0);
        probe.model.shell.theme = Arc::clone(&probe.model.shell.begin.theme);
        let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width: 120, height: 40 });
        view(&probe.model, &mut buffer);
        assert!(buffer.content.iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset)), "{name}");
    }
}

#[test]
fn every_pane_is_drawn_in_ascii_and_in_any_size() {
    for (name, pane) in panes() {
        let mut probe = pane(100, 30);
        probe.model.shell.begin.ascii = true;
        assert!(probe.screen().is_ascii(), "{name}\n{}", probe.screen());
        for (width, height) in [(40, 10), (41, 11), (57, 60), (99, 12), (100, 10), (300, 90)] {
            probe.event(Event::Resized { width, height });
            probe.screen();
        }
    }
}
