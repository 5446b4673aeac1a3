//! What arrives from the terminal, cut into whole sequences.
//!
//! A sequence that a line cut waits for its rest, an unknown or broken one is dropped whole, so that answers to a query,
//! however late, never become keys.

use std::time::Duration;

use super::arrival::{Arrival, PASTE_END, PASTE_START, read};
use crate::settings::{Key, KeyCode};

/// A longer paste or string is dropped, bytes.
const MOST_PASTE: usize = 1 << 20;
const MOST_SEQUENCE: usize = 4096;

/// How long an escape alone is waited on: it is the Esc key after that.
const ESCAPE: Duration = Duration::from_millis(40);

/// The same where the terminal sends the Esc key as a sequence of its own: then an escape alone is always a cut one.
const ESCAPE_IS_NO_KEY: Duration = Duration::from_secs(1);

/// How long what may be a key held with Alt, or the beginning of a sequence, is waited on.
const INTRODUCER: Duration = Duration::from_secs(1);

/// How long the rest of a sequence, of a character, or of a paste is waited for, after its last byte. What comes until
/// then belongs to it, so that no byte of a cut answer becomes a key.
const REST: Duration = Duration::from_secs(5);
const PASTE_REST: Duration = Duration::from_secs(2);

/// How long that goes on where bytes keep arriving, of anything but a paste: the rest got lost, and a person types.
const MOST_REST: Duration = Duration::from_secs(20);

/// Cuts and reads what arrives. The time comes in with the bytes: it is counted from any beginning.
#[derive(Debug, Default)]
pub struct Decoder {
    held: Vec<u8>,
    /// Whether what is being dropped is a paste that was too long.
    dropping: bool,
    /// Whether the terminal tells the Esc key from an escape that begins a sequence.
    unambiguous: bool,
    /// When the last byte arrived.
    last: Duration,
    /// When the first of what is held arrived.
    first: Duration,
    /// When an escape was taken for the Esc key because nothing followed it.
    escaped: Option<Duration>,
}

impl Decoder {
    /// From now on the terminal tells the Esc key from an escape that begins a sequence, or does not.
    pub fn set_unambiguous(&mut self, unambiguous: bool) {
        self.unambiguous = unambiguous;
    }

    /// Takes bytes and gives what they say.
    pub fn take(&mut self, now: Duration, bytes: &[u8], arrivals: &mut Vec<Arrival>) {
        let late = self.escaped.take().is_some_and(|at| now.saturating_sub(at) <= REST) && is_late_rest(bytes);
        if late && self.held.is_empty() {
            // The escape before it was cut off by a pause: these are the rest of its sequence.
            self.held.push(0x1b);
        }
        if self.held.is_empty() {
            self.first = now;
        }
        self.last = now;
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
        if at > 0 {
            self.first = now;
        }
        self.held.drain(..at.min(self.held.len()));
    }

    /// Until when the rest of what is held is waited for; `None` where nothing is held. Then [`Self::give_up`] is due.
    #[must_use]
    pub fn waits_until(&self) -> Option<Duration> {
        let patience = match self.held.as_slice() {
            _ if self.dropping || self.held.starts_with(PASTE_START) => PASTE_REST,
            [] => return None,
            [0x1b] | [0x1b, 0x1b] if self.unambiguous => ESCAPE_IS_NO_KEY,
            [0x1b] | [0x1b, 0x1b] => ESCAPE,
            [0x1b, b'[' | b'O'] => INTRODUCER,
            _ => return Some((self.last + REST).min(self.first + MOST_REST)),
        };
        Some(self.last + patience)
    }

    /// The rest did not come: an escape alone is the Esc key, one with a letter is that letter held with Alt, anything
    /// else is dropped.
    pub fn give_up(&mut self, arrivals: &mut Vec<Arrival>) {
        if let Some(text) = self.held.strip_prefix(PASTE_START) {
            // Its end got lost: what came of it is better than keys that do nothing for ever.
            arrivals.push(Arrival::Paste(String::from_utf8_lossy(text).into_owned()));
        }
        self.dropping = false;
        if self.held == b"\x1b" || self.held == b"\x1b\x1b" {
            self.escaped = self.waits_until();
            arrivals.push(Arrival::Key(Key::plain(KeyCode::Esc)));
        } else if let [b'\x1b', c @ (b'[' | b'O' | b'P' | b']' | b'_' | b'^' | b'X')] = self.held.as_slice() {
            arrivals.push(Arrival::Key(Key { alt: true, ..Key::char(char::from(*c)) }));
        }
        self.held.clear();
    }
}

