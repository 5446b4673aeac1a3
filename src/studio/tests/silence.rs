//! A service that says nothing, one that is gone, and one that waits for a sign-in: who is waited for is said, and how to
//! leave it.

use super::desk::Desk;
use super::probe::Probe;
use crate::studio::account;
use crate::studio::ground::{Alarm, Failure, Moment, NoticeKind, RequestId};
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::{plain, reading};
use crate::studio::{projects, steps, videos, webhooks};
use crate::uploads::{Entry, UploadId};

fn traffic(in_flight: usize, lost: Option<bool>) -> Event {
    Event::Traffic { in_flight, round_trip_ms: (lost == Some(false)).then_some(12), lost }
}

/// Lets so many milliseconds pass while something is on its way.
fn waits(probe: &mut Probe, ms: i64) {
    probe.event(traffic(1, None));
    probe.now = Moment(probe.now.0 + ms);
    probe.event(Event::Woke(Alarm::Silence));
}

fn list(effect: &Effect) -> Option<RequestId> {
    match effect {
        Effect::Products(OnProducts::Search { request, .. })
        | Effect::Projects(projects::Effect::List { request })
        | Effect::Videos(videos::Effect::List(request))
        | Effect::Webhooks(webhooks::Effect::List(request)) => Some(*request),
        _ => None,
    }
}

/// The newest list that was asked for.
fn asked(probe: &Probe) -> RequestId {
    probe.effects.iter().rev().find_map(list).unwrap()
}

#[test]
fn a_service_that_says_nothing_is_named_and_escape_stops_waiting_for_it() {
    for digit in ["1", "2", "3", "4"] {
        let mut probe = Probe::new(120, 40);
        probe.keys(digit);
        let request = asked(&probe);
        waits(&mut probe, 1_900);
        assert!(!probe.shows("hasn't answered"), "{digit}: {}", probe.screen());
        waits(&mut probe, 3_100);
        // The line may be broken where the pane is narrow.
        assert!(probe.shows("127.0.0.1:7227 hasn't answered for 5 s"), "{digit}: {}", probe.screen());
        assert!(probe.shows("(Esc stops)"), "{digit}: {}", probe.screen());
        assert!(probe.shows("no answer from 127.0.0.1:7227 for 5 s"), "{digit}: {}", probe.screen());
        let read = reading(&probe.model);
        assert!(read.contains(&"127.0.0.1:7227 hasn't answered yet; Esc stops.".to_owned()), "{digit}: {read:?}");
        probe.keys("<esc>");
        assert!(probe.effects.contains(&Effect::Cancel(request)), "{digit}");
        assert!(probe.shows("Stopped after 5 s without an answer."), "{digit}: {}", probe.screen());
        // What comes all the same is not taken, and R asks again.
        probe.keys("R");
        assert_ne!(asked(&probe), request, "{digit}");
    }
}

#[test]
fn the_header_counts_on_and_says_so_at_80_columns_too() {
    let mut probe = Probe::new(80, 24);
    let ticks = |probe: &Probe| {
        probe.effects.iter().filter(|it| matches!(it, Effect::Wake { alarm: Alarm::Silence, .. })).count()
    };
    waits(&mut probe, 7_000);
    assert!(probe.shows("no answer 7 s"), "{}", probe.screen());
    waits(&mut probe, 1_000);
    assert!(probe.shows("no answer 8 s"), "{}", probe.screen());
    let before = ticks(&probe);
    // Another answer shows that it is there, and with nothing on its way nobody is woken.
    probe.event(traffic(1, Some(false)));
    assert!(!probe.shows("no answer"), "{}", probe.screen());
    probe.event(traffic(0, Some(false))).event(Event::Woke(Alarm::Silence));
    assert_eq!(ticks(&probe), before);
}

