//! Applying a plan, as a machine without hands: what is to be asked next, and what the answer means.
//!
//! What the service did becomes part of what the draft stands on, so the plan shrinks with every answer and can be gone on
//! with at any time. Before anything is written the project is read again: what somebody else changed since goes back
//! through merge and plan. A creation is written down before it is asked for; where its answer is not known, the service
//! is read until it is known what came of it.

use std::time::Duration;

use super::call::Call;
use super::conflict::Merge;
use super::draft::Draft;
use super::extensions::Extensions;
use super::moved::{self, Moved, Written};
use super::outcome::{Outcome, Stopped};
use super::queue::Queue;
use super::record::{Record, Sent};
use super::settling::{Settled, Stranger, folded};
use crate::domain::{Project, ProjectId};

/// How long is waited before each reading that looks for what is not shown yet. Services may finish what they were asked
/// for after its answer was lost.
pub(super) const PAUSES: [Duration; 6] = [
    Duration::ZERO,
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// How often is looked. One look more is taken for a creation that a service may finish late and that can't be sent again
/// without the risk of making it twice.
const LOOKS: usize = PAUSES.len() - 1;

/// How often in a row a call that is made without a condition is made again where what hindered it may pass.
const TRIES: usize = 4;

/// The longest that a service is left alone because it asks for that.
const LONGEST_REST: Duration = Duration::from_secs(60);

/// What is to be done next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Read the project after so long and hand it to [`Applying::read`].
    ReadProject {
        /// How long to wait before.
        after: Duration,
    },
    /// List the projects after so long and hand them to [`Applying::listed`].
    ListProjects {
        /// How long to wait before.
        after: Duration,
    },
    /// Find out whether the service is known to make a creation that is sent twice under one key once only, and hand that
    /// to [`Applying::know_keys`].
    FindOutKeys,
    /// Make this call: [`Applying::sending`], then the call, then [`Applying::answered`].
    Call(Box<Call>, SendOptions),
    /// Nothing is left to do.
    Nothing,
}

/// What a call says beside its body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SendOptions {
    /// What tells a creation from every other one, however often it is sent.
    pub key: Option<String>,
    /// The entity tag of the project as it was read: the call is for that state only.
    pub tag: Option<String>,
}

/// A project as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The project with its steps.
    pub project: Project,
    /// The entity tag of that state, where there is one.
    pub tag: Option<String>,
    /// What of it is not what it should be, in words: what it seems to say there is not sure.
    pub flaw: Option<String>,
    /// Whether products of its steps are kept on this computer, as the service doesn't keep them.
    pub products_here: bool,
}

impl From<Project> for Reading {
    fn from(project: Project) -> Self {
        Self { project, tag: None, flaw: None, products_here: false }
    }
}

/// What a reading of the service says.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// Nobody else changed anything: go on with [`Applying::next`].
    Same,
    /// Somebody else changed the project. Nothing of it is taken over yet.
    Changed(Box<Merge>),
    /// The reading seems to say that something was changed, and is not what it should be: nothing is known.
    Flawed(String),
    /// A creation was not answered, and there is something that nobody knows and that is not certainly what was asked for.
    /// Or there is nothing yet, and the service is not known to make it once only where it is sent again: only a person
    /// can say that it is, see [`Draft::absent`].
    Unclear(Vec<Stranger>),
}

/// What is known of the state that the service is in.
#[derive(Debug, Clone, PartialEq, Default)]
enum Known {
    /// Something was written since it was read, or it was not read.
    #[default]
    Stale,
    /// Only steps were created since it was read or made. A creation writes over nothing, so another one may follow
    /// without a reading in between; whatever else is written is not.
    Grown,
    /// It was read, and nothing was written since.
    Read,
    /// The same, and this is the state's tag.
    Tagged(String),
    /// It was written for one state, and the answer came with this tag, of the state after it.
    TaggedByWrite(String),
}

/// How far a plan is made, and how fresh what it stands on is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Applying {
    /// What all keys of its creations begin with.
    seed: String,
    /// How many creations it has begun.
    created: u32,
    /// What is known of the service's state.
    known: Known,
    /// How often was read in vain for what is not shown yet.
    looked: usize,
    /// How often in a row a call without a condition was hindered by what may pass.
    tries: usize,
    /// How long to wait before the next reading because of that.
    rest: Duration,
    /// The calls that are left.
    queue: Queue,
    /// What was written since the project was read.
    written: Vec<Written>,
    /// Everything that it has written.
    calls: Vec<Call>,
    /// Whether the service refused the tag of the last reading.
    refused: bool,
    /// How often in a row it refused a tag though nothing was changed.
    in_vain: u8,
    /// Whether the service's tags are no conditions that it takes.
    untagged: bool,
    /// Whether the service makes what is sent twice under one key once only, where that was found out.
    heeds_keys: Option<bool>,
    /// The projects that are called as the one that is to be created, once they were listed.
    alike: Option<Vec<ProjectId>>,
    /// What became of what was sent and is an extension.
    extensions: Extensions,
    /// Whether the project was created by this plan, and the tags that its writes are answered with are taken for those of
    /// the state after them: then nothing has to be read in between.
    trusts_writes: bool,
}

