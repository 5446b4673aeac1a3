//! From a [`Target`] to a client that works.

use std::sync::Arc;

use thiserror::Error;
use url::Url;

use crate::client::{Client, ClientOptions, Hosts, Observe};
use crate::domain::{ApiKey, StoreUrl};
use crate::settings::{Folders, NoHome, Place, Target};

/// A service to work with.
pub struct Connection {
    /// Calls its operations.
    pub client: Client,
    /// Where it is.
    pub base_url: Url,
    /// The store to work with: the one that was named, else the first that is known.
    pub store: Option<StoreUrl>,
    /// The stores that are known.
    pub stores: Vec<StoreUrl>,
}

/// Why there is no connection.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The local workspace has no place for its files.
    #[error("the local workspace has no folder: {0}")]
    NoHome(#[from] NoHome),
    /// The local workspace can't be served.
    #[error("the local workspace can't be served: {0}")]
    Local(String),
}

/// Makes the client of a target. A remote service is not touched yet, so a host that is down delays nothing; the local
/// workspace is attached to, or served from here, and tells its progress while it loads the sample store.
///
/// # Errors
/// Where the local workspace can't be attached to.
pub async fn connect(
    target: &Target,
    folders: &Folders,
    observer: Option<Arc<dyn Observe>>,
) -> Result<Connection, ConnectError> {
    match &target.place {
        Place::Remote(hosts) => Ok(remote(target, hosts, observer)),
        Place::Local => local(target, folders, observer).await,
    }
}

fn remote(target: &Target, hosts: &Hosts, observer: Option<Arc<dyn Observe>>) -> Connection {
    let options = options(target, hosts.clone(), target.credential.clone(), observer);
    finish(target, options, target.stores.clone())
}

fn options(
    target: &Target,
    hosts: Hosts,
    credential: Option<ApiKey>,
    observer: Option<Arc<dyn Observe>>,
) -> ClientOptions {
    ClientOptions { credential, read_only: target.read_only.is_some(), observer, ..ClientOptions::new(hosts) }
}

fn finish(target: &Target, options: ClientOptions, stores: Vec<StoreUrl>) -> Connection {
    let base_url = options.hosts.base.clone();
    let store = target.app_url.clone().or_else(|| stores.first().cloned());
    Connection { client: Client::new(options), base_url, store, stores }
}

#[allow(clippy::unused_async)] // Attaching waits; the service's room arrives with the next merge.
async fn local(
    _target: &Target,
    folders: &Folders,
    _observer: Option<Arc<dyn Observe>>,
) -> Result<Connection, ConnectError> {
    let folder = folders.local_workspace()?;
    Err(ConnectError::Local(format!("this build can't open {}", folder.display())))
}
