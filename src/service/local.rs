//! The local workspace: the first process serves the data folder, later ones attach to it by the folder's door.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::Instant;
use url::Url;

use super::door::{self, Door};
#[cfg(unix)]
use super::private;
use super::record::{Reached, Record};
pub use super::waking::wake;
use super::{FolderError, Running, ServeOptions, Service, ServiceError, http};
use crate::domain::{ApiKey, StoreUrl};

/// What the local workspace is called where an address is needed: it is reached by a socket, not by a name.
const NAME: &str = "http://local";

/// The local workspace, reachable.
pub struct Attached {
    /// Its address; a name only where there is a socket.
    pub base_url: Url,
    /// The socket to connect to in place of the address; absent on systems without.
    pub socket: Option<PathBuf>,
    /// A key of its owner's, good at this door until its process ends.
    pub api_key: ApiKey,
    /// The service, where this process serves it.
    pub serving: Option<Running>,
    /// The addresses of its stores, the sample store first.
    pub stores: Vec<StoreUrl>,
}

impl Attached {
    /// That which is reached in this way, where the way can be trusted.
    fn to(folder: &Path, reached: &Reached) -> Option<Self> {
        let socket = door::is_sound(folder, &reached.door);
        let base = match (&reached.door, &socket) {
            (Door::Socket(_), Some(_)) => NAME.to_owned(),
            (Door::Address(addr), _) if cfg!(not(unix)) => format!("http://{addr}"),
            _ => return None,
        };
        let (api_key, stores) = (ApiKey::new(&reached.key), reached.stores.clone());
        Some(Self { base_url: Url::parse(&base).ok()?, socket, api_key, serving: None, stores })
    }

    /// Whether the process is there and is the one that wrote the record.
    async fn answers(&self, instance: &str) -> bool {
        let asked = async {
            match &self.socket {
                #[cfg(unix)]
                Some(socket) => {
                    let stream = tokio::net::UnixStream::connect(socket).await?;
                    Ok(stream.peer_cred()?.uid() == private::user() && is_told(stream, instance).await?)
                }
                _ => {
                    let addr = self.base_url.socket_addrs(|| None)?;
                    is_told(tokio::net::TcpStream::connect(&*addr).await?, instance).await
                }
            }
        };
        asked.await.unwrap_or_default()
    }
}

/// Asks whether a service is the one of this start.
async fn is_told(mut stream: impl AsyncRead + AsyncWrite + Unpin, instance: &str) -> std::io::Result<bool> {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: local\r\nConnection: close\r\n\r\n").await?;
    let mut answer = Vec::new();
    stream.take(4096).read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).contains(instance))
}

/// Why the local workspace can't be reached.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// It could not be served.
    #[error("couldn't start the local workspace: {0}")]
    Service(#[from] ServiceError),
    /// Another process holds the folder and does not answer.
    #[error("{held}, but nothing answered within {} s; {}", .waited.as_secs_f32().round(), advice(.held))]
    Silent {
        /// The folder, and the process as far as it is known.
        held: FolderError,
        /// How long was waited.
        waited: Duration,
    },
    /// The socket that was just made is not as it should be.
    #[error("the socket of the local workspace is not this user's alone: another user may write where it is")]
    Unsound,
}

/// How long a process that holds the folder is waited for: it may be starting, hang or be suspended.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Patience {
    /// In all, by the clock: a process that accepts connections and stays silent makes every question slow.
    in_all: Duration,
    /// The same, while the process says that it is starting: it may be loading the sample store.
    starting: Duration,
    /// For one answer.
    answer: Duration,
    /// Between two questions.
    between: Duration,
    /// How long it may stay silent before it is woken, where it was stopped.
    waking: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        let between = Duration::from_millis(25);
        Self { in_all: seconds(10), starting: seconds(60), answer: seconds(1), between, waking: seconds(2) }
    }
}

/// What a person can do about a process that does not answer.
fn advice(held: &FolderError) -> String {
    match held {
        FolderError::Served { by: Some(by), .. } => format!(
            "if process {0} is suspended, resume it (kill -CONT {0}); if it hangs, end it (kill {0}); then try again",
            by.pid
        ),
        _ => "find the process that holds the folder and end it, then try again".to_owned(),
    }
}

/// Serves the folder, or attaches to the process that serves it. Called again when that one ended, this process takes
/// its place. One that somebody stopped is woken. On the first start the sample store is loaded; `on_progress` is told how
/// many products are in.
///
/// # Errors
/// [`LocalError`] where the folder can neither be served nor its process be reached within 10 seconds; one that says
/// that it is starting is waited for a minute.
pub async fn attach(dir: &Path, on_progress: impl FnMut(u64) + Send + 'static) -> Result<Attached, LocalError> {
    attach_within(&Patience::default(), dir, on_progress).await
}

