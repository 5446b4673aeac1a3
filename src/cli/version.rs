//! `cutaway --version`, as a document too.

use std::ffi::OsString;

use crate::domain::BUILT;

/// Whether nothing is asked for but the version, as JSON.
pub(super) fn is_asked(arguments: &[OsString]) -> bool {
    let given = arguments.get(1..).unwrap_or_default();
    let all = ["--version", "-V", "--json"];
    given.len() == 2
        && given.iter().all(|argument| all.iter().any(|one| argument == one))
        && given.iter().filter(|argument| *argument == "--json").count() == 1
}

/// What the program is, as JSON.
pub(super) fn document() -> serde_json::Value {
    let mut document = serde_json::to_value(BUILT).unwrap_or_default();
    if let Some(members) = document.as_object_mut() {
        members.shift_insert(0, "name".to_owned(), "cutaway".into());
    }
    document
}
