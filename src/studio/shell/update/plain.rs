//! A line that was entered in plain mode becomes what keys would have done: words are looked up, text fills in what asks
//! for it, and rows are gone to by their names.

use super::commands::{run, take_from_layer};
use super::filling::{picker, picker_mut, take_text};
use super::input::{press, type_key};
use super::leaving::{leave_layers, leave_what_is_read};
use super::overlays::elsewhere;
use super::{filters, guests, own};
use crate::domain::text::fold;
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, Found, Screen, Target};
use crate::studio::screens::pane::Entered;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::{Came, What};
use crate::studio::shell::plain::words::Named;
use crate::studio::shell::plain::{self, words};
use crate::studio::widgets::{Choice, Confirm, Picker};

/// So many rows are looked through for a name.
const MOST_ROWS: usize = 2_000;

/// What is said to who wants what only a screen can show.
const NEEDS_A_SCREEN: &str = "Not in plain mode: pictures, the text editor and suspending need a screen.";

/// Takes a line.
pub(super) fn enter(model: &mut Model, line: &str, effects: &mut Vec<Effect>) {
    if line.trim() == "more" {
        if let Some(dialogue) = &mut model.plain {
            dialogue.goes_on();
        }
        return;
    }
    let own = take(model, line, effects);
    let waits = effects.iter().any(|effect| !matches!(effect, Effect::Wake { .. } | Effect::Cancel(_)));
    if let Some(dialogue) = &mut model.plain {
        dialogue.entered(own, waits);
    }
}

/// Says what would be put on the clipboard: a dialogue of lines has none that it could reach. Secrets are not said.
pub(super) fn say_copies(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(dialogue) = &mut model.plain else { return };
    let is_copy =
        |effect: &mut Effect| matches!(effect, Effect::CopyText(_) | Effect::CopySecret(_) | Effect::CopySignIn(_));
    for effect in effects.extract_if(.., is_copy) {
        dialogue.note(match effect {
            Effect::CopyText(text) | Effect::CopySignIn(text) => format!("To copy: {text}"),
            _ => "The secret isn't shown here; `cutaway webhooks secret ID` prints it.".to_owned(),
        });
    }
}

/// The question that is in front.
fn question(model: &Model) -> Option<&Confirm> {
    match model.layers.last().map(|overlay| &overlay.what) {
        Some(What::Confirm(question)) => Some(question),
        _ => None,
    }
}

/// Takes a line; what the dialogue itself answers to it.
fn take(model: &mut Model, line: &str, effects: &mut Vec<Effect>) -> Vec<String> {
    let said = line.trim();
    let (first, rest) = said.split_once(' ').map_or((said, ""), |(first, rest)| (first, rest.trim()));
    let was_listed = model.plain.as_mut().is_some_and(|dialogue| dialogue.take_listed());
    if let Ok(number) = said.parse::<usize>() {
        // What there is to choose from is always numbered; of a list that was not read nobody knows the numbers.
        let has_row = |picker: &Picker| {
            !picker.has(said) && picker.position().is_some_and(|(_, all)| (1..=all).contains(&number))
        };
        let is_chosen = picker(model).is_some_and(has_row);
        if is_chosen || was_listed {
            return go_to_row(model, number, effects);
        }
    }
    // Text may begin with that word, and a secret that is typed is never said back.
    if first == "key" && !rest.is_empty() && (!model.takes_text() || names_keys(model, rest)) {
        return press_named(model, rest, effects);
    }
    // These hold everywhere, also where text is asked for: `=where` is the text.
    match said {
        "?" | "help" => return words::help(model),
        "list" => return listed(model, false),
        "list all" => return listed(model, true),
        "where" => return plain::place(model),
        "quit" => {
            leave_layers(model, effects);
            run(model, Command::Quit, effects);
            return Vec::new();
        }
        _ => {}
    }
    if question(model).is_some() && !said.is_empty() {
        return take_answer(model, said, effects);
    }
    if let Some(screen) = words::screen(model, said) {
        leave_layers(model, effects);
        run(model, screen, effects);
        return Vec::new();
    }
    if let Some((row, value)) = filters::named(model, said) {
        return filters::fill(model, row, value, effects);
    }
    if model.takes_text() {
        return take_text(model, line, effects);
    }
    leave_what_is_read(model, said, effects);
    match (first, rest) {
        ("", _) => plain::place(model),
        ("help", word) => words::help_about(model, word),
        ("exit", "") => {
            run(model, Command::Quit, effects);
            Vec::new()
        }
        ("open", "") if model.screens.steps.shows_plan() && model.screens.shown == Screen::Steps => {
            vec!["This is what will be saved: Enter saves it, Esc goes back.".to_owned()]
        }
        // What is a command by all of its words is no name.
        ("go" | "open" | "wire", name) if name.is_empty() || words::command(model, said).is_some() => {
            take_words(model, said, effects)
        }
        ("go", name) => go(model, name.strip_prefix("to ").unwrap_or(name), effects),
        ("open", name) => {
            let missing = go(model, name, effects);
            if missing.is_empty() {
                run(model, Command::Open, effects);
            }
            missing
        }
        ("wire", to) => wire(model, to, effects),
        ("to", name) if model.screens.steps.wired_port().is_some() => link(model, name, effects),
        _ => take_words(model, said, effects),
    }
}