#[test]
fn saving_says_who_is_asked_for_changes_by_others() {
    let mut probe = Probe::new(120, 40);
    probe.open_project(super::steps::sample("Gift finder"));
    probe.keys("nS");
    waits(&mut probe, 4_000);
    assert!(probe.shows("Checking for changes by others …"), "{}", probe.screen());
    assert!(probe.shows("127.0.0.1:7227") && probe.shows("4 s"), "{}", probe.screen());
    let read = reading(&probe.model);
    assert!(read.contains(&"127.0.0.1:7227 hasn't answered yet; Esc goes back.".to_owned()), "{read:?}");
    let mut probe = Probe::new(120, 40);
    probe.turn(|model, now, turn| model.screens.steps.open("p1".into(), "Gift finder".into(), now, turn));
    probe.model.screens.shown = crate::studio::ground::Screen::Steps;
    waits(&mut probe, 4_000);
    assert!(probe.shows("hasn't answered for 4 s (Esc goes back)"), "{}", probe.screen());
}

#[test]
fn plain_mode_says_once_who_is_waited_for() {
    let mut probe = Probe::new(120, 40);
    probe.model.speak();
    plain::say(&mut probe.model);
    let mut said = Vec::new();
    for _ in 0..20 {
        waits(&mut probe, 1_000);
        said.extend(plain::say(&mut probe.model));
    }
    assert_eq!(said, ["127.0.0.1:7227 hasn't answered yet; Esc stops."]);
}

#[test]
fn a_service_that_is_gone_makes_one_notice() {
    let mut probe = Probe::new(120, 40);
    let failure = || Failure::new("couldn't reach it");
    let request = asked(&probe);
    probe.event(traffic(1, None)).event(traffic(0, Some(true)));
    probe.event(Event::Products(OfProducts::PageArrived { request, page: Err(failure()) }));
    probe.keys("2");
    let request = asked(&probe);
    probe.event(Event::Projects(projects::Event::Listed { request, list: Err(failure()) }));
    probe.keys("3");
    let request = asked(&probe);
    probe.event(Event::Videos(videos::Event::Listed { request, videos: Err(failure()) }));
    probe.keys("4");
    let request = asked(&probe);
    probe.event(Event::Webhooks(webhooks::Event::Listed { request, webhooks: Err(failure()) }));
    let errors = |probe: &Probe| {
        let past = probe.model.shell.notices.past.iter();
        past.filter(|notice| notice.kind == NoticeKind::Error).map(|notice| notice.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(errors(&probe), ["Couldn't reach 127.0.0.1:7227. What was loaded is kept; R tries again."]);
    // Once it answered, it may be gone again; what a screen says of its own failure is enough.
    probe.event(traffic(0, Some(false))).event(traffic(0, Some(true)));
    let mut probe = probe;
    probe.open_project(super::steps::sample("Gift finder"));
    probe.keys("nS");
    let read = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Steps(steps::Effect::Read { request, .. }) => Some(*request),
        _ => None,
    });
    probe.event(Event::Steps(steps::Event::Read { request: read.unwrap(), project: Err(failure()) }));
    assert_eq!(errors(&probe).len(), 2, "{:?}", errors(&probe));
}

#[test]
fn nothing_is_searched_while_the_person_is_asked_to_sign_in() {
    let mut probe = Probe::new(120, 40);
    waits(&mut probe, 500);
    assert!(probe.shows("Loading …"), "{}", probe.screen());
    probe.event(Event::Account(account::Event::SignInNeeded { why: "The key is no longer valid.".into() }));
    assert!(probe.shows("Waiting for you to sign in."), "{}", probe.screen());
    assert!(!probe.shows("searching") && !probe.shows("Loading"), "{}", probe.screen());
}

#[test]
fn an_upload_excuses_silence_only_as_long_as_it_is_on_its_way() {
    let mut desk = Desk::new();
    desk.upload(1, "film.mp4");
    waits(&mut desk.probe, 7_000);
    assert!(!desk.probe.shows("no answer"), "{}", desk.probe.screen());
    let failed = Entry::Failed { id: UploadId(1), at_ms: 3, why: "413".into(), fix: "make it smaller".into() };
    desk.apply(&[failed]);
    assert!(desk.probe.shows("no answer"), "{}", desk.probe.screen());
}
