//! Which escape sequences are ours. Anything else in the output came from somewhere it must not come from.

use crate::terminal::Start;

/// The control characters and sequences in what was written that a studio has no business writing, in words.
pub fn strangers(written: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(written);
    let mut strangers = Vec::new();
    let mut rest = text.as_ref();
    while let Some(at) = rest.find(|c: char| c.is_control() || is_bidi(c)) {
        rest = &rest[at..];
        let (taken, known) = sequence(rest);
        if !known {
            strangers.push(format!("{:?}", rest.chars().take(40).collect::<String>()));
        }
        rest = &rest[taken..];
    }
    strangers
}

/// What the terminal is asked about its background.
const BACKGROUND: &str = "\x1b]11;?\x1b\\";

/// What it is asked about drawing a sign again.
const REPEATS: &str = "\x1b[2;1H─\x1b[2b\x1b[6n";

/// The length of what stands first, and whether it is ours.
fn sequence(text: &str) -> (usize, bool) {
    let first = text.chars().next().map_or(1, char::len_utf8);
    if text.starts_with(['\r', '\n', '\x08']) {
        return (1, true);
    }
    if let Some(question) = [BACKGROUND, REPEATS].into_iter().find(|question| text.starts_with(question)) {
        return (question.len(), true);
    }
    if let Some(parameters) = text.strip_prefix("\x1b[") {
        let end = parameters.find(|c: char| ('\x40'..='\x7e').contains(&c));
        let Some(end) = end else { return (2, false) };
        let (inside, last) = (&parameters[..end], &parameters[end..=end]);
        let plain = inside.chars().all(|c| c.is_ascii_digit() || matches!(c, ';' | ':'));
        let known = match last {
            // Colours, places, clearing, scrolling; erasing, repeating, inserting and deleting cells.
            "m" | "H" | "J" | "A" | "B" | "C" | "D" | "r" | "L" | "M" | "K" | "X" | "b" | "@" | "P" => plain,
            "h" | "l" => inside.starts_with('?'),
            "u" => matches!(inside, "?" | ">1" | "<1"),
            // What is asked about pictures: the terminal's name, the size of a cell.
            "q" => inside == ">0",
            "t" => inside == "16",
            "c" => inside.is_empty(),
            // What is asked of the line.
            "n" => inside == "5",
            _ => false,
        };
        return (2 + end + 1, known);
    }
    // What it is asked about its colors.
    for query in ["\x1bP+q524742\x1b\\", "\x1bP+q5463\x1b\\"] {
        if text.starts_with(query) {
            return (query.len(), true);
        }
    }
    // Links, to addresses of the web in printable signs, and their end.
    if let Some(inside) = text.strip_prefix("\x1b]8;;") {
        let Some(end) = inside.find("\x1b\\") else { return (2, false) };
        let address = &inside[..end];
        let is_web = address.starts_with("https://") || address.starts_with("http://");
        let plain = address.chars().all(|c| c.is_ascii_graphic());
        return (5 + end + 2, address.is_empty() || (is_web && plain));
    }
    // Pictures: kitty's protocol, in the signs of its numbers and of base64.
    if let Some(inside) = text.strip_prefix("\x1b_G") {
        let Some(end) = inside.find("\x1b\\") else { return (2, false) };
        let plain =
            inside[..end].chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | ',' | ';'));
        return (3 + end + 2, plain);
    }
    (first, false)
}

fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The addresses that cells were linked to.
fn links(written: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(written).into_owned();
    let after = text.split("\x1b]8;;").skip(1);
    after.filter_map(|rest| Some(rest.split_once("\x1b\\")?.0.to_owned())).filter(|it| !it.is_empty()).collect()
}

#[test]
fn addresses_are_links_where_the_terminal_is_known_to_have_them() {
    let shown = |variables: &[(&str, &str)]| {
        let mut start = Start::new();
        for (name, value) in variables {
            start = start.with(name, value);
        }
        let mut studio = start.open();
        studio.shows("274 products").keys("\r").shows("Overview").shows("https://");
        // Under something that lies over it it is none, and is one again after that.
        studio
            .keys("?")
            .shows("Help")
            .keys("\x1b")
            .hides("Help")
            .keys("2")
            .shows("Gift finder")
            .keys("j")
            .shows("Player");
        let ended = studio.quit();
        assert_eq!(strangers(&ended.raw), [""; 0]);
        links(&ended.raw)
    };
    let known = shown(&[("TERM", "foot")]);
    assert!(known.iter().any(|address| address.contains("/products/")), "{known:?}");
    assert!(known.iter().any(|address| address.contains("/play/")), "{known:?}");
    assert_eq!(shown(&[("TERM", "xterm-256color")]), [""; 0]);
    assert_eq!(shown(&[("TERM", "foot"), ("TMUX", "/tmp/tmux")]), [""; 0]);
}

#[test]
fn strangers_are_told_from_our_own() {
    assert_eq!(strangers(b"\x1b[?2026h\x1b[1;38;5;12mA\r\n\x1b[3;4H\x1b[m\x1b[?2026l"), [""; 0]);
    for stranger in
        ["\x1b]0;t\x07", "\x1b[5i", "\x1bc", "\x07", "\u{9b}2J", "\u{202e}", "\x1b[6n", "\x1b]8;;file:///x\x1b\\"]
    {
        assert!(!strangers(stranger.as_bytes()).is_empty(), "{stranger:?}");
    }
}
