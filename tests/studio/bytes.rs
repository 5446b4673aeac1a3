//! What is written to the terminal, byte by byte.

use std::time::Duration;

use crate::output::strangers;
pub use crate::terminal::{BEGIN, END};
use crate::terminal::{Start, Studio};

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
    let (question, picture) = (find(&asked, b"\x1b[c").unwrap(), find(&asked, BEGIN).unwrap());
    assert!(question < picture, "the first picture covers what a terminal shows of questions that it doesn't know");
    assert!(asked[picture..].starts_with(&[BEGIN, b"\x1b[m\x1b[H\x1b[2J"].concat()), "and clears the screen");
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

/// Waits until nothing has been written for a while: what comes by itself is there, and belongs to no key.
fn settled(studio: &mut Studio) -> usize {
    loop {
        let before = studio.written();
        studio.changes(Duration::from_millis(200));
        if studio.written() == before {
            return before;
        }
    }
}

/// The bytes of each changed cell, in hundredths, of keys that are pressed one after the other.
fn bytes_a_cell(studio: &mut Studio, keys: &[&str]) -> usize {
    let (mut bytes, mut cells) = (0, 0);
    for key in keys {
        let (from, before) = (settled(studio), studio.screen());
        studio.keys(key).until_written(from, "a frame", |written| find(written, END).is_some());
        settled(studio);
        let after = studio.screen();
        let (rows, columns) = (after.size().0.get(), after.size().1.get());
        let places = (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x)));
        cells += places.filter(|(y, x)| before.cell(*y, *x) != after.cell(*y, *x)).count();
        bytes += studio.since(from).len();
    }
    bytes * 100 / cells.max(1)
}

/// The bytes of each changed cell of pages and in a graph, in hundredths.
fn bytes_of_pages_and_a_graph(repeats: bool) -> (usize, usize) {
    let start = Start::new();
    let mut studio = start.with("COLORTERM", "truecolor").arguments(&["--theme", "dark"]).open();
    studio.writes(0, b"\x1b[6n").bytes(if repeats { b"\x1b[2;4R" } else { b"\x1b[2;2R" });
    studio.shows("274 products").shows("Fjell wool sock");
    let pages = bytes_a_cell(&mut studio, &["\x1b[6~"; 7]);
    studio.keys("2").shows("Trip planner").keys("/Trip").shows("1 of").keys("\r\r").shows("24 steps");
    let graph = bytes_a_cell(&mut studio, &["\x1b[C", "\x1b[B", "\x1b[C", "\x1b[B", "\x1b[C", "\x1b[C"]);
    studio.quit();
    (pages, graph)
}

#[test]
fn a_changed_cell_costs_few_bytes() {
    // Frames that no key asked for, such as of a round trip that takes longer on a busy machine, only add to it.
    // The lines between cards are drawn with signs of three bytes each; most of them only move. A terminal that says that it
    // draws a sign again gets it once.
    for (repeats, most) in [(false, (155, 145)), (true, (155, 125))] {
        let (mut pages, mut graph) = (usize::MAX, usize::MAX);
        for _ in 0..3 {
            let now = bytes_of_pages_and_a_graph(repeats);
            (pages, graph) = (pages.min(now.0), graph.min(now.1));
            println!("bytes a changed cell, in hundredths: {} of a page, {} in a graph ({repeats})", now.0, now.1);
            if pages <= most.0 && graph <= most.1 {
                break;
            }
        }
        assert!(pages <= most.0 && graph <= most.1, "{pages} of a page, {graph} in a graph ({repeats})");
    }
}

#[test]
fn a_terminal_that_never_answers_is_no_worse() {
    let mut studio = Start::new().with("TERM", "vt100").size(80, 24).open();
    studio.shows("274 products").keys("?").shows("Help").keys("\x1b").hides("Help");
    studio.quit();
}
