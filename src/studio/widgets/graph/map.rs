//! The whole graph in a corner, in dots of which eight make a cell, with what is seen of it marked.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::view::fits;
use super::{Canvas, View};
use crate::graph::Rect as Cells;
use crate::studio::widgets::{Ink, Panel, Role};

/// The map's size, border included.
const SIZE: (u16, u16) = (22, 7);

/// Smaller areas have no room for a map.
const LEAST: (u16, u16) = (56, 16);

impl Canvas<'_> {
    /// Where the map goes; none where it is not wanted, the whole graph is small enough to be seen, or every corner has a
    /// card that matters.
    #[must_use]
    pub fn map_area(&self, area: Rect) -> Option<Rect> {
        let room = area.width >= LEAST.0 && area.height >= LEAST.1;
        if !self.map || !room || self.graph.is_empty() || fits(self.chart, area) {
            return None;
        }
        // A corner where it hides no card, or at least none of those that are looked at; the lower right one if it can be.
        let (right, bottom) = (area.right() - SIZE.0, area.bottom() - SIZE.1);
        let corners = [(right, bottom), (area.x, bottom), (right, area.y), (area.x, area.y)];
        let places = corners.map(|(x, y)| Rect { x, y, width: SIZE.0, height: SIZE.1 });
        let covered = |place: &Rect| {
            let x = self.view.x.saturating_add(i32::from(place.x - area.x));
            let y = self.view.y.saturating_add(i32::from(place.y - area.y));
            let cells = Cells { x, y, width: i32::from(place.width), height: i32::from(place.height) };
            self.chart.layout().visible(cells)
        };
        let matter = self.cards_that_matter();
        let free = places.into_iter().find(|place| covered(place).next().is_none());
        free.or_else(|| places.into_iter().find(|place| covered(place).all(|step| !matter.contains(&step))))
    }

    /// The selected step, those that its answers lead to, and those that lead there.
    fn cards_that_matter(&self) -> Vec<usize> {
        let Some(selected) = self.selected else { return Vec::new() };
        let (to, from) = (self.graph.successors(selected.step), self.graph.predecessors(selected.step));
        let wired = self.wire.map(|wire| wire.to);
        to.into_iter().chain(from).chain(wired).chain([selected.step]).collect()
    }

    /// The view with that place of the map in the middle.
    pub(super) fn map_hit(&self, area: Rect, column: u16, row: u16) -> Option<View> {
        let place = self.map_area(area).filter(|place| place.contains((column, row).into()))?;
        let inner = inside(place);
        let all = self.chart.outline();
        let scale = |at: u16, begin: u16, room: u16, from: i32, size: i32| {
            let at = i64::from(at.clamp(begin, begin + room.saturating_sub(1)) - begin);
            let cell = i64::from(from) + (at * 2 + 1) * i64::from(size) / (i64::from(room.max(1)) * 2);
            i32::try_from(cell).unwrap_or(from)
        };
        let x = scale(column, inner.x, inner.width, all.x, all.width);
        let y = scale(row, inner.y, inner.height, all.y, all.height);
        let middle = View { x: x - i32::from(area.width) / 2, y: y - i32::from(area.height) / 2 };
        Some(middle.kept(self.chart, area))
    }

    pub(super) fn draw_map(&self, buf: &mut Buffer, ink: Ink, place: Rect, window: Cells) {
        for y in place.top()..place.bottom() {
            for x in place.left()..place.right() {
                if let Some(cell) = buf.cell_mut((x, y)) {
                    cell.reset();
                }
            }
        }
        let inner = Panel { title: "map", ..Panel::default() }.draw(buf, ink, place);
        let all = self.chart.outline();
        let (wide, tall) = (i32::from(inner.width) * 2, i32::from(inner.height) * 4);
        let (right, down) = (Scale::new(all.x, all.width, wide), Scale::new(all.y, all.height, tall));
        let mut dots = vec![0u8; usize::from(inner.width) * usize::from(inner.height)];
        let mut set = |x: i32, y: i32| {
            let at = usize::try_from(y / 4 * i32::from(inner.width) + x / 2).ok();
            if let Some(dot) = at.and_then(|at| dots.get_mut(at)) {
                *dot |= braille(x % 2, y % 4);
            }
        };
        for card in self.chart.layout().cards() {
            let (left, last) = (right.dot(card.area.x), right.dot(card.area.right() - 1));
            let (top, bottom) = (down.dot(card.area.y), down.dot(card.area.bottom() - 1));
            for x in left..=last {
                for y in top..=bottom {
                    set(x, y);
                }
            }
        }
        let here = self.selected.and_then(|selected| self.chart.layout().card(selected.step));
        let here = here.map(|card| (right.dot(card.area.x) / 2, down.dot(card.area.y) / 4));
        let (left, last) = (right.dot(window.x) / 2, right.dot(window.right() - 1) / 2);
        let (top, bottom) = (down.dot(window.y) / 4, down.dot(window.bottom() - 1) / 4);
        let mut dots = dots.into_iter();
        for (y, row) in (0..).zip(inner.top()..inner.bottom()) {
            for (x, column) in (0..).zip(inner.left()..inner.right()) {
                let dot = dots.next().unwrap_or(0);
                let seen = x >= left && x <= last && y >= top && y <= bottom;
                let sign = match (ink.ascii, dot) {
                    (false, 0) => ' ',
                    (false, dot) => char::from_u32(0x2800 + u32::from(dot)).unwrap_or(' '),
                    (true, 0) if seen => '.',
                    (true, 0) => ' ',
                    (true, _) => '#',
                };
                // The selected step is what the eye shall find first, not what of the graph is seen.
                let style = match () {
                    () if here == Some((x, y)) => ink.theme.accent.patch(ink.theme.select),
                    () if dot == 0 => ink.style(Role::Faint),
                    () if seen => ink.style(Role::Text),
                    () => ink.style(Role::Dim),
                };
                if let Some(cell) = buf.cell_mut((column, row)) {
                    cell.set_char(sign).set_style(style);
                }
            }
        }
    }
}

fn inside(place: Rect) -> Rect {
    crate::studio::widgets::paint::inside(place)
}

/// From cells of the layout to dots of the map.
#[derive(Clone, Copy)]
struct Scale {
    begin: i64,
    size: i64,
    dots: i64,
}

impl Scale {
    fn new(begin: i32, size: i32, dots: i32) -> Self {
        Self { begin: begin.into(), size: size.max(1).into(), dots: dots.max(1).into() }
    }

    /// The dot that a column or row falls on; outside of the graph the nearest one.
    fn dot(self, at: i32) -> i32 {
        let dot = ((i64::from(at) - self.begin) * self.dots).div_euclid(self.size).clamp(0, self.dots - 1);
        i32::try_from(dot).unwrap_or(0)
    }
}

/// The bit of a dot in its cell.
fn braille(x: i32, y: i32) -> u8 {
    match (x, y) {
        (0, 3) => 0x40,
        (0, y) => 1 << y,
        (_, 3) => 0x80,
        (_, y) => 8 << y,
    }
}
