//! The real binary, serving a folder of its own with the sample store, and the command line that asks it.

#![allow(dead_code, clippy::unwrap_used, clippy::indexing_slicing, clippy::missing_panics_doc)]

#[allow(clippy::duplicate_mod)] // Some tests have both.
#[path = "../s3/mod.rs"]
pub mod s3;

#[allow(clippy::duplicate_mod)] // Some tests have both.
#[path = "../postgres/mod.rs"]
pub mod postgres;

#[allow(clippy::duplicate_mod)] // Some tests have both.
#[path = "../cluster/mod.rs"]
mod cluster;

mod sample;
#[allow(unused_imports)] // Not every test program has a service of that kind.
pub use sample::OWN as OWN_SAMPLE;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The binary with nothing of this process's surroundings, its folders under `home`.
pub fn cutaway(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutaway"));
    command.env_clear().stdin(Stdio::null());
    for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
        command.env(variable, home.join(folder));
    }
    command
}

/// Whether what a command said tells of a panic, in this program's words or in those of the library.
pub fn tells_panic(said: &str) -> bool {
    said.contains("internal error in thread") || said.contains("panicked")
}

/// What was printed.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A command beside the service on a folder, which knows where that service keeps its workspace.
pub fn beside(home: &Path, data: &Path, arguments: &[&str]) -> Command {
    let mut command = cutaway(home);
    command.arg("serve").args(arguments).arg("--data").arg(data);
    if let Some(blobs) = s3::of_folder(data) {
        command.env("CUTAWAY_BLOBS", blobs);
    }
    if let Some(database) = postgres::of_folder(data) {
        command.env("CUTAWAY_DATABASE_URL", database);
    }
    command
}

/// The command that serves what is in a folder, whatever the tests run on: local workspaces are nowhere else.
pub fn serve_locally(home: &Path, data: &Path) -> Command {
    let mut command = cutaway(home);
    command.args(["serve", "--listen", "127.0.0.1:0", "--ready-json", "--data"]).arg(data);
    command
}

/// The command that serves a folder on a free port and says when it accepts connections.
pub fn serve(home: &Path, data: &Path) -> Command {
    let mut command = serve_locally(home, data);
    if let Some(blobs) = s3::of_folder(data) {
        command.env("CUTAWAY_BLOBS", blobs);
    }
    if let Some(database) = postgres::of_folder(data) {
        command.env("CUTAWAY_DATABASE_URL", database);
    }
    command
}

/// A process that serves, until this is dropped. Where the tests ask for it, it is one of three behind a balancer.
pub struct Process {
    child: Child,
    /// The others, and the balancer.
    cluster: Option<cluster::Cluster>,
    /// What it said once it accepted connections.
    pub ready: Value,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    /// Starts a command that [`serve`] made, and waits until it accepts connections.
    pub fn start(command: &mut Command) -> Self {
        if let Some(starting) = cluster::Starting::of(command) {
            let (child, ready, cluster) = starting.start(command);
            return Self { child, cluster: Some(cluster), ready };
        }
        if postgres::is_wanted() && !postgres::is_cluster() {
            postgres::tally("postgres: one process");
        }
        let (child, ready) = started(command);
        Self { child, cluster: None, ready }
    }

    /// What it said under this name.
    pub fn word(&self, name: &str) -> &str {
        self.ready[name].as_str().unwrap()
    }

    /// Its address.
    pub fn base(&self) -> &str {
        self.word("base_url")
    }

    /// A key of its workspace, which ends with it.
    pub fn key(&self) -> &str {
        self.word("api_key")
    }

    /// The process itself, to be waited for or sent a signal.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }
}

/// Starts a process; what it said once it accepted connections.
fn started(command: &mut Command) -> (Child, Value) {
    sample::prepare(command);
    let said = tempfile::NamedTempFile::new().unwrap();
    let mut child = command.stdout(Stdio::piped()).stderr(said.reopen().unwrap()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let ready = serde_json::from_str(&line);
    assert!(ready.is_ok(), "it does not serve: {}", std::fs::read_to_string(&said).unwrap_or_default());
    (child, ready.unwrap())
}

/// Sends it SIGTERM.
fn terminate(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    kill_process(Pid::from_child(child), Signal::TERM).unwrap();
}

/// Makes a folder that is its owner's alone.
fn private_folder(folder: &Path) {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).unwrap();
}

/// `cutaway serve` on a folder of its own, with the sample store.
pub struct Served {
    process: Process,
    /// What it said once it accepted connections.
    pub ready: Value,
    /// Where its folder and those of the commands are.
    pub home: TempDir,
}

impl Served {
    /// Starts it.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// Starts it with these flags too.
    pub fn with(flags: &[&str]) -> Self {
        Self::of(tempfile::tempdir().unwrap(), flags)
    }

    /// Starts it where another one was.
    pub fn at(home: TempDir) -> Self {
        Self::of(home, &[])
    }

    /// The same, with a log in the state folder.
    pub fn logging(home: TempDir) -> Self {
        Self::started(home, |command| command.env("CUTAWAY_LOG", "info"))
    }

    /// The same with flags, and a log of everything.
    pub fn logging_all(flags: &[&str]) -> Self {
        Self::started(tempfile::tempdir().unwrap(), |command| command.env("CUTAWAY_LOG", "debug").args(flags))
    }