/// Whether words name one key, or keys that are bound one after the other: others are text while text is asked for.
fn names_keys(model: &Model, names: &str) -> bool {
    let bound = |keys: Vec<Key>| model.shell.begin.keymap.find(&model.layers(), &keys) != Found::Nothing;
    words::key(names).is_some() || words::keys(names).is_some_and(bound)
}

fn listed(model: &mut Model, all: bool) -> Vec<String> {
    let rows = plain::rows(model, all);
    if rows.is_empty() {
        return vec!["No list here. where reads what is here.".to_owned()];
    }
    // Where no row can be gone to, a number stays what it was: text, or a key.
    let say = row_access(model).map(|_| "A number goes to its row.".to_owned());
    if let Some(dialogue) = model.plain.as_mut().filter(|_| say.is_some()) {
        dialogue.lists();
    }
    rows.into_iter().chain(say).collect()
}

/// How the rows of a list are gone to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowAccess {
    /// By what the row is called.
    Name,
    /// From the first row down.
    FromFirst,
    /// From the current row, by the commands for the one before and the one after it: in fields, first and last may
    /// mean the text.
    FromCurrent([Command; 2]),
}

/// How the rows that are listed are gone to; none where they can't be.
fn row_access(model: &Model) -> Option<RowAccess> {
    let is_on_steps = model.screens.shown == Screen::Steps && model.layers.is_empty();
    if is_on_steps && model.screens.steps.lists_steps() {
        // Steps lie beside each other.
        return Some(RowAccess::Name);
    }
    if picker(model).is_some() || (!model.takes_text() && !is_on_steps) {
        return Some(RowAccess::FromFirst);
    }
    if !model.layers.is_empty() {
        return None;
    }
    let commands = match model.pane().spoken(model.shell.now).entry {
        Entered::Whole | Entered::Choice => [Command::PreviousPane, Command::NextPane],
        Entered::Field | Entered::Line => [Command::Up, Command::Down],
    };
    // Not every search line lets the rows under it be gone to: tried on a copy, so that nothing is done meanwhile.
    let moves = |command: &Command| {
        let mut trial = model.clone();
        run(&mut trial, *command, &mut Vec::new());
        plain::current_row(&trial) != plain::current_row(model)
    };
    commands.iter().any(moves).then_some(RowAccess::FromCurrent(commands))
}

/// Goes to the row of this number in the list that was read; in a list to choose from, it is chosen.
fn go_to_row(model: &mut Model, number: usize, effects: &mut Vec<Effect>) -> Vec<String> {
    let begin = format!("{number} ");
    let Some(row) = plain::rows(model, true).into_iter().find_map(|row| row.strip_prefix(&begin).map(str::to_owned))
    else {
        return vec![format!("The list has no row {number}. list all reads it.")];
    };
    match row_access(model) {
        Some(RowAccess::Name) => return go(model, row.split([';', ' ']).next().unwrap_or_default(), effects),
        Some(RowAccess::FromFirst) => {
            run(model, Command::Home, effects);
            (1..number.min(MOST_ROWS)).for_each(|_| run(model, Command::Down, effects));
        }
        Some(RowAccess::FromCurrent([previous, next])) => {
            let mut at = plain::current_row(model);
            for _ in 0..MOST_ROWS {
                if at == number {
                    return Vec::new();
                }
                run(model, if at < number { next } else { previous }, effects);
                let before = std::mem::replace(&mut at, plain::current_row(model));
                if at == before {
                    break;
                }
            }
            return vec![format!("Row {number} can't be reached from here.")];
        }
        None => return vec![format!("Row {number} can't be reached from here.")],
    }
    if let Some(picker) = picker_mut(model)
        && !picker.mark()
    {
        run(model, Command::Open, effects);
    }
    Vec::new()
}

