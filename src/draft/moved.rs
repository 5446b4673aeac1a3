//! What differs between what a draft stands on and a newer reading, and whose doing it is: what was written here is told
//! by services in their own way, or a moment later; everything else was changed elsewhere.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::as_before::{as_told_before, order_as_before};
use super::base::{Base, Names};
use super::call::{Call, ProjectFields, StepFields};
use super::content::{Content, Head, OrderEntry, StepContent};
use super::draft::Draft;
use super::refs::{StepRef, Target};
use super::settling::folded;
use crate::domain::{Project, Step, StepId, StepName, StepProduct};

/// Whose doing a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    /// It is what is wanted here, or how the service tells what was written here.
    Here,
    /// It is as it was before the last write: the service may not show that yet.
    Late,
    /// Somebody else's.
    Elsewhere,
}

/// A write that was answered, and what it was made on: as much of it as can tell whether the service shows it already.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    pub call: Call,
    pub before: Content,
}

impl Written {
    /// A write that is about to be answered.
    pub fn of(call: &Call, draft: &Draft) -> Self {
        let base = draft.base.content();
        let before = match call {
            // Whatever led to the step is changed with it.
            Call::DeleteStep { .. } => base.clone(),
            call => {
                let step = call.step().and_then(|step| Some((step, base.steps.get(&step)?.clone())));
                Content { head: Arc::clone(&base.head), steps: step.into_iter().collect() }
            }
        };
        Self { call: call.clone(), before }
    }
}

/// A reading with what it leaves out of what was written in this run: that was sent, so the service has it or ignores it,
/// and has not said that it is empty.
pub(super) fn filled(draft: &Draft, mut theirs: Project, calls: &[Call]) -> Project {
    let places = Places::of(&theirs);
    // A service that keeps products leaves them out of a step that shows none.
    let keeps_products = theirs.steps.iter().flatten().any(|step| step.products.is_some());
    let fill_step = |step: StepRef, sent: &StepFields, theirs: &mut Project| {
        let Some(known) = draft.base.step(step) else { return };
        let told = places.find(known).and_then(|at| theirs.steps.as_mut()?.get_mut(at));
        if let Some(told) = told {
            fill_step(known, sent, told);
            fill(sent.products.is_some() && !keeps_products, &mut told.products, known.products.as_ref());
        }
    };
    for call in calls {
        match call {
            Call::UpdateProject { change } => fill_project(draft.base.head(), change, &mut theirs),
            Call::CreateStep(new) => fill_step(new.step, &new.fields, &mut theirs),
            Call::UpdateStep { step, change, .. } => fill_step(*step, change, &mut theirs),
            Call::CreateProject { .. } | Call::DeleteStep { .. } => {}
        }
    }
    theirs
}

/// Fills a field that was sent and is not told.
fn fill<T: Clone>(sent: bool, told: &mut Option<T>, known: Option<&T>) {
    if sent && told.is_none() {
        *told = known.cloned();
    }
}

fn fill_project(known: &Project, sent: &ProjectFields, theirs: &mut Project) {
    fill(sent.name.is_some(), &mut theirs.name, known.name.as_ref());
    fill(sent.folder.is_some(), &mut theirs.folder, known.folder.as_ref());
    fill(sent.email_notifications.is_some(), &mut theirs.email_notifications, known.email_notifications.as_ref());
    fill(sent.steps_order.is_some(), &mut theirs.steps_order, known.steps_order.as_ref());
    fill(sent.player.is_some(), &mut theirs.player, known.player.as_ref());
}

/// Where the steps of a reading are, by their ids and names. The first of several that are called the same counts.
struct Places {
    ids: HashMap<StepId, usize>,
    names: HashMap<StepName, usize>,
    /// The names of those without an id.
    names_alone: HashMap<StepName, usize>,
}

impl Places {
    fn of(theirs: &Project) -> Self {
        let mut places = Self { ids: HashMap::new(), names: HashMap::new(), names_alone: HashMap::new() };
        for (at, step) in theirs.steps.iter().flatten().enumerate() {
            if let Some(id) = &step.id {
                places.ids.entry(id.clone()).or_insert(at);
            }
            if let Some(name) = &step.name {
                places.names.entry(name.clone()).or_insert(at);
                if step.id.is_none() {
                    places.names_alone.entry(name.clone()).or_insert(at);
                }
            }
        }
        places
    }

    /// Of two that both have ids, the ids decide.
    fn find(&self, known: &Step) -> Option<usize> {
        let by = |names: &HashMap<StepName, usize>| names.get(known.name.as_ref()?).copied();
        match &known.id {
            Some(id) => self.ids.get(id).copied().into_iter().chain(by(&self.names_alone)).min(),
            None => by(&self.names),
        }
    }
}

