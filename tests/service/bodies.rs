//! Bodies that are refused: every sender comes to read why, whether it sends all of it first or waits to be told to.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use crate::hosted;

use std::path::Path;
use std::time::Duration;

use cutaway::service::{ServeOptions, offline};
use hosted::{ServedFor, kept, on};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// After so long a condition is taken to never come.
const PATIENCE: Duration = Duration::from_secs(90);

/// Who asks here.
enum Tests {}
type Served = ServedFor<Tests>;

impl Served {
    async fn start(data: &Path) -> Self {
        Self::sample(ServeOptions { max_upload: Some(1024 * 1024), ..on(data) }).await
    }

    fn addr(&self) -> String {
        self.running.base_url().trim_start_matches("http://").to_owned()
    }

    async fn send(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let answer = self.asked(method, path).json(body).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    async fn named(&self, method: Method, path: &str, body: &Value) -> Vec<String> {
        let (status, answer) = self.send(method, path, body).await;
        assert_eq!(status, 400, "{path} {answer}");
        let errors = answer["errors"].as_array().unwrap();
        errors.iter().map(|error| error["pointer"].as_str().unwrap().to_owned()).collect()
    }
}

/// The head of a request and everything that the service says to it, after so much of a body.
async fn says(addr: &str, head: &str, sent: usize) -> String {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(format!("{head}Host: {addr}\r\n\r\n").as_bytes()).await.unwrap();
    let piece = vec![b'x'; 64 * 1024];
    let mut left = sent;
    while left > 0 {
        let next = left.min(piece.len());
        // Nobody is cut off while sending.
        stream.write_all(&piece[..next]).await.unwrap();
        left -= next;
    }
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    let reading = async {
        loop {
            match stream.read(&mut piece).await.unwrap() {
                0 => break,
                read => answer.extend_from_slice(&piece[..read]),
            }
            let text = String::from_utf8_lossy(&answer);
            let length: Option<usize> =
                text.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.parse().ok());
            if let (Some(length), Some((_, body))) = (length, text.split_once("\r\n\r\n"))
                && body.len() == length
            {
                break;
            }
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn who_sends_a_large_body_comes_to_read_why_it_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path()).await;
    let (addr, size) = (served.addr(), 24 * 1024 * 1024);
    let auth = format!("Authorization: Bearer {}\r\n", served.key);
    let head = |path: &str, kind: &str, auth: &str| {
        format!("POST {path} HTTP/1.1\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n{auth}")
    };
    for (path, kind, auth, status) in [
        ("/videos", "multipart/form-data; boundary=x", "", 401),
        ("/projects", "application/json", "", 401),
        ("/nowhere", "application/json", &*auth, 404),
        ("/users/me", "application/json", &auth, 405),
        ("/projects", "application/json", &auth, 413),
        ("/projects", "text/plain", &auth, 415),
        ("/products-service/searchProductsCursor", "application/json", &auth, 413),
        ("/videos", "video/mp4", &auth, 415),
        ("/videos", "multipart/form-data; boundary=x", &auth, 413),
        ("/oauth/token", "application/x-www-form-urlencoded", "", 413),
    ] {
        let answer = says(&addr, &head(path, kind, auth), size).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{path} {kind}: {answer}");
    }
    // Chunked, so that nobody knows how large it will be.
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(
        (0..300).map(|_| Ok::<_, std::io::Error>(vec![b'1'; 65536])),
    ));
    let asked = served.http.post(format!("{}/projects", served.running.base_url())).bearer_auth(&served.key);
    let answer = asked.header("content-type", "application/json").body(body).send().await.unwrap();
    assert_eq!(answer.status(), 413);
    served.running.stop().await;
}

