//! `cutaway login`: by API key, by device code, or in the browser of this machine.

mod browser;
mod device;
mod masked;
mod place;

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use clap::Args;

use super::output::Output;
use super::session::warn;
use super::surroundings::{config, environment};
use super::{Failure, GlobalFlags, telling, waited_for};
use crate::client::Limits;
use crate::client::oauth::AuthServer;
use crate::domain::text;
use crate::runtime::signing::prove;
use crate::settings::{ConfigEditError, CredentialStore, Environment, Folders, Secret, Tokens, edit_config};
use place::SignInPlace;

/// Sign in and save the credential with a profile.
///
/// Asks for the API key without showing it, or reads it from standard input with --api-key-stdin. Creates the profile if
/// it doesn't exist yet: name the service with --base-url.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway login
  cutaway login --profile shop --device
  pass show cutaway | cutaway login --profile shop --api-key-stdin")]
pub(super) struct Login {
    /// Sign in with a code that you approve on a phone or any computer
    #[arg(long, conflicts_with_all = ["browser", "api_key_stdin"])]
    device: bool,
    /// Sign in in a browser on this machine; over SSH, paste the address that it ends at
    #[arg(long, conflicts_with = "api_key_stdin")]
    browser: bool,
}

impl Login {
    pub(super) fn run(&self, global: &GlobalFlags) -> Result<(), Failure> {
        let environment = environment()?;
        let folders = Folders::find(&environment);
        let config = config(&folders);
        config.warnings.iter().for_each(|warning| warn(warning));
        let flags = global.read()?;
        let place = SignInPlace::find(&flags, &environment, &config)?;
        let store = CredentialStore::new(&folders, &environment).map_err(|error| Failure::Usage(error.to_string()))?;
        // What can't be kept is not asked for.
        store.load(&place.name).map(drop).or_else(|error| match error {
            crate::settings::CredentialsError::Keyring(_) => Ok(()),
            error => Err(error),
        })?;
        let secret = match &flags.api_key {
            Some(key) => Secret::Key(key.clone()),
            None if self.device || self.browser => {
                let tokens = waited_for(self.at_server(&place, &environment))??;
                Secret::Tokens(Box::new(tokens))
            }
            None => Secret::Key(ask_key(&place.name)?),
        };
        let user = waited_for(prove(&place.hosts, &secret))??;
        let config_file = folders.config_file().map_err(|error| Failure::Usage(error.to_string()))?;
        let default = keep_profile(&config_file, &place)?;
        let waiting = telling::WhereItTakesLong::keyring();
        let kept = store.keep(&place.name, &secret)?;
        drop(waiting);
        let mut out = Output::open();
        let whose = user.called().to_owned();
        writeln!(
            out,
            "Signed in to {} as {}. The {} is saved in the {kept}.",
            place.name,
            text::line(&whose),
            secret.kind(),
            kept = kept.source
        )?;
        match default {
            DefaultProfile::Kept => {}
            DefaultProfile::Set => writeln!(out, "{} is now the default profile.", place.name)?,
            DefaultProfile::Refused => writeln!(
                out,
                "{name} is live, so it isn't the default profile: commands use it with --profile {name}, or after \
                 cutaway profiles use {name}.",
                name = place.name
            )?,
        }
        out.flush()?;
        kept.warning().iter().for_each(|warning| warn(warning));
        if environment.get("CUTAWAY_API_KEY").is_some() {
            warn("CUTAWAY_API_KEY is set and is used instead of the profile's credential");
        }
        Ok(())
    }

    async fn at_server(&self, place: &SignInPlace, environment: &Environment) -> Result<Tokens, Failure> {
        let server = AuthServer::discover(&place.hosts, &Limits::default()).await?;
        if self.device && server.offers_device() {
            return device::sign_in(&server).await;
        }
        browser::sign_in(&server, environment).await
    }
}

/// What became of the default profile.
enum DefaultProfile {
    /// There was one.
    Kept,
    /// It is this profile now.
    Set,
    /// There is none, and a live profile does not become it by itself.
    Refused,
}

/// Keeps the profile that was signed in to, as the default one where there is none yet.
fn keep_profile(config_file: &Path, place: &SignInPlace) -> Result<DefaultProfile, ConfigEditError> {
    edit_config(config_file, |edit| {
        if place.before.as_ref() != Some(&place.profile) {
            edit.set_profile(&place.name, place.before.as_ref(), &place.profile)?;
        }
        match &edit.config().default_profile {
            Some(_) => Ok(DefaultProfile::Kept),
            // Nobody changes a live shop because they once signed in to it.
            None if place.profile.live => Ok(DefaultProfile::Refused),
            None => edit.set_default(&place.name).map(|()| DefaultProfile::Set),
        }
    })
}

/// Asks for the key on the terminal.
fn ask_key(profile: &str) -> Result<crate::domain::ApiKey, Failure> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(Failure::Usage(
            "there is no terminal to ask for the API key on; pipe it in with --api-key-stdin, or use --device"
                .to_owned(),
        ));
    }
    let key = masked::read(&format!("API key for {profile} (not shown): "))?;
    if key.expose().is_empty() {
        return Err(Failure::Usage("no API key was entered; --device signs in without one".to_owned()));
    }
    Ok(key)
}

/// Says something to the person beside the output.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
