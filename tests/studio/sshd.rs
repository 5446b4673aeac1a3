//! The studio over a real sshd, through a line that is slow: what no pseudo-terminal of a test shows, as sshd takes
//! everything that it is given.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::link::within;
use crate::terminal::far::Far;
use crate::terminal::{Start, Studio};

/// An sshd of a test's own, that ends with it.
struct Sshd {
    folder: TempDir,
    daemon: Child,
    port: u16,
}

impl Sshd {
    /// Starts one; none where OpenSSH is not installed, which is said.
    fn start() -> Option<Self> {
        let program = PathBuf::from("/usr/sbin/sshd");
        if !program.exists() || !Path::new("/usr/bin/ssh").exists() {
            eprintln!("SKIPPED: there is no OpenSSH here (apt-get install openssh-server openssh-client)");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        for key in ["host", "person"] {
            let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(file(key)).status();
            assert!(made.unwrap().success());
        }
        // Where it runs as root it wants a folder to have nothing in.
        let _ = std::fs::create_dir_all("/run/sshd");
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\n\
             PidFile none\nPermitRootLogin yes\nPasswordAuthentication no\nPrintMotd no\n",
            file("host").display(),
            file("person.pub").display()
        );
        std::fs::write(file("sshd_config"), config).unwrap();
        let daemon = Command::new(program)
            .args(["-D", "-e", "-f"])
            .arg(file("sshd_config"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "sshd does not listen");
            thread::sleep(Duration::from_millis(20));
        }
        Some(Self { folder, daemon, port })
    }

    /// A studio over a line to it, on a terminal that answers at once.
    fn open(&self, start: Start, line: Far) -> Studio {
        self.open_on(start, line).0
    }

    /// The same, and its line.
    fn open_on(&self, start: Start, line: Far) -> (Studio, Arc<Wire>) {
        let wire = Arc::new(Wire::default());
        let port = proxy(self.port, line, Arc::clone(&wire)).to_string();
        let key = self.folder.path().join("person").display().to_string();
        let person = Command::new("id").arg("-un").output().unwrap();
        let person = format!("{}@127.0.0.1", String::from_utf8(person.stdout).unwrap().trim());
        let remote = format!("exec env {} {}", start.environment().join(" "), env!("CARGO_BIN_EXE_cutaway"));
        let options =
            ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR", "IdentitiesOnly=yes"];
        let options = options.iter().flat_map(|option| ["-o", option]);
        let mut ssh = vec!["ssh", "-t", "-F", "/dev/null", "-p", &port, "-i", &key];
        ssh.extend(options);
        ssh.extend([person.as_str(), remote.as_str()]);
        (start.program(&ssh).far(Far { round_trip: Duration::ZERO, rate: 1e9 }).open(), wire)
    }
}

/// A line that can be cut.
#[derive(Default)]
struct Wire {
    is_silent: AtomicBool,
    ends: Mutex<Vec<TcpStream>>,
}

/// How a line ends while somebody types.
#[derive(Debug, Clone, Copy)]
enum Cut {
    /// Nothing arrives any more in either direction, and nobody is told.
    Silent,
    /// Both ends are told.
    Reset,
}

impl Wire {
    fn ends(&self, cut: Cut) {
        match cut {
            Cut::Silent => self.is_silent.store(true, Ordering::SeqCst),
            // Whatever is sent to such an end is answered by a reset.
            Cut::Reset => {
                for end in self.ends.lock().unwrap().drain(..) {
                    let _ = end.shutdown(Shutdown::Both);
                }
            }
        }
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// A line to a port of this machine: its own port. It takes everything at once, as the buffers on a real one do.
fn proxy(to: u16, line: Far, wire: Arc<Wire>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else { return };
            let _ = (client.set_nodelay(true), server.set_nodelay(true));
            let there = (client.try_clone().unwrap(), server.try_clone().unwrap());
            wire.ends.lock().unwrap().extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
            let (one, other) = (Arc::clone(&wire), Arc::clone(&wire));
            thread::spawn(move || carry(there.0, there.1, Far { rate: 1e7, ..line }, &one));
            thread::spawn(move || carry(server, client, line, &other));
        }
    });
    port
}

