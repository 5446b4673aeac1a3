//! A real PostgreSQL server of this machine's, and a database in it for each folder that a test serves. It is there where
//! `CUTAWAY_TEST_ENGINE` is `postgres` or `cluster`; without it every test works on SQLite. Where the server's programs are missing, that
//! is a failure: nobody asks for this engine by accident.

#![allow(dead_code, clippy::unwrap_used, clippy::print_stderr, clippy::missing_panics_doc)]

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock};

/// Makes a cluster in a folder of its own and serves it until its standard input ends, which is when the tests do. Until then
/// it does what it is told line by line. The server refuses to be root.
const SERVE: &str = r#"
set -e
bin=$1; dir=$(mktemp -d /tmp/cutaway-pg.XXXXXX)
as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"; else "$@"; fi; }
if [ "$(id -u)" = 0 ]; then chown postgres:postgres "$dir"; chmod 755 "$dir"; fi
cd "$dir"
flags=
if [ -n "$2" ]; then
    cp "$2" "$dir/tls.pem"; cp "${2%.pem}.key" "$dir/tls.key"; chmod 600 "$dir/tls.key"
    if [ "$(id -u)" = 0 ]; then chown postgres:postgres "$dir/tls.key" "$dir/tls.pem"; fi
    flags="-c listen_addresses=127.0.0.1 -c port=$3 -c ssl=on -c ssl_cert_file=$dir/tls.pem -c ssl_key_file=$dir/tls.key"
fi
start() {
    as "$bin/pg_ctl" -D "$dir/data" -w -l "$dir/server" -o "-k $dir -c listen_addresses= -c fsync=off -c max_connections=600 $flags" start >/dev/null 2>&1 </dev/null
}
stop() { as "$bin/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1 </dev/null; }
as "$bin/initdb" -D "$dir/data" -U cutaway -A trust --no-sync -E UTF8 --locale=C >"$dir/log" 2>&1
if [ -n "$2" ]; then
    rules=$(cat "$dir/data/pg_hba.conf")
    printf 'hostssl all guarded 127.0.0.1/32 scram-sha-256\n%s\n' "$rules" >"$dir/data/pg_hba.conf"
fi
start
echo "$dir"
while read -r what; do "$what"; echo done; done
stop || true
umount -l "$dir/small" 2>/dev/null || true
rm -rf "$dir"
"#;

/// A server that ends with this, or with the process of the tests.
pub struct Server {
    folder: PathBuf,
    programs: PathBuf,
    shell: Mutex<(Child, Option<ChildStdin>, BufReader<ChildStdout>)>,
    /// The databases that were made in it.
    made: Mutex<BTreeSet<String>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let (shell, input, _) = self.shell.get_mut().unwrap();
        drop(input.take());
        let _ = shell.wait();
    }
}

impl Server {
    /// Starts one; nothing where this machine has none, or, loudly, one that does not start here.
    pub fn start_if_there() -> Option<Self> {
        Self::start_as("", 0)
    }

    /// The same with TLS, on a port of 127.0.0.1 and under a certificate whose key stands beside it. A role `guarded` gets in
    /// there by a password only.
    pub fn start_with_tls_if_there(certificate: &str, port: u16) -> Option<Self> {
        Self::start_as(certificate, port)
    }

