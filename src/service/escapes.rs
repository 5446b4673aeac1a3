//! Characters as they may be written where a text stands inside of another: in an address of the web, in JSON, in markup.

/// A character, with how many bytes it takes.
pub(super) type Written = (char, usize);

/// How often an escape may be escaped again: an address of the web within another one, JSON within JSON.
const MOST_NESTED: usize = 3;
/// Backslashes before an escape of JSON that stands in JSON [`MOST_NESTED`] times over.
const MOST_BACKSLASHES: usize = 8;
/// The bytes of one percent-escape, and those that each further escaping adds.
const PERCENT: usize = 3 + 2 * MOST_NESTED;
/// No escape of one character is longer, bytes: four bytes of UTF-8, each percent-escaped.
pub(super) const LONGEST: usize = 4 * PERCENT;

/// The character at the begin of bytes, as it is.
pub(super) fn plain(bytes: &[u8]) -> Option<Written> {
    let length = utf8_length(*bytes.first()?)?;
    let c = std::str::from_utf8(bytes.get(..length)?).ok()?.chars().next()?;
    Some((c, length))
}

/// The character that an escape at the begin of bytes stands for.
pub(super) fn escaped(bytes: &[u8]) -> Option<Written> {
    match bytes.first()? {
        b'%' => percent(bytes),
        b'\\' => backslash(bytes),
        b'&' => entity(bytes),
        _ => None,
    }
}

/// The character before the end of bytes, whichever way it is written; control characters of JSON are blanks.
pub(super) fn last(bytes: &[u8]) -> Option<char> {
    let ends = |length: usize| bytes.len().checked_sub(length).and_then(|from| bytes.get(from..));
    if let Some([b'\\', b'n' | b't' | b'r' | b'b' | b'f']) = ends(2) {
        return Some(' ');
    }
    let whole = |read: fn(&[u8]) -> Option<Written>, length: usize| {
        ends(length).and_then(read).filter(|(_, taken)| *taken == length).map(|(c, _)| c)
    };
    (2..=LONGEST).find_map(|length| whole(escaped, length)).or_else(|| (1..=4).find_map(|length| whole(plain, length)))
}

