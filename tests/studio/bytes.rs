//! What is written to the terminal, byte by byte.

use crate::output::strangers;
use crate::terminal::Start;
pub use crate::terminal::{BEGIN, END};

/// The frames in what was written, without their signs.
pub fn frames(written: &[u8]) -> Vec<&[u8]> {
    let mut frames = Vec::new();
    let mut rest = written;
    while let Some(begin) = find(rest, BEGIN) {
        let inside = &rest[begin + BEGIN.len()..];
        let end = find(inside, END).expect("a frame that began is ended");
        frames.push(&inside[..end]);
        rest = &inside[end..];
    }
    frames
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[test]
fn late_answers_of_the_terminal_never_become_keys() {
    let mut studio = Start::new().open();
    studio.shows("274 products").shows("Fjell wool sock");
    let asked = studio.since(0);
    assert!(find(&asked, b"\x1b[c") > find(&asked, END), "the first picture is shown before anything is asked");
    // Whole, in pieces, and such as nobody asked for. Keys in them would quit, search, sort, or open help.
    studio.bytes(b"\x1b[?1u\x1b[?62;22;52c");
    studio.bytes(b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07").bytes(b"\x1b]10;rgb:ffff/q/q\x1b\\");
    studio.bytes(b"\x1bP>|some q terminal/(1)\x1b\\\x1bP1+r524742=382f382f38\x1b\\");
    studio.bytes(b"\x1b[?20").bytes(b"26;2$y").bytes(b"\x1b_Gi=31;q/s\x1b").bytes(b"\\\x1b[12;40R");
    studio.bytes(b"\x1b[4;720;1080t\x1b[?997;1n\x1b[>41;354;0c\x1b[I\x1b[O");
    // The keys after them arrive, and nothing before them did: no help is open, nothing is searched for.
    studio.keys("2").shows("2 Projects").keys("1").shows("Fjell wool sock").shows("274 products");
    studio.shows("/ search titles and tags").hides("Help");
    let ended = studio.quit();
    assert!(find(&ended.raw, b"\x1b[>1u").is_some(), "the keyboard protocol that was offered is used");
    assert_eq!(strangers(&ended.raw), [""; 0]);
}

#[test]
fn a_terminal_that_never_answers_is_no_worse() {
    let mut studio = Start::new().with("TERM", "vt100").size(80, 24).open();
    studio.shows("274 products").keys("?").shows("Help").keys("\x1b").hides("Help");
    studio.quit();
}
