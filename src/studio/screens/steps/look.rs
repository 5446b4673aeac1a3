//! Where what stands on the Steps screen, and which part of the graph is looked at.

use ratatui::layout::Rect;

use super::vocabulary::Turn;
use super::{Focus, Mode, Open, Steps};
use crate::graph::{Chart, Edge, Level};
use crate::studio::ground::NoticeKind;
use crate::studio::ground::layout::scrolled;
use crate::studio::widgets::graph::{Canvas, Selection, View};
use crate::studio::widgets::paint::inside;

/// Under this width the outline stands for the graph.
const NARROW: u16 = 60;

/// Less of the map beside a pane is not worth showing.
const LEAST_MAP: u16 = 40;

/// The most rows of findings under the map.
const MOST_FINDINGS: u16 = 5;

impl Steps {
    /// Whether the outline is shown: by choice, or because there is no room for a graph.
    pub(super) fn is_outlined(&self) -> bool {
        self.outline || self.area.width < NARROW
    }

    /// The pane beside the map, or over it where there is no room beside it.
    pub(super) fn side(&self) -> Option<Rect> {
        let open = self.open.as_ref()?;
        let area = inside(self.area);
        let wanted = match open.mode {
            Mode::Form(_) => 46,
            Mode::Play(_) | Mode::Upload(_) => 56,
            Mode::Saving(_) => 72,
            Mode::Normal | Mode::Labels(_) | Mode::Wire(_) => return None,
        };
        if area.width < wanted + LEAST_MAP {
            return Some(area);
        }
        Some(Rect { x: area.right() - wanted, width: wanted, ..area })
    }

    fn left(&self) -> Rect {
        let area = inside(self.area);
        match self.side() {
            Some(side) if side == area => area,
            Some(side) => Rect { width: side.x - area.x, ..area },
            None => area,
        }
    }

    /// The findings, under the map: a line that says what they are, and some of them.
    pub(super) fn findings_area(&self) -> Option<Rect> {
        let open = self.open.as_ref()?;
        let area = self.left();
        let count = u16::try_from(open.shown.faults.len()).unwrap_or(u16::MAX);
        if count == 0 || area.height < 12 {
            return None;
        }
        let most = if open.focus == Focus::Findings { area.height / 2 } else { MOST_FINDINGS.min(area.height / 4) };
        let rows = count.min(most) + 1;
        Some(Rect { y: area.bottom() - rows, height: rows, ..area })
    }

    /// The graph, or the outline.
    pub(super) fn map_area(&self) -> Rect {
        let area = self.left();
        let below = self.findings_area().map_or(0, |findings| findings.height);
        Rect { height: area.height.saturating_sub(below), ..area }
    }

    pub(super) fn outline_page(&self) -> isize {
        isize::from(self.map_area().height.max(1).cast_signed())
    }

    pub(super) fn form_width(&self) -> u16 {
        self.side().map_or(40, |side| side.width.saturating_sub(4)).max(4)
    }

    pub(super) fn first_finding(&self, area: Rect) -> usize {
        let seen = usize::from(area.height.saturating_sub(1));
        let place = |open: &Open| scrolled(open.finding.top, open.finding.selected, seen, open.shown.faults.len());
        self.open.as_ref().map_or(0, place)
    }