impl Applying {
    /// Begins. `seed` has to be one that no other plan has, here or elsewhere.
    #[must_use]
    pub fn new(seed: impl Into<String>) -> Self {
        Self { seed: seed.into(), ..Self::default() }
    }

    fn pause(&self) -> Duration {
        PAUSES.get(self.looked).copied().unwrap_or_default().max(self.rest)
    }

    /// Whether it is worth looking again.
    fn looks_again(&mut self) -> bool {
        self.looked += 1;
        self.looked < LOOKS
    }

    /// Whether this look at what came of a creation is the last one.
    fn is_last_look(&self) -> bool {
        self.looked + 1 >= if self.heeds_keys == Some(true) { LOOKS } else { PAUSES.len() }
    }

    /// Takes whether the service is known to make a creation that is sent twice under one key once only. Where it is not,
    /// nothing that it does not show is sent again before a person says so: it may be about to finish it.
    pub fn know_keys(&mut self, heeded: bool) {
        self.heeds_keys = Some(heeded);
    }

    /// How many calls are left, the next one among them, as far as is known.
    #[must_use]
    pub fn left(&self) -> usize {
        self.queue.len()
    }

    /// What is to be done next so that the service says what the draft says.
    #[must_use]
    pub fn next(&mut self, draft: &Draft) -> Next {
        if let Some(open) = &draft.sent {
            if !open.absent && self.heeds_keys.is_none() && self.looked + 1 == LOOKS {
                return Next::FindOutKeys;
            }
            match (&open.sent, open.absent) {
                (Sent::Step(_), false) => return Next::ReadProject { after: self.pause() },
                (Sent::Project { .. }, false) => return Next::ListProjects { after: self.pause() },
                // Once more just as it was sent: whoever heeds the key knows it again. Else a person said so.
                (Sent::Step(new), true) => return self.call(draft, Call::CreateStep((**new).clone())),
                (Sent::Project { name, .. }, true) => {
                    return self.call(draft, Call::CreateProject { name: name.clone() });
                }
            }
        }
        let first = self.queue.first(draft);
        match first {
            Some(call) => self.call(draft, call),
            // Whether they were kept is seen only where the project is read again.
            None if self.extensions.are_sought() => Next::ReadProject { after: self.pause() },
            None => Next::Nothing,
        }
    }

    /// Whether the service took settings of the player and doesn't keep them: it is one without that extension.
    #[must_use]
    pub fn loses_player(&self) -> bool {
        self.extensions.loses_player()
    }

    /// Whether the service took products on steps and doesn't keep them: it is one without that extension.
    #[must_use]
    pub fn loses_products(&self) -> bool {
        self.extensions.loses_products()
    }

    /// Whether the service doesn't keep products on steps, and they are kept on this computer.
    #[must_use]
    pub fn keeps_products_here(&self) -> bool {
        self.extensions.keeps_products_here()
    }

    fn call(&self, draft: &Draft, call: Call) -> Next {
        if matches!(call, Call::CreateProject { .. }) && self.alike.is_none() {
            return Next::ListProjects { after: self.pause() };
        }
        let needs_reading = match &self.known {
            Known::Stale => !matches!(call, Call::CreateProject { .. }),
            Known::Grown => !call.creates(),
            Known::Read | Known::Tagged(_) | Known::TaggedByWrite(_) => false,
        };
        let tag = match &self.known {
            _ if needs_reading => return Next::ReadProject { after: self.pause() },
            Known::Tagged(tag) | Known::TaggedByWrite(tag) if !self.untagged => Some(tag.clone()),
            _ => None,
        };
        let again = || draft.sent.as_ref().and_then(|open| open.key.clone());
        let key = call.creates().then(|| again().unwrap_or_else(|| format!("{}-{}", self.seed, self.created)));
        Next::Call(Box::new(call), SendOptions { key, tag })
    }

