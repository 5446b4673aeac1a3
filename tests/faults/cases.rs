//! Services that tell what they were given in their own way, and people who edit while a plan is shown.

use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::{Value, json};

use crate::direct;
use crate::direct::Direct;
use crate::proxy::{Act, Asked, Fault, proxy};
use crate::serving::{Served, text};

/// A project with two steps, and a file of it that changes the first text and has one step more.
fn begun(served: &Served) -> (Direct, String, Vec<String>) {
    let direct = direct(served);
    let (project, steps) = direct.project("Quiz", &["first".to_owned(), "second".to_owned()]);
    let names: Vec<Value> =
        opened(&direct, &project)["steps"].as_array().unwrap().iter().map(|step| step["name"].clone()).collect();
    let file = json!({
        "cutaway": 1, "id": project, "name": "Quiz",
        "steps": [
            { "name": names[0], "overlayText": "first, changed here" },
            { "name": names[1], "overlayText": "second", "answers": [{ "text": "On", "next": names[0] }] },
            { "name": "new", "overlayText": "Well  done", "answers": [{ "text": "Again", "next": names[0] }] },
        ],
    });
    std::fs::write(served.home.path().join("quiz.json"), file.to_string()).unwrap();
    (direct, project, steps)
}

/// Changes the steps in the file.
fn change_file(served: &Served, change: impl Fn(&mut Vec<Value>)) {
    let path = served.home.path().join("quiz.json");
    let mut file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    change(file["steps"].as_array_mut().unwrap());
    std::fs::write(path, file.to_string()).unwrap();
}

fn opened(direct: &Direct, project: &str) -> Value {
    direct.get(&format!("/projects/{project}"))
}

/// What `projects apply quiz.json --yes` came to: its exit code and what it said.
fn applied(served: &Served, base: &str) -> (i32, String) {
    let mut command = served.command(&["projects", "apply", "quiz.json", "--yes"]);
    let output = command.env("CUTAWAY_BASE_URL", base).output().unwrap();
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(!said.contains("panicked"), "{said}");
    (output.status.code().unwrap(), said)
}

fn texts(project: &Value) -> Vec<&str> {
    project["steps"].as_array().unwrap().iter().map(|step| step["overlayText"].as_str().unwrap()).collect()
}

/// The steps of a project as a service tells it.
fn steps(told: &mut Value) -> impl Iterator<Item = &mut serde_json::Map<String, Value>> {
    told["steps"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut)
}

#[test]
fn a_creation_whose_answer_is_lost_is_made_once_however_the_service_tells_it() {
    let tellings: [(&str, fn(&mut Value)); 5] = [
        ("as it was sent", |_| {}),
        ("without texts", |told| steps(told).for_each(|step| drop(step.shift_remove("overlayText")))),
        ("without answers", |told| steps(told).for_each(|step| drop(step.shift_remove("answers")))),
        ("with white space squeezed", |told| {
            for step in steps(told) {
                let text = step["overlayText"].as_str().unwrap_or_default();
                step["overlayText"] = text.split_whitespace().collect::<Vec<_>>().join(" ").into();
            }
        }),
        ("with next as ids", |told| {
            let named: Vec<(Value, Value)> =
                steps(told).map(|step| (step["name"].clone(), step["id"].clone())).collect();
            for step in steps(told) {
                for answer in step["answers"].as_array_mut().into_iter().flatten() {
                    if let Some((_, id)) = named.iter().find(|(name, _)| *name == answer["next"]) {
                        answer["next"] = id.clone();
                    }
                }
            }
        }),
    ];
    let served = Served::start();
    for (telling, told) in tellings {
        for fault in [Fault::DropAfter, Fault::LateCommit, Fault::DropBefore] {
            let (direct, project, _) = begun(&served);
            let lost = AtomicUsize::new(0);
            let proxy = proxy(served.base(), move |asked| {
                let is_first = || lost.fetch_add(1, Ordering::SeqCst) == 0;
                let creates = asked.method == "POST" && asked.path == "/projects/steps";
                let fault = if creates && is_first() { fault } else { Fault::None };
                Act { told: asked.reads_project().then_some(told), ..fault.into() }
            });
            let (code, said) = applied(&served, &proxy.base);
            proxy.settle();
            let now = opened(&direct, &project);
            let times = texts(&now).iter().filter(|text| **text == "Well  done").count();
            assert_eq!((code, times), (0, 1), "{telling}, {fault:?}: {said}{now}");
        }
    }
}

