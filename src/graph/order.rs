//! Which stands above which in a layer, so that few lines cross: sweeps by barycentre and by median, and neighbors that
//! are switched where that helps. The answers of a step keep their order.

use std::ops::Range;

use super::dense::{Dense as _, real};
use super::lattice::{Lattice, Link};

/// Neighbors with more links than this together are not weighed against each other.
const MOST_LINKS: usize = 256;

/// How many layers are tried again together, in turn.
const WINDOWS: [usize; 4] = [8, 4, 16, 6];

/// How hard to try.
#[derive(Clone, Copy)]
struct Effort {
    /// Sweeps through all layers.
    sweeps: usize,
    /// How often all neighbors are switched after a sweep.
    switches: usize,
    /// How often every window is shaken.
    shakes: u64,
}

impl Effort {
    /// What there is time for: a millisecond for small graphs, some for a thousand steps, some tens for ten thousand.
    fn of(items: usize) -> Self {
        match items {
            0..400 => Self { sweeps: 16, switches: 8, shakes: 10 },
            400..1_800 => Self { sweeps: 10, switches: 8, shakes: 5 },
            1_800..6_000 => Self { sweeps: 5, switches: 8, shakes: 2 },
            _ => Self { sweeps: 3, switches: 3, shakes: 1 },
        }
    }
}

/// Orders every layer. The same input gives the same order.
pub(super) fn order(lattice: &mut Lattice) {
    let effort = Effort::of(lattice.len());
    let all = 0..lattice.layers.len();
    let mut places = Places::of(lattice);
    for layer in &mut lattice.layers {
        layer.sort_by_key(|item| places.parts.at(*item));
        places.note(layer);
    }
    let mut best = (crossings(lattice, &places, &all), lattice.layers.clone());
    let mut idle = 0;
    for round in 0..effort.sweeps {
        if best.0 == 0 || idle > 3 {
            break;
        }
        settle(lattice, &mut places, &all, round, effort.switches);
        let count = crossings(lattice, &places, &all);
        if count < best.0 {
            best = (count, lattice.layers.clone());
            idle = 0;
        } else {
            idle += 1;
        }
    }
    lattice.layers = best.1;
    if best.0 > 0 {
        for layer in &lattice.layers {
            places.note(layer);
        }
        for shake in 1..=effort.shakes {
            let size = WINDOWS.get(usize::try_from(shake - 1).unwrap_or(0) % WINDOWS.len()).copied().unwrap_or(8);
            for begin in (0..lattice.layers.len()).step_by(size / 2) {
                let window = begin..(begin + size).min(lattice.layers.len());
                shake_window(lattice, &mut places, &window, shake);
            }
        }
    }
}

/// Switches neighbors where lines that are gone were in the way.
pub(super) fn polish(lattice: &mut Lattice) {
    let mut places = Places::of(lattice);
    let all = 0..lattice.layers.len();
    for _ in 0..8 {
        if !switch(lattice, &mut places, &all) {
            break;
        }
    }
}

/// One sweep, and neighbors switched as long as that helps.
fn settle(lattice: &mut Lattice, places: &mut Places, window: &Range<usize>, round: usize, switches: usize) {
    sweep(lattice, places, window, round);
    for _ in 0..switches {
        if !switch(lattice, places, window) {
            break;
        }
    }
}

/// Lets some of a few layers change places and settles them again; keeps that if fewer lines cross.
fn shake_window(lattice: &mut Lattice, places: &mut Places, window: &Range<usize>, seed: u64) {
    let mut least = crossings(lattice, places, window);
    let layers = |lattice: &Lattice| lattice.layers.get(window.clone()).unwrap_or_default().to_vec();
    if least == 0 {
        return;
    }
    let mut best = layers(lattice);
    let mut dice = Dice::new(seed.wrapping_mul(31).wrapping_add(u64::try_from(window.start).unwrap_or(0)));
    for layer in lattice.layers.get_mut(window.clone()).unwrap_or_default() {
        for _ in 0..layer.len().div_ceil(6) {
            let one = dice.below(layer.len());
            let other = (one + 1 + dice.below(6)) % layer.len();
            layer.swap(one, other);
        }
        places.note(layer);
    }
    for round in 0..SETTLING {
        settle(lattice, places, window, round, 8);
        let count = crossings(lattice, places, window);
        if count < least {
            (least, best) = (count, layers(lattice));
        }
    }
    for (layer, best) in lattice.layers.get_mut(window.clone()).unwrap_or_default().iter_mut().zip(best) {
        *layer = best;
        places.note(layer);
    }
}

/// Sweeps after which a shaken window has settled.
const SETTLING: usize = 3;

/// Chance that is the same every time.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % u64::try_from(limit.max(1)).unwrap_or(1)).unwrap_or(0)
    }
}

/// The place of every card and bend in its layer.
struct Places {
    places: Vec<usize>,
    /// Which part each belongs to: parts that no line joins stand one above the other in all layers, so that their lines
    /// never cross.
    parts: Vec<usize>,
}

impl Places {
    fn of(lattice: &Lattice) -> Self {
        let mut places = Self { places: vec![0; lattice.len()], parts: vec![0; lattice.len()] };
        let mut open = Vec::new();
        let roots = lattice.layers.iter().flatten().copied();
        for (root, part) in roots.zip(1..) {
            open.push(root);
            while let Some(item) = open.pop() {
                if places.parts.at(item) > 0 {
                    continue;
                }
                places.parts.put(item, part);
                let links = lattice.before.of(item).iter().chain(lattice.after.of(item));
                open.extend(links.map(|link| link.other));
            }
        }
        for layer in &lattice.layers {
            places.note(layer);
        }
        places
    }

