//! As much of WebSocket (RFC 6455) as it takes to drive a browser: JSON in text frames.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// Browsers and tests talk on one machine: nobody in between has to be kept from seeing what is sent.
const MASK: [u8; 4] = [1, 2, 3, 4];

/// A connection to a browser.
pub struct Socket(BufReader<TcpStream>);

impl Socket {
    /// Opens this path of a browser at this address.
    pub async fn open(address: &str, path: &str) -> Self {
        let mut stream = BufReader::new(TcpStream::connect(address).await.unwrap());
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: 13\r\n\r\n",
            STANDARD.encode([7; 16])
        );
        stream.get_mut().write_all(head.as_bytes()).await.unwrap();
        let mut line = String::new();
        while stream.read_line(&mut line).await.unwrap() > 2 {
            line.clear();
        }
        Self(stream)
    }

    /// Sends a message.
    pub async fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let length = text.len();
        // Final, text, masked: Firefox takes no mask of nothing.
        let mut frame = vec![0x81];
        match u16::try_from(length) {
            Ok(short) if short < 126 => frame.push(0x80 | u8::try_from(short).unwrap()),
            Ok(middle) => {
                frame.push(0xfe);
                frame.extend(middle.to_be_bytes());
            }
            Err(_) => {
                frame.push(0xff);
                frame.extend(u64::try_from(length).unwrap().to_be_bytes());
            }
        }
        frame.extend(MASK);
        frame.extend(text.bytes().zip(MASK.into_iter().cycle()).map(|(byte, mask)| byte ^ mask));
        self.0.get_mut().write_all(&frame).await.unwrap();
    }

    /// The next message.
    pub async fn receive(&mut self) -> Value {
        let mut message = Vec::new();
        loop {
            let [first, second] = self.0.read_u16().await.unwrap().to_be_bytes();
            let length = match second & 0x7f {
                126 => u64::from(self.0.read_u16().await.unwrap()),
                127 => self.0.read_u64().await.unwrap(),
                short => u64::from(short),
            };
            let mut piece = vec![0; usize::try_from(length).unwrap()];
            self.0.read_exact(&mut piece).await.unwrap();
            // Control frames carry nothing of a message.
            if first & 0x08 == 0 {
                message.extend(piece);
                if first & 0x80 != 0 {
                    return serde_json::from_slice(&message).unwrap();
                }
            }
        }
    }
}
