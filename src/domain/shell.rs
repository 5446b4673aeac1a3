//! Words for a shell: what `sh` takes for one argument, whatever stands in it.

use std::fmt::Write as _;

use super::text::is_hostile;

/// A text as one word of a command line, in quotes. What a terminal or an eye could be deceived by does not stand in it as
/// it is: it is made by `printf`, so that a line that was copied is the line that was seen.
///
/// The byte 0 can't be given to a program at all; it is left out.
///
/// ```
/// use cutaway::domain::shell::quoted;
///
/// assert_eq!(quoted("it's"), r"'it'\''s'");
/// assert_eq!(quoted(""), "''");
/// assert_eq!(quoted("a\u{1b}[31m"), r#"'a'"$(printf '\033')"'[31m'"#);
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    #[derive(PartialEq)]
    enum Within {
        Nothing,
        Quotes,
        Printf,
    }
    let mut word = String::with_capacity(text.len() + 2);
    let mut within = Within::Nothing;
    for c in text.chars().filter(|c| *c != '\0') {
        // A line feed stays: `$(…)` would lose one at its end.
        let now = match c {
            '\n' => Within::Quotes,
            '\'' => Within::Nothing,
            c if is_hostile(c) => Within::Printf,
            _ => Within::Quotes,
        };
        if now != within {
            word.push_str(match within {
                Within::Nothing => "",
                Within::Quotes => "'",
                Within::Printf => "')\"",
            });
            word.push_str(match now {
                Within::Nothing => "",
                Within::Quotes => "'",
                Within::Printf => "\"$(printf '",
            });
            within = now;
        }
        match within {
            Within::Nothing => word.push_str(r"\'"),
            Within::Quotes => word.push(c),
            Within::Printf => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(word, "\\{byte:03o}");
                }
            }
        }
    }
    word.push_str(match within {
        Within::Nothing => "",
        Within::Quotes => "'",
        Within::Printf => "')\"",
    });
    if word.is_empty() { "''".to_owned() } else { word }
}

/// The same, without quotes where none are needed.
///
/// ```
/// use cutaway::domain::shell::word;
///
/// assert_eq!(word("--limit"), "--limit");
/// assert_eq!(word("a b"), "'a b'");
/// ```
#[must_use]
pub fn word(text: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | ',' | '@' | '%' | '+' | '=');
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { quoted(text) }
}
