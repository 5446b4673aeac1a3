//! What arrives from the terminal, cut into whole sequences and read.
//!
//! Sequences are cut here and read by `termina`: a cut one waits for its rest, an unknown or broken one is dropped
//! whole, so that answers to a query, however late, never become keys.

use termina::Parser;
use termina::escape::csi;
use termina::event::{KeyCode as TermKey, KeyEventKind, Modifiers, MouseButton, MouseEventKind};

use crate::settings::{Key, KeyCode};

/// Something that arrived from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrival {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The left button went down at a column and row.
    Press(u16, u16),
    /// The mouse was moved there while the left button was down.
    Drag(u16, u16),
    /// The left button was let go there.
    Release(u16, u16),
    /// The wheel turned up there.
    WheelUp(u16, u16),
    /// The wheel turned down there.
    WheelDown(u16, u16),
    /// The terminal's window gained or lost the focus.
    Focus(bool),
    /// The terminal answered a query.
    Answer(Answer),
}

/// An answer of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It speaks the keyboard protocol that tells keys apart.
    Keyboard,
    /// It is there: the answer that every terminal gives, after the others.
    Present {
        /// Whether it shows sixels.
        sixel: bool,
    },
    /// It shows pictures by kitty's protocol.
    Kitty {
        /// Whether also those that are sent deflated.
        deflate: bool,
    },
    /// A cell has so many pixels, across and down.
    Cell(u16, u16),
    /// It is one of those that are known by name.
    Made(Maker),
    /// Something else.
    Other,
}

/// Terminals that have to be known by name: what they say they can do is not all they can, or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Maker {
    Iterm2,
    Wezterm,
    Konsole,
    Mintty,
}

/// A longer paste or string is dropped, bytes.
const MOST_PASTE: usize = 1 << 20;
const MOST_SEQUENCE: usize = 4096;
const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Bytes that wait for their rest.
#[derive(Debug, Default)]
pub struct Decoder {
    held: Vec<u8>,
    /// Whether what is being dropped is a paste that was too long.
    dropping: bool,
}

impl Decoder {
    /// Takes bytes and gives what they say.
    pub fn take(&mut self, bytes: &[u8], arrivals: &mut Vec<Arrival>) {
        self.held.extend_from_slice(bytes);
        let mut at = 0;
        loop {
            let rest = self.held.get(at..).unwrap_or_default();
            if self.dropping {
                let Some(end) = find(rest, PASTE_END) else {
                    at = self.held.len().saturating_sub(PASTE_END.len()).max(at);
                    break;
                };
                at += end + PASTE_END.len();
                self.dropping = false;
                continue;
            }
            match cut(rest) {
                Cut::Whole(len) => {
                    read(rest.get(..len).unwrap_or_default(), arrivals);
                    at += len;
                }
                Cut::Open if rest.len() > MOST_PASTE => {
                    self.dropping = rest.starts_with(PASTE_START);
                    at += 1;
                }
                Cut::Open | Cut::Empty => break,
            }
        }
        self.held.drain(..at.min(self.held.len()));
    }

    /// Whether something waits for its rest.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.held.is_empty() && !self.dropping && !self.is_pasting()
    }

    /// Whether a paste waits for its end.
    #[must_use]
    pub fn is_pasting(&self) -> bool {
        self.dropping || self.held.starts_with(PASTE_START)
    }

    /// The rest did not come: an escape alone is the Esc key, anything else is dropped.
    pub fn give_up(&mut self, arrivals: &mut Vec<Arrival>) {
        if let Some(text) = self.held.strip_prefix(PASTE_START) {
            // Its end got lost: what came of it is better than keys that do nothing for ever.
            arrivals.push(Arrival::Paste(String::from_utf8_lossy(text).into_owned()));
        }
        self.dropping = false;
        if self.held == b"\x1b" || self.held == b"\x1b\x1b" {
            arrivals.push(Arrival::Key(Key::plain(KeyCode::Esc)));
        } else if let [b'\x1b', c @ (b'[' | b'O' | b'P' | b']' | b'_' | b'^' | b'X')] = self.held.as_slice() {
            arrivals.push(Arrival::Key(Key { alt: true, ..Key::char(char::from(*c)) }));
        }
        self.held.clear();
    }
}

