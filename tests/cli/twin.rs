//! The command line as a whole: every example that help and README give is run, every command has one, completions know
//! the workspace, and what is wrong is said in one line.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)] // Helpers of tests are tests too.

use crate::serving;

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use clap::CommandFactory as _;
use cutaway::cli::Cli;
use reqwest::Method;
use serde_json::{Value, json};
use serving::{Served, cutaway, pretend, tells_panic, text};

/// The ids that examples are written with: of a project, a step, a video, a webhook, a product.
const IDS: [&str; 5] = [
    "0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b",
    "0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1c",
    "0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1d",
    "0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1e",
    "8123456789012",
];

/// The commands and their groups, by their words.
fn commands(command: &clap::Command, words: &str, found: &mut Vec<(String, clap::Command)>) {
    let inner: Vec<_> = command.get_subcommands().filter(|inner| inner.get_name() != "help").collect();
    found.push((words.to_owned(), command.clone()));
    for inner in inner {
        commands(inner, &format!("{words} {}", inner.get_name()), found);
    }
}

fn every_command() -> Vec<(String, clap::Command)> {
    let mut found = Vec::new();
    commands(&Cli::command(), "cutaway", &mut found);
    found
}

/// The lines of a text that are command lines.
fn command_lines(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_line = |line: &&str| line.starts_with("cutaway ") || line.contains("| cutaway ");
    text.lines().map(str::trim).filter(is_line).map(str::to_owned)
}

fn examples() -> Vec<String> {
    let mut examples: Vec<String> = every_command()
        .iter()
        .filter_map(|(_, command)| command.get_after_help().map(ToString::to_string))
        .flat_map(|help| command_lines(&help).collect::<Vec<_>>())
        .collect();
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    for block in readme.split("```sh\n").skip(1) {
        examples.extend(command_lines(block.split("```").next().unwrap()));
    }
    examples
}

/// What a person has to be at hand for, or what does not end by itself; other tests run it.
fn runs_alone(example: &str) -> bool {
    let words: Vec<&str> = example.split_whitespace().collect();
    let serves = words.get(1) == Some(&"serve")
        && !["key", "import-products", "backup", "player-form", "player-embed", "shop-secret"]
            .iter()
            .any(|word| words.contains(word));
    let elsewhere = [
        "login",
        "logout",
        "join",
        "doctor",
        "videos upload",
        "videos queue",
        "webhooks listen",
        "webhooks deliveries",
        "webhooks ping",
        "webhooks redeliver",
    ];
    let reaches_out = example.contains("--base-url") && !example.contains("profiles add");
    // A database is backed up by its own programs.
    let of_folder = serving::postgres::is_wanted() && words.contains(&"backup");
    words.len() == 1 || serves || of_folder || reaches_out || elsewhere.iter().any(|one| example.contains(one))
}

/// The examples are run in parts, side by side; each part has its own service.
const PARTS: usize = 4;

#[test]
fn every_example_is_run_first_part() {
    examples_are_run(0);
}

#[test]
fn every_example_is_run_second_part() {
    examples_are_run(1);
}

#[test]
fn every_example_is_run_third_part() {
    examples_are_run(2);
}

#[test]
fn every_example_is_run_last_part() {
    examples_are_run(PARTS - 1);
}