    /// To be kept, and known to be kept, before a call is made; none where it can be made twice without harm.
    pub fn sending(&mut self, draft: &mut Draft, call: &Call, options: &SendOptions) -> Option<Record> {
        let alike = self.alike.take().unwrap_or_default();
        let resent = draft.is_unsettled() && call.creates();
        let sent = match (call, draft.sent.as_ref()) {
            // What is sent again is the same creation still.
            (call, Some(open)) if call.creates() => open.sent.clone(),
            (Call::CreateStep(new), _) => Sent::Step(Box::new(new.clone())),
            (Call::CreateProject { name }, _) => Sent::Project { name: name.clone(), before: alike },
            _ => return None,
        };
        self.created += 1;
        let key = options.key.clone();
        Some(draft.keep(Record::Sent { sent: Some(sent), key, absent: false, resent, invalid: false }))
    }

    /// Takes what a call came to.
    ///
    /// # Errors
    /// Where applying has to stop. A creation of which nothing is known does not: [`Self::next`] reads again.
    pub fn answered(&mut self, draft: &mut Draft, call: &Call, outcome: Outcome) -> Result<Option<Record>, Stopped> {
        let known = std::mem::take(&mut self.known);
        let is_tag_of_write = matches!(known, Known::TaggedByWrite(_));
        let conditional = (is_tag_of_write || matches!(known, Known::Tagged(_))) && !self.untagged;
        self.looked = 0;
        // Without a tag there was no condition: then it is a refusal like any other.
        if conditional && matches!(outcome, Outcome::Changed(_)) {
            // The tag of a write may be that of a step alone: then it says nothing of the project's.
            self.refused = !is_tag_of_write;
            self.trusts_writes &= !is_tag_of_write;
            return Ok(if call.creates() { draft.refused_creation(false) } else { None });
        }
        if !conditional && self.tries_again(call, &outcome) {
            return Ok(None);
        }
        let (outcome, tag) = match outcome {
            Outcome::Tagged(tag) => (Outcome::Done, Some(tag)),
            outcome => (outcome, None),
        };
        let written = Written::of(call, draft);
        let why = match &outcome {
            Outcome::Unknown(why) => why.clone(),
            _ => "the response doesn't say what was created".to_owned(),
        };
        let record = draft.answered(call, outcome).inspect_err(|_| self.tries = 0)?;
        if record.is_none() && call.creates() {
            // A service that never answers is asked only so often. The creation stays open: what came of it is looked for
            // before it is sent again.
            self.tries += 1;
            if self.tries >= TRIES {
                self.tries = 0;
                return Err(Stopped { title: call.title(), why, record: None });
            }
        }
        if record.is_some() {
            self.refused = false;
            self.in_vain = 0;
            self.tries = 0;
            self.extensions.sent(call);
            self.note(written, draft);
            self.know_after(call, conditional, tag);
        }
        Ok(record)
    }

    /// Whether a call goes on with another reading although it was hindered. A call under a condition is sent again by
    /// whoever sends it, as that overwrites nothing; one without is made again only for what the service says by then.
    fn tries_again(&mut self, call: &Call, outcome: &Outcome) -> bool {
        let after = match outcome {
            Outcome::Busy { after, .. } => *after,
            Outcome::Unknown(_) => Duration::ZERO,
            _ => return false,
        };
        if call.creates() || self.tries >= TRIES || after > LONGEST_REST {
            return false;
        }
        self.tries += 1;
        self.rest = after.max(PAUSES.get(self.tries).copied().unwrap_or_default());
        true
    }

    /// What is known of the service's state after a write that was answered.
    fn know_after(&mut self, call: &Call, conditional: bool, tag: Option<String>) {
        self.trusts_writes |= matches!(call, Call::CreateProject { .. });
        self.known = match tag {
            _ if call.creates() => Known::Grown,
            // Where the write was not made for one state, the tag may be of what somebody else made of it.
            Some(tag) if conditional && self.trusts_writes => Known::TaggedByWrite(tag),
            _ => Known::Stale,
        };
    }

    fn note(&mut self, written: Written, draft: &Draft) {
        self.queue.done(&written.call, draft);
        self.calls.push(written.call.clone());
        self.written.push(written);
    }

