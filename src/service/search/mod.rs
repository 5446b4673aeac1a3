//! What a search of the catalog means, §4.1: what products are found by, what was asked for, and cursors. How it is
//! carried out is the store's affair.

pub mod cursor;
pub mod moment;
mod query;
mod terms;

pub use query::{Key, Order, Query, Range};
pub use terms::{Field, Name, Terms};
