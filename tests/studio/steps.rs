//! A project's steps on the real binary and service: mended, killed, found again, saved by plan, merged, played.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use rustix::process::Signal;
use serde_json::Value;

use crate::proxy::{Act, Fault, proxy};
use crate::service::Service;
use crate::terminal::{Start, Studio};

/// Opens a project of the sample.
pub fn opened(start: Start, name: &str) -> Studio {
    // An earlier studio of the same home may have left its place: this one begins at the products all the same.
    let mut studio = start.with("CUTAWAY_FRESH", "1").open();
    goes_to(&mut studio, name);
    studio
}

/// Opens a project of the sample in a studio that begins.
pub fn goes_to(studio: &mut Studio, name: &str) {
    studio.shows("274 products").keys("2").shows("projects in 2 folders");
    let words: String = name.chars().take(14).collect();
    studio.shows(&words).keys("/").keys(name).shows(&format!("/ {name}")).keys("\r");
    studio.until("the project, selected", |rows| rows.iter().any(|row| row.starts_with("│▌") && row.contains(&words)));
    // The list tells of answers as well: the title of the steps does not stand in it.
    studio.keys("\r").shows(" steps · ");
}

/// The project of a name as another process reads it.
fn told(studio: &Studio, name: &str) -> Value {
    let list: Value = serde_json::from_str(&studio.beside(&["projects", "list", "--json"])).unwrap();
    let project = list["projects"].as_array().unwrap().iter().find(|project| project["name"] == name).unwrap().clone();
    serde_json::from_str(&studio.beside(&["projects", "show", project["id"].as_str().unwrap(), "--json"])).unwrap()
}

fn step<'a>(told: &'a Value, name: &str) -> &'a Value {
    told["steps"].as_array().unwrap().iter().find(|step| step["name"] == name).unwrap()
}

const BROKEN: &str = "Spring campaign (unfinished)";

#[test]
fn a_broken_project_is_mended_killed_found_again_saved_and_played() {
    let start = Start::new();
    let again = start.again();
    let mut studio = opened(start, BROKEN);
    // To the dangling answer, and wired to the card on its right; the line is shown first.
    studio.shows("3 problems").keys(".").shows("Spr1n answer 3 \"Both\" leads nowhere");
    studio.keys("w").shows("choose with letters or arrows").keys("\x1b[C").shows("Enter confirms").keys("\r");
    studio.shows("draft: 1 edit not saved").shows("2 problems");
    // A step more, undone and done again.
    studio.keys("n").shows("5 steps").keys("u").shows("4 steps").keys("\x12").shows("5 steps");
    studio.until("everything on the disk", |rows| rows.iter().any(|row| row.contains("draft: 2 edits not saved ─")));
    // What is typed is no edit yet when the power goes.
    studio.keys("\r").shows("Internal note").keys("Typed and not kept");
    studio.shows("Typed and not kept");
    let name = "Typed and not kept";
    studio.journal_holds(name);
    studio.signal(Signal::KILL);
    drop(studio.ended());

    let mut studio = opened(again, BROKEN);
    studio.shows("draft: 3 edits not saved").shows("5 steps").shows("Typed and not kept");
    studio.keys("\x1b").shows("draft: 3 edits not saved");
    // Someone else changes a step meanwhile: what they did stays.
    let before = told(&studio, BROKEN);
    let other = step(&before, "Sn0wY")["id"].as_str().unwrap().to_owned();
    studio.beside(&["steps", "update", &other, "--overlay-text", "Changed by someone else"]);
    studio.keys("S").shows("Changed by someone else, kept").shows("create step").shows("→ Zq9X7 →");
    studio.keys("\r").shows("All changes saved").keys("\r").hides("not saved");

    let after = told(&studio, BROKEN);
    assert_eq!(after["steps"].as_array().unwrap().len(), 5, "{after}");
    assert_eq!(step(&after, "Sn0wY")["overlayText"], "Changed by someone else");
    let next = step(&after, "Spr1n")["answers"][2]["next"].as_str().unwrap();
    assert!(after["steps"].as_array().unwrap().iter().any(|step| step["name"] == next || step["id"] == next));
    let made = after["steps"].as_array().unwrap().iter().filter(|step| step["description"] == name).count();
    assert_eq!(made, 1, "created once");

    // Played to its end.
    studio.keys("p").shows("Pick your spring").keys("1").shows("Changed by someone else").keys("1").shows("The end.");
    studio.keys("\x1b").shows("2 of 7 answers played");
    studio.quit();
}

