//! Random saves while others edit and the line breaks, compared with what has to come of them.
//!
//! Half of them go the way of `projects apply`, half that of the studio: with a journal, and killed between a request and
//! its answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cutaway::client::{Client, ClientOptions, Hosts, Limits, new_key};
use cutaway::domain::{ApiKey, ProjectId, Reader, StepProduct};
use cutaway::draft::{Applying, Draft, Edit, Incoming, Merge, Next, Record, Seen, Side, StepRef, Stranger, Target};
use cutaway::runtime::saving::{self, SavingError};
use serde_json::{Value, json};
use url::Url;

use crate::dice::{Dice, count, seed};
use crate::direct;
use crate::direct::Direct;
use crate::proxy::{Act, Asked, FAULTS, Fault, Proxy, proxy};
use crate::serving::Served;

/// A save that takes longer than this hangs.
const HANGS: Duration = Duration::from_secs(240);

/// A place that two can change: a step or the project, and a field.
type Spot = (String, &'static str);

/// What others changed, the last of each place last.
type Theirs = Arc<Mutex<Vec<(Spot, String)>>>;

/// What went wrong in all saves.
#[derive(Default)]
struct Counts {
    doubled: AtomicUsize,
    lost: AtomicUsize,
    overwritten: AtomicUsize,
    hangs: AtomicUsize,
    faults: Arc<AtomicUsize>,
    changed: Arc<AtomicUsize>,
}

/// A save, what is to come of it, and what does.
struct Save {
    direct: Direct,
    project: String,
    steps: Vec<String>,
    theirs: Theirs,
    client: Client,
    proxy: Proxy,
    /// What was edited here.
    mine: HashMap<Spot, String>,
    /// The texts of the steps that were added here.
    added: Vec<String>,
    /// The steps that were deleted here.
    deleted: Vec<String>,
}

/// Changes something as another person would, at this moment.
fn edit_elsewhere(direct: &Direct, project: &str, steps: &[String], dice: &mut Dice, token: &str, theirs: &Theirs) {
    let step = dice.pick(steps).clone();
    let mut theirs = theirs.lock().unwrap();
    match dice.below(4) {
        0 | 1 => {
            let field = *dice.pick(&["overlayText", "description", "products"]);
            let value = if field == "products" { shown(token) } else { json!(token) };
            let (status, _) = direct.ask("PUT", &format!("/projects/steps/{step}"), &json!({ field: value }));
            if status == 200 {
                theirs.push(((step, field), token.to_owned()));
            }
        }
        2 => {
            let (status, _) = direct.ask("PUT", &format!("/projects/{project}"), &json!({ "name": token }));
            if status == 200 {
                theirs.push(((project.to_owned(), "name"), token.to_owned()));
            }
        }
        _ => {
            let step = json!({ "step": { "projectId": project, "overlayText": token } });
            let id = direct.create("/projects/steps", &step);
            theirs.push(((id, "overlayText"), token.to_owned()));
        }
    }
}

/// One product, as a step shows it.
fn shown(id: &str) -> Value {
    json!([{ "store": "https://store.example", "productId": id }])
}

/// What a service is told apart by here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It can be asked under a condition.
    WithConditions,
    /// It has no tags. What others change between a reading and the write right after it nobody can see, so they do not.
    WithoutConditions,
}

/// Whether a request overtakes nobody if somebody changes something right before it: it reads, creates, or is not done.
fn sees_or_spares(asked: &Asked<'_>, fault: Fault) -> bool {
    use Fault::{Broken, DropBefore, PageBefore, Redirected, Reset, TooMany, Unauthenticated, Unavailable};
    let undone = [Broken, DropBefore, PageBefore, Redirected, Reset, TooMany, Unauthenticated, Unavailable];
    matches!(asked.method, "GET" | "POST") || undone.contains(&fault)
}

