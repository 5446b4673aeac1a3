//! The local workspace: the first process serves the data folder, later ones attach to it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
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
    #[error("{0}, and it does not answer")]
    Silent(FolderError),
    /// The recorded address is none.
    #[error("the address of the local workspace can't be read: {0}")]
    Address(#[from] url::ParseError),
}

/// How often a folder that is held by a process that does not answer yet is asked again, and how long between.
const TRIES: u32 = 600;
const BETWEEN: Duration = Duration::from_millis(25);

/// How long the recorded process may take to say that it is there.
const ANSWER_TIME: Duration = Duration::from_secs(2);

/// Serves the folder, or attaches to the process that serves it. Called again when that one ended, this process takes
/// its place, on the same port if that is free. On the first start the sample store is loaded; `on_progress` is told
/// how many products are in.
///
/// # Errors
/// [`LocalError`] where the folder can neither be served nor its process be reached within 15 seconds.
pub async fn attach(dir: &Path, on_progress: impl FnMut(u64) + Send + 'static) -> Result<Attached, LocalError> {
    let mut on_progress = Some(on_progress);
    let mut tries = 0;
    loop {
        // The lock decides, so that of two processes that start at once exactly one serves.
        let held = match Service::open(ServeOptions { data: dir.to_owned(), ..ServeOptions::default() }).await {
            Ok(service) => return serve(dir, service, on_progress.take()).await,
            Err(ServiceError::Folder(held @ FolderError::Served { .. })) => held,
            Err(error) => return Err(error.into()),
        };
        if let Some(record) = record(dir)
            && answers(&record).await
        {
            return Ok(Attached {
                base_url: Url::parse(&record.base_url)?,
                api_key: ApiKey::new(&record.key),
                serving: None,
                stores: record.stores,
            });
        }
        tries += 1;
        if tries == TRIES {
            return Err(LocalError::Silent(held));
        }
        tokio::time::sleep(BETWEEN).await;
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

/// Whether the recorded process is there and is the one that wrote the record.
async fn answers(record: &Record) -> bool {
    let ask = async {
        let mut stream = TcpStream::connect(record.addr).await.ok()?;
        let head = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", record.addr);
        stream.write_all(head.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        stream.take(4096).read_to_end(&mut answer).await.ok()?;
        String::from_utf8_lossy(&answer).contains(&record.instance).then_some(())
    };
    matches!(tokio::time::timeout(ANSWER_TIME, ask).await, Ok(Some(())))
}
