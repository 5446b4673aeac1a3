//! A page of a search, §4.1, worked out step by step: the machine says what it has to know next ([`Ask`]), whoever keeps
//! the catalog fetches that and nothing else ([`Answer`]), and in the end it has the [`Hit`]s of the page. It knows no
//! database, so that every database gives the same pages; [`Costs`] choose the way to a page, never what is on it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use roaring::RoaringBitmap;

use super::cursor::Position;
use super::numbers::{chunk_of, id, number};
use super::query::{Key, Order, Query, Range};
use super::terms::{Field, Name};

/// What is dear where a catalog is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// A range of so many products is fetched as a bitmap; in a larger one each candidate is tested.
    pub few_in_range: usize,
    /// So many matches are sorted; of more the sorted index is walked until the page is full.
    pub few_matches: u64,
    /// So many steps along an index a match, and `steps_more`, before many matches are sorted after all: they may all
    /// lie at its far end.
    pub steps_a_match: u64,
    /// See there.
    pub steps_more: u64,
    /// How many steps a match costs that is looked up and has no other near it; 0 where the two above hold. Those that are
    /// near each other ([`NEAR`]) cost a step each. A walk may cost a third of looking up all matches, and is left out
    /// where it would need more although the matches lie evenly.
    pub steps_a_lookup: u64,
}

/// Matches with fewer numbers than this between them are looked up in one piece.
pub const NEAR: u32 = 24;

/// A column that a range is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The sum of the inventory.
    Inventory,
    /// When it was created.
    Created,
}

/// What the machine has to know next.
#[derive(Debug, PartialEq)]
pub enum Ask<'q> {
    /// The numbers of the products with these external ids. Answered with [`Answer::Bits`].
    External(&'q [String]),
    /// The numbers of the products with one of these names, as hashes. Answered with [`Answer::Bits`].
    Named(Name, &'q [i64]),
    /// The numbers of the products in a range, where they are at most so many; else [`Answer::TooMany`].
    InRange(Column, Range, usize),
    /// The numbers of the products of a chunk that have one of these terms. Answered with [`Answer::Bits`].
    Any(u32, Field, &'q [String]),
    /// The numbers of the products of a chunk that have a word with this beginning. Answered with [`Answer::Words`].
    Beginning(u32, &'q str),
    /// The positions of these products in the order of numbers, without those outside of the query's ranges, and not
    /// more than so many. Answered with [`Answer::Positions`].
    Positions(RoaringBitmap, usize),
    /// The products in the query's order behind this one, without those outside of the query's ranges, each shown to
    /// [`Machine::see`] until that has enough. Answered with [`Answer::Walked`].
    Walk(Option<Position>),
    /// Nothing more.
    Done,
}

/// What was fetched.
#[derive(Debug, PartialEq)]
pub enum Answer {
    /// Nothing was asked yet.
    Begin,
    /// Products, by their numbers.
    Bits(RoaringBitmap),
    /// There are more of them than was asked for.
    TooMany,
    /// Products by their numbers: those with the word in the title, and those with it in a tag.
    Words {
        /// In the title.
        title: RoaringBitmap,
        /// In a tag.
        tags: RoaringBitmap,
    },
    /// Positions, in the order of numbers.
    Positions(Vec<Position>),
    /// The walk is over.
    Walked,
}

/// In which of a product's texts a search term was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matched {
    /// In the title.
    pub title: bool,
    /// In a tag.
    pub tags: bool,
}

/// A product of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Where it stands in the order.
    pub position: Position,
    /// Where the words were found, where any were looked for.
    pub matched: Option<Matched>,
}

/// Products that have what the query wants, and where its words were found.
#[derive(Debug, Default)]
struct Found {
    all: RoaringBitmap,
    title: RoaringBitmap,
    tags: RoaringBitmap,
}

/// What the answer that is waited for is to.
#[derive(Debug)]
enum State {
    Begin,
    /// The names and narrow ranges, so many of them answered.
    Narrowing(usize),
    /// The terms of a chunk, so many of them answered; what is left, where anything narrowed it yet.
    Matching {
        chunk: u32,
        nth: usize,
        left: Option<RoaringBitmap>,
        found: Found,
    },
    /// The candidates of a chunk whose ranges have to be looked at.
    Testing {
        chunk: u32,
        found: Found,
    },
    /// A walk along the order, of so many steps at most.
    Walking {
        steps: u64,
        most: u64,
    },
    /// The keys of all matches.
    Sorting,
    Done,
}

/// Works out one page of a query.
#[derive(Debug)]
pub struct Machine<'q> {
    query: &'q Query,
    store: i64,
    after: Option<Position>,
    /// One more than the page holds, to know whether there is more.
    wanted: usize,
    /// The number that the store's next product gets.
    next: u32,
    chunks: u32,
    costs: Costs,
    state: State,
    /// Products that are left after the query's names and narrow ranges.
    narrowed: Option<RoaringBitmap>,
    /// By chunk, where the order is not that of numbers.
    found: BTreeMap<u32, Found>,
    hits: Vec<Hit>,
}

