//! What is under the pointer.

use ratatui::layout::Rect;

use super::{Canvas, View};
use crate::graph::{Level, Rect as Cells};

/// What a cell of the screen shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// Nothing, or a line.
    Nothing,
    /// A step.
    Step(usize),
    /// The row of a step's answer.
    Answer(usize, usize),
    /// The port of an answer, where a wire can be drawn from.
    Port(usize, usize),
    /// The stub of an answer.
    Stub(usize, usize),
    /// The map: the view with this place in the middle.
    Map(View),
}

impl Canvas<'_> {
    /// What is shown at a column and row of the screen.
    #[must_use]
    pub fn hit(&self, area: Rect, column: u16, row: u16) -> Hit {
        if !area.contains((column, row).into()) {
            return Hit::Nothing;
        }
        if let Some(view) = self.map_hit(area, column, row) {
            return Hit::Map(view);
        }
        let x = self.view.x.saturating_add(i32::from(column - area.x));
        let y = self.view.y.saturating_add(i32::from(row - area.y));
        let cell = Cells { x, y, width: 1, height: 1 };
        let layout = self.chart.layout();
        let Some(step) = layout.visible(cell).next() else {
            let stub = self.chart.routes().stubs(cell).find(|stub| stub.y == y);
            return stub.map_or(Hit::Nothing, |stub| Hit::Stub(stub.from, stub.port));
        };
        let Some(card) = layout.card(step) else { return Hit::Step(step) };
        let port = usize::try_from(y - card.area.y - card.answers).ok();
        match port.filter(|port| *port < self.graph.ports(step).len()) {
            Some(port) if x == card.area.right() - 1 && self.chart.level() != Level::Dot => Hit::Port(step, port),
            Some(port) if self.chart.level() == Level::Card => Hit::Answer(step, port),
            _ => Hit::Step(step),
        }
    }
}
