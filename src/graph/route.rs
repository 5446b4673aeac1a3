//! The lines of a graph on a layout, and what of them is visible where.

use super::channel::{Channel, Net, Trunk};
use super::dense::{Dense as _, cells};
use super::layout::{Layout, Rect};
use super::nets::{Cut, nets, stub_kind};
use super::segment::{Cell, Segment};
use super::steps::{Edge, Graph, Leads};
use super::stub::Stub;

/// The lines and stubs of a graph.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Routes {
    /// Pieces by region: the first channel, a column of cards, its channel, the next column of cards…
    regions: Vec<Region>,
    /// Stubs by column, from the top down.
    stubs: Vec<Vec<Stub>>,
    /// The channel left of everything, and the one right of each column.
    channels: Vec<Channel>,
    /// The step's lines from this layer and before are not drawn: there was no room.
    cut: Vec<i32>,
    /// The step's lines that lead back are not drawn.
    cut_lanes: Vec<bool>,
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

/// The region of a channel.
fn of_channel(channel: usize) -> usize {
    channel * 2
}

/// The region of a column of cards.
fn of_column(column: usize) -> usize {
    column * 2 + 1
}

impl Routes {
    /// Draws the lines. What a channel of the layout has no room for becomes a stub.
    #[must_use]
    pub fn new(graph: &Graph, layout: &Layout) -> Self {
        Self::default().follow(graph, layout)
    }

    /// The same after an edit: a channel in which the same is joined stays as it was.
    #[must_use]
    pub(super) fn follow(self, graph: &Graph, layout: &Layout) -> Self {
        let mut before = self.channels;
        let mut routes = Self {
            reachable: graph.reachable(graph.first()),
            cut: vec![-1; graph.len()],
            cut_lanes: vec![false; graph.len()],
            ..Self::default()
        };
        loop {
            let all = nets(graph, layout, &routes.reachable, routes.cuts());
            let mut known = std::mem::take(&mut before).into_iter();
            let route = |nets: Vec<Net>| match known.next() {
                Some(channel) if channel.is_of(&nets) => channel,
                _ => Channel::route(nets),
            };
            routes.channels = all.into_iter().map(route).collect();
            if !routes.cut_what_is_too_much(layout) {
                routes.draw(graph, layout);
                return routes;
            }
            before = std::mem::take(&mut routes.channels);
        }
    }