#[test]
fn an_id_of_another_type_is_looked_up_and_not_believed() {
    let served = Served::start();
    let (direct, project, _) = begun(&served);
    change_file(&served, |steps| steps.push(json!({ "name": "more", "overlayText": "And more" })));
    let made = AtomicUsize::new(0);
    let proxy = proxy(served.base(), move |asked| {
        let creates = asked.method == "POST" && asked.path == "/projects/steps";
        let fault = match creates.then(|| made.fetch_add(1, Ordering::SeqCst)) {
            // It tells numbers that are no ids of its own.
            Some(0) => Fault::OtherTypes,
            // What comes of the second is not known: the first must not be taken for it.
            Some(1) => Fault::Broken,
            _ => Fault::None,
        };
        fault.into()
    });
    let (code, said) = applied(&served, &proxy.base);
    proxy.settle();
    let now = opened(&direct, &project);
    let new: Vec<&str> = texts(&now).into_iter().skip(2).collect();
    assert_eq!((code, new), (0, vec!["Well  done", "And more"]), "{said}{now}");
}

/// A service that knows no keys, says so by having no description, and makes the first creation at this path late.
fn late_service(served: &Served, path: &'static str, until: impl FnOnce() + Send + 'static) -> crate::proxy::Proxy {
    let until = Mutex::new(Some(until));
    proxy(served.base(), move |asked| {
        let creates = asked.method == "POST" && asked.path.trim_end_matches('/') == path;
        let fault = match until.lock().unwrap().take_if(|_| creates) {
            Some(until) => {
                let late: Option<Box<dyn FnOnce() + Send>> = Some(Box::new(until));
                return Act { keyless: true, untagged: true, late, ..Fault::LateCommit.into() };
            }
            None if asked.path == "/openapi.json" => Fault::PageBefore,
            None => Fault::None,
        };
        Act { keyless: true, untagged: true, ..fault.into() }
    })
}

/// So late that only the last look finds it, 7.75 s after the first, with time to spare on a machine that is busy.
const SHORT: std::time::Duration = std::time::Duration::from_secs(4);

#[test]
fn what_a_service_without_keys_finishes_late_is_made_once() {
    // Within the time that it is looked for, it is found.
    let served = Served::start();
    let (direct, project, _) = begun(&served);
    let proxy = late_service(&served, "/projects/steps", || std::thread::sleep(SHORT));
    let (code, said) = applied(&served, &proxy.base);
    let now = opened(&direct, &project);
    assert_eq!((code, texts(&now).iter().filter(|text| **text == "Well  done").count()), (0, 1), "{said}{now}");

    // Later than that, it is not sent again either: who asked for it is told.
    let ended = |path: &'static str, command: &[&str]| {
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let proxy = late_service(&served, path, move || _ = ended.recv());
        let output = served.command(command).env("CUTAWAY_BASE_URL", &proxy.base).output().unwrap();
        drop(end);
        proxy.settle();
        (output.status.code(), text(&output.stderr).to_owned())
    };
    let (direct, project, _) = begun(&served);
    std::thread::scope(|scope| {
        let step = scope.spawn(|| ended("/projects/steps", &["projects", "apply", "quiz.json", "--yes"]));
        let duplicate = ["projects", "duplicate", project.as_str(), "--name", "Twin"];
        let duplicate = scope.spawn(move || ended("/projects", &duplicate));
        let import = scope.spawn(|| ended("/projects", &["projects", "import", "quiz.json", "--name", "Imported"]));
        for (ended, what) in [
            (step, r#"create step new ("Well  done")"#),
            (duplicate, "create project Twin"),
            (import, "create project Imported"),
        ] {
            let (code, said) = ended.join().unwrap();
            assert!(code == Some(1) && said.contains("was lost") && said.contains(what), "{code:?}: {said}");
        }
    });
    let now = opened(&direct, &project);
    assert_eq!(texts(&now).iter().filter(|text| **text == "Well  done").count(), 1, "{now}");
    let projects = direct.get("/projects/").to_string();
    assert_eq!(["Twin", "Imported"].map(|name| projects.matches(&format!("\"name\":\"{name}\"")).count()), [1, 1]);
    // Asked for once more, the rest is made, and what is there by now is not made again.
    let (code, said) = applied(&served, served.base());
    let now = opened(&direct, &project);
    assert_eq!((code, texts(&now)), (0, vec!["first, changed here", "second", "Well  done"]), "{said}{now}");
}