    fn start_as(certificate: &str, port: u16) -> Option<Self> {
        let Some(programs) = programs() else {
            untried("there is no PostgreSQL on this machine");
            return None;
        };
        let mut shell = Command::new("sh");
        shell
            .args(["-c", SERVE, "sh"])
            .arg(&programs)
            .args([certificate, &port.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        let (input, mut output) = (shell.stdin.take(), BufReader::new(shell.stdout.take().unwrap()));
        let mut folder = String::new();
        output.read_line(&mut folder).unwrap();
        if folder.is_empty() {
            let _ = shell.wait();
            untried("there is a PostgreSQL on this machine, but it does not start");
            return None;
        }
        Some(Self {
            folder: folder.trim().into(),
            programs,
            shell: Mutex::new((shell, input, output)),
            made: Mutex::default(),
        })
    }

    fn tell(&self, what: &str) {
        let mut shell = self.shell.lock().unwrap();
        let (_, input, output) = &mut *shell;
        input.as_mut().unwrap().write_all(format!("{what}\n").as_bytes()).unwrap();
        let mut said = String::new();
        output.read_line(&mut said).unwrap();
        assert_eq!(said, "done\n", "{what}");
    }

    /// Ends it as a crash does.
    pub fn stop(&self) {
        self.tell("stop");
    }

    /// Starts it again.
    pub fn start(&self) {
        self.tell("start");
    }

    /// Where its socket is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The address of a database, which is made where it is not there.
    pub fn database(&self, name: &str) -> String {
        // One after the other: whoever asks twice has it made once.
        let mut made = self.made.lock().unwrap();
        if made.insert(name.to_owned()) {
            // Nobody can be in this template, so nobody is in the way.
            let making = Command::new(self.programs.join("createdb"))
                .args(["-U", "cutaway", "-T", "template0", "-h"])
                .arg(&self.folder)
                .arg(name)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&making.stderr);
            assert!(making.status.success() || said.contains("already exists"), "{name}: {said}");
        }
        address(&self.folder, name)
    }

    /// What `psql` says to statements at an address.
    pub fn ask_at(&self, place: &str, sql: &str) -> String {
        asked(&self.programs, place, sql)
    }

    /// What `psql` says to statements.
    pub fn ask(&self, database: &str, sql: &str) -> String {
        asked(&self.programs, &address(&self.folder, database), sql)
    }
}

/// A connection of `psql` that stays open, with whatever it holds, until this is dropped.
pub struct Holding(Child);

impl Drop for Holding {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Server {
    /// Runs statements on a connection that stays open.
    pub fn hold(&self, database: &str, sql: &str) -> Holding {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-qtAX", "-v", "ON_ERROR_STOP=1"]).arg(address(&self.folder, database));
        let mut psql = psql.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        psql.stdin.as_mut().unwrap().write_all(format!("{sql};\n\\echo held\n").as_bytes()).unwrap();
        let mut said = String::new();
        let mut output = BufReader::new(psql.stdout.take().unwrap());
        while said.trim() != "held" {
            said.clear();
            assert!(output.read_line(&mut said).unwrap() > 0, "{sql}");
        }
        Holding(psql)
    }
}

/// The address of a database of the server whose socket is in a folder.
pub fn address(folder: &Path, database: &str) -> String {
    format!("postgres://cutaway@{}/{database}", folder.to_str().unwrap().replace('/', "%2F"))
}

/// Whether the tests are to run on PostgreSQL.
#[allow(clippy::panic)]
pub fn is_wanted() -> bool {
    match std::env::var("CUTAWAY_TEST_ENGINE").as_deref() {
        Ok("postgres" | "cluster") => true,
        Ok("sqlite") | Err(_) => false,
        Ok(other) => panic!("CUTAWAY_TEST_ENGINE is {other:?}; it may be sqlite, postgres or cluster"),
    }
}

/// Whether three processes are to serve it.
pub fn is_cluster() -> bool {
    is_wanted() && std::env::var("CUTAWAY_TEST_ENGINE").is_ok_and(|engine| engine == "cluster")
}

/// Says loudly that something was not tried, for want of an engine. Where `CI=true` that is a failure, unless
/// `CUTAWAY_SKIP_ENGINES` gives a reason.
pub fn untried(why: &str) {
    let is_let = std::env::var_os("CUTAWAY_SKIP_ENGINES").is_some_and(|reason| !reason.is_empty());
    let has_to_be = std::env::var_os("CI").is_some_and(|ci| ci == "true");
    assert!(is_let || !has_to_be, "{why}; CUTAWAY_SKIP_ENGINES='the reason' lets that be");
    eprintln!("SKIPPED: {why}");
}

/// Adds a line to the file that `CUTAWAY_TEST_TALLY` names: on what a service was tried. `.ci/run` counts them.
pub fn tally(what: &str) {
    if let Some(file) = std::env::var_os("CUTAWAY_TEST_TALLY") {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file).unwrap();
        file.write_all(format!("{what}\n").as_bytes()).unwrap();
    }
}

/// One server for all tests of a process. It ends with the process.
fn server_if_there() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(Server::start_if_there).as_ref()
}

/// The same, where one has to be there.
#[allow(clippy::expect_used)]
fn server() -> &'static Server {
    server_if_there().expect("there is no PostgreSQL on this machine that starts, and CUTAWAY_TEST_ENGINE asks for it")
}

/// Where the programs of the newest version are.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    versions.map(|version| version.path().join("bin")).filter(|bin| bin.join("initdb").exists()).max()
}

fn name_of(folder: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    folder.hash(&mut hasher);
    format!("w{:016x}", hasher.finish())
}

/// The address of a database of its own for a folder, the same each time; nothing where the tests run on SQLite.
pub fn of_folder(folder: &Path) -> Option<String> {
    is_wanted().then(|| server().database(&name_of(folder)))
}

/// The address of such a database whatever the tests run on, for a test that is about both; nothing, loudly, where there is
/// no PostgreSQL on this machine.
pub fn beside(folder: &Path) -> Option<String> {
    Some(server_if_there()?.database(&name_of(folder)))
}

/// What a question about the database of a folder has for an answer, where tests run on PostgreSQL.
pub fn number(folder: &Path, sql: &str) -> Option<i64> {
    Some(answer(&of_folder(folder)?, sql).parse().unwrap())
}

/// What a database answers, as text; statements may follow each other.
pub fn answer(place: &str, sql: &str) -> String {
    asked(&server().programs, place, sql)
}

/// All that a database holds, as `pg_dump` writes it.
pub fn dumped(place: &str) -> Vec<u8> {
    let mut dump = Command::new(server().programs.join("pg_dump"));
    let dump = dump.args(["--data-only", "--inserts"]).arg(place).output().unwrap();
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    dump.stdout
}

fn asked(programs: &Path, place: &str, sql: &str) -> String {
    let mut psql = Command::new(programs.join("psql"));
    let asked = psql.args(["-qtAX", "-v", "ON_ERROR_STOP=1", "-c", sql]).arg(place).output().unwrap();
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    String::from_utf8(asked.stdout).unwrap().trim().to_owned()
}