    /// Takes the project as it is now. The records are to be kept.
    pub fn read(&mut self, draft: &mut Draft, reading: impl Into<Reading>) -> (Vec<Record>, Seen) {
        let Reading { project: theirs, tag, flaw, products_here } = reading.into();
        self.rest = Duration::ZERO;
        let mut records = Vec::new();
        let is_done = draft.sent.is_none() && draft.calls().0.is_empty();
        if self.extensions.find_out(&theirs, products_here, is_done) && is_done {
            self.looked = self.extensions.looks();
            return (records, Seen::Same);
        }
        let open = draft.sent.as_ref().filter(|open| matches!(open.sent, Sent::Step(_)));
        if let (Some(_), Some(flaw)) = (&open, &flaw) {
            let seen = if self.looks_again() { Seen::Same } else { Seen::Flawed(flaw.clone()) };
            return (records, seen);
        }
        if let Some(absent) = open.map(|open| open.absent)
            && let Some(seen) = self.settle(draft, &theirs, absent, &mut records)
        {
            return (records, seen);
        }
        let theirs = moved::filled(draft, theirs, &self.calls);
        let merge = draft.merge(theirs);
        let moves = moved::moves(draft, merge.theirs(), &self.written);
        if moves.contains(&Moved::Late) && !moves.contains(&Moved::Elsewhere) && self.looks_again() {
            return (records, Seen::Same);
        }
        self.looked = 0;
        // What the merge finds nothing in is what is wanted here, however it came about.
        let changed = !merge.is_quiet() && (moves.contains(&Moved::Elsewhere) || moves.contains(&Moved::Late));
        if let Some(flaw) = flaw.filter(|_| changed) {
            return (records, Seen::Flawed(flaw));
        }
        self.known = tag.map_or(Known::Read, Known::Tagged);
        self.written.clear();
        let refused = std::mem::take(&mut self.refused);
        if changed {
            return (records, Seen::Changed(Box::new(merge)));
        }
        if moves.is_empty() {
            // Nothing was changed, and yet the tag was refused: it is the tag of something else.
            // Once may be a late write of this process that changed nothing; twice in a row is not.
            self.in_vain = if refused { self.in_vain.saturating_add(1) } else { self.in_vain };
            self.untagged |= self.in_vain > 1;
        } else {
            records.push(draft.rebase(&merge));
        }
        (records, Seen::Same)
    }

    /// Finds the step whose creation was not answered among those that the service has now; what is to be done about it,
    /// where that is not to go on.
    fn settle(&mut self, draft: &mut Draft, theirs: &Project, absent: bool, records: &mut Vec<Record>) -> Option<Seen> {
        let before = draft.base.content().clone();
        let is_last = self.is_last_look();
        match draft.settle(theirs, is_last) {
            Settled::Bound(call, record) => {
                self.tries = 0;
                self.note(Written { call: *call, before }, draft);
                records.push(*record);
            }
            _ if absent => {}
            _ if !is_last => {
                self.looked += 1;
                return Some(Seen::Same);
            }
            Settled::Absent if self.may_double(draft) => {
                self.looked = 0;
                return Some(Seen::Unclear(Vec::new()));
            }
            Settled::Absent => records.extend(draft.absent()),
            Settled::Unclear(strangers) => {
                self.looked = 0;
                return Some(Seen::Unclear(strangers));
            }
        }
        self.looked = 0;
        None
    }

    /// Whether a creation that the service does not show could be made twice if it were sent again.
    fn may_double(&self, draft: &Draft) -> bool {
        self.heeds_keys != Some(true) && draft.is_sent_again()
    }

    /// Takes the projects as they are now: before the project is created, and after its creation was not answered.
    pub fn listed(&mut self, draft: &mut Draft, projects: &[Project]) -> (Vec<Record>, Seen) {
        let is_last = self.is_last_look();
        let absent = draft.sent.as_ref().map(|open| open.absent);
        let seen = match (draft.settle_project(projects), absent) {
            (Settled::Bound(_, record), _) => {
                (self.looked, self.tries) = (0, 0);
                return (vec![*record], Seen::Same);
            }
            // It is about to be sent, for the first time or again.
            (_, None | Some(true)) => {
                // Whatever could be taken for the new project later, also where its name isn't shown now.
                let name = folded(draft.content().head().name());
                let alike =
                    projects.iter().filter(|project| project.name.as_deref().is_none_or(|told| folded(told) == name));
                self.alike = Some(alike.map(|project| project.id.clone()).collect());
                Seen::Same
            }
            _ if !is_last => {
                self.looked += 1;
                return (Vec::new(), Seen::Same);
            }
            (Settled::Unclear(strangers), _) => Seen::Unclear(strangers),
            (Settled::Absent, _) if self.may_double(draft) => Seen::Unclear(Vec::new()),
            (Settled::Absent, _) => {
                self.looked = 0;
                return (draft.absent().into_iter().collect(), Seen::Same);
            }
        };
        self.looked = 0;
        (Vec::new(), seen)
    }
}
