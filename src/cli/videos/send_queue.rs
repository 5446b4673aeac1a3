//! `cutaway videos send-queue`: the background part, started by the others.

use clap::Args;

use super::upload::open;
use crate::api::UploadVideo;
use crate::cli::{Failure, Session};
use crate::runtime::uploads::{Guard, background};

/// Send what is queued, without a terminal.
#[derive(Debug, Args)]
pub(super) struct SendQueue {}

impl SendQueue {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        session.may_write::<UploadVideo>()?;
        let folder = open(session)?;
        let connection = session.connect().await?;
        let guard = Guard::of(&session.target, &session.folders);
        background::run(folder, connection.client, guard).await.map_err(|error| Failure::Other(error.into()))
    }
}
