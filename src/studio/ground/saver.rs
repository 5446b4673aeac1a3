//! Saving a draft call by call: what is asked of the service next, and what its answer comes to. Every screen that writes a
//! draft writes it with this; what becomes of conflicts and of failures is the screen's to say.

use std::fmt;
use std::time::Duration;

use super::{Context, Failure, Moment, Unanswered};
use crate::domain::{Project, ProjectId};
use crate::draft::{
    Applying, Call, Draft, Merge, Next, Outcome, Reading, Record, Request, Seen, SendOptions, Stopped, Stranger,
};

/// What saving a draft asks of the service.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// A call of the plan, it as it goes over the wire, and what it says beside its body.
    Call(Box<Call>, Box<Request>, SendOptions),
    /// The project as it is after so long.
    ReadProject {
        /// Which one.
        id: ProjectId,
        /// How long to wait before.
        after: Duration,
    },
    /// All projects, after so long.
    ListProjects {
        /// How long to wait before.
        after: Duration,
    },
    /// Whether the service is known to make a creation that is sent twice under one key once only.
    FindOutKeys,
}

impl Ask {
    /// The reply where there is no other. Only a call that broke off may have been made.
    #[must_use]
    pub fn unanswered(&self, why: &Unanswered) -> Reply {
        match self {
            Self::Call(call, ..) if why.may_be_done() => {
                Reply::Call(call.clone(), Box::new(Outcome::Unknown(why.words())))
            }
            Self::Call(call, ..) => Reply::Call(call.clone(), Box::new(Outcome::Refused(why.words()))),
            Self::ReadProject { .. } => Reply::Project(Err(why.failure())),
            Self::ListProjects { .. } => Reply::Projects(Err(why.failure())),
            Self::FindOutKeys => Reply::Keys(false),
        }
    }
}

/// What the service answered to that.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// What the call came to.
    Call(Box<Call>, Box<Outcome>),
    /// The call was refused because of the credential, in these words.
    Unauthorized(Box<Call>, String),
    /// The project.
    Project(Result<Box<Reading>, Failure>),
    /// The projects, without their steps.
    Projects(Result<Vec<Project>, Failure>),
    /// Whether the service is known to heed keys of creations.
    Keys(bool),
}

/// What is due next.
#[derive(Debug, Clone, PartialEq)]
pub enum Due {
    /// Ask this, once the record is kept, where there is one.
    Ask(Box<Ask>, Option<Box<Record>>),
    /// Nothing: everything is saved.
    Nothing,
    /// The next call needs what the service did not say.
    Stuck,
}

/// Why saving stops. What was not made stays in the draft.
#[derive(Debug, Clone, PartialEq)]
pub struct Halt {
    /// The call that failed, where one did.
    pub call: Option<Box<Call>>,
    /// What was not done, in words.
    pub what: String,
    /// Why.
    pub why: String,
    /// Whether the credential was refused.
    pub unauthorized: bool,
    /// Whether the service found something wrong with what was sent: it will refuse it again.
    pub invalid: bool,
}

impl Halt {
    /// What came of a creation is not known, and only a person can tell.
    #[must_use]
    pub fn unclear(draft: &Draft, strangers: &[Stranger]) -> Self {
        let why = match strangers.len() {
            0 => "its response was lost, and the service doesn't show it yet; it may still be working on it".to_owned(),
            1 => "its response was lost, and the service has a project of that name, which may be someone else's"
                .to_owned(),
            count => format!(
                "its response was lost, and the service has {count} projects of that name, which may be someone else's"
            ),
        };
        Self::reading(&draft.unanswered().unwrap_or_default(), why)
    }

    fn reading(what: &str, why: String) -> Self {
        Self { call: None, what: what.to_owned(), why, unauthorized: false, invalid: false }
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It stands alone, so it begins as a sentence does; what was to be done may be told as `create step Sale`.
        let mut what = self.what.chars();
        let first = what.next().map(char::to_uppercase);
        write!(f, "{}{}: {}", first.into_iter().flatten().collect::<String>(), what.as_str(), self.why)
    }
}

/// What an answer comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Answered {
    /// It goes on with [`Saver::next`].
    On,
    /// It stops.
    Stopped(Box<Halt>),
    /// The response to a creation was lost, and the service has what may be it or somebody else's; or it has nothing yet, and
    /// only a person can say that it is sent again, see [`Draft::absent`].
    Unclear(Vec<Stranger>),
    /// Somebody else changed the project. Nothing of it is taken over yet.
    Changed(Box<Merge>),
}

/// How far saving a draft is.
#[derive(Debug, Clone, PartialEq)]
pub struct Saver {
    applying: Applying,
    /// The calls that were made, in words.
    pub done: Vec<String>,
}

