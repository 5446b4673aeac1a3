//! What is found out of a terminal, set by hand: in `config.toml`, by `--terminal`, by `CUTAWAY_TERMINAL`.

use crate::graphics::KITTY;
use crate::terminal::Start;

/// What a studio writes that is opened, looked at a little, and left.
fn written(start: Start) -> String {
    let mut studio = start.open();
    studio.shows("274 products").shows("Fjell wool sock").keys("\x1b[6~").keys("2").shows("Gift finder").keys("1");
    studio.shows("274 products").keys("?").shows("Help").keys("\x1b").hides("Help");
    String::from_utf8_lossy(&studio.quit().raw).into_owned()
}

/// How many sequences of this last letter there are.
fn count(written: &str, letter: char) -> usize {
    let parts = written.split("\x1b[").skip(1);
    parts.filter(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with(letter)).count()
}

/// Whether anything has a color of many.
fn is_colored(written: &str) -> bool {
    ["38;2;", "38;5;"].iter().any(|color| written.contains(color))
}

#[test]
fn a_terminal_that_is_not_to_be_asked_is_asked_nothing() {
    let start = Start::new().with("TERM", "xterm-kitty").configured("config.toml", "ask_terminal = \"off\"\n");
    let quiet = written(start.with("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22"));
    for question in ["\x1b[c", "\x1b[5n", "\x1b[6n", "\x1b[?u", "\x1b]11;?", "\x1b_G", "\x1b[>0q", "\x1bP+q"] {
        assert!(!quiet.contains(question), "{question:?}");
    }
    let asked = written(Start::new().with("TERM", "xterm-kitty"));
    assert!(asked.contains("\x1b[c") && asked.contains("\x1b[5n") && asked.contains("\x1b_G"));
}

#[test]
fn colors_the_mouse_and_shortcuts_are_as_they_were_set() {
    let start = || {
        Start::new()
            .with("TERM", "foot")
            .with("COLORTERM", "truecolor")
            .with("NO_COLOR", "1")
            .with("CUTAWAY_THEME", "dark")
    };
    let all = written(start().without("NO_COLOR"));
    assert!(is_colored(&all) && all.contains("\x1b[?1000h"));
    let used = ['K', 'X', 'b', '@', 'P'].map(|letter| count(&all, letter));
    assert!(used.iter().any(|count| *count > 0), "{used:?}");
    let few = written(start().arguments(&["--terminal", "colors=256,mouse=off,shortcuts=none"]));
    assert!(!few.contains("38;2;") && is_colored(&few), "before NO_COLOR and COLORTERM");
    assert!(!few.contains("\x1b[?1000h"));
    assert_eq!(['K', 'X', 'b', '@', 'P'].map(|letter| count(&few, letter)), [0; 5]);
    let one = written(start().with("CUTAWAY_TERMINAL", "colors=none shortcuts=ech"));
    assert!(!is_colored(&one));
    assert_eq!(['K', 'b', '@', 'P'].map(|letter| count(&one, letter)), [0; 4]);
}

#[test]
fn keys_are_told_apart_without_asking_or_not_at_all() {
    let on = written(Start::new().configured("config.toml", "keyboard_protocol = \"on\"\n"));
    assert!(on.contains("\x1b[>1u") && on.contains("\x1b[<1u") && !on.contains("\x1b[?u"));
    let mut studio = Start::new().configured("config.toml", "keyboard_protocol = \"off\"\n").open();
    // One that answers all the same.
    studio.writes(0, b"\x1b[c").bytes(b"\x1b[?1u\x1b[?62c").shows("274 products").keys("2").shows("Gift finder");
    let off = String::from_utf8_lossy(&studio.quit().raw).into_owned();
    assert!(!off.contains("\x1b[>1u") && !off.contains("\x1b[?u"));
}

