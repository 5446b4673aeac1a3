//! `cutaway logout`

use std::io::Write as _;
use std::time::Duration;

use clap::Args;

use super::output::Output;
use super::session::warn;
use super::surroundings::{config, environment};
use super::{Failure, GlobalFlags, telling, waited_for};
use crate::client::Limits;
use crate::client::oauth::AuthServer;
use crate::settings::{CredentialStore, Credentials, Folders, LOCAL_PROFILE, Place, Secret, Target, Tokens};

/// How long the authorization server is told that the sign-in is over.
const TELLING: Duration = Duration::from_secs(5);

/// Sign out of a profile but keep the profile.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway logout --profile shop")]
pub(super) struct Logout {}

impl Logout {
    #[expect(clippy::unused_self, reason = "commands are run alike")]
    pub(super) fn run(&self, global: &GlobalFlags) -> Result<(), Failure> {
        let environment = environment()?;
        let folders = Folders::find(&environment);
        let config = config(&folders);
        let flags = global.read()?;
        let named = flags.profile.clone().or_else(|| environment.get("CUTAWAY_PROFILE").map(str::to_owned));
        let name = named.or_else(|| config.default_profile.clone()).unwrap_or_else(|| LOCAL_PROFILE.to_owned());
        if name == LOCAL_PROFILE {
            return Err(Failure::Usage(
                "the local workspace needs no sign-in; choose a profile with --profile".to_owned(),
            ));
        }
        let store = CredentialStore::new(&folders, &environment).map_err(|error| Failure::Usage(error.to_string()))?;
        let waiting = telling::WhereItTakesLong::keyring();
        let forgotten = store.forget(&name)?;
        drop(waiting);
        if forgotten.is_none() && !config.profiles.contains_key(&name) {
            return Err(Failure::Usage(format!("there is no profile {name:?}")));
        }
        if let Some(Some(Secret::Tokens(tokens))) = &forgotten {
            let flags = crate::settings::Flags { profile: Some(name.clone()), ..flags };
            if let Ok(Target { place: Place::Remote(hosts), .. }) =
                Target::resolve(&flags, &environment, &config, &Credentials::default())
                && hosts.auth.as_str().trim_end_matches('/') == tokens.issuer
            {
                waited_for(tell(&hosts, tokens))?;
            }
        }
        let mut out = Output::open();
        match forgotten {
            Some(_) => writeln!(out, "Signed out of {name}. The profile is kept.")?,
            None => writeln!(out, "{name} was not signed in.")?,
        }
        out.flush()?;
        if environment.get("CUTAWAY_API_KEY").is_some() {
            warn("CUTAWAY_API_KEY is still set and is used instead of profiles' credentials");
        }
        Ok(())
    }
}

/// Takes the tokens back at the server, too: here they are gone already.
async fn tell(hosts: &crate::settings::Hosts, tokens: &Tokens) {
    let told = async { AuthServer::discover(hosts, &Limits::default()).await?.revoke(tokens).await };
    match tokio::time::timeout(TELLING, told).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => warn(&format!("couldn't notify the authorization server: {error}")),
        Err(_) => warn("couldn't notify the authorization server: it didn't respond"),
    }
}
