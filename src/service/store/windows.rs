//! The bitmaps of a query's terms from PostgreSQL: those of all terms for a window of chunks come with one statement, and not
//! at all where the process has them still.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::StoreError;
use super::bitmaps::{Bitmaps, Of};
use super::db::{self, Listed, Question, Session};
use super::posting::bitmap;
use super::shelf::Shelf;
use crate::service::search::{Field, Query};

/// Chunks of a window: of the first one, how many times as many each further one has, and at most.
const CHUNKS: (usize, usize, usize) = (4, 4, 64);

/// Every term that is looked for, each from one text to another: a beginning of words from itself to behind the last of them. Of
/// long terms the keys have the beginnings, so those between the beginnings of both are looked at.
const POSTINGS: &str = "SELECT wanted.nth, found.bits
    FROM unnest(?2::bigint[], ?3::bigint[], ?4::text[], ?5::text[]) WITH ORDINALITY AS wanted (field, chunk, low, high, nth)
    CROSS JOIN LATERAL (
        SELECT bits FROM posting WHERE store = ?1 AND field = wanted.field AND chunk = wanted.chunk
        AND key BETWEEN left(wanted.low, 512) AND CASE WHEN length(wanted.high) > 512
            THEN left(wanted.high, 512) || chr(1114111) ELSE wanted.high END
        AND term BETWEEN wanted.low AND wanted.high OFFSET 0
    ) AS found";

/// A term of the query, or a beginning of terms.
struct Wanted {
    field: Field,
    term: Arc<str>,
    is_beginning: bool,
}

/// The bitmaps of one query in one moment.
pub(super) struct Windows<'a> {
    session: &'a Session,
    shelf: &'a Shelf,
    bitmaps: &'a Bitmaps,
    wanted: Vec<Wanted>,
    /// By chunk, in the order of `wanted`.
    held: HashMap<u32, Vec<Arc<RoaringBitmap>>>,
    next: usize,
}

impl<'a> Windows<'a> {
    pub(super) fn new(session: &'a Session, shelf: &'a Shelf, query: &Query, bitmaps: &'a Bitmaps) -> Self {
        let lists = query.any_of.iter().flat_map(|(field, values)| {
            values.iter().map(|value| Wanted { field: *field, term: value.as_str().into(), is_beginning: false })
        });
        let words = query.words.iter().flat_map(|word| {
            let term: Arc<str> = word.as_str().into();
            [Field::TitleWord, Field::TagWord].map(|field| Wanted {
                field,
                term: Arc::clone(&term),
                is_beginning: true,
            })
        });
        let wanted = lists.chain(words).collect();
        Self { session, shelf, bitmaps, wanted, held: HashMap::new(), next: CHUNKS.0 }
    }

    /// The products of a chunk with one of these terms, or with a word that begins so. Where they have to be fetched, those of
    /// all terms and of the chunks that follow are: `window` says of which so many are wanted.
    pub(super) fn any(
        &mut self,
        chunk: u32,
        (field, terms, is_beginning): (Field, &[String], bool),
        window: impl FnOnce(usize) -> Vec<u32>,
    ) -> Result<RoaringBitmap, StoreError> {
        if !self.held.contains_key(&chunk) {
            self.hold(chunk, window)?;
        }
        let Some(held) = self.held.get(&chunk) else { return Ok(RoaringBitmap::new()) };
        let is_meant = |wanted: &Wanted| {
            wanted.field == field
                && wanted.is_beginning == is_beginning
                && terms.iter().any(|term| **term == *wanted.term)
        };
        let mut meant = self.wanted.iter().zip(held).filter(|(wanted, _)| is_meant(wanted)).map(|(_, bits)| bits);
        let mut any = meant.next().map_or_else(RoaringBitmap::new, |bits| RoaringBitmap::clone(bits));
        meant.for_each(|bits| any |= &**bits);
        Ok(any)
    }

