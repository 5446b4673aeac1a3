//! One upload being sent, once: looked for in the library first, where it may have arrived before.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::library;
use crate::client::{Client, ClientError, FileToSend, NotUploaded, Progress, RateLimit};
use crate::domain::VideoId;
use crate::uploads::{Trouble, Upload};

/// What came of it.
#[derive(Debug)]
pub(super) enum Came {
    /// It arrived.
    Arrived {
        video: VideoId,
        /// Whether it was found in the library.
        found: bool,
        /// What the service answered, where it did.
        body: Option<Bytes>,
    },
    /// It did not.
    Broke { error: ClientError, retry_after: Option<Duration> },
}

/// Sends it.
pub(super) async fn send(
    client: Client,
    upload: Upload,
    claimed: Vec<VideoId>,
    progress: Arc<Progress>,
    limit: Arc<RateLimit>,
) -> Came {
    match library::find(&client, &upload, |video| claimed.contains(video)).await {
        Ok(None) => {}
        Ok(Some(video)) => return Came::Arrived { video, found: true, body: None },
        Err(error) => return Came::Broke { error, retry_after: None },
    }
    let file = FileToSend {
        path: upload.file.path.0,
        fingerprint: upload.file.fingerprint,
        name: upload.file.name,
        content_type: upload.file.content_type,
        progress,
        limit,
    };
    match client.upload(&file).await {
        Ok(answer) => Came::Arrived { video: answer.value.id, found: false, body: Some(answer.body) },
        Err(NotUploaded { error, retry_after }) => Came::Broke { error, retry_after },
    }
}

/// What kind of failure it is.
pub(super) fn trouble(error: &ClientError) -> Trouble {
    match error {
        ClientError::File(change) => Trouble::File(change.clone()),
        ClientError::Problem(problem) => Trouble::Status(problem.status),
        // A success that can't be read: it may well have arrived, and the library knows.
        ClientError::Unreachable { .. }
        | ClientError::Broken { .. }
        | ClientError::Silent { .. }
        | ClientError::CutOff { .. }
        | ClientError::Unreadable { .. } => Trouble::Line,
        ClientError::NoCredential | ClientError::SignedOut(_) => Trouble::Status(401),
        _ => Trouble::Lasting,
    }
}
