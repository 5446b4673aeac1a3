//! Keys of the person's own: chords, presets, programs.

use std::sync::Arc;

use super::probe::{Probe, begin};
use crate::domain::StoreUrl;
use crate::studio::ground::{Mouse, MouseAction, Screen};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::{Connected, Event};
use crate::studio::shell::plain;
use crate::studio::{Begin, Keymap, videos};

const OWN: &str = r#"
[global]
"g g" = "move.home"
"g e" = "move.end"
"ctrl-x b" = "app.store"
[projects]
"g n" = "projects.create"
[products]
f5 = { run = ["erp", "{id}", "--store={store}"], title = "Look up" }
f6 = { run = ["erp", "--remove", "{id}"], title = "Remove in the ERP", ask = true }
f7 = { run = ["erp", "{project}"] }
"#;

/// A studio with these keys that shows three products.
fn with(keys: &str, begin: Begin) -> Probe {
    let (keymap, faults) = Keymap::load(Some(keys));
    assert_eq!(faults, []);
    let mut probe = Probe::unconnected(Begin { keymap: Arc::new(keymap), ..begin }, 120, 40);
    probe.event(Event::Connected(Connected {
        base: "http://127.0.0.1:7227/".into(),
        store: Some(StoreUrl::from("https://nordlys.example")),
        stores: vec!["https://nordlys.example".into(), "https://other.example".into()],
    }));
    probe.counted(3).found(&["Fjell wool sock", "Merino base layer, women", "Picnic blanket"], None);
    probe
}

fn row(probe: &Probe) -> usize {
    probe.model.pane().spoken(probe.now).position.map_or(usize::MAX, |(at, _)| at)
}

fn ran(probe: &Probe) -> Vec<Vec<String>> {
    let run = |effect: &Effect| match effect {
        Effect::RunProgram { run, .. } => Some(run.clone()),
        _ => None,
    };
    probe.effects.iter().filter_map(run).collect()
}

#[test]
fn a_chord_shows_what_follows_and_waits_for_it() {
    let mut probe = with(OWN, begin());
    probe.keys("jjg");
    assert_eq!(row(&probe), 2, "nothing was done yet");
    let screen = probe.screen();
    assert!(screen.contains("g …") && screen.contains("Go to first") && screen.contains("Go to last"), "{screen}");
    insta::assert_snapshot!("chord", screen);
    // However long it takes: no time ends it.
    probe.now.0 += 3_600_000;
    probe.keys("g");
    assert_eq!((row(&probe), probe.model.layers.len()), (0, 0));
    probe.keys("ge");
    assert_eq!(row(&probe), 2);
    // Esc leaves it; another key does nothing, and that is said.
    probe.keys("g<esc>");
    assert_eq!((row(&probe), probe.model.layers.len()), (2, 0));
    probe.keys("gn");
    assert!(probe.screen().contains("g n isn't bound"), "{}", probe.screen());
    assert_eq!((row(&probe), probe.model.screens.shown), (2, Screen::Products));
    probe.keys("<ctrl-x>b");
    assert!(probe.screen().contains("Store: choose"), "{}", probe.screen());
}

#[test]
fn a_chord_of_the_screen_follows_a_key_that_begins_one_everywhere() {
    let mut probe = with(OWN, begin());
    probe.keys("2g");
    assert!(probe.screen().contains("New project"), "{}", probe.screen());
    probe.keys("<esc>1g");
    assert!(!probe.screen().contains("New project"), "{}", probe.screen());
}

#[test]
fn esc_and_a_key_that_arrive_together_leave_a_chord_and_press_the_key() {
    let mut probe = with(OWN, begin());
    probe.keys("g<alt-j>");
    assert_eq!((row(&probe), probe.model.layers.len()), (1, 0), "{}", probe.screen());
}

#[test]
fn what_follows_can_be_clicked() {
    let mut probe = with(OWN, begin());
    probe.keys("jg");
    let (x, y) = find(&probe, "Go to last");
    probe.event(Event::Mouse(Mouse { x, y, what: MouseAction::Press }));
    assert_eq!((row(&probe), probe.model.layers.len()), (2, 0));
    probe.keys("g").event(Event::Mouse(Mouse { x: 5, y: 5, what: MouseAction::Press }));
    assert_eq!((row(&probe), probe.model.layers.len()), (2, 0), "beside it, it goes");
}

/// Where a text stands on the screen.
fn find(probe: &Probe, text: &str) -> (u16, u16) {
    let screen = probe.screen();
    let rows = screen.lines().enumerate();
    let found = rows.filter_map(|(y, line)| Some((line.split_once(text)?.0.chars().count(), y)));
    let (x, y) = found.last().unwrap();
    (u16::try_from(x).unwrap(), u16::try_from(y).unwrap())
}

#[test]
fn chords_are_words_in_plain_mode() {
    let mut probe = with(OWN, begin());
    probe.model.speak();
    plain::say(&mut probe.model);
    let says = |probe: &mut Probe, line: &str| {
        probe.event(Event::Entered(line.to_owned()));
        plain::say(&mut probe.model).join("\n")
    };
    assert!(says(&mut probe, "g e").contains("3 of 3"));
    let said = says(&mut probe, "key g");
    assert!(said.contains("another key follows") && said.contains("g: Go to first"), "{said}");
    assert!(says(&mut probe, "g").contains("1 of 3"));
    says(&mut probe, "key g");
    says(&mut probe, "go.projects");
    assert_eq!(probe.model.screens.shown, Screen::Projects, "a command ends the waiting");
    says(&mut probe, "go.products");
    says(&mut probe, "look up");
    assert_eq!(ran(&probe).len(), 1);
    let said = says(&mut probe, "help look up");
    assert!(said.contains("Look up (a program of yours, F5): erp {id}"), "{said}");
}