/// Runs every `PARTS`th example, from that of index `part` on.
fn examples_are_run(part: usize) {
    let served = Served::start();
    let home = served.home.path();
    // `webhooks secret` reads the local workspace, which is this one here.
    fs::create_dir_all(home.join("d/cutaway")).unwrap();
    std::os::unix::fs::symlink(home.join("served"), home.join("d/cutaway/local")).unwrap();
    fs::create_dir_all(home.join("c/cutaway")).unwrap();
    let config = format!("[profiles.shop]\nbase_url = \"{}\"\nstores = [\"{}\"]\n", served.base(), served.store());
    fs::write(home.join("products.ndjson"), "").unwrap();
    fs::write(home.join("events.ndjson"), "").unwrap();
    fs::write(home.join("answers.json"), r#"[{"text": "Done", "next": ""}, {"text": " as it is "}]"#).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_cutaway")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let has_jq = Command::new("jq").arg("--version").output().is_ok();
    let search = json!({ "appUrl": served.store(), "limit": 1 });
    let product = served.answer(Method::POST, "/products-service/searchProductsCursor", Some(search));
    let product = product["products"][0]["externalProductId"].as_str().unwrap().to_owned();

    let mut examples = examples();
    examples.retain(|example| !runs_alone(example));
    assert!(examples.len() >= 50, "{examples:?}");
    for (count, example) in examples.iter().enumerate().skip(part).step_by(PARTS) {
        // Each has its own, so that what one deletes another has still.
        let make =
            |path: &str, body: Value| served.answer(Method::POST, path, Some(body))["id"].as_str().unwrap().to_owned();
        let video = make("/videos/video", json!({ "video": { "videoUrl": "https://cdn.example/a.mp4" } }));
        let project = make("/projects", json!({ "project": { "name": "Example" } }));
        let step = make("/projects/steps", json!({ "step": { "projectId": project, "videoId": video } }));
        let webhook = make("/webhooks", json!({ "event": "conversion", "url": "https://shop.example" }));
        let mut line = example.clone();
        for (written, real) in IDS.iter().zip([&project, &step, &video, &webhook, &product]) {
            line = line.replace(written, real);
        }
        if !has_jq {
            line = line.split(" | jq").next().unwrap().to_owned();
        }
        // What one makes of the profiles another does not see.
        fs::write(home.join("c/cutaway/config.toml"), &config).unwrap();
        for written in ["tour.mmd", "tour.md", "products.csv", "wool.csv", "winter.ndjson"] {
            let _ = fs::remove_file(home.join(written));
        }
        let _ = fs::remove_file(home.join("tour.toml"));
        // What an export writes must not be there yet; what others read must.
        if !line.starts_with("cutaway projects export") {
            let exported = served.run(&["projects", "export", &project, "--format", "toml"]);
            fs::write(home.join("tour.toml"), exported.stdout).unwrap();
        }
        for file in ["tour.vtt", "tour.de.vtt"] {
            fs::write(home.join(file), "WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n").unwrap();
        }
        // What is shown and removed has to be there.
        if line.starts_with("cutaway videos captions") && !line.contains(" add ") {
            let added = served.run(&["videos", "captions", "add", &video, &home.join("tour.de.vtt").to_string_lossy()]);
            assert!(added.status.success(), "{}", text(&added.stderr));
        }
        // What is backed up has to be there.
        if let Some((serve, _)) = example.split_once(" backup ") {
            line = format!("{serve} key add --name backed-up; {line}");
        }
        // A key is revoked once, so each example has one of its name.
        if let Some(name) = line.split("key revoke ").nth(1).and_then(|rest| rest.split_whitespace().next()) {
            let (written, own) = (format!("revoke {name}"), format!("revoked-{count}"));
            let added = line.replace(&written, &format!("add --name {own}"));
            line = format!("{added}; {}", line.replace(&written, &format!("revoke {own}")));
        }
        let done = Command::new("sh")
            .args(["-c", &format!("set -e; {line}")])
            .env_clear()
            .envs(served.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env("PATH", &path)
            .current_dir(home)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        // The sample has problems on purpose, and a check that finds some ends with 1.
        let finds = line.starts_with("cutaway lint") && done.status.code() == Some(1);
        assert!(done.status.success() || finds, "{example}: {}{}", text(&done.stdout), text(&done.stderr));
    }
}

#[test]
fn every_command_explains_itself() {
    let home = tempfile::tempdir().unwrap();
    for (words, command) in every_command() {
        if !command.is_hide_set() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let own = command_lines(&help).filter(|line| line.starts_with(&words)).count();
            assert!(own >= 1, "{words} has no example");
        }
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{words} {}", argument.get_id());
        }
        let arguments: Vec<&str> = words.split(' ').skip(1).chain(["--help"]).collect();
        let help = cutaway(home.path()).args(arguments).output().unwrap();
        assert!(help.status.success() && text(&help.stdout).contains("Usage: "), "{words}");
    }
}

