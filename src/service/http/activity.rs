//! What a connection is busy with: so that silent ones can be told from those that are served.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::time::Instant;

/// What happens on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// Nothing came yet.
    Opened,
    /// The head of a request arrives.
    Head,
    /// A request is carried out; its handler minds the time.
    Busy,
    /// An answer is sent.
    Answer,
    /// An answer was sent, and nothing more is asked.
    Idle,
}

impl Phase {
    fn of(number: u8) -> Self {
        match number {
            0 => Self::Opened,
            1 => Self::Head,
            2 => Self::Busy,
            3 => Self::Answer,
            _ => Self::Idle,
        }
    }

    /// Whether the client owes the next bytes.
    fn is_silent(self) -> bool {
        matches!(self, Self::Opened | Self::Head | Self::Idle)
    }
}

/// What a connection is busy with.
#[derive(Debug)]
pub(super) struct Activity {
    opened: Instant,
    phase: AtomicU8,
    /// When the phase began, in milliseconds from the begin of the connection.
    since: AtomicU64,
    /// Whether the request came with a credential that is good.
    known: AtomicBool,
    /// Whether bytes of a request's body are awaited.
    body_awaited: AtomicBool,
    /// Whether the client takes none of the answer's bytes at the moment.
    stalled: AtomicBool,
    /// The request, counted from 1, whose head has two lengths; 0 where there is none.
    ambiguous: AtomicU64,
}

/// How long a connection holds its place against others: one that has just been opened is about to ask.
const GRACE: Duration = Duration::from_millis(500);

/// How ready a connection is to be closed for another one: the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// The client has owed bytes for a while.
    Silent,
    /// A request of nobody known waits for its sender or its reader.
    Slow,
    /// The client has owed bytes for a moment.
    Fresh,
}

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            opened: Instant::now(),
            phase: AtomicU8::new(Phase::Opened as u8),
            since: AtomicU64::new(0),
            known: AtomicBool::new(false),
            body_awaited: AtomicBool::new(false),
            stalled: AtomicBool::new(false),
            ambiguous: AtomicU64::new(0),
        })
    }

    /// One that has been in this phase for so long.
    #[cfg(test)]
    pub(super) fn of(phase: Phase, age: Duration) -> Arc<Self> {
        let new = Self { opened: Instant::now() - age, ..Arc::into_inner(Self::new()).unwrap() };
        new.phase.store(phase as u8, Ordering::Relaxed);
        Arc::new(new)
    }

    pub(super) fn phase(&self) -> Phase {
        Phase::of(self.phase.load(Ordering::Relaxed))
    }

    pub(super) fn begin(&self, phase: Phase) {
        if phase == Phase::Busy {
            self.known.store(false, Ordering::Relaxed);
        }
        let since = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.since.store(since, Ordering::Relaxed);
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// The sender of the current request is known.
    pub(super) fn is_known(&self) {
        self.known.store(true, Ordering::Relaxed);
    }

    pub(super) fn await_body(&self, awaited: bool) {
        self.body_awaited.store(awaited, Ordering::Relaxed);
    }

    pub(super) fn stall(&self, stalled: bool) {
        self.stalled.store(stalled, Ordering::Relaxed);
    }

    pub(super) fn note_ambiguous(&self, request: u64) {
        self.ambiguous.store(request, Ordering::Relaxed);
    }

    /// Whether the request of this number, from 1, has two lengths.
    pub(super) fn is_ambiguous(&self, request: u64) -> bool {
        self.ambiguous.load(Ordering::Relaxed) == request
    }

    /// When the current phase began.
    pub(super) fn since(&self) -> Instant {
        self.opened + Duration::from_millis(self.since.load(Ordering::Relaxed))
    }

    /// Whether nothing is under way on it: it was just opened, or answered.
    pub(super) fn is_unused(&self) -> bool {
        matches!(self.phase(), Phase::Opened | Phase::Idle)
    }

    /// Whether, and how soon, it may be closed for another one.
    pub(super) fn claim(&self, now: Instant) -> Option<Claim> {
        let old = now.saturating_duration_since(self.since()) >= GRACE;
        if self.phase().is_silent() {
            return Some(if old { Claim::Silent } else { Claim::Fresh });
        }
        let waits = self.body_awaited.load(Ordering::Relaxed) || self.stalled.load(Ordering::Relaxed);
        (old && waits && !self.known.load(Ordering::Relaxed)).then_some(Claim::Slow)
    }
}

/// A body on its way through a connection.
pub(super) struct Watched {
    body: Body,
    activity: Arc<Activity>,
    /// Whether it is an answer's; else a request's.
    answer: bool,
}

/// The body of an answer: once it was taken, nothing is under way.
pub(super) fn answer(body: Body, activity: Arc<Activity>) -> Body {
    Body::new(Watched { body, activity, answer: true })
}

/// The body of a request, which may be awaited.
pub(super) fn request(body: Body, activity: Arc<Activity>) -> Body {
    if body.is_end_stream() {
        return body;
    }
    Body::new(Watched { body, activity, answer: false })
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if !self.answer {
            self.activity.await_body(frame.is_pending());
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if self.answer {
            self.activity.begin(Phase::Idle);
        } else {
            self.activity.await_body(false);
        }
    }
}
