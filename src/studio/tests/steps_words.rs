//! Steps, answers and videos are called what people call them, and nothing that was typed is lost unsaid.

use super::steps::{opened, sample};

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
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("<enter><tab><tab>abc");
    assert!(probe.shows("abc"), "{}", probe.screen());
    for key in ["<tab>", "<esc>"] {
        probe.keys(key);
        assert!(probe.shows("abc") && probe.shows("isn't a number of seconds"), "{}", probe.screen());
    }
    // Once that was said, Esc discards it.
    probe.keys("<esc>");
    assert!(!probe.shows("╭ Step pHB58"), "{}", probe.screen());
    assert!(probe.model.screens.steps.draft().unwrap().is_saved());
}
