//! Lines between two neighboring layers: each runs along a row, up or down in a track of its own, and along a row again.
//! Several lines to the same step are one, and join in its track.

use std::collections::BTreeSet;

use super::dense::{Dense as _, index};

/// What is to be joined: rows on the left with one on the right. A line that leads back has a row of its own: it joins
/// others on both sides, turns round on the left, and turns in on the right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Net {
    /// The step it leads to.
    pub(super) to: usize,
    /// The rows of ports and bends on the left; no other net has them.
    pub(super) lefts: Vec<i32>,
    /// The rows on the right, the main one first; no other net has them.
    pub(super) rights: Vec<i32>,
}

/// A net, or part of one, that runs up or down in one track.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Trunk {
    /// What it joins. Where it goes on from another trunk, its left row is that one's right.
    pub(super) net: Net,
    /// Its track, counted from the left; none where it runs straight along its row.
    pub(super) track: Option<usize>,
    /// The trunk it goes on from.
    pub(super) before: Option<usize>,
    /// The trunk that goes on from it.
    pub(super) onward: Option<usize>,
}

impl Trunk {
    /// Its first and last row.
    pub(super) fn rows(&self) -> (i32, i32) {
        let rows = self.net.lefts.iter().chain(&self.net.rights);
        rows.fold((i32::MAX, i32::MIN), |(top, bottom), row| (top.min(*row), bottom.max(*row)))
    }
}

/// The lines between two layers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Channel {
    pub(super) trunks: Vec<Trunk>,
    /// How many tracks they take.
    pub(super) tracks: usize,
}

impl Channel {
    /// Whether [`Self::route`] would make it of these nets. Where a ring was parted that is not told.
    pub(super) fn is_of(&self, nets: &[Net]) -> bool {
        self.trunks.len() == nets.len()
            && self.trunks.iter().zip(nets).all(|(trunk, net)| trunk.onward.is_none() && trunk.net == *net)
    }

    /// Gives every net its tracks.
    ///
    /// Where a row belongs to one net on the left and to another on the right, the first has to turn off before the
    /// second turns in: its track has to be further left. A net has one right row, so at most one other that it has to
    /// wait for. Where they wait for each other in a ring, one of them is parted: it makes a detour by a row of its own.
    pub(super) fn route(nets: Vec<Net>) -> Self {
        let mut lefts: Vec<(i32, usize)> = Vec::with_capacity(nets.len());
        for (at, net) in nets.iter().enumerate() {
            lefts.extend(net.lefts.iter().map(|row| (*row, at)));
        }
        lefts.sort_unstable();
        let mut waits: Vec<Option<usize>> = Vec::with_capacity(nets.len());
        for (at, net) in nets.iter().enumerate() {
            let found = net.rights.first().map(|right| lefts.binary_search_by_key(right, |(row, _)| *row));
            waits.push(found.and_then(Result::ok).map(|found| lefts.at(found).1).filter(|other| *other != at));
        }
        let trunks = nets.into_iter().map(|net| Trunk { net, ..Trunk::default() }).collect();
        let mut channel = Self { trunks, tracks: 0 };
        channel.part_rings(&mut waits);
        channel.assign(&waits);
        channel
    }

    fn part_rings(&mut self, waits: &mut Vec<Option<usize>>) {
        let mut walked = vec![0usize; self.trunks.len()];
        let mut taken: Option<BTreeSet<i32>> = None;
        for (root, walk) in (0..walked.len()).zip(1..) {
            let mut at = Some(root);
            while let Some(trunk) = at {
                match walked.at(trunk) {
                    0 => {
                        walked.put(trunk, walk);
                        at = waits.at(trunk);
                    }
                    mark if mark == walk => {
                        let taken = taken.get_or_insert_with(|| {
                            let rows = |trunk: &Trunk| {
                                trunk.net.lefts.iter().chain(&trunk.net.rights).copied().collect::<Vec<_>>()
                            };
                            self.trunks.iter().flat_map(rows).collect()
                        });
                        self.part(trunk, waits, taken);
                        at = None;
                    }
                    _ => at = None,
                }
            }
        }
    }

