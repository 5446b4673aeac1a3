//! Which videos are uploaded: those that browsers play.

use std::path::Path;

use crate::lint::unplayable;
use crate::runtime::checking::films;

/// That browsers play a video, by the rule of the lint (V01). What a file doesn't say is no reason to refuse it.
///
/// # Errors
/// Why they don't.
pub(super) fn playable(path: &Path) -> Result<(), String> {
    let film = films::index(path).map_err(|error| error.to_string())?;
    unplayable(&film).map_or(Ok(()), |why| Err(format!("{why} (V01); --any-format uploads it anyway")))
}
