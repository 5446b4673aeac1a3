//! The lines of a graph on a layout, and what of them is visible where.

use super::channel::{Channel, Net, Trunk};
use super::dense::{Dense as _, cells, index};
use super::lattice::is_drawn;
use super::layers::FAR;
use super::layout::{Layout, Rect};
use super::segment::{Cell, Segment};
use super::steps::{Edge, Graph, Leads};
use super::stub::{Stub, StubKind};

/// The lines and stubs of a graph.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Routes {
    /// Pieces by region: a column of cards, its channel, the next column of cards…
    regions: Vec<Region>,
    /// Stubs by column, from the top down.
    stubs: Vec<Vec<Stub>>,
    channels: Vec<Channel>,
    /// The step's lines from this layer and before are not drawn: there was no room.
    cut: Vec<i32>,
    reachable: Vec<bool>,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Region {
    /// Sorted by their first row.
    pieces: Vec<Segment>,
    /// The last row that any piece up to this one takes.
    reach: Vec<i32>,
    /// Its first column, and the one after its last.
    columns: (i32, i32),
}

impl Routes {
    /// Draws the lines. What a channel of the layout has no room for becomes a stub.
    #[must_use]
    pub fn new(graph: &Graph, layout: &Layout) -> Self {
        let reachable = graph.reachable(graph.first());
        let mut cut = vec![-1; graph.len()];
        loop {
            let all = nets(graph, layout, &reachable, &cut);
            let channels: Vec<Channel> = all.into_iter().map(Channel::route).collect();
            let mut full = false;
            for (at, (channel, column)) in channels.iter().zip(&layout.columns).enumerate() {
                for trunk in
                    channel.trunks.iter().filter(|trunk| cells(trunk.track.unwrap_or(0)) >= column.tracks.max(1))
                {
                    let until = cut.at(trunk.net.to).max(cells(at));
                    cut.put(trunk.net.to, until);
                    full = true;
                }
            }
            if !full {
                let mut routes = Self { channels, cut, reachable, ..Self::default() };
                routes.draw(graph, layout);
                return routes;
            }
        }
    }

    fn draw(&mut self, graph: &Graph, layout: &Layout) {
        self.regions = vec![Region::default(); layout.columns.len() * 2];
        for (at, column) in layout.columns.iter().enumerate() {
            let gap = layout.columns.get(at + 1).map_or(column.end(), |next| next.x);
            for (region, columns) in [(at * 2, (column.x, column.channel())), (at * 2 + 1, (column.channel(), gap))] {
                if let Some(region) = self.regions.get_mut(region) {
                    region.columns = columns;
                }
            }
        }
        self.stubs = vec![Vec::new(); layout.columns.len()];
        for (step, card) in layout.cards.iter().enumerate() {
            let Some(column) = layout.columns.get(card.layer) else { continue };
            for (port, answer) in graph.ports(step).iter().enumerate() {
                let (x, y) = card.port(port);
                let to = match answer.leads {
                    Leads::End => continue,
                    Leads::Step(to) => Some(to),
                    Leads::Dangling => None,
                };
                if let Some(kind) = stub_kind(graph, layout, &self.reachable, &self.cut, step, port) {
                    let width = column.channel() + column.stubs - x - 1;
                    if let Some(stubs) = self.stubs.get_mut(card.layer) {
                        stubs.push(Stub { kind, from: step, port, to, x: x + 1, y, width });
                    }
                } else if x + 1 < column.channel() {
                    let piece = along(to.unwrap_or_default(), y, x + 1, column.channel() - 1);
                    self.add(card.layer * 2, piece);
                }
            }
        }
        for stubs in &mut self.stubs {
            stubs.sort_unstable_by_key(|stub| stub.y);
        }
        for at in 0..self.channels.len() {
            let mut pieces = Vec::new();
            let mut bends = Vec::new();
            let Some(channel) = self.channels.get(at) else { continue };
            for trunk in &channel.trunks {
                self.pieces(layout, at, trunk, &trunk.net.lefts, &mut pieces);
                let bend = layout.card(trunk.net.to).is_some_and(|card| card.layer > at + 1) && trunk.onward.is_none();
                if let Some(column) = layout.columns.get(at + 1).filter(|_| bend) {
                    bends.push(along(trunk.net.to, trunk.net.right, column.x, column.channel() - 1));
                }
            }
            if let Some(region) = self.regions.get_mut(at * 2 + 1) {
                region.pieces = pieces;
            }
            for piece in bends {
                self.add(at * 2 + 2, piece);
            }
        }
        for region in &mut self.regions {
            region.pieces.sort_unstable_by_key(|piece| (piece.rows(), piece.at, piece.begin));
            let mut last = i32::MIN;
            region.reach = region
                .pieces
                .iter()
                .map(|piece| {
                    last = last.max(piece.rows().1);
                    last
                })
                .collect();
        }
    }

