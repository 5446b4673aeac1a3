//! The screens of the service, Webhooks, Account and Inspector: at three sizes, and with whatever comes.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::super::probe::Probe;
use super::{hostile_text, key, picture};
use crate::domain::wire::{Message, Recorded};
use crate::domain::{Delivery, Fault, Finding, Num, ReceivedEvent, Segment, Verdict, Webhook, WebhookEvent};
use crate::settings::Key;
use crate::studio::effect::Effect;
use crate::studio::event::{Event, RequestId};
use crate::studio::ground::Failure;
use crate::studio::{account, inspector, webhooks};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

pub(super) fn webhook(id: &str, event: WebhookEvent, url: &str) -> Webhook {
    Webhook {
        id: id.into(),
        url: url.to_owned(),
        event,
        owner: "user-1".into(),
        created_at: "2026-11-18T09:00:00Z".to_owned(),
        updated_at: "2026-11-19T09:00:00Z".to_owned(),
        ..Webhook::default()
    }
}

pub(super) fn delivery(id: &str, state: &str, said: &str) -> Delivery {
    Delivery {
        id: id.to_owned(),
        webhook_id: "w1".into(),
        message_id: format!("msg_{id}"),
        event: "conversion".to_owned(),
        state: state.to_owned(),
        attempts: Num(2.0),
        created_at: "2026-11-20T11:00:00Z".to_owned(),
        status: Some(Num(500.0)),
        error: Some(said.to_owned()).filter(|said| !said.is_empty()),
        body: json!({ "sessionId": "s", "events": [{ "eventName": said }] }),
        ..Delivery::default()
    }
}

fn recorded(number: u64, path: &str, status: Option<u16>, said: &str) -> Recorded {
    let message = |body: &str| Message {
        headers: vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("x-said".to_owned(), said.to_owned()),
        ],
        body: body.to_owned(),
        size: body.len(),
        cut: false,
    };
    Recorded {
        number,
        at: "2026-11-20T11:59:00Z".parse().unwrap(),
        operation: "getMe",
        method: "GET",
        path: path.to_owned(),
        url: format!("https://api.example{path}"),
        socket: None,
        status,
        elapsed_ms: 40 * number,
        round_trip_ms: Some(12),
        retries: 0,
        request_id: Some("0f".to_owned()),
        error: status.is_none().then(|| said.to_owned()),
        sent: message(""),
        received: message(&json!({ "email": said, "n": number }).to_string()),
        findings: Vec::new(),
    }
}

fn received(said: &str) -> ReceivedEvent {
    ReceivedEvent {
        at: "2026-11-20T11:58:00Z".parse().unwrap(),
        message: format!("msg_{said}"),
        webhook: Some("w1".into()),
        event: Some("conversion".to_owned()),
        verdict: Verdict::Verified,
        body: json!({ "said": said }),
        size: 20,
        forwarded: None,
        answered: 204,
    }
}

fn finding(said: &str) -> Finding {
    Finding { at: vec![Segment::Key(said.to_owned())], fault: Fault::UnknownValue(said.to_owned()) }
}

fn profile(name: &str) -> account::KnownProfile {
    account::KnownProfile {
        name: name.to_owned(),
        credential: Some("in the keyring".to_owned()),
        is_default: name == "local",
        ..account::KnownProfile::default()
    }
}

/// Answers what the Webhooks screen asked for last, of each kind.
pub(super) fn answer(probe: &mut Probe, listed: Vec<Webhook>, made: &[Delivery]) {
    for effect in std::mem::take(&mut probe.effects) {
        let event = match effect {
            Effect::Webhooks(webhooks::Effect::List(request)) => {
                webhooks::Event::Listed { request, webhooks: Ok(listed.clone()) }
            }
            Effect::Webhooks(webhooks::Effect::Deliveries { request, .. }) => {
                webhooks::Event::Deliveries { request, deliveries: Ok(Some(made.to_vec())) }
            }
            _ => continue,
        };
        probe.event(Event::Webhooks(event));
    }
}

