//! The graph as a picture for pages: SVG that needs nothing from elsewhere, light or dark as the page is.

use std::collections::HashMap;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

use super::dense::index;
use super::glyph::Mask;
use super::layout::{Card, Layout};
use super::route::Routes;
use super::steps::{Edge, Graph, Leads, Node};
use crate::domain::text;

/// A cell's width and height, in pixels.
const CELL: (i32, i32) = (8, 18);

/// Pixels around everything.
const MARGIN: i32 = 24;

/// How far corners of lines are rounded, in pixels.
const ROUND: i32 = 6;

const STYLE: &str = "
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #24292f; }
.card rect { fill: #ffffff; stroke: #8c959f; }
.card .name { font-weight: 600; }
.card .about, .card .video, .stub, .number { fill: #656d76; }
.card .none, .stub.lost { fill: #b35900; }
.card.lost rect { stroke-dasharray: 4 3; }
.line { fill: none; stroke: #6e7781; stroke-width: 1.4; marker-end: url(#head); }
.back { stroke: #8250df; }
.port { fill: #6e7781; }
.port.end { fill: #ffffff; stroke: #6e7781; }
marker path { fill: #6e7781; }
.page { fill: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .card rect { fill: #161b22; stroke: #57606a; }
  .card .about, .card .video, .stub, .number { fill: #8d96a0; }
  .card .none, .stub.lost { fill: #e3a15a; }
  .line { stroke: #8d96a0; }
  .back { stroke: #bc8cff; }
  .port, marker path { fill: #8d96a0; }
  .port.end { fill: #161b22; stroke: #8d96a0; }
  .page { fill: #0d1117; }
}
";

impl Graph {
    /// The graph as an SVG picture.
    #[must_use]
    pub fn to_svg(&self, title: &str) -> String {
        let layout = Layout::new(self);
        let routes = Routes::new(self, &layout);
        let all = layout.outline();
        let (x, y) = (all.x * CELL.0 - MARGIN, all.y * CELL.1 - MARGIN);
        let (width, height) = (all.width * CELL.0 + 2 * MARGIN, all.height * CELL.1 + 2 * MARGIN);
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{x} {y} {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n<defs><marker id=\"head\" \
             viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
             <path d=\"M0 0L8 4L0 8Z\"/></marker></defs>\n\
             <rect class=\"page\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>\n",
            escape(title)
        );
        for edge in self.edges().filter(|edge| routes.is_line(&layout, *edge)) {
            let back =
                layout.card(edge.to).zip(layout.card(edge.from)).is_some_and(|(to, from)| to.layer <= from.layer);
            let class = if back { "line back" } else { "line" };
            let _ = writeln!(out, "<path class=\"{class}\" d=\"{}\"/>", path(&corners(&layout, &routes, edge)));
        }
        for stub in routes.stubs(all) {
            let (x, y) = (stub.x * CELL.0 + CELL.0, baseline(stub.y));
            let class = if stub.to.is_none() { "stub lost" } else { "stub" };
            let label = fitted(stub.label(self), stub.width - 3);
            let _ = writeln!(
                out,
                "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{} {}</text>",
                stub.kind.sign(),
                escape(&label)
            );
        }
        for (step, node) in self.nodes().iter().enumerate() {
            if let Some(card) = layout.card(step) {
                draw(&mut out, node, card, routes.is_reachable(step));
            }
        }
        out.push_str("</svg>\n");
        out
    }
}

fn draw(out: &mut String, node: &Node, card: &Card, reachable: bool) {
    let area = card.area;
    let (x, y) = (area.x * CELL.0, area.y * CELL.1 + CELL.1 / 4);
    let (width, height) = (area.width * CELL.0, area.height * CELL.1 - CELL.1 / 2);
    let class = if reachable { "card" } else { "card lost" };
    let _ =
        write!(out, "<g class=\"{class}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>");
    let left = x + CELL.0 * 3 / 2;
    let room = area.width - 4;
    let name = fitted(&node.name, room);
    let taken = columns(&name) + 2;
    let mut line = |class: &str, at: (i32, i32), text: &str| {
        if !text.is_empty() {
            let (x, y) = at;
            let _ = write!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escape(text));
        }
    };
    // The first row holds the border on a screen; here the name stands in it.
    line("name", (left, baseline(area.y) + 6), &name);
    line("about", (left + taken * CELL.0, baseline(area.y) + 6), &fitted(&node.description, room - taken));
    let video = (left, baseline(area.y + 1) + 3);
    match &node.video {
        Some(id) => line("video", video, &format!("▶ {}", fitted(id.as_str(), room - 2))),
        None => line("none", video, "▶ no video"),
    }
    if node.has_overlay() {
        line("overlay", (left, baseline(area.y + 2)), &format!("“{}”", fitted(&node.overlay, room - 2)));
    }
    if !node.products.is_empty() {
        let row = area.y + 2 + i32::from(node.has_overlay());
        line("about", (left, baseline(row)), &format!("◆ {}", fitted(&node.products_line(), room - 2)));
    }
    for (port, answer) in node.ports.iter().enumerate() {
        let (_, row) = card.port(port);
        line("number", (left, baseline(row)), &format!("{}", port + 1));
        line("answer", (left + CELL.0 * 3, baseline(row)), &fitted(&answer.text, room - 3));
    }
    for (port, answer) in node.ports.iter().enumerate() {
        let (_, row) = card.port(port);
        let class = if matches!(answer.leads, Leads::Step(_)) { "port" } else { "port end" };
        let _ = write!(out, "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"3.5\"/>", x + width, middle(row));
    }
    out.push_str("</g>\n");
}

/// The row of pixels in the middle of a row of cells.
fn middle(row: i32) -> i32 {
    row * CELL.1 + CELL.1 / 2
}

/// The row of pixels that a text stands on.
fn baseline(row: i32) -> i32 {
    middle(row) + 5
}

/// Where a line turns, from its port to its card, in pixels.
fn corners(layout: &Layout, routes: &Routes, edge: Edge) -> Vec<(i32, i32)> {
    let (Some(from), Some(to)) = (layout.card(edge.from), layout.card(edge.to)) else { return Vec::new() };
    let mut masks: HashMap<(i32, i32), Mask> = HashMap::new();
    for cell in routes.line(layout, edge) {
        let mask = masks.entry((cell.x, cell.y)).or_default();
        *mask = *mask | cell.mask;
    }
    let pixel = |(x, y): (i32, i32)| (x * CELL.0 + CELL.0 / 2, middle(y));
    let (begin, goal) = (from.port(edge.port), to.entry());
    let mut points = vec![(from.area.right() * CELL.0, middle(begin.1))];
    let (mut at, mut heading) = (begin, Mask::E);
    for _ in 0..=masks.len() {
        let (x, y) = at;
        at = match heading {
            Mask::E => (x + 1, y),
            Mask::W => (x - 1, y),
            Mask::N => (x, y - 1),
            _ => (x, y + 1),
        };
        let Some(mask) = masks.get(&at).copied().filter(|_| at != goal) else { break };
        if !mask.holds(heading) {
            points.push(pixel(at));
            let turns = if heading == Mask::E || heading == Mask::W { [Mask::N, Mask::S] } else { [Mask::E, Mask::W] };
            heading = turns.into_iter().find(|side| mask.holds(*side)).unwrap_or(heading);
        }
    }
    points.push((goal.0 * CELL.0, middle(goal.1)));
    points
}

/// A line through points, its corners rounded.
fn path(points: &[(i32, i32)]) -> String {
    let mut out = String::new();
    for (at, point) in points.iter().enumerate() {
        let (x, y) = *point;
        let neighbors = at.checked_sub(1).and_then(|before| points.get(before)).zip(points.get(at + 1));
        let _ = match neighbors {
            None if at == 0 => write!(out, "M{x} {y}"),
            None => write!(out, "L{x} {y}"),
            Some((before, after)) => {
                let ((ax, ay), (bx, by)) = (toward(*point, *before), toward(*point, *after));
                write!(out, "L{ax} {ay}Q{x} {y} {bx} {by}")
            }
        };
    }
    out
}

/// The point a little way from one to another.
fn toward(from: (i32, i32), to: (i32, i32)) -> (i32, i32) {
    let step = |from: i32, to: i32| from + (to - from).signum() * ROUND.min((to - from).abs() / 2);
    (step(from.0, to.0), step(from.1, to.1))
}

fn columns(text: &str) -> i32 {
    text.chars().map(|c| i32::try_from(c.width().unwrap_or(1)).unwrap_or(1)).sum()
}

/// A text as one harmless line of at most so many columns.
fn fitted(source: &str, room: i32) -> String {
    let begin: String = source.trim().chars().take(index(room).saturating_mul(4) + 1).collect();
    let line = text::line(&begin);
    if columns(&line) <= room {
        return line.into_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in line.chars() {
        used += i32::try_from(c.width().unwrap_or(1)).unwrap_or(1);
        if used > room {
            break;
        }
        out.push(c);
    }
    if room > 0 {
        out.push('…');
    }
    out
}

/// A text as XML has it.
fn escape(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    for c in text::line(source).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // No characters of XML.
            '\u{fffe}' | '\u{ffff}' => out.push('·'),
            c => out.push(c),
        }
    }
    out
}
