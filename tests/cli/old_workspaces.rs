//! What earlier versions left on the disk: every version opens it, and what a newer one wrote is refused with a sentence
//! and left as it is.
//!
//! `tests/fixtures/workspaces` has a home for each set of versions that there was: settings, a credential, the local
//! workspace, a draft, a queue of uploads, searches and a session, and later ones an uploaded video, what guests over SSH need
//! and webhook events that were kept, as the program of that time wrote them. Where the form
//! of a file changes, `cargo test --test cli old_workspaces:: -- --ignored` adds one more; those that are there stay as they are.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // All of it is tests.

use crate::serving;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use serving::{Process, serve, text};
use tempfile::TempDir;

const STORE: &str = "https://kept.example";
const PROJECT: &str = "Kept tour";
const PROFILE: &str = "shop";

/// The files that have a version, with where they stand in a home.
const KINDS: [(&str, &str); 7] = [
    ("config", "config/cutaway/config.toml"),
    ("credentials", "data/cutaway/credentials.toml"),
    ("database", "data/cutaway/local/cutaway.sqlite3"),
    ("draft", "state/cutaway/drafts/*.draft"),
    ("queue", "state/cutaway/uploads/*/journal"),
    ("searches", "state/cutaway/products.json"),
    ("session", "state/cutaway/session.toml"),
];

/// The same for what the first homes that were kept have not.
const LATER: [(&str, &str); 1] = [("visits", "state/cutaway/visits/*.sqlite3")];

/// What a guest over SSH signs in with: the public key of the first test of RFC 8032, § 7.1.
const GUEST: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea alice";
const UPLOADED: &str = "help-3.mp4";

