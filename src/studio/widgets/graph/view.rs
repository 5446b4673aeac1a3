//! Which part of the graph is looked at.

use ratatui::layout::Rect;

use crate::graph::{Chart, Rect as Cells};

/// The cell of the layout that stands in the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct View {
    /// Its column.
    pub x: i32,
    /// Its row.
    pub y: i32,
}

/// Cells that are kept between a selected card and the edge.
const AIR: (i32, i32) = (4, 2);

impl View {
    /// The cells of the layout that are seen in an area.
    #[must_use]
    pub fn window(self, area: Rect) -> Cells {
        Cells { x: self.x, y: self.y, width: i32::from(area.width), height: i32::from(area.height) }
    }

    /// The view with a step in the middle, as far as that shows no more emptiness than need be.
    #[must_use]
    pub fn centered(chart: &Chart, step: usize, area: Rect) -> Self {
        let all = chart.outline();
        let card = chart.layout().card(step).map_or(all, |card| card.area);
        Self {
            x: centered(card.x, card.width, i32::from(area.width), (all.x, all.right())),
            y: centered(card.y, card.height, i32::from(area.height), (all.y, all.bottom())),
        }
    }

    /// The view with the whole graph in the middle.
    #[must_use]
    pub fn whole(chart: &Chart, area: Rect) -> Self {
        let all = chart.outline();
        Self {
            x: all.x.saturating_sub((i32::from(area.width) - all.width) / 2),
            y: all.y.saturating_sub((i32::from(area.height) - all.height) / 2),
        }
    }

    /// This view moved as little as shows a step's whole card, with what leaves it.
    #[must_use]
    pub fn showing(self, chart: &Chart, step: usize, area: Rect) -> Self {
        let Some(card) = chart.layout().card(step) else { return self };
        let (card, all) = (card.area, chart.outline());
        let (across, down) = ((all.x, all.right()), (all.y, all.bottom()));
        Self {
            x: scrolled(self.x, (card.x, card.width), i32::from(area.width), AIR.0, across),
            y: scrolled(self.y, (card.y, card.height), i32::from(area.height), AIR.1, down),
        }
    }

    /// This view moved by columns and rows, but not away from everything.
    #[must_use]
    pub fn moved(self, right: i32, down: i32, chart: &Chart, area: Rect) -> Self {
        Self { x: self.x.saturating_add(right), y: self.y.saturating_add(down) }.kept(chart, area)
    }

    /// This view, or the nearest that shows some of the graph.
    #[must_use]
    pub fn kept(self, chart: &Chart, area: Rect) -> Self {
        let all = chart.outline();
        let keep = |at: i32, begin: i32, end: i32, room: i32| {
            // At least a quarter of the area stays in use.
            let least = begin.saturating_sub(room * 3 / 4);
            at.clamp(least, end.saturating_sub(room / 4).max(least))
        };
        Self {
            x: keep(self.x, all.x, all.right(), i32::from(area.width)),
            y: keep(self.y, all.y, all.bottom(), i32::from(area.height)),
        }
    }

    /// The view at another level that leaves a step where it is seen; `before` is the chart as it was.
    #[must_use]
    pub fn zoomed(self, before: &Chart, chart: &Chart, step: usize, area: Rect) -> Self {
        let cards = before.layout().card(step).zip(chart.layout().card(step));
        let Some((old, new)) = cards else { return self.kept(chart, area) };
        let moved = Self {
            x: self.x.saturating_add(new.area.x.saturating_sub(old.area.x)),
            y: self.y.saturating_add(new.area.y.saturating_sub(old.area.y)),
        };
        moved.showing(chart, step, area)
    }
}

/// Whether all that is drawn fits an area.
#[must_use]
pub(super) fn fits(chart: &Chart, area: Rect) -> bool {
    let all = chart.outline();
    all.width <= i32::from(area.width) && all.height <= i32::from(area.height)
}

/// The place at which `size` cells from `begin` on are in the middle, or nearest to it where everything is seen.
fn centered(begin: i32, size: i32, room: i32, (first, last): (i32, i32)) -> i32 {
    if last.saturating_sub(first) <= room {
        return first.saturating_sub((room - (last - first)) / 2);
    }
    begin.saturating_sub((room - size) / 2).clamp(first, last.saturating_sub(room))
}

/// The least scrolled place at which `size` cells from `begin` on are seen, with air around them if there is any: beyond
/// the ends of what is drawn there is none to be had.
fn scrolled(at: i32, (begin, size): (i32, i32), room: i32, air: i32, (start, end): (i32, i32)) -> i32 {
    let air = air.min((room - size) / 2).max(0);
    let first = begin.saturating_sub(air).max(start.min(begin));
    let last = begin.saturating_add(size + air).min(end.max(begin.saturating_add(size)));
    if first < at || size >= room { first } else { at.max(last.saturating_sub(room)) }
}
