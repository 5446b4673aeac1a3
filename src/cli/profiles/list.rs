//! `cutaway profiles list`

use std::io::Write as _;

use serde_json::{Map, Value, json};

use crate::cli::Failure;
use crate::cli::output::Output;
use crate::cli::session::warn;
use crate::cli::surroundings::{config, environment};
use crate::cli::table::{self, left};
use crate::settings::{Credentials, Entry, Folders, LOCAL_PROFILE, Profile};

/// Lists the profiles.
pub(super) fn run(as_json: bool) -> Result<(), Failure> {
    let folders = Folders::find(&environment()?);
    let mut config = config(&folders);
    config.warnings.iter().for_each(|warning| warn(warning));
    let credentials = match folders.credentials_file().map(|path| Credentials::read(&path)) {
        Ok(Ok(credentials)) => credentials,
        Ok(Err(fault)) => {
            warn(&fault.to_string());
            Credentials::default()
        }
        Err(_) => Credentials::default(),
    };
    config.profiles.entry(LOCAL_PROFILE.to_owned()).or_default();
    let default = config.default_profile.as_deref().unwrap_or(LOCAL_PROFILE);
    let mut out = Output::open();
    if as_json {
        let profiles: Vec<_> =
            config.profiles.iter().map(|(name, profile)| document(name, profile, default, &credentials)).collect();
        crate::client::json::escape_for_terminal(&json!(profiles).to_string(), &mut out)?;
        writeln!(out)?;
        return Ok(out.flush()?);
    }
    let rows: Vec<Vec<String>> = config
        .profiles
        .iter()
        .map(|(name, profile)| {
            let local = name == LOCAL_PROFILE;
            let host = match &profile.base_url {
                Some(url) if !local => url.to_string(),
                None if !local => "no base_url".to_owned(),
                _ => "the local workspace".to_owned(),
            };
            let guards = [(profile.live, "live"), (profile.read_only, "read-only")];
            let guards: Vec<&str> = guards.into_iter().filter(|(on, _)| *on).map(|(_, word)| word).collect();
            vec![
                if name == default { "*".to_owned() } else { String::new() },
                name.clone(),
                host,
                credential(name, &credentials),
                guards.join(", "),
            ]
        })
        .collect();
    let columns = [left(""), left("PROFILE"), left("SERVICE"), left("CREDENTIAL"), left("")];
    table::write(&columns, &rows, out.width, &mut out)?;
    Ok(out.flush()?)
}

fn credential(name: &str, credentials: &Credentials) -> String {
    match credentials.entry(name) {
        _ if name == LOCAL_PROFILE => "its own".to_owned(),
        Some(Entry::Here(secret)) => format!("{}, credential file", secret.kind()),
        Some(Entry::Keyring) => "keyring".to_owned(),
        None => "none".to_owned(),
    }
}

fn document(name: &str, profile: &Profile, default: &str, credentials: &Credentials) -> Value {
    let named = profile.stores.iter().filter_map(|store| Some((store.url.to_string(), store.name.clone()?.into())));
    let named: Map<String, Value> = named.collect();
    json!({
        "name": name,
        "default": name == default,
        "baseUrl": profile.base_url.as_ref().filter(|_| name != LOCAL_PROFILE),
        "stores": profile.stores.iter().map(|store| &store.url).collect::<Vec<_>>(),
        "storeNames": named,
        "readOnly": profile.read_only,
        "live": profile.live,
        "hasCredential": name == LOCAL_PROFILE || credentials.entry(name).is_some(),
    })
}
