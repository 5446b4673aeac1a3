//! Paths in a text that was typed, pasted or dropped: terminals quote them, escape them or write them as addresses.

use std::path::PathBuf;

use url::Url;

/// The paths in a text; none where it does not look like paths.
#[must_use]
pub fn paths(text: &str) -> Vec<PathBuf> {
    let words: Vec<String> = text.lines().flat_map(words).collect();
    let paths: Vec<PathBuf> = words.iter().filter_map(|word| path(word)).collect();
    // A sentence with a slash somewhere is no list of files.
    if paths.len() == words.len() { paths } else { Vec::new() }
}

fn path(word: &str) -> Option<PathBuf> {
    if let Some(address) = word.strip_prefix("file://") {
        // Some put the machine's name before the path.
        let path = address.find('/').and_then(|at| address.get(at..))?;
        return Url::parse(&format!("file://{path}")).ok()?.to_file_path().ok();
    }
    let begins = ["/", "~/", "./", "../"].iter().any(|begin| word.starts_with(begin));
    begins.then(|| PathBuf::from(word))
}

/// The words of a line, as a shell would take it apart; a path alone may have bare spaces.
fn words(line: &str) -> Vec<String> {
    let line = line.trim();
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut begun = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') if !begun || word.is_empty() => (quote, begun) = (Some(c), true),
            (None | Some('"'), '\\') => {
                word.extend(chars.next());
                begun = true;
            }
            (None, c) if c.is_whitespace() => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (_, c) => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    let is_one = words.len() > 1 && words.iter().skip(1).all(|word| path(word).is_none());
    if is_one { vec![line.to_owned()] } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_however_a_terminal_writes_them() {
        let found =
            |text: &str| paths(text).into_iter().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>();
        assert_eq!(found("/a/b.mp4"), ["/a/b.mp4"]);
        assert_eq!(found("'/a/b c.mp4' \"/d e.mp4\"\n"), ["/a/b c.mp4", "/d e.mp4"]);
        assert_eq!(found("/a/b\\ c.mp4 /d"), ["/a/b c.mp4", "/d"]);
        assert_eq!(found("/a/it's here.mp4"), ["/a/it's here.mp4"]);
        assert_eq!(found("/a/b c d.mp4"), ["/a/b c d.mp4"]);
        assert_eq!(found("file:///a/b%20c.mp4\r\nfile://host/d.mp4"), ["/a/b c.mp4", "/d.mp4"]);
        assert_eq!(found("~/films/x.mov"), ["~/films/x.mov"]);
        for no_path in ["", "winter sale", "and/or", "https://x.example/a.mp4", "'", "\\"] {
            assert_eq!(found(no_path), [] as [&str; 0], "{no_path}");
        }
    }
}
