//! What a call changes, as people read it.

use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use super::call::{Call, Named, NewStep, SentAnswer, StepFields};
use super::content::{DraftAnswer, StepContent};
use super::draft::Draft;
use super::refs::{StepRef, Target};
use crate::domain::{PlayerSettings, StepProduct, setting_text};

/// What a call changes in one field. The texts are the project's: to be cleaned before they are shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Difference {
    /// A text, word by word.
    Text {
        /// The field's name.
        field: &'static str,
        /// The words, white space with them.
        words: Vec<Words>,
    },
    /// A value as a whole.
    Value {
        /// The field's name.
        field: &'static str,
        /// As it was; empty where there was none.
        before: String,
        /// As it becomes.
        after: String,
    },
    /// The answers, in their new order; those that go come where they were.
    Answers {
        /// One line each.
        answers: Vec<AnswerDifference>,
    },
    /// The products, in their new order; those that go come last.
    Products {
        /// One line each.
        products: Vec<ProductDifference>,
    },
    /// The order of the steps.
    Order {
        /// As it was.
        before: Vec<String>,
        /// As it becomes.
        after: Vec<String>,
    },
}

/// What becomes of some words, an answer or the like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    /// It stays.
    Kept,
    /// It is new.
    Added,
    /// It goes.
    Removed,
    /// It becomes another.
    Changed,
    /// It only comes at another place.
    Moved,
}

/// Some words of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Words {
    /// What becomes of them.
    pub fate: Fate,
    /// The words.
    pub text: String,
}

/// What becomes of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerDifference {
    /// What becomes of it.
    pub fate: Fate,
    /// Its text, word by word.
    pub words: Vec<Words>,
    /// Where it led; none for a new one.
    pub before: Option<String>,
    /// Where it leads; none for one that goes.
    pub after: Option<String>,
}

/// What becomes of a product of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductDifference {
    /// What becomes of it.
    pub fate: Fate,
    /// The product; of one that changes, as it becomes.
    pub product: StepProduct,
    /// What it is called, where whoever shows this knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl ProductDifference {
    /// It in words, by its title where that is known.
    #[must_use]
    pub fn told(&self) -> String {
        self.product.told(self.title.as_deref())
    }
}

/// More words than this are not compared one by one.
const MOST_WORDS: usize = 4_000;

/// A text and another, word by word.
#[must_use]
pub fn words(before: &str, after: &str) -> Vec<Words> {
    let whole = |fate, text: &str| Words { fate, text: text.to_owned() };
    if before == after || before.is_empty() || after.is_empty() || long(before) || long(after) {
        let (gone, new) = (whole(Fate::Removed, before), whole(Fate::Added, after));
        let parts = if before == after { vec![whole(Fate::Kept, after)] } else { vec![gone, new] };
        return parts.into_iter().filter(|part| !part.text.is_empty()).collect();
    }
    let mut out: Vec<Words> = Vec::new();
    for change in TextDiff::from_words(before, after).iter_all_changes() {
        let fate = match change.tag() {
            ChangeTag::Equal => Fate::Kept,
            ChangeTag::Delete => Fate::Removed,
            ChangeTag::Insert => Fate::Added,
        };
        match out.last_mut().filter(|last| last.fate == fate) {
            Some(last) => last.text.push_str(change.value()),
            None => out.push(whole(fate, change.value())),
        }
    }
    out
}

fn long(text: &str) -> bool {
    text.split_whitespace().nth(MOST_WORDS).is_some()
}

