//! What tells a studio to end, whoever has its terminal at the time.

use rustix::process::Signal;

use crate::steps::opened;
use crate::terminal::{Start, Studio};

const PROJECT: &str = "Gift finder";

/// A studio that has lent its terminal to an editor, from a form with a text that is half typed.
fn edits(script: &str) -> Studio {
    let start = Start::new();
    let editor = start.home().join("editor");
    crate::programs::script(&editor, script);
    let mut studio = opened(start.with("EDITOR", editor.to_str().unwrap()), PROJECT);
    studio.shows("9 steps").keys("\r").shows("Internal note").keys("Half a tho").shows("Half a tho");
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
