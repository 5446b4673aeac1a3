//! What words mean: keys as they are printed, commands by their names and by the words of the palette.

use crate::domain::text::{self, fold};
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, Layer, Screen};
use crate::studio::shell::model::Model;

/// What works in every place, for help.
const EVERYWHERE: &str = "Everywhere: any command by its name or words (help WORD finds them), keys by name (j, Enter, Ctrl-R; \
     key NAME while text is asked), go NAME, open NAME, list, list all, more, where, quit.";

/// What only a screen can show.
pub const NEED_A_SCREEN: &[Command] = &[
    Command::Suspend,
    Command::StepsEditor,
    Command::FullPicture,
    Command::Pictures,
    Command::Thumbnails,
    Command::VideosThumbnails,
];

/// Commands that change what others see, or a draft: a text for them is only taken behind their own words.
const CAREFUL: &[Command] = &[
    Command::StepsRename,
    Command::StepsAnswer,
    Command::StepsAnswerText,
    Command::AccountNew,
    Command::AccountRename,
    Command::SaveSearch,
];

/// Words of things: behind a verb they say what it is about, and are no text for it.
const THINGS: &[&str] = &[
    "answer", "captions", "draft", "e-mail", "email", "folder", "list", "name", "player", "problem", "product",
    "profile", "project", "request", "search", "secret", "step", "store", "text", "upload", "video", "webhook",
];

/// Words that say nothing here.
const SMALL: &[&str] = &["a", "an", "the", "this", "my", "of", "to", "for", "new"];

/// What a line names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'l> {
    /// The command.
    pub command: Command,
    /// What follows it.
    pub rest: &'l str,
    /// Whether that may be taken for the text that the command asks for.
    pub is_text: bool,
}

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
/// The mode that is on goes first, then the screen that is shown, then what holds everywhere.
#[must_use]
pub fn command(model: &Model, words: &str) -> Option<Command> {
    let wanted = fold(words.trim());
    let keymap = &model.shell.begin.keymap;
    let of_name = Command::by_name(&wanted).filter(|command| keymap.offers(*command));
    if of_name.is_some() || wanted.is_empty() {
        return of_name;
    }
    let (here, mode) = (model.pane().layer().name(), model.pane().mode().map(Layer::name));
    let rank = |command: Command| match command.group() {
        group if Some(group) == mode => 0,
        group if group == here => 1,
        "app" | "go" | "move" | "record" => 2,
        _ if command.is_of_mode() => 4,
        _ => 3,
    };
    let fit = |command| fit(command, &wanted);
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

/// By which of its words a command is named: its title, the word behind its key, the last part of its name.
fn fit(command: Command, wanted: &str) -> Option<usize> {
    let last = command.name().rsplit('.').next().unwrap_or_default();
    [command.title(), command.hint(), last].iter().position(|named| fold(named) == wanted)
}

/// The command that words name by its name, its title or the word behind its key, where this studio may not carry it
/// out.
#[must_use]
pub fn withheld(model: &Model, words: &str) -> Option<Command> {
    let (wanted, keymap) = (fold(words.trim()), &model.shell.begin.keymap);
    let is_named = |command: &Command| command.name() == wanted || fit(*command, &wanted).is_some();
    Command::ALL.iter().copied().filter(|command| !keymap.offers(*command)).find(is_named)
}

/// The command that goes to a screen, where the line says no more than that: `go to projects`.
#[must_use]
pub fn screen(model: &Model, line: &str) -> Option<Command> {
    let named = line.strip_prefix("go to ").and_then(|_| command(model, line));
    named.filter(|command| Screen::of(*command).is_some())
}

/// Whether words name a command for which a screen is needed.
#[must_use]
pub fn needs_a_screen(words: &str) -> bool {
    let wanted = fold(words);
    NEED_A_SCREEN.iter().any(|command| command.name() == wanted || fit(*command, &wanted).is_some())
}

/// The command that a line is about by a verb and what that is done to: `create project`, `delete the video`. The title
/// names what it is done to; the verb may be one that people use for it.
fn command_of_thing(model: &Model, line: &str) -> Option<Command> {
    let line = fold(line);
    let words = line.split_whitespace().enumerate().filter(|(at, word)| *at == 0 || !SMALL.contains(word));
    let (things, verbs): (Vec<&str>, Vec<&str>) =
        words.map(|(_, word)| word).partition(|word| THINGS.contains(&singular(word)));
    if things.is_empty() || verbs.len() != 1 {
        return None;
    }
    let is_meant = |command: &Command| {
        let title = fold(command.title());
        let names = |word: &&str| title.split(' ').any(|own| singular(own) == singular(word));
        let (verb, name) = (verbs.first().copied().unwrap_or_default(), command.name());
        let said =
            [title.split(' ').next().unwrap_or_default(), command.hint(), name.rsplit('.').next().unwrap_or_default()];
        things.iter().all(names) && (said.contains(&verb) || command.synonyms().split(' ').any(|own| own == verb))
    };
    let keymap = &model.shell.begin.keymap;
    let here = model.pane().layer().name();
    let found = Command::ALL.iter().copied().filter(|command| keymap.offers(*command) && is_meant(command));
    found.min_by_key(|command| command.name().split('.').next() != Some(here))
}

/// A word of one thing, where it stands for several.
fn singular(word: &str) -> &str {
    if word == "captions" { word } else { word.strip_suffix('s').filter(|one| THINGS.contains(one)).unwrap_or(word) }
}

/// The command that a line names, and what follows: by all of its words, by a verb and what it is done to, or by as many
/// of the first words as name one.
#[must_use]
pub fn command_and_rest<'l>(model: &Model, line: &'l str) -> Option<Named<'l>> {
    let whole = command(model, line).or_else(|| command_of_thing(model, line));
    if let Some(command) = whole {
        return Some(Named { command, rest: "", is_text: true });
    }
    let (command, rest) = begins_with(model, line)?;
    let words = line.strip_suffix(rest).unwrap_or(line).trim();
    let is_careful = Command::WRITES.contains(&command) || CAREFUL.contains(&command);
    let is_partial = command.name() != fold(words) && fit(command, &fold(words)).is_none_or(|fit| fit == 2);
    let is_thing =
        || rest.split_whitespace().all(|word| THINGS.contains(&singular(&fold(word))) || SMALL.contains(&word));
    Some(Named { command, rest, is_text: !is_careful || !(is_partial || is_thing()) })
}

/// The command that a line begins with, by as many words as name one, and what follows.
fn begins_with<'l>(model: &Model, line: &'l str) -> Option<(Command, &'l str)> {
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
    let hints = model.hints().into_iter().map(|hint| (hint.label(keymap, &layers, true), hint.words()));
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
    let own = keymap.own_in(&model.pane_layers());
    let own = own.iter().map(|(_, own, keys)| {
        let title = text::line(&own.title);
        format!("{title} (a program of yours, {}): {}", keys.label(true), text::line(&own.line()))
    });
    let found: Vec<String> = offered.map(told).chain(own).filter(|line| fold(line).contains(&wanted)).collect();
    if found.is_empty() { vec![format!("No command matches {word}.")] } else { found }
}
