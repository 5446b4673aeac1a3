//! What the sittings of one process share: the local workspaces that it serves, the decoder and the cache of pictures,
//! the watchers of theme files, and connections to services.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use tokio::runtime::Handle;

use super::connection::LocalWorkspace;
use super::pictures::SharedPictures;
use super::themes::Watchers;
use crate::client::Pools;
use crate::domain::ApiKey;

/// What sittings share. It outlives all of them.
#[derive(Default)]
pub struct House {
    workspaces: Mutex<HashMap<Of, Shared>>,
    pools: Pools,
    pictures: Arc<SharedPictures>,
    themes: Watchers,
}

/// A folder, and the key that it is worked with where that is not its owner's.
type Of = (PathBuf, Option<String>);

struct Shared {
    workspace: Arc<LocalWorkspace>,
    leases: usize,
}

impl House {
    /// The local workspace of a folder, the same for all who use it with the same key; without one with its owner's. It is
    /// served from here, where it is, until the last lease is given back.
    #[must_use]
    pub fn workspace(self: &Arc<Self>, folder: &Path, key: Option<&ApiKey>) -> Lease {
        let of = (folder.to_owned(), key.map(|key| key.expose().to_owned()));
        let mut workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = workspaces.entry(of.clone()).or_insert_with(|| Shared {
            workspace: Arc::new(LocalWorkspace::with_key(folder.to_owned(), key.cloned())),
            leases: 0,
        });
        shared.leases += 1;
        let workspace = Arc::clone(&shared.workspace);
        Lease { house: Arc::clone(self), of, workspace, is_back: false }
    }

    /// One lease less; the workspace, where that was the last.
    fn give_back(&self, of: &Of) -> Option<Arc<LocalWorkspace>> {
        let mut workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = workspaces.get_mut(of)?;
        shared.leases -= 1;
        if shared.leases > 0 {
            return None;
        }
        workspaces.remove(of).map(|shared| shared.workspace)
    }

    /// The connections to services.
    #[must_use]
    pub fn pools(&self) -> Pools {
        self.pools.clone()
    }

    /// The decoder and the cache of pictures.
    #[must_use]
    pub fn pictures(&self) -> Arc<SharedPictures> {
        Arc::clone(&self.pictures)
    }

    /// The watchers of theme files.
    #[must_use]
    pub fn themes(&self) -> &Watchers {
        &self.themes
    }
}

/// The right of one sitting to use a local workspace.
pub struct Lease {
    house: Arc<House>,
    of: Of,
    workspace: Arc<LocalWorkspace>,
    is_back: bool,
}

impl Lease {
    /// The workspace.
    #[must_use]
    pub fn workspace(&self) -> &Arc<LocalWorkspace> {
        &self.workspace
    }

    /// Gives it back: where nobody else uses the workspace and it is served from here, that ends, once the requests in
    /// flight have finished (10 s at most).
    pub async fn give_back(mut self) {
        self.is_back = true;
        if let Some(workspace) = self.house.give_back(&self.of) {
            workspace.close().await;
        }
    }

    /// Stops serving it for a while, where nobody else uses it.
    pub async fn pause(&self) {
        let is_only = {
            let workspaces = self.house.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
            workspaces.get(&self.of).is_none_or(|shared| shared.leases == 1)
        };
        if is_only {
            self.workspace.close().await;
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Its sitting panicked.
        let last = if self.is_back { None } else { self.house.give_back(&self.of) };
        if let (Some(workspace), Ok(runtime)) = (last, Handle::try_current()) {
            runtime.spawn(FutureExt::boxed(async move { workspace.close().await }));
        }
    }
}
