//! An e-mail address that is looked for in texts and in bytes: in capitals or not, and however its characters are written.

use std::borrow::Cow;
use std::ops::Range;

use super::escapes::{self, LONGEST};

/// What stands in the place of an address: an address that nobody has (RFC 6761 §6.4).
pub(super) const REMOVED: &str = "removed@example.invalid";

/// What stands behind a text that was cut off.
const CUT: &[u8] = "…".as_bytes();

/// Fewer characters of an address say nothing about whose it is.
const CUT_FROM: usize = 3;

/// Characters of an address at most: 64 before the sign and 255 behind it (RFC 5321 §4.5.3.1).
const MOST: usize = 320;

/// Patterns for SQL's `LIKE … ESCAPE '\'`: every text that holds an address, in whichever form, holds its sign in one of
/// these. They match more.
pub(super) const SIGNS: [&str; 4] = ["%@%", "%\\%%40%", "%u0040%", "%&%;%"];

/// An address to look for.
#[derive(Clone)]
pub(super) struct Needle {
    /// In small letters; beside it, where it differs, with the domain in the form of the name system (RFC 5890).
    forms: Vec<Vec<char>>,
    /// The bytes that it may begin with: most bytes of a video are passed over by one look.
    begins: [bool; 256],
}

/// The bytes that a character may begin with, in capitals or not, and however it is written.
fn beginnings(first: char) -> [bool; 256] {
    // Outside of ASCII too: the signs of Kelvin and the dotted I of Turkish have these for small letters.
    let elsewhere = !first.is_ascii() || matches!(first, 'k' | 'i');
    std::array::from_fn(|byte| {
        let byte = u8::try_from(byte).unwrap_or_default();
        let same = first.is_ascii() && char::from(byte).to_ascii_lowercase() == first;
        same || matches!(byte, b'%' | b'\\' | b'&') || (byte == b' ' && first == '+') || (byte >= 0xc2 && elsewhere)
    })
}

