//! Where the program goes by itself: to the hosts that a person configured, and nowhere else. No telemetry, no look for a
//! newer version, no fonts, no pictures from elsewhere.
//!
//! A person's tour and the commands of a script run behind a proxy that writes down every host that is asked for, and in a
//! local workspace; both with every `connect` of the processes written down by `strace`, where that is installed.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::line::clip;
use crate::serving::{Process, cutaway};
use crate::terminal::Start;
use crate::tour;

/// What the profile names. Nothing answers to such a name but the proxy.
const HOSTS: [(&str, &str); 3] = [
    // Uploads go there too: the service has one public address.
    ("--base-url", "api.cutaway.example"),
    ("--lb-base-url", "lb.cutaway.example"),
    ("--auth-url", "auth.cutaway.example"),
];

/// A proxy that leads every connection to one service and keeps for which host it was.
struct Recording {
    address: String,
    asked: Arc<Mutex<BTreeSet<String>>>,
}

impl Recording {
    fn before(service: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(BTreeSet::new()));
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                // A client that goes away ends only its own connection.
                thread::spawn(move || drop(pass(client, service, &kept)));
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> BTreeSet<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Leads a connection through; a request that asks for none is written down and refused.
fn pass(client: TcpStream, service: SocketAddr, asked: &Mutex<BTreeSet<String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let mut words = head.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    asked.lock().unwrap().insert(target.to_owned());
    if method != "CONNECT" {
        return (&client).write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    }
    let server = TcpStream::connect(service)?;
    (&client).write_all(b"HTTP/1.1 200 Connected\r\n\r\n")?;
    let mut forth = server.try_clone()?;
    // What was read with the head goes first.
    let there = thread::spawn(move || {
        drop(std::io::copy(&mut reader, &mut forth));
        forth.shutdown(Shutdown::Write)
    });
    let mut back = server;
    let _ = std::io::copy(&mut back, &mut &client);
    client.shutdown(Shutdown::Write)?;
    let _ = there.join();
    Ok(())
}

/// The commands of a script: one of each kind, and those that look around by themselves.
fn commands(start: &Start, traces: &Traces) {
    let says = |arguments: &[&str]| {
        let output = traces.command(start.command(arguments)).output().unwrap();
        let (said, why) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        // `lint` ends with 1 where there are errors, as the sample has them.
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {why}");
        said
    };
    let json = |arguments: &[&str]| -> Value {
        let said = says(&[arguments, &["--json"]].concat());
        serde_json::from_str(said.lines().next().unwrap_or_default()).or_else(|_| serde_json::from_str(&said)).unwrap()
    };
    let product = json(&["products", "search", "wool", "--limit", "1"])["products"][0]["externalProductId"]
        .as_str()
        .unwrap()
        .to_owned();
    for arguments in [
        &["whoami"] as &[&str],
        &["products", "get", &product],
        &["products", "media", &product],
        &["products", "count"],
        &["projects", "folders"],
        &["videos", "list"],
        &["webhooks", "list"],
        &["lint"],
    ] {
        says(arguments);
    }
    let project = json(&["projects", "list"])["projects"][0]["id"].as_str().unwrap().to_owned();
    says(&["projects", "export", &project, "-", "--format", "toml"]);
    let film = start.home().join("film.mp4");
    std::fs::write(&film, clip(10)).unwrap();
    says(&["videos", "upload", film.to_str().unwrap()]);
    says(&["completions", "bash"]);
    // It has something to say of nearly every machine.
    let looked = traces.command(start.command(&["doctor"])).output().unwrap();
    assert!(looked.status.code().is_some());
}

#[test]
fn only_the_configured_hosts_are_asked() {
    let folder = tempfile::tempdir().unwrap();
    let tls = |name: &str| format!("{}/tests/tls/{name}", env!("CARGO_MANIFEST_DIR"));
    // Free when it was looked for, and not one that the servers of other tests are given meanwhile: those are at 127.0.0.1.
    // Not every system has a second address of its own.
    let free = TcpListener::bind("127.0.0.7:0").or_else(|_| TcpListener::bind("127.0.0.1:0"));
    let address = free.unwrap().local_addr().unwrap();
    let mut served = cutaway(folder.path());
    served.args(["serve", "--sample", "--ready-json", "--listen", &address.to_string(), "--data"]);
    served.arg(folder.path().join("served")).args(["--public-url", "https://api.cutaway.example"]);
    served.args(["--tls-cert", &tls("hosts.pem"), "--tls-key", &tls("hosts.key")]);
    let process = Process::start(&mut served);
    let proxy = Recording::before(address);
    let store = process.ready["app_urls"][0].as_str().unwrap().to_owned();
    let mut start = Start::new()
        .with("CUTAWAY_API_KEY", process.key())
        .with("SSL_CERT_FILE", &tls("hosts-authority.pem"))
        .arguments(&["--app-url", &store]);
    for (flag, host) in HOSTS {
        start = start.arguments(&[flag, &format!("https://{host}")]);
    }
    for variable in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        start = start.with(variable, &proxy.address);
    }
    let beside = start.again_with_arguments();
    let traces = Traces::of(&start, "connections that pass by the proxy");
    tour::tour(traces.start(start).size(120, 40));
    commands(&beside, &traces);
    // Nothing went past the proxy.
    assert_eq!(traces.outgoing(), Vec::<String>::new());
    let asked = proxy.asked();
    let known: BTreeSet<String> = HOSTS.iter().map(|(_, host)| format!("{host}:443")).collect();
    assert!(asked.contains("api.cutaway.example:443"), "{asked:?}");
    assert!(asked.is_subset(&known), "also asked: {:?}", asked.difference(&known).collect::<Vec<_>>());
}

