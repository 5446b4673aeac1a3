//! A problem: which rule, of which record, in which field, and what is so.

use super::rule::{Rule, Severity};
use crate::domain::{Share, StoreUrl, VideoId};

/// What a problem is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A product, by its external id.
    Product {
        /// The store it is sold in.
        store: StoreUrl,
        /// `externalProductId`.
        id: String,
        /// Its title, where it is at hand: rules over the whole store keep ids only.
        title: Option<String>,
    },
    /// A word that products of a store share: a tag, a product type, a vendor.
    Word {
        /// The store.
        store: StoreUrl,
        /// The word, as it is written.
        word: String,
    },
    /// A step of a project.
    Step {
        /// The project's id.
        project: String,
        /// What the project is called.
        project_name: String,
        /// The step's name.
        name: String,
        /// Which of the project's steps, from 0, as its graph has them.
        step: usize,
        /// Which of the step's answers, from 0.
        port: Option<usize>,
    },
    /// A project.
    Project {
        /// Its id.
        id: String,
        /// What it is called.
        name: String,
    },
    /// A video of the library.
    Video {
        /// Its id.
        id: VideoId,
        /// What it is called.
        name: String,
    },
    /// A video in a file.
    File {
        /// Where it is.
        path: String,
    },
}

impl Record {
    /// What kind of record it is, in documents.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Product { .. } => "product",
            Self::Word { .. } => "word",
            Self::Step { .. } => "step",
            Self::Project { .. } => "project",
            Self::Video { .. } => "video",
            Self::File { .. } => "file",
        }
    }

    /// The id, or the word itself; of a step its project's.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Product { id, .. } | Self::Project { id, .. } => id,
            Self::Word { word, .. } => word,
            Self::Step { project, .. } => project,
            Self::Video { id, .. } => id.as_str(),
            Self::File { path } => path,
        }
    }

    /// The store it is of, where it is of one.
    #[must_use]
    pub fn store(&self) -> Option<&StoreUrl> {
        match self {
            Self::Product { store, .. } | Self::Word { store, .. } => Some(store),
            _ => None,
        }
    }

    /// The step's name, where it is one.
    #[must_use]
    pub fn step(&self) -> Option<&str> {
        if let Self::Step { name, .. } = self { Some(name) } else { None }
    }

    /// What people call it.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        match self {
            Self::Product { title, .. } => title.clone(),
            Self::Word { word, .. } => Some(word.clone()),
            Self::Step { project_name, name, .. } => Some(format!("{project_name}, {name}")),
            Self::Project { name, .. } | Self::Video { name, .. } => Some(name.clone()),
            Self::File { path } => Some(path.clone()),
        }
    }
}

/// How many meet a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// The share, from 0 to 1.
    pub share: f64,
    /// Of what it is a share.
    pub of: ReachOf,
    /// How many of how many, where they were counted.
    pub counted: Option<Share>,
}

/// What a share is one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReachOf {
    /// Of the viewers who were counted.
    Viewers,
    /// Of the paths from the first step to an end, each as likely as the others; nobody was counted yet.
    Paths,
}

impl ReachOf {
    /// Its word, in tables and documents.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Viewers => "viewers",
            Self::Paths => "paths",
        }
    }
}

/// Fewer that were counted say nothing of a share.
const ENOUGH: u64 = 5;

impl Reach {
    /// Whether more than this share meet it, from 0 to 1. Nothing where too few were counted to tell.
    #[must_use]
    pub fn is_above(self, limit: f64) -> Option<bool> {
        let Some(few) = self.counted.filter(|counted| counted.is_rough()) else { return Some(self.share > limit) };
        match few.interval()? {
            (low, _) if low > limit => (few.of >= ENOUGH).then_some(true),
            (_, high) if high <= limit => Some(false),
            _ => None,
        }
    }

    /// It in words: `34% of viewers`; `1 of 3 viewers (6–79%)` where too few were counted for one number.
    #[must_use]
    pub fn told(self) -> String {
        if let Some(few) = self.counted.filter(|counted| counted.is_rough()) {
            return format!("{} of {} {} ({few})", few.part, few.of, self.of.word());
        }
        let percent = self.share * 100.0;
        let percent = match percent {
            0.0 => "0".to_owned(),
            less if less < 1.0 => "under 1".to_owned(),
            _ => format!("{percent:.0}"),
        };
        format!("{percent}% of {}", self.of.word())
    }
}

/// What would fix a problem, where that is ours to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fix {
    /// Choose another product for the step.
    ChooseProducts,
    /// Let steps show this video, which is the same.
    PointAt(VideoId),
    /// Rewrite the file with its index in front.
    Remux,
}

