//! The graph as text for other tools, and as a sheet for proofreading.

use std::fmt::Write as _;

use super::dense::Dense as _;
use super::steps::{Graph, Leads};
use crate::domain::text;

/// The most characters of a text that other tools are given.
const LONGEST: usize = 60;

impl Graph {
    /// The graph as a Mermaid flowchart.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let quote = |text: &str| {
            short(text).replace('#', "#35;").replace('"', "#quot;").replace('<', "#lt;").replace('>', "#gt;")
        };
        let mut out = String::from("flowchart LR\n");
        for &step in self.order() {
            let Some(node) = self.node(step) else { continue };
            let title = title(&node.name, &node.overlay, &node.description);
            let _ = writeln!(out, "    s{step}[\"{}\"]", quote(&title));
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
            let _ = writeln!(out, "    s{step} [label=\"{}\"{style}];", quote(&title));
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

/// What stands on a step: its name, and what tells most about it.
fn title(name: &str, overlay: &str, description: &str) -> String {
    let about = if description.trim().is_empty() { overlay } else { description };
    if about.trim().is_empty() { name.to_owned() } else { format!("{name} · {about}") }
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
