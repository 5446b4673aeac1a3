//! The terminal's state while the studio has it, and its return whatever happens.

use std::borrow::Cow;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossterm::cursor;
use crossterm::event::{
    EnableBracketedPaste, EnableFocusChange, EnableMouseCapture, KeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{self, EnterAlternateScreen};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::capability::{Capability, Keyboard};
use super::held::{self, Out, State, ansi};
use super::outbox::Outbox;
use crate::settings::Multiplexer;

/// Has the terminal: raw mode, alternate screen, paste, mouse and focus reported. Dropping it gives it back.
#[derive(Debug)]
pub struct Session {
    /// Whether the mouse is reported.
    mouse: bool,
    state: Arc<State>,
    outbox: Outbox,
}

impl Session {
    /// Takes the terminal on standard output. The calling thread is the one whose panic gives it back. Says whether the mouse
    /// is to be reported, and whether links will be written.
    ///
    /// # Errors
    /// What the terminal says, or that there is none.
    pub fn enter(mouse: bool, links: bool) -> io::Result<Self> {
        let state = Arc::new(State::of_stdout()?);
        state.links.store(links, Ordering::SeqCst);
        let (out, ours) = (Out(Arc::clone(&state)), Arc::clone(&state));
        let outbox = Outbox::new(out, move || ours.entered.load(Ordering::SeqCst))?;
        let session = Self { mouse, state, outbox };
        held::hold(&session.state);
        super::panics::guard_terminal();
        session.take()?;
        Ok(session)
    }

    /// Takes the terminal, again after [`Self::give_back`].
    ///
    /// # Errors
    /// What the terminal says.
    pub fn take(&self) -> io::Result<()> {
        if terminal::is_raw_mode_enabled()? {
            // Whoever had it meanwhile has set it for themselves, and this process did not see it.
            terminal::disable_raw_mode()?;
        }
        terminal::enable_raw_mode()?;
        self.state.entered.store(true, Ordering::SeqCst);
        self.write(&entering(self.state.keyboard.load(Ordering::SeqCst), self.mouse))
    }

    /// The terminal said that it tells keys apart: has it do so.
    ///
    /// # Errors
    /// What the terminal says.
    pub fn use_keyboard_protocol(&self) -> io::Result<()> {
        if self.state.keyboard.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        self.write(&keyboard_protocol())
    }

    /// Behind everything that is on its way: there is one writer.
    fn write(&self, bytes: &str) -> io::Result<()> {
        let mut out = self.outbox.clone();
        out.write_all(bytes.as_bytes()).and_then(|()| out.flush())
    }

    /// Whether the terminal tells keys apart: then an escape alone is the Esc key at once.
    #[must_use]
    pub fn has_keyboard_protocol(&self) -> bool {
        self.state.keyboard.load(Ordering::SeqCst)
    }

    /// Gives the terminal back; [`Self::take`] takes it again. One that takes no bytes is not waited for longer than a
    /// moment, and what was typed is echoed again in any case.
    pub fn give_back(&self) {
        held::give_back(&self.state);
    }

    /// What takes frames to the terminal, for as long as the session has it: one `write` for one flush.
    #[must_use]
    pub fn writer(&self) -> Outbox {
        self.outbox.clone()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.give_back();
    }
}

const KEYBOARD: KeyboardEnhancementFlags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;

/// What takes a terminal: alternate screen, paste and focus told, the mouse where it is wanted; and keys told apart, where
/// it is known to.
#[must_use]
pub fn entering(keyboard: bool, mouse: bool) -> String {
    let mut bytes = String::new();
    ansi(&mut bytes, EnterAlternateScreen);
    ansi(&mut bytes, EnableBracketedPaste);
    ansi(&mut bytes, EnableFocusChange);
    if mouse {
        ansi(&mut bytes, EnableMouseCapture);
    }
    ansi(&mut bytes, cursor::Hide);
    if keyboard {
        bytes.push_str(&keyboard_protocol());
    }
    bytes
}

/// What has a terminal tell keys apart.
#[must_use]
pub fn keyboard_protocol() -> String {
    let mut bytes = String::new();
    ansi(&mut bytes, PushKeyboardEnhancementFlags(KEYBOARD));
    bytes
}

/// The size of the terminal in columns and rows; 80x24 where it does not say, or says that it has none.
#[must_use]
pub fn size() -> (u16, u16) {
    let known = rustix::termios::tcgetwinsize(io::stdout()).ok();
    known
        .map(|known| (known.ws_col, known.ws_row))
        .filter(|(columns, rows)| *columns > 0 && *rows > 0)
        .unwrap_or((80, 24))
}

/// Says something on standard error, where that takes it at once and nobody else has the terminal.
pub fn tell(words: &str) {
    let stderr = io::stderr();
    let mut fds = [PollFd::new(&stderr, PollFlags::OUT)];
    if held::is_foreground() && poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0) {
        let _ = writeln!(io::stderr(), "cutaway: {words}");
    }
}

