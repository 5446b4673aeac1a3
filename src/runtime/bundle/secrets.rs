//! What is secret in a home, wherever a person may have put it: the credential file, settings that are none, addresses
//! with passwords in them, the environment.

use std::path::Path;

use toml::{Table, Value};
use url::Url;

use super::Source;
use crate::domain::wire::{Redaction, is_secret_name, looks_secret};
use crate::settings::{Chord, Environment, Folders, MOST_SETTINGS, Preset, Secret, read_text_bounded};
use crate::studio::Command;

/// Knows every secret that this home has.
pub(super) fn redaction(source: &Source) -> Redaction {
    of_home(source.folders, source.environment, source.target.credential.as_ref())
}

/// The same for who writes no archive.
#[must_use]
pub fn of_home(folders: &Folders, environment: &Environment, credential: Option<&Secret>) -> Redaction {
    Redaction::new(known_secrets(folders, environment, credential).iter().map(String::as_str))
}

/// Every secret that this home has.
#[must_use]
pub fn known_secrets(folders: &Folders, environment: &Environment, credential: Option<&Secret>) -> Vec<String> {
    let mut known = Vec::new();
    if let Some(secret) = credential {
        of_credential(secret, &mut known);
    }
    let table = |path: &Path| read_text_bounded(path, MOST_SETTINGS).ok().and_then(|text| text.parse::<Table>().ok());
    if let Some(credentials) = folders.credentials_file().ok().and_then(|path| table(&path)) {
        of_credentials(&credentials, &mut known);
    }
    if let Some(raw) = folders.config_file().ok().and_then(|path| table(&path)) {
        of_config(&raw, &mut known);
    }
    if let Some(raw) = folders.config().ok().and_then(|folder| table(&folder.join("keymap.toml"))) {
        of_keymap(&raw, &mut known);
    }
    for (name, value) in environment.iter() {
        let name = name.to_ascii_uppercase();
        if is_secret_name(&name) || ["KEY", "_PAT", "_PASS", "_AUTH"].iter().any(|end| name.ends_with(end)) {
            known.push(value.to_owned());
        }
        of_address(value, &mut known);
    }
    known
}

fn of_credential(secret: &Secret, known: &mut Vec<String>) {
    match secret {
        Secret::Key(key) => known.push(key.expose().to_owned()),
        Secret::Tokens(tokens) => {
            known.push(tokens.access.expose().to_owned());
            known.extend(tokens.refresh.as_ref().map(|token| token.expose().to_owned()));
        }
    }
}

/// All texts of the credential file but those that are known to be none.
fn of_credentials(table: &Table, known: &mut Vec<String>) {
    for (key, value) in table {
        match value {
            Value::Table(inner) => of_credentials(inner, known),
            _ if matches!(key.as_str(), "issuer" | "expires_at") => {}
            other => texts(other, known),
        }
    }
}

/// Every text in a value.
fn texts(value: &Value, known: &mut Vec<String>) {
    match value {
        Value::String(text) => known.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts(value, known)),
        Value::Table(table) => table.values().for_each(|value| texts(value, known)),
        Value::Integer(number) => known.push(number.to_string()),
        _ => {}
    }
}

/// The name and password in an address, and what its query holds.
fn of_address(text: &str, known: &mut Vec<String>) {
    let Ok(url) = Url::parse(text.trim()) else { return };
    if !url.has_host() {
        return;
    }
    known.extend(url.password().map(str::to_owned));
    // A name alone may be a token; beside a password it is a person's.
    known.extend(Some(url.username().to_owned()).filter(|name| url.password().is_none() && !name.is_empty()));
    known.extend(url.query_pairs().filter(|(name, _)| is_secret_name(name)).map(|(_, value)| value.into_owned()));
    known.extend(url.path_segments().into_iter().flatten().filter(|part| looks_secret(part)).map(str::to_owned));
}

/// What in the configuration is no setting, or no value of one; passwords in its addresses; names that look like a key.
fn of_config(raw: &Table, known: &mut Vec<String>) {
    for (key, value) in raw {
        match (key.as_str(), value) {
            ("version" | "resume", Value::Integer(_) | Value::Boolean(_)) => {}
            // A word that is mistyped is to be seen; one that looks like a key is not.
            ("default_profile" | "theme" | "pictures", Value::String(word)) => of_word(word, known),
            ("profiles", Value::Table(profiles)) => {
                for (name, profile) in profiles {
                    if looks_secret(name) {
                        known.push(name.clone());
                    }
                    match profile {
                        Value::Table(profile) => of_profile(profile, known),
                        other => texts(other, known),
                    }
                }
            }
            (_, value) => texts(value, known),
        }
    }
}

