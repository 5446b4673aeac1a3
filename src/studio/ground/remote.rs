//! What a pane knows of a thing that is elsewhere.

use crate::studio::ground::{Moment, RequestId};

/// Why there is nothing, where the person didn't wait any longer than so many seconds.
#[must_use]
pub fn stopped(seconds: i64) -> String {
    format!("Stopped after {seconds} s without an answer.")
}

/// Something that is fetched: not asked for, on its way, here, or failed; with what was known before.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Remote<T> {
    /// Not asked for.
    #[default]
    Idle,
    /// On its way.
    Loading {
        /// The request that brings it.
        request: RequestId,
        /// Since when.
        since: Moment,
        /// What was known before.
        stale: Option<T>,
    },
    /// Here.
    Ready(T),
    /// It could not be had.
    Failed {
        /// Why, for people.
        problem: String,
        /// What was known before.
        stale: Option<T>,
    },
}

impl<T> Remote<T> {
    /// What is known, current or stale.
    #[must_use]
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Loading { stale, .. } | Self::Failed { stale, .. } => stale.as_ref(),
            Self::Idle => None,
        }
    }

    /// What is known, current or stale, to be changed.
    pub fn known_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Loading { stale, .. } | Self::Failed { stale, .. } => stale.as_mut(),
            Self::Idle => None,
        }
    }

    /// The request that is on its way.
    #[must_use]
    pub fn waiting(&self) -> Option<RequestId> {
        match self {
            Self::Loading { request, .. } => Some(*request),
            _ => None,
        }
    }

    /// Whether this reply is the one waited for.
    #[must_use]
    pub fn wants(&self, reply: RequestId) -> bool {
        self.waiting() == Some(reply)
    }

    /// Starts a request; what was known becomes stale.
    pub fn load(&mut self, request: RequestId, since: Moment) {
        let stale = self.take_known();
        *self = Self::Loading { request, since, stale };
    }

    /// Ends it with an answer or a problem.
    pub fn settle(&mut self, result: Result<T, String>) {
        *self = match result {
            Ok(value) => Self::Ready(value),
            Err(problem) => Self::Failed { problem, stale: self.take_known() },
        };
    }

    /// Since when the first answer is waited for: nothing is known yet.
    #[must_use]
    pub fn first_asked(&self) -> Option<Moment> {
        match self {
            Self::Loading { since, stale: None, .. } => Some(*since),
            _ => None,
        }
    }

    /// Gives up waiting for the first answer where none came for long; the request that is no longer wanted.
    pub fn stop(&mut self, now: Moment) -> Option<RequestId> {
        let seconds = now.silent_since(self.first_asked()?)?;
        let request = self.waiting();
        self.settle(Err(stopped(seconds)));
        request
    }

    fn take_known(&mut self) -> Option<T> {
        match std::mem::take(self) {
            Self::Ready(value) => Some(value),
            Self::Loading { stale, .. } | Self::Failed { stale, .. } => stale,
            Self::Idle => None,
        }
    }
}
