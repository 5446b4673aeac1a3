//! Where what stands on the Steps screen, and which part of the graph is looked at.

use ratatui::layout::Rect;

use super::vocabulary::Turn;
use super::{Cursor, Editor, Focus, Mode};
use crate::draft::StepRef;
use crate::graph::{Chart, Edge, Level};
use crate::studio::ground::NoticeKind;
use crate::studio::widgets::RowCursor;
use crate::studio::widgets::graph::{Canvas, Selection, View};
use crate::studio::widgets::paint::inside;
use crate::studio::widgets::pictures::Grain;

/// Under this width the outline stands for the graph.
const NARROW: u16 = 60;

/// Less of the map beside a pane is not worth showing.
const LEAST_MAP: u16 = 40;

/// The most rows of problems under the map.
const MOST_PROBLEMS: u16 = 5;

impl Editor {
    /// Whether the outline is shown: by choice, or because there is no room for a graph.
    pub(super) fn is_outlined(&self) -> bool {
        self.shared.outline || self.shared.area.width < NARROW
    }

    /// The pane beside the map, or over it where there is no room beside it.
    pub(super) fn side(&self) -> Option<Rect> {
        let area = inside(self.shared.area);
        let wanted = self.mode.side_width()?;
        if area.width < wanted + LEAST_MAP {
            return Some(area);
        }
        Some(Rect { x: area.right() - wanted, width: wanted, ..area })
    }

    /// What is inside of that pane; all of it where it lies over the map.
    pub(super) fn inside_side(&self) -> Option<Rect> {
        let side = self.side()?;
        Some(if side == inside(self.shared.area) { side } else { inside(side) })
    }

    /// The same below the title, which takes the first row where the pane lies over the map.
    pub(super) fn below_title(&self) -> Option<Rect> {
        let (side, inner) = (self.side()?, self.inside_side()?);
        let title = u16::from(side == inner);
        Some(Rect { y: inner.y + title, height: inner.height.saturating_sub(title), ..inner })
    }

    fn left(&self) -> Rect {
        let area = inside(self.shared.area);
        match self.side() {
            Some(side) if side == area => area,
            Some(side) => Rect { width: side.x - area.x, ..area },
            None => area,
        }
    }

    /// The problems, under the map: a line that says how many there are, and some of them.
    pub(super) fn problems_area(&self) -> Option<Rect> {
        let area = self.left();
        let count = u16::try_from(self.shown.problems.rows().len()).unwrap_or(u16::MAX);
        if count == 0 || area.height < 12 {
            return None;
        }
        let most = if self.focus == Focus::Problems { area.height / 2 } else { MOST_PROBLEMS.min(area.height / 4) };
        let rows = count.min(most) + 1;
        Some(Rect { y: area.bottom() - rows, height: rows, ..area })
    }

    /// The graph, or the outline.
    pub(super) fn map_area(&self) -> Rect {
        let area = self.left();
        let below = self.problems_area().map_or(0, |problems| problems.height);
        Rect { height: area.height.saturating_sub(below), ..area }
    }

    pub(super) fn outline_page(&self) -> usize {
        usize::from(self.map_area().height.max(1))
    }

    /// How many lines of the plan are seen, and how wide they are.
    pub(super) fn saving_page(&self) -> (usize, u16) {
        let area = inside(self.shared.area);
        let side = self.side().unwrap_or(area);
        let (height, width) = if side == area { (1, 2) } else { (2, 4) };
        (usize::from(side.height.saturating_sub(height)).max(1), side.width.saturating_sub(width))
    }

    /// So wide are the texts of the form: they are drawn three cells from its left.
    pub(super) fn form_width(&self) -> u16 {
        self.inside_side().map_or(40, |inner| inner.width.saturating_sub(3)).max(4)
    }

    /// How many rows of the problems are seen.
    pub(super) fn problems_page(&self) -> usize {
        self.problems_area().map_or(1, |area| usize::from(area.height.saturating_sub(1)))
    }

