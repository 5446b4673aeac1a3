//! Signing in and out on the command line of the real binary, against the real authorization server.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::approval;
use crate::serving;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use serving::{Process, serve, tells_panic};
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_cutaway");

/// `cutaway serve` with the sample store, and a home to sign in from.
struct Served {
    process: Process,
    home: TempDir,
}

fn cutaway(home: &Path) -> Command {
    let mut command = Command::new(BINARY);
    command.env_clear().stdin(Stdio::null()).current_dir(home).env("HOME", home);
    for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
        command.env(variable, home.join(folder));
    }
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A sign-in that waits for the browser.
struct Waiting {
    process: Child,
    said: BufReader<std::process::ChildStderr>,
    lines: Vec<String>,
}

impl Waiting {
    /// Reads what it says until a line has this in it.
    fn says(&mut self, part: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.said.read_line(&mut line).unwrap() > 0, "{part:?} was never said: {:?}", self.lines);
            self.lines.push(line.trim_end().to_owned());
            if line.contains(part) {
                return line.trim().to_owned();
            }
        }
    }

    fn ended(mut self) -> (i32, String, String) {
        drop(self.process.stdin.take());
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).unwrap();
        let mut out = String::new();
        self.process.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        (self.process.wait().unwrap().code().unwrap(), out, rest)
    }
}

