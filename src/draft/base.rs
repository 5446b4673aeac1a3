//! What a draft started from: the project as the service told it, nothing of it lost.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::along::Along;
use super::content::{Content, DraftAnswer, Head, OrderEntry, StepContent};
use super::index::Index;
pub(super) use super::index::Names;
use super::refs::{AnswerRef, StepRef, Target};
use super::work;
use crate::domain::{Answer, FolderId, PlayerSettings, Project, ProjectId, Step, StepId, StepName};

/// Gives out references that were not given out before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Fresh(pub u32);

impl Fresh {
    fn next(&mut self) -> u32 {
        self.0 = self.0.saturating_add(1);
        self.0
    }

    pub fn step(&mut self) -> StepRef {
        StepRef(self.next())
    }

    pub fn answer(&mut self) -> AnswerRef {
        AnswerRef(self.next())
    }

    /// Gives out none up to this one any more.
    pub fn past(&mut self, given: u32) {
        self.0 = self.0.max(given);
    }
}

/// The steps of a base, to be looked up one after the other.
pub(super) struct AlongBase<'a> {
    contents: Along<'a, Arc<StepContent>>,
    raw: Along<'a, Arc<Step>>,
}

impl<'a> AlongBase<'a> {
    /// A step as it was read, where a content says just what was read.
    pub fn if_same(&mut self, step: StepRef, content: &Arc<StepContent>) -> Option<&'a Step> {
        let (known, raw) = (self.contents.get(step)?, self.raw.get(step)?);
        Arc::ptr_eq(known, content).then_some(raw.as_ref())
    }
}

/// A step with what it and its answers are meant by.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    pub step: StepRef,
    pub answers: Vec<AnswerRef>,
    pub raw: Step,
}

/// The project as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Base {
    /// Without its steps.
    project: Project,
    told_steps: bool,
    raw: BTreeMap<StepRef, Arc<Step>>,
    /// The steps in the order they came.
    sequence: Vec<StepRef>,
    content: Content,
    /// Whether the project's answers name steps by their ids.
    by_id: bool,
    /// What the names of its steps mean.
    index: Index,
}

impl Base {
    /// Takes a project as it came, giving each of its steps and answers a reference.
    pub(super) fn read(project: Project, fresh: &mut Fresh) -> Self {
        let steps = project.steps.iter().flatten().map(|raw| named(raw, fresh)).collect();
        Self::of(project, steps)
    }

    /// The same with references that are known already.
    pub(super) fn of(mut project: Project, steps: Vec<Named>) -> Self {
        let told_steps = project.steps.take().is_some();
        let sequence: Vec<StepRef> = steps.iter().map(|step| step.step).collect();
        let answers: Vec<Vec<AnswerRef>> = steps.iter().map(|step| step.answers.clone()).collect();
        let raw = steps.into_iter().map(|step| (step.step, Arc::new(step.raw))).collect();
        let mut base = Self { project, told_steps, raw, sequence, ..Self::default() };
        let names = Names::of(&base, |_| true);
        let mut content = Content::default();
        for (step, answers) in base.sequence.iter().zip(answers) {
            if let Some(raw) = base.raw.get(step) {
                content.steps.insert(*step, Arc::new(read_step(raw, &answers, &names)));
            }
        }
        content.head = Arc::new(read_head(&base.project, &names));
        base.index = Index::new(names, &content);
        base.content = content;
        base.by_id = base.is_by_id();
        base
    }

    fn is_by_id(&self) -> bool {
        let (mut ids, mut names) = (0_usize, 0_usize);
        for (_, content) in self.content.steps() {
            for answer in content.answers() {
                if let (Target::Step(to), Some(given)) = (&answer.target, &answer.given) {
                    if self.name(*to) == given {
                        names += 1;
                    } else {
                        ids += 1;
                    }
                }
            }
        }
        ids > names
    }

