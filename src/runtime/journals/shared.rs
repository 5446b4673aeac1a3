//! The journals of a guest whose service works on a database that several processes serve: they are in that database, so that
//! the draft goes on at whichever process the guest comes to next.
//!
//! What is in `file` a lock is a lease here, which is renewed with all others of its process and ends by itself where that
//! does. Whoever takes a journal draws another fence for it, and nothing is written under the one before. Who wants a journal
//! that is held says so in its row, where its holder looks each second.

mod asking;
mod opened;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::io;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use uuid::Uuid;

use super::waiting::{Of, whole};
use super::{COMPACT_FROM, Unkept, Wish, file_name};
use asking::{ASK, Asking};
use opened::{Doubt, Opened, placed};

use crate::domain::ProjectId;
use crate::draft::journal::{self, Journal};
use crate::draft::{Draft, Record};
use crate::service::guests::{DraftAsked, DraftPlace, GuestHome, TakenDraft};
use crate::studio::event::{Event, Moment};
use crate::studio::steps::{self, Damaged, Found};

/// How often what is held is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Keeps the journals of a guest until nothing can be wished for any more, and lets go of them then.
pub(super) fn serve(home: &GuestHome, mut wished: UnboundedReceiver<Wish>, events: &UnboundedSender<Event>) {
    let runtime = Handle::current();
    let mut keeper = Keeper::new(home, events);
    loop {
        let wish = match keeper.pace() {
            None => wished.blocking_recv(),
            Some(pace) => {
                let next = runtime.block_on(async { tokio::time::timeout(pace, wished.recv()).await });
                next.unwrap_or(Some(Wish::Look(None)))
            }
        };
        let Some(wish) = wish else { break };
        keeper.take(wish);
        keeper.look();
    }
    keeper.end();
}

/// Keeps the journals of a home.
struct Keeper<'a> {
    home: &'a GuestHome,
    events: &'a UnboundedSender<Event>,
    open: HashMap<ProjectId, Held>,
    /// The journals that others hold and are asked for.
    asking: HashMap<ProjectId, Asking>,
    /// What the database didn't answer: it is asked again before anything else of that journal.
    leaving: Vec<Leaving>,
    /// What is in the journals that were listed, each as it was written and in so many pieces.
    known: HashMap<String, ((i64, i64), Of)>,
    told: HashSet<String>,
    looked: Instant,
}

/// A journal that is to be let go of.
struct Leaving {
    name: String,
    fence: String,
    /// Whether it is to be there for the next one.
    stays: bool,
}

struct Held {
    name: String,
    /// What nobody else writes under.
    fence: String,
    /// The journal; none before the first record.
    opened: Option<Opened>,
    /// Whether one was begun, which may be there though nobody answered.
    begun: bool,
    /// How many of the records that were handed over are in it.
    records: u64,
    /// What could not be written yet: it is tried again with the next record, in its order.
    owed: Vec<Record>,
    /// Whether another studio asked for it, and it was taken note of.
    is_noted: bool,
}

fn drawn() -> String {
    Uuid::new_v4().simple().to_string()
}

/// What is held still, or could not be let go of, is let go of by the process, also where this thread ends by a panic.
impl Drop for Keeper<'_> {
    fn drop(&mut self) {
        self.leaving.extend(self.open.values_mut().filter_map(|held| held.leave(true)));
        if !self.leaving.is_empty() {
            tracing::warn!(drafts = self.leaving.len(), "drafts are let go of as soon as the database takes it");
        }
        self.home.leave_drafts_later(self.leaving.iter().map(|left| (&*left.name, &*left.fence, left.stays)));
    }
}

impl<'a> Keeper<'a> {
    fn new(home: &'a GuestHome, events: &'a UnboundedSender<Event>) -> Self {
        Self {
            home,
            events,
            open: HashMap::new(),
            asking: HashMap::new(),
            leaving: Vec::new(),
            known: HashMap::new(),
            told: HashSet::new(),
            looked: Instant::now(),
        }
    }

    /// How long to wait for a wish; without an end where there is nothing to look at.
    fn pace(&self) -> Option<Duration> {
        let is_held = self.open.values().any(|held| held.opened.is_some());
        let pace = if self.asking.is_empty() { LOOK } else { ASK };
        (is_held || !self.asking.is_empty() || !self.leaving.is_empty()).then_some(pace)
    }

