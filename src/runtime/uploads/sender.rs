//! One upload being sent, once: looked for in the library first, where it may have arrived before.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::library::{self, Before};
use crate::client::{Client, ClientError, FileToSend, NotUploaded, Progress, RateLimit};
use crate::domain::VideoId;
use crate::uploads::{Trouble, Upload};

/// What came of it.
#[derive(Debug)]
pub(super) enum Came {
    /// It is not in the library, so it is to be sent; these are, and it is none of them.
    Absent { known: Vec<String> },
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

/// Looks for it in the library; one of which nothing was sent yet is not there, and what is there is remembered.
pub(super) async fn look_for(client: Client, upload: Upload, claimed: Vec<VideoId>, before: Arc<Before>) -> Came {
    let Some(begun_ms) = upload.begun_ms else {
        return match before.known(&client, &upload).await {
            Ok(known) => Came::Absent { known },
            // A service that can't say what it has may take a file all the same.
            Err(error)
                if !matches!(error, ClientError::Unreadable { .. })
                    && matches!(trouble(&error), Trouble::Line | Trouble::Status(401)) =>
            {
                Came::Broke { error, retry_after: None }
            }
            Err(error) => {
                tracing::debug!(%error, "the library can't be read before an upload");
                Came::Absent { known: Vec::new() }
            }
        };
    };
    match library::find(&client, &upload, begun_ms, |video| claimed.contains(video)).await {
        Ok(None) => Came::Absent { known: Vec::new() },
        Ok(Some(video)) => Came::Arrived { video, found: true, body: None },
        Err(error) => Came::Broke { error, retry_after: None },
    }
}

/// Sends it under this key.
pub(super) async fn send(
    client: Client,
    upload: Upload,
    key: String,
    progress: Arc<Progress>,
    limit: Arc<RateLimit>,
) -> Came {
    let file = FileToSend {
        path: upload.file.path.0,
        fingerprint: upload.file.fingerprint,
        name: upload.file.name,
        content_type: upload.file.content_type,
        key: Some(key),
        progress,
        limit,
    };
    match client.upload(&file).await {
        Ok(answer) => Came::Arrived { video: answer.value.id, found: false, body: Some(answer.body) },
        Err(NotUploaded { error, retry_after }) => Came::Broke { error, retry_after },
    }
}

/// What tells an upload from every other one, also after a restart: a service that heeds it keeps the file once, however
/// often it is sent. Videos that uploads just like it were taken to be make another key: one of them may have come of
/// this one, and then this one is to become another.
pub(super) fn key(upload: &Upload, of_twins: &[&str]) -> String {
    let told = serde_json::to_vec(&(upload.id, upload.added_ms, &upload.file, of_twins)).unwrap_or_default();
    blake3::hash(&told).to_hex().to_string()
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
