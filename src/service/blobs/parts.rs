//! A file on its way into S3: parts of one size (R2 asks for that), a few of them at once, hashed as they come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use object_store::multipart::{MultipartStore as _, PartId};
use object_store::path::Path;
use object_store::{Attribute, Attributes, MultipartId, PutMultipartOptions};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::gathering::Gathering;
use super::room::Held;
use super::s3::S3;
use super::said::away;
use super::{Arrived, BlobError, Coming};
use crate::service::store::StoreError;

const MIB: u64 = 1024 * 1024;
/// The smallest part; S3 takes none below 5 MiB but the last.
const SMALLEST: u64 = 8 * MIB;
/// The largest part of a file that arrives: a part is in memory until it is sent, and what a client says of its file is no
/// reason to gather more. Also the size where nobody knows how much comes.
const LARGEST: u64 = 64 * MIB;
/// Parts of a file; S3 takes 10,000.
const MOST: u64 = 9_000;
/// Bytes of a file at most.
pub(super) const MOST_BYTES: u64 = MOST * LARGEST;
/// How long a file waits for memory before it begins.
const WAITING: Duration = Duration::from_secs(30);
/// Bytes on their way at once, unless a single part has more, and parts.
const AT_ONCE: u64 = 24 * MIB;
const PARTS_AT_ONCE: u64 = 3;

/// The size of the parts of a file of so many bytes.
pub(super) fn even_parts(size: u64) -> u64 {
    size.div_ceil(MOST).next_multiple_of(MIB).max(SMALLEST)
}

/// The size of the parts of a file that arrives and has so many bytes at most.
fn part_size(most: Option<u64>) -> u64 {
    most.map_or(LARGEST, |most| even_parts(most.min(MOST_BYTES)))
}

/// How many parts are sent at once.
fn at_once(part: u64) -> usize {
    usize::try_from((AT_ONCE / part).clamp(1, PARTS_AT_ONCE)).unwrap_or(1)
}

/// Renews the lease of a file until it is dropped.
pub(super) struct Lease {
    renewing: tokio::task::JoinHandle<()>,
    lost: Arc<AtomicBool>,
}

impl Lease {
    fn hold(s3: &Arc<S3>, id: Uuid) -> Self {
        let lost = Arc::new(AtomicBool::new(false));
        let (s3, told) = (Arc::clone(s3), Arc::clone(&lost));
        let renewing = tokio::spawn(FutureExt::boxed(async move {
            loop {
                tokio::time::sleep(s3.lease / 4).await;
                match s3.store.renew_file(id, s3.until()).await {
                    Ok(true) => {}
                    Ok(false) => return told.store(true, Ordering::Relaxed),
                    Err(error) => tracing::warn!(%error, %id, "the lease of an upload was not renewed"),
                }
            }
        }));
        Self { renewing, lost }
    }

