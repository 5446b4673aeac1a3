//! What viewers do at each step of a project, in numbers. §4.3 does not have it; another service answers 404.

use super::operation::Operation;
use crate::domain::{Num, ProjectId};
use crate::shape;

shape! {
    /// What viewers did in a project. Days are UTC, and a visit belongs to the day on which it began.
    pub struct ProjectFunnel {
        /// The first day that is counted; absent where all are.
        since: opt String => "since",
        /// The last day that is counted.
        until: opt String => "until",
        visits: req Num => "visits",
        /// Visits that came to the end.
        completed: req Num => "completed",
        /// How many of the visits were made up: the sample store's. Absent where none were.
        sample_visits: opt Num => "sampleVisits",
        /// Where they were counted: absent where the service counted them, `payloads` where that was done here, of
        /// payloads of webhooks.
        source: opt String => "source",
        /// The steps of the project as it is now.
        steps: req Vec<StepFunnel> => "steps",
        /// What was counted at steps that are gone.
        gone: req GoneFunnel => "gone",
        /// Orders that shops verified, of a product that the visit was shown up to 24 hours before.
        direct: req Vec<Revenue> => "direct",
        /// Other orders that shops verified.
        indirect: req Vec<Revenue> => "indirect",
        /// Orders that nobody verified.
        unverified: req Vec<Revenue> => "unverified",
        /// What of the shop's products was in orders that it verified: at most 100 of each currency, those with the most
        /// revenue. Absent where there were none.
        sold: opt Vec<ProductSold> => "sold",
        days: req Vec<FunnelDay> => "days",
        weeks: req Vec<FunnelWeek> => "weeks",
        /// The paths that most visits took, at most 20 of them, and last how many took another one.
        paths: req Vec<FunnelPath> => "paths",
        /// What viewers met: each is the project with other steps, answers or products.
        versions: req Vec<FunnelVersion> => "versions",
    }
}

shape! {
    /// What viewers did at a step. Each visit counts once, however often it came by.
    pub struct StepFunnel {
        /// The step's name.
        name: req String => "name",
        /// What it is called now.
        title: opt String => "title",
        seen: req Num => "seen",
        /// Visits that ended here and not at the end.
        left: req Num => "left",
        /// Visits that went back from here.
        back: req Num => "back",
        /// The median of how long a visit stayed when it first came, seconds, to about a tenth.
        median_seconds: opt Num => "medianSeconds",
        answers: req Vec<AnswerFunnel> => "answers",
        /// Choices of answers that the step had once.
        gone_answers: req Num => "goneAnswers",
        products: req Vec<ProductFunnel> => "products",
        /// Orders of products that the visit was shown here.
        orders: req Vec<Revenue> => "orders",
    }
}

shape! {
    /// How many chose an answer.
    pub struct AnswerFunnel {
        text: req String => "text",
        /// The step that it leads to, as the step has it.
        next: opt String => "next",
        chosen: req Num => "chosen",
        /// The share of the visits that saw the step, from 0 to 1.
        share: opt Num => "share",
        /// Where that share lies with a probability of 95 %: from here…
        low: opt Num => "low",
        /// … to here.
        high: opt Num => "high",
    }
}

shape! {
    /// A product at a step: its id, and the variant's behind a blank.
    pub struct ProductFunnel {
        id: req String => "id",
        shown: req Num => "shown",
        clicked: req Num => "clicked",
    }
}

shape! {
    /// What is not in the steps of now.
    pub struct GoneFunnel {
        /// Visits at steps that are gone, each step once.
        seen: req Num => "seen",
        /// Visits that ended there.
        left: req Num => "left",
        /// Visits at steps that the project did not have when they began.
        unknown: req Num => "unknown",
    }
}

shape! {
    /// What was sold in one currency.
    pub struct Revenue {
        /// ISO 4217; empty where the shop did not say.
        currency: req String => "currency",
        orders: req Num => "orders",
        amount: req Num => "amount",
    }
}

shape! {
    /// The orders with a product, in one currency.
    pub struct ProductSold {
        /// The product's external id.
        id: req String => "id",
        /// ISO 4217; empty where the shop did not say.
        currency: req String => "currency",
        orders: req Num => "orders",
        /// What they cost, with all else that was in them.
        amount: req Num => "amount",
    }
}

shape! {
    /// One day, UTC.
    pub struct FunnelDay {
        day: req String => "day",
        visits: req Num => "visits",
        completed: req Num => "completed",
    }
}

