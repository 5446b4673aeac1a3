//! The three-way merge: what the draft started from, what it says, and what the service says by now.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::base::{Base, Fresh, Names};
use super::change::Change;
use super::content::{Content, DraftAnswer, Head, OrderEntry, StepContent};
use super::draft::Draft;
use super::record::{Begun, Record};
use super::refs::{AnswerRef, StepRef, Target};
use super::sequence::sequence;
use crate::domain::{Project, VideoId};

/// Who is right where both changed the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// The draft.
    #[default]
    Mine,
    /// The service.
    Theirs,
}

/// A place in a project that two can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    /// The project's name.
    Name,
    /// Its folder.
    Folder,
    /// Who is told by e-mail.
    Emails,
    /// The order of its steps.
    Order,
    /// Whether a step is there.
    Step(StepRef),
    /// What a step is about.
    Description(StepRef),
    /// The text over its video.
    Overlay(StepRef),
    /// Its video.
    Video(StepRef),
    /// When its answers appear.
    AnswerTime(StepRef),
    /// In which order its answers are.
    Answers(StepRef),
    /// Whether an answer is there.
    Answer(StepRef, AnswerRef),
    /// What an answer says.
    AnswerText(StepRef, AnswerRef),
    /// Where an answer leads.
    AnswerTarget(StepRef, AnswerRef),
}

/// Both changed the same, to something else. The texts are the project's: to be cleaned before they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// What.
    pub spot: Spot,
    /// It in words: `the text of begin`.
    pub what: String,
    /// As it was when the draft began.
    pub base: String,
    /// As the draft has it.
    pub mine: String,
    /// As the service has it by now.
    pub theirs: String,
    /// Who is right.
    pub side: Side,
}

/// A newer reading of the project, ready to be merged.
#[derive(Debug, Clone, PartialEq)]
pub struct Merge {
    theirs: Base,
    fresh: Fresh,
    /// What has to be decided; until then the draft is right.
    pub conflicts: Vec<Conflict>,
    /// What was changed elsewhere and is kept, in words.
    pub elsewhere: Vec<String>,
}

impl Merge {
    /// Decides a conflict.
    pub fn decide(&mut self, spot: Spot, side: Side) {
        for conflict in self.conflicts.iter_mut().filter(|conflict| conflict.spot == spot) {
            conflict.side = side;
        }
    }

    pub(super) fn theirs(&self) -> &Base {
        &self.theirs
    }

    /// Everything that was changed elsewhere, in words: what is kept, and what was changed here too.
    #[must_use]
    pub fn changes(&self) -> Vec<String> {
        let both = self.conflicts.iter().map(|conflict| format!("{} was changed here and there", conflict.what));
        both.chain(self.elsewhere.iter().cloned()).collect()
    }

    /// Whether nothing was changed elsewhere.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.conflicts.is_empty() && self.elsewhere.is_empty()
    }
}

impl Draft {
    /// Answers that are told just as they were sent lead where they were meant to: a step that is deleted here may go by
    /// that name until the service has deleted it.
    pub(super) fn as_meant(&self, names: &Names, mine: &StepContent, theirs: &Arc<StepContent>) -> Arc<StepContent> {
        leading(theirs, |theirs| {
            let mine = mine.answers().iter().find(|mine| mine.key == theirs.key)?;
            self.is_sent_as(names, mine, theirs).then_some(&mine.target)
        })
    }

    /// Compares with a newer reading of the project. [`Self::settle`] comes first where a creation is open.
    #[must_use]
    pub fn merge(&self, theirs: Project) -> Merge {
        let mut fresh = self.fresh;
        let steps = theirs.steps.clone().or_else(|| self.base.project().steps);
        // It is the project that was asked for, whatever the service says of its id.
        let id = if self.base.id().is_empty() { theirs.id } else { self.base.id().clone() };
        // A service that tells no steps has not said that they are gone.
        let theirs = self.align(Project { id, steps, ..theirs }, &mut fresh);
        let mut merge = Merge { theirs, fresh, conflicts: Vec::new(), elsewhere: Vec::new() };
        let (_, conflicts, elsewhere) = self.merged(&merge);
        merge.conflicts = conflicts;
        merge.elsewhere = elsewhere;
        merge
    }

