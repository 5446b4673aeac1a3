//! Files in S3 that are looked into and written again, for a command that works beside a service or without one.

use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::multipart::MultipartStore as _;
use object_store::{Attribute, Attributes, Error, ObjectStoreExt as _, PutMultipartOptions, PutPayload};
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt as _;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::parts::even_parts;
use super::s3::S3;
use super::said::away;
use super::{BlobError, OpenError, Opening, S3Place};
use crate::service::store::{Store, StoreError};
use crate::service::timing::Timing;

/// The files of a workspace in S3.
pub(in crate::service) struct Remote(Arc<S3>);

impl Remote {
    /// Opens the place that a workspace's files are at. Nothing else about it changes.
    pub(in crate::service) async fn open(place: &S3Place, store: Arc<Store>, data: &Path) -> Result<Self, OpenError> {
        let opening = Opening { place, timing: &Timing::default(), redirect: false, data };
        Ok(Self(S3::open(opening, store).await?))
    }

    /// Removes the files of deleted videos now, and what is left of uploads that broke off.
    pub(in crate::service) async fn clear(&self) -> Result<(), BlobError> {
        self.0.store.end_grace().await?;
        self.0.clear_lapsed(&CancellationToken::new()).await
    }

    /// Hands a copy of a file, beside the data, to `change`; where that says that it changed it, the copy takes the file's
    /// place. Says whether it did: not where the video was deleted meanwhile, whose file [`Self::clear`] removes.
    pub(in crate::service) async fn rewrite(
        &self,
        id: Uuid,
        data: &Path,
        change: impl FnOnce(&Path) -> io::Result<bool> + Send + 'static,
    ) -> Result<bool, BlobError> {
        let copy = NamedTempFile::new_in(data)?;
        let mut pieces = match self.0.objects.get(&self.0.key(id)).await {
            Ok(found) => found.into_stream(),
            Err(Error::NotFound { .. }) if self.is_deleted(id).await? => return Ok(false),
            Err(error) => return Err(away(error)),
        };
        let mut file = tokio::fs::File::from_std(copy.reopen()?);
        while let Some(piece) = pieces.try_next().await.map_err(away)? {
            file.write_all(&piece).await?;
        }
        file.flush().await?;
        drop(file);
        let path = copy.path().to_owned();
        let changed = tokio::task::spawn_blocking(move || change(&path)).await.map_err(io::Error::other)??;
        if !changed {
            return Ok(false);
        }
        match self.replace(id, &copy).await {
            Err(BlobError::Store(StoreError::Missing(_))) => Ok(false),
            replaced => replaced.map(|()| true),
        }
    }

    async fn is_deleted(&self, id: Uuid) -> Result<bool, BlobError> {
        match self.0.store.video_file(id).await {
            Ok(_) => Ok(false),
            Err(StoreError::Missing(_)) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// A file takes the place of another one, at one moment, once all of it is there.
    async fn replace(&self, id: Uuid, copy: &NamedTempFile) -> Result<(), BlobError> {
        let (s3, key) = (&self.0, self.0.key(id));
        let found = s3.store.video_file(id).await?;
        // One that was killed may have left its own.
        s3.end_uploads(&key).await?;
        let mut attributes = Attributes::new();
        attributes.insert(Attribute::ContentType, found.content_type.into());
        let options = PutMultipartOptions { attributes, ..PutMultipartOptions::default() };
        let upload = s3.objects.create_multipart_opts(&key, options).await.map_err(away)?;
        let sent = async {
            let (mut file, mut parts) = (copy.reopen()?, Vec::new());
            let size = even_parts(found.size);
            loop {
                let mut part = Vec::new();
                // Of a file on this machine's disk: a moment.
                file.by_ref().take(size).read_to_end(&mut part)?;
                if part.is_empty() && !parts.is_empty() {
                    break;
                }
                let payload = PutPayload::from_bytes(Bytes::from(part));
                parts.push(s3.put_part(&key, &upload, parts.len(), payload, size).await?);
            }
            s3.objects.complete_multipart(&key, &upload, parts).await.map_err(away)?;
            Ok::<_, BlobError>(())
        };
        let sent = sent.await;
        if sent.is_err() {
            let _ = s3.objects.abort_multipart(&key, &upload).await;
        }
        sent
    }
}
