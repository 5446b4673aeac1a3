//! Project files of the real binary, against the real local service: exported, imported elsewhere, planned and applied, also
//! where calls fail and answers get lost.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Output;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use serving::{OWN_SAMPLE, Process, cutaway, serve, tells_panic, text};
use tempfile::TempDir;

/// `cutaway serve` on a folder of its own, with the sample store.
struct Served {
    process: Process,
    home: TempDir,
}

impl Served {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let process = Process::start(serve(home.path(), &home.path().join("served")).arg("--sample"));
        Self { process, home }
    }

    /// With a sample store of its own: no ID in it is one of another's.
    fn elsewhere() -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut command = serve(home.path(), &home.path().join("served"));
        let process = Process::start(command.arg("--sample").env(OWN_SAMPLE, "1"));
        Self { process, home }
    }

    fn base(&self) -> &str {
        self.process.base()
    }

    fn run_at(&self, base: &str, arguments: &[&str]) -> Output {
        let mut command = cutaway(self.home.path());
        command.env("CUTAWAY_BASE_URL", base).env("CUTAWAY_API_KEY", self.process.key());
        command.current_dir(self.home.path()).args(arguments).output().unwrap()
    }

    fn ends(&self, code: i32, arguments: &[&str]) -> (String, String) {
        ended(code, arguments, &self.run_at(self.base(), arguments))
    }

    fn prints(&self, arguments: &[&str]) -> String {
        self.ends(0, arguments).0
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.prints(&[arguments, &["--json"]].concat())).unwrap()
    }

    fn projects(&self) -> Vec<Value> {
        self.json(&["projects", "list"])["projects"].as_array().unwrap().clone()
    }

    fn project(&self, name: &str) -> String {
        let projects = self.projects();
        projects.iter().find(|project| project["name"] == name).unwrap()["id"].as_str().unwrap().to_owned()
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.home.path().join(file), text).unwrap();
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.home.path().join(file)).unwrap()
    }
}

fn ended(code: i32, arguments: &[&str], output: &Output) -> (String, String) {
    let (out, said) = (text(&output.stdout).to_owned(), text(&output.stderr).to_owned());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {out}{said}");
    assert!(!tells_panic(&said), "{arguments:?}: {said}");
    (out, said)
}

fn field<'a>(out: &'a str, label: &str) -> &'a str {
    let line = out.lines().find(|line| line.starts_with(&format!("{label} "))).unwrap();
    line.strip_prefix(label).unwrap().trim()
}

/// What a project file says, whatever the steps are called: each by its place in the order.
fn meaning(file: &str) -> Value {
    let file: Value = serde_json::from_str(file).unwrap();
    let empty = Vec::new();
    let order: Vec<&str> =
        file["stepsOrder"].as_array().unwrap_or(&empty).iter().map(|name| name.as_str().unwrap()).collect();
    let place = |name: &Value| match name.as_str() {
        None => json!("end"),
        Some(name) => order.iter().position(|one| *one == name).map_or(json!(name), |place| json!(place)),
    };
    let mut steps: Vec<(Value, Value)> = file["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| {
            let answers: Vec<Value> = step["answers"]
                .as_array()
                .unwrap_or(&empty)
                .iter()
                .map(|answer| json!([answer["text"], place(&answer["next"])]))
                .collect();
            let said = json!([
                step["description"],
                step["overlayText"],
                step["videoName"],
                step["answerTime"],
                step["products"],
                answers
            ]);
            (place(&step["name"]), said)
        })
        .collect();
    steps.sort_by_key(|(place, said)| (place.as_u64(), said.to_string()));
    json!({"folder": file["folder"], "emails": file["emailNotifications"], "steps": steps.into_iter().map(|(_, said)| said).collect::<Vec<_>>()})
}

