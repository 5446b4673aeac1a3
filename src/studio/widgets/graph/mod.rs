//! The step graph on the screen: cards, chips or dots, the lines between them, and a map where not all of it fits.
//!
//! A frame costs what is visible of the graph, not what there is of it.

mod card;
mod hints;
mod hit;
mod lines;
mod map;
mod marks;
mod pen;
mod posters;
mod view;

#[cfg(test)]
mod tests;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub use hints::labels;
pub use hit::Hit;
pub use marks::{Heat, HeatMark, Marks, ProductMark, StepHeat, UploadMark};
pub use view::View;

use self::pen::Pen;
use super::Ink;
use crate::graph::{Card, Chart, Edge, Graph};

/// What is selected: a step, and one of its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Selection {
    /// The step.
    pub step: usize,
    /// Which of its answers, from 0; its whole route is shown, also where it has a stub.
    pub port: Option<usize>,
}

/// A graph to be drawn.
#[derive(Debug, Clone, Copy)]
pub struct Canvas<'a> {
    /// The steps.
    pub graph: &'a Graph,
    /// Where they stand.
    pub chart: &'a Chart,
    /// Which part of it is looked at.
    pub view: View,
    /// What is selected.
    pub selected: Option<Selection>,
    /// What is known about steps and answers beside the graph.
    pub marks: &'a Marks,
    /// An answer that is about to be wired, and the step it would lead to.
    pub wire: Option<Edge>,
    /// Whether a map is wanted where it hides nothing that matters.
    pub map: bool,
    /// Whether cards have room for a poster of their video.
    pub posters: bool,
}

impl Canvas<'_> {
    /// Draws what the view shows of the graph, and the map in a corner where that is not all.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink, area: Rect) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let window = self.view.window(area);
        let mut pen = Pen { buf, ink, area, view: self.view };
        self.draw_lines(&mut pen, window);
        self.draw_stubs(&mut pen, window);
        for step in self.chart.layout().visible(window) {
            self.draw_step(&mut pen, step);
        }
        for step in self.chart.layout().visible(window) {
            self.draw_hint(&mut pen, step);
        }
        if let Some(place) = self.map_area(area) {
            self.draw_map(buf, ink, place, window);
        }
    }

    /// The steps that are at least partly seen, column by column.
    #[must_use]
    pub fn visible(&self, area: Rect) -> Vec<usize> {
        self.chart.layout().visible(self.view.window(area)).collect()
    }

    /// A label for every step that is seen, the easiest for those nearest to the selection. Where there are more steps
    /// than labels the farthest get none.
    #[must_use]
    pub fn hints(&self, area: Rect) -> Vec<(usize, String)> {
        let window = self.view.window(area);
        let layout = self.chart.layout();
        let middle = (window.x + window.width / 2, window.y + window.height / 2);
        let here = self.selected.and_then(|selected| layout.card(selected.step)).map_or(middle, Card::entry);
        let mut steps: Vec<usize> = layout.visible(window).collect();
        steps.sort_by_key(|step| {
            let there = layout.card(*step).map_or(here, Card::entry);
            // A row is about as tall as two columns are wide.
            (u64::from(there.0.abs_diff(here.0)) + 2 * u64::from(there.1.abs_diff(here.1)), *step)
        });
        let labels = labels(steps.len());
        steps.into_iter().zip(labels).collect()
    }
}
