//! A receiver of webhooks, for tests: keeps what it got and answers as it is told.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::missing_panics_doc)]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use tokio::sync::Notify;

/// A message that arrived.
#[derive(Debug, Clone)]
pub struct Got {
    /// When.
    pub at: Instant,
    /// `webhook-id`.
    pub id: String,
    timestamp: String,
    signature: String,
    raw: Bytes,
    /// The body.
    pub body: Value,
}

impl Got {
    /// How often it is signed.
    pub fn signatures(&self) -> usize {
        self.signature.split(' ').count()
    }

    /// Fails where the signature is not that of this secret, as Standard Webhooks has it, or is old.
    pub fn verify(&self, secret: &str) {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{}.{}.", self.id, self.timestamp).as_bytes());
        mac.update(&self.raw);
        let signed = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        assert!(self.signature.split(' ').any(|one| one == signed), "{} lacks {signed}", self.signature);
        let signed: i64 = self.timestamp.parse().unwrap();
        assert!((jiff::Timestamp::now().as_second() - signed).abs() < 300);
    }
}

#[derive(Default)]
struct Kept {
    got: Mutex<Vec<Got>>,
    answers: Mutex<VecDeque<(u16, Option<&'static str>)>>,
    arrived: Notify,
}

/// A server on this machine.
pub struct Receiver {
    /// Its address.
    pub url: String,
    kept: Arc<Kept>,
}

impl Receiver {
    /// Starts it on a free port.
    pub async fn start() -> Self {
        let kept = Arc::<Kept>::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(take).with_state(Arc::clone(&kept));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, kept }
    }

    /// What it answers to the next messages: a status and a `Retry-After`. After that 200.
    pub fn answers<const N: usize>(&self, answers: [(u16, Option<&'static str>); N]) {
        self.kept.answers.lock().unwrap().extend(answers);
    }

    /// Answers 200 from now on.
    pub fn forgives(&self) {
        self.kept.answers.lock().unwrap().clear();
    }

    /// What arrived so far.
    pub fn seen(&self) -> Vec<Got> {
        self.kept.got.lock().unwrap().clone()
    }

    /// The nth message, counted from 1, once it is there.
    pub async fn wait_for(&self, nth: usize) -> Got {
        let arrived = async {
            loop {
                let arrived = self.kept.arrived.notified();
                // The others stay where they are: there may be many.
                if let Some(got) = self.kept.got.lock().unwrap().get(nth - 1).cloned() {
                    return got;
                }
                arrived.await;
            }
        };
        tokio::time::timeout(Duration::from_secs(90), arrived).await.expect("a message in time")
    }
}

async fn take(State(kept): State<Arc<Kept>>, headers: HeaderMap, raw: Bytes) -> Response {
    let header = |name: &str| headers.get(name).unwrap().to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/json");
    let got = Got {
        at: Instant::now(),
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        body: serde_json::from_slice(&raw).unwrap(),
        raw,
    };
    kept.got.lock().unwrap().push(got);
    kept.arrived.notify_waiters();
    let (status, retry_after) = kept.answers.lock().unwrap().pop_front().unwrap_or((200, None));
    let mut response = (StatusCode::from_u16(status).unwrap(), "taken").into_response();
    if let Some(wait) = retry_after {
        response.headers_mut().insert("retry-after", wait.parse().unwrap());
    }
    if status == 302 {
        response.headers_mut().insert("location", "/elsewhere".parse().unwrap());
    }
    response
}