impl Fix {
    /// It in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::ChooseProducts => "choose another product for the step".to_owned(),
            Self::PointAt(video) => format!("let the steps that show it show video {video}"),
            Self::Remux => "ffmpeg -i IN.mp4 -c copy -movflags +faststart OUT.mp4".to_owned(),
        }
    }
}

/// The products that a problem of a word is about: those that have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Affected {
    /// The ids of the first ones, in the order of the catalog.
    pub listed: Vec<String>,
    /// How many there are beside those.
    pub more: u64,
}

/// Words for people name so many.
const NAMED: usize = 5;

impl Affected {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.more == 0
    }

    /// They in words: `a, b, c, d, e and 12 more`.
    #[must_use]
    pub fn words(&self) -> String {
        let named = self.listed.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let unnamed = u64::try_from(self.listed.len().saturating_sub(NAMED)).unwrap_or_default();
        match self.more.saturating_add(unnamed) {
            0 => named,
            more => format!("{named} and {more} more"),
        }
    }
}

/// One problem. Its texts hold what a service said: to be cleaned before they are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The rule that found it.
    pub rule: Rule,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub record: Record,
    /// The field, with the place in lists: `variants[2].price`.
    pub field: String,
    /// What is so, as a sentence without its full stop.
    pub sentence: String,
    /// How many meet it; nothing where it is no problem of a project.
    pub reach: Option<Reach>,
    /// What would fix it.
    pub fix: Option<Fix>,
    /// The products that it is about, where its record is a word that they share.
    pub products: Affected,
    /// What tells it from others of its record, where the field does not, because places in lists change.
    about: Option<String>,
}

impl Problem {
    /// What a rule found.
    #[must_use]
    pub fn new(rule: Rule, record: Record, field: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.severity(),
            record,
            field: field.into(),
            sentence: sentence.into(),
            reach: None,
            fix: None,
            products: Affected::default(),
            about: None,
        }
    }

    pub(super) fn reaching(self, reach: Reach) -> Self {
        Self { reach: Some(reach), ..self }
    }

    pub(super) fn about(self, about: impl Into<String>) -> Self {
        Self { about: Some(about.into()), ..self }
    }

    pub(super) fn fixed_by(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }

    pub(super) fn of_products(self, products: Affected) -> Self {
        Self { products, ..self }
    }

    pub(super) fn of_severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// What it is known by from one run to the next: rule, store, record and field. What the field holds is no part of it.
    #[must_use]
    pub fn key(&self) -> String {
        let (id, field) = (self.rule.id(), self.about.as_deref().unwrap_or(&self.field));
        match (&self.record, self.record.store()) {
            (Record::Step { project, name, .. }, _) => format!("{id} {project} {name} {field}"),
            (record, Some(store)) => format!("{id} {store} {} {field}", record.id()),
            (record, None) => format!("{id} {} {field}", record.id()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_products_some_are_named() {
        let words = |listed: usize, more| {
            let listed = (1..=listed).map(|id| id.to_string()).collect();
            Affected { listed, more }.words()
        };
        assert_eq!((words(0, 0), words(2, 0)), (String::new(), "1, 2".to_owned()));
        assert_eq!(
            (words(5, 1), words(20, 7)),
            ("1, 2, 3, 4, 5 and 1 more".into(), "1, 2, 3, 4, 5 and 22 more".into())
        );
    }

    #[test]
    fn reaches_are_told_in_words() {
        let told = |share| Reach { share, of: ReachOf::Viewers, counted: None }.told();
        assert_eq!((told(0.0), told(0.004)), ("0% of viewers".to_owned(), "under 1% of viewers".to_owned()));
        assert_eq!((told(0.334), told(1.0)), ("33% of viewers".to_owned(), "100% of viewers".to_owned()));
        let counted = |part, of| {
            let counted = Some(Share { part, of });
            Reach { share: Share { part, of }.ratio().unwrap(), of: ReachOf::Viewers, counted }
        };
        assert_eq!(counted(1, 3).told(), "1 of 3 viewers (6–79%)");
        assert_eq!(counted(334, 1_000).told(), "33% of viewers");
        // Few that came are no share that one could go by; of many it is known, and of paths all are.
        assert!(!counted(1, 1).is_above(0.1).unwrap_or(false) && !counted(3, 20).is_above(0.1).unwrap_or(false));
        assert_eq!((counted(10, 20).is_above(0.1), counted(0, 100).is_above(0.1)), (Some(true), Some(false)));
        assert_eq!((counted(120, 1_000).is_above(0.1), counted(80, 1_000).is_above(0.1)), (Some(true), Some(false)));
        let paths = Reach { share: 0.11, of: ReachOf::Paths, counted: None };
        assert_eq!((paths.is_above(0.1), paths.is_above(0.2)), (Some(true), Some(false)));
    }
}
