//! Somebody who comes in by a code, and only watches.

use std::sync::Arc;

use futures_util::FutureExt;
use russh::ChannelId;
use russh::keys::PublicKey;
use russh::server::Session;
use tokio::io::duplex;

use super::{Connection, UNREAD, ending};
use crate::domain::ShareCode;
use crate::runtime::watching::is_offered;
use crate::ssh::SshError;
use crate::ssh::keys::fingerprint;
use crate::ssh::watching::{Watched, Watcher};

impl Connection {
    /// Whether a key that is shown with a code may come in: the code is good, or the key is known and is told that it is
    /// not. A wrong one is slowed.
    pub(super) async fn is_offered(&self, code: ShareCode, key: &PublicKey) -> bool {
        let offered = tokio::task::spawn_blocking(move || is_offered(code)).await.unwrap_or(false);
        if !offered {
            tokio::time::sleep(self.shop.slowness.of(self.address)).await;
        }
        offered || self.entry(key).await.is_some()
    }

    /// Lets somebody in who only watches.
    pub(super) async fn enter_to_watch(&mut self, code: ShareCode, key: &PublicKey) {
        let fingerprint = fingerprint(key);
        let entry = self.entry(key).await;
        tracing::info!(key = %fingerprint, address = %self.address, "somebody came in over SSH by a code, to watch");
        if let Some(entry) = &entry {
            self.entered = Some(self.shop.sessions.enter(entry.clone(), self.tokens.end.clone()));
        }
        let known = entry.map(|entry| {
            let folder = self.shop.rooms.folder(&entry);
            (entry, folder)
        });
        self.watcher = Some(Watcher { code, known, fingerprint });
        self.is_in();
    }

    /// Shows a studio that is shared.
    pub(super) fn watch(&mut self, id: ChannelId, watcher: Watcher, session: &mut Session) -> Result<(), SshError> {
        let Some(mut line) = self.channels.remove(&id) else { return Ok(session.channel_failure(id)?) };
        let Some(term) = line.term.as_ref().filter(|term| !line.is_running && term.name != "dumb") else {
            session.channel_success(id)?;
            let why = "cutaway: watching a studio needs a terminal that can be drawn on; connect with ssh -t\r\n";
            session.extended_data(id, 1, why)?;
            session.exit_status_request(id, 2)?;
            session.eof(id)?;
            return Ok(session.close(id)?);
        };
        let (theirs, input) = duplex(UNREAD);
        let (name, size) = (term.name.clone(), term.size.subscribe());
        let showing = Watched {
            watcher,
            term: name,
            said: std::mem::take(&mut line.said),
            size,
            input,
            output: Box::new(line.channel.make_writer()),
            id,
            handle: session.handle(),
            end: line.end.clone(),
        };
        (line.input, line.is_running) = (Some(theirs), true);
        line.begun.cancel();
        let over = line.end.clone();
        self.channels.insert(id, line);
        session.channel_success(id)?;
        let (shop, tokens) = (Arc::clone(&self.shop), self.tokens.clone());
        self.running.spawn(self.shop.tasks.track_future(FutureExt::boxed(async move {
            ending::in_time(&tokens, showing.run(|| ending::why(&shop, &tokens))).await;
            over.cancel();
        })));
        Ok(())
    }
}
