//! What is said beside the output, on standard error: as little or as much as was asked for.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::client::{Exchange, Observe};
use crate::domain::text;

/// What takes longer is worth a word.
const LONG: Duration = Duration::from_secs(1);

/// How much is said. A process runs one command, so it is the process's.
static LOUDNESS: AtomicU8 = AtomicU8::new(USUAL);
const QUIET: u8 = 0;
const USUAL: u8 = 1;
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
    LOUDNESS.store(loudness, Ordering::Relaxed);
}

/// Whether hints, warnings and progress are wanted.
pub(super) fn wanted() -> bool {
    LOUDNESS.load(Ordering::Relaxed) != QUIET
}

/// Says a line that is neither output nor a failure.
pub(super) fn hint(line: &str) {
    if wanted() {
        let _ = writeln!(io::stderr(), "{}", text::line(line));
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

/// Tells of every exchange where that is wanted.
pub(super) fn observer() -> Option<Arc<dyn Observe>> {
    (LOUDNESS.load(Ordering::Relaxed) == VERBOSE).then(|| Arc::new(Telling) as Arc<dyn Observe>)
}

struct Telling;

impl Observe for Telling {
    fn ended(&self, exchange: Exchange) {
        hint(&line(&exchange));
    }
}

fn line(exchange: &Exchange) -> String {
    let Exchange { method, path, status, elapsed, received, retries, request_id, error, .. } = exchange;
    let answered = match (status, error) {
        (Some(status), _) => format!("{status}, {received} bytes"),
        (None, Some(error)) => error.clone(),
        (None, None) => "no answer".to_owned(),
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
