//! What programs that the studio starts are given: neither credentials nor characters that steer a terminal.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::service::Service;
use crate::steps::opened;
use crate::terminal::Start;

const SECRETS: [(&str, &str); 6] = [
    ("AWS_SECRET_ACCESS_KEY", "marked-aws"),
    ("GITHUB_TOKEN", "marked-github"),
    ("CUTAWAY_WEBHOOK_SECRET", "marked-webhook"),
    ("PGPASSWORD", "marked-postgres"),
    ("DATABASE_URL", "postgres://me:marked-database@host/shop"),
    ("HTTPS_PROXY", "http://me:marked-proxy@127.0.0.1:9"),
];

fn program(folder: &Path, name: &str, script: &str) -> String {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    crate::programs::script(&path, script);
    path.display().to_string()
}

fn with_secrets(start: Start) -> Start {
    SECRETS.iter().fold(start, |start, (name, value)| start.with(name, value))
}

/// Waits until a file is there whole, which it is once its name is.
fn written(path: &Path) -> String {
    let begun = Instant::now();
    loop {
        if let Ok(text) = fs::read_to_string(path) {
            return text;
        }
        assert!(begun.elapsed() < Duration::from_secs(90), "nobody wrote {}", path.display());
        std::thread::yield_now();
    }
}

#[test]
fn what_opens_addresses_gets_the_address_and_no_credential() {
    let service = Service::of(300);
    let start = with_secrets(service.studio());
    let folder = start.home().join("bin");
    let script = r#"{ echo "arguments: $#: $1"; env; } > "$HOME/said.part" && mv "$HOME/said.part" "$HOME/said""#;
    program(&folder, if cfg!(target_os = "macos") { "open" } else { "xdg-open" }, script);
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let mut studio = start.with("DISPLAY", ":0").with("PATH", &path).open();
    studio.shows("300 products").keys("o").shows("Opened.");
    let said = written(&studio.home().join("said"));
    assert!(said.starts_with("arguments: 1: http"), "{said}");
    assert!(said.contains("PATH="), "the rest is handed down: {said}");
    assert!(said.contains("HTTPS_PROXY=http://127.0.0.1:9"), "the proxy is, without its password: {said}");
    assert!(!said.contains("marked-") && !said.contains(service.api_key()), "{said}");
    studio.quit();
}

#[test]
fn the_editor_gets_the_text_and_no_credential() {
    let start = with_secrets(Start::new());
    let script = r#"{ env; cat "$1"; } > "$HOME/said.part" && mv "$HOME/said.part" "$HOME/said""#;
    let editor = program(&start.home().join("bin"), "editor", script);
    let mut studio = opened(start.with("EDITOR", &editor), "Gift finder");
    studio.shows("9 steps").keys("\r").shows("Internal note").keys("\x05");
    let said = written(&studio.home().join("said"));
    assert!(said.contains("PATH=") && !said.contains("marked-"), "{said}");
    studio.shows("Internal note").keys("\x1b").shows("9 steps");
    studio.quit();
}