    /// Holds the bitmaps of a chunk: those that the process has, or with those of a window the ones that it lacks.
    fn hold(&mut self, chunk: u32, window: impl FnOnce(usize) -> Vec<u32>) -> Result<(), StoreError> {
        self.held.clear();
        let known = self.known(chunk);
        if let Some(all) = known.iter().cloned().collect::<Option<Vec<_>>>() {
            self.held.insert(chunk, all);
            return Ok(());
        }
        let mut chunks = window(self.next);
        self.next = (self.next * CHUNKS.1).min(CHUNKS.2);
        if chunks.first() != Some(&chunk) {
            chunks = vec![chunk];
        }
        let known = chunks.into_iter().map(|chunk| (chunk, self.known(chunk))).collect();
        self.fetch(known)
    }

    fn of(&self, chunk: u32, wanted: &Wanted) -> Option<Of> {
        let token = self.shelf.tokens.of(chunk)?;
        let Wanted { field, ref term, is_beginning } = *wanted;
        Some(Of { store: self.shelf.row.id, chunk, token, field, term: Arc::clone(term), is_beginning })
    }

    fn known(&self, chunk: u32) -> Vec<Option<Arc<RoaringBitmap>>> {
        self.wanted.iter().map(|wanted| self.bitmaps.get(&self.of(chunk, wanted)?)).collect()
    }

    /// Fetches what isn't known, and holds all of it.
    fn fetch(&mut self, known: Vec<(u32, Vec<Option<Arc<RoaringBitmap>>>)>) -> Result<(), StoreError> {
        let lacking = known.iter().flat_map(|(chunk, known)| {
            let lacking = known.iter().zip(&self.wanted).filter(|(known, _)| known.is_none());
            lacking.map(|(_, wanted)| (*chunk, wanted))
        });
        let lacking: Vec<(u32, &Wanted)> = lacking.collect();
        let mut found = self.asked(&lacking)?.into_iter();
        let mut fetched = lacking.into_iter().map(|(chunk, wanted)| {
            let bits = Arc::new(found.next().unwrap_or_default());
            if let Some(of) = self.of(chunk, wanted) {
                self.bitmaps.keep(of, &bits);
            }
            bits
        });
        let mut held = HashMap::with_capacity(known.len());
        for (chunk, known) in known {
            let all = known.into_iter().map(|known| known.or_else(|| fetched.next()).unwrap_or_default());
            held.insert(chunk, all.collect());
        }
        drop(fetched);
        self.held = held;
        Ok(())
    }

    /// The bitmaps of some terms of chunks, in their order.
    fn asked(&self, lacking: &[(u32, &Wanted)]) -> Result<Vec<RoaringBitmap>, StoreError> {
        let fields: Vec<i64> = lacking.iter().map(|(_, wanted)| wanted.field.number()).collect();
        let chunks: Vec<i64> = lacking.iter().map(|(chunk, _)| i64::from(*chunk)).collect();
        let low: Vec<Cow<'_, str>> = lacking.iter().map(|(_, wanted)| Cow::from(&*wanted.term)).collect();
        // The last code point is no letter or digit, so every word with this beginning sorts before it.
        let high = |wanted: &Wanted| {
            if wanted.is_beginning { format!("{}\u{10ffff}", wanted.term) } else { wanted.term.to_string() }
        };
        let high: Vec<Cow<'_, str>> = lacking.iter().map(|(_, wanted)| Cow::from(high(wanted))).collect();
        let of = [
            Listed::Number(self.shelf.row.id),
            Listed::Numbers(&fields),
            Listed::Numbers(&chunks),
            Listed::Texts(&low),
            Listed::Texts(&high),
        ];
        let mut found = vec![RoaringBitmap::new(); lacking.len()];
        for row in self.session.rows(Question::new(POSTINGS, &of))? {
            let nth: u32 = row.get(0)?;
            let bits = bitmap(row.get_ref(1)?.as_blob().map_err(db::Error::from)?)?;
            if let Some(all) = nth.checked_sub(1).and_then(|at| found.get_mut(usize::try_from(at).ok()?)) {
                *all |= bits;
            }
        }
        Ok(found)
    }
}
