//! `cutaway serve move`: a workspace goes from its folder into PostgreSQL and back, and everything that was handed out
//! stays good. Without PostgreSQL on the machine this is passed over, and says so.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // All of it is tests.

use crate::serving;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use reqwest::Method;
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use serving::{Process, cutaway, postgres, text};

const SAMPLE: &str = "https://nordlys-outdoor.example";
const SEARCH: &str = "/products-service/searchProductsCursor";

/// Folders, and databases named after them.
struct Place {
    home: tempfile::TempDir,
}

impl Place {
    fn new() -> Option<Self> {
        let home = tempfile::tempdir().unwrap();
        postgres::beside(home.path())?;
        Some(Self { home })
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// An empty database of this name, the same each time.
    fn database(&self, name: &str) -> String {
        postgres::beside(&self.folder(name)).unwrap()
    }

    fn command(&self, arguments: &[&str], data: &Path, database: Option<&str>) -> Command {
        let mut command = cutaway(self.home.path());
        command.arg("serve").args(arguments).arg("--data").arg(data);
        if let Some(database) = database {
            command.env("CUTAWAY_DATABASE_URL", database);
        }
        command
    }

    fn run(&self, arguments: &[&str], data: &Path, database: Option<&str>) -> Output {
        self.command(arguments, data, database).output().unwrap()
    }

    fn prints(&self, arguments: &[&str], data: &Path) -> String {
        let done = self.run(arguments, data, None);
        assert!(done.status.success(), "{arguments:?}: {}", text(&done.stderr));
        text(&done.stdout).to_owned()
    }

    /// What it says in one line where it is refused.
    fn refused(&self, code: i32, arguments: &[&str], data: &Path, database: Option<&str>) -> String {
        let done = self.run(arguments, data, database);
        let said = text(&done.stderr).to_owned();
        assert_eq!(done.status.code(), Some(code), "{arguments:?}: {said}{}", text(&done.stdout));
        assert_eq!(said.lines().count(), 1, "{said}");
        said
    }

    fn serve(&self, flags: &[&str], data: &Path, database: Option<&str>) -> Process {
        let flags = [&["--listen", "127.0.0.1:0", "--ready-json"], flags].concat();
        Process::start(&mut self.command(&flags, data, database))
    }

    /// Kills a move as soon as it says that a table is there.
    fn killed_at(&self, table: &str, arguments: &[&str], data: &Path) {
        let mut moving =
            self.command(arguments, data, None).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let said = BufReader::new(moving.stderr.take().unwrap()).lines().map_while(Result::ok);
        let found = said.take_while(|line| !line.starts_with(table)).count();
        moving.kill().unwrap();
        assert!(!moving.wait().unwrap().success() && found > 0, "it was over before it could be killed");
    }
}

fn ask(process: &Process, key: &str, method: Method, path: &str, body: Option<&Value>) -> Value {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let said = runtime.block_on(async {
        let mut asked = reqwest::Client::new().request(method, format!("{}{path}", process.base())).bearer_auth(key);
        if let Some(body) = body {
            asked = asked.json(body);
        }
        let answer = asked.send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.unwrap()
    });
    // The port is another one each time.
    serde_json::from_str(&said.replace(process.base(), "http://here")).unwrap()
}

/// Every table of a folder's database with its rows, as text.
fn dump(data: &Path) -> Vec<(String, String)> {
    let database =
        Connection::open_with_flags(data.join("cutaway.sqlite3"), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let mut statement = database.prepare(sql).unwrap();
    let tables = statement.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap);
    let rows = |table: String| {
        let mut statement = database.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let (width, mut rows, mut out) = (statement.column_count(), statement.query([]).unwrap(), String::new());
        while let Some(row) = rows.next().unwrap() {
            let cells: Vec<Cell> = (0..width).map(|at| row.get(at).unwrap()).collect();
            writeln!(out, "{cells:?}").unwrap();
        }
        (table, out)
    };
    tables.map(rows).collect()
}

/// The same without what serving it changes.
fn stable(dump: &[(String, String)]) -> Vec<&(String, String)> {
    const CHANGING: [&str; 5] = ["api_key", "access_token", "oauth_grant", "audit", "visitor_use"];
    dump.iter().filter(|(table, _)| !CHANGING.contains(&table.as_str())).collect()
}

fn assert_same(found: &[(String, String)], wanted: &[(String, String)]) {
    for (found, wanted) in found.iter().zip(wanted) {
        assert!(found == wanted, "table {} differs", wanted.0);
    }
    assert_eq!(found.len(), wanted.len());
}

/// What somebody makes in a workspace; a key of it, and what was answered.
fn make(place: &Place, data: &Path) -> (String, Vec<Value>, Value) {
    let served = place.serve(&["--sample", "--sample-products", "300"], data, None);
    let key = place.prints(&["key", "add", "--name", "kept"], data).trim().to_owned();
    let post = |path: &str, body: Value| ask(&served, &key, Method::POST, path, Some(&body));
    let project = post("/projects", json!({ "project": { "name": "Quiz 🧦 «naïve»" } }));
    post("/projects/steps", json!({ "step": { "projectId": project["id"] } }));
    let video = post("/videos/video", json!({}));
    let vtt = "WEBVTT\n\n00:00.000 --> 00:01.000\nHej\n";
    let captions = format!("/videos/{}/captions/sv", video["id"].as_str().unwrap());
    ask(&served, &key, Method::PUT, &captions, Some(&json!({ "vtt": vtt })));
    post("/webhooks", json!({ "event": "response_summary", "url": "https://receiver.example/hook" }));
    let first = post(SEARCH, search(&Value::Null));
    assert!(first["nextCursor"].is_string(), "{first}");
    let answers = seen(&served, &key, &first["nextCursor"]);
    let refused = place.refused(1, &["move", "--to", &place.database("other")], data, None);
    assert!(refused.contains("is served already"), "{refused}");
    (key, answers, first["nextCursor"].clone())
}

fn search(cursor: &Value) -> Value {
    let mut search = json!({ "appUrl": SAMPLE, "limit": 3, "sortBy": "inventoryQuantity", "searchTerm": "wo" });
    if cursor.is_string() {
        search["cursor"] = cursor.clone();
    }
    search
}

/// What a key and a cursor lead to.
fn seen(served: &Process, key: &str, cursor: &Value) -> Vec<Value> {
    let page = ask(served, key, Method::POST, SEARCH, Some(&search(cursor)));
    let read = ["/projects/", "/webhooks", "/videos/videos"].map(|path| ask(served, key, Method::GET, path, None));
    [vec![page], read.to_vec()].concat()
}

#[test]
fn a_workspace_moves_there_and_back_and_what_was_handed_out_stays_good() {
    let Some(place) = Place::new() else { return };
    let (data, database) = (place.folder("data"), place.database("there"));
    let (key, answers, cursor) = make(&place, &data);
    let before = dump(&data);

    let done = place.run(&["move", "--to", &database, "--json"], &data, None);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let moved: Value = serde_json::from_slice(&done.stdout).unwrap();
    let products = moved["tables"].as_array().unwrap().iter().find(|table| table["table"] == "product").unwrap();
    assert!(products["rows"].as_i64().unwrap() > 300 && products["blake3"].as_str().unwrap().len() == 64);
    assert!(text(&done.stderr).contains("product: "), "{}", text(&done.stderr));

    // The folder isn't a workspace any more, and the database can't be filled twice.
    for command in [&["key", "list"][..], &["--listen", "127.0.0.1:0"], &["backup", "/dev/null"]] {
        let said = place.refused(1, command, &data, None);
        assert!(said.contains("was moved to postgres://"), "{said}");
    }
    assert!(place.refused(1, &["move", "--to", &database], &data, None).contains("was moved to"));
    let other = place.folder("other");
    place.prints(&["key", "add"], &other);
    assert!(place.refused(1, &["move", "--to", &database], &other, None).contains("isn't empty"));
    assert!(place.refused(1, &["move", "--from", &database], &other, None).contains("isn't empty"));
    // Two settings of one connection would go by different ones of the server's.
    let pooled = format!("{database}{}prepare=off", if database.contains('?') { '&' } else { '?' });
    assert!(place.refused(2, &["move", "--to", &pooled], &data, None).contains("leave out prepare=off"));

    let served = place.serve(&[], &data, Some(&database));
    assert_eq!(seen(&served, &key, &cursor), answers);
    let refused = place.refused(1, &["move", "--from", &database], &place.folder("new"), None);
    assert!(refused.contains("being served"), "{refused}");
    drop(served);

    // Back, with the address from the environment.
    let done = place.run(&["move", "--from"], &data, Some(&database));
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("both sides have the same"), "{}", text(&done.stdout));
    let back = dump(&data);
    assert_eq!(stable(&back), stable(&before));
    let served = place.serve(&[], &data, None);
    assert_eq!(seen(&served, &key, &cursor), answers);
    drop(served);
    let said = place.refused(1, &["key", "list"], &data, Some(&database));
    assert!(said.contains("moved to a data folder"), "{said}");

