//! Answers the wire: the local workspace of §4, over SQLite, on a port.
//!
//! [`Service::open`] takes a data folder, [`Service::start`] serves it; [`local::attach`] is the way of the `local`
//! profile, where the first process serves and later ones attach to it.

mod address;
mod backup;
mod blobs;
mod checks;
mod delivery;
mod door;
mod escapes;
mod folder;
mod forget;
pub mod guests;
mod http;
pub mod ingress;
mod janitor;
mod limits;
pub mod local;
mod needle;
pub mod offline;
mod private;
mod record;
pub mod sample;
pub mod search;
pub mod store;
mod timing;
mod visits;
mod waking;
mod wrong;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use ipnet::IpNet;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use url::Url;

use crate::domain::{ApiKey, StoreUrl};
use blobs::{Blobs, OpenError};
use delivery::Courier;
use folder::Folder;
use guests::GuestBook;
use http::{App, Door, OwnKey, Tls};
use record::Reached;
use store::{Identity, NewKey, NewStore, Store, StoreError};

pub use backup::{Backup, BackupError, MOST_BACKUPS};
pub use blobs::{HEAD, PlaceError, S3Place, video_type};
pub use folder::{FolderError, SSH, ServedBy, WORKSPACES};
pub(crate) use http::player_settings as player_settings_schema;
pub use http::{TlsError, TlsFiles};
pub use ingress::PublicUrl;
pub use limits::VisitorLimits;
#[cfg(unix)]
pub(crate) use private::{socket_folder, socket_folders};
pub use store::{DatabasePlace, DatabasePlaceError};
pub use timing::Timing;

/// Why the service can't be opened or started.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The data folder can't be served.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The database refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The files of uploaded videos can't be opened.
    #[error("the folder of videos: {0}")]
    Videos(String),
    /// The files of uploaded videos are not where they are to be served from, or can't be; the sentence says why.
    #[error("{0}")]
    Files(String),
    /// A backup could not be made.
    #[error("no backup was made: {0}")]
    Backup(BackupError),
    /// An import stopped.
    #[error(transparent)]
    Import(#[from] sample::ImportError),
    /// The certificate can't be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// What is to be forgotten is no address.
    #[error("{0:?} is not an e-mail address")]
    Email(String),
    /// A file beside the database could not be searched.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the file system said.
        error: std::io::Error,
    },
    /// The address can't be listened on.
    #[error("{addr}: {error}")]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// What the system said.
        error: std::io::Error,
    },
}

/// How a service is opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServeOptions {
    /// The folder that holds everything; made where it is missing.
    pub data: PathBuf,
    /// The largest video that may be uploaded, bytes; none is too large without.
    pub max_upload: Option<u64>,
    /// The database, where that is not in the folder: others may serve it too.
    pub database: Option<DatabasePlace>,
    /// A copy of it that pages of catalogs may be read from.
    pub read_database: Option<DatabasePlace>,
    /// How long things last that end by themselves.
    pub timing: Timing,
    /// Whether webhooks may be delivered to this machine and the networks around it.
    pub allow_private_webhooks: bool,
    /// The address under which others reach the service, where that is not the one that it listens on.
    pub public_url: Option<PublicUrl>,
    /// Proxies that are believed about who asks.
    pub trusted_proxies: Vec<IpNet>,
    /// The certificate that is shown, where the service speaks TLS.
    pub tls: Option<TlsFiles>,
    /// Connections served at once; 1,024 without.
    pub max_connections: Option<usize>,
    /// What visitors of the player may write.
    pub visitors: VisitorLimits,
    /// Where the files of uploaded videos are kept, where that is not the data folder.
    pub blobs: Option<S3Place>,
    /// Whether players read files from there, instead of through the service.
    pub redirect_files: bool,
    /// Whether what deleted videos left at the place before is left there, to be removed by hand.
    pub leave_files: bool,
}

