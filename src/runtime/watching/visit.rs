//! Somebody who watches, as their own process sees it: the code finds the studio, and from then on bytes go both ways.

use std::io;

use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use super::frame::{FromWatcher, Hello, ToWatcher, read_to_watcher};
use super::meeting;
use crate::domain::ShareCode;

/// Whether a studio is shared by this code now, on this host and by this user.
#[must_use]
pub fn is_offered(code: ShareCode) -> bool {
    meeting::find(code).is_some()
}

/// A studio that is watched.
pub struct Visit {
    read: OwnedReadHalf,
    write: OwnedWriteHalf,
}

/// What is written to the studio.
pub struct Speaking(OwnedWriteHalf);

/// What comes from the studio.
pub struct Hearing(OwnedReadHalf);

impl Visit {
    /// Knocks at the studio with this code; nothing where there is none.
    ///
    /// # Errors
    /// Where it can't be reached.
    pub async fn begin(code: ShareCode, hello: &Hello) -> io::Result<Option<Self>> {
        let Some(path) = meeting::find(code) else { return Ok(None) };
        let stream = match UnixStream::connect(path).await {
            Ok(stream) => stream,
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        if !meeting::is_own(&stream) {
            return Ok(None);
        }
        let (read, mut write) = stream.into_split();
        write.write_all(&hello.bytes()).await?;
        Ok(Some(Self { read, write }))
    }

    /// Its two ends.
    #[must_use]
    pub fn split(self) -> (Hearing, Speaking) {
        (Hearing(self.read), Speaking(self.write))
    }
}

impl Speaking {
    /// Passes on what the terminal sends, or its size.
    ///
    /// # Errors
    /// Where the studio is gone.
    pub async fn say(&mut self, what: &FromWatcher) -> io::Result<()> {
        self.0.write_all(&what.bytes()).await
    }
}

impl Hearing {
    /// What comes next; not to be cancelled and called again.
    ///
    /// # Errors
    /// Where the studio is gone.
    pub async fn next(&mut self) -> io::Result<ToWatcher> {
        read_to_watcher(&mut self.0).await
    }
}