/// A person's folders.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// As an archive has it: the archive itself is never written to.
    fn of(archive: &Path) -> Self {
        let home = Self::new();
        tar::Archive::new(GzDecoder::new(fs::File::open(archive).unwrap())).unpack(home.path()).unwrap();
        home
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = serving::cutaway(self.path());
        for (variable, folder) in
            [("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data"), ("XDG_STATE_HOME", "state")]
        {
            command.env(variable, self.path().join(folder));
        }
        command.env("LANG", "C.UTF-8").current_dir(self.path()).args(arguments);
        command
    }

    /// What a command prints that succeeds.
    fn prints(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout).to_owned()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.prints(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// What a command says that refuses.
    fn refuses(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(!output.status.success(), "{arguments:?}: {}", text(&output.stdout));
        text(&output.stderr).to_owned()
    }

    /// What a command is given on its standard input, and what comes of it.
    fn told(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// A dialogue with the studio: these lines, and what it says to them.
    fn studio(&self, lines: &[&str]) -> String {
        let output = self.told(&["--plain"], &(lines.join("\n") + "\nquit\n"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    }

    /// The service of the profile is at a port that nobody is given: the one that it had may be another test's by now.
    fn moves_the_service_away(&self) {
        let file = self.file("config");
        let gone = |line: &str| match line.strip_prefix("base_url = ") {
            Some(_) => "base_url = \"http://127.0.0.1:1\"\n".to_owned(),
            None => format!("{line}\n"),
        };
        fs::write(&file, read(&file).lines().map(gone).collect::<String>()).unwrap();
    }

    /// Imports a webhook event about a visit; what became of it.
    fn imports_visit(&self, project: &str) -> Value {
        let event = serde_json::json!({
            "sessionId": "kept-1", "projectId": project, "timestamp": 1_767_225_600,
            "events": [{ "eventName": "completed", "stepName": "aaaaa" }],
        });
        fs::write(self.path().join("events.ndjson"), event.to_string()).unwrap();
        self.json(&["webhooks", "import", "events.ndjson"])
    }

    fn file(&self, kind: &str) -> PathBuf {
        let (_, path) = KINDS.iter().chain(&LATER).find(|(known, _)| *known == kind).unwrap();
        match path.split_once('*') {
            Some((folder, ending)) => only(&self.path().join(folder), ending.trim_start_matches('/')),
            None => self.path().join(path),
        }
    }

    /// The versions of the files; none where a file says nothing of one, as the first did.
    fn versions(&self) -> BTreeMap<&'static str, Option<u64>> {
        let later = LATER.iter().filter(|_| self.has_later());
        KINDS.iter().chain(later).map(|(kind, _)| (*kind, version(kind, &self.file(kind)))).collect()
    }

    /// Whether it has what the first ones have not.
    fn has_later(&self) -> bool {
        self.path().join("state/cutaway/visits").exists()
    }

    /// Serves its workspace to guests over SSH.
    fn serves(&self) -> Process {
        let mut command = serving::serve_locally(self.path(), &self.path().join("data/cutaway/local"));
        Process::start(command.args(["--ssh", "127.0.0.1:0"]))
    }

    /// Where a file of the workspace is.
    fn local(&self, path: &str) -> PathBuf {
        self.path().join("data/cutaway/local").join(path)
    }
}

/// The only file below a folder that ends so.
fn only(folder: &Path, ending: &str) -> PathBuf {
    let mut found: Vec<PathBuf> = below(folder);
    found.retain(|path| path.to_string_lossy().ends_with(ending));
    assert_eq!(found.len(), 1, "{ending}: {found:?}");
    found.remove(0)
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
}

fn fixtures(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(kind)
}

fn kept(kind: &str) -> Vec<PathBuf> {
    let files = below(&fixtures(kind));
    assert!(!files.is_empty());
    files
}

/// The newest home: the one of today's versions.
fn today() -> Home {
    let of = |archive: &PathBuf| Home::of(archive).versions().into_values().collect::<Vec<_>>();
    Home::of(&kept("workspaces").into_iter().max_by_key(of).unwrap())
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

fn version(kind: &str, file: &Path) -> Option<u64> {
    match kind {
        "database" | "visits" => {
            let database = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
            let version: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
            u64::try_from(version).ok()
        }
        "draft" | "queue" => {
            let text = read(file);
            text.lines().next()?.strip_prefix(mark(kind))?.split(' ').next()?.parse().ok()
        }
        "searches" => serde_json::from_str::<Value>(&read(file)).unwrap()["version"].as_u64(),
        _ => {
            let table: toml::Table = read(file).parse().unwrap();
            table.get("version").and_then(|version| u64::try_from(version.as_integer()?).ok())
        }
    }
}

/// What the heading of a journal begins with.
fn mark(kind: &str) -> &'static str {
    if kind == "draft" { "cutaway-draft " } else { "cutaway-uploads " }
}

/// Makes a file one of another version.
fn raise(kind: &str, file: &Path, to: u64) {
    match kind {
        "database" => {
            let database = Connection::open(file).unwrap();
            database.pragma_update(None, "user_version", i64::try_from(to).unwrap()).unwrap();
        }
        "draft" | "queue" => {
            let all = read(file);
            let rest = if all.starts_with(mark(kind)) { all.split_once('\n').unwrap().1 } else { &all };
            // Lines of another form: a heading alone that doesn't fit its lines is taken for a damaged one.
            let lines: String = rest.lines().flat_map(|line| ["later ", line, "\n"]).collect();
            fs::write(file, format!("{}{to}\n{lines}", mark(kind))).unwrap();
        }
        "searches" => {
            let mut all: Value = serde_json::from_str(&read(file)).unwrap();
            all["version"] = to.into();
            fs::write(file, all.to_string()).unwrap();
        }
        _ => {
            let all = read(file);
            let rest: Vec<&str> = all.lines().filter(|line| !line.starts_with("version = ")).collect();
            fs::write(file, format!("version = {to}\n{}\n", rest.join("\n"))).unwrap();
        }
    }
}

/// What a person does with today's program until there is something of every kind.
fn made() -> Home {
    let home = Home::new();
    let sample: Value =
        serde_json::from_str(&read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample/products.json")))
            .unwrap();
    let mut product = sample["products"][0]["product"].clone();
    product["title"] = "Kept sock".into();
    product["media"] = Value::Array(Vec::new());
    (product["featuredMediaId"], product["featuredMediaPreviewUrl"]) = (Value::Null, Value::Null);
    fs::write(home.path().join("products.ndjson"), format!("{product}\n")).unwrap();
    home.prints(&["serve", "import-products", "products.ndjson", "--app-url", STORE, "--data", "data/cutaway/local"]);
    let id = |value: Value| value["id"].as_str().unwrap().to_owned();
    let project = id(home.json(&["projects", "create", PROJECT]));
    let video = id(home.json(&["videos", "create", "https://kept.example/film.mp4", "--name", "Film"]));
    let first = id(home.json(&["steps", "create", &project, "--overlay-text", "Which way?", "--video", &video]));
    let second = id(home.json(&["steps", "create", &project, "--overlay-text", "This way"]));
    home.prints(&["steps", "update", &first, "--answer", &format!("On=>{second}"), "--answer", "Nowhere=>"]);
    home.prints(&["webhooks", "create", "conversion", "https://kept.example/hook"]);
    let served = home.serves();
    let film = sample_file(UPLOADED);
    let mut upload = home.command(&["--base-url", served.base(), "videos", "upload", film.to_str().unwrap()]);
    let output = upload.env("CUTAWAY_API_KEY", served.key()).env("XDG_STATE_HOME", home.path().join("other")).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    drop(served);
    home.prints(&["serve", "ssh-key", "add", GUEST, "--data", "data/cutaway/local"]);
    home.imports_visit(&project);
    sign_in(&home);
    configure(&home);
    home.studio(&[
        "search sock",
        "save search",
        "Socks",
        "go to projects",
        "open Kept tour",
        "open Kept tour",
        "new step",
    ]);
    home
}

fn sample_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample/videos").join(name)
}

/// A profile with a credential and an upload that waits, at a service that is gone afterwards.
fn sign_in(home: &Home) {
    let served = tempfile::tempdir().unwrap();
    let process = Process::start(&mut serve(served.path(), &served.path().join("served")));
    let login = ["login", "--profile", PROFILE, "--base-url", process.base(), "--api-key-stdin"];
    let output = home.told(&login, process.key());
    assert!(output.status.success(), "{}", text(&output.stderr));
    drop(process);
    fs::copy(sample_file(UPLOADED), home.path().join("waiting.mp4")).unwrap();
    home.prints(&["--profile", PROFILE, "videos", "upload", "waiting.mp4", "--detach"]);
    home.prints(&["--profile", PROFILE, "videos", "queue", "pause", "1"]);
}

/// Settings of a person's own; commands work on the local workspace.
fn configure(home: &Home) {
    let file = home.file("config");
    let all = read(&file).replace(&format!("default_profile = \"{PROFILE}\"\n"), "theme = \"mine\"\n");
    fs::write(&file, format!("{all}read_only = true\n")).unwrap();
    fs::write(file.with_file_name("keymap.toml"), "[products]\n\"ö\" = \"products.search.saved\"\n").unwrap();
    fs::create_dir_all(file.with_file_name("themes")).unwrap();
    let theme = Path::new(env!("CARGO_MANIFEST_DIR")).join("themes/dark.toml");
    fs::copy(theme, file.with_file_name("themes").join("mine.toml")).unwrap();
}

#[test]
#[ignore = "writes fixtures: run it where the form of a file changes, and keep what it writes"]
fn a_home_of_today_is_kept() {
    let home = made();
    let name = |(kind, version): (&str, Option<u64>)| format!("{kind}{}", version.unwrap_or(0));
    let name: Vec<String> = home.versions().into_iter().map(name).collect();
    let archive = fixtures("workspaces").join(format!("{}.tar.gz", name.join("-")));
    let mut tar = tar::Builder::new(GzEncoder::new(fs::File::create(archive).unwrap(), Compression::best()));
    for folder in ["config", "data", "state"] {
        for path in below(&home.path().join(folder)) {
            // Sockets aren't kept, nor is what is only told.
            if path.metadata().unwrap().is_file() && path.extension().is_none_or(|ending| ending != "log") {
                tar.append_path_with_name(&path, path.strip_prefix(home.path()).unwrap()).unwrap();
            }
        }
    }
    tar.into_inner().unwrap().finish().unwrap();
    let project = home.json(&["projects", "list"])["projects"][0]["id"].as_str().unwrap().to_owned();
    for format in ["toml", "json"] {
        let file = home.path().join("project").with_extension(format);
        home.prints(&["projects", "export", &project, file.to_str().unwrap()]);
        let version = format_of(&read(&file));
        fs::copy(&file, fixtures("projects").join(format!("{version}.{format}"))).unwrap();
    }
}

/// The version of a project file.
fn format_of(file: &str) -> u64 {
    let digits = file.split("cutaway").nth(1).unwrap().trim_start_matches(['"', ':', '=', ' ']);
    digits.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

#[test]
fn the_forms_of_today_are_among_those_that_are_kept() {
    let home = made();
    let homes: Vec<_> = kept("workspaces").iter().map(|archive| Home::of(archive).versions()).collect();
    let now = home.versions();
    assert!(
        homes.contains(&now),
        "the form of a file changed: run `cargo test --test cli old_workspaces:: -- --ignored` and keep what it writes; \
         now {now:?}, kept {homes:?}"
    );
    let project = home.json(&["projects", "list"])["projects"][0]["id"].as_str().unwrap().to_owned();
    let format = format_of(&home.prints(&["projects", "export", &project, "-", "--format", "toml"]));
    assert!(kept("projects").iter().any(|file| format_of(&read(file)) == format), "{format}");
}

#[test]
fn every_home_that_was_kept_opens() {
    for archive in kept("workspaces") {
        let home = Home::of(&archive);
        let project = home.json(&["projects", "list"])["projects"][0]["id"].as_str().unwrap().to_owned();
        let steps = || {
            let shown = home.json(&["projects", "show", &project]);
            assert_eq!(shown["project"]["name"], PROJECT, "{}", archive.display());
            shown["steps"].as_array().unwrap().len()
        };
        assert_eq!(steps(), 2);
        assert_eq!(home.json(&["products", "count"])["total"], 1);
        assert_eq!(home.json(&["videos", "list"])["videos"][0]["name"], "Film");
        assert!(home.prints(&["webhooks", "list", "--json"]).contains("https://kept.example/hook"));
        let profiles = home.prints(&["profiles"]);
        assert!(profiles.contains(PROFILE) && profiles.contains("credential file"), "{profiles}");
        assert!(home.prints(&["--profile", PROFILE, "videos", "queue"]).contains("waiting.mp4"));
        if home.has_later() {
            opens_later(&home, &project);
        }
        // The credential is read; it is the service that is gone.
        home.moves_the_service_away();
        let refused = home.refuses(&["--profile", PROFILE, "whoami"]);
        assert!(refused.contains("couldn't reach"), "{}: {refused}", archive.display());
        // It begins where it was left, with the draft and the last search.
        let said = home.studio(&["where", "save", "Enter", "where", "go to products", "ö", "Socks"]);
        for words in [
            "Restored your draft",
            "Project: Kept tour; draft: 1 edit not saved",
            "create step new-1",
            "Restored your last search: sock",
            "Kept sock",
        ] {
            assert!(said.contains(words), "{}: {words}:\n{said}", archive.display());
        }
        assert!(said.contains("All changes saved") || said.contains("Saved. "), "{}:\n{said}", archive.display());
        assert_eq!(steps(), 3);
    }
}

/// An uploaded video, a guest's key with that of the host, and webhook events are there, and known as what they are.
fn opens_later(home: &Home, project: &str) {
    let taken = home.imports_visit(project);
    assert_eq!((&taken["kept"], &taken["known"]), (&0.into(), &1.into()), "{taken}");
    let host_key = fs::read(home.local("ssh/host_key")).unwrap();
    let served = home.serves();
    let list = home.prints(&["serve", "ssh-key", "list", "--json", "--data", "data/cutaway/local"]);
    assert!(list.contains("alice"), "{list}");
    assert_eq!(fs::read(home.local("ssh/host_key")).unwrap(), host_key);
    let mut list = home.command(&["--base-url", served.base(), "videos", "list", "--json"]);
    let list = list.env("CUTAWAY_API_KEY", served.key()).output().unwrap();
    let list: Value = serde_json::from_slice(&list.stdout).unwrap();
    let videos = list["videos"].as_array().unwrap();
    let uploaded = videos.iter().find(|video| video["name"] == UPLOADED);
    let address = uploaded.unwrap_or_else(|| panic!("{list}"))["videoUrl"].as_str().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let film = runtime.block_on(async { reqwest::get(address).await.unwrap().bytes().await.unwrap() });
    assert!(film == fs::read(sample_file(UPLOADED)).unwrap(), "{address}");
}

#[test]
fn every_project_file_that_was_kept_is_imported() {
    let home = today();
    for file in kept("projects") {
        let name = format!("From {}", file.file_name().unwrap().to_str().unwrap());
        let output = home.command(&["projects", "import", file.to_str().unwrap(), "--name", &name]).output().unwrap();
        assert!(output.status.success(), "{}: {}", file.display(), text(&output.stderr));
        let list = home.json(&["projects", "list"]);
        let made =
            list["projects"].as_array().unwrap().iter().find(|project| project["name"] == name.as_str()).unwrap();
        let shown = home.json(&["projects", "show", made["id"].as_str().unwrap()]);
        let steps = shown["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 2, "{}: {shown}", file.display());
        assert!(steps.iter().any(|step| step["overlayText"] == "Which way?" && step["answers"][0]["text"] == "On"));
    }
}

/// A home of today in which one file is a version later, with that file and its bytes.
fn newer(kind: &str) -> (Home, PathBuf, Vec<u8>) {
    let home = today();
    let file = home.file(kind);
    raise(kind, &file, version(kind, &file).unwrap_or(1) + 1);
    let bytes = fs::read(&file).unwrap();
    (home, file, bytes)
}

#[test]
fn commands_refuse_what_a_newer_version_wrote_and_leave_it_as_it_is() {
    let cases: [(&str, &[&str]); 4] = [
        ("config", &["profiles", "rename", PROFILE, "stall"]),
        ("credentials", &["--profile", PROFILE, "whoami"]),
        ("database", &["projects", "list"]),
        ("queue", &["--profile", PROFILE, "videos", "queue"]),
    ];
    for (kind, arguments) in cases {
        let (home, file, before) = newer(kind);
        let raised = version(kind, &file);
        let said = home.refuses(arguments);
        assert!(said.contains("update Cutaway") && said.lines().count() == 1, "{kind}: {said}");
        assert_eq!(version(kind, &file), raised, "{kind}");
        // The database itself decides which of its bytes are written when it is opened.
        assert!(kind == "database" || fs::read(&file).unwrap() == before, "{kind}");
    }
}

#[test]
fn project_files_of_a_newer_version_are_refused() {
    let home = today();
    for file in kept("projects") {
        let all = read(&file);
        let newest = kept("projects").iter().map(|file| format_of(&read(file))).max().unwrap();
        if format_of(&all) < newest {
            continue;
        }
        let later = home.path().join(file.file_name().unwrap());
        fs::write(&later, all.replacen(&newest.to_string(), &(newest + 1).to_string(), 1)).unwrap();
        let said = home.refuses(&["projects", "import", later.to_str().unwrap()]);
        assert!(said.contains(&format!("the file has format {}", newest + 1)), "{said}");
    }
}

#[test]
fn the_studio_says_what_a_newer_version_wrote_and_leaves_it_as_it_is() {
    for kind in ["draft", "searches", "session"] {
        let (home, file, before) = newer(kind);
        let raised = version(kind, &file).unwrap();
        // A long warning goes on where one asks for more.
        let said =
            home.studio(&["more", "search boots", "go to projects", "open Kept tour", "open Kept tour", "where"]);
        assert!(said.contains(&format!("newer version of Cutaway (format {raised})")), "{kind}:\n{said}");
        assert_eq!(fs::read(&file).unwrap(), before, "{kind}");
    }
}