    /// How many lines of its log say this.
    pub fn logged(&self, what: &str) -> usize {
        let [count] = self.logged_each([what]);
        count
    }

    /// How many lines of its log say each of these, at one time.
    pub fn logged_each<const N: usize>(&self, whats: [&str; N]) -> [usize; N] {
        let logs = std::fs::read_dir(self.home.path().join("s/cutaway")).into_iter().flatten().flatten();
        let texts: Vec<Vec<u8>> = logs.filter_map(|file| std::fs::read(file.path()).ok()).collect();
        let texts: Vec<_> = texts.iter().map(|text| String::from_utf8_lossy(text)).collect();
        whats.map(|what| texts.iter().flat_map(|text| text.lines()).filter(|line| line.contains(what)).count())
    }

    fn of(home: TempDir, flags: &[&str]) -> Self {
        Self::started(home, |command| command.args(flags))
    }

    /// Starts it in its home, its folder named from there, with flags.
    #[allow(dead_code)] // Not every test program names it so.
    pub fn named_from_home(flags: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut command = serve(home.path(), std::path::Path::new("served"));
        let process = Process::start(command.current_dir(home.path()).arg("--sample").args(flags));
        Self { ready: process.ready.clone(), process, home }
    }

    fn started(home: TempDir, with: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let data = home.path().join("served");
        let process = Process::start(with(serve(home.path(), &data).arg("--sample")));
        Self { ready: process.ready.clone(), process, home }
    }

    /// Starts it with flags where another one was.
    pub fn in_home(home: TempDir, flags: &[&str]) -> Self {
        Self::of(home, flags)
    }

    /// Ends it by SIGTERM; how it ended, and its home.
    pub fn terminated(mut self) -> (std::process::ExitStatus, TempDir) {
        let others = self.process.cluster.as_mut().map_or(&mut [][..], cluster::Cluster::others);
        others.iter().chain([&self.process.child]).for_each(terminate);
        for other in others {
            assert!(other.wait().unwrap().success());
        }
        (self.process.child.wait().unwrap(), self.home)
    }

    /// Ends it as `kill -9` does; its home, and the folder that it served.
    pub fn killed(self) -> (TempDir, PathBuf) {
        drop(self.process);
        let data = self.home.path().join("served");
        (self.home, data)
    }

    /// Its address.
    pub fn base(&self) -> &str {
        self.process.base()
    }

    /// A key of its workspace.
    pub fn key(&self) -> &str {
        self.process.key()
    }

    /// The sample store.
    pub fn store(&self) -> &str {
        self.ready["app_urls"][0].as_str().unwrap()
    }

    /// A command that asks it.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = cutaway(self.home.path());
        command
            .env("CUTAWAY_BASE_URL", self.base())
            .env("CUTAWAY_API_KEY", self.key())
            .env("CUTAWAY_APP_URL", self.store())
            .current_dir(self.home.path())
            .args(arguments);
        if let Some(database) = postgres::of_folder(&self.home.path().join("served")) {
            command.env("CUTAWAY_DATABASE_URL", database);
        }
        command
    }

    /// What came of a command.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What it prints where it ends with this exit code, which has to have a reason.
    pub fn ends(&self, code: i32, arguments: &[&str]) -> (String, String) {
        let output = self.run(arguments);
        let (out, said) = (text(&output.stdout).to_owned(), text(&output.stderr).to_owned());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {out}{said}");
        assert!(!tells_panic(&said) && said.is_empty() == (code == 0), "{arguments:?}: {said}");
        (out, said)
    }

    /// What it prints where it succeeds.
    pub fn prints(&self, arguments: &[&str]) -> String {
        self.ends(0, arguments).0
    }

    /// What it prints where it succeeds, whatever it says beside that.
    pub fn prints_with_words(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout).to_owned()
    }

    /// The document that it prints with `--json`.
    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.prints(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// The service's own answer, as another client reads it.
    pub fn answer(&self, method: reqwest::Method, path: &str, body: Option<Value>) -> Value {
        let url = format!("{}{path}", self.base());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut asked = reqwest::Client::new().request(method, url).bearer_auth(self.key());
            if let Some(body) = body {
                asked = asked.json(&body);
            }
            asked.send().await.unwrap().json().await.unwrap()
        })
    }
}

/// A service that gives every request that it knows its answer: `(known, status, body)`, where a request is known by its
/// method and path, or by its path alone.
pub fn pretend(answers: &'static [(&'static str, u16, &'static str)]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = BufReader::new(socket.unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && socket.read_line(&mut head).is_ok_and(|read| read > 0) {}
            let length = head
                .to_ascii_lowercase()
                .split_once("content-length: ")
                .map_or(0, |(_, rest)| rest.split("\r\n").next().unwrap().parse().unwrap());
            let _ = socket.read_exact(&mut vec![0; length]);
            let asked = head.split(" HTTP").next().unwrap().to_owned();
            let path = asked.split_once(' ').map_or("", |(_, path)| path).to_owned();
            let known = answers.iter().find(|(known, ..)| *known == asked || *known == path);
            let (status, body) = known.map_or((404, ""), |answer| (answer.1, answer.2));
            let answer =
                format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
            let _ = socket.get_mut().write_all(answer.as_bytes());
        }
    });
    base
}
