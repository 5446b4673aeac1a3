//! Files that a guest puts here, in a channel.

use std::sync::Arc;

use futures_util::FutureExt;
use russh::ChannelId;
use russh::server::Session;
use tokio::io::duplex;

use super::{Connection, UNREAD, ending};
use crate::ssh::SshError;
use crate::ssh::channel;
use crate::ssh::sftp::{Files, Open};
use crate::ssh::shop::Kind;

impl Connection {
    /// Takes files in a channel: what `sftp` speaks, and `scp` with it.
    pub(super) fn take_files(&mut self, id: ChannelId, session: &mut Session) -> Result<(), SshError> {
        let (Some(line), Some(guest)) = (self.channels.get_mut(&id), self.guest.clone()) else {
            return Ok(session.channel_failure(id)?);
        };
        if line.is_running || line.term.is_some() {
            return Ok(session.channel_failure(id)?);
        }
        let (theirs, input) = duplex(UNREAD);
        let share = self.shop.share_of(&guest.key.id, Kind::Upload);
        let files = Files {
            guest,
            commands: Arc::clone(&self.shop.commands),
            uploads: Arc::clone(&self.shop.uploads),
            share,
            limits: self.shop.limits,
            input,
            output: Box::pin(line.channel.make_writer()),
            errors: Box::pin(line.channel.make_writer_ext(Some(1))),
            end: line.end.clone(),
            open: Open::default(),
        };
        (line.input, line.is_running) = (Some(theirs), true);
        line.begun.cancel();
        session.channel_success(id)?;
        let (handle, over, tokens) = (session.handle(), line.end.clone(), self.tokens.clone());
        self.running.spawn(self.shop.tasks.track_future(FutureExt::boxed(async move {
            let exit_code = files.run().await;
            over.cancel();
            ending::in_time(&tokens, channel::end(&handle, id, exit_code)).await;
        })));
        Ok(())
    }
}
