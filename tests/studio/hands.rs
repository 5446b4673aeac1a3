//! Keys of a person's own, in the real program: chords, presets, programs, and what is said of lines that can't work.

use std::fs;
use std::path::PathBuf;

use rustix::process::Signal;

use crate::terminal::{Start, Studio};

/// A program that writes down how it was called, each argument on a line, and says something.
fn program(start: &Start) -> (PathBuf, PathBuf) {
    let (file, called) = (start.home().join("erp"), start.home().join("called"));
    crate::programs::script(&file, &format!("printf '%s\\n' \"$@\" >> '{}'\necho all is well", called.display()));
    (file, called)
}

#[test]
fn chords_presets_and_programs_work_in_the_real_program() {
    let start = Start::new();
    let (file, called) = program(&start);
    let keymap = format!(
        "preset = \"vim\"\n[products]\nf5 = {{ run = [{:?}, \"$(id) {{id}}\", \"{{store}}\"], title = \"Look up\" }}\n",
        file.to_str().unwrap()
    );
    let mut studio = start.configured("keymap.toml", &keymap).open();
    studio.shows("274 products").keys("jj").keys("g").shows("Go to first").shows("g \u{2026}");
    studio.keys("g").hides("Go to first");
    studio.keys("\x1b[15~").shows("Look up: all is well");
    let written = fs::read_to_string(&called).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert!(lines[0].starts_with("$(id) ") && lines[0].len() > 6, "no shell read it: {written}");
    assert!(lines[1].starts_with("https://"), "{written}");
    studio.keys("?").shows("Help").keys("look up").shows("Look up").keys("\x1b").hides("Help");
    // `Z Q` quits.
    studio.keys("ZQ");
    let ended = studio.ended();
    assert!(ended.status.success());
    ended.is_restored();
}

#[test]
fn no_program_is_run_read_only() {
    let start = Start::new().arguments(&["--read-only"]);
    let (file, called) = program(&start);
    let keymap = format!("[global]\nf5 = {{ run = [{:?}], title = \"Look up\" }}\n", file.to_str().unwrap());
    let mut studio = start.configured("keymap.toml", &keymap).open();
    studio.shows("274 products").keys("\x1b[15~").shows("Look up wasn't run");
    assert!(!called.exists());
    studio.quit();
}

#[test]
fn lines_that_can_not_work_are_named_with_their_place() {
    let keymap = "[global]\n\"ctrl-r\" = \"products.refresh\"\n[products]\nj = \"products.sort\"\n\"ctrl-i\" = \"products.sort\"\n";
    let start = Start::new().configured("keymap.toml", keymap);
    let told = start.says(&["doctor"]);
    for said in [
        "keymap.toml:2:12: \"ctrl-r\" in [global] hides steps.redo",
        "keymap.toml:4:5: \"j\" is move.down",
        "keymap.toml:5:12: most terminals send \"tab\"",
    ] {
        assert!(told.split_whitespace().collect::<Vec<_>>().join(" ").contains(said), "{said}\n{told}");
    }
    let mut studio = start.size(140, 40).open();
    studio
        .shows("274 products")
        .keys("!")
        .shows("hides steps.redo")
        .shows("\"j\" is move.down")
        .shows("most terminals send");
    studio.keys("\x1b").hides("Notices");
    studio.quit();
}

#[test]
fn the_doctor_asks_for_keys_and_says_which_do_not_arrive() {
    let mut doctor = Start::new().arguments(&["doctor"]).open();
    doctor.shows("Press Ctrl-Left").keys("\x1b[1;5D").shows("Press Shift-Tab");
    // Something on the way changes one, keeps the next, and the person skips the rest.
    doctor.keys("\t").shows("arrives as Tab").shows("Press Shift-Right");
    doctor.keys("\r").shows("doesn't arrive").shows("your terminal or window manager").shows("Press Ctrl-B");
    doctor.keys("\x1b").shows("skipped");
    doctor.ended();
    // In tmux it is tmux that keeps them; where there is no terminal, nothing is asked.
    let mut doctor = Start::new().with("TMUX", "/tmp/none").arguments(&["doctor"]).open();
    doctor.shows("Press Ctrl-Left").keys("\r").shows("your tmux swallows it").keys("\x1b").shows("skipped");
    doctor.ended();
    assert!(!Start::new().says(&["doctor"]).contains("Press Ctrl-Left"));
}

#[test]
fn the_doctor_that_is_told_to_end_while_it_asks_for_keys_gives_the_terminal_back() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::QUIT, 131)] {
        let mut doctor = Start::new().arguments(&["doctor"]).open();
        doctor.shows("Press Ctrl-Left").signal(signal);
        let ended = doctor.ended();
        ended.is_restored();
        assert_eq!(ended.status.exit_code(), code, "{signal:?}");
    }
}

/// Where a text stands, the last one of the last row that has it, counted from 1.
fn place(rows: &[String], words: &str) -> Option<(usize, usize)> {
    let (y, row) = rows.iter().enumerate().rfind(|(_, row)| row.contains(words))?;
    Some((row[..row.rfind(words)?].chars().count() + 1, y + 1))
}

#[test]
fn a_project_is_played_and_edited_by_clicks_alone() {
    let mut studio = crate::steps::opened(Start::new(), "Gift finder");
    // Presses and lets go of the left button there; where that was.
    let press = |studio: &mut Studio, words: &str| {
        studio.shows(words);
        let at = place(&studio.rows(), words);
        let (x, y) = at.unwrap_or_default();
        studio.keys(&format!("\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m"));
        at
    };
    let is_shown = |rows: &[String], words: &str| rows.iter().any(|row| row.contains(words));
    // The same until something is shown: what moves away under the pointer is pressed once more, as a person does.
    let click = |studio: &mut Studio, words: &str, then: &str| {
        while !is_shown(&studio.rows(), then) {
            let at = press(studio, words);
            studio.until(then, |rows| is_shown(rows, then) || place(rows, words).is_some_and(|now| Some(now) != at));
        }
    };
    click(&mut studio, "play", "▌ 1 For her");
    click(&mut studio, "  2 For him", "▌ 1 Being outdoors");
    click(&mut studio, "back", "▌ 2 For him");
    click(&mut studio, "stop", "p play");
    studio.hides("▌ 2 For him").keys("\r").shows("Internal note");
    press(&mut studio, "Text over the video");
    studio.keys("!").shows("Who is it for?!");
    click(&mut studio, "close", "draft: 1 edit not saved");
    studio.quit();
}

#[test]
fn a_project_is_played_and_wired_with_keys_of_ones_own() {
    let keymap = "[play]\nf9 = \"play.back\"\nleft = \"\"\nh = \"\"\nb = \"\"\nbackspace = \"\"\n[wire]\nx = \"\"\n\"ctrl-x e\" = \"wire.end\"\n";
    let mut studio = crate::steps::opened(Start::new().configured("keymap.toml", keymap), "Gift finder");
    studio.keys("p").shows("▌ 1 For her").keys("2").shows("▌ 1 Being outdoors").shows("F9 back");
    studio.keys("?").shows("While you play a project").keys("\x1b").hides("While you play a project");
    studio.keys("\x1b[20~").shows("▌ 2 For him").keys("\x1b").hides("▌ 2 For him");
    studio.keys("w").shows("Ctrl-X e end").keys("\x18").shows("End video").keys("e").shows("draft: 1 edit not saved");
    studio.quit();
}
