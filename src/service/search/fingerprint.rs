//! What binds a cursor to its search: bytes that say the search and its store, and nothing of how the program keeps them.
//! They stay the same from one build to the next, so that a cursor from before an upgrade goes on, until a search can
//! mean something new: then [`VERSION`] grows, and cursors of earlier versions are refused as those of another search.

use sha2::{Digest as _, Sha256};

use super::query::{Key, Order, Query, Range};

/// The version of the bytes. The first was the text of a derived `Debug`.
const VERSION: u8 = 2;

impl Query {
    /// Sixteen bytes that tell this query in this store from any other.
    #[must_use]
    pub fn fingerprint(&self, store: i64) -> [u8; 16] {
        let digest: [u8; 32] = Sha256::digest(bytes(self, store)).into();
        let mut first = [0; 16];
        first.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
        first
    }
}

/// The query in its store, so that no two are alike: every list says how long it is, and every text too.
fn bytes(query: &Query, store: i64) -> Vec<u8> {
    // Whoever adds a member has to say it here.
    let Query { words, any_of, named, external, inventory, created, order } = query;
    let mut out = Bytes(vec![VERSION]);
    out.number(store);
    out.texts(words);
    out.length(any_of.len());
    for (field, values) in any_of {
        out.number(field.number());
        out.texts(values);
    }
    out.length(named.len());
    for (name, hashes) in named {
        out.number(name.number());
        out.length(hashes.len());
        for hash in hashes {
            out.number(*hash);
        }
    }
    out.is(external.is_some());
    out.texts(external.as_deref().unwrap_or_default());
    out.range(*inventory);
    out.range(*created);
    match order {
        Order::Id => out.0.push(0),
        Order::By { key, down } => {
            out.0.push(match key {
                Key::Inventory => 1,
                Key::ProviderCreated => 2,
                Key::ProviderUpdated => 3,
            });
            out.is(*down);
        }
    }
    out.0
}

struct Bytes(Vec<u8>);

impl Bytes {
    fn number(&mut self, number: i64) {
        self.0.extend(number.to_be_bytes());
    }

    fn length(&mut self, length: usize) {
        self.0.extend((length as u64).to_be_bytes());
    }

    fn is(&mut self, yes: bool) {
        self.0.push(u8::from(yes));
    }

    fn texts(&mut self, texts: &[String]) {
        self.length(texts.len());
        for text in texts {
            self.length(text.len());
            self.0.extend(text.as_bytes());
        }
    }

    fn range(&mut self, range: Option<Range>) {
        self.is(range.is_some());
        if let Some((from, to)) = range {
            self.number(from);
            self.number(to);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::service::search::{Field, Name};

    fn whole() -> Query {
        Query {
            words: vec!["so".to_owned(), "wool".to_owned()],
            any_of: vec![(Field::Tag, vec!["new".to_owned()]), (Field::Published, vec![String::new()])],
            named: vec![(Name::Sku, vec![-1, 7])],
            external: Some(vec!["p1".to_owned()]),
            inventory: Some((0, i64::MAX)),
            created: Some((-5, 5)),
            order: Order::By { key: Key::ProviderCreated, down: true },
        }
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
    }

    /// Another build makes the same: whoever changes these ends the cursors that are out, and raises the version.
    #[test]
    fn they_are_the_same_in_every_build() {
        assert_eq!(hex(&Query::default().fingerprint(1)), "f6077497aeff6f0086abacd95de486ba");
        assert_eq!(hex(&whole().fingerprint(3)), "a1c1903eb559867a2496846d5b07e36d");
    }

    #[test]
    fn whatever_is_another_search_is_told_apart() {
        let text = |text: &str| text.to_owned();
        let by = |key, down| Order::By { key, down };
        let changes: Vec<fn(&mut Query)> = vec![
            |_| (),
            |query| query.words.clear(),
            |query| query.words = vec!["sowool".to_owned()],
            |query| query.words = vec!["sow".to_owned(), "ool".to_owned()],
            |query| query.any_of.clear(),
            |query| query.any_of.reverse(),
            |query| query.any_of[0].0 = Field::Type,
            |query| query.any_of[0].1.push("newer".to_owned()),
            |query| query.named.clear(),
            |query| query.named[0].0 = Name::Variant,
            |query| query.named[0].1.reverse(),
            |query| query.external = None,
            |query| query.external = Some(Vec::new()),
            |query| query.inventory = None,
            |query| query.inventory = Some((0, 5)),
            |query| query.created = None,
            |query| (query.inventory, query.created) = (query.created, query.inventory),
            |query| query.order = Order::Id,
        ];
        let mut queries: Vec<Query> = changes
            .into_iter()
            .map(|change| {
                let mut query = whole();
                change(&mut query);
                query
            })
            .collect();
        for (key, down) in [(Key::Inventory, true), (Key::ProviderUpdated, true), (Key::ProviderCreated, false)] {
            queries.push(Query { order: by(key, down), ..whole() });
        }
        queries.push(Query { words: vec![text("so"), text("wool"), String::new()], ..whole() });
        let all: HashSet<Vec<u8>> = queries.iter().map(|query| bytes(query, 1)).collect();
        assert_eq!(all.len(), queries.len());
        let stores: HashSet<[u8; 16]> = [0, 1, -1, 256].into_iter().map(|store| whole().fingerprint(store)).collect();
        assert_eq!(stores.len(), 4);
    }
}
