//! What panics: nothing is written on the screen by a thread that does not have it, the log and a notice say what
//! happened, and whoever's panic ends the process leaves the terminal as it was.
//!
//! The program has nothing in it that panics when asked to. So the studio of these tests is this very test program,
//! which runs the library's studio, with a thread beside it that panics once a file appears.

use std::path::PathBuf;
use std::time::Duration;

use cutaway::terminal::Session;
use cutaway::terminal::panics::guard_terminal;

use crate::terminal::{Start, Studio};

/// Which panic is wanted of this program.
const WANTED: &str = "CUTAWAY_TEST_PANIC";
/// The file that is waited for, in the home.
const NOW: &str = "panic-now";

/// Panics while it is dropped by a panic: that can't be unwound, and ends the process.
struct Twice;

impl Drop for Twice {
    fn drop(&mut self) {
        panic!("the second of two panics");
    }
}

#[test]
#[ignore = "not a test: the program that the tests below run in a terminal"]
fn program() {
    let Ok(wanted) = std::env::var(WANTED) else { return };
    guard_terminal();
    if wanted == "owner" {
        let _session = Session::enter(true, true).unwrap();
        panic!("the thread with the terminal");
    }
    let file = PathBuf::from(std::env::var("HOME").unwrap()).join(NOW);
    let saboteur = move || {
        while !file.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _twice = (wanted == "dies").then(|| Twice);
        panic!("the saboteur \x1b[31mbroke\x1b[2J what it did");
    };
    std::thread::Builder::new().name("saboteur".to_owned()).spawn(saboteur).unwrap();
    let _ = cutaway::cli::main(["cutaway".into()]);
}

fn start(wanted: &str) -> Start {
    let this = std::env::current_exe().unwrap();
    let words = [this.to_str().unwrap(), "--exact", "panics::program", "--ignored", "--nocapture"];
    Start::new().program(&words).with(WANTED, wanted).with("RUST_BACKTRACE", "0")
}

fn panics_now(studio: &Studio) {
    std::fs::write(studio.home().join(NOW), "").unwrap();
}

#[test]
fn a_panic_beside_the_loop_is_a_notice_and_a_line_in_the_log() {
    let mut studio = start("other").open();
    studio.shows("274 products").shows("Fjell wool sock");
    let before = studio.written();
    panics_now(&studio);
    studio.shows("Internal error at tests/studio/panics.rs");
    // It is drawn by the studio, which goes on.
    studio.keys("!").shows("Your edits are kept").keys("\x1b").hides("Notices").keys("2").shows("Gift finder");
    let raw = String::from_utf8_lossy(&studio.since(before)).into_owned();
    assert!(
        !raw.contains("internal error in thread") && !raw.contains("panicked") && !raw.contains("saboteur"),
        "{raw:?}"
    );
    let log = studio.home().join("state/cutaway/internal-errors.log");
    let said = std::fs::read_to_string(log).unwrap();
    assert!(said.contains("thread saboteur at tests/studio/panics.rs:"), "{said}");
    assert!(said.contains("the saboteur") && !said.contains('\x1b') && said.lines().count() == 1, "{said:?}");
    studio.quit().is_restored();
}

#[test]
fn a_panic_that_ends_the_process_leaves_the_terminal_as_it_was() {
    let mut studio = start("dies").open();
    studio.shows("274 products");
    panics_now(&studio);
    let ended = studio.ended();
    assert!(!ended.status.success(), "{:?}", ended.status);
    ended.is_restored();
    assert!(String::from_utf8_lossy(&ended.raw).contains("internal error in thread saboteur"));
}

#[test]
fn a_panic_of_the_thread_with_the_terminal_is_told_once_it_is_given_back() {
    let ended = start("owner").open().ended();
    assert!(!ended.status.success());
    ended.is_restored();
    let raw = String::from_utf8_lossy(&ended.raw).into_owned();
    let (left, told) = (raw.find("\x1b[?1049l").unwrap(), raw.find("the thread with the terminal").unwrap());
    assert!(left < told, "{raw:?}");
}
