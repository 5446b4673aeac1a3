//! Files of videos in S3, or in what speaks S3: `PREFIX/videos/ID`, written once and seen only through its record, so
//! nothing is renamed or copied. What a crash leaves behind is found by the ledger of the database.

use std::ops::Range;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::multipart::{MultipartStore as _, PartId};
use object_store::path::Path;
use object_store::signer::Signer as _;
use object_store::{
    BackoffConfig, ClientOptions, Error, GetOptions, GetRange, MultipartId, ObjectStore as _, ObjectStoreExt as _,
    PutPayload, RetryConfig,
};
use tokio_util::task::TaskTracker;
use url::Url;
use uuid::Uuid;

use super::gathering::Blocks;
use super::room::Room;
use super::said::{at_start, away, cause};
use super::{Arrived, BlobError, OpenError, Pieces, S3Place, kept_in};
use crate::domain::VideoId;
use crate::service::store::{Created, CreationKey, NewVideoRow, Store, StoreError};
use crate::service::timing::{Timing, milliseconds, now};

/// Where files are, under the prefix.
const KEPT: &str = "videos";
/// What is written there to find out whether that can be done.
const PROBE: &str = "probe";
/// How long S3 may take to say at the start that it is there.
const AT_START: Duration = Duration::from_secs(15);
/// How long a request is tried again.
const TRIED: Duration = Duration::from_secs(15);
/// Bytes a second that a line has at least, where nothing else is known of it.
const SLOWEST: u64 = 16 * 1024;
/// How long an address of a file is good.
const SIGNED: Duration = Duration::from_secs(3600);
/// How many files are asked for at once.
const AT_ONCE: usize = 16;
/// How long a process that stops waits for what it clears away.
const CLOSING: Duration = Duration::from_secs(5);
/// The memory that all files take together while they arrive, bytes.
const MEMORY: u64 = 512 * 1024 * 1024;

/// What S3 is opened with.
pub(in crate::service) struct Opening<'a> {
    pub place: &'a S3Place,
    pub timing: &'a Timing,
    pub redirect: bool,
    /// The data folder, which may hold files from before.
    pub data: &'a FilePath,
}

/// A place in S3 with the ledger of what is there.
pub(in crate::service) struct S3 {
    pub(super) objects: AmazonS3,
    /// The same, for parts of files: a slow line may take as long as it does.
    sending: AmazonS3,
    /// How long S3 may say nothing.
    silence: Duration,
    /// Memory for files that arrive.
    pub(super) room: Room,
    pub(super) blocks: Blocks,
    /// Where the folder has its files, which may be there from before.
    originals: PathBuf,
    pub(super) store: Arc<Store>,
    pub(super) place: String,
    prefix: Path,
    pub(super) lease: Duration,
    /// How long a file stays after its video was deleted.
    pub(super) deleted_file: Duration,
    /// Whether readers are sent to S3.
    pub(super) redirect: bool,
    /// What is cleared away after uploads that broke off.
    pub(super) clearing: TaskTracker,
    /// For what S3 is asked beside objects.
    pub(super) http: reqwest::Client,
}

/// `1 video of this workspace is`, `2 videos of this workspace are`.
pub(super) fn videos_are(videos: usize) -> String {
    if videos == 1 {
        "1 video of this workspace is".to_owned()
    } else {
        format!("{videos} videos of this workspace are")
    }
}

/// The client of a place. `silence` is how long S3 may say nothing: not for one that sends, since it counts from the
/// beginning of a request on.
fn objects(place: &S3Place, silence: Option<Duration>) -> Result<AmazonS3, Error> {
    let mut builder = AmazonS3Builder::from_env().with_bucket_name(&place.bucket);
    if let Some(endpoint) = &place.endpoint {
        builder = builder.with_endpoint(endpoint);
    }
    if let Some(region) = &place.region {
        builder = builder.with_region(region);
    }
    if let Some((id, secret)) = &place.keys {
        builder = builder.with_access_key_id(id).with_secret_access_key(secret);
    }
    // An address that begins with http:// was meant.
    let endpoint = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint]
        .iter()
        .find_map(|key| builder.get_config_value(key));
    let plain = endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"));
    // A whole answer may take as long as its reader does.
    let client = ClientOptions::new().with_allow_http(plain).with_timeout_disabled();
    let client = silence.into_iter().fold(client, ClientOptions::with_read_timeout);
    let retry = RetryConfig { backoff: BackoffConfig::default(), max_retries: 5, retry_timeout: TRIED };
    builder.with_client_options(client).with_retry(retry).build()
}

impl S3 {
    /// Opens a place, and finds out whether it can be written. Whether the files are there is another question:
    /// [`Self::settle`].
    pub(super) async fn open(opening: Opening<'_>, store: Arc<Store>) -> Result<Arc<Self>, OpenError> {
        let Opening { place, timing, redirect, data } = opening;
        let refused = |why: String| OpenError::Place(format!("{}: {why}", place.name()));
        let silence = timing.file_silence;
        let client = |silence| objects(place, silence).map_err(|error| refused(cause(&error)));
        let s3 = Self {
            objects: client(Some(silence))?,
            sending: client(None)?,
            silence,
            room: Room::new(MEMORY),
            blocks: Blocks::default(),
            originals: kept_in(data),
            store,
            place: place.name(),
            prefix: Path::from(place.prefix.as_str()),
            lease: timing.file_lease,
            deleted_file: timing.deleted_file,
            redirect,
            clearing: TaskTracker::new(),
            http: reqwest::Client::builder()
                .read_timeout(silence)
                .build()
                .map_err(|error| refused(error.to_string()))?,
        };
        match tokio::time::timeout(AT_START, s3.probe()).await {
            Err(_) => return Err(refused("S3 did not answer".to_owned())),
            Ok(Err(error)) => return Err(refused(at_start(&error))),
            Ok(Ok(())) => {}
        }
        // Only a warning comes of it.
        let _ = tokio::time::timeout(AT_START, s3.try_to_look()).await;
        Ok(Arc::new(s3))
    }

