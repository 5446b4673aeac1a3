//! What flags, environment, configuration and credentials come to: which service, as whom, in which manner.

use thiserror::Error;
use url::Url;

use super::config::{Config, LOCAL_PROFILE, Profile};
use super::hosts::{HostError, Hosts, host_url, is_loopback, is_private};
use super::origin::{NamedBy, refusal};
use super::terminal::{TERMINAL_VARIABLE, TerminalSettings};
use super::{Credentials, Entry, Environment, ProfileStore, Secret};
use crate::domain::wire::shown_word;
use crate::domain::{ApiKey, StoreUrl};

/// The global flags as they were given; each has a twin in the environment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flags {
    /// `--profile`, `CUTAWAY_PROFILE`
    pub profile: Option<String>,
    /// `--base-url`, `CUTAWAY_BASE_URL`
    pub base_url: Option<String>,
    /// `--lb-base-url`, `CUTAWAY_LB_BASE_URL`
    pub lb_base_url: Option<String>,
    /// `--upload-url`, `CUTAWAY_UPLOAD_URL`
    pub upload_url: Option<String>,
    /// `--auth-url`, `CUTAWAY_AUTH_URL`
    pub auth_url: Option<String>,
    /// `--app-url`, `CUTAWAY_APP_URL`
    pub app_url: Option<String>,
    /// `--read-only`, `CUTAWAY_READ_ONLY`
    pub read_only: bool,
    /// Whether the SSH key by which the person is here is a read-only one.
    pub read_only_key: bool,
    /// `--theme`, `CUTAWAY_THEME`
    pub theme: Option<String>,
    /// `--terminal`, `CUTAWAY_TERMINAL`
    pub terminal: Vec<String>,
    /// A key that was read from standard input.
    pub api_key: Option<ApiKey>,
}

/// Where the service is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The local workspace: found, or started, when connecting.
    Local,
    /// Known addresses.
    Remote(Box<Hosts>),
}

/// Where the credential came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum CredentialSource {
    /// `CUTAWAY_API_KEY`
    #[strum(to_string = "environment CUTAWAY_API_KEY")]
    Environment,
    /// Standard input.
    #[strum(to_string = "standard input")]
    StandardInput,
    /// The platform's keyring; asked when connecting.
    #[strum(to_string = "keyring")]
    Keyring,
    /// `credentials.toml`
    #[strum(to_string = "credential file")]
    File,
    /// The local workspace hands out its own.
    #[strum(to_string = "local workspace")]
    LocalWorkspace,
    /// There is none.
    #[strum(to_string = "none")]
    Missing,
}

impl CredentialSource {
    /// Whether the credential is kept with a profile: what comes from the environment or standard input goes where the
    /// person says.
    fn is_kept(self) -> bool {
        matches!(self, Self::File | Self::Keyring)
    }
}

/// Why writes are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum ReadOnlyReason {
    /// Whoever runs the server gave the key no other right.
    #[strum(to_string = "your SSH key")]
    Key,
    /// Only a restart leaves it.
    #[strum(to_string = "--read-only")]
    Flag,
    /// Only a restart leaves it.
    #[strum(to_string = "environment CUTAWAY_READ_ONLY")]
    Environment,
    /// The profile says so.
    #[strum(to_string = "profile")]
    Profile,
}

/// Everything that is known before the network is touched.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// The profile in use; `None` where addresses were given without one.
    pub profile: Option<String>,
    /// Where the service is.
    pub place: Place,
    /// The credential; the local workspace brings its own, and the keyring is asked later.
    pub credential: Option<Secret>,
    /// Where the credential came from.
    pub credential_source: CredentialSource,
    /// Why the credential that is kept with the profile is not used: an address beside it is of another origin. Nothing
    /// is connected to then.
    pub refused: Option<String>,
    /// Why writes are refused, if they are.
    pub read_only: Option<ReadOnlyReason>,
    /// The store that was named.
    pub app_url: Option<StoreUrl>,
    /// The stores that the profile knows.
    pub stores: Vec<ProfileStore>,
    /// Whether what is changed here is seen by customers at once.
    pub live: bool,
    /// The colour of the frame.
    pub colour: Option<String>,
    /// The theme that was named.
    pub theme: Option<String>,
    /// What is set of the terminal.
    pub terminal: TerminalSettings,
    /// What is odd about all this, for people.
    pub warnings: Vec<String>,
    /// A fault of the configuration for which this may be another place than the one that was meant, or less guarded.
    /// What shows the target may go on; what works on it without being looked at may not ([`Target::sure`]).
    pub fault: Option<String>,
}

