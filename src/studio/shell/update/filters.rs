//! Filters in plain mode: a line that begins with the name of one fills it in, whichever is current.

use super::commands::run;
use super::filling::{choose, picker, take_text, take_typed};
use crate::studio::ground::{Command, Screen};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::model::Model;

/// The filter that a line names, by its row, and what follows the name; nothing where no filters are in front.
pub(super) fn named<'l>(model: &Model, said: &'l str) -> Option<(usize, &'l str)> {
    if model.screens.shown != Screen::Products || !model.layers.is_empty() {
        return None;
    }
    let (rows, _) = model.pane().listed()?;
    let of_row = |(at, row): (usize, String)| {
        let title = row.split(':').next()?;
        let (name, rest) = said.split_at_checked(title.len())?;
        let is_whole = rest.is_empty() || rest.starts_with([' ', ':', '=']);
        (is_whole && name.eq_ignore_ascii_case(title))
            .then(|| (title.len(), at, rest.trim_start_matches([' ', ':', '='])))
    };
    // `Tags match` begins as `Tags` does.
    let (_, at, rest) = rows.into_iter().enumerate().filter_map(of_row).max_by_key(|(length, ..)| *length)?;
    Some((at, rest))
}

/// Goes to a filter, and fills in what was said; what the dialogue itself answers.
pub(super) fn fill(model: &mut Model, row: usize, value: &str, effects: &mut Vec<Effect>) -> Vec<String> {
    run(model, Command::Home, effects);
    (0..row).for_each(|_| run(model, Command::Down, effects));
    if value.is_empty() {
        return Vec::new();
    }
    if model.takes_text() {
        return take_text(model, value, effects);
    }
    let said = model.pane().listed().and_then(|(rows, current)| rows.into_iter().nth(current)).unwrap_or_default();
    let is_on = said.ends_with(": true") || said.ends_with(": all");
    let is_switch = is_on || said.ends_with(": false") || said.ends_with(": any");
    if is_switch {
        let wanted = match value.to_ascii_lowercase().as_str() {
            "yes" | "on" | "true" | "all" => true,
            "no" | "off" | "false" | "any" => false,
            _ => return vec!["Type yes or no behind it; of Tags match, all or any.".to_owned()],
        };
        if wanted != is_on {
            run(model, Command::Open, effects);
        }
        return Vec::new();
    }
    run(model, Command::Open, effects);
    for one in value.split(',').map(str::trim).filter(|one| !one.is_empty()) {
        if picker(model).is_none() {
            break;
        }
        // Where several may be meant, none is taken. The list has only what was seen so far: what it hasn't is taken as
        // it is.
        if let Err(doubt) = choose(model, one, effects) {
            let is_new = picker(model).is_some_and(|picker| !picker.has_found());
            if !is_new || !take_typed(model, one, effects) {
                return doubt;
            }
        }
    }
    if picker(model).is_some() {
        run(model, Command::Open, effects);
    }
    Vec::new()
}
