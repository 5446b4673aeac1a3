//! What happens when something panics. The thread that the program began on has the terminal, and its panic ends the
//! program: the terminal is given back first, and then it is told what happened. No other thread ever writes to a
//! terminal: what it was doing ends, the program goes on, and whoever [`listen`]s is told.

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
    /// What it said, on one line and without anything that steers a terminal.
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

/// From now on the calling thread is the one that has the terminal. What reports panics so far reports those of this
/// thread only. A second call does nothing.
pub fn guard_terminal() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let _ = OWNER.set(thread::current().id());
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| on_panic(info, &report)));
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

fn on_panic(info: &PanicHookInfo<'_>, report: &dyn Fn(&PanicHookInfo<'_>)) {
    let is_caught = CATCHING.get() > 0;
    if OWNER.get() == Some(&thread::current().id()) && !is_caught {
        give_back_held();
        report(info);
        return;
    }
    let panicked = Panicked { is_caught, ..Panicked::of(info) };
    tracing::error!(thread = panicked.thread, at = panicked.at, what = panicked.what, "an internal error");
    let dies = ends_process(info);
    if dies {
        // The terminal is of no more use to anybody here; a person is to find it as it was.
        give_back_held();
    }
    if dies || !io::stderr().is_terminal() {
        let Panicked { thread, at, what, .. } = &panicked;
        let _ = writeln!(io::stderr(), "cutaway: internal error in thread {thread} at {at}: {what}");
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
            what: text::line(&said.chars().take(LONGEST).collect::<String>()).into_owned(),
            is_caught: false,
        }
    }
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
