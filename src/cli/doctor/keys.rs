//! Which keys arrive: a person presses them, on a terminal.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Findings;
use super::asked::is_at_terminal;
use super::raw::Raw;
use crate::cli::Session;
use crate::settings::{Key, KeyCode, Multiplexer};
use crate::terminal::{Arrival, Capability, Decoder, read_within};

/// What is pressed: keys that the studio uses, and that something on the way is known to keep or to change.
const KEYS: [(&str, &str, &str); 6] = [
    ("Ctrl-Left", "ctrl-left", "moves by words where text is typed"),
    ("Shift-Tab", "shift-tab", "goes to the pane or field before"),
    ("Shift-Right", "shift-right", "pans the graph"),
    ("Ctrl-B", "ctrl-b", "goes a page up"),
    ("F1", "f1", "opens help where text is typed"),
    ("Alt-F", "alt-f", "moves by words where text is typed"),
];

/// Nobody is there who presses keys.
const PATIENCE: Duration = Duration::from_secs(60);
/// So often it is looked whether an escape was a key of its own.
const LOOK: Duration = Duration::from_millis(50);

/// What came of asking for a key.
#[derive(Debug, PartialEq, Eq)]
enum Came {
    /// The key itself.
    It,
    /// Another one.
    Other(Key),
    /// Nothing: the person says so with Enter.
    Nothing,
    /// The person wants no more of it, or is not there.
    Enough,
}

/// Asks for keys, one after the other, where a person is at a terminal that can be drawn on.
pub(super) fn ask(session: &Session, raw: &Mutex<()>, findings: &mut Findings, out: &mut impl Write) -> io::Result<()> {
    if !is_at_terminal(session) {
        return Ok(());
    }
    let capability = crate::cli::studio::capability(session);
    findings.begin("Keys");
    writeln!(out, "\nKeys")?;
    writeln!(out, "  Press each key that is named; Enter where nothing happens, Esc to skip the rest.")?;
    for (name, key, does) in KEYS {
        let Ok(wanted) = Key::parse(key) else { continue };
        match pressed(wanted, name, raw, out)? {
            Came::It => {
                writeln!(out, "ok")?;
                findings.good(name, "arrives");
            }
            Came::Enough => {
                writeln!(out, "skipped")?;
                return Ok(());
            }
            Came::Nothing => {
                let (found, fix) = (format!("doesn't arrive; it {does}"), fix(&capability, key));
                writeln!(out, "{found}\n        {:<12} -> {fix}", "")?;
                findings.care(name, found, fix);
            }
            Came::Other(other) => {
                let found = format!("arrives as {}; it {does}", other.label(true));
                let fix = format!("press it again with no other key; if it stays so, {}", fix(&capability, key));
                writeln!(out, "{found}\n        {:<12} -> {fix}", "")?;
                findings.care(name, found, fix);
            }
        }
    }
    Ok(())
}

/// What keeps a key, most likely, and what to do about it.
fn fix(capability: &Capability, key: &str) -> String {
    let other = "or bind another key in keymap.toml";
    match capability.through {
        Some(Multiplexer::Tmux) if key == "ctrl-b" => {
            format!("Ctrl-B is tmux's own: press it twice, set another prefix in tmux.conf, {other}")
        }
        Some(Multiplexer::Tmux) => format!("your tmux swallows it: set-option -g xterm-keys on in tmux.conf, {other}"),
        Some(Multiplexer::Screen) => format!("GNU screen swallows it: use tmux, {other}"),
        None => format!("your terminal or window manager uses it itself: change its shortcuts, {other}"),
    }
}

/// The key that is pressed next, once it was asked for.
fn pressed(wanted: Key, name: &str, raw: &Mutex<()>, out: &mut impl Write) -> io::Result<Came> {
    // What was said before is for a terminal that begins lines at their beginning.
    out.flush()?;
    let held = raw.lock().unwrap_or_else(PoisonError::into_inner);
    let _raw = Raw::new()?;
    drop(held);
    write!(out, "  Press {name:<12} ")?;
    out.flush()?;
    let (begun, mut decoder, mut arrivals) = (Instant::now(), Decoder::default(), Vec::new());
    while begun.elapsed() < PATIENCE {
        match read_within(LOOK)? {
            Some(bytes) => decoder.take(begun.elapsed(), &bytes, &mut arrivals),
            None if decoder.waits_until().is_some_and(|until| until <= begun.elapsed()) => {
                decoder.give_up(&mut arrivals);
            }
            None => {}
        }
        let key = arrivals.drain(..).find_map(|arrival| if let Arrival::Key(key) = arrival { Some(key) } else { None });
        if let Some(key) = key {
            return Ok(came(key, wanted));
        }
    }
    Ok(Came::Enough)
}

fn came(key: Key, wanted: Key) -> Came {
    match key {
        key if key == wanted => Came::It,
        Key { code: KeyCode::Enter, .. } => Came::Nothing,
        Key { code: KeyCode::Esc, .. } => Came::Enough,
        key if key == Key::ctrl('c') || key == Key::ctrl('d') => Came::Enough,
        key => Came::Other(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_name_that_is_understood() {
        for (name, key, does) in KEYS {
            let label = Key::parse(key).unwrap().label(true);
            assert!(label.eq_ignore_ascii_case(name) && !does.is_empty(), "{label}");
        }
        let wanted = Key::parse("ctrl-left").unwrap();
        assert_eq!(came(wanted, wanted), Came::It);
        assert_eq!(came(Key::plain(KeyCode::Left), wanted), Came::Other(Key::plain(KeyCode::Left)));
        assert_eq!(came(Key::plain(KeyCode::Enter), wanted), Came::Nothing);
        assert_eq!(
            (came(Key::plain(KeyCode::Esc), wanted), came(Key::ctrl('c'), wanted)),
            (Came::Enough, Came::Enough)
        );
    }
}
