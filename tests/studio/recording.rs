//! What is done in the studio is a script afterwards: recorded, saved, and run on a workspace that is as it was before.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::terminal::{Start, Studio};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The project of a name with its steps, its own ids told apart from everything else's.
fn told(says: &dyn Fn(&[&str]) -> String, name: &str) -> Value {
    let list = json(&says(&["projects", "list", "--json"]));
    let of_name: Vec<&Value> =
        list["projects"].as_array().unwrap().iter().filter(|project| project["name"] == name).collect();
    assert_eq!(of_name.len(), 1, "{name} in {list}");
    json(&says(&["projects", "show", of_name[0]["id"].as_str().unwrap(), "--json"]))
}

/// That the service holds what was done.
fn holds_it(says: &dyn Fn(&[&str]) -> String) {
    let project = told(says, "-Autumn's \"tour\" $1");
    let steps = project["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2, "{project}");
    let first = steps.iter().find(|step| step["description"] == "Welcome; it's `first`").unwrap();
    let second = steps.iter().find(|step| step["id"] != first["id"]).unwrap();
    let answers = first["answers"].as_array().unwrap();
    assert_eq!((answers.len(), &answers[0]["text"]), (1, &Value::from("Go => on")));
    assert!([&second["name"], &second["id"]].contains(&&answers[0]["next"]), "{project}");
    let videos = json(&says(&["videos", "list", "--json"]));
    let video = videos["videos"].as_array().unwrap().iter().find(|video| video["name"] == "My tour").unwrap().clone();
    assert_eq!(video["videoUrl"], "https://cdn.example/tour.mp4?a=1&b=2");
    let webhooks = json(&says(&["webhooks", "list", "--json"]));
    let urls = webhooks.as_array().unwrap().iter().filter(|webhook| webhook["url"] == "https://shop.example/hook");
    assert_eq!(urls.count(), 1);
}

fn run(script: &Path, start: &Start) -> std::process::Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_cutaway")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let home = start.home();
    Command::new("sh")
        .arg(script)
        .env_clear()
        .env("PATH", path)
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_DATA_HOME", home.join("data"))
        .env("XDG_STATE_HOME", home.join("state"))
        .current_dir(home)
        .output()
        .unwrap()
}

/// Does what is recorded.
fn work(studio: &mut Studio) {
    studio.keys("1").shows("274 products").keys("/wool").shows("43 found").keys("\r");
    studio.keys("e").shows("43 found").shows("All found as CSV").keys("NDJSON\r").shows("Export to file");
    studio.keys("\r").shows("Exported 43 products");

    studio.keys("2").shows("projects in 2 folders").keys("n").shows("Name of the new project");
    studio.keys("-Autumn's \"tour\" $1\r").shows("Created ");
    studio.until("it is selected", |rows| rows.iter().any(|row| row.starts_with("│▌") && row.contains("-Autumn's")));
    studio.keys("\r").shows("This project has no steps yet").keys("n").shows("1 step ·");
    studio.keys("\r").shows("Description (for you)").keys("Welcome; it's `first`\x1b").hides("Description (for you)");
    studio.keys("a").shows("What the new answer says").keys("Go => on\r").shows("Go => on");
    studio.keys("n").shows("2 steps ·").keys("S").shows("create step").keys("\r").shows("Everything is saved");
    studio.keys("\r").hides("Everything is saved");

    studio.keys("3").shows("videos").keys("a").shows("Address of the video").keys("cdn.example/tour.mp4?a=1&b=2\r");
    studio.shows("What is it called?").keys("My tour\r").shows("is registered as");
    studio.keys("4").shows("3 subscriptions").keys("n").shows("A new subscription").keys("\x1b[B\x1b[B\t");
    studio.keys("https://shop.example/hook\r").shows("4 subscriptions").shows("is told of conversion");
}

#[test]
fn what_is_done_is_a_script_that_does_it_again() {
    let start = Start::new().with("CUTAWAY_FRESH", "1");
    let beside = start.again();
    let mut studio = start.open();
    studio.shows("274 products").keys("$").shows("as a command").shows("--app-url").keys("\x1b").hides("as a command");
    studio.keys("*").shows("What you do is recorded").shows("rec 0");
    work(&mut studio);
    studio.keys("&").shows("Done in this session").shows("webhooks create conversion").keys("projects create");
    studio.shows("projects create").keys("\x1b").hides("Done in this session");
    // With something recorded nobody leaves by mistake.
    studio.keys("q").shows("What is recorded is not saved");
    studio.keys("*").shows("Save the script to file").keys("\r").shows("The script is in").hides("rec ");
    studio.quit();
    holds_it(&|arguments| beside.says(arguments));

    let script = beside.home().join("cutaway-script.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    assert_eq!(std::fs::metadata(&script).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(text.starts_with("#!/bin/sh\n") && text.contains("set -eu\n"), "{text}");
    // Of what was typed only the whole is in it.
    assert_eq!(text.matches("products search").count(), 1, "{text}");

    // On another machine, which has seen none of this.
    let fresh = Start::new();
    let done = run(&script, &fresh);
    let said = format!("{}{}\n{text}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    // The file that it exports to is of the first machine, and there already: nothing is written over.
    assert!(!done.status.success() && said.contains("is there already"), "{said}");
    let moved = text.replace(&beside.home().display().to_string(), &fresh.home().display().to_string());
    let script = fresh.home().join("moved.sh");
    std::fs::write(&script, moved).unwrap();
    let done = run(&script, &fresh);
    let said = format!("{}{}\n{text}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{said}");
    holds_it(&|arguments| fresh.says(arguments));
    let exported = |start: &Start| std::fs::read_to_string(start.home().join("products.ndjson")).unwrap();
    assert_eq!(exported(&fresh).lines().count(), 43);
    assert_eq!(exported(&fresh).lines().count(), exported(&beside).lines().count());
}
