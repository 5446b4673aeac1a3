//! A real PostgreSQL server of this machine's, and a database in it for each folder that a test serves. It is there where
//! `CUTAWAY_TEST_ENGINE` is `postgres`; without it every test works on SQLite. Where the server's programs are missing, that
//! is a failure: nobody asks for this engine by accident.

#![allow(dead_code, clippy::unwrap_used, clippy::print_stderr, clippy::missing_panics_doc)]

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock};

/// Makes a cluster in a folder of its own and serves it until its standard input ends, which is when the tests do. The
/// server refuses to be root.
const SERVE: &str = r#"
set -e
bin=$1; dir=$(mktemp -d /tmp/cutaway-pg.XXXXXX)
as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"; else "$@"; fi; }
if [ "$(id -u)" = 0 ]; then chown postgres:postgres "$dir"; chmod 755 "$dir"; fi
cd "$dir"
as "$bin/initdb" -D "$dir/data" -U cutaway -A trust --no-sync -E UTF8 --locale=C >"$dir/log" 2>&1
as "$bin/pg_ctl" -D "$dir/data" -w -l "$dir/server" -o "-k $dir -c listen_addresses= -c fsync=off -c max_connections=600" start >/dev/null 2>&1
echo "$dir"
cat >/dev/null || true
as "$bin/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1 || true
rm -rf "$dir"
"#;

/// One server for all tests of a process. It ends with the process.
struct Server {
    folder: PathBuf,
    programs: PathBuf,
    _shell: Mutex<Child>,
}

/// Whether the tests are to run on PostgreSQL.
#[allow(clippy::panic)]
pub fn is_wanted() -> bool {
    match std::env::var("CUTAWAY_TEST_ENGINE").as_deref() {
        Ok("postgres") => true,
        Ok("sqlite") | Err(_) => false,
        Ok(other) => panic!("CUTAWAY_TEST_ENGINE is {other:?}; it may be sqlite or postgres"),
    }
}

#[allow(clippy::expect_used)]
fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let programs = programs().expect("there is no PostgreSQL on this machine, and CUTAWAY_TEST_ENGINE asks for it");
        let mut shell = Command::new("sh");
        shell.args(["-c", SERVE, "sh"]).arg(&programs).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        let mut folder = String::new();
        BufReader::new(shell.stdout.take().unwrap()).read_line(&mut folder).unwrap();
        assert!(!folder.is_empty(), "PostgreSQL does not start");
        Server { folder: folder.trim().into(), programs, _shell: Mutex::new(shell) }
    })
}

/// Where the programs of the newest version are.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    versions.map(|version| version.path().join("bin")).filter(|bin| bin.join("initdb").exists()).max()
}

/// The address of a database of its own for a folder, the same each time; nothing where the tests run on SQLite.
pub fn of_folder(folder: &Path) -> Option<String> {
    is_wanted().then(|| database(folder))
}

/// The address of such a database whatever the tests run on, for a test that is about both; nothing where there is no
/// PostgreSQL on this machine, which is said, and is a failure where everything has to run.
pub fn beside(folder: &Path) -> Option<String> {
    if programs().is_none() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "there is no PostgreSQL on this machine");
        eprintln!("PASSED OVER: there is no PostgreSQL on this machine");
        return None;
    }
    Some(database(folder))
}

fn database(folder: &Path) -> String {
    let server = server();
    let mut hasher = DefaultHasher::new();
    folder.hash(&mut hasher);
    let name = format!("w{:016x}", hasher.finish());
    // One that is there already stays.
    let _ = Command::new(server.programs.join("createdb"))
        .args(["-U", "cutaway", "-h"])
        .arg(&server.folder)
        .arg(&name)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    let folder = server.folder.to_str().unwrap().replace('/', "%2F");
    format!("postgres://cutaway@{folder}/{name}")
}

/// What a question about the database of a folder has for an answer, where tests run on PostgreSQL.
pub fn number(folder: &Path, sql: &str) -> Option<i64> {
    Some(answer(&of_folder(folder)?, sql).parse().unwrap())
}

/// What a database answers, as text; statements may follow each other.
pub fn answer(place: &str, sql: &str) -> String {
    let mut psql = Command::new(server().programs.join("psql"));
    let asked = psql.args(["-qtAX", "-v", "ON_ERROR_STOP=1", "-c", sql]).arg(place).output().unwrap();
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    String::from_utf8(asked.stdout).unwrap().trim().to_owned()
}
