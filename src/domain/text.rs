//! Text from elsewhere: what of it may be shown, and how it is compared.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Whether a character may do more to a terminal, or to a reader's eye, than take its place: controls (C0, DEL, C1),
/// bidirectional overrides and isolates, line and paragraph separators, invisible fillers, tags, private use of the
/// byte order mark. Joiners (U+200C, U+200D) stay: scripts and emoji need them.
#[must_use]
pub fn is_hostile(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}'
        // Where it stands a terminal may show a picture.
        | '\u{10eeee}')
}

/// The most combining marks kept on one base character; more only smear over the lines around.
const MOST_MARKS: usize = 4;

/// The text as one line that a terminal can be given: white space becomes a space, what is hostile becomes `·`, and
/// marks stacked beyond sense are dropped.
///
/// ```
/// use cutaway::domain::text::line;
///
/// assert_eq!(line("Wool sock, 36–38"), "Wool sock, 36–38");
/// assert_eq!(line("Wool\tsock\u{1b}[2J"), "Wool sock·[2J");
/// ```
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    veiled(clean(text, false))
}

/// The same for text of several lines: line feeds stay, a tab becomes a space.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    veiled(clean(text, true))
}

/// The text as it may be drawn, where somebody looks on.
fn veiled(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => super::veil::drawn(text),
        Cow::Owned(text) => Cow::Owned(super::veil::drawn(&text).into_owned()),
    }
}

fn clean(text: &str, keep_line_feeds: bool) -> Cow<'_, str> {
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut marks = 0;
    let mut needs_work = false;
    for c in text.chars() {
        marks = if is_combining_mark(c) { marks + 1 } else { 0 };
        if (is_hostile(c) && !(keep_line_feeds && c == '\n')) || marks > MOST_MARKS {
            needs_work = true;
            break;
        }
    }
    if !needs_work {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut marks = 0;
    let mut after_return = false;
    for c in text.chars() {
        marks = if is_combining_mark(c) { marks + 1 } else { 0 };
        match c {
            '\n' if keep_line_feeds => {
                if !after_return {
                    out.push('\n');
                }
            }
            '\r' if keep_line_feeds => out.push('\n'),
            '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push(' '),
            _ if is_hostile(c) => out.push('·'),
            _ if marks > MOST_MARKS => {}
            _ => out.push(c),
        }
        after_return = c == '\r';
    }
    Cow::Owned(out)
}

/// What sorts texts as people do: without case or accents, and numbers by their value (`clip 2` before `clip 10`).
#[must_use]
pub fn natural(text: &str) -> String {
    let folded = fold(text);
    if !folded.contains(|c: char| c.is_ascii_digit()) {
        return folded;
    }
    let mut key = String::with_capacity(folded.len() + 8);
    let mut rest = folded.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
        let (digits, after) = from.split_at(end);
        let value = digits.trim_start_matches('0');
        // Of two numbers the one with more digits is the larger.
        key.push_str(before);
        let _ = write!(key, "{:04}{value}", value.len());
        rest = after;
    }
    key.push_str(rest);
    key
}

/// The text as it is compared: lower case, without accents, compatibility forms resolved (`Fjäll Ⅸ` is `fjall ix`).
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ß' => folded.push_str("ss"),
            'þ' => folded.push_str("th"),
            'ς' => folded.push('σ'),
            c if is_combining_mark(c) => {}
            c => folded.push(c),
        }
    }
    folded
}

/// The folded words of a text: runs of letters and digits.
pub fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a letter belongs to a script that is written without spaces between words: Chinese, Japanese, Thai, Lao,
/// Burmese, Khmer.
fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3041}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// Whether any letter of a text belongs to such a script.
#[must_use]
pub fn has_unspaced(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(is_unspaced)
}

/// The words of a text, cut where a script with spaces meets one without; with each, whether it has none.
fn pieces(folded: &str) -> impl Iterator<Item = (&str, bool)> {
    words(folded).flat_map(|word| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let unspaced = is_unspaced(rest.chars().next()?);
            let end = rest.find(|c| is_unspaced(c) != unspaced).unwrap_or(rest.len());
            let (piece, after) = rest.split_at_checked(end)?;
            rest = after;
            Some((piece, unspaced))
        })
    })
}