    /// Writes something, and removes it again.
    async fn probe(&self) -> Result<(), Error> {
        let probe = self.prefix.clone().join(PROBE);
        self.objects.put(&probe, PutPayload::from_static(b"Cutaway was here.")).await?;
        self.objects.delete(&probe).await
    }

    /// Every video's file has to be here. Those that were brought here by other means are taken over.
    pub(super) async fn settle(&self) -> Result<(), OpenError> {
        let files = self.store.files_not_at(self.place.clone()).await?;
        if files.is_empty() {
            return Ok(());
        }
        let looks = futures_util::stream::iter(files).map(|(id, size)| async move {
            match self.objects.head(&self.key(id)).await {
                Ok(meta) if meta.size == size => Ok(Some(id)),
                Ok(_) | Err(Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        });
        let looked: Vec<_> = looks.buffer_unordered(AT_ONCE).collect().await;
        let (mut here, mut missing) = (Vec::new(), 0);
        for file in looked {
            match file.map_err(|error| OpenError::Place(format!("{}: {}", self.place, at_start(&error))))? {
                Some(id) => here.push(id),
                None => missing += 1,
            }
        }
        if missing > 0 {
            let (videos_are, place, folder) = (videos_are(missing), &self.place, &self.originals);
            return Err(OpenError::Place(format!(
                "{videos_are} not in {place}; copy the files from {} to {place}/{KEPT} first",
                folder.display()
            )));
        }
        Ok(self.store.place_files(here, Some(self.place.clone())).await?)
    }

    /// What the file of a video is called in the bucket.
    pub(super) fn key(&self, id: Uuid) -> Path {
        self.prefix.clone().join(KEPT).join(id.to_string())
    }

    /// When a lease that begins now ends, milliseconds since 1970.
    pub(super) fn until(&self) -> i64 {
        now() + milliseconds(self.lease)
    }

    /// What the folder has of a deleted video, from before its file was in S3, goes too.
    pub(super) async fn remove_original(&self, id: &VideoId) {
        let Ok(id) = Uuid::try_parse(id.as_str()) else { return };
        if !matches!(self.store.video_file(id).await, Err(StoreError::Missing(_))) {
            return;
        }
        match tokio::fs::remove_file(self.originals.join(id.to_string())).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(%error, %id, "the file that the folder has of a deleted video was left");
            }
            _ => {}
        }
    }

    /// Sends a part of a file. `beside` is how many bytes are on their way at once, with those of the part.
    pub(super) async fn put_part(
        &self,
        key: &Path,
        upload: &MultipartId,
        number: usize,
        part: PutPayload,
        beside: u64,
    ) -> Result<PartId, BlobError> {
        let within = self.silence + Duration::from_secs(beside / SLOWEST);
        match tokio::time::timeout(within, self.sending.put_part(key, upload, number, part)).await {
            Ok(sent) => sent.map_err(away),
            Err(_) => Err(BlobError::Away("a part took too long".to_owned())),
        }
    }

    /// Registers the video of a file that is whole; where that fails, or was done before, the file goes again.
    pub(super) async fn record(
        self: &Arc<Self>,
        workspace: i64,
        arrived: Arrived,
        row: NewVideoRow,
        key: Option<CreationKey>,
    ) -> Result<Created, BlobError> {
        let Arrived { id, lease, .. } = arrived;
        let created = self.store.add_stored_video(workspace, id, row, key).await;
        drop(lease);
        if !matches!(&created, Ok(created) if !created.repeated) {
            self.give_up(id);
        }
        Ok(created?)
    }

    /// The bytes of a file, piece by piece.
    pub(super) async fn read(&self, id: Uuid, range: Range<u64>) -> Result<Option<Pieces>, BlobError> {
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        match self.objects.get_opts(&self.key(id), options).await {
            Ok(found) => Ok(Some(found.into_stream().boxed())),
            Err(error @ Error::NotFound { .. }) => {
                // The record says that it is there, so it is the bucket that is not, or somebody took it out.
                tracing::warn!(%id, "the file of a video is not in S3");
                Err(away(error))
            }
            Err(error) => Err(away(error)),
        }
    }

    /// An address at which a file can be read for an hour.
    pub(super) async fn address(&self, id: Uuid) -> Result<Url, BlobError> {
        self.objects.signed_url(http::Method::GET, &self.key(id), SIGNED).await.map_err(away)
    }

    /// Waits, a few seconds at most, for what is still being cleared away.
    pub(super) async fn close(&self) {
        self.clearing.close();
        let _ = tokio::time::timeout(CLOSING, self.clearing.wait()).await;
    }
}
