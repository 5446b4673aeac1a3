//! A product's description as text.

use html5gum::{DefaultEmitter, Token, Tokenizer};

use crate::domain::text;

/// Longer descriptions are cut before they are read.
const MOST_BYTES: usize = 64 * 1024;
/// Lists and quotations that are nested deeper are not indented further.
const MOST_INDENT: usize = 8;

/// The paragraphs of a description: HTML as text where there is HTML, else the plain description. Harmless already.
#[must_use]
pub fn description_lines(html: Option<&str>, plain: Option<&str>) -> Vec<String> {
    let html = html.filter(|html| !html.trim().is_empty());
    let read = html.map(|html| shown(cut(html)));
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

/// HTML as text. It is read piece by piece, as browsers split it, so that nothing grows with how deep it is nested.
fn shown(html: &str) -> String {
    let mut emitter = DefaultEmitter::<()>::default();
    emitter.naively_switch_states(true);
    let mut writer = Writer::default();
    for token in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Ok(Token::StartTag(tag)) => {
                let alt = tag.attributes.get(b"alt".as_slice()).map(|alt| String::from_utf8_lossy(alt));
                writer.begin(&String::from_utf8_lossy(&tag.name), alt.as_deref());
            }
            Ok(Token::EndTag(tag)) => writer.end(&String::from_utf8_lossy(&tag.name)),
            Ok(Token::String(text)) => writer.say(&String::from_utf8_lossy(&text)),
            Ok(Token::Comment(_) | Token::Doctype(_) | Token::Error(_)) | Err(_) => {}
        }
    }
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    /// How many lines end before the next word.
    breaks: usize,
    /// Whether a space is to come before the next word.
    space: bool,
    /// What the next line begins with.
    mark: String,
    /// The lists that are open: the number of the next item where they are numbered.
    lists: Vec<Option<u32>>,
    quotes: usize,
    /// How many elements are open whose spaces and lines stay.
    kept: usize,
    /// The element that is open and not shown.
    hidden: Option<String>,
}

impl Writer {
    fn begin(&mut self, name: &str, alt: Option<&str>) {
        if self.hidden.is_some() {
            return;
        }
        match name {
            "script" | "style" | "template" | "title" | "noscript" | "iframe" => self.hidden = Some(name.to_owned()),
            "p" | "hr" => self.break_to(2),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.break_to(2);
                let level = name.as_bytes().last().map_or(1, |digit| usize::from(digit - b'0'));
                self.mark = format!("{} ", "#".repeat(level));
            }
            "blockquote" => {
                self.break_to(2);
                self.quotes += 1;
            }
            "pre" => {
                self.break_to(2);
                self.kept += 1;
            }
            "ul" => self.open_list(None),
            "ol" => self.open_list(Some(1)),
            "li" => {
                self.break_to(1);
                self.mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "* ".to_owned(),
                };
            }
            "dd" => {
                self.break_to(1);
                "  ".clone_into(&mut self.mark);
            }
            "td" | "th" => self.cell(),
            "br" => {
                self.breaks = (self.breaks + 1).min(2);
                self.space = false;
            }
            "img" => {
                if let Some(alt) = alt.filter(|alt| !alt.trim().is_empty()) {
                    self.say(&format!("[{}]", alt.trim()));
                }
            }
            name if is_block(name) => self.break_to(1),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        if let Some(hidden) = &self.hidden {
            if hidden == name {
                self.hidden = None;
            }
            return;
        }
        match name {
            "p" => self.break_to(1),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.break_to(2);
                self.mark.clear();
            }
            "blockquote" => {
                self.break_to(2);
                self.quotes = self.quotes.saturating_sub(1);
            }
            "pre" => {
                self.break_to(2);
                self.kept = self.kept.saturating_sub(1);
            }
            "ul" | "ol" => {
                self.break_to(1);
                self.lists.pop();
                self.mark.clear();
            }
            name if is_block(name) => self.break_to(1),
            _ => {}
        }
    }

    fn say(&mut self, said: &str) {
        if self.hidden.is_some() {
            return;
        }
        if self.kept > 0 {
            for (at, line) in said.split('\n').enumerate() {
                self.breaks = self.breaks.max(usize::from(at > 0));
                if !line.trim().is_empty() {
                    self.word(line.trim_end());
                }
            }
            return;
        }
        self.space |= said.starts_with(|c: char| c.is_ascii_whitespace());
        for word in said.split_ascii_whitespace() {
            self.word(word);
            self.space = true;
        }
        self.space = said.ends_with(|c: char| c.is_ascii_whitespace()) && (self.space || !said.trim().is_empty());
    }

    /// One word, or a piece of one, at the beginning of a line or behind what is there.
    fn word(&mut self, word: &str) {
        if self.breaks > 0 || self.text.is_empty() {
            if !self.text.is_empty() {
                self.text.extend(std::iter::repeat_n('\n', self.breaks));
            }
            self.text.extend(std::iter::repeat_n("> ", self.quotes.min(MOST_INDENT)));
            self.text.extend(std::iter::repeat_n("  ", self.lists.len().saturating_sub(1).min(MOST_INDENT)));
            self.text.push_str(&std::mem::take(&mut self.mark));
        } else if self.space {
            self.text.push(' ');
        }
        (self.breaks, self.space) = (0, false);
        self.text.push_str(word);
    }

    /// At least so many lines end here.
    fn break_to(&mut self, lines: usize) {
        (self.breaks, self.space) = (self.breaks.max(lines), false);
    }

    fn open_list(&mut self, first: Option<u32>) {
        self.break_to(1);
        self.lists.push(first);
    }

    /// The next cell of a row, two spaces behind the one before.
    fn cell(&mut self) {
        if self.breaks == 0 && !self.text.is_empty() {
            self.text.push(' ');
            self.space = true;
        }
    }
}

