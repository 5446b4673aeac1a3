//! Draws a graph as text, for tests and for people to look at.

use std::collections::HashMap;

use unicode_width::UnicodeWidthChar as _;

use crate::graph::{Graph, Layout, Leads, Mask, Rect, Routes, glyph};

struct Canvas {
    cells: HashMap<(i32, i32), char>,
}

impl Canvas {
    fn text(&mut self, mut x: i32, y: i32, width: i32, text: &str) {
        let end = x + width;
        for c in text.chars() {
            let wide = i32::try_from(c.width().unwrap_or(1)).unwrap();
            if x + wide > end {
                break;
            }
            self.cells.insert((x, y), c);
            x += wide;
        }
    }
}

/// The whole of it.
pub fn paint(graph: &Graph, layout: &Layout, routes: &Routes) -> String {
    let bounds = layout.bounds();
    let area = Rect { x: bounds.x, y: bounds.y - 2, width: bounds.width + 16, height: bounds.height + 4 };
    let mut canvas = Canvas { cells: HashMap::new() };
    let mut masks: HashMap<(i32, i32), (Mask, bool)> = HashMap::new();
    for cell in routes.visible(area) {
        let known = masks.entry((cell.x, cell.y)).or_default();
        *known = (known.0 | cell.mask, known.1 || cell.entry);
    }
    for (at, (mask, entry)) in masks {
        canvas.cells.insert(at, if entry { '▸' } else { glyph(mask) });
    }
    for stub in routes.stubs(area) {
        let text = format!(" {} {}", stub.kind.sign(), stub.label(graph));
        canvas.text(stub.x, stub.y, stub.width, &text);
    }
    for step in layout.visible(area) {
        let (card, node) = (layout.card(step).unwrap(), graph.node(step).unwrap());
        let Rect { x, y, width, height } = card.area;
        let inner = usize::try_from(width - 2).unwrap();
        let title = if node.description.is_empty() {
            format!(" {} ", node.name)
        } else {
            format!(" {} ─ {} ", node.name, node.description)
        };
        canvas.text(x, y, width, &format!("╭{}╮", "─".repeat(inner)));
        canvas.text(x + 1, y, width - 3, &title);
        for row in 1..height - 1 {
            canvas.text(x, y + row, width, &format!("│{}│", " ".repeat(inner)));
        }
        canvas.text(x, y + height - 1, width, &format!("╰{}╯", "─".repeat(inner)));
        let video = node.video.as_ref().map_or("no video", |video| video.as_str());
        canvas.text(x + 2, y + 1, width - 4, &format!("▶ {video}"));
        if node.has_overlay() {
            canvas.text(x + 2, y + 2, width - 4, &format!("\"{}\"", node.overlay));
        }
        for (port, answer) in node.ports.iter().enumerate() {
            let (px, py) = card.port(port);
            canvas.text(x + 2, py, width - 5, &format!("{} {}", port + 1, answer.text));
            let sign = if matches!(answer.leads, Leads::Step(_)) { '●' } else { '○' };
            canvas.cells.insert((px, py), sign);
        }
    }
    let mut out = String::new();
    for y in area.y..area.bottom() {
        let mut line = String::new();
        let mut skip = 0;
        for x in area.x..area.right() {
            let c = canvas.cells.get(&(x, y)).copied();
            if skip == 0 || c.is_some() {
                line.push(c.unwrap_or(' '));
                skip = c.map_or(0, |c| c.width().unwrap_or(1).saturating_sub(1));
            } else {
                skip -= 1;
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.trim_matches('\n').to_owned()
}
