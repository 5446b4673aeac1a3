//! Which state of a project somebody has read: an entity tag (RFC 9110 §8.8.3) of the project with all its steps.
//!
//! A step's tag is that of its project: a tag may change more often than what it stands for, and who saves a project
//! wants to know that nothing of it was changed.

use crate::service::store::StoreError;

/// The states of a project under which a change may be made (`If-Match`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Precondition(Option<Vec<String>>);

impl Precondition {
    /// Only where the project has one of these tags.
    #[must_use]
    pub fn any_of(tags: Vec<String>) -> Self {
        Self(Some(tags))
    }

    /// Whether it depends on the project's tag.
    pub(in crate::service::store) fn needs_tag(&self) -> bool {
        self.0.is_some()
    }

    /// Whether it holds of a project with this tag.
    ///
    /// # Errors
    /// [`StoreError::Changed`] where it does not.
    pub(in crate::service::store) fn check(&self, tag: &str) -> Result<(), StoreError> {
        match &self.0 {
            Some(tags) if !tags.iter().any(|allowed| allowed == tag) => Err(StoreError::Changed),
            _ => Ok(()),
        }
    }
}

/// What marks a state of a project that was never there before: every change of it or of its steps is given one. It is made up
/// and not worked out of what is kept, so that it costs the same with one step and with a thousand, and so that a state which
/// a backup brings back is told apart from what came after it.
pub(in crate::service::store) fn fresh() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// A revision as a strong tag, in quotation marks.
pub(in crate::service::store) fn quoted(revision: &str) -> String {
    format!("\"{revision}\"")
}
