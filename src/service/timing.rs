//! How long things last that end by themselves. Tests give other lengths; nothing else does.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// How long things last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timing {
    /// An authorization code, RFC 6749 §4.1.2.
    pub code: Duration,
    /// A device code, RFC 8628 §3.2.
    pub device_code: Duration,
    /// How long a client has to wait between two questions about a device code.
    pub poll_interval: Duration,
    /// A refresh token that is not used.
    pub refresh: Duration,
    /// Everything that came of one approval, however often it is refreshed (RFC 9700 §4.14).
    pub grant: Duration,
    /// Without a sign of life for this long, a visit is over. Minutes: a phone that shows another app for a while, a reload
    /// and a line that is away belong to the same visit.
    pub silence: Duration,
    /// How often the player gives a sign of life.
    pub heartbeat: Duration,
    /// How long a receiver may take to answer a delivery.
    pub receiver: Duration,
    /// The wait after the first failed attempt; each later one is longer.
    pub first_retry: Duration,
    /// The longest wait between two attempts, unless the receiver asks for a longer one.
    pub longest_retry: Duration,
    /// How long a delivery is tried.
    pub tried_for: Duration,
    /// A subscription whose deliveries all fail for so long is switched off.
    pub switched_off: Duration,
    /// Between two sweeps of what is kept for so long only.
    pub sweep: Duration,
    /// How long a request waits for a database that another process keeps locked.
    pub busy: Duration,
    /// How long the service answers on, and says that it is not ready, before it stops.
    pub drain: Duration,
    /// How long the file of an upload is held in S3 for a process that gives no sign of life.
    pub file_lease: Duration,
    /// How long a file stays in S3 after its video was deleted, so that a database which is restored finds it again.
    pub deleted_file: Duration,
    /// How long S3 may say nothing while something is read from it.
    pub file_silence: Duration,
    /// How long a signing secret that was replaced signs beside the new one.
    pub old_secret: Duration,
}

/// How much longer than its receiver may take a subscription is claimed: for what comes before the attempt and after it.
pub(super) const AROUND_ATTEMPT: Duration = Duration::from_secs(10);

const HOUR: Duration = Duration::from_secs(3600);

impl Default for Timing {
    fn default() -> Self {
        Self {
            code: Duration::from_secs(60),
            device_code: Duration::from_secs(900),
            poll_interval: Duration::from_secs(5),
            refresh: 30 * 24 * HOUR,
            grant: 90 * 24 * HOUR,
            silence: Duration::from_secs(600),
            heartbeat: Duration::from_secs(10),
            receiver: Duration::from_secs(15),
            first_retry: Duration::from_secs(5),
            longest_retry: 4 * HOUR,
            tried_for: 24 * HOUR,
            switched_off: 5 * 24 * HOUR,
            sweep: HOUR,
            busy: Duration::from_secs(10),
            drain: Duration::ZERO,
            file_lease: Duration::from_secs(120),
            deleted_file: 24 * HOUR,
            file_silence: Duration::from_secs(60),
            old_secret: 24 * HOUR,
        }
    }
}

/// Whole seconds, as tokens and codes are counted in.
pub(super) fn seconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)
}

/// Whole milliseconds, as visits and deliveries are counted in.
pub(super) fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// How far the clock that counts is ahead of this machine's, milliseconds: that of the database which several machines share.
static AHEAD: AtomicI64 = AtomicI64::new(0);
/// A difference below this is the way of the message, milliseconds.
const SAME: u64 = 250;

/// Now, in milliseconds since 1970, by the clock that all processes of a workspace go by.
pub(super) fn now() -> i64 {
    timestamp().as_millisecond()
}

/// The same as a timestamp.
pub(super) fn timestamp() -> jiff::Timestamp {
    let ahead = jiff::SignedDuration::from_millis(AHEAD.load(Ordering::Relaxed));
    let now = jiff::Timestamp::now();
    now.checked_add(ahead).unwrap_or(now)
}

/// It is that time now by the clock of the database, milliseconds since 1970.
pub(super) fn is_now(time: i64) {
    if time.abs_diff(now()) > SAME {
        AHEAD.store(time.saturating_sub(jiff::Timestamp::now().as_millisecond()), Ordering::Relaxed);
    }
}

/// When to look again at what another process may have left in a shared database, for whoever has nothing to do before:
/// after a second or two, and not all processes at once.
pub(super) fn look_again() -> Duration {
    let some = getrandom::u32().unwrap_or_default() % 1000;
    Duration::from_millis(1000 + u64::from(some))
}