#[tokio::test]
async fn who_waits_is_told_to_go_on_or_why_not() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path()).await;
    let addr = served.addr();
    let auth = format!("Authorization: Bearer {}\r\n", served.key);
    let head = |path: &str, kind: &str, auth: &str, length: usize| {
        format!(
            "POST {path} HTTP/1.1\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nExpect: 100-continue\r\n{auth}"
        )
    };
    let form = "multipart/form-data; boundary=x";
    for (path, kind, auth, length, status) in [
        ("/videos", form, "", 900_000, 401),
        ("/videos", form, &*auth, 90_000_000, 413),
        ("/videos", "video/mp4", &auth, 900_000, 415),
        ("/projects", "application/json", &auth, 9_000_000, 413),
        ("/nowhere", "application/json", &auth, 9, 404),
    ] {
        let answer = says(&addr, &head(path, kind, auth, length), 0).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{path}: {answer}");
        assert!(answer.contains("\r\nconnection: close\r\n"), "{path}: {answer}");
    }
    let body = r#"{"project":{"name":"Waited"}}"#;
    let mut stream = TcpStream::connect(&addr).await.unwrap();
    let asked = format!("{}Host: {addr}\r\n\r\n", head("/projects", "application/json", &auth, body.len()));
    stream.write_all(asked.as_bytes()).await.unwrap();
    let mut told = [0; 25];
    tokio::time::timeout(PATIENCE, stream.read_exact(&mut told)).await.unwrap().unwrap();
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = [0; 15];
    tokio::time::timeout(PATIENCE, stream.read_exact(&mut answer)).await.unwrap().unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200 OK");
    drop(stream);
    served.running.stop().await;
}

#[tokio::test]
async fn texts_and_lists_have_their_bounds() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path()).await;
    let (post, put) = (Method::POST, Method::PUT);
    let (_, made) = served.send(post.clone(), "/projects", &json!({ "project": { "name": "ü".repeat(1_000) } })).await;
    let project = format!("/projects/{}", made["id"].as_str().unwrap());
    let (_, step) = served.send(post.clone(), "/projects/steps", &json!({ "step": { "projectId": made["id"] } })).await;
    let (name, id) = (&step["name"], &step["id"]);
    let step = format!("/projects/steps/{}", id.as_str().unwrap());
    let (long, longest) = ("ü".repeat(1_001), "x".repeat(100_001));
    let address = format!("https://x.example/{longest}");
    let cases: [(&Method, &str, Value, &[&str]); 9] = [
        (&post, "/projects", json!({ "project": { "name": long } }), &["/project/name"]),
        (&put, &project, json!({ "name": long, "folder": long }), &["/name", "/folder"]),
        (&put, &project, json!({ "emailNotifications": vec!["a@b"; 1_001] }), &["/emailNotifications"]),
        (&put, &project, json!({ "emailNotifications": ["a@b", format!("a@{longest}")] }), &["/emailNotifications/1"]),
        (&put, &project, json!({ "stepsOrder": [name, id] }), &["/stepsOrder/1"]),
        (&put, &step, json!({ "description": longest, "overlayText": longest }), &["/description", "/overlayText"]),
        (
            &put,
            &step,
            json!({ "answers": [{ "text": "a" }, { "text": longest, "next": long }] }),
            &["/answers/1/text", "/answers/1/next"],
        ),
        (
            &post,
            "/videos/video",
            json!({ "video": { "videoUrl": address, "posterUrl": address, "name": long } }),
            &["/video/videoUrl", "/video/posterUrl", "/video/name"],
        ),
        (&post, "/webhooks", json!({ "event": "conversion", "url": address }), &["/url"]),
    ];
    for (method, path, body, pointers) in cases {
        assert_eq!(served.named(method.clone(), path, &body).await, pointers, "{path}");
    }
    for twice in ["/projects?projectId=a&projectId=a", "/projects?projectId=a&projectId=b"] {
        assert_eq!(served.named(Method::DELETE, twice, &json!({})).await, ["/projectId"], "{twice}");
    }
    served.running.stop().await;
}

