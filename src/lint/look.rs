//! One product, looked at: the rules tell what they find of it, and what they can't tell.

use jiff::Timestamp;

use super::limits::Limits;
use super::problem::{Problem, Record};
use super::rule::Rule;
use super::tally::Tally;
use crate::domain::{FoundProduct, Variant};

/// How a rule stands to one product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stand {
    /// It is fine.
    Fine,
    /// It can't be told.
    Unknown,
    /// There is a problem.
    Wrong,
}

/// What is found of one product.
pub(super) struct Look<'a> {
    pub(super) found: &'a FoundProduct,
    pub(super) limits: &'a Limits,
    pub(super) now: Timestamp,
    stands: Vec<Stand>,
    problems: Vec<Problem>,
}

impl<'a> Look<'a> {
    pub(super) fn new(found: &'a FoundProduct, limits: &'a Limits, now: Timestamp) -> Self {
        Self { found, limits, now, stands: vec![Stand::Fine; Rule::count()], problems: Vec::new() }
    }

    fn stand(&mut self, rule: Rule, stand: Stand) {
        if let Some(known) = self.stands.get_mut(rule as usize) {
            *known = stand.max(*known);
        }
    }

    /// Notes a problem.
    pub(super) fn tell(&mut self, rule: Rule, field: impl Into<String>, sentence: impl Into<String>) {
        if !self.limits.has(rule) {
            return;
        }
        self.stand(rule, Stand::Wrong);
        let product = &self.found.product;
        let record = Record::Product {
            store: product.app_url.clone(),
            id: product.external_product_id.as_str().to_owned(),
            title: Some(product.title.clone()),
        };
        self.problems.push(Problem::new(rule, record, field, sentence));
    }

    /// Notes that a rule can't be told of this product, as far as this goes.
    pub(super) fn unknown(&mut self, rule: Rule) {
        self.stand(rule, Stand::Unknown);
    }

    /// The problems; what was checked goes into the tally.
    pub(super) fn end(self, tally: &mut Tally) -> Vec<Problem> {
        for rule in Rule::all().filter(|rule| rule.is_of_products() && self.limits.has(*rule)) {
            let Some(counts) = tally.at(rule) else { continue };
            match self.stands.get(rule as usize) {
                Some(Stand::Unknown) => counts.unchecked += 1,
                _ => counts.checked += 1,
            }
        }
        for problem in &self.problems {
            if let Some(counts) = tally.at(problem.rule) {
                counts.problems += 1;
            }
        }
        self.problems
    }
}

/// The name of a variant's field.
pub(super) fn of_variant(at: usize, field: &str) -> String {
    format!("variants[{at}].{field}")
}

/// The name of a field of a picture or video.
pub(super) fn of_media(at: usize, field: &str) -> String {
    format!("media[{at}].{field}")
}

/// What a variant is called in sentences.
pub(super) fn called(variant: &Variant, at: usize) -> String {
    match variant.title.as_deref().map(str::trim).filter(|title| !title.is_empty() && *title != "Default Title") {
        Some(title) => format!("variant \"{title}\""),
        None => format!("variant {}", at + 1),
    }
}

/// A text that is there and not blank.
pub(super) fn said(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// A number that a text is: digits, one point, a sign.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
    plain.then(|| text.parse::<f64>().ok()).flatten().filter(|number| number.is_finite())
}

/// A moment that a text is.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    text.trim().parse().ok()
}

/// "1 variant", "3 variants".
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