/// Lets the first step of a project show two products.
fn shows_a_product(served: &Served, project: &str) {
    let step = served.json(&["projects", "show", project])["steps"][0]["id"].as_str().unwrap().to_owned();
    let store = "store=https://shop.example";
    let (first, second) = (format!("mug-1,{store}"), format!("mug-2,variant=red,from=2.5,{store}"));
    served.prints(&["steps", "update", &step, "--product", &first, "--product", &second]);
}

#[test]
fn a_project_goes_to_another_workspace_and_says_the_same_there() {
    let (here, there) = (Served::start(), Served::elsewhere());
    let videos = |served: &Served| served.json(&["videos", "list"])["videos"].as_array().unwrap().clone();
    let theirs = videos(&there);
    assert!(videos(&here).iter().all(|video| theirs.iter().all(|other| other["id"] != video["id"])));
    for (nth, project) in here.projects().iter().enumerate() {
        let (id, name) = (project["id"].as_str().unwrap(), project["name"].as_str().unwrap());
        shows_a_product(&here, id);
        let file = format!("{nth}.toml");
        here.prints(&["projects", "export", id, &file]);
        there.write(&file, &here.read(&file));
        let (out, said) = there.ends(0, &["projects", "import", &file]);
        let made = field(&out, "Id");
        assert_eq!((field(&out, "Name"), field(&out, "Player").starts_with("http")), (name, true));
        // What leads nowhere is taken over as it is, and said.
        assert_eq!(said.is_empty(), !here.read(&file).contains("Zq9X7"), "{said}");
        let exported = |served: &Served, id: &str| served.prints(&["projects", "export", id, "--format", "json"]);
        assert_eq!(meaning(&exported(&here, id)), meaning(&exported(&there, made)), "{name}");
        // The same file says nothing new of what it made.
        there.ends(0, &["projects", "plan", &file, "--project", made]);
    }
    // Standard input, JSON and the service's own answer.
    let id = here.project("Gift finder");
    assert!(here.json(&["projects", "export", &id])["project"]["id"] == json!(id));
    let copy = here.json(&["projects", "duplicate", &id]);
    assert_eq!(copy["project"]["name"], "Gift finder (copy)");
    let shown = |project: &Value| -> Vec<Value> {
        let steps = project["steps"].as_array().unwrap();
        steps.iter().filter_map(|step| step.get("products").cloned()).collect()
    };
    let products = shown(&here.json(&["projects", "show", &id]));
    let copied = shown(&here.json(&["projects", "show", copy["project"]["id"].as_str().unwrap()]));
    // Those of the sample, and what was put on the first step.
    assert_eq!((products.len(), &copied), (3, &products));
    here.ends(2, &["projects", "import", "no-such-file.toml"]);
    here.write("wrong.toml", "cutaway = 1\nname = \"x\"\ncolour = 2\n");
    let (_, said) = here.ends(2, &["projects", "import", "wrong.toml"]);
    assert!(said.contains("wrong.toml: line 3, column 1") && said.contains("colour"), "{said}");
}

#[test]
fn what_is_exported_turns_no_terminal_around_and_says_the_same() {
    let served = Served::start();
    let id = served.project("Gift finder");
    served.prints(&["projects", "update", &id, "--name", "Gift \u{202e}rednif"]);
    for format in ["toml", "json"] {
        let out = served.prints(&["projects", "export", &id, "--format", format]);
        assert!(!out.contains('\u{202e}') && out.to_lowercase().contains("\\u202erednif"), "{out}");
        let file = format!("gift.{format}");
        served.prints(&["projects", "export", &id, &file]);
        assert_eq!(served.read(&file), out);
        // Nothing to do is said; also of a file that an editor of another system saved.
        for line_end in ["\n", "\r\n"] {
            served.write(&file, &out.replace('\n', line_end));
            for command in [&["plan"][..], &["apply", "--yes"], &["apply", "--dry-run"]] {
                let (out, said) = served.ends(0, &[&["projects"], command, &[file.as_str()]].concat());
                assert_eq!(
                    (out.as_str(), said.as_str()),
                    ("", "cutaway: nothing to do: the project matches the file\n")
                );
            }
        }
    }
    served.write("list.json", "[1]");
    let (_, said) = served.ends(2, &["projects", "plan", "list.json"]);
    assert_eq!(said, "cutaway: list.json: a project file is an object, {…}, and this is an array\n");
}

