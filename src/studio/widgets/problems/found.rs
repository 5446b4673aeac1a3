//! A problem as a row of the list.

use crate::domain::{ProductId, VideoId, text};
use crate::lint::{Fix, Problem, Record, Rule, Severity};

/// What Enter shows of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opens {
    /// A product.
    Product(ProductId),
    /// A video of the library.
    Video(VideoId),
    /// There is nothing to be shown.
    Nothing,
}

/// A problem of a product or of a video. Its texts are harmless already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundProblem {
    /// The rule that found it.
    pub rule: Rule,
    /// How bad it is.
    pub severity: Severity,
    /// The id of the product or of the video, or the word that products share.
    pub id: String,
    /// What people call that.
    pub title: String,
    /// What is so.
    pub sentence: String,
    /// The field, with the place in lists.
    pub field: String,
    /// What would fix it, where somebody knows.
    pub fix: Option<String>,
    /// The products that it is about beside its own, in words; empty where there are none.
    pub products: String,
    /// What a baseline knows it by.
    pub key: String,
    /// What Enter shows of it.
    pub opens: Opens,
}

impl FoundProblem {
    /// What a rule found.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let line = |text: &str| text::line(text).into_owned();
        let id = line(problem.record.id());
        let opens = match &problem.record {
            Record::Product { id, .. } => Opens::Product(ProductId::from(id.as_str())),
            Record::Video { id, .. } => Opens::Video(id.clone()),
            // Of a word that products share, one of these shows it.
            _ => problem.products.listed.first().map_or(Opens::Nothing, |id| Opens::Product(id.as_str().into())),
        };
        Self {
            rule: problem.rule,
            severity: problem.severity(),
            title: problem.record.title().map_or_else(|| id.clone(), |title| line(&title)),
            id,
            sentence: line(&problem.sentence),
            field: line(&problem.field),
            fix: problem.fix.as_ref().map(Fix::words).map(|fix| line(&fix)),
            products: line(&problem.products.words()),
            key: problem.key(),
            opens,
        }
    }

    /// It in one line, with its record.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{}: {}", self.title, self.sentence)
    }
}