impl Needle {
    /// Of an address; nothing where the text is none.
    pub(super) fn new(email: &str) -> Option<Self> {
        let email = email.trim().to_lowercase();
        let (local, domain) = email.rsplit_once('@')?;
        let plain = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control());
        if !plain(local) || !plain(domain) || email.chars().count() > MOST {
            return None;
        }
        let mut forms = vec![email.chars().collect::<Vec<char>>()];
        if let Ok(url::Host::Domain(ascii)) = url::Host::parse(domain)
            && ascii != domain
        {
            forms.push(format!("{local}@{ascii}").chars().collect());
        }
        let begins = beginnings(email.chars().next()?);
        Some(Self { forms, begins })
    }

    /// How far it is to a byte that the address may begin with.
    fn next(&self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|byte| self.begins.get(usize::from(*byte)).is_some_and(|may| *may))
    }

    /// How many bytes at the begin of these are the address.
    fn length(&self, bytes: &[u8]) -> Option<usize> {
        self.forms.iter().find_map(|form| length(bytes, form))
    }

    /// Whether this text is the address.
    pub(super) fn is(&self, text: &str) -> bool {
        self.length(text.trim().as_bytes()) == Some(text.trim().len())
    }

    /// Whether a text holds the address, not as a part of a longer one.
    pub(super) fn is_in(&self, text: &str) -> bool {
        matches!(self.removed_from(text), Cow::Owned(_))
    }

    /// The text with [`REMOVED`] in place of the address.
    pub(super) fn removed_from<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = String::new();
        let (mut from, mut at) = (0, 0);
        while let Some(next) = text.as_bytes().get(at..).and_then(|rest| self.next(rest)) {
            at += next;
            let rest = text.get(at..).unwrap_or_default();
            match self.length(rest.as_bytes()) {
                Some(length)
                    if stands_alone(
                        text.as_bytes().get(..at).unwrap_or_default(),
                        rest.as_bytes().get(length..).unwrap_or_default(),
                    ) =>
                {
                    out.push_str(text.get(from..at).unwrap_or_default());
                    out.push_str(REMOVED);
                    at += length;
                    from = at;
                }
                _ => at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        if from == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(text.get(from..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// The longest form, bytes.
    pub(super) fn most(&self) -> usize {
        self.forms.iter().map(Vec::len).max().unwrap_or_default().saturating_mul(LONGEST)
    }

    /// Overwrites the address in bytes with as many `x`, where it begins in this range of them. Whether it was there.
    pub(super) fn overwrite(&self, bytes: &mut [u8], begins: Range<usize>, parts: Parts) -> bool {
        let found = self.found(bytes, begins, parts);
        for place in &found {
            bytes.get_mut(place.clone()).into_iter().flatten().for_each(|byte| *byte = b'x');
        }
        !found.is_empty()
    }

    /// Overwrites the beginning of the address where a text was cut off in it, right before a `…`.
    pub(super) fn overwrite_cut(&self, bytes: &mut [u8]) {
        let mut from = 0;
        while let Some(at) = bytes.get(from..).and_then(|rest| rest.windows(CUT.len()).position(|bytes| bytes == CUT)) {
            let end = from + at;
            let is_beginning = |begin: &usize| {
                let held = bytes.get(*begin..end).unwrap_or_default();
                let fits = |beginning: &[char]| length(held, beginning) == Some(held.len());
                let begins = |form: &Vec<char>| (CUT_FROM..form.len()).any(|chars| form.get(..chars).is_some_and(fits));
                self.forms.iter().any(begins)
            };
            if let Some(begin) = (end.saturating_sub(self.most())..end).find(is_beginning) {
                bytes.get_mut(begin..end).into_iter().flatten().for_each(|byte| *byte = b'x');
            }
            from = end + CUT.len();
        }
    }

    /// Where in bytes the address stands, as far as it begins in this range of them.
    pub(super) fn found(&self, bytes: &[u8], begins: Range<usize>, parts: Parts) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut at = begins.start;
        while let Some(next) = bytes.get(at..).and_then(|rest| self.next(rest)) {
            at += next;
            if at >= begins.end {
                break;
            }
            match bytes.get(at..).and_then(|rest| self.length(rest)) {
                Some(length) if parts == Parts::All || is_whole(bytes, at..at + length) => {
                    found.push(at..at + length);
                    at += length;
                }
                _ => at += 1,
            }
        }
        found
    }
}

/// Which of the places where an address is found in bytes are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    /// Those where it is no part of a longer address, which is another person's.
    Whole,
    /// All of them: in what is left of a database, texts stand side by side with nothing in between.
    All,
}

/// How many bytes before and behind an address are looked at, to tell whether it is a part of a longer one.
pub(super) const BESIDE: usize = 256;

/// Whether what stands between these bytes is not a part of a longer address. Beside text, files of videos have lengths and
/// tags around it that look like letters.
fn is_whole(bytes: &[u8], place: Range<usize>) -> bool {
    let before = bytes.get(place.start.saturating_sub(BESIDE)..place.start).unwrap_or_default();
    let behind = bytes.get(place.end..bytes.len().min(place.end + BESIDE)).unwrap_or_default();
    let before = if is_length(before) { &[] } else { before };
    let behind = if is_tag(behind) { &[] } else { behind };
    stands_alone(before, behind)
}

/// Whether bytes end with the length of the text that follows: one that looks like a letter, behind what is no text.
fn is_length(before: &[u8]) -> bool {
    let Some((last, rest)) = before.split_last() else { return false };
    let is_text = |c: char| !c.is_control() || c.is_ascii_whitespace();
    let behind_text = rest.is_empty() || escapes::last(rest).is_some_and(is_text);
    !behind_text && (last.is_ascii_alphanumeric() || *last == b'+')
}

/// Whether bytes begin with the name of what follows in a file: a frame of ID3 (four capitals or digits, and a length), or
/// an element of Matroska (a letter, and a byte that is none).
fn is_tag(behind: &[u8]) -> bool {
    match behind {
        [first, 0x80..=0xff, ..] => first.is_ascii_alphabetic(),
        [a, b, c, d, 0, ..] => [a, b, c, d].iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
        _ => false,
    }
}

/// How many bytes at the begin of these are the form, whichever way each of its characters is written.
fn length(bytes: &[u8], wanted: &[char]) -> Option<usize> {
    if wanted.is_empty() {
        return Some(0);
    }
    [escapes::plain(bytes), escapes::escaped(bytes)].into_iter().flatten().find_map(|(c, taken)| {
        let rest = length(bytes.get(taken..)?, behind(c, wanted)?)?;
        Some(taken + rest)
    })
}

/// What is wanted behind a character, where that one is wanted; in a form of the web a `+` that nobody escaped has become
/// a blank.
fn behind(c: char, wanted: &[char]) -> Option<&[char]> {
    if c == ' ' {
        return wanted.strip_prefix(&['+']);
    }
    let mut rest = wanted;
    for small in c.to_lowercase() {
        rest = rest.strip_prefix(&[small])?;
    }
    Some(rest)
}

/// Whether what stands between these bytes of a text is not a part of a longer address.
fn stands_alone(before: &[u8], behind: &[u8]) -> bool {
    // Signs that an address may have within it begin one only behind a letter or digit; else they are of the text around
    // it: emphasis, a list, the end of a sentence.
    let word = without_joints(before);
    let longer_before = match escapes::last(word) {
        Some('+') => !word.ends_with(b"+") || !is_in_query(word),
        Some('.' | '_' | '-') => true,
        Some(c) => c.is_alphanumeric(),
        None => false,
    };
    let next = |bytes: &[u8]| escapes::escaped(bytes).or_else(|| escapes::plain(bytes));
    let longer_behind = match next(behind) {
        Some(('.' | '-', length)) => behind.get(length..).and_then(next).is_some_and(|(c, _)| c.is_alphanumeric()),
        Some((c, _)) => c.is_alphanumeric(),
        None => false,
    };
    !longer_before && !longer_behind
}

/// What stands before the dots, dashes, and underscores at the end of bytes.
fn without_joints(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| !matches!(byte, b'.' | b'_' | b'-')).map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or_default()
}