/// Why there is no target. Each is a fault of the command line, its environment or the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TargetError {
    /// The profile is not in the configuration.
    #[error("there is no profile {name:?}; {known}")]
    NoProfile {
        /// The name that was given.
        name: String,
        /// A sentence on those that there are.
        known: String,
    },
    /// The profile names no host.
    #[error("the profile {0:?} has no base_url")]
    NoBase(String),
    /// A host was given for the local workspace, which has its own.
    #[error("{0} goes with --base-url or a profile; the local workspace has its own hosts")]
    NotLocal(&'static str),
    /// An address can't be used.
    #[error("{given}: {why}")]
    Address {
        /// The flag or variable.
        given: &'static str,
        /// What is wrong.
        why: HostError,
    },
    /// A value can't be used.
    #[error("{0}")]
    Value(String),
    /// The configuration is wrong where it matters.
    #[error("{0}; fix it, or choose the service with --base-url or --profile local")]
    Config(String),
}

/// The store to work in: a flag goes before the environment, that before the profile.
fn app_url(flags: &Flags, environment: &Environment, profile: &Profile) -> Option<StoreUrl> {
    let given = flags.app_url.as_deref().filter(|url| !url.trim().is_empty());
    let given = given.or_else(|| environment.get("CUTAWAY_APP_URL")).map(StoreUrl::from);
    let named = given.or_else(|| profile.app_url.clone());
    let known = named.map(|url| url.known_as(profile.stores.iter().map(|store| &store.url)));
    known.or_else(|| profile.stores.first().map(|store| store.url.clone()))
}

/// The local workspace, where nothing beside it names another service.
fn local_place(flags: &Flags) -> Result<Place, TargetError> {
    let remote = [("--lb-base-url", &flags.lb_base_url), ("--upload-url", &flags.upload_url)];
    match remote.into_iter().find(|(_, given)| given.is_some()) {
        Some((flag, _)) => Err(TargetError::NotLocal(flag)),
        None => Ok(Place::Local),
    }
}

impl Target {
    /// Resolves it: a flag goes before the environment, that before the profile, that before the defaults.
    ///
    /// # Errors
    /// What [`TargetError`] lists.
    pub fn resolve(
        flags: &Flags,
        environment: &Environment,
        config: &Config,
        credentials: &Credentials,
    ) -> Result<Self, TargetError> {
        let given = Given { environment };
        let base = given.address(flags.base_url.as_deref(), "--base-url", "CUTAWAY_BASE_URL")?;
        let Meant { name, base, fault } = Meant::of(flags, environment, config, base)?;
        let (base_by, base) = base.unzip();
        let profile = name.map_or(Ok(Profile::default()), |name| named(name, config))?;
        let (lb_by, lb) = given.address(flags.lb_base_url.as_deref(), "--lb-base-url", "CUTAWAY_LB_BASE_URL")?.unzip();
        let (upload_by, upload) =
            given.address(flags.upload_url.as_deref(), "--upload-url", "CUTAWAY_UPLOAD_URL")?.unzip();
        let (auth_by, auth) = given.address(flags.auth_url.as_deref(), "--auth-url", "CUTAWAY_AUTH_URL")?.unzip();
        let local = base.is_none() && name == Some(LOCAL_PROFILE);
        let place = if local {
            local_place(flags)?
        } else {
            let base = base.or(profile.base_url.clone()).ok_or_else(|| match &fault {
                Some(fault) => TargetError::Config(fault.clone()),
                None => TargetError::NoBase(name.unwrap_or_default().to_owned()),
            })?;
            Place::Remote(Box::new(Hosts {
                lb: lb.or(profile.lb_base_url.clone()),
                upload: upload.or(profile.upload_url.clone()).unwrap_or_else(|| base.clone()),
                auth: auth.or(profile.auth_url.clone()).unwrap_or_else(|| base.clone()),
                base,
            }))
        };

        let (credential, credential_source) = credential(&place, name, flags, environment, credentials);
        let by = NamedBy { base: base_by, lb: lb_by, upload: upload_by, auth: auth_by };
        let refused = match (&place, name) {
            (Place::Remote(hosts), Some(name)) if credential_source.is_kept() => refusal(name, &profile, hosts, by),
            _ => None,
        };
        let (credential, credential_source) =
            if refused.is_some() { (None, CredentialSource::Missing) } else { (credential, credential_source) };
        let warnings = config.warnings.iter().cloned().chain(warnings(&place, environment)).collect();
        let read_only = read_only(flags, environment, &profile)?;
        let app_url = app_url(flags, environment, &profile);
        let terminal = config.terminal.with(environment.get(TERMINAL_VARIABLE), &flags.terminal);
        let theme = flags.theme.as_deref().or_else(|| environment.get("CUTAWAY_THEME")).map(str::to_owned);
        Ok(Self {
            profile: name.map(str::to_owned),
            place,
            credential,
            credential_source,
            refused,
            read_only,
            app_url,
            stores: profile.stores,
            live: profile.live,
            colour: profile.colour,
            theme: theme.or(profile.theme).or_else(|| config.theme.clone()),
            terminal: terminal.map_err(TargetError::Value)?,
            warnings,
            fault,
        })
    }

