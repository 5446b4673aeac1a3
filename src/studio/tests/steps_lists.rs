//! The lists of the Steps screen move as every list does, and a wire ends wherever it is let go of.

use super::probe::Probe;
use super::steps::{opened, sample};
use crate::studio::ground::{Mouse, MouseAction};
use crate::studio::shell::event::Event;
use crate::studio::shell::reading;

impl Probe {
    /// Where a text stands on the screen: the place of its first character.
    pub fn place_of(&self, text: &str) -> (u16, u16) {
        let screen = self.screen();
        let found =
            screen.lines().enumerate().find_map(|(y, line)| Some((line.split_once(text)?.0.chars().count(), y)));
        let (x, y) = found.unwrap_or_else(|| panic!("{text:?} is not on the screen\n{screen}"));
        (u16::try_from(x).unwrap(), u16::try_from(y).unwrap())
    }

    pub fn points(&mut self, (x, y): (u16, u16), what: MouseAction) -> &mut Self {
        self.event(Event::Mouse(Mouse { x, y, what }))
    }
}

/// The number of the answer that Enter would give in play.
fn chosen(probe: &Probe) -> Option<usize> {
    let lines = reading(&probe.model);
    lines.iter().find_map(|line| line.strip_prefix("> ")?.split(' ').next()?.parse().ok())
}

#[test]
fn a_wire_that_is_let_go_of_over_the_problems_ends() {
    let mut probe = opened("Spring campaign (unfinished)", 120, 40);
    let over_problems = probe.place_of("Problems");
    let step = probe.model.screens.steps.draft().unwrap().steps().into_iter().next().unwrap();
    let answer = format!("1 {}", step.answers.unwrap()[0].text);
    let at = probe.place_of(&answer);
    probe.points(at, MouseAction::Press).points(at, MouseAction::Drag);
    assert!(probe.shows("x ends the video"), "a wire is drawn\n{}", probe.screen());
    probe.points(over_problems, MouseAction::Drag).points(over_problems, MouseAction::Release);
    assert!(!probe.shows("x ends the video"), "it is let go of\n{}", probe.screen());
    // The map takes keys as before.
    probe.keys("n");
    assert!(probe.shows("draft: 1 edit not saved"), "{}", probe.screen());
}

#[test]
fn the_plan_moves_as_a_list_does() {
    let mut probe = opened("Gift finder", 80, 24);
    probe.keys("nnnnnnnnnnnnnnnnnnnnnnnnS").answer_steps(&sample("Gift finder"));
    let first = probe.screen();
    assert!(first.contains("create step new-1 "), "{first}");
    probe.keys("<end>");
    let last = probe.screen();
    assert!(last.contains("create step new-24"), "{last}");
    // No further than the end: the next page up is another one.
    probe.keys("<page_down><page_down><page_up>");
    assert_ne!(probe.screen(), last);
    probe.keys("<home>");
    assert_eq!(probe.screen(), first);
    let over = probe.place_of("create step new-1");
    probe.points(over, MouseAction::WheelDown);
    assert_ne!(probe.screen(), first, "the wheel moves it");
    probe.points(over, MouseAction::WheelUp);
    assert_eq!(probe.screen(), first);
}

#[test]
fn the_answers_in_play_move_as_a_list_does() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("p");
    let count = reading(&probe.model).iter().filter(|line| line.starts_with("  ") || line.starts_with("> ")).count();
    assert!(count > 1, "{:?}", reading(&probe.model));
    assert_eq!(chosen(&probe), Some(1));
    probe.keys("<end>");
    assert_eq!(chosen(&probe), Some(count));
    probe.keys("<down>");
    assert_eq!(chosen(&probe), Some(count));
    probe.keys("<home>");
    assert_eq!(chosen(&probe), Some(1));
}

#[test]
fn the_outline_turns_under_the_wheel_and_stays_there() {
    let mut probe = opened("Gift finder", 80, 24);
    probe.keys("t<home>");
    let title = |probe: &Probe| probe.screen().lines().nth(2).unwrap().replace('▌', " ");
    let before = title(&probe);
    for _ in 0..3 {
        probe.points((20, 6), MouseAction::WheelDown);
    }
    let turned = title(&probe);
    assert_ne!(turned, before, "{}", probe.screen());
    // What is selected is seen, so that the next key moves from there.
    probe.keys("<down>");
    assert_eq!(title(&probe), turned, "{}", probe.screen());
}
