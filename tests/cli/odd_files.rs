//! Pipes, devices and hundreds of megabytes where a small file of one's own is expected: each is named, and nothing
//! waits for it or reads it whole.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use serving::{cutaway, tells_panic};

/// After so long a command is taken to wait for ever. Generous: the machine may be busy with something else.
const PATIENCE: Duration = Duration::from_secs(90);

/// What stands in a file's place, and what is said about it.
const ODD: [(&str, &str); 3] = [
    ("pipe", "it is a pipe, not a file"),
    ("device", "it is a device, not a file"),
    ("large", "it is too large (500 MiB"),
];

fn put(odd: &str, path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match odd {
        "pipe" => assert!(Command::new("mkfifo").args(["-m", "600"]).arg(path).status().unwrap().success()),
        "device" => std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
        _ => {
            use std::os::unix::fs::OpenOptionsExt as _;
            let file = fs::File::options().write(true).create_new(true).mode(0o600).open(path).unwrap();
            file.set_len(500 << 20).unwrap();
        }
    }
}

/// What a command says on standard error, and its code, once it ended; it has to.
fn ends(mut command: Command, what: &str) -> (Option<i32>, String) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = child.stderr.take().unwrap();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = said.read_to_end(&mut bytes);
        let _ = tell.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    let Ok(said) = told.recv_timeout(PATIENCE) else {
        let _ = child.kill();
        panic!("{what}: it waits");
    };
    (child.wait().unwrap().code(), said)
}

fn home_with(odd: &str, name: &str) -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(name);
    put(odd, &path);
    (home, path)
}

#[test]
fn settings_that_are_no_file_or_too_large_are_named() {
    for (odd, words) in ODD {
        for name in ["c/cutaway/config.toml", "d/cutaway/credentials.toml"] {
            let (home, path) = home_with(odd, name);
            let mut command = cutaway(home.path());
            command.arg("profiles");
            let (_, said) = ends(command, &format!("{odd} {name}"));
            let file = path.file_name().unwrap().to_str().unwrap();
            assert!(said.contains(file) && said.contains(words), "{odd} {name}: {said}");
            assert!(!tells_panic(&said), "{said}");
        }
    }
}

#[test]
fn what_writes_settings_names_what_is_in_its_way_and_leaves_it() {
    for (odd, words) in ODD {
        let (home, path) = home_with(odd, "d/cutaway/credentials.toml");
        let mut command = cutaway(home.path());
        command.args(["logout", "--profile", "shop"]);
        let (code, said) = ends(command, odd);
        assert_ne!(code, Some(0), "{odd}: {said}");
        assert!(said.contains(words), "{odd}: {said}");
        assert!(fs::symlink_metadata(path).is_ok());
    }
    // The lock that writers take is a file, too.
    let (home, _) = home_with("pipe", "d/cutaway/.lock");
    let credentials = home.path().join("d/cutaway/credentials.toml");
    fs::write(&credentials, "[profiles.shop]\napi_key = \"k\"\n").unwrap();
    fs::set_permissions(credentials, fs::Permissions::from_mode(0o600)).unwrap();
    let mut command = cutaway(home.path());
    command.args(["logout", "--profile", "shop"]);
    let (code, said) = ends(command, "a lock");
    assert_ne!(code, Some(0));
    assert!(said.contains("it is a pipe, not a file"), "{said}");
}
