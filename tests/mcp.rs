//! `cutaway mcp` spoken to line by line, as clients of any make do, also those that make mistakes.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

mod serving;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};
use serving::Served;

struct Agent {
    process: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    asked: u64,
}

impl Agent {
    fn start(served: &Served) -> Self {
        let mut command = served.command(&["mcp"]);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (stdin, stdout) = (process.stdin.take(), BufReader::new(process.stdout.take().unwrap()));
        let mut agent = Self { process, stdin, stdout, asked: 0 };
        let about = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        assert_eq!(agent.ask("initialize", Some(about))["result"]["serverInfo"]["name"], "cutaway");
        agent.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        agent
    }

    fn line(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn hears(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, method: &str, params: Option<Value>) -> Value {
        self.asked += 1;
        let mut request = json!({ "jsonrpc": "2.0", "id": self.asked, "method": method });
        if let Some(params) = params {
            request["params"] = params;
        }
        self.line(&request.to_string());
        let answer = self.hears();
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer
    }

    /// What a tool answers, as text.
    fn call(&mut self, tool: &str, arguments: Value) -> Result<String, String> {
        let result = self.ask("tools/call", Some(json!({ "name": tool, "arguments": arguments })))["result"].clone();
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        assert!(text.len() <= 2048 || result.get("structuredContent").is_none(), "it would be read twice");
        if result["isError"] == true { Err(text) } else { Ok(text) }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.stdin.take());
        assert!(self.process.wait().unwrap().success() || std::thread::panicking());
    }
}

#[test]
fn mistakes_of_clients_have_their_codes() {
    let served = Served::start();
    let mut agent = Agent::start(&served);
    for broken in ["{broken", "{\"jsonrpc\":\"2.0\",\"id\":9", "\u{1}", "{\"a\":1}}"] {
        agent.line(broken);
        let answer = agent.hears();
        assert_eq!((&answer["error"]["code"], answer.get("id")), (&json!(-32700), Some(&Value::Null)), "{answer}");
    }
    for shapeless in ["[]", "5", "{}"] {
        agent.line(shapeless);
        let answer = agent.hears();
        assert_eq!((&answer["error"]["code"], answer.get("id")), (&json!(-32600), Some(&Value::Null)), "{answer}");
    }
    agent.line("");
    let mut code = |method: &str, params: Option<Value>| {
        let answer = agent.ask(method, params);
        (answer["error"]["code"].as_i64().unwrap(), answer["error"]["message"].as_str().unwrap().to_owned())
    };
    for params in [None, Some(json!({})), Some(json!({ "arguments": {} })), Some(json!({ "name": 5 }))] {
        let (code, message) = code("tools/call", params);
        assert!(code == -32602 && message.contains("name"), "{code} {message}");
    }
    assert_eq!(code("tools/call", Some(json!({ "name": "whoami", "arguments": [] }))).0, -32602);
    let (unknown, message) = code("tools/call", Some(json!({ "name": "no_such" })));
    assert!(unknown == -32602 && message.contains("search_products"), "{message}");
    let (cursor, message) = code("tools/list", Some(json!({ "cursor": "bad" })));
    assert!(cursor == -32602 && message.contains("cursor"), "{message}");
    assert_eq!(code("no/such", None).0, -32601);
    assert!(agent.ask("tools/list", None)["result"]["tools"].as_array().unwrap().len() > 20, "it goes on");
}

