//! `cutaway serve --ssh` from outside: the real binary, asked by another program's client of SSH, and by OpenSSH's where
//! there is one.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::print_stderr)]

mod serving;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use russh::client::{self, AuthResult};
use russh::keys::ssh_key::private::Ed25519Keypair;
use russh::keys::ssh_key::{LineEnding, PublicKey};
use russh::keys::{HashAlg, PrivateKey, PrivateKeyWithHashAlg, PublicKeyOrCertificate};
use russh::{Channel, ChannelMsg};
use serde_json::Value;
use serving::{Process, Served, cutaway, postgres, serve, text};
use tokio::io::AsyncWriteExt as _;

/// The longest that anything is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A key of its own for each number.
fn key(number: u8) -> PrivateKey {
    PrivateKey::from(Ed25519Keypair::from_seed(&[number; 32]))
}

/// A server with the sample store that lets guests in.
fn served() -> Served {
    Served::with(&["--ssh", "127.0.0.1:0"])
}

/// A command beside the server, on the folder that it serves; what it prints.
fn on(served: &Served, arguments: &[&str]) -> String {
    let data = served.home.path().join("served");
    let output = cutaway(served.home.path()).arg("serve").args(arguments).arg("--data").arg(data).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn let_in(served: &Served, key: &PrivateKey, flags: &[&str]) {
    let public = key.public_key().to_openssh().unwrap();
    on(served, &[&["ssh-key", "add", &public], flags].concat());
}

/// What a client knows of the server that it talks to.
#[derive(Clone, Default)]
struct Met(Arc<Mutex<Option<PublicKey>>>);

impl client::Handler for Met {
    type Error = russh::Error;

    async fn check_server_key(&mut self, host: &PublicKeyOrCertificate) -> Result<bool, russh::Error> {
        if let PublicKeyOrCertificate::PublicKey { key, .. } = host {
            *self.0.lock().unwrap() = Some(key.clone());
        }
        Ok(true)
    }
}

async fn connect(served: &Served) -> (client::Handle<Met>, Met) {
    connect_to(&served.ready).await
}

/// The same to what said this when it was ready.
async fn connect_to(ready: &Value) -> (client::Handle<Met>, Met) {
    let met = Met::default();
    let address = ready["ssh"].as_str().unwrap();
    let connecting = client::connect(Arc::default(), address, met.clone());
    (tokio::time::timeout(PATIENCE, connecting).await.unwrap().unwrap(), met)
}

/// Whether a key is let in, and the session.
async fn sign_in(served: &Served, key: PrivateKey) -> (AuthResult, client::Handle<Met>) {
    let (mut session, _) = connect(served).await;
    let key = PrivateKeyWithHashAlg::new(Arc::new(key), None);
    (session.authenticate_publickey("guest", key).await.unwrap(), session)
}

async fn signed_in(served: &Served, key: PrivateKey) -> client::Handle<Met> {
    let (result, session) = sign_in(served, key).await;
    assert!(result.success());
    session
}

/// The session of a key at a process, and the key that the process shows.
async fn signed_in_at(process: &Process, key: PrivateKey) -> (client::Handle<Met>, PublicKey) {
    let (mut session, met) = connect_to(&process.ready).await;
    let key = PrivateKeyWithHashAlg::new(Arc::new(key), None);
    assert!(session.authenticate_publickey("guest", key).await.unwrap().success());
    let host = met.0.lock().unwrap().clone().unwrap();
    (session, host)
}

/// A channel as a person sees it.
struct Seen {
    channel: Channel<client::Msg>,
    screen: vt100::Parser,
    bytes: Vec<u8>,
    said: Vec<u8>,
    exit_code: Option<u32>,
    is_closed: bool,
}

impl Seen {
    fn of(channel: Channel<client::Msg>, size: (u16, u16)) -> Self {
        let screen = vt100::Parser::new(size.1.try_into().unwrap(), size.0.try_into().unwrap(), 0);
        Self { channel, screen, bytes: Vec::new(), said: Vec::new(), exit_code: None, is_closed: false }
    }

    async fn step(&mut self) {
        match self.channel.wait().await {
            Some(ChannelMsg::Data { data }) => {
                self.screen.process(&data);
                self.bytes.extend_from_slice(&data);
            }
            Some(ChannelMsg::ExtendedData { data, .. }) => self.said.extend_from_slice(&data),
            Some(ChannelMsg::ExitStatus { exit_status }) => self.exit_code = Some(exit_status),
            Some(ChannelMsg::Close) | None => self.is_closed = true,
            _ => {}
        }
    }

    async fn waits(&mut self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        let begun = Instant::now();
        while !is_so(self.screen.screen()) {
            let stepped = tokio::time::timeout(PATIENCE.saturating_sub(begun.elapsed()), self.step()).await;
            let shown = self.screen.screen().contents();
            assert!(stepped.is_ok() && !self.is_closed, "{what} was never seen, but:\n{shown}\n{}", text(&self.said));
        }
    }

    async fn sees(&mut self, what: &str) {
        self.waits(what, |screen| screen.contents().contains(what)).await;
    }

    async fn presses(&mut self, keys: &str) {
        self.channel.data_bytes(keys.as_bytes().to_vec()).await.unwrap();
    }

    /// Waits for its end; its exit code.
    async fn ends(&mut self) -> Option<u32> {
        let end = async {
            while !self.is_closed {
                self.step().await;
            }
        };
        assert!(tokio::time::timeout(PATIENCE, end).await.is_ok(), "it never ended");
        self.exit_code
    }
}

/// Opens the studio on a terminal of this size.
async fn studio(session: &client::Handle<Met>, size: (u16, u16)) -> Seen {
    studio_on(session, "xterm-256color", size).await
}

/// The same on a terminal that is called so.
async fn studio_on(session: &client::Handle<Met>, term: &str, size: (u16, u16)) -> Seen {
    let channel = session.channel_open_session().await.unwrap();
    channel.set_env(false, "COLORTERM", "truecolor").await.unwrap();
    channel.request_pty(true, term, size.0.into(), size.1.into(), 0, 0, &[]).await.unwrap();
    channel.request_shell(true).await.unwrap();
    Seen::of(channel, size)
}

/// What a command wrote, said, and ended with.
async fn run(session: &client::Handle<Met>, line: &str, input: &[u8]) -> (Vec<u8>, String, Option<u32>) {
    let channel = session.channel_open_session().await.unwrap();
    channel.exec(true, line).await.unwrap();
    let mut seen = Seen::of(channel, (80, 24));
    if !input.is_empty() {
        seen.channel.data_bytes(input.to_vec()).await.unwrap();
    }
    seen.channel.eof().await.unwrap();
    let exit_code = seen.ends().await;
    (std::mem::take(&mut seen.bytes), text(&seen.said).to_owned(), exit_code)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_guests_have_studios_of_their_own_at_the_same_time() {
    let served = served();
    let_in(&served, &key(1), &["--name", "alice"]);
    let_in(&served, &key(2), &["--name", "bob", "--read-only"]);
    let (alice, bob) = (signed_in(&served, key(1)).await, signed_in(&served, key(2)).await);
    let (mut of_alice, mut of_bob) = (studio(&alice, (100, 30)).await, studio(&bob, (120, 40)).await);
    of_alice.sees("274 products").await;
    of_bob.sees("274 products").await;
    of_alice.presses("2").await;
    of_alice.sees("Gift finder").await;
    assert!(!of_bob.screen.screen().contents().contains("Gift finder"));
    of_bob.sees("read-only").await;

    // Another size is drawn in.
    of_alice.screen.screen_mut().set_size(40.try_into().unwrap(), 140.try_into().unwrap());
    of_alice.channel.window_change(140, 40, 0, 0).await.unwrap();
    of_alice.presses("?").await;
    of_alice.waits("help on a larger screen", |screen| screen.rows(100, 40).any(|row| !row.trim().is_empty())).await;
    of_alice.presses("\x1b").await;
    of_alice.waits("no help", |screen| !screen.contents().contains("type to search")).await;

    of_alice.presses("q").await;
    assert_eq!(of_alice.ends().await, Some(0), "{}", text(&of_alice.said));
    assert!(!of_alice.screen.screen().alternate_screen(), "the terminal is given back");

    // Another connection of the same person begins where the last one ended; the other studio goes on.
    let again = signed_in(&served, key(1)).await;
    studio(&again, (100, 30)).await.sees("Gift finder").await;
    of_bob.presses("2").await;
    of_bob.sees("Gift finder").await;

    // The service knows each by a key of its own, with its rights.
    let keys: Value = serde_json::from_str(&on(&served, &["key", "list", "--json"])).unwrap();
    let scope =
        |name: &str| keys["keys"].as_array().unwrap().iter().find(|key| key["name"] == name).unwrap()["scope"].clone();
    assert_eq!((scope("ssh alice"), scope("ssh bob")), ("read-write".into(), "read-only".into()));
    let listed: Value = serde_json::from_str(&on(&served, &["ssh-key", "list", "--json"])).unwrap();
    assert!(listed["keys"][0]["lastUsedAt"].is_string(), "{listed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_whose_terminal_knows_no_sequences_has_a_dialogue_of_lines() {
    let served = served();
    let_in(&served, &key(1), &[]);
    let alice = signed_in(&served, key(1)).await;
    let mut seen = studio_on(&alice, "dumb", (80, 24)).await;
    seen.sees("Fjell wool sock").await;
    // What is typed is shown by us, what is taken back too.
    seen.presses("go to projectz\x7fs\r").await;
    seen.sees("go to projectz\\zs").await;
    seen.sees("projects in 2 folders").await;
    assert!(!seen.bytes.contains(&0x1b), "{:?}", text(&seen.bytes));
    seen.presses("quit\r").await;
    assert_eq!(seen.ends().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guests_come_into_a_folder_that_was_named_from_where_one_was() {
    let served = Served::named_from_home(&["--ssh", "127.0.0.1:0"]);
    let_in(&served, &key(1), &["--read-only"]);
    let alice = signed_in(&served, key(1)).await;
    let (printed, _, code) = run(&alice, "products count --json", b"").await;
    assert_eq!((text(&printed).contains("274"), code), (true, Some(0)), "{}", text(&printed));
    // What refuses is named: they gave no flag.
    let (who, _, _) = run(&alice, "whoami", b"").await;
    assert!(text(&who).contains("yes, by your SSH key"), "{}", text(&who));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dialogue_of_lines_needs_no_terminal() {
    let served = served();
    let_in(&served, &key(1), &[]);
    let alice = signed_in(&served, key(1)).await;
    let channel = alice.channel_open_session().await.unwrap();
    channel.exec(true, "--plain").await.unwrap();
    let mut seen = Seen::of(channel, (80, 24));
    for (line, answer) in [("go to projects\n", "projects in 2 folders"), ("quit\n", "")] {
        seen.presses(line).await;
        let said = async {
            while !text(&seen.bytes).contains(answer) {
                seen.step().await;
            }
        };
        assert!(tokio::time::timeout(PATIENCE, said).await.is_ok(), "{answer}: {}", text(&seen.bytes));
    }
    assert_eq!(seen.ends().await, Some(0), "{}", text(&seen.said));
    let lines = text(&seen.bytes);
    assert!(!lines.contains('\r'), "{lines:?}");
    assert!(!lines.contains("go to projects\n"), "what is typed is shown by whoever types it: {lines}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_named_workspace_is_another_one() {
    let served = served();
    let_in(&served, &key(1), &["--name", "alice"]);
    let_in(&served, &key(2), &["--name", "bob", "--workspace", "training"]);
    let created: Value = served.json(&["projects", "create", "Only here"]);
    assert!(created.is_object());
    let (alice, bob) = (signed_in(&served, key(1)).await, signed_in(&served, key(2)).await);
    let (mut of_alice, mut of_bob) = (studio(&alice, (120, 40)).await, studio(&bob, (120, 40)).await);
    for seen in [&mut of_alice, &mut of_bob] {
        seen.sees("274 products").await;
        seen.presses("2").await;
        seen.sees("Gift finder").await;
    }
    of_alice.sees("Only here").await;
    assert!(!of_bob.screen.screen().contents().contains("Only here"));
    assert!(served.home.path().join("served/workspaces/training").is_dir());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_keys_that_were_let_in_come_in_and_a_revoked_one_leaves_at_once() {
    let served = served();
    let_in(&served, &key(1), &["--name", "alice"]);
    assert!(!sign_in(&served, key(9)).await.0.success());
    let (mut other, _) = connect(&served).await;
    assert!(!other.authenticate_none("guest").await.unwrap().success());
    assert!(!other.authenticate_password("guest", "guest").await.unwrap().success());

    let alice = signed_in(&served, key(1)).await;
    let mut seen = studio(&alice, (100, 30)).await;
    seen.sees("274 products").await;
    on(&served, &["ssh-key", "revoke", "alice"]);
    assert_eq!(seen.ends().await, Some(0));
    assert!(text(&seen.said).contains("your key was revoked"), "{}", text(&seen.said));
    assert!(!seen.screen.screen().alternate_screen(), "the terminal is given back");
    assert!(!sign_in(&served, key(1)).await.0.success());
    let keys: Value = serde_json::from_str(&on(&served, &["key", "list", "--json"])).unwrap();
    assert!(!keys["keys"].as_array().unwrap().iter().any(|key| key["name"] == "ssh alice"), "{keys}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_forwards_nothing_and_starts_nothing() {
    let served = served();
    let_in(&served, &key(1), &[]);
    let session = signed_in(&served, key(1)).await;
    assert!(session.channel_open_direct_tcpip("127.0.0.1", 80, "127.0.0.1", 1).await.is_err());
    assert!(session.channel_open_direct_streamlocal("/run/x.sock").await.is_err());
    assert!(session.tcpip_forward("127.0.0.1", 0).await.is_err());
    let channel = session.channel_open_session().await.unwrap();
    let mut seen = Seen::of(channel, (80, 24));
    for asked in [
        seen.channel.request_subsystem(true, "netconf").await,
        seen.channel.agent_forward(true).await,
        seen.channel.request_x11(true, false, "MIT-MAGIC-COOKIE-1", "00", 0).await,
        seen.channel.set_env(true, "LD_PRELOAD", "/tmp/x.so").await,
    ] {
        asked.unwrap();
        let answer = tokio::time::timeout(PATIENCE, seen.channel.wait()).await.unwrap();
        assert!(matches!(answer, Some(ChannelMsg::Failure)), "{answer:?}");
    }
    // Without a terminal there is no studio.
    seen.channel.request_shell(true).await.unwrap();
    assert_eq!(seen.ends().await, Some(2));
    assert!(text(&seen.said).contains("needs a terminal"), "{}", text(&seen.said));

    // What touches the machine is not even offered.
    let mut studio = studio(&session, (120, 40)).await;
    studio.sees("274 products").await;
    for (typed, title) in [("export", "Export"), ("suspend", "Suspend"), ("support", "Support archive")] {
        studio.presses(":").await;
        studio.sees("Commands").await;
        studio.presses(typed).await;
        studio.sees(typed).await;
        let shown = studio.screen.screen().contents();
        assert!(!shown.contains(&format!("{title} ")), "{shown}");
        studio.presses("\x1b").await;
        studio.presses("\x1b").await;
        studio.waits("no palette", |screen| !screen.contents().contains("Commands")).await;
    }
}

/// Shares a studio; the code.
async fn shares(studio: &mut Seen) -> String {
    command(studio, "Share this studio").await;
    studio.sees("@HOST").await;
    let shown = studio.screen.screen().contents();
    assert!(!shown.contains("cutaway join"), "a guest is on no computer of ours: {shown}");
    let code = shown.split("@HOST").next().unwrap();
    let from = code.chars().count() - 14;
    code.chars().skip(from).collect()
}

/// Runs a command of the studio by its title.
async fn command(studio: &mut Seen, title: &str) {
    studio.presses(":").await;
    studio.sees("Commands").await;
    studio.presses(title).await;
    studio.sees(title).await;
    studio.presses("\r").await;
}

/// Shows a code as the user's name; whether that lets the key in.
async fn comes(served: &Served, code: &str, key: PrivateKey) -> (bool, client::Handle<Met>) {
    let (mut session, _) = connect(served).await;
    let key = PrivateKeyWithHashAlg::new(Arc::new(key), None);
    (session.authenticate_publickey(code, key).await.unwrap().success(), session)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_studio_is_watched_over_ssh_by_a_code() {
    let served = served();
    let_in(&served, &key(1), &["--name", "alice"]);
    let_in(&served, &key(2), &["--name", "bob", "--read-only"]);
    let planted = "Ask anna.berg@example.com +47 22 33 44 55 ctw_8Kd2mQ91xLp4Zr7T";
    served.json(&["projects", "create", planted]);
    let alice = signed_in(&served, key(1)).await;
    let mut owner = studio(&alice, (140, 40)).await;
    owner.sees("274 products").await;

    // A key that is registered for the workspace needs the code and nobody's consent.
    let code = shares(&mut owner).await;
    let (is_in, bob) = comes(&served, &code, key(2)).await;
    assert!(is_in);
    let mut watcher = studio(&bob, (90, 24)).await;
    watcher.sees("watching").await;
    owner.sees("shared: bob").await;
    owner.presses("2").await;
    owner.sees("anna.berg@example.com").await;
    watcher.sees("Ask ••").await;
    assert!(!text(&watcher.bytes).contains("anna.berg") && !text(&watcher.bytes).contains("33 44"));
    // Nothing else is to be had by a code, and a read-only key is never given the keys.
    assert!(bob.channel_open_session().await.is_err());
    command(&mut owner, "Hand over keys").await;
    owner.sees("read-only key").await;
    watcher.presses("q").await;
    assert_eq!(watcher.ends().await, Some(0));
    owner.waits("nothing is shared", |screen| !screen.contents().contains("shared: bob")).await;
    consented(&served, &mut owner).await;
}

/// A key that is not registered is asked about, by its fingerprint.
async fn consented(served: &Served, owner: &mut Seen) {
    let code = shares(owner).await;
    let (is_in, stranger) = comes(served, &code, key(9)).await;
    assert!(is_in);
    let mut watcher = studio(&stranger, (90, 24)).await;
    let fingerprint = key(9).public_key().fingerprint(HashAlg::Sha256).to_string();
    owner.sees("Someone wants to watch").await;
    owner.sees(&fingerprint).await;
    assert!(!watcher.screen.screen().contents().contains("watching"));
    owner.presses("\x1b[B\r").await;
    watcher.sees("watching").await;
    owner.sees("shared: Someone").await;
    command(owner, "Hand over keys").await;
    watcher.sees("you have the keys").await;
    watcher.presses("1").await;
    owner.sees("274 products").await;
    owner.presses("x").await;
    owner.sees("You have the keys again").await;
    drop((stranger, watcher));
    owner.waits("nobody watches", |screen| !screen.contents().contains("shared: Someone")).await;

    // Sent away, too.
    let code = shares(owner).await;
    let (is_in, stranger) = comes(served, &code, key(9)).await;
    assert!(is_in);
    let mut watcher = studio(&stranger, (90, 24)).await;
    owner.sees("Someone wants to watch").await;
    owner.presses("\r").await;
    watcher.ends().await;
    assert!(!text(&watcher.bytes).contains("Fjell"));
    assert!(text(&watcher.said).contains("didn't let you in"), "{}", text(&watcher.said));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_codes_are_slowed() {
    let served = served();
    let_in(&served, &key(1), &["--name", "alice"]);
    let begun = Instant::now();
    for _ in 0..2 {
        assert!(!comes(&served, "0000-0000-0000", key(9)).await.0);
    }
    assert!(begun.elapsed() > Duration::from_secs(3), "{:?}", begun.elapsed());
    // Who is known is told.
    let (is_in, alice) = comes(&served, "0000-0000-0000", key(1)).await;
    assert!(is_in);
    let mut seen = studio(&alice, (90, 24)).await;
    assert_eq!(seen.ends().await, Some(4));
    assert!(text(&seen.said).contains("ask for a new one"), "{}", text(&seen.said));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_that_never_speaks_keeps_nobody_out() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Nofile).maximum;
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let served = served();
    let_in(&served, &key(1), &[]);
    let address = served.ready["ssh"].as_str().unwrap().to_owned();
    let crowd: Vec<TcpStream> = (0..1_000).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let begun = Instant::now();
    let session = signed_in(&served, key(1)).await;
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    studio(&session, (100, 30)).await.sees("274 products").await;
    drop(crowd);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_host_key_stays_and_a_stop_ends_studios_in_order() {
    let served = served();
    let_in(&served, &key(1), &[]);
    let first = connect(&served).await.1.0.lock().unwrap().clone().unwrap();
    let session = signed_in(&served, key(1)).await;
    let mut seen = studio(&session, (100, 30)).await;
    seen.sees("274 products").await;
    seen.presses("2").await;
    seen.sees("Gift finder").await;
    // On the way: another size, and a text half typed.
    seen.channel.window_change(140, 50, 0, 0).await.unwrap();
    seen.presses("/Gift").await;
    let home = stopped(served);
    assert_eq!(seen.ends().await, Some(0));
    assert!(text(&seen.said).contains("the server is stopping; your drafts are kept"), "{}", text(&seen.said));
    assert!(!seen.screen.screen().alternate_screen(), "the terminal is given back");
    assert_eq!(seen.screen.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    let served = Served::in_home(home, &["--ssh", "127.0.0.1:0"]);
    assert_eq!(connect(&served).await.1.0.lock().unwrap().clone().unwrap(), first);
    let session = signed_in(&served, key(1)).await;
    studio(&session, (100, 30)).await.sees("Gift finder").await;
}

/// Whether any file below a folder holds this text.
fn is_anywhere(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let path = entry.path();
        let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        if path.is_dir() { is_anywhere(&path, text) } else { std::fs::read(&path).is_ok_and(|bytes| holds(&bytes)) }
    })
}

/// Opens the steps of a project of the sample.
async fn in_project(seen: &mut Seen) {
    seen.sees("274 products").await;
    seen.presses("2").await;
    seen.sees("Gift finder").await;
    seen.presses("/").await;
    seen.presses("Gift finder").await;
    seen.sees("1 of ").await;
    seen.presses("\r").await;
    seen.waits("the project, selected", |screen| {
        screen.rows(0, 120).any(|row| row.contains('▌') && row.contains("Gift finder"))
    })
    .await;
    seen.presses("\r").await;
    seen.sees(" steps · ").await;
}

async fn until_database(database: &str, sql: &str) {
    let begun = Instant::now();
    while postgres::answer(database, sql) != "t" {
        assert!(begun.elapsed() < PATIENCE, "{sql}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_of_a_database_goes_on_at_another_process_where_the_first_one_was_killed() {
    let home = tempfile::tempdir().unwrap();
    let Some(database) = postgres::beside(home.path()) else { return };
    let start = |name: &str| {
        let mut command = serve(home.path(), &home.path().join(name));
        let flags = ["--sample", "--ssh", "127.0.0.1:0"];
        Process::start(command.env("CUTAWAY_DATABASE_URL", &database).args(flags))
    };
    let on_keys = |arguments: &[&str]| {
        let mut command = cutaway(home.path());
        command.args(["serve", "ssh-key"]).args(arguments).arg("--data").arg(home.path().join("beside"));
        let output = command.env("CUTAWAY_DATABASE_URL", &database).output().unwrap();
        (output.status.code(), format!("{}{}", text(&output.stdout), text(&output.stderr)))
    };
    let first = start("first");
    let public = key(1).public_key().to_openssh().unwrap();
    let (code, said) = on_keys(&["add", &public, "--workspace", "training"]);
    assert!(code == Some(2) && said.contains("a database has one workspace"), "{said}");
    assert_eq!(on_keys(&["add", &public, "--name", "alice"]).0, Some(0));
    let (session, host) = signed_in_at(&first, key(1)).await;
    let mut seen = studio(&session, (120, 40)).await;
    in_project(&mut seen).await;
    seen.presses("n").await;
    seen.sees("1 edit not saved ─").await;
    seen.presses("\r").await;
    seen.sees("Internal note").await;
    seen.presses("Half a tho").await;
    seen.sees("Half a tho").await;
    until_database(&database, "SELECT count(*) > 0 FROM guest_line WHERE piece LIKE '%Half a tho%'").await;
    until_database(&database, "SELECT count(*) > 0 FROM guest_note WHERE content LIKE '%steps = \"Gift finder\"%'")
        .await;

    // As `kill -9` does. Nobody tells the other one.
    let second = start("second");
    drop(first);
    let (session, same) = signed_in_at(&second, key(1)).await;
    assert_eq!(same, host, "clients know all processes by one key");
    let mut seen = studio(&session, (120, 40)).await;
    seen.waits("the draft", |screen| {
        let shown = screen.contents();
        shown.contains("Half a tho") || shown.contains("Open in another window")
    })
    .await;
    if seen.screen.screen().contents().contains("Open in another window") {
        // Its lease isn't over yet: it is asked for.
        seen.presses("\x1b[B").await;
        seen.sees("▌ take it over").await;
        seen.presses("\r").await;
    }
    seen.sees("2 edits not saved").await;
    seen.sees("Half a tho").await;
    seen.presses("ught of jane.doe@someone.example").await;
    seen.sees("jane.doe@someone.example").await;
    seen.presses("\x1b").await;
    seen.sees("3 edits not saved ─").await;

    // Another process asks the one that has it, which lets go of it with everything.
    let third = start("third");
    let (session, _) = signed_in_at(&third, key(1)).await;
    let mut over = studio(&session, (120, 40)).await;
    over.sees("Open in another window").await;
    over.presses("\x1b[B").await;
    over.sees("▌ take it over").await;
    over.presses("\r").await;
    over.sees("3 edits not saved").await;
    seen.sees("took this project over").await;
    let (count, _, code) = run(&session, "products count --json", b"").await;
    assert!(code == Some(0) && text(&count).contains("274"), "{}", text(&count));

    // Who is forgotten is so in drafts too; this one is open.
    let mut command = cutaway(home.path());
    command.args(["serve", "forget", "--email", "Jane.Doe@someone.example", "--yes", "--json", "--data"]);
    let done = command.arg(home.path().join("beside")).env("CUTAWAY_DATABASE_URL", &database).output().unwrap();
    let forgot: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{}", text(&done.stderr)));
    assert_eq!(forgot["open"].as_array().unwrap().len(), 1, "{forgot}");
    let there = "SELECT count(*) FROM guest_line WHERE piece ILIKE '%jane.doe%'";
    assert_eq!(postgres::answer(&database, there), "0");

    // Whoever is revoked leaves each of them.
    assert_eq!(on_keys(&["revoke", "alice"]).0, Some(0));
    seen.ends().await;
    over.ends().await;
    assert!(on_keys(&["list"]).1.contains("No SSH keys yet"));
}

/// As where somebody revoked it by its name, or the database was restored to a moment before it was made.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_whose_api_key_is_gone_gets_another_when_they_come_in_again() {
    let home = tempfile::tempdir().unwrap();
    let Some(database) = postgres::beside(home.path()) else { return };
    let mut command = serve(home.path(), &home.path().join("data"));
    let flags = ["--sample", "--ssh", "127.0.0.1:0"];
    let process = Process::start(command.env("CUTAWAY_DATABASE_URL", &database).args(flags));
    let public = key(1).public_key().to_openssh().unwrap();
    let mut command = cutaway(home.path());
    command.args(["serve", "ssh-key", "add", &public, "--name", "alice", "--data"]).arg(home.path().join("beside"));
    assert!(command.env("CUTAWAY_DATABASE_URL", &database).output().unwrap().status.success());
    let (session, _) = signed_in_at(&process, key(1)).await;
    assert_eq!(run(&session, "products count", b"").await.2, Some(0));
    postgres::answer(&database, "DELETE FROM api_key WHERE name = 'ssh alice'");
    assert_eq!(run(&session, "products count", b"").await.2, Some(3), "it is refused");
    let (session, _) = signed_in_at(&process, key(1)).await;
    assert_eq!(run(&session, "products count", b"").await.2, Some(0));
    assert_eq!(postgres::answer(&database, "SELECT count(*) FROM api_key WHERE name = 'ssh alice'"), "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_is_forgotten_in_a_guests_draft_which_stays_whole() {
    let served = served();
    let data = served.home.path().join("served");
    let_in(&served, &key(1), &["--name", "alice"]);
    let session = signed_in(&served, key(1)).await;
    let mut seen = studio(&session, (120, 40)).await;
    seen.sees("274 products").await;
    seen.presses("2").await;
    seen.sees("Gift finder").await;
    seen.presses("/").await;
    seen.presses("Gift finder").await;
    seen.sees("1 of ").await;
    seen.presses("\r").await;
    seen.waits("the project, selected", |screen| {
        screen.rows(0, 120).any(|row| row.contains('▌') && row.contains("Gift finder"))
    })
    .await;
    seen.presses("\r").await;
    seen.sees(" steps · ").await;
    seen.presses("\r").await;
    seen.sees("Internal note").await;
    seen.presses("Ask jane.doe@someone.example").await;
    seen.sees("jane.doe@someone.example").await;
    seen.presses("\x1b").await;
    // With "…" in place of the edge it is not on the disk yet.
    seen.sees("1 edit not saved ─").await;
    let forget = || -> Value {
        let said = on(&served, &["forget", "--email", "Jane.Doe@someone.example", "--yes", "--json"]);
        serde_json::from_str(&said).unwrap()
    };
    // The studio has it open, and may write it again.
    assert!(is_anywhere(&data.join("ssh"), "jane.doe@"));
    assert_eq!(forget()["open"].as_array().unwrap().len(), 1);
    seen.presses("q").await;
    assert_eq!(seen.ends().await, Some(0), "{}", text(&seen.said));
    assert_eq!(forget()["open"], Value::Array(Vec::new()));
    for part in ["jane.doe@", "someone.example", "jane.d"] {
        assert!(!is_anywhere(&data, part), "{part}");
    }
    // The edit is there, without the address.
    let again = signed_in(&served, key(1)).await;
    let mut seen = studio(&again, (120, 40)).await;
    seen.sees("1 edit not saved").await;
    let shown = seen.screen.screen().contents();
    assert!(!shown.contains("damaged") && !shown.contains("broken"), "{shown}");
    seen.presses("\r").await;
    seen.sees(&format!("Ask {}", "x".repeat(24))).await;
}

/// How a command is tried over SSH; `{…}` stands for ids of the workspace.
enum Tried {
    /// It reads: the same bytes and exit code as of the local command, in each of these lines.
    Reads(&'static [&'static str]),
    /// The same of a file that comes through the channel.
    ReadsFile(&'static str),
    /// It says who asks: only its exit code is the same.
    SaysWho(&'static str),
    /// It writes: a key that only reads is refused, before anything else is looked at.
    Writes(&'static str),
    /// It needs the person's own computer.
    NotHere(&'static str),
}

/// Groups of commands that are no data commands: they are refused over SSH, each in one of its forms.
const NO_DATA: [&str; 12] =
    ["", "doctor", "join", "mcp", "serve", "login", "logout", "profiles", "completions", "man", "schema", "help"];

/// Every data command. `cutaway help --json` says which there are, so that none is forgotten here.
const DATA: [(&str, Tried); 53] = [
    ("products search", Tried::Reads(&["products search wool --published", "products search --limit 3"])),
    ("products export", Tried::Reads(&["products export -"])),
    ("products get", Tried::Reads(&["products get {product}"])),
    ("products media", Tried::Reads(&["products media {product}"])),
    ("products count", Tried::Reads(&["products count"])),
    ("projects list", Tried::Reads(&["projects list"])),
    ("projects show", Tried::Reads(&["projects show {project}"])),
    ("projects folders", Tried::Reads(&["projects folders"])),
    ("projects check", Tried::Reads(&["projects check {project}"])),
    ("projects export", Tried::Reads(&["projects export {project} --format toml", "projects export {project} -"])),
    ("projects import", Tried::Writes("projects import -")),
    ("projects duplicate", Tried::Writes("projects duplicate {project}")),
    ("projects plan", Tried::ReadsFile("projects plan -")),
    ("projects apply", Tried::Writes("projects apply -")),
    ("projects create", Tried::Writes("projects create Other")),
    ("projects update", Tried::Writes("projects update {project} --name Other")),
    ("projects player", Tried::Reads(&["projects player {project}"])),
    ("projects embed", Tried::Reads(&["projects embed {project}"])),
    ("projects funnel", Tried::Reads(&["projects funnel {project}"])),
    ("projects delete", Tried::Writes("projects delete {project} --yes")),
    ("steps create", Tried::Writes("steps create {project}")),
    ("steps update", Tried::Writes("steps update {step} --description Other")),
    ("steps delete", Tried::Writes("steps delete {step} --yes")),
    ("videos list", Tried::Reads(&["videos list"])),
    ("videos create", Tried::Writes("videos create https://videos.example/a.mp4")),
    ("videos upload", Tried::Writes("videos upload - --name other.mp4")),
    ("videos captions list", Tried::Reads(&["videos captions list {video}"])),
    ("videos captions add", Tried::Writes("videos captions add {video} -")),
    ("videos captions show", Tried::Reads(&["videos captions show {video} en"])),
    ("videos captions remove", Tried::Writes("videos captions remove {video} en --yes")),
    ("videos queue", Tried::NotHere("videos queue")),
    ("videos queue pause", Tried::NotHere("videos queue pause 1")),
    ("videos queue resume", Tried::NotHere("videos queue resume 1")),
    ("videos queue cancel", Tried::NotHere("videos queue cancel 1")),
    ("videos queue retry", Tried::NotHere("videos queue retry 1")),
    ("videos queue clear", Tried::NotHere("videos queue clear")),
    ("videos queue limit", Tried::NotHere("videos queue limit 1MB")),
    ("videos queue at-once", Tried::NotHere("videos queue at-once 2")),
    ("assets delete", Tried::Writes("assets delete {video} --yes")),
    ("webhooks list", Tried::Reads(&["webhooks list"])),
    ("webhooks create", Tried::Writes("webhooks create conversion https://hooks.example/in")),
    ("webhooks delete", Tried::Writes("webhooks delete {webhook} --yes")),
    ("webhooks listen", Tried::NotHere("webhooks listen")),
    ("webhooks import", Tried::NotHere("webhooks import -")),
    ("webhooks deliveries", Tried::Reads(&["webhooks deliveries {webhook}"])),
    ("webhooks ping", Tried::Writes("webhooks ping {webhook}")),
    ("webhooks redeliver", Tried::Writes("webhooks redeliver {webhook} 1")),
    ("webhooks secret", Tried::Reads(&["webhooks secret {webhook}"])),
    ("webhooks rotate-secret", Tried::Writes("webhooks rotate-secret {webhook}")),
    ("webhooks enable", Tried::Writes("webhooks enable {webhook}")),
    ("webhooks disable", Tried::Writes("webhooks disable {webhook}")),
    ("lint", Tried::Reads(&["lint products", "lint videos", "lint project {project}"])),
    ("whoami", Tried::SaysWho("whoami")),
];

/// What a line with `{…}` is for this workspace.
fn filled(served: &Served, line: &str) -> String {
    let mut line = line.to_owned();
    if line.contains("{product}") {
        let product: Value =
            serde_json::from_str(&served.prints(&["products", "search", "--limit", "1", "--json"])).unwrap();
        let text = product.to_string();
        let id = text.split("\"externalId\":\"").nth(1).or_else(|| text.split("\"id\":\"").nth(1)).unwrap();
        line = line.replace("{product}", id.split('"').next().unwrap());
    }
    if line.contains("{step}") {
        let shown = filled(served, "projects show {project} --json");
        let project: Value = serde_json::from_str(&served.prints(&shown.split(' ').collect::<Vec<_>>())).unwrap();
        line = line.replace("{step}", project["steps"][0]["id"].as_str().unwrap());
    }
    for (word, arguments) in
        [("{project}", ["projects", "list"]), ("{webhook}", ["webhooks", "list"]), ("{video}", ["videos", "list"])]
    {
        if line.contains(word) {
            let list = served.json(&arguments);
            let first =
                list.as_array().or_else(|| list.as_object().and_then(|all| all.values().find_map(Value::as_array)));
            line = line.replace(word, first.unwrap()[0]["id"].as_str().unwrap());
        }
    }
    line
}

/// A command that came to be, or went, changes what is tried.
#[test]
fn every_data_command_is_tried() {
    let home = tempfile::tempdir().unwrap();
    let output = cutaway(home.path()).args(["help", "--json"]).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names = document["commands"].as_array().unwrap().iter().map(|it| it["command"].as_str().unwrap());
    let mut known: Vec<&str> =
        names.filter(|name| !NO_DATA.contains(&name.split(' ').next().unwrap_or_default())).collect();
    let mut tried: Vec<&str> = DATA.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    tried.sort_unstable();
    assert_eq!(tried, known, "each has to be in the list of what is tried over SSH");
    for (name, tried) in &DATA {
        let lines = match tried {
            Tried::Reads(lines) => *lines,
            Tried::ReadsFile(line) | Tried::SaysWho(line) | Tried::Writes(line) | Tried::NotHere(line) => &[*line],
        };
        assert!(!lines.is_empty() && lines.iter().all(|line| line.starts_with(name)), "{name} is tried by itself");
    }
}

/// What a local command comes to that is given a file on its standard input.
fn locally(served: &Served, line: &str, input: &[u8]) -> std::process::Output {
    let mut command = served.command(&line.split(' ').collect::<Vec<_>>());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // One that reads none of it is gone already.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// The file of a project.
fn file_of_project(served: &Served) -> Vec<u8> {
    let line = filled(served, "projects export {project} --format toml");
    served.run(&line.split(' ').collect::<Vec<_>>()).stdout
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_commands_give_the_bytes_and_the_exit_code_of_the_local_ones() {
    let served = served();
    let_in(&served, &key(1), &[]);
    let session = signed_in(&served, key(1)).await;
    let captions = served.home.path().join("tour.en.vtt");
    std::fs::write(&captions, "WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n").unwrap();
    let add = filled(&served, "videos captions add {video}");
    served.prints(&add.split(' ').chain([captions.to_str().unwrap()]).collect::<Vec<_>>());
    let file = file_of_project(&served);
    for (_, tried) in &DATA {
        let (lines, input, is_own) = match tried {
            Tried::Reads(lines) => (*lines, &[][..], false),
            Tried::ReadsFile(line) => (&[*line][..], &file[..], false),
            Tried::SaysWho(line) => (&[*line][..], &[][..], true),
            Tried::Writes(_) | Tried::NotHere(_) => continue,
        };
        for line in lines {
            let line = filled(&served, line);
            for as_what in ["", " --json", " --utc"] {
                let line = format!("{line}{as_what}");
                let local = locally(&served, &line, input);
                let (bytes, said, exit_code) = run(&session, &line, input).await;
                assert_eq!(exit_code, local.status.code().map(|code| u32::try_from(code).unwrap()), "{line}: {said}");
                if is_own {
                    assert!(exit_code == Some(0) && !bytes.is_empty(), "{line}: {said}");
                    continue;
                }
                assert_eq!(String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&local.stdout), "{line}: {said}");
                assert_eq!(said, text(&local.stderr), "{line}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_commands_that_write_are_refused_for_a_key_that_only_reads() {
    let served = served();
    let_in(&served, &key(2), &["--read-only"]);
    let session = signed_in(&served, key(2)).await;
    let file = file_of_project(&served);
    let before = served.prints(&["projects", "list", "--json"]);
    for (_, tried) in &DATA {
        match tried {
            Tried::Writes(line) => {
                let line = filled(&served, line);
                for line in [line.clone(), format!("{line} --json")] {
                    let (bytes, said, exit_code) = run(&session, &line, &file).await;
                    assert!(exit_code == Some(7) && bytes.is_empty(), "{line}: {exit_code:?} {said}");
                    assert!(said.contains("read-only"), "{line}: {said}");
                }
            }
            Tried::NotHere(line) => {
                let (bytes, said, exit_code) = run(&session, line, &[]).await;
                assert!(exit_code == Some(2) && bytes.is_empty(), "{line}: {exit_code:?} {said}");
                assert!(said.contains("isn't available over SSH"), "{line}: {said}");
            }
            Tried::Reads(_) | Tried::ReadsFile(_) | Tried::SaysWho(_) => {}
        }
    }
    assert_eq!(served.prints(&["projects", "list", "--json"]), before, "nothing was written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_write_what_the_key_allows_and_touch_nothing_of_the_machine() {
    let served = served();
    let_in(&served, &key(1), &["--name", "alice"]);
    let_in(&served, &key(2), &["--name", "bob", "--read-only"]);
    let (alice, bob) = (signed_in(&served, key(1)).await, signed_in(&served, key(2)).await);

    // A quoted word is one word, and what is written is written by that key.
    let (bytes, said, exit_code) = run(&alice, "cutaway projects create 'Made over SSH' --json", b"").await;
    assert_eq!(exit_code, Some(0), "{said}");
    let project: Value = serde_json::from_slice(&bytes).unwrap();
    let id = project["id"].as_str().unwrap();
    let audit: Value = serde_json::from_str(&on(&served, &["audit", "--json"])).unwrap();
    assert!(audit["entries"].as_array().unwrap().iter().any(|it| it["keyName"] == "ssh alice"), "{audit}");
    let (_, said, exit_code) = run(&bob, "projects create Other", b"").await;
    assert!(exit_code == Some(7) && said.contains("read-only"), "{said}");
    // Nobody is asked for confirmation: it has to be said.
    assert_eq!(run(&alice, &format!("projects delete {id}"), b"").await.2, Some(2));

    // Files go through the channel.
    let (csv, said, exit_code) = run(&alice, "products export -", b"").await;
    assert!(exit_code == Some(0) && text(&csv).lines().count() > 200, "{said}");
    let (file, _, _) = run(&alice, &format!("projects export {id} --format toml"), b"").await;
    let (_, said, exit_code) = run(&alice, "projects import - --name Again", &file).await;
    assert_eq!(exit_code, Some(0), "{said}");
    assert_eq!(run(&alice, &format!("projects delete {id} --yes"), b"").await.2, Some(0));

    for line in [
        "products export /tmp/over-ssh.csv",
        "projects export 1 /tmp/over-ssh.toml",
        "projects import /etc/passwd",
        "videos upload /etc/passwd",
        "videos queue",
        "webhooks listen",
        "webhooks secret x --data /",
        "products count --base-url http://127.0.0.1:1",
        "products count --profile other",
        "lint --watch",
        "lint --baseline /tmp/known",
        "lint --deep",
        "lint videos /etc/passwd",
        "scp -t .",
        "doctor",
        "serve",
        "mcp",
        "login",
        "profiles list",
        "completions bash",
        "products 'count",
    ] {
        let (bytes, said, exit_code) = run(&alice, line, b"").await;
        assert!(exit_code == Some(2) && bytes.is_empty() && !said.is_empty(), "{line}: {exit_code:?} {said}");
    }
    assert!(!Path::new("/tmp/over-ssh.csv").exists());

    // On a terminal, lines end as terminals want them.
    let channel = alice.channel_open_session().await.unwrap();
    channel.request_pty(true, "xterm", 80, 24, 0, 0, &[]).await.unwrap();
    channel.exec(true, "products count").await.unwrap();
    let mut seen = Seen::of(channel, (80, 24));
    assert_eq!(seen.ends().await, Some(0));
    assert!(seen.bytes.ends_with(b"\r\n"), "{:?}", text(&seen.bytes));
}

/// Runs a command to which bytes are sent without an end.
async fn run_flooded(session: &client::Handle<Met>, line: &str) -> (Vec<u8>, Option<u32>) {
    let channel = session.channel_open_session().await.unwrap();
    channel.exec(true, line).await.unwrap();
    let mut flood = channel.make_writer();
    let flooding = tokio::spawn(async move { while flood.write_all(&[0; 16 * 1024]).await.is_ok() {} });
    let mut seen = Seen::of(channel, (80, 24));
    let exit_code = seen.ends().await;
    flooding.abort();
    (seen.bytes, exit_code)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_that_reads_nothing_takes_no_harm_from_what_comes() {
    let served = served();
    let_in(&served, &key(1), &[]);
    let session = signed_in(&served, key(1)).await;
    for line in ["products search --all --json", "products export -"] {
        let local = served.run(&line.split(' ').collect::<Vec<_>>());
        let (bytes, exit_code) = run_flooded(&session, line).await;
        assert_eq!(exit_code, Some(0), "{line}");
        assert!(bytes.len() > 64 * 1024 && bytes == local.stdout, "{line}: {} bytes", bytes.len());
    }
    // One that reads is held back until it has read, as before.
    let (_, exit_code) = run_flooded(&session, "projects import -").await;
    assert_eq!(exit_code, Some(2));
}

/// A client that takes nothing of what a command writes, which goes on writing.
async fn stalls(served: &Served, number: u8) -> (client::Handle<Met>, Channel<client::Msg>) {
    let config = client::Config { window_size: 16, channel_buffer_size: 1, ..client::Config::default() };
    let address = served.ready["ssh"].as_str().unwrap();
    let mut session = client::connect(Arc::new(config), address, Met::default()).await.unwrap();
    let key = PrivateKeyWithHashAlg::new(Arc::new(key(number)), None);
    assert!(session.authenticate_publickey("guest", key).await.unwrap().success());
    let mut channel = session.channel_open_session().await.unwrap();
    channel.exec(true, "products search --all --json").await.unwrap();
    assert!(matches!(channel.wait().await, Some(ChannelMsg::WindowAdjusted { .. } | ChannelMsg::Success)));
    (session, channel)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_take_nothing_keep_nobody_from_their_commands_nor_the_server_from_its_end() {
    let served = served();
    let_in(&served, &key(1), &["--name", "alice"]);
    let_in(&served, &key(2), &["--name", "bob"]);
    let counts = async |number: u8| {
        let session = signed_in(&served, key(number)).await;
        run(&session, "products count", b"").await.2
    };
    let mut stalled = Vec::new();
    for _ in 0..20 {
        stalled.push(stalls(&served, 1).await);
    }
    assert_eq!(counts(2).await, Some(0), "another key's commands run");
    drop(stalled);
    assert_eq!(counts(1).await, Some(0), "places of clients that left are free");

    let mut stalled = Vec::new();
    for _ in 0..4 {
        stalled.push(stalls(&served, 1).await);
    }
    let asked = Instant::now();
    let (status, _home) = served.terminated();
    assert!(status.success(), "{status}");
    // Ten seconds are promised; the machine may be busy.
    assert!(asked.elapsed() < Duration::from_secs(15), "{:?}", asked.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_send_nothing_keep_nobody_from_their_commands() {
    let served = served();
    let (mut sessions, mut silent) = (Vec::new(), Vec::new());
    for number in [1, 2] {
        let_in(&served, &key(number), &[]);
        let session = signed_in(&served, key(number)).await;
        for _ in 0..8 {
            let channel = session.channel_open_session().await.unwrap();
            channel.exec(true, "projects import -").await.unwrap();
            channel.data_bytes(b"id = ".to_vec()).await.unwrap();
            silent.push(channel);
        }
        sessions.push(session);
    }
    let_in(&served, &key(3), &["--workspace", "training"]);
    let third = signed_in(&served, key(3)).await;
    let (counted, said, exit_code) = run(&third, "products count", b"").await;
    assert_eq!((exit_code, said.as_str()), (Some(0), ""), "{}", text(&counted));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_with_many_studios_leaves_room_for_others() {
    const MOST: usize = 64;
    let served = served();
    let (mut sessions, mut dialogues) = (Vec::new(), Vec::new());
    let_in(&served, &key(1), &[]);
    for opened in 0..=MOST {
        if opened % 10 == 0 {
            sessions.push(signed_in(&served, key(1)).await);
        }
        let channel = sessions.last().unwrap().channel_open_session().await.unwrap();
        channel.exec(true, "--plain").await.unwrap();
        dialogues.push(Seen::of(channel, (80, 24)));
    }
    let mut last = dialogues.pop().unwrap();
    assert_eq!(last.ends().await, Some(2));
    assert!(text(&last.said).contains("too many studios are open by your key"), "{}", text(&last.said));
    let_in(&served, &key(2), &[]);
    let other = signed_in(&served, key(2)).await;
    studio(&other, (100, 30)).await.sees("Products").await;
}

/// Ends a server by SIGTERM, and waits for that; its home.
fn stopped(served: Served) -> tempfile::TempDir {
    let (status, home) = served.terminated();
    assert!(status.success(), "{status}");
    home
}

/// The real client, where it is installed, with what goes before the host.
fn openssh(served: &Served, folder: &Path, flags: &[&str]) -> Option<Command> {
    if Command::new("ssh").arg("-V").stderr(Stdio::null()).status().is_err() {
        eprintln!("SKIPPED: there is no ssh here");
        return None;
    }
    let identity = folder.join("id");
    std::fs::write(&identity, key(1).to_openssh(LineEnding::LF).unwrap()).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&identity, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let (host, port) = served.ready["ssh"].as_str().unwrap().rsplit_once(':').unwrap();
    let mut command = Command::new("ssh");
    command.args(["-F", "none", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]);
    command.args(["-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR"]).arg("-i").arg(identity);
    command.args(["-p", port]).env("TERM", "xterm-256color").args(flags).arg(host);
    Some(command)
}

#[test]
fn openssh_opens_the_studio() {
    let served = served();
    let folder = tempfile::tempdir().unwrap();
    let Some(mut command) = openssh(&served, folder.path(), &["-tt"]) else { return };
    let_in(&served, &key(1), &[]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut keys, mut shown) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut screen = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
    let mut bytes = [0; 4096];
    while !screen.screen().contents().contains("274 products") {
        let read = shown.read(&mut bytes).unwrap();
        assert!(read > 0, "it ended early:\n{}", screen.screen().contents());
        screen.process(&bytes[..read]);
    }
    keys.write_all(b"q").unwrap();
    let mut rest = Vec::new();
    shown.read_to_end(&mut rest).unwrap();
    screen.process(&rest);
    assert!(child.wait().unwrap().success());
    assert!(!screen.screen().alternate_screen());
}

#[test]
fn openssh_gives_a_command_that_reads_nothing_what_it_has() {
    let served = served();
    let folder = tempfile::tempdir().unwrap();
    let_in(&served, &key(1), &[]);
    for line in ["products search --all --json", "products export -"] {
        let Some(mut command) = openssh(&served, folder.path(), &[]) else { return };
        let zeros = std::fs::File::open("/dev/zero").unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let output = command.args(&words).stdin(zeros).output().unwrap();
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        assert!(output.stdout == served.run(&words).stdout, "{line}");
    }
}

#[test]
fn openssh_runs_a_command() {
    let served = served();
    let folder = tempfile::tempdir().unwrap();
    let Some(mut command) = openssh(&served, folder.path(), &[]) else { return };
    let_in(&served, &key(1), &[]);
    let output = command.args(["products", "count", "--json"]).output().unwrap();
    assert_eq!(text(&output.stdout), served.prints(&["products", "count", "--json"]), "{}", text(&output.stderr));
    let Some(mut command) = openssh(&served, folder.path(), &[]) else { return };
    assert_eq!(command.args(["products", "get", "no-such-product"]).output().unwrap().status.code(), Some(4));
}

/// A small real video, and what it is called.
fn video() -> (Vec<u8>, &'static str) {
    let videos = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample/videos");
    let file = std::fs::read_dir(videos)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "mp4") && path.metadata().unwrap().len() > 40_000);
    (std::fs::read(file.unwrap()).unwrap(), "over ssh.mp4")
}

/// The videos of a workspace that have this name, as the local command lists them.
fn named(served: &Served, name: &str) -> usize {
    let list = served.json(&["videos", "list"]);
    list["videos"].as_array().unwrap().iter().filter(|video| video["name"] == name).count()
}

/// Whether something of an upload is still on its way into a guest's home.
fn is_incoming(served: &Served) -> bool {
    fn any(folder: &Path) -> bool {
        std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
            let path = entry.path();
            if path.is_dir() { any(&path) } else { path.parent().is_some_and(|parent| parent.ends_with("incoming")) }
        })
    }
    any(&served.home.path().join("served/ssh"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_video_comes_by_the_channel_whole_or_not_at_all() {
    let served = served();
    let_in(&served, &key(1), &["--name", "alice"]);
    let_in(&served, &key(2), &["--name", "bob", "--read-only"]);
    let (alice, bob) = (signed_in(&served, key(1)).await, signed_in(&served, key(2)).await);
    let (bytes, name) = video();
    let line = format!("videos upload - --name '{name}' --json");
    let (answer, said, exit_code) = run(&alice, &line, &bytes).await;
    assert_eq!(exit_code, Some(0), "{said}");
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["name"], name);
    assert_eq!(named(&served, name), 1);
    // It is the same file as from here.
    let (_, said, exit_code) = run(&bob, &line, &bytes).await;
    assert!(exit_code == Some(7) && said.contains("read-only"), "{said}");
    let (_, said, exit_code) = run(&alice, "videos upload - --name text.mp4", b"no video at all").await;
    assert!(exit_code == Some(2) && said.contains("not a video file"), "{said}");
    for wrong in ["videos upload -", "videos upload - --name x --detach", "videos upload - /etc/passwd --name x"] {
        let (_, said, exit_code) = run(&alice, wrong, &bytes).await;
        assert_eq!(exit_code, Some(2), "{wrong}: {said}");
    }

    // A line that is cut halfway leaves nothing.
    let channel = alice.channel_open_session().await.unwrap();
    channel.exec(true, "videos upload - --name cut.mp4").await.unwrap();
    channel.data_bytes(bytes[..bytes.len() / 2].to_vec()).await.unwrap();
    let begun = Instant::now();
    while !is_incoming(&served) {
        assert!(begun.elapsed() < PATIENCE, "nothing arrives");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop((channel, alice));
    while is_incoming(&served) {
        assert!(begun.elapsed() < PATIENCE, "half a video stays");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(named(&served, "cut.mp4") + named(&served, "text.mp4"), 0);
    assert_eq!(named(&served, name), 1);
}

/// One of OpenSSH's programs that put files, on this server; none where it is not installed.
fn openssh_files(program: &str, served: &Served, folder: &Path) -> Option<Command> {
    if !Path::new("/usr/bin").join(program).exists() || openssh(served, folder, &[]).is_none() {
        eprintln!("SKIPPED: there is no {program} here (apt-get install openssh-client)");
        return None;
    }
    let (_, port) = served.ready["ssh"].as_str().unwrap().rsplit_once(':').unwrap();
    let mut command = Command::new(program);
    command.args(["-F", "none", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]);
    command.args(["-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR"]);
    command.arg("-i").arg(folder.join("id")).args(["-P", port]).stdin(Stdio::null());
    Some(command)
}

#[test]
fn openssh_puts_files_that_become_videos_and_reads_none() {
    let served = served();
    let folder = tempfile::tempdir().unwrap();
    let (bytes, _) = video();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let (good, bad) = (file("a film.mp4", &bytes), file("text.mp4", b"no video at all"));
    let host = "guest@127.0.0.1:";
    let ran = |command: Option<Command>, arguments: &[&std::ffi::OsStr]| {
        let output = command?.args(arguments).output().unwrap();
        Some((output.status.success(), format!("{}{}", text(&output.stdout), text(&output.stderr))))
    };
    let_in(&served, &key(1), &["--name", "alice"]);
    let scp = || openssh_files("scp", &served, folder.path());
    let Some((is_done, said)) = ran(scp(), &[good.as_os_str(), host.as_ref()]) else { return };
    assert!(is_done, "{said}");
    assert_eq!(named(&served, "a film.mp4"), 1, "{said}");
    // By another name; and what is none is said to be none.
    let (is_done, said) = ran(scp(), &[good.as_os_str(), "guest@127.0.0.1:-other.mp4".as_ref()]).unwrap();
    assert!(is_done && named(&served, "-other.mp4") == 1, "{said}");
    let (is_done, said) = ran(scp(), &[bad.as_os_str(), host.as_ref()]).unwrap();
    assert!(!is_done && said.contains("text.mp4: it is not a video file"), "{said}");
    // Nothing of the machine is read, and nothing is made on it.
    let here = folder.path().join("taken");
    for path in ["/etc/passwd", "../../etc/passwd", "a film.mp4"] {
        let from = format!("{host}{path}");
        let (is_done, said) = ran(scp(), &[from.as_ref(), here.as_os_str()]).unwrap();
        assert!(!is_done && !here.exists(), "{path}: {said}");
    }
    let (is_done, said) = ran(scp(), &[good.as_os_str(), "guest@127.0.0.1:/tmp/over-ssh.mp4".as_ref()]).unwrap();
    assert!(!is_done && !Path::new("/tmp/over-ssh.mp4").exists(), "{said}");

    // The same by sftp, several in one session.
    let batch = file(
        "batch",
        format!("put \"{}\" one.mp4\nput \"{}\" two.mp4\nls\n", good.display(), good.display()).as_bytes(),
    );
    let sftp = openssh_files("sftp", &served, folder.path()).map(|mut sftp| {
        sftp.arg("-b").arg(&batch);
        sftp
    });
    if let Some((is_done, said)) = ran(sftp, &["guest@127.0.0.1".as_ref()]) {
        assert!(is_done && said.contains("one.mp4") && said.contains("two.mp4"), "{said}");
        assert_eq!(named(&served, "one.mp4") + named(&served, "two.mp4"), 2);
    }
    // A key that may only read puts nothing.
    let keys: Value = serde_json::from_str(&on(&served, &["ssh-key", "list", "--json"])).unwrap();
    assert!(keys.to_string().contains("alice"), "{keys}");
    on(&served, &["ssh-key", "revoke", "alice"]);
    let_in(&served, &key(1), &["--name", "bob", "--read-only"]);
    let (is_done, said) = ran(scp(), &[good.as_os_str(), "guest@127.0.0.1:read-only.mp4".as_ref()]).unwrap();
    assert!(!is_done && said.contains("read-only"), "{said}");
    assert_eq!(named(&served, "read-only.mp4"), 0);
}

/// What the system says of a process: kibibytes that it holds, and hundredths of a second that it worked.
#[cfg(target_os = "linux")]
fn weighed(pid: &str) -> (u64, u64) {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let held = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit(')').next().unwrap();
    let worked = after_name.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    (held.split_whitespace().next().unwrap().parse().unwrap(), worked)
}

/// The process that serves.
#[cfg(target_os = "linux")]
fn pid_of(served: &Served) -> String {
    let data = served.home.path().join("served").display().to_string();
    let is_it = |pid: &str| {
        let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.contains(&data) && line.contains("--ready-json")
    };
    let all =
        std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    all.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).find(|pid| is_it(pid)).unwrap()
}

/// Measures (`CUTAWAY_TIMED=1` holds it to the numbers; see CONTRIBUTING.md).
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures: a release build on a quiet machine tells something"]
async fn many_sittings_are_small_when_idle_and_quick_when_not() {
    const KEYS: usize = 50;
    let of = |name: &str, usual: usize| std::env::var(name).ok().and_then(|said| said.parse().ok()).unwrap_or(usual);
    let (count, active) = (of("CUTAWAY_SITTINGS", 100), of("CUTAWAY_ACTIVE", 20));
    let is_timed = std::env::var_os("CUTAWAY_TIMED").is_some();
    let served = served();
    let_in(&served, &key(1), &[]);
    let pid = pid_of(&served);
    let (mut sessions, mut studios) = (Vec::new(), Vec::new());
    let mut first = 0;
    for number in 0..=count {
        let session = signed_in(&served, key(1)).await;
        let mut seen = studio(&session, (120, 40)).await;
        seen.sees("274 products").await;
        sessions.push(session);
        studios.push(seen);
        if number == 0 {
            // What all of them share is there by now.
            tokio::time::sleep(Duration::from_secs(2)).await;
            first = weighed(&pid).0;
        }
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    let before = weighed(&pid);
    tokio::time::sleep(Duration::from_secs(20)).await;
    let after = weighed(&pid);
    let each = after.0.saturating_sub(first) / u64::try_from(count).unwrap();
    let worked = after.1 - before.1;
    println!("{count} sittings idle: {each} KiB each; {worked} of 2,000 hundredths of a second worked");

    let mut pressing = Vec::new();
    for mut seen in studios.drain(..active.min(count)) {
        pressing.push(tokio::spawn(async move {
            let mut taken = Vec::new();
            for nth in 0..KEYS {
                let before = seen.bytes.len();
                let pressed = Instant::now();
                seen.presses(if nth % 2 == 0 { "j" } else { "k" }).await;
                while seen.bytes.len() == before {
                    seen.step().await;
                }
                taken.push(pressed.elapsed());
                // The rest of its frame; people press about ten keys a second.
                let _ = tokio::time::timeout(Duration::from_millis(100), async {
                    loop {
                        seen.step().await;
                    }
                })
                .await;
            }
            taken
        }));
    }
    let mut taken = Vec::new();
    for one in pressing {
        taken.extend(one.await.unwrap());
    }
    taken.sort();
    let slowest = taken[taken.len() * 99 / 100];
    println!("{} active: key to paint {:?} in the middle, {slowest:?} p99", active.min(count), taken[taken.len() / 2]);
    if is_timed {
        assert!(each < 8 * 1024, "{each} KiB a sitting");
        assert!(worked < 20, "{worked} hundredths of a second while nobody does anything");
        assert!(slowest < Duration::from_millis(50), "{slowest:?}");
    }
}
