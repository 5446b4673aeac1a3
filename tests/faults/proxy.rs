//! A proxy in front of the real service that spoils what passes through, request by request, as a rule says.

#![allow(dead_code)] // Not every test needs all of it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // All of it is tests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// What goes wrong with one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// The line is closed before the request reaches the service.
    DropBefore,
    /// The request is done, and the line is closed in place of the answer.
    DropAfter,
    /// The line is closed at once, and the request is done a moment later.
    LateCommit,
    /// The line is reset, with a request that was not read.
    Reset,
    /// The service says that it is asked too often.
    TooMany,
    /// The service breaks before anything was done.
    Broken,
    /// The service breaks after it was done.
    BrokenAfter,
    /// The service is away for a moment.
    Unavailable,
    /// The gateway waits in vain for what is done.
    GatewayTimeout,
    /// The credential is refused.
    Unauthenticated,
    /// The answer ends in its head.
    CutHead,
    /// The answer ends in its body.
    CutBody,
    /// The body is longer than the answer says.
    TooLong,
    /// A page in place of the answer; it was done.
    PageAfter,
    /// A page in place of the answer; nothing was done.
    PageBefore,
    /// An answer without a body.
    Empty,
    /// Every value of the answer is of another type.
    OtherTypes,
    /// The answer lacks every field.
    NoFields,
    /// The answer comes slowly.
    Slow,
    /// Every header comes twice, and there are two tags.
    TwiceHeaders,
    /// Noise in place of HTTP.
    Noise,
    /// The service points elsewhere.
    Redirected,
    /// The answer says that it is compressed, and is not.
    NotCompressed,
    /// The service knows no such method of that path: what some services do, and no fault.
    NotAllowed,
    /// The service knows no such path: the same.
    NotFound,
}

/// All that can go wrong with an operation that a service knows.
pub const FAULTS: [Fault; 23] = [
    Fault::DropBefore,
    Fault::DropAfter,
    Fault::LateCommit,
    Fault::Reset,
    Fault::TooMany,
    Fault::Broken,
    Fault::BrokenAfter,
    Fault::Unavailable,
    Fault::GatewayTimeout,
    Fault::Unauthenticated,
    Fault::CutHead,
    Fault::CutBody,
    Fault::TooLong,
    Fault::PageAfter,
    Fault::PageBefore,
    Fault::Empty,
    Fault::OtherTypes,
    Fault::NoFields,
    Fault::Slow,
    Fault::TwiceHeaders,
    Fault::Noise,
    Fault::Redirected,
    Fault::NotCompressed,
];

impl Fault {
    /// Whether what can be repeated gets its answer the next time, as the client does it by itself.
    pub fn passes(self) -> bool {
        use Fault::{DropAfter, DropBefore, GatewayTimeout, LateCommit, Reset, TooMany, Unavailable};
        matches!(self, DropBefore | DropAfter | LateCommit | Reset | TooMany | Unavailable | GatewayTimeout)
    }

    /// Whether the answer is sound JSON that does not say what it should.
    pub fn garbles(self) -> bool {
        matches!(self, Self::OtherTypes | Self::NoFields)
    }
}

/// How long after the line was closed a late request is done.
const LATE: Duration = Duration::from_millis(400);

/// A request, as a rule sees it.
#[derive(Debug)]
pub struct Asked<'a> {
    pub method: &'a str,
    /// Without its query.
    pub path: &'a str,
}

impl Asked<'_> {
    /// Whether it changes what §4 calls a project, a step, a video or a webhook.
    pub fn writes(&self) -> bool {
        let creates = ["/projects", "/projects/steps", "/videos", "/videos/video", "/webhooks"];
        match self.method {
            "PUT" | "DELETE" => true,
            "POST" => creates.contains(&self.path),
            _ => false,
        }
    }

    /// Whether a project is read.
    pub fn reads_project(&self) -> bool {
        let rest = self.path.strip_prefix("/projects/").unwrap_or_default();
        self.method == "GET" && !rest.is_empty() && !rest.contains('/')
    }
}

/// What becomes of a request.
pub struct Act {
    /// What is done before it is passed on.
    pub before: Option<Box<dyn FnOnce() + Send>>,
    pub fault: Fault,
    /// How the service tells its answer.
    pub told: Option<fn(&mut Value)>,
    /// Whether the service has no tags: nothing can be asked of it under a condition.
    pub untagged: bool,
    /// Whether the service knows no keys of creations.
    pub keyless: bool,
    /// What a late request waits for, in place of a moment.
    pub late: Option<Box<dyn FnOnce() + Send>>,
}

impl From<Fault> for Act {
    fn from(fault: Fault) -> Self {
        Self { before: None, fault, told: None, untagged: false, keyless: false, late: None }
    }
}