/// Elements that have lines of their own.
fn is_block(name: &str) -> bool {
    const BLOCKS: [&str; 24] = [
        "address",
        "article",
        "aside",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "li",
        "main",
        "nav",
        "section",
        "summary",
        "table",
        "tr",
    ];
    BLOCKS.contains(&name)
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
    fn the_structure_of_html_is_kept() {
        let read = |html: &str| description_lines(Some(html), None).join("\n");
        assert_eq!(
            read("<h2>Care</h2><p>Wash\n  <i>cold</i>,\tdry<br>flat.</p><p>Two</p>"),
            "## Care\n\nWash cold, dry\nflat.\n\nTwo"
        );
        assert_eq!(read("<ol><li>a<li>b<ul><li>c</ul></ol>end"), "1. a\n2. b\n  * c\nend");
        let table = "<table><tr><th>Size<th>Chest<tr><td>S</td><td> 90&nbsp;cm</td></tr></table>";
        assert_eq!(read(table), "Size  Chest\nS  90\u{a0}cm");
        assert_eq!(read("a<script>if (1<2) b()</script><style>p{}</style><!-- no -->c"), "ac");
        assert_eq!(read("<pre>one\n  two</pre><blockquote>said</blockquote>"), "one\n  two\n\n> said");
        assert_eq!(
            read("Bj&oslash;rk &lt;b&gt; &#x1f600; 5 < 6 &unknown; <b>x</b>y"),
            "Bjørk <b> 😀 5 < 6 &unknown; xy"
        );
        assert_eq!(
            read("<a href='https://x.example'>here</a> <img src=a.png alt=' A cup '><img src=b.png>"),
            "here [A cup]"
        );
        assert_eq!(read("<div>a<div>b</div>c</div><dl><dt>Fit<dd>slim</dl>"), "a\nb\nc\nFit\n  slim");
    }

    #[test]
    fn broken_and_hostile_html_is_harmless() {
        for html in [
            "<div>".repeat(50_000),
            "<table><tr><td>".repeat(10_000),
            "<ul><li>x".repeat(10_000),
            "<blockquote>x".repeat(10_000),
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
