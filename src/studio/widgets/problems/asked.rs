//! What a list of problems asks of the world, and what it hears.

use super::FoundProblem;
use crate::domain::StoreUrl;
use crate::studio::ground::{Failure, RequestId, Unanswered};

/// What a list of problems asks of the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckRequest {
    /// Read all there is and report what is wrong with it, page by page.
    Check {
        /// What the replies are called.
        request: RequestId,
        /// The store whose products are checked; videos are of none.
        store: Option<StoreUrl>,
    },
    /// Keep that a problem is ignored, or isn't any more.
    Ignore {
        /// What the reply is called.
        request: RequestId,
        /// What a baseline knows it by.
        key: String,
        /// Whether it is ignored.
        ignored: bool,
    },
    /// Write all that is ignored to a baseline file; one that is there already is added to.
    Save {
        /// What the reply is called.
        request: RequestId,
        /// The file, as it was typed.
        file: String,
        /// What is ignored since the list was opened.
        keys: Vec<String>,
    },
}

/// What a list of problems hears.
#[derive(Debug, Clone, PartialEq)]
pub enum CheckReply {
    /// Some more was read.
    Found {
        /// The question.
        request: RequestId,
        /// What is wrong with it.
        found: Vec<FoundProblem>,
        /// How many products or videos were read so far.
        read: u64,
        /// How many problems were left out so far because they are ignored.
        left_out: u64,
    },
    /// All was read, or the rest couldn't be.
    Ended {
        /// The question.
        request: RequestId,
        /// Why it couldn't.
        ended: Result<(), Failure>,
    },
    /// It is kept that a problem is ignored, or isn't.
    Ignored {
        /// The question.
        request: RequestId,
        /// Why it is not kept.
        kept: Result<(), String>,
    },
    /// A baseline was written.
    Saved {
        /// The question.
        request: RequestId,
        /// Where, or why not.
        saved: Result<String, String>,
    },
}

impl CheckRequest {
    /// What the reply is called.
    #[must_use]
    pub fn request(&self) -> RequestId {
        match self {
            Self::Check { request, .. } | Self::Ignore { request, .. } | Self::Save { request, .. } => *request,
        }
    }

    /// What is told where it has no answer.
    #[must_use]
    pub fn unanswered(&self, why: &Unanswered) -> CheckReply {
        match *self {
            Self::Check { request, .. } => CheckReply::Ended { request, ended: Err(why.failure()) },
            Self::Ignore { request, .. } => CheckReply::Ignored { request, kept: Err(why.clause()) },
            Self::Save { request, .. } => CheckReply::Saved { request, saved: Err(why.words()) },
        }
    }

    /// Whether it touches files that the owner of the studio names.
    #[must_use]
    pub fn is_on_files(&self) -> bool {
        matches!(self, Self::Save { .. })
    }
}

impl CheckReply {
    /// The question.
    #[must_use]
    pub fn request(&self) -> RequestId {
        match self {
            Self::Found { request, .. }
            | Self::Ended { request, .. }
            | Self::Ignored { request, .. }
            | Self::Saved { request, .. } => *request,
        }
    }

    /// Whether more follows.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        matches!(self, Self::Found { .. })
    }
}
