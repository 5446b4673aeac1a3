//! Services that answer nonsense, half answers, none, or worse.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::output::strangers;
use crate::service::on;
use crate::terminal::{Start, Studio};

const STORE: &str = "https://hostile.example";

/// How searches are answered.
#[derive(Clone)]
enum Manner {
    /// With a body of JSON.
    Json(Value),
    /// With these bytes, and the end of the connection.
    Raw(&'static str),
    /// Not at all.
    Never,
}

/// A service that answers searches in the manner of the moment.
struct Hostile {
    base_url: String,
    manner: Arc<Mutex<Manner>>,
}

impl Hostile {
    fn new(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let manner = Arc::new(Mutex::new(manner));
        let now = Arc::clone(&manner);
        // Ends with the test's process.
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let now = Arc::clone(&now);
                std::thread::spawn(move || connection.and_then(|connection| answer(connection, &now)));
            }
        });
        Self { base_url, manner }
    }

    fn studio(&self) -> Start {
        on(&self.base_url, STORE)
    }

    fn becomes(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }
}

/// Reads a request and answers it.
fn answer(connection: TcpStream, manner: &Mutex<Manner>) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink())?;
    let path = first.split(' ').nth(1).unwrap_or_default();
    let manner = match path {
        "/products-service/searchProductsCursor" => manner.lock().unwrap().clone(),
        "/products-service/getProductsCount" => Manner::Json(json!({"total": 1})),
        "/products-service/getProduct" => Manner::Json(json!({"product": product()})),
        _ => Manner::Raw("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
    };
    let connection = reader.get_mut();
    match manner {
        Manner::Json(body) => {
            let body = body.to_string();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
            write!(connection, "{head}content-length: {}\r\n\r\n{body}", body.len())
        }
        Manner::Raw(bytes) => connection.write_all(bytes.as_bytes()),
        // Until the client goes away.
        Manner::Never => std::io::copy(&mut reader, &mut std::io::sink()).map(drop),
    }
}

/// What a terminal would obey, if it got through: a title, an answer-back, a clearing, a reversal, a clipboard.
const EVIL: &str = "\u{1b}]0;PWNED\u{7}\u{1b}[6n\u{9b}2J\u{202e}\u{1b}]52;c;UFdORUQ=\u{7}\u{0}\u{8}\u{8}\u{1b}c";

fn product() -> Value {
    let evil = |words: &str| format!("{words}{EVIL}");
    json!({
        "id": 1, "externalProductId": evil("p1"), "appUrl": STORE, "title": evil("Harmless title"),
        "handle": evil("handle"), "vendor": evil("vendor"), "productType": evil("type"), "status": evil("active"),
        "description": evil("words"),
        "descriptionHtml": format!("<p>{EVIL}Some words&#27;]0;PWNED&#7;</p><script>&#x1b;c</script><b><i>unclosed"),
        "tags": [evil("tag"), EVIL], "createdAt": evil("2026"), "updatedAt": evil("2026"),
        "publishedAt": evil("never"), "url": evil("https://hostile.example/p1"), "currency": evil("NOK"),
        "options": [{"name": evil("Size"), "values": [evil("36")]}],
        "variants": [{"externalVariantId": evil("v1"), "title": evil("36"), "sku": evil("sku"), "price": evil("1")}],
        "media": [{"id": evil("m1"), "type": evil("IMAGE"), "url": evil("https://hostile.example/m1"), "alt": EVIL}],
        "metafields": {"product": [{"namespace": evil("n"), "key": evil("k"), "value": {evil("deep"): [EVIL]}}]},
        EVIL: EVIL,
    })
}

fn page() -> Manner {
    Manner::Json(json!({"products": [product()], "nextCursor": null, "hasMore": false}))
}

fn opened(service: &Hostile) -> Studio {
    let mut studio = service.studio().open();
    studio.shows("Harmless title");
    studio
}

#[test]
fn nothing_that_a_service_says_is_obeyed() {
    let service = Hostile::new(page());
    let mut studio = opened(&service);
    studio.keys("\r").shows("Overview").shows("Some words");
    // Every tab, its JSON in the end, then everything that can be copied, the address, and the notices.
    for _ in 0..7 {
        let from = studio.written();
        studio.keys("]").writes(from, b"\x1b[?2026l");
    }
    studio.shows("Some words").keys("o").keys("\x1b").keys("!").shows("Notices").keys("\x1b").hides("Notices");
    studio
        .keys("f")
        .shows("Filters")
        .keys("\x1b[B\x1b[B\r")
        .shows("tag·")
        .keys("\x1b")
        .hides("tag·")
        .keys("\x1b")
        .hides("Filters");
    let ended = studio.quit();
    assert_eq!(strangers(&ended.raw), [""; 0]);
}

#[test]
fn nonsense_is_said_and_what_was_read_stays() {
    let service = Hostile::new(page());
    let mut studio = opened(&service);
    let manners = [
        (
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>Log in</html>",
            "couldn't read the response",
        ),
        ("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n", "couldn't read the response"),
        ("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n\x1b]0;PWNED\x07[[[[", "couldn't read the response"),
        ("HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n", "refused the credential"),
        ("HTTP/1.1 500 Sorry\r\nconnection: close\r\n\r\n\x1b]0;PWNED\x07", "500"),
        ("HTTP/1.1 200 \x1b[31m\r\nconnection: close\r\n\r\n{}", "broke"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 5000\r\nconnection: close\r\n\r\n{\"products\": [", "cut off"),
        ("\x1b]0;PWNED\x07", "broke"),
        ("", "broke"),
    ];
    for (bytes, said) in manners {
        service.becomes(Manner::Raw(bytes));
        studio.keys("r").shows(said).shows("Harmless title");
        if said == "refused the credential" {
            studio.keys("\x1b").hides("Sign in to");
        }
        service.becomes(page());
        studio.keys("r").hides(said).shows("Harmless title").shows("1 product");
    }
    let ended = studio.quit();
    assert_eq!(strangers(&ended.raw), [""; 0]);
}

#[test]
fn a_service_that_never_answers_holds_nothing_up() {
    let service = Hostile::new(page());
    let mut studio = opened(&service);
    service.becomes(Manner::Never);
    studio.keys("/sock").shows("searching").shows("Harmless title");
    studio.keys("\x1b").keys("?").shows("Help").keys("\x1b").hides("Help");
    studio.quit();
}