enum Cut {
    /// The first sequence has so many bytes.
    Whole(usize),
    /// It is not at its end.
    Open,
    /// There is nothing.
    Empty,
}

/// Finds the end of the first sequence (ECMA-48 §5.4, §5.6; UTF-8).
fn cut(bytes: &[u8]) -> Cut {
    let Some(first) = bytes.first() else { return Cut::Empty };
    let whole_if = |len: usize| if bytes.len() >= len { Cut::Whole(len) } else { Cut::Open };
    match first {
        0x1b => match bytes.get(1) {
            None => Cut::Open,
            Some(b'[') if bytes.starts_with(PASTE_START) => {
                find(bytes, PASTE_END).map_or(Cut::Open, |end| Cut::Whole(end + PASTE_END.len()))
            }
            Some(b'[') => cut_csi(bytes),
            Some(b'O') => whole_if(3),
            Some(b']' | b'P' | b'_' | b'^' | b'X') => cut_string(bytes),
            Some(0x1b) => Cut::Whole(1),
            Some(_) => match cut(bytes.get(1..).unwrap_or_default()) {
                Cut::Whole(len) => Cut::Whole(len + 1),
                other => other,
            },
        },
        0xc2..=0xdf => whole_if(2),
        0xe0..=0xef => whole_if(3),
        0xf0..=0xf4 => whole_if(4),
        _ => Cut::Whole(1),
    }
}

fn cut_csi(bytes: &[u8]) -> Cut {
    // The mouse of X10 has three bytes of any value after its letter; the Linux console's function keys one.
    match bytes.get(2) {
        Some(b'M') => return if bytes.len() >= 6 { Cut::Whole(6) } else { Cut::Open },
        Some(b'[') => return if bytes.len() >= 4 { Cut::Whole(4) } else { Cut::Open },
        _ => {}
    }
    for (at, byte) in bytes.iter().enumerate().skip(2) {
        match byte {
            0x40..=0x7e => return Cut::Whole(at + 1),
            0x20..=0x3f => {}
            // Not part of a sequence: what came before it is dropped.
            _ => return Cut::Whole(at),
        }
        if at > MOST_SEQUENCE {
            return Cut::Whole(at);
        }
    }
    Cut::Open
}

fn cut_string(bytes: &[u8]) -> Cut {
    for (at, byte) in bytes.iter().enumerate().skip(2) {
        match (byte, bytes.get(at + 1)) {
            (0x07, _) => return Cut::Whole(at + 1),
            (0x1b, Some(b'\\')) => return Cut::Whole(at + 2),
            (0x1b, None) => return Cut::Open,
            (0x1b, Some(_)) => return Cut::Whole(at),
            _ => {}
        }
        if at > MOST_SEQUENCE {
            return Cut::Whole(at);
        }
    }
    Cut::Open
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Reads one whole sequence.
fn read(sequence: &[u8], arrivals: &mut Vec<Arrival>) {
    if sequence == b"\x1b" {
        arrivals.push(Arrival::Key(Key::plain(KeyCode::Esc)));
        return;
    }
    if let Some(text) = sequence.strip_prefix(PASTE_START) {
        let text = text.strip_suffix(PASTE_END).unwrap_or(text);
        arrivals.push(Arrival::Paste(String::from_utf8_lossy(text).into_owned()));
        return;
    }
    if let [0x1b, b'_' | b'^' | b'X', _, ..] = sequence {
        arrivals.push(Arrival::Answer(match sequence {
            b"\x1b_Gi=31;OK\x1b\\" => Answer::Kitty { deflate: false },
            b"\x1b_Gi=32;OK\x1b\\" => Answer::Kitty { deflate: true },
            _ => Answer::Other,
        }));
        return;
    }
    if let Some(answer) = picture_answer(sequence) {
        arrivals.push(Arrival::Answer(answer));
        return;
    }
    let mut parser = Parser::default();
    parser.parse(sequence, false);
    if let Some(arrival) = parser.pop().and_then(arrival_of) {
        arrivals.push(arrival);
    }
}

/// Answers to what is asked about pictures: device attributes (DA1), the size of a cell, who made the terminal.
fn picture_answer(sequence: &[u8]) -> Option<Answer> {
    let text = std::str::from_utf8(sequence).ok()?;
    if let Some(attributes) = text.strip_prefix("\x1b[?").and_then(|rest| rest.strip_suffix('c')) {
        return Some(Answer::Present { sixel: attributes.split(';').skip(1).any(|attribute| attribute == "4") });
    }
    if let Some(cell) = text.strip_prefix("\x1b[6;").and_then(|rest| rest.strip_suffix('t')) {
        let (down, across) = cell.split_once(';')?;
        return Some(Answer::Cell(across.parse().ok()?, down.parse().ok()?));
    }
    let name = text.strip_prefix("\x1bP>|")?.to_ascii_lowercase();
    let makers = [
        ("iterm2", Maker::Iterm2),
        ("wezterm", Maker::Wezterm),
        ("konsole", Maker::Konsole),
        ("mintty", Maker::Mintty),
    ];
    let maker = makers.into_iter().find(|(known, _)| name.starts_with(known));
    Some(maker.map_or(Answer::Other, |(_, maker)| Answer::Made(maker)))
}

fn arrival_of(event: termina::Event) -> Option<Arrival> {
    Some(match event {
        termina::Event::Key(key) if key.kind != KeyEventKind::Release => Arrival::Key(key_of(key)?),
        termina::Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => Arrival::Press(mouse.column, mouse.row),
            MouseEventKind::Drag(MouseButton::Left) => Arrival::Drag(mouse.column, mouse.row),
            MouseEventKind::Up(MouseButton::Left) => Arrival::Release(mouse.column, mouse.row),
            MouseEventKind::ScrollUp => Arrival::WheelUp(mouse.column, mouse.row),
            MouseEventKind::ScrollDown => Arrival::WheelDown(mouse.column, mouse.row),
            _ => return None,
        },
        termina::Event::FocusIn => Arrival::Focus(true),
        termina::Event::FocusOut => Arrival::Focus(false),
        termina::Event::Csi(csi::Csi::Keyboard(csi::Keyboard::ReportFlags(_))) => Arrival::Answer(Answer::Keyboard),
        termina::Event::Csi(_) | termina::Event::Osc(_) | termina::Event::Dcs(_) => Arrival::Answer(Answer::Other),
        _ => return None,
    })
}

