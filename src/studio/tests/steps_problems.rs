//! The problems of a project in Steps: which one is selected is seen, and the keys act on that one.

use std::sync::Arc;

use serde_json::json;

use super::probe::Probe;
use super::steps::opened;
use crate::domain::{Project, Reader};
use crate::graph::Leads;
use crate::studio::ground::Keymap;
use crate::studio::shell::reading;
use crate::studio::tests::probe::lines;

/// A project of so many steps, each leading to the next and none with a video.
pub fn without_videos(count: usize) -> Project {
    let steps: Vec<_> = (0..count)
        .map(|at| {
            let next = if at + 1 < count { format!("st{:03}", at + 1) } else { String::new() };
            json!({
                "id": format!("id-{at}"), "name": format!("st{at:03}"), "description": format!("Step {at}"),
                "answers": [{"text": "Next", "next": next}],
            })
        })
        .collect();
    let names: Vec<String> = (0..count).map(|at| format!("st{at:03}")).collect();
    Reader::read(&json!({"id": "p1", "name": "Long", "stepsOrder": names, "steps": steps})).0
}

/// The row of the pane that is selected, as it is drawn.
fn selected(probe: &Probe) -> String {
    let screen = probe.screen();
    let below = screen.split("─ Problems").nth(1).unwrap_or_else(|| panic!("no problems\n{screen}"));
    let rows: Vec<&str> = below.lines().filter(|line| line.contains('▌')).collect();
    assert_eq!(rows.len(), 1, "one row is selected\n{screen}");
    rows[0].trim_matches(['│', ' ']).to_owned()
}

/// What the linear reading says the cursor is at.
fn at_step(probe: &Probe, name: &str) -> bool {
    reading(&probe.model).iter().any(|line| line.starts_with(&format!("Step {name}")))
}

#[test]
fn the_selected_problem_is_seen_and_the_keys_act_on_it() {
    let mut probe = opened("Spring campaign (unfinished)", 120, 40);
    assert!(
        selected(&probe).contains("leads nowhere") && selected(&probe).contains(". go there"),
        "{}",
        probe.screen()
    );
    probe.keys(".");
    assert!(selected(&probe).contains("w wire it  n new step"), "{}", probe.screen());
    probe.keys(".");
    assert!(
        selected(&probe).contains("Fl0wr has no video (33% of paths)  m choose a video  U upload"),
        "{}",
        probe.screen()
    );
    assert!(at_step(&probe, "Fl0wr"));
    probe.keys(",");
    assert!(selected(&probe).contains("Spr1n answer 3"), "{}", probe.screen());
    // It goes round, and where one went elsewhere it comes back to what is selected first.
    probe.keys(",");
    assert!(selected(&probe).contains("L0neY is unreachable"), "{}", probe.screen());
    probe.keys("<home>.");
    assert!(at_step(&probe, "Spr1n") || at_step(&probe, "L0neY"), "{}", probe.screen());
}

#[test]
fn a_cursor_that_comes_to_a_problem_selects_it() {
    let mut probe = opened("Spring campaign (unfinished)", 120, 40);
    probe.keys("<down><down><right>");
    assert!(at_step(&probe, "Fl0wr"), "{}", probe.screen());
    assert!(selected(&probe).contains("Fl0wr has no video"), "{}", probe.screen());
    probe.keys("m");
    assert!(probe.shows("Video"), "m offers a video for the one that is seen selected\n{}", probe.screen());
    probe.keys("<enter>");
    assert!(probe.shows("Problems 2"), "{}", probe.screen());
    assert!(selected(&probe).contains(". go there"), "the next one is selected, elsewhere\n{}", probe.screen());
}

#[test]
fn the_actions_of_a_row_do_what_they_say() {
    let dangling = |probe: &Probe| {
        let draft = probe.model.screens.steps.draft().unwrap();
        let graph = crate::graph::Graph::new(&draft.steps(), &draft.steps_order());
        graph.nodes().iter().flat_map(|node| &node.ports).filter(|port| port.leads == Leads::Dangling).count()
    };
    let mut probe = opened("Spring campaign (unfinished)", 120, 40);
    assert_eq!(dangling(&probe), 1);
    probe.keys(".n");
    assert_eq!(dangling(&probe), 0, "n creates the step that was missing\n{}", probe.screen());
    probe.keys("u");
    assert_eq!(dangling(&probe), 1);
    probe.keys(".");
    while !selected(&probe).contains("w wire it") {
        probe.keys(".");
    }
    probe.keys("w<right><enter>");
    assert_eq!(dangling(&probe), 0, "w wires the answer\n{}", probe.screen());
}

#[test]
fn a_thousand_alike_are_one_row() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut probe = Probe::new(size.0, size.1);
        probe.open_project(without_videos(1_000));
        assert!(probe.shows("1,000 steps have no video"), "{}", probe.screen());
        let row = selected(&probe);
        assert!(row.contains("1 of 1,000") || size.0 == 80, "{row}");
        probe.keys("<tab>...");
        assert!(at_step(&probe, "st003"), "the pane's keys go from one to the next\n{}", probe.screen());
        // Down leaves all that are alike behind.
        probe.keys("<down>");
        assert!(selected(&probe).contains("there are 1000 steps"), "{}", probe.screen());
        probe.keys("<up>");
        assert!(selected(&probe).contains("1,000 steps have no video"), "{}", probe.screen());
    }
}