fn begin(served: &Served, nth: usize, mut dice: Dice, counts: &Counts, kind: Kind) -> Save {
    let direct = direct(served);
    let texts: Vec<String> = (0..2 + dice.below(3)).map(|at| format!("base-{nth}-{at}")).collect();
    let (project, steps) = direct.project(&format!("Save {nth}"), &texts);
    let theirs = Theirs::default();
    let (faults, changed) = (Arc::clone(&counts.faults), Arc::clone(&counts.changed));
    let most = 1 + dice.below(6);
    let dice = Mutex::new((dice, most, 2_usize));
    let (of_proxy, of_project, of_steps, of_theirs) =
        (direct.clone(), project.clone(), steps.clone(), Arc::clone(&theirs));
    let proxy = proxy(served.base(), move |asked| -> Act {
        let mut state = dice.lock().unwrap();
        let (dice, faults_left, edits_left) = &mut *state;
        let mut act = Act { untagged: kind == Kind::WithoutConditions, ..Act::from(Fault::None) };
        if !(asked.writes() || asked.reads_project()) {
            return act;
        }
        if *faults_left > 0 && dice.chance(35) {
            *faults_left -= 1;
            act.fault = *dice.pick(&FAULTS);
            if act.untagged && act.fault == Fault::LateCommit && asked.method != "POST" {
                act.fault = Fault::DropAfter;
            }
            faults.fetch_add(1, Ordering::Relaxed);
        }
        let may_edit = !act.untagged || sees_or_spares(asked, act.fault);
        if *edits_left > 0 && may_edit && dice.chance(12) {
            *edits_left -= 1;
            changed.fetch_add(1, Ordering::Relaxed);
            let mut own = Dice(u64::try_from(dice.below(1_000_000)).unwrap());
            let token = format!("theirs-{nth}-{}", *edits_left);
            let (direct, project, steps, theirs) =
                (of_proxy.clone(), of_project.clone(), of_steps.clone(), Arc::clone(&of_theirs));
            act.before = Some(Box::new(move || edit_elsewhere(&direct, &project, &steps, &mut own, &token, &theirs)));
        }
        act
    });
    let limits = Limits {
        backoff: Duration::from_millis(5),
        silence: Duration::from_secs(20),
        total: Duration::from_secs(60),
        ..Limits::default()
    };
    let hosts = Hosts::single(Url::parse(&proxy.base).unwrap());
    let credential = Some(ApiKey::new(direct.key.as_str()));
    let client = Client::new(ClientOptions { credential, limits, ..ClientOptions::new(hosts) });
    let (mine, added, deleted) = (HashMap::new(), Vec::new(), Vec::new());
    Save { direct, project, steps, theirs, client, proxy, mine, added, deleted }
}

impl Save {
    /// Reads until that goes well.
    async fn read(&self) -> cutaway::domain::Project {
        loop {
            if let Ok(reading) = saving::read(&self.client, &ProjectId::new(self.project.as_str())).await
                && reading.flaw.is_none()
            {
                return reading.project;
            }
        }
    }

    /// Edits at random, and notes what is to come of it.
    fn edit(&mut self, draft: &mut Draft, nth: usize, dice: &mut Dice, records: &mut Vec<Record>) {
        let mut apply = |draft: &mut Draft, edit: Edit| {
            let made = draft.apply(&edit).unwrap();
            records.extend(made.record);
            made.step
        };
        let known: Vec<StepRef> = self.steps.iter().map(|id| draft.find(id).unwrap()).collect();
        if dice.chance(25) && self.steps.len() > 2 {
            let at = dice.below(self.steps.len());
            apply(draft, Edit::DeleteStep { step: known[at], incoming: Incoming::Dangling });
            self.deleted.push(self.steps[at].clone());
        }
        for edit in 0..=dice.below(4) {
            let at = dice.below(known.len());
            let (step, id, text) = (known[at], self.steps[at].clone(), format!("mine-{nth}-{edit}"));
            let gone = self.deleted.contains(&id);
            match dice.below(4) {
                0 if !gone => {
                    apply(draft, Edit::Overlay { step, text: text.clone() });
                    self.mine.insert((id, "overlayText"), text);
                }
                1 if !gone => {
                    apply(draft, Edit::Describe { step, text: text.clone() });
                    self.mine.insert((id, "description"), text);
                }
                2 => {
                    apply(draft, Edit::Name { name: text.clone() });
                    self.mine.insert((self.project.clone(), "name"), text);
                }
                _ => {
                    let new = apply(draft, Edit::AddStep { from: None }).unwrap();
                    apply(draft, Edit::Overlay { step: new, text: text.clone() });
                    let products: Vec<StepProduct> = Reader::read(&shown(&text)).0;
                    apply(draft, Edit::AddProducts { step: new, products, title: text.clone() });
                    let target = if gone { Target::End } else { Target::Step(step) };
                    apply(draft, Edit::AddAnswer { step: new, at: None, text: "On".to_owned(), target });
                    self.added.push(text);
                }
            }
        }
    }

    /// What a person does about a conflict here: the other one is right.
    fn resolve(draft: &mut Draft, mut merge: Merge) -> Record {
        for conflict in merge.conflicts.clone() {
            merge.decide(conflict.spot, Side::Theirs);
        }
        draft.rebase(&merge)
    }

