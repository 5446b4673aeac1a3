//! Sample stores, each made once a build and a day: a copy of its folder takes a fraction of what making it again does.

use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a service keeps its records in.
const RECORDS: &str = "cutaway.sqlite3";

/// Held while a store is made.
static MAKING: Mutex<()> = Mutex::new(());

/// Puts the store that a command would make into the folder that it serves, where that is new and nothing is kept elsewhere.
pub fn prepare(command: &Command) {
    let arguments: Vec<&OsStr> = command.get_args().collect();
    let behind = |flag: &str| arguments.iter().position(|argument| *argument == flag);
    let flags: Vec<&OsStr> = match (behind("--sample-products"), behind("--sample")) {
        (Some(at), _) => arguments.iter().skip(at).take(2).copied().collect(),
        (None, Some(at)) => vec![arguments[at]],
        (None, None) => return,
    };
    let data = behind("--data").and_then(|at| arguments.get(at + 1)).map(PathBuf::from);
    let Some(data) = data.filter(|data| data.is_absolute() && !data.exists()) else { return };
    let elsewhere = |(name, value): (&OsStr, Option<&OsStr>)| {
        value.is_some() && (name == "CUTAWAY_BLOBS" || name == "CUTAWAY_DATABASE_URL")
    };
    if command.get_envs().any(elsewhere) {
        return;
    }
    let made = made(&flags);
    super::private_folder(&data);
    fs::copy(made.join(RECORDS), data.join(RECORDS)).unwrap();
}

/// The folder with a store that these flags make.
fn made(flags: &[&OsStr]) -> PathBuf {
    let _one = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("samples");
    let built = fs::metadata(env!("CARGO_BIN_EXE_cutaway")).unwrap().modified().unwrap();
    let day = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 86_400;
    let mut key = DefaultHasher::new();
    (built, day).hash(&mut key);
    let now = all.join(format!("{:x}", key.finish()));
    let store = now.join(flags.iter().map(|flag| flag.to_string_lossy()).collect::<String>());
    if store.exists() {
        return store;
    }
    // Those of earlier builds and days.
    for old in fs::read_dir(&all).into_iter().flatten().flatten().filter(|old| old.path() != now) {
        let _ = fs::remove_dir_all(old.path());
    }
    fs::create_dir_all(&now).unwrap();
    let home = tempfile::tempdir_in(&now).unwrap();
    let data = home.path().join("served");
    let mut serving = super::serve_locally(home.path(), &data).args(flags).stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(serving.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    super::terminate(&serving);
    assert!(serving.wait().unwrap().success() && !ready.is_empty(), "no sample store was made: {ready}");
    // Another program of tests may have been faster.
    let _ = fs::rename(&data, &store);
    store
}
