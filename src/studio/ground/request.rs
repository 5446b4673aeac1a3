//! What ties a reply to the question, and what whoever carries a question out has to know of it.

use super::{Failure, Screen};

/// Ties a reply to the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct RequestId(pub u64);

/// Counts the requests of one screen. No two screens count alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requests(u64);

impl Requests {
    /// The requests of a screen.
    #[must_use]
    pub fn of(screen: Screen) -> Self {
        Self((screen as u64) << 40)
    }

    /// The next one.
    pub fn next_id(&mut self) -> RequestId {
        self.0 += 1;
        RequestId(self.0)
    }
}

/// What somebody asks of the world.
pub trait Asks {
    /// What is told of it.
    type Event: 'static;

    /// What the reply is called, where it may be wanted no longer before it comes.
    fn request(&self) -> Option<RequestId>;

    /// So long is waited first, milliseconds.
    fn after_ms(&self) -> u64 {
        0
    }

    /// What is told where there is no answer; `None` where nobody waits for one.
    fn unanswered(&self, why: &Unanswered) -> Option<Self::Event>;
}

/// Why what was asked for has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// Nobody was there to ask it of.
    NotConnected,
    /// It isn't done here, and why.
    Refused(String),
    /// It broke off in this program: whether it was done is not known.
    BrokenOff,
}

impl Unanswered {
    /// The same as a sentence for people.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::NotConnected => "Not connected to the service yet.".to_owned(),
            Self::Refused(why) => why.clone(),
            Self::BrokenOff => "An internal error broke the request off.".to_owned(),
        }
    }

    /// The same as the end of a sentence, without its full stop.
    #[must_use]
    pub fn clause(&self) -> String {
        match self {
            Self::NotConnected => "not connected to the service yet".to_owned(),
            Self::Refused(why) => why.trim_end_matches('.').to_owned(),
            Self::BrokenOff => "an internal error broke the request off".to_owned(),
        }
    }

    /// The same as a failure.
    #[must_use]
    pub fn failure(&self) -> Failure {
        Failure::new(self.words())
    }

    /// Whether it may have been done all the same.
    #[must_use]
    pub fn may_be_done(&self) -> bool {
        *self == Self::BrokenOff
    }
}
