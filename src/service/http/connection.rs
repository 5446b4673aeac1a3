//! Connections: bounded in number, patient only so long, ended gracefully.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use futures_util::FutureExt as _;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::App;
use super::activity::{self, Activity, Phase};
use super::ingress::OnLoopback;
use super::listener::{Bound, Door, Listener};
use super::patient::Patient;
use super::places::{Place, Places};
use super::routes::{TwoLengths, respond};
use super::slowing::Peer;
use super::tls::Tls;

/// How long requests in flight may take to finish when the service stops.
const STOP_TIME: Duration = Duration::from_secs(10);

/// Bytes that a connection buffers at most; longer heads are refused. An upload is read in pieces of this size, which
/// costs an eighth less of a core than pieces of 64 KiB.
const MOST_BUFFER: usize = 256 * 1024;

impl Bound {
    /// Serves until `stop`, then lets the requests in flight finish.
    pub(crate) async fn serve(self, door: Door, app: Arc<App>, router: Router, stop: CancellationToken) {
        serve(self.listener, door, self.tls, app, router, stop).await;
    }
}

/// Serves what a listener hands out until `stop`, then lets the requests in flight finish.
pub(in crate::service) async fn serve(
    listener: impl Listener,
    door: Door,
    tls: Option<Arc<Tls>>,
    app: Arc<App>,
    router: Router,
    stop: CancellationToken,
) {
    let graceful = GracefulShutdown::new();
    let places = Places::new(app.most_connections);
    let on_loopback = listener.is_loopback().then_some(OnLoopback);
    let begin = |stream, peer: Peer| {
        let activity = Activity::new();
        let place = places.take(peer.0, Arc::clone(&activity));
        let (app, router) = (Arc::clone(&app), router.clone());
        let conversation = Conversation { app, router, peer, door, on_loopback, activity, stop: stop.clone() };
        tokio::spawn(run(stream, tls.clone(), graceful.watcher(), stop.clone(), place, conversation).boxed());
    };
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = places.free() => {}
        }
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of descriptors, mostly: others have to end first.
                tracing::warn!(%error, "a connection could not be accepted");
                places.make_room();
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        begin(stream, peer);
    }
    // Who has connected may have asked already, and is answered.
    for (stream, peer) in listener.close() {
        begin(stream, peer);
    }
    if tokio::time::timeout(STOP_TIME, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests still running after 10 seconds were cut off");
    }
}

/// Serves one connection until it ends, or another one needs its place.
async fn run<S>(
    stream: S,
    tls: Option<Arc<Tls>>,
    watcher: Watcher,
    stop: CancellationToken,
    place: Place,
    conversation: Conversation,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let talking = async {
        let Some(tls) = tls else { return watcher.watch(conversation.over(stream)).await };
        let shaken = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            shaken = tls.accept(stream) => shaken,
        };
        match shaken {
            Ok(stream) => watcher.watch(conversation.over(stream)).await,
            Err(error) => {
                tracing::debug!(%error, "a handshake failed");
                Ok(())
            }
        }
    };
    match while_it_has_a_place(talking, place).await {
        Some(Err(error)) => tracing::debug!(%error, "a connection broke"),
        Some(Ok(())) => {}
        None => tracing::debug!("a silent connection was closed for another one"),
    }
}

/// Serves a connection until it ends, or has to leave its place to another one. What a busy process has not read yet is read
/// before that: who has asked meanwhile has a claim again.
async fn while_it_has_a_place<T>(talking: impl Future<Output = T>, mut place: Place) -> Option<T> {
    let mut talking = std::pin::pin!(talking);
    loop {
        tokio::select! {
            ended = &mut talking => return Some(ended),
            () = place.close.cancelled() => {}
        }
        // The runtime learns what has arrived before it comes back here.
        tokio::task::yield_now().await;
        tokio::select! {
            biased;
            ended = &mut talking => return Some(ended),
            () = std::future::ready(()) => {}
        }
        if !place.take_again() {
            return None;
        }
    }
}

/// The requests of one connection, answered one after the other.
struct Conversation {
    app: Arc<App>,
    router: Router,
    peer: Peer,
    door: Door,
    on_loopback: Option<OnLoopback>,
    activity: Arc<Activity>,
    stop: CancellationToken,
}

impl Conversation {
    fn over<S>(self, stream: S) -> impl GracefulConnection<Error = hyper::Error> + Send
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let patient = Patient::new(stream, Arc::clone(&self.activity), self.stop.clone());
        let (this, requests) = (Arc::new(self), AtomicU64::new(0));
        let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            this.activity.begin(Phase::Busy);
            let number = requests.fetch_add(1, Ordering::Relaxed) + 1;
            let this = Arc::clone(&this);
            async move { Ok::<_, Infallible>(this.answer(number, request).await) }
        });
        let mut builder = http1::Builder::new();
        builder.header_read_timeout(None).max_buf_size(MOST_BUFFER);
        builder.serve_connection(TokioIo::new(patient), service)
    }

    async fn answer(&self, number: u64, request: hyper::Request<hyper::body::Incoming>) -> http::Response<Body> {
        let mut request = request.map(|body| activity::request(Body::new(body), Arc::clone(&self.activity)));
        let about = request.extensions_mut();
        about.insert(self.peer);
        about.insert(self.door);
        about.insert(Arc::clone(&self.activity));
        if let Some(on_loopback) = self.on_loopback {
            about.insert(on_loopback);
        }
        if self.activity.is_ambiguous(number) {
            about.insert(TwoLengths);
        }
        let response = respond(Arc::clone(&self.app), self.router.clone(), request).await;
        self.activity.begin(Phase::Answer);
        response.map(|body| activity::answer(body, Arc::clone(&self.activity)))
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    /// A connection that has its place taken from it; what it does when it is next looked at.
    async fn closed_and_then(phase: Phase) -> Option<&'static str> {
        let places = Places::new(4);
        let activity = Activity::of(Phase::Opened, Duration::from_secs(1));
        let address = [192, 0, 2, 1].into();
        let place = places.take(address, Arc::clone(&activity));
        let (answer, answered) = oneshot::channel::<()>();
        let mut looked = false;
        let talking = async move {
            std::future::poll_fn(|_| {
                if std::mem::replace(&mut looked, true) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
            })
            .await;
            activity.begin(phase);
            let _ = answered.await;
            "answered"
        };
        let close = place.close.clone();
        let serving = tokio::spawn(while_it_has_a_place(talking, place));
        tokio::task::yield_now().await;
        let others: Vec<_> = (0..3).map(|_| places.take(address, Activity::new())).collect();
        assert!(close.is_cancelled() && others.iter().all(|other| !other.close.is_cancelled()));
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        let _ = answer.send(());
        serving.await.unwrap()
    }

    #[tokio::test]
    async fn who_has_asked_before_a_connection_is_closed_is_answered() {
        assert_eq!(closed_and_then(Phase::Busy).await, Some("answered"));
        assert_eq!(closed_and_then(Phase::Head).await, None);
    }
}
