//! Merging three readings of a project, place by place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::as_before::{as_before, as_told_before, order_as_before};
use super::base::{Base, Names};
use super::conflict::{Conflict, Spot};
use super::content::{Content, DraftAnswer, Head, OrderEntry, StepContent};
use super::draft::Draft;
use super::products;
use super::refs::{AnswerRef, StepRef, Target};
use super::sequence::{Side, sequence};
use crate::domain::{PlayerChange, PlayerSettings, StepProduct, VideoId, setting_text};

/// The three readings, what was decided, and what is found.
pub(super) struct Merger<'a> {
    pub(super) draft: &'a Draft,
    /// What the draft calls its steps.
    pub(super) names: Names,
    pub(super) theirs: &'a Base,
    pub(super) decided: BTreeMap<Spot, Side>,
    pub(super) conflicts: Vec<Conflict>,
    pub(super) elsewhere: Vec<String>,
}

impl Merger<'_> {
    pub(super) fn content(&mut self) -> Content {
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
        let products = self.products(step, b, m, t);
        if description == Side::Theirs
            && overlay == Side::Theirs
            && video == Side::Theirs
            && time == Side::Theirs
            && answers.is_none()
            && products.is_none()
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
            products: products.map_or_else(|| t.products.clone(), Some),
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
            "the e-mail notifications".to_owned(),
            (base.emails(), mine.emails(), theirs.emails()),
            |emails| emails.join(", "),
        );
        let player = self.player(base, mine, theirs);
        let of = |side: Side| if side == Side::Mine { mine } else { theirs };
        Head {
            player,
            name: of(name).name.clone(),
            folder: of(folder).folder.clone(),
            emails: of(emails).emails.clone(),
            order: self.order(base, mine, theirs),
            meant: mine.meant.clone(),
        }
    }

    /// The player's settings, each by itself. What nobody knows is as the service has it.
    fn player(&mut self, base: &Head, mine: &Head, theirs: &Head) -> Option<Map<String, Value>> {
        let mut merged = theirs.player.clone();
        for field in PlayerSettings::FIELDS {
            let name = field.name;
            let side = self.pick(
                Spot::Player(name),
                format!("the player's {name}"),
                (base.setting(name), mine.setting(name), theirs.setting(name)),
                setting_text,
            );
            if side == Side::Mine && mine.setting(name) != theirs.setting(name) {
                let members = [(name.to_owned(), mine.setting(name).clone())].into_iter().collect();
                PlayerChange { members }.make(merged.get_or_insert_default());
            }
        }
        merged
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

    /// The products of a step; none where theirs are right as they are.
    fn products(
        &mut self,
        step: StepRef,
        base: &StepContent,
        mine: &StepContent,
        theirs: &StepContent,
    ) -> Option<Vec<StepProduct>> {
        let label = self.label(step);
        let (b, m, t) = (base.products(), mine.products(), theirs.products());
        if m != t
            && b != m
            && b != t
            && let Some(merged) = products::merged(b, m, t)
        {
            self.elsewhere.push(format!("the products of {label} were changed"));
            return Some(merged);
        }
        let what = format!("the products of {label}");
        let side = self.pick(Spot::Products(step), what, (b, m, t), products::told);
        (side == Side::Mine).then(|| m.to_vec())
    }

    pub(super) fn label(&self, step: StepRef) -> String {
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