#[test]
fn a_file_that_is_there_is_replaced_only_where_that_is_said() {
    let served = Served::start();
    let id = served.project("Gift finder");
    let store = served.process.ready["app_urls"][0].as_str().unwrap();
    let exports = [
        vec!["projects", "export", &id, "tour.toml"],
        vec!["projects", "export", &id, "tour.svg"],
        vec!["products", "export", "wool.csv", "wool", "--app-url", store],
    ];
    for export in exports {
        let file = export.iter().find(|word| word.contains('.')).unwrap();
        served.write(file, "mine");
        let (_, said) = served.ends(1, &export);
        assert!(said.contains("already") && served.read(file) == "mine", "{said}");
        let again = [&export[..], &["--overwrite"]].concat();
        served.ends(0, &again);
        let written = served.read(file);
        assert!(written.len() > 100);
        served.ends(0, &again);
        assert_eq!(served.read(file), written);
        // What fails on the way leaves the file that is there.
        let (base, nobody) = ("http://127.0.0.1:9", again.clone());
        ended(6, &nobody, &served.run_at(base, &nobody));
        assert_eq!(served.read(file), written);
    }
    let left: Vec<_> = std::fs::read_dir(served.home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".cutaway")), "{left:?}");
}

#[test]
fn a_plan_is_shown_and_applied() {
    let served = Served::start();
    let id = served.project("Gift finder");
    served.prints(&["projects", "export", &id, "gift.toml"]);
    served.ends(0, &["projects", "plan", "gift.toml"]);
    let steps = || served.json(&["projects", "show", &id])["steps"].as_array().unwrap().clone();
    let before = steps();
    let added = "\n[[steps]]\nname = \"one\"\noverlayText = \"The first\"\n\n[[steps.answers]]\ntext = \"Over\"\nnext = \"two\"\n\
                 \n[[steps]]\nname = \"two\"\noverlayText = \"The second\"\nanswerTime = 1.5\n\n[[steps.answers]]\ntext = \"Back\"\nnext = \"one\"\n";
    let file = served.read("gift.toml").replacen("For her", "For them", 1) + added;
    served.write("gift.toml", &file);
    let (out, said) = served.ends(8, &["projects", "plan", "gift.toml"]);
    assert!(said.contains("changes to make"), "{said}");
    let lines: Vec<&str> = out.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(lines[..3], ["+ create step two", "+ create step one", "~ update step two: answer time, answers"]);
    assert!(out.contains("[-her-]{+them+}"), "{out}");
    let (out, _) = served.ends(8, &["projects", "plan", "gift.toml", "--json"]);
    let plan: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(plan["calls"][0]["call"]["call"], "createStep", "{plan}");
    served.ends(0, &["projects", "apply", "gift.toml", "--dry-run"]);
    served.ends(2, &["projects", "apply", "gift.toml"]);
    served.ends(7, &["--read-only", "projects", "apply", "gift.toml", "--yes"]);
    served.ends(7, &["--read-only", "projects", "import", "gift.toml"]);
    served.ends(8, &["--read-only", "projects", "plan", "gift.toml"]);
    assert_eq!(steps(), before);
    let (_, said) = served.ends(0, &["projects", "apply", "gift.toml", "--yes"]);
    assert!(said.contains("create step two") && said.contains("one is "), "{said}");
    assert_eq!(steps().len(), before.len() + 2);
    served.ends(0, &["projects", "plan", "gift.toml"]);
    assert!(served.prints(&["projects", "show", &id]).contains("For them"));
}

/// What becomes of a call that writes.
#[derive(Clone, Copy, PartialEq)]
enum Luck {
    Good,
    /// The service says no.
    Refused,
    /// It never arrives.
    Lost,
    /// It is done, and the answer gets lost.
    Silent,
}

