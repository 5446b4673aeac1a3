//! What is done in the studio is a script afterwards: recorded, saved, and run on a workspace that is as it was before.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::service::Service;
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

    studio.keys("2").shows("projects in 2 folders").keys("Gn").shows("Name of the new project");
    studio.keys("-Autumn's \"tour\" $1\r").shows("Created ");
    studio.until("it is selected", |rows| rows.iter().any(|row| row.starts_with("│▌") && row.contains("-Autumn's")));
    studio.keys("\r").shows("This project has no steps yet").keys("n").shows("1 step ·");
    studio.keys("\r").shows("Internal note").keys("Welcome; it's `first`\x1b").hides("Internal note");
    studio.keys("a").shows("Text of the new answer").keys("Go => on\r").shows("Go => on");
    studio
        .keys("n")
        .shows("2 steps ·")
        .keys("S")
        .shows("create step")
        .shows("save all")
        .keys("\r")
        .shows("All changes saved");
    studio.keys("\r").hides("All changes saved");

    studio.keys("3").shows("videos").keys("a").shows("Address of the video").keys("cdn.example/tour.mp4?a=1&b=2\r");
    studio.shows("Name of the video").keys("My tour\r").shows("Added My tour");
    studio.keys("4").shows("3 webhooks").keys("n").shows("New webhook").keys("\x1b[B\x1b[B\t");
    studio.keys("https://shop.example/hook\r").shows("4 webhooks").shows("gets conversion");
}