/// Whether bytes that came after an escape and a pause are the rest of an answer or of a movement of the mouse: nobody
/// types them as one.
fn is_late_rest(bytes: &[u8]) -> bool {
    match bytes {
        [b'[', b'?' | b'<' | b'>', second, ..] => second.is_ascii_digit(),
        [b'[', first, rest @ ..] if first.is_ascii_digit() => {
            let end = rest.iter().find(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'));
            end.is_none_or(|end| matches!(end, b'n' | b'R' | b't' | b'u' | b'~' | b'$'))
                && (end.is_some() || rest.len() > 1)
        }
        [b']', rest @ ..] => {
            let end = rest.iter().position(|byte| !byte.is_ascii_digit());
            end.is_some_and(|end| end > 0 && rest.get(end) == Some(&b';'))
        }
        [b'P', b'>', b'|', ..] | [b'P', b'0' | b'1', b'+' | b'$', ..] | [b'_', b'G', ..] => true,
        _ => false,
    }
}

/// Whether what follows the introducer of a string is how strings of terminals begin. Otherwise it was a key held with
/// Alt, and what follows is the next one.
fn begins_string(introducer: u8, first: u8) -> bool {
    match introducer {
        // XTVERSION; XTGETTCAP and DECRQSS.
        b'P' => matches!(first, b'0'..=b'9' | b';' | b'>' | b'!' | b'+' | b'$' | b'='),
        b']' => first.is_ascii_digit() || first.is_ascii_uppercase(),
        b'_' => first == b'G',
        _ => first.is_ascii_graphic(),
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
    // A character whose rest is none ends where the next one begins.
    let character = |len: usize| {
        let rest = bytes.iter().skip(1).take(len - 1);
        let fitting = 1 + rest.take_while(|byte| matches!(byte, 0x80..=0xbf)).count();
        if fitting == len || fitting < bytes.len() { Cut::Whole(fitting) } else { Cut::Open }
    };
    match first {
        0x1b => match bytes.get(1) {
            None => Cut::Open,
            Some(b'[') if bytes.starts_with(PASTE_START) => {
                find(bytes, PASTE_END).map_or(Cut::Open, |end| Cut::Whole(end + PASTE_END.len()))
            }
            Some(b'[') => cut_csi(bytes),
            Some(b'O') => whole_if(3),
            Some(introducer @ (b']' | b'P' | b'_' | b'^' | b'X')) => match bytes.get(2) {
                None | Some(0x1b | 0x07) => cut_string(bytes),
                Some(first) if begins_string(*introducer, *first) => cut_string(bytes),
                Some(_) => Cut::Whole(2),
            },
            Some(0x1b) => Cut::Whole(1),
            Some(_) => match cut(bytes.get(1..).unwrap_or_default()) {
                Cut::Whole(len) => Cut::Whole(len + 1),
                other => other,
            },
        },
        0xc2..=0xdf => character(2),
        0xe0..=0xef => character(3),
        0xf0..=0xf4 => character(4),
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

#[cfg(test)]
mod tests {
    use super::super::arrival::{Answer, Maker};
    use super::*;

    /// What chunks say that arrive so far apart, and that nothing follows.
    fn apart(gap: Duration, chunks: &[&[u8]]) -> Vec<Arrival> {
        let (mut decoder, mut arrivals, mut now) = (Decoder::default(), Vec::new(), Duration::ZERO);
        for chunk in chunks {
            decoder.take(now, chunk, &mut arrivals);
            now += gap;
            if decoder.waits_until().is_some_and(|until| until <= now) {
                decoder.give_up(&mut arrivals);
            }
        }
        if decoder.waits_until().is_some() {
            decoder.give_up(&mut arrivals);
        }
        arrivals
    }

    fn arrivals(chunks: &[&[u8]]) -> Vec<Arrival> {
        apart(Duration::ZERO, chunks)
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

    /// What terminals answer, to whatever is asked.
    const ANSWERS: [&[u8]; 15] = [
        b"\x1b[0n",
        b"\x1b[?0u",
        b"\x1b[?62;22c",
        b"\x1b[>0;115;0c",
        b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07",
        b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
        b"\x1bP>|some terminal(1)\x1b\\",
        b"\x1bP1+r524742=382f382f38\x1b\\",
        b"\x1bP0+r\x1b\\",
        b"\x1b_Gi=31;OK\x1b\\",
        b"\x1b[?2026;2$y",
        b"\x1b[4;720;1080t",
        b"\x1b[12;40R",
        b"\x1b[?997;1n",
        b"\x1b[<35;10;20M",
    ];

    fn keys_in(found: &[Arrival]) -> Vec<String> {
        let key = |arrival: &Arrival| match arrival {
            Arrival::Key(key) => Some(key.to_string()),
            _ => None,
        };
        found.iter().filter_map(key).collect()
    }

    #[test]
    fn no_byte_of_a_cut_answer_is_a_key() {
        let gap = Duration::from_millis(500);
        for answer in ANSWERS {
            for at in 1..answer.len() {
                let found = apart(gap, &[&answer[..at], &answer[at..], b"k"]);
                let shown = String::from_utf8_lossy(answer);
                // An escape that nothing follows for half a second is the Esc key: that one alone is not told apart.
                let expected: &[&str] = if at == 1 { &["esc", "k"] } else { &["k"] };
                assert_eq!(keys_in(&found), expected, "{shown:?} cut at {at}: {found:?}");
                // Without a pause, or where the Esc key has a sequence of its own, that one is as well.
                assert_eq!(keys_in(&arrivals(&[&answer[..at], &answer[at..], b"k"])), ["k"], "{shown:?} cut at {at}");
            }
            let bytes: Vec<&[u8]> = answer.chunks(1).skip(1).collect();
            let dripping: Vec<&[u8]> = std::iter::once(&answer[..2]).chain(bytes.into_iter().skip(1)).collect();
            let found = apart(gap, &dripping);
            assert_eq!(keys_in(&found), [""; 0], "{:?} byte by byte", String::from_utf8_lossy(answer));
        }
        assert_eq!(
            arrivals(&[b"\x1b[?1u\x1b[0n\x1b[?62c"]),
            [Answer::Keyboard, Answer::Status, Answer::Present { sixel: false }].map(Arrival::Answer)
        );
    }

    #[test]
    fn a_string_that_never_ends_mutes_nobody_who_goes_on_typing() {
        let chunks: Vec<&[u8]> =
            std::iter::once(&b"\x1b]11;rgb:1e"[..]).chain(std::iter::repeat_n(&b"w"[..], 60)).collect();
        let typed = apart(Duration::from_millis(400), &chunks);
        assert!((8..=12).contains(&typed.len()), "{} of 60 in 24 s", typed.len());
        assert!(typed.iter().all(|arrival| *arrival == Arrival::Key(Key::char('w'))));
    }

    #[test]
    fn where_esc_is_a_sequence_no_cut_makes_a_key() {
        for answer in ANSWERS {
            for at in 1..answer.len() {
                let (mut decoder, mut found) = (Decoder::default(), Vec::new());
                decoder.set_unambiguous(true);
                decoder.take(Duration::ZERO, &answer[..at], &mut found);
                assert!(decoder.waits_until().unwrap() > Duration::from_millis(500));
                decoder.take(Duration::from_millis(500), &answer[at..], &mut found);
                assert_eq!((keys_in(&found), decoder.waits_until()), (Vec::new(), None));
            }
        }
    }

    #[test]
    fn characters_cut_anywhere_arrive_whole() {
        for text in ["é", "日", "🧦", "a\u{301}", "👩\u{200d}👧"] {
            let bytes = text.as_bytes();
            for at in 1..bytes.len() {
                for gap in [0, 500, 4_000] {
                    let found = apart(Duration::from_millis(gap), &[&bytes[..at], &bytes[at..]]);
                    assert_eq!(keys_in(&found).concat(), text, "cut at {at} for {gap} ms");
                }
            }
        }
        // What is no character holds nothing up and takes no key along.
        assert_eq!(keys_in(&arrivals(&[b"\xe6\x97j"])), ["j"]);
        assert_eq!(keys_in(&arrivals(&[b"\xc3", b"\x1b[A"])), ["up"]);
    }

    #[test]
    fn an_escape_alone_acts_at_once_and_letters_with_alt_are_keys() {
        let mut decoder = Decoder::default();
        let mut found = Vec::new();
        decoder.take(Duration::from_secs(7), b"\x1b", &mut found);
        assert_eq!(decoder.waits_until(), Some(Duration::from_secs(7) + ESCAPE));
        decoder.give_up(&mut found);
        assert_eq!(keys_in(&found), ["esc"]);
        // What a person types after it are keys, however soon.
        decoder.take(Duration::from_millis(7_100), b"[", &mut found);
        decoder.take(Duration::from_millis(7_200), b"?", &mut found);
        decoder.take(Duration::from_millis(7_300), b"]2", &mut found);
        assert_eq!(keys_in(&found), ["esc", "[", "?", "]", "2"]);
        // A letter that begins a string is one where none follows.
        assert_eq!(keys(b"\x1bPj"), ["alt-P", "j"]);
        assert_eq!(keys(b"\x1b]"), ["alt-]"]);
        assert_eq!(keys(b"\x1b["), ["alt-["]);
    }

    #[test]
    fn the_background_is_read() {
        for (answer, light) in [
            ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", true),
            ("\x1b]11;rgb:1e1e/1e1e/2e2e\x07", false),
            ("\x1b]11;rgb:fd/f6/e3\x07", true),
            ("\x1b]11;rgba:0000/0000/0000/ffff\x07", false),
        ] {
            assert_eq!(arrivals(&[answer.as_bytes()]), [Arrival::Answer(Answer::Background { light })]);
        }
        for odd in ["\x1b]11;?\x07", "\x1b]11;rgb:q/w/e\x07", "\x1b]11;rgb:\x07", "\x1b]11;rgb://\x07"] {
            assert!(
                !arrivals(&[odd.as_bytes()]).iter().any(|it| matches!(it, Arrival::Answer(Answer::Background { .. })))
            );
        }
    }

    #[test]
    fn colors_of_24_bits_are_told() {
        for (answer, expected) in [
            ("\x1bP1+r524742=382f382f38\x1b\\", Answer::Direct),
            ("\x1bP1+r5463\x1b\\", Answer::Direct),
            ("\x1bP1+r524742=38;5463\x1b\\", Answer::Direct),
            ("\x1bP1+r524742=2D31\x1b\\", Answer::Other),
            ("\x1bP1+r544e=787465726d\x1b\\", Answer::Other),
            ("\x1bP>|kitty(0.26.5)\x1b\\", Answer::Made(Maker::OldKitty)),
            ("\x1bP>|kitty(0.36.4)\x1b\\", Answer::Other),
        ] {
            assert_eq!(arrivals(&[answer.as_bytes()]), [Arrival::Answer(expected)], "{answer:?}");
        }
        let none = arrivals(&[b"\x1bP0+r524742\x1b\\"]);
        assert!(!none.contains(&Arrival::Answer(Answer::Direct)) && keys_in(&none).is_empty());
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
            decoder.take(Duration::ZERO, &bytes, &mut Vec::new());
            decoder.give_up(&mut Vec::new());
        }
        let mut long = Decoder::default();
        let mut found = Vec::new();
        long.take(Duration::ZERO, PASTE_START, &mut found);
        for _ in 0..300 {
            long.take(Duration::ZERO, &[b'x'; 8192], &mut found);
        }
        assert!(long.held.len() <= MOST_PASTE + 16_384);
        long.take(Duration::ZERO, PASTE_END, &mut found);
        long.take(Duration::ZERO, b"k", &mut found);
        assert_eq!(found, [Arrival::Key(Key::char('k'))]);
    }
}
