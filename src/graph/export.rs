//! The graph as text for other tools, and as a sheet for proofreading.

use std::fmt::Write as _;

use super::dense::Dense as _;
use super::steps::{Graph, Leads, Node};
use crate::domain::text;

/// The most characters of a text that other tools are given.
const LONGEST: usize = 60;

impl Graph {
    /// The graph as a Mermaid flowchart.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let quote = |text: &str| mermaid_text(&short(text));
        let mut out = String::from("flowchart LR\n");
        for &step in self.order() {
            let Some(node) = self.node(step) else { continue };
            let title = title(&node.name, &node.overlay, &node.description);
            let products = products(node).map(|products| format!("<br>{}", quote(&products))).unwrap_or_default();
            let _ = writeln!(out, "    s{step}[\"{}{products}\"]", quote(&title));
        }
        for &step in self.order() {
            for (port, answer) in self.ports(step).iter().enumerate() {
                let text = if answer.text.trim().is_empty() { " ".to_owned() } else { quote(&answer.text) };
                let _ = match answer.leads {
                    Leads::Step(to) => writeln!(out, "    s{step} -->|\"{text}\"| s{to}"),
                    Leads::End => writeln!(out, "    s{step} -->|\"{text}\"| e{step}x{port}((end))"),
                    Leads::Dangling => {
                        writeln!(out, "    s{step} -.->|\"{text}\"| d{step}x{port}{{{{\"{}?\"}}}}", quote(&answer.next))
                    }
                };
            }
        }
        out
    }

    /// The graph in Graphviz's language.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let quote = |text: &str| short(text).replace('\\', "\\\\").replace('"', "\\\"");
        let reachable = self.reachable(self.first());
        let mut out = String::from("digraph project {\n    rankdir=LR;\n    node [shape=box, style=rounded];\n");
        for &step in self.order() {
            let Some(node) = self.node(step) else { continue };
            let title = title(&node.name, &node.overlay, &node.description);
            let style = if reachable.at(step) { "" } else { ", style=\"rounded,dashed\"" };
            let products = products(node).map(|products| format!("\\n{}", quote(&products))).unwrap_or_default();
            let _ = writeln!(out, "    s{step} [label=\"{}{products}\"{style}];", quote(&title));
        }
        for &step in self.order() {
            for (port, answer) in self.ports(step).iter().enumerate() {
                let text = quote(&answer.text);
                let _ = match answer.leads {
                    Leads::Step(to) => writeln!(out, "    s{step} -> s{to} [label=\"{text}\"];"),
                    Leads::End => writeln!(
                        out,
                        "    e{step}x{port} [shape=point];\n    s{step} -> e{step}x{port} [label=\"{text}\"];"
                    ),
                    Leads::Dangling => writeln!(
                        out,
                        "    d{step}x{port} [shape=plain, label=\"{}?\"];\n    s{step} -> d{step}x{port} [label=\"{text}\", style=dashed];",
                        quote(&answer.next)
                    ),
                };
            }
        }
        out.push_str("}\n");
        out
    }

    /// All texts in reading order, for proofreading: Markdown.
    #[must_use]
    pub fn to_markdown(&self, title: &str) -> String {
        let reachable = self.reachable(self.first());
        let mut out = format!("# {}\n", escape(title));
        for step in self.reading_order() {
            let Some(node) = self.node(step) else { continue };
            let _ = write!(out, "\n## {}", escape(&node.name));
            if !node.description.trim().is_empty() {
                let _ = write!(out, " · {}", escape(&node.description));
            }
            out.push('\n');
            if !reachable.at(step) {
                out.push_str("\n*Can't be reached.*\n");
            }
            if !node.overlay.trim().is_empty() {
                out.push('\n');
                for line in text::lines(&node.overlay).lines() {
                    let _ = writeln!(out, "> {}", escape(line));
                }
            }
            if !node.products.is_empty() {
                out.push('\n');
            }
            for name in &node.product_names {
                let _ = writeln!(out, "- ◆ {}", escape(name));
            }
            if !node.ports.is_empty() {
                out.push('\n');
            }
            for (port, answer) in node.ports.iter().enumerate() {
                let _ = write!(out, "{}. {} → ", port + 1, escape(&answer.text));
                let _ = match answer.leads {
                    Leads::Step(to) => writeln!(out, "{}", escape(self.name(to))),
                    Leads::End => writeln!(out, "end"),
                    Leads::Dangling => writeln!(out, "**nowhere** ({})", escape(&answer.next)),
                };
            }
        }
        out
    }
}

