//! Enter pressed before what it opens is there, and answers that nothing hides.

use super::probe::{Probe, begin};
use super::projects::{listed, sample as projects};
use super::steps::sample;
use crate::domain::{StoreUrl, WebhookSecret};
use crate::settings::Profile;
use crate::studio::account::KnownProfile;
use crate::studio::ground::{Alarm, Failure, RequestId, Screen};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::{Connected, Event};
use crate::studio::shell::notices::Notices;
use crate::studio::{Begin, projects as on_projects, steps, webhooks};

fn connected(store: Option<&str>) -> Event {
    let base = "https://api.example/".to_owned();
    Event::Connected(Connected { base, store: store.map(StoreUrl::from), stores: Vec::new() })
}

#[test]
fn what_answers_a_key_is_not_hidden_by_what_nobody_asked_for() {
    let known = KnownProfile { name: "a".into(), profile: Profile::default(), ..KnownProfile::default() };
    let begin = Begin { profile: "a".into(), local: false, profiles: vec![known], ..begin() };
    let mut probe = Probe::unconnected(begin, 120, 40);
    // The profile was opened, and the service has not answered yet.
    probe.keys("5<enter>");
    assert!(probe.shows("a is already open"), "{}", probe.screen());
    probe.event(connected(None));
    assert!(probe.shows("a is already open"), "the answer was hidden:\n{}", probe.screen());
    let shown = probe.model.shell.notices.shown.unwrap();
    probe.effects.clear();
    probe.event(Event::Woke(Alarm::Notice(shown)));
    assert!(probe.shows("No store is set"), "what waited is shown then:\n{}", probe.screen());
    let next = Alarm::Notice(probe.model.shell.notices.shown.unwrap());
    let wakes = |effect: &Effect| matches!(effect, Effect::Wake { alarm, after_ms: 1.. } if *alarm == next);
    assert!(probe.effects.iter().any(wakes), "and goes, too");
    probe.event(Event::Woke(next));
    assert_eq!(probe.model.shell.notices.shown, None);
    // What is said after it was seen long enough is shown at once.
    probe.keys("<enter>");
    probe.now.0 += 5_000;
    probe.event(connected(None));
    assert!(probe.shows("No store is set"), "{}", probe.screen());
}

#[test]
fn an_error_that_was_not_read_is_not_hidden_by_what_nobody_asked_for() {
    let mut probe = Probe::unconnected(begin(), 120, 40);
    probe.event(Event::ConnectFailed(Failure::new("The disk is full")));
    probe.event(connected(None));
    assert!(probe.shows("The disk is full"), "the error was hidden:\n{}", probe.screen());
    // It stays until a key takes it away, however late; what waited comes after it.
    probe.now.0 += 60_000;
    probe.event(connected(None));
    assert!(probe.shows("The disk is full"), "{}", probe.screen());
    probe.keys("<esc>");
    assert!(!probe.shows("The disk is full") && probe.shows("No store is set"), "{}", probe.screen());
    // One of a screen that isn't shown holds nothing up.
    probe.event(Event::ConnectFailed(Failure::new("The disk is full")));
    probe.keys("4");
    probe.event(connected(None));
    assert!(probe.shows("No store is set"), "{}", probe.screen());
}

#[test]
fn the_page_of_notices_shows_what_is_said_while_it_is_open() {
    let mut probe = Probe::unconnected(begin(), 80, 24);
    probe.keys("!");
    assert!(probe.shows("No notices yet"), "{}", probe.screen());
    for number in 0..40 {
        probe.event(Event::ConnectFailed(Failure::new(format!("Fault {number}."))));
    }
    assert!(probe.shows("Fault 39.") && !probe.shows("No notices yet"), "{}", probe.screen());
    // What is read stays where it is.
    probe.keys("<down><down>");
    assert!(!probe.shows("× Fault 38.") && probe.shows("× Fault 37."), "{}", probe.screen());
    probe.event(Event::ConnectFailed(Failure::new("Fault 40.")));
    assert!(!probe.shows("× Fault 38.") && probe.shows("× Fault 37."), "{}", probe.screen());
}

#[test]
fn what_is_said_with_a_copy_is_seen_before_that_it_was_copied() {
    let mut probe = Probe::new(120, 40);
    probe.keys("4");
    let secret = Ok(WebhookSecret::new("whsec_c2VjcmV0"));
    probe.effects.clear();
    let rotate =
        |request, webhook: &str| Effect::Webhooks(webhooks::Effect::Rotate { request, webhook: webhook.into() });
    let (request, webhook) = (RequestId(1001), "w1".into());
    probe.asks(rotate(request, "w1"));
    probe.event(Event::Webhooks(webhooks::Event::Rotated { request, webhook, secret }));
    assert!(probe.effects.iter().any(|effect| matches!(effect, Effect::CopySecret(_))), "{:?}", probe.effects);
    // The terminal has it at once.
    probe.event(Event::Copied(14));
    assert!(probe.shows("Replaced the secret of w1"), "it was hidden:\n{}", probe.screen());
    let shown = probe.model.shell.notices.shown.unwrap();
    probe.event(Event::Woke(Alarm::Notice(shown)));
    assert!(probe.shows("Sent the secret to your terminal's clipboard (14 bytes)."), "{}", probe.screen());
    // What is copied without a word is told at once, whatever was said before.
    let (webhook, secret) = ("w2".into(), Err("no".to_owned()));
    probe.asks(rotate(request, "w2"));
    probe.event(Event::Webhooks(webhooks::Event::Rotated { request, webhook, secret }));
    probe.event(Event::Copied(15));
    assert!(probe.shows("Sent the secret to your terminal's clipboard (15 bytes)."), "{}", probe.screen());
}