    // There and back at once: nothing at all differs.
    let (before, database, new) = (dump(&data), place.database("second"), place.folder("new"));
    place.prints(&["move", "--to", &database], &data);
    place.prints(&["move", "--from", &database], &new);
    assert_same(&dump(&new), &before);
}

#[test]
fn a_move_that_was_killed_goes_on() {
    let Some(place) = Place::new() else { return };
    let (data, database, new) = (place.folder("data"), place.database("there"), place.folder("new"));
    drop(place.serve(&["--sample", "--sample-products", "4000"], &data, None));
    place.killed_at("product: ", &["move", "--to", &database], &data);
    for command in [&["key", "list"][..], &["--listen", "127.0.0.1:0"]] {
        let said = place.refused(1, command, &place.folder("beside"), Some(&database));
        assert!(said.contains("unfinished move"), "{said}");
    }
    let other = place.folder("other");
    place.prints(&["key", "add"], &other);
    let said = place.refused(1, &["move", "--to", &database], &other, None);
    assert!(said.contains("unfinished move of another workspace"), "{said}");
    // What was there already is another one by now.
    place.prints(&["key", "add", "--name", "later"], &data);
    let before = dump(&data);
    place.prints(&["move", "--to", &database], &data);
    assert!(place.prints_on(&database, &["key", "list"]).contains("later"));

    place.killed_at("product: ", &["move", "--from", &database], &new);
    let said = place.refused(1, &["key", "list"], &new, None);
    assert!(said.contains("unfinished move"), "{said}");
    place.prints(&["move", "--from", &database], &new);
    assert_same(&dump(&new), &before);
}