/// Takes the answer to a question: by its number or its words, or by the keys that choose. Nothing else is done first.
fn take_answer(model: &mut Model, said: &str, effects: &mut Vec<Effect>) -> Vec<String> {
    let Some(asked) = question(model) else { return Vec::new() };
    let first = format!("Answer this first. {}", plain::answers(asked));
    if let Some(one) = asked.named(said) {
        take_from_layer(model, Came::Answered(Choice { one: Some(one), ..Choice::default() }), effects);
        return Vec::new();
    }
    let (before, layers, done) = (plain::current(model).1, model.layers.len(), effects.len());
    match (words::key(said), words::command(model, said)) {
        (Some(key), _) => press(model, key, effects),
        (None, Some(command @ (Command::Back | Command::Up | Command::Down | Command::Open))) => {
            run(model, command, effects);
        }
        _ => return vec![first],
    }
    let is_same = layers == model.layers.len() && done == effects.len() && before == plain::current(model).1;
    if is_same { vec![first] } else { Vec::new() }
}

fn press_named(model: &mut Model, name: &str, effects: &mut Vec<Effect>) -> Vec<String> {
    let Some(keys) = words::keys(name) else { return vec![format!("{name} is not a key.")] };
    let needs_screen = match model.shell.begin.keymap.find(&model.layers(), &keys) {
        Found::Does(Target::Command(command)) => words::NEED_A_SCREEN.contains(&command),
        _ => false,
    };
    for key in keys {
        press(model, key, effects);
    }
    if needs_screen { vec![NEEDS_A_SCREEN.to_owned()] } else { Vec::new() }
}

/// A key or a command, by name; what follows a command fills in what it asks for.
fn take_words(model: &mut Model, said: &str, effects: &mut Vec<Effect>) -> Vec<String> {
    if said.chars().count() == 1 {
        return press_named(model, said, effects);
    }
    let named = words::command_and_rest(model, said);
    if named.as_ref().is_none_or(|named| !named.rest.is_empty()) && words::key(said).is_some() {
        return press_named(model, said, effects);
    }
    let keymap = &model.shell.begin.keymap;
    if named.is_none() {
        let own = keymap.own_in(&model.pane_layers()).into_iter();
        let own = own.filter(|(_, own, _)| fold(&own.title) == fold(said)).map(|(at, ..)| at).next();
        let chord = words::keys(said).filter(|keys| keymap.find(&model.layers(), keys) != Found::Nothing);
        if let Some(at) = own {
            own::start(model, at, effects);
            return Vec::new();
        }
        if let Some(keys) = chord {
            for key in keys {
                press(model, key, effects);
            }
            return Vec::new();
        }
    }
    if words::needs_a_screen(said) {
        return vec![NEEDS_A_SCREEN.to_owned()];
    }
    if named.is_none()
        && let Some(say) = words::withheld(model, said).and_then(|command| guests::instead(model, command))
    {
        return vec![say];
    }
    let Some(Named { command, rest, is_text }) = named else {
        // What was entered may be a secret, meant for a question that isn't there.
        return vec!["That is not a command here. ? lists what works, help WORD finds commands.".to_owned()];
    };
    if let Some(say) = elsewhere(model, command).filter(|_| model.layers.is_empty() && model.pane().mode().is_none()) {
        return vec![say];
    }
    run(model, command, effects);
    if rest.is_empty() {
        return Vec::new();
    }
    if model.takes_text() && is_text {
        take_text(model, rest, effects)
    } else if model.takes_text() {
        vec![format!("“{rest}” was not taken: enter the text now.")]
    } else {
        vec![format!("Nothing here asks for “{rest}”.")]
    }
}

/// Goes to the row of this name; says so where there is none.
fn go(model: &mut Model, name: &str, effects: &mut Vec<Effect>) -> Vec<String> {
    if model.screens.shown == Screen::Steps && model.layers.is_empty() {
        // In a mode a step that is found would be more than gone to: that says so.
        if model.pane().mode().is_none() {
            run(model, Command::StepsFind, effects);
        }
        return choose_step(model, name, effects);
    }
    match row_of(model, name) {
        Some(row) => {
            run(model, Command::Home, effects);
            (0..row).for_each(|_| run(model, Command::Down, effects));
            Vec::new()
        }
        // A screen may be meant.
        None => match words::command(model, &format!("go to {name}")) {
            Some(command) => {
                run(model, command, effects);
                Vec::new()
            }
            None => vec![format!("“{name}” isn't among the rows that are loaded. list reads them.")],
        },
    }
}

