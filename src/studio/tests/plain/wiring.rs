//! Plain mode: the steps of a project are filled in, wired and saved by lines.

use super::steps_of;

#[test]
fn an_answer_is_wired_by_words() {
    let mut probe = steps_of("Spring campaign (unfinished)");
    let said = probe.says("next problem");
    assert!(said.starts_with("Both; answer 3 of 3; leads nowhere"), "{said}");
    assert!(said.contains("; error: "), "what is wrong there: {said}");
    let said = probe.says("wire to Sn0wY");
    assert!(said.starts_with("Both; answer 3 of 3; leads to Sn0wY"), "{said}");
    assert!(probe.says("wire 1 to end").starts_with("Snow; answer 1 of 3; ends the video"), "{:?}", probe.says(""));
    assert!(probe.says("wire 9 to end").contains("can't be wired"));
    assert!(probe.says("wire 2 to nobody").contains("No step is named"));
    assert!(probe.says("wire two").contains("Type it as"));
    // Nothing of that left a mode behind.
    assert!(probe.says("undo").contains("Undid: "), "{:?}", probe.says(""));
    let said = probe.says("go Sn0wY");
    assert!(said.starts_with("Sn0wY"), "{said}");
    assert!(probe.says("list all").starts_with("1 "));
    let said = probe.says("create project");
    assert!(said.contains("works in Projects: go there first."), "{said}");
}

#[test]
fn opening_a_step_or_nothing_carries_out_no_plan() {
    let mut probe = steps_of("Spring campaign (unfinished)");
    probe.says("next problem");
    probe.says("wire 1 to end");
    probe.says("save");
    for line in ["open Sn0wY", "go Sn0wY"] {
        assert!(probe.says(line).contains("can't be searched here"), "{line}: {:?}", probe.says("where"));
    }
    assert!(probe.says("open").contains("Enter saves it"));
    assert!(probe.says("where").contains("Save: "), "it is still shown");
}

#[test]
fn the_fields_of_a_step_are_asked_for_one_by_one() {
    let mut probe = steps_of("Spring campaign (unfinished)");
    let said = probe.says("Enter");
    assert!(said.starts_with("Internal note: "), "{said}");
    let said = probe.says("For the newsletter");
    assert!(said.starts_with("Text over the video: Pick your spring"), "{said}");
    let said = probe.says("");
    assert!(said.starts_with("Show answers after"), "{said}");
    let said = probe.says("Shift-Tab");
    assert!(said.starts_with("Text over the video: "), "{said}");
    probe.says("=j");
    let said = probe.says("Esc");
    assert!(said.contains("text j;"), "{said}");
    let steps = probe.says("where");
    assert!(steps.contains("For the newsletter"), "{steps}");
}

#[test]
fn keys_that_help_names_are_pressed_on_a_field_without_text_and_empty_lines_end_the_form() {
    let mut probe = steps_of("Gift finder");
    probe.says("Enter");
    for _ in 0..2 {
        probe.says("");
    }
    let said = probe.says("");
    assert!(said.contains("Welcome to Nordlys"), "the video: {said}");
    let help = probe.says("?");
    assert!(help.contains("space") && help.contains("choose video"), "{help}");
    let said = probe.says("space");
    assert!(said.contains("0:24") && !said.contains("isn't in the list"), "{said}");
    probe.says("Esc");
    assert!(probe.model.screens.steps.draft().unwrap().is_saved());
    let said = probe.says("x");
    assert!(!said.contains("isn't in the list"), "{said}");
    assert!(!probe.model.screens.steps.draft().unwrap().is_saved(), "the video was removed");
    let lines = (0..20).take_while(|_| {
        probe.says("");
        probe.shows("+ Step pHB58")
    });
    assert!((1..20).contains(&lines.count()), "the form is left: {}", probe.screen());
}

#[test]
fn a_form_lists_its_fields_and_a_number_goes_to_one() {
    let mut probe = steps_of("Gift finder");
    probe.says("Enter");
    let said = ["list", "more", "more"].map(|line| probe.says(line)).concat();
    assert!(said.contains("2 Text over the video: ") && said.contains("4 Video: Welcome to Nordlys"), "{said}");
    assert!(!said.contains("Problem") && said.contains("A number goes to its row."), "{said}");
    let said = probe.says("4");
    assert!(said.starts_with("Video: Welcome to Nordlys"), "{said}");
    let said = probe.says("list");
    assert!(said.starts_with("4 Video: Welcome to Nordlys; current"), "{said}");
    let said = probe.says("2");
    assert!(said.starts_with("Text over the video: "), "{said}");
    assert!(probe.model.screens.steps.draft().unwrap().is_saved(), "nothing was filled in");
    probe.says("list");
    assert!(probe.says("99").contains("no row 99"));
    // A number that follows no list is the text.
    let said = probe.says("2");
    assert!(said.starts_with("Show answers after"), "{said}");
    assert!(!probe.model.screens.steps.draft().unwrap().is_saved());
}

#[test]
fn the_list_of_problems_is_read_where_it_has_the_keys() {
    let mut probe = steps_of("Spring campaign (unfinished)");
    probe.says("Tab");
    let said = ["list all", "more", "more", "more"].map(|line| probe.says(line)).concat();
    assert!(said.contains("; error") && !said.contains("Spr1n Snow or flowers?; 3 answers"), "{said}");
    probe.says("list");
    let said = probe.says("2");
    assert!(said.contains("; 2 of "), "{said}");
}
