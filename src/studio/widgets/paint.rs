//! Putting text into cells: by role, cut to measure, in signs that the terminal has.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::noted::Noted;
use crate::domain::Veil;
use crate::domain::text::{fold, is_hostile, line};
pub use crate::settings::Role;
use crate::settings::Theme;
use crate::studio::ground::{Command, Keymap, Layer, Moment};

/// A stretch of text in one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub role: Role,
    /// The text, harmless already.
    pub text: String,
}

/// A stretch of text in a role.
pub fn piece(role: Role, text: impl Into<String>) -> Piece {
    Piece { role, text: text.into() }
}

/// The theme and the signs that everything is drawn with.
#[derive(Debug, Clone, Copy)]
pub struct Ink<'a> {
    /// The colours.
    pub theme: &'a Theme,
    /// Whether the terminal has only ASCII.
    pub ascii: bool,
    /// What hides what is not for whoever looks on.
    pub veil: Option<&'a Veil>,
    /// What is noted of what is drawn.
    pub noted: Option<&'a Noted>,
    /// Who is waited for by what is on its way.
    pub awaited: Awaited<'a>,
    /// The keys that sentences name.
    pub keymap: Option<&'a Keymap>,
}

/// Who is waited for by what is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Awaited<'a> {
    /// The service, wherever it is.
    #[default]
    Service,
    /// The service at this host.
    Host(&'a str),
    /// The person, who is asked to sign in first.
    SignIn,
}

impl<'a> Awaited<'a> {
    /// Who that is, for the beginning of a sentence's middle.
    #[must_use]
    pub fn who(self) -> &'a str {
        match self {
            Self::Host(host) => host,
            Self::Service | Self::SignIn => "the service",
        }
    }
}

impl<'a> Ink<'a> {
    /// For whoever owns the studio, with nothing noted.
    #[must_use]
    pub fn new(theme: &'a Theme, ascii: bool) -> Self {
        Self { theme, ascii, veil: None, noted: None, awaited: Awaited::Service, keymap: None }
    }

    /// What is drawn in this cell is current: the terminal's cursor stands there. Outside the pane that has the keys nothing is.
    pub fn stands(&self, place: (u16, u16)) {
        if let Some(noted) = self.noted {
            noted.stands(place);
        }
    }

    /// This pane has the keys.
    pub(super) fn has_keys(&self, pane: Rect) {
        if let Some(noted) = self.noted {
            noted.has_keys(pane);
        }
    }

    /// Where this address was drawn in an area, on one row or broken over several, its cells are a link to it. Whoever looks on
    /// gets none.
    pub fn link(&self, buf: &Buffer, area: Rect, address: &str) {
        if let Some(noted) = self.noted.filter(|_| self.veil.is_none()) {
            noted.link(buf, area, address);
        }
    }

    /// The text as it may be drawn here.
    #[must_use]
    pub fn veiled<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.veil.map_or(Cow::Borrowed(text), |veil| veil.text(text))
    }

    /// The text with the keys of the commands that it names: see [`Keymap::in_words`].
    #[must_use]
    pub fn keyed<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.keymap.map_or(Cow::Borrowed(text), |keymap| keymap.in_words(text, self.ascii))
    }

    /// The shortest keys that give a command in some layers; nothing where none do.
    #[must_use]
    pub fn key(&self, command: Command, layers: &[Layer]) -> Option<String> {
        self.keymap.and_then(|keymap| keymap.shortest(command, layers, self.ascii))
    }

    /// The first keys that give a command in some layers, which hints name; nothing where none do.
    #[must_use]
    pub fn first_key(&self, command: Command, layers: &[Layer]) -> Option<String> {
        let keys = self.keymap?.keys_that_work(command, layers);
        keys.first().map(|chord| chord.label(self.ascii))
    }

    /// What is said of something that was asked for and isn't here: once there was no answer for long, also by whom, and
    /// what Esc does about it.
    #[must_use]
    pub fn loading(&self, what: &str, asked: Moment, now: Moment, esc: &str) -> String {
        match (self.awaited, now.silent_since(asked)) {
            (Awaited::SignIn, _) => "Waiting for you to sign in.".to_owned(),
            (_, None) => what.to_owned(),
            (awaited, Some(seconds)) => {
                format!("{what} {} hasn't answered for {seconds} s ({esc})", awaited.who())
            }
        }
    }

    /// The text as it may be drawn here, broken into lines: hidden before it is broken, so that no half is left.
    #[must_use]
    pub fn wrap(&self, text: &str, room: u16) -> Vec<String> {
        wrap(&self.veiled(&self.keyed(text)), room)
    }

    /// The style of a role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    /// Whether the theme has colors: where it has none, weight and form say what they would.
    #[must_use]
    pub fn is_colored(&self) -> bool {
        self.theme.accent.fg.is_some()
    }

    /// The sign, or what stands for it in ASCII.
    #[must_use]
    pub fn sign<'s>(&self, sign: &'s str, ascii: &'s str) -> &'s str {
        if self.ascii { ascii } else { sign }
    }

    /// What shows that text was cut.
    #[must_use]
    pub fn ellipsis(&self) -> &'static str {
        if self.ascii { "~" } else { "…" }
    }
}