    pub(super) fn canvas(&self) -> Canvas<'_> {
        let index = |step| self.shown.index(step);
        let wire = match &self.mode {
            Mode::Wire(wire) => {
                wire.to.and_then(|to| Some(Edge { from: index(wire.from)?, port: wire.port, to: index(to)? }))
            }
            _ => None,
        };
        let selected = match &self.mode {
            Mode::Play(play) => play.at.map(|step| Selection { step, port: Some(play.answers.selected) }),
            _ => self.cursor.and_then(|cursor| Some(Selection { step: index(cursor.step)?, port: cursor.port })),
        };
        Canvas {
            graph: &self.shown.graph,
            chart: &self.shown.chart,
            view: self.look,
            selected,
            marks: &self.shown.marks,
            wire,
            map: !self.shared.without_map,
            posters: self.shared.grain == Grain::Fine,
        }
    }

    /// Scrolls so that what is selected is seen.
    pub(super) fn keep_in_sight(&mut self) {
        self.follow_problem();
        if self.problems_area().is_none() {
            // What isn't seen has no keys.
            self.focus = Focus::Map;
        }
        let area = self.map_area();
        let row = self.outline_row();
        let selected = self.selected();
        if !self.looked && !self.shown.graph.is_empty() && area.width > 0 {
            self.begin_look();
        }
        if let Some(row) = row {
            let rows = self.shown.outline.len();
            self.top = crate::studio::ground::layout::scrolled(self.top, row, usize::from(area.height), rows);
        }
        if let Some((step, _)) = selected
            && area.width > 0
        {
            self.look = self.look.showing(&self.shown.chart, step, area);
        }
    }

    /// Turns the wheel over the outline: the selection moves only as far as it must to be seen.
    pub(super) fn wheel_outline(&mut self, by: isize) {
        let (page, all) = (usize::from(self.map_area().height), self.shown.outline.len());
        let row = self.outline_row().unwrap_or(self.top);
        let mut place = RowCursor { selected: row, top: self.top };
        place.wheel(by, page, all);
        self.top = place.top;
        if place.selected != row
            && let Some(cursor) = self.row_cursor(place.selected)
        {
            self.cursor = Some(cursor);
        }
    }

    pub(super) fn turn_outline(&mut self) {
        self.shared.outline = !self.shared.outline;
        self.keep_in_sight();
    }

    pub(super) fn pan(&mut self, right: i32, down: i32) {
        let area = self.map_area();
        self.look = self.look.moved(right, down, &self.shown.chart, area);
    }

    /// Shows more of every step, or less; 0 goes round.
    pub(super) fn zoom(&mut self, by: isize) {
        let area = self.map_area();
        let selected = self.selected().map_or(0, |(step, _)| step);
        let at = Level::ALL.iter().position(|level| *level == self.shown.chart.level()).unwrap_or(0);
        let to =
            if by == 0 { (at + 1) % Level::ALL.len() } else { at.saturating_add_signed(-by).min(Level::ALL.len() - 1) };
        let before = self.shown.chart.clone();
        if let Some(level) = Level::ALL.get(to) {
            self.shown.chart.zoom(&self.shown.graph, *level);
        }
        self.look = self.look.zoomed(&before, &self.shown.chart, selected, area);
    }

    /// Shows as much of every step as lets all of them be seen; where not even dots fit, those around the selected one.
    pub(super) fn fit(&mut self) {
        let area = self.map_area();
        self.shown.chart.fit(&self.shown.graph, i32::from(area.width), i32::from(area.height));
        let first = self.shown.graph.first().unwrap_or(0);
        let step = self.cursor.and_then(|cursor| self.shown.index(cursor.step)).unwrap_or(first);
        self.look = View::centered(&self.shown.chart, step, area);
    }

    /// Shows the whole graph where it fits, else the cards from the first one on.
    pub(super) fn begin_look(&mut self) {
        let area = self.map_area();
        self.shown.chart.fit_cards(&self.shown.graph, i32::from(area.width), i32::from(area.height));
        let chart = &self.shown.chart;
        let first = self.shown.graph.first().unwrap_or(0);
        let all = chart.outline();
        self.look = View::centered(chart, first, area);
        if all.width > i32::from(area.width) {
            self.look.x = all.x;
        }
        self.looked = true;
    }

    /// Goes to a step that may be far away, and shows it in the middle.
    pub(super) fn jump_to(&mut self, cursor: Cursor) {
        self.go_to(cursor);
        self.center();
    }

    pub(super) fn center(&mut self) {
        if let Some(cursor) = self.cursor {
            self.look_at(cursor.step);
        }
    }

    /// Shows a step in the middle, as far as the graph goes on around it.
    pub(super) fn look_at(&mut self, step: StepRef) {
        let area = self.map_area();
        let Some(step) = self.shown.index(step) else { return };
        self.look = View::centered(&self.shown.chart, step, area);
    }

    /// Lays the graph out again, the selected card where it is.
    pub(super) fn tidy(&mut self, turn: &mut Turn) {
        let anchor = self.selected().map(|(step, _)| step);
        let before: Chart = self.shown.chart.clone();
        match self.untidied.take() {
            // A second time takes it back.
            Some(untidied) if self.shown.chart == untidied.1 => {
                self.shown.chart = untidied.0;
                turn.say(NoticeKind::Done, "Layout restored.");
            }
            _ => {
                self.shown.chart.tidy(&self.shown.graph, anchor);
                self.untidied = Some(Box::new((before, self.shown.chart.clone())));
                turn.say(NoticeKind::Done, "Rearranged. = restores the layout.");
            }
        }
        self.keep_in_sight();
    }
}
