//! Keys of the modes of the Steps screen: whatever a person bound there does it, and what it did before it does no more.

use std::sync::Arc;

use super::probe::{Probe, begin};
use super::steps::sample;
use super::steps_products::{listing, quiz};
use crate::domain::{Answer, Project, Step};
use crate::draft::Target;
use crate::studio::Begin;
use crate::studio::ground::Keymap;
use crate::studio::shell::hints::places;

/// A project that is open in a studio with these keys.
fn with(keys: &str, project: crate::domain::Project) -> Probe {
    let (keymap, faults) = Keymap::load(Some(keys));
    assert_eq!(faults, []);
    let mut probe = Probe::begun(Begin { keymap: Arc::new(keymap), ..begin() }, 120, 40);
    probe.open_project(project);
    probe
}

fn hinted(probe: &Probe) -> Vec<(String, &'static str)> {
    places(&probe.model).into_iter().map(|hint| (hint.label, hint.words)).collect()
}

#[test]
fn a_project_is_played_with_keys_of_ones_own() {
    let own = "[play]\nf9 = \"move.right\"\n\"ctrl-x b\" = \"play.back\"\nleft = \"\"\nh = \"\"\nb = \"\"\nbackspace = \"\"\n";
    let mut probe = with(own, sample("Gift finder"));
    probe.keys("p<down><f9>");
    assert!(probe.shows("What does he like?"), "{}", probe.screen());
    let in_play = probe.screen();
    probe.keys("<left>hb<backspace>");
    assert_eq!(probe.screen(), in_play, "no key of before goes back");
    assert!(hinted(&probe).contains(&("Ctrl-X b".to_owned(), "back")), "{:?}", hinted(&probe));
    probe.keys("<ctrl-x>b");
    assert!(probe.shows("▌ 2 For him"), "{}", probe.screen());
}

#[test]
fn letters_of_ones_own_while_an_answer_is_wired_stand_over_no_card() {
    let own = "[wire]\nx = \"\"\na = \"wire.end\"\ns = \"steps.new\"\n";
    let mut probe = with(own, sample("Gift finder"));
    let ends = |probe: &Probe| {
        let content = probe.model.screens.steps.draft().unwrap().content();
        let answers = content.steps().flat_map(|(_, step)| step.answers());
        answers.filter(|answer| answer.target == Target::End).count()
    };
    let letters = |probe: &Probe| -> Vec<String> {
        probe.model.screens.steps.wire_labels().into_iter().map(|(_, label)| label).collect()
    };
    probe.keys("<down>w");
    let shown = letters(&probe);
    assert!(shown.len() > 3 && shown.iter().all(|label| label != "a" && label != "s"), "{shown:?}");
    let before = ends(&probe);
    probe.keys("x");
    assert_eq!(ends(&probe), before, "x is a letter now, or nothing");
    probe.keys("a");
    assert_eq!(ends(&probe), before + 1, "{}", probe.screen());
    let steps = |probe: &Probe| probe.model.screens.steps.draft().unwrap().content().steps().count();
    let before = steps(&probe);
    probe.keys("ws");
    assert_eq!(steps(&probe), before + 1, "{}", probe.screen());
}

#[test]
fn the_products_of_a_step_have_keys_of_their_own() {
    let project = quiz(&serde_json::json!([{ "externalProductId": "1", "storeUrl": "https://nordlys.example" }]));
    let own = "[step_products]\nx = \"\"\n\"ctrl-d\" = \"app.remove\"\nspace = \"\"\n\"+\" = \"app.select\"\n[text]\nf8 = \"app.remove\"\n";
    let mut probe = with(own, project);
    probe.keys("B");
    probe.finds(vec![listing(2, "Wool"), listing(3, "Silk")]).keys("<enter>");
    let was = probe.products_of_first();
    assert_eq!(was.len(), 1);
    let none_selected = probe.keys("<down>").screen();
    probe.keys(" ");
    assert_eq!(probe.screen(), none_selected);
    probe.keys("+");
    assert_ne!(probe.screen(), none_selected, "{none_selected}");
    probe.keys("<home>/<f8><enter><home>x");
    assert_eq!(probe.products_of_first(), was);
    probe.keys("<ctrl-d>");
    assert_eq!(probe.products_of_first().len(), 0, "{}", probe.screen());
}