    /// Puts the draft on the newer reading, as the merge decides. It can be undone like an edit.
    pub fn rebase(&mut self, merge: &Merge) -> Record {
        let (after, ..) = self.merged(merge);
        let change = Some(Change::between(&self.now, &after)).filter(|change| !change.is_empty());
        let begun = Begun::of(self.workspace(), &merge.theirs, merge.fresh);
        self.keep(Record::Rebased(Box::new((begun, "take over what was changed elsewhere".to_owned(), change))))
    }

    fn merged(&self, merge: &Merge) -> (Content, Vec<Conflict>, Vec<String>) {
        let decided = merge.conflicts.iter().map(|conflict| (conflict.spot, conflict.side)).collect();
        let mut merger = Merger {
            draft: self,
            names: self.names(),
            theirs: &merge.theirs,
            decided,
            conflicts: Vec::new(),
            elsewhere: Vec::new(),
        };
        let content = merger.content();
        (content, merger.conflicts, merger.elsewhere)
    }
}

/// Answers of the draft that were not touched lead where they led, also where that step is deleted: what becomes of it is
/// decided for the step, not for each answer.
fn as_before(base: &StepContent, mine: &Arc<StepContent>) -> Arc<StepContent> {
    let dangles = |base: &DraftAnswer, mine: &DraftAnswer| matches!(&mine.target, Target::Unresolved(given) if base.given.as_ref() == Some(given));
    leading(mine, |mine| {
        let base = base.answers().iter().find(|base| base.key == mine.key)?;
        dangles(base, mine).then_some(&base.target)
    })
}

/// The same for the service's: whatever is told as before was not touched, also where another step goes by that name now.
pub(super) fn as_told_before(base: &StepContent, theirs: &Arc<StepContent>) -> Arc<StepContent> {
    leading(theirs, |theirs| {
        let base = base.answers().iter().find(|base| base.key == theirs.key)?;
        (base.given.is_some() && base.given == theirs.given).then_some(&base.target)
    })
}

/// The content with answers that lead where they are said to lead instead.
fn leading<'a>(content: &Arc<StepContent>, to: impl Fn(&DraftAnswer) -> Option<&'a Target>) -> Arc<StepContent> {
    let other = |answer: &DraftAnswer| to(answer).filter(|target| **target != answer.target);
    let mut content = content.clone();
    if content.answers().iter().any(|answer| other(answer).is_some()) {
        for answer in Arc::make_mut(&mut content).answers.iter_mut().flatten() {
            if let Some(target) = other(answer) {
                answer.target = target.clone();
            }
        }
    }
    content
}

/// The order with entries that came as they were and lead nowhere now as what they were: what becomes of the step is
/// decided for the step.
pub(super) fn order_as_before(base: &Head, one: &Head) -> Vec<OrderEntry> {
    let before = |entry: &OrderEntry| {
        let known = || base.order().iter().find(|base| base.given.is_some() && base.given == entry.given).cloned();
        entry.step.is_none().then(known).flatten()
    };
    one.order().iter().map(|entry| before(entry).unwrap_or_else(|| entry.clone())).collect()
}

struct Merger<'a> {
    draft: &'a Draft,
    /// What the draft calls its steps.
    names: Names,
    theirs: &'a Base,
    decided: BTreeMap<Spot, Side>,
    conflicts: Vec<Conflict>,
    elsewhere: Vec<String>,
}