#[test]
fn a_damaged_draft_stays_on_the_disk_and_what_can_be_read_of_it_is_offered() {
    let start = Start::new();
    let (second, third) = (start.again(), start.again());
    let mut studio = opened(start, "Gift finder");
    for edits in ["1 edit", "2 edits", "3 edits"] {
        studio.keys("n").shows(&format!("draft: {edits} not saved ─"));
    }
    let folder = studio.home().join("state/cutaway/drafts");
    studio.quit();
    let drafts = || std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let file = drafts().find(|path| path.extension().is_some_and(|ending| ending == "draft")).unwrap();
    // One bit of the second edit; the beginning is there twice, after the heading.
    let mut bytes = std::fs::read(&file).unwrap();
    let ends: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'\n').collect();
    assert_eq!(ends.len(), 6);
    bytes[ends[4] - 10] ^= 0x10;
    std::fs::write(&file, &bytes).unwrap();

    // The studio begins where it was left: in the project.
    let mut studio = second.open();
    studio.shows("Damaged draft").shows("1 entry can't be read").shows("Before the damage: 1 edit not saved");
    studio.shows("After it: 1 entry").shows("The old file is kept");
    // The third edit is that nothing leads to the step that is missing; it can be undone like the others.
    studio.keys("\x1b[B").shows("▌ Also apply the later edits").keys("\r").shows("draft: 3 edits not saved ─");
    studio.shows("11 steps");
    studio.quit();
    let kept = drafts().find(|path| path.to_string_lossy().ends_with(".draft.broken-1")).unwrap();
    assert_eq!(std::fs::read(kept).unwrap(), bytes, "The old file is kept");

    let mut studio = third.open();
    studio.shows("draft: 3 edits not saved").shows("11 steps").hides("Damaged draft");
    studio.quit();
}

#[test]
fn the_same_changed_here_and_elsewhere_is_decided_on() {
    let mut studio = opened(Start::new(), "Gift finder");
    studio.shows("9 steps").keys("\r").shows("Internal note").keys("\t Mine\x1b");
    studio.shows("draft: 1 edit not saved");
    let before = told(&studio, "Gift finder");
    let first = step(&before, "pHB58")["id"].as_str().unwrap().to_owned();
    studio.beside(&["steps", "update", &first, "--overlay-text", "Theirs"]);
    studio.keys("S").shows("Which one do you want to keep?").shows("Who is it for? Mine").shows("Theirs");
    studio.keys("\r").shows("update step pHB58").keys("\r").shows("All changes saved");
    let after = told(&studio, "Gift finder");
    assert_eq!(step(&after, "pHB58")["overlayText"], "Who is it for? Mine");
    studio.keys("\r").hides("All changes saved");
    studio.quit();
}

#[test]
fn what_changes_elsewhere_while_the_plan_is_on_the_screen_is_not_written_over() {
    let mut studio = opened(Start::new(), "Gift finder");
    studio.shows("9 steps").keys("\r").shows("Internal note").keys("\t Mine\x1b");
    studio.shows("draft: 1 edit not saved");
    let before = told(&studio, "Gift finder");
    let id = |at: usize| before["steps"][at]["id"].as_str().unwrap().to_owned();
    let (first, other) = (step(&before, "pHB58")["id"].as_str().unwrap().to_owned(), id(8));
    studio.keys("S").shows("update step pHB58");
    studio.beside(&["steps", "update", &other, "--overlay-text", "Changed by someone else"]);
    studio.keys("\r").shows("Changed by someone else, kept").shows("update step pHB58");
    // Once more, and now the same text.
    studio.beside(&["steps", "update", &first, "--overlay-text", "Theirs"]);
    studio.keys("\r").shows("Which one do you want to keep?").shows("Who is it for? Mine").shows("Theirs");
    assert_eq!(step(&told(&studio, "Gift finder"), "pHB58")["overlayText"], "Theirs", "nothing was made yet");
    studio.keys("m\r").shows("update step pHB58").keys("\r").shows("All changes saved");
    let after = told(&studio, "Gift finder");
    assert_eq!(step(&after, "pHB58")["overlayText"], "Who is it for? Mine");
    assert_eq!(after["steps"][8]["overlayText"], "Changed by someone else");
    studio.keys("\r").hides("All changes saved");
    studio.quit();
}

#[test]
fn a_creation_that_is_under_way_when_the_power_goes_is_made_once() {
    let service = Service::of(10);
    let (arrived, has_arrived) = channel();
    let (go, gone) = channel::<()>();
    let (held, gone) = (AtomicBool::new(false), Arc::new(Mutex::new(gone)));
    // The first creation of a step stays on the way until the studio is gone.
    let proxy = proxy(service.base_url(), move |asked| {
        let mut act = Act::from(Fault::None);
        if asked.method == "POST" && asked.path == "/projects/steps" && !held.swap(true, Ordering::SeqCst) {
            let (arrived, gone) = (arrived.clone(), Arc::clone(&gone));
            act.before = Some(Box::new(move || {
                let _ = arrived.send(());
                let _ = gone.lock().unwrap().recv();
            }));
        }
        act
    });
    let start = service.studio_at(&proxy.base);
    start.says(&["projects", "create", "Quiz"]);
    let again = start.again_with_arguments();
    let open = |start: Start| {
        let mut studio = start.with("CUTAWAY_FRESH", "1").open();
        studio.shows("10 products").keys("2").shows("Quiz").keys("\r");
        studio
    };
    let mut studio = open(start);
    studio.shows("0 steps · ").keys("n").shows("1 step").keys("S").shows("create step").keys("\r");
    has_arrived.recv().unwrap();
    studio.signal(Signal::KILL);
    drop(studio.ended());
    go.send(()).unwrap();
    proxy.settle();

    // The step that the service made is found when the project is read, and taken for the one that was asked for.
    let mut studio = open(again);
    studio.shows("1 step · ").hides("new-1").hides("not saved").keys("S").shows("Nothing to save");
    let after = told(&studio, "Quiz");
    assert_eq!(after["steps"].as_array().unwrap().len(), 1, "{after}");
    studio.quit();
}

