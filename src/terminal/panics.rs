//! What happens when something panics. The thread that the program began on has the terminal, and its panic ends the
//! program: the terminal is given back first, and then it is told what happened. No other thread ever writes to a
//! terminal: what it was doing ends, the program goes on, and whoever [`listen`]s is told.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal as _, Write as _};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Mutex, Once, OnceLock, PoisonError};
use std::thread::{self, ThreadId};

use super::held::give_back_held;
use crate::domain::text;

/// A longer message is not passed on, characters.
const LONGEST: usize = 400;

/// A thread that does not have the terminal panicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panicked {
    /// The thread's name, `unnamed` where it has none.
    pub thread: String,
    /// The place in the source: file and line.
    pub at: String,
    /// What it said, on one line, without anything that steers a terminal and without the texts that it quotes.
    pub what: String,
    /// Whether somebody caught it, who tells of it: see [`caught`].
    pub is_caught: bool,
}

thread_local! {
    /// How many [`caught`] are under way on this thread.
    static CATCHING: Cell<usize> = const { Cell::new(0) };
    /// The panic that the innermost of them catches.
    static LAST: RefCell<Option<Panicked>> = const { RefCell::new(None) };
}

/// Runs something whose panic is caught: it belongs to one studio of several, and only that one is told.
///
/// # Errors
/// The panic.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Panicked> {
    CATCHING.set(CATCHING.get() + 1);
    let ran = panic::catch_unwind(AssertUnwindSafe(run));
    CATCHING.set(CATCHING.get() - 1);
    ran.map_err(|_| {
        // Before the hook is installed nobody knows more.
        let unknown = || Panicked {
            thread: thread::current().name().unwrap_or("unnamed").to_owned(),
            at: "an unknown place".to_owned(),
            what: "no message".to_owned(),
            is_caught: true,
        };
        LAST.take().unwrap_or_else(unknown)
    })
}

type Listener = Box<dyn Fn(&Panicked) + Send>;

static OWNER: OnceLock<ThreadId> = OnceLock::new();
static LISTENERS: Mutex<Vec<(u64, Listener)>> = Mutex::new(Vec::new());

/// From now on the calling thread is the one that has the terminal, and panics are told in this program's own words. A
/// second call does nothing.
pub fn guard_terminal() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let _ = OWNER.set(thread::current().id());
        panic::set_hook(Box::new(on_panic));
    });
}

/// Tells of panics of other threads for as long as the value lives. It is called on the thread that panicked, so it has
/// to be quick, and must not panic.
#[must_use]
pub fn listen(listener: impl Fn(&Panicked) + Send + 'static) -> Listening {
    let mut listeners = LISTENERS.lock().unwrap_or_else(PoisonError::into_inner);
    let id = listeners.iter().map(|(id, _)| id + 1).max().unwrap_or(0);
    listeners.push((id, Box::new(listener)));
    Listening(id)
}

/// Whoever listens; see [`listen`].
#[derive(Debug)]
pub struct Listening(u64);

impl Drop for Listening {
    fn drop(&mut self) {
        LISTENERS.lock().unwrap_or_else(PoisonError::into_inner).retain(|(id, _)| *id != self.0);
    }
}

fn on_panic(info: &PanicHookInfo<'_>) {
    let is_caught = CATCHING.get() > 0;
    let is_owner = OWNER.get() == Some(&thread::current().id()) && !is_caught;
    let panicked = Panicked { is_caught, ..Panicked::of(info) };
    tracing::error!(thread = panicked.thread, at = panicked.at, what = panicked.what, "an internal error");
    let ends = is_owner || ends_process(info);
    if ends {
        // The terminal is of no more use to anybody here; a person is to find it as it was.
        give_back_held();
    }
    if ends || !io::stderr().is_terminal() {
        let _ = io::stderr().write_all(panicked.told(ends).as_bytes());
    }
    if ends {
        // Only where RUST_BACKTRACE asks for it.
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            let _ = writeln!(io::stderr(), "{trace}");
        }
    }
    // Passed over where another thread panics at the same moment and its listener is being called.
    if let Ok(listeners) = LISTENERS.try_lock() {
        listeners.iter().for_each(|(_, listener)| listener(&panicked));
    }
    if is_caught {
        LAST.set(Some(panicked));
    }
}

impl Panicked {
    fn of(info: &PanicHookInfo<'_>) -> Self {
        let said = message(info).unwrap_or("no message");
        Self {
            thread: thread::current().name().unwrap_or("unnamed").to_owned(),
            at: info.location().map_or_else(|| "unknown".to_owned(), |at| format!("{}:{}", at.file(), at.line())),
            what: text::line(&without_quoted(said).chars().take(LONGEST).collect::<String>()).into_owned(),
            is_caught: false,
        }
    }

    /// It in words, with what to do where the program ends by it.
    fn told(&self, ends: bool) -> String {
        let Self { thread, at, what, .. } = self;
        let what = format!("cutaway: internal error in thread {thread} at {at}: {what}\n");
        if ends { what + WHAT_TO_DO } else { what }
    }
}

/// What is said where the program ends by a panic.
const WHAT_TO_DO: &str = "\
This is a bug in Cutaway, and ended it. Drafts and uploads are on disk: start it again to continue.
To report it, run `cutaway doctor --bundle FILE` and send that archive; it contains no credentials.
";

/// A message without what it quotes: the library quotes texts that something went wrong with, and those may be anything,
/// a credential too.
fn without_quoted(said: &str) -> String {
    let mut left = String::new();
    let mut until = None;
    for character in said.chars() {
        match until {
            None => {
                left.push(character);
                if matches!(character, '"' | '`') {
                    until = Some(character);
                    left.push('…');
                }
            }
            Some(end) if end == character => {
                until = None;
                left.push(character);
            }
            Some(_) => {}
        }
    }
    left
}

fn message<'a>(info: &'a PanicHookInfo<'_>) -> Option<&'a str> {
    let payload = info.payload();
    payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str))
}

/// Whether the process ends by this panic whichever thread it is on: one that can't unwind. The library knows no other
/// way to tell than by its words.
fn ends_process(info: &PanicHookInfo<'_>) -> bool {
    message(info).is_some_and(|said| {
        said.starts_with("panic in a destructor during cleanup")
            || said.starts_with("panic in a function that cannot unwind")
            || said.starts_with("unsafe precondition(s) violated")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_message_quotes_is_not_passed_on() {
        for (said, left) in [
            (
                "index out of bounds: the len is 3 but the index is 5",
                "index out of bounds: the len is 3 but the index is 5",
            ),
            (
                "byte index 4 is not a char boundary; it is inside `sk_live_1`",
                "byte index 4 is not a char boundary; it is inside `…`",
            ),
            (
                "called `Result::unwrap()` on an `Err` value: Key(\"sk_live_1\")",
                "called `…` on an `…` value: Key(\"…\")",
            ),
            ("it never ends: \"sk_live_1", "it never ends: \"…"),
        ] {
            assert_eq!(without_quoted(said), left);
        }
    }
}