impl Served {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        Self { process: Process::start(serve(home.path(), &home.path().join("served")).arg("--sample")), home }
    }

    fn base(&self) -> &str {
        self.process.base()
    }

    fn key(&self) -> &str {
        self.process.key()
    }

    fn credentials(&self) -> PathBuf {
        self.home.path().join("d/cutaway/credentials.toml")
    }

    fn config(&self) -> PathBuf {
        self.home.path().join("c/cutaway/config.toml")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        cutaway(self.home.path()).args(arguments).output().unwrap()
    }

    /// What it prints and says where it ends with this code.
    fn ends(&self, code: i32, arguments: &[&str]) -> (String, String) {
        let output = self.run(arguments);
        let (out, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {out}{said}");
        assert!(!tells_panic(&said), "{said}");
        (out, said)
    }

    fn with_key(&self, key: &str, arguments: &[&str]) -> Output {
        let mut command = cutaway(self.home.path());
        let mut child = command
            .args(arguments)
            .arg("--api-key-stdin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        writeln!(child.stdin.take().unwrap(), "{key}").unwrap();
        child.wait_with_output().unwrap()
    }

    fn begin(&self, arguments: &[&str]) -> Waiting {
        let mut process = cutaway(self.home.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(process.stderr.take().unwrap());
        Waiting { process, said, lines: Vec::new() }
    }

    /// A browser sign-in that has said its address.
    fn by_browser(&self) -> (Waiting, String) {
        let mut waiting = self.begin(&["login", "--browser", "--profile", "shop", "--base-url", self.base()]);
        let address = waiting.says("/oauth/authorize?");
        (waiting, address)
    }

    fn signed_in(&self) {
        let who: Value = serde_json::from_str(&self.ends(0, &["whoami", "--json"]).0).unwrap();
        assert!(who["email"].as_str().unwrap().contains('@'), "{who}");
    }
}

#[test]
fn by_key_and_out_again() {
    let served = Served::start();
    let login = ["login", "--profile", "shop", "--base-url", served.base()];
    let wrong = served.with_key("marked-wrong-key", &login);
    assert_eq!(wrong.status.code(), Some(3));
    assert!(!served.credentials().exists() && !served.config().exists(), "nothing is kept that was not proven");
    assert!(!text(&wrong.stderr).contains("marked-wrong-key"));

    let right = served.with_key(served.key(), &login);
    let (out, said) = (text(&right.stdout), text(&right.stderr));
    assert!(
        out.contains("Signed in to shop as ") && out.contains("API key is saved in the credential file"),
        "{out}{said}"
    );
    assert!(!out.contains(served.key()) && !said.contains(served.key()));
    assert_eq!(fs::metadata(served.credentials()).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!fs::read_to_string(served.config()).unwrap().contains(served.key()));
    // The first profile is the one that is opened.
    served.signed_in();
    assert!(served.ends(0, &["profiles"]).0.contains("API key, credential file"));
    assert!(served.ends(0, &["whoami"]).0.contains("credential file"));

    fs::set_permissions(served.credentials(), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(served.ends(3, &["whoami"]).1.contains("chmod 600"));
    fs::set_permissions(served.credentials(), fs::Permissions::from_mode(0o600)).unwrap();

    assert!(served.ends(0, &["logout"]).0.contains("Signed out of shop"));
    assert!(!fs::read_to_string(served.credentials()).unwrap().contains(served.key()));
    assert!(served.ends(3, &["whoami"]).1.contains("cutaway login"));
    assert!(served.ends(0, &["logout", "--profile", "shop"]).0.contains("was not signed in"));
    assert!(served.ends(0, &["profiles"]).0.contains("shop"), "the profile is kept");
    // Without a terminal nobody can be asked, and a key is no flag.
    assert!(served.ends(2, &["login", "--profile", "shop"]).1.contains("--api-key-stdin"));
    served.ends(2, &["login", "--api-key", "x"]);
    served.ends(2, &["login"]);
}

#[test]
fn by_device_code() {
    let served = Served::start();
    let login = ["login", "--device", "--profile", "shop", "--base-url", served.base()];
    let page = format!("{}/oauth/device", served.base());
    for (decision, code) in [("deny", 3), ("approve", 0)] {
        let mut waiting = served.begin(&login);
        assert!(waiting.says("Open ").contains(&page));
        let line = waiting.says("the code ");
        let user_code = line.rsplit(' ').next().unwrap();
        assert_eq!(approval::decide_device(&page, user_code, served.key(), decision), 200);
        let (ended, out, said) = waiting.ended();
        assert_eq!(ended, code, "{out}{said}");
        assert_eq!(out.contains("OAuth sign-in is saved"), code == 0);
        assert_eq!(said.contains("refused on the page"), code == 3, "{said}");
    }
    served.signed_in();
    let kept = fs::read_to_string(served.credentials()).unwrap();
    assert!(kept.contains("refresh_token") && kept.contains(&format!("issuer = \"{}\"", served.base())));

    // An access token that ended, by this machine's clock, is renewed before it is used, and kept.
    let ended = kept
        .lines()
        .map(|line| if line.starts_with("expires_at") { "expires_at = \"2001-01-01T00:00:00Z\"" } else { line })
        .collect::<Vec<_>>()
        .join("\n");
    fs::write(served.credentials(), &ended).unwrap();
    served.signed_in();
    let renewed = fs::read_to_string(served.credentials()).unwrap();
    assert!(renewed != ended && !renewed.contains("2001-01-01"));
    // One that the service no longer takes, though the clock says that it is good, too.
    let line = renewed.lines().find(|line| line.starts_with("access_token")).unwrap();
    fs::write(served.credentials(), renewed.replace(line, "access_token = \"unknown\"")).unwrap();
    served.signed_in();
    // The sign-in is taken back at the server too.
    let access = fs::read_to_string(served.credentials()).unwrap();
    let access =
        access.lines().find_map(|line| line.strip_prefix("access_token = ")).unwrap().trim_matches('"').to_owned();
    served.ends(0, &["logout"]);
    let mut command = cutaway(served.home.path());
    command.env("CUTAWAY_API_KEY", access).args(["whoami", "--base-url", served.base()]);
    assert_eq!(command.output().unwrap().status.code(), Some(3));
}

#[test]
fn a_sign_in_that_is_over_says_so() {
    let served = Served::start();
    served.ends(0, &["profiles", "add", "shop", "--base-url", served.base(), "--default"]);
    let credentials =
        format!("[profiles.shop]\naccess_token = \"a\"\nrefresh_token = \"gone\"\nissuer = \"{}\"\n", served.base());
    fs::create_dir_all(served.credentials().parent().unwrap()).unwrap();
    fs::write(served.credentials(), credentials).unwrap();
    fs::set_permissions(served.credentials(), fs::Permissions::from_mode(0o600)).unwrap();
    assert!(served.ends(3, &["whoami"]).1.contains("sign in again"));
}

#[test]
fn by_redirect_to_this_machine() {
    let served = Served::start();
    let (waiting, address) = served.by_browser();
    let back = approval::decide_code(&address, served.key(), "approve");
    // Someone else's answer is sent away, and the right one still taken.
    assert_eq!(approval::follow(&back.replace("state=", "state=x")), 404);
    assert_eq!(approval::follow(&back), 200);
    let (code, out, said) = waiting.ended();
    assert_eq!(code, 0, "{out}{said}");
    served.signed_in();
}

#[test]
fn silent_connections_hold_up_no_sign_in() {
    let served = Served::start();
    let (waiting, address) = served.by_browser();
    let back = approval::decide_code(&address, served.key(), "approve");
    let port = reqwest::Url::parse(&back).unwrap().port().unwrap();
    // Browsers open connections ahead of time; others may hold more of them.
    let silent: Vec<_> = (0..100).map(|_| std::net::TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    let begun = std::time::Instant::now();
    assert_eq!(approval::follow(&back), 200);
    // Each of them was listened to for ten seconds, one at a time: that were a thousand.
    assert!(begun.elapsed() < std::time::Duration::from_secs(90), "{:?}", begun.elapsed());
    let (code, out, said) = waiting.ended();
    assert_eq!(code, 0, "{out}{said}");
    drop(silent);
    served.signed_in();
}

#[test]
fn by_a_pasted_address_and_by_a_pasted_code() {
    let served = Served::start();
    for whole in [true, false] {
        let (mut waiting, address) = served.by_browser();
        let back = approval::decide_code(&address, served.key(), "approve");
        let code = reqwest::Url::parse(&back).unwrap();
        let code = code.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
        let pasted = if whole { &back } else { &code };
        let stdin = waiting.process.stdin.as_mut().unwrap();
        writeln!(stdin, "no code").unwrap();
        waiting.says("That didn't work");
        let stdin = waiting.process.stdin.as_mut().unwrap();
        writeln!(stdin, "{pasted}").unwrap();
        let (ended, out, said) = waiting.ended();
        assert_eq!(ended, 0, "{out}{said}");
        served.signed_in();
        served.ends(0, &["logout"]);
    }
}

#[test]
fn what_is_pasted_has_to_be_the_answer() {
    let served = Served::start();
    for (from, to, said) in [
        ("state=", "state=x", "belongs to another sign-in"),
        ("iss=http", "iss=https", "isn't trusted"),
        ("code=", "code=x", "refused"),
    ] {
        let (mut waiting, address) = served.by_browser();
        let back = approval::decide_code(&address, served.key(), "approve");
        writeln!(waiting.process.stdin.as_mut().unwrap(), "{}", back.replace(from, to)).unwrap();
        let (code, _, heard) = waiting.ended();
        assert!(code != 0 && heard.contains(said), "{to}: {heard}");
        assert!(!served.credentials().exists());
    }
    let (mut waiting, address) = served.by_browser();
    let back = approval::decide_code(&address, served.key(), "deny");
    writeln!(waiting.process.stdin.as_mut().unwrap(), "{back}").unwrap();
    assert_eq!(waiting.ended().0, 3);
}

/// An authorization server that answers its metadata with this, and nothing else.
fn metadata(document: &'static str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let document = document.replace("BASE", &base);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", document.len());
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(document.as_bytes()));
        }
    });
    base
}