fn fill_step(known: &Step, sent: &StepFields, told: &mut Step) {
    fill(sent.description.is_some(), &mut told.description, known.description.as_ref());
    fill(sent.overlay_text.is_some(), &mut told.overlay_text, known.overlay_text.as_ref());
    fill(sent.video_id.is_some(), &mut told.video_id, known.video_id.as_ref());
    fill(sent.answer_time.is_some(), &mut told.answer_time, known.answer_time.as_ref());
    fill(sent.answers.is_some(), &mut told.answers, known.answers.as_ref());
}

/// Every difference between what the draft stands on and a newer reading. `written` is what was written since the last
/// reading before that.
pub(super) fn moves(draft: &Draft, theirs: &Base, written: &[Written]) -> Vec<Moved> {
    let mut finder = Finder { draft, names: draft.names(), written, of_step: HashMap::new(), found: Vec::new() };
    for one in written {
        if let Some(step) = one.call.step() {
            finder.of_step.entry(step).or_default().push(one);
        }
    }
    finder.steps(theirs);
    finder.head(draft.base.content().head(), draft.now.head(), theirs.content().head());
    finder.found
}

struct Finder<'a> {
    draft: &'a Draft,
    /// What the draft calls its steps.
    names: Names,
    written: &'a [Written],
    /// The same by their steps.
    of_step: HashMap<StepRef, Vec<&'a Written>>,
    found: Vec<Moved>,
}

