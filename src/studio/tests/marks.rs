//! Marking what can be marked, all of what was found, and exporting what is still there.

use super::probe::{Probe, product};
use crate::domain::{Cursor, ProductId};
use crate::studio::Row;
use crate::studio::ground::RequestId;
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::screens::products::{Gathered, Page};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::{Connected, Event};

const TITLES: [&str; 3] = ["Fjell wool sock", "Fjell wool liner", "Merino base layer"];

fn found(ids: &[&str], next: Option<&str>) -> Probe {
    let mut probe = Probe::new(120, 40);
    let (request, _) = probe.counted(1_000).search();
    let row = |(at, id): (usize, &&str)| Row { id: (*id).into(), ..Row::of(&product(at, TITLES[at % 3])) };
    let rows = ids.iter().enumerate().map(row).collect();
    probe.event(Event::Products(OfProducts::PageArrived {
        request,
        page: Ok(Page { rows, next: next.map(Cursor::from), ..Page::default() }),
    }));
    probe
}

fn gathering(probe: &Probe) -> RequestId {
    let asked = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Products(OnProducts::Gather { request, .. }) => Some(*request),
        _ => None,
    });
    asked.expect("the rest is asked for")
}

fn gathered(probe: &mut Probe, request: RequestId, gathered: Gathered) {
    probe.event(Event::Products(OfProducts::Gathered { request, gathered }));
}

fn ids(range: std::ops::Range<usize>) -> Vec<ProductId> {
    range.map(|at| ProductId::new(format!("p{at}"))).collect()
}

#[test]
fn what_came_without_an_id_is_not_marked() {
    let mut probe = found(&["", "1", ""], None);
    probe.keys(" ");
    assert!(probe.shows("has no ID") && !probe.shows("1 selected"), "{}", probe.screen());
    assert_eq!(probe.model.screens.products.list.found.selected(), 1, "and Space goes on");
    probe.keys("ga");
    assert!(probe.shows("1 selected") && probe.shows("2 products have no ID"));
    probe.keys("a");
    assert!(!probe.shows("1 selected"), "all that can be are marked, so the marks are taken away");
    probe.keys("gj G-");
    assert!(probe.shows("1 selected") && probe.shows("One product has no ID"));
    let mut probe = found(&["", ""], None);
    probe.keys("a");
    assert!(probe.model.screens.products.marks.products.is_empty());
}

#[test]
fn all_found_are_marked_also_those_that_were_not_read() {
    let mut probe = found(&["a", "b"], Some("page 2"));
    probe.keys("a");
    let request = gathering(&probe);
    let gather =
        probe.effects.iter().rev().find(|effect| matches!(effect, Effect::Products(OnProducts::Gather { .. })));
    let Some(Effect::Products(OnProducts::Gather { search, .. })) = gather.cloned() else {
        panic!("{:?}", probe.effects)
    };
    assert_eq!(search.cursor.as_ref().map(Cursor::as_str), Some("page 2"), "it goes on where the list ends");
    assert_eq!(search.include, None);
    assert!(probe.shows("2 selected, selecting more"));
    gathered(&mut probe, request, Gathered::Some(ids(0..500)));
    assert!(probe.shows("502 selected, selecting more"));
    gathered(&mut probe, request, Gathered::All);
    assert!(probe.shows("502 selected.") && !probe.shows("selecting more"));
    // They survive another search, and what comes late is dropped.
    probe.keys("/w").found(&TITLES[..1], None).keys("<enter>");
    assert!(probe.shows("502 selected"));
    gathered(&mut probe, request, Gathered::Some(ids(900..901)));
    assert!(probe.shows("502 selected"));
}

#[test]
fn marking_all_can_be_stopped_can_fail_and_is_bounded() {
    let mut probe = found(&["a", "b"], Some("page 2"));
    probe.keys("a");
    let request = gathering(&probe);
    probe.keys("a");
    assert!(probe.effects.contains(&Effect::Cancel(request)) && probe.shows("Stopped: 2 selected."));
    let mut probe = found(&["a"], Some("page 2"));
    probe.keys("aX");
    assert!(probe.shows("The selection is kept") && probe.shows("1 selected"));
    let mut probe = found(&["a"], Some("page 2"));
    probe.keys("a");
    let request = gathering(&probe);
    gathered(&mut probe, request, Gathered::Failed("the line broke".into()));
    assert!(probe.shows("1 selected; couldn't load the rest: the line broke"), "{}", probe.screen());
    let mut probe = found(&["a"], Some("page 2"));
    probe.keys("a");
    let request = gathering(&probe);
    gathered(&mut probe, request, Gathered::Some(ids(0..100_000)));
    assert!(probe.shows("100,000 selected, the maximum"), "{}", probe.screen());
    assert!(probe.effects.contains(&Effect::Cancel(request)));
    assert_eq!(probe.model.screens.products.marks.products.len(), 100_000);
}

#[test]
fn an_export_says_how_many_of_the_marked_are_gone_and_goes_on_in_another_store() {
    let mut probe = found(&["a", "b", "c"], None);
    probe.keys("ae3 selected NDJSON<enter><enter>");
    let Some(Effect::Products(OnProducts::Export { request, .. })) = probe.effects.last().cloned() else {
        panic!("{:?}", probe.effects)
    };
    probe.event(Event::Products(OfProducts::Exported { request, done: 1, ended: None }));
    assert!(probe.shows("exporting 1 of 3, X stops"));
    let stores = vec!["https://nordlys.example".into(), "https://other.example".into()];
    let store = stores.get(1).cloned();
    probe.event(Event::Connected(Connected { base: "http://127.0.0.1/".into(), store, stores }));
    probe.keys("<ctrl-t>other<enter>").counted(3).found(&TITLES, None);
    assert!(probe.shows("exporting 1 of 3"), "{}", probe.screen());
    probe.event(Event::Products(OfProducts::Exported {
        request,
        done: 2,
        ended: Some(Ok("/home/a/products.ndjson".into())),
    }));
    assert!(probe.shows("Exported 2 products") && probe.shows("1 of those selected"), "{}", probe.screen());
}

#[test]
fn a_failed_export_says_what_was_kept() {
    let mut probe = found(&["a", "b", "c"], None);
    probe.keys("ae3 selected NDJSON<enter><enter>");
    let Some(Effect::Products(OnProducts::Export { request, .. })) = probe.effects.last().cloned() else {
        panic!("{:?}", probe.effects)
    };
    let full = "/home/a/products.ndjson: No space left on device".to_owned();
    probe.event(Event::Products(OfProducts::Exported { request, done: 1, ended: Some(Err(full)) }));
    assert!(probe.shows("no file was written") && probe.shows("No space left"));
}