/// Each two letters of a piece that follow each other.
fn pairs(piece: &str) -> impl Iterator<Item = &str> {
    let seconds = piece.char_indices().skip(1);
    piece.char_indices().zip(seconds).filter_map(|((from, _), (at, c))| piece.get(from..at + c.len_utf8()))
}

/// What a folded text is found by: its words; of scripts without spaces, where any letter may begin a word, each two
/// letters that follow each other, and the last one.
#[must_use]
pub fn found_by(folded: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    for (piece, unspaced) in pieces(folded) {
        if unspaced {
            terms.extend(pairs(piece));
            terms.extend(piece.char_indices().next_back().and_then(|(at, _)| piece.get(at..)));
        } else {
            terms.push(piece);
        }
    }
    terms
}

/// What a folded search looks for: beginnings of what texts are found by, all of which have to be there.
#[must_use]
pub fn looked_for(folded: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    for (piece, unspaced) in pieces(folded) {
        let before = terms.len();
        if unspaced {
            terms.extend(pairs(piece));
        }
        if terms.len() == before {
            terms.push(piece);
        }
    }
    terms
}

/// The byte ranges of `text` that a search for `term` matched: the beginnings of words, as the service matches them.
/// In order, not overlapping.
#[must_use]
pub fn matches(text: &str, term: &str) -> Vec<std::ops::Range<usize>> {
    let folded_term = fold(term);
    let wanted: Vec<&str> = pieces(&folded_term).map(|(piece, _)| piece).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    // Whether the letter before was of a script with spaces: then this one goes on with its word.
    let mut in_word = false;
    for (at, c) in text.char_indices() {
        if is_combining_mark(c) {
            continue;
        }
        let begins = c.is_alphanumeric() && (is_unspaced(c) || !in_word);
        in_word = c.is_alphanumeric() && !is_unspaced(c);
        if !begins || found.last().is_some_and(|last| last.end > at) {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || is_combining_mark(c))).unwrap_or(rest.len());
        if let Some(len) = rest.get(..end).and_then(|word| matched_prefix(word, &wanted)) {
            found.push(at..at + len);
        }
    }
    found
}

