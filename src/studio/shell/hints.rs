//! The last line, which belongs to whatever owns the keys; and above it what was said.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::model::Model;
use super::notices::{Notice, notice_role};
use super::overlays::{Overlay, What};
use crate::settings::Chord;
use crate::studio::ground::{Command, Hint, Layer};
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::{Ink, Role, notice_sign, piece, put_pieces, width, wipe};

/// How many lines a notice takes at most.
const MOST_LINES: usize = 2;

/// A hint where it stands in the last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Its columns.
    pub place: Range<u16>,
    /// How its keys are written.
    pub label: String,
    /// What they do.
    pub words: &'static str,
    /// The keys; a click presses the first of them, all of it where it is a chord.
    pub keys: Vec<Chord>,
}

impl Placed {
    fn of(hint: &Hint, model: &Model, layers: &[Layer]) -> Option<Self> {
        let (keymap, ascii) = (&model.shell.begin.keymap, model.shell.begin.ascii);
        let keys = hint.keys(keymap, layers);
        let (label, words) = (hint.label_of(&keys, ascii), hint.words());
        let taken = width(&label) + 1 + width(words);
        (!keys.is_empty()).then_some(Self { place: 0..taken, label, words, keys })
    }

    fn taken(&self) -> u16 {
        self.place.end - self.place.start
    }
}

/// The hints that there is room for, each where it stands.
#[must_use]
pub fn places(model: &Model) -> Vec<Placed> {
    let layers = model.layers();
    let mut hints: Vec<Placed> = model.hints().iter().filter_map(|hint| Placed::of(hint, model, &layers)).collect();
    let right = right(model);
    let end = model.shell.size.0.saturating_sub(sum(&right) + 1);
    // The way back stays whatever else there is no room for.
    let back = model.shell.begin.keymap.keys_of(Command::Back, &layers).next();
    while 1 + sum(&hints) > end && hints.len() > 1 {
        let keeps = hints.last().is_some_and(|hint| hint.keys.first() == back);
        hints.remove(hints.len() - if keeps { 2 } else { 1 });
    }
    stand(&mut hints, 1);
    hints.retain(|hint| hint.place.end < end.max(model.shell.size.0 / 2));
    let mut right = right;
    stand(&mut right, end);
    hints.extend(right);
    hints
}

/// What is at the end of the line whatever is in front: help, and the palette where no text is typed.
fn right(model: &Model) -> Vec<Placed> {
    if matches!(model.layers.last(), Some(Overlay { what: What::Help(_) | What::Following(_), .. })) {
        return Vec::new();
    }
    let layer = if model.takes_text() { Layer::Text } else { Layer::Global };
    let palette = model.layers.is_empty() && !model.is_typing();
    let commands = [Some(Command::Help), palette.then_some(Command::Palette)];
    commands.into_iter().flatten().filter_map(|command| Placed::of(&Hint::of(command), model, &[layer])).collect()
}

fn sum(hints: &[Placed]) -> u16 {
    hints.iter().map(|hint| hint.taken() + 2).sum()
}

fn stand(hints: &mut [Placed], mut x: u16) {
    for hint in hints {
        hint.place = x..x + hint.taken();
        x = hint.place.end + 2;
    }
}

/// Draws the last line.
pub(super) fn draw(model: &Model, buf: &mut Buffer, ink: Ink, area: Rect) {
    for hint in places(model) {
        let pieces = [piece(Role::Accent, hint.label.clone()), piece(Role::Dim, format!(" {}", hint.words))];
        let room = area.right().saturating_sub(hint.place.start);
        put_pieces(buf, ink, (area.x + hint.place.start, area.y), hint.taken().min(room), &pieces);
    }
}

