//! What a command works with: the environment, the folders, the target, and the connection made of them.

use std::io::{self, Write as _};
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::names::{self, Naming};
use super::surroundings::{config, environment};
use super::{Failure, GlobalFlags, confirm, streams, telling};
use crate::api::Operation;
use crate::client::ClientError;
use crate::domain::StoreUrl;
use crate::runtime::connection::{self, Connection, Hooks, LocalWorkspace};
use crate::runtime::sitting::Start;
use crate::settings::{
    Config, CredentialSource, CredentialStore, Credentials, Environment, Flags, Folders, Place, Target,
};

/// The process's surroundings, read once.
pub struct Session {
    /// The variables.
    pub environment: Environment,
    /// Where files are.
    pub folders: Folders,
    /// What `config.toml` says.
    pub config: Config,
    /// Where the command works, and as whom.
    pub target: Target,
    /// The flags as they were given.
    pub(super) flags: Flags,
    /// Whether the studio is to start at its beginning.
    pub(super) fresh: bool,
    /// Whether the studio is to be a dialogue of lines.
    pub(super) is_plain: bool,
    /// Why the credential file could not be read.
    pub(super) credentials_fault: Option<String>,
    /// The local workspace, once it is connected to.
    workspace: OnceLock<Arc<LocalWorkspace>>,
}

/// Says something beside the output.
pub(super) fn warn(warning: &str) {
    telling::hint(&format!("cutaway: warning: {warning}"));
}

/// Says how it goes beside the output.
pub(super) fn note(note: &str) {
    telling::hint(&format!("cutaway: {note}"));
}

impl Session {
    /// Resolves the target of these flags. Touches no network.
    ///
    /// # Errors
    /// Where flags, environment or configuration contradict themselves.
    pub fn open(flags: &GlobalFlags) -> Result<Self, Failure> {
        let given = streams::given();
        let environment = if given.is_some() { Environment::default() } else { environment()? };
        let folders = given.as_ref().map_or_else(|| Folders::find(&environment), |given| given.folders.clone());
        let config = config(&folders);
        let read = folders.credentials_file().map(|path| Credentials::read(&path));
        let (credentials, credentials_fault) = match read {
            Ok(Ok(credentials)) => (credentials, None),
            Ok(Err(fault)) => (Credentials::default(), Some(fault.to_string())),
            Err(_) => (Credentials::default(), None),
        };
        let is_plain = flags.is_plain(&environment);
        let flags = flags.read()?;
        let flags = Flags { read_only_key: given.is_some_and(|given| given.read_only), ..flags };
        let target = Target::resolve(&flags, &environment, &config, &credentials)?;
        Ok(Self {
            environment,
            folders,
            config,
            target,
            flags,
            fresh: false,
            is_plain,
            credentials_fault,
            workspace: OnceLock::new(),
        })
    }

    /// Where a studio begins.
    #[must_use]
    pub fn start(&self) -> Start {
        Start {
            target: self.target.clone(),
            flags: self.flags.clone(),
            config: self.config.clone(),
            fresh: self.fresh,
            credentials_fault: self.credentials_fault.clone(),
        }
    }

    /// Where credentials are kept, where there is a home.
    #[must_use]
    pub fn credential_store(&self) -> Option<CredentialStore> {
        // A guest has no credentials here, and nothing of the owner's keyring.
        if streams::given().is_some() {
            return None;
        }
        CredentialStore::new(&self.folders, &self.environment).ok()
    }

    /// That there is a key to say who asks, for the place that was meant.
    ///
    /// # Errors
    /// Where there is none, or a fault of the configuration leaves it open whether this is that place.
    pub fn has_credential(&self) -> Result<(), Failure> {
        self.target.sure()?;
        belongs(&self.target)?;
        if self.target.credential_source == CredentialSource::Missing {
            let why = self.credentials_fault.clone().unwrap_or_else(|| {
                "no credential: run `cutaway login`, set CUTAWAY_API_KEY, pipe a key in with --api-key-stdin, or choose a \
                 --profile that has one"
                    .to_owned()
            });
            return Err(Failure::NoCredential(why));
        }
        Ok(())
    }

    /// The service as a person knows it.
    fn host(&self) -> String {
        match &self.target.place {
            Place::Local => "the local workspace".to_owned(),
            Place::Remote(hosts) => hosts.base.host_str().unwrap_or_default().to_owned(),
        }
    }

