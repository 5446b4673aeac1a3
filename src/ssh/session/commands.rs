//! A data command that a guest runs in a channel.

use std::sync::Arc;

use futures_util::FutureExt;
use russh::ChannelId;
use russh::server::Session;
use tokio::io::duplex;

use super::{Connection, UNREAD, ending};
use crate::ssh::SshError;
use crate::ssh::channel::{self, Output};
use crate::ssh::command::{self, Asked};
use crate::ssh::shop::Kind;
use crate::ssh::turn::Turn;

/// What is said where more of one client's commands wait than can.
const BUSY: &str = "too many commands of yours run here at once; try again when some have ended";

impl Connection {
    /// Runs a data command in a channel.
    pub(super) fn run(&mut self, id: ChannelId, line: &[u8], session: &mut Session) -> Result<(), SshError> {
        let (Some(open), Some(guest)) = (self.channels.get_mut(&id), self.guest.clone()) else {
            return Ok(session.channel_failure(id)?);
        };
        if open.is_running {
            return Ok(session.channel_failure(id)?);
        }
        let (theirs, input) = duplex(UNREAD);
        let is_raw = open.term.is_some();
        let (output, written) = Output::new(open.channel.make_writer(), self.tokens.close.clone());
        let (errors, told) = Output::new(open.channel.make_writer_ext(Some(1)), self.tokens.close.clone());
        let is_upload = command::is_upload(line);
        let turn = Turn::among(if is_upload { &self.shop.uploads } else { &self.shop.running });
        let output = output.raw(is_raw).until(open.end.clone()).announced(open.deaf.clone());
        let errors = errors.raw(is_raw).until(open.end.clone());
        let asked = Asked {
            guest,
            limits: self.shop.limits,
            line: line.to_vec(),
            input,
            output: (output.giving_way(Arc::clone(&turn)), written),
            errors: (errors.giving_way(Arc::clone(&turn)), told),
            turn: Arc::clone(&turn),
            end: open.end.clone(),
        };
        // Without anybody who reads it, what comes is passed over.
        open.input = command::may_read(line).then_some(theirs);
        (open.is_running, open.is_command) = (true, true);
        session.channel_success(id)?;
        let (handle, shop, over) = (session.handle(), Arc::clone(&self.shop), open.end.clone());
        let (tokens, begun) = (self.tokens.clone(), open.begun.clone());
        self.running.spawn(self.shop.tasks.track_future(FutureExt::boxed(async move {
            // One of several at once; the others wait, until they leave. It is never closed.
            let share = shop.share_of(&asked.guest.key.id, if is_upload { Kind::Upload } else { Kind::Command });
            let entering = async {
                let permits = (share.acquire().await.ok(), shop.begun.acquire().await.ok());
                turn.take().await;
                permits
            };
            let exit_code = match over.run_until_cancelled(entering).await {
                Some(permits) => {
                    begun.cancel();
                    // What runs has the turn now, until it ends.
                    drop(turn);
                    let exit_code = asked.run(Arc::clone(&shop.commands)).await;
                    drop(permits);
                    exit_code
                }
                None => 1,
            };
            let is_turned_away = over.is_cancelled() && !begun.is_cancelled();
            over.cancel();
            let why = ending::why(&shop, &tokens).or(is_turned_away.then_some(BUSY));
            let telling = async {
                if let Some(why) = why.filter(|_| exit_code != 0) {
                    let end = if is_raw { "\r\n" } else { "\n" };
                    let _ = handle.extended_data(id, 1, format!("cutaway: {why}{end}")).await;
                }
                channel::end(&handle, id, exit_code).await;
            };
            ending::in_time(&tokens, telling).await;
        })));
        Ok(())
    }
}