/// How many bytes at the beginning of `word` the longest of the wanted prefixes takes.
fn matched_prefix(word: &str, wanted: &[&str]) -> Option<usize> {
    let mut folded = String::new();
    let mut open: Vec<&str> = wanted.to_vec();
    let mut longest = None;
    for (at, c) in word.char_indices() {
        let end = at + c.len_utf8();
        folded.push_str(&fold(word.get(at..end)?));
        let still_open = open.len();
        open.retain(|want| !folded.starts_with(want));
        // A mark belongs to the letter before it, matched or not.
        if open.len() < still_open || (is_combining_mark(c) && longest == Some(at)) {
            longest = Some(end);
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_in_names_sort_by_their_value() {
        let mut names = ["clip 10", "Clip 2", "clip 1b", "clip 02", "Älg", "clip", "b", "10", "9"];
        names.sort_by_cached_key(|name| natural(name));
        assert_eq!(names, ["9", "10", "Älg", "b", "clip", "clip 1b", "Clip 2", "clip 02", "clip 10"]);
    }

    #[test]
    fn hostile_text_is_made_harmless() {
        assert_eq!(line("a\u{1b}[31mb\u{202e}c\u{200b}d"), "a·[31mb·c·d");
        assert_eq!(line("a\tb\r\nc"), "a b  c");
        assert_eq!(lines("a\r\nb\nc\td"), "a\nb\nc d");
        assert_eq!(line("👩‍👧 ok"), "👩‍👧 ok");
        assert_eq!(line("e\u{301}"), "e\u{301}");
        let zalgo = format!("z{}", "\u{301}".repeat(50));
        assert_eq!(line(&zalgo).chars().count(), 1 + MOST_MARKS);
    }

    #[test]
    fn folding_ignores_case_and_accents() {
        assert_eq!(fold("Fjällräven ØL Ⅸ Straße"), "fjallraven ol ix strasse");
        assert_eq!(words("a-b  c1,").collect::<Vec<_>>(), ["a", "b", "c1"]);
    }

    #[test]
    fn matches_are_beginnings_of_words() {
        let marked = |text: &str, term: &str| -> Vec<String> {
            matches(text, term).into_iter().map(|r| text.get(r).unwrap().to_owned()).collect()
        };
        assert_eq!(marked("Fjell wool sock", "wo so"), ["wo", "so"]);
        assert_eq!(marked("Fjäll Ullsokk", "fjall"), ["Fjäll"]);
        assert_eq!(marked("woolwool", "ool"), [] as [&str; 0]);
        assert_eq!(marked("wool", "w wool"), ["wool"]);
        assert_eq!(marked("x", ""), [] as [&str; 0]);
        assert_eq!(marked("ウールシャツ 青", "シャツ"), ["シャツ"]);
        assert_eq!(marked("Tシャツ", "シャ t"), ["T", "シャ"]);
        assert_eq!(marked("青い青", "青"), ["青", "青"]);
    }

    #[test]
    fn scripts_without_spaces_are_found_by_their_parts() {
        assert_eq!(found_by("wool sock-s"), ["wool", "sock", "s"]);
        assert_eq!(found_by("tシャツ xl"), ["t", "シャ", "ャツ", "ツ", "xl"]);
        assert_eq!(found_by("靴"), ["靴"]);
        assert_eq!(looked_for("シャツ t"), ["シャ", "ャツ", "t"]);
        assert_eq!(looked_for("靴 ผ้า"), ["靴", "ผ", "า"], "marks are no letters where a search was not folded");
        let finds = |text: &str, term: &str| {
            let (text, term) = (fold(text), fold(term));
            let by = found_by(&text);
            looked_for(&term).iter().all(|want| by.iter().any(|own| own.starts_with(want)))
        };
        for (text, term) in [
            ("ウールの靴下", "靴下"),
            ("ウールの靴下", "下"),
            ("ウールの靴下", "ウールの"),
            ("冬季羊毛袜", "羊毛"),
            ("ถุงเท้าขนแกะ", "ขนแกะ"),
            ("メリノ wool ソックス", "wool ソッ"),
        ] {
            assert!(finds(text, term), "{text} {term}");
        }
        assert!(!finds("ウールの靴下", "靴箱") && !finds("wool", "ool"));
    }

    /// What says what a file is.
    const END: &str = " film.mp4";

    /// Names as files and services have them: any characters, with those that steer terminals among them often.
    fn names() -> impl Strategy<Value = String> {
        let hostile = prop::sample::select(vec![
            "\u{1b}[2J",
            "\u{1b}]52;c;eA==\u{7}",
            "\u{9b}31m",
            "\u{90}q",
            "\r\n",
            "\t",
            "\u{202e}",
            "\u{2066}",
            "\u{200b}",
            "\u{feff}",
            "\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
            "\u{10eeee}",
            "\u{e0041}",
            "\0",
            "\u{7f}",
        ]);
        let part = prop_oneof![hostile.prop_map(str::to_owned), any::<String>(), "[a-z0-9 ._-]{1,12}"];
        prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat() + END)
    }

    proptest! {
        #[test]
        fn no_name_of_a_picture_or_a_video_steers_a_terminal(name in names()) {
            let shown = line(&name).into_owned();
            prop_assert!(!shown.chars().any(is_hostile), "{shown:?}");
            prop_assert_eq!(&*line(&shown), shown.as_str());
            prop_assert!(shown.chars().count() <= name.chars().count());
            prop_assert!(shown.ends_with(END), "what says what it is stays where it is: {shown:?}");
            let several = lines(&name).into_owned();
            prop_assert!(!several.chars().any(|c| is_hostile(c) && c != '\n'), "{several:?}");
            prop_assert_eq!(&*lines(&several), several.as_str());
            // What is harmless stays as it is.
            if !name.chars().any(is_hostile) && !name.chars().any(is_combining_mark) {
                prop_assert_eq!(shown, name);
            }
        }
    }
}
