//! The catalog commands of the real binary, against the real local service and against services that misbehave.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use serving::{Served, cutaway, pretend, tells_panic, text};

/// The exit code, with one line on standard error that is no backtrace where it failed.
fn code(output: &Output) -> i32 {
    let code = output.status.code().unwrap();
    let said = text(&output.stderr);
    assert!(!tells_panic(said) && !said.contains("Backtrace"), "{said}");
    if code != 0 {
        assert!(!said.trim().is_empty(), "a failure says why");
    }
    code
}

/// The service's own answer about the sample store, as another client reads it.
fn ask(served: &Served, path: &str, mut body: Value) -> Value {
    body["appUrl"] = served.store().into();
    served.answer(reqwest::Method::POST, path, Some(body))
}

fn pretended(base: &str, arguments: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    let mut command = cutaway(home.path());
    command
        .env("CUTAWAY_BASE_URL", base)
        .env("CUTAWAY_API_KEY", "marked-key")
        .env("CUTAWAY_APP_URL", "https://a.example");
    let output = command.args(arguments).output().unwrap();
    assert!(!text(&output.stderr).contains("marked-key") && !text(&output.stdout).contains("marked-key"));
    output
}

const SEARCH: &str = "/products-service/searchProductsCursor";

#[test]
fn json_is_the_services_own_body_value_for_value() {
    let served = Served::start();
    assert_eq!(served.json(&["products", "search", "--limit", "7"]), ask(&served, SEARCH, json!({"limit": 7})));
    let filtered = served.json(&[
        "products",
        "search",
        "--limit",
        "3",
        "--published",
        "--sort",
        "providerCreatedAt",
        "--desc",
        "--include",
        "variants",
    ]);
    let asked = json!({"limit": 3, "publishedOnly": true, "sortBy": "providerCreatedAt", "sortDirection": "desc", "include": {"variants": true}});
    assert_eq!(filtered, ask(&served, SEARCH, asked));
    let id = filtered["products"][0]["externalProductId"].as_str().unwrap();
    assert_eq!(
        served.json(&["products", "get", id]),
        ask(&served, "/products-service/getProduct", json!({"productId": id}))
    );
    assert_eq!(
        served.json(&["products", "media", id]),
        ask(&served, "/products-service/getProductMedia", json!({"productId": id}))
    );
    let count = served.json(&["products", "count"]);
    assert_eq!(count, ask(&served, "/products-service/getProductsCount", json!({})));
    let strict = served.json(&["products", "count", "--strict"]);
    assert_eq!(strict, ask(&served, "/products-service/getProductsCount", json!({"strict": true})));
    assert!(served.json(&["whoami"])["email"].is_string());

    let all = served.run(&["products", "search", "--all", "--json", "--limit", "37"]);
    let lines: Vec<Value> = text(&all.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(Some(lines.len()), count["total"].as_u64().map(|total| usize::try_from(total).unwrap()));
    let first = ask(&served, SEARCH, json!({"limit": 500}));
    assert_eq!(lines, *first["products"].as_array().unwrap());
}

#[test]
fn tables_are_for_people_and_hold_nothing_hostile() {
    let served = Served::start();
    let count = served.run(&["products", "count"]);
    let total: usize = text(&count.stdout).trim().parse().unwrap();
    let table = served.run(&["products", "search", "--all"]);
    assert_eq!(text(&table.stdout).lines().count(), total + 1);
    assert!(text(&table.stdout).starts_with("ID"));
    assert!(!text(&table.stdout).chars().any(|c| c != '\n' && cutaway::domain::text::is_hostile(c)));
    let page = served.run(&["products", "search", "--limit", "2"]);
    assert_eq!(text(&page.stdout).lines().count(), 3);
    assert!(text(&page.stderr).contains("--cursor "));
    let cursor = text(&page.stderr).split_whitespace().skip_while(|word| *word != "--cursor").nth(1).unwrap();
    let next = served.run(&["products", "search", "--limit", "2", "--cursor", cursor.trim_end_matches(',')]);
    assert_eq!(code(&next), 0);
    assert_ne!(next.stdout, page.stdout);
    assert!(text(&served.run(&["whoami"]).stdout).contains("environment CUTAWAY_API_KEY"));
}

#[test]
fn exit_codes_are_the_contracts() {
    let served = Served::start();
    let exit = |arguments: &[&str]| code(&served.run(arguments));
    assert_eq!(exit(&["products", "count"]), 0);
    for wrong in [
        &["products"][..],
        &["products", "search", "--limit", "501"],
        &["products", "search", "--analysis-timeout-ms", "0"],
        &["products", "search", "--inventory-min", "1.5"],
        &["products", "search", "--created-from", "2026-02-30"],
        &["products", "search", "--colour", "red"],
        &["products", "count", "--base-url", "example.com"],
        &["products", "count", "--profile", "nobody"],
    ] {
        assert_eq!(exit(wrong), 2, "{wrong:?}");
    }
    let with = |variable: &str, value: &str, arguments: &[&str]| {
        code(&served.command(arguments).env(variable, value).output().unwrap())
    };
    assert_eq!(with("CUTAWAY_APP_URL", "", &["products", "count"]), 2);
    assert_eq!(with("CUTAWAY_READ_ONLY", "maybe", &["products", "count"]), 2);
    assert_eq!(with("CUTAWAY_API_KEY", "wrong", &["products", "count"]), 3);
    assert_eq!(with("CUTAWAY_API_KEY", "", &["products", "count"]), 3);
    assert_eq!(exit(&["products", "get", "no-such-product"]), 4);
    assert_eq!(exit(&["products", "get", "no-such-product", "--json"]), 4);
    assert_eq!(exit(&["products", "search", "--cursor", "made-up"]), 5);
    assert_eq!(exit(&["products", "search", "--read-only", "--created-from", "7d"]), 0);
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(exit(&["products", "count", "--base-url", &format!("http://{nobody}")]), 6);
}

#[test]
fn the_key_may_come_from_standard_input() {
    let served = Served::start();
    let mut command = served.command(&["whoami", "--api-key-stdin"]);
    let mut process =
        command.env_remove("CUTAWAY_API_KEY").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    writeln!(process.stdin.take().unwrap(), "{}", served.key()).unwrap();
    let output = process.wait_with_output().unwrap();
    assert!(text(&output.stdout).contains("standard input"));
}

#[test]
fn without_a_profile_the_local_workspace_answers() {
    let home = tempfile::tempdir().unwrap();
    let count = cutaway(home.path()).args(["products", "count"]).output().unwrap();
    assert_eq!(code(&count), 0, "{}", text(&count.stderr));
    assert!(text(&count.stdout).trim().parse::<u32>().unwrap() >= 200);
    let whoami = cutaway(home.path()).arg("whoami").output().unwrap();
    assert!(text(&whoami.stdout).contains("local workspace"));
    let refused = Command::new(env!("CARGO_BIN_EXE_cutaway"))
        .env_clear()
        .env("HOME", "/proc")
        .args(["products", "count"])
        .output()
        .unwrap();
    assert_eq!(code(&refused), 1, "a home that can't be written to");
    assert_eq!(text(&refused.stderr).lines().count(), 1);
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let served = Served::start();
    let arguments = ["products", "search", "--all", "--json", "--limit", "1"];
    let mut process = served.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = process.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
fn hostile_text_never_reaches_the_terminal() {
    const PAGE: &str = "{\"products\":[{\"title\":\"\u{9b}31mred\u{202e}\\u001b[2J\u{7f}\",\"externalProductId\":\"1\",\
                        \"later\": 1.50}, {\"title\": 7}, \"odd\"],\n \"hasMore\":false,\"nextCursor\":null}";
    let base = pretend(&[(SEARCH, 200, PAGE)]);
    for arguments in [
        &["products", "search"][..],
        &["products", "search", "--json"],
        &["products", "search", "--all"],
        &["products", "search", "--all", "--json"],
    ] {
        let output = pretended(&base, arguments);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        assert!(
            text(&output.stdout).chars().all(|c| c == '\n' || !cutaway::domain::text::is_hostile(c)),
            "{arguments:?}"
        );
    }
    let document = pretended(&base, &["products", "search", "--json"]);
    let value = |json: &str| serde_json::from_str::<Value>(json).unwrap();
    assert_eq!(value(text(&document.stdout)), value(PAGE));
    assert!(text(&document.stdout).contains("1.50"), "numbers as they were written");
    let lines = pretended(&base, &["products", "search", "--all", "--json"]);
    assert_eq!(text(&lines.stdout).lines().nth(1), Some(r#"{"title":7}"#));
}

#[test]
fn services_that_misbehave_are_named() {
    for (answer, exit, said) in [
        (&[(SEARCH, 200, "<html>hello")][..], 1, "HTML"),
        (&[(SEARCH, 200, "")], 1, "empty"),
        (
            &[(SEARCH, 400, r#"{"title":"No","errors":[{"pointer":"/limit","detail":"too much"}]}"#)],
            5,
            "/limit too much",
        ),
        (&[(SEARCH, 404, "gone\u{1b}[31m")], 4, "gone·[31m"),
        (&[(SEARCH, 500, "")], 1, "500"),
        (&[(SEARCH, 401, "")], 3, "401"),
        (&[(SEARCH, 200, r#"{"products":[],"nextCursor":null,"hasMore":true}"#)], 1, "no cursor"),
        (&[(SEARCH, 200, r#"{"products":[],"nextCursor":"c","hasMore":true}"#)], 1, "page is empty"),
        (&[(SEARCH, 200, r#"{"products":[{}],"nextCursor":"c","hasMore":true}"#)], 1, "same cursor"),
        (&[(SEARCH, 200, r#"{"products":[{}],"nextCursor":"c"}"#)], 1, "same cursor"),
    ] {
        let base = pretend(Box::leak(answer.to_vec().into_boxed_slice()));
        for json in [&["products", "search", "--all"][..], &["products", "search", "--all", "--json"]] {
            let output = pretended(&base, json);
            assert_eq!(code(&output), exit, "{answer:?}: {}", text(&output.stderr));
            assert!(text(&output.stderr).contains(said), "{said}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn what_a_service_left_out_is_said_and_shown_as_missing() {
    const COUNT: &str = "/products-service/getProductsCount";
    for (answer, said) in [
        (r"{}", "total is required and missing"),
        (r#"{"total":"214"}"#, "total must be a number, found string"),
        (r#"{"total":null}"#, "total must be a number"),
        (r#"{"total":2.5}"#, "total must be a whole number"),
        (r#"{"total":-1}"#, "total must be a whole number"),
    ] {
        let base = pretend(Box::leak(Box::new([(COUNT, 200, answer)])));
        let output = pretended(&base, &["products", "count"]);
        assert_eq!((code(&output), text(&output.stdout)), (1, ""), "{answer}");
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }

    let base = pretend(&[
        (SEARCH, 200, r#"{"products":[{"title":"Sock","externalProductId":"1"}],"nextCursor":"c"}"#),
        (
            "/products-service/getProduct",
            200,
            r#"{"product":{"title":"Sock","externalProductId":"1","variants":[{"externalVariantId":"v"}]}}"#,
        ),
        ("/products-service/getProductMedia", 200, r#"[7,{"externalMediaId":"m","status":null}]"#),
    ]);
    let search = pretended(&base, &["products", "search"]);
    assert_eq!(code(&search), 0);
    let row: Vec<_> = text(&search.stdout).lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row, ["1", "Sock", "–", "–", "–", "–"], "type, variants, media, status");
    assert!(text(&search.stderr).contains("products[0].mediaCount is required and missing"));
    assert!(text(&search.stderr).contains("more: --cursor c"));
    let get = pretended(&base, &["products", "get", "1"]);
    let shown = text(&get.stdout);
    for (name, value) in [("Version", "–"), ("Published", "–"), ("Media", "–"), ("In stock", "–"), ("Title", "Sock")]
    {
        let line = shown.lines().find(|line| line.starts_with(name)).unwrap();
        assert_eq!(line.strip_prefix(name).unwrap().trim(), value, "{shown}");
    }
    assert!(text(&get.stderr).contains("couldn't be read as specified: product.id is required and missing"));
    let media = pretended(&base, &["products", "media", "1"]);
    assert!(text(&media.stdout).contains("–") && text(&media.stdout).lines().count() == 2);
    assert!(text(&media.stderr).contains("[0] must be an object"), "{}", text(&media.stderr));
}

#[test]
fn a_faulty_configuration_is_never_answered_with_the_sample_store() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join("c/cutaway")).unwrap();
    for (config, place) in
        [("[profiles.shop\n", "config.toml:1:"), ("[profiles.shop]\nbase_url = 7\n", "config.toml:2:12:")]
    {
        std::fs::write(home.path().join("c/cutaway/config.toml"), config).unwrap();
        let count = cutaway(home.path()).args(["products", "count"]).output().unwrap();
        assert_eq!((code(&count), text(&count.stdout)), (2, ""));
        assert!(text(&count.stderr).contains(place), "{}", text(&count.stderr));
        let local = cutaway(home.path()).args(["products", "count", "--profile", "local"]).output().unwrap();
        assert_eq!(code(&local), 0, "{}", text(&local.stderr));
    }
}

#[test]
fn an_empty_result_is_said_to_be_one() {
    let base = pretend(&[(SEARCH, 200, r#"{"products":[],"nextCursor":null,"hasMore":false}"#)]);
    for arguments in [&["products", "search", "x"][..], &["products", "search", "--all", "--json"]] {
        let output = pretended(&base, arguments);
        assert_eq!((code(&output), text(&output.stderr)), (0, "nothing was found\n"));
    }
}

#[test]
fn profiles_completions_and_the_manual_need_no_service() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join("c/cutaway")).unwrap();
    let config = "default_profile = \"shop\"\nodd = 1\n[profiles.shop]\nbase_url = \"https://shop.example\"\n";
    std::fs::write(home.path().join("c/cutaway/config.toml"), config).unwrap();
    let profiles = cutaway(home.path()).arg("profiles").output().unwrap();
    assert!(text(&profiles.stdout).contains("*  shop") && text(&profiles.stdout).contains("local"));
    assert!(text(&profiles.stderr).contains("config.toml:2:1: odd is not a setting"));
    let json = cutaway(home.path()).args(["profiles", "--json"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(listed[1]["baseUrl"], "https://shop.example/");
    for arguments in
        [&["completions", "bash"][..], &["completions", "powershell"], &["man"], &["--help"], &["--version"]]
    {
        let output = cutaway(home.path()).args(arguments).output().unwrap();
        assert!(code(&output) == 0 && !output.stdout.is_empty());
    }
    let unsigned = cutaway(home.path()).args(["products", "count", "--app-url", "https://a.example"]).output().unwrap();
    assert_eq!(code(&unsigned), 3, "the profile has no credential");
}

/// Everything that was written under a folder.
fn written(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = entries.map(|path| {
        if path.is_dir() {
            written(&path)
        } else {
            String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()
        }
    });
    read.collect()
}

#[test]
fn the_log_is_a_file_without_secrets() {
    const TOKEN: (&str, u16, &str) = ("/account-service/authenticateCliApiKey", 200, r#"{"token":"marked-token"}"#);
    let base = pretend(&[TOKEN, ("/users/me", 401, r#"{"detail":"no"}"#)]);
    let home = tempfile::tempdir().unwrap();
    let mut command = cutaway(home.path());
    command.env("CUTAWAY_BASE_URL", base).env("CUTAWAY_API_KEY", "marked-key").env("CUTAWAY_LOG", "trace");
    let output = command.arg("whoami").output().unwrap();
    assert_eq!(code(&output), 3);
    assert_eq!(text(&output.stderr).lines().count(), 1, "the log is not for the terminal: {}", text(&output.stderr));
    let log = written(home.path());
    assert!(log.contains("getMe") && log.contains("401"), "{log}");
    assert!(!log.contains("marked") && !text(&output.stderr).contains("marked"));
}

#[test]
fn a_level_of_the_log_that_does_not_exist_is_said_in_the_log() {
    const TOKEN: (&str, u16, &str) = ("/account-service/authenticateCliApiKey", 401, "{}");
    for (asked, is_said) in [("verbose", true), ("1", true), ("info", false), (" DEBUG ", false)] {
        let base = pretend(&[TOKEN]);
        let home = tempfile::tempdir().unwrap();
        let mut command = cutaway(home.path());
        command.env("CUTAWAY_BASE_URL", base).env("CUTAWAY_API_KEY", "k").env("CUTAWAY_LOG", asked);
        let output = command.arg("whoami").output().unwrap();
        assert_eq!(code(&output), 3, "{}", text(&output.stderr));
        let log = written(home.path());
        let said = log.contains("CUTAWAY_LOG is none of error, warn, info, and debug: this log is at info");
        assert!(said == is_said && !log.contains("verbose"), "{asked}: {log}");
    }
}

/// Pictures are shown where there is a terminal to show them in, and nowhere else.
#[cfg(unix)]
#[test]
fn the_pictures_of_a_product_are_shown_in_a_terminal() {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    use std::io::Read as _;

    let served = Served::start();
    let id = "8123456789012";
    let piped = served.run(&["products", "media", id, "--show"]);
    assert!(code(&piped) == 2 && text(&piped.stderr).contains("needs a terminal"), "{}", text(&piped.stderr));

    let pair = native_pty_system().openpty(PtySize { rows: 40, cols: 100, pixel_width: 0, pixel_height: 0 }).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_cutaway"));
    command.env_clear();
    for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
        command.env(variable, served.home.path().join(folder));
    }
    command.env("CUTAWAY_BASE_URL", served.base());
    command.env("CUTAWAY_API_KEY", served.key());
    command.env("CUTAWAY_APP_URL", served.store());
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    command.cwd(served.home.path());
    command.args(["products", "media", id, "--show"]);
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut shown = Vec::new();
    // A pseudo-terminal whose other end is closed reads as broken.
    let _ = pair.master.try_clone_reader().unwrap().read_to_end(&mut shown);
    let shown = String::from_utf8_lossy(&shown).into_owned();
    assert!(child.wait().unwrap().success(), "{shown}");
    assert!(shown.contains("Fjell wool sock, stone grey"), "{shown}");
    let colors = shown.matches("[38;2;").count() + shown.matches("[48;2;").count();
    assert!(colors > 500, "{colors} colors: {shown}");
}
