//! The lines between cards: dim, but for those of the selected card and the one that is about to be wired.

use std::collections::HashMap;

use ratatui::style::{Modifier, Style};

use super::pen::Pen;
use super::{Canvas, Heat};
use crate::graph::{Cell, Edge, Leads, Level, Mask, Rect, StubKind, glyph, glyph_ascii, glyph_heavy};
use crate::studio::widgets::{Ink, Role};

/// More answers of one step are not told apart by colour.
const MOST_LINES: usize = 64;

/// What is seen of lines in one cell.
#[derive(Clone, Copy, Default)]
struct Seen {
    mask: Mask,
    /// Where the line leads that was seen first.
    to: Option<usize>,
    entry: bool,
    style: Option<Style>,
    /// Whether many viewers go along it.
    wide: bool,
}

/// The cells of a window.
struct Grid {
    window: Rect,
    cells: Vec<Seen>,
}

impl Grid {
    fn at(&mut self, x: i32, y: i32) -> Option<&mut Seen> {
        if !self.window.holds(x, y) {
            return None;
        }
        let (right, down) = (x - self.window.x, y - self.window.y);
        self.cells.get_mut(usize::try_from(down * self.window.width + right).ok()?)
    }

    /// Draws what is seen.
    fn draw(&self, pen: &mut Pen) {
        let dim = pen.ink.style(Role::Dim);
        let mut at = (self.window.x, self.window.y);
        for seen in &self.cells {
            if !seen.mask.is_empty() {
                let style = seen.style.unwrap_or(dim);
                let mask = seen.mask;
                // Without colors the lines of what is selected are told by their form.
                let heavy = seen.wide || (seen.style.is_some() && !pen.ink.is_colored());
                let line = if heavy { glyph_heavy(mask) } else { glyph(mask) };
                let (sign, ascii) = if seen.entry { ('▸', '>') } else { (line, glyph_ascii(mask)) };
                pen.either(at.0, at.1, sign, ascii, style);
            }
            at.0 += 1;
            if at.0 == self.window.right() {
                at = (self.window.x, at.1 + 1);
            }
        }
    }

    /// Lays a line over what is there: it crosses lines that lead elsewhere, but does not join them.
    fn over(&mut self, to: usize, line: &[Cell], style: Style) {
        let mut own: HashMap<(i32, i32), (Mask, bool)> = HashMap::new();
        for cell in line.iter().filter(|cell| self.window.holds(cell.x, cell.y)) {
            let known = own.entry((cell.x, cell.y)).or_default();
            *known = (known.0 | cell.mask, known.1 || cell.entry);
        }
        for ((x, y), (mask, entry)) in own {
            if let Some(seen) = self.at(x, y) {
                let all = seen.mask | mask;
                let crosses = is_straight(mask) && is_straight(seen.mask);
                let joins = seen.to == Some(to);
                let entry = entry || (joins && seen.entry);
                *seen = Seen {
                    mask: if crosses || joins { all } else { mask },
                    to: seen.to,
                    entry,
                    style: Some(style),
                    wide: seen.wide,
                };
            }
        }
    }
}

fn is_straight(mask: Mask) -> bool {
    mask == (Mask::N | Mask::S) || mask == (Mask::E | Mask::W)
}

/// The style of an answer's line where its card is selected.
pub(super) fn bright(ink: Ink, port: usize) -> Style {
    let theme = ink.theme;
    // None of them is what a warning is shown in.
    let styles = [theme.accent, theme.ok, theme.text, theme.live, theme.dim];
    let style = styles.get(port % styles.len()).copied().unwrap_or(theme.accent);
    // The lines of a theme without colours are told by their weight.
    Style { add_modifier: Modifier::BOLD, ..style }
}