    /// That this is the place that was meant.
    ///
    /// # Errors
    /// [`TargetError::Config`] where a fault of the configuration may have led elsewhere.
    pub fn sure(&self) -> Result<(), TargetError> {
        self.fault.clone().map_or(Ok(()), |fault| Err(TargetError::Config(fault)))
    }

    /// Whether it is the local workspace.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.place == Place::Local
    }

    /// The profile's name, or the host where there is none: for the status line.
    #[must_use]
    pub fn name(&self) -> &str {
        match (&self.profile, &self.place) {
            (Some(profile), _) => profile,
            (None, Place::Local) => LOCAL_PROFILE,
            (None, Place::Remote(hosts)) => hosts.base.host_str().unwrap_or_default(),
        }
    }
}

/// Which service is meant: a profile by its name, or an address and what named that.
struct Meant<'a> {
    name: Option<&'a str>,
    base: Option<(&'static str, Url)>,
    /// What is wrong with the configuration, where that may lead elsewhere than was meant.
    fault: Option<String>,
}

impl<'a> Meant<'a> {
    fn of(
        flags: &'a Flags,
        environment: &'a Environment,
        config: &'a Config,
        base: Option<(&'static str, Url)>,
    ) -> Result<Self, TargetError> {
        let name = flags.profile.as_deref().map(str::trim).filter(|name| !name.is_empty());
        // The local workspace has its own address: by flag it goes before a base URL of the environment, and a base
        // URL goes before it as the environment's profile.
        let local_by_flag = name == Some(LOCAL_PROFILE);
        if local_by_flag && flags.base_url.is_some() {
            return Err(TargetError::Value("--base-url and --profile local contradict each other".to_owned()));
        }
        let base = base.filter(|_| !local_by_flag);
        let name = name.or_else(|| environment.get("CUTAWAY_PROFILE").map(str::trim));
        let name = name.filter(|name| base.is_none() || *name != LOCAL_PROFILE);
        // A default profile's key and hosts belong to that profile's service, not to another base URL.
        let name = name.or_else(|| base.is_none().then_some(config.default_profile.as_deref()).flatten());
        // Silence means the local workspace only in a configuration of which everything could be read. A base URL, or
        // the local workspace by its name, is meant whatever the configuration says.
        let fault = match name {
            _ if base.is_some() => None,
            None => config.fault.clone(),
            Some(name) if name != LOCAL_PROFILE => config.profile_faults.get(name).cloned(),
            Some(_) => None,
        };
        let name = if base.is_none() { Some(name.unwrap_or(LOCAL_PROFILE)) } else { name };
        Ok(Self { name, base, fault })
    }
}

/// What a person should know of a place before a key is used there.
fn warnings(place: &Place, environment: &Environment) -> Vec<String> {
    match place {
        Place::Local if environment.get("CUTAWAY_API_KEY").is_some() => {
            vec!["CUTAWAY_API_KEY is not used: the local workspace has its own key".to_owned()]
        }
        Place::Local => Vec::new(),
        Place::Remote(hosts) => {
            let open = |url: &Url| url.scheme() == "http" && !is_loopback(url) && is_private(url);
            let told = |(word, url): (&str, &Url)| {
                format!("the {word} host {url} is plain http: whoever shares that network can read the key")
            };
            hosts.all().filter(|(_, url)| open(url)).map(told).collect()
        }
    }
}

struct Given<'a> {
    environment: &'a Environment,
}

