//! Problems as they are printed: as one document while they are found, or as a table of the first of each rule.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::baseline::Baseline;
use super::line::Line;
use super::sarif;
use crate::cli::Failure;
use crate::cli::output::Output;
use crate::cli::progress_line::ProgressLine;
use crate::cli::table::{self, left, right, words};
use crate::domain::json;
use crate::lint::{Problem, Reach, Rule, Severity, Tally};

/// How problems are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Table {
        most: usize,
    },
    /// At most so many problems of each rule.
    Json {
        most: Option<usize>,
    },
    Sarif,
}

/// What is found, while it is found.
pub(super) struct Report {
    form: Form,
    out: Output,
    baseline: Baseline,
    has_begun: bool,
    written: usize,
    counts: BTreeMap<Severity, usize>,
    ignored: usize,
    /// The first of each rule, the worst rules first.
    shown: BTreeMap<(std::cmp::Reverse<Severity>, String), Vec<Vec<String>>>,
    /// How many each rule found.
    found: BTreeMap<String, usize>,
    /// The problems of projects, as they came: what most meet first.
    reaching: Vec<Vec<String>>,
    /// The rules that are on.
    scope: Vec<Rule>,
    tally: Tally,
    products: Option<u64>,
    videos: Option<u64>,
    /// Files that are no videos, or can't be read as such.
    odd_files: u64,
    reading: Reading,
}

/// How much was read, and who is told.
#[derive(Default)]
struct Reading {
    records: u64,
    told: Option<Told>,
}

/// Is told how many records were read in all, and what was read last.
pub(in crate::cli) type Told = Box<dyn Fn(u64, &str) + Send + Sync>;

impl Report {
    pub(super) fn begin(form: Form, baseline: Baseline, out: Output) -> Self {
        Self {
            form,
            out,
            baseline,
            has_begun: false,
            written: 0,
            counts: BTreeMap::new(),
            ignored: 0,
            shown: BTreeMap::new(),
            found: BTreeMap::new(),
            reaching: Vec::new(),
            scope: Vec::new(),
            tally: Tally::default(),
            products: None,
            videos: None,
            odd_files: 0,
            reading: Reading::default(),
        }
    }

    /// Tells how much was read while it is read.
    pub(super) fn tell_reading(&mut self, told: Option<Told>) {
        self.reading.told = told;
    }

    /// Shows the person how much was read, where the problems come at the end.
    pub(super) fn show_reading(&mut self) {
        if matches!(self.form, Form::Table { .. }) {
            let line = Mutex::new(ProgressLine::begin());
            self.reading.told = Some(Box::new(move |records, what| {
                let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
                line.say(|| format!("Reading {what}: {records} records so far"));
            }));
        }
    }

    /// Notes that so many records more were read.
    pub(super) fn read(&mut self, records: usize, what: &str) {
        self.reading.records += u64::try_from(records).unwrap_or_default();
        if let Some(told) = &self.reading.told {
            told(self.reading.records, what);
        }
    }

    /// Begins the document, once there is something to write: where nothing could be checked there is none.
    fn open(&mut self) -> Result<(), Failure> {
        if !std::mem::replace(&mut self.has_begun, true) {
            match self.form {
                Form::Table { .. } => {}
                Form::Json { .. } => self.out.write_all(b"{\"problems\":[")?,
                Form::Sarif => self.out.write_all(sarif::beginning().as_bytes())?,
            }
        }
        Ok(())
    }

    /// Takes a problem of a catalog in. Of a rule that found more than a table shows, most are only counted: a line is not made
    /// of each.
    pub(super) fn problem(&mut self, problem: &Problem) -> Result<(), Failure> {
        if let Form::Table { most } = self.form
            && self.baseline.is_empty()
            && let Some(found) = self.found.get_mut(problem.rule.id())
            && *found >= most
        {
            *found += 1;
            *self.counts.entry(problem.severity()).or_default() += 1;
            return Ok(());
        }
        self.take(&Line::of(problem))
    }

    /// Takes a problem in.
    pub(super) fn take(&mut self, line: &Line) -> Result<(), Failure> {
        if self.baseline.knows(&line.key) {
            self.ignored += 1;
            return Ok(());
        }
        *self.counts.entry(line.severity).or_default() += 1;
        let found = self.found.entry(line.rule.clone()).or_default();
        *found += 1;
        let document = match self.form {
            Form::Table { most } => {
                if *found <= most {
                    let record = match &line.title {
                        Some(title) if line.kind == "product" => format!("{} {title}", line.id),
                        Some(title) => title.clone(),
                        None => line.id.clone(),
                    };
                    let reach = line.reach.map(Reach::told).unwrap_or_default();
                    let told = line.told();
                    let cells = [line.severity.word(), &line.rule, &reach, &record, &told].map(str::to_owned);
                    let of = (std::cmp::Reverse(line.severity), line.rule.clone());
                    if line.reach.is_some() {
                        self.reaching.push(cells.to_vec());
                        self.shown.entry(of).or_default();
                    } else {
                        self.shown.entry(of).or_default().push(cells.to_vec());
                    }
                }
                return Ok(());
            }
            Form::Json { most: Some(most) } if *found > most => return Ok(()),
            Form::Json { .. } => line.document(),
            Form::Sarif => sarif::result(line),
        };
        self.open()?;
        self.out.write_all(if self.written == 0 { b"\n" } else { b",\n" })?;
        self.written += 1;
        Ok(json::escape_on_one_line(&document.to_string(), &mut self.out)?)
    }

    /// Says which rules are looked for.
    pub(super) fn scope(&mut self, on: impl Fn(Rule) -> bool) {
        self.scope = Rule::all().filter(|rule| on(*rule)).collect();
    }

