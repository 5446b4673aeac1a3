//! Files of uploaded videos: kept through `object_store`, by id. A file arrives beside the others and moves to them
//! once it is whole and its record is kept, so that a crash at any moment leaves either both or neither.

use std::fs::File;
use std::ops::Range;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore as _, ObjectStoreExt as _, WriteMultipart};
use uuid::Uuid;

use super::store::{Store, StoreError};

/// The folder of a data folder that holds the files.
const FOLDER: &str = "blobs";
/// Whole files with a record.
const KEPT: &str = "videos";
/// Files that are arriving or leaving: where a record is kept they belong to the others, else they are rubbish.
const MOVING: &str = "moving";

/// Bytes handed to the disk at once, and how many such parts may wait for it.
const PART: usize = 1024 * 1024;
const MOST_PARTS: usize = 3;

/// Why a file could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub(super) enum BlobError {
    /// The place where files are kept refused.
    #[error("{0}")]
    Kept(#[from] object_store::Error),
    /// The file system refused.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl BlobError {
    /// Whether the disk is full.
    pub(super) fn is_full(&self) -> bool {
        let mut cause: Option<&dyn std::error::Error> = Some(self);
        while let Some(error) = cause {
            if error.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::StorageFull) {
                return true;
            }
            cause = error.source();
        }
        false
    }
}

/// The files of a data folder.
pub(super) struct Blobs {
    kept: LocalFileSystem,
    folder: PathBuf,
}

fn kept(id: Uuid) -> Path {
    Path::from_iter([KEPT.to_owned(), id.to_string()])
}

fn moving(id: Uuid) -> Path {
    Path::from_iter([MOVING.to_owned(), id.to_string()])
}

/// Where the whole files of a data folder are.
pub(super) fn kept_in(data: &FilePath) -> PathBuf {
    data.join(FOLDER).join(KEPT)
}

impl Blobs {
    /// Opens the folder of files and sets right what a crash left on the way.
    pub(super) async fn open(data: &FilePath, store: &Store) -> Result<Self, BlobErrorOrStore> {
        let folder = data.join(FOLDER);
        super::folder::make(&folder).map_err(|error| std::io::Error::other(error.to_string()))?;
        // What was acknowledged is on the disk, not only on its way there.
        let kept = LocalFileSystem::new_with_prefix(&folder)?.with_fsync(true);
        let blobs = Self { kept, folder };
        blobs.settle(&blobs.folder.join(MOVING), store).await?;
        Ok(blobs)
    }

    async fn settle(&self, folder: &FilePath, store: &Store) -> Result<(), BlobErrorOrStore> {
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
        let early = Early::of(&self.folder.join(MOVING), id);
        let writing = WriteMultipart::new_with_chunk_size(upload, PART);
        Ok(Arriving { writing, hash: blake3::Hasher::new(), size: 0, early })
    }

    /// A file that arrived, or was about to leave, belongs to the others.
    pub(super) async fn keep(&self, id: Uuid) -> Result<(), BlobError> {
        Ok(self.kept.rename(&moving(id), &kept(id)).await?)
    }

    /// A file is about to leave: gone for readers, not for good yet.
    pub(super) async fn leave(&self, id: Uuid) -> Result<(), BlobError> {
        Ok(self.kept.rename(&kept(id), &moving(id)).await?)
    }

    /// Deletes a file that arrived without a record, or is about to leave.
    pub(super) async fn forget(&self, id: Uuid) -> Result<(), BlobError> {
        Ok(self.kept.delete(&moving(id)).await?)
    }

    /// The bytes of a file, piece by piece.
    pub(super) async fn read(
        &self,
        id: Uuid,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, object_store::Result<Bytes>>, BlobError> {
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        Ok(self.kept.get_opts(&kept(id), options).await?.into_stream().boxed())
    }
}

/// A file on its way in. Dropped before its end, it leaves nothing.
pub(super) struct Arriving {
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
    pub(super) async fn end(self) -> Result<[u8; 32], BlobError> {
        self.writing.finish().await?;
        Ok(self.hash.finalize().into())
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

/// Why the files could not be opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum BlobErrorOrStore {
    /// The files.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// Their records.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<std::io::Error> for BlobErrorOrStore {
    fn from(error: std::io::Error) -> Self {
        Self::Blob(error.into())
    }
}

impl From<object_store::Error> for BlobErrorOrStore {
    fn from(error: object_store::Error) -> Self {
        Self::Blob(error.into())
    }
}

/// The media type of a video by its leading bytes; `None` where they are no video's.
#[must_use]
pub fn video_type(head: &[u8]) -> Option<&'static str> {
    /// Brands of files that are built like videos and are pictures or sound.
    const NO_VIDEO: [&[u8]; 8] = [b"heic", b"heix", b"mif1", b"msf1", b"avif", b"M4A ", b"M4B ", b"crx "];
    if head.get(4..8) == Some(b"ftyp") {
        return match head.get(8..12)? {
            b"qt  " => Some("video/quicktime"),
            b"M4V " | b"M4VH" | b"M4VP" => Some("video/x-m4v"),
            brand if NO_VIDEO.contains(&brand) => None,
            brand if brand.starts_with(b"3g") => Some("video/3gpp"),
            _ => Some("video/mp4"),
        };
    }
    if head.starts_with(&[0x1a, 0x45, 0xdf, 0xa3]) {
        let webm = head.windows(4).any(|word| word == b"webm");
        return Some(if webm { "video/webm" } else { "video/x-matroska" });
    }
    // A transport stream: packets of 188 bytes that all begin alike.
    if head.first() == Some(&0x47) && head.get(188) == Some(&0x47) && head.get(376) == Some(&0x47) {
        return Some("video/mp2t");
    }
    let kind = infer::get(head)?;
    (kind.matcher_type() == infer::MatcherType::Video).then(|| kind.mime_type())
}

/// How many leading bytes [`video_type`] looks at.
pub const HEAD: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn videos_are_known_by_their_leading_bytes() {
        assert_eq!(video_type(b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2"), Some("video/mp4"));
        assert_eq!(video_type(b"\0\0\0\x14ftypqt  \0\0\x02\0"), Some("video/quicktime"));
        assert_eq!(
            video_type(b"\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x86\x81\x01\x42\x82\x84webm"),
            Some("video/webm")
        );
        assert_eq!(video_type(b"\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska"), Some("video/x-matroska"));
        assert_eq!(video_type(b"RIFF\x24\x10\0\0AVI LIST"), Some("video/x-msvideo"));
        for other in
            [&b"\x89PNG\r\n\x1a\n"[..], b"\0\0\0\x18ftypheic", b"%PDF-1.7", b"MZ", b"RIFF\0\0\0\0WAVE", b"<html>"]
        {
            assert_eq!(video_type(other), None, "{other:?}");
        }
    }
}