impl Place {
    fn prints_on(&self, database: &str, arguments: &[&str]) -> String {
        let done = self.run(arguments, &self.folder("beside"), Some(database));
        assert!(done.status.success(), "{}", text(&done.stderr));
        text(&done.stdout).to_owned()
    }
}

/// Whoever opens the database while its workspace is moved away waits for the move, and then doesn't use what stayed behind:
/// what it wrote there would be lost.
#[test]
fn who_starts_during_a_move_does_not_use_what_was_moved_away() {
    let Some(place) = Place::new() else { return };
    let (data, database) = (place.folder("data"), place.database("there"));
    assert!(place.run(&["key", "add"], &data, Some(&database)).status.success());
    let moving = {
        let database = database.clone();
        std::thread::spawn(move || {
            let waits = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'cutaway' \
                         AND datname = current_database() AND wait_event_type = 'Lock'";
            let until = format!(
                "DO $$ BEGIN FOR i IN 1..1200 LOOP PERFORM pg_stat_clear_snapshot(); IF EXISTS ({waits}) THEN RETURN; \
                 END IF; PERFORM pg_sleep(0.05); END LOOP; RAISE 'nobody waits'; END $$"
            );
            let mark = "INSERT INTO setting (name, value) VALUES ('moved', '\\x01')";
            postgres::answer(&database, &format!("BEGIN; SELECT one FROM turn FOR UPDATE; {until}; {mark}; COMMIT"));
        })
    };
    let held = "SELECT count(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation
                WHERE relname = 'turn' AND mode = 'RowShareLock'";
    while postgres::answer(&database, held) == "0" && !moving.is_finished() {}
    let said = place.refused(1, &["key", "list"], &data, Some(&database));
    assert!(said.contains("was moved to a data folder"), "{said}");
    moving.join().unwrap();
}