/// The columns a text takes.
#[must_use]
pub fn width(text: &str) -> u16 {
    u16::try_from(text.width()).unwrap_or(u16::MAX)
}

/// A text in so many columns: where it is longer, its end is cut.
#[must_use]
pub fn shortened(text: &str, room: u16, ink: Ink) -> String {
    let text = &*ink.keyed(text);
    let text = &*ink.veiled(text);
    if width(text) <= room {
        return text.to_owned();
    }
    let (mut out, mut used) = (String::new(), 1);
    for cluster in text.graphemes(true) {
        used += width(cluster);
        if used > room {
            break;
        }
        out.push_str(cluster);
    }
    out + ink.ellipsis()
}

/// Shows that a row is the selected one, after all of it was drawn: the bar at its edge, and the whole row on another
/// ground.
pub fn select(buf: &mut Buffer, ink: Ink, row: Rect) {
    put(buf, ink, (row.x, row.y), 1, ink.sign("▌", ">"), ink.style(Role::Accent));
    ink.stands((row.x, row.y));
    ground(buf, ink, row);
}

/// Puts what is drawn there on the ground of the selection. What is faint would be lost on that and is lifted.
pub fn ground(buf: &mut Buffer, ink: Ink, row: Rect) {
    let (faint, dim) = (ink.theme.faint.fg, ink.theme.dim.fg.unwrap_or_default());
    let row = row.intersection(buf.area);
    for (x, y) in (row.top()..row.bottom()).flat_map(|y| (row.left()..row.right()).map(move |x| (x, y))) {
        if let Some(cell) = buf.cell_mut((x, y)) {
            if faint.is_some_and(|faint| faint == cell.fg) {
                cell.fg = dim;
            }
            cell.modifier.remove(Modifier::DIM);
            cell.set_style(ink.theme.select);
        }
    }
}

/// Puts a text into a row, cut with an ellipsis to `room` columns; gives the columns used. Outside the buffer nothing
/// is drawn.
pub fn put(buf: &mut Buffer, ink: Ink, at: (u16, u16), room: u16, text: &str, style: Style) -> u16 {
    let (x, y) = at;
    let area = buf.area;
    if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
        return 0;
    }
    let room = room.min(area.right() - x);
    if room == 0 {
        return 0;
    }
    put_as_is(buf, ink, (x, y), room, &shown(ink, &ink.veiled(&ink.keyed(text))), style)
}

/// A text as the terminal can show it.
fn shown<'t>(ink: Ink, text: &'t str) -> Cow<'t, str> {
    if text.is_ascii() || !ink.ascii {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.graphemes(true).map(in_ascii).collect())
}

