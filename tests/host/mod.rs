//! A host on this machine that says what a test wants it to say.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // Helpers of tests are tests too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// A host of pictures that answers each path with these bytes, as they are, and notes what it was asked.
pub struct Host {
    /// Its address.
    pub base: String,
    /// The heads of what it was asked.
    pub asked: Arc<Mutex<Vec<String>>>,
}

/// Starts one.
pub async fn host(answers: HashMap<&'static str, Vec<u8>>) -> Host {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let (answers, noted) = (Arc::new(answers), Arc::clone(&asked));
    tokio::spawn(async move {
        while let Ok((mut line, _)) = listener.accept().await {
            let (answers, noted) = (Arc::clone(&answers), Arc::clone(&noted));
            tokio::spawn(async move {
                let mut head = Vec::new();
                let mut buffer = [0; 4096];
                while !head.windows(4).any(|end| end == b"\r\n\r\n") {
                    match line.read(&mut buffer).await {
                        Ok(read) if read > 0 => head.extend_from_slice(&buffer[..read]),
                        _ => return,
                    }
                }
                let head = String::from_utf8_lossy(&head).into_owned();
                let path = head.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default().to_owned();
                noted.lock().unwrap().push(head);
                match answers.get(path.as_str()) {
                    Some(answer) => {
                        let _ = line.write_all(answer).await;
                        let _ = line.shutdown().await;
                    }
                    // Never: the line stays open and silent.
                    None => {
                        let _ = line.read(&mut buffer).await;
                    }
                }
            });
        }
    });
    Host { base, asked }
}

/// An answer of this status and type.
pub fn answer(status: &str, called: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {called}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}