#[test]
fn answers_are_compact_and_errors_say_what_is_allowed() {
    let served = Served::start();
    let mut agent = Agent::start(&served);
    let compact = agent.call("search_products", json!({})).unwrap();
    let full = agent.call("search_products", json!({ "full": true })).unwrap();
    eprintln!("one search: {} bytes compact, {} full", compact.len(), full.len());
    assert!(compact.len() * 3 < full.len() && compact.len() < 20_000, "{} {}", compact.len(), full.len());
    let page: Value = serde_json::from_str(&compact).unwrap();
    assert!(page["products"].as_array().unwrap().len() == 30 && page["nextCursor"].is_string());
    let fields = json!({ "fields": ["externalProductId", "variants.price"], "limit": 5 });
    let page: Value = serde_json::from_str(&agent.call("search_products", fields).unwrap()).unwrap();
    let first = page["products"][0].as_object().unwrap();
    assert_eq!(first.keys().collect::<Vec<_>>(), ["externalProductId", "variants"]);
    assert_eq!(first["variants"][0].as_object().unwrap().keys().collect::<Vec<_>>(), ["price"]);

    let mut wrong = |tool: &str, arguments: Value| agent.call(tool, arguments).unwrap_err();
    let said = wrong("create_webhook", json!({ "event": "sold", "url": "https://a.example" }));
    assert!(said.contains("response_summary, collected_info, conversion"), "{said}");
    let said = wrong("search_products", json!({ "sortBy": "price" }));
    assert!(said.contains("inventoryQuantity"), "{said}");
    let said = wrong("search_products", json!({ "filters": { "colour": "red" } }));
    assert!(said.contains("productType") && said.contains("tagsMatchMode"), "{said}");
    let said = wrong("search_products", json!({ "cursor": "made up" }));
    assert!(said.contains("cursor"), "{said}");
    let said = wrong("get_project", json!({}));
    assert!(said.contains("projectId") && said.contains("list_projects"), "{said}");
    let said = wrong("create_webhook", json!({ "event": "conversion" }));
    assert!(said.contains("url is required") && said.contains("http(s) address"), "{said}");
    let said = wrong("list_videos", json!({ "page": 2 }));
    assert!(said.contains("fields, full"), "{said}");
}

#[test]
fn a_subscription_is_switched_on_and_gets_a_new_secret() {
    let served = Served::start();
    let mut agent = Agent::start(&served);
    let listed: Value = serde_json::from_str(&agent.call("list_webhooks", json!({})).unwrap()).unwrap();
    let webhook = listed.as_array().unwrap()[0]["id"].as_str().unwrap().to_owned();
    let of = json!({ "webhookId": webhook });
    let before = served.prints(&["webhooks", "secret", &webhook]).trim().to_owned();
    let rotated: Value = serde_json::from_str(&agent.call("rotate_webhook_secret", of.clone()).unwrap()).unwrap();
    let secret = rotated["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret != before && rotated["previousUntil"].is_string(), "{rotated}");
    assert_eq!(served.prints(&["webhooks", "secret", &webhook]).trim(), secret);
    let enabled: Value = serde_json::from_str(&agent.call("enable_webhook", of).unwrap()).unwrap();
    assert_eq!(enabled["id"], webhook.as_str());
    for tool in ["enable_webhook", "rotate_webhook_secret"] {
        let said = agent.call(tool, json!({ "webhookId": "unknown" })).unwrap_err();
        assert!(said.contains("404"), "{said}");
        let said = agent.call(tool, json!({})).unwrap_err();
        assert!(said.contains("webhookId") && said.contains("list_webhooks"), "{said}");
    }
}

#[test]
fn steps_show_products_to_agents_and_take_them() {
    let served = Served::start();
    let mut agent = Agent::start(&served);
    // Plans and files are documents however long they are: both forms of them.
    let mut gives = |tool: &str, arguments: Value| -> Value {
        let answer = agent.ask("tools/call", Some(json!({ "name": tool, "arguments": arguments })));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        serde_json::from_str(&text).unwrap()
    };
    let found = gives("search_products", json!({}));
    let product = &found["products"][0];
    let (id, title) = (product["externalProductId"].as_str().unwrap(), product["title"].as_str().unwrap());
    let store = "https://nordlys-outdoor.example";
    let projects = served.json(&["projects", "list"])["projects"].as_array().unwrap().clone();
    let project = projects.iter().find(|project| project["name"] == "Gift finder").unwrap()["id"].clone();
    let links = json!([{ "store": store, "productId": id, "from": 2.5 }]);
    let new = json!({ "projectId": project, "overlayText": "Shop", "products": links });
    let made = gives("create_step", new);
    let told: Value = gives("get_project", json!({ "projectId": project }));
    let is_made = |step: &&Value| step["id"] == made["id"];
    let step = told["steps"].as_array().unwrap().iter().find(is_made).unwrap();
    assert_eq!(step["products"], links, "{told}");
    // A plan says what they are called.
    let file: Value = gives("export_project", json!({ "projectId": project }));
    let file = file["file"].as_str().unwrap().replace("from = 2.5", "from = 4");
    let plan = gives("plan_project", json!({ "projectId": project, "file": file }));
    let change = &plan["plan"]["calls"][0]["differences"][0];
    assert_eq!((&change["kind"], &change["products"][0]["title"]), (&json!("products"), &json!(title)), "{plan}");
}
