//! What commands print: failures as documents, tables as wide as is said, exports to standard output.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::path::PathBuf;

use serde_json::Value;
use serving::{Served, cutaway, pretend, text};

/// The document that standard error ends with.
fn document(said: &[u8]) -> Value {
    let said = text(said);
    assert!(said.ends_with('\n'), "{said:?}");
    let document: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap_or_else(|_| panic!("{said}"));
    for member in ["type", "title", "detail"] {
        assert!(document[member].is_string(), "{member}: {document}");
    }
    document
}

#[test]
fn a_failure_is_a_document_where_the_output_is_one() {
    let served = Served::start();
    let nobody = "0198b1a2-7c3d-7e4f-8a5b-000000000000";
    for (arguments, code, status) in [
        (&["projects", "show", nobody][..], 4, Some(404)),
        (&["webhooks", "delete", nobody, "--yes"], 4, Some(404)),
        (&["webhooks", "deliveries", nobody], 4, Some(404)),
        (&["videos", "captions", "list", nobody], 4, Some(404)),
        (&["products", "search", "--cursor", "made up"], 5, Some(400)),
        (&["projects", "create", "x", "--read-only"], 7, None),
        (&["products", "search", "--limit", "501"], 2, None),
        (&["products", "search", "--no-such-flag"], 2, None),
        (&["projects", "list", "--base-url", "http://127.0.0.1:1"], 6, None),
        (&["projects", "delete", nobody], 2, None),
    ] {
        let output = served.run(&[arguments, &["--json"]].concat());
        let said = document(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {said}");
        assert_eq!(said["exitCode"], code, "{arguments:?} {said}");
        assert_eq!(said["status"].as_u64(), status, "{arguments:?} {said}");
        assert_eq!(said["requestId"].is_string(), status.is_some(), "{arguments:?} {said}");
        assert_eq!(output.stdout, b"", "{arguments:?}");
        let plain = served.run(arguments);
        assert_eq!(plain.status.code(), Some(code), "{arguments:?}");
        assert!(serde_json::from_slice::<Value>(&plain.stderr).is_err(), "for people it is a sentence");
    }
    let home = tempfile::tempdir().unwrap();
    let nobody = cutaway(home.path()).args(["whoami", "--json", "--base-url", "https://a.example"]).output().unwrap();
    assert_eq!((document(&nobody.stderr)["exitCode"].clone(), nobody.status.code()), (3.into(), Some(3)));
    // What a service says does nothing to a terminal.
    let base = pretend(&[("/users/me", 418, "{\"title\":\"\\u001b[2Jtea\",\"detail\":\"\\u202epot\"}")]);
    let mut command = cutaway(home.path());
    let odd = command.env("CUTAWAY_API_KEY", "k").args(["whoami", "--json", "--base-url", &base]).output().unwrap();
    let said = text(&odd.stderr);
    assert!(said.contains("tea") && !said.contains('\u{1b}') && !said.contains('\u{202e}'), "{said:?}");
}

#[test]
fn tables_are_as_wide_as_is_said_and_say_what_they_left_out() {
    let served = Served::start();
    let wide = served.run(&["projects", "list"]);
    assert_eq!(text(&wide.stderr), "");
    let narrow = served.command(&["projects", "list"]).env("COLUMNS", "50").output().unwrap();
    let (shown, said) = (text(&narrow.stdout), text(&narrow.stderr));
    assert!(shown.lines().all(|line| line.chars().count() <= 50), "{shown}");
    let left_out = text(&wide.stdout).lines().next().unwrap().split_whitespace().last().unwrap().to_owned();
    assert!(!shown.contains(&left_out) && said.contains(&left_out) && said.contains("COLUMNS"), "{said}");
    let quiet = served.command(&["projects", "list", "--quiet"]).env("COLUMNS", "50").output().unwrap();
    assert_eq!(text(&quiet.stderr), "");
    for odd in ["0", "x", ""] {
        let usual = served.command(&["projects", "list"]).env("COLUMNS", odd).output().unwrap();
        assert_eq!(usual.stdout, wide.stdout, "COLUMNS={odd:?}");
    }
}

#[test]
fn an_export_has_what_its_columns_are_called_and_goes_where_one_says() {
    let served = Served::start();
    served.prints_with_words(&["products", "export", "all.csv"]);
    let file = std::fs::read_to_string(served.home.path().join("all.csv")).unwrap();
    let mut table = csv::Reader::from_reader(file.as_bytes());
    let headings = table.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    assert!(rows.len() >= 200, "{}", rows.len());
    for heading in ["lowest price", "highest price", "stock", "SKUs"] {
        let at = headings.iter().position(|known| known == heading).unwrap();
        let filled = rows.iter().filter(|row| !row[at].is_empty()).count();
        assert!(filled * 10 >= rows.len() * 9, "{heading}: {filled} of {}", rows.len());
    }
    // To standard output the same, and nothing else.
    let printed = served.prints_with_words(&["products", "export", "-", "--format", "csv"]);
    assert_eq!(printed, file);
    let lines = served.prints_with_words(&["products", "export", "-", "wool", "--format", "ndjson"]);
    assert!(lines.lines().count() > 10 && lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    assert!(served.prints_with_words(&["products", "export", "-", "wool", "--format", "json"]).starts_with("[\n"));
    // A table for a pipe needs no word: it is CSV.
    assert_eq!(served.prints_with_words(&["products", "export", "-"]), file);
    assert!(!served.home.path().join("-").exists());
}

#[test]
fn what_can_not_be_is_refused_before_anything_is_asked() {
    let home = tempfile::tempdir().unwrap();
    for (flags, says) in [
        (["--inventory-min", "9", "--inventory-max", "3"], "--inventory-min 9 is above"),
        (["--created-from", "2026-02-01", "--created-to", "2026-01-31"], "is after --created-to"),
        (["--created-from", "2026-01-31T12:00:00Z", "--created-to", "2026-01-31T11:00:00Z"], "is after"),
    ] {
        for command in [&["products", "search"][..], &["products", "export", "x.csv"]] {
            let mut command_line = cutaway(home.path());
            command_line.args(command).args(flags).args(["--base-url", "http://127.0.0.1:1", "--app-url", "https://a"]);
            let output = command_line.env("CUTAWAY_API_KEY", "k").output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{command:?} {flags:?}: {}", text(&output.stderr));
            assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
        }
    }
    let same_day = ["--created-from", "2026-01-31", "--created-to", "2026-01-31", "--inventory-min", "3"];
    let mut command = cutaway(home.path());
    command.args(["products", "search", "--base-url", "http://127.0.0.1:1", "--app-url", "https://a"]).args(same_day);
    assert_eq!(command.env("CUTAWAY_API_KEY", "k").output().unwrap().status.code(), Some(6), "a day has hours");
}

#[test]
fn times_in_tables_are_local_and_short_or_exact() {
    let served = Served::start();
    let created = served.json(&["videos", "list"])["videos"][0]["createdAt"].as_str().unwrap().to_owned();
    let moment: jiff::Timestamp = created.parse().unwrap();
    let shown = |zone: &str, flags: &[&str]| {
        let output = served.command(&[&["videos", "list"], flags].concat()).env("TZ", zone).output().unwrap();
        text(&output.stdout).to_owned()
    };
    for (zone, hours) in [("<-05>5", -5), ("UTC0", 0)] {
        let local = moment.to_zoned(jiff::tz::TimeZone::fixed(jiff::tz::offset(hours)));
        let local = local.strftime("%Y-%m-%d %H:%M").to_string();
        let table = shown(zone, &[]);
        assert!(table.contains(&local) && !table.contains(&created), "{zone} {local}: {table}");
        assert!(shown(zone, &["--utc"]).contains(&created), "{zone}");
        assert!(shown(zone, &["--json"]).contains(&created), "{zone}");
    }
}

#[test]
fn a_silent_service_is_named_on_a_terminal() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", silent.local_addr().unwrap());
    let home = tempfile::tempdir().unwrap();
    let pair = portable_pty::native_pty_system().openpty(portable_pty::PtySize::default()).unwrap();
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_cutaway"));
    command.env_clear();
    command.env("HOME", home.path());
    command.env("CUTAWAY_API_KEY", "k");
    command.args(["whoami", "--base-url", &base]);
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = std::io::BufReader::new(pair.master.try_clone_reader().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut reader, &mut line).unwrap();
    assert!(line.contains("waiting for 127.0.0.1"), "{line:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(silent);
}

#[test]
fn the_program_describes_itself_for_scripts() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let output = cutaway(home.path()).current_dir(home.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    // The version, on one line, on three, and as a document.
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(run(&["-V"]), format!("cutaway {version}\n"));
    let long = run(&["--version"]);
    assert!(long.starts_with(&format!("cutaway {version} (")) && long.contains("\ntarget: "), "{long}");
    for arguments in [["--version", "--json"], ["--json", "-V"]] {
        let document: Value = serde_json::from_str(&run(&arguments)).unwrap();
        assert_eq!((document["name"].as_str(), document["version"].as_str()), (Some("cutaway"), Some(version)));
        let target = document["target"].as_str().unwrap();
        assert!(long.contains(target) && target.contains(std::env::consts::ARCH), "{document}");
        for member in ["commit", "date", "profile", "features"] {
            assert!(document.get(member).is_some(), "{member}: {document}");
        }
    }

    // What it says of its commands are commands.
    let help: Value = serde_json::from_str(&run(&["help", "--json"])).unwrap();
    let commands = help["commands"].as_array().unwrap();
    let words =
        |command: &Value| command["command"].as_str().unwrap().split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert!(commands.len() > 60, "{}", commands.len());
    let some: Value = serde_json::from_str(&run(&["help", "webhooks", "--json"])).unwrap();
    for command in some["commands"].as_array().unwrap() {
        assert!(commands.contains(command), "{command}");
        let words = words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let plain = run(&[&words, &["--help"][..]].concat());
        for argument in command["arguments"].as_array().unwrap() {
            assert!(argument["flag"].as_str().is_none_or(|flag| plain.contains(flag)), "{argument}: {plain}");
        }
    }
    let unknown = cutaway(home.path()).args(["help", "nothing", "--json"]).output().unwrap();
    assert_eq!((document(&unknown.stderr)["exitCode"].clone(), unknown.status.code()), (2.into(), Some(2)));

    // The manual: a page for each command, and the same pages on standard output.
    run(&["man", "--dir", "pages/man1"]);
    let page = |name: String| std::fs::read_to_string(home.path().join("pages/man1").join(name + ".1")).unwrap();
    for command in commands.iter().filter(|command| command["command"] != "") {
        let name = format!("cutaway-{}", words(command).join("-"));
        assert!(page(name.clone()).contains(&name.replace('-', "\\-")), "{name}");
    }
    let whole = page("cutaway".to_owned());
    assert!(run(&["man"]).starts_with(&whole));
    // Every page that another one names is there, and the first one says what holds for all.
    let pages: Vec<PathBuf> =
        std::fs::read_dir(home.path().join("pages/man1")).unwrap().map(|page| page.unwrap().path()).collect();
    for page in &pages {
        let text = std::fs::read_to_string(page).unwrap().replace('\\', "");
        for named in text.split([' ', '\n']).filter_map(|word| word.trim_start_matches("fB").split_once("(1)")) {
            assert!(pages.contains(&home.path().join(format!("pages/man1/{}.1", named.0))), "{page:?} names {named:?}");
        }
    }
    for part in ["ENVIRONMENT", "NO_COLOR", "CUTAWAY_PROFILE", "FILES", "keymap.toml", "\"EXIT STATUS\"", "EXAMPLES"] {
        assert!(whole.contains(part), "{part}");
    }
}
