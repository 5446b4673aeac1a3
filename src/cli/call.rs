//! What a command line ends in.

use crate::api::Row;

/// What stands behind `cutaway`, and the operation that it ends in.
pub(super) type Call = (&'static str, Row);
