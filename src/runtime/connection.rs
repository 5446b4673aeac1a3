//! From a [`Target`] to a client that works.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use thiserror::Error;
use tokio::sync::Mutex;
use url::Url;

use super::signing::{Access, access};
use super::tasks::Tasks;
use crate::client::{AskSignIn, AskWrite, Client, ClientOptions, Hosts, Locate, Located, Observe, OwnProducts, Pools};
use crate::domain::{ApiKey, StoreUrl};
use crate::service::Running;
use crate::service::local::{Attached, LocalError, attach, handed_out, wake};
use crate::settings::{CredentialSource, CredentialStore, CredentialsError, Folders, NoHome, Place, Secret, Target};

/// A service to work with.
pub struct Connection {
    /// Calls its operations.
    pub client: Client,
    /// Where it is; the local workspace may move later, see [`Client::hosts`].
    pub base_url: Url,
    /// The store to work with: the one that was named, else the first that is known.
    pub store: Option<StoreUrl>,
    /// The stores that are known.
    pub stores: Vec<StoreUrl>,
    /// The local workspace, where that is what it is.
    pub workspace: Option<Arc<LocalWorkspace>>,
}

impl Connection {
    /// Where the service is, for people: the local workspace has a name only.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.workspace {
            Some(_) => "local".to_owned(),
            None => self.client.hosts().base.to_string(),
        }
    }
}

/// Why there is no connection.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The local workspace has no place for its files.
    #[error("the local workspace has no folder: {0}")]
    NoHome(#[from] NoHome),
    /// The local workspace can't be reached.
    #[error(transparent)]
    Local(#[from] LocalError),
    /// The credential can't be had.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
}

/// Who is told of what a client does.
#[derive(Default)]
pub struct Hooks {
    /// Told of every exchange.
    pub observer: Option<Arc<dyn Observe>>,
    /// Asked when the credential is missing or refused.
    pub ask_sign_in: Option<Arc<dyn AskSignIn>>,
    /// Asked before anything is changed.
    pub ask_write: Option<Arc<dyn AskWrite>>,
    /// The local workspace, where others in this process may use it too; none is one of its own.
    pub workspace: Option<Arc<LocalWorkspace>>,
    /// Connections that others in this process use too.
    pub pools: Pools,
    /// What a sign-in is renewed in, where it is to be waited for at the end.
    pub tasks: Option<Tasks>,
}

/// The local workspace as this process sees it: served from here, or by the process that came first. When that one
/// ends, the first call that is refused takes the workspace over and goes on here.
pub struct LocalWorkspace {
    folder: PathBuf,
    /// The key that it is worked with, where that is not its owner's.
    key: Option<ApiKey>,
    serving: Mutex<Option<Running>>,
    /// Held while it is attached to: who comes second in this process waits until the first one serves it, however long
    /// its sample store takes.
    attaching: Mutex<()>,
    /// The socket of the process that served it when it was attached to last.
    socket: std::sync::Mutex<Option<PathBuf>>,
}

impl LocalWorkspace {
    /// That of a folder; nobody is asked yet.
    #[must_use]
    pub fn of(folder: PathBuf) -> Self {
        Self::with_key(folder, None)
    }

    /// The same, worked with by a key of one's own, which may be allowed less than the owner's.
    #[must_use]
    pub fn with_key(folder: PathBuf, key: Option<ApiKey>) -> Self {
        Self {
            folder,
            key,
            serving: Mutex::default(),
            attaching: Mutex::default(),
            socket: std::sync::Mutex::default(),
        }
    }

    /// The socket by which it was reached last; none where there are no sockets.
    #[must_use]
    pub fn socket(&self) -> Option<PathBuf> {
        self.socket.lock().ok()?.clone()
    }

    /// The same, now that nobody listens on the last one.
    pub async fn socket_again(&self) -> Option<PathBuf> {
        self.attach(|_| ()).await.ok()?.socket
    }

    /// Whether this process serves it.
    pub async fn is_served_here(&self) -> bool {
        self.serving.lock().await.is_some()
    }

    /// Stops serving, where it is served from here: requests in flight finish first (10 s at most).
    pub async fn close(&self) {
        let serving = self.serving.lock().await.take();
        if let Some(running) = serving {
            running.stop().await;
        }
    }

    async fn attach(&self, on_progress: impl FnMut(u64) + Send + 'static) -> Result<Attached, LocalError> {
        let _one = self.attaching.lock().await;
        let mut attached = attach(&self.folder, on_progress).await?;
        if let Ok(mut socket) = self.socket.lock() {
            socket.clone_from(&attached.socket);
        }
        if let Some(key) = &self.key {
            attached.api_key = key.clone();
        }
        if let Some(running) = attached.serving.take() {
            *self.serving.lock().await = Some(running);
        }
        Ok(attached)
    }
}

impl Locate for LocalWorkspace {
    fn locate(&self) -> BoxFuture<'_, Result<Located, String>> {
        Box::pin(async {
            let attached = self.attach(|_| ()).await.map_err(|error| error.to_string())?;
            Ok(Located { base: attached.base_url, socket: attached.socket, key: attached.api_key })
        })
    }

    fn rouse(&self) {
        let folder = self.folder.clone();
        drop(tokio::task::spawn_blocking(move || wake(&folder)));
    }

    fn handed_out(&self, address: &Url) -> bool {
        handed_out(&self.folder, address)
    }
}

