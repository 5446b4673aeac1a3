//! Steps, answers and videos are called what people call them, and nothing that was typed is lost unsaid.

use super::probe::Probe;
use super::steps::{opened, sample};
use crate::draft::Target;

#[test]
fn a_plan_calls_new_steps_by_their_text_and_videos_by_their_name() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("n<enter>Sale<esc>V<enter>S").answer_steps(&sample("Gift finder"));
    assert!(probe.shows("+ create step “Sale”"), "{}", probe.screen());
    assert!(probe.shows("[+“Sale”+]"), "also in the order\n{}", probe.screen());
    assert!(probe.shows("none → Being outdoors"), "{}", probe.screen());
    assert!(!probe.shows("create step new-1") && !probe.shows(".mp4"), "{}", probe.screen());
}

#[test]
fn videos_are_told_by_name_length_and_size() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("V");
    let screen = probe.screen();
    let rows: Vec<&str> = screen.lines().filter(|line| line.contains("0:24 · 48 MB")).collect();
    assert!(rows.len() > 3, "{screen}");
    let names: Vec<String> = rows.iter().map(|row| row.split("0:24").next().unwrap().to_lowercase()).collect();
    let names: Vec<&str> = names.iter().map(|row| row.rsplit('│').next().unwrap().trim_matches(['▌', ' '])).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(!probe.shows(".mp4"), "no id beside the name\n{}", probe.screen());
    probe.keys("<esc><enter>");
    assert!(probe.shows("Welcome to Nordlys · 0:24 · 48 MB"), "{}", probe.screen());
    probe.keys("<esc>x");
    assert!(probe.shows("Delete step pHB58 Welcome"), "{}", probe.screen());
}

#[test]
fn letters_for_seconds_are_not_dropped_unsaid() {
    for key in ["<tab>", "<enter>", "<esc>"] {
        let mut probe = opened("Gift finder", 120, 40);
        probe.keys("<enter><tab><tab>abc");
        assert!(probe.shows("abc"), "{}", probe.screen());
        probe.keys(key);
        assert!(probe.shows("abc") && probe.shows("isn't a number of seconds"), "{key}: {}", probe.screen());
        // Once that was said, Esc discards it.
        probe.keys("<esc>");
        assert!(!probe.shows("╭ Step pHB58"), "{key}: {}", probe.screen());
        assert!(probe.model.screens.steps.draft().unwrap().is_saved());
    }
}

#[test]
fn enter_closes_the_form_from_every_field_and_keeps_what_was_typed() {
    for (field, typed) in [("", "About it"), ("<tab>", "Over it"), ("<tab><tab>", "2.5"), ("<tab><tab><tab>", "")] {
        let mut probe = opened("Gift finder", 120, 40);
        probe.keys(&format!("<enter>{field}"));
        if !typed.is_empty() {
            probe.keys(&format!("<ctrl-u>{typed}"));
        }
        assert!(probe.shows("⏎ done"), "{}", probe.screen());
        probe.keys("<enter>");
        assert!(!probe.shows("╭ Step pHB58"), "{field}: {}", probe.screen());
        let draft = probe.model.screens.steps.draft().unwrap();
        assert_eq!(draft.is_saved(), typed.is_empty(), "{field}");
        probe.keys("<enter>");
        assert!(probe.shows(typed), "{field}: {}", probe.screen());
    }
    // What a field can't take stays in it, however often Enter is pressed.
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("<enter><tab><tab>abc<enter><enter>");
    assert!(probe.shows("abc") && probe.shows("isn't a number of seconds"), "{}", probe.screen());
}

#[test]
fn a_line_is_broken_by_keys_of_its_own_where_a_field_may_have_lines() {
    let overlay = |probe: &Probe| {
        let content = probe.model.screens.steps.draft().unwrap().content();
        content.steps().next().unwrap().1.overlay().to_owned()
    };
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("<enter><tab><ctrl-u>One<ctrl-j>two<enter>");
    assert_eq!(overlay(&probe), "One\ntwo");
    // A text of one line stays one.
    probe.keys("<enter><tab><tab><tab><tab><tab><ctrl-u>Her<ctrl-j>s<enter>");
    assert!(probe.shows("Hers"), "{}", probe.screen());
}

#[test]
fn space_chooses_on_the_fields_that_take_no_text() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("<enter><tab><tab><tab>");
    assert!(probe.shows("space choose video"), "{}", probe.screen());
    probe.keys(" ");
    assert!(probe.shows("╭ Video"), "{}", probe.screen());
    probe.keys("<esc><tab>");
    assert!(probe.shows("space choose products"), "{}", probe.screen());
    probe.keys(" ");
    assert!(probe.shows("Products of"), "{}", probe.screen());
}

#[test]
fn a_digit_selects_an_answer_of_the_current_step() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut probe = opened("Gift finder", width, height);
        probe.keys("'");
        assert!(probe.shows("1-9 answer of this step"), "{}", probe.screen());
        // Enter edits what the digit selected.
        probe.keys("3<enter>");
        assert!(probe.shows("Answer 3, "), "{width}: {}", probe.screen());
        probe.keys("<ctrl-u>No idea<enter>");
        assert!(probe.shows("3 No idea"), "{width}: {}", probe.screen());
        // And wires it, which w3 does at once.
        probe.keys("<home>w3");
        assert!(probe.shows("1-9 answer"), "{width}: {}", probe.screen());
        probe.keys("x'9");
        assert!(probe.shows("This step has 3 answers."), "{width}: {}", probe.screen());
        let content = probe.model.screens.steps.draft().unwrap().content();
        let third = content.steps().next().unwrap().1.answers()[2].clone();
        assert_eq!((third.text.as_str(), third.target), ("No idea", Target::End));
    }
}
