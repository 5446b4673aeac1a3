//! `cutaway doctor` of the real binary: what it finds, the fixes it names, and the archive it writes.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use serving::{Process, serve};
use tempfile::TempDir;

struct Served {
    process: Process,
    home: TempDir,
}

fn cutaway(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutaway"));
    command.env_clear().stdin(Stdio::null()).current_dir(home).env("HOME", home).env("CUTAWAY_LOG", "debug");
    for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
        command.env(variable, home.join(folder));
    }
    command.args(arguments).output().unwrap()
}

impl Served {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let served =
            Self { process: Process::start(serve(home.path(), &home.path().join("served")).arg("--sample")), home };
        served.write("c/cutaway/config.toml", &format!(
            "default_profile = \"acme\"\n[profiles.acme]\nbase_url = \"{}\"\nstores = [{{ url = \"https://shop.acme.example\", name = \"Acme Shoes\" }}]\n",
            served.word("base_url")
        ));
        served.write(
            "d/cutaway/credentials.toml",
            &format!("[profiles.acme]\napi_key = \"{}\"\n", served.word("api_key")),
        );
        served
    }

    fn word(&self, name: &str) -> &str {
        self.process.word(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.home.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }

    fn doctor(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = cutaway(self.home.path(), &[&["doctor"], arguments].concat());
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }
}

fn state<'a>(document: &'a Value, check: &str) -> Option<&'a Value> {
    document["checks"].as_array().unwrap().iter().find(|found| found["check"] == check)
}

#[test]
fn all_is_well_and_the_archive_holds_no_secret() {
    let served = Served::start();
    let (code, out, said) = served.doctor(&["--json"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &document["good"]), (0, &Value::from(true)), "{out}{said}");
    for check in ["version", "base", "sign-in", "credential", "clock", "conformance", "data"] {
        assert_eq!(state(&document, check).unwrap()["state"], "good", "{check}: {out}");
    }
    for (file, mask) in [("plain.tar", false), ("masked.tar", true)] {
        let arguments: Vec<&str> = ["--bundle", file].into_iter().chain(mask.then_some("--mask")).collect();
        let (code, _, said) = served.doctor(&arguments);
        assert!(code == 0 && said.contains("exchanges.har") && said.contains("doctor.json"), "{said}");
        let path = served.home.path().join(file);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let mut archive = tar::Archive::new(std::fs::File::open(path).unwrap());
        let mut all = String::new();
        let mut names = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            names.push(entry.path().unwrap().display().to_string());
            entry.read_to_string(&mut all).unwrap();
        }
        assert!(
            names.iter().any(|name| name.ends_with("config.toml")) && names.iter().any(|name| name.contains("log/"))
        );
        assert!(!all.contains(served.word("api_key")));
        for word in ["Acme Shoes", "acme", "shop.acme.example", "owner@cutaway.local"] {
            assert_eq!(all.contains(word), !mask, "{file}: {word}");
        }
    }
    // Nothing is written over.
    assert_eq!(served.doctor(&["--bundle", "plain.tar"]).0, 2);
}

