//! What is in front, as far as the dialogue tells of it.

use std::mem::discriminant;

use super::dialogue::Seen;
use crate::studio::screens::pane::{Entered, Spoken};
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::What;
use crate::studio::shell::reading::content;
use crate::studio::widgets::Confirm;

/// What is in front of this model.
pub fn seen(model: &Model) -> Seen {
    let content = content(model);
    let top = model.layers.last();
    let Spoken { words, position, entry } = spoken(model);
    let says_all = words.is_some();
    let title = content.first().filter(|line| !is_row(line)).cloned();
    let row = || content.iter().rev().find_map(|line| line.strip_prefix("> ")).map(|row| row.trim().to_owned());
    let lines = content.iter().filter(|line| !is_row(line) && !says_all && !line.starts_with("Uploads: "));
    Seen {
        place: Some((model.screens.shown, model.layers.len(), top.map(|overlay| discriminant(&overlay.what)))),
        title: title.unwrap_or_else(|| model.screens.shown.title().to_owned()),
        current: words.or_else(row),
        position,
        lines: lines.cloned().collect(),
        asks: asks(model, entry),
    }
}

/// What is asked for, and how to leave without it.
fn asks(model: &Model, entry: Entered) -> Option<String> {
    match model.layers.last().map(|overlay| &overlay.what) {
        Some(What::Confirm(question)) => Some(answers(question)),
        Some(What::Picker(_)) => None,
        _ if !model.takes_text() => None,
        _ if model.asks_secret() => Some("Type it; it isn't shown. Esc goes back.".to_owned()),
        Some(What::Prompt(prompt)) if prompt.text().is_empty() => Some("Type the text; Esc cancels.".to_owned()),
        Some(What::Prompt(_)) => Some("Type the new text; an empty line keeps it, Esc cancels.".to_owned()),
        Some(_) => Some("Type a word to find; Esc closes.".to_owned()),
        None if entry == Entered::Choice => {
            Some("Type a name to choose; an empty line goes on, Esc leaves.".to_owned())
        }
        None if entry == Entered::Line => Some("Type it; an empty line takes what is there, Esc goes back.".to_owned()),
        None => Some("Type the new text; an empty line keeps it, Esc leaves.".to_owned()),
    }
}

/// The answers that a question can have, each as it is entered.
pub fn answers(question: &Confirm) -> String {
    let words = question.answers().enumerate().map(|(at, answer)| {
        if question.is_deliberate() { format!("“{answer}”") } else { format!("{} {answer}", at + 1) }
    });
    format!("Answer: {}; Esc cancels.", words.collect::<Vec<_>>().join(", "))
}

fn spoken(model: &Model) -> Spoken {
    let mut spoken = match model.layers.last() {
        Some(overlay) => overlay.layer().spoken(),
        None => model.pane().spoken(model.shell.now),
    };
    if let Some(words) = &mut spoken.words {
        model.shell.begin.name_keys(words);
    }
    spoken
}

/// Whether a line of a reading is the row of a list.
fn is_row(line: &str) -> bool {
    line.starts_with("> ") || line.starts_with("  ")
}

/// The rows of what is in front, from the current one on, or all of them.
pub fn rows(model: &Model, all: bool) -> Vec<String> {
    let (rows, current, first) = rows_of(model);
    // The answers to a question have their numbers already.
    let is_question = matches!(model.layers.last().map(|overlay| &overlay.what), Some(What::Confirm(_)));
    let number = |(at, row): (usize, String)| {
        let mark = if at == current { "; current" } else { "" };
        if is_question { format!("{row}{mark}") } else { format!("{} {row}{mark}", first + at + 1) }
    };
    let from = if all { 0 } else { current };
    rows.into_iter().enumerate().skip(from).map(number).collect()
}

/// The number of the row that is current.
pub fn current_row(model: &Model) -> usize {
    let (_, current, first) = rows_of(model);
    first + current + 1
}

/// The rows, which of them is current, and how many are before the first of them.
fn rows_of(model: &Model) -> (Vec<String>, usize, usize) {
    let own = if model.layers.is_empty() { model.pane().listed() } else { None };
    own.map_or_else(|| rows_read(model), |(rows, current)| (rows, current, 0))
}

/// The rows of the reading, which of them is current, and how many are before the first of them.
fn rows_read(model: &Model) -> (Vec<String>, usize, usize) {
    let content = content(model);
    let rows: Vec<&String> = content.iter().filter(|line| is_row(line)).collect();
    let current = rows.iter().rposition(|row| row.starts_with("> ")).unwrap_or(0);
    let first = spoken(model).position.map_or(0, |(at, _)| at.saturating_sub(current));
    (rows.into_iter().map(|row| row.get(2..).unwrap_or_default().trim().to_owned()).collect(), current, first)
}