    /// Connects, and says on standard error what is odd about the target.
    ///
    /// # Errors
    /// Where there is no credential, the local workspace can't be served, or a fault of the configuration leaves it
    /// open whether this is the place that was meant.
    pub fn connect(&self) -> BoxFuture<'_, Result<Connection, Failure>> {
        FutureExt::boxed(async move {
            self.has_credential()?;
            self.target.warnings.iter().for_each(|warning| warn(warning));
            let (store, workspace) = (self.credential_store(), self.workspace_of_guest()?);
            let hooks = Hooks { observer: telling::observer(self.host()), workspace, ..Hooks::default() };
            let asks_keyring = self.target.credential_source == CredentialSource::Keyring;
            let waiting = asks_keyring.then(telling::WhereItTakesLong::keyring);
            let connected = connection::connect(&self.target, &self.folders, store.as_ref(), hooks, progress());
            let connection = connected.await?;
            drop(waiting);
            names::keep_stores(&self.folders, &self.target, connection.stores.iter().map(StoreUrl::as_str));
            if let Some(workspace) = &connection.workspace {
                let _ = self.workspace.set(Arc::clone(workspace));
            }
            Ok(connection)
        })
    }

    /// The workspace of a guest, as they may use it; nothing where there is none. Their own settings lead nowhere else.
    fn workspace_of_guest(&self) -> Result<Option<Arc<LocalWorkspace>>, Failure> {
        let Some(given) = streams::given() else { return Ok(None) };
        if !self.target.is_local() {
            return Err(Failure::Usage("only the workspace of this server can be used over SSH".to_owned()));
        }
        let folder = self.folders.local_workspace().map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(Some(Arc::new(LocalWorkspace::with_key(folder, Some(given.key.clone())))))
    }

    /// Refuses what would change something where that is not wanted. Asked before anything is connected to: also the
    /// local workspace is not started for what will not happen.
    ///
    /// # Errors
    /// Where the target is read-only, or it is open whether it is the one that was meant.
    pub fn may_write<O: Operation>(&self) -> Result<(), Failure> {
        self.target.sure()?;
        match self.target.read_only {
            Some(by) => Err(ClientError::ReadOnly { operation: O::ROW.name, by: Some(by.to_string()) }.into()),
            None if self.target.live => self.may_write_live(O::ROW.name),
            None => Ok(()),
        }
    }

    /// Keeps what an answer of this operation names, for completions.
    pub(super) fn keep_names<O: Naming>(&self, body: &[u8]) {
        names::keep::<O>(&self.folders, &self.target, body);
    }

    /// Whether the profile was named for this process, not only by the configuration.
    fn is_named(&self) -> bool {
        self.flags.profile.is_some() || self.environment.get("CUTAWAY_PROFILE").is_some()
    }

    /// The profile whose changes a person is asked about before an agent makes them: one that is live.
    #[must_use]
    pub fn asks_for_agents(&self) -> Option<&str> {
        self.target.live.then(|| self.target.name())
    }

    /// A live profile asks; a script, which can't be asked, has to have named it.
    fn may_write_live(&self, operation: &'static str) -> Result<(), Failure> {
        let name = self.target.name();
        if streams::is_typed() && streams::errors_are_shown() {
            let question = format!("{name} is live: customers will see what {operation} changes. Continue?");
            return confirm::question(&question, "nothing was changed");
        }
        if self.is_named() {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "{name} is live, and there is no terminal to ask for confirmation; choose it explicitly with --profile {name:?}"
        )))
    }

    /// Lets others' requests finish, where this process served the local workspace meanwhile.
    pub async fn close(&self) {
        if let Some(workspace) = self.workspace.get() {
            workspace.close().await;
        }
    }

    /// Connects for a command that needs a store.
    ///
    /// # Errors
    /// As [`Self::connect`], and where no store is known.
    pub async fn connect_to_store(&self) -> Result<(Connection, StoreUrl), Failure> {
        self.target.sure()?;
        if !self.target.is_local() && self.target.app_url.is_none() {
            return Err(Failure::Usage(
                "no store: use --app-url, CUTAWAY_APP_URL or a profile with app_url".to_owned(),
            ));
        }
        let connection = self.connect().await?;
        match connection.store.clone() {
            Some(store) => Ok((connection, store)),
            None => Err(Failure::Usage("the local workspace has no store yet; use --app-url".to_owned())),
        }
    }
}

/// That a credential that is kept with the profile is used at the profile's own addresses.
///
/// # Errors
/// Where an address beside the profile is of another origin.
pub(super) fn belongs(target: &Target) -> Result<(), Failure> {
    target.refused.clone().map_or(Ok(()), |why| Err(Failure::NoCredential(why)))
}

/// Says on a terminal that the sample store is being loaded, which happens once.
fn progress() -> impl FnMut(u64) + Send + 'static {
    let shown = telling::wanted() && streams::errors_are_shown();
    let mut said = false;
    move |_| {
        if shown && !said {
            said = true;
            let _ = writeln!(io::stderr(), "cutaway: loading the sample store into the local workspace");
        }
    }
}
