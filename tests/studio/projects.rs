//! Projects on the real binary and service: created, renamed, moved, ordered, duplicated, deleted, refused.

use serde_json::Value;

use crate::terminal::{Start, Studio};

/// A studio that shows the projects of the sample.
fn sample(start: Start) -> Studio {
    let mut studio = start.with("CUTAWAY_FRESH", "1").open();
    studio.shows("274 products").keys("2").shows("6 projects in 2 folders").shows("Gift finder");
    studio
}

/// What Steps lists as a problem of a product, Projects counts as well; and no longer where another one stands in its place.
#[test]
fn projects_and_steps_agree_on_problems_of_products() {
    let mut studio = sample(Start::new());
    studio.keys("j").shows("1 error").shows("Hardanger belay jacket").keys("\r").shows("1 problem");
    studio.shows("is sold out");
    studio
        .keys(".m")
        .shows("in place of")
        .shows("Fjell wool liner")
        .keys("\r")
        .shows("1 edit not saved")
        .hides("1 problem");
    studio.keys("S").shows("save all").keys("\r").shows("All changes saved").keys("\x1b2").shows("no problems");
}

/// What another process on the same service reads of the projects.
fn listed(studio: &Studio) -> Vec<Value> {
    let body: Value = serde_json::from_str(&studio.beside(&["projects", "list", "--json"])).unwrap();
    body["projects"].as_array().unwrap().clone()
}

fn named(studio: &Studio, name: &str) -> Value {
    listed(studio).into_iter().find(|project| project["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

/// A project with its steps; every value of `next` and of the order by the place of its step.
fn wired(studio: &Studio, name: &str) -> (Value, Vec<Value>) {
    let id = named(studio, name)["id"].as_str().unwrap().to_owned();
    let body: Value = serde_json::from_str(&studio.beside(&["projects", "show", &id, "--json"])).unwrap();
    let steps = body["steps"].as_array().unwrap().clone();
    let place = |next: &Value| {
        let at = steps.iter().position(|step| step["name"] == *next || step["id"] == *next);
        at.map_or_else(|| next.clone(), Value::from)
    };
    let order = body["project"]["stepsOrder"].as_array().unwrap().iter().map(place).collect();
    let told = steps.iter().map(|step| {
        let answers = step["answers"].as_array().unwrap().iter();
        let answers: Vec<Value> =
            answers.map(|answer| serde_json::json!([answer["text"], place(&answer["next"])])).collect();
        let field = |name: &str| step.get(name).cloned().unwrap_or_default();
        serde_json::json!([
            field("description"),
            field("overlayText"),
            field("videoId"),
            field("answerTime"),
            field("products"),
            answers
        ])
    });
    (order, told.collect())
}

fn selected(studio: &mut Studio, name: &str) {
    let words = name.to_owned();
    studio.until(name, move |rows| rows.iter().any(|row| row.starts_with("│▌") && row.contains(&words)));
}

#[test]
fn a_project_from_its_making_to_its_end() {
    let mut studio = sample(Start::new());
    studio
        .keys("n")
        .shows("Name of the new project")
        .keys("Autumn\r")
        .shows("Created \"Autumn\" in \"Gift guides\".")
        .shows("7 projects");
    selected(&mut studio, "Autumn");

    studio.keys("E").shows("Rename \"Autumn\"").keys(" 2027\r").shows("Renamed").shows("Autumn 2027");
    selected(&mut studio, "Autumn 2027");

    studio.keys("\x0f").shows("No folder").keys("Seasons\r").shows("to the new folder \"Seasons\"");
    studio.shows("7 projects in 3 folders").shows("▾ Seasons  1");
    selected(&mut studio, "Autumn 2027");
    studio.keys("\x0fGift\r").shows("Moved \"Autumn 2027\" to \"Gift guides\".").shows("▾ Seasons  0");

    studio.keys("\x05").shows("E-mail notifications").keys("nobody\r").shows("is not an e-mail address");
    studio.keys("@nordlys-outdoor.example\r").shows("1 address gets e-mail notifications.");
    studio.shows("nobody@nordlys-outdoor.example");
    let project = named(&studio, "Autumn 2027");
    assert_eq!(project["emailNotifications"], serde_json::json!(["nobody@nordlys-outdoor.example"]));

    studio.keys("D").shows("will be deleted with").keys("Autumn\r").shows("The name doesn't match");
    studio.keys(" 2027\r").shows("Deleted \"Autumn 2027\".").shows("6 projects in 3 folders");
    assert_eq!(listed(&studio).len(), 6);
    studio.quit();
}

#[test]
fn a_copy_is_wired_as_its_original() {
    let mut studio = sample(Start::new().size(200, 60));
    for name in ["Gift finder", "Spring campaign (unfinished)", "Help desk"] {
        studio.keys("/").keys(name).shows("1 of ").keys("\r");
        selected(&mut studio, name);
        studio.keys("d").shows("A new project with").keys("\r").shows("Duplicated as");
        // What the search finds too stays in it.
        selected(&mut studio, "(copy)");
        studio.shows("2 of ").keys("\x1b").shows(" in 2 folders");
        let (original, copy) = (wired(&studio, name), wired(&studio, &format!("{name} (copy)")));
        assert_eq!(original.1.len(), copy.1.len());
        assert_eq!(original, copy, "{name}");
        let field = |name: &str, field: &str| named(&studio, name)[field].clone();
        for kept in ["folder", "emailNotifications", "stepsCount"] {
            assert_eq!(field(name, kept), field(&format!("{name} (copy)"), kept), "{name} {kept}");
        }
    }
    studio.shows("9 projects in 2 folders");
    studio.quit();
}

#[test]
fn steps_are_put_in_order_and_opened() {
    let mut studio = sample(Start::new().size(80, 24));
    studio.keys("/tour\r");
    selected(&mut studio, "Range tour");
    let before = named(&studio, "Range tour")["stepsOrder"].as_array().unwrap().clone();
    studio
        .keys("O")
        .shows("Order of the steps of Range tour")
        .keys("J\x1b[1;2B")
        .keys("\r")
        .shows("Saved the new order of");
    let after = named(&studio, "Range tour")["stepsOrder"].as_array().unwrap().clone();
    assert_eq!(after[..3], [before[1].clone(), before[2].clone(), before[0].clone()]);
    // Narrow, what is said of a project takes the list's place.
    studio.keys("\x1b[C").shows("Checks").shows(before[1].as_str().unwrap()).keys("\x1b").shows("1 of 6 projects");
    studio
        .keys("Q")
        .shows("only this computer can open its address")
        .shows("▄▄▄▄▄▄▄")
        .keys("\x1b")
        .hides("only this computer");
    studio.keys("o").shows("http://127.0.0.1:").keys("\x1b");
    studio.quit();
}

#[test]
fn a_read_only_studio_changes_nothing() {
    let start = Start::new();
    let studio = sample(start.again());
    let before = listed(&studio);
    studio.quit();
    let mut studio = sample(start.again().arguments(&["--read-only"]));
    studio.keys("j");
    selected(&mut studio, "Gift finder");
    for key in ["n", "E", "m", "M", "O", "d", "D"] {
        studio.keys(key).shows("Refused: read-only").keys("!").shows("Notices").keys("\x1b").hides("Notices");
    }
    studio.shows("Folder    Gift guides");
    studio.quit();
    let studio = sample(start);
    assert_eq!(listed(&studio), before);
    studio.quit();
}
