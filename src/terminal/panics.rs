//! What happens when something panics. The thread that the program began on has the terminal, and its panic ends the
//! program: the terminal is given back first, and then it is told what happened. No other thread ever writes to a
//! terminal: what it was doing ends, the program goes on, and whoever [`listen`]s is told.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal as _, Write as _};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::str::Chars;
use std::sync::{Mutex, Once, OnceLock, PoisonError};
use std::thread::{self, ThreadId};

use super::held::give_back_held;
use crate::domain::text;

/// A longer message is not passed on, characters.
const LONGEST: usize = 400;

/// Numbers of a list that are passed on; more of them may be the bytes of a text.
const SHORT_LIST: usize = 4;

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
    // The terminal is of no more use to anybody where the program ends; a person is to find it as it was.
    let is_studio = ends && give_back_held();
    if ends || !io::stderr().is_terminal() {
        let _ = io::stderr().write_all(panicked.told(ends, is_studio).as_bytes());
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
    fn told(&self, ends: bool, is_studio: bool) -> String {
        let Self { thread, at, what, .. } = self;
        let what = format!("cutaway: internal error in thread {thread} at {at}: {what}\n");
        // Only the studio has a terminal to give back, and drafts and uploads that go on.
        let kept = if is_studio { WHAT_IS_KEPT } else { "" };
        if ends { format!("{what}{WHAT_HAPPENED}{kept}{WHAT_TO_DO}") } else { what }
    }
}

/// What is said where the program ends by a panic.
const WHAT_HAPPENED: &str = "This is a bug in Cutaway; the program had to end.\n";

/// What is said of that where it was the studio.
const WHAT_IS_KEPT: &str = "Drafts and uploads are on disk: start it again to continue.\n";

/// What to do about it.
const WHAT_TO_DO: &str = "\
To report it, run `cutaway doctor --bundle FILE` and send that archive; it contains no credentials.
";

/// A message without what it quotes: the library quotes texts that something went wrong with, and those may be anything,
/// a credential too. Bytes are texts as well, so a longer list of numbers isn't passed on either.
fn without_quoted(said: &str) -> String {
    let mut left = String::new();
    let mut rest = said.chars();
    while let Some(character) = rest.next() {
        // The apostrophe of a word begins nothing; that of a byte does: b's'.
        let in_word = character == '\'' && left.ends_with(char::is_alphanumeric) && !ends_in_byte_prefix(&left);
        if matches!(character, '"' | '`' | '\'') && !in_word {
            left.extend([character, '…']);
            left.extend(skip_quoted(&mut rest, character).then_some(character));
        } else if character == '[' && is_long_list(rest.as_str()) {
            left.push_str("[…");
            left.extend(rest.any(|inner| inner == ']').then_some(']'));
        } else {
            left.push(character);
        }
    }
    left
}

/// Whether a text ends with the `b` by itself that Rust writes before a byte.
fn ends_in_byte_prefix(text: &str) -> bool {
    text.strip_suffix('b').is_some_and(|before| !before.ends_with(char::is_alphanumeric))
}

/// Passes over a quoted text; whether it ends. Between signs that Rust's code is quoted with nothing is escaped.
fn skip_quoted(rest: &mut Chars<'_>, end: char) -> bool {
    while let Some(character) = rest.next() {
        if character == end {
            return true;
        }
        if character == '\\' && end != '`' {
            rest.next();
        }
    }
    false
}

/// Whether what stands behind a bracket are more numbers than a message names for itself.
fn is_long_list(rest: &str) -> bool {
    let list = rest.split(']').next().unwrap_or_default();
    let is_number = |entry: &str| {
        let entry = entry.trim();
        entry.is_empty() || entry.trim_start_matches("0x").chars().all(|digit| digit.is_ascii_hexdigit())
    };
    list.split(',').count() > SHORT_LIST && list.split(',').take(SHORT_LIST + 1).all(is_number)
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
    fn drafts_are_promised_only_where_it_was_the_studio() {
        let panicked =
            Panicked { thread: "main".to_owned(), at: "a.rs:1".to_owned(), what: "oh".to_owned(), is_caught: false };
        let (studio, plain, goes_on) =
            (panicked.told(true, true), panicked.told(true, false), panicked.told(false, false));
        assert!(studio.contains("Drafts and uploads are on disk") && !plain.contains("Drafts"), "{studio}{plain}");
        for ends in [&studio, &plain] {
            assert!(ends.starts_with(&goes_on), "{ends}");
            assert!(
                ends.contains("This is a bug in Cutaway; the program had to end.") && ends.contains("To report it")
            );
        }
        assert_eq!(goes_on.lines().count(), 1);
    }

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
            ("it never ends: \"sk_live_1\\", "it never ends: \"…"),
            (r#"Err("{\"api_key\":\"sk_live_1\"}") at 3"#, r#"Err("…") at 3"#),
            (r#"Key("C:\\"), then "sk_live_1""#, r#"Key("…"), then "…""#),
            ("unexpected 's', of 'sk_live_1' it can't be", "unexpected '…', of '…' it can't be"),
            ("bytes b\"sk_live_1\", of which b's', b'\\'' and b'\\x6b'", "bytes b\"…\", of which b'…', b'…' and b'…'"),
            ("the web's b'", "the web's b'…"),
            ("unexpected '\\'' in \"sk_live_1\"", "unexpected '…' in \"…\""),
            ("Utf8Error { bytes: [115, 107, 95, 108, 105, 118, 101] } of 7", "Utf8Error { bytes: […] } of 7"),
            ("it never ends: [0x73, 0x6b, 0x5f, 0x6c, 0x69", "it never ends: […"),
            ("expected one of [1, 2, 3]", "expected one of [1, 2, 3]"),
        ] {
            assert_eq!(without_quoted(said), left);
        }
    }
}