/// Stands before a service; what becomes of the calls that write is told beforehand, all further ones go well.
fn unlucky(base: &str, lucks: &[Luck]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("http://{}", listener.local_addr().unwrap());
    let service = base.strip_prefix("http://").unwrap().to_owned();
    let lucks = Arc::new(Mutex::new(lucks.iter().copied().collect::<VecDeque<_>>()));
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (service, lucks) = (service.clone(), Arc::clone(&lucks));
            std::thread::spawn(move || pass_on(socket.unwrap(), &service, &lucks));
        }
    });
    at
}

/// One request of one connection.
fn pass_on(socket: TcpStream, service: &str, lucks: &Mutex<VecDeque<Luck>>) {
    let mut socket = BufReader::new(socket);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if !socket.read_line(&mut head).is_ok_and(|read| read > 0) {
            return;
        }
    }
    let lower = head.to_ascii_lowercase();
    let length =
        lower.split_once("content-length: ").map_or(0, |(_, rest)| rest.split("\r\n").next().unwrap().parse().unwrap());
    let mut body = vec![0; length];
    socket.read_exact(&mut body).unwrap();
    let writes =
        ["POST /projects ", "POST /projects/steps ", "PUT ", "DELETE "].iter().any(|begin| head.starts_with(begin));
    let luck = if writes { lucks.lock().unwrap().pop_front().unwrap_or(Luck::Good) } else { Luck::Good };
    if luck == Luck::Lost {
        let _ = socket.get_mut().shutdown(Shutdown::Both);
        return;
    }
    if luck == Luck::Refused {
        let _ = socket.get_mut().write_all(b"HTTP/1.1 422 x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        return;
    }
    let mut other = TcpStream::connect(service).unwrap();
    other.write_all(head.replacen("\r\n", "\r\nconnection: close\r\n", 1).as_bytes()).unwrap();
    other.write_all(&body).unwrap();
    let mut answer = Vec::new();
    other.read_to_end(&mut answer).unwrap();
    if luck == Luck::Silent {
        let _ = socket.get_mut().shutdown(Shutdown::Both);
        return;
    }
    let _ = socket.get_mut().write_all(&answer);
}

#[test]
fn nothing_is_created_twice_where_answers_get_lost() {
    use Luck::{Good, Lost, Refused, Silent};
    let served = Served::start();
    let id = served.project("Gift finder");
    served.prints(&["projects", "export", &id, "gift.json"]);
    let steps = |id: &str| served.json(&["projects", "show", id])["steps"].as_array().unwrap().len();
    let (count, projects) = (steps(&id), served.projects().len());

    let lucks = [Silent, Silent, Good, Lost, Good, Silent, Silent, Lost, Silent];
    let base = unlucky(served.base(), &lucks);
    let import = ["projects", "import", "gift.json", "--name", "Lucky"];
    let (out, _) = ended(0, &import, &served.run_at(&base, &import));
    let made = field(&out, "Id");
    assert_eq!((steps(made), served.projects().len()), (count, projects + 1));
    let exported = |id: &str| meaning(&served.prints(&["projects", "export", id, "--format", "json"]));
    assert_eq!(exported(&id), exported(made));

    // Refused on the way it stops, and goes on where it is told to.
    let base = unlucky(served.base(), &[Good, Good, Silent, Refused]);
    let import = ["projects", "import", "gift.json", "--name", "Halted"];
    let (_, said) = ended(1, &import, &served.run_at(&base, &import));
    let made = said.split("project ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    assert_eq!(steps(&made), 2, "{said}");
    let base = unlucky(served.base(), &[Silent, Lost, Good, Refused]);
    let apply = ["projects", "apply", "gift.json", "--project", &made, "--yes"];
    ended(1, &apply, &served.run_at(&base, &apply));
    served.ends(0, &apply);
    assert_eq!((steps(&made), served.projects().len()), (count, projects + 2));
    assert_eq!(exported(&id), exported(&made));
}