#[test]
fn help_in_a_mode_begins_with_all_of_its_keys() {
    let mut probe = with("[play]\nf9 = \"play.restart\"\n", sample("Gift finder"));
    probe.keys("p?");
    let screen = probe.screen();
    assert!(screen.contains("While you play a project") && screen.contains("F9"), "{screen}");
    insta::assert_snapshot!("help in play", screen);
}

#[test]
fn the_other_modes_have_keys_of_their_own() {
    let own = "[form]\nx = \"\"\ndelete = \"\"\nbackspace = \"\"\nf6 = \"app.remove\"\n[qr]\nq = \"\"\nf7 = \"app.back\"\n[funnel]\nq = \"\"\nf8 = \"app.back\"\n[save]\n\
               q = \"\"\nf9 = \"app.back\"\n";
    let mut probe = with(own, sample("Gift finder"));
    let graph = probe.screen();
    for (opens, gone, key) in [("Q", "q", "<f7>"), ("|", "q", "<f8>")] {
        probe.keys(opens);
        let mode = probe.screen();
        assert_ne!(mode, graph);
        probe.keys(gone);
        assert_eq!(probe.screen(), mode, "{opens} {gone}");
        probe.keys(key);
        assert_eq!(probe.screen(), graph, "{opens} {key}");
    }
    let video = |probe: &Probe| {
        let draft = probe.model.screens.steps.draft().unwrap();
        draft.content().step(draft.refs()[0]).unwrap().video().to_owned()
    };
    let before = video(&probe);
    assert!(!before.is_empty());
    probe.keys("<enter>");
    while !hinted(&probe).iter().any(|(_, words)| *words == "choose video") {
        probe.keys("<tab>");
    }
    assert!(hinted(&probe).contains(&("F6".to_owned(), "remove")), "{:?}", hinted(&probe));
    probe.keys("<f6>");
    assert_eq!(video(&probe), "");
    probe.keys("<esc>S");
    let plan = probe.screen();
    probe.keys("q");
    assert_eq!(probe.screen(), plan);
    probe.keys("<f9>");
    assert_ne!(probe.screen(), plan);
}

#[test]
fn a_letter_that_is_mistyped_in_the_middle_of_two_does_nothing_to_the_draft() {
    let steps: Vec<Step> = (0..40)
        .map(|at| Step {
            id: Some(format!("s{at}").into()),
            name: Some(format!("Step {at}").into()),
            answers: Some(vec![Answer {
                text: "on".into(),
                next: Some(format!("Step {}", at + 1)),
                ..Answer::default()
            }]),
            ..Step::default()
        })
        .collect();
    let project = Project { steps: Some(steps), ..sample("Gift finder") };
    let (keymap, _) = Keymap::load(None);
    let mut probe = Probe::begun(Begin { keymap: Arc::new(keymap), ..begin() }, 200, 60);
    probe.open_project(project).keys("twf");
    let before = probe.model.screens.steps.draft().unwrap().content().clone();
    let labels = probe.model.screens.steps.wire_labels();
    assert!(labels.iter().any(|(_, label)| label.len() == 2), "{labels:?}");
    probe.keys("x");
    assert_eq!(*probe.model.screens.steps.draft().unwrap().content(), before);
    probe.keys("x");
    assert_ne!(*probe.model.screens.steps.draft().unwrap().content(), before);
}

#[test]
fn hints_name_the_keys_that_work() {
    let mut probe = with("[save]\nenter = \"app.back\"\nf5 = \"app.open\"\n[steps]\np = \"\"\n", sample("Gift finder"));
    probe.keys("nS");
    assert!(hinted(&probe).iter().all(|(label, _)| label != "⏎"), "{:?}", hinted(&probe));
    let plan = hinted(&probe);
    probe.keys("<enter>");
    assert_ne!(hinted(&probe), plan, "Enter left the plan");
    // A key that only a mode has for a command of the screen is not said to be the screen's.
    let keymap = &probe.model.shell.begin.keymap;
    assert_eq!(keymap.first_key(crate::studio::Command::StepsPlay), None);
}