    fn add(&mut self, region: usize, piece: Segment) {
        if let Some(region) = self.regions.get_mut(region) {
            region.pieces.push(piece);
        }
    }

    /// The pieces of a trunk, with those of its left rows that are asked for.
    fn pieces(&self, layout: &Layout, at: usize, trunk: &Trunk, lefts: &[i32], out: &mut Vec<Segment>) {
        let (Some(column), Some(channel)) = (layout.columns.get(at), self.channels.get(at)) else { return };
        let end = self.regions.get(at * 2 + 1).map_or(column.end(), |region| region.columns.1) - 1;
        let spare = (column.tracks - cells(channel.tracks)).max(0) / 2;
        let track = |track: usize| column.channel() + column.stubs + spare + cells(track);
        let to = trunk.net.to;
        let entry = trunk.onward.is_none() && layout.card(to).is_some_and(|card| card.layer == at + 1);
        let Some(x) = trunk.track.map(track) else {
            out.extend(lefts.iter().map(|row| Segment { entry, ..along(to, *row, column.channel(), end) }));
            return;
        };
        if trunk.before.is_none() {
            let left = |row: &i32| Segment { open_end: false, ..along(to, *row, column.channel(), x) };
            out.extend(lefts.iter().map(left));
        }
        let onward = trunk.onward.and_then(|onward| channel.trunks.get(onward)?.track).map(track);
        out.push(Segment {
            open_begin: false,
            open_end: onward.is_none(),
            entry,
            ..along(to, trunk.net.right, x, onward.unwrap_or(end))
        });
        let rows =
            lefts.iter().fold((trunk.net.right, trunk.net.right), |(top, low), row| (top.min(*row), low.max(*row)));
        out.push(Segment { to, along: false, at: x, begin: rows.0, end: rows.1, ..Segment::default() });
    }

    /// The cells of lines in a rectangle. A cell comes more than once where a line turns, joins or crosses: what is drawn
    /// there is all its masks together.
    pub fn visible(&self, rect: Rect) -> impl Iterator<Item = Cell> + '_ {
        let from = self.regions.partition_point(|region| region.columns.1 <= rect.x);
        let to = self.regions.partition_point(|region| region.columns.0 < rect.right());
        self.regions.get(from..to).unwrap_or_default().iter().flat_map(move |region| {
            let begin = region.reach.partition_point(|reach| *reach < rect.y);
            let end = region.pieces.partition_point(|piece| piece.rows().0 < rect.bottom());
            region.pieces.get(begin..end.max(begin)).unwrap_or_default().iter().flat_map(move |piece| piece.cells(rect))
        })
    }

    /// The stubs that begin in a rectangle's rows and columns.
    pub fn stubs(&self, rect: Rect) -> impl Iterator<Item = &Stub> + '_ {
        self.stubs.iter().flat_map(move |stubs| {
            let begin = stubs.partition_point(|stub| stub.y < rect.y);
            let below = stubs.get(begin..).unwrap_or_default();
            let across = move |stub: &&Stub| stub.x < rect.right() && stub.x + stub.width > rect.x;
            below.iter().take_while(move |stub| stub.y < rect.bottom()).filter(across)
        })
    }

    /// Whether an answer is drawn as a line from its port to its card; else it has a stub.
    #[must_use]
    pub fn is_line(&self, layout: &Layout, edge: Edge) -> bool {
        let (Some(from), Some(to)) = (layout.card(edge.from), layout.card(edge.to)) else { return false };
        let span = cells(to.layer) - cells(from.layer);
        (1..=FAR).contains(&span)
            && self.reachable.at(edge.from) == self.reachable.at(edge.to)
            && cells(from.layer) > self.cut.at(edge.to)
    }

    /// The cells of one answer's line, from its port to its card: what it shares with others is among them. Empty for a
    /// stub.
    #[must_use]
    pub fn line(&self, layout: &Layout, edge: Edge) -> Vec<Cell> {
        let Some((from, to)) = layout.card(edge.from).zip(layout.card(edge.to)).filter(|_| self.is_line(layout, edge))
        else {
            return Vec::new();
        };
        let mut pieces = Vec::new();
        let (x, mut row) = from.port(edge.port);
        for at in from.layer..to.layer {
            let (Some(channel), Some(column)) = (self.channels.get(at), layout.columns.get(at)) else { continue };
            let begin = if at == from.layer { x + 1 } else { column.x };
            if begin < column.channel() {
                pieces.push(along(edge.to, row, begin, column.channel() - 1));
            }
            let is_begin =
                |trunk: &&Trunk| trunk.net.to == edge.to && trunk.before.is_none() && trunk.net.lefts.contains(&row);
            let mut next = channel.trunks.iter().find(is_begin);
            while let Some(trunk) = next {
                self.pieces(layout, at, trunk, &[row], &mut pieces);
                row = trunk.net.right;
                next = trunk.onward.and_then(|onward| channel.trunks.get(onward));
            }
        }
        let all = Rect { x: i32::MIN / 2, y: i32::MIN / 2, width: i32::MAX, height: i32::MAX };
        pieces.into_iter().flat_map(|piece| piece.cells(all)).collect()
    }

    /// One answer's whole way: its line, or where it has a stub, the way that a line of its own would go.
    #[must_use]
    pub fn whole(&self, layout: &Layout, edge: Edge) -> Vec<Cell> {
        let line = self.line(layout, edge);
        if line.is_empty() { layout.detour(edge) } else { line }
    }

    /// Whether a walk from the first step comes to a step.
    #[must_use]
    pub fn is_reachable(&self, step: usize) -> bool {
        self.reachable.at(step)
    }

    /// How many lines cross each other. Takes a while: for measuring.
    #[must_use]
    pub fn crossings(&self) -> usize {
        self.channels.iter().map(Channel::crossings).sum()
    }
}