    /// Notes what was checked.
    pub(super) fn checked(&mut self, tally: &Tally) {
        self.tally.add(tally);
    }

    /// Notes how many products were checked.
    pub(super) fn products(&mut self, count: u64) {
        self.products = Some(count);
    }

    /// Notes that a file was no video that can be read.
    pub(super) fn odd_file(&mut self) {
        self.odd_files += 1;
    }

    /// Notes how many videos were checked.
    pub(super) fn videos(&mut self, count: u64) {
        self.videos = Some(count);
    }

    /// What was checked by rule.
    fn rules(&self) -> Vec<Value> {
        let rule = |rule: &Rule| {
            let counts = self.tally.of(*rule);
            json!({
                "id": rule.id(),
                "name": rule.name(),
                "severity": rule.severity().word(),
                "what": rule.what(),
                "checked": counts.checked,
                "unchecked": counts.unchecked,
                "problems": counts.problems,
            })
        };
        self.scope.iter().map(rule).collect()
    }

    /// Prints the rest, and fails where there are errors.
    pub(super) fn end(mut self) -> Result<(), Failure> {
        self.finish()?;
        let sentence = self.sentence();
        let errors = self.count(Severity::Error);
        let updates = self.baseline.is_written();
        self.baseline.end()?;
        if errors > 0 && !updates {
            return Err(Failure::Faulty(sentence));
        }
        // Of these nothing was checked.
        if self.odd_files > 0 {
            return Err(Failure::Faulty(format!("{sentence}; couldn't be read as videos: {}", self.odd_files)));
        }
        crate::cli::telling::hint(&format!("cutaway: {sentence}"));
        Ok(())
    }

    /// Prints the rest.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        // What was told while it was read makes room for what was found.
        self.reading.told = None;
        self.open()?;
        match self.form {
            Form::Table { most } => self.tables(most)?,
            Form::Json { .. } => {
                let rest = json!({
                    "rules": self.rules(),
                    "products": self.products,
                    "videos": self.videos,
                    "errors": self.count(Severity::Error),
                    "warnings": self.count(Severity::Warning),
                    "notes": self.count(Severity::Note),
                    "ignored": self.ignored,
                });
                self.out.write_all(b"\n],\n")?;
                let rest = rest.to_string();
                json::escape_on_one_line(rest.strip_prefix('{').unwrap_or(&rest), &mut self.out)?;
                self.out.write_all(b"\n")?;
            }
            Form::Sarif => self.out.write_all(sarif::END.as_bytes())?,
        }
        Ok(self.out.flush()?)
    }

    fn count(&self, severity: Severity) -> usize {
        self.counts.get(&severity).copied().unwrap_or_default()
    }

    fn sentence(&self) -> String {
        let some = |severity: Severity| match self.count(severity) {
            0 => None,
            1 => Some(format!("1 {}", severity.word())),
            count => Some(format!("{count} {}s", severity.word())),
        };
        let parts: Vec<String> =
            [Severity::Error, Severity::Warning, Severity::Note].into_iter().filter_map(some).collect();
        let found = match parts.as_slice() {
            [] => "no problems".to_owned(),
            [one] => one.clone(),
            [most @ .., last] => format!("{} and {last}", most.join(", ")),
        };
        let some = |count: Option<u64>, what: &str| match count? {
            1 => Some(format!("1 {what}")),
            count => Some(format!("{count} {what}s")),
        };
        let of: Vec<String> =
            [some(self.products, "product"), some(self.videos, "video")].into_iter().flatten().collect();
        let of = if of.is_empty() { String::new() } else { format!(" in {}", of.join(" and ")) };
        let ignored = if self.ignored > 0 { format!(", {} ignored", self.ignored) } else { String::new() };
        format!("{found}{of}{ignored}")
    }

    fn tables(&mut self, most: usize) -> Result<(), Failure> {
        let mut rows = std::mem::take(&mut self.reaching);
        let reaches = !rows.is_empty();
        for ((severity, rule), cells) in &self.shown {
            rows.extend(cells.iter().cloned());
            let shown = rows.iter().filter(|row| row.get(1) == Some(rule)).count();
            let more = self.found.get(rule).copied().unwrap_or_default().saturating_sub(shown);
            if more > 0 {
                let hint = format!("and {more} more: --limit {}, or --json for all", most.saturating_add(more));
                rows.push(vec![severity.0.word().to_owned(), rule.clone(), String::new(), String::new(), hint]);
            }
        }
        if !rows.is_empty() {
            let mut columns = vec![left("SEVERITY"), left("RULE"), left("REACH"), words("RECORD"), words("WHAT")];
            if !reaches {
                columns.remove(2);
                for row in &mut rows {
                    row.remove(2);
                }
            }
            table::write(&columns, &rows, self.out.width, &mut self.out)?;
        }
        self.unchecked()
    }

    /// For how many records something could not be checked.
    fn unchecked(&mut self) -> Result<(), Failure> {
        let open = self.scope.iter().map(|rule| (rule, self.tally.of(*rule).unchecked)).filter(|(_, count)| *count > 0);
        let rows: Vec<Vec<String>> =
            open.map(|(rule, count)| vec![rule.id().to_owned(), rule.name().to_owned(), count.to_string()]).collect();
        if !rows.is_empty() {
            writeln!(self.out, "\nNot checked, because the service leaves fields out or wasn't asked:")?;
            let columns = [left("RULE"), left("NAME"), right("RECORDS")];
            table::write(&columns, &rows, self.out.width, &mut self.out)?;
        }
        Ok(())
    }
}
