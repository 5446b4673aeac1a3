//! Listens for guests.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use russh::server::{Config, run_stream};
use russh::{MethodKind, MethodSet, SshId};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::closable::Closable;
use super::hall::{Hall, Place};
use super::keys::{FOLDER, GuestKeys};
use super::rooms::Rooms;
use super::session::{Connection, Tokens};
use super::shop::Shop;
use super::slowness::Slowness;
use super::{Commands, Limits, SshError, host_key};
use crate::service::ServeOptions;
use crate::service::guests::GuestBook;

/// So often a client is asked whether it is there, and so many questions may stay without an answer.
const KEEPALIVE: (Duration, usize) = (Duration::from_secs(60), 10);

/// A connection on which nothing arrives, not even answers to that, is closed.
const SILENCE: Duration = Duration::from_secs(660);

/// How long it takes to refuse a key; a client may have several to offer, and keys are not guessed.
const REFUSAL: Duration = Duration::from_millis(200);

/// Bytes that a client may send ahead on a channel.
const WINDOW: u32 = 256 * 1024;

/// How often the keys of a database are looked at, which another process may have revoked.
const LOOK: Duration = Duration::from_secs(2);

/// How often the API keys that guests work with are renewed there.
const RENEWAL: Duration = Duration::from_secs(600);

/// A server that stops has so long for whatever runs for guests. Connections close themselves before that.
const STOPPING: Duration = Duration::from_secs(9);

/// How long nothing is accepted after that failed: files may be short.
const PAUSE: Duration = Duration::from_millis(100);

/// How a server is started.
pub struct Options {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// How the data folder is served, and so how the named workspaces are.
    pub serve: ServeOptions,
    /// Where the guests are, where that is not the data folder: other processes let the same ones in.
    pub book: Option<GuestBook>,
    /// Whether named workspaces that are empty get the sample store.
    pub sample: bool,
    /// How much of everything guests may have.
    pub limits: Limits,
    /// Runs the data commands of guests.
    pub commands: Arc<dyn Commands>,
}

/// Makes servers.
#[derive(Debug)]
pub struct Server;

impl Server {
    /// Lets guests in to the data folder that is served, on this address too.
    ///
    /// # Errors
    /// Where the address is taken, or the host key or the keys of the guests can't be read.
    pub async fn start(options: Options) -> Result<Running, SshError> {
        let Options { listen, serve, book, sample, limits, commands } = options;
        let data = serve.data.clone();
        let (folder, of) = (data.clone(), book.clone());
        let known = tokio::task::spawn_blocking(move || {
            let (host_key, keys) = match &of {
                Some(book) => (host_key::load_shared(book)?, GuestKeys::in_database(book)),
                None => (host_key::load(&folder)?, GuestKeys::of(&folder)),
            };
            // A file that is damaged is said now, not when the first guest stands before the door.
            keys.all()?;
            Ok::<_, SshError>((host_key, keys))
        });
        let (host_key, keys) = known.await.map_err(|error| SshError::Internal(error.to_string()))??;
        let failed = |error| SshError::Listen { addr: listen, error };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let addr = listener.local_addr().map_err(failed)?;
        let shop = Arc::new(Shop {
            port: addr.port(),
            keys,
            limits,
            house: Arc::default(),
            rooms: Rooms::of(serve, book.clone(), sample),
            sessions: Arc::default(),
            studios: Arc::new(Semaphore::new(limits.studios)),
            running: Arc::new(Semaphore::new(limits.commands)),
            begun: Arc::new(Semaphore::new(limits.begun)),
            uploads: Arc::new(Semaphore::new(limits.uploads)),
            shares: Mutex::default(),
            commands,
            tasks: TaskTracker::new(),
            slowness: Slowness::default(),
            hall: Hall::new(limits.waiting, limits.waiting_of_one),
            config: Arc::new(config(host_key)),
            stop: CancellationToken::new(),
        });
        let changed = Arc::new(Notify::new());
        let watcher = if book.is_some() {
            shop.tasks.spawn(look_again(Arc::clone(&shop), Arc::clone(&changed)).boxed());
            shop.tasks.spawn(renew_again(Arc::clone(&shop)).boxed());
            None
        } else {
            Some(watch(&data, Arc::clone(&changed)))
        };
        shop.tasks.spawn(follow_keys(Arc::clone(&shop), changed, watcher).boxed());
        shop.tasks.spawn(accept(Arc::clone(&shop), listener).boxed());
        Ok(Running { addr, shop })
    }
}

fn config(host_key: russh::keys::PrivateKey) -> Config {
    Config {
        server_id: SshId::Standard(concat!("SSH-2.0-cutaway_", env!("CARGO_PKG_VERSION")).into()),
        methods: MethodSet::from(&[MethodKind::PublicKey][..]),
        auth_rejection_time: REFUSAL,
        // Clients ask first which ways there are: that is no attempt.
        auth_rejection_time_initial: Some(Duration::ZERO),
        keys: vec![host_key],
        window_size: WINDOW,
        // What waits here is beyond the one frame that a studio has on its way.
        event_buffer_size: 4,
        inactivity_timeout: Some(SILENCE),
        keepalive_interval: Some(KEEPALIVE.0),
        keepalive_max: KEEPALIVE.1,
        nodelay: true,
        ..Config::default()
    }
}

