//! `cutaway mcp` spoken to line by line, as clients of any make do, also those that make mistakes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::cast_precision_loss)] // All of it is tests.

use crate::serving;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use serving::Served;

use crate::proxy::{Act, Fault, proxy};

pub(crate) struct Agent {
    process: Child,
    stdin: Option<ChildStdin>,
    /// What it says, line by line.
    said: Receiver<String>,
    pub(crate) asked: u64,
    tools: Value,
    /// Notifications that came in between.
    heard: Vec<Value>,
}

impl Agent {
    fn start(served: &Served) -> Self {
        Self::begun(served.command(&["mcp"]), "2025-06-18", json!({}))
    }

    /// By the handshake of a revision, for a client that can so much.
    pub(crate) fn begun(command: Command, revision: &str, capabilities: Value) -> Self {
        let mut agent = Self::silent(command);
        let about = json!({
            "protocolVersion": revision, "capabilities": capabilities, "clientInfo": { "name": "test", "version": "1" },
        });
        let begun = agent.ask("initialize", Some(about))["result"].clone();
        assert_eq!((&begun["serverInfo"]["name"], &begun["protocolVersion"]), (&json!("cutaway"), &json!(revision)));
        for capability in ["tools", "resources", "prompts"] {
            assert!(begun["capabilities"][capability].is_object(), "{begun}");
        }
        agent.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        agent
    }

