//! One step: a card, a chip or a dot.

use ratatui::style::{Modifier, Style};

use super::lines::bright;
use super::pen::Pen;
use super::{Canvas, Heat, ProductMark};
use crate::graph::{Card, Leads, Level, Node, Rect as Cells, Severity};
use crate::studio::widgets::{Role, width};

impl Canvas<'_> {
    pub(super) fn draw_step(&self, pen: &mut Pen, step: usize) {
        let Some((card, node)) = self.chart.layout().card(step).zip(self.graph.node(step)) else { return };
        pen.clear(card.area);
        match self.chart.level() {
            Level::Card => self.draw_card(pen, step, card, node),
            Level::Chip => self.draw_chip(pen, step, card, node),
            Level::Dot => self.draw_dot(pen, step, card),
        }
        self.draw_ports(pen, step, card, node);
        self.note_current(pen, step, card);
    }

    /// The cursor stands on the step that is about to be wired to, else on the selected answer or step, as far as it is seen.
    fn note_current(&self, pen: &Pen, step: usize, card: &Card) {
        let port = match (self.wire, self.selected) {
            (Some(wire), _) if wire.to == step => None,
            (None, Some(selected)) if selected.step == step => selected.port,
            _ => return,
        };
        let Cells { x, y, width, .. } = card.area;
        let (x, y) = match (port, self.chart.level()) {
            (Some(port), Level::Card) => (x + 2, card.port(port).1),
            (Some(port), Level::Chip) => card.port(port),
            (None, Level::Card) => (x + 2, y),
            _ => (x, y),
        };
        // Of a card that is cut at the left what is seen of it.
        if let Some(place) = pen.place(x.max(pen.view.x).min(card.area.x + width - 1), y) {
            pen.ink.stands(place);
        }
    }

    fn is_selected(&self, step: usize) -> bool {
        self.selected.is_some_and(|selected| selected.step == step)
    }

    /// The style of a card's border, a chip's name or a dot, where it is not the plain one.
    fn emphasis(&self, pen: &Pen, step: usize) -> Option<Style> {
        if self.wire.is_some_and(|wire| wire.to == step) {
            Some(pen.ink.theme.live)
        } else if self.is_selected(step) {
            Some(pen.ink.theme.accent)
        } else {
            None
        }
    }

    /// The style of a step's name.
    fn name_style(&self, pen: &Pen, step: usize) -> Style {
        if let Some(style) = self.emphasis(pen, step) {
            return style;
        }
        pen.ink.style(match () {
            () if self.marks.found.contains(&step) => Role::Match,
            () if self.chart.routes().is_reachable(step) => Role::Text,
            () => Role::Dim,
        })
    }

    fn draw_card(&self, pen: &mut Pen, step: usize, card: &Card, node: &Node) {
        let Cells { x, y, width, .. } = card.area;
        let plain = pen.ink.style(Role::Faint);
        let emphasis = self.emphasis(pen, step);
        let signs = match emphasis {
            Some(_) if !pen.ink.is_colored() => HEAVY,
            _ => ROUNDED,
        };
        draw_border(pen, card, emphasis.unwrap_or(plain), signs);
        // "╭ name ─ description ──× ╮"
        let fault = self.marks.faults.get(&step).copied().filter(|fault| *fault > Severity::Note);
        let room = width - 4 - if fault.is_some() { 2 } else { 0 };
        pen.sign(x + 1, y, ' ', plain);
        let mut used = pen.text(x + 2, y, room, &node.name, self.name_style(pen, step));
        if used + 4 <= room && !node.description.trim().is_empty() {
            pen.sign(x + 2 + used, y, ' ', plain);
            pen.sign(x + 4 + used, y, ' ', plain);
            used += 3;
            used += pen.text(x + 2 + used, y, room - used, node.description.trim(), pen.ink.style(Role::Dim));
        }
        pen.sign(x + 2 + used, y, ' ', plain);
        self.draw_fault(pen, step, x + width - 2, y);
        self.draw_video(pen, step, card, node);
        if !node.products.is_empty() {
            self.draw_products(pen, step, card, node);
        }
        if node.has_overlay() {
            let quotes = pen.ink.style(Role::Faint);
            pen.text(x + 2, y + 2, 1, "\"", quotes);
            let room = width - 6 - self.poster_room(step, card, node);
            let used = pen.text(x + 3, y + 2, room, node.overlay.trim(), pen.ink.style(Role::Text));
            pen.text(x + 3 + used, y + 2, 1, "\"", quotes);
        }
    }

    fn draw_video(&self, pen: &mut Pen, step: usize, card: &Card, node: &Node) {
        let (x, y, room) = (card.area.x + 2, card.area.y + 1, card.area.width - 4);
        let walked = self.marks.walked.contains(&step);
        let poster = self.poster_room(step, card, node);
        let room = room - poster - if walked { 2 } else { 0 };
        if let Some(upload) = self.marks.uploads.get(&step) {
            let style = if upload.stopped { pen.ink.style(Role::Error) } else { pen.ink.theme.live };
            pen.either(x, y, '↑', '^', style);
            pen.text(x + 2, y, room - 2, &upload.words, style);
        } else if let Some(mark) = self.marks.heat(step) {
            let style = leaving(pen, mark.heat);
            let (sign, ascii) = mark.heat.signs();
            pen.either(x, y, sign, ascii, style);
            pen.text(x + 2, y, room - 2, &mark.words, style);
        } else if let Some(video) = &node.video {
            let name = self.marks.videos.get(video).map_or(video.as_str(), String::as_str);
            pen.either(x, y, '▶', '>', pen.ink.style(Role::Dim));
            pen.text(x + 2, y, room - 2, name, pen.ink.style(Role::Dim));
        } else {
            pen.either(x, y, '▶', '>', pen.ink.style(Role::Faint));
            pen.text(x + 2, y, room - 2, "no video", pen.ink.style(Role::Warn));
        }
        if walked {
            pen.either(card.area.right() - 3 - poster, y, '✓', 'v', pen.ink.style(Role::Ok));
        }
    }

    /// The row of the products: the one that matters most, as the catalog has it.
    fn draw_products(&self, pen: &mut Pen, step: usize, card: &Card, node: &Node) {
        let (x, y) = (card.area.x + 2, card.area.y + 2 + i32::from(node.has_overlay()));
        let room = card.area.width - 6 - self.poster_room(step, card, node);
        let Some(mark) = self.marks.products.get(&step) else {
            pen.either(x, y, '◆', '*', pen.ink.style(Role::Dim));
            pen.text(x + 2, y, room, &node.products_line(), pen.ink.style(Role::Dim));
            return;
        };
        // What is wrong is said by a sign and a word, never by a color alone.
        let (sign, ascii, role) = if mark.is_wrong() { ('×', 'x', Role::Warn) } else { ('◆', '*', Role::Dim) };
        pen.either(x, y, sign, ascii, pen.ink.style(role));
        let more = if mark.more > 0 { format!("+{}", mark.more) } else { String::new() };
        let [wrong, price, more] = seen_of(mark, &more, room);
        let mut used = pen.text(x + 2, y, room, wrong, pen.ink.style(role));
        used += i32::from(used > 0);
        let right: i32 = [price, more].iter().filter(|part| !part.is_empty()).map(|part| columns(part) + 1).sum();
        used += pen.text(x + 2 + used, y, room - used - right, &mark.title, pen.ink.style(role));
        for part in [price, more].into_iter().filter(|part| !part.is_empty()) {
            used += 1 + pen.text(x + 3 + used, y, columns(part), part, pen.ink.style(role));
        }
    }

    fn draw_fault(&self, pen: &mut Pen, step: usize, x: i32, y: i32) {
        match self.marks.faults.get(&step) {
            Some(Severity::Fault) => pen.either(x, y, '×', 'x', pen.ink.style(Role::Error)),
            Some(Severity::Warning) => pen.sign(x, y, '!', pen.ink.style(Role::Warn)),
            _ => {}
        }
    }

    fn draw_chip(&self, pen: &mut Pen, step: usize, card: &Card, node: &Node) {
        let Cells { x, y, width, .. } = card.area;
        let fault = self.marks.faults.get(&step).copied().filter(|fault| *fault > Severity::Note);
        let room = width - 2 - i32::from(fault.is_some());
        let used = pen.text(x, y, room, &node.name, self.name_style(pen, step));
        if used + 3 <= room {
            pen.text(x + used + 1, y, room - used - 1, node.description.trim(), pen.ink.style(Role::Dim));
        }
        self.draw_fault(pen, step, x + width - 2, y);
        if let Some(mark) = self.marks.heat(step).filter(|_| fault.is_none()) {
            let (sign, ascii) = mark.heat.signs();
            pen.either(x + width - 2, y, sign, ascii, leaving(pen, mark.heat));
        } else if self.marks.walked.contains(&step) && fault.is_none() {
            pen.either(x + width - 2, y, '✓', 'v', pen.ink.style(Role::Ok));
        }
        if self.is_selected(step) {
            pen.tint(x, y, width - 1, pen.ink.theme.select);
        }
    }

    fn draw_dot(&self, pen: &mut Pen, step: usize, card: &Card) {
        let style = match self.marks.faults.get(&step) {
            _ if self.emphasis(pen, step).is_some() => self.name_style(pen, step),
            Some(Severity::Fault) => pen.ink.style(Role::Error),
            Some(Severity::Warning) => pen.ink.style(Role::Warn),
            _ => match self.marks.heat(step) {
                Some(mark) => leaving(pen, mark.heat),
                None if self.marks.walked.contains(&step) => pen.ink.style(Role::Ok),
                None => self.name_style(pen, step),
            },
        };
        let style = if self.is_selected(step) { style.add_modifier(Modifier::REVERSED) } else { style };
        pen.either(card.area.x, card.area.y, '●', 'o', style);
        for y in card.area.y + 1..card.area.bottom() {
            pen.either(card.area.x, y, '┃', '|', style);
        }
    }

    fn draw_ports(&self, pen: &mut Pen, step: usize, card: &Card, node: &Node) {
        let level = self.chart.level();
        let window = pen.view.window(pen.area);
        // Only the answers that are seen: there may be thousands.
        let first = usize::try_from(window.y.saturating_sub(card.area.y + card.answers)).unwrap_or(0);
        let seen = usize::try_from(window.height).unwrap_or(0);
        for (port, answer) in node.ports.iter().enumerate().skip(first).take(seen.saturating_add(1)) {
            let (x, y) = card.port(port);
            let walked = self.marks.walked_answers.contains(&(step, port));
            let chosen = self.is_selected(step).then(|| bright(pen.ink, port));
            let fault = self.marks.answers.get(&(step, port)).copied();
            let selected = self.selected.is_some_and(|at| at.step == step && at.port == Some(port));
            let plain = pen.ink.style(if walked { Role::Ok } else { Role::Dim });
            let ends = !matches!(answer.leads, Leads::Step(_));
            if level != Level::Dot {
                let (sign, ascii) = if ends { ('○', 'o') } else { ('●', '*') };
                pen.either(x, y, sign, ascii, chosen.unwrap_or(plain));
            }
            if level != Level::Card {
                continue;
            }
            let number = format!("{}", port + 1);
            let used = pen.text(card.area.x + 2, y, card.area.width - 5, &number, chosen.unwrap_or(plain));
            let style = match fault {
                Some(Severity::Fault) => pen.ink.style(Role::Error),
                Some(Severity::Warning) => pen.ink.style(Role::Warn),
                _ if walked => pen.ink.style(Role::Ok),
                _ => pen.ink.style(Role::Text),
            };
            let (x, mut room) = (card.area.x + 3 + used, card.area.width - 6 - used);
            if let Some(share) = self.marks.share(step, port) {
                let taken = i32::from(width(&share.words)) + 2;
                if taken + 4 <= room {
                    let style = if share.heat >= Heat::High { Role::Accent } else { Role::Dim };
                    let (sign, ascii) = share.heat.signs();
                    pen.either(x + room - taken + 1, y, sign, ascii, pen.ink.style(style));
                    pen.text(x + room - taken + 2, y, taken - 2, &share.words, pen.ink.style(style));
                    room -= taken;
                }
            }
            if answer.text.trim().is_empty() {
                pen.text(x, y, room, "no text", pen.ink.style(Role::Faint));
            } else {
                pen.text(x, y, room, answer.text.trim(), style);
            }
            if selected {
                pen.tint(card.area.x + 1, y, card.area.width - 2, pen.ink.theme.select);
            }
        }
    }

    /// The letters that jump to a step, over the upper left of what is seen of it.
    pub(super) fn draw_hint(&self, pen: &mut Pen, step: usize) {
        let Some((hint, card)) = self.marks.hints.get(&step).zip(self.chart.layout().card(step)) else { return };
        let (x, y) = (card.area.x.max(pen.view.x), card.area.y.max(pen.view.y));
        let style = pen.ink.theme.matched.add_modifier(Modifier::REVERSED | Modifier::BOLD);
        pen.text(x, y, 2, hint, style);
    }
}

