//! What came of a creation whose answer is not known: looked for in what the service has, as services change what they
//! are given. What can't be told is asked, never guessed.

use std::collections::HashMap;

use super::call::{Call, NewStep, StepFields};
use super::draft::Draft;
use super::record::{Done, Record, Sent, to_value};
use super::refs::AnswerRef;
use crate::domain::{Answer, Num, Project, Step, StepId, StepName, StepProduct, VideoId};

/// Something that the service has and the draft does not know, after a creation that was not answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Stranger {
    /// A step, as it came.
    Step(Box<Step>),
    /// A project without its steps.
    Project(Box<Project>),
}

/// What is known of a creation after a look at the service.
#[derive(Debug, Clone, PartialEq)]
pub enum Settled {
    /// It was made: the call that made it, and what is to be kept.
    Bound(Box<Call>, Box<Record>),
    /// Nothing is there that nobody knows.
    Absent,
    /// Something is there that nobody knows, and that is not certainly it.
    Unclear(Vec<Stranger>),
}

/// How much of what was sent a step says. The better comes later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// It says something else.
    Other,
    /// It leaves out all that was sent.
    Bare,
    /// It says some of what was sent, leaves out the rest, or spells it in its own way.
    Alike,
    /// It says what was sent.
    Same,
}

impl Draft {
    /// Looks in the project as it is now for the step whose creation was not answered; `last` where no later look is to be
    /// expected. A step that says nothing of what was sent is taken for it only then.
    pub fn settle(&mut self, theirs: &Project, last: bool) -> Settled {
        let Some((new, absent)) = self.sent.as_ref().and_then(|open| match &open.sent {
            Sent::Step(new) => Some((new.clone(), open.absent)),
            Sent::Project { .. } => None,
        }) else {
            return Settled::Absent;
        };
        let strangers = self.strangers(theirs);
        let named = named(theirs);
        let like = |step: &&Step| likeness(step, &new.fields, &named);
        for wanted in [Likeness::Same, Likeness::Alike, Likeness::Bare] {
            let found: Vec<&Step> = strangers.iter().copied().filter(|step| like(step) == wanted).collect();
            match found.as_slice() {
                [] => {}
                [one] if wanted > Likeness::Bare || (last && !absent) => {
                    let (step, call) = ((*one).clone(), Call::CreateStep((*new).clone()));
                    return Settled::Bound(Box::new(call), Box::new(self.bind(&new, step, &new.fields)));
                }
                _ => break,
            }
        }
        // What is there beside one that is known not to be there is somebody else's.
        if strangers.is_empty() || absent {
            return Settled::Absent;
        }
        Settled::Unclear(strangers.into_iter().map(|step| Stranger::Step(Box::new(step.clone()))).collect())
    }

    /// The steps of a reading that the draft does not know.
    fn strangers<'a>(&self, theirs: &'a Project) -> Vec<&'a Step> {
        let known = |step: &Step| {
            let id = step.id.as_ref().map_or("", StepId::as_str);
            let name = step.name.as_ref().map_or("", StepName::as_str);
            self.base.sequence().iter().any(|known| match id {
                "" => self.base.name(*known) == name,
                id => self.base.step_id(*known) == id,
            })
        };
        theirs.steps.iter().flatten().filter(|step| !known(step)).collect()
    }

    /// The step is the one that was asked for, with these fields.
    fn bind(&mut self, new: &NewStep, step: Step, fields: &StepFields) -> Record {
        let keys = new.fields.answers.iter().flatten().map(|answer| answer.key).collect();
        let (raw, keys) = with(step, fields, keys);
        self.keep(Record::Done(Done::Step(new.step, to_value(&raw), keys)))
    }

    /// Takes something that nobody knew for what was asked for, because a person said so. It is known as it is,
    /// so that what is to be otherwise is written over it.
    pub fn adopt(&mut self, stranger: &Stranger) -> Option<Record> {
        match (self.sent.as_ref()?.sent.clone(), stranger) {
            (Sent::Step(new), Stranger::Step(step)) => Some(self.bind(&new, (**step).clone(), &StepFields::default())),
            (Sent::Project { name, .. }, Stranger::Project(project)) => {
                let done = self.created_project(&name, project.id.clone());
                Some(self.keep(Record::Done(done)))
            }
            _ => None,
        }
    }

    /// Nothing that the service has is what was asked for: it is asked for again, just as before; or not at all, where
    /// the draft has no such step any more or the service finds something wrong with it.
    pub fn absent(&mut self) -> Option<Record> {
        let mut open = self.sent.clone()?;
        open.absent = true;
        let record = if self.is_sent_again() { Record::of_sent(&open) } else { Record::unsent() };
        Some(self.keep(record))
    }

    /// Whether the creation that was not answered is sent again where the service has nothing that could be it.
    pub(super) fn is_sent_again(&self) -> bool {
        self.sent.as_ref().is_some_and(|open| match &open.sent {
            Sent::Step(new) => !open.invalid && self.now.step(new.step).is_some(),
            Sent::Project { .. } => !open.invalid,
        })
    }

    /// The creation that was not answered, in words: `create step new-1 ("Welcome")`.
    #[must_use]
    pub fn unanswered(&self) -> Option<String> {
        Some(match &self.sent.as_ref()?.sent {
            Sent::Step(new) => {
                let said = new.fields.overlay_text.as_deref().or(new.fields.description.as_deref());
                let said = said.map(|said| format!(" ({said:?})")).unwrap_or_default();
                format!("{}{said}", Call::CreateStep((**new).clone()).title())
            }
            Sent::Project { name, .. } => Call::CreateProject { name: name.clone() }.title(),
        })
    }

    /// The same as [`Self::settle`] for the project's own creation.
    pub fn settle_project(&mut self, projects: &[Project]) -> Settled {
        let Some(Sent::Project { name, before }) = self.sent.as_ref().map(|open| open.sent.clone()) else {
            return Settled::Absent;
        };
        let alike = |project: &&Project| {
            project.name.as_deref().is_some_and(|told| folded(told) == folded(&name)) && !before.contains(&project.id)
        };
        let found: Vec<&Project> = projects.iter().filter(alike).collect();
        match found.as_slice() {
            [] => Settled::Absent,
            [one] if one.steps_count.is_none_or(|count| count == Num(0.0)) => {
                let done = self.created_project(&name, one.id.clone());
                Settled::Bound(Box::new(Call::CreateProject { name }), Box::new(self.keep(Record::Done(done))))
            }
            _ => Settled::Unclear(found.into_iter().map(|one| Stranger::Project(Box::new(one.clone()))).collect()),
        }
    }
}