    fn note(&mut self, layer: &[usize]) {
        for (place, item) in layer.iter().enumerate() {
            self.places.put(*item, place);
        }
    }

    /// Where a link begins in the layer before: below what stands above it, and below the answers before it.
    fn start(&self, link: &Link) -> f64 {
        // Fewer than 64 answers keep apart exactly; others share the last place.
        real(self.places.at(link.other)) + real(link.port.min(62) + 1) / 64.0
    }

    fn goal(&self, link: &Link) -> f64 {
        real(self.places.at(link.other))
    }
}

/// Goes through layers to the right and back, each ordered by what it is linked with in the one before.
fn sweep(lattice: &mut Lattice, places: &mut Places, window: &Range<usize>, round: usize) {
    let median = round % 2 == 1;
    let last = window.end.min(lattice.layers.len().saturating_sub(1));
    let mut keyed: Vec<(usize, f64, usize)> = Vec::new();
    let mut linked = Vec::new();
    for (at, right) in
        (window.start.max(1)..window.end).map(|at| (at, true)).chain((window.start..last).rev().map(|at| (at, false)))
    {
        let Some(layer) = lattice.layers.get_mut(at) else { continue };
        keyed.clear();
        for item in layer.iter() {
            linked.clear();
            if right {
                linked.extend(lattice.before.of(*item).iter().map(|link| places.start(link)));
            } else {
                linked.extend(lattice.after.of(*item).iter().map(|link| places.goal(link)));
            }
            let key = match linked.as_mut_slice() {
                [] => real(places.places.at(*item)),
                [one] => *one,
                many if median => {
                    many.sort_unstable_by(f64::total_cmp);
                    let middle = many.len() / 2;
                    if many.len() % 2 == 1 {
                        many.at(middle)
                    } else {
                        f64::midpoint(many.at(middle - 1), many.at(middle))
                    }
                }
                many => many.iter().sum::<f64>() / real(many.len()),
            };
            keyed.push((places.parts.at(*item), key, *item));
        }
        keyed.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        layer.clear();
        layer.extend(keyed.iter().map(|(_, _, item)| *item));
        places.note(layer);
    }
}

/// Switches neighbors whose lines then cross less; whether any were.
fn switch(lattice: &mut Lattice, places: &mut Places, window: &Range<usize>) -> bool {
    let mut switched = false;
    let Lattice { layers, before, after, .. } = lattice;
    for layer in layers.get_mut(window.clone()).unwrap_or_default() {
        for at in 1..layer.len() {
            let (upper, lower) = (layer.at(at - 1), layer.at(at));
            if places.parts.at(upper) != places.parts.at(lower) {
                continue;
            }
            let weigh = |upper: &[Link], lower: &[Link], key: &dyn Fn(&Link) -> f64| {
                let mut gain = 0i64;
                if upper.len() + lower.len() <= MOST_LINKS {
                    for one in upper {
                        for other in lower {
                            let (one, other) = (key(one), key(other));
                            gain += i64::from(one > other) - i64::from(one < other);
                        }
                    }
                }
                gain
            };
            let gain = weigh(before.of(upper), before.of(lower), &|link| places.start(link))
                + weigh(after.of(upper), after.of(lower), &|link| places.goal(link));
            if gain > 0 {
                layer.swap(at - 1, at);
                places.places.put(upper, at);
                places.places.put(lower, at - 1);
                switched = true;
            }
        }
    }
    switched
}

/// How many pairs of lines cross between neighboring layers, those before and after the window's among them.
fn crossings(lattice: &Lattice, places: &Places, window: &Range<usize>) -> u64 {
    let mut count = 0;
    let mut goals: Vec<usize> = Vec::new();
    let mut tree: Vec<u32> = Vec::new();
    let mut links: Vec<(usize, usize)> = Vec::new();
    let layers = window.start.saturating_sub(1)..window.end.saturating_add(1).min(lattice.layers.len());
    for pair in lattice.layers.get(layers).unwrap_or_default().windows(2) {
        let [layer, next] = pair else { continue };
        goals.clear();
        for item in layer {
            links.clear();
            links.extend(lattice.after.of(*item).iter().map(|link| (link.port, places.places.at(link.other))));
            links.sort_unstable();
            goals.extend(links.iter().map(|(_, goal)| *goal));
        }
        count += inversions(&goals, next.len(), &mut tree);
    }
    count
}

/// How many pairs are in the wrong order: counted with a Fenwick tree over the places, of which there are so many.
pub(super) fn inversions(goals: &[usize], places: usize, tree: &mut Vec<u32>) -> u64 {
    let mut count = 0;
    tree.clear();
    tree.resize(places + 1, 0);
    for (seen, goal) in goals.iter().enumerate() {
        let (mut not_below, mut at) = (0u64, goal + 1);
        while at > 0 {
            not_below += u64::from(tree.at(at));
            at &= at - 1;
        }
        count += u64::try_from(seen).unwrap_or(0).saturating_sub(not_below);
        at = goal + 1;
        while at <= places {
            if let Some(count) = tree.get_mut(at) {
                *count += 1;
            }
            at += at & at.wrapping_neg();
        }
    }
    count
}
