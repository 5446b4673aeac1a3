//! `cutaway help --json`: the command line as data, for scripts and agents.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, Command, CommandFactory as _};
use serde_json::{Value, json};

use super::{Cli, Failure};
use crate::domain::BUILT;

/// What each exit code means.
const EXIT_CODES: [(u8, &str); 9] = [
    (0, "done"),
    (1, "failed, or `lint` or `projects check` found errors"),
    (2, "the command line is wrong"),
    (3, "not authenticated"),
    (4, "not found"),
    (5, "the request was invalid"),
    (6, "the service could not be reached or did not answer"),
    (7, "refused because read-only"),
    (8, "`projects plan` found changes to make"),
];

/// The variables that are no flag's twin.
const VARIABLES: [(&str, &str); 32] = [
    ("ALL_PROXY", "The proxy for all addresses that are not on this machine, where the others are not set"),
    ("AWS_ACCESS_KEY_ID", "The key for the bucket of `serve --blobs`"),
    ("AWS_ENDPOINT_URL", "Where that bucket is, in place of Amazon's S3"),
    ("AWS_REGION", "The region of that bucket"),
    ("AWS_SECRET_ACCESS_KEY", "The secret of that key"),
    ("AWS_SESSION_TOKEN", "The token of a key that holds for some time"),
    ("COLORFGBG", "Whether the terminal is dark or light, where it doesn't answer"),
    ("COLORTERM", "`truecolor` or `24bit` where the terminal has 24-bit color"),
    ("COLUMNS", "The width of tables"),
    ("CUTAWAY_API_KEY", "The API key, in place of the profile's credential"),
    ("CUTAWAY_LOG", "Writes a log into the state folder: error, warn, info or debug"),
    ("CUTAWAY_WEBHOOK_SECRET", "The signing secret for `webhooks listen`"),
    ("EDITOR", "The editor for texts, where VISUAL is not set"),
    ("HTTPS_PROXY", "The proxy for https addresses that are not on this machine"),
    ("HTTP_PROXY", "The proxy for http addresses that are not on this machine"),
    ("LANG", "Whether the terminal takes UTF-8, where neither LC_ALL nor LC_CTYPE says so"),
    ("LC_ALL", "Whether the terminal takes UTF-8, before LC_CTYPE and LANG"),
    ("LC_CTYPE", "Whether the terminal takes UTF-8, before LANG"),
    ("NO_COLOR", "No colors, where it is set"),
    ("NO_PROXY", "Hosts that are reached without the proxy"),
    ("SSL_CERT_DIR", "A folder of certificates that are trusted, in place of the system's"),
    ("SSL_CERT_FILE", "A file of certificates that are trusted, in place of the system's"),
    ("TERM", "The kind of terminal"),
    ("TERMINFO", "The folder of the terminal database"),
    ("TERMINFO_DIRS", "More such folders, with colons between"),
    ("TZ", "The time zone of times that are shown"),
    ("VISUAL", "The editor for texts"),
    ("XDG_CACHE_HOME", "Where the folder `cutaway` with pictures is, in place of ~/.cache"),
    ("XDG_CONFIG_HOME", "Where the folder `cutaway` with settings is, in place of ~/.config"),
    ("XDG_DATA_HOME", "Where the folder `cutaway` with the local workspace is, in place of ~/.local/share"),
    ("XDG_RUNTIME_DIR", "Where sockets are made that have no room in their own folder"),
    ("XDG_STATE_HOME", "Where the folder `cutaway` with drafts and uploads is, in place of ~/.local/state"),
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
    let global: Vec<&Arg> = root.get_arguments().filter(|argument| argument.is_global_set()).collect();
    gather(of, &global, &mut commands);
    let global: Vec<Value> = global.into_iter().map(argument).collect();
    Ok(json!({
        "name": "cutaway",
        "version": BUILT.version,
        "environment": variables(&global, &commands),
        "globalOptions": global,
        "exitCodes": EXIT_CODES.map(|(code, meaning)| json!({ "code": code, "meaning": meaning })),
        "commands": commands,
    }))
}

