//! Files of videos in the data folder. A file arrives beside the others and moves to them once it is whole and its record is
//! kept, so that a crash at any moment leaves either both or neither.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::StreamExt as _;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore as _, ObjectStoreExt as _, WriteMultipart};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{Arrived, BlobError, OpenError, Pieces};
use crate::domain::VideoId;
use crate::service::folder::make;
use crate::service::store::{Created, CreationKey, DeletedVideo, FileHash, NewVideoRow, Store, StoreError};

/// The folder of a data folder that holds the files.
const FOLDER: &str = "blobs";
/// Whole files with a record.
const KEPT: &str = "videos";
/// Files that are arriving or leaving: where a record is kept they belong to the others, else they are rubbish.
const MOVING: &str = "moving";

/// Bytes handed to the disk at once, and how many such parts may wait for it.
const PART: usize = 1024 * 1024;
const MOST_PARTS: usize = 3;

/// The files of a data folder.
pub(in crate::service) struct Folder {
    kept: LocalFileSystem,
    path: PathBuf,
    /// Files of which nobody knows whether there is a record: the database didn't say what became of a change of theirs.
    unsettled: Mutex<BTreeSet<Uuid>>,
    /// Held by the one who finds out about one of them.
    settling: tokio::sync::Mutex<()>,
}

fn kept(id: Uuid) -> Path {
    Path::from_iter([KEPT.to_owned(), id.to_string()])
}

fn moving(id: Uuid) -> Path {
    Path::from_iter([MOVING.to_owned(), id.to_string()])
}

/// Where the whole files of a data folder are.
pub(in crate::service) fn kept_in(data: &FilePath) -> PathBuf {
    data.join(FOLDER).join(KEPT)
}

/// Whether a file has this hash.
pub(super) fn has_hash(path: &FilePath, hash: &FileHash) -> std::io::Result<bool> {
    let (mut file, mut piece) = (File::open(path)?, vec![0; PART]);
    let (mut blake3, mut sha256) = (blake3::Hasher::new(), Sha256::new());
    loop {
        let read = file.read(&mut piece)?;
        let Some(read) = piece.get(..read).filter(|read| !read.is_empty()) else { break };
        match hash {
            FileHash::Blake3(_) => _ = blake3.update(read),
            FileHash::Sha256(_) => sha256.update(read),
        }
    }
    Ok(match hash {
        FileHash::Blake3(hash) => blake3.finalize() == *hash,
        FileHash::Sha256(hash) => sha256.finalize().as_slice() == hash,
    })
}

/// The id in the answer to what was created.
fn first(created: &Created) -> Option<Uuid> {
    let answer: serde_json::Value = serde_json::from_slice(&created.answer).ok()?;
    Uuid::try_parse(answer.get("id")?.as_str()?).ok()
}

impl Folder {
    /// Opens the folder of files and sets right what a crash left on the way.
    pub(super) async fn open(data: &FilePath, store: &Store) -> Result<Self, OpenError> {
        let folder = data.join(FOLDER);
        make(&folder).map_err(|error| std::io::Error::other(error.to_string()))?;
        // What was acknowledged is on the disk, not only on its way there.
        let kept = LocalFileSystem::new_with_prefix(&folder)?.with_fsync(true);
        let blobs = Self { kept, path: folder, unsettled: Mutex::default(), settling: tokio::sync::Mutex::default() };
        blobs.settle(&blobs.path.join(MOVING), store).await?;
        Ok(blobs)
    }

