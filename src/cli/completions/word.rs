//! Words of a shell's command line: read as far as they are typed, and written so that a shell takes them for one word.

/// In what kind of quotes a text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Quotes {
    /// In none.
    #[default]
    None,
    /// In single ones.
    Single,
    /// In double ones.
    Double,
}

/// A word as it is typed, and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Typed {
    /// As it stands in the line.
    pub(super) raw: String,
    /// Without quotes and backslashes.
    pub(super) plain: String,
    /// The quotes that are open at its end.
    pub(super) open: Quotes,
}

/// The words of a line up to the cursor, as `sh` reads them; the last one is the word that is being typed, which may be
/// empty. Nothing is expanded.
pub(super) fn split(line: &str) -> Vec<Typed> {
    let mut words = vec![Typed::default()];
    let mut begun = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let Some(word) = words.last_mut() else { break };
        if word.open == Quotes::None && c.is_ascii_whitespace() {
            if begun {
                words.push(Typed::default());
            }
            begun = false;
            continue;
        }
        begun = true;
        word.raw.push(c);
        match (word.open, c) {
            (Quotes::None, '\'') => word.open = Quotes::Single,
            (Quotes::None, '"') => word.open = Quotes::Double,
            (Quotes::Single, '\'') | (Quotes::Double, '"') => word.open = Quotes::None,
            (Quotes::None | Quotes::Double, '\\') => {
                let Some(next) = chars.next() else { continue };
                word.raw.push(next);
                // Between double quotes a backslash is one, but before these.
                if word.open == Quotes::Double && !matches!(next, '$' | '`' | '"' | '\\') {
                    word.plain.push('\\');
                }
                word.plain.push(next);
            }
            (_, c) => word.plain.push(c),
        }
    }
    words
}

/// What a single word says that is given as it is typed.
pub(super) fn unquoted(raw: &str) -> String {
    let words = split(raw);
    match &*words {
        [one] => one.plain.clone(),
        // White space outside of quotes: it is no word of a line, so it is taken as it is.
        _ => raw.to_owned(),
    }
}

/// Whether a word needs no quotes in `sh`.
pub(super) fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | ',' | '@' | '%' | '+' | '=');
    !text.is_empty() && text.chars().all(plain)
}

/// The text in single quotes.
pub(super) fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_far_as_they_are_typed() {
        let plain = |line: &str| -> Vec<String> { split(line).into_iter().map(|word| word.plain).collect() };
        assert_eq!(plain("a  'b c' d\\ e \"f\\\"g\\h\""), ["a", "b c", "d e", "f\"g\\h"]);
        assert_eq!(plain("a "), ["a", ""]);
        assert_eq!(plain("a ''"), ["a", ""]);
        assert_eq!(plain("a 'it'\\''s"), ["a", "it's"]);
        let open = |line: &str| split(line).pop().unwrap().open;
        assert_eq!((open("a 'b"), open("a \"b"), open("a 'b'")), (Quotes::Single, Quotes::Double, Quotes::None));
        assert_eq!(split("a --tag='b").pop().unwrap().raw, "--tag='b");
        assert_eq!((unquoted("'a b"), unquoted("a b")), ("a b".to_owned(), "a b".to_owned()));
    }

    #[test]
    fn what_is_quoted_says_the_same() {
        for text in ["", "a b", "it's", "''", "$(x) `y` \\ \" ! * ~ \n"] {
            assert_eq!(unquoted(&single_quoted(text)), text);
        }
        assert!(is_plain("a-b/é:1") && !is_plain("") && !is_plain("~a") && !is_plain("a\u{a0}b") && !is_plain("a!"));
    }
}