    /// What a person says of something that nobody knows.
    fn tell(&self, draft: &mut Draft, strangers: &[Stranger]) -> Option<Record> {
        let is_own = |stranger: &&Stranger| match stranger {
            Stranger::Step(step) => step.overlay_text.as_ref().is_some_and(|text| self.added.contains(text)),
            Stranger::Project(_) => false,
        };
        match strangers.iter().find(is_own) {
            Some(own) => draft.adopt(own),
            None => draft.absent(),
        }
    }

    /// As `projects apply --yes` saves, again and again until it is done.
    async fn by_command(&self, draft: &mut Draft) {
        loop {
            match saving::apply(&self.client, draft, 3, |_| ()).await {
                Ok(()) => return,
                Err(SavingError::Changed(_)) => {
                    let theirs = self.read().await;
                    let merge = draft.merge(theirs);
                    let _ = Self::resolve(draft, merge);
                }
                // A person looks at what is there.
                Err(SavingError::Unclear(_)) => {
                    let theirs = self.read().await;
                    if let cutaway::draft::Settled::Unclear(strangers) = draft.settle(&theirs, true) {
                        let _ = self.tell(draft, &strangers);
                    }
                }
                Err(_) => {}
            }
        }
    }

    /// As the studio saves, killed now and then.
    async fn by_studio(&self, draft: &mut Draft, records: &mut Vec<Record>, dice: &mut Dice) {
        let mut kills = 2;
        let mut applying = Applying::new(new_key());
        loop {
            let seen = match applying.next(draft) {
                Next::Nothing => return,
                Next::ListProjects { .. } => unreachable!("the project is there"),
                Next::FindOutKeys => {
                    applying.know_keys(saving::heeds_keys(&self.client).await);
                    continue;
                }
                Next::ReadProject { after } => {
                    tokio::time::sleep(after).await;
                    match saving::read(&self.client, draft.project_id()).await {
                        Ok(reading) => {
                            let (more, seen) = applying.read(draft, reading);
                            records.extend(more);
                            seen
                        }
                        Err(_) => continue,
                    }
                }
                Next::Call(call, options) => {
                    let request = call.request(draft.project_id()).unwrap();
                    records.extend(applying.sending(draft, &call, &options));
                    let killed = kills > 0 && dice.chance(15);
                    let reached = !killed || dice.chance(50);
                    let outcome =
                        if reached { Some(saving::send(&self.client, &request, options).await.0) } else { None };
                    if killed {
                        kills -= 1;
                        // All that is left is the journal.
                        let lines: Vec<String> =
                            records.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
                        let read = lines.iter().map(|line| serde_json::from_str::<Record>(line).unwrap());
                        *draft = Draft::from_records(read).unwrap();
                        applying = Applying::new(new_key());
                    } else if let Some(outcome) = outcome {
                        match applying.answered(draft, &call, outcome) {
                            Ok(record) => records.extend(record),
                            Err(stopped) => records.extend(stopped.record.map(|record| *record)),
                        }
                    }
                    continue;
                }
            };
            match seen {
                Seen::Same | Seen::Flawed(_) => {}
                Seen::Changed(merge) => {
                    records.push(Self::resolve(draft, *merge));
                    applying = Applying::new(new_key());
                }
                Seen::Unclear(strangers) => records.extend(self.tell(draft, &strangers)),
            }
        }
    }