#[tokio::test]
async fn what_players_report_is_read_field_by_field() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path()).await;
    offline::set_player_form(&kept(data.path()), true).await.unwrap();
    let (_, listed) = served.send(Method::GET, "/projects/", &json!({})).await;
    let visits = format!("/play/{}/visits", listed["projects"][0]["publishId"].as_str().unwrap());
    let post = Method::POST;
    assert_eq!(served.named(post.clone(), &visits, &json!({ "anonymousId": 5 })).await, ["/anonymousId"]);
    let (status, visit) = served.send(post.clone(), &visits, &json!({})).await;
    assert_eq!(status, 201);
    let at = |member: &str| visit[member].as_str().unwrap().to_owned();
    let long = "x".repeat(501);
    let cases: [(&str, Value, &[&str]); 6] = [
        ("formUrl", json!({ "name": long, "email": "nobody", "phone": [] }), &["/phone", "/name", "/email"]),
        ("formUrl", json!({ "name": " ", "extra": true }), &["/name", "/email", "/phone"]),
        ("formUrl", json!([]), &[""]),
        (
            "purchaseUrl",
            json!({ "orderId": 7, "amount": "9", "currency": long }),
            &["/orderId", "/amount", "/currency"],
        ),
        (
            "eventsUrl",
            json!({ "events": [{ "number": -1, "eventName": "x" }, 7], "ended": 1 }),
            &["/events/1", "/ended", "/events/0/number"],
        ),
        ("eventsUrl", json!({ "events": {} }), &["/events"]),
    ];
    for (member, body, pointers) in cases {
        assert_eq!(served.named(post.clone(), &at(member), &body).await, pointers, "{body}");
    }
    // Two that can't be told apart are two; one that can is told once.
    for (order, new) in
        [(json!({}), true), (json!({}), true), (json!({ "orderId": "1" }), true), (json!({ "orderId": "1" }), false)]
    {
        let told = served.send(post.clone(), &at("purchaseUrl"), &order).await;
        assert_eq!(told, (200, json!({ "reported": new, "verified": true })));
    }
    served.running.stop().await;
}

/// Everything that the service answers to these bytes until it closes the connection.
async fn answers(addr: &str, sent: &str) -> String {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(sent.as_bytes()).await.unwrap();
    let mut answers = Vec::new();
    tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answers)).await.unwrap().unwrap();
    String::from_utf8(answers).unwrap()
}

#[tokio::test]
async fn a_request_with_two_lengths_is_refused_and_the_last_of_its_connection() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path()).await;
    let addr = served.addr();
    let before = served.send(Method::GET, "/projects", &json!({})).await.1;
    let body = r#"{"project":{"name":"Twice"}}"#;
    let head = format!(
        "POST /projects HTTP/1.1\r\nHost: {addr}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n",
        served.key
    );
    let chunked = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let next = format!("GET /healthz HTTP/1.1\r\nHost: {addr}\r\n\r\n");
    let lengths = [format!("Content-Length: {}\r\n", chunked.len()), "Transfer-Encoding: chunked\r\n".to_owned()];
    for order in [[0, 1], [1, 0]] {
        let both = order.map(|at| lengths[at].clone()).concat();
        let alone = answers(&addr, &format!("{head}{both}\r\n{chunked}{next}")).await;
        assert!(alone.starts_with("HTTP/1.1 400 "), "{alone}");
        assert!(alone.contains("must not have both") && alone.matches("HTTP/1.1").count() == 1, "{alone}");
        // Behind another one, on the same connection and in the same packet.
        let behind = answers(&addr, &format!("{next}{head}{both}\r\n{chunked}{next}")).await;
        assert!(behind.starts_with("HTTP/1.1 200 ") && behind.contains("}HTTP/1.1 400 "), "{behind}");
        assert_eq!(behind.matches("HTTP/1.1").count(), 2, "{behind}");
    }
    // Either alone is as good as ever.
    for (length, body) in [(format!("Content-Length: {}\r\n", body.len()), body), (lengths[1].clone(), &*chunked)] {
        let alone = answers(&addr, &format!("{head}{length}Connection: close\r\n\r\n{body}")).await;
        assert!(alone.starts_with("HTTP/1.1 200 "), "{alone}");
    }
    let after = served.send(Method::GET, "/projects", &json!({})).await.1;
    let count = |list: &Value| list["projects"].as_array().unwrap().len();
    assert_eq!(count(&after), count(&before) + 2);
    served.running.stop().await;
}

