//! Lists to choose from, tried out.

use super::*;

fn picker() -> Picker {
    let entries = ["Products", "Projects", "Quit"].map(|label| Entry { label: label.into(), ..Entry::default() });
    let mut picker = Picker::new("Commands", entries.to_vec());
    picker.resize(80, 24);
    picker
}

#[test]
fn typing_finds_and_enter_chooses() {
    let mut picker = picker();
    for c in "prj".chars() {
        picker.key(Key::char(c));
    }
    assert_eq!(picker.command(Command::Open), Picked::One(1));
    picker.key(Key::char('z'));
    assert_eq!(picker.command(Command::Open), Picked::Nothing);
    let mut picker = picker.with_free_text();
    picker.key(Key::char('z'));
    assert_eq!(picker.command(Command::Open), Picked::Typed("prjzz".into()));
}

#[test]
fn words_come_before_scattered_letters_and_other_words_find_too() {
    let entry = |label: &str, detail: &str| Entry { label: label.into(), detail: detail.into(), ..Entry::default() };
    let entries = vec![
        entry("Edit captions", ""),
        entry("Quit", "Leave."),
        entry("Show help", "Every exit is listed."),
        entry("Exit list", ""),
    ];
    let also = vec!["", "exit close", "", ""];
    let mut picker = Picker::new("Commands", entries).with_synonyms(also);
    picker.resize(80, 24);
    picker.paste("exit");
    let found: Vec<usize> = picker.found.rows().iter().map(|(entry, _)| *entry).collect();
    assert_eq!(found.first(), Some(&3), "a label that says it comes first");
    assert!(found.contains(&1) && found.contains(&2), "{found:?}");
    picker.paste("zz");
    assert!(picker.found.is_empty());
}

#[test]
fn letters_of_a_description_find_nothing_and_what_is_elsewhere_comes_after() {
    let entry = |label: &str, detail: &str| Entry { label: label.into(), detail: detail.into(), ..Entry::default() };
    let entries = vec![
        entry("Switch store", "Go to any store."),
        entry("Copy ID", "Copy the ID, the address or the JSON of the current row."),
        entry("Wire answer", "In a project: choose where it leads."),
        entry("New project", "In Projects: create a project."),
    ];
    let mut picker = Picker::new("Commands", entries).with_synonyms(vec![""; 4]).with_elsewhere(2);
    picker.resize(80, 24);
    let found = |picker: &mut Picker, typed: &str| -> Vec<usize> {
        picker.name(typed);
        picker.found.rows().iter().map(|(entry, _)| *entry).collect()
    };
    assert_eq!(found(&mut picker, "wire").first(), Some(&2));
    assert_eq!(found(&mut picker, "how do I wire").first(), Some(&2));
    assert_eq!(found(&mut picker, "new project"), [3]);
    assert!(found(&mut picker, "undo").is_empty());
}

#[test]
fn all_that_were_found_are_selected_or_none() {
    let mut picker = picker().with_marks(vec![false; 3]);
    picker.key(Key::char('p'));
    assert!(picker.mark_all());
    assert_eq!(picker.marked(), Some(vec![0, 1]));
    assert!(picker.mark_all());
    assert_eq!(picker.marked(), Some(Vec::new()));
}

#[test]
fn marks_are_kept_while_searching() {
    let mut picker = picker().with_marks(vec![false; 3]);
    picker.command(Command::Down);
    assert!(picker.mark());
    picker.key(Key::char('q'));
    assert!(picker.mark());
    assert_eq!(picker.marked(), Some(vec![1, 2]));
}

#[test]
fn what_is_typed_itself_is_named_only_as_it_is() {
    let mut picker = picker().with_free_text();
    assert!(picker.name("quit"));
    assert!(!picker.name("zzz") && !picker.has_found());
    assert_eq!(picker.command(Command::Open), Picked::Typed("zzz".into()));
    assert!(picker.take_typed("Pro") && picker.has_found());
    assert_eq!(picker.command(Command::Open), Picked::Typed("Pro".into()));
    assert!(!picker.take_typed("Quit"), "an entry says it");
    assert_eq!(picker.command(Command::Open), Picked::One(2));
}