/// How far below the first row the one of this name is: looked for on a copy, so that nothing is asked for meanwhile.
fn row_of(model: &Model, name: &str) -> Option<usize> {
    let wanted = fold(name);
    let mut trial = model.clone();
    let mut passed = Vec::new();
    run(&mut trial, Command::Home, &mut passed);
    let mut best: Option<(usize, usize)> = None;
    let (mut current, mut seen) = plain::current(&trial);
    for row in 0..MOST_ROWS {
        let label = fold(current.as_deref().and_then(|row| row.split(';').next()).unwrap_or_default());
        let label = label.strip_prefix("folder ").unwrap_or(&label);
        let fit = if label == wanted {
            Some(0)
        } else if label.starts_with(&wanted) {
            Some(1)
        } else {
            label.contains(&wanted).then_some(2)
        };
        best = fit.map_or(best, |fit| Some(best.map_or((fit, row), |best| best.min((fit, row)))));
        if best.is_some_and(|(fit, _)| fit == 0) {
            break;
        }
        run(&mut trial, Command::Down, &mut passed);
        passed.clear();
        let (next, now) = plain::current(&trial);
        if now == seen {
            break;
        }
        (current, seen) = (next, now);
    }
    best.map(|(_, row)| row)
}

/// Chooses a step from the list that lies over the steps; where the name leaves a doubt, the list goes again.
fn choose_step(model: &mut Model, name: &str, effects: &mut Vec<Effect>) -> Vec<String> {
    let Some(picker) = picker_mut(model) else {
        return vec!["Steps can't be searched here; Esc goes back first.".to_owned()];
    };
    if picker.name(name) {
        run(model, Command::Open, effects);
        return Vec::new();
    }
    let found = plain::rows(model, true);
    press(model, Key::plain(KeyCode::Esc), effects);
    if found.is_empty() {
        return vec![format!("No step is named “{name}”. list all reads the steps.")];
    }
    std::iter::once("Several steps match; type more of the name.".to_owned()).chain(found).collect()
}

/// Wires an answer of the step: `2 to Ending`, `to Ending`, `2 to end`, `2 to new`.
fn wire(model: &mut Model, said: &str, effects: &mut Vec<Effect>) -> Vec<String> {
    let (number, name) = match said.split_once(' ') {
        _ if said.starts_with("to ") => (None, said.get(3..).unwrap_or_default()),
        Some((number, rest)) if rest.starts_with("to ") => (Some(number), rest.get(3..).unwrap_or_default()),
        _ => (Some(said), ""),
    };
    let port = match number.map(|number| number.parse::<usize>().ok().and_then(|number| number.checked_sub(1))) {
        Some(None) => {
            return vec!["Type it as: wire 2 to NAME, wire to NAME, wire 2 to end, wire 2 to new.".to_owned()];
        }
        Some(port) => port,
        None => None,
    };
    run(model, Command::StepsWire, effects);
    let Some(wired) = model.screens.steps.wired_port() else { return Vec::new() };
    if let Some(port) = port.filter(|port| *port != wired) {
        let digit = u32::try_from(port + 1).ok().and_then(|number| char::from_digit(number, 10));
        if let Some(digit) = digit {
            type_key(model, Key::char(digit), effects);
        }
        if model.screens.steps.wired_port() != Some(port) {
            run(model, Command::Back, effects);
            return vec![format!("Answer {} can't be wired by its number here.", port + 1)];
        }
    }
    if name.is_empty() {
        return Vec::new();
    }
    let missing = link(model, name, effects);
    if !missing.is_empty() {
        run(model, Command::Back, effects);
    }
    missing
}

/// Links the answer that is being wired to a step by its name, to the end of the video, or to a new step.
fn link(model: &mut Model, name: &str, effects: &mut Vec<Effect>) -> Vec<String> {
    match name.trim() {
        "end" | "the end" => run(model, Command::WireEnd, effects),
        "new" | "new step" => run(model, Command::StepsNew, effects),
        name => {
            run(model, Command::StepsFind, effects);
            let missing = choose_step(model, name, effects);
            if !missing.is_empty() {
                return missing;
            }
            run(model, Command::Open, effects);
        }
    }
    Vec::new()
}
