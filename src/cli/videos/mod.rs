//! `cutaway videos`: one file a command.

mod captions;
mod create;
mod list;
mod piped;
mod playable;
mod progress;
mod queue;
mod send_queue;
mod upload;

use clap::{Args, Subcommand};

use super::call::Call;
use super::{Failure, Session, streams};
use crate::api::{self, Operation as _};

/// The commands that end in operations.
pub(super) const CALLS: [Call; 7] = [
    ("videos list", api::ListVideos::ROW),
    ("videos create", api::CreateVideo::ROW),
    ("videos upload", api::UploadVideo::ROW),
    ("videos captions list", api::ListCaptions::ROW),
    ("videos captions add", api::SetCaptions::ROW),
    ("videos captions show", api::GetCaptions::ROW),
    ("videos captions remove", api::RemoveCaptions::ROW),
];

/// List, add and upload videos.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway videos list
  cutaway videos upload welcome.mp4")]
pub(super) struct Videos {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List videos
    List(list::List),
    /// Add a video by its address
    Create(create::Create),
    /// Upload video files
    Upload(upload::Upload),
    /// List, add, print and remove the captions of a video (local workspace and `serve` only)
    Captions(captions::CaptionsOf),
    /// Show and manage the upload queue
    Queue(queue::Queue),
    /// Send the queue in the background
    #[command(hide = true)]
    SendQueue(send_queue::SendQueue),
}

impl Videos {
    /// Whether it goes on without whoever started it: then it leaves the terminal, and says in the log what it does.
    pub(super) fn is_background(&self) -> bool {
        matches!(self.command, Command::SendQueue(_))
    }

    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        match &self.command {
            Command::List(command) => command.run(session).await,
            Command::Create(command) => command.run(session).await,
            Command::Upload(command) => {
                command.may_run()?;
                command.run(session).await
            }
            Command::Captions(command) => command.run(session).await,
            Command::Queue(command) => {
                streams::is_at_home("videos queue")?;
                command.run(session)
            }
            Command::SendQueue(command) => {
                streams::is_at_home("videos send-queue")?;
                command.run(session).await
            }
        }
    }
}
