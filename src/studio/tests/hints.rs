//! The last line is true: in every mode each key that it names does something there, and help opens.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::probe::{Probe, begin};
use super::projects::sample as projects;
use super::steps::sample as project;
use super::videos::library;
use crate::settings::{Key, KeyCode};
use crate::studio::Begin;
use crate::studio::ground::{Mouse, MouseAction, NoticeKind, Screen};
use crate::studio::shell::event::Event;
use crate::studio::shell::hints::places;
use crate::studio::shell::{reading, view};

pub(super) const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];
const TITLES: [&str; 4] = ["Fjell wool sock", "Fjell wool liner", "Merino base layer", "Picnic blanket"];

pub(super) type Mode = (&'static str, fn(u16, u16) -> Probe);

pub(super) fn store(width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.counted(4).found(&TITLES, None);
    probe
}

pub(super) fn steps(width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.open_project(project("Gift finder"));
    probe
}

fn listed(width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.keys("2").projects(&projects()).keys("j");
    probe
}

pub(super) fn with(mut probe: Probe, keys: &str) -> Probe {
    probe.keys(keys);
    probe
}

pub(super) fn modes() -> Vec<Mode> {
    vec![
        ("products", |w, h| with(store(w, h), "<down>")),
        ("search", |w, h| with(store(w, h), "/wo")),
        ("filters", |w, h| with(store(w, h), "f<down><down>")),
        ("filter values", |w, h| with(store(w, h), "f<down><down><enter><down>")),
        ("sort", |w, h| with(store(w, h), "s<down>")),
        ("export", |w, h| with(store(w, h), "  e<down>")),
        ("export file", |w, h| with(store(w, h), "  e2 selected NDJSON<enter>")),
        ("palette", |w, h| with(store(w, h), ":<down>")),
        ("themes", |w, h| with(store(w, h), "T")),
        ("projects", listed),
        ("new project", |w, h| with(listed(w, h), "nAutumn")),
        ("move project", |w, h| with(listed(w, h), "<ctrl-o><down>")),
        ("videos", |w, h| with(library(w, h), "<down>")),
        ("video, open", |w, h| with(library(w, h), "<down><enter>")),
        ("delete video", |w, h| with(library(w, h), "D")),
        ("steps", steps),
        ("wiring", |w, h| with(steps(w, h), "<down>w")),
        ("wiring, a step chosen", |w, h| with(steps(w, h), "<down>w<down>")),
        ("labels", |w, h| with(steps(w, h), "'")),
        ("playing", |w, h| with(steps(w, h), "p1<down>")),
        ("form", |w, h| with(steps(w, h), "<enter><tab>")),
        ("find step", |w, h| with(steps(w, h), "/<down>")),
        ("plan", |w, h| with(steps(w, h), "nS")),
        ("QR code", |w, h| with(steps(w, h), "Q")),
        ("discarding", |w, h| with(steps(w, h), "nD")),
        ("webhooks", |w, h| with(Probe::new(w, h), "4")),
        ("new webhook", |w, h| with(Probe::new(w, h), "4n")),
        ("account", |w, h| with(Probe::new(w, h), "5")),
        ("new profile", |w, h| with(Probe::new(w, h), "5n")),
        ("inspector", |w, h| with(Probe::new(w, h), "6")),
    ]
}

/// What a person would see of it, colors and all, and how much was asked of the world.
fn seen(probe: &Probe) -> (Buffer, usize) {
    let (width, height) = probe.model.shell.size;
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
    view(&probe.model, &mut buffer);
    (buffer, probe.effects.len())
}

#[test]
fn help_covers_the_screen_under_it() {
    for (width, height) in [(80, 24), (80, 30)] {
        let mut probe = Probe::new(width, height);
        probe.found(&["Fjell wool sock"], None).keys("?");
        let edges = probe.screen().lines().filter(|line| line.starts_with('╰')).count();
        assert_eq!(edges, 1, "{}", probe.screen());
    }
}

#[test]
fn every_key_that_the_last_line_names_does_something() {
    for (name, mode) in modes() {
        for (width, height) in SIZES {
            let before = mode(width, height);
            let hints = places(&before.model);
            assert!(!hints.is_empty(), "{name} {width}x{height} names no key");
            for hint in hints {
                // Where one of two keys has nowhere to go the other has: together they move.
                let does = hint.keys.iter().any(|chord| {
                    let mut probe = mode(width, height);
                    let was = seen(&probe);
                    for key in chord.keys() {
                        probe.event(Event::Pressed(*key));
                    }
                    seen(&probe) != was || probe.model.shell.over
                });
                // What leaves a mode leaves it: its keys are named no more.
                if ["cancel", "close", "stop"].contains(&hint.words) {
                    let named = |probe: &Probe| places(&probe.model).iter().map(|hint| hint.words).collect::<Vec<_>>();
                    let mut probe = mode(width, height);
                    let was = named(&probe);
                    for key in hint.keys.first().unwrap().keys() {
                        probe.event(Event::Pressed(*key));
                    }
                    assert_ne!(named(&probe), was, "{name} {width}x{height}: {} {}", hint.label, hint.words);
                }
                let empty = ["webhooks", "account", "inspector"].contains(&name);
                assert!(does || empty, "{name} {width}x{height}: {} {}\n{}", hint.label, hint.words, before.screen());
            }
        }
    }
}

#[test]
fn the_way_back_and_help_are_named_in_every_mode() {
    for (name, mode) in modes() {
        for (width, height) in SIZES {
            let probe = mode(width, height);
            let hints = places(&probe.model);
            let help = hints.iter().find(|hint| hint.words == "help");
            let key =
                help.unwrap_or_else(|| panic!("{name} {width}x{height}\n{}", probe.screen())).keys.first().unwrap();
            let owned = probe.model.is_typing() || !probe.model.layers.is_empty();
            let back = hints.iter().any(|hint| hint.keys.contains(&Key::plain(KeyCode::Esc).into()));
            assert!(back || !owned, "{name} {width}x{height}\n{}", probe.screen());
            let mut probe = mode(width, height);
            for key in key.keys() {
                probe.event(Event::Pressed(*key));
            }
            assert!(probe.shows("╭ Help"), "{name} {width}x{height}: {key}\n{}", probe.screen());
            // What it was asked in is still there behind it.
            let was = mode(width, height).screen();
            probe.keys("<esc>");
            assert_eq!(probe.screen(), was, "{name} {width}x{height}");
        }
    }
}

#[test]
fn hints_stand_apart_and_inside_of_the_line() {
    for (name, mode) in modes() {
        for (width, height) in [(40, 10), (60, 16), (80, 24), (120, 40), (200, 60)] {
            let probe = mode(width, height);
            let mut end = 0;
            for hint in places(&probe.model) {
                assert!(
                    hint.place.start >= end && hint.place.end <= width,
                    "{name} {width}: {hint:?}\n{}",
                    probe.screen()
                );
                end = hint.place.end + 1;
            }
        }
    }
}

#[test]
fn a_hint_that_is_clicked_presses_its_key() {
    let mut probe = steps(120, 40);
    probe.keys("p");
    let restart = places(&probe.model).into_iter().find(|hint| hint.words == "restart").unwrap();
    let was = probe.keys("1").screen();
    probe.event(Event::Mouse(Mouse { x: restart.place.start, y: 39, what: MouseAction::Press }));
    assert_ne!(probe.screen(), was);
    let playing = |probe: &Probe| reading(&probe.model).into_iter().find(|line| line.starts_with("Playing "));
    assert_eq!(playing(&probe), playing(&with(steps(120, 40), "p")), "it begins again");
}

#[test]
fn playing_names_its_keys_in_the_least_of_the_usual_sizes() {
    let probe = with(steps(80, 24), "p");
    let line = probe.screen().lines().last().unwrap().to_owned();
    for words in ["1-9 answer", "← back", "r restart", "N next unplayed", "Esc stop", "? help"] {
        assert!(line.contains(words), "{line}");
    }
}

#[test]
fn a_notice_hides_no_hint_and_keeps_the_key_that_helps() {
    let mut probe = store(80, 24);
    let line = probe.screen().lines().last().unwrap().to_owned();
    let why = "the disk is full ".repeat(20);
    let mut effects = Vec::new();
    probe.model.say(NoticeKind::Error, format!("Couldn't store it: {why}. Nothing was lost. R retries."), &mut effects);
    drop(effects);
    let screen = probe.screen();
    assert_eq!(screen.lines().last().unwrap(), line);
    assert!(screen.contains("× Couldn't store it: the disk is full") && screen.contains("R retries."), "{screen}");
}

#[test]
fn a_notice_stays_with_its_screen_and_an_error_until_it_was_read() {
    let mut probe = store(120, 40);
    probe.event(Event::Broke("It broke. Nothing was lost.".to_owned()));
    assert!(probe.shows("It broke."));
    assert!(!probe.keys("2").shows("It broke."), "another screen is in front");
    assert!(probe.keys("1").shows("It broke."), "it is back with its screen");
    // Who types on when it comes has not read it.
    assert!(probe.keys("j").shows("It broke."));
    probe.now.0 += 1_500;
    assert!(!probe.keys("j").shows("It broke."));
}

#[test]
fn a_notice_of_the_steps_does_not_follow_to_the_projects_of_the_same_tab() {
    let mut probe = steps(120, 40);
    probe.event(Event::Broke("It broke. Nothing was lost.".to_owned()));
    assert!(probe.shows("It broke."));
    probe.keys("2");
    assert!(!probe.shows("It broke."), "the projects are in front: {}", probe.screen());
    assert_eq!(probe.model.screens.shown, Screen::Projects);
    probe.model.screens.shown = Screen::Steps;
    assert!(probe.shows("It broke."), "it is back with its screen: {}", probe.screen());
}

#[test]
fn the_hints_of_a_terminal_without_signs_have_none() {
    let mut probe = Probe::unconnected(Begin { ascii: true, ..begin() }, 80, 24);
    probe.keys("?");
    assert!(probe.screen().is_ascii(), "{}", probe.screen());
}

#[test]
fn what_esc_does_to_a_search_is_said_where_it_does_that() {
    let mut probe = Probe::new(120, 40);
    probe.counted(1).found(&["Fjell wool sock"], None);
    let says = |probe: &Probe| probe.screen().lines().last().unwrap_or_default().contains("Esc clear search");
    assert!(!says(&probe));
    probe.keys("/wool<enter>");
    probe.found(&["Fjell wool sock"], None);
    assert!(says(&probe), "{}", probe.screen());
    // Beside what is open Esc closes that.
    probe.keys("<enter><tab>");
    assert!(!says(&probe), "{}", probe.screen());
    probe.keys("<esc>");
    assert!(says(&probe), "{}", probe.screen());
    probe.keys("<esc>");
    assert!(!says(&probe), "{}", probe.screen());
}
