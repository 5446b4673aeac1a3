//! The mouse in what stands beside the map: what is pressed is what is seen, at every size.

use std::path::PathBuf;

use super::desk::Desk;
use super::probe::Probe;
use super::steps::{opened, sample};
use super::steps_products::listing;
use crate::studio::ground::MouseAction;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::steps;
use crate::studio::{FolderEntry, FolderList};

impl Probe {
    /// Presses where a text stands.
    fn clicks(&mut self, text: &str) -> &mut Self {
        let at = self.place_of(text);
        self.points(at, MouseAction::Press)
    }
}

#[test]
fn an_answer_that_is_pressed_in_play_is_given() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut probe = opened("Gift finder", width, height);
        probe.keys("p").clicks("2 For him");
        assert!(probe.shows("What does he like?"), "{width}: {}", probe.screen());
        probe.clicks("▌ 1 Being");
        // With what was said before it above, too.
        probe.keys("<left>t");
        let row = probe.place_of("  2 Being");
        probe.points((row.0, row.1 - 2), MouseAction::Press);
        assert!(probe.shows("▌ 1 Being"), "a press above the answers gives none: {}", probe.screen());
        probe.clicks("  2 Being");
        assert!(!probe.shows("▌ 1 Being"), "{}", probe.screen());
    }
}

#[test]
fn a_press_goes_to_a_field_and_to_the_character_of_its_text() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut probe = opened("Gift finder", width, height);
        probe.keys("<enter>").clicks("Text over the video").keys("!");
        assert!(probe.shows("Who is it for?!"), "{}", probe.screen());
        probe.clicks("Internal note");
        // Where the text itself stands in the form, not on the card: another field is current.
        let screen = probe.screen();
        let title = probe.place_of("Text over the video");
        let row = screen.lines().nth(usize::from(title.1) + 1).unwrap();
        let begins = row.split("Who is it for?!").next().unwrap().chars().count();
        let within = (u16::try_from(begins).unwrap() + 4, title.1 + 1);
        probe.points(within, MouseAction::Press).keys("+");
        assert!(probe.shows("Who +is it for?!"), "{}", probe.screen());
        // Behind the text is its end.
        probe.points((within.0 + 25, within.1), MouseAction::Press).keys("?");
        assert!(probe.shows("Who +is it for?!?"), "{}", probe.screen());
        // What takes no text opens.
        let screen = probe.screen();
        let below = screen.lines().skip(1).position(|line| line.contains("Products")).unwrap() + 1;
        let column = screen.lines().nth(below).unwrap().split("Products").next().unwrap().chars().count();
        let field = (u16::try_from(column).unwrap(), u16::try_from(below).unwrap());
        probe.points(field, MouseAction::Press);
        assert!(probe.shows("Products of pHB58"), "{}", probe.screen());
    }
}

#[test]
fn a_field_keeps_what_it_cant_take_when_another_is_pressed() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("<enter><tab><tab>soon").clicks("Internal note");
    assert!(probe.shows("isn't a number of seconds") && probe.shows("soon"), "{}", probe.screen());
    probe.keys("<backspace><backspace><backspace><backspace>").clicks("Internal note").keys("!");
    assert!(probe.shows("Welcome!"), "{}", probe.screen());
}

#[test]
fn a_card_that_is_pressed_is_gone_to_from_letters_and_from_a_form() {
    let mut probe = opened("Gift finder", 160, 40);
    probe.keys("'").clicks("For her ─").keys("<enter>");
    assert!(probe.shows("Step rqAvg"), "{}", probe.screen());
    // What was typed is kept.
    probe.keys("!").clicks("pHB58 ─").keys("<enter>");
    assert!(probe.shows("Step pHB58") && probe.shows("For her!"), "{}", probe.screen());
}

#[test]
fn products_are_selected_by_their_signs_and_added_by_a_second_press() {
    let mut probe = Probe::new(120, 40);
    probe.open_project(sample("Gift finder"));
    probe.keys("B").finds(vec![listing(0, "Wool socks"), listing(1, "Felt slippers"), listing(2, "Mittens")]);
    // From the top down, and the one that is current already.
    probe.clicks("○ Wool socks").clicks("○ Felt slippers").clicks("● Felt slippers").clicks("○ Mittens");
    assert!(probe.products_of_first().is_empty(), "{}", probe.screen());
    assert!(probe.shows("● Mittens") && probe.shows("● Wool socks"), "{}", probe.screen());
    probe.clicks("● Mittens").clicks("● Wool socks");
    assert!(probe.shows("○ Mittens") && probe.shows("○ Wool socks"), "{}", probe.screen());
    assert!(probe.products_of_first().is_empty());
    probe.clicks("Felt slippers");
    assert!(probe.products_of_first().is_empty(), "a first press goes there: {}", probe.screen());
    probe.clicks("Felt slippers");
    assert_eq!(probe.products_of_first(), ["1"]);
    // The line above is typed into once it was pressed.
    probe.clicks("❯").keys("m");
    assert!(probe.shows("❯ m"), "{}", probe.screen());
    let below = probe.place_of("○ Mittens").1 + 4;
    probe.points((60, below), MouseAction::Press).keys("i");
    assert!(probe.shows("❯ mi"), "a press below the rows does nothing: {}", probe.screen());
}

#[test]
fn a_side_of_a_conflict_is_taken_by_a_press() {
    let mut probe = opened("Gift finder", 120, 40);
    let mut theirs = sample("Gift finder");
    probe.keys("<enter><tab>Mine<esc>S");
    theirs.steps.as_mut().unwrap()[0].overlay_text = Some("Theirs".into());
    probe.answer_steps(&theirs);
    probe.clicks("○ theirs");
    assert!(probe.shows("● theirs") && probe.shows("○ mine"), "{}", probe.screen());
    probe.clicks("○ mine");
    assert!(probe.shows("● mine"), "{}", probe.screen());
    probe.clicks("the text of pHB58");
    assert!(probe.shows("● mine"), "what it is about is no side: {}", probe.screen());
}

#[test]
fn a_file_is_chosen_by_two_presses() {
    let mut desk = Desk::new();
    desk.keys("<enter><tab><tab><tab>U");
    let asked = desk.probe.effects.iter().find_map(|effect| match effect {
        Effect::Steps(steps::Effect::ReadFolder { request, folder: None }) => Some(*request),
        _ => None,
    });
    let entry = |name: &str, is_folder| FolderEntry {
        path: PathBuf::from("/clips").join(name),
        name: name.to_owned(),
        is_folder,
        size: 3_000_000,
    };
    let entries = vec![entry("more", true), entry("a.mp4", false), entry("b.mp4", false)];
    let folder = FolderList { path: "/clips".into(), entries, ..FolderList::default() };
    let event = steps::Event::FolderRead { request: asked.unwrap(), folder: Ok(folder) };
    desk.probe.event(Event::Steps(event));
    let is_upload = |effect: &Effect| matches!(effect, Effect::Steps(steps::Effect::Upload { .. }));
    // One press goes there, also where the cursor is already; what is typed meanwhile is no reason to go elsewhere.
    desk.probe.clicks("more/").clicks("○ a.mp4").clicks("○ b.mp4");
    assert!(!desk.probe.effects.iter().any(is_upload), "{}", desk.probe.screen());
    desk.probe.clicks("○ b.mp4");
    assert_eq!(desk.queued().0, PathBuf::from("/clips/b.mp4"));
}