/// A piece along a row that goes on at both its ends.
pub(super) fn along(to: usize, row: i32, begin: i32, end: i32) -> Segment {
    Segment { to, along: true, at: row, begin, end, open_begin: true, open_end: true, entry: false }
}

/// Whether an answer's line is left out for want of room.
fn is_cut(edge: Edge, layer: &[i32], cut: &[i32]) -> bool {
    cut.get(edge.to).is_some_and(|cut| layer.at(edge.from) <= *cut)
}

/// What is to be joined in each channel.
pub(super) fn nets(graph: &Graph, layout: &Layout, reachable: &[bool], cut: &[i32]) -> Vec<Vec<Net>> {
    let mut nets: Vec<Vec<Net>> = vec![Vec::new(); layout.layers.len()];
    let layer = layout.layer_of();
    for to in 0..graph.len() {
        let drawn = |edge: &&Edge| is_drawn(**edge, &layer, reachable) && !is_cut(**edge, &layer, cut);
        let Some(begin) = graph.incoming(to).iter().filter(drawn).map(|edge| layer.at(edge.from)).min() else {
            continue;
        };
        let Some(card) = layout.card(to) else { continue };
        let base = layer.at(to) - begin;
        let mut lefts: Vec<Vec<i32>> = vec![Vec::new(); index(base)];
        for edge in graph.incoming(to).iter().filter(drawn) {
            let row = layout.card(edge.from).map(|card| card.port(edge.port).1);
            if let (Some(list), Some(row)) = (lefts.get_mut(index(layer.at(edge.from) - begin)), row) {
                list.push(row);
            }
        }
        let mut came = None;
        for (mut lefts, at) in lefts.into_iter().zip(begin..) {
            lefts.extend(came);
            let bend = if at + 1 == layer.at(to) { Some(card.entry().1) } else { layout.bend(to, at + 1) };
            let right = bend.unwrap_or_default();
            if let Some(list) = nets.get_mut(index(at)) {
                list.push(Net { to, lefts, right });
            }
            came = Some(right);
        }
    }
    nets
}

/// Why an answer has a stub; none where it ends the video or is drawn as a line.
pub(super) fn stub_kind(
    graph: &Graph,
    layout: &Layout,
    reachable: &[bool],
    cut: &[i32],
    step: usize,
    port: usize,
) -> Option<StubKind> {
    let to = match graph.ports(step).get(port)?.leads {
        Leads::End => return None,
        Leads::Dangling => return Some(StubKind::Dangling),
        Leads::Step(to) if to == step => return Some(StubKind::Itself),
        Leads::Step(to) => to,
    };
    let (here, there) = (layout.card(step)?.layer, layout.card(to)?.layer);
    let near = there > here && cells(there - here) <= FAR && reachable.at(step) == reachable.at(to);
    let room = cut.get(to).is_none_or(|cut| cells(here) > *cut);
    match (near && room, there > here) {
        (true, _) => None,
        (_, true) => Some(StubKind::Far),
        _ => Some(StubKind::Back),
    }
}
