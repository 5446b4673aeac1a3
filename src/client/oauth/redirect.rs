//! The port of this machine to which the browser is sent back, RFC 8252 §7.3.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;
use url::Url;

use super::{CodeRequest, OAuthError, PastedCode};

/// A browser that says nothing for so long is left.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest head of a request taken, bytes.
const MOST_HEAD: usize = 16 * 1024;
/// Connections that are listened to at once; the oldest is left for a newer one.
const MOST_AT_ONCE: usize = 64;

const DONE: &str = "<!doctype html><meta charset=utf-8><title>Cutaway</title><style>body{font:1.1rem/1.5 sans-serif;margin:4rem auto;max-width:32rem;padding:0 1rem}</style><h1>Back to the terminal</h1><p>Cutaway has what it needs and continues on its own. You can close this page.</p>";

/// A port that waits for the browser.
pub struct Redirect {
    listener: TcpListener,
    /// The address to be sent back to.
    pub url: Url,
}

impl Redirect {
    /// Takes a free port of the loopback address.
    ///
    /// # Errors
    /// Where there is none.
    pub async fn listen() -> Result<Self, OAuthError> {
        let failed = |error: std::io::Error| OAuthError::Redirect(error.to_string());
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let url = Url::parse(&format!("http://127.0.0.1:{port}/signed-in"))
            .map_err(|error| OAuthError::Redirect(error.to_string()))?;
        Ok(Self { listener, url })
    }

    /// Waits for the browser's answer to this request. What else knocks at the port is sent away, and holds up nobody:
    /// browsers open connections ahead of time, and say nothing on some of them.
    pub async fn wait(&self, request: &CodeRequest) -> PastedCode {
        let mut connections = JoinSet::new();
        let mut oldest: VecDeque<AbortHandle> = VecDeque::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept() => {
                    let Ok((stream, _)) = accepted else {
                        tokio::time::sleep(Duration::from_millis(100)).await;
                        continue;
                    };
                    oldest.retain(|connection| !connection.is_finished());
                    if oldest.len() >= MOST_AT_ONCE && let Some(connection) = oldest.pop_front() {
                        connection.abort();
                    }
                    oldest.push_back(connections.spawn(timeout(PATIENCE, target(stream))));
                }
                Some(heard) = connections.join_next() => {
                    let Ok(Ok(Some((target, stream)))) = heard else { continue };
                    let address = self.url.join(&target).ok();
                    let is_answer =
                        |address: &Url| address.path() == self.url.path() && request.is_answered_by(address);
                    if let Some(address) = address.filter(is_answer) {

                            // The page is a courtesy: the code is here already.
                            let _ = timeout(Duration::from_secs(1), answer(stream, "200 OK", DONE)).await;
                            return PastedCode::Address(address);
                    }
                            let refusal = answer(stream, "404 Not Found", "");
                            connections.spawn(async { timeout(PATIENCE, refusal).await.map(|()| None) });
                }
            }
        }
    }
}

/// The target of the request on a connection.
async fn target(mut stream: TcpStream) -> Option<(String, TcpStream)> {
    let mut head = Vec::new();
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        let mut piece = [0; 2048];
        let read = stream.read(&mut piece).await.ok().filter(|read| *read > 0)?;
        head.extend_from_slice(piece.get(..read)?);
        if head.len() > MOST_HEAD {
            return None;
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let target = head.strip_prefix("GET ").and_then(|rest| rest.split(' ').next()).unwrap_or("/");
    Some((target.to_owned(), stream))
}

async fn answer(mut stream: TcpStream, status: &str, body: &str) {
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}
