//! `cutaway serve` and what it does instead of serving, wherever the folder is named.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn serve(home: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutaway"));
    command.arg("serve").args(arguments).env_clear().env("HOME", home);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn the_folder_may_be_named_before_the_command_or_after_it() {
    let home = tempfile::tempdir().unwrap();
    let (data, tar) = (home.path().join("data"), home.path().join("copy.tar"));
    let (data, tar) = (data.to_str().unwrap(), tar.to_str().unwrap());
    let store = ["--app-url", "https://shop.example"];
    let commands: [(&[&str], &str); 4] = [
        (&["key", "add"], "cutaway_key_"),
        (&["import-products", "-", store[0], store[1]], "0 added, 0 updated"),
        (&["backup", tar, "--keep", "2"], "copy.tar: the database and 0 videos"),
        (&["player-form", "on"], ""),
    ];
    for (command, says) in commands {
        for arguments in [[&["--data", data], command].concat(), [command, &["--data", data]].concat()] {
            let done = serve(home.path(), &arguments, "");
            let (out, err) = (String::from_utf8(done.stdout).unwrap(), String::from_utf8(done.stderr).unwrap());
            assert!(done.status.success(), "{arguments:?} {err}");
            assert!(out.contains(says), "{arguments:?} {out}");
        }
    }
    assert!(!home.path().join(".local/share").exists(), "nothing was done in the folder of the local profile");
    let is_there = |name: &str| home.path().join(name).exists();
    assert!(is_there("copy.tar") && is_there("copy.tar.1") && !is_there("copy.tar.2"), "two are kept");
}

#[test]
fn flags_of_serving_are_refused_where_nothing_is_served() {
    let home = tempfile::tempdir().unwrap();
    for flags in [&["--sample"][..], &["--listen", "127.0.0.1:0"], &["--max-upload", "1M"], &["--ready-json"]] {
        let done = serve(home.path(), &[flags, &["key", "add"]].concat(), "");
        let err = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{err}");
        assert!(err.contains(flags[0]) && err.lines().count() == 1, "{err}");
    }
}

/// What works on a folder only says so in one line, before anything is done, wherever the database is named.
#[test]
fn what_is_about_a_folder_is_refused_with_a_database() {
    let home = tempfile::tempdir().unwrap();
    let tar = home.path().join("copy.tar");
    let (tar, database) = (tar.to_str().unwrap(), "postgres://nobody@127.0.0.1:1/none");
    let commands: [(&[&str], &str); 1] = [(&["backup", tar], "serve backup")];
    for (command, named) in commands {
        let done = serve(home.path(), &[&["--database-url", database], command].concat(), "");
        let err = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{err}");
        assert!(err.contains(named) && err.contains("only on a data folder") && err.lines().count() == 1, "{err}");
    }
    assert!(!Path::new(tar).exists());
}

#[test]
fn a_database_is_named_without_a_password_and_said_to_be_away_in_one_line() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let ends = |code: i32, arguments: &[&str]| -> String {
        let done = serve(home.path(), &[arguments, &["--data", data.to_str().unwrap()]].concat(), "");
        let err = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(code), "{arguments:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{err}");
        err
    };
    let secret = "postgres://shop:hunter2@127.0.0.1:1/none";
    let said = ends(2, &["--database-url", secret]);
    assert!(said.contains("password") && !said.contains("hunter2"), "{said}");
    for wrong in ["", "mysql://a@b/c", "postgres://a@b", "postgres://a@/c?what=1"] {
        assert!(ends(2, &["key", "list", "--database-url", wrong]).contains("--database-url"));
    }
    assert!(ends(2, &["migrate"]).contains("--database-url"));
    // Nobody listens there.
    for command in [&["key", "list"][..], &["migrate"], &["migrate", "--check"], &["--listen", "127.0.0.1:0"]] {
        let said = ends(1, &[command, &["--database-url", "postgres://a@127.0.0.1:1/none"]].concat());
        assert!(said.contains("the database: PostgreSQL"), "{said}");
    }
}