#[allow(clippy::cast_precision_loss)] // Pieces are small.
fn carry(mut from: TcpStream, mut to: TcpStream, line: Far, wire: &Wire) {
    let (taken, taking) = channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Some(read) = from.read(&mut buffer).ok().filter(|read| *read > 0) {
            if taken.send((Instant::now(), buffer[..read].to_vec())).is_err() {
                return;
            }
        }
    });
    let mut through_at = Instant::now();
    for (arrived, bytes) in taking {
        for piece in bytes.chunks(512) {
            through_at = through_at.max(arrived) + Duration::from_secs_f64(piece.len() as f64 / line.rate);
            thread::sleep((through_at + line.round_trip / 2).saturating_duration_since(Instant::now()));
            if !wire.is_silent.load(Ordering::SeqCst) && to.write_all(piece).is_err() {
                return;
            }
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

#[test]
fn two_hundred_screen_switches_over_a_real_sshd_are_painted_within_two_seconds() {
    let Some(sshd) = Sshd::start() else { return };
    let line = Far { round_trip: Duration::from_millis(300), rate: 10_000.0 };
    for apart in [Duration::ZERO, Duration::from_millis(20)] {
        let mut studio = sshd.open(Start::new().size(160, 40), line);
        studio.shows("274 products").shows("terminal 3");
        let from = studio.written();
        for at in 0..199 {
            studio.keys(["2", "3", "4", "1"][at % 4]);
            thread::sleep(apart);
        }
        let last = Instant::now();
        studio.keys("5").shows("Account ─");
        let lag = last.elapsed();
        println!("sshd, {apart:?} apart: painted {lag:?} after the last key, {} bytes", studio.written() - from);
        within(lag, Duration::from_secs(2));
        studio.quit();
    }
}

/// What terminals are called, and whether the studio draws on them; elsewhere it is a dialogue of lines.
const TERMINALS: [(Option<&str>, bool); 9] = [
    (Some("xterm"), true),
    (Some("xterm-256color"), true),
    (Some("tmux-256color"), true),
    (Some("screen"), true),
    (Some("linux"), true),
    (Some("vt100"), true),
    (Some("rxvt"), true),
    (Some("dumb"), false),
    (None, true),
];

#[test]
fn the_studio_opens_over_a_real_sshd_on_every_kind_of_terminal() {
    let Some(sshd) = Sshd::start() else { return };
    let line = Far { round_trip: Duration::from_millis(5), rate: 1e6 };
    for (term, is_drawn) in TERMINALS {
        let start = Start::new().size(100, 30).without("TERM");
        let start = match term {
            Some(term) => start.with("TERM", term),
            None => start,
        };
        let mut studio = sshd.open(start, line);
        studio.shows("274 products");
        if is_drawn {
            studio
                .keys("2")
                .shows("Gift finder")
                .keys("?")
                .shows("type to search")
                .keys("\x1b")
                .hides("type to search");
            studio.keys("q");
        } else {
            studio.keys("2\n").shows("projects in 2 folders").keys("quit\n");
        }
        studio.is_gone();
        let ended = studio.ended();
        assert!(ended.status.success(), "{term:?}: {:?}", ended.status);
        assert!(!ended.screen.alternate_screen() && !ended.screen.hide_cursor(), "{term:?}");
        // Strings that such terminals print are never sent to them.
        if matches!(term, Some("linux" | "vt100" | "rxvt" | "screen" | "dumb")) {
            assert!(!ended.raw.windows(2).any(|two| two == b"\x1b_"), "{term:?} was sent an APC");
        }
    }
}

#[test]
fn a_line_that_is_cut_in_mid_edit_locks_nobody_out_and_loses_nothing() {
    let Some(sshd) = Sshd::start() else { return };
    let line = Far { round_trip: Duration::from_millis(40), rate: 1e5 };
    for cut in [Cut::Silent, Cut::Reset] {
        let start = Start::new().size(120, 40);
        let again = start.again();
        let (mut first, wire) = sshd.open_on(start, line);
        in_project(&mut first);
        first.keys("n").shows("draft: 1 edit not saved ─");
        first.keys("\r").shows("Internal note").keys("Half a tho").shows("Half a tho").journal_holds("Half a tho");
        // Where it was is kept within two seconds.
        let session = first.home().join("state/cutaway/session.toml");
        let begun = Instant::now();
        while !std::fs::read_to_string(&session).unwrap_or_default().contains("steps = \"Gift finder\"") {
            assert!(begun.elapsed() < Duration::from_secs(60), "the place is not kept");
            thread::sleep(Duration::from_millis(20));
        }
        wire.ends(cut);
        // Nobody kills anything: a silent one is taken over, one that was reset has ended in order.
        if matches!(cut, Cut::Reset) {
            first.is_gone();
            // The client is gone; the studio behind sshd lets go of the journal when it ends.
            is_let_go_of(&first.home().join("state/cutaway/drafts"));
        }
        let mut second = sshd.open(again, line);
        if matches!(cut, Cut::Silent) {
            second.shows("Open in another window").keys("\x1b[B").shows("▌ take it over").keys("\r");
        }
        second.shows("draft: 2 edits not saved").shows("10 steps").shows("Half a tho");
        second.keys("ught\x1b").hides("Internal note").shows("draft: 3 edits not saved ─");
        second.quit();
        // The one that nobody told.
        wire.ends(Cut::Reset);
        first.is_gone();
    }
}

/// Waits until nobody holds the journals in this folder.
fn is_let_go_of(drafts: &Path) {
    let is_free = |path: PathBuf| std::fs::File::open(path).is_ok_and(|file| file.try_lock().is_ok());
    let begun = Instant::now();
    loop {
        let files = std::fs::read_dir(drafts).unwrap().flatten().map(|file| file.path());
        if files.filter(|path| path.extension().is_some_and(|kind| kind == "draft")).all(is_free) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "a journal is held");
        thread::sleep(Duration::from_millis(20));
    }
}

fn in_project(studio: &mut Studio) {
    studio.shows("274 products").keys("2").shows("projects in 2 folders").shows("Gift finder");
    studio.keys("/").keys("Gift finder").shows("1 of ").keys("\r");
    studio.until("the project, selected", |rows| {
        rows.iter().any(|row| row.starts_with("│▌") && row.contains("Gift finder"))
    });
    studio.keys("\r").shows(" steps · ");
}