    fn take(&mut self, wish: Wish) {
        match wish {
            Wish::Find(workspace, project) => {
                self.leave(&project);
                let held = Held::new(file_name(&workspace, &project));
                let left = self.let_go(&held.name);
                let taken = left.and_then(|()| self.home.take_draft(&held.name, &held.fence, None));
                self.found(project, held, taken);
            }
            Wish::TakeOver(workspace, project) => {
                self.leave(&project);
                let name = file_name(&workspace, &project);
                self.asking.insert(project.clone(), Asking::new(name));
                self.ask(&project);
            }
            Wish::Keep(project, records) => self.keep(project, records),
            Wish::Claim(project) => {
                let left = self.let_go_of(&project);
                let Some(held) = self.open.get_mut(&project) else { return };
                if left.is_ok() && held.opened.is_none() {
                    let _ = held.create(self.home, &[Record::Claimed]);
                }
                let held = held.opened.is_some();
                self.tell(steps::Event::Claimed { project, held });
            }
            Wish::Drop(project) => {
                let left = self.open.get_mut(&project).and_then(|held| held.leave(false));
                self.leave_soon(left);
            }
            Wish::Leave(project) => self.leave(&project),
            Wish::List(workspace) => self.list(&workspace),
            // Of files.
            Wish::TakenOver(..) | Wish::Look(_) => {}
        }
    }

    fn tell(&self, event: steps::Event) {
        let _ = self.events.send(Event::Steps(event));
    }

    /// Lets go of a journal, and waits for it no longer.
    fn leave(&mut self, project: &ProjectId) {
        let left = self.open.remove(project).and_then(|mut held| held.leave(true));
        self.leave_soon(left);
        if let Some(Asking { name, who, .. }) = self.asking.remove(project) {
            let _ = self.home.unwant_draft(&name, &who);
        }
    }

    /// Lets go of a journal now, or, where the database doesn't take that, as soon as it does.
    fn leave_soon(&mut self, left: Option<Leaving>) {
        self.leaving.extend(left);
        self.let_go_of_all();
    }

    fn let_go_of_all(&mut self) {
        for name in self.leaving.iter().map(|leaving| leaving.name.clone()).collect::<Vec<_>>() {
            // What the first one waited for in vain the others would wait for too.
            if self.let_go(&name).is_err() {
                break;
            }
        }
    }

    /// The same for what was not let go of before of a project. Nothing is begun in its place as long as it is there.
    fn let_go_of(&mut self, project: &ProjectId) -> io::Result<()> {
        match self.open.get(project).map(|held| held.name.clone()) {
            Some(name) => self.let_go(&name),
            None => Ok(()),
        }
    }

    fn let_go(&mut self, name: &str) -> io::Result<()> {
        let (home, mut let_go) = (self.home, Ok(()));
        self.leaving.retain(|leaving| {
            let Leaving { name: of, fence, stays } = leaving;
            if of != name || let_go.is_err() {
                return true;
            }
            let_go = home.leave_draft(of, fence, *stays);
            let_go.is_err()
        });
        if let Err(error) = &let_go {
            tracing::warn!(%error, "a draft was not let go of; it is asked for again");
        }
        let_go
    }

    /// Lets go of everything. What the database doesn't take is left to the process.
    fn end(&mut self) {
        self.leaving.extend(self.open.drain().filter_map(|(_, mut held)| held.leave(true)));
        self.let_go_of_all();
        for (_, Asking { name, who, .. }) in self.asking.drain() {
            // A database that doesn't answer forgets it by itself.
            if self.leaving.is_empty() && self.home.unwant_draft(&name, &who).is_err() {
                break;
            }
        }
    }

    fn found(&mut self, project: ProjectId, mut held: Held, taken: io::Result<TakenDraft>) {
        let found = match taken {
            Ok(TakenDraft::Nothing) => Found::Nothing,
            Ok(TakenDraft::Held) => Found::Taken,
            Ok(TakenDraft::Taken { text, written }) => held.take_up(self.home, &text, Moment(written)),
            Err(error) => Found::Unusable(error.to_string()),
        };
        self.open.insert(project.clone(), held);
        self.tell(steps::Event::JournalFound { project, found });
    }

    fn keep(&mut self, project: ProjectId, records: Vec<Record>) {
        let left = self.let_go_of(&project);
        let Some(held) = self.open.get_mut(&project) else { return };
        held.owed.extend(records);
        match left.map_err(Unkept::from).and_then(|()| held.keep(self.home)) {
            Ok(kept) => self.tell(steps::Event::Kept { project, records: Ok(kept) }),
            Err(Unkept::Failed(why)) => self.tell(steps::Event::Kept { project, records: Err(why) }),
            Err(Unkept::Seized) => self.seized(project),
        }
    }

    /// It is somebody else's by now.
    fn seized(&mut self, project: ProjectId) {
        if let Some(held) = self.open.remove(&project) {
            self.home.lost_draft(&held.name, &held.fence);
        }
        self.tell(steps::Event::Seized { project });
    }