/// A text without what services change in it: white space and case.
pub(super) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Which step a name or an id means, by its place.
fn named(theirs: &Project) -> HashMap<&str, usize> {
    let mut named = HashMap::new();
    for (at, step) in theirs.steps.iter().flatten().enumerate() {
        let texts = [step.name.as_ref().map(StepName::as_str), step.id.as_ref().map(StepId::as_str)];
        for text in texts.into_iter().flatten().filter(|text| !text.is_empty()) {
            named.entry(text).or_insert(at);
        }
    }
    named
}

/// How much of what was sent a step says.
fn likeness(step: &Step, sent: &StepFields, named: &HashMap<&str, usize>) -> Likeness {
    let text = |told: Option<&str>, sent: Option<&str>| match (told, sent.unwrap_or_default()) {
        (told, "") if told.unwrap_or_default().is_empty() => None,
        (None, _) => Some(Likeness::Bare),
        (Some(told), sent) if told.trim() == sent.trim() => Some(Likeness::Same),
        (Some(told), sent) if folded(told) == folded(sent) => Some(Likeness::Alike),
        _ => Some(Likeness::Other),
    };
    let video = |video: &Option<VideoId>| video.as_ref().map(|video| video.as_str().to_owned());
    let fields = [
        text(step.description.as_deref(), sent.description.as_deref()),
        text(step.overlay_text.as_deref(), sent.overlay_text.as_deref()),
        text(video(&step.video_id).as_deref(), video(&sent.video_id).as_deref()),
        answers(step.answers.as_deref(), &sent.wire_answers().ok().flatten().unwrap_or_default(), named),
        products(step.products.as_deref(), sent.products.as_deref().unwrap_or_default()),
    ];
    let told: Vec<Likeness> = fields.into_iter().flatten().collect();
    match (told.iter().min(), told.iter().max()) {
        (Some(Likeness::Bare), Some(most)) if *most > Likeness::Bare => Likeness::Alike,
        (Some(least), _) => *least,
        // Nothing was sent, and nothing is told.
        _ => Likeness::Same,
    }
}

fn answers(told: Option<&[Answer]>, sent: &[Answer], named: &HashMap<&str, usize>) -> Option<Likeness> {
    let told = match (told, sent) {
        (None | Some([]), []) => return None,
        (None, _) => return Some(Likeness::Bare),
        (Some(told), _) => told,
    };
    if told.len() != sent.len() {
        return Some(Likeness::Other);
    }
    let leads = |told: Option<&str>, sent: Option<&str>| match (told, sent.unwrap_or_default()) {
        (told, sent) if told.unwrap_or_default() == sent => Likeness::Same,
        (Some(told), sent) if told.trim() == sent.trim() => Likeness::Alike,
        (Some(told), sent) if named.get(told).is_some_and(|at| named.get(sent) == Some(at)) => Likeness::Alike,
        (None, _) => Likeness::Alike,
        _ => Likeness::Other,
    };
    let one = |(told, sent): (&Answer, &Answer)| {
        let text = match () {
            () if told.text == sent.text => Likeness::Same,
            () if folded(&told.text) == folded(&sent.text) => Likeness::Alike,
            () => Likeness::Other,
        };
        text.min(leads(told.next.as_deref(), sent.next.as_deref()))
    };
    told.iter().zip(sent).map(one).min()
}

/// Many services don't keep products: that none are told says nothing.
fn products(told: Option<&[StepProduct]>, sent: &[StepProduct]) -> Option<Likeness> {
    let told = told.filter(|told| !told.is_empty())?;
    let same = told.len() == sent.len() && told.iter().zip(sent).all(|(told, sent)| told.is_same(sent));
    Some(if same { Likeness::Same } else { Likeness::Other })
}

/// A step with what was sent of it.
pub(super) fn with(mut raw: Step, sent: &StepFields, known: Vec<AnswerRef>) -> (Step, Vec<AnswerRef>) {
    if let Some(description) = &sent.description {
        raw.description = Some(description.clone());
    }
    if let Some(overlay) = &sent.overlay_text {
        raw.overlay_text = Some(overlay.clone());
    }
    if let Some(video) = &sent.video_id {
        raw.video_id = Some(video.clone());
    }
    if let Some(seconds) = sent.answer_time {
        raw.answer_time = Some(Num(seconds));
    }
    if let Some(products) = &sent.products {
        raw.products = Some(products.clone()).filter(|products| !products.is_empty());
    }
    let Some(answers) = &sent.answers else { return (raw, known) };
    raw.answers = Some(sent.wire_answers().ok().flatten().unwrap_or_default());
    (raw, answers.iter().map(|answer| answer.key).collect())
}
