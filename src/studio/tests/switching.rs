//! Going from one profile and store to another, among very many.

use super::probe::{Probe, begin};
use crate::domain::StoreUrl;
use crate::settings::{Profile, ProfileStore};
use crate::studio::Begin;
use crate::studio::SwitchTo;
use crate::studio::account::{Effect as Account, KnownProfile};
use crate::studio::ground::Waiting;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::{Connected, Event};
use crate::studio::shell::reading;

/// A studio that knows fifty profiles of ten stores each.
fn many() -> Probe {
    let store = |profile: usize, at: usize| ProfileStore {
        url: StoreUrl::from(format!("https://s{at}.shop-{profile}.example")),
        name: Some(format!("Branch {at}")),
    };
    let known = |at: usize| KnownProfile {
        name: format!("shop-{at}"),
        profile: Profile { stores: (0..10).map(|nth| store(at, nth)).collect(), ..Profile::default() },
        ..KnownProfile::default()
    };
    let begin = Begin { profile: "shop-0".into(), local: false, profiles: (0..50).map(known).collect(), ..begin() };
    let mut probe = Probe::unconnected(begin, 120, 40);
    probe.event(Event::Connected(Connected {
        base: "https://api.example/".into(),
        store: Some("https://s0.shop-0.example".into()),
        stores: (0..10).map(|nth| StoreUrl::from(format!("https://s{nth}.shop-0.example"))).collect(),
    }));
    probe
}

#[test]
fn the_palette_goes_to_where_other_commands_are() {
    let mut probe = Probe::new(120, 40);
    probe.found(&["Fjell wool sock"], None).keys(":");
    for c in "how do I wire".chars() {
        probe.event(crate::studio::shell::event::Event::Pressed(crate::settings::Key::char(c)));
    }
    assert!(probe.shows("In a project: Choose the step"), "{}", probe.screen());
    probe.keys("<enter>");
    assert!(probe.shows("Wire answer: open a project, then w."), "{}", probe.screen());
    assert_eq!(probe.model.screens.shown, crate::studio::ground::Screen::Projects);
}

#[test]
fn one_line_goes_to_any_store_of_any_profile_and_asks_nobody_on_the_way() {
    for (open, title) in [("@", "Profile and store"), (":", "Commands")] {
        let mut probe = many();
        probe.effects.clear();
        probe.keys(open);
        assert!(probe.shows(title) && (open == ":" || probe.shows("550")), "{}", probe.screen());
        probe.keys("shop-37 branch 7");
        // Neither a file nor the service is asked while one types.
        assert_eq!(probe.effects, []);
        let first = reading(&probe.model);
        assert!(first.iter().any(|line| line.starts_with('>') && line.contains("shop-37 · Branch 7")), "{first:#?}");
        probe.keys("<enter>");
        let to = SwitchTo { profile: "shop-37".into(), store: Some("https://s7.shop-37.example".into()) };
        assert_eq!(probe.effects, [Effect::Account(Account::Switch(to))]);
    }
    // A store of the profile that is open is opened here, and the profile itself is open already.
    let mut probe = many();
    probe.keys("@shop-0 branch 3<enter>");
    assert_eq!(probe.model.shell.store, Some("https://s3.shop-0.example".into()));
    probe.keys("@shop-0<enter>");
    assert!(probe.shows("shop-0 is already open"), "{}", probe.screen());
}

#[test]
fn a_draft_begun_in_another_profile_of_the_same_host_is_told_there_only() {
    let mut probe = many();
    let draft = |name: &str, profile: &str| Waiting {
        project: name.into(),
        name: name.to_owned(),
        edits: 1,
        profile: Some(profile.to_owned()),
    };
    // The third one's profile is not there any more: somebody has to tell of it.
    let drafts = vec![draft("Mine", "shop-0"), draft("Theirs", "shop-1"), draft("Nobody's", "closed")];
    probe.event(Event::DraftsFound(drafts));
    let named: Vec<&str> = probe.model.screens.projects.drafts.iter().map(|draft| draft.name.as_str()).collect();
    assert_eq!(named, ["Mine", "Nobody's"]);
}
