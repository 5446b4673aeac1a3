//! Pictures on disk, so that they are asked for once: bounded, and of no consequence where it can't be written.

use std::fs::{self, Metadata};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

use super::fetch::MOST_BYTES;

/// All pictures together have at most so many bytes.
const MOST: u64 = 96 << 20;
/// All posters together have at most so many bytes.
const MOST_POSTERS: u64 = 64 << 20;
/// A picture is asked for again after so long: shops give a changed picture another address, most of the time.
const OLD: Duration = Duration::from_secs(7 * 24 * 3600);

/// The folder of pictures.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: Option<PathBuf>,
    /// The limit, bytes.
    most: u64,
    /// After so long one is asked for again, where it can be.
    old: Option<Duration>,
    /// Bytes in the folder, once they were counted.
    taken: Arc<Mutex<Option<u64>>>,
}

impl Cache {
    /// Pictures in a folder, which is made when it is needed.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, most: MOST, old: Some(OLD), taken: Arc::default() }
    }

    /// Posters in a folder: what they were made of may be gone, so they stay until there are too many.
    pub fn of_posters(folder: Option<PathBuf>) -> Self {
        Self { most: MOST_POSTERS, old: None, ..Self::new(folder) }
    }

    fn file(&self, address: &str) -> Option<PathBuf> {
        let digest = Sha256::digest(address.as_bytes());
        let name = digest.iter().fold(String::new(), |name, byte| name + &format!("{byte:02x}"));
        self.folder.as_ref().map(|folder| folder.join(name))
    }

    /// How many bytes are kept of the picture of an address.
    pub async fn length(&self, address: &str) -> usize {
        let Some(file) = self.file(address) else { return 0 };
        let about = tokio::fs::metadata(file).await;
        about.map_or(0, |about| usize::try_from(about.len()).unwrap_or(usize::MAX))
    }

    /// The picture of an address, where it is kept and not too old.
    pub async fn get(&self, address: &str) -> Option<Vec<u8>> {
        let (file, old) = (self.file(address)?, self.old);
        let read = tokio::task::spawn_blocking(move || {
            let about = fs::metadata(&file).ok()?;
            let age = SystemTime::now().duration_since(about.modified().ok()?).ok();
            let fits = about.is_file() && usize::try_from(about.len()).is_ok_and(|bytes| bytes <= MOST_BYTES);
            let is_old = old.is_some_and(|old| age.is_none_or(|age| age > old));
            if is_old || !fits { None } else { fs::read(&file).ok() }
        });
        read.await.ok()?
    }

    /// Keeps a picture, and gives it back. Where that can't be done it is fetched again another time.
    pub async fn put(&self, address: &str, bytes: Vec<u8>) -> Vec<u8> {
        let (Some(file), Some(folder)) = (self.file(address), self.folder.clone()) else { return bytes };
        let cache = self.clone();
        let written = tokio::task::spawn_blocking(move || {
            let write = || -> std::io::Result<()> {
                fs::create_dir_all(&folder)?;
                let mut whole = tempfile::NamedTempFile::new_in(&folder)?;
                whole.write_all(&bytes)?;
                whole.persist(file).map_err(|error| error.error)?;
                cache.make_room(&folder, bytes.len() as u64);
                Ok(())
            };
            if let Err(error) = write() {
                tracing::debug!(%error, "a picture is not kept");
            }
            bytes
        });
        written.await.unwrap_or_default()
    }

    /// Takes the oldest pictures away where there are too many bytes.
    fn make_room(&self, folder: &Path, more: u64) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = taken.map(|taken| taken + more);
        if sum.is_some_and(|sum| sum <= self.most) {
            *taken = sum;
            return;
        }
        let mut files: Vec<(PathBuf, Metadata)> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok().and_then(|entry| Some((entry.path(), entry.metadata().ok()?))))
            .collect();
        files.sort_by_key(|(_, about)| about.modified().unwrap_or(SystemTime::UNIX_EPOCH));
        let mut sum: u64 = files.iter().map(|(_, about)| about.len()).sum();
        if sum > self.most {
            // Some more than needed, so that this is not done for every picture.
            let wanted = self.most / 10 * 8;
            for (file, about) in files {
                if sum <= wanted {
                    break;
                }
                if fs::remove_file(file).is_ok() {
                    sum -= about.len();
                }
            }
        }
        *taken = Some(sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_go_where_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache { most: 1_000, ..Cache::new(Some(folder.path().join("pictures"))) };
        for number in 0..30 {
            cache.put(&format!("https://cdn.example/{number}"), vec![number; 100]).await;
        }
        let files = || fs::read_dir(folder.path().join("pictures")).unwrap().map(|entry| entry.unwrap());
        assert!(files().map(|entry| entry.metadata().unwrap().len()).sum::<u64>() <= 1_000);
        assert_eq!(cache.get("https://cdn.example/29").await.unwrap(), [29; 100]);
        assert_eq!(cache.get("https://cdn.example/0").await, None);
    }

    #[tokio::test]
    async fn without_a_folder_nothing_is_kept_and_nothing_fails() {
        let nowhere = Cache::new(None);
        assert_eq!(nowhere.put("a", b"b".to_vec()).await, b"b");
        assert_eq!(nowhere.get("a").await, None);
        let file = tempfile::NamedTempFile::new().unwrap();
        let blocked = Cache::new(Some(file.path().join("pictures")));
        assert_eq!(blocked.put("a", b"b".to_vec()).await, b"b");
        assert_eq!(blocked.get("a").await, None);
    }
}
