//! Text from elsewhere: what of it may be shown, and how it is compared.

use std::borrow::Cow;

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
    clean(text, false)
}

/// The same for text of several lines: line feeds stay, a tab becomes a space.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    clean(text, true)
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

/// The byte ranges of `text` that a search for `term` matched: the beginnings of words, as the service matches them.
/// In order, not overlapping.
#[must_use]
pub fn matches(text: &str, term: &str) -> Vec<std::ops::Range<usize>> {
    let folded_term = fold(term);
    let wanted: Vec<&str> = words(&folded_term).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut word_start = None;
    let ends = text.char_indices().map(Some).chain([None]);
    for step in ends {
        let inside = step.is_some_and(|(_, c)| c.is_alphanumeric() || is_combining_mark(c));
        match (word_start, step) {
            (None, Some((at, _))) if inside => word_start = Some(at),
            (Some(start), step) if !inside => {
                let end = step.map_or(text.len(), |(at, _)| at);
                if let Some(len) = text.get(start..end).and_then(|word| matched_prefix(word, &wanted)) {
                    found.push(start..start + len);
                }
                word_start = None;
            }
            _ => {}
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
    use super::*;

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
    }
}