#[test]
fn read_only_shows_the_plan_and_refuses() {
    let mut studio = opened(Start::new().arguments(&["--read-only"]), "Gift finder");
    studio.keys("n").shows("10 steps").keys("S").shows("create step").shows("save all").keys("\r").shows("read-only");
    studio.keys("\x1b").shows("draft: 1 edit not saved");
    assert_eq!(told(&studio, "Gift finder")["steps"].as_array().unwrap().len(), 9);
    studio.quit();
}

#[test]
fn two_studios_do_not_edit_the_same_project() {
    let start = Start::new();
    let again = start.again();
    let mut first = opened(start, "Gift finder");
    first.keys("n").shows("draft: 1 edit not saved ─");
    let mut second = opened(again, "Gift finder");
    second.shows("this project is being edited in another window").keys("\r").hides("another window").shows("9 steps");
    // Whoever tries to edit it is asked again.
    second.keys("n").shows("Open in another window").keys("\x1b").hides("another window").shows("9 steps");
    second.quit();
    first.quit();
}

#[test]
fn a_draft_outlives_its_project_and_becomes_a_new_one() {
    let start = Start::new();
    let again = start.again();
    let mut studio = opened(start, BROKEN);
    studio.keys("n").shows("5 steps").shows("draft: 1 edit not saved ─");
    let before = told(&studio, BROKEN);
    studio.beside(&["projects", "delete", before["project"]["id"].as_str().unwrap(), "--yes"]);
    studio.signal(Signal::KILL);
    drop(studio.ended());

    let mut studio = again.with("CUTAWAY_FRESH", "1").open();
    studio.shows("274 products").keys("2").shows("● draft only").keys("/Spring").shows("1 of 5 projects").keys("\r\r");
    studio.shows("The service no longer has this project").shows("5 steps");
    studio.keys("S").shows("You can create a new project from it").keys("\x1b[B\r").shows("Duplicated as");
    let after = told(&studio, BROKEN);
    assert_ne!(after["project"]["id"], before["project"]["id"]);
    assert_eq!(after["steps"].as_array().unwrap().len(), 5, "{after}");
    let texts = |of: &Value| -> Vec<String> {
        let mut all: Vec<String> =
            of["steps"].as_array().unwrap().iter().map(|step| step["overlayText"].to_string()).collect();
        all.sort();
        all
    };
    assert!(texts(&before).iter().all(|text| texts(&after).contains(text)));
    studio.quit();
}

#[test]
fn the_studio_opens_the_project_that_was_open() {
    let start = Start::new();
    let (again, third) = (start.again(), start.again());
    let mut studio = opened(start, "Gift finder");
    studio.shows("9 steps");
    studio.quit();
    let selected = |rows: &[String]| rows.iter().any(|row| row.starts_with("│▌") && row.contains("Gift finder"));
    let mut studio = again.open();
    studio.shows("9 steps").keys("2").shows("projects in 2 folders").until("it is selected", selected);
    studio.quit();
    let mut studio = third.open();
    studio.shows("projects in 2 folders").until("it is selected again", selected);
    studio.quit();
}

#[test]
fn a_product_is_put_on_a_step_saved_and_read_back() {
    let mut studio = opened(Start::new(), "Gift finder");
    studio.keys("B").shows("Products of ").shows("0 on the step").keys("fjell wool sock");
    studio.until("only what was searched for", |rows| {
        let found: Vec<&String> = rows.iter().filter(|row| row.contains('○') && row.contains("NOK")).collect();
        !found.is_empty() && found.iter().all(|row| row.contains("ool sock"))
    });
    studio.keys("\r\r").shows("Added Fjell wool sock").shows("1 on the step");
    studio.keys("\x1b").shows("draft: 1 edit not saved").shows("◆ Fjell wool sock");
    studio.keys("S").shows("product  + Fjell wool sock").keys("\r").shows("All changes saved").keys("\r");
    studio.hides("not saved");
    let after = told(&studio, "Gift finder");
    // Others of the sample show products too.
    let step = after["steps"].as_array().unwrap().iter().find(|step| step["name"] == "pHB58").unwrap();
    let products = step["products"].as_array().unwrap();
    assert_eq!(products.len(), 1, "{products:?}");
    let id = products[0]["productId"].as_str().unwrap();
    let product: Value = serde_json::from_str(&studio.beside(&["products", "get", id, "--json"])).unwrap();
    assert!(product["product"]["title"].as_str().unwrap().starts_with("Fjell wool sock"), "{product}");
    studio.quit();
}