impl Merger<'_> {
    fn content(&mut self) -> Content {
        let (base, mine, theirs) = (self.draft.base.content(), &self.draft.now, self.theirs.content());
        let mut merged = Content::default();
        let all: BTreeSet<StepRef> =
            base.steps.keys().chain(mine.steps.keys()).chain(theirs.steps.keys()).copied().collect();
        for step in all {
            let (b, m, t) = (base.steps.get(&step), mine.steps.get(&step), theirs.steps.get(&step));
            if let Some(content) = self.step(step, b, m, t) {
                merged.steps.insert(step, content);
            }
        }
        merged.head = Arc::new(self.head(base.head(), mine.head(), theirs.head()));
        self.settle(&mut merged);
        merged
    }

    fn step(
        &mut self,
        step: StepRef,
        base: Option<&Arc<StepContent>>,
        mine: Option<&Arc<StepContent>>,
        theirs: Option<&Arc<StepContent>>,
    ) -> Option<Arc<StepContent>> {
        let changed = |one: &Arc<StepContent>| base.is_none_or(|base| !base.says_the_same(one));
        let here = |one: Option<&Arc<StepContent>>| if one.is_some() { "there, changed" } else { "deleted" }.to_owned();
        match (base, mine, theirs) {
            (None, Some(mine), None) => Some(mine.clone()),
            (None, None, Some(theirs)) => {
                self.elsewhere.push(format!("step {} was added", self.label(step)));
                Some(theirs.clone())
            }
            (Some(_), Some(one), None) | (Some(_), None, Some(one)) if changed(one) => {
                let what = format!("step {}", self.label(step));
                let side = self.conflict(Spot::Step(step), what, "there".to_owned(), here(mine), here(theirs));
                if side == Side::Mine { mine.cloned() } else { theirs.cloned() }
            }
            (Some(_), Some(_), None) => {
                self.elsewhere.push(format!("step {} was deleted", self.label(step)));
                None
            }
            (_, None, _) => None,
            (base, Some(mine), Some(theirs)) => {
                let empty = Arc::default();
                Some(self.fields(step, base.unwrap_or(&empty), mine, theirs))
            }
        }
    }

    fn fields(
        &mut self,
        step: StepRef,
        base: &Arc<StepContent>,
        mine: &Arc<StepContent>,
        theirs: &Arc<StepContent>,
    ) -> Arc<StepContent> {
        let label = self.label(step);
        let text = |text: &str| text.to_owned();
        let mine = &as_before(base, mine);
        let theirs = &self.draft.as_meant(&self.names, mine, &as_told_before(base, theirs));
        let (b, m, t) = (base.as_ref(), mine.as_ref(), theirs.as_ref());
        let description = self.pick(
            Spot::Description(step),
            format!("the description of {label}"),
            (b.description(), m.description(), t.description()),
            text,
        );
        let overlay = self.pick(
            Spot::Overlay(step),
            format!("the text of {label}"),
            (b.overlay(), m.overlay(), t.overlay()),
            text,
        );
        let video =
            self.pick(Spot::Video(step), format!("the video of {label}"), (b.video(), m.video(), t.video()), text);
        let time = self.pick(
            Spot::AnswerTime(step),
            format!("the answer time of {label}"),
            (b.answers_after(), m.answers_after(), t.answers_after()),
            |time| time.map(|seconds| format!("{seconds} s")).unwrap_or_default(),
        );
        let answers = self.answers(step, b, m, t);
        if description == Side::Theirs
            && overlay == Side::Theirs
            && video == Side::Theirs
            && time == Side::Theirs
            && answers.is_none()
        {
            return theirs.clone();
        }
        let of = |side: Side| if side == Side::Mine { m } else { t };
        Arc::new(StepContent {
            label: t.label.clone(),
            description: of(description).description.clone(),
            overlay: of(overlay).overlay.clone(),
            video: of(video).video.clone().or_else(|| (!t.video().is_empty()).then(|| VideoId::new(""))),
            answer_time: of(time).answer_time,
            answers: answers.map_or_else(|| t.answers.clone(), Some),
        })
    }

    /// The answers; none where theirs are right as they are.
    fn answers(
        &mut self,
        step: StepRef,
        base: &StepContent,
        mine: &StepContent,
        theirs: &StepContent,
    ) -> Option<Vec<DraftAnswer>> {
        if mine.same_answers(theirs) {
            return None;
        }
        let label = self.label(step);
        if base.same_answers(mine) {
            self.elsewhere.push(format!("the answers of {label} were changed"));
            return None;
        }
        if base.same_answers(theirs) {
            return Some(mine.answers().to_vec());
        }
        let find = |of: &StepContent, key: AnswerRef| of.answers().iter().find(|one| one.key == key).cloned();
        let mut merged: BTreeMap<AnswerRef, DraftAnswer> = BTreeMap::new();
        let all: BTreeSet<AnswerRef> =
            [base, mine, theirs].into_iter().flat_map(StepContent::answers).map(|answer| answer.key).collect();
        for key in all {
            let (b, m, t) = (find(base, key), find(mine, key), find(theirs, key));
            if let Some(answer) = self.answer(step, b, m, t) {
                merged.insert(key, answer);
            }
        }
        let keys = |of: &StepContent| -> Vec<AnswerRef> { of.answers().iter().map(|one| one.key).collect() };
        let (b, m, t) = (keys(base), keys(mine), keys(theirs));
        let side = self.decided.get(&Spot::Answers(step)).copied().unwrap_or_default();
        let (mut order, conflict) = sequence(&b, &m, &t, side);
        if conflict {
            let texts = |of: &StepContent| {
                of.answers().iter().map(|answer| answer.text.as_str()).collect::<Vec<_>>().join(", ")
            };
            let what = format!("the order of the answers of {label}");
            self.conflict(Spot::Answers(step), what, texts(base), texts(mine), texts(theirs));
        }
        // A conflict may have kept what one side took away.
        let lost: Vec<AnswerRef> = merged.keys().copied().filter(|key| !order.contains(key)).collect();
        order.extend(lost);
        Some(order.into_iter().filter_map(|key| merged.remove(&key)).collect())
    }

    fn answer(
        &mut self,
        step: StepRef,
        base: Option<DraftAnswer>,
        mine: Option<DraftAnswer>,
        theirs: Option<DraftAnswer>,
    ) -> Option<DraftAnswer> {
        let label = self.label(step);
        let Some(base) = base else {
            if let (None, Some(theirs)) = (&mine, &theirs) {
                self.elsewhere.push(format!("answer {:?} was added to {label}", theirs.text));
            }
            return theirs.or(mine);
        };
        match (mine, theirs) {
            (None, None) => None,
            (Some(mine), Some(theirs)) => {
                let what = |of: &str| format!("{of} answer {:?} of {label}", base.text);
                let text = self.pick(
                    Spot::AnswerText(step, base.key),
                    what("the text of"),
                    (base.text.as_str(), mine.text.as_str(), theirs.text.as_str()),
                    str::to_owned,
                );
                let shown = |target: &Target| self.leads(target);
                let told = (shown(&base.target), shown(&mine.target), shown(&theirs.target));
                let target = self.pick_told(
                    Spot::AnswerTarget(step, base.key),
                    what("where it leads:"),
                    (&base.target, &mine.target, &theirs.target),
                    told,
                );
                let of = |side: Side| if side == Side::Mine { &mine } else { &theirs };
                Some(DraftAnswer {
                    key: base.key,
                    text: of(text).text.clone(),
                    target: of(target).target.clone(),
                    given: of(target).given.clone(),
                    extra: theirs.extra.clone(),
                })
            }
            (mine, theirs) => {
                let one = mine.as_ref().or(theirs.as_ref())?;
                if one.says_the_same(&base) {
                    if theirs.is_none() {
                        self.elsewhere.push(format!("answer {:?} of {label} was deleted", base.text));
                    }
                    return None;
                }
                let told = |one: &Option<DraftAnswer>| {
                    one.as_ref().map_or_else(|| "deleted".to_owned(), |one| format!("{:?}", one.text))
                };
                let what = format!("answer {:?} of {label}", base.text);
                let (m, t) = (told(&mine), told(&theirs));
                let side = self.conflict(Spot::Answer(step, base.key), what, format!("{:?}", base.text), m, t);
                if side == Side::Mine { mine } else { theirs }
            }
        }
    }

    fn head(&mut self, base: &Head, mine: &Head, theirs: &Head) -> Head {
        let text = |text: &str| text.to_owned();
        let name =
            self.pick(Spot::Name, "the project's name".to_owned(), (base.name(), mine.name(), theirs.name()), text);
        let folder = self.pick(
            Spot::Folder,
            "the project's folder".to_owned(),
            (base.folder(), mine.folder(), theirs.folder()),
            text,
        );
        let emails = self.pick(
            Spot::Emails,
            "who is told by e-mail".to_owned(),
            (base.emails(), mine.emails(), theirs.emails()),
            |emails| emails.join(", "),
        );
        let of = |side: Side| if side == Side::Mine { mine } else { theirs };
        Head {
            name: of(name).name.clone(),
            folder: of(folder).folder.clone(),
            emails: of(emails).emails.clone(),
            order: self.order(base, mine, theirs),
            meant: mine.meant.clone(),
        }
    }

    fn order(&mut self, base: &Head, mine: &Head, theirs: &Head) -> Option<Vec<OrderEntry>> {
        if mine.same_order(theirs) {
            return theirs.order.clone();
        }
        let told = theirs.order.clone();
        let theirs = &Head { order: told.as_ref().map(|_| order_as_before(base, theirs)), ..Head::default() };
        if base.same_order(mine) {
            if !base.same_order(theirs) {
                self.elsewhere.push("the order of the steps was changed".to_owned());
            }
            return told;
        }
        if base.same_order(theirs) {
            return mine.order.clone();
        }
        // Entries by number, so that one stands for all that name the same.
        let mut entries: Vec<&OrderEntry> = Vec::new();
        let mut numbered: Vec<Vec<usize>> = Vec::new();
        for head in [base, mine, theirs] {
            let mut list = Vec::new();
            for entry in head.order() {
                let at = entries.iter().position(|known| known.same(entry)).unwrap_or(entries.len());
                if at == entries.len() {
                    entries.push(entry);
                }
                list.push(at);
            }
            numbered.push(list);
        }
        let list = |at: usize| numbered.get(at).map(Vec::as_slice).unwrap_or_default();
        let side = self.decided.get(&Spot::Order).copied().unwrap_or_default();
        let (merged, conflict) = sequence(list(0), list(1), list(2), side);
        if conflict {
            let told = |head: &Head| head.order().iter().map(|entry| self.entry(entry)).collect::<Vec<_>>().join(", ");
            let (b, m, t) = (told(base), told(mine), told(theirs));
            self.conflict(Spot::Order, "the order of the steps".to_owned(), b, m, t);
        }
        Some(merged.into_iter().filter_map(|at| entries.get(at).copied().cloned()).collect())
    }

    /// What is meant by a step that is gone leads nowhere; what led nowhere may mean a step that came.
    fn settle(&self, merged: &mut Content) {
        let steps: Vec<StepRef> = merged.steps.keys().copied().collect();
        let mut names = Names::of(self.theirs, |step| merged.steps.contains_key(&step));
        for step in steps.iter().copied().filter(|step| self.theirs.step(*step).is_none()) {
            let Some(content) = merged.step(step) else { continue };
            let label = content.label.clone();
            let was = self.draft.base.step(step).is_some();
            if was || names.resolve(&label).is_some() {
                let label = Self::free_label(merged, &names);
                if let Some(content) = merged.step_mut(step) {
                    content.label = label;
                }
            }
            let label = merged.step(step).map(|content| content.label.clone()).unwrap_or_default();
            names.add(step, &label, "");
        }
        for step in steps {
            let Some(content) = merged.step(step) else { continue };
            let stale = |answer: &DraftAnswer| self.renewed(&answer.target, answer.given.as_deref(), &names).is_some();
            if !content.answers().iter().any(stale) {
                continue;
            }
            for answer in merged.step_mut(step).and_then(|content| content.answers.as_mut()).into_iter().flatten() {
                if let Some((target, given)) = self.renewed(&answer.target, answer.given.as_deref(), &names) {
                    answer.target = target;
                    answer.given = given;
                }
            }
        }
        if merged.head.order().iter().any(|entry| Self::renewed_entry(entry, &names).as_ref() != Some(entry)) {
            let order = merged.head.order().iter().filter_map(|entry| Self::renewed_entry(entry, &names)).collect();
            merged.head_mut().order = Some(order);
        }
    }

    fn renewed(&self, target: &Target, given: Option<&str>, names: &Names) -> Option<(Target, Option<String>)> {
        match target {
            Target::Unresolved(text) => {
                let step = names.resolve(text)?;
                Some((Target::Step(step), Some(text.clone())))
            }
            Target::Step(step) if !names.has(*step) => {
                let of = |base: &Base| Names::of(base, |_| true).spell(base, *step, given);
                let spelled = of(&self.draft.base).or_else(|| of(self.theirs)).unwrap_or_else(|| self.label(*step));
                Some((names.target(&spelled), Some(spelled)))
            }
            _ => None,
        }
    }

    fn renewed_entry(entry: &OrderEntry, names: &Names) -> Option<OrderEntry> {
        match (entry.step, &entry.given) {
            (Some(step), _) => names.has(step).then(|| entry.clone()),
            (None, Some(given)) => Some(OrderEntry { step: names.resolve(given), given: Some(given.clone()) }),
            (None, None) => None,
        }
    }

    fn free_label(merged: &Content, names: &Names) -> String {
        let mut labels = (1_usize..).map(|nth| format!("new-{nth}"));
        let free = |label: &String| {
            names.resolve(label).is_none() && merged.steps().all(|(_, content)| content.label != *label)
        };
        labels.find(free).unwrap_or_default()
    }

    fn label(&self, step: StepRef) -> String {
        if self.draft.base.step(step).is_some() || self.draft.now.step(step).is_some() {
            return self.draft.label(step);
        }
        self.theirs.content().step(step).map(|content| content.label.clone()).unwrap_or_default()
    }

    fn leads(&self, target: &Target) -> String {
        match target {
            Target::End => "end".to_owned(),
            Target::Step(step) => self.label(*step),
            Target::Unresolved(given) => given.clone(),
        }
    }

    fn entry(&self, entry: &OrderEntry) -> String {
        entry.step.map_or_else(|| entry.given.clone().unwrap_or_default(), |step| self.label(step))
    }

    fn pick<T: PartialEq>(&mut self, spot: Spot, what: String, of: (T, T, T), told: impl Fn(T) -> String) -> Side {
        let (base, mine, theirs) = of;
        if mine == theirs {
            return Side::Theirs;
        }
        if mine == base {
            self.elsewhere.push(format!("{what} was changed"));
            return Side::Theirs;
        }
        if theirs == base {
            return Side::Mine;
        }
        self.conflict(spot, what, told(base), told(mine), told(theirs))
    }

    fn pick_told<T: PartialEq>(
        &mut self,
        spot: Spot,
        what: String,
        of: (T, T, T),
        (base, mine, theirs): (String, String, String),
    ) -> Side {
        if of.1 == of.2 || of.1 == of.0 || of.2 == of.0 {
            return self.pick(spot, what, of, |_| String::new());
        }
        self.conflict(spot, what, base, mine, theirs)
    }

    fn conflict(&mut self, spot: Spot, what: String, base: String, mine: String, theirs: String) -> Side {
        let side = self.decided.get(&spot).copied().unwrap_or_default();
        self.conflicts.push(Conflict { spot, what, base, mine, theirs, side });
        side
    }
}
