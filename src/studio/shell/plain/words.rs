//! What words mean: keys as they are printed, commands by their names and by the words of the palette.

use crate::domain::text::{self, fold};
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, Layer};
use crate::studio::shell::model::Model;

/// What works in every place, for help.
const EVERYWHERE: &str = "Everywhere: any command by its name or words (help WORD finds them), keys by name (j, Enter, Ctrl-R; \
     key NAME while text is asked), go NAME, open NAME, list, list all, more, where, quit.";

/// The key of this name: `j`, `Enter`, `Ctrl-R`, `PgDn`.
#[must_use]
pub fn key(name: &str) -> Option<Key> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some(Key::char(c));
    }
    let mut written = String::new();
    let mut rest = name;
    while let Some((modifier, after)) = rest.split_once('-').filter(|(_, after)| !after.is_empty()) {
        let modifier = modifier.to_ascii_lowercase();
        if !matches!(modifier.as_str(), "ctrl" | "alt" | "shift") {
            break;
        }
        written += &modifier;
        written.push('-');
        rest = after;
    }
    let lower = rest.to_lowercase();
    written += match lower.as_str() {
        "pgup" | "pageup" => "page_up",
        "pgdn" | "pagedown" => "page_down",
        "escape" => "esc",
        "return" => "enter",
        "del" => "delete",
        "ins" => "insert",
        // Shift is in a character; Ctrl knows none.
        _ if rest.chars().count() == 1 && !written.contains("ctrl-") => rest,
        _ => &lower,
    };
    Key::parse(&written).ok()
}

/// The keys that these words name, where each is one: `g g`, `Ctrl-X Ctrl-S`.
#[must_use]
pub fn keys(names: &str) -> Option<Vec<Key>> {
    names.split_whitespace().map(key).collect()
}

/// The key of this name that is no character: while text is asked for, it is pressed all the same.
#[must_use]
pub fn key_that_is_no_text(name: &str) -> Option<Key> {
    key(name).filter(|key| !matches!(key.code, KeyCode::Char(_)) || key.ctrl || key.alt)
}

/// The command that words name: by its name, by its title, by the word behind its key, by the last part of its name.
/// The screen that is shown goes first, then what holds everywhere.
#[must_use]
pub fn command(model: &Model, words: &str) -> Option<Command> {
    let wanted = fold(words.trim());
    let keymap = &model.shell.begin.keymap;
    let of_name = Command::by_name(&wanted).filter(|command| keymap.offers(*command));
    if of_name.is_some() || wanted.is_empty() {
        return of_name;
    }
    let here = model.pane().layer().name();
    let rank = |command: Command| match command.name().split('.').next().unwrap_or_default() {
        group if group == here => 0,
        "app" | "go" | "move" | "record" => 1,
        _ => 2,
    };
    let fit = |command: Command| {
        let last = command.name().rsplit('.').next().unwrap_or_default();
        [command.title(), command.hint(), last].iter().position(|named| fold(named) == wanted)
    };
    let found = Command::ALL.iter().copied().filter(|command| keymap.offers(*command));
    found
        .filter_map(|command| {
            let fit = fit(command)?;
            // The last part of a name says the least: many commands share it.
            Some(((fit == 2, rank(command), fit), command))
        })
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, it)| it)
}

/// The command that a line begins with, by as many words as name one, and what follows.
#[must_use]
pub fn command_and_rest<'l>(model: &Model, line: &'l str) -> Option<(Command, &'l str)> {
    let ends = line.match_indices(' ').map(|(at, _)| at).chain([line.len()]);
    let mut ends: Vec<usize> = ends.collect();
    ends.reverse();
    ends.into_iter().find_map(|end| {
        let (words, rest) = line.split_at_checked(end)?;
        Some((command(model, words)?, rest.trim()))
    })
}

/// What works here, from the same table as the last line of the screens.
#[must_use]
pub fn help(model: &Model) -> Vec<String> {
    let (keymap, layers) = (&model.shell.begin.keymap, model.layers());
    let hints = model.hints().iter().map(|hint| (hint.label(keymap, &layers, true), hint.words()));
    let said: Vec<String> =
        hints.filter(|(label, _)| !label.is_empty()).map(|(label, words)| format!("{label} {words}")).collect();
    let asks = model
        .takes_text()
        .then(|| "What you type is the text asked for; = before it takes it exactly as it is.".to_owned());
    let here = format!("Here: {}.", said.join(", "));
    asks.into_iter().chain([here, EVERYWHERE.to_owned()]).collect()
}

/// The commands that a word finds, each with its key and what it does.
#[must_use]
pub fn help_about(model: &Model, word: &str) -> Vec<String> {
    let wanted = fold(word);
    let keymap = &model.shell.begin.keymap;
    let told = |command: Command| {
        let key = keymap.first_key(command).map_or("no key".to_owned(), |key| key.label(true));
        format!("{} ({}, {key}): {}", command.title(), command.name(), command.about())
    };
    let offered = Command::ALL.iter().copied().filter(|command| keymap.offers(*command));
    let own = keymap.own_in(&[Layer::Global, model.pane().layer()]);
    let own = own.iter().map(|(_, own, keys)| {
        let title = text::line(&own.title);
        format!("{title} (a program of yours, {}): {}", keys.label(true), text::line(&own.line()))
    });
    let found: Vec<String> = offered.map(told).chain(own).filter(|line| fold(line).contains(&wanted)).collect();
    if found.is_empty() { vec![format!("No command matches {word}.")] } else { found }
}
