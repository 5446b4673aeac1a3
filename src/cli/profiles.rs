//! `cutaway profiles`

use std::io::Write as _;

use clap::Args;
use serde_json::json;

use super::output::Output;
use super::session::{config, environment, warn};
use super::table::{self, left};
use super::{Failure, GlobalFlags};
use crate::settings::{Credentials, Folders, LOCAL_PROFILE, Profile};

/// List the profiles of the configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway profiles
  cutaway profiles --json")]
pub(super) struct Profiles {
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

impl Profiles {
    pub(super) fn run(&self, _flags: &GlobalFlags) -> Result<(), Failure> {
        let folders = Folders::find(&environment());
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
        if self.json {
            let profile = |(name, profile): (&String, &Profile)| {
                json!({
                    "name": name,
                    "default": name == default,
                    "baseUrl": profile.base_url.as_ref().filter(|_| name != LOCAL_PROFILE),
                    "stores": profile.stores,
                    "readOnly": profile.read_only,
                    "hasCredential": name == LOCAL_PROFILE || credentials.key(name).is_some(),
                })
            };
            let profiles: Vec<_> = config.profiles.iter().map(profile).collect();
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
                let credential = match credentials.key(name) {
                    _ if local => "its own",
                    Some(_) => "credential file",
                    None => "none",
                };
                vec![
                    if name == default { "*".to_owned() } else { String::new() },
                    name.clone(),
                    host,
                    credential.to_owned(),
                    if profile.read_only { "read-only".to_owned() } else { String::new() },
                ]
            })
            .collect();
        let columns = [left(""), left("PROFILE"), left("SERVICE"), left("CREDENTIAL"), left("")];
        table::write(&columns, &rows, out.width, &mut out)?;
        Ok(out.flush()?)
    }
}
