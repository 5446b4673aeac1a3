//! Problems as they are printed: as one document while they are found, or as a table of the first of each rule.

use std::collections::BTreeMap;
use std::io::Write as _;

use serde_json::{Value, json};

use super::baseline::Baseline;
use super::line::Line;
use super::sarif;
use crate::cli::Failure;
use crate::cli::output::Output;
use crate::cli::table::{self, left, right, words};
use crate::domain::json;
use crate::lint::{Catalog, Rule, Severity};

/// How problems are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Table { most: usize },
    Json,
    Sarif,
}

/// What is found, while it is found.
pub(super) struct Report {
    form: Form,
    out: Output,
    baseline: Baseline,
    written: usize,
    counts: BTreeMap<Severity, usize>,
    ignored: usize,
    /// The first of each rule, the worst rules first.
    shown: BTreeMap<(std::cmp::Reverse<Severity>, String), Vec<Vec<String>>>,
    /// How many each rule found.
    found: BTreeMap<String, usize>,
    /// What was checked by rule: checked, unchecked, problems.
    rules: Vec<Value>,
    unchecked: Vec<(String, &'static str, u64)>,
    products: Option<u64>,
}

impl Report {
    pub(super) fn begin(form: Form, baseline: Baseline) -> Result<Self, Failure> {
        let mut out = Output::open();
        match form {
            Form::Table { .. } => {}
            Form::Json => out.write_all(b"{\"problems\":[")?,
            Form::Sarif => out.write_all(sarif::beginning().as_bytes())?,
        }
        Ok(Self {
            form,
            out,
            baseline,
            written: 0,
            counts: BTreeMap::new(),
            ignored: 0,
            shown: BTreeMap::new(),
            found: BTreeMap::new(),
            rules: Vec::new(),
            unchecked: Vec::new(),
            products: None,
        })
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
                    let cells = [line.severity.word(), &line.rule, &record, &line.sentence].map(str::to_owned);
                    let of = (std::cmp::Reverse(line.severity), line.rule.clone());
                    self.shown.entry(of).or_default().push(cells.to_vec());
                }
                return Ok(());
            }
            Form::Json => line.document(),
            Form::Sarif => sarif::result(line),
        };
        self.out.write_all(if self.written == 0 { b"\n" } else { b",\n" })?;
        self.written += 1;
        Ok(json::escape_on_one_line(&document.to_string(), &mut self.out)?)
    }

    /// Notes what was checked of a catalog.
    pub(super) fn checked(&mut self, catalog: &Catalog, on: impl Fn(Rule) -> bool) {
        self.products = Some(catalog.products());
        for rule in Rule::all().filter(|rule| on(*rule)) {
            let counts = catalog.tally().of(rule);
            if counts.unchecked > 0 {
                self.unchecked.push((rule.id().to_owned(), rule.name(), counts.unchecked));
            }
            self.rules.push(json!({
                "id": rule.id(),
                "name": rule.name(),
                "severity": rule.severity().word(),
                "what": rule.what(),
                "checked": counts.checked,
                "unchecked": counts.unchecked,
                "problems": counts.problems,
            }));
        }
    }

    /// Prints the rest, and fails where there are errors.
    pub(super) fn end(mut self) -> Result<(), Failure> {
        match self.form {
            Form::Table { most } => self.tables(most)?,
            Form::Json => {
                let rest = json!({
                    "rules": self.rules,
                    "products": self.products,
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
        self.out.flush()?;
        let sentence = self.sentence();
        let errors = self.count(Severity::Error);
        let updates = self.baseline.is_written();
        self.baseline.end()?;
        if errors > 0 && !updates {
            return Err(Failure::Faulty(sentence));
        }
        crate::cli::telling::hint(&format!("cutaway: {sentence}"));
        Ok(())
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
        let of = match self.products {
            Some(1) => " in 1 product".to_owned(),
            Some(count) => format!(" in {count} products"),
            None => String::new(),
        };
        let ignored = if self.ignored > 0 { format!(", {} ignored", self.ignored) } else { String::new() };
        format!("{found}{of}{ignored}")
    }

    fn tables(&mut self, most: usize) -> Result<(), Failure> {
        let mut rows = Vec::new();
        for ((severity, rule), cells) in &self.shown {
            rows.extend(cells.iter().cloned());
            let more = self.found.get(rule).copied().unwrap_or_default().saturating_sub(cells.len());
            if more > 0 {
                let hint = format!("and {more} more: --limit {}, or --json for all", most.saturating_add(more));
                rows.push(vec![severity.0.word().to_owned(), rule.clone(), String::new(), hint]);
            }
        }
        if !rows.is_empty() {
            let columns = [left("SEVERITY"), left("RULE"), words("RECORD"), words("WHAT")];
            table::write(&columns, &rows, self.out.width, &mut self.out)?;
        }
        if !self.unchecked.is_empty() {
            let rows: Vec<Vec<String>> = self
                .unchecked
                .iter()
                .map(|(id, name, count)| vec![id.clone(), (*name).to_owned(), count.to_string()])
                .collect();
            writeln!(self.out, "\nNot checked, because the service leaves fields open:")?;
            let columns = [left("RULE"), left("NAME"), right("PRODUCTS")];
            table::write(&columns, &rows, self.out.width, &mut self.out)?;
        }
        Ok(())
    }
}
