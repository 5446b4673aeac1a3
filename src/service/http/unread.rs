//! Bodies that are refused before they were read. A sender that is cut off while it still sends may never see why, so
//! what it sends is read and forgotten, so much of it and for so long; whoever waits to be told to go on
//! (`Expect: 100-continue`) is not told, and sends nothing.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use http::HeaderMap;
use http::header::EXPECT;
use hyper::body::{Frame, SizeHint};

/// How much of a body is read and forgotten, bytes, and for how long.
const MOST_FORGOTTEN: u64 = 256 * 1024 * 1024;
const FORGETTING: Duration = Duration::from_secs(15);

/// Whether somebody began to read a body.
#[derive(Debug, Clone, Default)]
pub(super) struct Begun(Arc<AtomicBool>);

impl Begun {
    /// Whether it was begun.
    pub(super) fn is(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whether a sender waits to be told to go on.
pub(super) fn waits(headers: &HeaderMap) -> bool {
    headers.get(EXPECT).is_some_and(|expect| expect.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// A body that is read to its end by somebody, whoever has it first.
struct Unread {
    body: Option<Body>,
    begun: Begun,
    waits: bool,
}

/// Wraps a request's body; the other says whether it was begun.
pub(super) fn watched(body: Body, headers: &HeaderMap) -> (Body, Begun) {
    let begun = Begun::default();
    if body.is_end_stream() {
        return (body, begun);
    }
    (Body::new(Unread { body: Some(body), begun: begun.clone(), waits: waits(headers) }), begun)
}

impl HttpBody for Unread {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.begun.0.store(true, Ordering::Relaxed);
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        if !matches!(frame, Some(Ok(_))) {
            self.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) else { return };
        if (self.begun.is() || !self.waits)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(forget(body).boxed());
        }
    }
}

async fn forget(body: Body) {
    let mut pieces = body.into_data_stream();
    let reading = async {
        let mut seen = 0;
        while let Some(Ok(piece)) = pieces.next().await {
            seen += piece.len() as u64;
            if seen > MOST_FORGOTTEN {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(FORGETTING, reading).await;
}
