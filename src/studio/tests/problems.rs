//! The lists of problems of the catalog and of the videos.

use super::probe::Probe;
use super::videos::library;
use crate::domain::VideoId;
use crate::lint::{Fix, Problem, Record, Rule};
use crate::studio::ground::{Failure, RequestId};
use crate::studio::problems::{CheckReply, CheckRequest, FoundProblem};
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::reading;
use crate::studio::videos::{Effect as OnVideos, Event as OfVideos};

fn of_product(rule: Rule, id: &str, title: &str, field: &str, sentence: &str) -> FoundProblem {
    let record =
        Record::Product { store: "https://nordlys.example".into(), id: id.to_owned(), title: Some(title.to_owned()) };
    FoundProblem::of(&Problem::new(rule, record, field, sentence))
}

fn three() -> Vec<FoundProblem> {
    vec![
        of_product(Rule::Unpublished, "7", "Picnic blanket", "publishedAt", "it is not published"),
        of_product(Rule::SoldOut, "8", "Fjell wool sock", "variants[1].inventoryQuantity", "no variant can be bought"),
        of_product(Rule::NoMedia, "9", "Bare \u{1b}[31mboard", "media", "it has no pictures"),
    ]
}

/// What the list asked last.
fn asked(probe: &Probe) -> CheckRequest {
    let asked = |effect: &Effect| match effect {
        Effect::Products(OnProducts::Check(asked)) | Effect::Videos(OnVideos::Check(asked)) => Some(asked.clone()),
        _ => None,
    };
    probe.effects.iter().rev().find_map(asked).expect("something is asked")
}

fn told(probe: &mut Probe, reply: CheckReply) {
    let event = match probe.model.screens.shown {
        crate::studio::ground::Screen::Videos => Event::Videos(OfVideos::Check(reply)),
        _ => Event::Products(OfProducts::Check(reply)),
    };
    probe.event(event);
}

fn found(probe: &mut Probe, request: RequestId, found: Vec<FoundProblem>, read: u64) {
    told(probe, CheckReply::Found { request, found, read, left_out: 0 });
}

/// The Products screen with the problems of three products.
fn checked(width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.counted(3).found(&["Fjell wool sock", "Merino base layer, women", "Picnic blanket"], None);
    probe.keys("_");
    let CheckRequest::Check { request, store } = asked(&probe) else { panic!("{:?}", asked(&probe)) };
    assert_eq!(store, Some("https://nordlys.example".into()));
    assert!(probe.shows("Checking"), "{}", probe.screen());
    found(&mut probe, request, three(), 150);
    assert!(probe.shows("checking, 150 products so far"), "{}", probe.screen());
    told(&mut probe, CheckReply::Ended { request, ended: Ok(()) });
    probe
}

#[test]
fn the_problems_of_the_catalog_are_listed_the_worst_first() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let probe = checked(width, height);
        let screen = probe.screen();
        assert!(screen.contains("150 products checked") && screen.contains("1 error, 1 warning, 1 note"), "{screen}");
        assert!(!screen.contains('\u{1b}'), "nothing of a service is obeyed");
    }
    let lines = reading(&checked(120, 40).model).join("\n");
    assert!(lines.contains("> error S20; Bare") && lines.contains("  note S04; Picnic blanket"), "{lines}");
}

#[test]
fn a_problem_leads_to_its_product_and_the_tab_with_its_field() {
    let mut probe = checked(120, 40);
    probe.keys("j<enter>");
    let products = &probe.model.screens.products;
    let detail = products.detail.as_ref().expect("a product is open");
    assert_eq!((detail.id.as_str(), detail.tab.title()), ("8", "Variants"));
    assert!(probe.shows("variants[1].inventoryQuantity: no variant can be bought"), "{}", probe.screen());
    probe.fetched();
    assert!(probe.shows("Problems") && probe.shows("SKU"), "both are seen\n{}", probe.screen());
    // Esc comes back to the list, and leaves it; what is searched for then is products again.
    probe.keys("<esc>k");
    assert_eq!(probe.model.pane().spoken(probe.now).position, Some((0, 3)));
    probe.keys("<esc>");
    assert!(probe.model.screens.products.problems.is_none() && probe.shows("3 products"), "{}", probe.screen());
    probe.keys(".");
    assert!(matches!(asked(&probe), CheckRequest::Check { .. }), "where none are listed, the catalog is checked first");
    probe.keys("/");
    assert!(probe.model.screens.products.problems.is_none(), "{}", probe.screen());
}