/// Makes the client of a target. A remote service is not touched yet, so a host that is down delays nothing; the local
/// workspace is attached to, or served from here. While it loads its sample store for the first time, `on_progress` is
/// told how many products are in. `store` is where renewed tokens are kept, and the keyring asked.
///
/// # Errors
/// Where the local workspace can neither be served nor attached to, or the keyring does not hand the credential out.
pub fn connect<'a>(
    target: &'a Target,
    folders: &'a Folders,
    store: Option<&'a CredentialStore>,
    hooks: Hooks,
    on_progress: impl FnMut(u64) + Send + 'static,
) -> BoxFuture<'a, Result<Connection, ConnectError>> {
    connect_told(target, folders, store, hooks, Box::new(on_progress)).boxed()
}

async fn connect_told(
    target: &Target,
    folders: &Folders,
    store: Option<&CredentialStore>,
    hooks: Hooks,
    on_progress: Box<dyn FnMut(u64) + Send>,
) -> Result<Connection, ConnectError> {
    let options = |hosts: Hosts, access: Access| ClientOptions {
        credential: access.key,
        tokens: access.tokens,
        ask_sign_in: hooks.ask_sign_in,
        ask_write: hooks.ask_write,
        read_only: target.read_only.is_some(),
        observer: hooks.observer,
        pools: hooks.pools,
        ..ClientOptions::new(hosts)
    };
    let (options, stores, workspace) = match &target.place {
        Place::Remote(hosts) => {
            let secret = match (&target.credential, target.credential_source, &target.profile, store) {
                (None, CredentialSource::Keyring, Some(profile), Some(store)) => load(store, profile).await?,
                (secret, ..) => secret.clone(),
            };
            let access = access(secret, hosts, target.profile.as_deref(), store, hooks.tasks.clone());
            let stores = target.stores.iter().map(|store| store.url.clone()).collect();
            // The local workspace keeps the products of steps; of another service that is found out.
            let own_products = folders.state().ok().map(|state| OwnProducts::of(&state.join("products")));
            (ClientOptions { own_products, ..options((**hosts).clone(), access) }, stores, None)
        }
        Place::Local => {
            let workspace = match hooks.workspace.clone() {
                Some(shared) => shared,
                None => Arc::new(LocalWorkspace::of(folders.local_workspace()?)),
            };
            let attached = workspace.attach(on_progress).await?;
            let hosts = Hosts::single(attached.base_url);
            let locate: Arc<dyn Locate> = workspace.clone();
            let access = Access { key: Some(attached.api_key), tokens: None };
            let options = ClientOptions { socket: attached.socket, locate: Some(locate), ..options(hosts, access) };
            (options, attached.stores, Some(workspace))
        }
    };
    let base_url = options.hosts.base.clone();
    let named = target.app_url.as_ref().map(|url| url.known_as(stores.iter()));
    let store = named.or_else(|| stores.first().cloned());
    Ok(Connection { client: Client::new(options), base_url, store, stores, workspace })
}

/// The credential of a profile, wherever it is kept.
async fn load(store: &CredentialStore, profile: &str) -> Result<Option<Secret>, CredentialsError> {
    let (store, profile) = (store.clone(), profile.to_owned());
    let loaded = tokio::task::spawn_blocking(move || store.load(&profile)).await;
    loaded.unwrap_or_else(|error| Err(CredentialsError::Keyring(error.to_string())))
}