#[test]
fn completions_know_ids_and_names() {
    let served = Served::start();
    for command in
        [&["projects", "list"][..], &["projects", "folders"], &["videos", "list"], &["webhooks", "list", "--json"]]
    {
        served.prints(command);
    }
    let list = served.json(&["projects", "list"]);
    let project = list["projects"].as_array().unwrap().iter().find(|one| one["name"] == "Gift finder").unwrap();
    let project = project["id"].as_str().unwrap();
    served.prints(&["projects", "show", project]);
    let found = served.json(&["products", "search", "wool"])["products"][0].clone();
    let product = found["externalProductId"].as_str().unwrap();
    served.prints(&["webhooks", "list"]);
    let asks = |words: &[&str]| -> String {
        let mut command = served.command(&[]);
        command.env("CUTAWAY_COMPLETE", "zsh").env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string());
        command.env("_CLAP_IFS", "\n").arg("--").args(words);
        let answer = command.output().unwrap();
        assert!(answer.status.success(), "{words:?} {}", text(&answer.stderr));
        text(&answer.stdout).to_owned()
    };
    assert!(asks(&["cutaway", "projects", "show", "gift"]).starts_with(project), "a name is found too");
    assert!(asks(&["cutaway", "projects", "show", &project[..6]]).contains("Gift finder"));
    assert!(asks(&["cutaway", "steps", "update", ""]).contains("Who is it for?"));
    assert!(!asks(&["cutaway", "steps", "update", "id", "--video", ""]).trim().is_empty());
    assert!(asks(&["cutaway", "projects", "list", "--folder", "serv"]).contains("Service"));
    let webhook = served.json(&["webhooks", "list"])[0]["id"].as_str().unwrap().to_owned();
    for command in ["secret", "ping", "deliveries", "redeliver"] {
        assert!(asks(&["cutaway", "webhooks", command, ""]).contains(&webhook), "{command}");
    }
    for command in ["get", "media"] {
        let offered = asks(&["cutaway", "products", command, &product[..6]]);
        assert!(offered.contains(product), "{command}: {offered}");
    }
    assert!(asks(&["cutaway", "products", "get", found["title"].as_str().unwrap()]).contains(product), "by its title");
    let of = |flag: &str| asks(&["cutaway", "products", "search", flag, ""]);
    assert_eq!(of("--sort").lines().count(), 3, "{}", of("--sort"));
    assert!(of("--sort").contains("inventoryQuantity"));
    assert!(of("--type").contains(found["productType"].as_str().unwrap()), "{}", of("--type"));
    assert!(of("--tag").contains(found["tags"][0].as_str().unwrap()), "{}", of("--tag"));
    assert!(asks(&["cutaway", "webhooks", "create", ""]).contains("response_summary"));
    assert!(asks(&["cutaway", "webhooks", "list", "--event", "conv"]).contains("conversion"));
    assert!(
        asks(&["cutaway", "products", "count", "--base-url", "http://127.0.0.1:9", "--app-url", ""]).trim().is_empty(),
        "another place"
    );
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = served.prints(&["completions", shell]);
        assert!(script.contains("CUTAWAY_COMPLETE"), "{shell}: {script}");
    }
    // A real shell, where there is one.
    let script = served.prints(&["completions", "bash"]);
    let program = Path::new(env!("CARGO_BIN_EXE_cutaway")).parent().unwrap().to_str().unwrap();
    let ask = format!(
        "PATH={program}:$PATH\n{script}\nCOMP_WORDS=(cutaway projects show {})\nCOMP_CWORD=3\nCOMP_TYPE=9\n_clap_complete_cutaway cutaway\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        &project[..6]
    );
    let envs: Vec<_> =
        served.command(&[]).get_envs().map(|(name, value)| (name.to_owned(), value.unwrap().to_owned())).collect();
    match Command::new("bash").args(["--norc", "-c", &ask]).envs(envs).output() {
        Ok(answer) => {
            assert!(text(&answer.stdout).contains(project), "{}{}", text(&answer.stdout), text(&answer.stderr));
        }
        Err(_) => eprintln!("SKIPPED: there is no bash here"),
    }
}

#[test]
fn quiet_and_verbose() {
    let served = Served::start();
    let usual = served.run(&["products", "search", "nothing-like-it"]);
    assert_eq!(text(&usual.stderr), "nothing was found\n");
    let quiet = served.run(&["products", "search", "nothing-like-it", "--quiet"]);
    assert!(quiet.status.success() && quiet.stderr.is_empty());
    let refused = served.run(&["-q", "projects", "show", "nobody"]);
    assert_eq!(
        (refused.status.code(), text(&refused.stderr).lines().count()),
        (Some(4), 1),
        "why it failed is always said"
    );
    let verbose = served.run(&["-v", "whoami", "--json"]);
    let said = text(&verbose.stderr);
    assert!(said.contains("GET /users/me: 200, ") && said.contains("request "), "{said}");
    assert!(!said.contains(served.key()) && serde_json::from_slice::<Value>(&verbose.stdout).is_ok());
    assert_eq!(served.run(&["-q", "-v", "whoami"]).status.code(), Some(2));
}

