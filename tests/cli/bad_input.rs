//! What is wrong with what a command is given, or where it runs: one clear line, the right exit code, no backtrace.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Output, Stdio};

use serving::{Served, cutaway, pretend, tells_panic};

/// Runs a command that is given this on standard input.
fn given(mut command: Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Whoever refuses before reading closes it: that is no fault of this side.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// What is said for people: with `--json` it is the detail of a document.
fn sentence(said: &str) -> String {
    let document = serde_json::from_str::<serde_json::Value>(said).unwrap_or_default();
    document["detail"].as_str().map_or_else(|| said.to_owned(), |detail| format!("cutaway: {detail}"))
}

fn fails(output: &Output, code: i32, says: &str, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{what}: {said}");
    assert!(output.stdout.is_empty(), "{what}: {}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(said.lines().count(), 1, "{what}: {said}");
    let sentence = sentence(&said);
    assert!(sentence.starts_with("cutaway: ") && sentence.contains(says), "{what}: {said}");
    assert!(!tells_panic(&said) && said.chars().all(|c| c == '\n' || !c.is_control()), "{what}: {said:?}");
}

#[test]
fn files_and_standard_input() {
    let served = Served::start();
    let home = served.home.path();
    let long = vec![b' '; 64 * 1024 * 1024 + 1];
    let files: [(&str, &[u8]); 7] = [
        ("latin.toml", b"cutaway = 1\nname = \"\xe6\"\n"),
        ("utf16.toml", b"\xff\xfec\0u\0"),
        ("empty.toml", b""),
        ("else.toml", b"cutaway = 1\nname = \"x\"\ncolour = 3\n"),
        ("later.toml", b"cutaway = 99\nname = \"x\"\n"),
        ("escape.toml", b"\x1b[31m"),
        ("nul.toml", b"cutaway = 1\nname = \"x\"\nsteps = [{ name = \"a\", overlayText = \"b\\u0000\" }]\n"),
    ];
    for (name, bytes) in files {
        fs::write(home.join(name), bytes).unwrap();
    }
    let project = served.json(&["projects", "list"])["projects"][0]["id"].as_str().unwrap().to_owned();
    let nobody = "00000000-0000-4000-8000-000000000000";
    // The arguments, standard input, the exit code, a part of what is said.
    let table: Vec<(Vec<&str>, &[u8], i32, &str)> = vec![
        (vec!["projects", "import", "nowhere.toml"], b"", 2, "nowhere.toml: No such file"),
        (vec!["projects", "import", "."], b"", 2, ".: Is a directory"),
        (vec!["projects", "import", "latin.toml"], b"", 2, "latin.toml: isn't UTF-8 text: byte 21 is wrong"),
        (vec!["projects", "import", "utf16.toml"], b"", 2, "utf16.toml: isn't UTF-8 text: byte 1"),
        (vec!["projects", "import", "empty.toml"], b"", 2, "empty.toml: "),
        (vec!["projects", "import", "else.toml"], b"", 2, "colour"),
        (vec!["projects", "import", "later.toml"], b"", 2, "later.toml: "),
        (vec!["projects", "import", "escape.toml"], b"", 2, "escape.toml: "),
        (vec!["projects", "import", "nul.toml"], b"", 2, "nul.toml: steps[0].overlayText must not contain U+0000"),
        (vec!["projects", "import", "-"], b"", 2, "standard input: "),
        (vec!["projects", "import", "-"], b"\xff", 2, "standard input: isn't UTF-8 text"),
        (vec!["projects", "import", "-"], &long, 2, "standard input: is longer than 64 MiB"),
        (vec!["projects", "plan", "-"], b"no project", 2, "standard input: "),
        (vec!["projects", "plan", "-"], b"cutaway = 1\nname = \"x\"\n", 2, "names no project"),
        (vec!["projects", "apply", "-", "--yes"], b"{", 2, "standard input: "),
        (vec!["projects", "apply", "-", "--project", &project], b"cutaway = 1\nname = \"x\"\n", 2, "--yes"),
        (vec!["projects", "apply", "-", "--yes", "--project", nobody], b"cutaway = 1\nname = \"x\"\n", 4, ""),
        (vec!["steps", "update", nobody, "--answers", "-"], b"{}", 2, "standard input: these aren't answers"),
        (vec!["steps", "update", nobody, "--answers", "-"], b"[{\"text\": 3}]", 2, "these aren't answers"),
        (vec!["steps", "update", nobody, "--answers", "-"], b"[1", 2, "standard input: "),
        (vec!["steps", "update", nobody, "--answers", "nowhere.json"], b"", 2, "nowhere.json: No such file"),
        (vec!["steps", "update", nobody, "--answers", "-"], b"[]", 4, ""),
        (vec!["videos", "create", "-"], b"", 2, "standard input contains no address"),
        (vec!["videos", "create", "-"], b"https://a.example/\xff", 2, "standard input: isn't UTF-8 text"),
        (vec!["videos", "upload", "nowhere.mp4"], b"", 2, ""),
        (vec!["products", "export", "x.txt"], b"", 2, "--format"),
        (vec!["products", "export", "else.toml", "--format", "csv"], b"", 1, "already exists"),
        (vec!["products", "export", "no/such/x.csv"], b"", 1, "No such file"),
        (vec!["products", "search", "--cursor", "made up"], b"", 5, ""),
        (vec!["whoami", "--api-key-stdin"], b"\n", 2, "standard input contained no API key"),
        (vec!["whoami", "--api-key-stdin"], b"\xff\xfe\n", 2, "couldn't read the API key"),
        (vec!["whoami", "--api-key-stdin"], b"wrong\n", 3, ""),
        (vec!["projects", "export", &project, "else.toml"], b"", 1, "else.toml"),
        (vec!["projects", "list", "--folder", "no such"], b"", 4, "no such"),
        (vec!["projects", "delete", &project], b"y\n", 2, "--yes"),
        (vec!["assets", "delete", "x"], b"y\n", 2, "--yes"),
        (vec!["steps", "delete", "x"], b"y\n", 2, "--yes"),
        (vec!["--read-only", "projects", "create", "x"], b"", 7, ""),
        (vec!["--profile", "no such", "whoami"], b"", 2, "no such"),
        (vec!["--base-url", "ftp://a.example", "whoami"], b"", 2, "--base-url"),
    ];
    for (arguments, input, code, says) in table {
        let what = arguments.join(" ");
        let output = given(served.command(&arguments), input);
        if arguments.contains(&"upload") {
            // Of several files each has its line.
            assert_eq!(output.status.code(), Some(code), "{what}");
            continue;
        }
        // The plan that nobody said yes to is shown all the same.
        let plan = says == "--yes" && arguments.contains(&"apply");
        fails(&Output { stdout: if plan { Vec::new() } else { output.stdout }, ..output }, code, says, &what);
    }
    // What clap refuses it explains in more than a line, but never with more than that.
    for arguments in [
        &["products", "search", "--limit", "501"][..],
        &["products", "search", "--inventory-min", "many"],
        &["products", "search", "--sort", "price"],
        &["products", "export", "x.csv", "--columns", "id,nothing"],
        &["steps", "update", "x", "--answer", "no arrow"],
        &["steps", "update", "x", "--answer-time=-1"],
        &["steps", "update", "x", "--answer", "a=>", "--answers", "-"],
        &["webhooks", "create", "sold", "https://a.example"],
        &["projects", "create", "x", "--json", "--id-only"],
        &["no-such-command"],
        &["--quiet", "--verbose", "whoami"],
    ] {
        let output = served.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        let is_usage = said.starts_with("error: ") || sentence(&said).starts_with("cutaway: the argument");
        assert!(is_usage && output.stdout.is_empty() && !tells_panic(&said), "{said}");
    }
    let odd = std::ffi::OsStr::from_bytes(b"a\xff.toml");
    fails(&served.command(&["projects", "import"]).arg(odd).output().unwrap(), 2, "No such file", "an odd name");
}

#[test]
fn surroundings() {
    let binary = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutaway"));
        command.env_clear().stdin(Stdio::null());
        command
    };
    let home = tempfile::tempdir().unwrap();
    // No home at all, and no name for one: only what needs it says so.
    let homeless = |arguments: &[&str]| binary().args(arguments).env("HOME", "/proc/none").output().unwrap();
    fails(&homeless(&["projects", "list"]), 1, "/proc/none", "a home that can't be written to");
    fails(&homeless(&["profiles", "use", "shop"]), 1, "", "a configuration that can't be written");
    let version = binary().arg("--version").output().unwrap();
    assert!(version.status.success());
    // No network: nobody listens there, or nobody has that name.
    for base in ["http://127.0.0.1:9", "https://no-such-host.invalid"] {
        for arguments in
            [&["whoami"][..], &["projects", "list", "--json"], &["products", "count", "--app-url", "https://a.example"]]
        {
            let mut command = cutaway(home.path());
            command.env("CUTAWAY_BASE_URL", base).env("CUTAWAY_API_KEY", "k").args(arguments);
            fails(&command.output().unwrap(), 6, "", base);
        }
    }
    // No terminal: the studio can't be shown, and nobody can be asked.
    fails(&cutaway(home.path()).output().unwrap(), 2, "needs a terminal", "no terminal");
    fails(
        &cutaway(home.path()).args(["login", "--profile", "x"]).output().unwrap(),
        2,
        "",
        "a sign-in that nobody can approve",
    );
    // A configuration that is none.
    fs::create_dir_all(home.path().join("c/cutaway")).unwrap();
    fs::write(home.path().join("c/cutaway/config.toml"), b"\xff").unwrap();
    fails(&cutaway(home.path()).args(["projects", "list"]).output().unwrap(), 2, "config.toml", "no configuration");
}

#[test]
fn operands_that_are_none() {
    let served = Served::start();
    let home = served.home.path();
    let (huge, nobody) = ("x".repeat(130_000), "00000000-0000-4000-8000-000000000000");
    let table: Vec<(Vec<&str>, i32, &str)> = vec![
        (vec!["projects", "check", ""], 2, "\"\" is no id"),
        (vec!["projects", "show", ".."], 2, "is no id"),
        (vec!["assets", "delete", ".", "--yes"], 2, "is no id"),
        (vec!["projects", "show", &huge], 2, "an id of 130000 bytes is none"),
        (vec!["products", "get", &huge], 4, "xxx…xxx"),
        (vec!["products", "get", nobody], 4, nobody),
        // A profile that there is none of: wrong where a flag names it, not found where it is what the command is about.
        (vec!["whoami", "--profile", "nobody"], 2, "nobody"),
        (vec!["doctor", "--profile", "nobody"], 2, "nobody"),
        (vec!["logout", "--profile", "nobody"], 2, "nobody"),
        (vec!["videos", "queue", "--profile", "nobody"], 2, "nobody"),
        (vec!["profiles", "use", "nobody"], 4, "nobody"),
        (vec!["profiles", "change", "nobody", "--live"], 4, "nobody"),
        (vec!["profiles", "rename", "nobody", "somebody"], 4, "nobody"),
        (vec!["profiles", "remove", "nobody", "--yes"], 4, "nobody"),
    ];
    for (arguments, code, says) in table {
        let output = served.run(&arguments);
        let what = arguments.join(" ");
        let what = what.get(..60).unwrap_or(&what);
        fails(&output, code, says, what);
        assert!(output.stderr.len() < 600, "{what}");
    }
    let output = served.command(&["videos", "upload", "/nonexist", "."]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("/nonexist: "), "{said}");
    // Whatever the file is called.
    #[cfg(unix)]
    let other = home.join("another-name");
    #[cfg(unix)]
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cutaway"), &other).unwrap();
    #[cfg(unix)]
    for arguments in [&["projects", "show"][..], &["projects", "--help"]] {
        let output = Command::new(&other).args(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(said.contains("Usage: cutaway projects") && !said.contains("another-name"), "{said}");
    }
}

#[test]
fn odd_answers() {
    let base = pretend(&[
        ("/account-service/authenticateCliApiKey", 404, ""),
        ("GET /projects/none", 200, "{\"project\": null}"),
        ("POST /projects", 200, "{\"id\": \"a\u{202e}b\", \"url\": \"https://p.example\"}"),
        ("/products-service/getProductsCount", 200, "{\"total\": 3, \"a\": 1e400}"),
    ]);
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = cutaway(home.path());
        command.env("CUTAWAY_BASE_URL", &base).env("CUTAWAY_API_KEY", "k").env("CUTAWAY_APP_URL", "https://a.example");
        command.args(arguments).output().unwrap()
    };
    for arguments in [
        &["projects", "show", "none"][..],
        &["projects", "check", "none"],
        &["projects", "export", "none", "--format", "toml"],
        &["projects", "export", "none", "--json"],
        &["projects", "duplicate", "none"],
    ] {
        fails(&run(arguments), 4, "there is no project \"none\"", &arguments.join(" "));
    }
    let shown = run(&["projects", "show", "none", "--json"]);
    assert_eq!((shown.status.code(), &*shown.stdout), (Some(4), &b"{\"project\": null}\n"[..]));
    // A script would go on with an id that is another.
    fails(&run(&["projects", "create", "x", "--id-only"]), 1, "it was created, but", "an id that no line can hold");
    for arguments in [&["products", "count"][..], &["products", "count", "--json"]] {
        let counted = run(arguments);
        assert!(counted.status.success(), "{}", String::from_utf8_lossy(&counted.stderr));
    }
    assert_eq!(run(&["products", "count"]).stdout, b"3\n");
}

#[test]
fn a_variable_that_is_no_text_is_no_silence() {
    let served = Served::start();
    let odd = std::ffi::OsStr::from_bytes(b"1\xff");
    let before = served.prints(&["projects", "list"]);
    for variable in ["CUTAWAY_READ_ONLY", "CUTAWAY_PROFILE", "CUTAWAY_BASE_URL", "CUTAWAY_API_KEY", "XDG_STATE_HOME"] {
        for arguments in [&["projects", "create", "oops"][..], &["logout", "--profile", "x"], &["profiles", "list"]] {
            let output = served.command(arguments).env(variable, odd).output().unwrap();
            fails(&output, 2, &format!("{variable} is not valid UTF-8"), variable);
        }
    }
    assert_eq!(served.prints(&["projects", "list"]), before);
    let others = served.command(&["projects", "list"]).env("LESS", odd).output().unwrap();
    assert!(others.status.success(), "what is for other programs");
}

/// Runs a command into a reader that goes away after its first line, or before it.
fn head(served: &Served, arguments: &[&str], lines: &str) -> (String, String) {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_cutaway"));
    let words: Vec<String> = arguments.iter().map(|word| cutaway::domain::shell::word(word)).collect();
    let line = format!("{{ {} {}; echo \"ended $?\" >&2; }} | {lines}", program.display(), words.join(" "));
    let mut command = Command::new("sh");
    command.env_clear().envs(served.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("PATH", std::env::var("PATH").unwrap_or_default()).current_dir(served.home.path());
    let output = command.arg("-c").arg(line).stdin(Stdio::null()).output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let served = Served::with(&["--sample-products", "5000"]);
    let store = served.ready["app_urls"][1].as_str().unwrap().to_owned();
    let (out, said) = head(&served, &["products", "search", "--all", "--json", "--app-url", &store], "head -1");
    assert!(out.starts_with('{') && out.lines().count() == 1, "{out}");
    assert_eq!(said, "ended 0\n");
    let project = served.json(&["projects", "list"])["projects"][0]["id"].as_str().unwrap().to_owned();
    let product = served.json(&["products", "search", "--limit", "1"]);
    let product = product["products"][0]["externalProductId"].as_str().unwrap().to_owned();
    let webhook = served.json(&["webhooks", "list"])[0]["id"].as_str().unwrap().to_owned();
    // Nobody reads at all.
    for arguments in [
        &["products", "search"][..],
        &["products", "search", "--json"],
        &["products", "search", "--all"],
        &["products", "get", &product],
        &["products", "media", &product],
        &["products", "count"],
        &["products", "export", "-", "--format", "csv"],
        &["products", "export", "-", "--format", "ndjson"],
        &["products", "export", "-", "--format", "json"],
        &["projects", "list"],
        &["projects", "list", "--json"],
        &["projects", "show", &project],
        &["projects", "folders"],
        &["projects", "check", &project, "--json"],
        &["projects", "export", &project, "--format", "markdown"],
        &["projects", "create", "Unread"],
        &["projects", "create", "Unread", "--id-only"],
        &["projects", "duplicate", &project],
        &["steps", "create", &project],
        &["videos", "list"],
        &["videos", "create", "https://a.example/a.mp4"],
        &["videos", "queue"],
        &["webhooks", "list"],
        &["webhooks", "deliveries", &webhook],
        &["whoami"],
        &["doctor"],
        &["profiles"],
        &["completions", "zsh"],
        &["man"],
        &["--help"],
        &["projects", "import", "--help"],
        &["--version"],
    ] {
        let (_, said) = head(&served, arguments, "true");
        // What a command says beside its output is another matter, but a failure is none of it.
        let own = said.lines().filter(|line| !line.starts_with("ended ")).count();
        assert!(own == 0 || !said.contains("pipe"), "{arguments:?}: {said}");
        let ended = said.lines().last().unwrap();
        assert!(
            ended == "ended 0" || (arguments[1..].contains(&"check") && ended == "ended 1"),
            "{arguments:?}: {said}"
        );
    }
}