fn put_as_is(buf: &mut Buffer, ink: Ink, (x, y): (u16, u16), room: u16, text: &str, style: Style) -> u16 {
    // A text of a quarter of its bytes' columns still fits, so only long ones are measured.
    let cut = text.len() > usize::from(room) && (text.is_ascii() || text.width() > usize::from(room));
    let end = set(buf, (x, y), text, if cut { room - 1 } else { room }, style);
    let end = if cut { set(buf, (end, y), ink.ellipsis(), 1, style) } else { end };
    end - x
}

/// Sets a text into cells of a row, at most so many; gives the column behind it. Most texts are ASCII, of which each character is
/// a cell: those don't have to be taken apart. Whoever has a text from elsewhere cleans it; what nobody cleaned gets no further
/// than here.
fn set(buf: &mut Buffer, (x, y): (u16, u16), text: &str, most: u16, style: Style) -> u16 {
    if !text.is_ascii() {
        let text = if text.chars().any(is_hostile) { line(text) } else { Cow::Borrowed(text) };
        return buf.set_stringn(x, y, text, usize::from(most), style).0;
    }
    let mut end = x;
    let last = x.saturating_add(most).min(buf.area.right());
    for c in text.chars().filter(|c| !c.is_control()) {
        let Some(cell) = (end < last).then(|| buf.cell_mut((end, y))).flatten() else { break };
        cell.set_char(c).set_style(style);
        end += 1;
    }
    end
}

/// What stands for a sign where the terminal has only ASCII.
fn in_ascii(sign: &str) -> Cow<'_, str> {
    let plain = match sign {
        sign if sign.is_ascii() => sign,
        "–" | "—" | "─" | "·" => "-",
        "…" | "∞" => "~",
        "×" | "✗" => "x",
        "“" | "”" => "\"",
        "‘" | "’" => "'",
        "•" | "●" => "*",
        "✓" => "+",
        "█" | "▉" | "▊" | "▋" | "▌" | "▍" | "▎" | "▏" => "#",
        "↓" => "v",
        "▶" => ">",
        sign => return without_accents(sign).map_or(Cow::Borrowed("?"), Cow::Owned),
    };
    Cow::Borrowed(plain)
}

/// A letter without what ASCII has not, as search compares it: `ø` is `o`, `Å` is `A`.
fn without_accents(sign: &str) -> Option<String> {
    let folded = fold(sign);
    if folded.is_empty() || !folded.chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let is_upper = sign.chars().next().is_some_and(char::is_uppercase);
    let mut letters = folded.chars();
    let first = letters.next()?;
    let first = if is_upper { first.to_ascii_uppercase() } else { first };
    Some(std::iter::once(first).chain(letters).collect())
}

/// Puts a text so that it ends at the right of its room.
pub fn put_right(buf: &mut Buffer, ink: Ink, at: (u16, u16), room: u16, text: &str, style: Style) {
    let text = &*shown(ink, text);
    let taken = width(text).min(room);
    put(buf, ink, (at.0 + room - taken, at.1), taken, text, style);
}

/// Puts pieces one after the other; gives the columns used.
pub fn put_pieces(buf: &mut Buffer, ink: Ink, at: (u16, u16), room: u16, pieces: &[Piece]) -> u16 {
    let mut used = 0;
    for piece in pieces {
        if used >= room {
            break;
        }
        used += put(buf, ink, (at.0 + used, at.1), room - used, &piece.text, ink.style(piece.role));
    }
    used
}

