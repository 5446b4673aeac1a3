//! Files of uploaded videos, by the id of their video: in the data folder ([`folder`]), or in S3 ([`s3`]). A crash at any
//! moment leaves a file and its record, or neither.

mod folder;
mod gathering;
mod kind;
mod leftovers;
mod parts;
mod place;
mod rewriting;
mod room;
mod s3;
mod said;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use tokio_util::sync::CancellationToken;
use url::Url;
use uuid::Uuid;

use super::ServeOptions;
use super::store::{Created, CreationKey, DeletedVideo, NewVideoRow, Store, StoreError};
use super::timing::{milliseconds, now};
use crate::domain::VideoId;
use folder::Folder;
use s3::S3;

pub(super) use folder::kept_in;
pub use kind::{HEAD, video_type};
pub use place::{PlaceError, S3Place};
pub(super) use rewriting::Remote;
use s3::Opening;

/// The bytes of a file, piece by piece.
pub(super) type Pieces = BoxStream<'static, object_store::Result<Bytes>>;

/// Why a file could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub(super) enum BlobError {
    /// The place where files are kept refused.
    #[error("{0}")]
    Kept(#[from] object_store::Error),
    /// The file system refused.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// S3 refused, or did not answer.
    #[error("S3: {0}")]
    Away(String),
    /// Others that arrive have all the memory there is for files.
    #[error("too many videos are being uploaded at once")]
    Busy,
    /// The records of files refused.
    #[error(transparent)]
    Store(#[from] StoreError),
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

/// Why the files could not be opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpenError {
    /// The folder refused.
    #[error(transparent)]
    Blob(BlobError),
    /// The records of files refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// They can't be served from where they are to be; the sentence says why.
    #[error("{0}")]
    Place(String),
}

impl From<BlobError> for OpenError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::Store(error) => Self::Store(error),
            error => Self::Blob(error),
        }
    }
}

impl From<std::io::Error> for OpenError {
    fn from(error: std::io::Error) -> Self {
        Self::Blob(error.into())
    }
}

impl From<object_store::Error> for OpenError {
    fn from(error: object_store::Error) -> Self {
        Self::Blob(error.into())
    }
}

/// What is said before a file comes.
pub(super) struct Coming {
    /// The id of its video.
    pub id: Uuid,
    /// Its media type.
    pub content_type: &'static str,
    /// Bytes that it has at most, where that is known.
    pub most: Option<u64>,
}

/// Where the files of a workspace are kept.
pub(super) enum Blobs {
    /// In its data folder.
    Folder(Folder),
    /// In S3.
    S3(Arc<S3>),
}

impl Blobs {
    /// Opens the place of files. What a process before left on the way is set right, now or soon.
    pub(super) fn open<'a>(
        data: &'a Path,
        store: &'a Arc<Store>,
        options: &'a ServeOptions,
    ) -> BoxFuture<'a, Result<Self, OpenError>> {
        FutureExt::boxed(async move {
            if let Some(place) = &options.blobs {
                let opening = Opening { place, timing: &options.timing, redirect: options.redirect_files, data };
                let s3 = S3::open(opening, Arc::clone(store)).await?;
                let here = Some(place.name());
                leave_behind(store, here, options.leave_files).await?;
                s3.settle().await?;
                return Ok(Self::S3(s3));
            }
            let folder = Folder::open(data, store).await?;
            leave_behind(store, None, options.leave_files).await?;
            if let Some(place) = store.place_of_files().await? {
                come_home(data, store, &place).await?;
            }
            if store.is_shared() {
                say_missing(data, store).await?;
            }
            Ok(Self::Folder(folder))
        })
    }

    /// Whether they are kept outside of the data folder.
    pub(super) fn is_elsewhere(&self) -> bool {
        matches!(self, Self::S3(_))
    }

    /// How many bytes a file has at most, where the place of files says so.
    pub(super) fn most(&self) -> Option<u64> {
        match self {
            Self::Folder(_) => None,
            Self::S3(_) => Some(parts::MOST_BYTES),
        }
    }

    /// Begins to take in a file.
    pub(super) async fn arrive(&self, coming: Coming) -> Result<Arriving, BlobError> {
        Ok(match self {
            Self::Folder(folder) => Arriving::Folder(Box::new(folder.arrive(coming.id).await?)),
            Self::S3(s3) => Arriving::S3(Box::new(s3.arrive(coming).await?)),
        })
    }

    /// Registers the video of a file that is whole, once under its key; the file is kept, or gone.
    pub(super) async fn record(
        &self,
        store: &Store,
        workspace: i64,
        arrived: Arrived,
        row: NewVideoRow,
        key: Option<CreationKey>,
    ) -> Result<Created, BlobError> {
        match (self, arrived) {
            (Self::Folder(folder), arrived) => folder.record(store, workspace, arrived.id, row, key).await,
            (Self::S3(s3), arrived) => s3.record(workspace, arrived, row, key).await,
        }
    }

    /// Deletes a video and its file.
    pub(super) async fn delete(&self, store: &Store, workspace: i64, id: VideoId) -> Result<DeletedVideo, StoreError> {
        match self {
            Self::Folder(folder) => folder.delete(store, workspace, id).await,
            Self::S3(s3) => {
                // The record first: who reads finds nothing from then on, and the file goes later.
                let deleted = store.delete_video(workspace, id.clone(), now() + milliseconds(s3.deleted_file)).await;
                s3.remove_original(&id).await;
                deleted
            }
        }
    }

    /// The bytes of a file of which there is a record, piece by piece. Nothing where there is no such file.
    pub(super) async fn read(&self, store: &Store, id: Uuid, range: Range<u64>) -> Result<Option<Pieces>, BlobError> {
        match self {
            Self::Folder(folder) => match folder.read(store, id, range).await {
                Ok(pieces) => Ok(Some(pieces)),
                Err(error) => {
                    tracing::warn!(%error, %id, "the file of a video can't be read");
                    Ok(None)
                }
            },
            Self::S3(s3) => s3.read(id, range).await,
        }
    }

    /// An address at which a file can be read for a while without the service, where readers are to be sent there.
    pub(super) async fn address(&self, id: Uuid) -> Result<Option<Url>, BlobError> {
        match self {
            Self::S3(s3) if s3.redirect => Ok(Some(s3.address(id).await?)),
            _ => Ok(None),
        }
    }

    /// Clears away, until `stop`, what was left of files that didn't arrive, and those whose videos were deleted.
    pub(super) async fn clear(&self, stop: CancellationToken) {
        if let Self::S3(s3) = self {
            s3.clear(stop).await;
        }
    }

    /// Waits, a few seconds at most, for what is still being cleared away.
    pub(super) async fn close(&self) {
        if let Self::S3(s3) = self {
            s3.close().await;
        }
    }
}