/// Longer strings GNU screen doesn't pass on, bytes.
const SCREEN_STRING: usize = 500;

/// What puts a text on the terminal's clipboard (OSC 52).
#[must_use]
pub fn clipboard(text: &str, through: Option<Multiplexer>) -> Vec<u8> {
    let mut plain = String::new();
    ansi(&mut plain, crossterm::clipboard::CopyToClipboard::to_clipboard_from(text));
    match through {
        None => plain.into_bytes(),
        // Where `set-clipboard` is on it takes the plain one; where only passing through is allowed, the other.
        Some(Multiplexer::Tmux) => {
            let inner = plain.replace('\x1b', "\x1b\x1b");
            format!("{plain}\x1bPtmux;{inner}\x1b\\").into_bytes()
        }
        Some(Multiplexer::Screen) => {
            // The string's own end would end the wrapping: a bell ends it as well.
            let plain = plain.strip_suffix("\x1b\\").map_or_else(|| plain.clone(), |inner| format!("{inner}\x07"));
            let parts = plain.as_bytes().chunks(SCREEN_STRING);
            parts.flat_map(|part| [b"\x1bP", part, b"\x1b\\"].concat()).collect()
        }
    }
}

/// What shows in the terminal's own way how far something is, in percent (OSC 9;4).
#[must_use]
pub fn progress(percent: Option<u8>) -> Vec<u8> {
    match percent {
        Some(percent) => format!("\x1b]9;4;1;{}\x1b\\", percent.min(100)).into_bytes(),
        None => b"\x1b]9;4;0;0\x1b\\".to_vec(),
    }
}

/// How a terminal passes words on to the desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Desktop {
    /// OSC 9, as iTerm2 has it.
    Osc9,
    /// OSC 777, as rxvt has it.
    Osc777,
}

impl Desktop {
    /// How this terminal does, where its environment says that it does (`TERM_PROGRAM`, `LC_TERMINAL`, `TERM`, `TMUX`).
    /// Others might show the words where they do not belong.
    #[must_use]
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let get = |name: &str| variable(name).unwrap_or_default();
        let term = get("TERM");
        if !get("TMUX").is_empty() || term.starts_with("tmux") || term.starts_with("screen") {
            return None;
        }
        let (program, beyond) = (get("TERM_PROGRAM"), get("LC_TERMINAL"));
        let knows = matches!(&*program, "iTerm.app" | "WezTerm" | "ghostty") || beyond == "iTerm2";
        if knows || term.contains("kitty") || term.contains("ghostty") {
            Some(Self::Osc9)
        } else {
            (term.starts_with("foot") || term.starts_with("rxvt-unicode")).then_some(Self::Osc777)
        }
    }

    /// What passes these words on, one line of them; whatever steers terminals is taken out.
    #[must_use]
    pub fn telling(self, words: &str) -> Vec<u8> {
        let words: String = words.chars().filter(|c| !c.is_control()).collect();
        match self {
            Self::Osc9 => format!("\x1b]9;{words}\x1b\\"),
            // What comes after another semicolon is no longer the text.
            Self::Osc777 => format!("\x1b]777;notify;Cutaway;{}\x1b\\", words.replace(';', ",")),
        }
        .into_bytes()
    }
}

