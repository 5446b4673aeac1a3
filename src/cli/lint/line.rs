//! One problem as it is printed.

use serde_json::{Value, json};

use crate::lint::{Problem, Severity};

/// One problem of any kind.
pub(super) struct Line {
    /// `S01`, `dangling`.
    pub(super) rule: String,
    pub(super) name: String,
    pub(super) set: &'static str,
    pub(super) severity: Severity,
    pub(super) sentence: String,
    pub(super) field: String,
    /// `product`, `word`, `step`, `project`.
    pub(super) kind: &'static str,
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) store: Option<String>,
    pub(super) fix: Option<String>,
    pub(super) key: String,
}

impl Line {
    pub(super) fn of(problem: &Problem) -> Self {
        Self {
            rule: problem.rule.id().to_owned(),
            name: problem.rule.name().to_owned(),
            set: problem.rule.set().word(),
            severity: problem.severity(),
            sentence: problem.sentence.clone(),
            field: problem.field.clone(),
            kind: problem.record.kind(),
            id: problem.record.id().to_owned(),
            title: problem.record.title().map(str::to_owned),
            store: Some(problem.record.store().as_str().to_owned()),
            fix: None,
            key: problem.key(),
        }
    }

    /// It in the document of `--json`.
    pub(super) fn document(&self) -> Value {
        json!({
            "rule": self.rule,
            "name": self.name,
            "set": self.set,
            "severity": self.severity.word(),
            "sentence": self.sentence,
            "field": self.field,
            "record": { "kind": self.kind, "id": self.id, "title": self.title, "store": self.store },
            "fix": self.fix,
        })
    }
}
