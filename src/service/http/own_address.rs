//! The service's own address: the one that it was told to listen on; else a port of the loopback interface, which is
//! opened when the first address under it is handed out, and which the workspace keeps.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt as _;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::listener::{Bound, Door, listen};
use super::{App, router};
use crate::settings::read_bounded;

/// The service's own address.
#[derive(Default)]
pub(crate) struct OwnAddress {
    known: OnceCell<String>,
    port: OnceLock<BrowserPort>,
}

/// What is needed to open the port for browsers.
struct BrowserPort {
    folder: PathBuf,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl OwnAddress {
    /// It was told to listen there.
    pub(crate) fn set(&self, base_url: String) {
        let _ = self.known.set(base_url);
    }

    /// It opens a port when one is needed, and serves it among `tasks` until `stop`. A port whose address was handed
    /// out before is opened now, where it is free.
    pub(crate) async fn open_when_needed(
        &self,
        app: &Arc<App>,
        folder: &Path,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) {
        let _ = self.port.set(BrowserPort { folder: folder.to_owned(), tasks, stop });
        if let (Some(port), Some(kept)) = (self.port.get(), kept_port(folder))
            && let Ok(bound) = listen(loopback(kept)).await
        {
            self.set(port.serve(app, bound));
        }
    }

    /// It, where it is known by now.
    pub(super) fn known(&self) -> Option<&str> {
        self.known.get().map(String::as_str)
    }

    /// It; a port is opened where there is none yet.
    pub(super) async fn get(&self, app: &Arc<App>) -> io::Result<&str> {
        let open = async || {
            let port = self.port.get().ok_or_else(|| io::Error::other("the service does not listen yet"))?;
            let bound = match listen(loopback(kept_port(&port.folder).unwrap_or_default())).await {
                Err(_) => listen(loopback(0)).await?,
                Ok(bound) => bound,
            };
            keep_port(&port.folder, bound.addr.port())?;
            Ok(port.serve(app, bound))
        };
        self.known.get_or_try_init(open).await.map(String::as_str)
    }
}

impl BrowserPort {
    fn serve(&self, app: &Arc<App>, bound: Bound) -> String {
        let base_url = format!("http://{}", bound.addr);
        let serving = bound.serve(Door::Browser, Arc::clone(app), router(Arc::clone(app)), self.stop.clone());
        self.tasks.spawn(serving.boxed());
        base_url
    }
}

fn loopback(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

const KEPT: &str = "browser-port";

/// The port of the addresses that were handed out before.
pub(crate) fn kept_port(folder: &Path) -> Option<u16> {
    let text = String::from_utf8(read_bounded(&folder.join(KEPT), 16).ok()?).ok()?;
    text.trim().parse().ok().filter(|port| *port != 0)
}

fn keep_port(folder: &Path, port: u16) -> io::Result<()> {
    if kept_port(folder) == Some(port) {
        return Ok(());
    }
    let mut file = tempfile::Builder::new().prefix(crate::service::door::PREFIX).suffix(".new").tempfile_in(folder)?;
    io::Write::write_all(&mut file, format!("{port}\n").as_bytes())?;
    file.persist(folder.join(KEPT)).map_err(|error| error.error)?;
    Ok(())
}
