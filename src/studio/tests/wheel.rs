//! The wheel scrolls in every list, and what is searched for is the same whether it is typed or pasted.

use std::sync::Arc;

use super::probe::{NOON, Probe, begin};
use crate::domain::wire::{Message, Recorded};
use crate::domain::{Webhook, WebhookEvent};
use crate::settings::Profile;
use crate::studio::account::KnownProfile;
use crate::studio::ground::{Mouse, MouseAction};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::reading;
use crate::studio::{Begin, account, inspector, products, webhooks};

/// The line that is selected, as it is read.
fn selected(probe: &Probe) -> String {
    reading(&probe.model).into_iter().find(|line| line.starts_with('>')).unwrap_or_default()
}

/// Goes some rows down, then turns the wheel: the rows move, and what is selected stays so as long as it is seen.
fn scrolls(probe: &mut Probe, at: (u16, u16), seen: &str) {
    probe.keys("<down><down><down><down><down>");
    assert!(probe.shows(seen), "{}", probe.screen());
    let (before, screen) = (selected(probe), probe.screen());
    assert!(!before.is_empty());
    for (what, shown) in [(MouseAction::WheelDown, false), (MouseAction::WheelUp, true)] {
        probe.event(Event::Mouse(Mouse { x: at.0, y: at.1, what }));
        assert_eq!(selected(probe), before, "{}", probe.screen());
        assert_eq!(probe.shows(seen), shown, "{}", probe.screen());
    }
    assert_eq!(probe.screen(), screen, "there and back");
}

#[test]
fn the_wheel_scrolls_the_profiles() {
    let known = |at: usize| KnownProfile {
        name: format!("shop-{at:02}"),
        profile: Profile::default(),
        ..KnownProfile::default()
    };
    let begin = Begin { profile: "shop-00".into(), profiles: (0..60).map(known).collect(), ..begin() };
    let mut probe = Probe::unconnected(begin, 120, 24);
    probe.keys("5");
    scrolls(&mut probe, (5, 12), "shop-01");
}

/// A studio whose service has so many subscriptions to one event.
fn subscribed(count: usize) -> Probe {
    let mut probe = Probe::new(120, 24);
    probe.keys("4");
    let asked = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Webhooks(webhooks::Effect::List(request)) => Some(*request),
        _ => None,
    });
    let webhook = |at: usize| Webhook {
        id: format!("w{at:02}").as_str().into(),
        url: format!("https://shop-{at:02}.example/hook"),
        event: WebhookEvent::ALL[0].clone(),
        ..Webhook::default()
    };
    let (request, webhooks) = (asked.unwrap(), Ok((0..count).map(webhook).collect()));
    probe.event(Event::Webhooks(webhooks::Event::Listed { request, webhooks }));
    probe
}

#[test]
fn the_wheel_scrolls_the_subscriptions() {
    scrolls(&mut subscribed(60), (5, 10), "shop-01.example");
}

#[test]
fn what_is_pasted_into_the_search_of_the_subscriptions_selects_the_first_as_what_is_typed_does() {
    let mut typed = subscribed(60);
    typed.keys("<down><down><down>/shop-1");
    let mut pasted = subscribed(60);
    pasted.keys("<down><down><down>/").event(Event::Pasted("shop-1".to_owned()));
    assert_eq!(selected(&pasted), selected(&typed));
    assert!(selected(&pasted).contains("shop-10"), "{}", pasted.screen());
}

fn recorded(number: u64) -> Recorded {
    let message = || Message { headers: Vec::new(), body: "{}".to_owned(), size: 2, cut: false };
    Recorded {
        number,
        at: "2026-01-31T12:00:00Z".parse().unwrap(),
        operation: "listProjects",
        method: "GET",
        path: format!("/said/{number:02}"),
        url: format!("https://api.example/said/{number:02}"),
        status: Some(200),
        elapsed_ms: 20,
        round_trip_ms: Some(12),
        retries: 0,
        request_id: None,
        socket: None,
        error: None,
        sent: message(),
        received: message(),
        findings: Vec::new(),
    }
}

