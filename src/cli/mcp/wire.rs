//! Standard input and output as JSON-RPC has them: what is no JSON is answered (-32700), which the protocol's crate passes
//! over in silence, and an error that belongs to no request has the id null.

use std::io;

use futures_util::FutureExt as _;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, GetMeta as _, ProtocolVersion};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// The longest message, bytes: as long as the crate takes.
const LONGEST: u64 = 16 * 1024 * 1024;
/// What is held between the crate and the standard streams, bytes.
const HELD: usize = 64 * 1024;

/// What the crate reads and writes, and what ends once all of that is written out.
pub(super) struct Wire {
    pub(super) input: DuplexStream,
    pub(super) output: DuplexStream,
    pub(super) written: JoinHandle<io::Result<()>>,
}

/// Opens standard input and output.
pub(super) fn open() -> Wire {
    let (input, checked) = duplex(HELD);
    let (output, answers) = duplex(HELD);
    let (lines, mut queued) = unbounded_channel::<Vec<u8>>();
    tokio::spawn(check(checked, lines.clone()).boxed());
    tokio::spawn(take_answers(answers, lines).boxed());
    // One writer, so that no line is written into another.
    let written = tokio::spawn(async move {
        let mut out = tokio::io::stdout();
        while let Some(line) = queued.recv().await {
            out.write_all(&line).await?;
            out.flush().await?;
        }
        Ok(())
    });
    Wire { input, output, written }
}

/// Passes on what is JSON, and answers what is not, until standard input ends.
async fn check(mut to: DuplexStream, answers: UnboundedSender<Vec<u8>>) {
    let mut from = BufReader::new(tokio::io::stdin());
    let (mut line, mut begun) = (Vec::new(), false);
    loop {
        line.clear();
        match (&mut from).take(LONGEST).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let whole = line.ends_with(b"\n");
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
        if text.trim_ascii().is_empty() {
            continue;
        }
        // Into what the crate reads: half of a surrogate, a number that is too large, or brackets nested too deep are dropped
        // there without an answer.
        let message = match serde_json::from_slice::<Value>(text) {
            Ok(message) => message,
            Err(why) => {
                let why = if whole { why.to_string() } else { "the line is cut off or too long".to_owned() };
                let _ = answers.send(broken(&why));
                if !whole && skip_line(&mut from).await.is_err() {
                    return;
                }
                continue;
            }
        };
        begun = begun || begins(&message);
        if !begun && expects_nothing(&message) {
            continue;
        }
        if !whole {
            line.push(b'\n');
        }
        if to.write_all(&line).await.is_err() {
            return;
        }
    }
}

/// Whether the crate begins a session with a message: with an `initialize` that it can read, or since 2026-07-28 with any
/// request but `server/discover` that says all that each has to say of itself.
fn begins(message: &Value) -> bool {
    let Ok(ClientJsonRpcMessage::Request(asked)) = serde_json::from_value(message.clone()) else { return false };
    match asked.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let revision = meta.protocol_version();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && revision.is_some_and(|revision| ProtocolVersion::KNOWN_VERSIONS.contains(&revision))
        }
    }
}

/// Whether a message is a notification or the response to a request that nobody made: neither is answered, and before a
/// session begins the crate would end at it.
fn expects_nothing(message: &Value) -> bool {
    match (message.get("method"), message.get("id")) {
        (Some(_), id) => id.is_none(),
        (None, _) => message.get("result").or_else(|| message.get("error")).is_some(),
    }
}

/// Reads to the end of a line that is too long.
async fn skip_line(from: &mut BufReader<tokio::io::Stdin>) -> io::Result<()> {
    loop {
        let held = from.fill_buf().await?;
        let (length, end) = match held.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (held.len(), held.is_empty()),
        };
        from.consume(length);
        if end {
            return Ok(());
        }
    }
}

fn broken(why: &str) -> Vec<u8> {
    let message = format!("Parse error: {why}. Send one JSON-RPC message per line.");
    let error = json!({ "code": ErrorCode::PARSE_ERROR.0, "message": message });
    let mut line = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Passes on what the crate answers, line by line, until it is done.
async fn take_answers(answers: DuplexStream, lines: UnboundedSender<Vec<u8>>) {
    let mut answers = BufReader::new(answers);
    loop {
        let mut line = Vec::new();
        match answers.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if lines.send(with_id(line)).is_err() {
            return;
        }
    }
}

/// An error without an id gets null, as JSON-RPC 2.0 (§5) wants it.
fn with_id(line: Vec<u8>) -> Vec<u8> {
    if !line.starts_with(br#"{"jsonrpc":"2.0","error""#) {
        return line;
    }
    let Ok(Value::Object(mut message)) = serde_json::from_slice(&line) else { return line };
    message.entry("id").or_insert(Value::Null);
    let mut line = Value::Object(message).to_string().into_bytes();
    line.push(b'\n');
    line
}
