//! A product's description as text.

use html2text::render::PlainDecorator;

use crate::domain::text;

/// Longer descriptions are cut before they are read.
const MOST_BYTES: usize = 64 * 1024;
/// Deeper nesting is not followed: the reader of HTML recurses, and the stack ends.
const MOST_DEPTH: usize = 100;
/// Wide enough that paragraphs stay whole; the pane wraps them.
const WIDE: usize = 4_000;

/// The paragraphs of a description: HTML as text where there is HTML, else the plain description. Harmless already.
#[must_use]
pub fn description_lines(html: Option<&str>, plain: Option<&str>) -> Vec<String> {
    let html = html.filter(|html| !html.trim().is_empty());
    let read = html.and_then(|html| {
        let html = cut(html);
        if depth(html) > MOST_DEPTH {
            return Some(without_tags(html));
        }
        html2text::config::with_decorator(PlainDecorator::new())
            .link_footnotes(false)
            .no_table_borders()
            .string_from_read(html.as_bytes(), WIDE)
            .ok()
    });
    let text = read.or_else(|| plain.map(|plain| cut(plain).to_owned())).unwrap_or_default();
    let mut lines: Vec<String> = Vec::new();
    for line in text::lines(&text).lines() {
        let line = line.trim_end();
        if !(line.is_empty() && lines.last().is_none_or(String::is_empty)) {
            lines.push(line.to_owned());
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MOST_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The most elements that can be open at once: void ones and those closed at once count too, so it is never too low.
fn depth(html: &str) -> usize {
    let (mut open, mut most) = (0usize, 0usize);
    let bytes = html.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'<' {
            match bytes.get(at + 1) {
                Some(b'/') => open = open.saturating_sub(1),
                Some(next) if next.is_ascii_alphabetic() && !is_void(bytes.get(at + 1..).unwrap_or_default()) => {
                    open += 1;
                }
                _ => {}
            }
            most = most.max(open);
        }
    }
    most
}

fn is_void(tag: &[u8]) -> bool {
    [b"br".as_slice(), b"img", b"hr", b"input", b"meta", b"link", b"wbr", b"col"].iter().any(|name| {
        tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && tag.get(name.len()).is_none_or(|next| !next.is_ascii_alphanumeric())
    })
}

fn without_tags(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => {
                inside = false;
                text.push(' ');
            }
            c if !inside => text.push(c),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_text() {
        let lines = description_lines(Some("<p>Warm &amp; <b>dry</b>.</p><ul><li>one<li>two</ul>"), None);
        assert_eq!(lines, ["Warm & dry.", "* one", "* two"]);
        assert_eq!(description_lines(None, Some("plain\u{1b}[2J")), ["plain·[2J"]);
        assert_eq!(description_lines(Some("  "), None), [] as [&str; 0]);
    }

    #[test]
    fn broken_and_hostile_html_is_harmless() {
        for html in [
            "<div>".repeat(50_000),
            "<table><tr><td>".repeat(10_000),
            "<p>a<p><b>unclosed".to_owned(),
            "<a href='x\u{1b}]8;;evil\u{7}'>t</a>".to_owned(),
            "<style>*{}</style><script>alert(1)</script>".to_owned(),
            format!("<p>{}</p>", "x".repeat(200_000)),
        ] {
            for line in description_lines(Some(&html), None) {
                assert!(!line.chars().any(text::is_hostile), "{line:?}");
            }
        }
    }
}