    /// What the service knows of a step from now on; none where it is gone.
    pub(super) fn put(&mut self, step: StepRef, known: Option<(Step, Vec<AnswerRef>)>) {
        let Some((raw, answers)) = known else {
            self.raw.remove(&step);
            self.sequence.retain(|other| *other != step);
            self.content.steps.remove(&step);
            return self.index_again();
        };
        let changes_nothing_else = match self.raw.get(&step) {
            Some(before) => before.name == raw.name && before.id == raw.id,
            None => self.index.takes(step, &raw),
        };
        let raw = Arc::new(raw);
        if self.raw.insert(step, Arc::clone(&raw)).is_none() {
            self.sequence.push(step);
            self.told_steps = true;
        }
        if !changes_nothing_else {
            self.index = Index::new(Names::of(self, |_| true), &Content::default());
        }
        let content = Arc::new(read_step(&raw, &answers, self.index.names()));
        self.index.note_open(&content);
        self.content.steps.insert(step, content);
        if !changes_nothing_else {
            self.index_again();
        }
    }

    /// Looks at all steps again, because a name may mean another step than before.
    fn index_again(&mut self) {
        let names = Names::of(self, |_| true);
        self.resolve_again(&names);
        self.index = Index::new(names, &self.content);
    }

    /// What led to a step that is gone leads nowhere now, and the other way round.
    fn resolve_again(&mut self, names: &Names) {
        let now = |answer: &DraftAnswer| names.target(answer.given.as_deref().unwrap_or_default());
        for content in self.content.steps.values_mut() {
            work::visit();
            if content.answers().iter().any(|answer| answer.target != now(answer)) {
                for answer in Arc::make_mut(content).answers.iter_mut().flatten() {
                    answer.target = now(answer);
                }
            }
        }
        let step = |entry: &OrderEntry| names.resolve(entry.given.as_deref().unwrap_or_default());
        if self.content.head.order().iter().any(|entry| entry.step != step(entry)) {
            for entry in self.content.head_mut().order.iter_mut().flatten() {
                entry.step = step(entry);
            }
        }
    }

    /// Calls the answers of a step by these references where one is given.
    pub(super) fn rekey(&mut self, step: StepRef, keys: &[Option<AnswerRef>]) {
        let answers = self.content.step_mut(step).and_then(|content| content.answers.as_mut());
        for (answer, key) in answers.into_iter().flatten().zip(keys) {
            answer.key = key.unwrap_or(answer.key);
        }
    }

    /// What the service knows of the project, without its steps, from now on.
    pub(super) fn put_project(&mut self, project: Project) {
        self.project = Project { steps: None, ..project };
        self.content.head = Arc::new(read_head(&self.project, self.index.names()));
        self.index.note_open_order(self.content.head());
    }

    /// The project as it was read, with its steps.
    #[must_use]
    pub fn project(&self) -> Project {
        let steps = || self.sequence.iter().filter_map(|step| Some(self.raw.get(step)?.as_ref().clone())).collect();
        Project { steps: self.told_steps.then(steps), ..self.project.clone() }
    }

    /// The project without its steps.
    #[must_use]
    pub fn head(&self) -> &Project {
        &self.project
    }

    /// Its id; empty where the service has no such project yet.
    #[must_use]
    pub fn id(&self) -> &ProjectId {
        &self.project.id
    }

    /// Whether the service told its steps. Where it did not, it has not said that there are none.
    #[must_use]
    pub fn told_steps(&self) -> bool {
        self.told_steps
    }

    /// A step as it was read.
    #[must_use]
    pub fn step(&self, step: StepRef) -> Option<&Step> {
        self.raw.get(&step).map(Arc::as_ref)
    }

    /// The steps in the order they came.
    #[must_use]
    pub fn sequence(&self) -> &[StepRef] {
        &self.sequence
    }

    /// What of it can be written.
    #[must_use]
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// Whether the project's answers name steps by their ids rather than by their names.
    pub(super) fn names_by_id(&self) -> bool {
        self.by_id
    }

    /// The same, whose answers are known to name steps so.
    pub(super) fn naming_by_id(self, by_id: bool) -> Self {
        Self { by_id, ..self }
    }

    /// The names of all of its steps.
    pub(super) fn names(&self) -> &Names {
        self.index.names()
    }

    /// The names of those of its steps that a content has, where that is cheap to say: it has them all.
    pub(super) fn names_in(&self, content: &Content) -> Option<Names> {
        // Both are sorted, so that this is one walk through either.
        let mut there = content.steps.keys();
        let has_all = self.raw.keys().all(|step| there.any(|other| other == step));
        has_all.then(|| self.index.names().clone())
    }

