//! What is said beside the output, on standard error: as little or as much as was asked for.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use futures_util::FutureExt;

use super::streams::{self, Given, USUAL};
use crate::client::{Exchange, Observe};
use crate::domain::text;

/// What takes longer is worth a word.
const LONG: Duration = Duration::from_secs(1);

/// So long nobody wonders whether anything happens.
const SILENCE: Duration = Duration::from_secs(2);

/// Whether the person sees how it goes.
static PROGRESS: AtomicBool = AtomicBool::new(false);

/// Whether there is a line that is written over.
static LINE: AtomicBool = AtomicBool::new(false);

/// How much is said. A process runs one command, so it is the process's.
static LOUDNESS: AtomicU8 = AtomicU8::new(USUAL);
const QUIET: u8 = 0;
const VERBOSE: u8 = 2;

/// Takes over what the flags ask for.
pub(super) fn set(quiet: bool, verbose: bool) {
    let loudness = if quiet {
        QUIET
    } else if verbose {
        VERBOSE
    } else {
        USUAL
    };
    match streams::given() {
        Some(given) => given.loudness.store(loudness, Ordering::Relaxed),
        None => LOUDNESS.store(loudness, Ordering::Relaxed),
    }
}

fn loudness() -> u8 {
    streams::given().map_or_else(|| LOUDNESS.load(Ordering::Relaxed), |given| given.loudness.load(Ordering::Relaxed))
}

/// Whether hints, warnings and progress are wanted.
pub(super) fn wanted() -> bool {
    loudness() != QUIET
}

/// Says a line that is neither output nor a failure.
pub(super) fn hint(line: &str) {
    if wanted() {
        clear_line();
        let _ = writeln!(streams::errors(), "{}", text::line(line));
    }
}

/// Says a line once something takes long; not where it is over (dropped) before that.
pub(super) struct WhereItTakesLong {
    _over: Sender<()>,
}

impl WhereItTakesLong {
    /// Begins to wait for the end of it.
    pub(super) fn say(line: &'static str) -> Self {
        let (over, ended) = channel();
        std::thread::spawn(move || {
            if ended.recv_timeout(LONG) == Err(RecvTimeoutError::Timeout) {
                hint(line);
            }
        });
        Self { _over: over }
    }

    /// Begins to wait for the platform's keyring.
    pub(super) fn keyring() -> Self {
        Self::say("cutaway: waiting for the keyring; it may ask you to unlock it")
    }
}

/// Tells of every exchange where that is wanted, else on a terminal of one that keeps the person waiting for this host.
pub(super) fn observer(host: String) -> Option<Arc<dyn Observe>> {
    match loudness() {
        VERBOSE => Some(Arc::new(Telling(streams::given()))),
        USUAL if streams::errors_are_shown() => Some(Arc::new(Waiting { host, ended: Arc::default() })),
        _ => None,
    }
}

/// There is a line now that is written over: what else is said stands in its place.
pub(super) fn line_is_shown() {
    LINE.store(true, Ordering::Relaxed);
}

/// Takes that line away, where there is one.
pub(super) fn clear_line() {
    if LINE.swap(false, Ordering::Relaxed) {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

/// From now on it is shown how it goes: nobody need be told that it takes long.
pub(super) fn shows_progress() {
    PROGRESS.store(true, Ordering::Relaxed);
}

/// Says whom one waits for.
struct Waiting {
    host: String,
    /// How many exchanges ended.
    ended: Arc<AtomicU64>,
}

impl Observe for Waiting {
    fn began(&self) {
        let (host, ended) = (self.host.clone(), Arc::clone(&self.ended));
        let before = ended.load(Ordering::Relaxed);
        tokio::spawn(FutureExt::boxed(async move {
            tokio::time::sleep(SILENCE).await;
            if ended.load(Ordering::Relaxed) == before && !PROGRESS.load(Ordering::Relaxed) {
                hint(&format!("cutaway: waiting for {host}…"));
            }
        }));
    }

    fn ended(&self, _: Exchange) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// Tells of exchanges to whoever runs the command: they may end in tasks beside it.
struct Telling(Option<Arc<Given>>);

impl Observe for Telling {
    fn ended(&self, exchange: Exchange) {
        let _ = writeln!(streams::errors_of(self.0.clone()), "{}", text::line(&line(&exchange)));
    }
}

fn line(exchange: &Exchange) -> String {
    let Exchange { method, path, status, elapsed, received, retries, request_id, error, .. } = exchange;
    let answered = match (status, error) {
        (Some(status), _) => format!("{status}, {received} bytes"),
        (None, Some(error)) => error.clone(),
        (None, None) => "no response".to_owned(),
    };
    let again = match retries {
        0 => String::new(),
        1 => ", sent twice".to_owned(),
        more => format!(", sent {} times", u64::from(*more) + 1),
    };
    let called = request_id.as_ref().map(|id| format!(", request {id}")).unwrap_or_default();
    format!("{method} {path}: {answered} in {} ms{again}{called}", elapsed.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_is_a_line() {
        let exchange = Exchange {
            number: 1,
            at: jiff::Timestamp::UNIX_EPOCH,
            operation: "getMe",
            method: "GET",
            path: "/users/me".to_owned(),
            status: Some(200),
            elapsed: Duration::from_millis(7),
            round_trip: None,
            sent: 0,
            received: 90,
            retries: 2,
            request_id: Some("r1".to_owned()),
            error: None,
            lost: false,
        };
        assert_eq!(line(&exchange), "GET /users/me: 200, 90 bytes in 7 ms, sent 3 times, request r1");
        let broken =
            Exchange { status: None, error: Some("cut off".to_owned()), retries: 0, request_id: None, ..exchange };
        assert_eq!(line(&broken), "GET /users/me: cut off in 7 ms");
    }
}
