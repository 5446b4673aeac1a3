//! Which part of the graph is seen, and how much of it.

use super::probe::Probe;
use super::steps::{opened, sample};
use super::steps_problems::without_videos;
use crate::studio::shell::reading;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// The columns, from the left, of the first and the last sign that is drawn of the graph.
fn extent(probe: &Probe) -> (usize, usize) {
    let screen = probe.screen();
    let rows = screen.lines().skip(2).take_while(|line| !line.contains("─ Problems") && !line.starts_with('╰'));
    let columns = rows.flat_map(|row| {
        let row: Vec<char> = row.trim_start_matches('│').trim_end_matches('│').chars().collect();
        row.into_iter().enumerate().filter(|(_, sign)| *sign != ' ').map(|(at, _)| at + 1).collect::<Vec<_>>()
    });
    columns.fold((usize::MAX, 0), |(first, last), at| (first.min(at), last.max(at)))
}

/// The column of a text's first character, of as many as the screen has.
fn column(probe: &Probe, text: &str) -> u16 {
    probe.place_of(text).0
}

#[test]
fn all_of_a_project_of_nine_steps_is_seen() {
    let names: Vec<String> = sample("Gift finder")
        .steps
        .unwrap()
        .iter()
        .map(|step| step.name.as_ref().unwrap().as_str().to_owned())
        .collect();
    assert_eq!(names.len(), 9);
    for (width, height) in [(120, 40), (200, 60)] {
        let mut probe = opened("Gift finder", width, height);
        probe.keys("0");
        for name in &names {
            assert!(probe.shows(name), "{name}\n{}", probe.screen());
        }
        assert!(!probe.shows("╭ map"), "{}", probe.screen());
    }
    let mut probe = opened("Gift finder", 80, 24);
    probe.keys("0");
    assert!(!probe.shows("╭ map"), "all of it is seen, so there is no map\n{}", probe.screen());
}

#[test]
fn what_fits_stands_in_the_middle() {
    for (width, height) in SIZES {
        for keys in ["", "0"] {
            let mut probe = Probe::new(width, height);
            probe.open_project(without_videos(2)).keys(keys);
            let (first, last) = extent(&probe);
            let (left, right) = (first - 1, usize::from(width) - 2 - last);
            assert!(left.abs_diff(right) <= 4, "{left} and {right}\n{}", probe.screen());
        }
    }
}

#[test]
fn what_does_not_fit_begins_at_the_left_without_a_gap() {
    let mut probe = Probe::new(80, 24);
    probe.open_project(without_videos(10));
    assert!(column(&probe, "╭ st000") <= 2, "{}", probe.screen());
}

#[test]
fn what_is_found_or_jumped_to_is_in_the_middle() {
    for (width, height) in SIZES {
        let mut probe = Probe::new(width, height);
        probe.open_project(without_videos(60)).keys("/st030<enter>");
        let middle = |probe: &Probe, name: &str| {
            let at = column(probe, &format!("╭ {name}")) + 14;
            assert!(at.abs_diff(width / 2) <= 4, "{at} of {width}\n{}", probe.screen());
        };
        middle(&probe, "st030");
        probe.keys("'j");
        let lines = reading(&probe.model);
        let name = lines.iter().find_map(|line| line.strip_prefix("Step ")?.split(':').next()).unwrap().to_owned();
        assert_ne!(name, "st030");
        middle(&probe, &name);
    }
}

#[test]
fn empty_columns_shrink_before_cards_do() {
    // Cards fit only where nothing is between them that isn't needed.
    let mut probe = Probe::new(104, 30);
    probe.open_project(without_videos(3)).keys("0");
    let roomy = extent(&probe);
    assert!(probe.shows("╭ st000") && probe.shows("╭ st002"), "{}", probe.screen());
    let mut fewer = 104;
    loop {
        fewer -= 1;
        let mut probe = Probe::new(fewer, 30);
        probe.open_project(without_videos(3)).keys("0");
        if !probe.shows("╭ st000") {
            break;
        }
        let (first, last) = extent(&probe);
        assert!(first >= 1 && last <= usize::from(fewer) - 2, "{}", probe.screen());
    }
    let needed = roomy.1 - roomy.0 + 1;
    assert!(usize::from(fewer) < needed + 2, "{fewer} columns are enough for less than {needed}");
}

#[test]
fn a_digit_says_which_answer_is_wired() {
    let answers = |probe: &Probe| {
        let steps = probe.model.screens.steps.draft().unwrap().steps();
        let first = steps.into_iter().find(|step| step.name.as_ref().is_some_and(|name| name.as_str() == "pHB58"));
        first.unwrap().answers.unwrap().into_iter().map(|answer| answer.next).collect::<Vec<_>>()
    };
    let mut probe = opened("Gift finder", 120, 40);
    let before = answers(&probe);
    probe.keys("w3");
    assert!(probe.shows("“Not sure” → ?"), "{}", probe.screen());
    probe.keys("<right><down><enter>");
    let after = answers(&probe);
    assert_eq!(after[..2], before[..2]);
    assert_ne!(after[2], before[2], "{}", probe.screen());
    probe.keys("w9");
    assert!(probe.shows("This step has 3 answers."), "{}", probe.screen());
}
