//! Which stands above which in a layer, so that few lines cross: sweeps by barycentre and by median, and neighbours that
//! are switched where that helps. The answers of a step keep their order.

use super::dense::{Dense as _, real};
use super::lattice::{Lattice, Link};

/// Neighbours with more links than this together are not weighed against each other.
const MOST_LINKS: usize = 256;

/// Orders every layer. The same input gives the same order.
pub(super) fn order(lattice: &mut Lattice) {
    let rounds = match lattice.len() {
        0..400 => 16,
        400..6_000 => 5,
        _ => 2,
    };
    let mut places = Places::of(lattice);
    let mut best = (crossings(lattice, &places), lattice.layers.clone());
    let mut idle = 0;
    for round in 0..rounds {
        if best.0 == 0 || idle > 3 {
            break;
        }
        sweep(lattice, &mut places, round);
        // Neighbours are switched as long as that helps, but a big graph has to be done with some time.
        let patience = if lattice.len() < 6_000 { 8 } else { 2 };
        for _ in 0..patience {
            if !switch(lattice, &mut places) {
                break;
            }
        }
        let count = crossings(lattice, &places);
        if count < best.0 {
            best = (count, lattice.layers.clone());
            idle = 0;
        } else {
            idle += 1;
        }
    }
    lattice.layers = best.1;
}

/// The place of every card and bend in its layer.
struct Places(Vec<usize>);

impl Places {
    fn of(lattice: &Lattice) -> Self {
        let mut places = Self(vec![0; lattice.len()]);
        for layer in &lattice.layers {
            places.note(layer);
        }
        places
    }

    fn note(&mut self, layer: &[usize]) {
        for (place, item) in layer.iter().enumerate() {
            self.0.put(*item, place);
        }
    }

    /// Where a link begins in the layer before: below what stands above it, and below the answers before it.
    fn start(&self, link: &Link) -> f64 {
        // Fewer than 64 answers keep apart exactly; others share the last place.
        real(self.0.at(link.other)) + real(link.port.min(62) + 1) / 64.0
    }

    fn goal(&self, link: &Link) -> f64 {
        real(self.0.at(link.other))
    }
}

/// Goes through all layers to the right and back, each ordered by what it is linked with in the one before.
fn sweep(lattice: &mut Lattice, places: &mut Places, round: usize) {
    let median = round % 2 == 1;
    let count = lattice.layers.len();
    let mut keyed: Vec<(f64, usize)> = Vec::new();
    let mut linked = Vec::new();
    for (at, right) in (1..count).map(|at| (at, true)).chain((0..count.saturating_sub(1)).rev().map(|at| (at, false))) {
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
                [] => real(places.0.at(*item)),
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
            keyed.push((key, *item));
        }
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
        layer.clear();
        layer.extend(keyed.iter().map(|(_, item)| *item));
        places.note(layer);
    }
}

/// Switches neighbours whose lines then cross less; whether any were.
fn switch(lattice: &mut Lattice, places: &mut Places) -> bool {
    let mut switched = false;
    let Lattice { layers, before, after, .. } = lattice;
    for layer in layers {
        for at in 1..layer.len() {
            let (upper, lower) = (layer.at(at - 1), layer.at(at));
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
                places.0.put(upper, at);
                places.0.put(lower, at - 1);
                switched = true;
            }
        }
    }
    switched
}

/// How many pairs of lines cross between neighbouring layers.
fn crossings(lattice: &Lattice, places: &Places) -> u64 {
    let mut count = 0;
    let mut goals: Vec<usize> = Vec::new();
    let mut tree: Vec<u32> = Vec::new();
    let mut links: Vec<(usize, usize)> = Vec::new();
    for pair in lattice.layers.windows(2) {
        let [layer, next] = pair else { continue };
        goals.clear();
        for item in layer {
            links.clear();
            links.extend(lattice.after.of(*item).iter().map(|link| (link.port, places.0.at(link.other))));
            links.sort_unstable();
            goals.extend(links.iter().map(|(_, goal)| *goal));
        }
        // Pairs in the wrong order, counted with a Fenwick tree over the places of the next layer.
        tree.clear();
        tree.resize(next.len() + 1, 0);
        for (seen, goal) in goals.iter().enumerate() {
            let (mut not_below, mut at) = (0u64, goal + 1);
            while at > 0 {
                not_below += u64::from(tree.at(at));
                at &= at - 1;
            }
            count += u64::try_from(seen).unwrap_or(0).saturating_sub(not_below);
            at = goal + 1;
            while at <= next.len() {
                if let Some(count) = tree.get_mut(at) {
                    *count += 1;
                }
                at += at & at.wrapping_neg();
            }
        }
    }
    count
}