#[test]
fn an_answer_is_taken_once_and_only_while_it_is_wanted() {
    let mut probe = Probe::new(120, 40);
    probe.keys("4");
    let request = RequestId(1001);
    let ping = || Effect::Webhooks(webhooks::Effect::Ping { request, webhook: "w1".into() });
    let sent = || Event::Webhooks(webhooks::Event::Queued { request, queued: Ok("Test event sent.") });
    let said = |probe: &mut Probe| {
        probe.model.shell.notices = Notices::default();
        probe.event(sent());
        probe.shows("Test event sent.")
    };
    assert!(!said(&mut probe), "nobody asked");
    probe.asks(ping());
    assert!(said(&mut probe));
    assert!(!said(&mut probe), "it was answered");
    probe.asks(ping());
    probe.model.shell.wanted.cancel(request);
    assert!(!said(&mut probe), "it is no longer wanted");
}

#[test]
fn enter_opens_the_first_product_once_the_list_is_here() {
    let mut probe = Probe::new(120, 40);
    // The title tells how many there are before they are here.
    probe.counted(300).keys("<enter>").found(&["Wool socks", "Cap"], None);
    let open = |probe: &Probe| probe.model.screens.products.detail.as_ref().map(|detail| detail.title.clone());
    assert_eq!(open(&probe).as_deref(), Some("Wool socks"), "{}", probe.screen());
    // Before there is a connection, too.
    let mut probe = Probe::unconnected(begin(), 120, 40);
    probe.keys("<enter>").event(connected(Some("https://nordlys.example"))).found(&["Wool socks"], None);
    assert_eq!(open(&probe).as_deref(), Some("Wool socks"), "{}", probe.screen());
    // Whoever did something else meanwhile does not want it any more.
    for other in ["<enter><down>", "<enter>2"] {
        let mut probe = Probe::new(120, 40);
        probe.keys(other).found(&["Wool socks"], None);
        assert_eq!(open(&probe), None, "{other}");
    }
}

#[test]
fn enter_opens_a_project_once_the_list_is_here() {
    let mut probe = Probe::new(120, 40);
    probe.keys("2<enter>");
    let asked = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Projects(on_projects::Effect::List { request }) => Some(*request),
        _ => None,
    });
    let (request, list) = (asked.unwrap(), Ok(listed(&projects())));
    probe.event(Event::Projects(on_projects::Event::Listed { request, list }));
    // The first line is a folder: it is folded, as it would have been then.
    assert!(!probe.model.screens.projects.folded.is_empty() && probe.model.screens.shown == Screen::Projects);
}

#[test]
fn enter_opens_a_form_once_the_project_is_read() {
    let mut probe = Probe::new(120, 40);
    probe.turn(|model, now, turn| model.screens.steps.open("p1".into(), "Gift finder".into(), now, turn));
    probe.keys("12<enter>");
    let found = steps::Event::JournalFound { project: "p1".into(), found: steps::Found::Nothing };
    probe.event(Event::Steps(found)).answer_steps(&sample("Gift finder"));
    assert!(probe.shows("Internal note"), "{}", probe.screen());
}

/// Whether the plan is being made.
fn is_saving(probe: &Probe) -> bool {
    probe.shows("⏎ close") || probe.shows("─ saving") || probe.shows(" saving ")
}

#[test]
fn enter_saves_the_plan_that_is_shown_while_the_service_is_read_again() {
    let mut probe = Probe::new(120, 40);
    probe.open_project(sample("Gift finder"));
    probe.keys("nS");
    assert!(probe.shows("Checking for changes by others"));
    probe.keys("<enter>").answer_steps(&sample("Gift finder"));
    assert!(is_saving(&probe), "Enter was lost:\n{}", probe.screen());

    // Another plan than the one that was shown is not saved unseen.
    let mut theirs = sample("Gift finder");
    theirs.name = Some("Renamed elsewhere".into());
    let mut probe = Probe::new(120, 40);
    probe.open_project(sample("Gift finder"));
    probe.keys("nS<enter>").answer_steps(&theirs);
    assert!(!is_saving(&probe) && probe.shows("⏎ save all"), "{}", probe.screen());
    assert!(probe.shows("Check the plan, then press Enter again"), "{}", probe.screen());

    // Nor is one of which nobody knows what the service has meanwhile.
    let mut probe = Probe::new(120, 40);
    probe.open_project(sample("Gift finder"));
    probe.keys("nS<enter>");
    let asked = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Steps(steps::Effect::Read { request, .. }) => Some(*request),
        _ => None,
    });
    let lost = steps::Event::Read { request: asked.unwrap(), project: Err(Failure::new("the line broke")) };
    probe.event(Event::Steps(lost));
    assert!(!is_saving(&probe) && probe.shows("⏎ save all"), "{}", probe.screen());
}
