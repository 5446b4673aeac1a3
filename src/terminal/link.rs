//! The line to one terminal: how much may go over it now, shared by whoever writes and whoever hears the answers.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::pacer::{Pacer, Pulse};

/// Round trips below this are not worth a word.
const NEAR: Duration = Duration::from_millis(30);

/// The line to a terminal.
#[derive(Debug)]
pub struct Link {
    pacer: Mutex<Pacer>,
    begun: Instant,
    answered: Notify,
    /// The round trip that was told last.
    told: Mutex<Option<Duration>>,
}

impl Link {
    /// The line to a terminal that is far away, or beside us.
    #[must_use]
    pub fn new(far: bool) -> Self {
        Self {
            pacer: Mutex::new(Pacer::new(far)),
            begun: Instant::now(),
            answered: Notify::new(),
            told: Mutex::new(None),
        }
    }

    /// The line to a terminal that nothing is asked.
    #[must_use]
    pub fn silent_to(far: bool) -> Self {
        Self { pacer: Mutex::new(Pacer::silent(far)), ..Self::new(far) }
    }

    fn pacer(&self) -> MutexGuard<'_, Pacer> {
        self.pacer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    /// How many bytes the next frame may have at most; see [`Pacer::most`].
    #[must_use]
    pub fn most(&self) -> Option<usize> {
        self.pacer().most()
    }

    /// Whether the next frame is to begin and to end with a query.
    #[must_use]
    pub fn queries(&self) -> (bool, bool) {
        let pacer = self.pacer();
        (pacer.asks_before(self.now()), pacer.asks())
    }

    /// Bytes were handed on that no query ends.
    pub fn sent(&self, bytes: usize) {
        self.pacer().sent(bytes);
    }

    /// A query was handed on.
    pub fn asked(&self) {
        self.pacer().asked(self.now());
    }

    /// A frame was handed on; see [`Pacer::framed`].
    pub fn framed(&self, bytes: usize) {
        self.pacer().framed(self.now(), bytes);
    }

    /// The terminal answered a query.
    pub fn answered(&self) {
        self.pacer().answered(self.now());
        self.answered.notify_waiters();
    }

    /// What is on its way is no longer waited for: another program had the terminal meanwhile.
    pub fn forget(&self) {
        self.pacer().forget();
        self.answered.notify_waiters();
    }

    /// Whether a frame may be handed on now.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.pacer().may_send(self.now()).is_ok()
    }

    /// Waits until a frame may be handed on. Safe to be cancelled.
    pub async fn freed(&self) {
        loop {
            let answered = self.answered.notified();
            let until = self.pacer().may_send(self.now());
            let Err(until) = until else { return };
            let _ = tokio::time::timeout_at(self.begun + until, answered).await;
        }
    }

    /// How long answers that are on their way may take at most; `None` where none is waited for.
    #[must_use]
    pub fn outstanding(&self) -> Option<Duration> {
        let pacer = self.pacer();
        pacer.waited(self.now())?;
        pacer.has_answered().then(|| 2 * pacer.round_trip().unwrap_or_default() + Duration::from_millis(50))
    }

    /// What is to be done about a line on which nothing happens; see [`Pacer::pulse`].
    #[must_use]
    pub fn pulse(&self, lost_after: Duration) -> Pulse {
        self.pacer().pulse(self.now(), lost_after)
    }

    /// Waits until something is to be done about a line on which nothing happens. Safe to be cancelled.
    pub async fn silent(&self, lost_after: Duration) {
        loop {
            let answered = self.answered.notified();
            match self.pulse(lost_after) {
                Pulse::Quiet(Some(due)) => tokio::time::sleep_until(self.begun + due).await,
                // It may begin to answer.
                Pulse::Quiet(None) => answered.await,
                Pulse::Ask | Pulse::Lost => return,
            }
        }
    }

    /// Whether the line is slow: far, or narrow.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.pacer().is_slow()
    }

    /// The round trip, where it is another than was told last by a fifth, and not one that nobody notices.
    #[must_use]
    pub fn news(&self) -> Option<Duration> {
        let now = self.pacer().round_trip()?;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = match *told {
            None => now < NEAR,
            Some(before) => now.abs_diff(before) * 5 < before.max(NEAR),
        };
        if is_same {
            return None;
        }
        *told = Some(now);
        Some(now)
    }
}
