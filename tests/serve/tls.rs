//! `cutaway serve` that speaks TLS itself, and says what is wrong with its files.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use crate::serving;

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serving::{Served, cutaway, text};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
}

/// What the service answers whoever trusts this certificate only.
fn health(base: &str, trusted: &Path) -> Option<u16> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let trusted = reqwest::Certificate::from_pem(&fs::read(trusted).unwrap()).unwrap();
        let http = reqwest::Client::builder().tls_certs_only([trusted]).no_proxy().build().unwrap();
        Some(http.get(format!("{base}/healthz")).send().await.ok()?.status().as_u16())
    })
}

#[test]
fn it_speaks_tls_and_takes_a_new_certificate_while_it_runs() {
    let files = tempfile::tempdir().unwrap();
    let (cert, key) = (files.path().join("cert.pem"), files.path().join("key.pem"));
    fs::copy(file("localhost.pem"), &cert).unwrap();
    fs::copy(file("localhost.key"), &key).unwrap();
    let served = Served::with(&["--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()]);
    let base = served.base();
    assert!(base.starts_with("https://127.0.0.1:"), "{base}");
    assert_eq!(health(base, &file("authority.pem")), Some(200));
    assert_eq!(health(base, &file("other.pem")), None);
    // The command line asks it like any other service.
    let known = served.command(&["whoami"]).env("SSL_CERT_FILE", file("authority.pem")).output().unwrap();
    assert!(known.status.success(), "{}", text(&known.stderr));

    // Without TLS nothing is answered.
    let mut plain = std::net::TcpStream::connect(base.strip_prefix("https://").unwrap()).unwrap();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP/1.1"), "{answer:?}");

    // A broken pair changes nothing, a whole one is taken.
    fs::write(&cert, "broken").unwrap();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(3) {
        assert_eq!(health(base, &file("authority.pem")), Some(200));
    }
    fs::copy(file("other.key"), &key).unwrap();
    fs::copy(file("other.pem"), &cert).unwrap();
    let begun = Instant::now();
    while health(base, &file("other.pem")) != Some(200) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the new certificate is not shown");
    }
    assert_eq!(health(base, &file("authority.pem")), None);
}

#[test]
fn files_that_cannot_be_used_are_one_clear_line() {
    let home = tempfile::tempdir().unwrap();
    let empty = home.path().join("empty.pem");
    fs::write(&empty, "").unwrap();
    let run = |cert: &Path, key: Option<&Path>| {
        let mut command = cutaway(home.path());
        command.args(["serve", "--listen", "127.0.0.1:0", "--tls-cert"]).arg(cert);
        if let Some(key) = key {
            command.arg("--tls-key").arg(key);
        }
        let done = command.output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{}", text(&done.stderr));
        text(&done.stderr).to_owned()
    };
    let (cert, key) = (file("localhost.pem"), file("localhost.key"));
    for (cert, key, says) in [
        (home.path().join("missing.pem"), key.clone(), "missing.pem: "),
        (empty.clone(), key.clone(), "empty.pem: has no certificate in it"),
        (cert.clone(), empty, "empty.pem: has no private key in it"),
        (cert.clone(), file("other.key"), "can't be used together"),
        (home.path().to_owned(), key, "is not a certificate or key file"),
    ] {
        let said = run(&cert, Some(&key));
        assert!(said.contains(says) && said.lines().count() == 1, "{said}");
    }
    assert!(run(&cert, None).contains("--tls-key"));
}
