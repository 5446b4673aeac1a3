//! What is left in S3 of files that didn't arrive, or whose videos were deleted: found by the ledger, removed, and looked
//! for once more before the ledger forgets it. S3 itself cleans up nothing.

use std::sync::Arc;
use std::time::Duration;

use object_store::multipart::MultipartStore as _;
use object_store::path::Path;
use object_store::signer::{SignedUrlOptions, Signer as _};
use object_store::{Error, MultipartId, ObjectStoreExt as _};
use quick_xml::events::Event;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::BlobError;
use super::s3::{S3, away};
use crate::service::store::Lapsed;
use crate::service::timing::now;

/// How long an address for one question to S3 is good.
const SIGNED: Duration = Duration::from_secs(60);
/// What S3 says of uploads at most, bytes.
const MOST_SAID: usize = 1024 * 1024;
/// How often an upload is aborted before it is left for later.
const TRIES: usize = 3;

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

    /// Clears away what is there at the moment.
    pub(super) async fn clear_lapsed(&self, stop: &CancellationToken) -> Result<(), BlobError> {
        while !stop.is_cancelled()
            && let Some(lapsed) = self.store.take_lapsed(self.place.clone(), now(), self.until()).await?
        {
            self.remove(lapsed).await?;
        }
        Ok(())
    }

    /// Clears away, beside everything else, a file that arrived for nothing.
    pub(super) fn give_up(self: &Arc<Self>, id: Uuid) {
        let s3 = Arc::clone(self);
        self.clearing.spawn(async move { s3.give_up_now(id).await });
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
        self.end_uploads(&key).await?;
        Ok(self.store.forget_file(lapsed).await?)
    }

    /// Ends all uploads that S3 has for a key.
    pub(super) async fn end_uploads(&self, key: &Path) -> Result<(), BlobError> {
        for _ in 0..TRIES {
            let uploads = self.uploads(key).await?;
            if uploads.is_empty() {
                return Ok(());
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

    /// The uploads that S3 has for a key. Also says where the bucket is not there: then nothing is known.
    async fn uploads(&self, key: &Path) -> Result<Vec<MultipartId>, BlobError> {
        let asked = SignedUrlOptions::default().with_query([("uploads", ""), ("prefix", key.as_ref())]);
        let url =
            self.objects.signed_url_opts(http::Method::GET, &Path::default(), SIGNED, &asked).await.map_err(away)?;
        let failed = |error: reqwest::Error| BlobError::Away(error.without_url().to_string());
        let response = self.http.get(url).send().await.map_err(failed)?.error_for_status().map_err(failed)?;
        let mut response = response;
        let mut said = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(failed)? {
            said.extend_from_slice(&piece);
            if said.len() > MOST_SAID {
                return Err(BlobError::Away("the list of uploads is too long".to_owned()));
            }
        }
        listed(&said, key.as_ref()).map_err(|error| BlobError::Away(format!("the list of uploads: {error}")))
    }
}

/// The ids of the uploads of a key in what S3 says.
fn listed(xml: &[u8], key: &str) -> Result<Vec<MultipartId>, quick_xml::Error> {
    let mut reader = quick_xml::Reader::from_reader(xml);
    let (mut inside, mut upload, mut of, mut text) = (false, String::new(), String::new(), String::new());
    let mut uploads = Vec::new();
    loop {
        match reader.read_event()? {
            Event::Eof => return Ok(uploads),
            Event::Start(start) => {
                text.clear();
                if start.local_name().as_ref() == b"Upload" {
                    (inside, upload, of) = (true, String::new(), String::new());
                }
            }
            Event::Text(piece) => text.push_str(&String::from_utf8_lossy(&piece)),
            Event::GeneralRef(_) => text.push('&'),
            Event::End(end) => match end.local_name().as_ref() {
                b"UploadId" if inside => upload.clone_from(&text),
                b"Key" if inside => of.clone_from(&text),
                b"Upload" => {
                    inside = false;
                    if of == key && !upload.is_empty() {
                        uploads.push(std::mem::take(&mut upload));
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn uploads_are_read_from_what_s3_says() {
        let xml = br#"<?xml version="1.0" encoding="UTF-8"?>
<ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Bucket>films</Bucket><KeyMarker></KeyMarker><UploadIdMarker/><MaxUploads>1000</MaxUploads>
  <Upload><Key>a/videos/1</Key><UploadId>XMgbGlrZSBl.-_</UploadId><Initiator><ID>x</ID></Initiator></Upload>
  <Upload><UploadId>second</UploadId><Key>a/videos/1</Key></Upload>
  <Upload><UploadId>other</UploadId><Key>a/videos/12</Key></Upload>
</ListMultipartUploadsResult>"#;
        assert_eq!(listed(xml, "a/videos/1").unwrap(), ["XMgbGlrZSBl.-_", "second"]);
        assert!(listed(b"<ListMultipartUploadsResult/>", "a").unwrap().is_empty());
        assert!(listed(b"<a><b></a>", "a").is_err());
    }
}