    /// Says what is held, hears who wants it, asks for what is wanted here, and lets go of what could not be, once it is time
    /// to.
    fn look(&mut self) {
        for project in self.asking.keys().cloned().collect::<Vec<_>>() {
            self.ask(&project);
        }
        if self.looked.elapsed() < LOOK {
            return;
        }
        self.looked = Instant::now();
        self.let_go_of_all();
        let home = self.home;
        let held = self.open.iter().filter(|(_, held)| held.opened.is_some());
        let seen =
            held.filter_map(|(project, held)| Some((project.clone(), home.holds_draft(&held.name, &held.fence)?)));
        for (project, seen) in seen.collect::<Vec<_>>() {
            self.saw(project, seen.place, seen.wanted);
        }
    }

    fn saw(&mut self, project: ProjectId, place: DraftPlace, wanted: bool) {
        if place == DraftPlace::Another {
            return self.seized(project);
        }
        let Some(held) = self.open.get_mut(&project) else { return };
        let was = std::mem::replace(&mut held.is_noted, wanted);
        match (was, wanted) {
            (false, true) => self.tell(steps::Event::Wanted { project }),
            (true, false) => self.tell(steps::Event::Withdrawn { project }),
            _ => {}
        }
    }

    /// Asks again for a journal that is held elsewhere, and takes it where it is let go of or its holder is not heard of.
    fn ask(&mut self, project: &ProjectId) {
        let Some(asking) = self.asking.get_mut(project) else { return };
        let held = Held::new(asking.name.clone());
        let wanted = asking.want(self.home);
        let is_unheard = matches!(wanted, Ok(DraftAsked::Asked { noted: false })) && asking.is_unheard();
        let is_patient = asking.is_patient();
        let Asking { name, who, .. } = asking;
        let is_asked = matches!(wanted, Ok(DraftAsked::Asked { .. }));
        let taken = match wanted {
            Ok(DraftAsked::ByAnother) => Ok(TakenDraft::Held),
            Ok(_) => self.home.take_draft(name, &held.fence, is_unheard.then_some(who.as_str())),
            Err(error) => Err(error),
        };
        if is_asked && is_patient && matches!(taken, Ok(TakenDraft::Held)) {
            return;
        }
        if is_unheard {
            tracing::info!("a draft was taken from a studio that did not answer");
        }
        let _ = self.home.unwant_draft(name, who);
        self.asking.remove(project);
        self.found(project.clone(), held, taken);
    }

    fn list(&mut self, workspace: &str) {
        let listed = match self.home.drafts() {
            Ok(listed) => listed,
            Err(error) => return tracing::warn!(%error, "the drafts of a guest can't be listed"),
        };
        let (mut found, mut before) = (Vec::new(), std::mem::take(&mut self.known));
        for draft in listed {
            let stamp = (draft.written, draft.pieces);
            let known = before.remove(&draft.name).filter(|(known, _)| *known == stamp).map(|(_, of)| of);
            let Some(of) = known.or_else(|| Some(whole(self.home.read_draft(&draft.name).ok()?.as_bytes()))) else {
                continue;
            };
            match &of {
                Of::Draft(of, Some(waiting)) if of == workspace => found.push(waiting.clone()),
                Of::Unreadable if self.told.insert(draft.name.clone()) => {
                    let _ = self.events.send(Event::DraftUnreadable(in_words(&draft.name)));
                }
                _ => {}
            }
            self.known.insert(draft.name, (stamp, of));
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        let _ = self.events.send(Event::DraftsFound(found));
    }
}

/// What a journal is called where people read it.
fn in_words(name: &str) -> String {
    format!("{name} in the service's database")
}

fn length(text: &str) -> usize {
    text.len()
}

impl Held {
    fn new(name: String) -> Self {
        Self { name, fence: drawn(), opened: None, begun: false, records: 0, owed: Vec::new(), is_noted: false }
    }

    /// What is to be let go of, where there is something; it is removed unless it `stays`. What comes next under this name is
    /// another journal.
    fn leave(&mut self, stays: bool) -> Option<Leaving> {
        self.owed.clear();
        self.records = 0;
        let fence = std::mem::replace(&mut self.fence, drawn());
        let is_there = std::mem::take(&mut self.begun) | self.opened.take().is_some();
        is_there.then(|| Leaving { name: self.name.clone(), fence, stays })
    }

    /// What is in a journal that is held now.
    fn take_up(&mut self, home: &GuestHome, text: &str, written: Moment) -> Found {
        let taken = match journal::read(text.as_bytes()) {
            Ok(read) => self.read(home, text, read, written),
            Err(error) => Err(error.to_string()),
        };
        taken.unwrap_or_else(|why| {
            let _ = home.leave_draft(&self.name, &self.fence, true);
            Found::Unusable(why)
        })
    }

