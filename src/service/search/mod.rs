//! What a search of the catalog means, §4.1: what products are found by, what was asked for, how a page of it is worked
//! out, and cursors. What is fetched for it is the store's affair.

pub mod cursor;
mod fingerprint;
pub mod machine;
pub mod moment;
pub mod numbers;
mod query;
mod terms;

pub use query::{Key, Order, Query, Range};
pub use terms::{Field, Name, Terms};
