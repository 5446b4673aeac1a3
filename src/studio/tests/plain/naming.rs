//! Plain mode: how commands and keys are named in a line, and what is no name.

use super::{projects, steps_of, store};
use crate::settings::{Key, KeyCode};
use crate::studio::Command;
use crate::studio::ground::Screen;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::plain::words;

#[test]
fn every_command_is_reached_by_its_name_and_by_its_title() {
    let probe = store();
    for command in Command::ALL {
        assert_eq!(words::command(&probe.model, command.name()), Some(*command));
        let of_title = words::command(&probe.model, command.title()).unwrap();
        assert_eq!(of_title.title(), command.title(), "titles that several have name the one of the screen shown");
    }
    assert_eq!(words::command(&probe.model, "filters"), Some(Command::Filter));
    assert_eq!(words::command(&probe.model, "nothing of the kind"), None);
}

#[test]
fn every_key_has_its_name() {
    for (name, key) in [
        ("j", Key::char('j')),
        ("Enter", Key::plain(KeyCode::Enter)),
        ("Ctrl-R", Key::ctrl('r')),
        ("PgDn", Key::plain(KeyCode::PageDown)),
        ("Shift-Tab", Key::parse("shift-tab").unwrap()),
        ("F5", Key::plain(KeyCode::Function(5))),
        ("Space", Key::char(' ')),
        ("G", Key::char('G')),
    ] {
        assert_eq!(words::key(name), Some(key), "{name}");
        assert_eq!(words::key(&key.to_string()), Some(key), "{name}");
    }
    assert_eq!(words::key("Quiz"), None);
    assert_eq!(words::key_that_is_no_text("wool"), None);
    assert_eq!(words::key_that_is_no_text("w"), None, "a letter is text where text is asked for");
}

#[test]
fn help_says_what_works_here_and_finds_commands() {
    let mut probe = store();
    let said = probe.says("?");
    assert!(said.starts_with("Here: ") && said.contains("move"), "{said}");
    let said = probe.says("help saved search");
    assert!(said.contains("products.search.saved") || said.contains("saved search"), "{said}");
    assert!(probe.says("help zebra").contains("No command matches"));
}

#[test]
fn a_secret_that_nobody_asked_for_is_not_said_back() {
    let mut probe = store();
    let said = probe.says("sk_live_5e55");
    assert!(said.contains("not a command here") && !said.contains("sk_live"), "{said}");
}

#[test]
fn what_needs_a_screen_says_so() {
    let mut probe = store();
    for line in ["suspend", "v", "View picture"] {
        assert!(probe.says(line).contains("Not in plain mode"), "{line}");
    }
}

#[test]
fn what_a_verb_is_done_to_is_no_text_for_it() {
    let mut probe = projects();
    for line in ["create project", "make a project", "add project", "New project"] {
        let said = probe.says(line);
        assert!(said.contains("Name of the new project") && said.contains("Esc cancels"), "{line}: {said}");
        assert_eq!(probe.writes(), 0, "{line}");
        probe.says("Esc");
    }
    // A part of a name opens the question, and what follows is not its answer.
    let said = probe.says("create Autumn");
    assert!(said.contains("“Autumn” was not taken"), "{said}");
    assert_eq!(probe.writes(), 0);
    probe.says("Esc");
    for line in ["rename project", "rename the project", "delete project", "move project", "rename webhook"] {
        probe.says(line);
        assert_eq!(probe.writes(), 0, "{line}");
        assert!(!probe.model.layers.is_empty(), "{line}");
        probe.says("Esc");
    }
    // By its own words it takes what follows.
    probe.says("New project Autumn sale");
    assert_eq!(probe.writes(), 1);
}

#[test]
fn words_of_the_dialogue_are_commands_in_fields_too() {
    let mut probe = steps_of("Spring campaign (unfinished)");
    let said = probe.says("Enter");
    assert!(said.contains("Type the new text; an empty line keeps it, Esc leaves."), "{said}");
    for line in ["where", "help", "list", "list all", "more"] {
        probe.says(line);
        assert!(probe.model.screens.steps.draft().unwrap().is_saved(), "{line}");
    }
    let said = probe.says("=where");
    assert!(said.starts_with("Text over the video: "), "{said}");
    assert!(!probe.model.screens.steps.draft().unwrap().is_saved(), "with = before it, it is the text");
    probe.says("go to products");
    assert_eq!(probe.model.screens.shown, Screen::Products);
    let mut probe = projects();
    probe.says("New project");
    probe.says("quit");
    assert!(probe.effects.contains(&Effect::Quit) && probe.writes() == 0, "{:?}", probe.effects);
}
