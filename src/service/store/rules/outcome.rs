//! What becomes of a delivery, §6.

/// When a subscription that fails is switched off.
#[derive(Debug, Clone, Copy)]
pub struct SwitchOff {
    /// After so many milliseconds without a success.
    pub after: i64,
    /// And so many attempts at least: one event a week is no proof.
    pub failures: u32,
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was taken.
    Delivered,
    /// It is tried again then, milliseconds since 1970.
    Again(i64),
    /// It is given up.
    Failed,
    /// The receiver wants no more of this subscription.
    Gone,
}

impl Outcome {
    /// What is kept of it: the delivery's state, and when it is due again, milliseconds since 1970.
    pub(in crate::service::store) fn kept(&self) -> (&'static str, Option<i64>) {
        match self {
            Self::Delivered => ("delivered", None),
            Self::Again(at) => ("pending", Some(*at)),
            Self::Failed => ("failed", None),
            Self::Gone => ("ended", None),
        }
    }
}

/// What the receiver said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// Why there was none.
    pub error: Option<String>,
    /// The begin of the answer's body.
    pub answer: Option<String>,
}
