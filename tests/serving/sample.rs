//! Sample stores, each made once a build and a day: a copy of its folder takes a fraction of what making it again does.

use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What a service keeps its records in.
const RECORDS: &str = "cutaway.sqlite3";

/// Set for a service that is to make its own store, with IDs that no other has.
pub const OWN: &str = "CUTAWAY_TEST_OWN_SAMPLE";

/// Held while a store is made.
static MAKING: Mutex<()> = Mutex::new(());

/// Puts the store that a command would make into the folder that it serves, where that is new and nothing is kept elsewhere.
pub fn prepare(command: &Command) {
    let arguments: Vec<&OsStr> = command.get_args().collect();
    let behind = |flag: &str| arguments.iter().position(|argument| *argument == flag);
    let sample = behind("--sample").into_iter().map(|at| arguments[at]);
    let products = behind("--sample-products").into_iter().flat_map(|at| arguments.iter().skip(at).take(2).copied());
    let flags: Vec<&OsStr> = sample.chain(products).collect();
    if flags.is_empty() {
        return;
    }
    let data = behind("--data").and_then(|at| arguments.get(at + 1)).map(PathBuf::from);
    let Some(data) = data.filter(|data| data.is_absolute() && !data.exists()) else { return };
    let other = |(name, value): (&OsStr, Option<&OsStr>)| {
        value.is_some() && [OWN, "CUTAWAY_BLOBS", "CUTAWAY_DATABASE_URL"].iter().any(|known| name == *known)
    };
    if command.get_envs().any(other) {
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
    // Those of earlier builds and days; none that another program of tests may be copying.
    let is_old = |made: SystemTime| made.elapsed().is_ok_and(|age| age > Duration::from_secs(2 * 86_400));
    for old in fs::read_dir(&all).into_iter().flatten().flatten() {
        if old.metadata().and_then(|about| about.modified()).is_ok_and(is_old) {
            let _ = fs::remove_dir_all(old.path());
        }
    }
    fs::create_dir_all(&now).unwrap();
    let home = tempfile::tempdir_in(&now).unwrap();
    let data = home.path().join("served");
    let mut serving = super::serve_locally(home.path(), &data).args(flags).stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(serving.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    super::terminate(&serving);
    assert!(serving.wait().unwrap().success() && !ready.is_empty(), "no sample store was made: {ready}");
    assert!(!data.join(format!("{RECORDS}-wal")).exists(), "a copy of the file alone would lack what is beside it");
    // Another program of tests may have been faster.
    let moved = fs::rename(&data, &store);
    assert!(moved.is_ok() || store.exists(), "{moved:?}");
    store
}