    pub(super) fn canvas(open: &Open) -> Canvas<'_> {
        let index = |step| open.shown.index(step);
        let wire = match &open.mode {
            Mode::Wire(wire) => {
                wire.to.and_then(|to| Some(Edge { from: index(wire.from)?, port: wire.port, to: index(to)? }))
            }
            _ => None,
        };
        let selected = match &open.mode {
            Mode::Play(play) => play.at.map(|step| Selection { step, port: Some(play.chosen) }),
            _ => open.cursor.and_then(|cursor| Some(Selection { step: index(cursor.step)?, port: cursor.port })),
        };
        Canvas {
            graph: &open.shown.graph,
            chart: &open.shown.chart,
            view: open.look,
            selected,
            marks: &open.shown.marks,
            wire,
        }
    }

    /// Scrolls so that what is selected is seen.
    pub(super) fn keep_in_sight(&mut self) {
        let area = self.map_area();
        let row = self.outline_row();
        let selected = self.selected();
        if self.open.as_ref().is_some_and(|open| !open.looked && !open.shown.graph.is_empty()) && area.width > 0 {
            self.begin_look();
        }
        let Some(open) = &mut self.open else { return };
        if let Some(row) = row {
            let rows = open.shown.outline.len();
            open.top = crate::studio::ground::layout::scrolled(open.top, row, usize::from(area.height), rows);
        }
        if let Some((step, _)) = selected
            && area.width > 0
        {
            open.look = open.look.showing(&open.shown.chart, step, area);
        }
    }

    pub(super) fn scroll_outline(&mut self, by: isize) {
        let page = usize::from(self.map_area().height);
        let Some(open) = &mut self.open else { return };
        open.top = open.top.saturating_add_signed(by).min(open.shown.outline.len().saturating_sub(page));
    }

    pub(super) fn turn_outline(&mut self) {
        self.outline = !self.outline;
        self.keep_in_sight();
    }

    pub(super) fn pan(&mut self, right: i32, down: i32) {
        let area = self.map_area();
        let Some(open) = &mut self.open else { return };
        open.look = open.look.moved(right, down, &open.shown.chart, area);
    }

    /// Shows more of every step, or less; 0 goes round.
    pub(super) fn zoom(&mut self, by: isize) {
        let area = self.map_area();
        let selected = self.selected().map_or(0, |(step, _)| step);
        let Some(open) = &mut self.open else { return };
        let at = Level::ALL.iter().position(|level| *level == open.shown.chart.level()).unwrap_or(0);
        let to =
            if by == 0 { (at + 1) % Level::ALL.len() } else { at.saturating_add_signed(-by).min(Level::ALL.len() - 1) };
        let before = open.shown.chart.clone();
        if let Some(level) = Level::ALL.get(to) {
            open.shown.chart.zoom(&open.shown.graph, *level);
        }
        open.look = open.look.zoomed(&before, &open.shown.chart, selected, area);
    }

    /// Shows as much of every step as lets all of them be seen.
    pub(super) fn fit(&mut self) {
        let area = self.map_area();
        let Some(open) = &mut self.open else { return };
        open.shown.chart.fit(&open.shown.graph, i32::from(area.width), i32::from(area.height));
        // A graph that is too wide for anything but dots is better read where one is.
        if open.shown.chart.level() == Level::Dot {
            open.shown.chart.zoom(&open.shown.graph, Level::Card);
        }
        let first = open.shown.graph.first().unwrap_or(0);
        let step = open.cursor.and_then(|cursor| open.shown.index(cursor.step)).unwrap_or(first);
        open.look = View::centred(&open.shown.chart, step, area);
    }

    /// Shows the whole graph where it fits, else the cards from the first one on.
    pub(super) fn begin_look(&mut self) {
        let area = self.map_area();
        let Some(open) = &mut self.open else { return };
        let chart = &open.shown.chart;
        let first = open.shown.graph.first().unwrap_or(0);
        let all = chart.outline();
        open.look = View::centred(chart, first, area);
        if all.width > i32::from(area.width) {
            open.look.x = all.x;
        }
        open.looked = true;
    }

    pub(super) fn centre(&mut self) {
        let area = self.map_area();
        let Some((step, _)) = self.selected() else { return };
        let Some(open) = &mut self.open else { return };
        open.look = View::centred(&open.shown.chart, step, area);
    }

    /// Lays the graph out anew, the selected card where it is.
    pub(super) fn tidy(&mut self, turn: &mut Turn) {
        let anchor = self.selected().map(|(step, _)| step);
        let Some(open) = &mut self.open else { return };
        let before: Chart = open.shown.chart.clone();
        match open.untidied.take() {
            // A second time takes it back.
            Some(untidied) if open.shown.chart == untidied.1 => {
                open.shown.chart = untidied.0;
                turn.say(NoticeKind::Done, "Layout restored.");
            }
            _ => {
                open.shown.chart.tidy(&open.shown.graph, anchor);
                open.untidied = Some(Box::new((before, open.shown.chart.clone())));
                turn.say(NoticeKind::Done, "Rearranged. = restores the layout.");
            }
        }
        self.keep_in_sight();
    }
}