fn subscriptions(width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.keys("4");
    let listed = vec![
        webhook("w1", WebhookEvent::Conversion, "https://shop.example/hook"),
        Webhook {
            disabled_at: Some("2026-11-19T09:00:00Z".to_owned()),
            disabled_reason: Some("failing".to_owned()),
            ..webhook("w2", WebhookEvent::Conversion, "https://old.example/hook")
        },
        webhook("w3", WebhookEvent::ResponseSummary, "https://crm.example/answers"),
    ];
    let made = [delivery("d1", "delivered", ""), delivery("d2", "failed", "connection refused")];
    // First the list, then the deliveries of its first line, which are asked for once it is there.
    answer(&mut probe, listed.clone(), &made);
    answer(&mut probe, listed, &made);
    probe
}

#[test]
fn the_newest_subscription_of_an_event_comes_first_by_time_and_not_by_letters() {
    let mut probe = Probe::new(120, 40);
    probe.keys("4");
    let made = |id: &str, at: &str| {
        let created_at = format!("2026-11-18T09:00:{at}");
        Webhook { created_at, ..webhook(id, WebhookEvent::Conversion, &format!("https://{id}.example/hook")) }
    };
    answer(&mut probe, vec![made("first", "05Z"), made("third", "05.345Z"), made("second", "05.34Z")], &[]);
    let screen = probe.screen();
    let place = |id: &str| screen.find(&format!("https://{id}.example")).unwrap();
    assert!(place("third") < place("second") && place("second") < place("first"), "{screen}");
}

pub(in crate::studio::tests) fn inspected(width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    for (number, path, status) in [(1, "/users/me", Some(200)), (2, "/projects/", Some(500)), (3, "/webhooks", None)] {
        let exchange = recorded(number, path, status, "the line broke");
        probe.event(Event::Inspector(inspector::Event::Recorded(Arc::new(exchange))));
    }
    let findings = vec![finding("email")];
    probe.event(Event::Inspector(inspector::Event::Found { number: 1, findings }));
    probe.keys("6");
    probe
}

fn profiles(width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.event(Event::Account(account::Event::Profiles(vec![profile("local"), profile("shop")])));
    probe.keys("5");
    probe
}