/// A number with thousands set apart: `1,280`.
#[must_use]
pub fn number(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0 {
        out.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// So many of something, in words: `1 step`, `1,280 steps`.
#[must_use]
pub fn counted(count: usize, one: &str) -> String {
    let said = number(i64::try_from(count).unwrap_or(i64::MAX));
    format!("{said} {one}{}", if count == 1 { "" } else { "s" })
}

/// A number that fits a room: whole where it can be, else in thousands or millions, never cut.
#[must_use]
pub fn number_in(value: i64, room: u16) -> String {
    let whole = number(value);
    if width(&whole) <= room {
        return whole;
    }
    let scales = [(1_000, "k"), (1_000_000, "M"), (1_000_000_000, "G"), (1_000_000_000_000, "T")];
    let mut short = whole;
    for (scale, letter) in scales {
        short = format!("{}{letter}", number(value / scale));
        if width(&short) <= room {
            break;
        }
    }
    short
}

/// Breaks a text into lines of at most `room` columns, between words where it can. What is not for whoever looks on is
/// hidden first: a half would not be known for what it is.
#[must_use]
pub fn wrap(text: &str, room: u16) -> Vec<String> {
    let text = &*crate::domain::drawn(text);
    let room = usize::from(room.max(1));
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut used = 0;
        for word in paragraph.split_inclusive(' ') {
            let taken = word.trim_end().width();
            if used + taken > room && used > 0 {
                lines.push(std::mem::take(&mut line).trim_end().to_owned());
                used = 0;
            }
            if taken <= room {
                line.push_str(word);
                used += word.width();
                continue;
            }
            for grapheme in word.graphemes(true) {
                if used + grapheme.width() > room && used > 0 {
                    lines.push(std::mem::take(&mut line).trim_end().to_owned());
                    used = 0;
                }
                line.push_str(grapheme);
                used += grapheme.width();
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// A text of several lines, each made harmless and broken to a width.
#[must_use]
pub fn wrap_lines(said: &str, room: u16) -> Vec<String> {
    said.split('\n').flat_map(|line| wrap(&crate::domain::text::line(line), room)).collect()
}

/// The part of an area inside a margin of one cell; empty where there is none.
#[must_use]
pub fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x.saturating_add(1),
        y: area.y.saturating_add(1),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1280, -1_234_567].map(number), ["0", "999", "1,280", "-1,234,567"]);
        let fitted = [999_999, 1_250_000, 12_345_678_901, -7].map(|value| number_in(value, 7));
        assert_eq!(fitted, ["999,999", "1,250k", "12,345M", "-7"]);
    }

    #[test]
    fn letters_lose_their_accents_where_there_is_only_ascii() {
        let shown: String = "Skarvøy Björk Ås Æble ウ".graphemes(true).map(in_ascii).collect();
        assert_eq!(shown, "Skarvoy Bjork As Aeble ?");
    }

    #[test]
    fn what_is_ascii_is_set_as_everything_is() {
        let area = Rect::new(2, 1, 12, 2);
        for text in ["", "wool", "a text that is too long", "with\x1b[2J a\tcontrol\x7f", "~~~~~~~~~~~~"] {
            for (x, most) in [(2, 12), (2, 4), (9, 12), (13, 1), (13, 0)] {
                let (mut ours, mut theirs) = (Buffer::empty(area), Buffer::empty(area));
                let style = Style::new().fg(Color::Indexed(7));
                let ends = (
                    set(&mut ours, (x, 2), text, most, style),
                    theirs.set_stringn(x, 2, text, usize::from(most), style).0,
                );
                assert_eq!((ends.0, &ours), (ends.1, &theirs), "{text:?} at {x}, at most {most}");
            }
        }
    }

    #[test]
    fn what_nobody_cleaned_is_not_set() {
        // The last ones hang on the sign before them, so that they take no cell of their own.
        for text in ["é\u{202e}b", "é\u{200b}", "𖫦\u{e0130}", "é\u{e0100}b", "é\u{1b}[2J\u{e0041}"] {
            let mut buf = Buffer::empty(Rect::new(0, 0, 12, 1));
            set(&mut buf, (0, 0), text, 12, Style::new());
            assert!(buf.content.iter().all(|cell| !cell.symbol().chars().any(is_hostile)), "{text:?}: {buf:?}");
        }
    }

    #[test]
    fn wrapping_keeps_every_word() {
        assert_eq!(wrap("warm wool socks", 10), ["warm wool", "socks"]);
        assert_eq!(wrap("abcdefghijkl", 5), ["abcde", "fghij", "kl"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("日本語のくつした", 6).concat(), "日本語のくつした");
        assert_eq!(wrap("a\nb", 6), ["a", "b"]);
    }
}