#[test]
fn what_is_wrong_is_named_with_its_fix() {
    let served = Served::start();
    served.write("d/cutaway/credentials.toml", "[profiles.acme]\napi_key = \"a-key-that-is-none\"\n");
    let (code, out, _) = served.doctor(&[]);
    assert!(code == 1 && out.contains("BAD") && out.contains("-> cutaway login"), "{out}");
    served.write(
        "c/cutaway/config.toml",
        "default_profile = \"acme\"\ncolour = 1\n[profiles.acme]\nbase_url = \"http://127.0.0.1:1\"\n",
    );
    std::fs::set_permissions(
        served.home.path().join("d/cutaway/credentials.toml"),
        std::fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    let (code, out, _) = served.doctor(&[]);
    for said in ["chmod 600", "colour is not a setting", "127.0.0.1:1/: Connection refused", "fix or remove that line"]
    {
        assert!(code == 1 && out.contains(said), "{said}: {out}");
    }
    served.write("c/cutaway/config.toml", "[profiles.acme\n");
    assert_eq!(served.doctor(&[]).0, 1);
    // The local workspace needs nothing.
    let home = tempfile::tempdir().unwrap();
    let output = cutaway(home.path(), &["doctor"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn how_the_terminal_is_drawn_on_is_shown_with_where_that_is_known_from() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join("c/cutaway")).unwrap();
    let found = |variables: &[(&str, &str)], settings: &str| {
        std::fs::write(home.path().join("c/cutaway/config.toml"), settings).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutaway"));
        command.env_clear().stdin(Stdio::null()).current_dir(home.path()).env("HOME", home.path());
        for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
            command.env(variable, home.path().join(folder));
        }
        let output = command.envs(variables.iter().copied()).args(["doctor", "--json"]).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let says = |document: &Value, check: &str, words: &str| {
        let check = state(document, check).unwrap_or_else(|| panic!("no {check}: {document}"));
        assert!(check["found"].as_str().unwrap().contains(words), "{words:?}: {check}");
    };
    let nobody = found(&[("TERM", "nobody-knows")], "pictures = \"sixel\"\n");
    says(&nobody, "terminal database", "no entry for TERM=nobody-knows");
    says(&nobody, "pictures", "sixel, by pictures in config.toml");
    says(&nobody, "clipboard", "not here, by TERM");
    says(&nobody, "mouse", "on");
    says(&nobody, "keyboard protocol", "asked when the studio starts");
    says(&nobody, "shortcuts", "EL, scroll regions, by TERM");
    let kitty = found(&[("TERM", "xterm-kitty")], "");
    says(&kitty, "colors", "24-bit, by the terminal's name");
    says(&kitty, "pictures", "asked when the studio starts");
    says(&kitty, "clipboard", "sent to the terminal (OSC 52), by TERM");
    says(&kitty, "keyboard protocol", "yes, by the terminal's name");
    says(&kitty, "shortcuts", "REP");
    let colored = found(&[("TERM", "xterm"), ("COLORTERM", "truecolor")], "");
    says(&colored, "colors", "24-bit, by COLORTERM");
    let within = found(&[("TERM", "screen"), ("STY", "1.pts")], "");
    says(&within, "mouse", "off inside GNU screen");
    says(&within, "clipboard", "sent through GNU screen (OSC 52)");
    for (check, from) in [("mouse", "name"), ("clipboard", "name"), ("multiplexer", "name"), ("shortcuts", "name")] {
        assert_eq!(state(&within, check).unwrap()["from"], from, "{check}: {within}");
    }
    assert_eq!(state(&colored, "colors").unwrap()["from"], "variable");
}

#[test]
fn what_was_set_by_hand_is_shown_as_that_with_who_set_it() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join("c/cutaway")).unwrap();
    let settings = "ask_terminal = \"off\"\ncolors = \"16\"\nclipboard = \"wrapped\"\nkeyboard_protocol = \"on\"\n\
                    links = \"off\"\nambiguous_width = \"narrow\"\npictures = \"blocks\"\n";
    std::fs::write(home.path().join("c/cutaway/config.toml"), settings).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutaway"));
    command.env_clear().stdin(Stdio::null()).current_dir(home.path()).env("HOME", home.path()).env("TERM", "foot");
    for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
        command.env(variable, home.path().join(folder));
    }
    command.env("CUTAWAY_TERMINAL", "mouse=off shortcuts=el+rep").args(["doctor", "--json"]);
    let output = command.args(["--terminal", "multiplexer=tmux,clipboard=on"]).output().unwrap();
    let document = serde_json::from_slice::<Value>(&output.stdout).unwrap();
    for (check, found) in [
        ("questions", "none are asked, by ask_terminal in config.toml"),
        ("colors", "16, by colors in config.toml"),
        ("clipboard", "sent to the terminal (OSC 52), by --terminal clipboard"),
        ("keyboard protocol", "yes, by keyboard_protocol in config.toml: every key arrives as itself"),
        ("links", "off, by links in config.toml; o opens addresses"),
        ("line width", "lines take one column, by ambiguous_width in config.toml"),
        ("pictures", "colored blocks, by pictures in config.toml"),
        ("mouse", "off, by mouse in CUTAWAY_TERMINAL"),
        ("shortcuts", "EL, REP, by shortcuts in CUTAWAY_TERMINAL"),
        ("multiplexer", "tmux, by --terminal multiplexer"),
    ] {
        let check = state(&document, check).unwrap_or_else(|| panic!("no {check}: {document}"));
        assert_eq!((check["found"].as_str(), &check["from"]), (Some(found), &Value::from("hand")));
        assert_eq!(check["state"], "good", "it is as somebody wants it");
    }
}

#[test]
fn a_wrong_setting_of_the_terminal_is_refused_with_what_it_may_be() {
    let home = tempfile::tempdir().unwrap();
    let output = cutaway(home.path(), &["whoami", "--terminal", "mouse=maybe"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--terminal: mouse: must be one of auto, on, off, found \"maybe\""), "{said}");
}
