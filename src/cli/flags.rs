//! The flags that every command takes.

use std::io::{self, BufRead as _};

use clap::Args;
use clap_complete::ArgValueCompleter;

use super::{Failure, names, telling, times};
use crate::domain::ApiKey;
use crate::settings::{Environment, Flags};

/// The global flags. Their twins in the environment are resolved with the rest of the target, so clap only names them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
#[allow(clippy::struct_excessive_bools)] // Each is a flag of its own.
pub struct GlobalFlags {
    /// The profile to use [env: CUTAWAY_PROFILE]
    #[arg(long, global = true, value_name = "NAME", add = ArgValueCompleter::new(names::profiles))]
    profile: Option<String>,
    /// The address of the service; with an API key, no profile is needed [env: CUTAWAY_BASE_URL]
    #[arg(long, global = true, value_name = "URL")]
    base_url: Option<String>,
    /// A fallback address for reads while the service can't be reached [env: CUTAWAY_LB_BASE_URL]
    #[arg(long, global = true, value_name = "URL")]
    lb_base_url: Option<String>,
    /// The address for uploads [default: the service's] [env: CUTAWAY_UPLOAD_URL]
    #[arg(long, global = true, value_name = "URL")]
    upload_url: Option<String>,
    /// The authorization server [default: the service's] [env: CUTAWAY_AUTH_URL]
    #[arg(long, global = true, value_name = "URL")]
    auth_url: Option<String>,
    /// The address of the store [env: CUTAWAY_APP_URL]
    #[arg(long, global = true, value_name = "URL", add = ArgValueCompleter::new(names::stores))]
    app_url: Option<String>,
    /// Refuse every change [env: CUTAWAY_READ_ONLY]
    #[arg(long, global = true)]
    read_only: bool,
    /// The studio's theme [env: CUTAWAY_THEME]
    #[arg(long, global = true, value_name = "NAME", add = ArgValueCompleter::new(names::themes))]
    theme: Option<String>,
    /// Set how the terminal is used, in place of what is found out, such as mouse=off or colors=256,clipboard=wrapped;
    /// `cutaway schema config` lists the names [env: CUTAWAY_TERMINAL]
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    terminal: Vec<String>,
    /// Open the studio as a dialogue of lines, for screen readers, scripts and any terminal [env: CUTAWAY_PLAIN]
    #[arg(long, global = true)]
    plain: bool,
    /// Show exact times in UTC instead of short local times [env: CUTAWAY_UTC]
    #[arg(long, global = true)]
    utc: bool,
    /// Read the API key from the first line of standard input
    #[arg(long, global = true)]
    api_key_stdin: bool,
    /// Print only the output and errors
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Log every request to standard error
    #[arg(long, short, global = true)]
    verbose: bool,
}

/// A key longer than this is something else that was piped in, bytes.
const LONGEST_KEY: u64 = 8 * 1024;

impl GlobalFlags {
    /// Takes over how much is to be said.
    pub(super) fn set_loudness(&self) {
        telling::set(self.quiet, self.verbose);
        times::set(self.utc);
    }

    /// Whether the studio is to be a dialogue of lines: by its flag, its variable, or a terminal that can't be drawn on.
    pub(super) fn is_plain(&self, environment: &Environment) -> bool {
        let set = environment.get("CUTAWAY_PLAIN").map(str::trim).filter(|value| !value.is_empty());
        let is_on = |value: &str| !matches!(value, "0" | "false" | "no" | "off");
        self.plain || set.map_or(environment.get("TERM") == Some("dumb"), is_on)
    }

    /// A flag that was given and leads to another service, or as somebody else.
    pub(super) fn leading_elsewhere(&self) -> Option<&'static str> {
        [
            (self.profile.is_some(), "--profile"),
            (self.base_url.is_some(), "--base-url"),
            (self.lb_base_url.is_some(), "--lb-base-url"),
            (self.upload_url.is_some(), "--upload-url"),
            (self.auth_url.is_some(), "--auth-url"),
            (self.api_key_stdin, "--api-key-stdin"),
        ]
        .into_iter()
        .find_map(|(given, flag)| given.then_some(flag))
    }

    /// The flags as the settings take them; reads the key where standard input was said to bring it.
    pub(super) fn read(&self) -> Result<Flags, Failure> {
        let api_key =
            if self.api_key_stdin { Some(key_from(io::BufReader::with_capacity(1, Unbuffered))?) } else { None };
        Ok(Flags {
            profile: self.profile.clone(),
            base_url: self.base_url.clone(),
            lb_base_url: self.lb_base_url.clone(),
            upload_url: self.upload_url.clone(),
            auth_url: self.auth_url.clone(),
            app_url: self.app_url.clone(),
            read_only: self.read_only,
            read_only_key: false,
            theme: self.theme.clone(),
            terminal: self.terminal.clone(),
            api_key,
        })
    }
}

/// Standard input, of which nothing is taken ahead: what follows the key is for whoever reads on.
struct Unbuffered;

impl io::Read for Unbuffered {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(io::stdin(), into)?)
    }
}

fn key_from(input: impl io::BufRead) -> Result<ApiKey, Failure> {
    let mut line = String::new();
    let read = io::Read::take(input, LONGEST_KEY).read_line(&mut line);
    read.map_err(|error| Failure::Usage(format!("couldn't read the API key from standard input: {error}")))?;
    let key = ApiKey::new(&line);
    if key.expose().is_empty() {
        return Err(Failure::Usage("standard input contained no API key".to_owned()));
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_the_first_line() {
        assert_eq!(key_from(&b" k1 \nk2"[..]).unwrap(), ApiKey::new("k1"));
        assert_eq!(key_from(&b"\n"[..]).unwrap_err().exit_code(), 2);
    }
}