/// Tells of changes in the folder of the keys.
fn watch(data: &Path, changed: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |change: notify::Result<notify::Event>| {
        // Reading the file is a change to nobody.
        if change.is_ok_and(|change| !change.kind.is_access()) {
            changed.notify_one();
        }
    })?;
    watcher.watch(&data.join(FOLDER), RecursiveMode::NonRecursive)?;
    Ok(watcher)
}

/// Has the keys of a database looked at again and again.
async fn look_again(shop: Arc<Shop>, changed: Arc<Notify>) {
    while shop.stop.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_some() {
        changed.notify_one();
    }
}

/// Renews what guests work with, which ends by itself where this process is killed. A database that hangs keeps nobody from
/// looking at the keys.
async fn renew_again(shop: Arc<Shop>) {
    while shop.stop.run_until_cancelled(tokio::time::sleep(RENEWAL)).await.is_some() {
        if let Some(Err(error)) = shop.stop.run_until_cancelled(shop.rooms.renew()).await {
            tracing::error!(%error, "the API keys of SSH guests can't be renewed");
        }
    }
}

/// Ends the sessions of keys that are revoked, as soon as they are.
async fn follow_keys(shop: Arc<Shop>, changed: Arc<Notify>, watcher: Option<notify::Result<RecommendedWatcher>>) {
    if let Some(Err(error)) = &watcher {
        tracing::error!(%error, "changes of the SSH keys are not seen: sessions of revoked keys go on until they end");
    }
    while shop.stop.run_until_cancelled(changed.notified()).await.is_some() {
        let keys = shop.keys.clone();
        let keys = match tokio::task::spawn_blocking(move || keys.all()).await {
            Ok(Ok(keys)) => keys,
            Ok(Err(error)) => {
                tracing::error!(%error, "the SSH keys can't be read; nobody new is let in");
                continue;
            }
            Err(_) => continue,
        };
        // Those who are inside leave at once, whatever the database says.
        shop.sessions.end_others_than(&keys);
        if let Err(error) = shop.rooms.shut_out_others_than(&keys).await {
            tracing::error!(%error, "an API key of a revoked SSH key could not be ended");
        }
    }
}

async fn accept(shop: Arc<Shop>, listener: TcpListener) {
    while let Some(accepted) = shop.stop.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, peer)) => {
                // In the order in which they came: tasks begin in any.
                let end = shop.stop.child_token();
                let tokens = Tokens { known: CancellationToken::new(), end, close: CancellationToken::new() };
                let place = shop.hall.enter(peer.ip(), tokens.close.clone());
                drop(shop.tasks.spawn(serve(Arc::clone(&shop), stream, peer, tokens, place).boxed()));
            }
            Err(error) => {
                tracing::warn!(%error, "an SSH connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// One connection, from its first byte to its last.
async fn serve(shop: Arc<Shop>, stream: TcpStream, peer: SocketAddr, tokens: Tokens, place: Place) {
    // A frame is one write; it never waits for more.
    let _ = stream.set_nodelay(true);
    let _closes = tokens.close.clone().drop_guard();
    let stream = Closable::new(stream, tokens.close.clone(), place.heard());
    let connection = Connection::new(Arc::clone(&shop), peer.ip(), place, tokens.clone());
    let conversation = async { run_stream(Arc::clone(&shop.config), stream, connection).await?.await };
    tokio::pin!(conversation);
    let ended = tokio::select! {
        ended = &mut conversation => ended,
        () = patience(&shop, &tokens) => {
            tokens.close.cancel();
            conversation.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, %peer, "an SSH connection ended");
    }
}

/// Ends where a connection shows no key in time, or the server stops before it did.
async fn patience(shop: &Shop, tokens: &Tokens) {
    let too_long = async {
        tokio::select! {
            () = tokio::time::sleep(shop.limits.login) => {}
            () = shop.stop.cancelled() => {}
        }
    };
    if tokens.known.run_until_cancelled(too_long).await.is_none() {
        std::future::pending::<()>().await;
    }
}

/// A server that lets guests in. Dropping it ends everything without waiting.
pub struct Running {
    addr: SocketAddr,
    shop: Arc<Shop>,
}

impl Running {
    /// Where it listens, with the port that was found.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Accepts nobody any more and ends what guests have open, in order: drafts and places are kept. Then the named
    /// workspaces end.
    pub async fn stop(self) {
        self.shop.stop.cancel();
        self.shop.tasks.close();
        // What runs for guests has a bound of its own; a connection is closed after that.
        let _ = tokio::time::timeout(STOPPING, self.shop.tasks.wait()).await;
        self.shop.rooms.close().await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shop.stop.cancel();
    }
}