impl<'a> Finder<'a> {
    fn written_to(&self, step: StepRef) -> Vec<&'a Written> {
        self.of_step.get(&step).cloned().unwrap_or_default()
    }

    fn steps(&mut self, theirs: &Base) {
        let (base, now) = (self.draft.base.content(), &self.draft.now);
        let is_created = |written: &&Written| matches!(written.call, Call::CreateStep(_));
        for (step, known) in base.steps() {
            match theirs.content().steps.get(&step) {
                Some(told) => self.step(step, known, now.step(step), told),
                None if now.step(step).is_none() => self.found.push(Moved::Here),
                None if self.written_to(step).iter().any(is_created) => self.found.push(Moved::Late),
                None => self.found.push(Moved::Elsewhere),
            }
        }
        let deleted = self.written.iter().filter_map(|written| match &written.call {
            Call::DeleteStep { id, .. } => Some(id.as_str()),
            _ => None,
        });
        let deleted: HashSet<&str> = deleted.collect();
        for (step, _) in theirs.content().steps().filter(|(step, _)| base.step(*step).is_none()) {
            let late = theirs.step(step).is_some_and(|raw| {
                let (id, name) = (raw.id.as_ref().map(StepId::as_str), raw.name.as_ref().map(StepName::as_str));
                [id, name].into_iter().flatten().any(|text| deleted.contains(text))
            });
            self.found.push(if late { Moved::Late } else { Moved::Elsewhere });
        }
    }

    fn step(&mut self, step: StepRef, known: &StepContent, now: Option<&StepContent>, told: &Arc<StepContent>) {
        // That a step is gone is one difference, not one more for each answer that led there.
        let told = &as_told_before(known, told);
        let nothing = StepContent::default();
        let written = self.written_to(step);
        let was: Vec<&StepContent> =
            written.iter().map(|written| written.before.step(step).unwrap_or(&nothing)).collect();
        let now = now.unwrap_or(&nothing);
        let sent = written.iter().fold([false; 6], |sent, written| {
            let now = sent_fields(&written.call);
            std::array::from_fn(|at| sent.get(at).is_some_and(|sent| *sent) || now.get(at).is_some_and(|now| *now))
        });
        let alike = |a: &str, b: &str| folded(a) == folded(b);
        let texts = [StepContent::description, StepContent::overlay, StepContent::video];
        for (of, sent) in texts.into_iter().zip(sent) {
            let (known, now, told) = (of(known), of(now), of(told));
            let late = sent && was.iter().any(|was| of(was) == told);
            self.note([known == told, now == told, sent && alike(known, told), late]);
        }
        let [.., time, answers, products] = sent;
        let of = StepContent::answers_after;
        let near = |a: Option<f64>, b: Option<f64>| (a.unwrap_or_default() - b.unwrap_or_default()).abs() < 0.01;
        self.note([
            of(known) == of(told),
            of(now) == of(told),
            time && near(of(known), of(told)),
            time && was.iter().any(|was| of(was) == of(told)),
        ]);
        let same = known.same_answers(told);
        let ours = (answers && alike_answers(known, told)) || self.leads_to_deleted(step, told);
        let wanted = now.same_answers(&self.draft.as_meant(&self.names, now, told));
        let late = answers && was.iter().any(|was| was.same_answers(told));
        self.note([same, wanted, ours, late]);
        let of = StepContent::products;
        let alike = |a: &[StepProduct], b: &[StepProduct]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b) && a.from == b.from)
        };
        self.note([
            of(known) == of(told),
            of(now) == of(told),
            products && alike(of(known), of(told)),
            products && was.iter().any(|was| of(was) == of(told)),
        ]);
    }

    fn head(&mut self, known: &Head, now: &Head, told: &Head) {
        let (mut sent, mut was) = ([false; 5], Vec::new());
        for written in self.written {
            let now = match &written.call {
                Call::UpdateProject { change } => [
                    change.name.is_some(),
                    change.folder.is_some(),
                    change.email_notifications.is_some(),
                    change.steps_order.is_some(),
                    change.player.is_some(),
                ],
                Call::CreateProject { .. } => [true; 5],
                _ => continue,
            };
            sent =
                std::array::from_fn(|at| sent.get(at).is_some_and(|sent| *sent) || now.get(at).is_some_and(|now| *now));
            was.push(written.before.head());
        }
        let [name, folder, emails, order, player] = sent;
        let alike = folded(known.name()) == folded(told.name());
        let late = name && was.iter().any(|was| was.name() == told.name());
        self.note([known.name() == told.name(), now.name() == told.name(), name && alike, late]);
        // A name of a folder becomes its id.
        let placed = !told.folder().is_empty()
            && !known.folder().is_empty()
            && was.iter().all(|was| told.folder() != was.folder());
        let late = folder && was.iter().any(|was| was.folder() == told.folder());
        self.note([known.folder() == told.folder(), now.folder() == told.folder(), folder && placed, late]);
        let list = |head: &Head| {
            let mut list: Vec<String> = head.emails().iter().map(|one| folded(one)).collect();
            list.sort();
            list
        };
        let late = emails && was.iter().any(|was| was.emails() == told.emails());
        self.note([
            known.emails() == told.emails(),
            now.emails() == told.emails(),
            emails && list(known) == list(told),
            late,
        ]);
        // A service may write settings in its own way, such as origins.
        self.note([
            known.same_player(told),
            now.same_player(told),
            player && same_settings(known, told),
            player && was.iter().any(|was| was.same_player(told)),
        ]);
        let ours = self.is_own_order(known, told);
        let told = &Head { order: Some(order_as_before(known, told)), ..Head::default() };
        let late = order && was.iter().any(|was| was.same_order(told));
        self.note([known.same_order(told), now.same_order(told), ours, late]);
    }

    fn note(&mut self, [same, wanted, ours, late]: [bool; 4]) {
        let moved = match () {
            () if same => return,
            () if wanted || ours => Moved::Here,
            () if late => Moved::Late,
            () => Moved::Elsewhere,
        };
        self.found.push(moved);
    }

    /// Whether a step was changed by the service only because another one was deleted here.
    fn leads_to_deleted(&self, step: StepRef, told: &StepContent) -> bool {
        self.written.iter().any(|written| {
            let Call::DeleteStep { step: deleted, .. } = &written.call else { return false };
            let Some(before) = written.before.step(step) else { return false };
            let led = |target: &Target| *target == Target::Step(*deleted);
            before.answers().iter().any(|answer| led(&answer.target))
                && told.answers().len() <= before.answers().len()
                && before.answers().iter().filter(|answer| !led(&answer.target)).all(|answer| {
                    told.answers().iter().any(|told| told.text == answer.text && told.target == answer.target)
                })
        })
    }

    /// Whether the order differs only by the steps that were created or deleted here.
    fn is_own_order(&self, known: &Head, told: &Head) -> bool {
        let mut steps = HashSet::new();
        let mut heads: Vec<&Head> = Vec::new();
        for written in self.written {
            match &written.call {
                Call::CreateStep(new) => {
                    steps.insert(new.step);
                    heads.push(known);
                }
                Call::DeleteStep { step, .. } => {
                    steps.insert(*step);
                    heads.push(written.before.head());
                }
                _ => {}
            }
        }
        let without = |head: &Head| -> Vec<OrderEntry> {
            head.order().iter().filter(|entry| entry.step.is_none_or(|step| !steps.contains(&step))).cloned().collect()
        };
        let told = without(told);
        let same = |a: Vec<OrderEntry>| a.len() == told.len() && a.iter().zip(&told).all(|(a, b)| a.same(b));
        heads.into_iter().any(|head| same(without(head)))
    }
}

/// Which fields of its step a call sends.
fn sent_fields(call: &Call) -> [bool; 6] {
    match call {
        Call::CreateStep(_) => [true; 6],
        Call::UpdateStep { change, .. } => [
            change.description.is_some(),
            change.overlay_text.is_some(),
            change.video_id.is_some(),
            change.answer_time.is_some(),
            change.answers.is_some(),
            change.products.is_some(),
        ],
        _ => [false; 6],
    }
}

/// Whether both have settings of the player by the same names.
fn same_settings(known: &Head, told: &Head) -> bool {
    let names = |head: &Head| -> Vec<String> {
        let mut names: Vec<String> = head.player.iter().flatten().map(|(name, _)| name.clone()).collect();
        names.sort();
        names
    };
    names(known) == names(told)
}

/// Whether answers say the same but for how a service spells it.
fn alike_answers(known: &StepContent, told: &StepContent) -> bool {
    known.answers().len() == told.answers().len()
        && known.answers().iter().zip(told.answers()).all(|(known, told)| {
            folded(&known.text) == folded(&told.text) && (known.target == told.target || told.given.is_none())
        })
}