/// How many bytes the character takes that begins with this one.
fn utf8_length(first: u8) -> Option<usize> {
    match first {
        0..0x80 => Some(1),
        0xc2..0xe0 => Some(2),
        0xe0..0xf0 => Some(3),
        0xf0..0xf5 => Some(4),
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    let is_hex = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    is_hex.then(|| std::str::from_utf8(digits).ok()).flatten().and_then(|digits| u32::from_str_radix(digits, 16).ok())
}

/// `%40`, and `%2540` where the sign was escaped again.
fn percent_byte(bytes: &[u8]) -> Option<(u8, usize)> {
    if bytes.first() != Some(&b'%') {
        return None;
    }
    let byte = |at: usize| bytes.get(at..at + 2).and_then(hex).and_then(|byte| u8::try_from(byte).ok());
    let mut at = 1;
    for _ in 0..MOST_NESTED {
        if byte(at) != Some(b'%') || byte(at + 2).is_none() {
            break;
        }
        at += 2;
    }
    Some((byte(at)?, at + 2))
}

fn percent(bytes: &[u8]) -> Option<Written> {
    let (first, mut taken) = percent_byte(bytes)?;
    let mut utf8 = vec![first];
    for _ in 1..utf8_length(first)? {
        let (next, length) = percent_byte(bytes.get(taken..)?)?;
        utf8.push(next);
        taken += length;
    }
    plain(&utf8).map(|(c, _)| (c, taken))
}

/// `\u0040`, `\"` and `\/`, with more backslashes where it was escaped again.
fn backslash(bytes: &[u8]) -> Option<Written> {
    let (sign, taken) = after_backslashes(bytes)?;
    if matches!(sign, b'"' | b'/') {
        return Some((char::from(sign), taken));
    }
    let (unit, mut taken) = utf16_unit(bytes)?;
    let mut units = vec![unit];
    if (0xd800..0xdc00).contains(&unit) {
        let (low, length) = utf16_unit(bytes.get(taken..)?)?;
        units.push(low);
        taken += length;
    }
    let c = char::decode_utf16(units).next()?.ok()?;
    Some((c, taken))
}

/// What stands behind backslashes, with how many bytes it is to behind it.
fn after_backslashes(bytes: &[u8]) -> Option<(u8, usize)> {
    let backslashes = bytes.iter().take(MOST_BACKSLASHES).take_while(|byte| **byte == b'\\').count();
    let sign = bytes.get(backslashes).filter(|_| backslashes > 0)?;
    Some((*sign, backslashes + 1))
}

fn utf16_unit(bytes: &[u8]) -> Option<(u16, usize)> {
    let (sign, at) = after_backslashes(bytes)?;
    let unit = bytes.get(at..at + 4).filter(|_| sign == b'u').and_then(hex)?;
    Some((u16::try_from(unit).ok()?, at + 4))
}

/// `&#64;`, `&#x40;` and the names of what may stand in an address.
fn entity(bytes: &[u8]) -> Option<Written> {
    const NAMES: [(&str, char); 8] = [
        ("amp", '&'),
        ("apos", '\''),
        ("commat", '@'),
        ("hyphen", '-'),
        ("lowbar", '_'),
        ("period", '.'),
        ("plus", '+'),
        ("quot", '"'),
    ];
    let end = bytes.iter().take(LONGEST).position(|byte| *byte == b';')?;
    let mut name = std::str::from_utf8(bytes.get(1..end)?).ok()?;
    let mut taken = end + 1;
    // `&amp;#64;`: the sign was escaped again.
    if name == "amp"
        && let Some(rest) = bytes.get(taken..)
        && let Some(end) = rest.iter().take(LONGEST / 2).position(|byte| *byte == b';')
        && let Some(inner) = rest.get(..end).and_then(|inner| std::str::from_utf8(inner).ok())
        && (inner.starts_with('#') || NAMES.iter().any(|(known, _)| *known == inner))
    {
        name = inner;
        taken += end + 1;
    }
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let c = match name.strip_prefix('#') {
        Some(code) => match code.strip_prefix(['x', 'X']) {
            Some(digits) => number(digits, 16)?,
            None => number(code, 10)?,
        },
        None => NAMES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((c, taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_is_read_however_it_is_written() {
        for (text, c) in [
            ("%40", '@'),
            ("%2540", '@'),
            ("%252540", '@'),
            ("%25", '%'),
            ("%2b", '+'),
            ("%2B", '+'),
            ("%C3%ab", 'ë'),
            ("%25C3%25AB", 'ë'),
            ("%F0%9F%98%80", '😀'),
            ("\\u0040", '@'),
            ("\\u00eB", 'ë'),
            ("\\\\u0040", '@'),
            ("\\ud83d\\uDE00", '😀'),
            ("\\/", '/'),
            ("&#64;", '@'),
            ("&#X40;", '@'),
            ("&amp;#64;", '@'),
            ("&commat;", '@'),
            ("&amp;", '&'),
        ] {
            assert_eq!(escaped(text.as_bytes()), Some((c, text.len())), "{text}");
            assert_eq!(escaped(format!("{text}&x").as_bytes()), Some((c, text.len())), "{text}");
            assert_eq!(last(format!("x{text}").as_bytes()), Some(c), "{text}");
        }
        for text in ["", "x", "%", "%4", "%4g", "%C3", "%C3%28", "\\u004", "\\ud83d", "\\x", "&#;", "&;", "&nosuch;"] {
            assert_eq!(escaped(text.as_bytes()), None, "{text}");
        }
        assert_eq!((last(b"a\\n"), last("ë".as_bytes()), last(b"")), (Some(' '), Some('ë'), None));
        assert_eq!((plain("ë…".as_bytes()), plain(b"\xc3"), plain(b"\xff")), (Some(('ë', 2)), None, None));
    }
}
