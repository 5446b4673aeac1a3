//! Where the cards stand, in cells. A layout is a value: it can be kept, and follow the graph through edits.

use super::dense::{Dense as _, cells};
use super::lattice::Drawn;
use super::layers::FAR;
use super::level::Level;
use super::steps::{Edge, StepKey};

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rect {
    /// Its first column.
    pub x: i32,
    /// Its first row.
    pub y: i32,
    /// How many columns.
    pub width: i32,
    /// How many rows.
    pub height: i32,
}

impl Rect {
    /// The column after its last.
    #[must_use]
    pub fn right(&self) -> i32 {
        self.x.saturating_add(self.width)
    }

    /// The row after its last.
    #[must_use]
    pub fn bottom(&self) -> i32 {
        self.y.saturating_add(self.height)
    }

    /// Whether they share a cell.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// Whether a cell is in it.
    #[must_use]
    pub fn holds(&self, x: i32, y: i32) -> bool {
        x >= self.x && x < self.right() && y >= self.y && y < self.bottom()
    }
}

/// Where a step stands. As a card: its border, one row for the video, one for the overlay text if there is any, and one
/// for each answer. As a chip or a dot: one row, or one for each answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The step it shows.
    pub key: StepKey,
    /// Its cells, border included.
    pub area: Rect,
    /// Its column of cards, counted from the left.
    pub layer: usize,
    /// The row of its first answer, from its top.
    pub answers: i32,
    /// The row at which lines come in, from its top.
    pub entry: i32,
}

impl Card {
    /// The cell of an answer's port, on the right border.
    #[must_use]
    pub fn port(&self, port: usize) -> (i32, i32) {
        (self.area.right() - 1, self.area.y + self.answers + cells(port))
    }

    /// The cell where lines come in, on the left border.
    #[must_use]
    pub fn entry(&self) -> (i32, i32) {
        (self.area.x, self.area.y + self.entry)
    }
}

/// A column of cards and the channel right of it: room for stubs, tracks for lines, and the arrow heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Column {
    pub(super) x: i32,
    pub(super) width: i32,
    pub(super) stubs: i32,
    pub(super) tracks: i32,
}

/// Cells between the last track and the next column: a bit of line and the arrow head.
pub(super) const HEADS: i32 = 2;

impl Column {
    /// The first column of its channel.
    pub(super) fn channel(&self) -> i32 {
        self.x.saturating_add(self.width)
    }

    /// The column after its channel.
    pub(super) fn end(&self) -> i32 {
        self.channel().saturating_add(self.stubs).saturating_add(self.tracks).saturating_add(HEADS)
    }
}

/// Where everything stands. Steps are meant by their index in the graph that it was made for or followed last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    pub(super) level: Level,
    pub(super) cards: Vec<Card>,
    pub(super) columns: Vec<Column>,
    /// The rows at which lines pass a layer: the step they lead to, the layer, the row; sorted.
    pub(super) bends: Vec<(usize, i32, i32)>,
    /// The steps of each layer from the top down.
    pub(super) layers: Vec<Vec<usize>>,
    /// Whether answers that lead back are drawn as lines.
    pub(super) whole: bool,
    /// The answers whose lines gave way to others that they would cross, sorted: they have stubs.
    pub(super) gave_way: Vec<Edge>,
    /// The rows along which lines lead back: the step they lead to, the row; sorted.
    pub(super) lanes: Vec<(usize, i32)>,
}

impl Layout {
    /// How much of each step it has room for.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Moves everything so that one step's card stands where it stood before.
    pub(super) fn anchor(&mut self, before: &Self, anchor: Option<usize>) {
        let Some(new) = anchor.and_then(|step| self.card(step)) else { return };
        if let Some(old) = before.cards.iter().find(|card| card.key == new.key) {
            self.shift(old.area.x.saturating_sub(new.area.x), old.area.y.saturating_sub(new.area.y));
        }
    }

    fn shift(&mut self, right: i32, down: i32) {
        for column in &mut self.columns {
            column.x = column.x.saturating_add(right);
        }
        for card in &mut self.cards {
            card.area.x = card.area.x.saturating_add(right);
            card.area.y = card.area.y.saturating_add(down);
        }
        for (_, _, row) in &mut self.bends {
            *row = row.saturating_add(down);
        }
        for (_, row) in &mut self.lanes {
            *row = row.saturating_add(down);
        }
    }

    /// A step's card.
    #[must_use]
    pub fn card(&self, step: usize) -> Option<&Card> {
        self.cards.get(step)
    }

    /// All cards, by their steps.
    #[must_use]
    pub fn cards(&self) -> &[Card] {
        &self.cards
    }

    /// The steps of every column from the top down, columns from the left.
    #[must_use]
    pub fn layers(&self) -> &[Vec<usize>] {
        &self.layers
    }

    /// The least rectangle that holds all cards.
    #[must_use]
    pub fn bounds(&self) -> Rect {
        let mut cards = self.cards.iter().map(|card| card.area);
        let Some(first) = cards.next() else { return Rect::default() };
        cards.fold(first, |all, card| {
            let (x, y) = (all.x.min(card.x), all.y.min(card.y));
            let (right, bottom) = (all.right().max(card.right()), all.bottom().max(card.bottom()));
            Rect { x, y, width: right.saturating_sub(x), height: bottom.saturating_sub(y) }
        })
    }

    /// The steps whose cards are at least partly in a rectangle, column by column.
    pub fn visible(&self, rect: Rect) -> impl Iterator<Item = usize> + '_ {
        let from = self.columns.partition_point(|column| column.channel() <= rect.x);
        let to = self.columns.partition_point(|column| column.x < rect.right());
        let layers = self.layers.get(from..to).unwrap_or_default();
        layers.iter().flat_map(move |layer| {
            let area = |step: &usize| self.cards.get(*step).map(|card| card.area).unwrap_or_default();
            let begin = layer.partition_point(|step| area(step).bottom() <= rect.y);
            let below = layer.get(begin..).unwrap_or_default().iter().copied();
            below.take_while(move |step| area(step).y < rect.bottom()).filter(move |step| area(step).meets(&rect))
        })
    }

    /// The column of every step.
    pub(super) fn layer_of(&self) -> Vec<i32> {
        self.cards.iter().map(|card| cells(card.layer)).collect()
    }

    /// Which answers are drawn as lines to the right, if there is room.
    pub(super) fn drawn<'a>(&'a self, layer: &'a [i32], reachable: &'a [bool]) -> Drawn<'a> {
        Drawn { layer, reachable, gave_way: &self.gave_way }
    }

    /// Whether an answer that leads to the right does so over a few columns, and has not given way to others.
    pub(super) fn is_near(&self, edge: Edge, reachable: &[bool]) -> bool {
        let layers =
            self.card(edge.from).zip(self.card(edge.to)).map(|(from, to)| (cells(from.layer), cells(to.layer)));
        layers.is_some_and(|(from, to)| to - from <= FAR)
            && reachable.at(edge.from) == reachable.at(edge.to)
            && self.gave_way.binary_search(&edge).is_err()
    }

    /// The row at which lines to a step pass a layer.
    pub(super) fn bend(&self, to: usize, layer: i32) -> Option<i32> {
        let found = self.bends.binary_search_by_key(&(to, layer), |(to, layer, _)| (*to, *layer));
        found.ok().and_then(|at| self.bends.get(at)).map(|(_, _, row)| *row)
    }
}