impl Draft {
    /// What a call changes of what the service has now.
    pub(super) fn differences(&self, call: &Call) -> Vec<Difference> {
        let nothing = StepContent::default();
        match call {
            Call::CreateProject { name } => vec![text("name", "", name)],
            Call::CreateStep(NewStep { fields, .. }) => self.step_differences(&nothing, fields),
            Call::UpdateStep { step, change, .. } => {
                let before = self.base.content().step(*step);
                let mut differences = self.step_differences(before.unwrap_or(&nothing), change);
                if before.is_none() {
                    // Its answers were told when it was created; now they only learn where they lead.
                    differences.retain(|difference| !matches!(difference, Difference::Answers { .. }));
                    let answers = change.answers.iter().flatten().filter(|answer| leads_on(answer));
                    let answers: Vec<_> = answers.map(wired).collect();
                    if !answers.is_empty() {
                        differences.push(Difference::Answers { answers });
                    }
                }
                differences
            }
            Call::DeleteStep { step, .. } => self.deleted_differences(*step),
            Call::UpdateProject { change } => {
                let before = self.base.content().head();
                let mut differences = Vec::new();
                differences.extend(change.name.as_ref().map(|name| text("name", before.name(), name)));
                differences.extend(change.folder.as_ref().map(|folder| value("folder", before.folder(), folder)));
                differences.extend(
                    change
                        .email_notifications
                        .as_ref()
                        .map(|emails| value("e-mails", &before.emails().join(", "), &emails.join(", "))),
                );
                differences.extend(change.player.iter().flatten().map(|(name, after)| {
                    let field = PlayerSettings::FIELDS.iter().map(|field| field.name).find(|known| known == name);
                    value(field.unwrap_or("player"), &setting_text(before.setting(name)), &setting_text(after))
                }));
                differences.extend(change.steps_order.as_ref().map(|order| Difference::Order {
                    before: before.order().iter().map(|entry| self.entry(entry)).collect(),
                    after: order.iter().map(|named| self.shown(named)).collect(),
                }));
                differences
            }
        }
    }

    fn entry(&self, entry: &super::content::OrderEntry) -> String {
        entry.step.map_or_else(|| entry.given.clone().unwrap_or_default(), |step| self.label(step))
    }

    /// A step by what people call it.
    fn shown(&self, named: &Named) -> String {
        match named {
            Named::As(text) => self.base.names().resolve(text).map_or_else(|| text.clone(), |step| self.label(step)),
            Named::Created(_, label) => label.clone(),
        }
    }

    fn leads(&self, target: &Target) -> String {
        match target {
            Target::End => END.to_owned(),
            Target::Step(step) => self.label(*step),
            Target::Unresolved(given) => format!("nowhere ({given})"),
        }
    }

    fn deleted_differences(&self, step: StepRef) -> Vec<Difference> {
        let Some(before) = self.base.content().step(step) else { return Vec::new() };
        let mut differences = Vec::new();
        for (field, old) in [("description", before.description()), ("text", before.overlay())] {
            if !old.is_empty() {
                differences.push(text(field, old, ""));
            }
        }
        let answers: Vec<_> = before.answers().iter().map(|answer| self.removed(answer)).collect();
        if !answers.is_empty() {
            differences.push(Difference::Answers { answers });
        }
        if !before.products().is_empty() {
            differences.push(Difference::Products { products: product_differences(before.products(), &[]) });
        }
        differences
    }

    fn removed(&self, answer: &DraftAnswer) -> AnswerDifference {
        AnswerDifference {
            fate: Fate::Removed,
            words: words(&answer.text, ""),
            before: Some(self.leads(&answer.target)),
            after: None,
        }
    }

    fn step_differences(&self, before: &StepContent, change: &StepFields) -> Vec<Difference> {
        let mut differences = Vec::new();
        let texts = [
            ("description", before.description(), &change.description),
            ("text", before.overlay(), &change.overlay_text),
        ];
        for (field, old, new) in texts {
            differences.extend(new.as_ref().map(|new| text(field, old, new)));
        }
        differences.extend(change.video_id.as_ref().map(|video| value("video", before.video(), video.as_str())));
        differences.extend(change.answer_time.map(|seconds| {
            let old = before.answers_after().map(|seconds| format!("{seconds} s")).unwrap_or_default();
            value("answer time", &old, &format!("{seconds} s"))
        }));
        if let Some(answers) = &change.answers {
            differences.push(Difference::Answers { answers: self.answer_differences(before.answers(), answers) });
        }
        if let Some(products) = &change.products {
            differences.push(Difference::Products { products: product_differences(before.products(), products) });
        }
        differences
    }