#[test]
fn a_program_of_ones_own_is_run_with_what_is_current() {
    let mut probe = with(OWN, begin());
    probe.keys("j<f5>");
    let [run] = &ran(&probe)[..] else { panic!("{:?}", ran(&probe)) };
    assert_eq!((run[0].as_str(), run[2].as_str()), ("erp", "--store=https://nordlys.example"));
    assert!(!run[1].is_empty() && !run[1].contains('{'), "{run:?}");
    probe.keys("<f5><f5>");
    assert_eq!(ran(&probe).len(), 1, "a key that is held starts it once");
    assert!(probe.screen().contains("Look up is still running."), "{}", probe.screen());
    probe.event(Event::ProgramEnded { title: "Look up".into(), ended: Ok("In stock: 7\u{1b}[2J".into()) });
    assert!(probe.screen().contains("Look up: In stock: 7·"), "{}", probe.screen());
    probe.event(Event::ProgramEnded { title: "Look up".into(), ended: Err("no such product (exit code 3)".into()) });
    assert!(probe.screen().contains("Look up failed: no such product"), "{}", probe.screen());
}

#[test]
fn a_program_asks_first_where_it_says_so_and_is_found_by_name() {
    let mut probe = with(OWN, begin());
    probe.keys("<f6>");
    assert!(ran(&probe).is_empty());
    assert!(probe.screen().contains("erp --remove"), "{}", probe.screen());
    probe.keys("<enter>");
    assert!(ran(&probe).is_empty(), "the harmless answer comes first");
    probe.keys("<f6>2");
    assert_eq!(ran(&probe).len(), 1);
    // What nothing stands for here is said.
    probe.keys("<f7>");
    assert_eq!(ran(&probe).len(), 1);
    assert!(probe.screen().contains("erp wasn't run: nothing here has {project}"), "{}", probe.screen());
    probe.keys(":look up<enter>");
    assert_eq!(ran(&probe).len(), 2);
    probe.keys("?erp");
    assert!(probe.screen().contains("Remove in the ERP"), "{}", probe.screen());
}

#[test]
fn no_program_is_run_where_nothing_may_be_written() {
    let mut probe = with(OWN, Begin { read_only: Some("--read-only".into()), ..begin() });
    probe.keys("<f5>");
    assert!(ran(&probe).is_empty());
    assert!(probe.screen().contains("read-only (--read-only). Look up wasn't run."), "{}", probe.screen());
}

#[test]
fn presets_are_for_the_hands() {
    let mut probe = with("preset = \"vim\"\n", begin());
    probe.keys("Ggg");
    assert_eq!(row(&probe), 0);
    probe.keys("<ctrl-d>");
    assert_eq!(row(&probe), 2);
    let mut probe = with("preset = \"emacs\"\n", begin());
    probe.keys("<ctrl-n><ctrl-n><ctrl-p>");
    assert_eq!(row(&probe), 1);
    probe.keys("<alt-x>theme<enter>");
    assert!(probe.screen().contains("Theme"), "{}", probe.screen());
    probe.keys("<ctrl-n><ctrl-g><ctrl-x><ctrl-c>");
    assert!(probe.effects.contains(&Effect::Quit));
}

#[test]
fn sentences_name_the_keys_of_ones_own() {
    let mut probe = with("", begin());
    probe.keys("c");
    assert!(probe.screen().contains("No active filters. f adds some."), "{}", probe.screen());
    let mut probe = with("[products]\nf = \"\"\n\"ctrl-y\" = \"products.filter.open\"\n", begin());
    probe.keys("c");
    assert!(probe.screen().contains("No active filters. Ctrl-Y adds some."), "{}", probe.screen());
    // What is drawn in an empty list, and read in plain mode.
    let mut probe = with("[videos]\nU = \"\"\nf9 = \"videos.upload\"\n", begin());
    probe.keys("3");
    let listing = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Videos(videos::Effect::List(request)) => Some(*request),
        _ => None,
    });
    probe.event(Event::Videos(videos::Event::Listed { request: listing.unwrap(), videos: Ok(Vec::new()) }));
    assert!(probe.screen().contains("F9 uploads files"), "{}", probe.screen());
    // What stands in the edge of a page, whole.
    for (keys, footer) in [("", "─ y copies  Esc closes ╯"), ("preset = \"vim\"\n", "─ y y copies  Esc closes ╯")]
    {
        let mut probe = with(keys, begin());
        probe.keys("o");
        assert!(probe.screen().contains(footer), "{}", probe.screen());
    }
    // What stands in the edge of a panel.
    let mut probe = with("[global]\ndelete = \"\"\nx = \"\"\nf9 = \"app.remove\"\nspace = \"\"\n", begin());
    probe.keys("f");
    assert!(probe.screen().contains("⏎ edit  F9 remove  Esc done"), "{}", probe.screen());
}
