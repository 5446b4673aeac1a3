//! The lists of problems of the catalog and of the videos, in the real program: checked, gone to, ignored, saved.

use serde_json::Value;

use crate::terminal::{Start, Studio};

fn started() -> Studio {
    let mut studio = Start::new().size(120, 40).with("CUTAWAY_FRESH", "1").open();
    studio.shows("274 products").shows("Fjell wool sock");
    studio
}

/// The problems of a run of the command line beside the studio, and how many were ignored.
fn linted(studio: &Studio, arguments: &[&str]) -> (Vec<Value>, u64) {
    let output = studio.command(arguments).output().unwrap();
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    (all["problems"].as_array().unwrap().clone(), all["ignored"].as_u64().unwrap())
}

#[test]
fn the_catalog_is_checked_and_what_is_ignored_there_is_ignored_by_the_command_line() {
    let mut studio = started();
    studio.keys("_").shows("274 products checked").shows("Problems").shows(" errors, ");
    let (before, none) = linted(&studio, &["lint", "products", "--json"]);
    assert_eq!(none, 0);
    let errors = before.iter().filter(|problem| problem["severity"] == "error").count();
    studio.shows(&format!("{errors} errors"));

    // Enter goes to the product of the worst problem and says where it is; Esc comes back.
    studio.keys("\r").shows("Overview").hides("M ignore");
    studio.keys("\x1b").shows("M ignore");
    // What is ignored stays to be undone, and no longer counts.
    studio.keys("M").shows("Problem ignored").shows(" ignored ").shows(&format!("{} errors", errors - 1));
    studio.keys(".").keys("M").shows(&format!("{} errors", errors - 2));
    studio.keys("\x0b").shows("Save ignored problems to file");
    studio.keys("\r").shows("Saved to").shows("known.txt");
    let file = studio.home().join("known.txt");
    let (after, ignored) = linted(&studio, &["lint", "products", "--json", "--baseline", file.to_str().unwrap()]);
    assert_eq!((after.len(), ignored), (before.len() - 2, 2));

    // The next time it is left out from the beginning, also by the next studio.
    studio.keys("R").shows("274 products checked, 2 ignored").shows(&format!("{} errors", errors - 2));
    let again = studio.again();
    studio.quit();
    let mut studio = again.open();
    studio.shows("274 products").keys("_").shows("274 products checked, 2 ignored");
}

#[test]
fn the_videos_are_checked_and_each_problem_leads_to_its_video() {
    let mut studio = started();
    studio.keys("3").shows("videos").keys("_").shows("Problems").shows(" videos checked");
    let (before, _) = linted(&studio, &["lint", "videos", "--json"]);
    assert!(!before.is_empty());
    let first = before[0]["record"]["title"].as_str().unwrap().to_owned();
    assert!(studio.rows().iter().any(|row| row.contains(&first)), "{:#?}", studio.rows());
    studio.keys("\r").shows("preview").keys("\x1b").shows("M ignore");
    studio.keys("M").shows("Problem ignored").keys("R").shows("checked, 1 ignored");
    studio.keys("\x1b").shows("newest first");
}
