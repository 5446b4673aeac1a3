//! The studio over a real sshd, through a line that is slow: what no pseudo-terminal of a test shows, as sshd takes
//! everything that it is given.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
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
        let port = proxy(self.port, line).to_string();
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
        start.program(&ssh).far(Far { round_trip: Duration::ZERO, rate: 1e9 }).open()
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// A line to a port of this machine: its own port. It takes everything at once, as the buffers on a real one do.
fn proxy(to: u16, line: Far) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else { return };
            let _ = (client.set_nodelay(true), server.set_nodelay(true));
            let there = (client.try_clone().unwrap(), server.try_clone().unwrap());
            thread::spawn(move || carry(there.0, there.1, Far { rate: 1e7, ..line }));
            thread::spawn(move || carry(server, client, line));
        }
    });
    port
}

#[allow(clippy::cast_precision_loss)] // Pieces are small.
fn carry(mut from: TcpStream, mut to: TcpStream, line: Far) {
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
            if to.write_all(piece).is_err() {
                return;
            }
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
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