#[test]
fn a_service_that_never_answers_a_creation_is_asked_so_often_and_then_told_of() {
    // Most of the time is waiting between the tries, so the faults are tried side by side.
    std::thread::scope(|scope| {
        for fault in [Fault::Broken, Fault::DropBefore, Fault::PageBefore] {
            scope.spawn(move || creations_are_never_answered(fault));
        }
    });
}

fn creations_are_never_answered(fault: Fault) {
    let served = Served::start();
    for (path, command) in [
        ("/projects/steps", &["projects", "apply", "quiz.json", "--yes"][..]),
        ("/projects", &["projects", "import", "quiz.json", "--name", "Never"]),
        ("/projects", &["projects", "create", "Never"]),
    ] {
        begun(&served);
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let proxy = proxy(served.base(), move |asked| {
            let creates = asked.method == "POST" && asked.path.trim_end_matches('/') == path;
            // Nobody ever says what came of it, and nothing does.
            let fault = if creates { fault } else { Fault::None };
            counted.fetch_add(usize::from(creates), Ordering::SeqCst);
            fault.into()
        });
        let output = served.command(command).env("CUTAWAY_BASE_URL", &proxy.base).output().unwrap();
        proxy.settle();
        let (code, said) = (output.status.code(), text(&output.stderr));
        let asked = asked.load(Ordering::SeqCst);
        // Where nothing was answered at all the exit code says so.
        let wanted = if fault == Fault::DropBefore { 6 } else { 1 };
        assert_eq!(code, Some(wanted), "{command:?} {fault:?}: {said}");
        assert!((1..=4).contains(&asked), "{command:?} {fault:?}: asked {asked} times: {said}");
    }
}

#[test]
fn the_id_that_was_asked_for_stands() {
    let tellings: [fn(&mut Value); 3] = [
        |told| drop(told["project"].as_object_mut().map(|project| project.shift_remove("id"))),
        |told| told["project"]["id"] = json!(7),
        |told| told["project"]["id"] = json!("another"),
    ];
    let served = Served::start();
    for told in tellings {
        let (direct, project, _) = begun(&served);
        let before = direct.get("/projects/")["projects"].as_array().unwrap().len();
        let proxy = proxy(served.base(), move |asked| Act {
            told: asked.reads_project().then_some(told),
            ..Fault::None.into()
        });
        let mut command = served.command(&["projects", "apply", "quiz.json", "--dry-run"]);
        let output = command.env("CUTAWAY_BASE_URL", &proxy.base).output().unwrap();
        assert!(!text(&output.stdout).contains("create project"), "{}", text(&output.stdout));
        let (code, said) = applied(&served, &proxy.base);
        assert_eq!(code, 0, "{said}");
        assert_eq!(direct.get("/projects/")["projects"].as_array().unwrap().len(), before);
        assert_eq!(texts(&opened(&direct, &project)), ["first, changed here", "second", "Well  done"]);
    }
}

#[test]
fn a_page_in_place_of_an_answer_is_no_success() {
    let served = Served::start();
    let (_, project, steps) = begun(&served);
    let proxy = proxy(served.base(), |asked: &Asked<'_>| {
        let page = matches!(asked.method, "PUT" | "DELETE");
        if page { Fault::PageBefore.into() } else { Fault::None.into() }
    });
    for command in [
        vec!["projects", "update", &project, "--name", "Other"],
        vec!["projects", "update", &project, "--name", "Other", "--json"],
        vec!["steps", "delete", &steps[0], "--yes"],
        vec!["projects", "delete", &project, "--yes"],
    ] {
        let output = served.command(&command).env("CUTAWAY_BASE_URL", &proxy.base).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {said}");
        assert!(said.contains("HTML") && output.stdout.is_empty(), "{command:?}: {said}");
    }
}

/// A proxy before which somebody else makes a change each time that the project is read, but for the first time; at most
/// so often.
fn restless(served: &Served, most: usize, change: impl Fn(usize) + Send + Sync + 'static) -> crate::proxy::Proxy {
    let (reads, change) = (AtomicUsize::new(0), Arc::new(change));
    proxy(served.base(), move |asked| {
        let mut act = Act::from(Fault::None);
        if asked.reads_project() {
            let nth = reads.fetch_add(1, Ordering::SeqCst);
            if (1..=most).contains(&nth) {
                let change = Arc::clone(&change);
                act.before = Some(Box::new(move || change(nth)));
            }
        }
        act
    })
}