/// Holds that a command failed with this code and one line, which is no backtrace.
fn failed(output: &Output, code: i32, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{what}: {said}");
    assert_eq!(said.lines().count(), 1, "{what}: {said}");
    assert!(said.starts_with("cutaway: ") && !tells_panic(&said), "{what}: {said}");
}

/// Two folders of one name.
const TWINS: &str = r#"{"folders":[{"id":"1","name":"A","createdAt":"x"},{"id":"2","name":"A","createdAt":"x"}]}"#;

#[test]
fn what_is_wrong_is_one_line() {
    let served = Served::start();
    let nobody = "00000000-0000-4000-8000-000000000000";
    for arguments in [
        &["projects", "show", nobody][..],
        &["projects", "check", nobody],
        &["projects", "export", nobody, "--format", "dot"],
        &["projects", "update", nobody, "--name", "x"],
        &["projects", "delete", nobody, "--yes"],
        &["steps", "create", nobody],
        &["steps", "update", nobody, "--description", "x"],
        &["steps", "delete", nobody, "--yes"],
        &["assets", "delete", nobody, "--yes"],
        &["products", "get", "nobody"],
        &["projects", "list", "--folder", "no such folder"],
    ] {
        failed(&served.run(arguments), 4, &arguments.join(" "));
    }
    // Two folders of one name are listed.
    let base =
        pretend(&[("/projects/actions/folders", 200, TWINS), ("/account-service/authenticateCliApiKey", 404, "")]);
    let home = tempfile::tempdir().unwrap();
    let twins = cutaway(home.path())
        .env("CUTAWAY_BASE_URL", &base)
        .env("CUTAWAY_API_KEY", "k")
        .args(["projects", "list", "--folder", "A"])
        .output()
        .unwrap();
    failed(&twins, 2, "two folders");
    assert!(text(&twins.stderr).contains("1, 2"));

    // Arguments that are no text, and one longer than anybody writes.
    let odd = std::ffi::OsStr::from_bytes(b"a\xffb");
    let answer = served.command(&["projects", "show"]).arg(odd).output().unwrap();
    assert!(answer.status.code() == Some(2) && !answer.stderr.is_empty() && !tells_panic(text(&answer.stderr)));
    let huge = "x".repeat(100_000);
    failed(&served.run(&["projects", "create", &huge]), 5, "a huge name");
    failed(&served.run(&["projects", "show", &huge]), 2, "a huge id");
    failed(&served.run(&["steps", "delete", &huge, "--yes"]), 2, "a huge id");
    // Nobody there, no home, no terminal, nobody who reads.
    let nowhere = cutaway(home.path())
        .envs([
            ("CUTAWAY_BASE_URL", "http://127.0.0.1:9"),
            ("CUTAWAY_API_KEY", "k"),
            ("CUTAWAY_APP_URL", "https://a.example"),
        ])
        .args(["webhooks", "create", "conversion", "https://a.example"])
        .output()
        .unwrap();
    failed(&nowhere, 6, "no network");
    let homeless = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_cutaway"))
            .args(arguments)
            .env_clear()
            .env("HOME", "/proc/none")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    };
    failed(&homeless(&["projects", "list"]), 1, "a home that can't be written to");
    failed(&homeless(&[]), 2, "no terminal");
    failed(&served.run(&["projects", "delete", nobody]), 2, "nobody to ask");
    let mut reader = served
        .command(&["products", "search", "--all", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(reader.stdout.take());
    let ended = reader.wait_with_output().unwrap();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{}", text(&ended.stderr));
}

/// A client of another make, from PyPI: lists the tools, reads, plans a write, makes it, reads again.
const AGENT: &str = r#"
import asyncio, json, os, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

def failed(answer):
    # Its name differs from version to version of the package.
    return answer.is_error if hasattr(answer, "is_error") else answer.isError

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = {tool.name for tool in (await session.list_tools()).tools}
        assert {"search_products", "plan_project", "apply_project", "delete_project"} <= tools, tools
        def failed(answer):
            # Its two latest editions write it differently.
            return answer.is_error if hasattr(answer, "is_error") else answer.isError
        async def call(tool, **arguments):
            answer = await session.call_tool(tool, arguments)
            assert not failed(answer), answer
            return json.loads(answer.content[0].text)
        assert (await call("count_products"))["total"] >= 200
        project = (await call("create_project", name="By an agent"))["id"]
        file = 'cutaway = 1\nname = "By an agent"\n[[steps]]\nname = "first"\noverlayText = "Hello"\n'
        plan = await call("plan_project", projectId=project, file=file)
        assert len(plan["plan"]["calls"]) == 1, plan
        assert not (await call("get_project", projectId=project)).get("steps")
        wrong = await session.call_tool("apply_project", {"projectId": project, "file": file, "planHash": "0"})
        assert failed(wrong) and "nothing was changed" in wrong.content[0].text, wrong
        made = await call("apply_project", projectId=project, file=file, planHash=plan["planHash"])
        assert len(made["made"]) == 1, made
        steps = (await call("get_project", projectId=project))["steps"]
        assert [step["overlayText"] for step in steps] == ["Hello"], steps
        exported = (await call("export_project", projectId=project))["file"]
        assert not (await call("plan_project", projectId=project, file=exported))["plan"]["calls"]
        wrong = await session.call_tool("plan_project", {"projectId": project, "file": "no file"})
        assert failed(wrong)
        print("done")

asyncio.run(main())
"#;

#[test]
fn a_client_of_another_make_plans_before_it_writes() {
    // Named by whoever has it; `pip install mcp` brings it.
    let python = std::env::var("CUTAWAY_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !Command::new(&python).args(["-c", "import mcp"]).output().is_ok_and(|found| found.status.success()) {
        eprintln!("SKIPPED: this Python has no package called mcp");
        return;
    }
    let served = Served::start();
    let output = Command::new(&python)
        .args(["-c", AGENT, env!("CARGO_BIN_EXE_cutaway")])
        .envs(served.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))))
        .output()
        .unwrap();
    assert_eq!(text(&output.stdout), "done\n", "{}", text(&output.stderr));
}