/// Every variable with its meaning; twins of flags by the flag and what it is about.
fn variables(global: &[Value], commands: &[Value]) -> Vec<Value> {
    let own = commands.iter().filter_map(|command| command["arguments"].as_array()).flatten();
    let twins = global.iter().chain(own).filter_map(|argument| Some((argument["environment"].as_str()?, argument)));
    // The same flag of several commands is listed once.
    let twins: BTreeMap<&str, &Value> = twins.collect();
    let mut all: Vec<Value> = twins
        .into_iter()
        .map(|(name, argument)| {
            let (flag, file) = (&argument["flag"], &argument["environmentFile"]);
            json!({ "name": name, "flag": flag, "file": file, "about": argument["about"] })
        })
        .collect();
    all.extend(VARIABLES.map(|(name, about)| json!({ "name": name, "flag": null, "file": null, "about": about })));
    all.sort_by_key(|variable| variable["name"].as_str().map(str::to_owned));
    all
}

fn gather(command: &Command, global: &[&Arg], commands: &mut Vec<Value>) {
    if command.get_name() == "help" || command.is_hide_set() {
        return;
    }
    let mut inner = command.get_subcommands().filter(|inner| inner.get_name() != "help").peekable();
    // A group does nothing by itself.
    if inner.peek().is_none() || !command.is_subcommand_required_set() {
        commands.push(one(command, global));
    }
    inner.for_each(|inner| gather(inner, global, commands));
}

/// A command with all its flags but those that every command has.
fn one(command: &Command, global: &[&Arg]) -> Value {
    let name = command.get_bin_name().unwrap_or("cutaway").trim_start_matches("cutaway").trim();
    let own = command.get_arguments().filter(|argument| {
        global.iter().all(|global| global.get_id() != argument.get_id())
            && !argument.is_hide_set()
            // Every command has the one; the other is the program's alone.
            && (name.is_empty() || !matches!(argument.get_id().as_str(), "help" | "version"))
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
    // The texts name the environment twins, with how several values are written, or the one that names a file.
    let (help, twins) = match help.split_once(" [env: ").and_then(|(help, rest)| Some((help, rest.split_once(']')?))) {
        Some((before, (twins, _))) => (before.to_owned(), Some(twins.to_owned())),
        None => (help, None),
    };
    let (variable, rest) = twins.as_deref().map_or((None, ""), |twins| {
        let (name, rest) = twins.split_once(',').unwrap_or((twins, ""));
        (Some(name), rest)
    });
    let file = rest.split_once(": ").map(|(_, file)| file);
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
        "environmentFile": file,
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
        let has_version = |name: &str| of(name)["arguments"].to_string().contains("\"--version\"");
        assert!(has_version("") && !has_version("projects list"));
        let search = of("products search");
        let flag_of = |name: &str| {
            let arguments = search["arguments"].as_array().unwrap();
            arguments.iter().find(|one| one["flag"] == name).cloned().unwrap()
        };
        assert_eq!(flag_of("--tags-match")["values"], json!(["any", "all"]));
        assert_eq!(
            (flag_of("--include")["repeatable"].clone(), flag_of("--all")["value"].clone()),
            (json!(true), json!(null))
        );
        let globals = all["globalOptions"].as_array().unwrap();
        let profile = globals.iter().find(|one| one["flag"] == "--profile").unwrap();
        assert_eq!(profile["environment"], "CUTAWAY_PROFILE");
        assert!(globals.iter().all(|one| one["flag"].is_string()));
        assert_eq!(all["exitCodes"].as_array().unwrap().len(), 9);

        let variables = all["environment"].as_array().unwrap();
        for name in ["CUTAWAY_API_KEY", "CUTAWAY_PROFILE", "CUTAWAY_TRUSTED_PROXY", "CUTAWAY_LOG", "NO_COLOR", "EDITOR"]
        {
            assert!(variables.iter().any(|variable| variable["name"] == name), "{name}");
        }
        let names: Vec<&str> = variables.iter().map(|variable| variable["name"].as_str().unwrap()).collect();
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_uppercase() || c == '_')), "{names:?}");
        let database = variables.iter().find(|variable| variable["flag"] == "--database-url").unwrap();
        assert_eq!(
            (&database["name"], &database["file"]),
            (&json!("CUTAWAY_DATABASE_URL"), &json!("CUTAWAY_DATABASE_URL_FILE"))
        );

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