#[test]
fn the_pane_follows_the_selected_problem() {
    let mut probe = opened("Gift finder", 120, 40);
    // Steps of their own kind each: one without a video, one that nothing leads to.
    probe.keys("nnn");
    let rows = |probe: &Probe| {
        let screen = probe.screen();
        screen.split("─ Problems").nth(1).map(|below| below.lines().count()).unwrap_or_default()
    };
    assert!(rows(&probe) > 3, "{}", probe.screen());
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..12 {
        probe.keys(".");
        seen.insert(selected(&probe));
    }
    assert!(seen.len() >= 9, "every one comes by in the pane: {seen:#?}");
}

#[test]
fn a_row_is_highlighted_in_full_width() {
    let mut probe = opened("Spring campaign (unfinished)", 120, 40);
    probe.keys("<tab>");
    let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect { x: 0, y: 0, width: 120, height: 40 });
    crate::studio::shell::view(&probe.model, &mut buffer);
    let row = lines(&buffer).iter().rposition(|line| line.contains('▌')).unwrap();
    let row = u16::try_from(row).unwrap();
    let select = probe.model.shell.ink().theme.select.bg;
    assert!((1..119).all(|x| Some(buffer[(x, row)].bg) == select), "{}", probe.screen());
}

#[test]
fn the_keys_never_stay_in_a_pane_that_is_not_seen() {
    let mut probe = opened("Spring campaign (unfinished)", 120, 40);
    probe.keys("<tab>");
    assert!(probe.shows("go there"), "{}", probe.screen());
    probe.event(crate::studio::shell::event::Event::Resized { width: 120, height: 12 });
    assert!(!probe.shows("─ Problems") && probe.shows("→ follow"), "{}", probe.screen());
    probe.keys("<tab>");
    assert!(probe.shows("→ follow"), "Tab goes to no pane that isn't there\n{}", probe.screen());
    // The last problem is fixed: there is no pane any more.
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("n<tab>");
    assert!(probe.shows("go there"), "{}", probe.screen());
    probe.keys("u");
    assert!(!probe.shows("─ Problems") && probe.shows("→ follow"), "{}", probe.screen());
}

#[test]
fn the_count_of_problems_stays_in_the_title() {
    let mut project = super::steps::sample("Spring campaign (unfinished)");
    project.name = "A very long name of a project that has not the least bit of room in a title".to_owned().into();
    let mut probe = Probe::new(80, 24);
    probe.open_project(project).keys("n");
    let title = probe.screen().lines().nth(1).unwrap_or_default().to_owned();
    assert!(title.contains("problems ╮") && title.contains("draft: 1 edit not saved"), "{title}");
}

#[test]
fn what_has_the_keys_has_the_border_of_what_has_the_keys() {
    let style = |probe: &Probe, at: (u16, u16)| {
        let (width, height) = probe.model.shell.size;
        let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect { x: 0, y: 0, width, height });
        crate::studio::shell::view(&probe.model, &mut buffer);
        buffer[at].fg
    };
    for (width, height) in [(80, 24), (120, 40)] {
        let mut probe = opened("Gift finder", width, height);
        let (focused, corner) = (style(&probe, (0, 1)), (0, 1));
        probe.keys("<enter>");
        // Where there is no room beside the map, the editor fills the screen and its border.
        let editor = if width == 80 { corner } else { probe.place_of("╭ Step ") };
        assert_eq!(style(&probe, editor), focused, "{}", probe.screen());
        if editor != corner {
            assert_ne!(style(&probe, corner), focused, "only one has the keys");
        }
    }
}

#[test]
fn what_is_ignored_is_counted_and_comes_back() {
    let mut probe = opened("Spring campaign (unfinished)", 120, 40);
    assert!(probe.shows("Problems 3"), "{}", probe.screen());
    probe.keys("M.M");
    assert!(probe.shows("Problems 1") && probe.shows(", 2 ignored"), "{}", probe.screen());
    // By what people call it.
    probe.keys(":unignore<enter>");
    assert!(probe.shows("Problems 3") && !probe.shows("2 ignored"), "{}", probe.screen());
    probe.keys("u");
    assert!(probe.shows("Problems 1") && probe.shows(", 2 ignored"), "one edit\n{}", probe.screen());
    probe.keys("uu:unignore<enter>");
    assert!(probe.shows("No problem is ignored."), "{}", probe.screen());
}

#[test]
fn problems_look_like_this() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut probe = opened("Spring campaign (unfinished)", width, height);
        probe.keys(".<tab>");
        insta::assert_snapshot!(format!("problems {width}x{height}"), probe.screen());
    }
}

#[test]
fn what_can_be_done_is_said_with_the_keys_that_are_bound() {
    let mut probe = opened("Spring campaign (unfinished)", 120, 40);
    let (keymap, faults) = Keymap::load(Some("[steps]\nw = \"\"\nf9 = \"steps.wire\"\nn = \"\"\nm = \"\"\n"));
    assert_eq!(faults, []);
    probe.model.shell.begin.keymap = Arc::new(keymap);
    probe.keys(".");
    assert!(selected(&probe).contains("F9 wire it") && !selected(&probe).contains("new step"), "{}", probe.screen());
    probe.keys(".");
    // The key of another screen does nothing here.
    assert!(selected(&probe).contains("no video") && !selected(&probe).contains("  m "), "{}", probe.screen());
}