type Rule = dyn Fn(&Asked<'_>) -> Act + Send + Sync;

/// A proxy that runs.
pub struct Proxy {
    /// Its address.
    pub base: String,
    busy: Arc<AtomicUsize>,
    ended: Arc<AtomicBool>,
}

impl Drop for Proxy {
    /// Lets go of its port and its thread: a long run makes thousands of proxies.
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        // It waits for a client: this is one.
        drop(TcpStream::connect(self.base.trim_start_matches("http://")));
    }
}

impl Proxy {
    /// Waits until nothing is on its way any more, late requests neither.
    pub fn settle(&self) {
        while self.busy.load(Ordering::SeqCst) > 0 {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A proxy before a service (`http://host:port`).
pub fn proxy(service: &str, rule: impl Fn(&Asked<'_>) -> Act + Send + Sync + 'static) -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let service = service.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let rule: Arc<Rule> = Arc::new(rule);
    let busy = Arc::new(AtomicUsize::new(0));
    let ended = Arc::new(AtomicBool::new(false));
    let (counted, over) = (Arc::clone(&busy), Arc::clone(&ended));
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            if over.load(Ordering::SeqCst) {
                return;
            }
            let (service, rule, busy) = (service.clone(), Arc::clone(&rule), Arc::clone(&counted));
            busy.fetch_add(1, Ordering::SeqCst);
            thread::spawn(move || {
                // A line that breaks is what this is for.
                let _ = carry(client, &service, &*rule);
                busy.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    Proxy { base, busy, ended }
}

/// Reads the head of a message.
fn head(from: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if from.read_until(b'\n', &mut head)? == 0 {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

fn length(head: &str) -> usize {
    let lower = head.to_ascii_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    length.unwrap_or(0)
}

fn carry(client: TcpStream, service: &str, rule: &Rule) -> std::io::Result<()> {
    client.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut client = BufReader::new(client);
    let request = head(&mut client)?;
    let mut words = request.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(()) };
    let path = path.split('?').next().unwrap_or_default();
    let Act { before, fault, told, untagged, keyless, late } = rule(&Asked { method, path });
    if fault == Fault::Reset {
        if let Some(before) = before {
            before();
        }
        // What was not read when a socket is closed resets the line.
        return Ok(());
    }
    let mut body = vec![0; length(&request)];
    client.read_exact(&mut body)?;
    if let Some(before) = before {
        before();
    }
    let mut client = client.into_inner();
    let refusal = match fault {
        Fault::DropBefore => return client.shutdown(Shutdown::Both),
        Fault::TooMany => Some("429 Too Many Requests\r\nretry-after: 0"),
        Fault::Broken => Some("500 Internal Server Error"),
        Fault::Unavailable => Some("503 Service Unavailable\r\nretry-after: 0"),
        Fault::NotFound => Some("404 Not Found"),
        Fault::NotAllowed => Some("405 Method Not Allowed"),
        Fault::Unauthenticated => Some("401 Unauthorized"),
        Fault::Redirected => Some("302 Found\r\nlocation: https://elsewhere.example/"),
        _ => None,
    };
    if let Some(refusal) = refusal {
        return answer(&mut client, &format!("HTTP/1.1 {refusal}"), b"{\"detail\":\"it can't\"}");
    }
    if fault == Fault::PageBefore {
        return answer(&mut client, PAGE, b"<!doctype html><title>Hotel</title>");
    }
    if fault == Fault::LateCommit {
        client.shutdown(Shutdown::Both)?;
        late.unwrap_or_else(|| Box::new(|| thread::sleep(LATE)))();
    }
    let (mut status, answered) = pass_on(service, &without_key(&request, keyless), &body)?;
    if untagged {
        let kept = status.lines().filter(|line| !line.to_ascii_lowercase().starts_with("etag:"));
        status = kept.collect::<Vec<_>>().join("\r\n");
    }
    spoiled(&mut client, fault, told, &status, &answered)
}

/// A request as a service sees it that knows no keys of creations.
fn without_key(request: &str, keyless: bool) -> String {
    let is_key = |line: &str| keyless && line.to_ascii_lowercase().starts_with("idempotency-key:");
    request.split_inclusive("\r\n").filter(|line| !is_key(line)).collect()
}

const PAGE: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/html";

/// Passes a request on; the head of the answer, without what frames its body, and the body.
fn pass_on(service: &str, request: &str, body: &[u8]) -> std::io::Result<(String, Vec<u8>)> {
    let mut server = TcpStream::connect(service)?;
    server.set_read_timeout(Some(Duration::from_secs(60)))?;
    let kept = request.lines().filter(|line| !line.to_ascii_lowercase().starts_with("connection:"));
    let kept: Vec<&str> = kept.filter(|line| !line.is_empty()).collect();
    let plain = kept.into_iter().filter(|line| !line.to_ascii_lowercase().starts_with("accept-encoding:"));
    let request = plain.collect::<Vec<_>>().join("\r\n");
    server.write_all(format!("{request}\r\nconnection: close\r\n\r\n").as_bytes())?;
    server.write_all(body)?;
    let mut server = BufReader::new(server);
    let told = head(&mut server)?;
    let mut answered = Vec::new();
    server.read_to_end(&mut answered)?;
    let framing = ["content-length:", "connection:", "transfer-encoding:"];
    let is_framing = |line: &str| framing.iter().any(|name| line.to_ascii_lowercase().starts_with(name));
    let answered =
        if told.to_ascii_lowercase().contains("transfer-encoding: chunked") { whole(&answered) } else { answered };
    let told: Vec<&str> = told.lines().filter(|line| !line.is_empty() && !is_framing(line)).collect();
    Ok((told.join("\r\n"), answered))
}

/// A chunked body put together.
fn whole(mut chunked: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(at) = chunked.windows(2).position(|end| end == b"\r\n") {
        let size =
            std::str::from_utf8(&chunked[..at]).ok().and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
        let Some(size) = size.filter(|size| *size > 0 && chunked.len() >= at + 2 + size) else { break };
        body.extend_from_slice(&chunked[at + 2..at + 2 + size]);
        chunked = chunked.get(at + 4 + size..).unwrap_or_default();
    }
    body
}

fn answer(client: &mut TcpStream, head: &str, body: &[u8]) -> std::io::Result<()> {
    let head = format!("{head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    client.write_all(&[head.as_bytes(), body].concat())?;
    client.shutdown(Shutdown::Write)
}

/// Gives the answer, spoiled.
fn spoiled(
    client: &mut TcpStream,
    fault: Fault,
    told: Option<fn(&mut Value)>,
    head: &str,
    body: &[u8],
) -> std::io::Result<()> {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    match fault {
        Fault::DropAfter | Fault::LateCommit => client.shutdown(Shutdown::Both),
        Fault::BrokenAfter => answer(client, "HTTP/1.1 500 Internal Server Error", b""),
        Fault::GatewayTimeout => answer(client, "HTTP/1.1 504 Gateway Timeout", b"<title>gateway</title>"),
        Fault::CutHead => {
            client.write_all(b"HTTP/1.1 200 OK\r\ncontent-ty")?;
            client.shutdown(Shutdown::Both)
        }
        Fault::CutBody => {
            let head = format!("{head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len() + 10);
            client.write_all(&[head.as_bytes(), &body[..body.len() / 2]].concat())?;
            client.shutdown(Shutdown::Both)
        }
        Fault::TooLong => {
            let head = format!("{head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            client.write_all(&[head.as_bytes(), body, b"and more of it"].concat())?;
            client.shutdown(Shutdown::Write)
        }
        Fault::PageAfter => answer(client, PAGE, b"<!doctype html><title>Hotel</title>"),
        Fault::Empty => answer(client, head, b""),
        Fault::OtherTypes => answer(client, head, other_types(&json).to_string().as_bytes()),
        Fault::NoFields => answer(client, head, b"{}"),
        Fault::Slow => {
            let head = format!("{head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            for piece in [head.as_bytes(), body].concat().chunks(512) {
                client.write_all(piece)?;
                thread::sleep(Duration::from_millis(2));
            }
            client.shutdown(Shutdown::Write)
        }
        Fault::TwiceHeaders => {
            let (first, rest) = head.split_once("\r\n").unwrap_or((head, ""));
            // A service without tags has none twice.
            let other = if head.to_ascii_lowercase().contains("\r\netag:") { "\r\netag: \"other\"" } else { "" };
            answer(client, &format!("{first}\r\n{rest}\r\n{rest}{other}"), body)
        }
        Fault::Noise => {
            client.write_all(b"\x00\xffHTTP/9 \x1b[31m 200 maybe\r\n\r\n")?;
            client.shutdown(Shutdown::Both)
        }
        Fault::NotCompressed => answer(client, &format!("{head}\r\ncontent-encoding: gzip"), body),
        _ => match told {
            Some(told) if !json.is_null() => {
                let mut json = json;
                told(&mut json);
                answer(client, head, json.to_string().as_bytes())
            }
            _ => answer(client, head, body),
        },
    }
}

/// A value in which every other one is of another type.
fn other_types(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(text.len()),
        Value::Number(_) | Value::Bool(_) => Value::from("a text"),
        Value::Null => Value::from(3),
        Value::Array(_) => Value::from("a list"),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), other_types(value))).collect())
        }
    }
}
