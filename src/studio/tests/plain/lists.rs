//! Plain mode: rows, where one is among them, and going to one of them.

use super::super::hostile::service_screens::inspected;
use super::{projects, store};
use crate::studio::ground::Screen;
use crate::studio::shell::event::Event;

#[test]
fn what_is_current_comes_first_with_its_place() {
    let mut probe = store();
    let said = probe.says("j");
    assert!(said.starts_with("Merino base layer, women; Nordlys; price 149"), "{said}");
    assert!(said.contains("; 2 of 3"), "{said}");
    assert_eq!(probe.says("move.home").split(';').next(), Some("Fjell wool sock"));
    assert_eq!(probe.says("go picnic").split(';').next(), Some("Picnic blanket"));
    assert!(probe.says("go nowhere").contains("isn't among the rows"));
    assert!(probe.says("list all").starts_with("1 Fjell wool sock; Nordlys"));
    let rest = probe.says("more");
    assert!(rest.contains("Picnic blanket"), "{rest}");
    assert!(probe.says("what now").contains("not a command here"));
    assert!(probe.says("").starts_with("Picnic blanket; "), "an empty line says where one is");
}

#[test]
fn a_screen_is_gone_to_by_its_name() {
    let mut probe = store();
    probe.says("go projects");
    assert_eq!(probe.model.screens.shown, Screen::Projects);
    assert!(probe.says("go nowhere").contains("isn't among the rows"));
}

#[test]
fn a_number_goes_to_its_row_of_the_list_that_was_read() {
    let mut probe = store();
    assert!(probe.says("list all").starts_with("1 Fjell wool sock"));
    assert!(probe.says("3").starts_with("Picnic blanket"));
    probe.says("filters");
    let said = probe.says("list all");
    assert!(said.starts_with("1 "), "{said}");
    let second = [said, probe.says("more")].concat();
    probe.says("2");
    assert_eq!(probe.model.screens.shown, Screen::Products, "{second}");
    assert!(probe.says("where").contains("; 2 of "), "{:?}", probe.says("where"));
    probe.says("Esc");
    probe.says("2");
    assert_eq!(probe.model.screens.shown, Screen::Projects, "else it is the key");
}

#[test]
fn clearing_is_answered_where_there_is_nothing_to_clear() {
    let said = store().says("clear filters");
    assert!(said.contains("No active filters."), "{said}");
}

#[test]
fn a_filter_is_filled_in_by_a_line_that_begins_with_its_name() {
    let mut probe = store();
    probe.says("filters");
    for line in ["Type socks", "Stock from 5", "tags winter", "Tags match all", "Published only yes"] {
        probe.says(line);
        assert!(probe.model.layers.is_empty(), "{line}: {:?}", probe.says("where"));
    }
    let said = ["list all", "more", "more", "more"].map(|line| probe.says(line)).concat();
    for row in ["Type: socks", "Stock from: 5", "Tags: winter", "Tags match: all", "Published only: true"] {
        assert!(said.contains(row), "{row}: {said}");
    }
    probe.says("Published only yes");
    assert!(probe.says("Published only maybe").contains("Type yes or no"));
    assert!(probe.says("Stock from").starts_with("Stock from: 5; 5 of "), "{:?}", probe.says("where"));
    probe.says("=12");
    assert!(probe.says("Stock from").starts_with("Stock from: 12"), "{:?}", probe.says("where"));
    // What is in no list is taken as it was typed, as in the list itself, and nothing in its place.
    let said = probe.says("Type zzzqq");
    assert!(said.contains("zzzqq") && probe.model.layers.is_empty(), "{said}");
    assert!(probe.says("where").contains("Filter: type: socks, zzzqq"), "{:?}", probe.says("where"));
    probe.says("Esc");
    assert!(probe.says("Type shoes").contains("not a command"), "no filters are in front");
}

#[test]
fn a_page_is_left_for_another_screen() {
    let mut probe = store();
    probe.event(Event::NotKept("The disk is full".to_owned()));
    assert!(probe.says("notices").contains("The disk is full"));
    probe.says("2");
    assert_eq!((probe.model.screens.shown, probe.model.layers.len()), (Screen::Projects, 0));
}

#[test]
fn lines_that_are_set_in_are_read() {
    let mut probe = store();
    probe.event(Event::NotKept("The disk is full".to_owned()));
    let said = probe.says("notices");
    assert!(said.contains("The disk is full"), "{said}");
    probe.says("Esc");
    let mut probe = projects();
    let said = ["where", "more", "more", "more"].map(|line| probe.says(line));
    assert!(said.concat().contains("https://play.example/p1"), "{said:?}");
}

#[test]
fn a_number_chooses_in_a_form_whose_list_was_read() {
    let mut probe = store();
    probe.says("4");
    probe.says("new webhook");
    assert!(probe.says("list").contains("2 "), "{:?}", probe.says("where"));
    probe.says("2");
    assert_eq!(probe.model.screens.shown, Screen::Webhooks, "the form is left");
    let said = probe.says("where");
    assert!(said.contains("2 of 4"), "{said}");
    probe.says("Tab");
    let said = probe.says("list");
    assert!(said.starts_with("4 Address:") && said.contains("goes to its row"), "{said}");
    let said = probe.says("1");
    assert!(said.contains("; 1 of 4"), "the address is left alone: {said}");
}

#[test]
fn a_number_is_text_where_no_row_can_be_gone_to() {
    let mut probe = store();
    probe.says("4");
    probe.says("/");
    assert!(!probe.says("list").contains("A number goes to its row."));
    probe.says("5");
    probe.says("Esc");
    for (screen, forms) in [("5", "New profile"), ("1", "filters")] {
        probe.says(screen);
        probe.says(forms);
        probe.says("list all");
        let said = probe.says("3");
        assert!(said.contains("; 3 of "), "{forms}: {said}");
        probe.says("list all");
        let said = probe.says("1");
        assert!(said.contains("; 1 of "), "{forms}: {said}");
        probe.says("Esc");
    }
}

#[test]
fn what_is_selected_is_said() {
    let mut probe = store();
    let said = probe.says("select");
    assert!(said.starts_with("Merino") && said.contains("\n1 selected"), "{said}");
    let said = probe.says("up");
    assert!(said.contains("; selected; 1 of 3"), "{said}");
    let said = probe.says("list");
    assert!(said.starts_with("1 Fjell wool sock; ") && said.contains("; selected; current"), "{said}");
    assert!(probe.says("where").contains("1 selected"), "{:?}", probe.says("where"));
    let mut probe = inspected(120, 40);
    probe.speaks();
    let said = probe.says("select");
    assert!(said.contains("; selected; 1 of 3"), "{said}");
    let said = probe.says("select");
    assert!(!said.contains("selected"), "{said}");
}

#[test]
fn what_is_selected_in_a_list_is_said() {
    let mut probe = store();
    for line in ["filters", "Tags", "Enter"] {
        probe.says(line);
    }
    let said = probe.says("wool");
    assert!(said.contains("wool selected"), "{said}");
    let said = ["list all", "more"].map(|line| probe.says(line)).concat();
    assert_eq!(said.matches("; selected").count(), 1, "{said}");
    assert!(probe.says("wool").contains("wool not selected"));
    probe.says("winter");
    probe.says("Enter");
    let said = probe.says("where");
    assert!(said.starts_with("Tags: winter; "), "{said}");
}
