//! A graph as it is shown: where its cards stand at the level chosen, and the lines between them.

use super::layout::{Layout, Rect};
use super::level::Level;
use super::route::Routes;
use super::steps::Graph;

/// Where to from a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

/// The layout of cards, the one of the level that is shown, and its lines. All of it is about one graph, the one that it
/// was made for or followed last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    cards: Layout,
    /// The same arrangement with less of each step, or with less between the cards; none where that is not wanted.
    smaller: Option<Layout>,
    routes: Routes,
}

/// Cells around everything, where lines and stubs run.
const MARGIN: (i32, i32) = (1, 1);

impl Chart {
    /// Lays out the whole graph as cards.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        let cards = Layout::new(graph);
        let routes = Routes::new(graph, &cards);
        Self { cards, smaller: None, routes }
    }

    /// Shows the graph after an edit: no card moves that need not.
    pub fn follow(&mut self, graph: &Graph) {
        self.cards = self.cards.follow(graph);
        self.smaller = self.smaller.as_ref().map(|layout| layout.follow(graph));
        self.routes = std::mem::take(&mut self.routes).follow(graph, self.layout());
    }

    /// Lays out the graph again, with one step where it stood. To be undone, keep a copy.
    pub fn tidy(&mut self, graph: &Graph, anchor: Option<usize>) {
        let before = self.layout().clone();
        self.cards = self.cards.tidied(graph, anchor);
        self.smaller = (before.level() != Level::Card).then(|| {
            let mut smaller = self.cards.at_level(graph, before.level());
            smaller.anchor(&before, anchor);
            smaller
        });
        self.routes = Routes::new(graph, self.layout());
    }

    /// Shows more or less of every step. The arrangement stays.
    pub fn zoom(&mut self, graph: &Graph, level: Level) {
        if level != self.level() {
            self.smaller = (level != Level::Card).then(|| self.cards.at_level(graph, level));
            self.routes = Routes::new(graph, self.layout());
        }
    }

    /// Shows as much of every step as lets the whole graph fit a size in cells; dots where nothing does. Columns that
    /// nothing runs in shrink before less is shown of the steps.
    pub fn fit(&mut self, graph: &Graph, width: i32, height: i32) -> Level {
        let found = Level::ALL.into_iter().find_map(|level| self.fitting(graph, level, (width, height)));
        let layout = found.unwrap_or_else(|| self.cards.at_level(graph, Level::Dot).snug(graph));
        self.show(graph, layout);
        self.level()
    }

    /// Shows whole cards where that lets the whole graph fit a size in cells, also with no empty column between them.
    pub fn fit_cards(&mut self, graph: &Graph, width: i32, height: i32) {
        if let Some(layout) = self.fitting(graph, Level::Card, (width, height)) {
            self.show(graph, layout);
        }
    }

    fn show(&mut self, graph: &Graph, layout: Layout) {
        if layout != *self.layout() {
            self.smaller = (layout != self.cards).then_some(layout);
            self.routes = Routes::new(graph, self.layout());
        }
    }

    /// The arrangement at a level, where that fits a size.
    fn fitting(&self, graph: &Graph, level: Level, (width, height): (i32, i32)) -> Option<Layout> {
        let fits = |layout: &Layout| layout.outline().width <= width && layout.outline().height <= height;
        let layout = match level {
            Level::Card => self.cards.clone(),
            // Thousands of columns need not be laid out to be told that they are too many.
            _ if self.cards.least_width() > width => return None,
            _ => self.cards.at_level(graph, level),
        };
        if fits(&layout) {
            return Some(layout);
        }
        // What is too high does not get lower.
        let snug = (layout.outline().height <= height).then(|| layout.snug(graph));
        snug.filter(fits)
    }

    /// How much of every step is shown.
    #[must_use]
    pub fn level(&self) -> Level {
        self.layout().level()
    }

    /// Where the cards stand at the level that is shown.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        self.smaller.as_ref().unwrap_or(&self.cards)
    }

    /// The lines between them.
    #[must_use]
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// The rectangle of everything that is drawn.
    #[must_use]
    pub fn outline(&self) -> Rect {
        self.layout().outline()
    }

    /// The next card in a direction: above and below in the same column, else the nearest one in the next column.
    #[must_use]
    pub fn neighbor(&self, step: usize, direction: Direction) -> Option<usize> {
        let layout = self.layout();
        let card = layout.card(step)?;
        let column = layout.layers().get(card.layer)?;
        let place = column.iter().position(|other| *other == step)?;
        match direction {
            Direction::Up => column.get(place.checked_sub(1)?).copied(),
            Direction::Down => column.get(place + 1).copied(),
            Direction::Left => {
                let before = layout.layers().get(..card.layer)?;
                before.iter().rev().find_map(|column| layout.nearest_in(column, card.entry().1))
            }
            Direction::Right => {
                let after = layout.layers().get(card.layer + 1..)?;
                after.iter().find_map(|column| layout.nearest_in(column, card.entry().1))
            }
        }
    }
}

impl Layout {
    /// The least rectangle that holds everything that is drawn: cards, and around them lines and stubs.
    #[must_use]
    pub fn outline(&self) -> Rect {
        let cards = self.bounds();
        if self.cards.is_empty() {
            return cards;
        }
        let last = self.columns.last().map_or(0, |column| {
            // Where lines lead back, they turn round in the last channel.
            if self.lanes.is_empty() { column.channel().saturating_add(column.stubs) } else { column.end() }
        });
        let right = cards.right().max(last);
        let rows = self.lanes.iter().map(|(_, row)| *row);
        let (top, bottom) =
            rows.fold((cards.y, cards.bottom()), |(top, bottom), row| (top.min(row), bottom.max(row + 1)));
        let x = cards.x.saturating_sub(self.lead().max(MARGIN.0));
        Rect {
            x,
            y: top.saturating_sub(MARGIN.1),
            width: right.saturating_sub(x),
            height: bottom.saturating_sub(top).saturating_add(MARGIN.1 * 2),
        }
    }

    /// No level makes a graph narrower than this.
    fn least_width(&self) -> i32 {
        super::dense::cells(self.columns.len()).saturating_mul(5)
    }

    /// Of a column's steps the one whose entry is nearest to a row.
    fn nearest_in(&self, column: &[usize], row: i32) -> Option<usize> {
        let entry = |step: &usize| self.cards.get(*step).map_or(0, |card| card.entry().1);
        let after = column.partition_point(|step| entry(step) < row);
        let near = [after.checked_sub(1).and_then(|before| column.get(before)), column.get(after)];
        near.into_iter().flatten().min_by_key(|step| entry(step).abs_diff(row)).copied()
    }
}
