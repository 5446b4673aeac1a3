//! Steps that are looked up one after the other, mostly in the order they are kept in.

use std::collections::BTreeMap;
use std::collections::btree_map::Range;

use super::refs::StepRef;

/// A map whose entries are asked for in nearly the order that it has them in: the next one is found without a search.
pub(super) struct Along<'a, V> {
    map: &'a BTreeMap<StepRef, V>,
    ahead: Range<'a, StepRef, V>,
}

impl<'a, V> Along<'a, V> {
    pub fn new(map: &'a BTreeMap<StepRef, V>) -> Self {
        Self { map, ahead: map.range(..) }
    }

    /// What the map has of a step.
    pub fn get(&mut self, step: StepRef) -> Option<&'a V> {
        if let Some((next, value)) = self.ahead.next()
            && *next == step
        {
            return Some(value);
        }
        self.ahead = self.map.range(step..);
        let here = self.ahead.clone().next().filter(|(found, _)| **found == step);
        if here.is_some() {
            self.ahead.next();
        }
        here.map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_in_any_order_is_found() {
        let map: BTreeMap<_, _> = [1, 2, 4, 7].map(|step| (StepRef(step), step * 10)).into();
        let asked = [1, 2, 3, 4, 5, 7, 9, 2, 2, 1, 0, 4, 7];
        let mut along = Along::new(&map);
        let found = asked.map(|step| along.get(StepRef(step)).copied());
        assert_eq!(found, asked.map(|step| map.get(&StepRef(step)).copied()));
        assert_eq!(Along::<u32>::new(&BTreeMap::new()).get(StepRef(1)), None);
    }
}