#[test]
fn an_agent_plans_before_it_writes() {
    let served = Served::start();
    let mut agent = Agent::start(&served, &[]);
    let tools = agent.ask("tools/list", json!({}))["tools"].as_array().unwrap().clone();
    let hints = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap()["annotations"].clone();
    for (name, read_only, destructive) in [
        ("plan_project", true, false),
        ("export_project", true, false),
        ("apply_project", false, true),
        ("import_project", false, false),
        ("duplicate_project", false, false),
        ("delete_step", false, true),
    ] {
        let hints = hints(name);
        assert_eq!(
            (&hints["readOnlyHint"], &hints["destructiveHint"]),
            (&json!(read_only), &json!(destructive)),
            "{name}"
        );
        assert!(hints["idempotentHint"].is_boolean());
    }
    // What is not declared is refused, also where nothing is.
    let videos = served.prints(&["videos", "list"]);
    for tool in &tools {
        let refused = agent.call(tool["name"].as_str().unwrap(), json!({ "zzz": 1 }));
        assert_eq!(refused["isError"], true, "{tool}");
        assert!(
            refused["content"][0]["text"].as_str().unwrap().contains("zzz is not a declared property"),
            "{refused}"
        );
    }
    assert_eq!(served.prints(&["videos", "list"]), videos);

    let made = agent.gives("import_project", json!({ "name": "By an agent", "file": "cutaway = 1\nname = \"x\"\n" }));
    let project = made["id"].as_str().unwrap();
    let file = "cutaway = 1\nname = \"By an agent\"\n[[steps]]\nname = \"first\"\noverlayText = \"Hello\"\n";
    let about = json!({ "projectId": project, "file": file });
    let with = |hash: &Value| json!({ "projectId": project, "file": file, "planHash": hash });
    let plan = agent.gives("plan_project", about.clone());
    assert_eq!(plan["plan"]["calls"].as_array().unwrap().len(), 1, "{plan}");
    assert_eq!(agent.gives("plan_project", about.clone())["planHash"], plan["planHash"], "the same plan");
    assert_eq!(agent.call("apply_project", about.clone())["isError"], true, "without the plan");
    assert_eq!(agent.call("apply_project", with(&json!("00")))["isError"], true, "with another plan");
    // Somebody else was faster: the plan that was shown is not the one that would be made.
    served.prints(&["steps", "create", project, "--overlay-text", "In between"]);
    let refused = agent.call("apply_project", with(&plan["planHash"]));
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("nothing was changed"), "{refused}");
    let plan = agent.gives("plan_project", about.clone());
    assert_eq!(plan["plan"]["calls"].as_array().unwrap().len(), 2, "{plan}");
    let applied = agent.gives("apply_project", with(&plan["planHash"]));
    assert_eq!(applied["made"].as_array().unwrap().len(), 2, "{applied}");
    let steps = served.json(&["projects", "show", project])["steps"].clone();
    assert_eq!((steps.as_array().unwrap().len(), &steps[0]["overlayText"]), (1, &json!("Hello")));
    let exported = agent.gives("export_project", json!({ "projectId": project }))["file"].clone();
    let nothing = agent.gives("plan_project", json!({ "projectId": project, "file": exported }));
    assert_eq!(nothing["plan"]["calls"], json!([]));
    let copy = agent.gives("duplicate_project", json!({ "projectId": project }));
    let copy = served.json(&["projects", "show", copy["id"].as_str().unwrap()]);
    assert_eq!(
        (&copy["project"]["name"], &copy["steps"][0]["overlayText"]),
        (&json!("By an agent (copy)"), &json!("Hello"))
    );
    assert_eq!(agent.call("plan_project", json!({ "projectId": project, "file": "no file" }))["isError"], true);
}

