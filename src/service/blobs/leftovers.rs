//! What is left in S3 of files that didn't arrive, or whose videos were deleted: found by the ledger, removed, and looked
//! for again before the ledger forgets it. S3 itself cleans up nothing.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use http::StatusCode;
use object_store::multipart::MultipartStore as _;
use object_store::path::Path;
use object_store::signer::{SignedUrlOptions, Signer as _};
use object_store::{Error, MultipartId, ObjectStoreExt as _};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::BlobError;
use super::s3::S3;
use super::said::{away, line, uploads};
use crate::service::store::{FIRST_FENCE, Lapsed};
use crate::service::timing::now;

/// How long an address for one question to S3 is good.
const SIGNED: Duration = Duration::from_secs(60);
/// What S3 says of uploads at most, bytes.
const MOST_SAID: usize = 1024 * 1024;
/// How often an upload is aborted before it is left for later.
const TRIES: usize = 3;
/// Where so many files in a row can't be cleared away, it is S3 that is away.
const MOST_FAILED: usize = 5;
/// From this fence on a file was taken over before: no part of it comes any more.
const AGAIN: i64 = FIRST_FENCE + 2;

impl S3 {
    /// Clears away until `stop` what nobody holds a lease on.
    pub(super) async fn clear(self: &Arc<Self>, stop: CancellationToken) {
        loop {
            if let Err(error) = self.clear_lapsed(&stop).await {
                tracing::warn!(%error, "what was left in S3 could not be cleared away; it is tried again");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(self.lease / 2) => {}
            }
        }
    }

    /// Clears away what is there at the moment. One that can't be cleared away doesn't keep the others; what it failed with
    /// is told at the end.
    pub(super) async fn clear_lapsed(&self, stop: &CancellationToken) -> Result<(), BlobError> {
        // What is taken in this round is not taken in it again.
        let (begun, mut failed, mut first) = (now(), 0, None);
        while !stop.is_cancelled()
            && failed < MOST_FAILED
            && let Some(lapsed) = self.store.take_lapsed(self.place.clone(), begun, self.until()).await?
        {
            let id = lapsed.id;
            match self.remove(lapsed).await {
                Ok(()) => failed = 0,
                Err(error) => {
                    tracing::debug!(%error, %id, "what was left of a file could not be cleared away");
                    failed += 1;
                    first.get_or_insert(error);
                }
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// Clears away, beside everything else, a file that arrived for nothing.
    pub(super) fn give_up(self: &Arc<Self>, id: Uuid) {
        let s3 = Arc::clone(self);
        self.clearing.spawn(FutureExt::boxed(async move { s3.give_up_now(id).await }));
    }

    /// The same, now. What fails is left for later.
    pub(super) async fn give_up_now(&self, id: Uuid) {
        let gone = async {
            match self.store.take_arriving(id, self.until()).await? {
                Some(lapsed) => self.remove(lapsed).await,
                None => Ok(()),
            }
        };
        if let Err(error) = gone.await {
            tracing::warn!(%error, %id, "what was left of an upload could not be cleared away; it is tried again");
        }
    }

    /// Removes everything of a file, and then what the ledger has of it.
    async fn remove(&self, lapsed: Lapsed) -> Result<(), BlobError> {
        let key = self.key(lapsed.id);
        if let Some(upload) = &lapsed.upload {
            self.abort(&key, upload).await?;
        }
        match self.objects.delete(&key).await {
            Ok(()) | Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(away(error)),
        }
        // An upload may have been begun that nobody could write down any more, and a part may have come after its end.
        if !self.end_uploads(&key).await? && lapsed.fence < AGAIN {
            // Nobody may look. What is known of it is removed again when its lease has ended, and is taken for all of it then.
            return Ok(());
        }
        Ok(self.store.forget_file(lapsed).await?)
    }

    /// Ends all uploads that S3 has for a key. Says whether it lets anybody look.
    pub(super) async fn end_uploads(&self, key: &Path) -> Result<bool, BlobError> {
        for _ in 0..TRIES {
            let Some(uploads) = self.uploads(key).await? else { return Ok(false) };
            if uploads.is_empty() {
                return Ok(true);
            }
            for upload in uploads {
                self.abort(key, &upload).await?;
            }
        }
        Err(BlobError::Away("uploads stay that were ended".to_owned()))
    }

    async fn abort(&self, key: &Path, upload: &MultipartId) -> Result<(), BlobError> {
        match self.objects.abort_multipart(key, upload).await {
            // It was completed, or ended before.
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(away(error)),
        }
    }

    /// Says in the log where uploads that nobody wrote down can't be found.
    pub(super) async fn try_to_look(&self) {
        if let Ok(None) = self.uploads(&self.key(Uuid::nil())).await {
            tracing::warn!(
                "S3 doesn't let the service list uploads (s3:ListBucketMultipartUploads): after a crash, parts of an upload \
                 may stay in the bucket; add a lifecycle rule that ends incomplete uploads"
            );
        }
    }

    /// The uploads that S3 has for a key; nothing where it lets nobody look. Fails where the bucket is not there: then
    /// nothing is known.
    async fn uploads(&self, key: &Path) -> Result<Option<Vec<MultipartId>>, BlobError> {
        let asked = SignedUrlOptions::default().with_query([("uploads", ""), ("prefix", key.as_ref())]);
        let url =
            self.objects.signed_url_opts(http::Method::GET, &Path::default(), SIGNED, &asked).await.map_err(away)?;
        let failed = |error: reqwest::Error| BlobError::Away(line(&error.without_url().to_string()));
        let response = self.http.get(url).send().await.map_err(failed)?;
        if matches!(
            response.status(),
            StatusCode::FORBIDDEN | StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED
        ) {
            return Ok(None);
        }
        let mut response = response.error_for_status().map_err(failed)?;
        let mut said = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(failed)? {
            said.extend_from_slice(&piece);
            if said.len() > MOST_SAID {
                return Err(BlobError::Away("the list of uploads is too long".to_owned()));
            }
        }
        let listed = uploads(&said, key.as_ref());
        listed.map(Some).map_err(|error| BlobError::Away(format!("the list of uploads: {error}")))
    }
}
