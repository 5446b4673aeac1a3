//! The headless twin of the studio: what was done, as the command line that does the same.
//!
//! The clerk looks on while effects go out and events come in, and writes down what is known to be done: as a [`Line`],
//! the arguments of `cutaway`; or, where no command does the same, in words. Nothing secret is ever in it: keys come
//! from the environment or from the credential that is kept with a profile.

mod account;
mod action;
mod catalog;
mod clerk;
mod deeds;
mod library;
mod line;
mod projects;
mod script;
mod word;

pub use clerk::Clerk;
pub use deeds::{Deeds, Done, Look};
pub use line::{Deed, Line, Made, Scope};
pub use script::script;
pub use word::Word;

#[cfg(test)]
pub(crate) mod every;
#[cfg(test)]
mod tests;
