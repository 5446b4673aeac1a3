//! What is wrong with a catalog, with videos and with projects: rules over products one by one, over what products of a store
//! share, over what video files say, and over what steps offer. Pure: records and the time come in, problems go out.
//!
//! A rule never guesses. What it can't tell, because a field is null or a word is none that it knows, is counted apart
//! from what is fine. The rules are those of `docs/lint.md`, under ids that stay.

mod alike;
mod baseline;
mod catalog;
mod feed;
mod limits;
mod links;
mod look;
mod near;
mod pictures;
mod price;
mod problem;
mod record;
mod rule;
mod seen;
mod stock;
mod tally;
#[cfg(test)]
mod tests;
mod texts;
mod variants;
mod video;
mod wiring;

pub use baseline::{baseline_key, baseline_keys, baseline_text, is_baseline};
pub use catalog::Catalog;
pub use limits::Limits;
pub use links::{LinkAnswer, LinkKind, Links, addresses, judge};
pub use problem::{Affected, Fix, Problem, Reach, ReachOf, Record};
pub use rule::{Rule, Set, Severity};
pub use tally::Tally;
pub use video::{Codec, Container, Film, Films, Library, Part, Reading, unplayable};
pub use wiring::{
    Happened, Named, Offer, Promise, Reaches, Sellers, Shelf, Stocked, Watching, Wired, Wiring, offered, promise,
};