fn of_profile(profile: &Table, known: &mut Vec<String>) {
    for (key, value) in profile {
        match (key.as_str(), value) {
            ("read_only" | "live", Value::Boolean(_)) => {}
            ("base_url" | "lb_base_url" | "upload_url" | "auth_url" | "app_url", Value::String(text)) => {
                of_given_address(text, known);
            }
            ("theme" | "colour", Value::String(word)) => of_word(word, known),
            ("stores", Value::Array(stores)) => stores.iter().for_each(|store| of_store(store, known)),
            (_, value) => texts(value, known),
        }
    }
}

fn of_store(store: &Value, known: &mut Vec<String>) {
    match store {
        Value::String(text) => of_given_address(text, known),
        Value::Table(members) => {
            for (key, value) in members {
                match (key.as_str(), value) {
                    ("url", Value::String(text)) => of_given_address(text, known),
                    ("name", Value::String(name)) if !looks_secret(name) => {}
                    (_, value) => texts(value, known),
                }
            }
        }
        other => texts(other, known),
    }
}

/// What is no address at all is not one that was meant.
fn of_given_address(text: &str, known: &mut Vec<String>) {
    match Url::parse(text.trim()) {
        Ok(url) if url.has_host() => of_address(text, known),
        _ => of_word(text, known),
    }
}

/// A word that may be a name, or a key that somebody put in its place.
fn of_word(word: &str, known: &mut Vec<String>) {
    if looks_secret(word) {
        known.push(word.to_owned());
    }
}

/// Lines of the keymap that name no command or no key.
fn of_keymap(raw: &Table, known: &mut Vec<String>) {
    for (layer, keys) in raw {
        if looks_secret(layer) {
            known.push(layer.clone());
        }
        if layer == "preset" && keys.as_str().is_some_and(|name| Preset::by_name(name).is_some()) {
            continue;
        }
        let Value::Table(keys) = keys else {
            texts(keys, known);
            continue;
        };
        for (key, command) in keys {
            if Chord::parse(key).is_err() && looks_secret(key) {
                known.push(key.clone());
            }
            match command {
                Value::String(name) if name.is_empty() || Command::by_name(name).is_some() => {}
                // No command has a name of several words.
                Value::String(line) if !line.contains(char::is_whitespace) => of_word(line, known),
                Value::Table(program) => of_program(program, known),
                other => texts(other, known),
            }
        }
    }
}

/// A program of the person's own: its words are none, but for keys among its arguments.
fn of_program(program: &Table, known: &mut Vec<String>) {
    for (name, value) in program {
        match (name.as_str(), value) {
            ("title", Value::String(title)) => title.split_whitespace().for_each(|word| of_word(word, known)),
            ("ask", Value::Boolean(_)) => {}
            ("run", Value::Array(run)) => {
                let mut before = "";
                for word in run.iter().filter_map(Value::as_str) {
                    // `--token` and what follows it.
                    if before.starts_with('-') && !before.contains('=') && is_secret_name(before) {
                        known.push(word.to_owned());
                    }
                    // What curl and others take for a name and a password.
                    if matches!(before, "-u" | "--user") {
                        known.extend(word.split_once(':').map(|(_, password)| password.to_owned()));
                    }
                    of_argument(word, known);
                    before = word;
                }
            }
            (_, value) => texts(value, known),
        }
    }
}

/// An argument: `--token=…`, `Authorization: Bearer …`, an address, a key alone.
fn of_argument(word: &str, known: &mut Vec<String>) {
    of_address(word, known);
    if let Some((name, value)) = word.split_once(['=', ':'])
        && (is_secret_name(name) || name.eq_ignore_ascii_case("authorization"))
    {
        known.extend(value.split_whitespace().last().map(str::to_owned));
    }
    word.split([' ', '=', ',']).for_each(|part| of_word(part, known));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_program_only_keys_are_secrets() {
        let keymap = r#"
            [products]
            f5 = { run = ["erp", "products", "{id}"], title = "Look up products" }
            f6 = { run = ["erp", "--token", "first", "--password=second", "-H", "Authorization: Bearer third", "-u", "me:sixth"] }
            f7 = { run = ["curl", "https://me:fourth@erp.example/?token=fifth&sku={id}", "sk_live_a1b2c3d4e5"] }
        "#;
        let mut known = Vec::new();
        of_keymap(&keymap.parse::<Table>().unwrap(), &mut known);
        known.sort();
        known.dedup();
        assert_eq!(known, ["fifth", "first", "fourth", "second", "sixth", "sk_live_a1b2c3d4e5", "third"]);
    }
}
