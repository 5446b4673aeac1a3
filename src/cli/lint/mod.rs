//! `cutaway lint`

mod baseline;
mod films;
mod hook;
mod line;
mod links;
mod place;
mod products;
mod records;
mod report;
mod run;
mod sarif;
mod watch;
mod wiring;

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, ValueEnum};
use clap_complete::ArgValueCompleter;
use serde_json::Value;

use super::output::Output;
use super::{Failure, Session, names, streams};
use crate::graph::Kind;
use crate::lint::{Limits, Rule, Set};
pub(super) use crate::runtime::checking::Asking;
use baseline::Baseline;
pub(super) use place::Place;
pub(super) use report::Told;
use report::{Form, Report};
pub(super) use run::Scope;
use watch::Watch;

/// Check the catalog, the videos and the projects for problems.
///
/// Exits with 1 if there are errors; warnings and notes are fine. What a rule can't tell, because the service leaves a field
/// open, is counted apart and never guessed. A problem of a project says how many meet it: the share of viewers, or of paths
/// where none were counted. The rules are listed in docs/lint.md.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway lint
  cutaway lint products --set shop,feed --json
  cutaway lint products --rule sku-twice --rule S16
  cutaway lint videos
  cutaway lint project 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b
  cutaway lint --sarif > problems.sarif
  cutaway lint --baseline known.txt --update-baseline
  cutaway lint --watch --json --rounds 1 --every 1")]
#[expect(clippy::struct_excessive_bools, reason = "flags")]
pub(super) struct Lint {
    /// What to check [default: the products, the videos and every project]
    #[arg(value_enum)]
    what: Option<What>,
    /// The project's ID; for videos, files to check before they are uploaded
    #[arg(add = ArgValueCompleter::new(names::projects), required_if_eq("what", "project"))]
    id: Vec<String>,
    /// Print the problems as JSON
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Print the problems as SARIF 2.1.0, for code review tools
    #[arg(long)]
    sarif: bool,
    /// The sets of rules to check: shop (products), video, wiring (projects), feed (product feeds)
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = set, default_value = "shop,video,wiring")]
    set: Vec<Set>,
    /// Only this rule, or check of a project's steps, by its ID or name (repeatable)
    #[arg(long, value_name = "RULE", value_parser = rule)]
    rule: Vec<Only>,
    /// Also request the addresses of products, read videos to their end, and read the whole catalog for a single project
    #[arg(long)]
    deep: bool,
    /// Ignore the problems that this file lists
    #[arg(long, value_name = "F")]
    baseline: Option<PathBuf>,
    /// Write the problems there are now to the baseline file
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
    /// A product with fewer than N left to buy is nearly out
    #[arg(long, value_name = "N", default_value_t = 3)]
    nearly_out: u32,
    /// An ending that more than N percent come to should offer something
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(..=100))]
    many_end: u32,
    /// The N products with the most in stock, and those with the most revenue, should be in a step
    #[arg(long, value_name = "N", default_value_t = 5)]
    best_sellers: usize,
    #[command(flatten)]
    figures: Figures,
    /// Show at most N problems of each rule in the table
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    #[command(flatten)]
    watch: Watch,
}

/// Figures that come from third parties, which may change them.
#[derive(Debug, Args)]
struct Figures {
    /// A title with more than N characters is too long
    #[arg(long, value_name = "N", default_value_t = 150)]
    title_length: usize,
    /// A picture with a side under N pixels is too small for feeds
    #[arg(long, value_name = "N", default_value_t = 500)]
    feed_picture: u32,
    /// A picture with more than N megapixels is too large for feeds
    #[arg(long, value_name = "N", default_value_t = 64)]
    feed_megapixels: u32,
    /// A description with more than N characters is too long for feeds
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    feed_description: usize,
    /// An address with more than N characters is too long for feeds
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    feed_address: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The store's products
    Products,
    /// The videos of the library, or in files
    Videos,
    /// One project, by its ID
    Project,
}

fn set(word: &str) -> Result<Set, String> {
    // What takes a request an address has a flag of its own.
    let known = || Set::all().filter(|set| *set != Set::Deep).map(Set::word);
    let found = Set::by_word(word.trim()).filter(|set| *set != Set::Deep);
    found.ok_or_else(|| format!("must be one of {}", known().collect::<Vec<_>>().join(", ")))
}

/// What `--rule` names.
#[derive(Debug, Clone, PartialEq)]
enum Only {
    /// A rule.
    Rule(Rule),
    /// Checks of a project's steps.
    Faults(Vec<Kind>),
}

fn rule(word: &str) -> Result<Only, String> {
    let word = word.trim();
    if let Some(rule) = Rule::by_word(word) {
        return Ok(Only::Rule(rule));
    }
    // Found by the check of steps, under names of their own.
    if word.eq_ignore_ascii_case("V09") {
        return Ok(Only::Faults(vec![Kind::LateAnswers, Kind::LongText]));
    }
    let named = Kind::all().find(|kind| kind.name().eq_ignore_ascii_case(word));
    named.map(|kind| Only::Faults(vec![kind])).ok_or_else(|| {
        "must be the ID or name of a rule, as in docs/lint.md, or of a check of steps, such as lateAnswers".to_owned()
    })
}