/// A data folder, taken and open, not served yet.
pub struct Service {
    app: Arc<App>,
    folder: Folder,
    owner: Identity,
    allow_private_webhooks: bool,
    tls: Option<Arc<Tls>>,
}

impl Service {
    /// Takes a data folder and opens its database, or makes them.
    ///
    /// # Errors
    /// [`FolderError::Served`] where another process serves the folder; else what the file system or database said.
    pub fn open(options: ServeOptions) -> BoxFuture<'static, Result<Self, ServiceError>> {
        FutureExt::boxed(async move {
            let tls = options.tls.as_ref().map(Tls::load).transpose()?.map(Arc::new);
            let folder = Folder::take(&options.data)?;
            let store = match &options.database {
                Some(place) => {
                    let store = Store::open_shared(place).await?;
                    Arc::new(match &options.read_database {
                        Some(place) => store.with_replica(place.clone()).await?,
                        None => store,
                    })
                }
                None => Arc::new(Store::open_waiting(folder.path(), options.timing.busy)?),
            };
            let owner = store.own_workspace().await?;
            // Whoever holds the folder knows that the processes before it are over. Of a shared database nobody knows that:
            // what they held ends with its time.
            if !store.is_shared() {
                store.end_process_keys(None).await?;
                store.end_claims().await?;
                store.end_leases().await?;
            }
            let blobs = Blobs::open(folder.path(), &store, &options).await.map_err(|error| match error {
                OpenError::Store(error) => ServiceError::Store(error),
                OpenError::Blob(error) => ServiceError::Videos(error.to_string()),
                OpenError::Place(why) => ServiceError::Files(why),
            })?;
            let app = Arc::new(App::new(store, blobs, &options));
            Ok(Self { app, folder, owner, allow_private_webhooks: options.allow_private_webhooks, tls })
        })
    }

    /// The addresses of the workspace's stores, in the order in which they were connected, a made-up catalog last.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn app_urls(&self) -> Result<Vec<StoreUrl>, ServiceError> {
        let stores = self.app.store.stores(self.owner.workspace).await?;
        let mut urls: Vec<StoreUrl> = stores.into_iter().map(|store| store.app_url).collect();
        urls.sort_by_key(|url| url.as_str() == sample::SYNTHETIC_URL);
        Ok(urls)
    }

    /// Whether no store has a product yet. A start that was cut short, by a full disk or a person in a hurry, leaves a
    /// store that is connected and empty.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn is_empty(&self) -> Result<bool, ServiceError> {
        let stores = self.app.store.stores(self.owner.workspace).await?;
        Ok(stores.iter().all(|store| store.products == 0))
    }

    /// A new API key of the owner's.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn add_key(&self, name: Option<String>) -> Result<ApiKey, ServiceError> {
        Ok(self.app.store.add_key(&self.owner, NewKey { name, ..NewKey::default() }).await?)
    }

    /// A new API key of the owner's, which ends with this process.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn add_process_key(&self, name: &str) -> Result<ApiKey, ServiceError> {
        let (name, process) = (Some(name.to_owned()), Some(self.app.instance.clone()));
        let expires_at = self.app.store.is_shared().then(janitor::keys_until);
        Ok(self.app.store.add_key(&self.owner, NewKey { name, expires_at, process, ..NewKey::default() }).await?)
    }

    /// Whether viewers are asked for name and address at the end of a video.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn set_player_form(&self, on: bool) -> Result<(), ServiceError> {
        Ok(self.app.store.set_player_form(self.owner.workspace, on).await?)
    }

    /// A workspace beside the first, with an owner; a key of theirs.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn add_workspace(&self, email: &str) -> Result<ApiKey, ServiceError> {
        let owner = self.app.store.add_workspace(email.to_owned()).await?;
        Ok(self.app.store.add_key(&owner, NewKey::default()).await?)
    }

    /// What guests over SSH have in its database, where that is shared with other processes; on a folder they have files.
    #[must_use]
    pub fn guest_book(&self) -> Option<GuestBook> {
        let store = &self.app.store;
        store.is_shared().then(|| GuestBook::new(Arc::clone(store), tokio::runtime::Handle::current()))
    }

    /// Loads the sample store with the sample's projects and videos, where it is not there yet; `progress` is told how many products are in.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn load_sample(&self, progress: impl FnMut(u64) + Send + 'static) -> Result<(), ServiceError> {
        // Before the store: where this is cut off, the store is missing still, and the next start loads both.
        self.app.store.load_workspace(&self.owner, sample::workspace()?).await?;
        let (new, products) = sample::sample()?;
        let store = self.app.store.connect(self.owner.workspace, new.clone()).await?;
        if store.products > 0 {
            return Ok(());
        }
        match self.app.store.load(store.id, products.into_iter(), true, progress).await {
            // Another process that started together with this one was quicker.
            Err(_) if self.app.store.connect(self.owner.workspace, new).await?.products > 0 => Ok(()),
            done => Ok(done.map(drop)?),
        }
    }

    /// Loads a made-up catalog of so many products beside it; one that was begun is continued. `progress` is told how
    /// many products are in.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn load_synthetic(
        &self,
        products: u64,
        progress: impl FnMut(u64) + Send + 'static,
    ) -> Result<(), ServiceError> {
        let progress = Arc::new(Mutex::new(progress));
        let new = NewStore {
            app_url: StoreUrl::new(sample::SYNTHETIC_URL),
            name: Some("Synthetic".to_owned()),
            currency_code: Some("EUR".to_owned()),
            currency_symbol: Some("€".to_owned()),
        };
        let mut store = self.app.store.connect(self.owner.workspace, new.clone()).await?;
        loop {
            let there = u64::try_from(store.products).unwrap_or_default();
            if there >= products {
                return Ok(());
            }
            let progress = Arc::clone(&progress);
            let told = move |loaded| {
                if let Ok(mut progress) = progress.lock() {
                    progress(there + loaded);
                }
            };
            let Err(why) = self.app.store.load(store.id, sample::synthetic(there, products), true, told).await else {
                return Ok(());
            };
            // Another process that started together with this one loads them, too: what it brought isn't brought again.
            store = self.app.store.connect(self.owner.workspace, new.clone()).await?;
            if u64::try_from(store.products).unwrap_or_default() <= there {
                return Err(why.into());
            }
        }
    }

    /// Serves on this address too; port 0 takes a free one. Processes of the same user find the service by its folder.
    ///
    /// # Errors
    /// [`ServiceError::Listen`] where the address is taken or not this machine's.
    pub async fn start(self, listen: SocketAddr) -> Result<Running, ServiceError> {
        let bound = http::listen(listen).await;
        let bound = bound.map_err(|error| ServiceError::Listen { addr: listen, error })?;
        self.serve(Some(bound)).await
    }

    /// Serves processes of the same user, who find it by its folder, and opens a port for browsers when one is needed.
    pub(crate) async fn start_own(self) -> Result<Running, ServiceError> {
        self.serve(None).await
    }

    fn serve(self, listen: Option<http::Bound>) -> BoxFuture<'static, Result<Running, ServiceError>> {
        FutureExt::boxed(async move {
            let started = Instant::now();
            let scheme = if self.tls.is_some() { "https" } else { "http" };
            let base_url = listen.as_ref().map(|bound| format!("{scheme}://{}", bound.addr));
            let listen = listen.map(|bound| bound.secured(self.tls.clone()));
            let (app, folder) = (&self.app, self.folder.path());
            let key = store::fresh_key()?;
            let _ = app.own_key.set(OwnKey::new(key.clone(), self.owner.clone()));
            let stores = self.app_urls().await?;
            let open = door::bind(folder, &app.instance)
                .map_err(|error| FolderError::Io { path: folder.to_owned(), error })?;
            let socket = SocketFile(open.path);
            let reached =
                Reached { door: open.door, instance: app.instance.clone(), key: key.expose().to_owned(), stores };

            let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
            app.store.hurry();
            let router = http::router(Arc::clone(app));
            tasks.spawn(
                http::serve(open.listener, Door::Own, None, Arc::clone(app), router.clone(), stop.clone()).boxed(),
            );
            match (listen, &base_url) {
                (Some(bound), Some(base_url)) => {
                    app.own_address.set(base_url.clone());
                    tasks.spawn(bound.serve(Door::Listen, Arc::clone(app), router, stop.clone()).boxed());
                }
                _ => app.own_address.open_when_needed(app, folder, tasks.clone(), stop.clone()).await,
            }
            let courier = Courier { app: Arc::clone(app), allow_private: self.allow_private_webhooks };
            let clearing = (Arc::clone(app), stop.clone());
            tasks.spawn(FutureExt::boxed(async move { clearing.0.blobs.clear(clearing.1).await }));
            tasks.spawn(tidy(Arc::clone(app), courier, started, stop.clone()).boxed());
            // Last: whoever reads it is answered.
            self.folder.write_record(base_url.clone(), reached.clone())?;
            Ok(Running { base_url, reached, socket, service: self, tasks, stop: stop.drop_guard() })
        })
    }
}

