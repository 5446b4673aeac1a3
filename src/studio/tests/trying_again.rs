//! One key tries again what failed, whichever screen is in front.

use super::probe::Probe;
use crate::studio::ground::{Failure, Moment, RequestId};
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::{account, projects, videos, webhooks};

/// Finds the newest question of a kind.
fn asked(probe: &Probe, of: impl Fn(&Effect) -> Option<RequestId>) -> RequestId {
    probe.effects.iter().rev().find_map(of).expect("a question")
}

/// Lets a screen's reading fail, and finds that `R` reads it again.
fn tries_again(digit: &str, of: impl Fn(&Effect) -> Option<RequestId>, failed: impl Fn(RequestId, Failure) -> Event) {
    let mut probe = Probe::new(120, 40);
    probe.keys(digit);
    let first = asked(&probe, &of);
    probe.event(failed(first, Failure::new("the line broke.")));
    assert!(probe.shows("the line broke"), "{}", probe.screen());
    probe.now = Moment(probe.now.0 + 10_000);
    probe.keys("R");
    assert_ne!(asked(&probe, &of), first, "{digit}");
}

#[test]
fn every_reading_that_failed_is_made_again_by_the_same_key() {
    let list = |effect: &Effect| match effect {
        Effect::Products(OnProducts::Search { request, .. }) => Some(*request),
        _ => None,
    };
    tries_again("1", list, |request, failure| Event::Products(OfProducts::PageArrived { request, page: Err(failure) }));
    let list = |effect: &Effect| match effect {
        Effect::Projects(projects::Effect::List { request }) => Some(*request),
        _ => None,
    };
    tries_again("2", list, |request, failure| Event::Projects(projects::Event::Listed { request, list: Err(failure) }));
    let list = |effect: &Effect| match effect {
        Effect::Videos(videos::Effect::List(request)) => Some(*request),
        _ => None,
    };
    tries_again("3", list, |request, failure| Event::Videos(videos::Event::Listed { request, videos: Err(failure) }));
    let list = |effect: &Effect| match effect {
        Effect::Webhooks(webhooks::Effect::List(request)) => Some(*request),
        _ => None,
    };
    tries_again("4", list, |request, failure| {
        Event::Webhooks(webhooks::Event::Listed { request, webhooks: Err(failure) })
    });
    let mut probe = Probe::new(120, 40);
    probe.event(Event::Account(account::Event::Profiles(vec![account_profile()])));
    probe.keys("5");
    let who = |effect: &Effect| match effect {
        Effect::Account(account::Effect::AskWho(request)) => Some(*request),
        _ => None,
    };
    let first = asked(&probe, who);
    probe.event(Event::Account(account::Event::Who { request: first, who: Err(Failure::new("the line broke.")) }));
    assert!(probe.shows("the line broke"));
    probe.keys("R");
    assert_ne!(asked(&probe, who), first);
}

fn account_profile() -> account::KnownProfile {
    account::KnownProfile { name: "local".to_owned(), ..account::KnownProfile::default() }
}

#[test]
fn a_connection_that_failed_is_made_again_from_every_screen() {
    for digit in ["1", "2", "3", "4", "5", "6"] {
        let mut probe = Probe::new(120, 40);
        probe.event(Event::ConnectFailed(Failure::new("the keyring did not answer")));
        probe.keys(digit).effects.clear();
        probe.keys("R");
        assert!(probe.effects.contains(&Effect::Connect), "{digit}");
    }
}
