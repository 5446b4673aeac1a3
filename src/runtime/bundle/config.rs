//! The configuration as it was understood: only settings that are known, and of them only what tells nothing secret.
//! Comments, keys that are no settings and values that mean nothing are not in it.

use toml::{Table, Value};
use url::Url;

use crate::domain::StoreUrl;
use crate::domain::wire::looks_secret;
use crate::settings::{Config, Depth, Profile, THEMES, colour_of};

/// What stands in the place of a value that is no name of anything.
const LEFT_OUT: &str = "[left out]";

/// The configuration as TOML.
pub(super) fn known_settings(config: &Config) -> String {
    let mut table = Table::new();
    if let Some(name) = &config.default_profile {
        table.insert("default_profile".to_owned(), name_of(name));
    }
    if let Some(theme) = &config.theme {
        table.insert("theme".to_owned(), theme_of(theme));
    }
    table.insert("resume".to_owned(), Value::Boolean(config.resume));
    // Each is one of a few words.
    for (setting, word) in config.terminal.iter() {
        table.insert(setting.to_owned(), Value::String(word.to_owned()));
    }
    let profiles: Table = config
        .profiles
        .iter()
        .map(|(name, profile)| (plain_name(name), Value::Table(known_of_profile(profile))))
        .collect();
    if !profiles.is_empty() {
        table.insert("profiles".to_owned(), Value::Table(profiles));
    }
    let mut text = "# The settings as they were understood.\n".to_owned();
    text.push_str(&toml::to_string_pretty(&table).unwrap_or_default());
    text
}

fn known_of_profile(profile: &Profile) -> Table {
    let mut table = Table::new();
    let hosts = [
        ("base_url", &profile.base_url),
        ("lb_base_url", &profile.lb_base_url),
        ("upload_url", &profile.upload_url),
        ("auth_url", &profile.auth_url),
    ];
    for (key, url) in hosts {
        if let Some(url) = url {
            table.insert(key.to_owned(), Value::String(address(url)));
        }
    }
    if let Some(store) = &profile.app_url {
        table.insert("app_url".to_owned(), store_of(store));
    }
    let stores: Vec<Value> = profile
        .stores
        .iter()
        .map(|store| {
            let mut entry = Table::new();
            entry.insert("url".to_owned(), store_of(&store.url));
            if let Some(name) = &store.name {
                entry.insert("name".to_owned(), name_of(name));
            }
            Value::Table(entry)
        })
        .collect();
    if !stores.is_empty() {
        table.insert("stores".to_owned(), Value::Array(stores));
    }
    table.insert("read_only".to_owned(), Value::Boolean(profile.read_only));
    table.insert("live".to_owned(), Value::Boolean(profile.live));
    if let Some(colour) = &profile.colour {
        let known = colour_of(colour, Depth::True).is_some();
        let colour = if known { colour.as_str() } else { LEFT_OUT };
        table.insert("colour".to_owned(), Value::String(colour.to_owned()));
    }
    if let Some(theme) = &profile.theme {
        table.insert("theme".to_owned(), theme_of(theme));
    }
    table
}

fn plain_name(name: &str) -> String {
    if looks_secret(name) { LEFT_OUT.to_owned() } else { name.to_owned() }
}

fn name_of(name: &str) -> Value {
    Value::String(plain_name(name))
}

/// The name of a theme that Cutaway brings; another one is the person's own, and whether it is a name is not known.
fn theme_of(theme: &str) -> Value {
    let known = THEMES.iter().any(|(name, _)| *name == theme);
    Value::String(if known { theme.to_owned() } else { "[a custom theme]".to_owned() })
}

fn store_of(store: &StoreUrl) -> Value {
    let url = Url::parse(store.as_str()).ok().filter(Url::has_host);
    Value::String(url.map_or_else(|| LEFT_OUT.to_owned(), |url| address(&url)))
}

/// An address without a name and password, query and fragment, and without what stands in its path like a secret.
pub(super) fn address(url: &Url) -> String {
    let path = url.path().split('/').map(|part| if looks_secret(part) { LEFT_OUT } else { part });
    let path = path.collect::<Vec<_>>().join("/");
    format!("{}{}", url.origin().ascii_serialization(), path)
}
