//! A file on its way in: what arrives is read by a command, as if it came by a pipe.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncWriteExt as _, DuplexStream, duplex};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::ssh::command::Input;
use crate::ssh::guest::Shared;
use crate::ssh::{Call, Commands, Limits};

/// Bytes of a file that wait to be read.
const UNREAD: usize = 256 * 1024;

/// Bytes that are kept of what the command says.
const MOST_SAID: usize = 4096;

/// The exit code of what ended as it should.
const DONE: u8 = 0;

/// A file that is being written. Dropping it before its end makes no video of it.
pub(super) struct Upload {
    /// Before the pipe: it has to be known that the rest does not come before that ends.
    broken_off: DropGuard,
    pub(super) handle: u32,
    pub(super) name: String,
    /// How many bytes arrived.
    pub(super) written: u64,
    pipe: DuplexStream,
    running: JoinHandle<u8>,
    said: Said,
}

impl Upload {
    /// Begins a video of this name.
    pub(super) fn begin(
        handle: u32,
        name: String,
        guest: Shared,
        commands: Arc<dyn Commands>,
        limits: Limits,
        permit: (OwnedSemaphorePermit, OwnedSemaphorePermit),
    ) -> Self {
        let (pipe, input) = duplex(UNREAD);
        let (end, said) = (CancellationToken::new(), Said::default());
        // Words, and no line: nothing in a name is read as anything else.
        let words = ["videos", "upload", "-", &format!("--name={name}"), "--id-only"].map(str::to_owned).to_vec();
        let call = Call {
            words,
            folders: guest.folders.clone(),
            key: guest.api_key.clone(),
            read_only: guest.key.read_only,
            most_upload: limits.upload,
            input: Box::new(Input::new(input, end.clone(), limits.silent)),
            output: Box::new(io::sink()),
            errors: Box::new(said.clone()),
            end: end.clone(),
        };
        let running = tokio::task::spawn_blocking(move || {
            let exit_code = commands.run(call);
            drop(permit);
            exit_code
        });
        Self { broken_off: end.drop_guard(), handle, name, written: 0, pipe, running, said }
    }

    /// Hands on what arrived.
    ///
    /// # Errors
    /// Where nobody reads it any more.
    pub(super) async fn write(&mut self, data: &[u8]) -> io::Result<()> {
        self.pipe.write_all(data).await?;
        self.written = self.written.saturating_add(u64::try_from(data.len()).unwrap_or(0));
        Ok(())
    }

    /// This was all of it: waits until it is a video.
    ///
    /// # Errors
    /// Why it is none, in words.
    pub(super) async fn end(self) -> Result<(), String> {
        let Self { broken_off, pipe, running, said, name, .. } = self;
        drop(pipe);
        // A panic ends this upload and nothing else.
        let exit_code = running.await.unwrap_or(1);
        drop(broken_off);
        if exit_code == DONE { Ok(()) } else { Err(said.words(&name)) }
    }
}

/// What the command says, the beginning of it.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl Said {
    /// It without what every command begins with.
    fn words(&self, name: &str) -> String {
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&said);
        match said.trim().trim_start_matches("cutaway: ") {
            "" => format!("{name}: it was not uploaded"),
            words => words.to_owned(),
        }
    }
}

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MOST_SAID.saturating_sub(said.len()).min(bytes.len());
        said.extend(bytes.iter().take(room));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
