//! Plain mode: the screens' key scripts as a dialogue of lines, and what words do beside keys.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::probe::Probe;
use crate::settings::{Key, KeyCode};
use crate::studio::Command;
use crate::studio::Model;
use crate::studio::ground::{Moment, Screen};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::plain::{self, Dialogue, MOST, words};
use crate::studio::shell::{reading, update};

/// The dialogue that goes along with a script of keys: each key is entered as a line, too, and what is said is checked.
#[derive(Default)]
pub struct Shadow {
    dialogue: Option<Box<Dialogue>>,
    pub lines: Vec<String>,
}

/// What came of a key that was entered as a line.
pub struct Entered {
    model: Model,
    effects: Vec<Effect>,
}

impl Shadow {
    /// Enters a key by its name in a studio like this one.
    pub fn enters(&mut self, model: &Model, now: Moment, key: Key) -> Entered {
        let mut model = model.clone();
        model.plain = Some(self.dialogue.take().unwrap_or_default());
        // What arrived since the last key.
        self.hears(&mut model);
        let before = plain::current(&model).0;
        let effects = update(&mut model, now, Event::Entered(format!("key {key}")));
        let said = self.hears(&mut model);
        assert!(!said.is_empty(), "{key} was not answered");
        let current = plain::current(&model).0.filter(|current| Some(current) != before.as_ref());
        if let Some(name) = current.as_deref().and_then(|current| current.split([';', ' ', '\u{b7}']).next()) {
            let is_said = name.chars().all(char::is_alphanumeric);
            let name: String = name.chars().take(100).collect();
            assert!(!is_said || said[0].starts_with(&name), "{current:?} is current, but first comes {said:?}");
        }
        self.dialogue = model.plain.take();
        Entered { model, effects }
    }

    fn hears(&mut self, model: &mut Model) -> Vec<String> {
        let said = plain::say(model);
        check(&said);
        self.lines.extend(said.iter().cloned());
        said
    }
}

impl Entered {
    /// Whether the same was done as by the key itself.
    pub fn is_like(&self, key: Key, model: &Model, effects: &[Effect]) {
        let is_copy = |effect: &&Effect| matches!(effect, Effect::CopyText(_) | Effect::CopySecret(_));
        let without = |effects: &[Effect]| effects.iter().filter(|it| !is_copy(it)).cloned().collect::<Vec<_>>();
        assert_eq!(without(&self.effects), without(effects), "{key}");
        assert_eq!(reading(&self.model), reading(model), "{key}");
    }
}

/// That an answer is short, and holds nothing that a line printer could not print.
fn check(said: &[String]) {
    let all = said.join("\n");
    assert!(all.chars().count() <= MOST, "{} characters: {all}", all.chars().count());
    for line in said {
        let odd =
            line.chars().find(|c| c.is_control() || matches!(c, '\u{2500}'..='\u{259f}' | '\u{2800}'..='\u{28ff}'));
        assert_eq!(odd, None, "{line:?}");
        assert!(!line.trim().is_empty());
    }
}

impl Probe {
    /// Makes it a dialogue of lines.
    fn speaks(&mut self) -> &mut Self {
        self.model.speak();
        plain::say(&mut self.model);
        self
    }

    /// What is said to a line.
    fn says(&mut self, line: &str) -> String {
        self.event(Event::Entered(line.to_owned()));
        let said = plain::say(&mut self.model);
        check(&said);
        said.join("\n")
    }
}