/// Ends visits, delivers what is queued, and sweeps. What was kept for long enough is gone before anybody is told of it.
async fn tidy(app: Arc<App>, courier: Courier, started: Instant, stop: CancellationToken) {
    janitor::sweep(&app, started, &stop).await;
    let others = vec![
        tokio::spawn(janitor::run(Arc::clone(&app), stop.clone()).boxed()),
        tokio::spawn(visits::run(app, stop.clone()).boxed()),
        tokio::spawn(courier.run(stop).boxed()),
    ];
    for task in others {
        let _ = task.await;
    }
}

/// A service that answers. Dropping it stops it without waiting.
pub struct Running {
    base_url: Option<String>,
    reached: Reached,
    /// Goes before the service does, so that whoever comes then waits for the next process in place of this one.
    socket: SocketFile,
    service: Service,
    tasks: TaskTracker,
    stop: DropGuard,
}

impl Running {
    /// The address that it was told to listen on, with the port that was found, as clients write it; empty where it was
    /// told none.
    #[must_use]
    pub fn base_url(&self) -> &str {
        self.base_url.as_deref().unwrap_or_default()
    }

    /// The same, read.
    ///
    /// # Errors
    /// Where it was told none.
    pub fn url(&self) -> Result<Url, url::ParseError> {
        Url::parse(self.base_url())
    }