    fn read(&mut self, home: &GuestHome, text: &str, read: Journal, written: Moment) -> Result<Found, String> {
        let in_words = |error: Unkept| match error {
            Unkept::Failed(why) => why,
            Unkept::Seized => "another window took it".to_owned(),
        };
        if let Some(damage) = read.damage {
            // It stays as it is beside the one that goes on.
            let kept = format!("{}.broken-{}", self.name, written.0);
            let keep = |_: Option<&str>| Ok::<_, io::Error>(Some(text.to_owned()));
            home.change_note(&kept, keep).map_err(|error| error.to_string())?;
            match &read.draft {
                Some(draft) => self.rewrite(home, draft).map_err(in_words)?,
                None => home.leave_draft(&self.name, &self.fence, false).map_err(|error| error.to_string())?,
            }
            self.records = read.draft.as_ref().map_or(0, |draft| u64::try_from(draft.records().len()).unwrap_or(0));
            let (draft, kept, records) = (read.draft.map(Box::new), self::in_words(&kept), self.records);
            return Ok(Found::Damaged(Box::new(Damaged { draft, written, records, damage, kept })));
        }
        let Some(draft) = read.draft else {
            // Another studio held it, and nothing was edited.
            home.leave_draft(&self.name, &self.fence, false).map_err(|error| error.to_string())?;
            return Ok(Found::Nothing);
        };
        self.opened = Some(Opened { last: read.last, length: length(text), compact: length(text), doubt: None });
        if read.version < journal::VERSION || !read.is_closed {
            self.rewrite(home, &draft).map_err(in_words)?;
        }
        self.records = u64::try_from(read.records).unwrap_or(0);
        Ok(Found::Draft { draft: Box::new(draft), written, records: self.records })
    }

    /// Puts a journal of the fewest records that make a draft in the place of the one there is.
    fn rewrite(&mut self, home: &GuestHome, draft: &Draft) -> Result<(), Unkept> {
        let (text, last) = journal::whole(&draft.records());
        let read = journal::read(text.as_bytes()).ok().and_then(|journal| journal.draft);
        if read.as_ref() != Some(draft) {
            return Err(Unkept::Failed("it couldn't be rewritten without loss".to_owned()));
        }
        let length = length(&text);
        placed(home.write_draft(&self.name, &self.fence, text, true)?)?;
        self.opened = Some(Opened { last, length, compact: length, doubt: None });
        Ok(())
    }

    /// Begins the journal.
    fn create(&mut self, home: &GuestHome, records: &[Record]) -> Result<(), Unkept> {
        let (text, last) = journal::whole(records);
        let length = length(&text);
        self.begun = true;
        if !home.begin_draft(&self.name, &self.fence, text.clone())? {
            // It may have been made by the time before, which was not answered.
            match home.write_draft(&self.name, &self.fence, text, true)? {
                DraftPlace::Own => {}
                _ => return Err(Unkept::Failed("another window started to edit this project".to_owned())),
            }
        }
        self.opened = Some(Opened { last, length, compact: 0, doubt: None });
        Ok(())
    }

    /// Writes what is owed; how many records are in the database by now.
    fn keep(&mut self, home: &GuestHome) -> Result<u64, Unkept> {
        let owed = std::mem::take(&mut self.owed);
        let kept = match &mut self.opened {
            None => self.create(home, &owed),
            Some(opened) => opened.write(home, (&self.name, &self.fence), &owed),
        };
        if let Err(error) = kept {
            self.owed = owed;
            return Err(error);
        }
        self.records += u64::try_from(owed.len()).unwrap_or(u64::MAX);
        self.compact(home);
        Ok(self.records)
    }

    /// Writes a journal that has grown again, with what still counts of it. Where that can't be done it stays as it is.
    fn compact(&mut self, home: &GuestHome) {
        let Some(opened) = &mut self.opened else { return };
        let from = usize::try_from(COMPACT_FROM).unwrap_or(usize::MAX);
        if opened.length < from || opened.length / 2 < opened.compact {
            return;
        }
        // Not tried again at once, whatever comes of it.
        opened.compact = opened.length;
        let Ok(text) = home.read_draft(&self.name) else { return };
        let read = journal::read(text.as_bytes()).ok().filter(|read| read.damage.is_none());
        if let Some(draft) = read.and_then(|read| read.draft)
            && self.rewrite(home, &draft).is_err()
            && let Some(opened) = &mut self.opened
        {
            opened.doubt = Some(Doubt::Compacted);
        }
    }
}
