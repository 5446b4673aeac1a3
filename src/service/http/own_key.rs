//! The key of processes of the same user: made at each start, known to the data folder's record alone, taken at the
//! data folder's door alone, and over with the process.

use subtle::ConstantTimeEq as _;

use crate::domain::ApiKey;
use crate::service::store::Identity;

/// The key, and as whom it admits.
pub(crate) struct OwnKey {
    key: ApiKey,
    owner: Identity,
}

impl OwnKey {
    /// A key for this owner.
    pub(crate) fn new(key: ApiKey, owner: Identity) -> Self {
        Self { key, owner }
    }

    /// As whom a secret admits.
    pub(super) fn admits(&self, secret: &str) -> Option<Identity> {
        let same: bool = self.key.expose().as_bytes().ct_eq(secret.as_bytes()).into();
        same.then(|| self.owner.clone())
    }
}
