//! Baselines in files: what is ignored in the lists of problems, and the files that `cutaway lint --baseline` is given.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::lint::{baseline_key, baseline_keys, baseline_text, is_baseline};
use crate::runtime::host::{Access, Existing, Files, Host};
use crate::settings::{alone, read_text_bounded, write_private};
use crate::studio::event::RequestId;

/// A longer file is no baseline, bytes.
const MOST: u64 = 64 << 20;

/// Where what is ignored in lists of problems is kept.
fn own_file(host: &Host) -> Option<PathBuf> {
    Some(host.folders.state().ok()?.join("ignored-problems.txt"))
}

fn read(path: &Path) -> io::Result<BTreeSet<String>> {
    match read_text_bounded(path, MOST) {
        Ok(text) => Ok(baseline_keys(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error),
    }
}

/// The keys of what is ignored. A file that can't be read hides nothing.
#[must_use]
pub fn ignored(host: &Host) -> BTreeSet<String> {
    own_file(host).and_then(|file| read(&file).ok()).unwrap_or_default()
}

/// Keeps what is ignored by one sitting, as it was asked for last: what is asked for beside each other may come in any order.
#[derive(Debug, Default)]
pub struct Ignoring {
    /// The latest request of each problem that was kept.
    kept: Mutex<HashMap<String, RequestId>>,
}

impl Ignoring {
    /// Keeps that a problem is ignored, or isn't any more, unless a later request said something else of it. Other
    /// sittings and processes may do so at the same time.
    ///
    /// # Errors
    /// Why that is not kept, as the end of a sentence.
    pub fn keep(&self, host: &Host, request: RequestId, key: &str, is_ignored: bool) -> Result<(), String> {
        let file = own_file(host).ok_or("there is no folder for it")?;
        let told = |error: io::Error| format!("{}: {error}", file.display());
        let key = baseline_key(key);
        let change = || {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.get(&key).is_some_and(|latest| latest.0 > request.0) {
                return Ok(());
            }
            let mut keys = read(&file)?;
            if is_ignored {
                keys.insert(key.clone());
            } else {
                keys.remove(&key);
            }
            write_private(&file, &baseline_text(&keys))?;
            kept.insert(key, request);
            Ok(())
        };
        alone(&file, change).flatten().map_err(told)
    }
}

/// Writes a baseline that the person named; where it is. One that is there already is added to, so that one file lists what
/// is ignored of products, videos and projects. Another file stays as it is.
///
/// # Errors
/// Why it was not written, as a sentence.
pub fn save(files: &Files, file: &str, keys: impl IntoIterator<Item = String>) -> Result<String, String> {
    let path = files.find(file);
    let shown = path.display().to_string();
    let told = |error: io::Error| format!("Couldn't write {shown}: {error}");
    let mut all: BTreeSet<String> = keys.into_iter().collect();
    match read_text_bounded(&path, MOST) {
        Ok(text) if is_baseline(&text) || text.trim().is_empty() => all.extend(baseline_keys(&text)),
        Ok(_) => return Err(format!("{shown} already exists and was not changed.")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(told(error)),
    }
    let written = files.write(&path, baseline_text(&all).as_bytes(), Access::Usual, Existing::Replace);
    written.map(|path| path.display().to_string()).map_err(told)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::settings::Folders;

    #[test]
    fn one_file_lists_what_is_ignored_wherever_and_other_files_stay() {
        let home = tempfile::tempdir().unwrap();
        let files = Files::new(Some(home.path().to_path_buf()), Some(home.path().to_path_buf()));
        let file = home.path().join("known.txt").display().to_string();
        let write = |keys: &[&str]| save(&files, &file, keys.iter().map(|key| (*key).to_owned()));
        assert_eq!(write(&["S01 a"]), Ok(file.clone()));
        assert_eq!(write(&["wiring p noVideo"]), Ok(file.clone()));
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(baseline_keys(&text), ["S01 a", "wiring p noVideo"].map(str::to_owned).into());
        fs::write(&file, "my notes\n").unwrap();
        assert!(write(&["S01 a"]).unwrap_err().ends_with("already exists and was not changed."));
        assert_eq!(fs::read_to_string(&file).unwrap(), "my notes\n");
    }

    #[test]
    fn what_is_ignored_stays_until_it_is_not() {
        let home = tempfile::tempdir().unwrap();
        let host = Host::closed(Folders::under(home.path()));
        assert!(ignored(&host).is_empty());
        let ignoring = Ignoring::default();
        ignoring.keep(&host, RequestId(1), "S01 a", true).unwrap();
        ignoring.keep(&host, RequestId(2), "S02 b", true).unwrap();
        ignoring.keep(&host, RequestId(4), "S01 a", false).unwrap();
        // What was asked for earlier comes later.
        ignoring.keep(&host, RequestId(3), "S01 a", true).unwrap();
        assert_eq!(ignored(&host), ["S02 b".to_owned()].into());
    }

    #[test]
    fn nothing_that_is_ignored_beside_other_things_is_lost() {
        let home = tempfile::tempdir().unwrap();
        let host = Host::closed(Folders::under(home.path()));
        let sittings = [Ignoring::default(), Ignoring::default()];
        std::thread::scope(|scope| {
            for at in 0..16 {
                let (host, ignoring) = (&host, &sittings[at % 2]);
                let request = RequestId(u64::try_from(at).unwrap());
                scope.spawn(move || ignoring.keep(host, request, &format!("S01 {at}"), true).unwrap());
            }
        });
        assert_eq!(ignored(&host).len(), 16);
    }
}
