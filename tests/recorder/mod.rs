//! A server on a port of its own that keeps every byte of every request, for tests of what is sent where.

#![allow(dead_code, clippy::unwrap_used, clippy::missing_panics_doc)] // Helpers of tests are tests too.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// The server.
pub struct Recorder {
    /// Its address.
    pub base: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    /// Starts one. `answer` is given a request's first line and says status, further headers (each with its line's end)
    /// and body.
    pub fn start(answer: impl Fn(&str) -> (u16, String, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let (kept, answer) = (Arc::clone(&seen), Arc::new(answer));
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let mut socket = BufReader::new(socket);
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") && socket.read_until(b'\n', &mut head).is_ok_and(|read| read > 0)
                    {
                    }
                    let head = String::from_utf8_lossy(&head).into_owned();
                    if head.is_empty() {
                        return;
                    }
                    let small = head.to_ascii_lowercase();
                    let length = small.split_once("content-length: ").map_or(0, |(_, rest)| {
                        rest.split("\r\n").next().unwrap_or_default().parse().unwrap_or_default()
                    });
                    let mut body = vec![0; length];
                    let _ = socket.read_exact(&mut body);
                    kept.lock().unwrap().push(format!("{head}{}", String::from_utf8_lossy(&body)));
                    let (status, headers, body) = answer(head.lines().next().unwrap_or_default());
                    let answer = format!(
                        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
                        body.len()
                    );
                    let _ = socket.get_mut().write_all(answer.as_bytes());
                });
            }
        });
        Self { base, seen }
    }

    /// One that answers every request with this document.
    pub fn saying(body: &'static str) -> Self {
        Self::start(move |_| (200, String::new(), body.to_owned()))
    }

    /// Every request so far, whole.
    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// The port.
    pub fn port(&self) -> &str {
        self.base.rsplit(':').next().unwrap_or_default()
    }
}
