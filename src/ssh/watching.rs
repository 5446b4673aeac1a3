//! `ssh CODE@host`: a channel in which somebody watches a studio that is shared on this machine, and can do nothing else.

use std::path::PathBuf;

use russh::ChannelId;
use russh::server::Handle;
use tokio::io::{AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::channel;
use super::keys::GuestKey;
use crate::domain::ShareCode;
use crate::runtime::remote::Size;
use crate::runtime::watching::{FromWatcher, Hearing, Hello, HelloKey, Speaking, ToWatcher, Visit};
use crate::terminal::leaving;

/// Who came in by a code.
#[derive(Clone)]
pub(super) struct Watcher {
    pub(super) code: ShareCode,
    /// What they are known by, where their key is registered, with the folder of its workspace.
    pub(super) known: Option<(GuestKey, PathBuf)>,
    pub(super) fingerprint: String,
}

/// The ends of their channel.
pub(super) struct Watched {
    pub(super) watcher: Watcher,
    pub(super) term: String,
    pub(super) said: Vec<(String, String)>,
    pub(super) size: watch::Receiver<Size>,
    pub(super) input: DuplexStream,
    pub(super) output: Box<dyn AsyncWrite + Send + Unpin>,
    pub(super) id: ChannelId,
    pub(super) handle: Handle,
    pub(super) end: CancellationToken,
}

impl Watched {
    /// Shows the studio until they leave, or it ends; `ended_here` says why where that was decided here.
    pub(super) async fn run(self, ended_here: impl Fn() -> Option<&'static str>) {
        let (handle, id, end) = (self.handle.clone(), self.id, self.end.clone());
        let (why, exit_code) = match end.run_until_cancelled(self.show()).await {
            Some(Ok(why)) => (why, 0),
            Some(Err((why, exit_code))) => (why, exit_code),
            None => {
                // Whoever draws is not heard of any more: a string that was cut off ends first.
                let _ = handle.data(id, format!("\x1b\\{}", leaving(false, false))).await;
                (ended_here().unwrap_or_default().to_owned(), 0)
            }
        };
        if !why.is_empty() {
            let _ = handle.extended_data(id, 1, format!("cutaway: {why}\r\n")).await;
        }
        channel::end(&handle, id, exit_code).await;
    }

    fn hello(&self) -> Hello {
        let Watcher { code, known, fingerprint } = &self.watcher;
        let size = *self.size.borrow();
        let mut said = self.said.clone();
        // They are at the other end of a line, whatever they say.
        said.retain(|(name, _)| name != "SSH_CONNECTION");
        said.push(("SSH_CONNECTION".to_owned(), "guest".to_owned()));
        Hello {
            code: code.to_string(),
            name: known.as_ref().map_or_else(|| "Someone".to_owned(), |(key, _)| key.shown().to_owned()),
            key: Some(HelloKey {
                fingerprint: fingerprint.clone(),
                workspace: known.as_ref().map(|(_, workspace)| workspace.clone()),
                read_only: known.as_ref().is_some_and(|(key, _)| key.read_only),
            }),
            term: self.term.clone(),
            said,
            cells: size.cells,
            cell: size.cell,
        }
    }

    /// Why it ended.
    ///
    /// # Errors
    /// Why it did not begin, with the exit code.
    async fn show(self) -> Result<String, (String, u8)> {
        let hello = self.hello();
        let visit = Visit::begin(self.watcher.code, &hello).await.map_err(|error| (error.to_string(), 1))?;
        let Some(visit) = visit else {
            return Err(("no studio is shared with this code anymore; ask for a new one".to_owned(), 4));
        };
        let (hearing, speaking) = visit.split();
        let (output, handle, id) = (self.output, self.handle, self.id);
        tokio::select! {
            why = hear(hearing, output, &handle, id) => Ok(why),
            () = speak(speaking, self.input, self.size) => Ok(String::new()),
        }
    }
}

/// Shows what comes, until it ends.
async fn hear(
    mut hearing: Hearing,
    mut writer: Box<dyn AsyncWrite + Send + Unpin>,
    handle: &Handle,
    id: ChannelId,
) -> String {
    loop {
        match hearing.next().await {
            Ok(ToWatcher::Output(bytes)) => {
                if writer.write_all(&bytes).await.is_err() {
                    return String::new();
                }
            }
            Ok(ToWatcher::Said(words)) => drop(handle.extended_data(id, 1, format!("cutaway: {words}\r\n")).await),
            Ok(ToWatcher::End(why)) => return why,
            Err(_) => return "The studio ended.".to_owned(),
        }
    }
}

/// Passes on what is typed, and the size, until the channel ends.
async fn speak(mut speaking: Speaking, mut input: DuplexStream, mut size: watch::Receiver<Size>) {
    let mut bytes = vec![0; 4096];
    loop {
        let said = tokio::select! {
            read = input.read(&mut bytes) => match read {
                Ok(read) if read > 0 => FromWatcher::Input(bytes.get(..read).unwrap_or_default().to_vec()),
                _ => return,
            },
            changed = size.changed() => {
                if changed.is_err() {
                    return;
                }
                FromWatcher::Size(*size.borrow_and_update())
            }
        };
        if speaking.say(&said).await.is_err() {
            // What was said last is still to be shown.
            std::future::pending::<()>().await;
        }
    }
}
