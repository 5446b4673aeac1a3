//! In which order things were made.

use jiff::Timestamp;

/// Where a moment comes among others, as time goes and not as letters do: `05Z` is before `05.345Z`, and 10:00 in Oslo
/// before 9:30 in London. What is no moment comes after all that are, in the order of its letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Age<'a> {
    is_no_moment: bool,
    moment: Option<Timestamp>,
    text: &'a str,
}

impl<'a> Age<'a> {
    /// That of a timestamp of the service (§2).
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        let moment = text.trim().parse::<Timestamp>().ok();
        Self { is_no_moment: moment.is_none(), moment, text: if moment.is_none() { text } else { "" } }
    }
}