shape! {
    /// One week, UTC.
    pub struct FunnelWeek {
        /// Its Monday.
        week: req String => "week",
        visits: req Num => "visits",
        completed: req Num => "completed",
    }
}

shape! {
    /// The steps of a visit in the order in which it first saw them, of visits that are over.
    pub struct FunnelPath {
        /// Their names, at most eight; none where it is all other paths.
        steps: req Vec<String> => "steps",
        /// Whether it went on behind them.
        goes_on: opt bool => "goesOn",
        visits: req Num => "visits",
    }
}

shape! {
    /// A version of the project.
    pub struct FunnelVersion {
        /// The hash of its steps, answers and products.
        version: req String => "version",
        /// When a visit first met it.
        first_visit_at: req String => "firstVisitAt",
        visits: req Num => "visits",
        completed: req Num => "completed",
        /// Whether its visits were made up: the sample store's.
        sample: opt bool => "sample",
        /// What its visits did at the steps that it had, of those that they saw. Absent where the service doesn't count them
        /// by version.
        steps: opt Vec<StepFunnel> => "steps",
        /// What they did at steps that it did not have.
        gone: opt GoneFunnel => "gone",
        /// Orders of its visits, as those of all.
        direct: opt Vec<Revenue> => "direct",
        indirect: opt Vec<Revenue> => "indirect",
        unverified: opt Vec<Revenue> => "unverified",
        /// The paths that most of its visits took.
        paths: opt Vec<FunnelPath> => "paths",
    }
}

/// Why there are no numbers of a version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoVersion {
    /// No visit met such a version, or several fit what was named.
    #[error("no visit met version {0:?}")]
    Unknown(String),
    /// Several versions begin so.
    #[error("several versions begin with {0:?}")]
    Ambiguous(String),
    /// The service counts visits by version, and not what they did.
    #[error("what visits did isn't counted by version there")]
    Uncounted,
}

impl ProjectFunnel {
    /// The version of this name, or the only one that begins so. That of made-up visits is called `sample`.
    ///
    /// # Errors
    /// Where there is none, or several.
    pub fn version(&self, named: &str) -> Result<&FunnelVersion, NoVersion> {
        let named = named.trim();
        if let Some(exact) = self.versions.iter().find(|version| version.version == named) {
            return Ok(exact);
        }
        let mut begin = self.versions.iter().filter(|version| !named.is_empty() && version.version.starts_with(named));
        match (begin.next(), begin.next()) {
            (Some(only), None) => Ok(only),
            (Some(_), Some(_)) => Err(NoVersion::Ambiguous(named.to_owned())),
            _ => Err(NoVersion::Unknown(named.to_owned())),
        }
    }

    /// The same of the visits of one version only. Days and weeks are not told apart by version, so there are none.
    ///
    /// # Errors
    /// Where there is no such version, or what its visits did is not known.
    pub fn of_version(&self, named: &str) -> Result<Self, NoVersion> {
        let version = self.version(named)?;
        let steps = version.steps.clone().ok_or(NoVersion::Uncounted)?;
        let version = version.clone();
        Ok(Self {
            since: self.since.clone(),
            until: self.until.clone(),
            visits: version.visits,
            completed: version.completed,
            sample_visits: (version.sample == Some(true)).then_some(version.visits),
            source: self.source.clone(),
            steps,
            gone: version.gone.clone().unwrap_or_default(),
            direct: version.direct.clone().unwrap_or_default(),
            indirect: version.indirect.clone().unwrap_or_default(),
            unverified: version.unverified.clone().unwrap_or_default(),
            paths: version.paths.clone().unwrap_or_default(),
            versions: vec![FunnelVersion {
                version: version.version,
                first_visit_at: version.first_visit_at,
                visits: version.visits,
                completed: version.completed,
                sample: version.sample,
                ..FunnelVersion::default()
            }],
            ..Self::default()
        })
    }
}

/// `GET /projects/{id}/funnel`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetFunnel {
    /// Which project.
    pub id: ProjectId,
    /// The first day, as a date or a time; all from the first where nothing is said.
    pub since: Option<String>,
    /// The last day, as a date or a time.
    pub until: Option<String>,
}

impl Operation for GetFunnel {
    type Response = ProjectFunnel;

    fn path_id(&self) -> Option<&str> {
        Some(self.id.as_str())
    }
    fn query(&self) -> Vec<(&'static str, &str)> {
        let given = [("since", &self.since), ("until", &self.until)];
        given.into_iter().filter_map(|(name, day)| Some((name, day.as_deref()?))).collect()
    }
}