/// Pixels of a cell, across and down, where the system knows.
#[must_use]
pub fn cell_size() -> Option<(u16, u16)> {
    let known = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    let across = known.ws_xpixel.checked_div(known.ws_col)?;
    let down = known.ws_ypixel.checked_div(known.ws_row)?;
    (across > 0 && down > 0).then_some((across, down))
}

/// What asks the terminal whether it tells keys apart.
const KEYBOARD_QUERY: &[u8] = b"\x1b[?u";

/// What every terminal answers (DA1): behind other questions it says that no more answers come.
const PRESENT_QUERY: &[u8] = b"\x1b[c";

/// What asks the terminal for its background.
const BACKGROUND_QUERY: &[u8] = b"\x1b]11;?\x1b\\";

/// What asks the terminal whether it shows colors of 24 bits: XTGETTCAP of `RGB` and `Tc`, each by itself, as some answer
/// nothing more after one that they don't know.
const COLORS_QUERY: &[u8] = b"\x1bP+q524742\x1b\\\x1bP+q5463\x1b\\";

/// What asks the terminal how it shows pictures: who made it, how large a cell is, and whether it takes a pixel by kitty's
/// protocol, plain and deflated.
const PICTURE_QUERIES: &[u8] = b"\x1b[>0q\x1b[16t\
\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\
\x1b_Gi=32,s=1,v=1,a=q,t=d,f=24,o=z;eJxjYGAAAAADAAE=\x1b\\";

/// What asks a terminal whether it draws a sign again (REP): in its second row, as an answer about the first one could be a
/// key. The sign is none of ASCII: tmux up to 3.3 repeats only those. The next picture has to clear what it draws.
pub const REPEATS_QUERY: &[u8] = "\x1b[2;1H─\x1b[2b\x1b[6n".as_bytes();

/// What asks a terminal at its start, by what it bears: about its background, where that is `wanted`, its colors, how it tells
/// keys apart, and how it shows `pictures`. Nothing where nothing is asked.
#[must_use]
pub fn questions(capability: &Capability, background: bool, pictures: bool) -> Vec<u8> {
    if capability.silent {
        return Vec::new();
    }
    let asked = [
        (background && capability.asks_background, Cow::from(BACKGROUND_QUERY)),
        (capability.asks_colors, COLORS_QUERY.into()),
        (capability.keyboard == Keyboard::Asked, KEYBOARD_QUERY.into()),
        (pictures && capability.asks && !capability.passes, PICTURE_QUERIES.into()),
        (pictures && capability.passes, questions_through_tmux().into()),
        (true, PRESENT_QUERY.into()),
    ];
    asked.into_iter().filter(|(is_asked, _)| *is_asked).flat_map(|(_, bytes)| bytes.into_owned()).collect()
}

/// What asks the terminal around tmux how it shows pictures. tmux answers all else for itself.
#[must_use]
pub fn questions_through_tmux() -> Vec<u8> {
    through_tmux(PASSED_QUERIES).into_bytes()
}

const PASSED_QUERIES: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\
\x1b_Gi=32,s=1,v=1,a=q,t=d,f=24,o=z;eJxjYGAAAAADAAE=\x1b\\";

