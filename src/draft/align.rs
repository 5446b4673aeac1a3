//! Telling which step and which answer of a newer reading is which of the draft.

use std::collections::{HashMap, HashSet};

use super::base::{Base, Fresh, Named};
use super::content::DraftAnswer;
use super::draft::Draft;
use super::refs::{AnswerRef, StepRef, Target};
use crate::domain::{Project, StepId, StepName};

impl Draft {
    /// A newer reading of the project, its steps and answers by the references that the draft knows them by.
    pub(super) fn align(&self, theirs: Project, fresh: &mut Fresh) -> Base {
        let (mut ids, mut named_so) = (HashMap::new(), HashMap::new());
        for step in self.base.sequence() {
            let (id, name) = (self.base.step_id(*step), self.base.name(*step));
            if !id.is_empty() {
                ids.entry(id).or_insert_with(Vec::new).push(*step);
            }
            named_so.entry(name).or_insert_with(Vec::new).push((*step, id.is_empty()));
        }
        let mut used: HashSet<StepRef> = HashSet::new();
        let mut steps = Vec::new();
        for raw in theirs.steps.iter().flatten() {
            let id = raw.id.as_ref().map_or("", StepId::as_str);
            let name = raw.name.as_ref().map_or("", StepName::as_str);
            let by_id = ids.get(id).and_then(|steps| steps.iter().find(|step| !used.contains(step)).copied());
            let by_name = || {
                // Of two steps that both have ids, the ids decide.
                let mut alike = named_so.get(name)?.iter().filter(|(_, without)| id.is_empty() || *without);
                alike.find(|(step, _)| !used.contains(step)).map(|(step, _)| *step)
            };
            let step = by_id.or_else(by_name).unwrap_or_else(|| fresh.step());
            used.insert(step);
            let answers = raw.answers.iter().flatten().map(|_| fresh.answer()).collect();
            steps.push(Named { step, answers, raw: raw.clone() });
        }
        let mut base = Base::of(theirs, steps);
        let names = self.names();
        for step in base.sequence().to_vec() {
            let of = |content: Option<&super::content::StepContent>| content.map(|one| one.answers().to_vec());
            let before = of(self.base.content().step(step)).unwrap_or_default();
            let mine = of(self.now.step(step)).unwrap_or_default();
            let theirs = of(base.content().step(step)).unwrap_or_default();
            let is_sent = |mine: &DraftAnswer, theirs: &DraftAnswer| {
                mine.text == theirs.text && (mine.target == theirs.target || self.is_sent_as(&names, mine, theirs))
            };
            let keys = alike(&before, &mine, &theirs, &is_sent);
            base.rekey(step, &keys);
        }
        base
    }
}

type Alike<'a> = &'a dyn Fn(&DraftAnswer, &DraftAnswer) -> bool;

/// For each answer the one that it was: one that says the same, one that was added to the draft or changed there to say
/// just so, one of the same text, one that leads to the same, or the one at its place. Where all are just as the draft has
/// them, they are the draft's. `is_sent` is whether one of the draft's was sent as one of theirs is told.
pub(super) fn alike(
    before: &[DraftAnswer],
    mine: &[DraftAnswer],
    theirs: &[DraftAnswer],
    is_sent: Alike,
) -> Vec<Option<AnswerRef>> {
    let mine: Vec<&DraftAnswer> = mine.iter().collect();
    let known: Vec<&DraftAnswer> = before.iter().collect();
    // What else a service tells of an answer does not make it another one.
    let same = |a: &DraftAnswer, b: &DraftAnswer| a.text == b.text && a.target == b.target;
    let same_text = |a: &DraftAnswer, b: &DraftAnswer| a.text == b.text;
    let same_target = |a: &DraftAnswer, b: &DraftAnswer| a.target == b.target && a.target != Target::End;
    if mine.len() == theirs.len() && mine.iter().zip(theirs).all(|(mine, theirs)| is_sent(mine, theirs)) {
        return mine.iter().map(|mine| Some(mine.key)).collect();
    }
    let mut keys: Vec<Option<AnswerRef>> = vec![None; theirs.len()];
    let mut used: HashSet<AnswerRef> = HashSet::new();
    let passes: [(&[&DraftAnswer], Alike); 4] =
        [(&known, &same), (&mine, is_sent), (&known, &same_text), (&known, &same_target)];
    for (candidates, is_alike) in passes {
        for (at, (key, one)) in keys.iter_mut().zip(theirs).enumerate().filter(|(_, (key, _))| key.is_none()) {
            let free = |other: &&&DraftAnswer| !used.contains(&other.key) && is_alike(other, one);
            let here = candidates.get(at).filter(|other| free(other));
            if let Some(found) = here.or_else(|| candidates.iter().find(free)) {
                used.insert(found.key);
                *key = Some(found.key);
            }
        }
    }
    for (at, key) in keys.iter_mut().enumerate().filter(|(_, key)| key.is_none()) {
        if let Some(found) = before.get(at).filter(|found| !used.contains(&found.key)) {
            used.insert(found.key);
            *key = Some(found.key);
        }
    }
    keys
}
