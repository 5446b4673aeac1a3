//! Secrets at every place where a person might put one, and a search for them in every byte of what may be handed on:
//! the archive for support and its members, what `doctor` prints, logs.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.
#![allow(clippy::string_slice, clippy::unnecessary_literal_unwrap)] // What panics on purpose.

mod recorder;

use std::cell::RefCell;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use recorder::Recorder;
use tempfile::TempDir;

/// Makes secrets, and knows them all and where each was planted.
#[derive(Default)]
struct Marks(RefCell<Vec<(String, &'static str)>>);

impl Marks {
    fn mark(&self, place: &'static str) -> String {
        let mut all = self.0.borrow_mut();
        let secret = format!("mArked{:02}q7Zw3{:02}", all.len(), all.len() * 7 % 100);
        all.push((secret.clone(), place));
        secret
    }

    /// Which of them are in these bytes, as they are or in one of the usual encodings.
    fn in_bytes(&self, name: &str, bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        for (secret, place) in self.0.borrow().iter() {
            for (encoding, encoded) in encodings(secret) {
                if memchr::memmem::find(bytes, encoded.as_bytes()).is_some() {
                    let excerpt = excerpt(bytes, &encoded);
                    found.push(format!("the secret of {place} is in {name}, {encoding}: {excerpt}"));
                }
            }
        }
        found
    }

    /// Fails where any of them is in these bytes.
    fn are_not_in(&self, name: &str, bytes: &[u8]) {
        let found = self.in_bytes(name, bytes);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

/// A secret in each way that programs write bytes. Base64 writes three bytes in four signs, so it depends on what stands
/// before: what is left of each of the three is what depends on nothing else.
fn encodings(secret: &str) -> Vec<(&'static str, String)> {
    let each = |write: fn(u8) -> String| secret.bytes().map(write).collect::<String>();
    let mut all = vec![
        ("as it is", secret.to_owned()),
        ("backwards", secret.chars().rev().collect()),
        ("in hexadecimal digits", each(|byte| format!("{byte:02x}"))),
        ("in hexadecimal capitals", each(|byte| format!("{byte:02X}"))),
        ("percent-encoded", each(|byte| format!("%{byte:02x}"))),
        ("percent-encoded in capitals", each(|byte| format!("%{byte:02X}"))),
        ("escaped as JSON", each(|byte| format!("\\u{byte:04x}"))),
        ("escaped as JSON in capitals", each(|byte| format!("\\u{byte:04X}"))),
        ("escaped as Rust", each(|byte| format!("\\x{byte:02x}"))),
        ("as a list of numbers", secret.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",")),
        (
            "as a list of numbers with blanks",
            secret.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(", "),
        ),
    ];
    for before in 0..3 {
        let whole = STANDARD_NO_PAD.encode([vec![0; before], secret.as_bytes().to_vec()].concat());
        let (from, to) = ((before * 8).div_ceil(6), (before + secret.len()) * 8 / 6);
        let own = whole.get(from..to).unwrap();
        all.push(("in base64", own.to_owned()));
        all.push(("in base64 for addresses", own.replace('+', "-").replace('/', "_")));
    }
    all
}

#[test]
fn every_encoding_is_looked_for() {
    let marks = Marks::default();
    let secret = marks.mark("a test");
    for text in
        [format!("Basic {}", STANDARD_NO_PAD.encode(format!("me:{secret}@x"))), format!("{:?}", secret.as_bytes())]
    {
        assert!(!marks.in_bytes("it", text.as_bytes()).is_empty(), "{text}");
    }
    for (encoding, encoded) in encodings(&secret) {
        assert!(!marks.in_bytes("it", format!("<{encoded}>").as_bytes()).is_empty(), "{encoding}");
    }
    marks.are_not_in("nothing of it", b"mArked is no secret");
}

fn excerpt(bytes: &[u8], secret: &str) -> String {
    let at = bytes.windows(secret.len()).position(|window| window == secret.as_bytes()).unwrap_or_default();
    String::from_utf8_lossy(&bytes[at.saturating_sub(120)..(at + 120).min(bytes.len())]).into_owned()
}

struct Home {
    folder: TempDir,
    service: Recorder,
    variables: Vec<(&'static str, String)>,
}

impl Home {
    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.program(Path::new(env!("CARGO_BIN_EXE_cutaway")), arguments)
    }

    fn program(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.env_clear().stdin(Stdio::null()).current_dir(self.folder.path()).env("HOME", self.folder.path());
        for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
            command.env(variable, self.folder.path().join(folder));
        }
        command.env("CUTAWAY_LOG", "trace").envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.args(arguments);
        command
    }
}

/// A service whose headers and answers are full of them.
fn talkative(marks: &Marks) -> Recorder {
    let headers = format!(
        "set-cookie: sid={}; HttpOnly\r\nx-session-token: {}\r\nx-debug: api_key={}\r\nx-link: https://me:{}@x.example/?token={}\r\n",
        marks.mark("a cookie"),
        marks.mark("a header that is called a token"),
        marks.mark("a header of another name"),
        marks.mark("the password of an address in a header"),
        marks.mark("the query of an address in a header"),
    );
    let token = format!(r#"{{"accessToken":"{}","expiresIn":3600}}"#, marks.mark("an exchanged token"));
    let me = format!(
        r#"{{"id":"u","email":"a@x.example","appKey":"{}","api_key":"{}","nested":{{"pass_phrase":"{}","password":"{}"}}}}"#,
        marks.mark("the workspace key"),
        marks.mark("a member called api_key"),
        marks.mark("a member called pass_phrase"),
        marks.mark("a member called password"),
    );
    let webhooks = format!(
        r#"[{{"id":"w","event":"conversion","url":"https://me:{}@x.example/hook?q=1&access_token={}","createdAt":7}}]"#,
        marks.mark("the password of a webhook's address"),
        marks.mark("the query of a webhook's address"),
    );
    Recorder::start(move |asked| {
        let path = asked.split(' ').nth(1).unwrap_or_default();
        let body = match path {
            path if path.contains("authenticate") => token.clone(),
            path if path.contains("/users") => me.clone(),
            path if path.contains("/webhooks") => webhooks.clone(),
            _ => return (404, headers.clone(), "{}".to_owned()),
        };
        (200, headers.clone(), body)
    })
}

fn planted(marks: &Marks) -> Home {
    let service = talkative(marks);
    let variables = vec![
        ("CUTAWAY_WEBHOOK_SECRET", marks.mark("CUTAWAY_WEBHOOK_SECRET")),
        ("STRIPE_SECRET_KEY", marks.mark("another program's variable")),
        ("DEPLOY_KEY", marks.mark("a variable called a key")),
        ("https_proxy", format!("http://me:{}@127.0.0.1:9", marks.mark("the password of a proxy"))),
        ("HTTPS_PROXY", format!("http://{}@127.0.0.1:9", marks.mark("the user of a proxy"))),
        ("ALL_PROXY", format!("socks5://me:{}@127.0.0.1:9", marks.mark("the password of a proxy for all"))),
        ("NO_PROXY", format!("127.0.0.1,{}.example", marks.mark("a host without a proxy"))),
    ];
    let home = Home { folder: tempfile::tempdir().unwrap(), service, variables };
    let m = |place| marks.mark(place);
    home.write(
        "c/cutaway/config.toml",
        &format!(
            "# the key is {}\nversion = 1\ndefault_profile = \"shop\"\napi_key = \"{}\"\naccess_token = \"{}\"\n\
             theme = \"{}\"\npictures = \"{}\"\nmystery = [\"{}\", {{ deep = \"{}\" }}]\n\
             [profiles.shop] # and {}\nbase_url = \"{}\"\napi_key = \"{}\"\npassword = \"{}\"\ntheme = \"{}\"\ncolour = \"{}\"\n\
             app_url = \"https://me:{}@shop.example/?access_token={}\"\n\
             stores = [{{ url = \"https://two.example/?api_key={}\", name = \"{}\", note = \"{}\" }}]\n\
             [profiles.\"{}\"]\nbase_url = \"{}\"\nauth_url = \"https://me:{}@id.example\"\nupload_url = \"https://up.example/{}\"\n\
             lb_base_url = \"https://lb.example/?token={}\"\n[other]\nthing = \"{}\"\n",
            m("a comment"),
            m("an api_key in the configuration"),
            m("an access_token in the configuration"),
            m("the theme"),
            m("how pictures are shown"),
            m("an unknown list"),
            m("an unknown table"),
            m("a comment behind a line"),
            home.service.base,
            m("an api_key of a profile"),
            m("a password of a profile"),
            m("the theme of a profile"),
            m("the colour of a profile"),
            m("the password of the store"),
            m("the query of the store"),
            m("the query of a store of a list"),
            m("the name of a store"),
            m("an unknown member of a store"),
            m("the name of a profile"),
            m("the address of a profile"),
            m("the password of an address"),
            m("the path of an address"),
            m("the query of an address"),
            m("an unknown section"),
        ),
    );
    home.write(
        "c/cutaway/keymap.toml",
        &format!(
            "# {}\n[global]\nf10 = \"run curl -u me:{} https://x.example\"\nf11 = \"{}\"\n\"{}\" = \"app.quit\"\n",
            m("a comment of the keymap"),
            m("a command line of the keymap"),
            m("a command of the keymap"),
            m("a key of the keymap"),
        ),
    );
    home.write(
        "d/cutaway/credentials.toml",
        &format!(
            "version = 1\n[profiles.shop]\napi_key = \"{}\"\n[profiles.old]\naccess_token = \"{}\"\nrefresh_token = \"{}\"\n",
            m("the key that is used"),
            m("another profile's token"),
            m("another profile's refresh token"),
        ),
    );
    home.write(
        "s/cutaway/cutaway.2020-01-01.log",
        &format!(
            "INFO api_key=\"{}\"\nDEBUG > Authorization: Bearer {}\nGET https://me:{}@h.example/?token={}\n\
             WARN body \"{{\\\"access_token\\\":\\\"{}\\\"}}\"\nran: login --password {}\nkept sk_live_{}\n",
            m("a log"),
            m("a header in a log"),
            m("the password of an address in a log"),
            m("the query of an address in a log"),
            m("a body in a log"),
            m("a flag in a log"),
            m("a key in a log"),
        ),
    );
    home.write("s/cutaway/drafts/p.jsonl", &format!("{{\"description\":\"{}\"}}\n", m("a draft")));
    elsewhere(&home, &m);
    home
}

/// What is kept beside settings and logs.
fn elsewhere(home: &Home, m: &dyn Fn(&'static str) -> String) {
    home.write(
        "c/cutaway/themes/mine.toml",
        &format!(
            "# {}\nname = \"mine\"\n\"{}\" = \"x\"\n[colors]\ntext = \"{}\"\n",
            m("a comment of a theme"),
            m("a name in a theme"),
            m("a color")
        ),
    );
    for file in ["s/cutaway/products.json", "s/cutaway/products-0123456789abcdef.json"] {
        let search = format!(r#"{{"searchTerm":"{}"}}"#, m("what was searched for"));
        let saved = format!(r#"{{"name":"{}","search":{search}}}"#, m("the name of a saved search"));
        let store = format!("https://me:{}@two.example/", m("the password of a store that was searched"));
        home.write(
            file,
            &format!(r#"{{"version":1,"stores":{{"{store}":{{"saved":[{saved}],"recent":[{search}]}}}}}}"#),
        );
    }
    let queued = format!(
        r#"{{"queued":{{"id":1,"path":"/films/{}.mp4","name":"{}","url":"https://me:{}@up.example/?token={}"}}}}"#,
        m("the path of a queued film"),
        m("the name of a queued film"),
        m("the password of an upload's address"),
        m("the query of an upload's address"),
    );
    for folder in ["local", "0123456789abcdef"] {
        home.write(&format!("s/cutaway/uploads/{folder}/journal"), &format!("{queued}\n"));
    }
    home.write(
        "p.toml",
        &format!("# {}\nname = \"{}\"\n", m("a comment of a project file"), m("the name of a project")),
    );
    home.write("s/cutaway/session.json", &format!(r#"{{"last":"{}"}}"#, m("a session")));
}

/// Every file below a folder.
fn files(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
}

/// What a person says by the environment; one variable at a time, so that each is reached.
fn by_the_environment(marks: &Marks, home: &Home) {
    let mut found = Vec::new();
    let base =
        home.service.base.replace("http://", &format!("http://me:{}@", marks.mark("the password of CUTAWAY_BASE_URL")));
    let key = marks.mark("CUTAWAY_API_KEY");
    for (variable, value) in [
        ("CUTAWAY_API_KEY", key.clone()),
        ("CUTAWAY_BASE_URL", base),
        ("CUTAWAY_APP_URL", format!("https://me:{}@shop.example", marks.mark("the password of CUTAWAY_APP_URL"))),
        ("CUTAWAY_UPLOAD_URL", format!("https://up.example/?token={}", marks.mark("the query of CUTAWAY_UPLOAD_URL"))),
        ("CUTAWAY_AUTH_URL", format!("https://{}@id.example", marks.mark("the user of CUTAWAY_AUTH_URL"))),
        ("CUTAWAY_PROFILE", marks.mark("CUTAWAY_PROFILE")),
        ("CUTAWAY_THEME", marks.mark("CUTAWAY_THEME")),
    ] {
        let asks_for_it = variable == "CUTAWAY_PROFILE";
        for arguments in [
            &["--verbose", "whoami"][..],
            &["products", "count", "--json"],
            &["doctor"],
            &["doctor", "--bundle", "env.tar", "--yes"],
        ] {
            let mut given = home.command(arguments);
            if variable == "CUTAWAY_API_KEY" {
                given.env("CUTAWAY_BASE_URL", &home.service.base);
            } else {
                given.env("CUTAWAY_API_KEY", &key);
            }
            let output = given.env(variable, &value).output().unwrap();
            // A profile that is not there is named: it is what the person typed.
            if !asks_for_it {
                found.extend(marks.in_bytes(&format!("what {arguments:?} prints with {variable}"), &output.stdout));
                found.extend(marks.in_bytes(&format!("what {arguments:?} says with {variable}"), &output.stderr));
            }
            let archive = home.folder.path().join("env.tar");
            if let Ok(bytes) = fs::read(&archive) {
                found.extend(marks.in_bytes(&format!("the archive with {variable}"), &bytes));
                fs::remove_file(archive).unwrap();
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What panics of [`program`] are about.
const QUOTED: &str = "CUTAWAY_TEST_QUOTED";

/// A key in an error that nobody thought of.
#[derive(Debug)]
#[allow(dead_code)] // It is read by `Debug`.
struct Key(String);

/// Panics in each way that a message quotes what it is about; how many ways.
fn panic_about(secret: &str) -> usize {
    let panics: [fn(String); 6] = [
        |secret| Err::<(), _>(Key(secret)).unwrap(),
        |secret| panic!("expected b'x', found b\"{secret}\""),
        |secret| panic!("no key starts with '{secret}'"),
        |secret| panic!("what was read: {:02x?}", secret.as_bytes()),
        |secret| drop(String::from_utf8([secret.as_bytes(), b"\xff"].concat()).unwrap()),
        |secret| {
            let text = format!("ä{secret}");
            let inside = text.as_str();
            drop(inside[1..].to_owned());
        },
    ];
    for panics in panics {
        let secret = secret.to_owned();
        assert!(std::thread::spawn(move || panics(secret)).join().is_err());
    }
    panics.len()
}

/// The binary has nothing in it that panics when asked to. So this very test program runs the library's service, with
/// panics beside it.
#[test]
#[ignore = "not a test: the program that the test below runs"]
fn program() {
    let Ok(secret) = std::env::var(QUOTED) else { return };
    cutaway::terminal::panics::guard_terminal();
    std::thread::spawn(move || {
        let state = Path::new(&std::env::var("XDG_STATE_HOME").unwrap()).join("cutaway");
        let logs = || {
            let mut found = Vec::new();
            files(&state, &mut found);
            found
        };
        // Once it serves, there is a line in its log.
        while !logs().iter().any(|(_, text)| memchr::memmem::find(text, b"swept").is_some()) {
            std::thread::yield_now();
        }
        panic_about(&secret);
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM).unwrap();
    });
    let served = std::env::var("XDG_DATA_HOME").unwrap() + "/served";
    let serve = ["cutaway", "serve", "--listen", "127.0.0.1:0", "--data", served.as_str()];
    assert_eq!(cutaway::cli::main(serve.map(Into::into)), std::process::ExitCode::SUCCESS);
}

/// What went wrong is told by every panic, and nothing of what it was about.
fn by_panics(marks: &Marks, home: &Home) {
    let this = ["--exact", "program", "--ignored", "--nocapture"];
    let mut command = home.program(&std::env::current_exe().unwrap(), &this);
    let output = command.env(QUOTED, marks.mark("a panic")).env("RUST_BACKTRACE", "0").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.matches("internal error in thread").count() == 6, "{said}");
    assert!(said.contains("Key(") && said.contains("what was read") && said.contains("b'…'"), "{said}");
    marks.are_not_in("what a panic prints", &output.stdout);
    marks.are_not_in("what a panic says", &output.stderr);
    let mut written = Vec::new();
    files(&home.folder.path().join("s"), &mut written);
    assert!(written.iter().any(|(_, text)| memchr::memmem::find(text, b"what was read").is_some()), "it is in the log");
}

#[test]
fn no_secret_that_a_person_put_anywhere_is_handed_on() {
    let marks = Marks::default();
    let home = planted(&marks);
    // First of all, so that it is in the logs of the archives.
    by_panics(&marks, &home);
    for arguments in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["doctor", "--bundle", "plain.tar", "--yes"],
        &["doctor", "--bundle", "masked.tar", "--mask", "--yes"],
        &["--verbose", "products", "count"],
        &["--verbose", "--profile", "no-such", "whoami"],
        &["completions", "bash"],
    ] {
        let output = home.run(arguments);
        assert!(!output.stdout.is_empty() || !output.stderr.is_empty(), "{arguments:?}");
        marks.are_not_in(&format!("what {arguments:?} prints"), &output.stdout);
        marks.are_not_in(&format!("what {arguments:?} says"), &output.stderr);
    }
    for file in ["plain.tar", "masked.tar"] {
        let bytes = fs::read(home.folder.path().join(file)).unwrap();
        marks.are_not_in(file, &bytes);
        let mut archive = tar::Archive::new(&*bytes);
        let mut names = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let name = entry.path().unwrap().display().to_string();
            let mut text = Vec::new();
            entry.read_to_end(&mut text).unwrap();
            marks.are_not_in(&name, &text);
            names.push((name, String::from_utf8(text).unwrap()));
        }
        let member = |part: &str| &names.iter().find(|(name, _)| name.contains(part)).unwrap().1;
        assert!(names.iter().any(|(_, text)| text.contains("what was read")), "the panics are there");
        assert!(member("config.toml").contains("base_url"), "what is known is there: {}", member("config.toml"));
        assert!(member("exchanges.har").contains("/webhooks") && member("2020-01-01.log").contains("GET https://"));
    }
    by_the_environment(&marks, &home);
    let mut written = Vec::new();
    files(&home.folder.path().join("s"), &mut written);
    let planted = ["2020-01-01", "drafts", "/products", "/uploads/", "session.json"];
    let ours = written.iter().filter(|(name, _)| !planted.iter().any(|part| name.contains(part)));
    assert!(ours.clone().any(|(name, _)| name.contains(".log")), "there is a log");
    ours.for_each(|(name, bytes)| marks.are_not_in(name, bytes));
}
