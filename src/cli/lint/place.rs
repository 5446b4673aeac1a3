//! Where the lint reads.

use std::path::Path;

use crate::client::Client;
use crate::domain::StoreUrl;
use crate::runtime::checking::Asking;

/// Where a run reads.
pub(in crate::cli) struct Place<'a> {
    pub(in crate::cli) client: &'a Client,
    /// The store; some runs need none.
    pub(in crate::cli) store: Option<&'a StoreUrl>,
    /// All stores of the workspace, where they are known.
    pub(in crate::cli) stores: Option<&'a [StoreUrl]>,
    pub(in crate::cli) asking: &'a Asking,
    /// The state folder, where events of viewers are kept of services that don't count them.
    pub(in crate::cli) state: Option<&'a Path>,
}
