//! What tells a studio to end, whoever has its terminal at the time.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::steps::{goes_to, opened};
use crate::terminal::{PATIENCE, Start, Studio};

const PROJECT: &str = "Gift finder";

const SHELL: &str = "/bin/bash";

/// A studio that has lent its terminal to an editor, from a form with a text that is half typed.
fn edits(script: &str) -> Studio {
    let start = Start::new();
    let editor = start.home().join("editor");
    crate::programs::script(&editor, script);
    let mut studio = opened(start.with("EDITOR", editor.to_str().unwrap()), PROJECT);
    studio.shows("9 steps").keys("\r").shows("Internal note").keys("Half a tho").journal_holds("Half a tho");
    studio.keys("\x05").shows("the editor is open");
    studio
}

#[test]
fn a_studio_that_is_told_to_end_while_an_editor_is_open_ends() {
    for signal in [Signal::TERM, Signal::HUP] {
        let mut studio = edits("echo the editor is open; exec sleep 600");
        let again = studio.again();
        studio.signal(signal);
        let ended = studio.ended();
        assert!(ended.status.success(), "{signal:?}: {:?}", ended.status);
        ended.is_restored();
        is_kept(again);
    }
}

/// What was half typed is there again.
fn is_kept(again: Start) {
    let mut studio = opened(again, PROJECT);
    studio.shows("Half a tho").keys("\x1b").hides("Internal note");
    studio.quit();
}

#[test]
fn what_an_editor_had_saved_when_the_studio_was_told_to_end_is_kept_and_named() {
    let mut studio = edits("echo saved > \"$1\"; echo the editor is open; exec sleep 600");
    studio.signal(Signal::TERM);
    let ended = studio.ended();
    let rows: Vec<String> = ended.screen.rows(0, 120).collect();
    let said = rows.concat();
    let file = said.split("The text from the editor is in ").nth(1).unwrap_or_else(|| panic!("{rows:?}")).trim();
    assert_eq!(std::fs::read_to_string(file).unwrap(), "saved\n");
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_terminal_that_is_closed_while_an_editor_is_open_ends_the_studio() {
    let studio = edits("echo the editor is open; while sleep 0.05; do echo .; done");
    let again = studio.again();
    assert!(studio.closes().success());
    is_kept(again);
}

#[test]
fn an_editor_that_is_interrupted_by_key_leaves_the_studio_alone() {
    let mut studio = edits("trap 'exit 0' INT; echo the editor is open; while sleep 0.05; do :; done");
    studio.keys("\x03").shows("Half a tho").keys("ught").shows("Half a thought").keys("\x1b").hides("Internal note");
    studio.quit();
}

/// A shell with job control, and in it a studio with a text that is half typed; nothing where there is no such shell.
fn in_shell() -> Option<(Studio, Start)> {
    if !Path::new(SHELL).exists() {
        eprintln!("skipped: there is no {SHELL}, a shell with job control");
        return None;
    }
    let start = Start::new();
    let again = start.again();
    // What marks pastes is the studio alone: a shell that did as well would hide that it goes on.
    let marks = start.home().join("inputrc");
    std::fs::write(&marks, "set enable-bracketed-paste off\n").unwrap();
    let start = start.program(&[SHELL, "--norc", "--noprofile", "-i"]).with("PS1", "at the shell$ ");
    let mut shell = start.with("INPUTRC", marks.to_str().unwrap()).with("CUTAWAY_FRESH", "1").open();
    shell.shows("at the shell$").keys(env!("CARGO_BIN_EXE_cutaway")).keys("\r");
    goes_to(&mut shell, PROJECT);
    shell.shows("9 steps").keys("\r").shows("Internal note").keys("Half a tho").journal_holds("Half a tho");
    Some((shell, again))
}

/// The studio ends, and its terminal is as it was. That is asked from here: a loop of the shell's breaks off when a job
/// stops.
fn is_over(mut shell: Studio, studio: Pid) {
    until_gone(|| test_kill_process(studio));
    shell.keys("clear; echo 'go''ne'\r").shows("gone").keys("exit\r");
    shell.ended().is_restored();
}

/// Asks until there is no such process any more.
fn until_gone(ask: impl Fn() -> rustix::io::Result<()>) {
    let begun = Instant::now();
    while ask() != Err(Errno::SRCH) {
        assert!(begun.elapsed() < PATIENCE, "the studio did not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_suspended_studio_that_is_told_to_end_ends() {
    let Some((mut shell, again)) = in_shell() else { return };
    let studio = served_by(&again);
    shell.keys("\x1b").hides("Internal note").shows("draft: 1 edit not saved ─").keys("\x1a").shows("Stopped");
    // In the background there is nothing that it could do.
    shell.shows("at the shell$").keys("clear; bg; until jobs | grep -q Stopped; do :; done; echo 'it'' stopped'\r");
    shell.shows("it stopped").keys("clear; fg\r").shows("9 steps").keys("\x1a").hides("9 steps").shows("Stopped");
    shell.shows("at the shell$").keys("clear; kill %1\r");
    is_over(shell, studio);
    let mut studio = opened(again, PROJECT);
    studio.shows("draft: 1 edit not saved ─");
    studio.quit();
}

#[test]
fn a_studio_that_goes_on_in_the_background_holds_up_nobody_and_ends_when_it_is_told_to() {
    let Some((mut shell, again)) = in_shell() else { return };
    let studio = served_by(&again);
    kill_process(studio, Signal::STOP).unwrap();
    shell.shows("Stopped").keys("clear; echo 'stop''ped'\r").shows("stopped");
    // Without its terminal it stops itself again; what others wait for is handed over first. On Linux they wake it.
    if !cfg!(target_os = "linux") {
        kill_process(studio, Signal::CONT).unwrap();
    }
    assert!(again.says(&["projects", "list"]).contains(PROJECT));
    kill_process(studio, Signal::TERM).unwrap();
    // When it stops is not known: it is woken until it is gone.
    until_gone(|| kill_process(studio, Signal::CONT));
    is_over(shell, studio);
    is_kept(again);
}

#[test]
fn a_studio_that_was_stopped_is_told_to_end_in_the_background_and_ends() {
    let Some((mut shell, again)) = in_shell() else { return };
    let studio = served_by(&again);
    kill_process(studio, Signal::STOP).unwrap();
    shell.shows("Stopped").keys("clear; kill %1\r");
    is_over(shell, studio);
    is_kept(again);
}

/// The process that serves the local workspace of a home.
fn served_by(start: &Start) -> Pid {
    let record = std::fs::read(start.home().join("data/cutaway/local/serving.json")).unwrap();
    let record: serde_json::Value = serde_json::from_slice(&record).unwrap();
    Pid::from_raw(record["pid"].as_i64().unwrap().try_into().unwrap()).unwrap()
}