#[test]
fn what_is_copied_goes_as_it_was_set() {
    let copied = |set: &str| {
        let mut studio = Start::new().with("CUTAWAY_TERMINAL", set).open();
        studio.shows("274 products").shows("Fjell wool sock").keys("y").shows("ID");
        // Where it can't be copied it is shown, to be copied by hand.
        studio.keys("\r").until("the ID, or where it went", |rows| {
            rows.iter().any(|row| row.contains("8123456789012") || row.contains("terminal"))
        });
        studio.keys("\x1b\x1b");
        String::from_utf8_lossy(&studio.quit().raw).into_owned()
    };
    let plain = copied("clipboard=on");
    assert!(plain.contains("\x1b]52;c;") && !plain.contains("\x1bPtmux;"));
    assert!(copied("clipboard=wrapped").contains("\x1bPtmux;\x1b\x1b]52;c;"));
    let screen = copied("clipboard=wrapped,multiplexer=screen");
    assert!(screen.contains("\x1bP\x1b]52;c;") && !screen.contains("\x1bPtmux;"));
    assert!(!copied("clipboard=off").contains("]52;c;"));
}

#[test]
fn pictures_go_through_tmux_where_that_was_set() {
    let start = Start::new().with("TERM", "tmux-256color").with("TMUX", "/tmp/none").with("COLORTERM", "truecolor");
    let mut studio = start.configured("config.toml", "passthrough = \"on\"\n").open();
    studio.writes(0, b"\x1bPtmux;\x1b\x1b_Gi=31,");
    // tmux answers for itself before what is around it does.
    studio.bytes(b"\x1b[?62c").shows("274 products").bytes(KITTY).shows("Fjell wool sock");
    let from = studio.written();
    studio.keys("\r").writes(from, b"\x1bPtmux;\x1b\x1b_G").shows("\u{10eeee}");
    let all = String::from_utf8_lossy(&studio.quit().raw).into_owned();
    let bare = all.replace("\x1b\x1b", "");
    assert!(!bare.contains("\x1b_G"), "tmux would take it for a title");
    assert!(bare.contains("\x1bPtmux;_Ga=d,d=I,"), "what the terminal was given is taken back");
    let without = written(Start::new().with("TERM", "tmux-256color").with("TMUX", "/tmp/none"));
    assert!(!without.contains("Ptmux;"));
}

#[test]
fn what_tmux_dropped_of_the_questions_is_asked_again() {
    let start = Start::new().with("TERM", "tmux-256color").with("TMUX", "/tmp/none").with("COLORTERM", "truecolor");
    let mut studio = start.configured("config.toml", "passthrough = \"on\"\n").open();
    let question = b"\x1bPtmux;\x1b\x1b_Gi=31,";
    studio.writes(0, question);
    // It was redrawing then: only its own answer comes.
    let from = studio.written();
    studio.bytes(b"\x1b[?62c").shows("274 products").keys("j").writes(from, question).bytes(KITTY);
    studio.shows("Fjell wool sock").keys("k");
    let from = studio.written();
    studio
        .keys("\r")
        .writes(from, b"\x1bPtmux;\x1b\x1b_G")
        .shows("\u{10eeee}")
        .keys("\x1b")
        .keys("jkjkjkjkjkjkjkjkjkjk");
    studio.shows("Updated");
    let after = String::from_utf8_lossy(&studio.quit().raw[from..]).into_owned();
    assert!(!after.contains("_Gi=31,"), "it answered");
}

#[test]
fn the_doctor_asks_the_terminal_and_says_what_it_answered() {
    let mut doctor = Start::new().with("TERM", "xterm-kitty").size(140, 80).arguments(&["doctor"]).open();
    doctor.writes(0, b"\x1b[c").bytes(b"\x1b[?1u\x1b]11;rgb:ffff/ffff/ffff\x1b\\").bytes(KITTY);
    doctor.shows("Press Ctrl-Left").shows("the terminal answers");
    doctor.shows("kitty's protocol, as the terminal answered").shows("yes, as the terminal answered: every key");
    doctor.shows("light, as the terminal answered").keys("\x1b").shows("skipped");
    doctor.ended();
    let mut silent = Start::new().size(140, 80).arguments(&["doctor"]).open();
    silent.shows("the terminal doesn't answer").shows("Press Ctrl-Left").keys("\x1b").shows("skipped");
    let ended = silent.ended();
    ended.is_restored();
    let mut unasked = Start::new().size(140, 80).arguments(&["doctor", "--terminal", "ask_terminal=off"]).open();
    unasked.shows("none are asked, by --terminal ask_terminal").shows("Press Ctrl-Left").keys("\x1b").shows("skipped");
    let raw = unasked.ended().raw;
    assert!(!String::from_utf8_lossy(&raw).contains("\x1b[c"));
}