impl Canvas<'_> {
    pub(super) fn draw_lines(&self, pen: &mut Pen, window: Rect) {
        let (layout, routes) = (self.chart.layout(), self.chart.routes());
        let size = usize::try_from(window.width.saturating_mul(window.height)).unwrap_or(0);
        let mut grid = Grid { window, cells: vec![Seen::default(); size] };
        let coming = Style { add_modifier: Modifier::BOLD, ..pen.ink.style(Role::Text) };
        let selected = self.selected.map(|selected| selected.step);
        for cell in routes.visible(window) {
            if let Some(seen) = grid.at(cell.x, cell.y) {
                seen.mask = seen.mask | cell.mask;
                seen.to.get_or_insert(cell.to);
                seen.entry |= cell.entry;
                if Some(cell.to) == selected {
                    seen.style = Some(coming);
                }
            }
        }
        self.widen(&mut grid);
        if let Some(step) = selected {
            let last = self.selected.and_then(|selected| selected.port);
            let edges = self.graph.outgoing(step).take(MOST_LINES).filter(|edge| Some(edge.port) != last);
            for edge in edges {
                for cell in routes.line(layout, edge) {
                    if let Some(seen) = grid.at(cell.x, cell.y) {
                        seen.style = Some(bright(pen.ink, edge.port));
                    }
                }
            }
            if let Some(edge) = self.graph.outgoing(step).find(|edge| Some(edge.port) == last) {
                let style = bright(pen.ink, edge.port);
                if routes.is_line(layout, edge) {
                    for cell in routes.line(layout, edge) {
                        if let Some(seen) = grid.at(cell.x, cell.y) {
                            seen.style = Some(style);
                        }
                    }
                } else {
                    grid.over(edge.to, &layout.detour(edge), style);
                }
            }
        }
        if let Some(wire) = self.wire {
            grid.over(wire.to, &self.wired(wire), Style { add_modifier: Modifier::BOLD, ..pen.ink.theme.live });
        }
        grid.draw(pen);
    }

    /// Makes the lines wide of answers that many viewers choose, of the steps that are seen.
    fn widen(&self, grid: &mut Grid) {
        if self.marks.heat.is_empty() || self.chart.level() == Level::Dot {
            return;
        }
        let (layout, routes) = (self.chart.layout(), self.chart.routes());
        for step in layout.visible(grid.window) {
            let is_wide = |edge: &Edge| self.marks.share(step, edge.port).is_some_and(|share| share.heat >= Heat::High);
            for edge in self.graph.outgoing(step).take(MOST_LINES).filter(is_wide) {
                for cell in routes.line(layout, edge) {
                    if let Some(seen) = grid.at(cell.x, cell.y) {
                        seen.wide = true;
                    }
                }
            }
        }
    }

    /// The way of an answer that is about to be wired: its line, where it leads there already.
    fn wired(&self, wire: Edge) -> Vec<Cell> {
        let (layout, routes) = (self.chart.layout(), self.chart.routes());
        let leads = self.graph.ports(wire.from).get(wire.port).map(|port| port.leads);
        if leads == Some(Leads::Step(wire.to)) { routes.whole(layout, wire) } else { layout.detour(wire) }
    }

    pub(super) fn draw_stubs(&self, pen: &mut Pen, window: Rect) {
        let chosen = |step: usize| self.selected.is_some_and(|selected| selected.step == step);
        for stub in self.chart.routes().stubs(window) {
            let style = match stub.kind {
                StubKind::Dangling => pen.ink.style(Role::Error),
                _ if chosen(stub.from) => bright(pen.ink, stub.port),
                _ => pen.ink.style(Role::Dim),
            };
            // Where the whole route is shown, its first cells are the route's.
            let whole = self.selected.is_some_and(|selected| {
                selected.step == stub.from && selected.port == Some(stub.port) && stub.to.is_some()
            });
            let wired = self.wire.is_some_and(|wire| (wire.from, wire.port) == (stub.from, stub.port));
            if wired || (whole && self.chart.level() != Level::Card) {
                continue;
            }
            let x = stub.x + i32::from(self.chart.level() != Level::Dot && !whole);
            pen.either(x, stub.y, stub.kind.sign(), stub.kind.sign_ascii(), style);
            if self.chart.level() == Level::Card {
                let room = stub.width - (x - stub.x) - 2;
                pen.text(x + 2, stub.y, room, stub.label(self.graph), style);
            }
        }
    }
}
