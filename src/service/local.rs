//! The local workspace: the first process serves the data folder, later ones attach to it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;
use url::Url;

use super::folder::{Record, record};
use super::{FolderError, Running, ServeOptions, Service, ServiceError};
use crate::domain::{ApiKey, StoreUrl};

/// The local workspace, reachable.
pub struct Attached {
    /// Its address.
    pub base_url: Url,
    /// A key of its owner's.
    pub api_key: ApiKey,
    /// The service, where this process serves it.
    pub serving: Option<Running>,
    /// The addresses of its stores, the sample store first.
    pub stores: Vec<StoreUrl>,
}

/// Why the local workspace can't be reached.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// It could not be served.
    #[error("the local workspace can't be served: {0}")]
    Service(#[from] ServiceError),
    /// Another process holds the folder and does not answer.
    #[error("{held}, but nothing answered within {} s; {}", .waited.as_secs_f32().round(), advice(.held))]
    Silent {
        /// The folder, and the process as far as it is known.
        held: FolderError,
        /// How long was waited.
        waited: Duration,
    },
    /// The recorded address is none.
    #[error("the address of the local workspace can't be read: {0}")]
    Address(#[from] url::ParseError),
}

/// How long a process that holds the folder is waited for: it may be starting, hang or be suspended.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Patience {
    /// In all, by the clock: a process that accepts connections and stays silent makes every question slow.
    in_all: Duration,
    /// For one answer.
    answer: Duration,
    /// Between two questions.
    between: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { in_all: Duration::from_secs(10), answer: Duration::from_secs(1), between: Duration::from_millis(25) }
    }
}

/// What a person can do about a process that does not answer.
fn advice(held: &FolderError) -> String {
    match held {
        FolderError::Served { by: Some(by), .. } => format!(
            "if process {0} is suspended, let it go on (kill -CONT {0}); if it hangs, end it (kill {0}); then try again",
            by.pid
        ),
        _ => "find the process that holds the folder and end it, then try again".to_owned(),
    }
}

/// Serves the folder, or attaches to the process that serves it. Called again when that one ended, this process takes
/// its place, on the same port if that is free. On the first start the sample store is loaded; `on_progress` is told
/// how many products are in.
///
/// # Errors
/// [`LocalError`] where the folder can neither be served nor its process be reached within 10 seconds.
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
    let deadline = began + patience.in_all;
    loop {
        // The lock decides, so that of two processes that start at once exactly one serves.
        // Who can subscribe an address here sits at this machine: their own receivers may be told.
        let options = ServeOptions { data: dir.to_owned(), allow_private_webhooks: true, ..ServeOptions::default() };
        let held = match Service::open(options).await {
            Ok(service) => return serve(dir, service, on_progress.take()).await,
            Err(ServiceError::Folder(held @ FolderError::Served { .. })) => held,
            Err(error) => return Err(error.into()),
        };
        if let Some(record) = record(dir)
            && answers(&record, deadline.min(Instant::now() + patience.answer)).await
        {
            return Ok(Attached {
                base_url: Url::parse(&record.base_url)?,
                api_key: ApiKey::new(&record.key),
                serving: None,
                stores: record.stores,
            });
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
    let stores = service.app_urls().await?;
    let loopback = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let before = record(dir).map_or(0, |record| record.addr.port());
    let running = service.start_on(&[loopback(before), loopback(0)]).await?;
    Ok(Attached { base_url: running.url()?, api_key: running.key().clone(), serving: Some(running), stores })
}

/// Whether the recorded process is there by then and is the one that wrote the record.
async fn answers(record: &Record, until: Instant) -> bool {
    let ask = async {
        let mut stream = TcpStream::connect(record.addr).await.ok()?;
        let head = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", record.addr);
        stream.write_all(head.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        stream.take(4096).read_to_end(&mut answer).await.ok()?;
        String::from_utf8_lossy(&answer).contains(&record.instance).then_some(())
    };
    matches!(tokio::time::timeout_at(until, ask).await, Ok(Some(())))
}

#[cfg(test)]
mod tests {
    use super::super::folder::Folder;
    use super::*;

    #[tokio::test]
    async fn a_process_that_holds_the_folder_and_stays_silent_is_given_up_on_and_named() {
        let dir = tempfile::tempdir().unwrap();
        // Connections are accepted by the system, as for a suspended process, and nobody answers.
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = silent.local_addr().unwrap();
        let held = Folder::take(dir.path()).unwrap();
        let mut record = Record {
            addr,
            base_url: format!("http://{addr}"),
            pid: 4711,
            instance: "one".to_owned(),
            key: "k".to_owned(),
            stores: Vec::new(),
        };
        held.write_record(&record).unwrap();
        let millis = Duration::from_millis;
        let patience = Patience { in_all: millis(60), answer: millis(20), between: millis(5) };
        let began = Instant::now();
        let error = attach_within(&patience, dir.path(), |_| ()).await.err().unwrap();
        assert!(matches!(error, LocalError::Silent { .. }) && began.elapsed() < Duration::from_secs(5));
        let said = error.to_string();
        assert!(said.contains(&format!("process 4711 at http://{addr}")) && said.contains("kill -CONT 4711"), "{said}");

        // One question alone never outlasts the whole wait.
        record.pid = 4712;
        held.write_record(&record).unwrap();
        let patience = Patience { answer: Duration::from_secs(3600), ..patience };
        let error = attach_within(&patience, dir.path(), |_| ()).await.err().unwrap();
        assert!(began.elapsed() < Duration::from_secs(5) && error.to_string().contains("4712"));
    }
}
