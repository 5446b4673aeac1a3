//! The driver of the Steps screen: projects read, the library, files written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{failure, saving};
use crate::api::ListVideos;
use crate::client::Client;
use crate::domain::ProjectId;
use crate::studio::event::{Event, RequestId};
use crate::studio::steps::{self, Ask, Reply};

/// Reads a project with its steps.
pub async fn read(client: Client, request: RequestId, project: ProjectId) -> Event {
    let project = match saving::read(&client, &project).await {
        Ok(reading) => Ok(Box::new(reading.project)),
        Err(error) => Err(failure(&error)),
    };
    Event::Steps(steps::Event::Read { request, project })
}

/// Reads the video library.
pub async fn library(client: Client, request: RequestId) -> Event {
    let videos = match client.call(&ListVideos).await {
        Ok(answer) => Ok(Arc::new(answer.value.videos)),
        Err(error) => Err(failure(&error)),
    };
    Event::Steps(steps::Event::Library { request, videos })
}

/// Asks what making a plan needs.
pub async fn ask(client: Client, request: RequestId, ask: Ask) -> Event {
    let reply = match ask {
        Ask::Call(call, operation, options) => {
            Reply::Call(call, Box::new(saving::send(&client, &operation, options).await.0))
        }
        Ask::ReadProject { id, after } => {
            tokio::time::sleep(after).await;
            let read = saving::read(&client, &id).await;
            Reply::Project(read.map(Box::new).map_err(|error| failure(&error)))
        }
        Ask::ListProjects { after } => {
            tokio::time::sleep(after).await;
            Reply::Projects(saving::projects(&client).await.map_err(|error| failure(&error)))
        }
    };
    Event::Steps(steps::Event::Answered { request, reply: Box::new(reply) })
}

/// Writes a file whole or not at all; what stands there already stays.
pub async fn export(file: String, content: String) -> Event {
    let path = std::path::absolute(expand(&file)).unwrap_or_else(|_| expand(&file));
    let shown = path.display().to_string();
    let written = tokio::task::spawn_blocking(move || write_new(&path, content.as_bytes())).await;
    let ended = match written {
        Ok(Ok(())) => Ok(shown),
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(format!("{shown} is there already and was left as it is."))
        }
        Ok(Err(error)) => Err(format!("{shown} can't be written: {error}")),
        Err(error) => Err(format!("{shown} can't be written: {error}")),
    };
    Event::Steps(steps::Event::Exported(ended))
}

fn write_new(path: &Path, content: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".cutaway-export-").tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

/// A path as a person types it: `~/` is their home.
pub(super) fn expand(file: &str) -> PathBuf {
    let home = || directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    match file.strip_prefix("~/").and_then(|rest| Some(home()?.join(rest))) {
        Some(path) => path,
        None => PathBuf::from(file),
    }
}
