//! What whole sequences from the terminal say: keys, text, the mouse, answers. Most are read by `termina`.

use termina::Parser;
use termina::escape::csi;
use termina::event::{KeyCode as TermKey, KeyEventKind, Modifiers, MouseButton, MouseEventKind};

use crate::settings::{Key, KeyCode};

pub(super) const PASTE_START: &[u8] = b"\x1b[200~";
pub(super) const PASTE_END: &[u8] = b"\x1b[201~";

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
    /// It shows colors of 24 bits (XTGETTCAP).
    Direct,
    /// It draws the last sign again so many times, whatever sign that is (REP); or it doesn't.
    Repeats(bool),
    /// It has shown everything that it was given before it was asked (DSR 5).
    Status,
    /// Its background is light, or dark.
    Background {
        /// Whether it is light.
        light: bool,
    },
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
    /// Kitty before 0.28: it shows pictures, but not where characters hold their place.
    OldKitty,
}

/// Reads one whole sequence.
pub(super) fn read(sequence: &[u8], arrivals: &mut Vec<Arrival>) {
    if sequence == b"\x1b" {
        arrivals.push(Arrival::Key(Key::plain(KeyCode::Esc)));
        return;
    }
    if let Some(text) = sequence.strip_prefix(PASTE_START) {
        let text = text.strip_suffix(PASTE_END).unwrap_or(text);
        arrivals.push(Arrival::Paste(String::from_utf8_lossy(text).into_owned()));
        return;
    }
    if let [0x1b, letter @ (b']' | b'P' | b'_' | b'^' | b'X')] = sequence {
        arrivals.push(Arrival::Key(Key { alt: true, ..Key::char(char::from(*letter)) }));
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
    if let Some(answer) = known_answer(sequence) {
        arrivals.push(Arrival::Answer(answer));
        return;
    }
    let mut parser = Parser::default();
    parser.parse(sequence, false);
    if let Some(arrival) = parser.pop().and_then(arrival_of) {
        arrivals.push(arrival);
    }
}

/// Whether what is answered to XTGETTCAP says that colors of 24 bits are shown: `RGB` or `Tc`, in hexadecimal digits, with
/// a value that is not that of something absent (-1).
fn is_direct(capabilities: &str) -> bool {
    let said = capabilities.trim_end_matches(['\x1b', '\\', '\x07']).to_ascii_lowercase();
    said.split(';').any(|one| {
        let (name, value) = one.split_once('=').unwrap_or((one, ""));
        matches!(name, "524742" | "5463") && !value.starts_with("2d")
    })
}

/// Whether a terminal's name is that of kitty before 0.28.
fn is_old_kitty(name: &str) -> bool {
    let minor = name.strip_prefix("kitty(0.").and_then(|rest| rest.split(['.', ')']).next());
    minor.and_then(|minor| minor.parse::<u32>().ok()).is_some_and(|minor| minor < 28)
}

/// Answers to what is asked about the line and about pictures: status (DSR 5), device attributes (DA1), the size of a cell, who made the terminal.
fn known_answer(sequence: &[u8]) -> Option<Answer> {
    let text = std::str::from_utf8(sequence).ok()?;
    if matches!(text, "\x1b[0n" | "\x1b[3n") {
        return Some(Answer::Status);
    }
    if let Some(color) = text.strip_prefix("\x1b]11;") {
        return background(color);
    }
    if let Some(attributes) = text.strip_prefix("\x1b[?").and_then(|rest| rest.strip_suffix('c')) {
        return Some(Answer::Present { sixel: attributes.split(';').skip(1).any(|attribute| attribute == "4") });
    }
    if let Some(cell) = text.strip_prefix("\x1b[6;").and_then(|rest| rest.strip_suffix('t')) {
        let (down, across) = cell.split_once(';')?;
        return Some(Answer::Cell(across.parse().ok()?, down.parse().ok()?));
    }
    // Where the cursor is behind a sign that was to be drawn three times: those may be of two cells.
    if let Some(column) = text.strip_prefix("\x1b[2;").and_then(|rest| rest.strip_suffix('R')) {
        return Some(Answer::Repeats(matches!(column, "4" | "7")));
    }
    if let Some(capabilities) = text.strip_prefix("\x1bP1+r") {
        return Some(if is_direct(capabilities) { Answer::Direct } else { Answer::Other });
    }
    let name = text.strip_prefix("\x1bP>|")?.to_ascii_lowercase();
    if is_old_kitty(&name) {
        return Some(Answer::Made(Maker::OldKitty));
    }
    let makers = [
        ("iterm2", Maker::Iterm2),
        ("wezterm", Maker::Wezterm),
        ("konsole", Maker::Konsole),
        ("mintty", Maker::Mintty),
    ];
    let maker = makers.into_iter().find(|(known, _)| name.starts_with(known));
    Some(maker.map_or(Answer::Other, |(_, maker)| Answer::Made(maker)))
}

/// What the background is like (OSC 11): `rgb:` with one to four digits each, or `rgba:`.
fn background(color: &str) -> Option<Answer> {
    let parts = color.split_once(':')?.1.trim_end_matches(['\x07', '\x1b', '\\']);
    let part = |text: &str| {
        let most = 16_u32.checked_pow(u32::try_from(text.len()).ok()?)?.checked_sub(1).filter(|most| *most > 0)?;
        Some(f64::from(u32::from_str_radix(text, 16).ok()?) / f64::from(most))
    };
    let mut parts = parts.split('/').map(part);
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    Some(Answer::Background { light: 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 })
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
