//! A draft whose file was found damaged.

use crate::draft::Draft;
use crate::draft::journal::Damage;
use crate::studio::ground::Moment;

/// A draft whose journal was found damaged. The journal was begun again with what nothing is missing of.
#[derive(Debug, Clone, PartialEq)]
pub struct Damaged {
    /// The draft up to the damage; none where not even its beginning can be read.
    pub draft: Option<Box<Draft>>,
    /// When it was written last.
    pub written: Moment,
    /// How many records the new journal holds.
    pub records: u64,
    /// What is missing, and what can be read behind it.
    pub damage: Damage,
    /// The file that has every byte as it was found.
    pub kept: String,
}