#[test]
fn servers_that_lie_are_not_trusted() {
    let home = tempfile::tempdir().unwrap();
    for (document, said) in [
        (r#"{"issuer":"https://other.example","token_endpoint":"BASE/t"}"#, "identifies itself as"),
        (r#"{"issuer":"BASE","token_endpoint":"https://other.example/t"}"#, "is on another host"),
        (
            r#"{"issuer":"BASE","token_endpoint":"BASE/t","device_authorization_endpoint":"http://1.2.3.4/d"}"#,
            "is not https",
        ),
        (r#"{"issuer":"BASE","token_endpoint":"BASE/t"}"#, "doesn't offer this kind of sign-in"),
        (r#"{"issuer":7}"#, "couldn't read"),
        ("<html>", "couldn't read"),
    ] {
        let base = metadata(document);
        let output = cutaway(home.path()).args(["login", "--device", "--base-url", &base]).output().unwrap();
        let heard = text(&output.stderr);
        assert!(!output.status.success() && heard.contains(said), "{document}: {heard}");
    }
}

#[test]
fn profiles_are_made_changed_and_removed() {
    let served = Served::start();
    served.ends(2, &["profiles", "add", "shop"]);
    let made =
        ["profiles", "add", "shop", "--base-url", served.base(), "--store", "https://a.example=A shop", "--live"];
    served.ends(0, &made);
    served.ends(1, &made);
    let listed = || -> Value { serde_json::from_str(&served.ends(0, &["profiles", "--json"]).0).unwrap() };
    let shop = || listed().as_array().unwrap().iter().find(|profile| profile["name"] == "shop").cloned();
    let made = shop().unwrap();
    assert_eq!((&made["live"], &made["storeNames"]["https://a.example"]), (&Value::from(true), &"A shop".into()));
    served.ends(0, &["profiles", "change", "shop", "--not-live", "--read-only", "--remove-store", "https://a.example"]);
    let changed = shop().unwrap();
    assert!(changed["readOnly"] == true && changed["live"] == false && changed["stores"] == serde_json::json!([]));
    served.ends(0, &["profiles", "change", "shop", "--writable"]);
    assert_eq!(shop().unwrap()["readOnly"], false);
    served.ends(2, &["profiles", "change", "shop", "--colour", "no colour"]);
    served.ends(4, &["profiles", "change", "other", "--live"]);
    served.ends(0, &["profiles", "use", "shop"]);
    assert_eq!(served.with_key(served.key(), &["login", "--profile", "shop"]).status.code(), Some(0));
    served.ends(0, &["profiles", "add", "other", "--base-url", "https://other.example"]);
    served.ends(0, &["profiles", "rename", "shop", "stall"]);
    served.signed_in();
    assert!(shop().is_none() && served.ends(0, &["profiles"]).0.contains("*  stall"));
    served.ends(1, &["profiles", "rename", "stall", "other"]);
    served.ends(1, &["profiles", "rename", "local", "other"]);
    served.ends(4, &["profiles", "rename", "shop", "x"]);
    served.ends(2, &["profiles", "rename", "stall", "a/b"]);
    served.ends(0, &["profiles", "rename", "stall", "shop"]);
    assert_eq!(shop().unwrap()["default"], true);
    served.ends(2, &["profiles", "remove", "shop"]);
    served.ends(0, &["profiles", "remove", "shop", "--yes"]);
    assert_eq!(shop(), None);
    served.ends(4, &["profiles", "remove", "shop", "--yes"]);
}

#[test]
fn a_known_profile_keeps_no_sign_in_of_another_server() {
    let (served, other) = (Served::start(), Served::start());
    served.ends(0, &["profiles", "add", "shop", "--base-url", served.base()]);
    for flag in ["--auth-url", "--upload-url", "--lb-base-url"] {
        for way in [&["--device"][..], &["--browser"], &[]] {
            let (_, said) = served.ends(2, &[&["login", "--profile", "shop", flag, other.base()], way].concat());
            assert!(said.contains(&format!("cutaway profiles change shop {flag} {}", other.base())), "{said}");
        }
    }
    assert!(!served.credentials().exists());
    // What a person adds to the profile is one of its addresses.
    served.ends(0, &["profiles", "change", "shop", "--upload-url", other.base()]);
    let login = ["login", "--profile", "shop", "--upload-url", other.base()];
    assert_eq!(served.with_key(served.key(), &login).status.code(), Some(0));
}

#[test]
fn a_credential_neither_outlives_its_profile_nor_moves_to_another_service() {
    let (served, other) = (Served::start(), Served::start());
    let kept = || fs::read_to_string(served.credentials()).unwrap_or_default().contains(served.key());
    let sign_in = || {
        assert_eq!(served.with_key(served.key(), &["login", "--profile", "shop"]).status.code(), Some(0));
        assert!(kept());
    };
    served.ends(0, &["profiles", "add", "shop", "--base-url", served.base()]);
    sign_in();
    let path = format!("{}/v1", served.base());
    served.ends(0, &["profiles", "change", "shop", "--base-url", &path]);
    served.ends(0, &["profiles", "change", "shop", "--base-url", served.base()]);
    assert!(kept(), "another path is the same origin");
    let (_, said) = served.ends(0, &["profiles", "change", "shop", "--base-url", other.base()]);
    assert!(!kept() && said.contains("was removed") && said.contains("cutaway login --profile shop"), "{said}");

    // Where the credential can't be removed, the profile stays and leads to it.
    served.ends(0, &["profiles", "change", "shop", "--base-url", served.base()]);
    sign_in();
    let text = fs::read_to_string(served.credentials()).unwrap();
    fs::write(served.credentials(), "version = 99\n").unwrap();
    let (_, said) = served.ends(1, &["profiles", "remove", "shop", "--yes"]);
    assert!(said.contains("can't be removed"), "{said}");
    served.ends(1, &["profiles", "change", "shop", "--base-url", other.base()]);
    assert!(fs::read_to_string(served.config()).unwrap().contains(served.base()));
    fs::write(served.credentials(), &text).unwrap();
    served.ends(0, &["profiles", "remove", "shop", "--yes"]);
    assert!(!kept());

    // One that was left under a name goes to no profile of that name.
    fs::write(served.credentials(), &text).unwrap();
    let (_, said) = served.ends(0, &["profiles", "add", "shop", "--base-url", other.base()]);
    assert!(!kept() && said.contains("left under the name shop"), "{said}");
}
