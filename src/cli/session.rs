//! What a command works with: the environment, the folders, the target, and the connection made of them.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, OnceLock};

use super::{Failure, GlobalFlags, names, telling};
use crate::api::Operation;
use crate::client::ClientError;
use crate::domain::StoreUrl;
use crate::runtime::connection::{self, Connection, LocalWorkspace};
use crate::settings::{Config, CredentialSource, Credentials, Environment, Folders, Target};

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
    /// Why the credential file could not be read.
    pub(super) credentials_fault: Option<String>,
    /// The local workspace, once it is connected to.
    workspace: OnceLock<Arc<LocalWorkspace>>,
}

/// The process's environment. Names or values that are no UTF-8 can't be ours.
pub(super) fn environment() -> Environment {
    let variables = std::env::vars_os();
    variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect()
}

/// The configuration, or its defaults where no home is known.
pub(super) fn config(folders: &Folders) -> Config {
    folders.config_file().map(|path| Config::read(&path)).unwrap_or_default()
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
        let environment = environment();
        let folders = Folders::find(&environment);
        let config = config(&folders);
        let read = folders.credentials_file().map(|path| Credentials::read(&path));
        let (credentials, credentials_fault) = match read {
            Ok(Ok(credentials)) => (credentials, None),
            Ok(Err(fault)) => (Credentials::default(), Some(fault.to_string())),
            Err(_) => (Credentials::default(), None),
        };
        let target = Target::resolve(&flags.read()?, &environment, &config, &credentials)?;
        Ok(Self { environment, folders, config, target, credentials_fault, workspace: OnceLock::new() })
    }

    /// Connects, and says on standard error what is odd about the target.
    ///
    /// # Errors
    /// Where there is no credential, the local workspace can't be served, or a fault of the configuration leaves it
    /// open whether this is the place that was meant.
    pub async fn connect(&self) -> Result<Connection, Failure> {
        self.target.sure()?;
        self.target.warnings.iter().for_each(|warning| warn(warning));
        if self.target.credential_source == CredentialSource::Missing {
            let why = self.credentials_fault.clone().unwrap_or_else(|| {
                "no credential: give CUTAWAY_API_KEY, pipe a key in with --api-key-stdin, or name a --profile that has one"
                    .to_owned()
            });
            return Err(Failure::NoCredential(why));
        }
        let connection = connection::connect(&self.target, &self.folders, telling::observer(), progress()).await?;
        names::keep_stores(self, connection.stores.iter().map(StoreUrl::as_str));
        if let Some(workspace) = &connection.workspace {
            let _ = self.workspace.set(Arc::clone(workspace));
        }
        Ok(connection)
    }

    /// Refuses what would change something where that is not wanted. Asked before anything is connected to: also the
    /// local workspace is not started for what will not happen.
    ///
    /// # Errors
    /// Where the target is read-only, or it is open whether it is the one that was meant.
    pub fn may_write<O: Operation>(&self) -> Result<(), Failure> {
        self.target.sure()?;
        match self.target.read_only {
            Some(_) => Err(ClientError::ReadOnly { operation: O::ROW.name }.into()),
            None => Ok(()),
        }
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
                "no store: give --app-url, CUTAWAY_APP_URL, or a profile with app_url".to_owned(),
            ));
        }
        let connection = self.connect().await?;
        match connection.store.clone() {
            Some(store) => Ok((connection, store)),
            None => Err(Failure::Usage("the local workspace has no store yet: give --app-url".to_owned())),
        }
    }
}

/// Says on a terminal that the sample store is being loaded, which happens once.
fn progress() -> impl FnMut(u64) + Send + 'static {
    let shown = telling::wanted() && io::stderr().is_terminal();
    let mut said = false;
    move |_| {
        if shown && !said {
            said = true;
            let _ = writeln!(io::stderr(), "cutaway: loading the sample store into the local workspace");
        }
    }
}
