//! `cutaway lint`

mod baseline;
mod line;
mod products;
mod project;
mod report;
mod sarif;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::ArgValueCompleter;

use super::{Failure, Session, names};
use crate::lint::{Limits, Rule, Set};
use baseline::Baseline;
use report::{Form, Report};

/// Check the catalog and a project for problems.
///
/// Exits with 1 if there are errors; warnings and notes are fine. What a rule can't tell, because the service leaves a field
/// open, is counted apart and never guessed. The rules are listed in docs/lint.md.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway lint
  cutaway lint products --set shop,feed --json
  cutaway lint products --rule sku-twice --rule S16
  cutaway lint project 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b
  cutaway lint --sarif > problems.sarif
  cutaway lint --baseline known.txt --update-baseline")]
pub(super) struct Lint {
    /// What to check [default: the products and every project]
    #[arg(value_enum)]
    what: Option<What>,
    /// The project's ID
    #[arg(add = ArgValueCompleter::new(names::projects), required_if_eq("what", "project"))]
    id: Option<String>,
    /// Print the problems as JSON
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Print the problems as SARIF 2.1.0, for code review tools
    #[arg(long)]
    sarif: bool,
    /// The sets of rules to check: shop (products), wiring (projects), feed (product feeds)
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = set, default_value = "shop,wiring")]
    set: Vec<String>,
    /// Only this rule, by its ID or name (repeatable)
    #[arg(long, value_name = "RULE", value_parser = rule)]
    rule: Vec<Rule>,
    /// Ignore the problems that this file lists
    #[arg(long, value_name = "F")]
    baseline: Option<PathBuf>,
    /// Write the problems there are now to the baseline file
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
    /// A product with fewer than N left to buy is nearly out
    #[arg(long, value_name = "N", default_value_t = 3)]
    nearly_out: u32,
    /// Show at most N problems of each rule in the table
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The store's products
    Products,
    /// One project, by its ID
    Project,
}

/// The set of what is wrong with projects.
const WIRING: &str = "wiring";

fn set(word: &str) -> Result<String, String> {
    let known = || Set::all().map(Set::word).chain([WIRING]);
    match known().find(|known| *known == word.trim()) {
        Some(known) => Ok(known.to_owned()),
        None => Err(format!("must be one of {}", known().collect::<Vec<_>>().join(", "))),
    }
}

fn rule(word: &str) -> Result<Rule, String> {
    Rule::by_word(word.trim()).ok_or_else(|| "must be the ID or name of a rule, as in docs/lint.md".to_owned())
}

impl Lint {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        if self.what == Some(What::Products) && self.id.is_some() {
            return Err(Failure::Usage("products takes no ID".to_owned()));
        }
        let form = match (self.json, self.sarif) {
            (true, _) => Form::Json,
            (_, true) => Form::Sarif,
            _ => Form::Table { most: self.limit },
        };
        let baseline = Baseline::open(self.baseline.as_deref(), self.update_baseline)?;
        let mut report = Report::begin(form, baseline)?;
        let limits = Limits {
            sets: self.set.iter().filter_map(|word| Set::by_word(word)).collect(),
            rules: self.rule.clone(),
            nearly_out: f64::from(self.nearly_out),
        };
        if self.what != Some(What::Project) && Rule::all().any(|rule| limits.has(rule)) {
            products::check(session, limits, &mut report).await?;
        }
        if self.what != Some(What::Products) && self.rule.is_empty() && self.set.iter().any(|set| set == WIRING) {
            project::check(session, self.id.as_deref(), &mut report).await?;
        }
        report.end()
    }
}
