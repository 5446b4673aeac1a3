//! Plain mode: what is copied, what goes wrong, and what arrives later.

use super::store;
use crate::studio::ground::Screen;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::plain::{self, MOST};

#[test]
fn what_is_copied_is_said_and_secrets_are_not() {
    let mut probe = store();
    let said = [probe.says("Copy ID"), probe.says("Enter"), probe.says("more")];
    assert!(said.iter().any(|said| said.contains("To copy: ")), "{said:?}");
    assert!(!probe.effects.iter().any(|effect| matches!(effect, Effect::CopyText(_))));
}

#[test]
fn what_there_is_to_copy_is_chosen_by_its_number_and_said_whole() {
    let mut probe = store();
    let asked = [probe.says("copy"), probe.says("list all"), probe.says("more")].concat();
    assert!(asked.contains("2 address https://nordlys.example/products/0"), "{asked}");
    probe.says("Esc");
    probe.says("copy");
    let said = [probe.says("2"), probe.says("more")].concat();
    assert!(said.contains("To copy: https://"), "the second of what was offered: {said}");
}

#[test]
fn an_error_and_what_arrives_are_said_without_being_asked_for() {
    let mut probe = store();
    probe.event(Event::NotKept("The disk is full".to_owned()));
    assert_eq!(plain::say(&mut probe.model), ["Warning: The disk is full"]);
    assert_eq!(plain::say(&mut probe.model), [""; 0], "and only once");
    probe.says("2");
    assert_eq!(probe.model.screens.shown, Screen::Projects);
}

#[test]
fn what_comes_late_makes_no_answer_longer() {
    let mut probe = store();
    let first = probe.says("open");
    probe.fetched();
    let late = plain::say(&mut probe.model).join("\n");
    assert!(first.chars().count() + late.chars().count() < MOST, "{first}\n{late}");
    let more = probe.says("more");
    assert!([first, late, more].concat().contains("Product 0"));
}
