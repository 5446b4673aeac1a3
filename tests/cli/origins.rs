//! A credential that is kept with a profile goes to the origins of that profile and nowhere else: the real binary, real
//! servers on two ports, and every byte that they are sent.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::recorder;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use recorder::Recorder;
use tempfile::TempDir;

const KEY: &str = "marked-stored-key";
const GIVEN: &str = "marked-given-key";

/// A service that knows this key, as far as these tests ask it.
fn service() -> Recorder {
    Recorder::start(|asked| {
        let path = asked.split(' ').nth(1).unwrap_or_default();
        let body = match path.split('?').next().unwrap_or_default() {
            "/users/me" | "/users/me/" => r#"{"id":"u","email":"a@shop.example","appKey":"marked-app-key"}"#,
            path if path.starts_with("/projects") => r#"{"projects":[],"folders":[],"project":{"id":"p"}}"#,
            // No exchange: the key itself is the bearer.
            path if path.contains("auth") => {
                return (404, String::new(), "{}".to_owned());
            }
            _ => r#"{"total":7,"products":[],"videos":[],"id":"v"}"#,
        };
        (200, String::new(), body.to_owned())
    })
}

/// The arguments and the variables of a command.
type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)]);

struct Home(TempDir);

impl Home {
    /// A home with the profile `shop` at an address, and a credential of it.
    fn with(base: &str, credential: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        for folder in ["c/cutaway", "d/cutaway"] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        let config = format!("[profiles.shop]\nbase_url = \"{base}\"\napp_url = \"https://shop.example\"\n");
        fs::write(home.path().join("c/cutaway/config.toml"), config).unwrap();
        let home = Self(home);
        let file = home.credentials();
        fs::write(&file, format!("version = 1\n[profiles.shop]\n{credential}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        home
    }

    fn credentials(&self) -> std::path::PathBuf {
        let variables = [("HOME", ""), ("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")];
        let environment = variables.map(|(name, folder)| (name, self.path().join(folder).display().to_string()));
        let folders = cutaway::settings::Folders::find(&environment.into_iter().collect());
        let file = folders.credentials_file().unwrap();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        file
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutaway"));
        command.env_clear().stdin(Stdio::null()).current_dir(self.path()).env("HOME", self.path()).args(arguments);
        for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
            command.env(variable, self.path().join(folder));
        }
        command
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file that is taken for a video.
fn video(home: &Home) -> String {
    let file = home.path().join("welcome.mp4");
    fs::write(&file, b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom\0\0\0\x08mdat").unwrap();
    file.display().to_string()
}

#[test]
fn a_stored_key_is_refused_for_another_origin_and_never_sent() {
    let (own, other) = (service(), service());
    let home = Home::with(&own.base, &format!("api_key = \"{KEY}\""));
    let works = home.command(&["--profile", "shop", "products", "count"]).output().unwrap();
    assert_eq!(works.status.code(), Some(0), "{}", said(&works));
    assert!(own.seen().concat().contains(KEY), "the key is what the own service is asked with");

    let file = video(&home);
    let cases: [Case<'_>; 9] = [
        (&["--base-url", &other.base, "products", "count"], &[]),
        (&["--base-url", &other.base, "projects", "create", "Mine"], &[]),
        (&["products", "count"], &[("CUTAWAY_BASE_URL", &other.base)]),
        (&["--lb-base-url", &other.base, "products", "count"], &[]),
        (&["projects", "list"], &[("CUTAWAY_LB_BASE_URL", &other.base)]),
        (&["--upload-url", &other.base, "videos", "upload", &file], &[]),
        (&["videos", "upload", &file], &[("CUTAWAY_UPLOAD_URL", &other.base)]),
        (&["--auth-url", &other.base, "whoami"], &[]),
        (&["--upload-url", &other.base, "mcp"], &[]),
    ];
    let before = own.seen().len();
    for (arguments, variables) in cases {
        let mut command = home.command(&["--profile", "shop"]);
        let refused = command.args(arguments).envs(variables.iter().copied()).output().unwrap();
        let why = said(&refused);
        assert_eq!(refused.status.code(), Some(3), "{arguments:?} {variables:?}: {why}");
        assert!(why.contains("CUTAWAY_API_KEY") && !why.contains("marked"), "{why}");
        let way_on =
            if why.contains("--base-url") { "cutaway login --profile" } else { "cutaway profiles change shop" };
        assert!(why.contains(way_on), "{why}");
    }
    assert_eq!(other.seen(), [] as [String; 0], "nothing at all was sent there");
    assert_eq!(own.seen().len(), before, "and nothing was done at home by half");

    // Doctor says what is wrong, without sending the key either.
    let doctor = home.command(&["--profile", "shop", "--base-url", &other.base, "doctor"]).output().unwrap();
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("was not sent to"), "{}", said(&doctor));
    assert!(!other.seen().concat().contains("marked"), "{:?}", other.seen());
}

#[test]
fn an_address_that_is_written_otherwise_is_the_same_origin() {
    let own = service();
    let home = Home::with(&format!("http://localhost:{}", own.port()), &format!("api_key = \"{KEY}\""));
    let capitals = format!("http://LOCALHOST:{}/", own.port());
    let same = home.command(&["--profile", "shop", "--base-url", &capitals, "products", "count"]).output().unwrap();
    assert_eq!(same.status.code(), Some(0), "{}", said(&same));
    let otherwise =
        home.command(&["--profile", "shop", "--base-url", &own.base, "products", "count"]).output().unwrap();
    assert_eq!(otherwise.status.code(), Some(3), "127.0.0.1 is not localhost: {}", said(&otherwise));
}

#[test]
fn a_key_that_is_given_goes_where_one_says() {
    let (own, other) = (service(), service());
    let home = Home::with(&own.base, &format!("api_key = \"{KEY}\""));
    let mut command = home.command(&["--profile", "shop", "--base-url", &other.base, "products", "count"]);
    let given = command.env("CUTAWAY_API_KEY", GIVEN).output().unwrap();
    assert_eq!(given.status.code(), Some(0), "{}", said(&given));
    let seen = other.seen().concat();
    assert!(seen.contains(GIVEN) && !seen.contains(KEY), "{seen}");
}

#[test]
fn no_credential_crosses_a_redirect_to_another_origin() {
    for status in [301, 302, 303, 307, 308] {
        let other = service();
        let to = format!("location: {}/elsewhere?x=1\r\n", other.base);
        let own = Recorder::start(move |_| (status, to.clone(), String::new()));
        let home = Home::with(&own.base, &format!("api_key = \"{KEY}\""));
        let file = video(&home);
        for arguments in [&["products", "count"][..], &["projects", "create", "Mine"], &["videos", "upload", &file]] {
            for given in [None, Some(GIVEN)] {
                let mut command = home.command(&["--profile", "shop"]);
                let refused = command.args(arguments).envs(given.map(|key| ("CUTAWAY_API_KEY", key))).output().unwrap();
                let why = said(&refused);
                assert_eq!(refused.status.code(), Some(3), "{status} {arguments:?}: {why}");
                assert!(
                    why.contains("was not sent there") && why.contains(&other.base) && !why.contains("marked"),
                    "{why}"
                );
            }
        }
        assert_eq!(other.seen(), [] as [String; 0]);
    }
    // One that stays at the same origin is no sign of another place.
    let own = Recorder::start(|_| (302, "location: /v2/\r\n".to_owned(), String::new()));
    let home = Home::with(&own.base, &format!("api_key = \"{KEY}\""));
    let moved = home.command(&["--profile", "shop", "products", "count"]).output().unwrap();
    assert_eq!(moved.status.code(), Some(1), "{}", said(&moved));
}

#[test]
fn a_sign_in_is_renewed_at_its_own_server_only() {
    let (own, other) = (service(), service());
    // The server of the sign-in says that tokens are had at another port.
    let (to, issuer): (_, std::sync::Arc<std::sync::OnceLock<String>>) =
        (other.base.clone(), std::sync::Arc::default());
    let named = std::sync::Arc::clone(&issuer);
    let lying = Recorder::start(move |asked| {
        let body = if asked.contains(".well-known") {
            format!("{{\"issuer\":\"{}\",\"token_endpoint\":\"{to}/oauth/token\"}}", named.get().unwrap())
        } else {
            "{}".to_owned()
        };
        (200, String::new(), body)
    });
    issuer.set(lying.base.clone()).unwrap();
    let tokens = |issuer: &str| {
        format!(
            "access_token = \"marked-access\"\nrefresh_token = \"marked-refresh\"\nexpires_at = \"2020-01-01T00:00:00Z\"\nissuer = \"{issuer}\""
        )
    };
    let home = Home::with(&lying.base, &tokens(&lying.base));
    let refused = home.command(&["--profile", "shop", "products", "count"]).output().unwrap();
    assert_ne!(refused.status.code(), Some(0));
    assert!(said(&refused).contains("another host or port"), "{}", said(&refused));
    let home = Home::with(&own.base, &tokens(&own.base));
    for flag in ["--auth-url", "--base-url", "--lb-base-url"] {
        let refused = home.command(&["--profile", "shop", flag, &other.base, "products", "count"]).output().unwrap();
        assert_eq!(refused.status.code(), Some(3), "{flag} {}", said(&refused));
    }
    assert_eq!(other.seen(), [] as [String; 0]);
}

#[test]
fn the_studio_does_not_open_with_a_key_for_another_origin() {
    let (own, other) = (service(), service());
    let home = Home::with(&own.base, &format!("api_key = \"{KEY}\""));
    let pair = portable_pty::native_pty_system().openpty(portable_pty::PtySize::default()).unwrap();
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_cutaway"));
    command.env_clear();
    command.env("HOME", home.path());
    command.env("TERM", "xterm");
    for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
        command.env(variable, home.path().join(folder));
    }
    command.args(["--profile", "shop", "--base-url", &other.base]);
    let mut studio = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut said = String::new();
    // At its end the terminal reports an error in place of an end of file.
    let _ = std::io::Read::read_to_string(&mut pair.master.try_clone_reader().unwrap(), &mut said);
    assert_eq!(studio.wait().unwrap().exit_code(), 3, "{said}");
    assert!(said.contains("was not sent to") && !said.contains("marked"), "{said}");
    assert_eq!((other.seen(), own.seen()), (Vec::new(), Vec::new()));
}