/// A studio that said so much on the wire.
fn talkative(count: u64) -> Probe {
    let mut probe = Probe::new(120, 24);
    for number in 0..count {
        probe.event(Event::Inspector(inspector::Event::Recorded(Arc::new(recorded(number)))));
    }
    probe.keys("6");
    probe
}

#[test]
fn the_wheel_scrolls_the_requests() {
    scrolls(&mut talkative(60), (5, 12), "/said/58");
}

#[test]
fn a_request_is_searched_for_what_is_pasted_too() {
    let mut probe = talkative(3);
    probe.keys("<enter>/").event(Event::Pasted("milliseconds".to_owned()));
    assert!(probe.shows("milliseconds"), "{}", probe.screen());
    probe.keys("<enter>");
    let line = selected(&probe);
    assert!(line.contains("milliseconds"), "{line}\n{}", probe.screen());
}

#[test]
fn the_wheel_scrolls_what_lies_over_a_screen() {
    let mut probe = Probe::new(120, 24);
    probe.keys(":");
    scrolls(&mut probe, (60, 12), "Search titles and tags");
    // Help has no selection: its lines move by the same rows.
    let mut probe = Probe::new(120, 24);
    probe.keys("?");
    let before = probe.screen();
    probe.event(Event::Mouse(Mouse { x: 60, y: 12, what: MouseAction::WheelDown }));
    let turned = probe.screen();
    assert_ne!(turned, before);
    probe.keys("<up><up><up>");
    assert_eq!(probe.screen(), before);
}

fn turn(probe: &mut Probe, at: (u16, u16), what: MouseAction) {
    probe.event(Event::Mouse(Mouse { x: at.0, y: at.1, what }));
}

#[test]
fn the_wheel_scrolls_the_filters() {
    let mut probe = Probe::new(120, 12);
    probe.found(&["Socks"], None).keys("f");
    assert!(probe.shows("Type"), "{}", probe.screen());
    let screen = probe.screen();
    turn(&mut probe, (100, 5), MouseAction::WheelDown);
    assert!(!probe.shows("Type"), "{}", probe.screen());
    turn(&mut probe, (100, 5), MouseAction::WheelUp);
    probe.keys("<up><up><up>");
    assert_eq!(probe.screen(), screen, "there and back");
}

#[test]
fn media_move_as_every_list_does() {
    let mut probe = Probe::new(120, 24);
    probe.found(&["Socks"], None).keys("<enter>").fetched().keys("]]");
    let asked = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Products(products::Effect::FetchProduct { request, .. }) => Some((*request, effect.clone())),
        _ => None,
    });
    // Read again, it has many.
    let (asked, effect) = asked.unwrap();
    probe.asks(effect);
    let detail = probe.model.screens.products.detail.as_mut().unwrap();
    detail.record.load(asked, NOON);
    let mut record = detail.known().unwrap().clone();
    let medium = record.product.media[0].clone();
    record.product.media = vec![medium; 60];
    let arrived = products::Event::ProductArrived { request: asked, product: Ok(Some(Box::new(record))) };
    probe.event(Event::Products(arrived));
    let place = |probe: &Probe| {
        let detail = probe.model.screens.products.detail.as_ref().unwrap();
        (detail.selected, detail.top)
    };
    let page = probe.model.screens.products.detail.as_ref().unwrap().gallery.unwrap().rows;
    assert!((2..60).contains(&page), "{}", probe.screen());
    probe.keys("<page_down>");
    assert_eq!(place(&probe), (page, 1));
    probe.keys("<page_up>");
    assert_eq!(place(&probe), (0, 0));
    probe.keys("<end>");
    assert_eq!(place(&probe), (59, 60 - page));
    probe.keys("<home><down><down><down>");
    // The rows move, and what is selected stays so as long as it is seen.
    turn(&mut probe, (100, 8), MouseAction::WheelDown);
    assert_eq!(place(&probe), (3, 1), "{}", probe.screen());
    turn(&mut probe, (100, 8), MouseAction::WheelUp);
    assert_eq!(place(&probe), (3, 0));
}