/// What writes down each `connect` of a command and of its children.
const TRACED: [&str; 8] = ["strace", "-f", "--seccomp-bpf", "-qq", "-A", "-e", "trace=connect", "-o"];

/// Where connections are written down; nowhere without an `strace` that may look.
struct Traces(Option<PathBuf>);

impl Traces {
    fn of(start: &Start, what: &str) -> Self {
        let [strace, options @ ..] = TRACED;
        let log = start.home().join("connections");
        let tried = Command::new(strace).args(options).arg(&log).arg("true").output();
        let is_there = tried.is_ok_and(|tried| tried.status.success());
        if !is_there {
            eprintln!("SKIPPED, there is no strace that works here: {what}");
        }
        Self(is_there.then_some(log))
    }

    fn start(&self, start: Start) -> Start {
        match &self.0 {
            Some(log) => start.through(&[&TRACED as &[&str], &[log.to_str().unwrap()]].concat()),
            None => start,
        }
    }

    fn command(&self, command: Command) -> Command {
        let Some(log) = &self.0 else { return command };
        let [strace, options @ ..] = TRACED;
        let mut traced = Command::new(strace);
        traced.args(options).arg(log).arg(command.get_program()).args(command.get_args()).env_clear();
        traced.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        traced
    }

    /// The connections that left the machine or asked for a name.
    fn outgoing(&self) -> Vec<String> {
        let Some(log) = &self.0 else { return Vec::new() };
        let said = std::fs::read_to_string(log).unwrap();
        assert!(said.contains("sa_family="), "nothing was written down: {said}");
        outgoing(&said).into_iter().map(str::to_owned).collect()
    }
}

/// The lines of connections that left the machine or asked for a name, of those that `strace` wrote down.
fn outgoing(log: &str) -> Vec<&str> {
    let is_far = |line: &&str| {
        let is_internet = line.contains("AF_INET");
        let is_here = line.contains("inet_addr(\"127.") || line.contains("\"::1\"");
        is_internet && !is_here
    };
    log.lines().filter(is_far).collect()
}

#[test]
fn the_local_workspace_opens_no_connection_to_anywhere_else() {
    let start = Start::new();
    let traces = Traces::of(&start, "connections of the local workspace");
    if traces.0.is_none() {
        return;
    }
    let beside = start.again();
    tour::tour(traces.start(start).size(120, 40));
    for arguments in [&["products", "count"] as &[&str], &["lint"], &["doctor"], &["--version"]] {
        assert!(traces.command(beside.command(arguments)).output().unwrap().status.code().is_some());
    }
    assert_eq!(traces.outgoing(), Vec::<String>::new());
}

#[test]
fn connections_that_leave_are_told_from_those_that_stay() {
    let log = "1 connect(3, {sa_family=AF_UNIX, sun_path=\"/x\"}, 110) = 0\n\
        1 connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")}, 16) = 0\n\
        1 connect(3, {sa_family=AF_INET6, inet_pton(AF_INET6, \"::1\", &sin6_addr)}, 28) = 0\n\
        1 connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr(\"192.0.2.53\")}, 16) = 0\n";
    assert_eq!(outgoing(log).len(), 1);
}