    fn check(&self) -> Result<(), BlobError> {
        if self.lost.load(Ordering::Relaxed) { Err(StoreError::Lapsed.into()) } else { Ok(()) }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

type Sent = Result<(usize, PartId), BlobError>;

/// A file on its way in. Dropped before its end, it leaves nothing.
pub(in crate::service) struct Arriving {
    s3: Arc<S3>,
    id: Uuid,
    key: Path,
    upload: MultipartId,
    part_size: u64,
    gathered: Gathering,
    /// The memory of what is gathered.
    held: Held,
    sending: JoinSet<Sent>,
    sent: Vec<Option<PartId>>,
    hash: blake3::Hasher,
    size: u64,
    /// Gone once the file is whole.
    lease: Option<Lease>,
}

impl S3 {
    /// Begins to take in a file, once there is memory for it. The ledger has it before S3 does.
    pub(super) async fn arrive(self: &Arc<Self>, coming: Coming) -> Result<Arriving, BlobError> {
        let part = part_size(coming.most);
        let held = self.room.wait(coming.most.map_or(part, |most| most.min(part)), WAITING).await;
        let held = held.ok_or(BlobError::Busy)?;
        self.store.begin_file(coming.id, self.place.clone(), self.until()).await?;
        Arriving::begin(self, coming, held).await
    }
}

impl Arriving {
    /// Asks S3 for an upload. The ledger has the file already, and gets what S3 calls the upload before a part is sent.
    async fn begin(s3: &Arc<S3>, coming: Coming, held: Held) -> Result<Self, BlobError> {
        let Coming { id, content_type, most } = coming;
        let lease = Lease::hold(s3, id);
        let key = s3.key(id);
        let mut attributes = Attributes::new();
        attributes.insert(Attribute::ContentType, content_type.into());
        let options = PutMultipartOptions { attributes, ..PutMultipartOptions::default() };
        let mut arriving = Self {
            s3: Arc::clone(s3),
            id,
            key,
            upload: MultipartId::new(),
            part_size: part_size(most),
            gathered: s3.blocks.gathering(),
            held,
            sending: JoinSet::new(),
            sent: Vec::new(),
            hash: blake3::Hasher::new(),
            size: 0,
            lease: Some(lease),
        };
        arriving.upload = s3.objects.create_multipart_opts(&arriving.key, options).await.map_err(away)?;
        if !s3.store.note_upload(id, arriving.upload.clone()).await? {
            let _ = s3.objects.abort_multipart(&arriving.key, &arriving.upload).await;
            return Err(StoreError::Lapsed.into());
        }
        Ok(arriving)
    }

    /// Takes the next bytes, once there is room for them.
    pub(super) async fn take(&mut self, piece: Bytes) -> Result<(), BlobError> {
        if let Some(lease) = &self.lease {
            lease.check()?;
        }
        // Cheap enough to be done here: a piece takes some microseconds, less than to wake up another thread for it.
        self.hash.update(&piece);
        self.size += piece.len() as u64;
        let mut rest = piece.as_ref();
        while !rest.is_empty() {
            let room = self.part_size - self.gathered.len();
            let (now, later) = rest.split_at(rest.len().min(usize::try_from(room).unwrap_or(usize::MAX)));
            self.gathered.extend(now);
            rest = later;
            if self.gathered.len() == self.part_size {
                self.send().await?;
            }
        }
        Ok(())
    }

    /// How many bytes came so far.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Sends what is gathered as the next part, once there is room for it.
    async fn send(&mut self) -> Result<(), BlobError> {
        while self.sending.len() >= at_once(self.part_size) {
            self.arrived().await?;
        }
        let gathered = self.gathered.take();
        let (s3, key, upload, number) = (Arc::clone(&self.s3), self.key.clone(), self.upload.clone(), self.sent.len());
        self.sent.push(None);
        let more = self.s3.room.more(self.part_size);
        let alone = more.is_none();
        let held = more.map(|more| std::mem::replace(&mut self.held, more));
        let beside = self.part_size.max(AT_ONCE);
        self.sending.spawn(async move {
            let part = s3.put_part(&key, &upload, number, gathered, beside).await?;
            drop(held);
            Ok((number, part))
        });
        // Without memory for another part the next one is gathered once this one is gone.
        while alone && !self.sending.is_empty() {
            self.arrived().await?;
        }
        Ok(())
    }

    /// Waits until a part is there.
    async fn arrived(&mut self) -> Result<(), BlobError> {
        let Some(joined) = self.sending.join_next().await else { return Ok(()) };
        let (number, part) = joined.map_err(|error| BlobError::Away(error.to_string()))??;
        if let Some(sent) = self.sent.get_mut(number) {
            *sent = Some(part);
        }
        Ok(())
    }

    /// It is whole, in S3.
    pub(super) async fn end(mut self) -> Result<Arrived, BlobError> {
        if self.gathered.len() > 0 {
            self.send().await?;
        }
        while !self.sending.is_empty() {
            self.arrived().await?;
        }
        let parts: Vec<PartId> = std::mem::take(&mut self.sent).into_iter().flatten().collect();
        self.s3.objects.complete_multipart(&self.key, &self.upload, parts).await.map_err(away)?;
        Ok(Arrived { id: self.id, hash: self.hash.finalize().into(), lease: self.lease.take() })
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        let Some(lease) = self.lease.take() else { return };
        let (s3, id, mut sending) = (Arc::clone(&self.s3), self.id, std::mem::take(&mut self.sending));
        s3.clearing.clone().spawn(FutureExt::boxed(async move {
            // A part that arrives after all is gone would stay.
            sending.shutdown().await;
            drop(lease);
            s3.give_up_now(id).await;
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_large_enough_and_few_enough() {
        for (most, part) in [
            (Some(0), 8 * MIB),
            (Some(2 * 1024 * MIB), 8 * MIB),
            (Some(9_000 * 8 * MIB), 8 * MIB),
            (Some(9_000 * 8 * MIB + 1), 9 * MIB),
            (Some(MOST_BYTES), 64 * MIB),
            (None, 64 * MIB),
        ] {
            assert_eq!(part_size(most), part, "{most:?}");
            assert!(most.is_none_or(|most| most.div_ceil(part) <= MOST), "{most:?}");
        }
        // What a client says of its file chooses no more memory than that.
        for most in [MOST_BYTES + 1, 5 * 1024 * 1024 * MIB, 1_000_000_000_000_000_000, u64::MAX] {
            assert_eq!(part_size(Some(most)), LARGEST, "{most}");
        }
        assert_eq!(even_parts(5 * 1024 * 1024 * MIB), 583 * MIB);
        assert_eq!((at_once(8 * MIB), at_once(12 * MIB), at_once(64 * MIB)), (3, 2, 1));
    }
}