impl Saver {
    /// Begins to save something. `what` tells it from everything else that is saved in this profile at this moment.
    #[must_use]
    pub fn new(context: &Context, what: &str, now: Moment) -> Self {
        Self { applying: Applying::new(seed(context, what, now)), done: Vec::new() }
    }

    /// Begins again with what is left: the service is read again before the first call.
    pub fn renew(&mut self, context: &Context, what: &str, now: Moment) {
        self.applying = Applying::new(seed(context, what, now));
    }

    /// How many calls are left, the next one among them, as far as is known.
    #[must_use]
    pub fn left(&self) -> usize {
        self.applying.left()
    }

    /// Whether the service took settings of the player and doesn't keep them.
    #[must_use]
    pub fn loses_player(&self) -> bool {
        self.applying.loses_player()
    }

    /// Whether the service took products on steps and doesn't keep them.
    #[must_use]
    pub fn loses_products(&self) -> bool {
        self.applying.loses_products()
    }

    /// Whether the service doesn't keep products on steps, and they are kept on this computer.
    #[must_use]
    pub fn keeps_products_here(&self) -> bool {
        self.applying.keeps_products_here()
    }

    /// What is due next so that the service says what the draft says.
    pub fn next(&mut self, draft: &mut Draft) -> Due {
        let ask = match self.applying.next(draft) {
            Next::Nothing => return Due::Nothing,
            Next::ReadProject { after } => Ask::ReadProject { id: draft.project_id().clone(), after },
            Next::ListProjects { after } => Ask::ListProjects { after },
            Next::FindOutKeys => Ask::FindOutKeys,
            Next::Call(call, options) => {
                let Some(request) = call.request(draft.project_id()) else { return Due::Stuck };
                let record = self.applying.sending(draft, &call, &options);
                return Due::Ask(Box::new(Ask::Call(call, Box::new(request), options)), record.map(Box::new));
            }
        };
        Due::Ask(Box::new(ask), None)
    }

    /// Takes an answer. The records are to be kept.
    pub fn answered(&mut self, draft: &mut Draft, reply: Reply) -> (Vec<Record>, Answered) {
        let (records, seen) = match reply {
            Reply::Call(call, outcome) => return self.called(draft, call, *outcome, false),
            Reply::Unauthorized(call, why) => return self.called(draft, call, Outcome::Refused(why), true),
            Reply::Project(Ok(reading)) => self.applying.read(draft, *reading),
            Reply::Projects(Ok(projects)) => self.applying.listed(draft, &projects),
            Reply::Keys(heeded) => {
                self.applying.know_keys(heeded);
                return (Vec::new(), Answered::On);
            }
            Reply::Project(Err(failure)) | Reply::Projects(Err(failure)) => {
                let what = if draft.is_unsettled() {
                    "We don't know whether the last request worked: couldn't load the project"
                } else {
                    "Nothing more was written: couldn't load the project first"
                };
                let halt = Halt { unauthorized: failure.unauthorized, ..Halt::reading(what, failure.what) };
                return (Vec::new(), Answered::Stopped(Box::new(halt)));
            }
        };
        let answered = match seen {
            Seen::Same => Answered::On,
            Seen::Flawed(flaw) => {
                Answered::Stopped(Box::new(Halt::reading("Couldn't load the project before the next request", flaw)))
            }
            Seen::Unclear(strangers) => Answered::Unclear(strangers),
            Seen::Changed(merge) => Answered::Changed(merge),
        };
        (records, answered)
    }

    fn called(
        &mut self,
        draft: &mut Draft,
        call: Box<Call>,
        outcome: Outcome,
        unauthorized: bool,
    ) -> (Vec<Record>, Answered) {
        let is_done = matches!(
            outcome,
            Outcome::CreatedStep(..) | Outcome::CreatedProject(_) | Outcome::Done | Outcome::Tagged(_)
        );
        let invalid = matches!(outcome, Outcome::Invalid(_));
        match self.applying.answered(draft, &call, outcome) {
            Ok(record) => {
                self.done.extend(is_done.then(|| call.title()));
                (record.into_iter().collect(), Answered::On)
            }
            Err(Stopped { title, why, record }) => {
                let halt = Halt { call: Some(call), what: title, why, unauthorized, invalid };
                (record.map(|record| *record).into_iter().collect(), Answered::Stopped(Box::new(halt)))
            }
        }
    }
}

/// What no other plan's creations are called by: where, what and when tell it from all others.
fn seed(context: &Context, what: &str, now: Moment) -> String {
    let told = format!("{}\n{}\n{what}\n{}", context.workspace, context.profile, now.0);
    blake3::hash(told.as_bytes()).to_hex().to_string()
}