/// A file on its way in. Dropped before its end, it leaves nothing.
pub(super) enum Arriving {
    /// Into the folder.
    Folder(Box<folder::Arriving>),
    /// Into S3.
    S3(Box<parts::Arriving>),
}

impl Arriving {
    /// Takes the next bytes, once there is room for them.
    pub(super) async fn take(&mut self, piece: Bytes) -> Result<(), BlobError> {
        match self {
            Self::Folder(arriving) => arriving.take(piece).await,
            Self::S3(arriving) => arriving.take(piece).await,
        }
    }

    /// How many bytes came so far.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Folder(arriving) => arriving.size(),
            Self::S3(arriving) => arriving.size(),
        }
    }

    /// It is whole, and would survive a crash of the machine.
    pub(super) async fn end(self) -> Result<Arrived, BlobError> {
        match self {
            Self::Folder(arriving) => arriving.end().await,
            Self::S3(arriving) => arriving.end().await,
        }
    }
}

/// A file that is whole and has no record yet.
pub(super) struct Arrived {
    pub id: Uuid,
    /// Its BLAKE3 hash.
    pub hash: [u8; 32],
    /// Its lease, where it has one.
    lease: Option<parts::Lease>,
}

/// What deleted videos and broken-off uploads left at another place than `here` can be removed by nobody any more once files
/// are served from here: that is refused, unless it is to be left there.
async fn leave_behind(store: &Store, here: Option<String>, leave: bool) -> Result<(), OpenError> {
    let Some((files, place)) = store.leaving_elsewhere(here.clone()).await? else { return Ok(()) };
    let files_are = if files == 1 {
        "1 file of a deleted video or broken-off upload is".to_owned()
    } else {
        format!("{files} files of deleted videos and broken-off uploads are")
    };
    if leave {
        tracing::warn!("{files_are} left in {place}; remove what you don't need there");
        return Ok(store.forget_elsewhere(here).await?);
    }
    Err(OpenError::Place(format!(
        "{files_are} still in {place}; serve with --blobs {place} until they are removed, or add --leave-files and remove \
         them there yourself"
    )))
}

/// Files that were in S3 are to be read from the folder: where all of them are there, that is what the records say from
/// now on.
async fn come_home(data: &Path, store: &Store, place: &str) -> Result<(), OpenError> {
    let (kept, files) = (kept_in(data), store.files_in_s3().await?);
    let path = |id: &Uuid| kept.join(id.to_string());
    let has_size =
        |(id, size): &&(Uuid, u64)| std::fs::metadata(path(id)).is_ok_and(|meta| meta.is_file() && meta.len() == *size);
    let mut missing = files.len() - files.iter().filter(has_size).count();
    if missing == 0 {
        // What is there may be an earlier one: since then a person may have been removed from it.
        for (id, _) in &files {
            missing += usize::from(!is_whole(store, *id, path(id)).await?);
        }
    }
    if missing > 0 {
        let videos_are = s3::videos_are(missing);
        return Err(OpenError::Place(format!(
            "{videos_are} in {place}; add --blobs {place}, or copy them to {} first",
            kept.display()
        )));
    }
    Ok(store.place_files(files.into_iter().map(|(id, _)| id).collect(), None).await?)
}

/// Says how many files of a shared database aren't in this folder: they may be in that of another process.
async fn say_missing(data: &Path, store: &Store) -> Result<(), OpenError> {
    let (kept, files) = (kept_in(data), store.files_not_at(String::new()).await?);
    let missing = files.iter().filter(|(id, _)| !kept.join(id.to_string()).is_file()).count();
    if missing > 0 {
        let videos_are = s3::videos_are(missing);
        tracing::warn!(
            "{videos_are} not in {}: either another process has them in its own folder, which --blobs would share, or they are lost",
            kept.display()
        );
    }
    Ok(())
}

/// Whether a file has the bytes that its record says.
async fn is_whole(store: &Store, id: Uuid, path: std::path::PathBuf) -> Result<bool, OpenError> {
    let file = store.video_file(id).await?;
    let hashed = tokio::task::spawn_blocking(move || folder::has_hash(&path, &file.hash)).await;
    Ok(hashed.map_err(std::io::Error::other)??)
}