    async fn settle(&self, folder: &FilePath, store: &Store) -> Result<(), OpenError> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
        let names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let recorded = store.uploaded(names.clone()).await?;
        for name in names {
            match Uuid::try_parse(&name) {
                Ok(id) if recorded.contains(&name) => self.kept.rename(&moving(id), &kept(id)).await?,
                // Broken-off ones too, whose names have something after the id.
                _ => std::fs::remove_file(folder.join(name))?,
            }
        }
        Ok(())
    }

    /// Begins to take in a file.
    pub(super) async fn arrive(&self, id: Uuid) -> Result<Arriving, BlobError> {
        let upload = self.kept.put_multipart(&moving(id)).await?;
        let early = Early::of(&self.path.join(MOVING), id);
        let writing = WriteMultipart::new_with_chunk_size(upload, PART);
        Ok(Arriving { id, writing, hash: blake3::Hasher::new(), size: 0, early })
    }

    /// Registers the video of a file that is whole, once under its key.
    pub(super) async fn record(
        &self,
        store: &Store,
        workspace: i64,
        id: Uuid,
        row: NewVideoRow,
        key: Option<CreationKey>,
    ) -> Result<Created, BlobError> {
        match store.add_video(workspace, id, row, key.clone()).await {
            Ok(created) if created.repeated => {
                self.take_up(store, &created, id).await?;
                Ok(created)
            }
            Ok(created) => {
                if let Err(error) = self.keep(id).await {
                    self.give_up(store, workspace, id, key).await;
                    return Err(error);
                }
                Ok(created)
            }
            // Where nobody knows whether there is a record, the file waits for it to be read or sent again, or for the next
            // start.
            Err(error) if error.unknown().is_some() => {
                self.mark_unsettled(id);
                Err(error.into())
            }
            Err(error) => {
                self.forget(id).await?;
                Err(error.into())
            }
        }
    }

    /// A file that was sent again belongs to the record of the first time, where that one's is not there: the database
    /// hadn't said then that there was one. Else nobody needs it.
    async fn take_up(&self, store: &Store, created: &Created, id: Uuid) -> Result<(), BlobError> {
        let taken = match first(created).filter(|first| *first != id) {
            Some(first) => self.complete(store, first, id).await,
            None => Ok(false),
        };
        match taken {
            Ok(true) => Ok(()),
            Ok(false) => self.forget(id).await,
            Err(error) => {
                let _ = self.forget(id).await;
                Err(error)
            }
        }
    }

    /// Gives a record its file where it has none: its own that waits, or else the one that was sent again. Whether that was
    /// taken.
    async fn complete(&self, store: &Store, first: Uuid, again: Uuid) -> Result<bool, BlobError> {
        let is_recorded = async || Ok::<_, BlobError>(!store.uploaded(vec![first.to_string()]).await?.is_empty());
        if self.has(&kept(first)).await || !is_recorded().await? {
            return Ok(false);
        }
        let waits = self.has(&moving(first)).await;
        if waits {
            self.keep(first).await?;
        } else {
            self.kept.rename(&moving(again), &kept(first)).await?;
        }
        // It may have been deleted meanwhile, with its file elsewhere.
        if !is_recorded().await? {
            self.kept.delete(&kept(first)).await?;
        }
        Ok(!waits)
    }

    async fn has(&self, path: &Path) -> bool {
        self.kept.head(path).await.is_ok()
    }

    /// Neither the record without its file; where this fails too, the next start settles it.
    async fn give_up(&self, store: &Store, workspace: i64, id: Uuid, key: Option<CreationKey>) {
        if let Some(key) = key
            && let Err(error) = store.forget_creation(workspace, key).await
        {
            tracing::warn!(%error, %id, "the key of an upload without its file was left");
        }
        if let Err(error) = store.delete_video(workspace, VideoId::new(id), 0).await {
            tracing::warn!(%error, %id, "the record of an upload without its file was left");
        } else if let Err(error) = self.forget(id).await {
            tracing::warn!(%error, %id, "the file of an upload was left; the next start clears it");
        }
    }

    /// Deletes a video and its file.
    pub(super) async fn delete(&self, store: &Store, workspace: i64, id: VideoId) -> Result<DeletedVideo, StoreError> {
        let file = store.video_has_file(workspace, id.clone()).await?;
        let file = Uuid::try_parse(id.as_str()).ok().filter(|_| file);
        let mut left = None;
        if let Some(file) = file {
            self.settle_one(store, file).await;
            match self.leave(file).await {
                Ok(()) => left = Some(file),
                Err(error) => tracing::warn!(%error, id = id.as_str(), "the file of an asset was not there"),
            }
        }
        let deleted = store.delete_video(workspace, id, 0).await;
        // Of several who delete the same asset one takes the file away and one the record: whoever has the file settles
        // it, and it goes back only where the record is still there.
        // Where nobody knows what became of the record, who reads it next looks, or the next start.
        let is_known = !matches!(&deleted, Err(error) if error.unknown().is_some());
        if let Some(file) = left.filter(|_| !is_known) {
            self.mark_unsettled(file);
        } else if let Some(file) = left {
            let gone = matches!(deleted, Ok(_) | Err(StoreError::Missing(_)));
            let settled = if gone { self.forget(file).await } else { self.keep(file).await };
            if let Err(error) = settled {
                tracing::warn!(%error, "the file of an asset was left; the next start clears it");
            }
        } else if let Some(file) = file {
            self.settle_one(store, file).await;
        }
        deleted
    }

    /// A file that arrived, or was about to leave, belongs to the others.
    async fn keep(&self, id: Uuid) -> Result<(), BlobError> {
        match self.kept.rename(&moving(id), &kept(id)).await {
            // Who sent the same again was first.
            Err(object_store::Error::NotFound { .. }) if self.has(&kept(id)).await => Ok(()),
            done => Ok(done?),
        }
    }

    /// A file is about to leave: gone for readers, not for good yet.
    async fn leave(&self, id: Uuid) -> Result<(), BlobError> {
        Ok(self.kept.rename(&kept(id), &moving(id)).await?)
    }

    /// Deletes a file that arrived without a record, or is about to leave.
    async fn forget(&self, id: Uuid) -> Result<(), BlobError> {
        Ok(self.kept.delete(&moving(id)).await?)
    }

    fn unsettled(&self) -> MutexGuard<'_, BTreeSet<Uuid>> {
        self.unsettled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody knows whether there is a record of a file that waits among those that move.
    fn mark_unsettled(&self, id: Uuid) {
        self.unsettled().insert(id);
    }

    /// Where nobody knew whether there is a record of a file: if there is one, the file belongs to the others again, else it
    /// goes. While the change that nobody was told the end of may still be under way, it waits.
    async fn settle_one(&self, store: &Store, id: Uuid) {
        if !self.unsettled().contains(&id) {
            return;
        }
        // Of several who ask one moves the file.
        let _settling = self.settling.lock().await;
        if !self.unsettled().contains(&id) {
            return;
        }
        let settled = async {
            let recorded = !store.uploaded_in_turn(vec![id.to_string()]).await?.is_empty();
            if recorded { self.keep(id).await } else { self.forget(id).await }
        };
        match settled.await {
            Ok(()) => _ = self.unsettled().remove(&id),
            Err(error) => tracing::warn!(%error, %id, "nobody knows yet whether a file belongs to an asset"),
        }
    }

    /// The bytes of a file of which there is a record, piece by piece.
    pub(super) async fn read(&self, store: &Store, id: Uuid, range: Range<u64>) -> Result<Pieces, BlobError> {
        self.settle_one(store, id).await;
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        Ok(self.kept.get_opts(&kept(id), options).await?.into_stream().boxed())
    }
}

