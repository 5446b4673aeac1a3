//! Whole sessions with secrets that are known: afterwards everything that was written is searched for them. Searched are
//! the terminal's bytes, the configuration, the logs, the session, the archive of doctor, the HTTP archive and the copied
//! `curl` line; only the credential file, which is 0600, may hold them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::approval;
use crate::service::Service;
use crate::terminal::Start;

/// Every file below a folder, sockets being none, but the credentials and the folder of the local workspace, which has none of these secrets.
fn files(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.is_file() && path.file_name().is_none_or(|name| name != "credentials.toml") {
            found.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
}

#[test]
fn nothing_secret_is_written_anywhere() {
    let service = Service::of(300);
    let start = Start::new().size(160, 45).with("CUTAWAY_LOG", "trace");
    let home = start.home().to_owned();
    let again = start.again();
    // The home lasts as long as someone holds it.
    let _held = start.again();
    let mut studio = start.open();
    studio
        .shows("274 products")
        .keys("*")
        .shows("Recording. * stops and saves")
        .keys("5")
        .shows("1 profile")
        .keys("n")
        .shows("New profile");
    studio.keys("shop\t").keys(service.base_url()).keys("\r").shows("Sign in to shop");
    // A key that is wrong, one that is right, and then the way by browser.
    studio.keys("1").shows("Type or paste your API key").keys("marked-wrong-key\r").shows("401");
    studio.keys(service.api_key()).keys("\r").until("the profile", |rows| rows[0].contains("shop"));
    studio.keys("5").shows("in use").keys("\x18").shows("Sign out?").keys("2").shows("Signed out");
    studio.keys("s").shows("Sign in to shop").keys("3").shows("its last page can't load");
    let address = studio.copied("oauth/authorize");
    let back = approval::decide_code(&address, service.api_key(), "approve");
    studio
        .keys(&format!("\x1b[200~{back}\x1b[201~"))
        .shows("state=")
        .keys("\r")
        .hides("Sign in to")
        .shows("OAuth sign-in");
    let kept = fs::read_to_string(home.join("data/cutaway/credentials.toml")).unwrap();
    let kept: toml::Table = kept.parse().unwrap();
    let token = |name: &str| kept["profiles"]["shop"][name].as_str().unwrap().to_owned();
    let me: Value = serde_json::from_str(&studio.beside(&["whoami", "--json"])).unwrap();
    let secrets = [
        service.api_key().to_owned(),
        "marked-wrong-key".to_owned(),
        token("access_token"),
        token("refresh_token"),
        me["appKey"].as_str().unwrap().to_owned(),
    ];
    // Everything is looked at: the wire, an exchange with a key in it, what is saved of it.
    studio.keys("4").shows("0 webhooks").keys("n").keys("\t").keys("https://a.example/hook\r").shows("1 webhook");
    studio.keys("6").shows("/webhooks").keys("/users\r").keys("\r");
    studio.shows("appKey: \"[taken out]\"").keys("\x1b").keys("\x1b");
    studio.keys("y").shows("curl").keys("\r").copied("curl -sS");
    studio.keys("e").keys("\r").shows("Saved to");
    studio.keys("\x13").keys("\r").shows("will contain, without secrets").keys("2").shows("cutaway-support.tar.");
    studio.keys("*").shows("Save the script to file").keys("\r").shows("Saved the script to");
    let raw = studio.quit().raw;
    let mut doctor = again.arguments(&["doctor", "--bundle", "support.tar", "--yes"]).open();
    doctor.shows("Press Ctrl-Left").keys("\x1b");
    let mut written = vec![("the terminal".to_owned(), raw), ("doctor".to_owned(), doctor.ended().raw)];
    files(&home, &mut written);
    let names: Vec<&str> = written.iter().map(|(name, _)| name.as_str()).collect();
    for part in [
        "/support.tar",
        "cutaway-support.tar",
        "cutaway.har",
        ".log",
        "config.toml",
        "session.toml",
        "cutaway-script.sh",
    ] {
        assert!(names.iter().any(|name| name.contains(part)), "{part} in {names:#?}");
    }
    for (name, bytes) in &written {
        for (nth, secret) in secrets.iter().enumerate() {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "secret {nth} is in {name}");
        }
    }
}
