//! A store's catalog, product by product.

use jiff::Timestamp;

use super::alike::Shared;
use super::limits::Limits;
use super::look::Look;
use super::problem::{Fix, Problem};
use super::rule::Rule;
use super::tally::Tally;
use crate::domain::{FoundProduct, StoreUrl};

/// What a viewer meets on the card of a product, beside what W01 to W03 report of the step that shows it.
const ON_CARDS: [Rule; 9] = [
    Rule::NearlyOut,
    Rule::Oversold,
    Rule::NoVariants,
    Rule::PriceZero,
    Rule::CompareAtWrong,
    Rule::PriceOutlier,
    Rule::Currency,
    Rule::PriceDisagrees,
    Rule::HostileText,
];

/// What is wrong with one product that a step shows, as its card shows it. Another product helps where this one can't be bought
/// for what it costs.
pub(super) fn on_card(found: &FoundProduct) -> Vec<Problem> {
    let limits = Limits { rules: ON_CARDS.to_vec(), ..Limits::default() };
    // None of these rules looks at the time.
    let mut look = Look::new(found, &limits, Timestamp::UNIX_EPOCH);
    look.stock();
    look.price();
    look.hostile();
    let helps = |problem: &Problem| {
        matches!(problem.rule, Rule::NearlyOut | Rule::Oversold | Rule::NoVariants | Rule::PriceZero)
    };
    let all = look.end(&mut Tally::default()).into_iter();
    all.map(|problem| if helps(&problem) { problem.fixed_by(Fix::ChooseProducts) } else { problem }).collect()
}

/// A catalog that is being read, and what is wrong with it so far.
#[derive(Debug)]
pub struct Catalog {
    store: StoreUrl,
    limits: Limits,
    now: Timestamp,
    shared: Shared,
    tally: Tally,
    products: u64,
}

impl Catalog {
    /// Nothing of a store was read yet.
    #[must_use]
    pub fn new(store: StoreUrl, limits: Limits, now: Timestamp) -> Self {
        Self { store, limits, now, shared: Shared::default(), tally: Tally::default(), products: 0 }
    }

    /// Takes the next product, read with media and variants; its problems. `breaches` are what is not as specified in the
    /// response: the field, and what is wrong with it.
    pub fn product(&mut self, found: &FoundProduct, breaches: &[(String, String)]) -> Vec<Problem> {
        if !self.shared.is_new(&found.product) {
            return Vec::new();
        }
        self.products += 1;
        let mut look = Look::new(found, &self.limits, self.now);
        look.stock();
        look.price();
        look.variants();
        look.pictures();
        look.texts();
        look.record(breaches);
        look.feed();
        self.shared.add(&mut look);
        look.end(&mut self.tally)
    }

    /// What only the whole catalog tells, once it is read.
    pub fn end(&mut self) -> Vec<Problem> {
        let mut problems = self.shared.end(&self.store);
        problems.retain(|problem| self.limits.has(problem.rule));
        for problem in &problems {
            if let Some(counts) = self.tally.at(problem.rule) {
                counts.problems += 1;
            }
        }
        problems
    }

    /// What was checked and what was found.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// How many products were read.
    #[must_use]
    pub fn products(&self) -> u64 {
        self.products
    }
}
