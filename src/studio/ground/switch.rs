//! Where a person can go: a profile, and a store of it.

use crate::domain::StoreUrl;

/// A profile to be opened, and a store in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchTo {
    /// The profile's name.
    pub profile: String,
    /// The store; the profile's first without.
    pub store: Option<StoreUrl>,
}