type Shown = (&'static str, fn(u16, u16) -> Probe);

fn shown() -> Vec<Shown> {
    fn with(mut probe: Probe, keys: &str) -> Probe {
        probe.keys(keys);
        probe
    }
    vec![
        ("webhooks", subscriptions),
        ("webhooks deliveries", |w, h| with(subscriptions(w, h), "<enter>")),
        ("webhooks new", |w, h| with(subscriptions(w, h), "n")),
        ("webhooks deleting", |w, h| with(subscriptions(w, h), "x")),
        ("webhooks received", |w, h| {
            let mut probe = subscriptions(w, h);
            let at = "http://127.0.0.1:7228/".to_owned();
            probe.keys("<ctrl-g>");
            let asked = probe.effects.iter().rev().find_map(|effect| match effect {
                Effect::Webhooks(webhooks::Effect::Listen(request)) => Some(*request),
                _ => None,
            });
            let (request, listening) = (asked.expect("events are to be received"), Ok(at));
            probe.event(Event::Webhooks(webhooks::Event::Listening { request, listening }));
            probe.event(Event::Webhooks(webhooks::Event::Received(Box::new(received("sold")))));
            probe
        }),
        ("inspector", inspected),
        ("inspector detail", |w, h| with(inspected(w, h), "<enter>")),
        ("inspector not as specified", |w, h| with(inspected(w, h), "~")),
        ("account", profiles),
        ("account new profile", |w, h| with(profiles(w, h), "n")),
    ]
}

#[test]
fn each_screen_of_the_service_at_three_sizes() {
    for (name, shown) in shown() {
        for (width, height) in SIZES {
            insta::assert_snapshot!(format!("{name} {width}x{height}"), shown(width, height).screen());
        }
    }
}

#[test]
fn every_screen_of_the_service_is_drawn_in_any_size() {
    for (_, shown) in shown() {
        let mut probe = shown(100, 30);
        for (width, height) in [(1, 1), (40, 10), (41, 11), (57, 60), (99, 12), (300, 90)] {
            probe.event(Event::Resized { width, height });
            picture(&probe);
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Press(Key),
    Screen(char),
    Paste(String),
    Resize(u16, u16),
    /// Answers what the Webhooks screen asks with texts like this.
    Answer(String),
    /// Something happens, by its number, with a text like this.
    Happens(u8, String, bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => key().prop_map(Step::Press),
        3 => prop::sample::select(vec!['4', '5', '6']).prop_map(Step::Screen),
        1 => hostile_text().prop_map(Step::Paste),
        1 => (1u16..220, 1u16..70).prop_map(|(width, height)| Step::Resize(width, height)),
        3 => hostile_text().prop_map(Step::Answer),
        6 => (0u8..20, hostile_text(), any::<bool>()).prop_map(|(what, text, well)| Step::Happens(what, text, well)),
    ]
}

/// A request that somebody made.
const ASKED: RequestId = RequestId(1 << 40);

/// What may happen to these screens.
fn happening(what: u8, text: String, well: bool) -> Event {
    let request = ASKED;
    let said = |well: bool| if well { Ok(text.clone()) } else { Err(text.clone()) };
    let of_webhook = || {
        let webhook = webhook(&text, WebhookEvent::Other(text.clone()), &text);
        if well { Ok(Box::new(webhook)) } else { Err(text.clone()) }
    };
    match what {
        0 => Event::Webhooks(webhooks::Event::Created { request, created: of_webhook() }),
        1 => Event::Webhooks(webhooks::Event::Changed { request, changed: of_webhook() }),
        2 => Event::Webhooks(webhooks::Event::Listening { request, listening: said(well) }),
        3 | 4 => Event::Webhooks(webhooks::Event::Received(Box::new(received(&text)))),
        5 => Event::Webhooks(webhooks::Event::Deleted { request, webhook: text.as_str().into(), said: Ok(()) }),
        6 => Event::Inspector(inspector::Event::Again { request, sent: said(well).map(drop) }),
        7 => Event::Inspector(inspector::Event::Saved { request, saved: said(well) }),
        8 => Event::Inspector(inspector::Event::Found { number: 3, findings: vec![finding(&text); 3] }),
        9 => Event::Account(account::Event::Profiles(vec![profile(&text), profile("local")])),
        10 => Event::Account(account::Event::SignInNeeded { why: text }),
        11 => Event::Account(account::Event::SignInFailed(text)),
        12 => Event::Account(account::Event::SignedOut { request, signed_out: said(well) }),
        13 => Event::Account(account::Event::Saved { request, saved: said(true).map(|name| (name, well)) }),
        14 => Event::Account(account::Event::Done { request, done: said(well) }),
        15 => Event::Account(account::Event::WriteAsked { operation: "createWebhook" }),
        number => {
            let status = well.then_some(if text.len().is_multiple_of(2) { 200 } else { 404 });
            Event::Inspector(inspector::Event::Recorded(Arc::new(recorded(number.into(), &text, status, &text))))
        }
    }
}

#[test]
fn only_a_refused_credential_is_not_signed_in() {
    let mut probe = Probe::new(120, 40);
    probe.model.screens.account.in_use = Some("http://127.0.0.1:9/".to_owned());
    for (unauthorized, said) in [(false, "Couldn't ask who is signed in: couldn't reach it"), (true, "Not signed in")] {
        probe.keys("15");
        let asked = probe.effects.iter().rev().find_map(|effect| match effect {
            Effect::Account(account::Effect::AskWho(request)) => Some(*request),
            _ => None,
        });
        let failure = Failure { unauthorized, ..Failure::new("couldn't reach it") };
        probe.event(Event::Account(account::Event::Who { request: asked.unwrap(), who: Err(failure) }));
        assert!(probe.shows(said), "{}", probe.screen());
        assert!(probe.shows("http://127.0.0.1:9/, given at the start;"), "{}", probe.screen());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_comes_to_the_screens_of_the_service_panics(
        steps in prop::collection::vec(step(), 1..40), width in 1u16..200, height in 1u16..60
    ) {
        let mut probe = Probe::new(width, height);
        for step in steps {
            match step {
                Step::Press(key) => drop(probe.event(Event::Pressed(key))),
                Step::Screen(digit) => drop(probe.keys(&digit.to_string())),
                Step::Paste(text) => drop(probe.event(Event::Pasted(text))),
                Step::Resize(width, height) => drop(probe.event(Event::Resized { width, height })),
                Step::Answer(text) => {
                    let listed = vec![webhook(&text, WebhookEvent::Conversion, &text); 3];
                    answer(&mut probe, listed, &[delivery(&text, &text, &text)]);
                }
                Step::Happens(what, text, well) => {
                    probe.asks(Effect::Account(account::Effect::AskWho(ASKED)));
                    probe.event(happening(what, text, well));
                }
            }
            picture(&probe);
        }
    }
}