    fn answer_differences(&self, before: &[DraftAnswer], after: &[SentAnswer]) -> Vec<AnswerDifference> {
        let kept: Vec<_> = before.iter().filter(|old| after.iter().any(|new| new.key == old.key)).collect();
        let mut in_order = after.iter().filter(|new| before.iter().any(|old| old.key == new.key)).enumerate();
        let mut out: Vec<AnswerDifference> = Vec::new();
        for new in after {
            let old = before.iter().find(|old| old.key == new.key);
            let leads = new.next.as_ref().map(|named| self.shown(named)).filter(|next| !next.is_empty());
            let leads = leads.unwrap_or_else(|| END.to_owned());
            let Some(old) = old else {
                let words = words("", &new.text);
                out.push(AnswerDifference { fate: Fate::Added, words, before: None, after: Some(leads) });
                continue;
            };
            let moved = in_order.next().is_some_and(|(at, _)| kept.get(at).is_some_and(|at| at.key != new.key));
            let led = match &old.target {
                // Both spell it as it came where it leads nowhere.
                Target::Unresolved(given) => given.clone(),
                target => self.leads(target),
            };
            let fate = match (old.text == new.text && led == leads, moved) {
                (true, false) => Fate::Kept,
                (true, true) => Fate::Moved,
                (false, _) => Fate::Changed,
            };
            out.push(AnswerDifference {
                fate,
                words: words(&old.text, &new.text),
                before: Some(led),
                after: Some(leads),
            });
        }
        for (at, old) in before.iter().enumerate().filter(|(_, old)| !after.iter().any(|new| new.key == old.key)) {
            out.insert(at.min(out.len()), self.removed(old));
        }
        out
    }
}

/// What becomes of the products of a step.
fn product_differences(before: &[StepProduct], after: &[StepProduct]) -> Vec<ProductDifference> {
    let one = |fate, product: &StepProduct| ProductDifference { fate, product: product.clone(), title: None };
    let mut gone: Vec<Option<&StepProduct>> = before.iter().map(Some).collect();
    let mut last = 0;
    let mut out: Vec<ProductDifference> = Vec::new();
    for product in after {
        let found = gone.iter().position(|old| old.is_some_and(|old| old == product));
        let found = found.or_else(|| gone.iter().position(|old| old.is_some_and(|old| old.is_same(product))));
        let Some((at, old)) = found.and_then(|at| Some((at, gone.get_mut(at)?.take()?))) else {
            out.push(one(Fate::Added, product));
            continue;
        };
        let fate = match () {
            () if old != product => Fate::Changed,
            () if at < last => Fate::Moved,
            () => Fate::Kept,
        };
        last = last.max(at);
        out.push(one(fate, product));
    }
    out.extend(gone.into_iter().flatten().map(|product| one(Fate::Removed, product)));
    out
}

/// Where an answer leads that ends the video.
const END: &str = "end";

fn leads_on(answer: &SentAnswer) -> bool {
    answer.next.as_ref().is_some_and(|named| !named.text().is_empty())
}

fn wired(answer: &SentAnswer) -> AnswerDifference {
    let to = answer.next.as_ref().map(|named| named.text().to_owned());
    let words = words(&answer.text, &answer.text);
    AnswerDifference { fate: Fate::Changed, words, before: Some(END.to_owned()), after: to }
}

fn text(field: &'static str, before: &str, after: &str) -> Difference {
    Difference::Text { field, words: words(before, after) }
}

fn value(field: &'static str, before: &str, after: &str) -> Difference {
    Difference::Value { field, before: before.to_owned(), after: after.to_owned() }
}