#[test]
fn what_others_change_meanwhile_is_kept_and_what_both_changed_stops_it() {
    let served = Served::start();
    // Something else was changed: it is kept, named, and the rest is done.
    let (direct, project, steps) = begun(&served);
    let (other, second) = (direct.clone(), format!("/projects/steps/{}", steps[1]));
    let proxy = restless(&served, 3, move |nth| {
        other.ask("PUT", &second, &json!({ "overlayText": format!("theirs {nth}") }));
    });
    let (code, said) = applied(&served, &proxy.base);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("changed elsewhere in the meantime and kept"), "{said}");
    assert_eq!(texts(&opened(&direct, &project)), ["first, changed here", "theirs 2", "Well  done"]);

    // More than three times is too often.
    let (direct, project, steps) = begun(&served);
    for nth in 0..4 {
        let step = json!({ "projectId": project, "overlayText": format!("More {nth}") });
        direct.ask("POST", "/projects/steps", &json!({ "step": step }));
    }
    let now = opened(&direct, &project);
    change_file(&served, |file| {
        for step in &now["steps"].as_array().unwrap()[2..] {
            file.push(json!({ "name": step["name"], "overlayText": "More, changed here" }));
        }
    });
    let (other, second) = (direct.clone(), format!("/projects/steps/{}", steps[1]));
    let proxy = restless(&served, 100, move |nth| {
        other.ask("PUT", &second, &json!({ "overlayText": format!("theirs {nth}") }));
    });
    let (code, said) = applied(&served, &proxy.base);
    assert!(code == 1 && said.contains("someone else changed the project meanwhile"), "{code}: {said}");
    assert!(texts(&opened(&direct, &project))[1].starts_with("theirs"));

    // The same was changed, by edit, and by deletion here and edit there: nothing is written over.
    for delete in [false, true] {
        let (direct, project, steps) = begun(&served);
        if delete {
            change_file(&served, |file| drop(file.remove(0)));
        }
        let (other, first) = (direct.clone(), format!("/projects/steps/{}", steps[0]));
        let proxy = restless(&served, 1, move |_| {
            other.ask("PUT", &first, &json!({ "overlayText": "theirs" }));
        });
        let (code, said) = applied(&served, &proxy.base);
        assert!(code == 1 && said.contains("someone else changed the project meanwhile"), "{code}: {said}");
        assert_eq!(texts(&opened(&direct, &project))[0], "theirs", "{said}");
    }
}

#[test]
fn a_service_without_conditions_is_read_again_before_each_sending() {
    let served = Served::start();
    for fault in [Fault::Unavailable, Fault::TooMany, Fault::DropBefore, Fault::Reset] {
        let (direct, project, steps) = begun(&served);
        let (other, first) = (direct.clone(), format!("/projects/steps/{}", steps[0]));
        let hits = AtomicUsize::new(0);
        // While the first write is hindered by what passes, somebody else changes what it is about.
        let proxy = proxy(served.base(), move |asked| {
            let is_hit = asked.method == "PUT" && hits.fetch_add(1, Ordering::SeqCst) == 0;
            let mut act = Act { untagged: true, ..Act::from(if is_hit { fault } else { Fault::None }) };
            if is_hit {
                let (other, first) = (other.clone(), first.clone());
                act.before =
                    Some(Box::new(move || drop(other.ask("PUT", &first, &json!({ "overlayText": "theirs" })))));
            }
            act
        });
        let (code, said) = applied(&served, &proxy.base);
        assert!(code == 1 && said.contains("someone else changed the project meanwhile"), "{fault:?}: {code}: {said}");
        assert_eq!(texts(&opened(&direct, &project))[0], "theirs", "{fault:?}: {said}");
    }
    // Where nobody changes anything it is saved all the same.
    let (direct, project, _) = begun(&served);
    let hits = AtomicUsize::new(0);
    let proxy = proxy(served.base(), move |asked| {
        let is_hit = asked.method == "PUT" && hits.fetch_add(1, Ordering::SeqCst) < 3;
        Act { untagged: true, ..Act::from(if is_hit { Fault::Unavailable } else { Fault::None }) }
    });
    let (code, said) = applied(&served, &proxy.base);
    assert_eq!(code, 0, "{said}");
    assert_eq!(texts(&opened(&direct, &project)), ["first, changed here", "second", "Well  done"]);
}