/// Strings (APC) as tmux passes them on to the terminal around it, where it is allowed to: each by itself.
#[must_use]
pub fn through_tmux(strings: &str) -> String {
    let mut passed = String::with_capacity(strings.len() * 2);
    for string in strings.split_inclusive("\x1b\\") {
        passed.push_str("\x1bPtmux;");
        passed.push_str(&string.replace('\x1b', "\x1b\x1b"));
        passed.push_str("\x1b\\");
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_reaches_the_clipboard_through_what_is_between() {
        let plain = String::from_utf8(clipboard("a text", None)).unwrap();
        assert!(plain.starts_with("\x1b]52;c;YSB0ZXh0"), "{plain:?}");
        let in_tmux = String::from_utf8(clipboard("a text", Some(Multiplexer::Tmux))).unwrap();
        assert!(in_tmux.starts_with(&plain) && in_tmux.ends_with("\x1b\\"), "{in_tmux:?}");
        assert!(in_tmux.contains("\x1bPtmux;\x1b\x1b]52;c;YSB0ZXh0"), "{in_tmux:?}");
        let long = "x".repeat(3_000);
        let in_screen = String::from_utf8(clipboard(&long, Some(Multiplexer::Screen))).unwrap();
        let inner: String = in_screen.split("\x1b\\").filter_map(|part| part.strip_prefix("\x1bP")).collect();
        let encoded = inner.strip_prefix("\x1b]52;c;").unwrap().strip_suffix('\x07').unwrap();
        assert_eq!(encoded.len(), 4_000);
        assert!(in_screen.split("\x1b\\").all(|part| part.len() <= SCREEN_STRING + 2));
    }

    #[test]
    fn a_terminal_is_asked_what_it_bears() {
        let capability = |term: &str, set: &str| {
            let set = crate::settings::TerminalSettings::default().with(Some(set), &[]).unwrap();
            let variable = |name: &str| (name == "TERM").then(|| term.to_owned());
            Capability::within(variable, set.multiplexer()).with_settings(&set)
        };
        let asked = |term: &str, set: &str| String::from_utf8(questions(&capability(term, set), true, true)).unwrap();
        assert_eq!(asked("xterm-256color", "ask_terminal=off"), "");
        assert_eq!(asked("vt220", ""), "\x1b[?u\x1b[c");
        assert_eq!(asked("vt220", "keyboard_protocol=off,ask_terminal=on"), "\x1b[c", "it would show the others");
        assert!(!asked("putty", "").contains("\x1b_G") && asked("putty", "ask_terminal=on").contains("\x1b_G"));
        assert!(!asked("rxvt-unicode-256color", "ask_terminal=on").contains("\x1b_G"), "it prints them");
        let kitty = asked("xterm-kitty", "");
        assert!(kitty.starts_with("\x1b]11;?") && kitty.ends_with("o=z;eJxjYGAAAAADAAE=\x1b\\\x1b[c"), "{kitty:?}");
        assert!(!asked("tmux-256color", "").contains("_G"));
        let passed = asked("tmux-256color", "passthrough=on");
        assert!(
            passed.contains("\x1bPtmux;\x1b\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\x1b\\\x1b\\\x1bPtmux;"),
            "{passed:?}"
        );
        assert!(!asked("xterm-kitty", "passthrough=on").contains("tmux"), "there is none");
    }

    #[test]
    fn words_reach_the_desktop_where_the_terminal_is_known_to_pass_them_on() {
        let of = |set: &[(&str, &str)]| {
            Desktop::of(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
        };
        for known in [("TERM_PROGRAM", "WezTerm"), ("TERM_PROGRAM", "iTerm.app"), ("TERM", "xterm-kitty")] {
            assert_eq!(of(&[known]), Some(Desktop::Osc9), "{known:?}");
            assert_eq!(of(&[known, ("TMUX", "/tmp/tmux")]), None);
        }
        assert_eq!(of(&[("TERM", "foot-extra")]), Some(Desktop::Osc777));
        for unknown in ["linux", "xterm-256color", "dumb", ""] {
            assert_eq!(of(&[("TERM", unknown)]), None, "{unknown}");
        }
        let words = "Cutaway: 3; \u{1b}]52;c;x\u{7} arrived.\u{9c}";
        assert_eq!(Desktop::Osc9.telling(words), b"\x1b]9;Cutaway: 3; ]52;c;x arrived.\x1b\\");
        assert_eq!(Desktop::Osc777.telling(words), b"\x1b]777;notify;Cutaway;Cutaway: 3, ]52,c,x arrived.\x1b\\");
    }
}
