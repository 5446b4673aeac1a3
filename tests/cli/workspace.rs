//! The commands of projects, steps, videos, assets and webhooks of the real binary, against the real local service.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::{Value, json};

use serving::{Served, cutaway, pretend, text};

/// What no workspace has.
const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

fn ask(served: &Served, path: &str) -> Value {
    served.answer(reqwest::Method::GET, path, None)
}

/// The id of a project of the sample.
fn project(served: &Served, name: &str) -> String {
    let list = ask(served, "/projects/");
    let project = list["projects"].as_array().unwrap().iter().find(|project| project["name"] == name);
    project.unwrap()["id"].as_str().unwrap().to_owned()
}

/// Exit code, output and what was said beside it, at a service that is pretended.
fn pretended(base: &str, arguments: &[&str]) -> (i32, String, String) {
    let home = tempfile::tempdir().unwrap();
    let mut command = cutaway(home.path());
    command.env("CUTAWAY_BASE_URL", base).env("CUTAWAY_API_KEY", "marked-key");
    let output = command.args(arguments).output().unwrap();
    let (out, said) = (text(&output.stdout).to_owned(), text(&output.stderr).to_owned());
    assert!(!said.contains("marked-key") && !out.contains("marked-key"));
    (output.status.code().unwrap(), out, said)
}

/// The word after a label of `name  value` lines.
fn field<'a>(out: &'a str, label: &str) -> &'a str {
    let line = out.lines().find_map(|line| line.strip_prefix(label));
    line.unwrap_or_else(|| panic!("{label} in {out}")).trim()
}

