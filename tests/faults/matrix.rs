//! Every operation with every fault, through the command line of the real binary.

use std::process::{Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::dice::{Dice, count, seed};
use crate::direct;
use crate::direct::Direct;
use crate::line::clip;
use crate::proxy::{Act, Asked, FAULTS, Fault, proxy};
use crate::serving::Served;

/// A command that takes longer than this hangs.
const HANGS: Duration = Duration::from_secs(150);

/// What a command is tried on.
struct Stage {
    project: String,
    steps: Vec<String>,
    product: String,
    video: String,
    /// Told apart from every other try.
    token: String,
}

/// An operation: the command, the request that the fault hits, and what it makes where it makes something.
struct Tried {
    command: fn(&Stage) -> Vec<String>,
    hits: fn(&Asked<'_>) -> bool,
    wanted: Wanted,
}

/// What has to be so where the command ends with 0, and where it does not.
#[derive(Clone, Copy)]
enum Wanted {
    /// Nothing changes, whatever comes of it.
    Nothing,
    /// This many times the token is in what the service has: at most once, and once where it says that it was done.
    Once(fn(&Direct, &Stage) -> usize),
    /// This is so where it says that it was done.
    So(fn(&Direct, &Stage) -> bool),
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn is(asked: &Asked<'_>, method: &str, path: &str) -> bool {
    asked.method == method && asked.path.trim_end_matches('/') == path.trim_end_matches('/')
}

/// How often a text is in what the service says.
fn times(value: &Value, token: &str) -> usize {
    value.to_string().matches(token).count()
}

fn opened(direct: &Direct, stage: &Stage) -> Value {
    direct.ask("GET", &format!("/projects/{}", stage.project), &Value::Null).1
}

const CATALOG: &str = "/products-service/";

fn read(command: fn(&Stage) -> Vec<String>, hits: fn(&Asked<'_>) -> bool) -> Tried {
    Tried { command, hits, wanted: Wanted::Nothing }
}

fn reads() -> Vec<Tried> {
    vec![
        read(|_| words(&["products", "search", "wool", "--json"]), |asked| asked.path.starts_with(CATALOG)),
        read(|stage| words(&["products", "get", &stage.product, "--json"]), |asked| asked.path.starts_with(CATALOG)),
        read(|stage| words(&["products", "media", &stage.product]), |asked| asked.path.starts_with(CATALOG)),
        read(|_| words(&["products", "count"]), |asked| asked.path.starts_with(CATALOG)),
        read(|_| words(&["projects", "list"]), |asked| is(asked, "GET", "/projects")),
        read(|_| words(&["projects", "folders"]), |asked| is(asked, "GET", "/projects/actions/folders")),
        read(|stage| words(&["projects", "show", &stage.project]), |asked| asked.reads_project()),
        read(|stage| words(&["projects", "check", &stage.project]), |asked| asked.reads_project()),
        read(|stage| words(&["projects", "export", &stage.project]), |asked| asked.reads_project()),
        read(|_| words(&["videos", "list"]), |asked| is(asked, "GET", "/videos/videos")),
        read(|_| words(&["webhooks", "list"]), |asked| is(asked, "GET", "/webhooks")),
        read(|_| words(&["whoami"]), |asked| is(asked, "GET", "/users/me")),
    ]
}

fn writes() -> Vec<Tried> {
    vec![
        Tried {
            command: |stage| words(&["projects", "create", &stage.token]),
            hits: |asked| is(asked, "POST", "/projects"),
            wanted: Wanted::Once(|direct, stage| times(&direct.get("/projects/"), &stage.token)),
        },
        Tried {
            command: |stage| words(&["steps", "create", &stage.project, "--overlay-text", &stage.token]),
            hits: |asked| is(asked, "POST", "/projects/steps"),
            wanted: Wanted::Once(|direct, stage| times(&opened(direct, stage), &stage.token)),
        },
        Tried {
            command: |stage| words(&["videos", "create", &format!("https://cdn.example/{}.mp4", stage.token)]),
            hits: |asked| is(asked, "POST", "/videos/video"),
            wanted: Wanted::Once(|direct, stage| {
                let address = format!("https://cdn.example/{}.mp4", stage.token);
                times(&direct.get("/videos/videos"), &address)
            }),
        },
        Tried {
            command: |stage| words(&["videos", "upload", &format!("{}.mp4", stage.token)]),
            hits: |asked| is(asked, "POST", "/videos"),
            wanted: Wanted::Once(|direct, stage| {
                let (name, list) = (format!("{}.mp4", stage.token), direct.get("/videos/videos"));
                list["videos"].as_array().unwrap().iter().filter(|video| video["name"] == name.as_str()).count()
            }),
        },
        Tried {
            command: |stage| {
                words(&["webhooks", "create", "conversion", &format!("https://h.example/{}", stage.token)])
            },
            hits: |asked| is(asked, "POST", "/webhooks"),
            wanted: Wanted::Once(|direct, stage| times(&direct.get("/webhooks"), &stage.token)),
        },
        Tried {
            command: |stage| words(&["projects", "update", &stage.project, "--name", &stage.token]),
            hits: |asked| asked.method == "PUT",
            wanted: Wanted::So(|direct, stage| opened(direct, stage)["project"]["name"] == stage.token.as_str()),
        },
        Tried {
            command: |stage| words(&["steps", "update", &stage.steps[0], "--overlay-text", &stage.token]),
            hits: |asked| asked.method == "PUT",
            wanted: Wanted::So(|direct, stage| {
                opened(direct, stage)["steps"][0]["overlayText"] == stage.token.as_str()
            }),
        },
        Tried {
            command: |stage| words(&["steps", "delete", &stage.steps[1], "--yes"]),
            hits: |asked| asked.method == "DELETE",
            wanted: Wanted::So(|direct, stage| times(&opened(direct, stage)["steps"], "second") == 0),
        },
        Tried {
            command: |stage| words(&["projects", "delete", &stage.project, "--yes"]),
            hits: |asked| asked.method == "DELETE",
            wanted: Wanted::So(|direct, stage| opened(direct, stage)["status"] == 404),
        },
        Tried {
            command: |stage| words(&["assets", "delete", &stage.video, "--yes"]),
            hits: |asked| asked.method == "DELETE",
            wanted: Wanted::So(|direct, stage| times(&direct.get("/videos/videos"), &stage.video) == 0),
        },
        Tried {
            command: |stage| words(&["projects", "apply", &format!("{}.json", stage.token), "--yes"]),
            hits: |asked| asked.writes() || asked.reads_project(),
            wanted: Wanted::Once(|direct, stage| times(&opened(direct, stage)["steps"], &stage.token)),
        },
        Tried {
            command: |stage| words(&["projects", "import", &format!("{}.json", stage.token), "--name", &stage.token]),
            hits: |asked| asked.writes(),
            wanted: Wanted::Once(|direct, stage| times(&direct.get("/projects/"), &stage.token)),
        },
    ]
}

/// Makes what a command is tried on.
fn set(served: &Served, direct: &Direct, product: &str, token: &str) -> Stage {
    let (project, steps) = direct.project("Tried", &["first".to_owned(), "second".to_owned()]);
    let video = json!({ "video": { "videoUrl": "https://cdn.example/of-its-own.mp4" } });
    let names: Vec<String> = direct.get(&format!("/projects/{project}"))["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["name"].as_str().unwrap().to_owned())
        .collect();
    let file = json!({
        "cutaway": 1, "id": project, "name": "Tried",
        "steps": [
            { "name": names[0], "overlayText": "first, changed" },
            { "name": names[1], "overlayText": "second", "answers": [{ "text": "On", "next": "new" }] },
            { "name": "new", "overlayText": token, "answers": [{ "text": "Back", "next": names[0] }] },
        ],
    });
    std::fs::write(served.home.path().join(format!("{token}.json")), file.to_string()).unwrap();
    std::fs::write(served.home.path().join(format!("{token}.mp4")), clip(10)).unwrap();
    Stage {
        project,
        steps,
        product: product.to_owned(),
        video: direct.create("/videos/video", &video),
        token: token.to_owned(),
    }
}

/// What came of a command, or nothing where it hangs.
fn ended(served: &Served, base: &str, command: &[String]) -> Option<Output> {
    let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
    let mut child = served
        .command(&arguments)
        .env("CUTAWAY_BASE_URL", base)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Read beside, so that a full pipe holds nothing up.
    let mut out = child.stdout.take().unwrap();
    let reading = std::thread::spawn(move || {
        let mut read = Vec::new();
        let _ = std::io::Read::read_to_end(&mut out, &mut read);
        read
    });
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > HANGS {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut output = child.wait_with_output().unwrap();
    output.stdout = reading.join().unwrap();
    Some(output)
}

/// Tries one operation with one fault; what is wrong with what came of it.
fn tried(served: &Served, direct: &Direct, operation: &Tried, fault: Fault, stage: &Stage) -> Result<(), String> {
    let (hit, hits) = (AtomicBool::new(false), operation.hits);
    let proxy = proxy(served.base(), move |asked| -> Act {
        let now = hits(asked) && !hit.swap(true, Ordering::SeqCst);
        if now { fault.into() } else { Fault::None.into() }
    });
    let command = (operation.command)(stage);
    let Some(output) = ended(served, &proxy.base, &command) else { return Err("it hangs".to_owned()) };
    proxy.settle();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    if said.contains("panicked") || !code.is_some_and(|code| (0..=8).contains(&code)) {
        return Err(format!("it ended with {code:?}: {said}"));
    }
    let done = code == Some(0);
    match operation.wanted {
        Wanted::Nothing => {}
        Wanted::Once(times) => {
            let times = times(direct, stage);
            if times > 1 || (done && times == 0) {
                return Err(format!("{times} times there, exit code {code:?}: {said}"));
            }
        }
        Wanted::So(so) => {
            if done && !so(direct, stage) {
                return Err(format!("not done, exit code 0: {said}"));
            }
        }
    }
    Ok(())
}

#[test]
fn every_operation_with_every_fault() {
    let served = Served::start();
    let direct = direct(&served);
    let product = served.json(&["products", "search", "wool", "--limit", "1"])["products"][0]["externalProductId"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut dice = Dice(seed("every operation with every fault"));
    let operations: Vec<Tried> = reads().into_iter().chain(writes()).collect();
    let mut pairs: Vec<(usize, Fault)> = (0..operations.len()).flat_map(|at| FAULTS.map(|fault| (at, fault))).collect();
    for at in (1..pairs.len()).rev() {
        pairs.swap(at, dice.below(at + 1));
    }
    let all = pairs.len();
    pairs.truncate(count("CUTAWAY_FAULTS_PAIRS", 90));
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((at, fault)) = pairs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    // No token is the beginning of another: `Broken` and `BrokenAfter` are two.
                    let token = format!("t{at}x{fault:?}z");
                    let stage = set(&served, &direct, &product, &token);
                    let operation = &operations[*at];
                    if let Err(why) = tried(&served, &direct, operation, *fault, &stage) {
                        let command = (operation.command)(&stage);
                        wrong.lock().unwrap().push(format!("{command:?} with {fault:?}: {why}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    eprintln!("{} of {all} pairs of an operation and a fault tried, {} wrong", pairs.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
