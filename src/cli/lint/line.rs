//! One problem as it is printed.

use serde_json::{Value, json};

use super::records::Opened;
use crate::graph::{self, Fault};
use crate::lint::{Affected, Fix, Problem, Reach, Severity};

/// One problem of any kind.
pub(super) struct Line {
    /// `S01`, `dangling`.
    pub(super) rule: String,
    pub(super) name: String,
    pub(super) set: &'static str,
    pub(super) severity: Severity,
    pub(super) sentence: String,
    pub(super) field: String,
    /// `product`, `word`, `step`, `project`, `video`, `file`.
    pub(super) kind: &'static str,
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) store: Option<String>,
    /// The step's name, where it is about one.
    pub(super) step: Option<String>,
    pub(super) reach: Option<Reach>,
    pub(super) fix: Option<String>,
    /// The products that it is about, where its record is a word that they share.
    pub(super) products: Affected,
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
            title: problem.record.title(),
            store: problem.record.store().map(|store| store.as_str().to_owned()),
            step: problem.record.step().map(str::to_owned),
            reach: problem.reach,
            fix: problem.fix.as_ref().map(Fix::words),
            products: problem.products.clone(),
            key: problem.key(),
        }
    }

    /// What the check of a project's steps found.
    pub(super) fn of_fault(opened: &Opened, fault: &Fault) -> Self {
        let wired = &opened.wired;
        let step = fault.step.map(|step| wired.graph.name(step).to_owned());
        let title = step.as_ref().map_or_else(|| wired.name.clone(), |step| format!("{}, {step}", wired.name));
        let reach = fault.step.map_or_else(|| wired.reaches.all(), |step| wired.reaches.step(&wired.graph, step));
        Self {
            rule: fault.kind.name().to_owned(),
            name: fault.kind.name().to_owned(),
            set: "wiring",
            severity: severity(fault.severity()),
            sentence: fault.sentence.clone(),
            field: fault.port.map_or_else(String::new, |port| format!("answers[{port}]")),
            kind: if step.is_some() { "step" } else { "project" },
            title: Some(title),
            id: wired.id.clone(),
            store: None,
            step,
            reach: Some(reach),
            fix: fault.fix.as_ref().map(|fix| fix.words(&wired.graph)),
            products: Affected::default(),
            key: format!("wiring {} {}", wired.id, fault.key),
        }
    }

    /// What is so, for people: with the products that it is about.
    pub(super) fn told(&self) -> String {
        if self.products.is_empty() {
            return self.sentence.clone();
        }
        let one = self.products.listed.len() == 1 && self.products.more == 0;
        format!("{}: {} {}", self.sentence, if one { "product" } else { "products" }, self.products.words())
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
            "record": {
                "kind": self.kind, "id": self.id, "title": self.title, "store": self.store, "step": self.step,
            },
            "reach": self.reach.map(reach_of),
            "fix": self.fix,
            "products": (!self.products.is_empty())
                .then(|| json!({ "listed": self.products.listed, "more": self.products.more })),
        })
    }
}

/// How many meet a problem, in documents: where they were counted, also how many of how many, and where the share of all
/// viewers to come lies with a probability of 95 %.
pub(super) fn reach_of(reach: Reach) -> Value {
    let mut document = json!({ "share": reach.share, "of": reach.of.word() });
    if let (Some(counted), Some(members)) = (reach.counted, document.as_object_mut()) {
        let (low, high) = counted.interval().unzip();
        let counts =
            [("count", json!(counted.part)), ("all", json!(counted.of)), ("low", json!(low)), ("high", json!(high))];
        members.extend(counts.map(|(name, value)| (name.to_owned(), value)));
    }
    document
}

pub(super) fn severity(severity: graph::Severity) -> Severity {
    match severity {
        graph::Severity::Fault => Severity::Error,
        graph::Severity::Warning => Severity::Warning,
        graph::Severity::Note => Severity::Note,
    }
}