    /// Parts a trunk in two that are joined by a row that is free.
    fn part(&mut self, at: usize, waits: &mut Vec<Option<usize>>, taken: &mut BTreeSet<i32>) {
        let second = self.trunks.len();
        let Some(trunk) = self.trunks.get_mut(at) else { return };
        let Some(right) = trunk.net.rights.first().copied() else { return };
        let nearest = |row: &i32| !taken.contains(row);
        let Some(row) = (1..i32::MAX / 4).flat_map(|away| [right + away, right - away]).find(nearest) else { return };
        taken.insert(row);
        let rights = std::mem::replace(&mut trunk.net.rights, vec![row]);
        trunk.onward = Some(second);
        let net = Net { to: trunk.net.to, lefts: vec![row], rights };
        self.trunks.push(Trunk { net, before: Some(at), ..Trunk::default() });
        waits.push(waits.at(at));
        waits.put(at, None);
    }

    fn assign(&mut self, waits: &[Option<usize>]) {
        let rows: Vec<(i32, i32)> = self.trunks.iter().map(Trunk::rows).collect();
        let top = rows.iter().map(|rows| rows.0).min().unwrap_or(0);
        let bottom = rows.iter().map(|rows| rows.1).max().unwrap_or(0);
        // Lines that go up turn off the sooner the higher they are, lines that go down the lower: so they don't cross.
        let mut order: Vec<(bool, i32, usize)> = Vec::with_capacity(rows.len());
        for (at, trunk) in self.trunks.iter().enumerate() {
            let net = &trunk.net;
            let sum: i64 = net.lefts.iter().map(|row| i64::from(*row)).sum();
            let goal = net.rights.first().or(net.lefts.last()).copied().unwrap_or_default();
            let down = i64::from(goal).saturating_mul(i64::try_from(net.lefts.len()).unwrap_or(1)) > sum;
            order.push((down, if down { -goal } else { goal }, at));
        }
        order.sort_unstable();
        let mut free = vec![0usize; index(bottom - top) + 1];
        let mut done = vec![false; rows.len()];
        let mut open = Vec::new();
        for (_, _, root) in order {
            open.push(root);
            while let Some(at) = open.last().copied() {
                let before = self.trunks.get(at).and_then(|trunk| trunk.before);
                let first = [waits.at(at), before].into_iter().flatten().find(|other| !done.at(*other));
                if let Some(first) = first.filter(|_| !done.at(at)) {
                    open.push(first);
                    continue;
                }
                open.pop();
                if done.at(at) {
                    continue;
                }
                done.put(at, true);
                let (high, low) = rows.at(at);
                if high == low {
                    continue;
                }
                let after = [waits.at(at), before].into_iter().flatten();
                let after = after.filter_map(|other| self.trunks.get(other)?.track).map(|track| track + 1).max();
                let stretch = free.get_mut(index(high - top)..=index(low - top)).unwrap_or_default();
                let track = stretch.iter().copied().max().unwrap_or(0).max(after.unwrap_or(0));
                stretch.fill(track + 1);
                self.tracks = self.tracks.max(track + 1);
                if let Some(trunk) = self.trunks.get_mut(at) {
                    trunk.track = Some(track);
                }
            }
        }
    }

    /// How many lines cross here, joins of one line not counted.
    pub(super) fn crossings(&self) -> usize {
        let mut count = 0;
        for trunk in &self.trunks {
            let Some(track) = trunk.track else { continue };
            let (top, bottom) = trunk.rows();
            for other in &self.trunks {
                let within = |row: i32| row > top && row < bottom;
                let turn = other.track.unwrap_or(usize::MAX);
                if other.net.to == trunk.net.to {
                    continue;
                }
                let begin = other.before.and_then(|before| self.trunks.get(before)?.track);
                let end = other.onward.and_then(|onward| self.trunks.get(onward)?.track);
                let lefts = other.net.lefts.iter().filter(|row| within(**row)).count();
                if begin.is_none_or(|begin| begin < track) && track < turn {
                    count += lefts;
                }
                let goes = other.track.is_some() && turn < track && end.is_none_or(|end| track < end);
                // A detour's row is counted with the trunk that it leads to.
                if goes && end.is_none() {
                    count += other.net.rights.iter().filter(|row| within(**row)).count();
                }
            }
        }
        count
    }
}