impl<'q> Machine<'q> {
    /// A page of so many products behind `after`, in a store whose next product gets `next_number`.
    #[must_use]
    pub fn new(
        query: &'q Query,
        (store, next_number): (i64, u32),
        (limit, after): (usize, Option<Position>),
        costs: Costs,
    ) -> Self {
        Self {
            query,
            store,
            after,
            wanted: limit.saturating_add(1),
            next: next_number,
            chunks: chunk_of(next_number) + 1,
            costs,
            state: State::Begin,
            narrowed: None,
            found: BTreeMap::new(),
            hits: Vec::new(),
        }
    }

    /// The products of the page, and one more where there is more; all of them once nothing is asked any more.
    #[must_use]
    pub fn into_hits(self) -> Vec<Hit> {
        self.hits
    }

    /// Takes what was asked for last, and says what is needed next. An answer to something else ends the search.
    #[must_use]
    pub fn step(&mut self, answer: Answer) -> Ask<'q> {
        match (std::mem::replace(&mut self.state, State::Done), answer) {
            (State::Begin, _) => self.narrow(0),
            (State::Narrowing(nth), answer) => {
                if let Answer::Bits(list) = answer {
                    self.narrowed = Some(match self.narrowed.take() {
                        None => list,
                        Some(before) => before & list,
                    });
                }
                self.narrow(nth + 1)
            }
            (State::Matching { chunk, nth, left, mut found }, answer) => {
                let by = match answer {
                    Answer::Bits(any) => any,
                    Answer::Words { title, tags } => {
                        let either = &title | &tags;
                        found.title |= title;
                        found.tags |= tags;
                        either
                    }
                    _ => return Ask::Done,
                };
                let left = match left {
                    None => by,
                    Some(before) => before & by,
                };
                self.matching(chunk, nth + 1, Some(left), found)
            }
            (State::Testing { chunk, found }, Answer::Positions(positions)) => {
                for position in positions {
                    let matched = self.matched(&found, position);
                    self.hits.push(Hit { position, matched });
                }
                self.next_chunk(chunk)
            }
            (State::Walking { steps, most }, Answer::Walked) if steps <= most => Ask::Done,
            (State::Walking { .. }, Answer::Walked) => self.sort(),
            (State::Sorting, Answer::Positions(positions)) => {
                self.sorted(positions);
                Ask::Done
            }
            _ => Ask::Done,
        }
    }

    /// The chunks from this one on of which terms are asked for as long as the page isn't full; so many at most.
    #[must_use]
    pub fn chunks_from(&self, first: u32, most: usize) -> Vec<u32> {
        let numbers = |chunk: u32| chunk << 16..=chunk << 16 | 0xffff;
        let is_left =
            |chunk: &u32| self.narrowed.as_ref().is_none_or(|narrowed| narrowed.range_cardinality(numbers(*chunk)) > 0);
        (first..self.chunks).filter(is_left).take(most).collect()
    }

    /// How many more products a page takes.
    #[must_use]
    pub fn lacks(&self) -> usize {
        self.wanted.saturating_sub(self.hits.len())
    }

    /// How many steps of a walk fill the page where the matches lie evenly.
    #[must_use]
    pub fn even_steps(&self) -> u64 {
        let lacks = self.lacks() as u64;
        match self.matches() {
            0 => lacks,
            matches => lacks.saturating_mul(self.next.into()) / matches,
        }
    }

    /// How many steps of a walk cost what looking up all matches does. Of very many the first ones stand for all.
    fn steps_of_looking_up(&self, alone: u64) -> u64 {
        const COUNTED: usize = 1 << 16;
        let (mut pieces, mut rows, mut counted, mut last) = (0_u64, 0_u64, 0_u64, None);
        for number in self.found.values().flat_map(|chunk| &chunk.all).take(COUNTED) {
            match last {
                Some(last) if number - last <= NEAR => rows += u64::from(number - last),
                _ => (pieces, rows) = (pieces + 1, rows + 1),
            }
            (counted, last) = (counted + 1, Some(number));
        }
        let of_counted = if pieces * 2 <= counted { pieces * alone + rows } else { counted * alone };
        of_counted.saturating_mul(self.matches()) / counted.max(1)
    }

    fn matches(&self) -> u64 {
        self.found.values().map(|chunk| chunk.all.len()).sum()
    }

    /// Takes the next product of a walk; whether it has seen enough.
    pub fn see(&mut self, position: Position) -> bool {
        let State::Walking { steps, most } = &mut self.state else { return true };
        *steps += 1;
        if *steps > *most {
            return true;
        }
        let matched = if self.found.is_empty() {
            None
        } else {
            let number = number(position.id);
            match self.found.get(&chunk_of(number)) {
                Some(chunk) if chunk.all.contains(number) => self.matched(chunk, position),
                _ => return false,
            }
        };
        self.hits.push(Hit { position, matched });
        self.hits.len() >= self.wanted
    }

    /// Asks for the names and narrow ranges from the nth on, then for what they leave.
    fn narrow(&mut self, nth: usize) -> Ask<'q> {
        let query = self.query;
        // Of a walk along the inventory the range is a part.
        let walks_inventory = matches!(query.order, Order::By { key: Key::Inventory, .. });
        let external = query.external.as_deref().map(Ask::External);
        let named = query.named.iter().map(|(name, hashes)| Ask::Named(*name, hashes));
        let few = self.costs.few_in_range;
        let inventory = query.inventory.filter(|_| !walks_inventory);
        let inventory = inventory.map(|range| Ask::InRange(Column::Inventory, range, few));
        let created = query.created.map(|range| Ask::InRange(Column::Created, range, few));
        if let Some(ask) = external.into_iter().chain(named).chain(inventory).chain(created).nth(nth) {
            self.state = State::Narrowing(nth);
            return ask;
        }
        if self.narrowed.is_none() && !query.has_terms() {
            return self.walk(u64::MAX);
        }
        let first = match query.order {
            Order::Id => self.after.map_or(0, |after| chunk_of(number(after.id))),
            Order::By { .. } => 0,
        };
        self.begin_chunk(first)
    }

    fn walk(&mut self, most: u64) -> Ask<'q> {
        self.state = State::Walking { steps: 0, most };
        Ask::Walk(self.after)
    }

    fn next_chunk(&mut self, chunk: u32) -> Ask<'q> {
        if self.hits.len() >= self.wanted { Ask::Done } else { self.begin_chunk(chunk + 1) }
    }

    /// Asks for the terms of a chunk and of those behind it, until something has to be fetched.
    fn begin_chunk(&mut self, first: u32) -> Ask<'q> {
        let mut chunk = first;
        while chunk < self.chunks {
            let left = self.narrowed.as_ref().map(|narrowed| {
                let mut part = RoaringBitmap::new();
                part.insert_range(chunk << 16..=chunk << 16 | 0xffff);
                part & narrowed
            });
            if left.as_ref().is_none_or(|left| !left.is_empty()) {
                return self.matching(chunk, 0, left, Found::default());
            }
            chunk += 1;
        }
        self.all_matched()
    }

    /// Asks for the terms of a chunk from the nth on, as long as anything is left; then takes what is.
    fn matching(&mut self, chunk: u32, nth: usize, left: Option<RoaringBitmap>, mut found: Found) -> Ask<'q> {
        let query = self.query;
        if left.as_ref().is_some_and(RoaringBitmap::is_empty) {
            return self.next_chunk(chunk);
        }
        let any_of = query.any_of.iter().map(|(field, values)| Ask::Any(chunk, *field, values));
        let words = query.words.iter().map(|word| Ask::Beginning(chunk, word));
        if let Some(ask) = any_of.chain(words).nth(nth) {
            self.state = State::Matching { chunk, nth, left, found };
            return ask;
        }
        found.all = left.unwrap_or_default();
        if matches!(query.order, Order::By { .. }) {
            self.found.insert(chunk, found);
            return self.next_chunk(chunk);
        }
        let after = self.after.map_or(0, |after| number(after.id));
        found.all.remove_range(..=after);
        if query.inventory.is_some() || query.created.is_some() {
            let (candidates, most) = (std::mem::take(&mut found.all), self.wanted - self.hits.len());
            self.state = State::Testing { chunk, found };
            return Ask::Positions(candidates, most);
        }
        for number in found.all.iter().take(self.wanted - self.hits.len()) {
            let position = Position { key: None, id: id(self.store, number) };
            self.hits.push(Hit { position, matched: self.matched(&found, position) });
        }
        self.next_chunk(chunk)
    }

    /// All chunks were looked at. In the order of a key, few matches are sorted, of many the index is walked.
    fn all_matched(&mut self) -> Ask<'q> {
        if self.found.is_empty() {
            return Ask::Done;
        }
        let matches = self.matches();
        if matches > self.costs.few_matches {
            let Costs { steps_a_match, steps_more, steps_a_lookup, .. } = self.costs;
            let most = match steps_a_lookup {
                0 => matches.saturating_mul(steps_a_match).saturating_add(steps_more),
                alone => self.steps_of_looking_up(alone) / 3,
            };
            if steps_a_lookup == 0 || self.even_steps() <= most {
                return self.walk(most);
            }
        }
        self.sort()
    }

    fn sort(&mut self) -> Ask<'q> {
        self.hits.clear();
        self.state = State::Sorting;
        let mut all = RoaringBitmap::new();
        self.found.values().for_each(|chunk| all |= &chunk.all);
        Ask::Positions(all, usize::MAX)
    }

    fn sorted(&mut self, positions: Vec<Position>) {
        let Order::By { down, .. } = self.query.order else { return };
        let mut positions = positions;
        if let Some(after) = self.after {
            positions.retain(|position| compare(*position, after, down) == Ordering::Greater);
        }
        if self.wanted < positions.len() {
            positions.select_nth_unstable_by(self.wanted, |a, b| compare(*a, *b, down));
            positions.truncate(self.wanted);
        }
        positions.sort_unstable_by(|a, b| compare(*a, *b, down));
        for position in positions {
            let found = self.found.get(&chunk_of(number(position.id)));
            let matched = found.and_then(|found| self.matched(found, position));
            self.hits.push(Hit { position, matched });
        }
    }

    fn matched(&self, found: &Found, position: Position) -> Option<Matched> {
        let number = number(position.id);
        let matched = || Matched { title: found.title.contains(number), tags: found.tags.contains(number) };
        (!self.query.words.is_empty()).then(matched)
    }
}

