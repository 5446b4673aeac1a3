//! Where a sitting begins, and where it goes from there: the targets of other profiles.

use thiserror::Error;

use crate::domain::{StoreUrl, text};
use crate::runtime::host::Host;
use crate::runtime::resume;
use crate::settings::{Config, Credentials, Environment, Flags, Folders, TERMINAL_VARIABLE, Target, TargetError};
use crate::studio::{Left, SwitchTo};

/// Where a sitting begins.
#[derive(Debug, Clone)]
pub struct Start {
    /// Where it works first, and as whom.
    pub target: Target,
    /// The flags that say so.
    pub flags: Flags,
    /// What `config.toml` said then.
    pub config: Config,
    /// Whether it starts at its beginning, not where it was left.
    pub fresh: bool,
    /// Why the credential file could not be read.
    pub credentials_fault: Option<String>,
}

/// Why another profile is not opened.
#[derive(Debug, Error)]
pub enum SwitchError {
    /// The configuration has no such profile, or is wrong.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Its credential is kept for another address.
    #[error("{0}")]
    OtherAddress(String),
}

impl SwitchError {
    /// What to say, on one line that a terminal can be given.
    #[must_use]
    pub fn line(&self) -> String {
        text::line(&self.to_string()).into_owned()
    }
}

/// The configuration as it is now, or its defaults where no home is known.
pub(super) fn config(folders: &Folders) -> Config {
    folders.config_file().map(|path| Config::read(&path)).unwrap_or_default()
}

/// The credential file as it is now; nothing where it can't be read.
pub(super) fn credentials(folders: &Folders) -> Credentials {
    let file = folders.credentials_file().ok();
    file.and_then(|path| Credentials::read(&path).ok()).unwrap_or_default()
}

impl Start {
    /// The target of another profile, resolved again from the files. What was given for one service, its hosts, its
    /// store and its key, stays with it: of the flags and the environment only the guards, the theme and what is set of the
    /// terminal hold here too.
    ///
    /// # Errors
    /// Where the configuration has no such profile, or is wrong, or its credential is for another address.
    pub fn target_of(&self, host: &Host, to: &SwitchTo) -> Result<Target, SwitchError> {
        let app_url = to.store.as_ref().map(ToString::to_string);
        let (config, credentials) = (config(&host.folders), credentials(&host.folders));
        if self.target.profile.as_ref() == Some(&to.profile) {
            let flags = Flags { app_url: app_url.or_else(|| self.flags.app_url.clone()), ..self.flags.clone() };
            let target = Target::resolve(&flags, &host.environment, &config, &credentials)?;
            return match target.refused.clone() {
                Some(why) => Err(SwitchError::OtherAddress(why)),
                None => Ok(target),
            };
        }
        let flags = Flags {
            profile: Some(to.profile.clone()),
            app_url,
            read_only: self.flags.read_only,
            read_only_key: self.flags.read_only_key,
            theme: self.flags.theme.clone(),
            terminal: self.flags.terminal.clone(),
            ..Flags::default()
        };
        let kept = ["CUTAWAY_READ_ONLY", "CUTAWAY_THEME", TERMINAL_VARIABLE];
        let environment: Environment =
            kept.into_iter().filter_map(|name| Some((name, host.environment.get(name)?))).collect();
        Ok(Target::resolve(&flags, &environment, &config, &credentials)?)
    }

    /// Whether the studio starts where it was left.
    #[must_use]
    pub fn resumes(&self, host: &Host) -> bool {
        let off = host.environment.get("CUTAWAY_FRESH");
        let off = off.is_some_and(|value| !matches!(value.trim(), "0" | "false" | "no" | "off"));
        !self.fresh && !off && self.config.resume
    }

    /// Where the studio of a target was left, where it is to start there.
    #[must_use]
    pub fn resume(&self, host: &Host, target: &Target) -> Option<Left> {
        if !self.resumes(host) {
            return None;
        }
        let mut left = resume::take_up(host, target.name())?;
        // A store that was named goes before the one that was left.
        let named = self.flags.app_url.as_deref().or_else(|| host.environment.get("CUTAWAY_APP_URL"));
        if let Some(named) = named {
            left = left.in_store(&StoreUrl::from(named));
        }
        Some(left)
    }
}