/// A file on its way in. Dropped before its end, it leaves nothing.
pub(in crate::service) struct Arriving {
    id: Uuid,
    writing: WriteMultipart,
    hash: blake3::Hasher,
    size: u64,
    early: Early,
}

impl Arriving {
    /// Takes the next bytes, once there is room for them.
    pub(super) async fn take(&mut self, piece: Bytes) -> Result<(), BlobError> {
        self.writing.wait_for_capacity(MOST_PARTS).await?;
        // Cheap enough to be done here: a piece takes some microseconds, less than to wake up another thread for it.
        self.hash.update(&piece);
        self.size += piece.len() as u64;
        self.writing.put(piece);
        self.early.go(self.size);
        Ok(())
    }

    /// How many bytes came so far.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// It is whole: on the disk, with its BLAKE3 hash.
    pub(super) async fn end(self) -> Result<Arrived, BlobError> {
        self.writing.finish().await?;
        Ok(Arrived { id: self.id, hash: self.hash.finalize().into(), lease: None })
    }
}

/// After so many bytes the disk begins with them, while the rest arrives: at the end little is left to wait for.
const EARLY: u64 = 64 * 1024 * 1024;

/// What came of a file is on its way to the disk while the rest arrives. Only for speed: where it can't be done, the
/// file's end waits longer.
struct Early {
    file: Option<Arc<File>>,
    begun: u64,
    going: Option<tokio::task::JoinHandle<()>>,
}

impl Early {
    /// Of the file that a folder has for this id: while it arrives, its name has something after the id.
    fn of(folder: &FilePath, id: Uuid) -> Self {
        let begin = id.to_string();
        let named = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&begin);
        let found = std::fs::read_dir(folder).ok().and_then(|entries| entries.flatten().find(named));
        let file = found.and_then(|entry| File::open(entry.path()).ok()).map(Arc::new);
        Self { file, begun: 0, going: None }
    }

    fn go(&mut self, size: u64) {
        let Some(file) = &self.file else { return };
        if size - self.begun < EARLY || self.going.as_ref().is_some_and(|going| !going.is_finished()) {
            return;
        }
        self.begun = size;
        let file = Arc::clone(file);
        self.going = Some(tokio::task::spawn_blocking(move || {
            // What goes wrong the file's own end is told too.
            let _ = file.sync_data();
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::store::VideoFile;

    /// A file of which the database didn't say whether it is deleted: who reads it next finds out.
    #[tokio::test]
    async fn a_file_of_which_nobody_knew_is_read_again_where_its_record_is_there() {
        let data = tempfile::tempdir().unwrap();
        let store = Store::open(data.path()).unwrap();
        let workspace = store.own_workspace().await.unwrap().workspace;
        let files = Folder::open(data.path(), &store).await.unwrap();
        let id = Uuid::new_v4();
        let mut arriving = files.arrive(id).await.unwrap();
        arriving.take(Bytes::from_static(b"a film")).await.unwrap();
        let hash = FileHash::Blake3(arriving.end().await.unwrap().hash);
        let file = VideoFile { content_type: "video/mp4".to_owned(), size: 6, hash };
        let row = NewVideoRow { name: "a.mp4".to_owned(), video_url: None, poster_url: None, file: Some(file) };
        files.record(&store, workspace, id, row, None).await.unwrap();
        let read = async || files.read(&store, id, 0..6).await.map(|_| ());
        read().await.unwrap();

        files.leave(id).await.unwrap();
        assert!(read().await.is_err(), "it is being deleted");
        files.mark_unsettled(id);
        read().await.unwrap();
        files.leave(id).await.unwrap();
        assert!(read().await.is_err(), "it is known again");
        files.mark_unsettled(id);
        files.delete(&store, workspace, VideoId::new(id)).await.unwrap();
        assert!(!files.has(&kept(id)).await && !files.has(&moving(id)).await);
    }
}