#[test]
fn what_is_ignored_is_kept_and_can_be_saved_as_a_baseline() {
    let mut probe = checked(120, 40);
    probe.keys("<ctrl-k>");
    assert!(probe.shows("No problem is ignored. M ignores the selected one."), "{}", probe.screen());
    probe.keys("M");
    let CheckRequest::Ignore { request, key, ignored } = asked(&probe) else { panic!("{:?}", asked(&probe)) };
    assert_eq!((key.as_str(), ignored), ("S20 https://nordlys.example 9 media", true));
    assert!(probe.shows("1 warning, 1 note") && probe.shows("150 products checked, 1 ignored"), "{}", probe.screen());
    told(&mut probe, CheckReply::Ignored { request, kept: Err("the disk is full".into()) });
    assert!(probe.shows("couldn't be kept: the disk is full"), "{}", probe.screen());
    probe.keys("<ctrl-k><enter>");
    let CheckRequest::Save { request, file, keys } = asked(&probe) else { panic!("{:?}", asked(&probe)) };
    assert_eq!((file.as_str(), keys), ("known.txt", vec![key]));
    told(&mut probe, CheckReply::Saved { request, saved: Ok("/home/known.txt".into()) });
    assert!(probe.shows("Saved to /home/known.txt."), "{}", probe.screen());
    probe.keys("M");
    assert!(matches!(asked(&probe), CheckRequest::Ignore { ignored: false, .. }));
    assert!(probe.shows("1 error, 1 warning, 1 note"), "{}", probe.screen());
}

#[test]
fn a_check_that_stops_says_why_and_keeps_what_it_found() {
    let mut probe = Probe::new(120, 40);
    probe.counted(3).found(&["Fjell wool sock"], None).keys("_");
    let CheckRequest::Check { request, .. } = asked(&probe) else { panic!("{:?}", asked(&probe)) };
    found(&mut probe, request, three(), 50);
    told(&mut probe, CheckReply::Ended { request, ended: Err(Failure::new("the service said 500")) });
    let screen = probe.screen();
    assert!(screen.contains("stopped after 50 products") && screen.contains("the service said 500"), "{screen}");
    assert!(screen.contains("1 error"), "{screen}");
    probe.keys("R");
    let again = asked(&probe);
    assert_ne!(again.request(), request);
    found(&mut probe, request, three(), 50);
    assert!(!probe.shows("1 error"), "what is no longer wanted is not taken\n{}", probe.screen());
    // Esc ends what is on its way.
    probe.keys("<esc>");
    assert!(probe.effects.contains(&Effect::Cancel(again.request())), "{:?}", probe.effects);
}

#[test]
fn the_problems_of_videos_lead_to_the_videos() {
    let mut probe = library(120, 40);
    probe.keys("_");
    let CheckRequest::Check { request, store: None } = asked(&probe) else { panic!("{:?}", asked(&probe)) };
    let video = |id: &str, name: &str, rule: Rule, fix: Option<Fix>| {
        let record = Record::Video { id: VideoId::from(id), name: name.to_owned() };
        let mut problem = Problem::new(rule, record, rule.field(), "it is wrong");
        problem.fix = fix;
        FoundProblem::of(&problem)
    };
    let of = vec![
        video("v-1", "welcome.mp4", Rule::SlowStart, Some(Fix::Remux)),
        video("v-2", "Ære være.mp4", Rule::CodecNotWeb, None),
    ];
    found(&mut probe, request, of, 2);
    told(&mut probe, CheckReply::Ended { request, ended: Ok(()) });
    let screen = probe.screen();
    assert!(screen.contains("V01 Ære være.mp4: it is wrong") && screen.contains("2 videos checked"), "{screen}");
    probe.keys("jm");
    assert!(probe.shows("To fix it: ffmpeg"), "{}", probe.screen());
    probe.keys("<enter>");
    assert!(probe.shows("file: it is wrong"), "{}", probe.screen());
    let lines = reading(&probe.model).join("\n");
    assert!(lines.contains("welcome.mp4"), "what is beside the list is its video\n{lines}");
    probe.keys("<esc><esc>");
    assert!(probe.shows("3 videos") && probe.shows("newest first"), "{}", probe.screen());
    probe.keys("M");
    assert!(probe.shows("No problems are listed here. _ checks the videos."), "{}", probe.screen());
}