fn store() -> Probe {
    let mut probe = Probe::new(120, 50);
    probe.counted(3).found(&["Fjell wool sock", "Merino base layer, women", "Picnic blanket"], None);
    probe.speaks();
    probe
}

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
fn text_fills_in_what_asks_for_it() {
    let mut probe = store();
    let said = probe.says("search");
    assert!(said.contains("Search:"), "{said}");
    probe.says("wool");
    assert_eq!(probe.search().1.search_term.as_deref().unwrap_or_default(), "wool");
    probe.found(&["Fjell wool sock"], None);
    // The same in one line: the command, and what it asks for.
    probe.says("search j");
    assert_eq!(probe.search().1.search_term.as_deref().unwrap_or_default(), "j", "a letter is text there, not a key");
    probe.found(&[], None);
    let said = probe.says("theme");
    assert!(said.contains("1 of ") && said.contains("Theme"), "{said}");
    probe.says("light");
    assert!(probe.effects.contains(&Effect::ReadTheme("light".to_owned())), "{:?}", probe.effects);
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
fn what_is_copied_is_said_and_secrets_are_not() {
    let mut probe = store();
    let said = [probe.says("Copy ID"), probe.says("Enter"), probe.says("more")];
    assert!(said.iter().any(|said| said.contains("To copy: ")), "{said:?}");
    assert!(!probe.effects.iter().any(|effect| matches!(effect, Effect::CopyText(_))));
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
fn an_answer_is_wired_by_words() {
    let mut probe = Probe::new(120, 50);
    probe.open_project(super::steps::sample("Spring campaign (unfinished)"));
    probe.speaks();
    let said = probe.says("next problem");
    assert!(said.starts_with("Both; answer 3 of 3; leads nowhere"), "{said}");
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
}

#[test]
fn a_plan_is_not_carried_out_by_the_name_of_a_step() {
    let mut probe = Probe::new(120, 50);
    probe.open_project(super::steps::sample("Spring campaign (unfinished)"));
    probe.speaks();
    probe.says("next problem");
    probe.says("wire 1 to end");
    probe.says("save");
    for line in ["open Sn0wY", "go Sn0wY"] {
        assert!(probe.says(line).contains("can't be searched here"), "{line}: {:?}", probe.says("where"));
    }
}

#[test]
fn a_screen_is_gone_to_by_its_name() {
    let mut probe = store();
    probe.says("go projects");
    assert_eq!(probe.model.screens.shown, Screen::Projects);
    assert!(probe.says("go nowhere").contains("isn't among the rows"));
}

#[test]
fn a_secret_that_nobody_asked_for_is_not_said_back() {
    let mut probe = store();
    let said = probe.says("sk_live_5e55");
    assert!(said.contains("not a command here") && !said.contains("sk_live"), "{said}");
}

#[test]
fn the_fields_of_a_step_are_asked_for_one_by_one() {
    let mut probe = Probe::new(120, 50);
    probe.open_project(super::steps::sample("Spring campaign (unfinished)"));
    probe.speaks();
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
    let mut probe = Probe::new(120, 50);
    probe.open_project(super::steps::sample("Gift finder"));
    probe.speaks();
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

/// The Projects screen as a dialogue.
fn projects() -> Probe {
    let mut probe = super::projects::studio();
    probe.speaks();
    probe
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
    let mut probe = Probe::new(120, 50);
    probe.open_project(super::steps::sample("Spring campaign (unfinished)"));
    probe.speaks();
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

#[test]
fn a_question_says_its_answers_and_takes_nothing_else() {
    let mut probe = Probe::new(120, 50);
    probe.open_project(super::steps::sample("Gift finder"));
    probe.speaks();
    probe.says("new step");
    let said = probe.says("x");
    assert!(said.contains("1 keep it, 2 delete it; Esc cancels"), "{said}");
    for line in ["undo", "save", "rename", "7", "go to products"] {
        let said = probe.says(line);
        assert!(said.starts_with("First answer. Answer: 1 keep it"), "{line}: {said}");
    }
    let said = probe.says("delete it");
    assert!(probe.model.layers.is_empty() && !said.contains("First answer"), "{said}");
}

#[test]
fn a_deletion_asks_for_the_name_first() {
    let mut probe = projects();
    let said = probe.says("delete");
    assert!(said.starts_with("Type its name to delete the project"), "{said}");
    assert!(said.contains("Esc cancels"), "{said}");
    assert!([said, probe.says("more")].concat().contains("will be deleted"));
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
fn what_comes_late_makes_no_answer_longer() {
    let mut probe = store();
    let first = probe.says("open");
    probe.fetched();
    let late = plain::say(&mut probe.model).join("\n");
    assert!(first.chars().count() + late.chars().count() < MOST, "{first}\n{late}");
    let more = probe.says("more");
    assert!([first, late, more].concat().contains("Product 0"));
}

#[test]
fn what_needs_a_screen_says_so() {
    let mut probe = store();
    for line in ["suspend", "v", "View picture"] {
        assert!(probe.says(line).contains("Not in plain mode"), "{line}");
    }
}

#[test]
fn open_saves_no_plan() {
    let mut probe = Probe::new(120, 50);
    probe.open_project(super::steps::sample("Spring campaign (unfinished)"));
    probe.speaks();
    probe.says("next problem");
    probe.says("wire 1 to end");
    probe.says("save");
    assert!(probe.says("open").contains("Enter saves it"));
    assert!(probe.says("where").contains("Save: "), "it is still shown");
}

/// What may be entered: what means something, and what doesn't.
fn lines() -> impl Strategy<Value = String> {
    let known = [
        "",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "j",
        "k",
        "Enter",
        "Esc",
        "Tab",
        "Space",
        "list",
        "list all",
        "more",
        "where",
        "?",
        "help",
        "help wool",
        "search",
        "search wool",
        "filters",
        "theme",
        "theme x",
        "go Gift",
        "open Gift",
        "go",
        "open",
        "wire",
        "wire 1",
        "wire 2 to new",
        "wire to end",
        "wire 0",
        "to end",
        "to nobody",
        "save",
        "play",
        "n",
        "u",
        "x",
        "key",
        "key j",
        "key nothing",
        "=",
        "=Esc",
        "new step",
        "find x",
        "find",
        "Ctrl-R",
        "record",
        "as command",
        "copy",
    ];
    prop_oneof![4 => select(known.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,300}", 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_entered_is_answered(
        lines in vec(lines(), 1..40),
        of_steps in any::<bool>(),
    ) {
        let mut probe = store();
        if of_steps {
            probe.open_project(super::steps::sample("Gift finder"));
        }
        for line in lines {
            let said = probe.says(&line);
            prop_assert!(!said.is_empty(), "{line:?}");
        }
    }
}