/// An agent's side of the protocol, line by line.
struct Agent {
    process: std::process::Child,
    output: std::io::BufReader<std::process::ChildStdout>,
}

impl Agent {
    fn start(served: &Served, flags: &[&str]) -> Self {
        let mut command = served.command(&["mcp"]);
        command.args(flags);
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = std::io::BufReader::new(process.stdout.take().unwrap());
        let mut agent = Self { process, output };
        let about = json!({ "name": "t", "version": "1" });
        agent.ask("initialize", json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about }));
        agent.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    fn say(&mut self, message: &Value) {
        use std::io::Write as _;
        writeln!(self.process.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        use std::io::BufRead as _;
        self.say(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()["result"].clone()
    }

    fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": name, "arguments": arguments }))
    }

    fn gives(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.call(name, arguments);
        assert_ne!(answer["isError"], true, "{name}: {answer}");
        answer["structuredContent"].clone()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

#[test]
fn an_agent_hears_the_protocol_and_nothing_else() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let served = Served::start();
    let mut agent = served
        .command(&["mcp", "--read-only"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (agent.stdin.take().unwrap(), BufReader::new(agent.stdout.take().unwrap()));
    let mut ask = |message: Value, answered: bool| {
        writeln!(input, "{message}").unwrap();
        let mut line = String::new();
        if answered {
            output.read_line(&mut line).unwrap();
            return serde_json::from_str::<Value>(&line).unwrap();
        }
        Value::Null
    };
    let client =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let begun = ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client }), true);
    assert_eq!(begun["result"]["serverInfo"]["name"], "cutaway");
    ask(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), false);
    let tools = ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }), true);
    let tools = tools["result"]["tools"].as_array().unwrap().clone();
    assert!(tools.len() > 8 && tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
    let mut call = |name: &str, arguments: Value| {
        ask(
            json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": name, "arguments": arguments } }),
            true,
        )
    };
    let counted = call("count_products", json!({}));
    assert!(counted["result"]["structuredContent"]["total"].as_i64().unwrap() >= 200, "{counted}");
    assert_eq!(call("search_products", json!({ "limit": 0 }))["result"]["isError"], true);
    assert!(call("delete_project", json!({ "projectId": "x" }))["error"].is_object(), "a tool that is not offered");
    drop(input);
    let ended = agent.wait_with_output().unwrap();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{}", text(&ended.stderr));
    failed(
        &{
            let home = tempfile::tempdir().unwrap();
            cutaway(home.path()).env("CUTAWAY_BASE_URL", "https://a.example").arg("mcp").output().unwrap()
        },
        3,
        "without a credential",
    );
}
