//! Which lines give way: those that cross most others become stubs, so that the others can be followed by eye.

use std::collections::BinaryHeap;

use super::dense::{Dense as _, Lists};
use super::lattice::Lattice;
use super::steps::{Edge, Graph};

/// One line in so many gives way, at the most.
const ONE_IN: usize = 8;

/// Between columns with more lines than this nothing is compared.
const MOST_LINES: usize = 512;

/// The answers that are to have stubs in place of lines, sorted. The only line that leads to a step gives way last.
pub(super) fn give_way(graph: &Graph, lattice: &Lattice) -> Vec<Edge> {
    let mut knot = Knot::new(graph, lattice);
    let most = knot.edges.len() / ONE_IN;
    let mut gone = Vec::new();
    for least in [2, 1] {
        knot.least = least;
        let weighed = (0..knot.edges.len()).map(|edge| (knot.spared(edge), edge));
        let mut open: BinaryHeap<(usize, usize)> = weighed.filter(|(spared, _)| *spared > 0).collect();
        while let Some((spared, edge)) = open.pop().filter(|(spared, _)| *spared > 0 && gone.len() < most) {
            let now = knot.spared(edge);
            if now < spared {
                open.push((now, edge));
            } else if let Some(line) = knot.cut(edge, &mut open) {
                gone.push(line);
            }
        }
    }
    gone.sort_unstable();
    gone
}

/// The lines, the pieces between neighboring columns that they are made of, and which of those cross.
struct Knot {
    edges: Vec<Edge>,
    /// The pieces of each line.
    pieces: Lists<usize>,
    /// The lines that run on each piece.
    users: Lists<usize>,
    /// How many lines run on each piece now.
    used: Vec<usize>,
    /// The pieces that each piece crosses.
    crossed: Lists<usize>,
    /// How many lines lead to each step now.
    coming: Vec<usize>,
    gone: Vec<bool>,
    /// How many lines have to lead to a step for one of them to give way.
    least: usize,
}

impl Knot {
    fn new(graph: &Graph, lattice: &Lattice) -> Self {
        let mut first_piece = vec![0; lattice.len()];
        let mut count = 0;
        for (item, first) in first_piece.iter_mut().enumerate() {
            *first = count;
            count += lattice.after.of(item).len();
        }
        let (mut edges, mut pieces, mut users) = (Vec::new(), Vec::new(), Vec::new());
        let mut coming = vec![0_usize; lattice.steps];
        for from in 0..lattice.steps {
            for (nth, link) in lattice.after.of(from).iter().enumerate() {
                let Some(edge) = graph.outgoing(from).find(|edge| edge.port == link.port) else { continue };
                if let Some(count) = coming.get_mut(edge.to) {
                    *count += 1;
                }
                let mut add = |piece: usize| {
                    pieces.push((edges.len(), piece));
                    users.push((piece, edges.len()));
                };
                add(first_piece.at(from) + nth);
                let mut at = link.other;
                while at >= lattice.steps
                    && let Some(next) = lattice.after.of(at).first()
                {
                    add(first_piece.at(at));
                    at = next.other;
                }
                edges.push(edge);
            }
        }
        let mut used = vec![0_usize; count];
        for (piece, _) in &users {
            if let Some(count) = used.get_mut(*piece) {
                *count += 1;
            }
        }
        Self {
            pieces: Lists::new(edges.len(), &pieces),
            users: Lists::new(count, &users),
            used,
            crossed: Lists::new(count, &crossed(lattice, &first_piece)),
            coming,
            gone: vec![false; edges.len()],
            least: 1,
            edges,
        }
    }

    /// How many crossings there are less without a line: those of the pieces that no other line runs on.
    fn spared(&self, edge: usize) -> usize {
        if self.gone.at(edge) || self.coming.at(self.edges.at(edge).to) < self.least {
            return 0;
        }
        let own = self.pieces.of(edge).iter().filter(|piece| self.used.at(**piece) == 1);
        own.flat_map(|piece| self.crossed.of(*piece)).filter(|other| self.used.at(**other) > 0).count()
    }

    /// Takes a line out, and weighs those again that it ran together with.
    fn cut(&mut self, edge: usize, open: &mut BinaryHeap<(usize, usize)>) -> Option<Edge> {
        let line = self.edges.get(edge).copied()?;
        self.gone.put(edge, true);
        if let Some(count) = self.coming.get_mut(line.to) {
            *count -= 1;
        }
        for piece in self.pieces.of(edge) {
            if let Some(count) = self.used.get_mut(*piece) {
                *count -= 1;
            }
            if self.used.at(*piece) == 1 {
                open.extend(self.users.of(*piece).iter().map(|user| (self.spared(*user), *user)));
            }
        }
        Some(line)
    }
}

/// The pairs of pieces that cross, both ways round.
fn crossed(lattice: &Lattice, first_piece: &[usize]) -> Vec<(usize, usize)> {
    let mut place = vec![0; lattice.len()];
    for list in &lattice.layers {
        for (at, item) in list.iter().enumerate() {
            place.put(*item, at);
        }
    }
    let mut pairs = Vec::new();
    let mut above: Vec<(usize, usize)> = Vec::new();
    for list in &lattice.layers {
        above.clear();
        for item in list {
            let links = lattice.after.of(*item).iter().enumerate();
            let mut below: Vec<_> =
                links.map(|(nth, link)| (link.port, place.at(link.other), first_piece.at(*item) + nth)).collect();
            below.sort_unstable();
            above.extend(below.into_iter().map(|(_, goal, piece)| (goal, piece)));
        }
        if above.len() > MOST_LINES {
            continue;
        }
        for (nth, (goal, piece)) in above.iter().enumerate() {
            for (_, other) in above.iter().take(nth).filter(|(other, _)| other > goal) {
                pairs.extend([(*piece, *other), (*other, *piece)]);
            }
        }
    }
    pairs
}
