//! What the commands beside serving print.

use std::io::{self, Write as _};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::ServeError;
use crate::cli::output::Output;
use crate::client::json;

/// Prints one JSON document, harmless to a terminal.
pub(super) fn document(value: &Value) -> Result<(), ServeError> {
    let text = serde_json::to_string(value).map_err(io::Error::from)?;
    let mut out = Output::open();
    json::escape_for_terminal(&text, &mut out)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// A moment as tables have it: local and short.
pub(super) fn moment(exact: &str) -> String {
    exact
        .parse::<Timestamp>()
        .map_or_else(|_| exact.to_owned(), |at| at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string())
}
