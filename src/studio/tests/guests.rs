//! What guests over SSH see: what they can't do here is said with the way that works for them.

use std::sync::Arc;

use super::probe::{NOON, Probe, begin};
use crate::domain::StoreUrl;
use crate::studio::Begin;
use crate::studio::ground::Command;
use crate::studio::shell::GuestOf;
use crate::studio::shell::event::{Connected, Event};
use crate::studio::shell::plain;

/// The studio of a guest who may touch nothing of the machine.
fn of_guest(read_only: Option<&str>, width: u16, height: u16) -> Probe {
    let absent = [Command::ON_FILES, Command::ON_PROFILES].concat();
    let keymap = (*begin().keymap).clone().without(absent);
    let begin = Begin {
        guest: Some(GuestOf { name: "alice".into(), port: 7228 }),
        read_only: read_only.map(ToOwned::to_owned),
        keymap: Arc::new(keymap),
        ..begin()
    };
    let mut probe = Probe::unconnected(begin, width, height);
    probe.event(Event::Connected(Connected {
        base: "local".into(),
        store: Some(StoreUrl::from("https://nordlys-outdoor.example")),
        stores: Vec::new(),
    }));
    assert_eq!(probe.now, NOON);
    probe
}

#[test]
fn keys_of_what_guests_cannot_do_say_what_they_can() {
    for (keys, say) in [
        ("3U", "ssh -p 7228 HOST videos upload - --name NAME < FILE"),
        ("5n", "Run cutaway on your own computer to add or change profiles."),
        ("e", "ssh -p 7228 HOST products export - > FILE."),
    ] {
        let mut probe = of_guest(None, 120, 40);
        probe.keys(keys);
        let said = probe.model.shell.notices.past.back().map(|notice| notice.text.clone()).unwrap_or_default();
        assert!(said.contains(say), "{keys}: {said}\n{}", probe.screen());
    }
    // Where text is typed a letter is text.
    let mut probe = of_guest(None, 120, 40);
    probe.keys("/e");
    assert!(!probe.shows("Not here"), "{}", probe.screen());
    let mut probe = of_guest(Some("your key may only read"), 120, 40);
    probe.keys("3U");
    assert!(probe.shows("your key is read-only"), "{}", probe.screen());
    // What only reads, or is done on the person's own computer, a read-only key may do.
    probe.keys("1e");
    assert!(probe.shows("ssh -p 7228 HOST products export - > FILE."), "{}", probe.screen());
    // And by its words, in plain mode.
    let mut probe = of_guest(None, 120, 40);
    probe.model.speak();
    plain::say(&mut probe.model);
    probe.event(Event::Entered("upload".into()));
    let said = plain::say(&mut probe.model).join("\n");
    assert!(said.contains("videos upload - --name NAME"), "{said}");
}

#[test]
fn the_tabs_of_a_read_only_studio_keep_their_names_at_80_columns() {
    let mut probe = of_guest(Some("your key may only read"), 80, 24);
    let first = |probe: &Probe| probe.screen().lines().next().unwrap_or_default().to_owned();
    let line = first(&probe);
    assert!(line.contains("2 Proj") && line.contains("6 Insp"), "{line}");
    assert!(line.contains("read-only") && line.contains("nordlys"), "{line}");
    // That the service is gone still comes before the names of the tabs and the end of the store.
    probe.event(Event::Traffic { in_flight: 0, round_trip_ms: None, lost: Some(true) });
    let line = first(&probe);
    assert!(line.contains("read-only") && line.contains("no response"), "{line}");
}
