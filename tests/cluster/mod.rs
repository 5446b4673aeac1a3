//! Three processes of the real binary that serve one database and one bucket behind haproxy, which gives each request to
//! the next of them. It is there where `CUTAWAY_TEST_ENGINE` is `cluster`.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::missing_panics_doc)]

use std::ffi::{OsStr, OsString};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::{postgres, started};

/// Flags with which a process is about itself, and so is started alone.
const ALONE: [&str; 7] =
    ["--public-url", "--trusted-proxy", "--tls-cert", "--tls-key", "--ssh", "--max-connections", "--drain"];
/// What the first process has loaded when the others start, and how many values follow.
const ONCE: [(&str, usize); 2] = [("--sample", 0), ("--sample-products", 1)];

/// The other processes, and the balancer before all of them; they end with this.
pub struct Cluster {
    others: Vec<Child>,
    balancer: Child,
    _settings: TempDir,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for child in self.others.iter_mut().chain([&mut self.balancer]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Cluster {
    /// The processes beside the first one.
    pub fn others(&mut self) -> &mut [Child] {
        &mut self.others
    }
}

/// What is to be started.
pub struct Starting {
    /// Where the balancer listens.
    door: TcpListener,
    data: PathBuf,
}

impl Starting {
    /// Nothing where a process is to be alone.
    pub fn of(command: &Command) -> Option<Self> {
        if !postgres::is_cluster() {
            return None;
        }
        let given: Vec<&OsStr> = command.get_args().collect();
        let is = |flag: &&OsStr| ALONE.iter().any(|alone| flag.to_str().is_some_and(|flag| flag.starts_with(alone)));
        let set: Vec<_> = command.get_envs().filter_map(|(name, value)| value.map(|_| name)).collect();
        let is_shared = set.contains(&OsStr::new("CUTAWAY_DATABASE_URL")) && set.contains(&OsStr::new("CUTAWAY_BLOBS"));
        let follows = |flag: &str| given.iter().position(|given| *given == flag).and_then(|at| given.get(at + 1));
        let anywhere = follows("--listen").is_some_and(|address| *address == "127.0.0.1:0");
        // How many pages came from a replica is counted by each process.
        let has_replica = set.contains(&OsStr::new("CUTAWAY_DATABASE_READ_URL"));
        if !is_shared || !anywhere || has_replica || given.iter().any(is) {
            postgres::tally("cluster: one process, because the test is about its own flags");
            return None;
        }
        let data = PathBuf::from(follows("--data")?);
        postgres::tally("cluster: three processes behind haproxy");
        Some(Self { door: TcpListener::bind("127.0.0.1:0").unwrap(), data })
    }

    /// The first process, what it said, and the rest.
    pub fn start(self, command: &mut Command) -> (Child, Value, Cluster) {
        let address = format!("http://{}", self.door.local_addr().unwrap());
        let behind = ["--public-url", &address, "--trusted-proxy", "127.0.0.1/32"];
        let mut others: Vec<Command> = (2..=3).map(|nth| beside(command, &self.data, nth)).collect();
        let (child, ready) = started(command.args(behind));
        let others: Vec<_> = others
            .iter_mut()
            .map(|command| command.args(behind).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap())
            .collect();
        let mut others: Vec<(Child, Value)> = others.into_iter().map(said).collect();
        let places = std::iter::once(&ready).chain(others.iter().map(|(_, ready)| ready));
        let places: Vec<&str> = places.map(|ready| ready["local_url"].as_str().unwrap()).collect();
        let (balancer, settings) = balance(self.door, &places);
        let others = others.drain(..).map(|(child, _)| child).collect();
        (child, ready, Cluster { others, balancer, _settings: settings })
    }
}

fn said(mut child: Child) -> (Child, Value) {
    use std::io::{BufRead as _, BufReader};
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, serde_json::from_str(&line).unwrap())
}

/// The same command for another process, with a folder of its own.
fn beside(command: &Command, data: &std::path::Path, nth: u8) -> Command {
    let mut other = Command::new(command.get_program());
    other.env_clear().stdin(Stdio::null());
    let mut given = command.get_args();
    while let Some(flag) = given.next() {
        if let Some((_, values)) = ONCE.iter().find(|(once, _)| flag == *once) {
            given.by_ref().take(*values).for_each(drop);
        } else if flag == "--data" {
            given.next();
            let mut folder = OsString::from(data);
            folder.push(format!(".{nth}"));
            other.arg(flag).arg(folder);
        } else {
            other.arg(flag);
        }
    }
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            other.env(name, value);
        }
    }
    if let Some(folder) = command.get_current_dir() {
        other.current_dir(folder);
    }
    other
}

/// haproxy on a socket that listens already.
pub fn balance(door: TcpListener, places: &[&str]) -> (Child, TempDir) {
    use std::fmt::Write as _;
    let settings = tempfile::tempdir().unwrap();
    let file = settings.path().join("haproxy");
    // It gives up sooner on a process that is gone than on one that is slow.
    let mut text = "global\n maxconn 2000\n tune.bufsize 65536\ndefaults\n mode http\n timeout connect 2s\n \
        timeout client 10m\n timeout server 10m\n option forwardfor\n option redispatch\n retries 3\n \
        balance roundrobin\nfrontend door\n bind fd@0\n default_backend all\nbackend all\n"
        .to_owned();
    for (nth, place) in places.iter().enumerate() {
        writeln!(text, " server s{nth} {}", place.strip_prefix("http://").unwrap()).unwrap();
    }
    std::fs::write(&file, text).unwrap();
    let balancer = Command::new(program().expect("there is no haproxy on this machine"))
        .args(["-db", "-f"])
        .arg(&file)
        .stdin(Stdio::from(OwnedFd::from(door)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    (balancer, settings)
}

/// Where haproxy is.
pub fn program() -> Option<PathBuf> {
    let there = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy", "/usr/bin/haproxy"].map(PathBuf::from);
    there.into_iter().find(|path| path.exists())
}