    /// What is wrong with what came of it.
    fn wrong(&self, counts: &Counts) -> Vec<String> {
        let now = self.direct.get(&format!("/projects/{}", self.project));
        let steps = now["steps"].as_array().unwrap();
        let at = |spot: &Spot| -> Option<String> {
            if spot.0 == self.project {
                return now["project"][spot.1].as_str().map(str::to_owned);
            }
            let step = steps.iter().find(|step| step["id"] == spot.0.as_str())?;
            if spot.1 == "products" {
                let ids = step["products"].as_array().map(Vec::as_slice).unwrap_or_default();
                // Whatever else is shown there by now, the last that was added is.
                return ids.last().map(|product| product["productId"].as_str().unwrap().to_owned());
            }
            step[spot.1].as_str().map(str::to_owned)
        };
        let theirs = self.theirs.lock().unwrap();
        let mut wrong = Vec::new();
        let mut last: HashMap<&Spot, &String> = HashMap::new();
        for (spot, text) in theirs.iter() {
            last.insert(spot, text);
        }
        for (spot, text) in &last {
            if at(spot).as_ref() != Some(*text) {
                counts.overwritten.fetch_add(1, Ordering::Relaxed);
                wrong.push(format!("{spot:?} was changed elsewhere to {text:?} and is {:?}", at(spot)));
            }
        }
        let touched = |id: &str| theirs.iter().any(|((other, _), _)| other == id);
        for (spot, text) in &self.mine {
            let removed = self.deleted.contains(&spot.0);
            if !removed && !last.contains_key(spot) && at(spot).as_ref() != Some(text) {
                counts.lost.fetch_add(1, Ordering::Relaxed);
                wrong.push(format!("{spot:?} was changed here to {text:?} and is {:?}", at(spot)));
            }
        }
        for id in self.deleted.iter().filter(|id| !touched(id)) {
            if steps.iter().any(|step| step["id"] == id.as_str()) {
                counts.lost.fetch_add(1, Ordering::Relaxed);
                wrong.push(format!("{id} was deleted here and is there"));
            }
        }
        for text in &self.added {
            let times = steps.iter().filter(|step| step["overlayText"] == text.as_str()).count();
            let of = if times > 1 { &counts.doubled } else { &counts.lost };
            let products = steps.iter().filter(|step| step["products"] == shown(text)).count();
            if times == 1 && products != 1 {
                counts.lost.fetch_add(1, Ordering::Relaxed);
                wrong.push(format!("the product of {text:?}, which was created here, is not there"));
            }
            if times != 1 {
                of.fetch_add(1, Ordering::Relaxed);
                wrong.push(format!("{text:?} was created here and is there {times} times"));
            }
        }
        let known = self.steps.len() + self.added.len() + theirs.len();
        if steps.len() > known {
            counts.doubled.fetch_add(1, Ordering::Relaxed);
            wrong.push(format!("{} steps, of at most {known}", steps.len()));
        }
        wrong
    }
}

/// One save from its seed; what is wrong with it.
async fn save(served: &Served, nth: usize, mut dice: Dice, counts: &Counts, kind: Kind) -> Vec<String> {
    let mut save = begin(served, nth, Dice(u64::try_from(dice.below(1 << 30)).unwrap()), counts, kind);
    // What the edits begin with is read past the proxy: what is saved is tried here, not what is opened.
    let opened: Value = save.direct.get(&format!("/projects/{}", save.project));
    let mut project: cutaway::domain::Project = cutaway::domain::Reader::read(&opened["project"]).0;
    project.steps = Some(cutaway::domain::Reader::read(&opened["steps"]).0);
    let mut draft = Draft::new("w", project);
    let mut records = vec![draft.begun()];
    save.edit(&mut draft, nth, &mut dice, &mut records);
    let done = async {
        if dice.chance(50) {
            save.by_command(&mut draft).await;
        } else {
            save.by_studio(&mut draft, &mut records, &mut dice).await;
        }
    };
    if tokio::time::timeout(HANGS, done).await.is_err() {
        counts.hangs.fetch_add(1, Ordering::Relaxed);
        return vec!["it hangs".to_owned()];
    }
    tokio::task::block_in_place(|| {
        save.proxy.settle();
        save.wrong(counts)
    })
}

#[test]
fn random_saves_double_nothing_lose_nothing_and_overwrite_nothing() {
    random_saves("random saves", 48, Kind::WithConditions);
}

#[test]
fn random_saves_to_a_service_without_conditions_overwrite_nothing_that_could_be_seen() {
    random_saves("random saves without conditions", 32, Kind::WithoutConditions);
}

fn random_saves(called: &str, bounded: usize, kind: Kind) {
    let served = Arc::new(Served::start());
    let (seed, saves) = (seed(called), count("CUTAWAY_FAULTS_SAVES", bounded));
    let counts = Arc::new(Counts::default());
    let (next, wrong) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(8).enable_all().build().unwrap();
    runtime.block_on(async {
        let workers: Vec<_> = (0..24)
            .map(|_| {
                let (served, counts, next, wrong) =
                    (Arc::clone(&served), Arc::clone(&counts), Arc::clone(&next), Arc::clone(&wrong));
                tokio::spawn(async move {
                    loop {
                        let nth = next.fetch_add(1, Ordering::SeqCst);
                        if nth >= saves {
                            return;
                        }
                        let own = seed.wrapping_add(u64::try_from(nth).unwrap().wrapping_mul(7_919));
                        for why in save(&served, nth, Dice(own), &counts, kind).await {
                            wrong.lock().unwrap().push(format!("save {nth}: {why}"));
                        }
                    }
                })
            })
            .collect();
        for worker in workers {
            worker.await.unwrap();
        }
    });
    let of = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    eprintln!(
        "{saves} {called} with {} faults and {} edits by others: {} doubled, {} lost, {} overwritten, {} hang",
        of(&counts.faults),
        of(&counts.changed),
        of(&counts.doubled),
        of(&counts.lost),
        of(&counts.overwritten),
        of(&counts.hangs),
    );
    let wrong = wrong.lock().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