fn key_of(key: termina::event::KeyEvent) -> Option<Key> {
    let held = |modifier| key.modifiers.contains(modifier);
    let (ctrl, alt, shift) = (held(Modifiers::CONTROL), held(Modifiers::ALT), held(Modifiers::SHIFT));
    let code = match key.code {
        TermKey::Char(c) => {
            let c = if shift && !ctrl { c.to_uppercase().next().unwrap_or(c) } else { c };
            return Some(Key { code: KeyCode::Char(c), ctrl, alt, shift: false });
        }
        TermKey::Function(number) => KeyCode::Function(number),
        TermKey::Enter => KeyCode::Enter,
        TermKey::Escape => KeyCode::Esc,
        TermKey::Tab => KeyCode::Tab,
        TermKey::BackTab => return Some(Key { code: KeyCode::Tab, ctrl, alt, shift: true }),
        TermKey::Backspace => KeyCode::Backspace,
        TermKey::Delete => KeyCode::Delete,
        TermKey::Insert => KeyCode::Insert,
        TermKey::Up => KeyCode::Up,
        TermKey::Down => KeyCode::Down,
        TermKey::Left => KeyCode::Left,
        TermKey::Right => KeyCode::Right,
        TermKey::PageUp => KeyCode::PageUp,
        TermKey::PageDown => KeyCode::PageDown,
        TermKey::Home => KeyCode::Home,
        TermKey::End => KeyCode::End,
        _ => return None,
    };
    Some(Key { code, ctrl, alt, shift })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(chunks: &[&[u8]]) -> Vec<Arrival> {
        let mut decoder = Decoder::default();
        let mut arrivals = Vec::new();
        for chunk in chunks {
            decoder.take(chunk, &mut arrivals);
        }
        if decoder.is_waiting() {
            decoder.give_up(&mut arrivals);
        }
        arrivals
    }

    fn keys(bytes: &[u8]) -> Vec<String> {
        arrivals(&[bytes])
            .into_iter()
            .map(|arrival| match arrival {
                Arrival::Key(key) => key.to_string(),
                other => format!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn keys_are_told_apart() {
        assert_eq!(keys(b"aG \r\t\x7f\x10"), ["a", "G", "space", "enter", "tab", "backspace", "ctrl-p"]);
        assert_eq!(
            keys(b"\x1b[A\x1bOB\x1b[5~\x1b[H\x1b[Z\x1bOP"),
            ["up", "down", "page_up", "home", "shift-tab", "f1"]
        );
        assert_eq!(keys(b"\x1bx\x1b"), ["alt-x", "esc"]);
        assert_eq!(keys("é日".as_bytes()), ["é", "日"]);
        assert_eq!(keys(b"\x1b[27u\x1b[112;5u\x1b[97;2u"), ["esc", "ctrl-p", "A"]);
    }

    #[test]
    fn sequences_may_be_cut_anywhere() {
        let whole: &[u8] = "é\x1b[A\x1b[<0;5;7Mx\x1b[200~a\x1b[A b\x1b[201~\x1b[?62;22cq".as_bytes();
        let expected = arrivals(&[whole]);
        assert_eq!(expected.len(), 7);
        assert_eq!(expected[2], Arrival::Press(4, 6));
        assert_eq!(expected[4], Arrival::Paste("a\u{1b}[A b".into()));
        for at in 1..whole.len() {
            assert_eq!(arrivals(&[&whole[..at], &whole[at..]]), expected, "cut at {at}");
        }
    }

    #[test]
    fn answers_never_become_keys() {
        let answers: &[&[u8]] = &[
            b"\x1b[?0u",
            b"\x1b[?62;22c",
            b"\x1b[>0;115;0c",
            b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07",
            b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
            b"\x1bP>|some terminal(1)\x1b\\",
            b"\x1bP1+r524742=382f382f38\x1b\\",
            b"\x1b_Gi=31;OK\x1b\\",
            b"\x1b[?2026;2$y",
            b"\x1b[4;720;1080t",
            b"\x1b[12;40R",
            b"\x1b[?997;1n",
        ];
        for answer in answers {
            for at in 1..answer.len() {
                let found = arrivals(&[&answer[..at], &answer[at..], b"k"]);
                let keys = found.iter().filter(|arrival| matches!(arrival, Arrival::Key(_))).count();
                assert_eq!(keys, 1, "{:?} cut at {at}: {found:?}", String::from_utf8_lossy(answer));
            }
        }
        assert_eq!(
            arrivals(&[b"\x1b[?1u\x1b[?62c"]),
            [Arrival::Answer(Answer::Keyboard), Arrival::Answer(Answer::Present { sixel: false })]
        );
    }

    #[test]
    fn answers_about_pictures_are_read() {
        let found = arrivals(&[
            b"\x1bP>|WezTerm 20240203\x1b\\\x1b[6;36;17t\x1b_Gi=31;OK\x1b\\\x1b_Gi=32;EINVAL:o\x1b\\\x1b[?62;4;22c",
        ]);
        let expected = [
            Answer::Made(Maker::Wezterm),
            Answer::Cell(17, 36),
            Answer::Kitty { deflate: false },
            Answer::Other,
            Answer::Present { sixel: true },
        ];
        assert_eq!(found, expected.map(Arrival::Answer));
        assert_eq!(
            arrivals(&[b"\x1b[?4c"]),
            [Arrival::Answer(Answer::Present { sixel: false })],
            "a VT132 is no VT340"
        );
    }

    #[test]
    fn noise_is_survived() {
        let mut seed = 3u32;
        let mut decoder = Decoder::default();
        for _ in 0..2_000 {
            let mut bytes = Vec::new();
            for _ in 0..20 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let any = seed.to_le_bytes()[1];
                let choices = [b'\x1b', b'[', b'<', b'O', b'1', b';', b'M', b'~', 0xc3, 0xff, any];
                bytes.push(choices[(seed >> 16) as usize % choices.len()]);
            }
            decoder.take(&bytes, &mut Vec::new());
            decoder.give_up(&mut Vec::new());
        }
        let mut long = Decoder::default();
        let mut found = Vec::new();
        long.take(PASTE_START, &mut found);
        for _ in 0..300 {
            long.take(&[b'x'; 8192], &mut found);
        }
        assert!(long.held.len() <= MOST_PASTE + 16_384);
        long.take(PASTE_END, &mut found);
        long.take(b"k", &mut found);
        assert_eq!(found, [Arrival::Key(Key::char('k'))]);
    }
}
