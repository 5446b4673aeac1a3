//! What the analysis says: asked for, asked again, in columns and summed up.

use super::probe::{Probe, product};
use crate::domain::{AgeGroup, Analysis, AnalysisData, AnalysisStatus, FoundProduct, Gender, PriceRange};
use crate::studio::ground::Alarm;
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::screens::products::Page;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::{Change, Facets, Row};

fn analyzed(at: usize, known: bool) -> FoundProduct {
    let data = AnalysisData {
        gender_appropriateness: if at.is_multiple_of(3) { Gender::Female } else { Gender::Unisex },
        age_group: AgeGroup::Adult,
        price_range: PriceRange::MidRange,
        ..AnalysisData::default()
    };
    let analysis = known.then(|| Analysis { data, ..Analysis::default() });
    let status = if known { AnalysisStatus::Analyzed } else { AnalysisStatus::Pending };
    FoundProduct { analysis, analysis_status: Some(status), ..product(at, &format!("Product {at}")) }
}

fn found(probe: &mut Probe, found: &[FoundProduct]) {
    let (request, _) = probe.search();
    let page = Page { rows: found.iter().map(Row::of).collect(), ..Page::default() };
    probe.event(Event::Products(OfProducts::PageArrived { request, page: Ok(page) }));
}

fn wakes(probe: &Probe) -> Vec<u64> {
    let wakes = probe.effects.iter().filter_map(|effect| match effect {
        Effect::Wake { alarm: Alarm::Pending, after_ms } => Some(*after_ms),
        _ => None,
    });
    wakes.collect()
}

#[test]
fn the_list_shows_what_the_analysis_says() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut probe = Probe::new(width, height);
        probe.counted(4).found(&["a"], None);
        assert_eq!(probe.search().1.include.unwrap().analysis, None, "not asked for unless it is shown");
        probe.keys("A");
        assert!(probe.effects.contains(&Effect::Products(OnProducts::Remember(Box::new(Change::Facets(true))))));
        let asked = probe.search().1.include.unwrap().analysis.unwrap();
        assert_eq!(asked.timeout_ms.unwrap().whole(), Some(400), "products don't wait long for it");
        found(&mut probe, &[analyzed(0, true), analyzed(1, true), analyzed(2, false), analyzed(3, true)]);
        insta::assert_snapshot!(format!("facets {width}x{height}"), probe.screen());
        probe.keys("~");
        insta::assert_snapshot!(format!("summary {width}x{height}"), probe.screen());
    }
}

#[test]
fn what_is_pending_is_asked_again_quietly_and_not_for_ever() {
    let mut probe = Probe::new(120, 40);
    probe.counted(2).found(&["a"], None).keys("A");
    found(&mut probe, &[analyzed(0, true), analyzed(1, false)]);
    probe.effects.clear();
    probe.keys("j");
    let mut waited = Vec::new();
    probe.effects.clear();
    let mut asked = 0;
    // The first wish to be woken came with the page.
    loop {
        probe.event(Event::Woke(Alarm::Pending));
        let request = probe.effects.iter().rev().find_map(|effect| match effect {
            Effect::Products(OnProducts::FetchFacets { request, products, timeout_ms, .. }) => {
                assert_eq!((products.len(), products[0].as_str(), *timeout_ms), (1, "1", 400));
                Some(*request)
            }
            _ => None,
        });
        let Some(request) = request else { break };
        asked += 1;
        probe.effects.clear();
        probe.event(Event::Products(OfProducts::FacetsArrived { request, facets: Ok(Vec::new()) }));
        waited.extend(wakes(&probe));
        probe.effects.clear();
    }
    assert_eq!((asked, waited), (5, vec![4_000, 8_000, 16_000, 32_000]));
    assert!(!probe.shows("searching"), "and nothing is said of it");
    // Another search may wait for its own.
    probe.keys("r");
    found(&mut probe, &[analyzed(1, false)]);
    assert_eq!(wakes(&probe), [2_000]);
    probe.event(Event::Woke(Alarm::Pending));
    let request = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Products(OnProducts::FetchFacets { request, .. }) => Some(*request),
        _ => None,
    });
    let facets = Facets::of(&analyzed(1, true)).unwrap();
    probe.event(Event::Products(OfProducts::FacetsArrived {
        request: request.unwrap(),
        facets: Ok(vec![("1".into(), facets)]),
    }));
    assert!(probe.shows("mid-range"), "{}", probe.screen());
}

#[test]
fn an_open_product_that_is_pending_is_asked_again_and_the_limit_can_be_set() {
    let mut probe = Probe::new(120, 40);
    probe.counted(1).found(&["a"], None);
    let asked = |probe: &Probe| {
        let found = probe.effects.iter().rev().find_map(|effect| match effect {
            Effect::Products(OnProducts::FetchAnalysis { request, timeout_ms, .. }) => Some((*request, *timeout_ms)),
            _ => None,
        });
        found.unwrap()
    };
    probe.keys("<enter>").fetched().keys("[[");
    let (request, limit) = asked(&probe);
    assert_eq!(limit, 10_000);
    probe.event(Event::Products(OfProducts::AnalysisArrived { request, analysis: Ok(None) }));
    assert_eq!(wakes(&probe), [2_000]);
    probe.event(Event::Woke(Alarm::Pending));
    let (again, _) = asked(&probe);
    assert!(again > request && probe.shows("pending"), "it stays what it was while it is asked again");
    probe.event(Event::Products(OfProducts::AnalysisArrived { request: again, analysis: Ok(Some(Box::default())) }));
    assert!(probe.shows("Confidence"));
    probe.keys("<ctrl-u>").event(Event::Pasted("x".into())).keys("<enter>");
    assert!(probe.shows("a whole number from 1"));
    probe.keys("<ctrl-u><ctrl-u>");
    for _ in 0..6 {
        probe.keys("<backspace>");
    }
    probe.keys("2500<enter>");
    assert_eq!(asked(&probe).1, 2_500);
    assert!(probe.effects.contains(&Effect::Products(OnProducts::Remember(Box::new(Change::AnalysisMs(Some(2_500)))))));
}
