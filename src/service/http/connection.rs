//! Connections: bounded in number, patient only so long, ended gracefully.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::App;
use super::ingress::OnLoopback;
use super::listener::{Bound, Listener};
use super::patient::{BUSY, HEAD, IDLE, Patient};
use super::routes::respond;
use super::slowing::Peer;

/// Connections served at once; more wait in the listener's queue.
const MOST_CONNECTIONS: usize = 1024;

/// How long requests in flight may take to finish when the service stops.
const STOP_TIME: Duration = Duration::from_secs(10);

/// Bytes that a connection buffers at most; longer heads are refused. An upload is read in pieces of this size, which
/// costs an eighth less of a core than pieces of 64 KiB.
const MOST_BUFFER: usize = 256 * 1024;

impl Bound {
    /// Serves until `stop`, then lets the requests in flight finish.
    pub(crate) async fn serve(self, app: Arc<App>, router: Router, stop: CancellationToken) {
        serve(self.listener, app, router, stop).await;
    }
}

/// Serves what a listener hands out until `stop`, then lets the requests in flight finish.
pub(super) async fn serve(listener: impl Listener, app: Arc<App>, router: Router, stop: CancellationToken) {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let on_loopback = listener.is_loopback().then_some(OnLoopback);
    loop {
        let place = tokio::select! {
            () = stop.cancelled() => break,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let Ok(place) = place else { break };
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of descriptors, mostly: the others have to end first.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let connection = graceful.watch(converse(stream, peer, on_loopback, Arc::clone(&app), router.clone()));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke");
            }
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(STOP_TIME, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests still running after 10 seconds were cut off");
    }
}

/// Answers the requests of one connection, one after the other.
fn converse<S>(
    stream: S,
    peer: Peer,
    on_loopback: Option<OnLoopback>,
    app: Arc<App>,
    router: Router,
) -> impl GracefulConnection<Error = hyper::Error> + Send
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let phase = Arc::new(AtomicU8::new(HEAD));
    let patient = Patient::new(stream, Arc::clone(&phase));
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        phase.store(BUSY, Ordering::Relaxed);
        let (app, router, phase) = (Arc::clone(&app), router.clone(), Arc::clone(&phase));
        async move {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer);
            if let Some(on_loopback) = on_loopback {
                request.extensions_mut().insert(on_loopback);
            }
            let response = respond(app, router, request).await;
            phase.store(IDLE, Ordering::Relaxed);
            Ok::<_, std::convert::Infallible>(response)
        }
    });
    let mut builder = http1::Builder::new();
    builder.header_read_timeout(None).max_buf_size(MOST_BUFFER);
    builder.serve_connection(TokioIo::new(patient), service)
}
