//! What is no matter of a database: what names, orders and folders may be, what is kept of what is given, and how records,
//! payloads and tags are written. The same on every database, so nothing here knows one, or SQL.

pub(super) mod folders;
pub(super) mod outcome;
pub(super) mod payload;
pub(super) mod prepared;
pub(super) mod record;
pub(super) mod revision;
pub(super) mod steps;