async fn attach_within(
    patience: &Patience,
    dir: &Path,
    on_progress: impl FnMut(u64) + Send + 'static,
) -> Result<Attached, LocalError> {
    let mut on_progress = Some(on_progress);
    let began = Instant::now();
    // Whoever holds the folder is waited for again when it is another one: each ends in its turn.
    let (mut holder, mut since, mut woken) = (None, began, None);
    loop {
        // The lock decides, so that of two processes that start at once exactly one serves.
        // Who can subscribe an address here sits at this machine: their own receivers may be told.
        let options = ServeOptions { data: dir.to_owned(), allow_private_webhooks: true, ..ServeOptions::default() };
        let held = match Service::open(options).await {
            Ok(service) => return serve(dir, service, on_progress.take()).await,
            Err(ServiceError::Folder(held @ FolderError::Served { .. })) => held,
            Err(error) => return Err(error.into()),
        };
        let record = Record::read(dir);
        let by = record.as_ref().map(|record| record.pid);
        if by.is_some() && by != holder {
            (holder, since) = (by, Instant::now());
        }
        let is_starting = record.as_ref().is_some_and(|record| record.reached.is_none());
        let deadline = since + if is_starting { patience.starting } else { patience.in_all };
        if let Some(reached) = record.and_then(|record| record.reached)
            && let Some(attached) = Attached::to(dir, &reached)
        {
            let until = deadline.min(Instant::now() + patience.answer);
            let asked = tokio::time::timeout_at(until, attached.answers(&reached.instance)).await;
            if asked == Ok(true) {
                return Ok(attached);
            }
        }
        if woken != by && since.elapsed() >= patience.waking {
            wake(dir);
            woken = by;
        }
        if Instant::now() + patience.between >= deadline {
            return Err(LocalError::Silent { held, waited: began.elapsed() });
        }
        tokio::time::sleep(patience.between).await;
    }
}

async fn serve(
    dir: &Path,
    service: Service,
    on_progress: Option<impl FnMut(u64) + Send + 'static>,
) -> Result<Attached, LocalError> {
    if let Some(on_progress) = on_progress
        && service.is_empty().await?
    {
        service.load_sample(on_progress).await?;
    }
    let running = service.start_own().await?;
    let attached = Attached::to(dir, running.reached()).ok_or(LocalError::Unsound)?;
    Ok(Attached { serving: Some(running), ..attached })
}

/// Whether an address is one that this workspace handed out: under the address that its process listens on, or the
/// port that it keeps for browsers. What stands there is read by the door; whoever else may have that port now is not
/// asked.
#[must_use]
pub fn handed_out(dir: &Path, address: &Url) -> bool {
    let own = |base: Option<Url>| base.is_some_and(|base| base.origin() == address.origin());
    let kept = http::kept_port(dir).and_then(|port| Url::parse(&format!("http://127.0.0.1:{port}")).ok());
    own(kept) || own(Record::read(dir).and_then(|record| Url::parse(&record.base_url?).ok()))
}

#[cfg(test)]
mod tests {
    use super::super::folder::Folder;
    use super::*;

    #[cfg(unix)]
    #[tokio::test]
    async fn a_process_that_holds_the_folder_and_stays_silent_is_given_up_on_and_named() {
        let dir = tempfile::tempdir().unwrap();
        let held = Folder::take(dir.path()).unwrap();
        let said = |pid: u32| format!("by process {pid}, but nothing answered within");
        let pid = std::process::id();
        let millis = Duration::from_millis;
        let (in_all, answer) = (millis(60), millis(20));
        let patience = Patience { in_all, starting: in_all, answer, between: millis(5), waking: answer };
        let began = Instant::now();

        // One that does not get beyond its start.
        let error = attach_within(&patience, dir.path(), |_| ()).await.err().unwrap();
        assert!(matches!(error, LocalError::Silent { .. }) && error.to_string().contains(&said(pid)), "{error}");
        assert!(error.to_string().contains(&format!("kill -CONT {pid}")), "{error}");

        // Connections are accepted by the system, as for a suspended process, and nobody answers.
        let open = door::bind(dir.path(), "one").unwrap();
        let reached = |instance: &str| Reached {
            door: open.door.clone(),
            instance: instance.to_owned(),
            key: "k".to_owned(),
            stores: Vec::new(),
        };
        held.write_record(None, reached("one")).unwrap();
        let error = attach_within(&patience, dir.path(), |_| ()).await.err().unwrap();
        assert!(error.to_string().contains(&said(pid)) && began.elapsed() < Duration::from_secs(60), "{error}");

        // One question alone never outlasts the whole wait.
        let patience = Patience { answer: Duration::from_secs(3600), ..patience };
        let error = attach_within(&patience, dir.path(), |_| ()).await.err().unwrap();
        assert!(began.elapsed() < Duration::from_secs(60) && error.to_string().contains(&said(pid)));
    }
}
