//! What is wrong with a catalog: rules over products one by one, and over what products of a store share. Pure: products
//! and the time come in, problems go out.
//!
//! A rule never guesses. What it can't tell, because a field is null or a word is none that it knows, is counted apart
//! from what is fine. The rules are those of `docs/lint.md`, under ids that stay.

mod alike;
mod catalog;
mod feed;
mod limits;
mod look;
mod near;
mod pictures;
mod price;
mod problem;
mod record;
mod rule;
mod stock;
mod tally;
#[cfg(test)]
mod tests;
mod texts;
mod variants;

pub use catalog::Catalog;
pub use limits::Limits;
pub use problem::{Problem, Record};
pub use rule::{Rule, Set, Severity};
pub use tally::Tally;