    /// How processes of the same user reach it.
    pub(in crate::service) fn reached(&self) -> &Reached {
        &self.reached
    }

    /// The service behind it.
    #[must_use]
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Says that it is not ready for as long as [`Timing::drain`] says, or until `at_once`, and answers meanwhile: what
    /// spreads requests over several processes then sends no more of them here.
    pub async fn drain(&self, at_once: impl Future<Output = ()>) {
        let app = &self.service.app;
        app.readiness.drain();
        if !app.timing.drain.is_zero() {
            tokio::select! { () = at_once => {}, () = tokio::time::sleep(app.timing.drain) => {} }
        }
    }

    /// Stops accepting, lets the requests in flight finish (10 s at most) and ends the keys of this process
    /// and gives the folder back.
    pub async fn stop(self) {
        self.service.app.readiness.drain();
        // First, so that whoever comes now waits for the next process in place of this one.
        drop(self.socket);
        drop(self.stop);
        self.tasks.close();
        self.tasks.wait().await;
        let app = &self.service.app;
        app.blobs.close().await;
        if let Err(error) = app.store.end_process_keys(Some(app.instance.clone())).await {
            // The next one to serve the folder removes them.
            tracing::warn!(%error, "keys that end with this process were left");
        }
    }
}

/// The file of the folder's door, where it has one; it is removed with this.
struct SocketFile(Option<PathBuf>);

impl Drop for SocketFile {
    fn drop(&mut self) {
        if let Some(socket) = &self.0 {
            let _ = std::fs::remove_file(socket);
        }
    }
}