#[tokio::test]
async fn members_that_come_twice_are_refused_by_name() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path()).await;
    let post = async |path: &str, body: &'static str| {
        let request = served.http.post(format!("{}{path}", served.running.base_url())).bearer_auth(&served.key);
        let answer = request.header("content-type", "application/json").body(body).send().await.unwrap();
        let status = answer.status().as_u16();
        let answer: Value = answer.json().await.unwrap();
        (status, answer["errors"][0]["pointer"].as_str().unwrap_or_default().to_owned())
    };
    for (path, body, pointer) in [
        ("/projects", r#"{"project":{"name":"a"},"project":{"name":"b"}}"#, "/project"),
        ("/projects", r#"{"project":{"name":"a","n\u0061me":"b"}}"#, "/project/name"),
        ("/products-service/searchProductsCursor", r#"{"appUrl":"x","limit":1,"limit":2}"#, "/limit"),
        ("/products-service/searchProductsCursor", r#"{"filters":{"tags":["a"],"tags":[]}}"#, "/filters/tags"),
        (
            "/videos/video",
            r#"{"video":{"videoUrl":"http://a.example","videoUrl":"http://b.example"}}"#,
            "/video/videoUrl",
        ),
        ("/play/none/visits", r#"{"anonymousId":"a","anonymousId":"b"}"#, "/anonymousId"),
    ] {
        assert_eq!(post(path, body).await, (400, pointer.to_owned()), "{path} {body}");
    }
    served.running.stop().await;
}

#[tokio::test]
async fn answers_are_what_their_type_says_and_videos_are_nothing_more() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path()).await;
    let get = async |path: &str| {
        let path =
            if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", served.running.base_url()) };
        served.http.get(path).bearer_auth(&served.key).send().await.unwrap()
    };
    for path in ["/users/me", "/nowhere", "/healthz", "/oauth/device", "/openapi.json", "/play/none", "/projects"] {
        assert_eq!(get(path).await.headers()["x-content-type-options"], "nosniff", "{path}");
    }
    let videos: Value = get("/videos/videos").await.json().await.unwrap();
    let video = videos["videos"].as_array().unwrap().iter().find_map(|video| video["videoUrl"].as_str()).unwrap();
    let answer = get(video).await;
    assert_eq!(answer.status(), 200, "{video}");
    assert_eq!(answer.headers()["cross-origin-resource-policy"], "cross-origin");
    let policy = answer.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("sandbox"), "{policy}");
    served.running.stop().await;
}

/// Bodies with one text each that contains U+0000: at every place where a description of a body lets a text stand.
fn texts_with_nul(schema: &Value, schemas: &Value, deep: usize) -> Vec<(String, Value)> {
    let named = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/components/schemas/"));
    let schema = named.map_or(schema, |name| &schemas[name]);
    let is = |kind: &str| match &schema["type"] {
        Value::String(own) => own == kind,
        Value::Array(own) => own.iter().any(|own| own == kind),
        _ => false,
    };
    if deep == 0 {
        return Vec::new();
    }
    if is("string") {
        return vec![(String::new(), json!("a\0b"))];
    }
    if is("array") {
        let entries = texts_with_nul(&schema["items"], schemas, deep - 1);
        return entries.into_iter().map(|(at, entry)| (format!("/0{at}"), json!([entry]))).collect();
    }
    let members = schema["properties"].as_object().into_iter().flatten();
    let in_member = |(name, member): (&String, &Value)| {
        let texts = texts_with_nul(member, schemas, deep - 1);
        texts.into_iter().map(|(at, text)| (format!("/{name}{at}"), json!({ name: text }))).collect::<Vec<_>>()
    };
    members.flat_map(in_member).collect()
}

impl Served {
    /// A path with the ids of records that are there: nothing is known of others.
    async fn filled(&self, path: &str) -> String {
        let get = async |path: &str| self.send(Method::GET, path, &Value::Null).await.1;
        let project = get("/projects").await["projects"][0].clone();
        let id = |record: &Value| record["id"].as_str().unwrap().to_owned();
        let id = match path.split('/').nth(1).unwrap() {
            _ if path.starts_with("/projects/steps") => {
                id(&get(&format!("/projects/{}", id(&project))).await["steps"][0])
            }
            "projects" => id(&project),
            "webhooks" => id(&get("/webhooks").await[0]),
            "videos" => id(&get("/videos/videos").await["videos"][0]),
            _ => String::new(),
        };
        let publish = project["publishId"].as_str().unwrap();
        let mut path = path.replace("{id}", &id).replace("{publishId}", publish);
        if path.contains("{session}") {
            let begun = self.send(Method::POST, &format!("/play/{publish}/visits"), &json!({})).await.1;
            path = path.replace("{session}", begun["sessionId"].as_str().unwrap());
        }
        path.replace("{language}", "en").replace(['{', '}'], "")
    }
}

#[tokio::test]
async fn no_text_may_contain_the_end_of_a_text() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path()).await;
    let described: Value = served.asked(Method::GET, "/openapi.json").send().await.unwrap().json().await.unwrap();
    let mut tried = 0;
    for (path, methods) in described["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let address = served.filled(path).await;
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            if !body.is_null() {
                let mut bodies = texts_with_nul(body, &described["components"]["schemas"], 6);
                bodies.push(("/nobody/0".to_owned(), json!({ "nobody": ["\0"] })));
                for (pointer, body) in bodies {
                    // A wrong workspace key is no worse than any other.
                    if pointer == "/appKey" {
                        continue;
                    }
                    let (status, answer) = served.send(method.clone(), &address, &body).await;
                    let told = answer["errors"].as_array().into_iter().flatten();
                    let told: Vec<_> = told.filter(|error| error["pointer"] == pointer).collect();
                    assert!(status == 400 && told.len() == 1, "{method} {path} {body}: {answer}");
                    assert_eq!(told[0]["detail"], "must not contain U+0000", "{method} {path} {body}");
                    tried += 1;
                }
            }
            if path.starts_with("/oauth/") {
                let form = served.asked(method.clone(), &address).query(&[("scope", "a\0b")]);
                let form = if method == Method::POST { form.form(&[("scope", "a\0b")]) } else { form };
                let answer = form.send().await.unwrap();
                assert_eq!(answer.status(), 400, "{method} {path}");
                continue;
            }
            let answer = served.asked(method.clone(), &address).query(&[("stepId", "a\0b"), ("b", "c")]).send().await;
            let answer: Value = answer.unwrap().json().await.unwrap();
            let told = json!([{ "pointer": "/stepId", "detail": "must not contain U+0000" }]);
            assert_eq!(answer["errors"], told, "{method} {path}: {answer}");
            let answer = served.asked(method.clone(), &format!("{address}%00")).send().await.unwrap();
            assert_eq!(answer.status(), 400, "{method} {path}");
        }
    }
    assert!(tried > 60, "{tried}");
    // The name of a file, which has a header's rules.
    let form =
        "--x\r\nContent-Disposition: form-data; name=\"videoBlob\"; filename=\"a\0b.mp4\"\r\n\r\nfilm\r\n--x--\r\n";
    let upload = served.asked(Method::POST, "/videos").header("content-type", "multipart/form-data; boundary=x");
    let answer: Value = upload.body(form).send().await.unwrap().json().await.unwrap();
    assert_eq!((&answer["status"], &answer["errors"][0]["pointer"]), (&json!(400), &json!("/videoBlob")), "{answer}");
    // Who is asked for a credential hears of nothing else.
    let stranger = served.http.get(served.url("/projects/a%00b?c=%00")).send().await.unwrap();
    assert_eq!(stranger.status(), 401);
    served.running.stop().await;
}