/// So many columns are left to a product's title before anything but what is wrong takes their place.
const TITLE: i32 = 5;

/// What of a product stands beside its title where there is so much room: what is wrong, then the price, then how many
/// more there are. The title is cut for them.
fn seen_of<'a>(mark: &'a ProductMark, more: &'a str, room: i32) -> [&'a str; 3] {
    let mut left = room - TITLE.min(columns(&mark.title));
    let mut fits = |part: &'a str, is_due: bool| {
        let taken = columns(part) + 1;
        if part.is_empty() || (taken > left && !is_due) {
            return "";
        }
        left -= taken;
        part
    };
    [fits(mark.wrong, true), fits(&mark.price, false), fits(more, false)]
}

fn columns(text: &str) -> i32 {
    i32::from(width(text))
}

/// The style of so many who leave.
fn leaving(pen: &Pen, heat: Heat) -> Style {
    match heat {
        Heat::Low => pen.ink.style(Role::Dim),
        Heat::Some => pen.ink.style(Role::Text),
        Heat::High => pen.ink.style(Role::Warn),
        Heat::Most => pen.ink.style(Role::Error),
    }
}

/// The signs of a border: its corners from the upper left one on, then across and down.
type Border = [char; 6];
const ROUNDED: Border = ['╭', '╮', '╰', '╯', '─', '│'];
/// Where no color says that a card is selected.
const HEAVY: Border = ['┏', '┓', '┗', '┛', '━', '┃'];

fn draw_border(pen: &mut Pen, card: &Card, style: Style, signs: Border) {
    let Cells { x, y, width, height } = card.area;
    let (right, bottom) = (x + width - 1, y + height - 1);
    let [upper_left, upper_right, lower_left, lower_right, across, down] = signs;
    for (row, left_corner, right_corner) in [(y, upper_left, upper_right), (bottom, lower_left, lower_right)] {
        pen.either(x, row, left_corner, '+', style);
        for at in x + 1..right {
            pen.either(at, row, across, '-', style);
        }
        pen.either(right, row, right_corner, '+', style);
    }
    for row in y + 1..bottom {
        pen.either(x, row, down, '|', style);
        pen.either(right, row, down, '|', style);
    }
}
