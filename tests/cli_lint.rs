//! `cutaway lint` over the sample store: its table, its documents, its baseline, its exit codes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

mod serving;

use std::collections::BTreeMap;

use serde_json::Value;
use serving::{Served, text};

/// What a command came to: its exit code, standard output, standard error.
fn run(served: &Served, arguments: &[&str]) -> (i32, String, String) {
    let output = served.command(&[&["lint"], arguments].concat()).output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
}

fn document(served: &Served, arguments: &[&str]) -> Value {
    let (_, out, err) = run(served, &[arguments, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"))
}

/// How many problems each rule of a document found.
fn found(document: &Value) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    for problem in document["problems"].as_array().unwrap() {
        *found.entry(problem["rule"].as_str().unwrap()).or_default() += 1;
    }
    found
}

#[test]
fn the_sample_has_problems_of_both_kinds() {
    let served = Served::start();
    let all = document(&served, &[]);
    assert_eq!(all["products"], 274, "{all}");
    let of = found(&all);
    for rule in ["S01", "S04", "S13", "S20", "dangling", "unreachable", "noVideo"] {
        assert!(of.contains_key(rule), "{rule}: {of:?}");
    }
    assert!(of.keys().all(|rule| !rule.starts_with('F')), "feeds are asked for: {of:?}");
    assert!(found(&document(&served, &["products", "--set", "feed"])).keys().all(|rule| rule.starts_with('F')));
    let first = &all["problems"][0];
    for member in ["rule", "name", "set", "severity", "sentence", "field", "record"] {
        assert!(!first[member].is_null(), "{member}: {first}");
    }
    let rule = all["rules"].as_array().unwrap().iter().find(|rule| rule["id"] == "S01").unwrap();
    assert_eq!(rule["checked"].as_u64().unwrap() + rule["unchecked"].as_u64().unwrap(), 274, "{rule}");

    let (code, table, said) = run(&served, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(table.starts_with("SEVERITY") && said.contains("errors"), "{table}{said}");
    let (code, table, said) = run(&served, &["products", "--rule", "sold-out", "--limit", "1"]);
    assert_eq!(code, 0, "a warning is no error: {said}");
    assert!(table.contains("more: --limit"), "{table}");
    let lines: Vec<&str> = table.lines().filter(|line| line.starts_with("warning")).collect();
    assert_eq!(lines.len(), 2, "{table}");
}

#[test]
fn problems_are_told_to_other_tools_and_a_baseline_keeps_them_quiet() {
    let served = Served::start();
    let (code, sarif, _) = run(&served, &["products", "--sarif"]);
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!((code, sarif["version"].as_str().unwrap()), (1, "2.1.0"));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let known = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(results.len() > 20 && results.iter().all(|one| known.iter().any(|rule| rule["id"] == one["ruleId"])));
    assert!(results.iter().all(|one| one["message"]["text"].is_string() && one["locations"][0].is_object()));

    let (code, _, said) = run(&served, &["--baseline", "known.txt"]);
    assert!(code == 2 && said.contains("--update-baseline"), "{said}");
    let (code, _, said) = run(&served, &["--baseline", "known.txt", "--update-baseline"]);
    assert_eq!(code, 0, "what is known from now on is no reason to fail: {said}");
    let (code, _, said) = run(&served, &["--baseline", "known.txt"]);
    assert!(code == 0 && said.contains("no problems") && said.contains("ignored"), "{said}");

    // A line that is taken out is a problem again.
    let file = served.home.path().join("known.txt");
    let lines = std::fs::read_to_string(&file).unwrap();
    let without: Vec<&str> = lines.lines().filter(|line| !line.starts_with("S20 ")).collect();
    assert!(without.len() < lines.lines().count());
    std::fs::write(&file, without.join("\n")).unwrap();
    let (code, table, _) = run(&served, &["--baseline", "known.txt"]);
    assert!(code == 1 && table.contains("error     S20") && !table.contains("has no SKU"), "{table}");
}

#[test]
fn what_is_asked_for_in_vain_is_said() {
    let served = Served::start();
    for (arguments, code, words) in [
        (&["products", "--rule", "S99"][..], 2, "docs/lint.md"),
        (&["--set", "all"], 2, "wiring"),
        (&["project"], 2, "<ID>"),
        (&["products", "some-id"], 2, "no ID"),
        (&["project", "no-such-project"], 4, "no such project"),
    ] {
        let (ended, _, said) = run(&served, arguments);
        assert!(ended == code && said.to_lowercase().contains(&words.to_lowercase()), "{arguments:?}: {ended} {said}");
    }
}
