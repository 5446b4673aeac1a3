//! The room for posters on cards: beside the video's name and the text over it.

use ratatui::layout::Rect;

use super::Canvas;
use crate::graph::{Card, Level, Node};

/// Columns and rows of a poster.
const SIZE: (u16, u16) = (7, 2);

impl Canvas<'_> {
    /// Whether a card has room for a poster: where its video is known, and a text stands below the video's name.
    fn has_poster(&self, step: usize, card: &Card, node: &Node) -> bool {
        let has_rows = self.chart.level() == Level::Card && card.answers > i32::from(SIZE.1);
        self.posters && has_rows && node.video.is_some() && !self.marks.uploads.contains_key(&step)
    }

    /// Columns that a poster takes of a card's texts.
    pub(super) fn poster_room(&self, step: usize, card: &Card, node: &Node) -> i32 {
        if self.has_poster(step, card, node) { i32::from(SIZE.0) + 1 } else { 0 }
    }

    /// The steps whose posters are seen, and where they stand on the screen. One that is seen in part is not shown.
    #[must_use]
    pub fn poster_places(&self, area: Rect) -> Vec<(usize, Rect)> {
        let map = self.map_area(area).unwrap_or_default();
        let place = |step: usize| {
            let (card, node) = self.chart.layout().card(step).zip(self.graph.node(step))?;
            let x = card.area.right() - 1 - i32::from(SIZE.0) - self.view.x;
            let y = card.area.y + 1 - self.view.y;
            let (x, y) = (u16::try_from(x).ok()?, u16::try_from(y).ok()?);
            let place = Rect { x: area.x.checked_add(x)?, y: area.y.checked_add(y)?, width: SIZE.0, height: SIZE.1 };
            let is_seen = area.intersection(place) == place && !map.intersects(place);
            (is_seen && self.has_poster(step, card, node)).then_some((step, place))
        };
        self.chart.layout().visible(self.view.window(area)).filter_map(place).collect()
    }
}