#[test]
fn the_detail_of_a_video_ends_with_its_last_line() {
    let mut probe = super::videos::library(80, 12);
    probe.keys("<enter>");
    let first = probe.screen();
    probe.keys("<end>");
    let last = probe.screen();
    assert_ne!(last, first, "there is more than a page\n{first}");
    probe.keys("<up>");
    assert_ne!(probe.screen(), last, "one step up is seen at once");
    turn(&mut probe, (5, 5), MouseAction::WheelDown);
    turn(&mut probe, (5, 5), MouseAction::WheelDown);
    assert_eq!(probe.screen(), last);
    probe.keys("<home>");
    assert_eq!(probe.screen(), first);
}

#[test]
fn the_video_that_is_pressed_is_the_one_under_the_pointer_after_uploads_appeared() {
    let mut probe = super::videos::library(80, 13);
    probe.keys("<end>");
    super::videos::uploads(&mut probe, &super::videos::overview());
    let screen = probe.screen();
    // Below the tabs, the frame, the filter and the headings.
    let row = screen.lines().nth(4).unwrap_or_default();
    let name = ["welcome", "Ære", "v-3"].into_iter().find(|name| row.contains(name)).expect(row);
    probe.event(Event::Mouse(Mouse { x: 5, y: 4, what: MouseAction::Press }));
    assert!(selected(&probe).contains(name), "{name}, not {}\n{screen}", selected(&probe));
}

#[test]
fn the_selected_profile_stays_in_sight_when_there_are_fewer() {
    let known = |at: usize| KnownProfile { name: format!("shop-{at:02}"), ..KnownProfile::default() };
    let begin = Begin { profile: "shop-00".into(), profiles: (0..60).map(known).collect(), ..begin() };
    let mut probe = Probe::unconnected(begin, 120, 24);
    probe.keys("5<end>");
    assert!(selected(&probe).contains("shop-59"), "{}", selected(&probe));
    let left = (0..60).filter(|at| [0, 1, 2, 59].contains(at)).map(known).collect();
    probe.event(Event::Account(account::Event::Profiles(left)));
    assert!(selected(&probe).contains("shop-59"), "{}", selected(&probe));
    assert!(probe.shows("shop-00") && probe.shows("shop-59"), "{}", probe.screen());
}

#[test]
fn the_selected_request_stays_in_sight_when_the_screen_shrinks() {
    let mut probe = talkative(60);
    probe.keys("<page_down>");
    let line = selected(&probe);
    let path = line.split(' ').find(|word| word.starts_with("/said")).unwrap();
    assert!(probe.shows(path), "{}", probe.screen());
    probe.event(Event::Resized { width: 120, height: 10 });
    assert!(probe.shows(path), "{path}\n{}", probe.screen());
}

#[test]
fn what_is_found_in_a_request_is_scrolled_to() {
    for paste in [true, false] {
        let mut probe = talkative(3);
        probe.event(Event::Resized { width: 120, height: 10 });
        probe.keys("<enter>/");
        let found: String = "retries".into();
        if paste {
            probe.event(Event::Pasted(found.clone()));
        } else {
            probe.keys(&found);
        }
        // Once where it was typed, once where it was found.
        assert_eq!(probe.screen().matches(&found).count(), 2, "{}", probe.screen());
    }
}

#[test]
fn the_events_of_a_new_subscription_move_as_every_list_does() {
    let mut probe = subscribed(1);
    probe.keys("n");
    let first = selected(&probe);
    probe.keys("<end>");
    let last = selected(&probe);
    assert_ne!(first, last);
    probe.keys("<page_up>");
    assert_eq!(selected(&probe), first);
    probe.keys("<page_down>");
    assert_eq!(selected(&probe), last);
}