    fn cuts(&self) -> Cut<'_> {
        Cut { lines: &self.cut, lanes: &self.cut_lanes }
    }

    /// Cuts the lines for which a channel has no track; whether there were any.
    fn cut_what_is_too_much(&mut self, layout: &Layout) -> bool {
        let mut full = false;
        for (at, (channel, column)) in self.channels.iter().skip(1).zip(&layout.columns).enumerate() {
            let room = column.tracks.max(1);
            for trunk in channel.trunks.iter().filter(|trunk| cells(trunk.track.unwrap_or(0)) >= room) {
                let to = trunk.net.to;
                let leads_back = trunk.net.rights.len() != 1 || layout.card(to).is_some_and(|card| card.layer <= at);
                if leads_back {
                    self.cut_lanes.put(to, true);
                } else {
                    let until = self.cut.at(to).max(cells(at));
                    self.cut.put(to, until);
                }
                full = true;
            }
        }
        full
    }

    fn draw(&mut self, graph: &Graph, layout: &Layout) {
        self.regions = vec![Region::default(); self.channels.len() + layout.columns.len()];
        for (at, channel) in self.channels.iter().enumerate() {
            let columns = layout.channel(at, channel.tracks).map(|(begin, _, end)| (begin, end + 1));
            if let Some((region, columns)) = self.regions.get_mut(of_channel(at)).zip(columns) {
                region.columns = columns;
            }
        }
        for (at, column) in layout.columns.iter().enumerate() {
            if let Some(region) = self.regions.get_mut(of_column(at)) {
                region.columns = (column.x, column.channel());
            }
        }
        self.draw_ports(graph, layout);
        for at in 0..self.channels.len() {
            let mut pieces = Vec::new();
            let mut bends = Vec::new();
            let Some(channel) = self.channels.get(at) else { continue };
            for trunk in &channel.trunks {
                self.pieces(layout, at, trunk, &trunk.net.lefts, &trunk.net.rights, &mut pieces);
                let bend = layout.card(trunk.net.to).is_some_and(|card| card.layer > at) && trunk.onward.is_none();
                if let Some((column, row)) = layout.columns.get(at).filter(|_| bend).zip(trunk.net.rights.first()) {
                    bends.push(along(trunk.net.to, *row, column.x, column.channel() - 1));
                }
            }
            if let Some(region) = self.regions.get_mut(of_channel(at)) {
                region.pieces = pieces;
            }
            for piece in bends {
                self.add(of_column(at), piece);
            }
        }
        for (to, row) in &layout.lanes {
            if self.cut_lanes.at(*to) {
                continue;
            }
            let Some((first, last)) = layout.lane_span(graph, *to, &self.reachable) else { continue };
            for (at, column) in layout.columns.iter().enumerate().take(last + 1).skip(first) {
                self.add(of_column(at), along(*to, *row, column.x, column.channel() - 1));
            }
        }
        self.sort();
    }

    /// What leaves the ports: stubs, and pieces of line as far as the column's channel.
    fn draw_ports(&mut self, graph: &Graph, layout: &Layout) {
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
                if let Some(kind) = stub_kind(graph, layout, &self.reachable, self.cuts(), step, port) {
                    let width = column.channel() + column.stubs - x - 1;
                    if let Some(stubs) = self.stubs.get_mut(card.layer) {
                        stubs.push(Stub { kind, from: step, port, to, x: x + 1, y, width });
                    }
                } else if x + 1 < column.channel() {
                    let piece = along(to.unwrap_or_default(), y, x + 1, column.channel() - 1);
                    self.add(of_column(card.layer), piece);
                }
            }
        }
        for stubs in &mut self.stubs {
            stubs.sort_unstable_by_key(|stub| stub.y);
        }
    }

    /// Makes the index of what is visible where.
    fn sort(&mut self) {
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

    /// The pieces of a trunk, with those of its rows that are asked for.
    fn pieces(&self, layout: &Layout, at: usize, trunk: &Trunk, lefts: &[i32], rights: &[i32], out: &mut Vec<Segment>) {
        let Some(channel) = self.channels.get(at) else { return };
        let Some((begin, first, end)) = layout.channel(at, channel.tracks) else { return };
        let track = |track: usize| first.saturating_add(cells(track));
        let to = trunk.net.to;
        let card = layout.card(to).filter(|card| card.layer == at).map(|card| card.entry().1);
        let enters = |row: i32| trunk.onward.is_none() && card == Some(row);
        let Some(x) = trunk.track.map(track) else {
            out.extend(lefts.iter().map(|row| Segment { entry: enters(*row), ..along(to, *row, begin, end) }));
            return;
        };
        if trunk.before.is_none() {
            out.extend(lefts.iter().map(|row| Segment { open_end: false, ..along(to, *row, begin, x) }));
        }
        let onward = trunk.onward.and_then(|onward| channel.trunks.get(onward)?.track).map(track);
        out.extend(rights.iter().map(|row| Segment {
            open_begin: false,
            open_end: onward.is_none(),
            entry: enters(*row),
            ..along(to, *row, x, onward.unwrap_or(end))
        }));
        let rows = lefts.iter().chain(rights);
        let (top, low) = rows.fold((i32::MAX, i32::MIN), |(top, low), row| (top.min(*row), low.max(*row)));
        out.push(Segment { to, along: false, at: x, begin: top, end: low, ..Segment::default() });
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
        if layout.leads_back(edge, &self.reachable) {
            return self.cuts().lane(layout, edge.to).is_some();
        }
        to.layer > from.layer && layout.is_near(edge, &self.reachable) && !self.cuts().holds(edge, cells(from.layer))
    }

    /// The cells of one answer's line, from its port to its card: what it shares with others is among them. Empty for a
    /// stub.
    #[must_use]
    pub fn line(&self, layout: &Layout, edge: Edge) -> Vec<Cell> {
        let Some((from, to)) = layout.card(edge.from).zip(layout.card(edge.to)).filter(|_| self.is_line(layout, edge))
        else {
            return Vec::new();
        };
        let (x, row) = from.port(edge.port);
        let mut pieces = Vec::new();
        if let Some(column) = layout.columns.get(from.layer).filter(|column| x + 1 < column.channel()) {
            pieces.push(along(edge.to, row, x + 1, column.channel() - 1));
        }
        match self.cuts().lane(layout, edge.to).filter(|_| to.layer <= from.layer) {
            Some(lane) => self.line_back(layout, edge, (from.layer, to.layer), (row, lane), &mut pieces),
            None => self.line_on(layout, edge, (from.layer, to.layer), row, &mut pieces),
        }
        let all = Rect { x: i32::MIN / 2, y: i32::MIN / 2, width: i32::MAX, height: i32::MAX };
        pieces.into_iter().flat_map(|piece| piece.cells(all)).collect()
    }

    /// A line to the right, from channel to channel.
    fn line_on(&self, layout: &Layout, edge: Edge, layers: (usize, usize), row: i32, pieces: &mut Vec<Segment>) {
        let mut row = row;
        for at in layers.0 + 1..=layers.1 {
            let Some(channel) = self.channels.get(at) else { continue };
            let is_begin =
                |trunk: &&Trunk| trunk.net.to == edge.to && trunk.before.is_none() && trunk.net.lefts.contains(&row);
            let mut next = channel.trunks.iter().find(is_begin);
            while let Some(trunk) = next {
                let Some(right) = trunk.net.rights.first().copied() else { break };
                self.pieces(layout, at, trunk, &[row], &[right], pieces);
                row = right;
                next = trunk.onward.and_then(|onward| channel.trunks.get(onward));
            }
            if let Some(column) = layout.columns.get(at).filter(|_| at < layers.1) {
                pieces.push(along(edge.to, row, column.x, column.channel() - 1));
            }
        }
    }

    /// A line that turns round right of its card, runs back along its lane, and turns in left of where it leads.
    fn line_back(
        &self,
        layout: &Layout,
        edge: Edge,
        layers: (usize, usize),
        (row, lane): (i32, i32),
        pieces: &mut Vec<Segment>,
    ) {
        for at in (layers.1..=layers.0 + 1).rev() {
            let Some(channel) = self.channels.get(at) else { continue };
            let is_mine = |trunk: &&Trunk| {
                let net = &trunk.net;
                net.to == edge.to && (net.lefts.contains(&lane) || (at == layers.1 && net.rights.contains(&lane)))
            };
            if let Some(trunk) = channel.trunks.iter().find(is_mine) {
                if at == layers.0 + 1 {
                    self.pieces(layout, at, trunk, &[row, lane], &[], pieces);
                } else if at == layers.1 {
                    let entry = layout.card(edge.to).map_or(lane, |card| card.entry().1);
                    self.pieces(layout, at, trunk, &[], &[entry, lane], pieces);
                } else if let Some((begin, _, end)) = layout.channel(at, channel.tracks) {
                    pieces.push(along(edge.to, lane, begin, end));
                }
            }
            if let Some(column) = at.checked_sub(1).filter(|at| *at >= layers.1).and_then(|at| layout.columns.get(at)) {
                pieces.push(along(edge.to, lane, column.x, column.channel() - 1));
            }
        }
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