/// A process that was cut off while its workspace was moved away, and comes back, writes nothing there.
#[test]
fn who_comes_back_after_a_move_writes_nothing_to_what_was_moved_away() {
    let Some(place) = Place::new() else { return };
    let (data, database) = (place.folder("data"), place.database("there"));
    let mut served = place.serve(&[], &data, Some(&database));
    let pid = rustix::process::Pid::from_child(served.child());
    let told = |signal| rustix::process::kill_process(pid, signal).unwrap();
    told(rustix::process::Signal::STOP);
    let of_it = "pg_stat_activity WHERE application_name = 'cutaway' AND datname = current_database()";
    let cut = format!("SELECT count(pg_terminate_backend(pid)) FROM {of_it}");
    assert_ne!(postgres::answer(&database, &cut), "0");
    let moved = place.run(&["move", "--from", &database], &place.folder("moved"), None);
    assert!(moved.status.success(), "{}", text(&moved.stderr));
    told(rustix::process::Signal::CONT);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let status = |asked: reqwest::RequestBuilder| runtime.block_on(asked.send()).unwrap().status().as_u16();
    let (client, base) = (reqwest::Client::new(), served.base().to_owned());
    let project = json!({ "project": { "name": "Too late" } });
    let create = client.post(format!("{base}/projects")).bearer_auth(served.key()).json(&project);
    assert_eq!(status(create), 503);
    assert_eq!(status(client.get(format!("{base}/readyz"))), 503);
    assert_eq!(postgres::answer(&database, "SELECT count(*) FROM project"), "0");
}

/// What a process is told that was written while a move into the database looked whether it is empty stays: the move is refused.
#[test]
fn what_is_written_while_a_move_begins_is_kept_and_the_move_refused() {
    let Some(place) = Place::new() else { return };
    let (data, database) = (place.folder("data"), place.database("there"));
    place.prints(&["key", "add"], &data);
    assert!(place.run(&["migrate"], &data, Some(&database)).status.success());
    let holding = {
        let database = database.clone();
        std::thread::spawn(move || {
            // The move counts the rows of this table, among the last; whoever makes a key doesn't touch it.
            let until = "DO $$ BEGIN FOR i IN 1..1200 LOOP IF EXISTS (SELECT 1 FROM api_key) THEN RETURN; END IF; \
                         PERFORM pg_sleep(0.05); END LOOP; RAISE 'nobody made a key'; END $$";
            postgres::answer(&database, &format!("BEGIN; LOCK TABLE guest_line; {until}; COMMIT"));
        })
    };
    let locks = |granted| {
        let of = "SELECT count(*) FROM pg_locks JOIN pg_class ON pg_class.oid = relation WHERE relname = 'guest_line'";
        postgres::answer(&database, &format!("{of} AND granted = {granted}"))
    };
    while locks(true) == "0" && !holding.is_finished() {}
    std::thread::scope(|scope| {
        let moving = scope.spawn(|| place.refused(1, &["move", "--to", &database], &data, None));
        while locks(false) == "0" && !moving.is_finished() {}
        place.prints_on(&database, &["key", "add", "--name", "meanwhile"]);
        let said = moving.join().unwrap();
        assert!(said.contains("isn't empty"), "{said}");
    });
    holding.join().unwrap();
    assert!(place.prints_on(&database, &["key", "list"]).contains("meanwhile"));
}

