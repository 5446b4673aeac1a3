//! The wheel scrolls in every list, and what is searched for is the same whether it is typed or pasted.

use std::sync::Arc;

use super::probe::{Probe, begin};
use crate::domain::wire::{Message, Recorded};
use crate::domain::{Webhook, WebhookEvent};
use crate::settings::Profile;
use crate::studio::account::KnownProfile;
use crate::studio::ground::{Mouse, MouseAction};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::reading;
use crate::studio::{Begin, inspector, webhooks};

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
    scrolls(&mut probe, (60, 12), "Show the projects.");
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