    /// The names that are kept are what would be found again.
    #[cfg(test)]
    pub(super) fn knows_its_names(&self) -> bool {
        self.index.names().says_the_same(&Names::of(self, |_| true))
    }

    /// To look up one step after the other.
    pub(super) fn along(&self) -> AlongBase<'_> {
        AlongBase { contents: Along::new(&self.content.steps), raw: Along::new(&self.raw) }
    }

    pub(super) fn name(&self, step: StepRef) -> &str {
        self.step(step).and_then(|raw| raw.name.as_ref()).map_or("", StepName::as_str)
    }

    pub(super) fn step_id(&self, step: StepRef) -> &str {
        self.step(step).and_then(|raw| raw.id.as_ref()).map_or("", StepId::as_str)
    }

    /// The references of a step's answers.
    pub(super) fn keys(&self, step: StepRef) -> Vec<AnswerRef> {
        let answers = self.content.step(step).map(StepContent::answers).unwrap_or_default();
        answers.iter().map(|answer| answer.key).collect()
    }

    /// The steps with their references, to be written down.
    pub(super) fn named(&self) -> impl Iterator<Item = (StepRef, Vec<AnswerRef>)> + '_ {
        self.sequence.iter().map(|step| (*step, self.keys(*step)))
    }

    /// Whether the text means this step and no other one.
    pub(super) fn is_name_of(&self, text: &str, step: StepRef) -> bool {
        let names = self.index.names();
        !text.is_empty() && names.resolve(text) == Some(step) && !names.is_ambiguous(text)
    }
}

fn named(raw: &Step, fresh: &mut Fresh) -> Named {
    let step = fresh.step();
    let answers = raw.answers.iter().flatten().map(|_| fresh.answer()).collect();
    Named { step, answers, raw: raw.clone() }
}

fn read_step(raw: &Step, answers: &[AnswerRef], names: &Names) -> StepContent {
    let answer = |(answer, key): (&Answer, &AnswerRef)| {
        let given = answer.next.clone();
        let target = names.target(given.as_deref().unwrap_or_default());
        DraftAnswer { key: *key, text: answer.text.clone(), target, given, extra: answer.extra.clone() }
    };
    let name = raw.name.as_ref().map_or("", StepName::as_str);
    StepContent {
        label: if name.is_empty() { raw.id.as_ref().map_or("", StepId::as_str) } else { name }.to_owned(),
        description: raw.description.clone(),
        overlay: raw.overlay_text.clone(),
        video: raw.video_id.clone(),
        answer_time: raw.answer_time.map(|time| time.0),
        answers: raw.answers.as_ref().map(|list| list.iter().zip(answers).map(answer).collect()),
        products: Some(raw.products.clone().unwrap_or_default()),
    }
}

fn read_head(project: &Project, names: &Names) -> Head {
    let entry = |given: &String| OrderEntry { step: names.resolve(given), given: Some(given.clone()) };
    Head {
        name: project.name.clone(),
        folder: project.folder.as_ref().map(FolderId::as_str).map(str::to_owned),
        emails: project.email_notifications.clone(),
        player: project.player.as_ref().map(PlayerSettings::members),
        order: project.steps_order.as_ref().map(|order| order.iter().map(entry).collect()),
        ..Head::default()
    }
}

impl Names {
    /// The names of those steps of a base that are asked for.
    pub fn of(base: &Base, wanted: impl Fn(StepRef) -> bool) -> Self {
        let mut names = Self::default();
        for step in base.sequence.iter().copied().filter(|step| wanted(*step)) {
            names.add(step, base.name(step), base.step_id(step));
        }
        names
    }

    /// How a step is written: as it was given where that means it, else by its name or id, whichever means it alone.
    pub fn spell(&self, base: &Base, step: StepRef, given: Option<&str>) -> Option<String> {
        let means = |text: &str| !text.is_empty() && self.resolve(text) == Some(step);
        if let Some(given) = given.filter(|given| means(given)) {
            return Some(given.to_owned());
        }
        let (name, id) = (base.name(step), base.step_id(step));
        let sure = |text: &str| means(text) && !self.is_ambiguous(text);
        let tried = if base.names_by_id() { [id, name] } else { [name, id] };
        let found = tried.into_iter().find(|text| sure(text)).or_else(|| tried.into_iter().find(|text| means(text)));
        found.map(str::to_owned)
    }
}