/// The order of §4.1: by key, those without one last both ways, equal ones by id.
#[must_use]
pub fn compare(a: Position, b: Position, down: bool) -> Ordering {
    let by_key = match (a.key, b.key) {
        (Some(a), Some(b)) if down => b.cmp(&a),
        (Some(a), Some(b)) => a.cmp(&b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    };
    by_key.then(a.id.cmp(&b.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ProductSearch, SortBy};

    /// What the search does about 3,000 matches, or what it asks for instead.
    fn asked(matches: RoaringBitmap, next: u32) -> Ask<'static> {
        let search = ProductSearch {
            search_term: Some("wool".to_owned()),
            sort_by: Some(SortBy::ProviderCreatedAt),
            ..ProductSearch::default()
        };
        let query = Box::leak(Box::new(Query::of(&search).unwrap()));
        let costs = Costs { few_in_range: 0, few_matches: 1_000, steps_a_match: 0, steps_more: 0, steps_a_lookup: 12 };
        let mut machine = Machine::new(query, (1, next), (30, None), costs);
        let mut ask = machine.step(Answer::Begin);
        while let Ask::Beginning(chunk, _) = ask {
            let mut title = matches.clone();
            title.remove_range(..chunk << 16);
            title.remove_range((chunk + 1) << 16..);
            ask = machine.step(Answer::Words { title, tags: RoaringBitmap::new() });
        }
        if matches!(ask, Ask::Walk(_)) {
            // Nothing of what it comes along matches.
            let other = Position { key: Some(0), id: id(1, next) };
            let steps = (1..1_000_000_u64).find(|_| machine.see(other)).unwrap();
            assert!(matches!(machine.step(Answer::Walked), Ask::Positions(..)));
            assert!(steps > machine.even_steps(), "{steps}");
            assert!(steps <= matches.len() * 4 + 1, "{steps}");
        }
        ask
    }

    #[test]
    fn what_is_looked_up_sooner_than_walked_to_is_looked_up() {
        // One in four: a page is soon full. One in 3,000: it isn't.
        assert_eq!(asked((0..3_000).map(|nth| nth * 4).collect(), 12_000), Ask::Walk(None));
        let few: RoaringBitmap = (0..3_000).map(|nth| nth * 3_000).collect();
        assert_eq!(asked(few.clone(), 9_000_000), Ask::Positions(few, usize::MAX));
        // As many in one piece are looked up for less still.
        let piece: RoaringBitmap = (0..3_000).collect();
        assert_eq!(asked(piece.clone(), 1_000_000), Ask::Positions(piece, usize::MAX));
    }
}
