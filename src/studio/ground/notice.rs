//! What kind of thing is said to a person.

/// What a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Something was done.
    Done,
    /// Something to know.
    Hint,
    /// Something is not as it should be.
    Warning,
    /// Something went wrong.
    Error,
}
