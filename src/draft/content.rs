//! What a project says, as far as it can be edited: the fields of §2.7 and §2.8 that can be written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::refs::{AnswerRef, StepRef, Target};
use crate::domain::{StepProduct, VideoId};

/// Everything of a project that can be written. Cheap to clone: steps are shared until they change.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Content {
    pub(super) head: Arc<Head>,
    pub(super) steps: BTreeMap<StepRef, Arc<StepContent>>,
}

/// What concerns the whole project.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Head {
    /// `name`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `folder`: an id, or a name on its way to the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// `emailNotifications`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emails: Option<Vec<String>>,
    /// `stepsOrder`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<OrderEntry>>,
    /// `player`: its settings by their names, an extension; none where the service told none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<Map<String, Value>>,
    /// The findings that are marked as meant, by a key of whoever found them. Not sent anywhere.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub meant: BTreeSet<String>,
}

/// An entry of `stepsOrder`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderEntry {
    /// The step it names; none where it is alien.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepRef>,
    /// The value as it came: a name or an id. None where it was never given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
}

impl OrderEntry {
    /// A step, by whatever it will be called.
    #[must_use]
    pub fn of(step: StepRef) -> Self {
        Self { step: Some(step), given: None }
    }

    /// Whether both name the same, however they spell it.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.step == other.step && (self.step.is_some() || self.given == other.given)
    }
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepContent {
    /// What it is called while the service has not named it.
    pub label: String,
    /// `description`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `overlayText`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay: Option<String>,
    /// `videoId`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video: Option<VideoId>,
    /// `answerTime`: seconds from the video's start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_time: Option<f64>,
    /// `answers`; none where the record had no such field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<DraftAnswer>>,
    /// `products`, an extension: what it shows; none only in edits from before there were products, which leave them alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub products: Option<Vec<StepProduct>>,
}

impl Default for StepContent {
    fn default() -> Self {
        Self {
            label: String::new(),
            description: None,
            overlay: None,
            video: None,
            answer_time: None,
            answers: None,
            products: Some(Vec::new()),
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DraftAnswer {
    /// What it is meant by.
    pub key: AnswerRef,
    /// What the viewer reads.
    pub text: String,
    /// Where it leads.
    #[serde(default)]
    pub target: Target,
    /// The value of `next` as it came: a name or an id, or empty; none where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    /// Members that the specification does not declare.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl DraftAnswer {
    /// Whether the service would be told the same, but for how a step is spelled.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.text == other.text && self.target == other.target && self.extra == other.extra
    }
}

impl StepContent {
    /// Its answers, in their order.
    #[must_use]
    pub fn answers(&self) -> &[DraftAnswer] {
        self.answers.as_deref().unwrap_or_default()
    }

    /// Its description; empty where there is none.
    #[must_use]
    pub fn description(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    /// The text over its video; empty where there is none.
    #[must_use]
    pub fn overlay(&self) -> &str {
        self.overlay.as_deref().unwrap_or_default()
    }

    /// Its video's id; empty where there is none.
    #[must_use]
    pub fn video(&self) -> &str {
        self.video.as_ref().map_or("", VideoId::as_str)
    }

    /// Seconds from the video's start at which its answers appear; none where that is the start, said or not.
    #[must_use]
    pub fn answers_after(&self) -> Option<f64> {
        self.answer_time.filter(|seconds| *seconds > 0.0)
    }

    /// The products that it shows, in their order.
    #[must_use]
    pub fn products(&self) -> &[StepProduct] {
        self.products.as_deref().unwrap_or_default()
    }

    /// Whether the answers of both say the same.
    #[must_use]
    pub fn same_answers(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.answers(), other.answers());
        mine.len() == theirs.len() && mine.iter().zip(theirs).all(|(mine, theirs)| mine.says_the_same(theirs))
    }

    /// Whether both say the same: a missing text is an empty one, and how a step is spelled makes no difference.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.description() == other.description()
            && self.overlay() == other.overlay()
            && self.video() == other.video()
            && self.answers_after() == other.answers_after()
            && self.same_answers(other)
            && self.products() == other.products()
    }
}

impl Head {
    /// The project's name; empty where there is none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// The folder; empty where it is in none.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.folder.as_deref().unwrap_or_default()
    }

    /// Who is told by e-mail.
    #[must_use]
    pub fn emails(&self) -> &[String] {
        self.emails.as_deref().unwrap_or_default()
    }

    /// The player's setting of a name; null where it is as the player has it by itself.
    #[must_use]
    pub fn setting(&self, name: &str) -> &Value {
        self.player.as_ref().and_then(|settings| settings.get(name)).unwrap_or(&Value::Null)
    }

    /// Whether both have the same settings of the player.
    #[must_use]
    pub fn same_player(&self, other: &Self) -> bool {
        let none = Map::new();
        self.player.as_ref().unwrap_or(&none) == other.player.as_ref().unwrap_or(&none)
    }

    /// The order of the steps.
    #[must_use]
    pub fn order(&self) -> &[OrderEntry] {
        self.order.as_deref().unwrap_or_default()
    }

    /// Whether both have the same order.
    #[must_use]
    pub fn same_order(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.order(), other.order());
        mine.len() == theirs.len() && mine.iter().zip(theirs).all(|(mine, theirs)| mine.same(theirs))
    }

    /// Whether the service would be told the same.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.name() == other.name()
            && self.folder() == other.folder()
            && self.emails() == other.emails()
            && self.same_player(other)
            && self.same_order(other)
    }
}

impl Content {
    /// What concerns the whole project.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// A step.
    #[must_use]
    pub fn step(&self, step: StepRef) -> Option<&StepContent> {
        self.steps.get(&step).map(Arc::as_ref)
    }

    /// All steps, the ones of the service first.
    pub fn steps(&self) -> impl Iterator<Item = (StepRef, &StepContent)> + '_ {
        self.steps.iter().map(|(step, content)| (*step, content.as_ref()))
    }

    /// An answer, with its step and its place among the step's answers.
    #[must_use]
    pub fn answer(&self, answer: AnswerRef) -> Option<(StepRef, usize, &DraftAnswer)> {
        self.steps().find_map(|(step, content)| {
            let (at, found) = content.answers().iter().enumerate().find(|(_, one)| one.key == answer)?;
            Some((step, at, found))
        })
    }

    /// The answers that lead to a step.
    pub fn incoming(&self, step: StepRef) -> impl Iterator<Item = (StepRef, &DraftAnswer)> + '_ {
        self.steps().flat_map(move |(from, content)| {
            content.answers().iter().filter(move |one| one.target == Target::Step(step)).map(move |one| (from, one))
        })
    }

    /// Whether the service would be told the same.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.head.says_the_same(&other.head)
            && self.steps.len() == other.steps.len()
            && self
                .steps
                .iter()
                .zip(&other.steps)
                .all(|((mine, a), (theirs, b))| mine == theirs && (Arc::ptr_eq(a, b) || a.says_the_same(b)))
    }

    pub(super) fn head_mut(&mut self) -> &mut Head {
        Arc::make_mut(&mut self.head)
    }

    pub(super) fn step_mut(&mut self, step: StepRef) -> Option<&mut StepContent> {
        self.steps.get_mut(&step).map(Arc::make_mut)
    }
}
