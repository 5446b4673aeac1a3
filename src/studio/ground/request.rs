//! What ties a reply to the question, and what whoever carries a question out has to know of it.

use std::collections::BTreeSet;

use super::Failure;

/// Ties a reply to the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct RequestId(pub u64);

/// Counts the requests of a studio: whoever asks takes the next number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requests(u64);

impl Requests {
    /// The next one.
    pub fn next_id(&mut self) -> RequestId {
        self.0 += 1;
        RequestId(self.0)
    }
}

/// The requests that are on their way and whose answers are still wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted(BTreeSet<RequestId>);

impl Wanted {
    /// Sees what is asked for.
    pub fn ask(&mut self, asked: &impl Asks) {
        self.0.extend(asked.request());
    }

    /// This answer is no longer wanted.
    pub fn cancel(&mut self, request: RequestId) {
        self.0.remove(&request);
    }

    /// Whether somebody wants what is told. What nobody asked for concerns everybody; what ends a request is told once.
    pub fn takes(&mut self, told: &impl Answers) -> bool {
        match (told.ends(), told.request()) {
            (Some(request), _) => self.0.remove(&request),
            (None, Some(request)) => self.0.contains(&request),
            (None, None) => true,
        }
    }
}

/// What somebody asks of the world.
pub trait Asks {
    /// What is reported about it.
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

/// What is reported about a request.
pub trait Answers {
    /// The request that this is about; `None` where there was none.
    fn request(&self) -> Option<RequestId>;

    /// Whether more follows about the request.
    fn goes_on(&self) -> bool {
        false
    }

    /// The request that ends with this; `None` where more of it comes, or where nobody asked.
    fn ends(&self) -> Option<RequestId> {
        self.request().filter(|_| !self.goes_on())
    }
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
            Self::BrokenOff => "An internal error stopped the request.".to_owned(),
        }
    }

    /// The same as the end of a sentence, without its full stop.
    #[must_use]
    pub fn clause(&self) -> String {
        match self {
            Self::NotConnected => "not connected to the service yet".to_owned(),
            Self::Refused(why) => why.trim_end_matches('.').to_owned(),
            Self::BrokenOff => "an internal error stopped the request".to_owned(),
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
