//! What the text of a `folder` member leads to, §4.3.

use uuid::Uuid;

use crate::domain::Finding;
use crate::service::store::StoreError;
use crate::service::wrong::wrong;

/// What the text of a `folder` member leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::service::store) enum Place {
    /// The project is in no folder.
    Nowhere,
    /// The folder of this id.
    Known(String),
    /// A folder of this name that is to be made.
    New(String),
}

/// The id or name that is to be looked up; nothing where the project is to be in no folder. Two folders whose names look
/// alike are one to whoever reads them.
pub(in crate::service::store) fn asked(given: &str) -> Option<&str> {
    Some(given.trim()).filter(|asked| !asked.is_empty())
}

/// What a text leads to that is no folder's id, by the ids of the folders that have it as their name, of which two are enough.
///
/// # Errors
/// [`StoreError::Conflict`] where several have it.
pub(in crate::service::store) fn named(
    asked: &str,
    ids: &[String],
    pointer: &str,
    found: &mut Vec<Finding>,
) -> Result<Place, StoreError> {
    match ids {
        [] => {
            // An id that is unknown here is no name that somebody would give.
            if Uuid::try_parse(asked).is_ok() {
                wrong(found, pointer, "is not the ID of a folder of this workspace");
            }
            Ok(Place::New(asked.to_owned()))
        }
        [one] => Ok(Place::Known(one.clone())),
        _ => Err(StoreError::Conflict(format!("Several folders are named {asked:?}; use the ID of one."))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_found_by_its_name_or_made() {
        assert_eq!((asked("  "), asked(" a b ")), (None, Some("a b")));
        let ids = |count: usize| vec!["x".to_owned(); count];
        let mut found = Vec::new();
        assert_eq!(named("a", &ids(0), "/folder", &mut found).unwrap(), Place::New("a".to_owned()));
        assert_eq!(named("a", &ids(1), "/folder", &mut found).unwrap(), Place::Known("x".to_owned()));
        assert!(matches!(named("a", &ids(2), "/folder", &mut found), Err(StoreError::Conflict(_))));
        assert!(found.is_empty());
        named("00000000-0000-4000-8000-000000000000", &ids(0), "/folder", &mut found).unwrap();
        assert_eq!(found.len(), 1);
    }
}