impl Given<'_> {
    /// The address, and what named it.
    fn address(
        &self,
        flag: Option<&str>,
        name: &'static str,
        twin: &'static str,
    ) -> Result<Option<(&'static str, Url)>, TargetError> {
        let (given, text) = match (flag, self.environment.get(twin)) {
            (Some(text), _) => (name, text),
            (None, Some(text)) => (twin, text),
            (None, None) => return Ok(None),
        };
        host_url(text).map(|url| Some((given, url))).map_err(|why| TargetError::Address { given, why })
    }
}

fn named(name: &str, config: &Config) -> Result<Profile, TargetError> {
    let profile = config.profiles.get(name).cloned();
    if name == LOCAL_PROFILE {
        // It may be given a store or a theme, but it is always the local workspace.
        let own = profile.unwrap_or_default();
        return Ok(Profile { base_url: None, lb_base_url: None, upload_url: None, auth_url: None, ..own });
    }
    profile.ok_or_else(|| {
        let known: Vec<_> =
            config.profiles.keys().filter(|name| *name != LOCAL_PROFILE).map(|name| shown_word(name)).collect();
        let known = match (&*known, config.warnings.first().filter(|_| config.unreadable)) {
            (_, Some(warning)) => warning.clone(),
            ([], None) => "the configuration has none besides local".to_owned(),
            (known, None) => format!("there are local, {}", known.join(", ")),
        };
        TargetError::NoProfile { name: name.to_owned(), known }
    })
}

fn credential(
    place: &Place,
    profile: Option<&str>,
    flags: &Flags,
    environment: &Environment,
    credentials: &Credentials,
) -> (Option<Secret>, CredentialSource) {
    if *place == Place::Local {
        return (None, CredentialSource::LocalWorkspace);
    }
    if let Some(key) = &flags.api_key {
        return (Some(Secret::Key(key.clone())), CredentialSource::StandardInput);
    }
    if let Some(key) = environment.get("CUTAWAY_API_KEY") {
        return (Some(Secret::Key(ApiKey::new(key))), CredentialSource::Environment);
    }
    match profile.and_then(|profile| credentials.entry(profile)) {
        Some(Entry::Here(secret)) => (Some(secret.clone()), CredentialSource::File),
        Some(Entry::Keyring) => (None, CredentialSource::Keyring),
        None => (None, CredentialSource::Missing),
    }
}

fn read_only(
    flags: &Flags,
    environment: &Environment,
    profile: &Profile,
) -> Result<Option<ReadOnlyReason>, TargetError> {
    // Read-only only ever adds up: nothing that is more specific can take it away again.
    let by_environment = match environment.get("CUTAWAY_READ_ONLY").map(|value| value.trim().to_ascii_lowercase()) {
        None => false,
        Some(value) => match value.as_str() {
            "1" | "true" | "yes" | "on" => true,
            "0" | "false" | "no" | "off" => false,
            _ => return Err(TargetError::Value(format!("CUTAWAY_READ_ONLY is true or false, not {value:?}"))),
        },
    };
    Ok(if flags.read_only_key {
        Some(ReadOnlyReason::Key)
    } else if flags.read_only {
        Some(ReadOnlyReason::Flag)
    } else if by_environment {
        Some(ReadOnlyReason::Environment)
    } else {
        profile.read_only.then_some(ReadOnlyReason::Profile)
    })
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
