//! Plain mode: text and answers that are asked for.

use super::super::probe::Probe;
use super::{projects, steps_of, store};
use crate::studio::shell::effect::Effect;

#[test]
fn text_fills_in_what_asks_for_it() {
    let mut probe = store();
    let said = probe.says("search");
    assert!(said.contains("Search:"), "{said}");
    probe.says("wool");
    assert_eq!(probe.search().1.search_term.as_deref().unwrap_or_default(), "wool");
    probe.found(&["Fjell wool sock"], None);
    // The same in one line: the command, and what it asks for.
    probe.says("search j");
    assert_eq!(probe.search().1.search_term.as_deref().unwrap_or_default(), "j", "a letter is text there, not a key");
    probe.found(&[], None);
    let said = probe.says("theme");
    assert!(said.contains("1 of ") && said.contains("Theme"), "{said}");
    probe.says("light");
    assert!(probe.effects.contains(&Effect::ReadTheme("light".to_owned())), "{:?}", probe.effects);
}

#[test]
fn a_question_says_its_answers_and_takes_nothing_else() {
    let mut probe = steps_of("Gift finder");
    probe.says("new step");
    let said = probe.says("x");
    assert!(said.contains("1 keep it, 2 delete it; Esc cancels"), "{said}");
    for line in ["undo", "save", "rename", "7", "go to products"] {
        let said = probe.says(line);
        assert!(said.starts_with("Answer this first. Answer: 1 keep it"), "{line}: {said}");
    }
    // Its answers have their numbers already.
    let said = probe.says("list");
    assert!(said.contains("1 keep it; current") && !said.contains("1 1"), "{said}");
    let said = probe.says("delete it");
    assert!(probe.model.layers.is_empty() && !said.contains("Answer this first"), "{said}");
}

#[test]
fn a_deletion_asks_for_the_name_first() {
    let mut probe = projects();
    let said = probe.says("delete");
    assert!(said.starts_with("Type its name to delete the project"), "{said}");
    assert!(said.contains("Esc cancels"), "{said}");
    assert!([said, probe.says("more")].concat().contains("will be deleted"));
}

#[test]
fn a_mistyped_name_is_not_taken_for_what_it_names() {
    let in_video = || {
        let mut probe = steps_of("Gift finder");
        for line in ["Enter", "", "", ""] {
            probe.says(line);
        }
        assert!(probe.says("where").starts_with("Video: "), "{:?}", probe.says("where"));
        probe
    };
    let is_saved = |probe: &Probe| probe.model.screens.steps.draft().unwrap().is_saved();
    let mut probe = in_video();
    let said = probe.says("no such video");
    assert!(said.contains("“no such video” isn't in the list; Enter takes it as it is, Esc cancels."), "{said}");
    assert!(is_saved(&probe), "{said}");
    probe.says("Esc");
    assert!(is_saved(&probe));
    probe.says("no such video");
    let said = probe.says("");
    assert!(said.contains("Video: no such video") && !is_saved(&probe), "Enter takes it: {said}");
    let mut probe = in_video();
    let said = probe.says("=vid-7");
    assert!(said.contains("Video: vid-7") && !is_saved(&probe), "{said}");
}

#[test]
fn a_new_folder_is_made_of_what_is_in_no_list_only_when_that_is_confirmed() {
    let mut probe = projects();
    probe.says("go Gift finder");
    probe.says("move project");
    let said = probe.says("Zzq");
    assert!(said.contains("isn't in the list; Enter takes it"), "{said}");
    assert_eq!(probe.writes(), 0);
    probe.says("Enter");
    assert_eq!(probe.writes(), 1);
    let mut probe = store();
    probe.says("theme");
    let said = probe.says("zzq");
    assert!(said.contains("isn't in the list; type another name, Esc cancels."), "{said}");
}