#[test]
fn json_is_the_services_own_body_value_for_value() {
    let served = Served::start();
    let gift = project(&served, "Gift finder");
    assert_eq!(served.json(&["projects", "list"]), ask(&served, "/projects/"));
    assert_eq!(served.json(&["projects", "folders"]), ask(&served, "/projects/actions/folders"));
    let record = ask(&served, &format!("/projects/{gift}"));
    assert_eq!(served.json(&["projects", "show", &gift]), record);
    assert_eq!(served.json(&["projects", "export", &gift]), record);
    assert_eq!(served.json(&["videos", "list"]), ask(&served, "/videos/videos"));
    let webhooks = ask(&served, "/webhooks");
    assert_eq!(served.json(&["webhooks", "list"]), webhooks);
    let some: Vec<&Value> = webhooks.as_array().unwrap().iter().filter(|hook| hook["event"] == "conversion").collect();
    assert_eq!(served.json(&["webhooks", "list", "--event", "conversion"]), json!(some));
    assert!(!some.is_empty() && some.len() < webhooks.as_array().unwrap().len());

    let guides = served.json(&["projects", "list", "--folder", "Gift guides"]);
    let names: Vec<&str> =
        guides["projects"].as_array().unwrap().iter().map(|project| project["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"Gift finder") && names.len() < 4, "{names:?}");
}

#[test]
fn projects_are_created_changed_shown_and_deleted() {
    let served = Served::start();
    let created = served.prints(&["projects", "create", "New tour"]);
    let id = field(&created, "Id");
    assert!(field(&created, "Player").starts_with("http"));
    let step = served.prints(&[
        "steps",
        "create",
        id,
        "--description",
        "Hello",
        "--overlay-text",
        "Which one?",
        "--answer",
        "This=>",
        "--answer",
        "That=>nowhere",
    ]);
    let (name, step) = (field(&step, "Name"), field(&step, "Id"));
    let (folder, order) = ("Gift guides", format!("{name},"));
    let update = ["projects", "update", id, "--name", "Tour", "--folder", folder, "--email", "a@shop.example"];
    served.prints(&[&update[..], &["--steps-order", &order]].concat());
    let shown = served.prints(&["projects", "show", id]);
    assert_eq!((field(&shown, "Name"), field(&shown, "E-mail to")), ("Tour", "a@shop.example"));
    assert_eq!(field(&shown, "Folder"), folder, "by its name, not by its id");
    for part in [name, "Hello", "Which one?", "This", "end", "That", "nowhere (nowhere)"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let list = served.prints(&["projects", "list", "--folder", folder]);
    assert!(list.lines().any(|line| line.contains(id) && line.contains("Tour") && line.contains(folder)), "{list}");
    assert!(!served.prints(&["projects", "list", "--folder", ""]).contains(id));

    let videos = ask(&served, "/videos/videos");
    let video = videos["videos"][0]["id"].as_str().unwrap();
    served.prints(&["steps", "update", step, "--answer", "", "--answer-time", "2.5", "--video", video]);
    let record = ask(&served, &format!("/projects/{id}"));
    let changed = &record["steps"][0];
    assert_eq!((&changed["answers"], &changed["answerTime"]), (&json!([]), &json!(2.5)));
    assert_eq!((&changed["videoId"], &changed["description"]), (&json!(video), &json!("Hello")));
    served.ends(0, &["projects", "check", id]);
    served.prints(&["projects", "update", id, "--email", "", "--steps-order", "", "--folder", ""]);
    let record = ask(&served, &format!("/projects/{id}"));
    assert_eq!((&record["project"]["emailNotifications"], &record["project"]["stepsOrder"]), (&json!([]), &json!([])));
    assert!(served.prints(&["projects", "list", "--folder", ""]).contains(id));

    let again = served.json(&["steps", "create", id]);
    assert_eq!(again["name"].as_str().unwrap().len(), 5);
    assert_eq!(served.json(&["projects", "update", id, "--name", "Z"])["name"], "Z");
    served.prints(&["steps", "delete", step, "--yes"]);
    assert_eq!(ask(&served, &format!("/projects/{id}"))["steps"].as_array().unwrap().len(), 1);
    assert_eq!(served.json(&["projects", "delete", id, "--yes"]), json!({ "id": id }));
    served.ends(4, &["projects", "show", id]);
}

#[test]
fn a_check_names_what_leads_nowhere() {
    let served = Served::start();
    let list = ask(&served, "/projects/");
    let ids: Vec<&str> =
        list["projects"].as_array().unwrap().iter().map(|project| project["id"].as_str().unwrap()).collect();
    let broken = ids.iter().find(|id| ask(&served, &format!("/projects/{id}")).to_string().contains("Zq9X7")).unwrap();
    let record = ask(&served, &format!("/projects/{broken}"));
    let steps = record["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["answers"].to_string().contains("Zq9X7")).unwrap()["name"].as_str();
    let (out, said) = served.ends(1, &["projects", "check", broken]);
    let line = out.lines().find(|line| line.contains("Zq9X7")).unwrap();
    assert!(line.starts_with("error") && line.contains(step.unwrap()) && line.contains("Both"), "{line}");
    assert!(out.contains("unreachable") && out.contains("has no video"), "{out}");
    assert!(said.contains("problem") && said.contains("error"), "{said}");
    let found = served.ends(1, &["projects", "check", broken, "--json"]).0;
    let found: Value = serde_json::from_str(&found).unwrap();
    let dangling = found["faults"].as_array().unwrap().iter().find(|fault| fault["kind"] == "dangling").unwrap();
    assert_eq!((&dangling["step"], &dangling["answer"]), (&json!(step), &json!("Both")));
    assert_eq!((&dangling["value"], &dangling["severity"]), (&json!("Zq9X7"), &json!("fault")));
    let problems = found["problems"].as_array().unwrap();
    let same = problems.iter().find(|problem| problem["kind"] == "dangling").unwrap();
    assert_eq!((&same["value"], &same["severity"]), (&json!("Zq9X7"), &json!("error")));
    assert_eq!(problems.len(), found["faults"].as_array().unwrap().len(), "the same problems under both names");

    for id in ids.iter().filter(|id| *id != broken) {
        let (out, _) = served.ends(0, &["projects", "check", id]);
        assert!(out.lines().skip(1).all(|line| line.starts_with("note")), "what may be meant is only noted: {out}");
    }
}

#[test]
fn exports_go_to_standard_output_or_to_a_file_that_is_not_there_yet() {
    let served = Served::start();
    let id = project(&served, "Gift finder");
    let begins = |format: &str, begin: &str| {
        let out = served.prints(&["projects", "export", &id, "--format", format]);
        assert!(out.starts_with(begin) && out.contains("For her"), "{out}");
        out
    };
    let mermaid = begins("mermaid", "flowchart LR\n");
    let dot = begins("dot", "digraph project {\n");
    begins("markdown", "# Gift finder\n");
    let svg = begins("svg", "<svg xmlns=");
    assert!(svg.trim_end().ends_with("</svg>") && svg.contains("<title>Gift finder</title>"));
    begins("json", "{");
    served.prints(&["projects", "export", &id, "gift.mmd"]);
    served.prints(&["projects", "export", &id, "gift.txt", "--format", "dot"]);
    let read = |file: &str| std::fs::read_to_string(served.home.path().join(file)).unwrap();
    assert_eq!((read("gift.mmd"), read("gift.txt")), (mermaid, dot));
    let (_, said) = served.ends(1, &["projects", "export", &id, "gift.txt", "--format", "json"]);
    assert!(said.contains("already") && read("gift.txt").starts_with("digraph"), "{said}");
    served.ends(1, &["projects", "export", &id, "no/such/folder.md"]);
    served.ends(2, &["projects", "export", &id, "gift.unknown"]);
    served.ends(2, &["projects", "export", &id]);
    served.ends(2, &["projects", "export", &id, "--format", "poem"]);
}

#[test]
fn videos_and_webhooks_are_listed_created_and_deleted() {
    let served = Served::start();
    let (url, poster) = ("https://cdn.example/a.mp4", "https://cdn.example/a.jpg");
    let created = served.prints(&["videos", "create", url, "--name", "Clip", "--poster", poster]);
    let id = field(&created, "Id");
    let list = served.prints(&["videos", "list"]);
    let line = list.lines().find(|line| line.contains(id)).unwrap();
    assert!([url, poster, "Clip"].iter().all(|part| line.contains(part)), "{line}");
    assert!(served.json(&["videos", "create", url])["id"].is_string());
    let deleted = served.prints(&["assets", "delete", id, "--yes"]);
    assert_eq!(field(&deleted, "Deleted"), id);
    assert!(!served.prints(&["videos", "list"]).contains(id));
    served.ends(4, &["assets", "delete", id, "--yes"]);

    let created = served.prints(&["webhooks", "create", "conversion", "https://hooks.example/in"]);
    let id = field(&created, "Id");
    assert!(served.prints(&["webhooks", "list"]).contains(id));
    let of = |event| served.prints(&["webhooks", "list", "--event", event]);
    assert!(of("conversion").contains(id) && !of("response_summary").contains(id));
    let json = served.json(&["webhooks", "create", "collected_info", "https://hooks.example/in"]);
    assert_eq!(json["event"], "collected_info");
    let deleted = served.prints(&["webhooks", "delete", id, "--yes"]);
    assert_eq!(field(&deleted, "Deleted"), id);
    assert!(!served.prints(&["webhooks", "list"]).contains(id));
    let other = json["id"].as_str().unwrap();
    assert_eq!(served.json(&["webhooks", "delete", other, "--yes"]), json!({ "id": other }));
    let (_, said) = served.ends(4, &["webhooks", "delete", id, "--yes"]);
    assert!(said.contains("there is no webhook") && said.contains(id), "{said}");
    served.ends(7, &["--read-only", "webhooks", "delete", id, "--yes"]);
}

#[test]
fn a_service_without_deleting_webhooks_is_said_to_be_one() {
    const LIST: &str =
        r#"[{"id":"w1","url":"https://a.example","event":"conversion","owner":"o","createdAt":"","updatedAt":""}]"#;
    let deletes = |base: String, id: &str| {
        let home = tempfile::tempdir().unwrap();
        let output = serving::cutaway(home.path())
            .env("CUTAWAY_BASE_URL", base)
            .env("CUTAWAY_API_KEY", "k")
            .args(["webhooks", "delete", id, "--yes"])
            .output()
            .unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let listed = serving::pretend(&[("DELETE /webhooks/w1", 404, ""), ("GET /webhooks", 200, LIST)]);
    let (code, said) = deletes(listed.clone(), "w1");
    assert!(code == 4 && said.contains("can't delete webhooks"), "{code} {said}");
    // That one it does not list: whether it could delete it is not known.
    let (code, said) = deletes(listed, "w2");
    assert!(code == 4 && said.contains("there is no webhook w2"), "{code} {said}");
    let (code, said) = deletes(serving::pretend(&[("DELETE /webhooks/w1", 405, "")]), "w1");
    assert!(code == 1 && said.contains("can't delete webhooks"), "{code} {said}");
}

#[test]
fn every_failure_has_its_exit_code() {
    let served = Served::start();
    let gift = project(&served, "Gift finder");
    for wrong in [
        &["projects", "update", &gift][..],
        &["projects", "create"],
        &["steps", "update", NOBODY],
        &["steps", "create", &gift, "--answer", "no arrow"],
        &["steps", "update", NOBODY, "--answer-time", "-1"],
        &["steps", "create", &gift, "--answer-time", "1"],
        &["webhooks", "create", "everything", "https://hooks.example/in"],
        &["webhooks", "list", "--event", "everything"],
    ] {
        served.ends(2, wrong);
    }
    for missing in [
        &["projects", "show", NOBODY][..],
        &["projects", "check", NOBODY],
        &["projects", "export", NOBODY, "--format", "dot"],
        &["projects", "list", "--folder", "No such folder"],
        &["projects", "update", NOBODY, "--name", "N"],
        &["projects", "delete", NOBODY, "--yes"],
        &["steps", "update", NOBODY, "--description", "D"],
        &["steps", "delete", NOBODY, "--yes"],
        &["assets", "delete", NOBODY, "--yes"],
        &["webhooks", "delete", NOBODY, "--yes"],
    ] {
        served.ends(4, missing);
    }
    for invalid in [
        &["projects", "create", ""][..],
        &["projects", "update", &gift, "--email", "no address"],
        &["steps", "create", &gift, "--answer", "=>x"],
        &["videos", "create", "no address"],
        &["webhooks", "create", "conversion", "no address"],
    ] {
        served.ends(5, invalid);
    }
}

#[test]
fn what_deletes_asks_and_without_a_terminal_refuses() {
    let served = Served::start();
    let gift = project(&served, "Gift finder");
    let step = ask(&served, &format!("/projects/{gift}"))["steps"][0]["id"].as_str().unwrap().to_owned();
    let video = ask(&served, "/videos/videos")["videos"][0]["id"].as_str().unwrap().to_owned();
    let hook = ask(&served, "/webhooks")[0]["id"].as_str().unwrap().to_owned();
    for (room, id) in [("projects", &gift), ("steps", &step), ("assets", &video), ("webhooks", &hook)] {
        let (_, said) = served.ends(2, &[room, "delete", id]);
        assert!(said.contains("--yes") && said.contains(id.as_str()), "{said}");
    }
    assert!(ask(&served, &format!("/projects/{gift}")).to_string().contains(&step));
    assert!(ask(&served, "/videos/videos").to_string().contains(&video));
    assert!(ask(&served, "/webhooks").to_string().contains(&hook));
}

#[test]
fn read_only_refuses_before_a_socket_is_opened() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let home = tempfile::tempdir().unwrap();
    for writes in [
        &["projects", "create", "N"][..],
        &["projects", "update", "1", "--name", "N"],
        &["projects", "delete", "1"],
        &["projects", "delete", "1", "--yes"],
        &["steps", "create", "1"],
        &["steps", "update", "1", "--description", "D"],
        &["steps", "delete", "1", "--yes"],
        &["videos", "create", "https://cdn.example/a.mp4"],
        &["assets", "delete", "1", "--yes"],
        &["webhooks", "create", "conversion", "https://hooks.example/in"],
    ] {
        let mut command = cutaway(home.path());
        command.env("CUTAWAY_BASE_URL", format!("http://{}", listener.local_addr().unwrap()));
        let output = command.env("CUTAWAY_API_KEY", "k").arg("--read-only").args(writes).output().unwrap();
        assert_eq!(output.status.code(), Some(7), "{writes:?}: {}", text(&output.stderr));
        assert!(listener.accept().is_err(), "{writes:?} opened a socket");
    }
    // The local workspace is not even begun.
    let output = cutaway(home.path()).args(["--read-only", "projects", "create", "N"]).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", text(&output.stderr));
    assert!(!home.path().join("d").exists());
}

#[test]
fn other_services_are_read_as_far_as_they_can_be() {
    let base = pretend(&[
        ("GET /projects/", 200, r#"{"projects": [{"id": "1", "name": "A\u001b[2J\u202eb"}, 7]}"#),
        ("GET /projects/1", 405, ""),
        (
            "POST /projects/1",
            200,
            r#"{"project": {"id": "1", "steps": [{"name": "aaaaa", "videoId": "v", "answers": [{"text": "\u009b31m"}]}]}}"#,
        ),
        ("GET /projects/2", 200, r#"{"project": {"id": "2"}}"#),
        ("GET /projects/3", 200, r#"{"project": {"id": "3"}, "steps": [{"name": "aaaaa", "videoId": "v"}, 7]}"#),
        ("PUT /projects/1", 200, ""),
        ("DELETE /projects?projectId=1", 204, ""),
    ]);
    let (code, out, said) = pretended(&base, &["projects", "list"]);
    assert_eq!((code, out.lines().count()), (0, 2), "{out}");
    assert!(out.contains("A·[2J·b") && said.contains("folders could not be read"), "{out}{said}");
    let (code, out, _) = pretended(&base, &["projects", "show", "1"]);
    assert!(code == 0 && out.contains("·31m") && out.contains("end"), "it is read by POST, harmlessly: {out}");
    let (code, _, said) = pretended(&base, &["projects", "check", "1"]);
    assert!(code == 0 && said.contains("library"), "{said}");
    let (code, _, said) = pretended(&base, &["projects", "check", "2"]);
    assert!(code == 1 && said.contains("no steps"), "not told is not none: {said}");
    let (code, _, said) = pretended(&base, &["projects", "check", "3"]);
    assert!(code == 1 && said.contains("could be read"), "what can't be read is not checked: {said}");
    let update = ["projects", "update", "1", "--name", "N", "--json"];
    assert_eq!(pretended(&base, &update), (0, "null\n".to_owned(), String::new()));
    assert_eq!(pretended(&base, &["projects", "delete", "1", "--yes"]).0, 0);
}

#[test]
fn on_a_terminal_it_asks_and_takes_only_yes_for_it() {
    let served = Served::start();
    let gift = project(&served, "Gift finder");
    let answered = |answer: &str| {
        let pair = portable_pty::native_pty_system().openpty(portable_pty::PtySize::default()).unwrap();
        let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_cutaway"));
        command.env_clear();
        for (variable, value) in
            [("CUTAWAY_BASE_URL", &served.ready["base_url"]), ("CUTAWAY_API_KEY", &served.ready["api_key"])]
        {
            command.env(variable, value.as_str().unwrap());
        }
        for variable in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
            command.env(variable, served.home.path().join("p"));
        }
        command.args(["projects", "delete", &gift]);
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let all = std::thread::spawn(move || {
            let mut all = Vec::new();
            // A terminal whose last user went away fails in place of ending.
            let _ = reader.read_to_end(&mut all);
            String::from_utf8_lossy(&all).into_owned()
        });
        pair.master.take_writer().unwrap().write_all(answer.as_bytes()).unwrap();
        let code = child.wait().unwrap().exit_code();
        drop(pair.master);
        (code, all.join().unwrap())
    };
    let (code, said) = answered("n\n");
    assert!(code == 1 && said.contains(&format!("Delete project {gift}?")) && said.contains("not deleted"), "{said}");
    served.ends(0, &["projects", "show", &gift]);
    let (code, said) = answered("y\n");
    assert!(code == 0 && said.contains("Deleted"), "{said}");
    served.ends(4, &["projects", "show", &gift]);
}
