//! The dialogue that `docs/plain.md` shows is what plain mode says on a new workspace.

#![allow(clippy::unwrap_used)] // All of it is tests.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use crate::serving::{cutaway, text};

/// How the lines of the page begin that a person enters.
const ENTERED: [&str; 3] = ["go ", "open ", "wire "];

/// What of a line is the same at any time: not how old a product is, nor whether the name of a video has come yet. A line
/// that goes on with `more` is compared in its first parts, since where it is cut depends on those.
fn lasting(line: &str) -> String {
    let parts = line.split("; ").filter(|part| !part.starts_with("updated ") && !part.starts_with("video "));
    let most = if line.ends_with("; more") { 4 } else { usize::MAX };
    parts.take(most).collect::<Vec<_>>().join("; ")
}

/// The lines without those that are only said while something is loading.
fn said<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    lines.filter(|line| *line != "Products" && !line.ends_with(": loading")).map(lasting).collect()
}

#[test]
fn the_dialogue_on_the_page_is_what_plain_mode_says() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/plain.md")).unwrap();
    let block = page.split("```console\n$ cutaway --plain\n").nth(1).unwrap().split("```").next().unwrap();
    let is_entered = |line: &&str| ENTERED.iter().any(|begin| line.starts_with(begin));
    let entered: Vec<&str> = block.lines().filter(is_entered).collect();
    assert_eq!(entered.len(), ENTERED.len(), "{block}");

    let home = tempfile::tempdir().unwrap();
    let mut command = cutaway(home.path());
    command.env("LANG", "C.UTF-8").arg("--plain").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{}", entered.join("\n")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(said(text(&output.stdout).lines()), said(block.lines().filter(|line| !is_entered(line))));
}