/// Draws what was said right above the last line, whose hints stay; where pictures fill the screen, in front of them.
pub(super) fn draw_notice(model: &Model, buf: &mut Buffer, ink: Ink, hints: Rect) {
    let Some(notice) = model.shell.notices.on(model.screens.shown) else { return };
    let sign = notice_sign(notice.kind);
    let role = notice_role(notice.kind);
    if model.preview().is_some() {
        let room = hints.width.saturating_sub(4).min(hints.width / 2);
        let line = fitted(&notice.text, room, 1, ink).into_iter().next().unwrap_or_default();
        wipe(buf, ink, Rect { width: room + 4, ..hints });
        put_pieces(buf, ink, (hints.x, hints.y), room + 3, &[piece(role, format!(" {sign}{line}"))]);
        return;
    }
    let lines = lines(notice, hints.width, ink);
    let height = u16::try_from(lines.len()).unwrap_or(1);
    // It covers no more than it needs: what stands at the right end of an edge stays.
    let across = lines.iter().map(|line| width(line)).max().unwrap_or(0).saturating_add(4).min(hints.width);
    let area = Rect { y: hints.y.saturating_sub(height), height, width: across, ..hints };
    // What stands in the edge is covered as a whole: the rest of a word says nothing.
    let edge = |x: u16| buf.cell((x, area.bottom().saturating_sub(1))).is_none_or(|cell| is_edge(cell.symbol()));
    let across = (area.right()..hints.right()).find(|x| edge(*x)).unwrap_or(hints.right()).saturating_sub(area.x);
    let area = Rect { width: across, ..area };
    wipe(buf, ink, area);
    // Above the edge of a pane lie its rows: half of one says nothing.
    wipe(buf, ink, Rect { height: height.saturating_sub(1), width: hints.width.saturating_sub(1), ..area });
    for ((at, line), y) in lines.iter().enumerate().zip(area.y..area.bottom()) {
        let before = if at == 0 { sign } else { "  " };
        put_pieces(buf, ink, (area.x, y), area.width, &[piece(role, format!(" {before}{line}"))]);
    }
}

/// Whether a cell shows the edge of a pane, and no text in it.
fn is_edge(symbol: &str) -> bool {
    matches!(symbol, "─" | "━" | "═" | "-" | "=" | "╯" | "╰" | "┘" | "└" | "╝" | "╚" | "+")
}

fn lines(notice: &Notice, across: u16, ink: Ink) -> Vec<String> {
    fitted(&notice.text, room(across), MOST_LINES, ink)
}

/// Whether a notice says all of these words on a screen of this width.
#[must_use]
pub(super) fn fits(words: &str, across: u16, ink: Ink) -> bool {
    wrap(&ink.veiled(words), room(across)).len() <= MOST_LINES
}

/// The columns of a notice's words.
fn room(across: u16) -> u16 {
    across.saturating_sub(4)
}

/// Words in so many lines. What does not fit is left out before the last sentence, which says what can be done.
fn fitted(words: &str, room: u16, most: usize, ink: Ink) -> Vec<String> {
    let words = &*ink.veiled(words);
    let whole = wrap(words, room);
    if whole.len() <= most {
        return whole;
    }
    let (front, last) = words.trim_end().rsplit_once(". ").unwrap_or((words, ""));
    let mut front: Vec<&str> = front.split(' ').collect();
    while !front.is_empty() {
        front.pop();
        let shorter = format!("{}{} {last}", front.join(" "), ink.ellipsis());
        let lines = wrap(shorter.trim_end(), room);
        if lines.len() <= most {
            return lines;
        }
    }
    wrap(last, room).into_iter().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Depth, Theme};

    #[test]
    fn what_is_too_long_keeps_the_sentence_that_helps() {
        let (theme, _) = Theme::load("dark", None, Depth::True);
        let ink = Ink::new(&theme, false);
        let words = format!("Couldn't store it: {}. Your edits are kept. S saves to the service.", "long ".repeat(60));
        let lines = fitted(&words, 76, 2, ink);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with("S saves to the service."), "{lines:?}");
        assert!(lines[0].starts_with("Couldn't store it: long"), "{lines:?}");
        assert_eq!(fitted("Saved.", 76, 2, ink), ["Saved."]);
        assert_eq!(fitted(&"x".repeat(500), 76, 2, ink).len().min(2), fitted(&"x".repeat(500), 76, 2, ink).len());
    }
}