    pub(crate) fn silent(mut command: Command) -> Self {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (stdin, stdout) = (process.stdin.take(), BufReader::new(process.stdout.take().unwrap()));
        let (saying, said) = channel();
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| saying.send(line)));
        Self { process, stdin, said, asked: 0, tools: Value::Null, heard: Vec::new() }
    }

    pub(crate) fn line(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    pub(crate) fn hears(&mut self) -> Value {
        let line = self.said.recv_timeout(Duration::from_secs(60));
        serde_json::from_str(&line.unwrap()).unwrap()
    }

    pub(crate) fn ask(&mut self, method: &str, params: Option<Value>) -> Value {
        self.asked += 1;
        let mut request = json!({ "jsonrpc": "2.0", "id": self.asked, "method": method });
        if let Some(params) = params {
            request["params"] = params;
        }
        self.line(&request.to_string());
        let answer = loop {
            let heard = self.hears();
            if heard.get("method").is_none() {
                break heard;
            }
            self.heard.push(heard);
        };
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer
    }

    /// Holds what a tool gave against the schema of what it gives, by someone else's reading of JSON Schema.
    fn is_promised(&mut self, tool: &str, content: &Value) {
        if self.tools.is_null() {
            self.tools = self.ask("tools/list", None)["result"]["tools"].clone();
        }
        let listed = self.tools.as_array().unwrap().iter().find(|listed| listed["name"] == tool).unwrap();
        let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
        compiler.add_resource("output.json", listed["outputSchema"].clone()).unwrap();
        let schema = compiler.compile("output.json", &mut schemas).unwrap();
        assert!(schemas.validate(content, schema).is_ok(), "{tool}: {content}");
    }

    /// What a tool answers, as text.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Result<String, String> {
        let result = self.ask("tools/call", Some(json!({ "name": tool, "arguments": arguments })))["result"].clone();
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        if result["isError"] == true {
            assert!(result.get("structuredContent").is_none(), "{result}");
            return Err(text);
        }
        // Both forms say the same, the structured one as its tool promises.
        let said: Value = serde_json::from_str(&text).unwrap();
        let content = &result["structuredContent"];
        let expected = match said {
            Value::Object(_) => said,
            Value::Null => json!({}),
            list => json!({ "items": list }),
        };
        assert_eq!(*content, expected, "{tool}");
        self.is_promised(tool, content);
        Ok(text)
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
    // JSON by its form, which the crate would drop without a word.
    let request = |held: &str| format!(r#"{{"jsonrpc":"2.0","id":9,"method":"ping","params":{{"a":{held}}}}}"#);
    let unreadable = [request(r#""\ud83d""#), request("1e400"), request(&("[".repeat(200) + &"]".repeat(200)))];
    let formless = ["{broken", "{\"jsonrpc\":\"2.0\",\"id\":9", "\u{1}", "{\"a\":1}}"];
    for broken in formless.into_iter().chain(unreadable.iter().map(String::as_str)) {
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
    // What isn't among the capabilities isn't there.
    let prompt = json!({ "ref": { "type": "ref/prompt", "name": "review" }, "argument": { "name": "a", "value": "" } });
    assert_eq!(code("completion/complete", Some(prompt)).0, -32601);
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

#[test]
fn resources_are_listed_and_read_by_their_addresses() {
    let served = Served::start();
    let mut agent = Agent::begun(served.command(&["mcp", "--read-only"]), "2025-11-25", json!({}));
    let templates = agent.ask("resources/templates/list", None)["result"]["resourceTemplates"].clone();
    assert_eq!(templates.as_array().unwrap().len(), 4, "{templates}");
    let listed = agent.ask("resources/list", None)["result"]["resources"].as_array().unwrap().clone();
    let project =
        listed.iter().find(|resource| resource["name"] == "Gift finder").unwrap()["uri"].as_str().unwrap().to_owned();
    let mut read = |uri: &str| {
        let answer = agent.ask("resources/read", Some(json!({ "uri": uri })));
        let contents = &answer["result"]["contents"][0];
        assert_eq!(contents["uri"], uri, "{answer}");
        (contents["mimeType"].as_str().unwrap().to_owned(), contents["text"].as_str().unwrap().to_owned())
    };
    let (kind, text) = read(&project);
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((kind.as_str(), &told["project"]["name"]), ("application/json", &json!("Gift finder")));
    let (kind, svg) = read(&format!("{project}/graph.svg"));
    assert!(kind == "image/svg+xml" && svg.starts_with("<svg") && svg.contains("Who is it for?"), "{svg}");
    let (_, problems) = read(&format!("{project}/problems"));
    assert!(serde_json::from_str::<Value>(&problems).unwrap()["problems"].is_array());
    let product =
        served.json(&["products", "search", "wool", "--limit", "1"])["products"][0]["externalProductId"].clone();
    let (_, text) = read(&format!("cutaway://products/{}", product.as_str().unwrap()));
    assert!(serde_json::from_str::<Value>(&text).unwrap()["product"]["title"].is_string());
    for unknown in ["cutaway://projects/none", "cutaway://products/none", "cutaway://nothing", "file:///etc/passwd"] {
        let answer = agent.ask("resources/read", Some(json!({ "uri": unknown })));
        assert!(answer["error"]["message"].as_str().unwrap().contains(unknown), "{answer}");
        assert_eq!(answer["error"]["code"], -32002, "{answer}");
    }
    let odd = agent.ask("resources/list", Some(json!({ "cursor": "next" })));
    assert_eq!(odd["error"]["code"], -32602, "{odd}");
    let after = agent.ask("resources/list", Some(json!({ "cursor": "1" })))["result"].clone();
    assert_eq!(after["resources"].as_array().unwrap().len() + 2, listed.len(), "each project and its graph");
    // What can't be asked is not said to be missing.
    let mut refused = served.command(&["mcp"]);
    refused.env("CUTAWAY_API_KEY", "nobody's");
    let mut agent = Agent::begun(refused, "2025-11-25", json!({}));
    let answer = agent.ask("resources/read", Some(json!({ "uri": "cutaway://projects/none" })));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
}

#[test]
fn prompts_are_listed_and_filled_in() {
    let served = Served::start();
    let mut agent = Agent::begun(served.command(&["mcp"]), "2025-11-25", json!({}));
    let listed = agent.ask("prompts/list", None)["result"]["prompts"].as_array().unwrap().clone();
    assert_eq!(listed.len(), 3);
    let params = json!({ "name": "build_product_finder", "arguments": { "topic": "gifts" } });
    let told = agent.ask("prompts/get", Some(params))["result"].clone();
    let text = told["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("find gifts") && text.contains("at most 7 steps") && text.contains("search_products"),
        "{text}"
    );
    let wrong = agent.ask("prompts/get", Some(json!({ "name": "review_project" })));
    assert!(
        wrong["error"]["code"] == -32602 && wrong["error"]["message"].as_str().unwrap().contains("projectId"),
        "{wrong}"
    );
}

#[test]
fn long_calls_tell_how_far_they_are_and_files_are_uploaded() {
    let served = Served::start();
    let mut agent = Agent::begun(served.command(&["mcp"]), "2025-11-25", json!({}));
    let film = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample/videos/help-3.mp4");
    let params = json!({
        "name": "upload_video", "arguments": { "path": film, "name": "From an agent" }, "_meta": { "progressToken": "up" },
    });
    let result = agent.ask("tools/call", Some(params))["result"].clone();
    let id = result["structuredContent"]["id"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned();
    let size = std::fs::metadata(&film).unwrap().len();
    let told: Vec<&Value> = agent.heard.iter().map(|heard| &heard["params"]).collect();
    assert!(
        told.iter().all(|told| told["progressToken"] == "up" && told["total"].as_f64() == Some(size as f64)),
        "{told:?}"
    );
    assert_eq!(told.last().unwrap()["progress"].as_f64(), Some(size as f64), "{told:?}");
    let videos = served.json(&["videos", "list"])["videos"].as_array().unwrap().clone();
    assert!(videos.iter().any(|video| video["id"] == id.as_str() && video["name"] == "From an agent"));
    for (path, why) in
        [("/no/such/film.mp4", "no such file"), (env!("CARGO_MANIFEST_DIR"), "it is a folder"), (file!(), "it is")]
    {
        let said = agent.call("upload_video", json!({ "path": path })).unwrap_err();
        assert!(said.contains(why) || path == file!(), "{said}");
    }

    // One request after the other.
    agent.heard.clear();
    let projects = served.json(&["projects", "list"])["projects"].as_array().unwrap().clone();
    let project = projects.iter().find(|project| project["name"] == "Gift finder").unwrap()["id"].clone();
    let params = json!({
        "name": "duplicate_project", "arguments": { "projectId": project, "name": "Copied" }, "_meta": { "progressToken": 7 },
    });
    let result = agent.ask("tools/call", Some(params))["result"].clone();
    assert!(result["isError"] != true, "{result}");
    let done: Vec<f64> = agent.heard.iter().map(|heard| heard["params"]["progress"].as_f64().unwrap()).collect();
    assert!(done.len() > 5 && done.is_sorted(), "{done:?}");
    let last = &agent.heard.last().unwrap()["params"];
    assert!(last["progress"] == last["total"] && last["message"] == "saved", "{last}");

    // What is read, as it comes.
    agent.heard.clear();
    let params = json!({ "name": "lint", "arguments": {}, "_meta": { "progressToken": "lint" } });
    let result = agent.ask("tools/call", Some(params))["result"].clone();
    assert!(result["isError"] != true, "{result}");
    let told: Vec<_> = agent.heard.iter().map(|heard| &heard["params"]).collect();
    let done: Vec<f64> = told.iter().map(|told| told["progress"].as_f64().unwrap()).collect();
    assert!(done.len() > 5 && done.is_sorted_by(|a, b| a < b), "{done:?}");
    for what in ["projects", "videos", "products"] {
        assert!(told.iter().any(|told| told["message"].as_str().unwrap().contains(what)), "{what}: {told:?}");
    }
}

#[test]
fn a_call_that_is_canceled_ends_and_the_next_one_is_answered() {
    let served = Served::start();
    // The first step isn't made before the test says so, so that the call can't be over before it is canceled.
    let (go, held) = channel::<()>();
    let (held, asked) = (Mutex::new(Some(held)), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&asked);
    let proxy = proxy(served.base(), move |request| {
        let creates = request.method == "POST" && request.path == "/projects/steps";
        counted.fetch_add(usize::from(creates), Ordering::SeqCst);
        let held = held.lock().unwrap().take_if(|_| creates);
        let before = held.map(|held| -> Box<dyn FnOnce() + Send> { Box::new(move || _ = held.recv()) });
        Act { before, ..Fault::None.into() }
    });
    let mut command = served.command(&["mcp"]);
    command.env("CUTAWAY_BASE_URL", &proxy.base);
    let mut agent = Agent::begun(command, "2025-11-25", json!({}));
    let projects = served.json(&["projects", "list"])["projects"].as_array().unwrap().clone();
    let project = projects.iter().find(|project| project["name"] == "Gift finder").unwrap()["id"].clone();
    let call = json!({ "name": "duplicate_project", "arguments": { "projectId": project, "name": "Canceled" },
                       "_meta": { "progressToken": "c" } });
    agent.line(&json!({ "jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": call }).to_string());
    // It is on its way.
    assert_eq!(agent.hears()["method"], "notifications/progress");
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 900 } });
    agent.line(&cancel.to_string());
    let mut answered = |id: u64, method: &str, params: Value| {
        agent.line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        loop {
            let heard = agent.hears();
            let is_canceled = heard["result"]["isError"] == true || heard.get("error").is_some();
            assert!(heard["id"] != 900 || is_canceled, "{heard}");
            if heard["id"] == id {
                break;
            }
        }
    };
    answered(901, "tools/list", json!({}));
    // Nothing more of it is asked for, now that it could go on: one copy takes as many steps as the next.
    drop(go);
    let mut steps = |id: u64| {
        let before = asked.load(Ordering::SeqCst);
        let arguments = json!({ "projectId": project, "name": "Copied" });
        answered(id, "tools/call", json!({ "name": "duplicate_project", "arguments": arguments }));
        asked.load(Ordering::SeqCst) - before
    };
    let (first, second) = (steps(902), steps(903));
    assert!(first == second && first > 4, "{first} and {second}");
}

#[test]
fn agents_check_products_videos_and_projects() {
    let served = Served::start();
    let mut agent = Agent::start(&served);
    let all: Value = serde_json::from_str(&agent.call("lint", json!({})).unwrap()).unwrap();
    let of = |rule: &str| all["problems"].as_array().unwrap().iter().filter(|problem| problem["rule"] == rule).count();
    assert!(of("dangling") == 1 && of("S01") > 0 && of("V07") > 0, "{all}");
    // Of each rule the first, and how many there are.
    let counted = all["rules"].as_array().unwrap().iter().find(|rule| rule["id"] == "S23").unwrap();
    assert!(of("S23") == 20 && counted["problems"].as_u64().unwrap() > 20, "{counted}");
    let videos: Value = serde_json::from_str(&agent.call("lint", json!({"what": "videos"})).unwrap()).unwrap();
    assert!(videos["problems"].as_array().unwrap().iter().all(|problem| problem["set"] == "video"), "{videos}");
    for (arguments, words) in [
        (json!({"what": "webhooks"}), "products, videos or project"),
        (json!({"what": "project"}), "projectId is required"),
        (json!({"sets": "deep"}), "shop, video, wiring, feed"),
        (json!({"projectId": "no-such-project"}), "no such project"),
    ] {
        let said = agent.call("lint", arguments.clone()).unwrap_err().to_lowercase();
        assert!(said.contains(&words.to_lowercase()), "{arguments}: {said}");
    }
}