/// Problems of each rule that an agent is given; how many there are is counted.
const FOR_AGENTS: usize = 20;

/// All problems as one document, for an agent, who may want to be told how many records were read so far.
///
/// # Errors
/// Where something can't be read.
pub(super) async fn document(
    place: &Place<'_>,
    scope: &Scope,
    limits: &Limits,
    told: Option<Told>,
) -> Result<Value, Failure> {
    if run::needs_store(scope, limits) && place.store.is_none() {
        return Err(Failure::Usage("no store: name it as appUrl".to_owned()));
    }
    let written = Shared::default();
    let form = Form::Json { most: Some(FOR_AGENTS) };
    let mut report = Report::begin(form, Baseline::default(), Output::to(Box::new(written.clone())));
    report.tell_reading(told);
    run::run(place, scope, (limits, false), &mut report).await?;
    report.finish()?;
    drop(report);
    written.document()
}

/// A document as it is written.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn document(&self) -> Result<Value, Failure> {
        let written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        serde_json::from_slice(&written).map_err(|error| Failure::Other(error.into()))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Lint {
    /// That nothing of it needs the machine that it runs on: files, programs, or requests in its name.
    fn may_be_of_guest(&self) -> Result<(), Failure> {
        let is_deep = self.deep || self.rule.contains(&Only::Rule(Rule::LinkDead));
        let asked = [
            (self.watch.is_on, "--watch"),
            (self.baseline.is_some(), "--baseline"),
            (is_deep, "--deep"),
            (matches!(self.what, Some(What::Videos)) && !self.id.is_empty(), "checking files"),
        ];
        asked.into_iter().filter(|(is_asked, _)| *is_asked).try_for_each(|(_, what)| streams::is_at_home(what))
    }

    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        self.may_be_of_guest()?;
        let scope = self.scope()?;
        if self.watch.is_on {
            return match scope {
                Scope::All => self.watch.run(session, None, self.json).await,
                Scope::Project(id) => self.watch.run(session, Some(id), self.json).await,
                _ => Err(Failure::Usage("--watch is for projects: all of them, or one".to_owned())),
            };
        }
        let form = match (self.json, self.sarif) {
            (true, _) => Form::Json { most: None },
            (_, true) => Form::Sarif,
            _ => Form::Table { most: self.limit },
        };
        let baseline = Baseline::open(self.baseline.as_deref(), self.update_baseline)?;
        let mut report = Report::begin(form, baseline, Output::open());
        report.show_reading();
        let limits = self.limits();
        let deep = self.deep || limits.rules.contains(&Rule::LinkDead);
        let (connection, store) = if run::needs_store(&scope, &limits) {
            let (connection, store) = session.connect_to_store().await?;
            (connection, Some(store))
        } else {
            let connection = session.connect().await?;
            let store = connection.store.clone();
            (connection, store)
        };
        let asking = Asking::of(&connection);
        let stores = run::stores(&connection);
        let place = Place {
            client: &connection.client,
            store: store.as_ref(),
            stores,
            asking: &asking,
            state: session.folders.state().ok(),
        };
        run::run(&place, &scope, (&limits, deep), &mut report).await?;
        report.end()
    }

    fn scope(&self) -> Result<Scope, Failure> {
        match (self.what, self.id.as_slice()) {
            (None, _) => Ok(Scope::All),
            (Some(What::Products), []) => Ok(Scope::Products),
            (Some(What::Products), _) => Err(Failure::Usage("products takes no ID".to_owned())),
            (Some(What::Videos), []) => Ok(Scope::Videos),
            (Some(What::Videos), files) => Ok(Scope::Files(files.to_vec())),
            (Some(What::Project), [id]) => Ok(Scope::Project(id.clone())),
            (Some(What::Project), _) => Err(Failure::Usage("project takes one ID".to_owned())),
        }
    }

    fn limits(&self) -> Limits {
        let rules = self.rule.iter().filter_map(|only| if let Only::Rule(rule) = only { Some(*rule) } else { None });
        let rules: Vec<Rule> = rules.collect();
        let faults =
            self.rule.iter().filter_map(|only| if let Only::Faults(kinds) = only { Some(kinds) } else { None });
        let faults: Vec<Kind> = faults.flatten().copied().collect();
        // Where only checks of steps are named, no rule of any set is on.
        let is_faults_only = rules.is_empty() && !faults.is_empty();
        let mut sets = if is_faults_only { Vec::new() } else { self.set.clone() };
        sets.extend((self.deep && !is_faults_only).then_some(Set::Deep));
        Limits {
            sets,
            rules,
            faults: (!faults.is_empty()).then_some(faults),
            nearly_out: f64::from(self.nearly_out),
            many_end: f64::from(self.many_end) / 100.0,
            best_sellers: self.best_sellers,
            title: self.figures.title_length,
            feed_side: f64::from(self.figures.feed_picture),
            feed_megapixels: f64::from(self.figures.feed_megapixels),
            feed_description: self.figures.feed_description,
            feed_address: self.figures.feed_address,
        }
    }
}
