//! The command line that a client sends: one text, which its own shell has put together.

/// The words of a line, as a shell takes it apart: by spaces, with quotes and backslashes. Nothing in it is expanded.
///
/// # Errors
/// Where a quote is not closed, in words for people.
pub(super) fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err("a quote (') is not closed".to_owned()),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                            Some(c) => word.extend(['\\', c]),
                            None => return Err("a quote (\") is not closed".to_owned()),
                        },
                        Some(c) => word.push(c),
                        None => return Err("a quote (\") is not closed".to_owned()),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_line_is_taken_apart_as_shells_do() {
        for (line, expected) in [
            ("", &[][..]),
            ("products count --json", &["products", "count", "--json"][..]),
            ("products search 'wool hat' \"--name\" a\\ b", &["products", "search", "wool hat", "--name", "a b"][..]),
            ("x '' \"a\\\"b\\n\" it\\'s", &["x", "", "a\"b\\n", "it's"][..]),
            ("a; rm -rf $HOME `id` | cat > /x", &["a;", "rm", "-rf", "$HOME", "`id`", "|", "cat", ">", "/x"][..]),
        ] {
            assert_eq!(words(line).unwrap(), expected, "{line}");
        }
        assert!(words("a 'b").is_err() && words("a \"b\\").is_err());
    }
}