#[test]
fn what_is_done_is_a_script_that_does_it_again() {
    let start = Start::new().with("CUTAWAY_FRESH", "1");
    let beside = start.again();
    let mut studio = start.open();
    studio.shows("274 products").keys("$").shows("as a command").shows("--app-url").keys("\x1b").hides("as a command");
    studio.keys("*").shows("Recording. * stops and saves").shows("rec 0");
    work(&mut studio);
    studio.keys("&").shows("This session as commands").shows("webhooks create conversion").keys("projects create");
    studio.shows("projects create").keys("\x1b").hides("This session as commands");
    // With something recorded nobody leaves by mistake.
    studio.keys("q").shows("The recording isn't saved");
    studio.keys("*").shows("Save the script to file").keys("\r").shows("Saved the script to").hides("rec ");
    studio.quit();
    holds_it(&|arguments| beside.says(arguments));

    let script = beside.home().join("cutaway-script.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    assert_eq!(std::fs::metadata(&script).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(text.starts_with("#!/bin/sh\n") && text.contains("set -eu\n"), "{text}");
    // Of what was typed only the whole is in it.
    assert_eq!(text.matches("products search").count(), 1, "{text}");

    // On another machine, which has seen none of this. The file that it exports to is there already: it stays.
    let fresh = Start::new();
    let done = run(&script, &fresh);
    let said = format!("{}{}\n{text}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{said}");
    holds_it(&|arguments| fresh.says(arguments));
    let exported = |name: &str| std::fs::read_to_string(beside.home().join(name)).unwrap().lines().count();
    assert_eq!((exported("products.ndjson"), exported("products-2.ndjson")), (43, 43));
}

/// The steps of a project, with places in place of ids and names, and which of both it was: other workspaces give
/// others.
fn wired(start: &Start, name: &str) -> Vec<Value> {
    let project = told(&|arguments| start.says(arguments), name);
    let steps = project["steps"].as_array().unwrap();
    let place = |next: &Value| {
        let at = steps.iter().position(|step| step["name"] == *next || step["id"] == *next);
        let by = |at: usize| if steps[at]["id"] == *next { format!("id {at}") } else { format!("name {at}") };
        at.map_or_else(|| next.clone(), |at| Value::from(by(at)))
    };
    let told = |step: &Value| {
        let answers = step["answers"].as_array().unwrap().iter();
        let answers: Vec<Value> =
            answers.map(|answer| serde_json::json!([answer["text"], place(&answer["next"])])).collect();
        serde_json::json!([
            step["description"],
            step["overlayText"],
            step["videoId"],
            step["answerTime"],
            step["products"],
            answers
        ])
    };
    let order = project["project"]["stepsOrder"].as_array().unwrap().iter().map(place).collect();
    steps.iter().map(told).chain([order]).collect()
}

/// Runs a script to its end on another machine, where nothing of this was done.
fn runs_elsewhere(script: &str, fresh: Start) -> Start {
    let file = fresh.home().join("elsewhere.sh");
    std::fs::write(&file, script).unwrap();
    let done = run(&file, &fresh);
    let said = format!("{}{}\n{script}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{said}");
    fresh
}

/// Saves the recording and gives the script.
fn saved(mut studio: Studio, start: &Start) -> String {
    studio.keys("*").shows("Save the script to file").keys("\r").shows("Saved the script to").hides("rec ");
    studio.quit();
    std::fs::read_to_string(start.home().join("cutaway-script.sh")).unwrap()
}

fn selected(studio: &mut Studio, name: &str) {
    studio.until(name, |rows| rows.iter().any(|row| row.starts_with("│▌") && row.contains(name)));
}

#[test]
fn a_copy_that_is_changed_is_changed_elsewhere_too() {
    let start = Start::new().with("CUTAWAY_FRESH", "1");
    let beside = start.again();
    let mut studio = start.open();
    studio.shows("274 products").keys("*").shows("Recording. * stops and saves");
    studio.keys("2").shows("projects in 2 folders").keys("Gn").shows("Name of the new project");
    studio.keys("Tour\r").shows("Created ");
    selected(&mut studio, "Tour");
    studio.keys("\r").shows("This project has no steps yet").keys("n").shows("1 step ·");
    studio.keys("a").shows("Text of the new answer").keys("On we go\r").shows("On we go").keys("n").shows("2 steps ·");
    studio.keys("S").shows("create step").shows("save all").keys("\r").shows("All changes saved");
    studio.keys("\r").hides("All changes saved").keys("2");
    selected(&mut studio, "Tour");
    studio.keys("d").shows("Tour (copy)").keys("\r").shows("Duplicated as");
    selected(&mut studio, "Tour (copy)");
    studio.keys("\r").shows(" steps ·").keys("a").shows("Text of the new answer").keys("More\r").shows("More");
    studio.keys("S").shows("update step").shows("save all").keys("\r").shows("All changes saved").keys("\r");
    let script = {
        studio.hides("All changes saved");
        saved(studio, &beside)
    };
    let fresh = runs_elsewhere(&script, Start::new());
    assert_eq!(wired(&fresh, "Tour (copy)"), wired(&beside, "Tour (copy)"), "{script}");
}

/// A machine with a profile beside the local workspace.
fn with_another_profile() -> Start {
    let config = "[profiles.other]\nbase_url = \"https://other.example\"\n";
    Start::new().configured("config.toml", config).with("CUTAWAY_FRESH", "1")
}

/// The names in the library, and the addresses that are told of events.
fn library(start: &Start) -> (Vec<String>, Vec<String>) {
    let sorted = |all: &Value, field: &str| {
        let mut texts: Vec<String> =
            all.as_array().unwrap().iter().map(|one| one[field].as_str().unwrap().to_owned()).collect();
        texts.sort();
        texts
    };
    let videos = json(&start.says(&["videos", "list", "--json"]));
    let webhooks = json(&start.says(&["webhooks", "list", "--json"]));
    (sorted(&videos["videos"], "name"), sorted(&webhooks, "url"))
}

#[test]
fn filters_projects_videos_and_profiles_are_in_it_too() {
    let start = with_another_profile();
    let beside = start.again();
    let clip = start.home().join("my clip.mp4");
    std::fs::write(&clip, crate::line::clip(0)).unwrap();
    let mut studio = start.open();
    studio.shows("274 products").keys("*").shows("Recording. * stops and saves");
    // Category, tags, variant and SKU, in the panel's order; published only.
    studio.keys("P").shows("published").keys("f").shows("Filters").keys("\x1b[B\r").shows("Socks").keys("Socks\r");
    studio.shows("category: ").keys("\x1b[B\r").shows("3-layer").keys("winter\r").shows("tags: winter");
    studio.keys(&"\x1b[B".repeat(7)).keys("44123456821780").shows("44123456821780").shows("1 found");
    studio.keys("\x1b[B").keys("SO-89012-3436-STON").shows("SO-89012-3436-STON").shows("1 found");
    studio.keys("\x1b").hides("Filters").keys("\r").shows("Overview").keys("\x1b").hides("Overview");

    studio.keys("2").shows("projects in 2 folders").keys("Gn").shows("Name of the new project").keys("Gone\r");
    selected(&mut studio, "Gone");
    studio.keys("D").shows("will be deleted with").keys("Gone\r").shows("Deleted \"Gone\".");
    studio.keys("n").shows("Name of the new project").keys("Moved\r").shows("Created \"Moved\".");
    selected(&mut studio, "Moved");
    studio
        .keys("\x0f")
        .shows("No folder")
        .keys("Seasons\r")
        .shows("to the new folder \"Seasons\"")
        .shows("▾ Seasons  1");
    selected(&mut studio, "Moved");
    studio
        .keys("\x05")
        .shows("E-mail notifications")
        .keys("ola@shop.example\r")
        .shows("1 address gets e-mail notifications.");
    studio.keys("\r").shows("This project has no steps yet").keys("n").shows("1 step ·");
    studio.keys("a").shows("Text of the new answer").keys("On\r").shows("On").keys("n").shows("2 steps ·");
    studio.keys("S").shows("create step").shows("save all").keys("\r").shows("All changes saved").keys("\r");
    studio.hides("All changes saved").keys("2");
    selected(&mut studio, "Moved");
    studio.keys("O").shows("Order of the steps of Moved").keys("J\r").shows("Saved the new order of");

    studio.keys("3").shows("videos").keys(&format!("\x1b[200~'{}'\x1b[201~", clip.display()));
    studio.shows("1 upload done").keys("/").keys("my clip").shows("1 found").keys("\r").keys("D");
    studio.shows("Delete").keys("\x1b[B\r").shows("deleted");
    studio.keys("4").shows("3 webhooks").keys("n").shows("New webhook").keys("\x1b[B\x1b[B\t");
    studio.keys("https://shop.example/hook\r").shows("4 webhooks").shows("gets conversion");
    studio.keys("/shop.example").shows("1 of 4").keys("\r").shows("No deliveries yet").keys("p").shows("pending");
    studio
        .keys("5")
        .shows("not signed in")
        .keys("g\x1b[B")
        .shows("https://other.example")
        .keys("E")
        .shows("Rename other");
    studio.keys("s\r").shows("Renamed other to others").keys("1").shows("1 found");
    let script = saved(studio, &beside);
    for said in [
        "--category ",
        " --tag winter",
        " --variant-id 44123456821780",
        " --sku SO-89012-3436-STON",
        " --published",
        " products get 8123456789012",
        " projects update \"$project_2\" --folder Seasons",
        " projects update \"$project_2\" --email ola@shop.example",
        " projects update \"$project_2\" --steps-order \"$step_",
        " projects delete \"$project_1\" --yes",
        " videos upload ",
        " assets delete \"$video_1\" --yes",
        " webhooks ping \"$webhook_1\"",
        "cutaway profiles rename other others",
    ] {
        assert!(script.contains(said), "{said} in {script}");
    }
    let fresh = runs_elsewhere(&script, with_another_profile());
    assert_eq!(wired(&fresh, "Moved"), wired(&beside, "Moved"), "{script}");
    assert_eq!(library(&fresh), library(&beside), "{script}");
    assert!([&fresh, &beside].iter().all(|start| start.says(&["profiles"]).contains("others")), "{script}");
    let project = told(&|arguments| fresh.says(arguments), "Moved");
    assert_eq!(project["project"]["emailNotifications"], serde_json::json!(["ola@shop.example"]));
    assert!(fresh.says(&["projects", "folders"]).contains("Seasons"));
}

#[test]
fn what_was_recorded_at_one_address_runs_at_another() {
    let (first, second) = (Service::of(3), Service::of(3));
    let start = first.studio_at(first.base_url()).with("CUTAWAY_FRESH", "1");
    let home = start.again();
    let mut studio = start.open();
    studio.shows("3 products").keys("*").shows("Recording. * stops and saves").keys("3").shows("Videos");
    studio.keys("a").shows("Address of the video").keys("cdn.example/tour.mp4\r");
    studio.shows("Name of the video").keys("My tour\r").shows("Added My tour");
    let script = saved(studio, &home);
    assert!(script.contains("videos create") && script.contains("\"$base_url\""), "{script}");
    let file = home.home().join("cutaway-script.sh");
    let binary = Path::new(env!("CARGO_BIN_EXE_cutaway")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let runs = |variables: &[(&str, &str)]| {
        let mut command = Command::new("sh");
        command.arg(&file).env_clear().env("PATH", &path).env("HOME", home.home()).current_dir(home.home());
        let done = command.envs(variables.iter().copied()).output().unwrap();
        assert!(done.status.success(), "{}{script}", String::from_utf8_lossy(&done.stderr));
    };
    let videos = |service: &Service| {
        let listed = Command::new(env!("CARGO_BIN_EXE_cutaway"))
            .env_clear()
            .env("HOME", home.home())
            .envs([("CUTAWAY_BASE_URL", service.base_url()), ("CUTAWAY_API_KEY", service.api_key())])
            .args(["videos", "list", "--json"])
            .output()
            .unwrap();
        String::from_utf8_lossy(&listed.stdout).matches("My tour").count()
    };
    assert_eq!((videos(&first), videos(&second)), (1, 0));
    runs(&[("CUTAWAY_BASE_URL", second.base_url()), ("CUTAWAY_API_KEY", second.api_key())]);
    assert_eq!((videos(&first), videos(&second)), (1, 1), "{script}");
    // Without a word on it, it is the address that it was recorded at.
    runs(&[("CUTAWAY_API_KEY", first.api_key())]);
    assert_eq!((videos(&first), videos(&second)), (2, 1));
}
