//! `cutaway mcp` on a live profile: what the person is asked, and what comes of the answer.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // All of it is tests.

use crate::{mcp, serving};

use std::process::Command;

use mcp::Agent;
use serde_json::{Value, json};
use serving::Served;

/// A command on a profile that is live.
fn live(served: &Served) -> Command {
    let folder = served.home.path().join("c/cutaway");
    std::fs::create_dir_all(&folder).unwrap();
    let config =
        format!("default_profile = \"shop\"\n[profiles.shop]\nbase_url = \"{}\"\nlive = true\n", served.base());
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let mut command = serving::cutaway(served.home.path());
    command.env("CUTAWAY_API_KEY", served.key()).env("CUTAWAY_APP_URL", served.store()).arg("mcp");
    command
}

fn made(served: &Served) -> usize {
    let list = served.json(&["projects", "list"]);
    list["projects"].as_array().unwrap().iter().filter(|project| project["name"] == "By an agent").count()
}

#[test]
fn on_a_live_profile_the_person_is_asked_before_something_is_changed() {
    let served = Served::start();
    let call = json!({ "name": "create_project", "arguments": { "name": "By an agent" } });
    // One that can't ask.
    let mut agent = Agent::begun(live(&served), "2025-11-25", json!({}));
    let said = agent.call("create_project", json!({ "name": "By an agent" })).unwrap_err();
    assert!(said.contains("can't ask the person") && said.contains("nothing was changed"), "{said}");
    assert!(agent.call("count_products", json!({})).is_ok(), "reading asks nobody");
    drop(agent);
    assert_eq!(made(&served), 0);

    let mut agent = Agent::begun(live(&served), "2025-11-25", json!({ "elicitation": {} }));
    for (action, done) in [("decline", 0), ("cancel", 0), ("accept", 1)] {
        agent.asked += 1;
        let asked = agent.asked;
        agent.line(&json!({ "jsonrpc": "2.0", "id": asked, "method": "tools/call", "params": call }).to_string());
        let question = agent.hears();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let words = question["params"]["message"].as_str().unwrap();
        assert!(
            words.contains("shop is live") && words.contains("create_project") && words.contains("By an agent"),
            "{words}"
        );
        let content = if action == "accept" { json!({}) } else { Value::Null };
        let answer =
            json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": action, "content": content } });
        agent.line(&answer.to_string());
        let result = agent.hears();
        assert_eq!((&result["id"], result["result"]["isError"] == true), (&json!(asked), done == 0), "{result}");
        assert_eq!(made(&served), done, "{action}");
    }
}

