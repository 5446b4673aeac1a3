//! Uploads a file for an agent, and tells how far it is.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::agent::Agent;
use super::progress::Progress;
use crate::client::{FileToSend, Progress as Sent, RateLimit};
use crate::domain::text;
use crate::runtime::uploads::look;

/// So often it is told how far an upload is.
const TELL: Duration = Duration::from_millis(500);

/// Uploads the file at a path, under a name of its own where one is given.
///
/// # Errors
/// A sentence for the agent.
pub(super) async fn upload(
    agent: &Agent,
    progress: &Progress,
    path: String,
    name: Option<String>,
) -> Result<Value, String> {
    let shown = text::line(&path).into_owned();
    let looked = tokio::task::spawn_blocking(move || look(&PathBuf::from(path))).await;
    let file = looked.map_err(|error| error.to_string())?.map_err(|error| format!("{shown}: {error}"))?;
    let total = file.fingerprint.size;
    let sent = Arc::new(Sent::default());
    let file = FileToSend {
        path: file.path.0,
        fingerprint: file.fingerprint,
        name: name.unwrap_or(file.name),
        content_type: file.content_type,
        key: None,
        progress: Arc::clone(&sent),
        limit: Arc::new(RateLimit::default()),
    };
    let tell = |bytes: u64| {
        // Bytes of a file don't reach what a number of 53 bits can't hold.
        #[allow(clippy::cast_precision_loss)]
        progress.tell(bytes as f64, Some(total as f64), format!("{bytes} of {total} bytes sent"));
    };
    let mut uploading = std::pin::pin!(agent.client.upload(&file));
    let mut told = tokio::time::interval(TELL);
    let mut last = None;
    loop {
        tokio::select! {
            answer = &mut uploading => {
                let answer = answer.map_err(|failed| failed.error.to_string())?;
                if last != Some(total) {
                    tell(total);
                }
                let created = answer.value;
                return Ok(json!({ "id": created.id.as_str(), "name": created.name, "createdAt": created.created_at }));
            }
            _ = told.tick() => {
                let bytes = sent.sent();
                if last.is_none_or(|last| bytes > last) {
                    last = Some(bytes);
                    tell(bytes);
                }
            }
        }
    }
}