#[test]
fn a_plan_that_was_asked_about_is_not_made_once_the_service_changed() {
    let served = Served::start();
    let (direct, project, steps) = begun(&served);
    let pair = native_pty_system().openpty(PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 }).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_cutaway"));
    command.env_clear();
    for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
        command.env(variable, served.home.path().join(folder));
    }
    command.env("CUTAWAY_BASE_URL", served.base());
    command.env("CUTAWAY_API_KEY", served.key());
    command.cwd(served.home.path());
    command.args(["projects", "apply", "quiz.json"]);
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let (mut out, seen) = (pair.master.try_clone_reader().unwrap(), Arc::new(Mutex::new(Vec::new())));
    let noted = Arc::clone(&seen);
    let reading = std::thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(read) = out.read(&mut piece) {
            if read == 0 {
                return;
            }
            noted.lock().unwrap().extend_from_slice(&piece[..read]);
        }
    });
    let said = || String::from_utf8_lossy(&seen.lock().unwrap()).into_owned();
    while !said().contains("[y/N]") {
        assert!(child.try_wait().unwrap().is_none(), "{}", said());
        std::thread::yield_now();
    }
    // While the question stands somebody else changes a step that the plan does not even touch.
    direct.ask("PUT", &format!("/projects/steps/{}", steps[1]), &json!({ "overlayText": "theirs" }));
    pair.master.take_writer().unwrap().write_all(b"y\r").unwrap();
    let code = child.wait().unwrap().exit_code();
    drop(pair.master);
    let _ = reading.join();
    assert!(code == 1 && said().contains("someone else changed the project meanwhile"), "{code}: {}", said());
    assert_eq!(texts(&opened(&direct, &project)), ["first", "theirs"], "nothing was created");
}

#[test]
fn a_file_with_steps_that_are_alike_is_done_after_one_apply() {
    let served = Served::start();
    let (_, project, _) = begun(&served);
    let mut file = json!({ "cutaway": 1, "id": project, "name": "Alike", "steps": [], "stepsOrder": [] });
    for at in 0..6 {
        // Three that lead to the next, three that end: each says the same.
        let answer =
            if at < 3 { json!({ "text": "On", "next": format!("n{}", at + 1) }) } else { json!({ "text": "On" }) };
        let step = json!({ "name": format!("n{at}"), "overlayText": "Same", "answers": [answer] });
        file["steps"].as_array_mut().unwrap().push(step);
        file["stepsOrder"].as_array_mut().unwrap().push(json!(format!("n{}", 5 - at)));
    }
    std::fs::write(served.home.path().join("quiz.json"), file.to_string()).unwrap();
    let (code, said) = applied(&served, served.base());
    assert_eq!(code, 0, "{said}");
    let (code, said) = applied(&served, served.base());
    assert!(code == 0 && said.contains("nothing to do"), "{said}");
}

#[test]
fn a_deletion_that_finds_nothing_says_why_as_far_as_that_is_known() {
    let served = Served::start();
    let direct = direct(&served);
    let unknown = "00000000-0000-4000-8000-000000000000";
    let there = direct.create("/webhooks", &json!({ "event": "conversion", "url": "https://h.invalid/hook" }));
    let deleted = |id: &str, deletion: Fault, list: Fault| {
        let proxy = proxy(served.base(), move |asked| match asked.method {
            "DELETE" => deletion.into(),
            "GET" if asked.path.trim_end_matches('/') == "/webhooks" => list.into(),
            _ => Fault::None.into(),
        });
        let mut command = served.command(&["webhooks", "delete", id, "--yes"]);
        let output = command.env("CUTAWAY_BASE_URL", &proxy.base).output().unwrap();
        (output.status.code(), text(&output.stderr).to_owned())
    };
    let (code, said) = deleted(unknown, Fault::None, Fault::None);
    assert!(code == Some(4) && said.contains("there is no webhook"), "{said}");
    let (code, said) = deleted(&there, Fault::NotFound, Fault::None);
    assert!(code == Some(4) && said.contains("can't delete"), "{said}");
    let (code, said) = deleted(&there, Fault::NotAllowed, Fault::None);
    assert!(code == Some(1) && said.contains("can't delete"), "{said}");
    // Which of the two it is nobody knows where the list can't be read.
    let (code, said) = deleted(unknown, Fault::None, Fault::Broken);
    assert!(code == Some(4) && said.contains("Either it has no webhook") && said.contains("500"), "{said}");
    assert_eq!(direct.get("/webhooks").to_string().matches(&there).count(), 1);
}