/// A text with U+0000, as versions before took it, is named before anything is written.
#[test]
fn a_text_that_postgresql_cannot_store_is_named_first() {
    let Some(place) = Place::new() else { return };
    let (data, database) = (place.folder("data"), place.database("there"));
    place.prints(&["key", "add"], &data);
    let sqlite = Connection::open(data.join("cutaway.sqlite3")).unwrap();
    sqlite.execute("UPDATE api_key SET name = 'a' || char(0) || 'b'", []).unwrap();
    drop(sqlite);
    let said = place.refused(1, &["move", "--to", &database], &data, None);
    assert!(said.contains("api_key.name") && said.contains("U+0000"), "{said}");
    assert_eq!(postgres::answer(&database, "SELECT count(*) FROM setting"), "0");
}

/// A name that an index of PostgreSQL has no room for is named before anything is written; one that is as long and packs
/// well isn't in the way.
#[test]
fn a_name_that_is_too_long_for_an_index_is_named_first() {
    let Some(place) = Place::new() else { return };
    let (data, database) = (place.folder("data"), place.database("there"));
    drop(place.serve(&["--sample"], &data, None));
    let rename = |name: &str| {
        let sqlite = Connection::open(data.join("cutaway.sqlite3")).unwrap();
        sqlite.execute("UPDATE store SET app_url = ?1 WHERE id = 1", [name]).unwrap();
    };
    let mut odd = String::new();
    let mut seed = 1_u64;
    while odd.len() < 4_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        write!(odd, "{:016x}", seed ^ (seed >> 29)).unwrap();
    }
    let odd: String = odd.chars().map(|c| char::from_u32(0x4e00 + c as u32 * 37 % 977).unwrap()).collect();
    rename(&odd);
    let said = place.refused(1, &["move", "--to", &database], &data, None);
    assert!(said.contains("store (app_url)") && said.contains("too long"), "{said}");
    assert_eq!(postgres::answer(&database, "SELECT count(*) FROM setting"), "0");
    rename(&"long".repeat(1_000));
    // What products are known and found by, and names of folders, may be as long as they are.
    let sqlite = Connection::open(data.join("cutaway.sqlite3")).unwrap();
    for sql in [
        "UPDATE folder SET name = ?1 WHERE number = 1",
        "UPDATE product SET external = ?1 WHERE id = (SELECT min(id) FROM product)",
        "INSERT INTO posting (store, field, chunk, term, bits) VALUES (1, 3, 7, ?1, x'00')",
        "INSERT INTO posting (store, field, chunk, term, bits) VALUES (1, 3, 7, ?1 || 'a', x'00')",
    ] {
        assert_eq!(sqlite.execute(sql, [&odd]).unwrap(), 1, "{sql}");
    }
    drop(sqlite);
    place.prints(&["move", "--to", &database], &data);
}

#[test]
fn a_move_is_asked_for_rightly_or_refused_in_one_line() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let refused = |code: i32, arguments: &[&str]| {
        let mut command = cutaway(home.path());
        let done = command.args(["serve", "move", "--data"]).arg(&data).args(arguments).output().unwrap();
        let said = text(&done.stderr).to_owned();
        assert_eq!(done.status.code(), Some(code), "{arguments:?} {said}");
        said
    };
    let away = "postgres://shop@127.0.0.1:1/none";
    refused(2, &[]);
    refused(2, &["--to", away, "--from", away]);
    for (arguments, says) in [
        (&["--to"][..], "CUTAWAY_DATABASE_URL"),
        (&["--to", "mysql://a@b/c"], "--to"),
        (&["--from", "postgres://shop:hunter2@127.0.0.1:1/none"], "password"),
        (&["--to", away, "--database-url", away], "not both"),
    ] {
        let said = refused(2, arguments);
        assert!(said.contains(says) && !said.contains("hunter2") && said.lines().count() == 1, "{said}");
    }
    assert!(refused(1, &["--to", away]).contains("contains no workspace"));
    assert!(!data.exists(), "nothing was made");
    assert!(refused(1, &["--from", away]).contains("PostgreSQL"));
    assert!(!data.join("cutaway.sqlite3").exists());
}
