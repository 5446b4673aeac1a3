//! `cutaway help --json`: the command line as data, for scripts and agents.

use clap::{Arg, ArgAction, Command, CommandFactory as _};
use serde_json::{Value, json};

use super::{Cli, Failure};
use crate::domain::BUILT;

/// What each exit code means.
const EXIT_CODES: [(u8, &str); 9] = [
    (0, "done"),
    (1, "failed"),
    (2, "the command line is wrong"),
    (3, "not authenticated"),
    (4, "not found"),
    (5, "the request was invalid"),
    (6, "the service could not be reached or did not answer"),
    (7, "refused because read-only"),
    (8, "`projects plan` found changes to make"),
];

/// All commands, or those below the one that is named by these words.
///
/// # Errors
/// [`Failure::Usage`] where there is no such command.
pub(super) fn document(words: &[String]) -> Result<Value, Failure> {
    let mut root = Cli::command();
    // Gives inner commands their whole names, and the flags that hold everywhere.
    root.build();
    let mut of = &root;
    for word in words {
        of = of.find_subcommand(word).ok_or_else(|| Failure::Usage(format!("there is no command {word:?}")))?;
    }
    let mut commands = Vec::new();
    gather(of, &mut commands);
    let global = root.get_arguments().filter(|argument| argument.is_global_set()).map(argument);
    Ok(json!({
        "name": "cutaway",
        "version": BUILT.version,
        "globalOptions": global.collect::<Vec<_>>(),
        "exitCodes": EXIT_CODES.map(|(code, meaning)| json!({ "code": code, "meaning": meaning })),
        "commands": commands,
    }))
}

fn gather(command: &Command, commands: &mut Vec<Value>) {
    if command.get_name() == "help" || command.is_hide_set() {
        return;
    }
    let mut inner = command.get_subcommands().filter(|inner| inner.get_name() != "help").peekable();
    // A group does nothing by itself.
    if inner.peek().is_none() || !command.is_subcommand_required_set() {
        commands.push(one(command));
    }
    inner.for_each(|inner| gather(inner, commands));
}

fn one(command: &Command) -> Value {
    let name = command.get_bin_name().unwrap_or("cutaway").trim_start_matches("cutaway").trim();
    let own = command.get_arguments().filter(|argument| {
        !argument.is_global_set()
            && !argument.is_hide_set()
            && !matches!(argument.get_id().as_str(), "help" | "version")
    });
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let examples = examples.lines().map(str::trim).filter(|line| line.starts_with("cutaway "));
    json!({
        "command": name,
        "about": command.get_about().map(ToString::to_string),
        "usage": command.clone().render_usage().to_string().trim_start_matches("Usage: "),
        "arguments": own.map(argument).collect::<Vec<_>>(),
        "examples": examples.collect::<Vec<_>>(),
    })
}

fn argument(argument: &Arg) -> Value {
    let takes = argument.get_action().takes_values();
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| takes && !value.is_hide_set())
        .map(|value| value.get_name().to_owned())
        .collect();
    let defaults = argument.get_default_values().iter().filter(|_| takes).map(|value| value.to_string_lossy());
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    // The texts name the environment twins.
    let (help, variable) = match help.split_once(" [env: ") {
        Some((before, rest)) => (before.to_owned(), rest.split_once(']').map(|(variable, _)| variable.to_owned())),
        None => (help, None),
    };
    let value = argument.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    json!({
        "name": argument.get_id().as_str(),
        "flag": argument.get_long().map(|long| format!("--{long}")),
        "short": argument.get_short().map(|short| format!("-{short}")),
        "value": value.filter(|_| takes),
        "values": values,
        "default": defaults.collect::<Vec<_>>(),
        "required": argument.is_required_set(),
        "repeatable": matches!(argument.get_action(), ArgAction::Append | ArgAction::Count)
            || argument.get_num_args().is_some_and(|count| count.max_values() > 1),
        "environment": variable,
        "about": help,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_described_with_its_options() {
        let all = document(&[]).unwrap();
        let commands = all["commands"].as_array().unwrap();
        let of = |name: &str| commands.iter().find(|one| one["command"] == name).cloned().unwrap_or_default();
        for name in ["", "products search", "projects apply", "serve", "serve key add", "webhooks rotate-secret", "man"]
        {
            assert!(!of(name)["about"].as_str().unwrap().is_empty(), "{name}");
        }
        assert!(of("projects").is_null(), "a group does nothing");
        let search = of("products search");
        let named = |name: &str| {
            let arguments = search["arguments"].as_array().unwrap();
            arguments.iter().find(|one| one["flag"] == name).cloned().unwrap()
        };
        assert_eq!(named("--tags-match")["values"], json!(["any", "all"]));
        assert_eq!(
            (named("--include")["repeatable"].clone(), named("--all")["value"].clone()),
            (json!(true), json!(null))
        );
        let globals = all["globalOptions"].as_array().unwrap();
        let profile = globals.iter().find(|one| one["flag"] == "--profile").unwrap();
        assert_eq!(profile["environment"], "CUTAWAY_PROFILE");
        assert!(globals.iter().all(|one| one["flag"].is_string()));
        assert_eq!(all["exitCodes"].as_array().unwrap().len(), 9);

        let some = document(&["serve".to_owned(), "key".to_owned()]).unwrap();
        assert!(
            some["commands"]
                .as_array()
                .unwrap()
                .iter()
                .all(|one| one["command"].as_str().unwrap().starts_with("serve key "))
        );
        assert!(document(&["nothing".to_owned()]).is_err());
    }
}