/// A text that Mermaid shows as it is, between double quotes. What would end the quotes, begin a Markdown string (a
/// backtick), a directive (`%%{`), a comment, a formula, an icon or a list is written as one of Mermaid's character codes.
fn mermaid_text(text: &str) -> String {
    // Mermaid looks for `style…:…#…;` and `classDef…:…#…;` in whole lines before it reads codes, and for `fa:…` icons.
    let colons = ["style", "classDef", "fa"].iter().any(|word| text.contains(word));
    let space = text.chars().take_while(|c| c.is_whitespace()).count();
    let digits = text.chars().skip(space).take_while(char::is_ascii_digit).count();
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.chars().enumerate() {
        let begins_list = match c {
            '-' | '+' => at == space,
            '.' | ')' => digits > 0 && at == space + digits,
            _ => false,
        };
        match c {
            '"' => out.push_str("#quot;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            '#' | '`' | '%' | '\\' | '$' | '*' | '_' | '~' => {
                let _ = write!(out, "#{};", u32::from(c));
            }
            ':' if colons => out.push_str("#58;"),
            c if begins_list => {
                let _ = write!(out, "#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// What stands on a step: its name, and what tells most about it.
fn title(name: &str, overlay: &str, description: &str) -> String {
    let about = if description.trim().is_empty() { overlay } else { description };
    if about.trim().is_empty() { name.to_owned() } else { format!("{name} · {about}") }
}

/// What a step shows, in one line; nothing where it shows nothing.
fn products(node: &Node) -> Option<String> {
    (!node.products.is_empty()).then(|| format!("◆ {}", node.products_line()))
}

/// A text as one line, cut where it gets long.
fn short(text: &str) -> String {
    let line = text::line(text);
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.into_owned(),
    }
}

/// A text as one line that Markdown leaves as it is.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text::line(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What Mermaid shows of a text between quotes, by its own rules; nothing where it would read something else in it.
    fn shown(quoted: &str) -> Option<String> {
        // Its lexer: `"` ends the string, `"` and a backtick begin a Markdown string. Its preprocessor: directives.
        if quoted.contains('"') || quoted.starts_with('`') || quoted.contains("%%") || quoted.contains("$$") {
            return None;
        }
        // `encodeEntities`: the last semicolon of such a line would go.
        for word in ["style", "classDef"] {
            let after = quoted.split_once(word).map_or("", |(_, after)| after);
            if after.split_once(':').is_some_and(|(_, rest)| rest.contains('#')) {
                return None;
            }
        }
        // Labels are Markdown: lists are refused.
        if quoted.trim_start().starts_with(['-', '+', '*']) || quoted.contains("\\n") {
            return None;
        }
        let mut out = String::new();
        let mut rest = quoted;
        while let Some((before, after)) = rest.split_once('#') {
            let (code, next) = after.split_once(';')?;
            out.push_str(before);
            out.push(match code {
                "quot" => '"',
                "lt" => '<',
                "gt" => '>',
                "amp" => '&',
                number => char::from_u32(number.parse().ok()?)?,
            });
            rest = next;
        }
        Some(out + rest)
    }

    #[test]
    fn mermaid_reads_nothing_into_a_text() {
        for text in [
            "`bold`",
            "` ",
            "%%{init: {'theme': 'dark'}}%%",
            "%% a comment",
            "say \"hi\" #1; <b>&amp;</b>",
            "Lifestyle: #1; classDef a: #fff;",
            "1. first",
            "- a list",
            "C:\\new $$x$$ fa:fa-car *a* _b_ ~~c~~",
            "end",
            "",
        ] {
            assert_eq!(shown(&mermaid_text(text)).as_deref(), Some(text), "{}", mermaid_text(text));
        }
    }

    proptest! {
        #[test]
        fn whatever_the_text_is(text in "[\\PC]{0,20}|[`%{}:;#\"&$styleclassDef.)0-9 -]{0,30}") {
            prop_assert_eq!(shown(&mermaid_text(&text)), Some(text.clone()), "{}", mermaid_text(&text));
        }
    }
}