/// Whether what ends here stands in the query of an address, where a blank is written `+`.
fn is_in_query(before: &[u8]) -> bool {
    let word = before.rsplit(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'<' | b'\'')).next();
    word.is_some_and(|word| word.iter().any(|byte| matches!(byte, b'?' | b'=')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overwritten(needle: &Needle, bytes: &mut [u8]) -> bool {
        needle.overwrite(bytes, 0..bytes.len(), Parts::Whole)
    }

    #[test]
    fn the_beginning_of_an_address_goes_where_a_text_was_cut_off_in_it() {
        let needle = Needle::new("Ann.Lee@Shop.Example").unwrap();
        for (text, without) in [
            ("set it to “Ask ann.lee@sho…”", "set it to “Ask xxxxxxxxxxx…”"),
            ("“Ann…” and “ann%2Elee%40s…”", "“xxx…” and “xxxxxxxxxxxxx…”"),
            ("an… the annual… Ann's…", "an… the annual… Ann's…"),
            ("…", "…"),
        ] {
            let mut bytes = text.as_bytes().to_vec();
            needle.overwrite_cut(&mut bytes);
            assert_eq!(String::from_utf8(bytes).unwrap(), without);
        }
    }

    #[test]
    fn an_address_is_found_in_any_case_and_not_inside_a_longer_one() {
        let needle = Needle::new(" Ann.Lee@Shop.Example ").unwrap();
        for holds in [
            "ann.lee@shop.example",
            "<ANN.LEE@SHOP.EXAMPLE>",
            "{\"email\":\"Ann.Lee@shop.example\"}",
            "write to ann.lee@shop.example.",
            "https://x.example/?q=ann.lee%40shop.example&b=1",
            "mailto:ann.lee@shop.example",
            "a\\nann.lee@shop.example\\n",
            "ask _ann.lee@shop.example_ or __ANN.LEE@shop.example__",
            "- ann.lee@shop.example",
            "-ann.lee@shop.example, by name",
            "who asks…ann.lee@shop.example",
            "_**ann.lee@shop.example**_",
        ] {
            let removed = needle.removed_from(holds);
            assert!(removed.contains(REMOVED) && !removed.to_lowercase().contains("ann.lee"), "{holds}: {removed}");
        }
        for other in [
            "joann.lee@shop.example",
            "ann.lee@shop.example.org",
            "x-ann.lee@shop.example",
            "x__ann.lee@shop.example",
            "ann@shop.example",
            "",
        ] {
            assert!(!needle.is_in(other), "{other}");
        }
        assert_eq!(
            needle.removed_from("a ann.lee@shop.example b ANN.lee@shop.example"),
            format!("a {REMOVED} b {REMOVED}")
        );
    }

    #[test]
    fn other_scripts_have_capitals_too() {
        let needle = Needle::new("zoë@müller.example").unwrap();
        assert!(needle.is_in("ZOË@MÜLLER.EXAMPLE") && needle.is("Zoë@Müller.example"));
        let mut bytes = "…ZOË@MÜLLER.EXAMPLE…zoë@müller.example".as_bytes().to_vec();
        assert!(overwritten(&needle, &mut bytes) && !overwritten(&needle, &mut bytes));
        for written in [
            "zoë@xn--mller-kva.example",
            "zo%C3%AB@xn--mller-kva.example",
            "zo%c3%8B%40m%C3%BCller.example",
            "ZO\\u00cb\\u0040m\\u00fcller.example",
            "zo&#235;@m&#xFC;ller.example",
        ] {
            assert!(needle.is_in(written), "{written}");
            let mut bytes = format!("…{written}…").into_bytes();
            assert!(overwritten(&needle, &mut bytes), "{written}");
            assert_eq!(String::from_utf8(bytes).unwrap(), format!("…{}…", "x".repeat(written.len())));
        }
    }

    #[test]
    fn every_way_to_write_it_is_found_and_its_sign_by_the_patterns() {
        let needle = Needle::new("jane.doe+shop@visitors.example").unwrap();
        for holds in [
            "?q=jane.doe%2Bshop%40visitors.example",
            "?q=jane.doe%2bSHOP%40visitors%2Eexample&x=1",
            "?q=jane.doe+shop%40visitors.example",
            "?q=jane.doe%20shop%40visitors.example",
            "?q=write+to+jane.doe%2Bshop@visitors.example+now",
            "?next=%2Fin%3Fq%3Djane.doe%252Bshop%2540visitors.example%26",
            "?q=%6Aane.doe%2Bshop%40visitors.exampl%65",
            "{\"a\":\"jane.doe\\u002bshop\\u0040visitors.example\"}",
            "{\"a\":\"{\\\"b\\\":\\\"jane.doe\\\\u002Bshop\\\\u0040visitors.example\\\"}\"}",
            "\\u003cJane.Doe+shop@visitors.example\\u003e",
            "mailto%3Ajane.doe+shop%40visitors.example",
            "jane.doe shop@visitors.example",
            "<b>jane.doe&plus;shop&#64;visitors.example</b>",
        ] {
            let removed = needle.removed_from(holds);
            assert!(removed.contains(REMOVED) && !removed.to_lowercase().contains("doe"), "{holds}: {removed}");
            // As SQL's LIKE has it.
            let parts = |pattern: &str| pattern.replace("\\%", "\u{1}");
            let like = |pattern: &&str| {
                let mut rest = holds;
                parts(pattern).split('%').all(|part| match rest.split_once(&part.replace('\u{1}', "%")) {
                    Some((_, behind)) => {
                        rest = behind;
                        true
                    }
                    None => false,
                })
            };
            assert!(SIGNS.iter().any(like), "{holds}");
            let mut bytes = holds.as_bytes().to_vec();
            assert!(overwritten(&needle, &mut bytes) && bytes.len() == holds.len(), "{holds}");
            assert!(!needle.is_in(std::str::from_utf8(&bytes).unwrap()));
        }
        for other in [
            "x+jane.doe+shop@visitors.example",
            "?q=x%2Bjane.doe%2Bshop%40visitors.example",
            "?q=x%2Ejane.doe%2Bshop%40visitors.example",
            "jane.doe+shop@visitors.example%2Eorg",
            "jane.doe@visitors.example",
            "shop@visitors.example",
        ] {
            assert!(!needle.is_in(other), "{other}");
        }
    }

    #[test]
    fn in_bytes_a_longer_address_stays_and_what_frames_a_text_is_no_part_of_it() {
        let needle = Needle::new("bob@x.co").unwrap();
        for theirs in [
            &b"alice-bob@x.co"[..],
            b"to alice.bob@x.co now",
            b"\0alice+bob@x.co\0",
            b"jbob@x.co",
            b"a jbob@x.co",
            b"bob@x.com",
            b"\0bob@x.com\0",
            b"bob@x.co.uk",
            b"\0\0bob@x.community\0",
            b"?who=alice%2Dbob%40x.co&",
        ] {
            let mut bytes = theirs.to_vec();
            assert!(!overwritten(&needle, &mut bytes) && bytes == theirs, "{}", theirs.escape_ascii());
            let mut bytes = theirs.to_vec();
            assert!(needle.overwrite(&mut bytes, 0..theirs.len(), Parts::All), "{}", theirs.escape_ascii());
        }
        for own in [
            // The length of the text, of four bytes and of one.
            &b"\0\0\0Bbob@x.co\0"[..],
            b"\x01jbob@x.co\0",
            // A frame of ID3 and an element of Matroska behind it.
            b"\x03bob@x.coTIT2\0\0\0\x05",
            b"\x87\x88bob@x.cog\xc8\x8d",
            b"<bob@x.co>, alice-bob@x.co",
        ] {
            let mut bytes = own.to_vec();
            assert!(overwritten(&needle, &mut bytes), "{}", own.escape_ascii());
            let blanked = String::from_utf8_lossy(&bytes).matches('x').count();
            assert_eq!(blanked, 8 + usize::from(own.ends_with(b"e-bob@x.co")));
            assert!(!overwritten(&needle, &mut bytes));
        }
        // Only what begins in the range is looked at.
        let mut bytes = b"bob@x.co bob@x.co bob@x.co".to_vec();
        assert!(needle.overwrite(&mut bytes, 1..10, Parts::Whole));
        assert_eq!(bytes, b"bob@x.co xxxxxxxx bob@x.co");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for wrong in [
            "",
            "ann",
            "@shop.example",
            "ann@",
            "a b@shop.example",
            "a@b\nc",
            &format!("{}@b.example", "a".repeat(400)),
        ] {
            assert!(Needle::new(wrong).is_none(), "{wrong:?}");
        }
    }
}