/// What each request of the revision without a handshake says of itself.
fn meta(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

#[test]
fn the_current_revision_needs_no_handshake_and_asks_by_its_answer() {
    let served = Served::start();
    let mut agent = Agent::silent(live(&served));
    let found = agent.ask("server/discover", Some(json!({ "_meta": meta(json!({})) })))["result"].clone();
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    let can = || meta(json!({ "elicitation": { "form": {} } }));
    let listed = agent.ask("tools/list", Some(json!({ "_meta": can() })))["result"].clone();
    assert!(listed["tools"].as_array().unwrap().len() > 20, "{listed}");
    let mut call = json!({ "_meta": can(), "name": "create_project", "arguments": { "name": "By an agent" } });
    let asked = agent.ask("tools/call", Some(call.clone()))["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert!(
        asked["inputRequests"]["confirm"]["params"]["message"].as_str().unwrap().contains("shop is live"),
        "{asked}"
    );
    assert_eq!(made(&served), 0);
    call["inputResponses"] = json!({ "confirm": { "action": "accept", "content": {} } });
    // An answer to something else is none.
    for state in [Value::Null, json!("made up")] {
        call["requestState"] = state;
        assert_eq!(agent.ask("tools/call", Some(call.clone()))["result"]["resultType"], "input_required");
    }
    call["requestState"] = asked["requestState"].clone();
    let mut other = call.clone();
    other["arguments"]["name"] = "Another".into();
    assert_eq!(
        agent.ask("tools/call", Some(other))["result"]["resultType"],
        "input_required",
        "it was asked about another"
    );
    let done = agent.ask("tools/call", Some(call.clone()))["result"].clone();
    assert!(done["isError"] != true && done["structuredContent"]["id"].is_string(), "{done}");
    assert_eq!(made(&served), 1);
    let again = agent.ask("tools/call", Some(call))["result"]["resultType"].clone();
    assert_eq!((again, made(&served)), (json!("input_required"), 1), "an answer is for one call");
}

/// The message of a question that was asked by the answer to a call.
fn question(agent: &mut Agent, tool: &str, arguments: &Value) -> String {
    let can = meta(json!({ "elicitation": { "form": {} } }));
    let call = json!({ "_meta": can, "name": tool, "arguments": arguments });
    let answer = agent.ask("tools/call", Some(call));
    let request = &answer["result"]["inputRequests"]["confirm"]["params"]["message"];
    request.as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn a_question_names_the_record_and_shows_every_argument() {
    let served = Served::start();
    let mut agent = Agent::silent(live(&served));
    let projects = served.json(&["projects", "list"])["projects"].as_array().unwrap().clone();
    let project = projects.iter().find(|project| project["name"] == "Gift finder").unwrap()["id"].clone();
    let id = project.as_str().unwrap();
    // A long one before the others hides none of them.
    let arguments = json!({ "name": "x".repeat(5_000), "projectId": project, "folder": "Hidden\nprojectId: other" });
    let asked = question(&mut agent, "update_project", &arguments);
    let lines: Vec<&str> = asked.lines().collect();
    assert_eq!(lines[1], format!("projectId: \"{id}\" (Gift finder)"), "{asked}");
    assert!(lines[2].starts_with("name: \"xxx") && lines[2].ends_with("(5000 characters)\""), "{asked}");
    assert_eq!((lines[3], lines.len()), ("folder: \"Hidden projectId: other\"", 4), "{asked}");
    let video = served.json(&["videos", "list"])["videos"][0].clone();
    let asked = question(&mut agent, "delete_asset", &json!({ "videoId": video["id"] }));
    assert!(asked.contains(video["name"].as_str().unwrap()), "{asked}");
    let webhook = served.json(&["webhooks", "list"])[0].clone();
    let asked = question(&mut agent, "delete_webhook", &json!({ "webhookId": webhook["id"] }));
    assert!(asked.contains(webhook["url"].as_str().unwrap()), "{asked}");

    // A step by its name, once its project was read.
    let read = |agent: &mut Agent, tool: &str, arguments: Value| {
        let call = json!({ "_meta": meta(json!({})), "name": tool, "arguments": arguments });
        agent.ask("tools/call", Some(call))["result"]["structuredContent"].clone()
    };
    let step = served.json(&["projects", "show", id])["steps"][1].clone();
    let delete = json!({ "stepId": step["id"] });
    let unknown = question(&mut agent, "delete_step", &json!({ "stepId": "unknown" }));
    assert!(unknown.ends_with("stepId: \"unknown\" (its name is not known)"), "{unknown}");
    read(&mut agent, "get_project", json!({ "projectId": project }));
    let named = format!("({} of Gift finder)", step["name"].as_str().unwrap());
    assert!(question(&mut agent, "delete_step", &delete).contains(&named), "{named}");

    // What a file changes is said instead of the file: what is deleted first.
    let original = read(&mut agent, "export_project", json!({ "projectId": project }))["file"].clone();
    let original = original.as_str().unwrap();
    let (head, steps) = original.split_once("[[steps]]").unwrap();
    let (_, rest) = steps.split_once("[[steps]]").unwrap();
    let file = format!("{head}[[steps]]{rest}").replace("name = \"Gift finder\"", "name = \"Gift guide\"");
    let plan = read(&mut agent, "plan_project", json!({ "projectId": project, "file": file }));
    let apply = json!({ "projectId": project, "file": file, "planHash": plan["planHash"] });
    let asked = question(&mut agent, "apply_project", &apply);
    let lines: Vec<&str> = asked.lines().collect();
    assert!(lines[2].starts_with("- delete") && !asked.contains("file:"), "{asked}");
    assert!(lines.iter().any(|line| line.starts_with("    ") && line.contains("{+guide+}")), "{asked}");

    // Where there is nothing to ask about, nobody is asked.
    for (tool, arguments, why) in [
        ("delete_project", json!({}), "projectId is required"),
        ("delete_project", json!({ "projectId": project, "force": true }), "force is not a declared property"),
        ("update_project", json!({ "projectId": project, "name": 5 }), "name"),
        ("update_project", json!({ "projectId": 5, "name": "New" }), "projectId must be a text"),
        ("update_step", json!({ "stepId": step["id"], "answers": [{ "text": 5 }] }), "answers"),
        ("update_step", json!({ "stepId": step["id"], "fields": 5, "title": "New" }), "fields"),
        (
            "update_captions",
            json!({ "videoId": video["id"], "language": "de", "vtt": ["WEBVTT"] }),
            "vtt must be a text",
        ),
        ("apply_project", json!({ "projectId": project, "file": "?", "planHash": "00" }), "the file"),
        ("import_project", json!({ "file": "?" }), "the file"),
        ("apply_project", json!({ "projectId": project, "file": file, "planHash": "00" }), "isn't its planHash"),
    ] {
        let can = meta(json!({ "elicitation": { "form": {} } }));
        let call = json!({ "_meta": can, "name": tool, "arguments": arguments });
        let answer = agent.ask("tools/call", Some(call))["result"].clone();
        assert!(answer["isError"] == true && answer["content"][0]["text"].as_str().unwrap().contains(why), "{answer}");
    }
}

#[test]
fn a_question_is_taken_back_where_the_call_is_canceled() {
    let served = Served::start();
    let mut agent = Agent::begun(live(&served), "2025-11-25", json!({ "elicitation": {} }));
    let call = json!({ "name": "create_project", "arguments": { "name": "By an agent" } });
    agent.line(&json!({ "jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": call }).to_string());
    let question = agent.hears();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 900 } });
    agent.line(&cancel.to_string());
    let mut heard = agent.hears();
    while heard["method"] != "notifications/cancelled" {
        heard = agent.hears();
    }
    assert_eq!(heard["params"]["requestId"], question["id"], "{heard}");
    assert_eq!(made(&served), 0);
}

#[test]
fn what_expects_no_answer_does_not_end_a_session_that_has_not_begun() {
    let served = Served::start();
    let mut agent = Agent::silent(live(&served));
    agent.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    agent.line(r#"{"jsonrpc":"2.0","id":4,"result":{}}"#);
    agent.line(r#"{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}"#);
    agent.line(r#"{"jsonrpc":"2.0","method":"initialize","params":{}}"#);
    // Requests that begin no session: one that can't be read, and one of a revision that doesn't exist.
    assert!(agent.ask("initialize", Some(json!({ "protocolVersion": 5 })))["error"].is_object());
    let mut unknown = meta(json!({}));
    unknown["io.modelcontextprotocol/protocolVersion"] = "2050-01-01".into();
    assert!(agent.ask("tools/list", Some(json!({ "_meta": unknown })))["error"].is_object());
    agent.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert!(agent.ask("ping", None)["result"].is_object());
    let can = json!({ "_meta": meta(json!({})) });
    agent.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert!(agent.ask("tools/list", Some(can))["result"]["tools"].as_array().unwrap().len() > 20);
}
