//! What goes between a studio that is shared and the terminal of whoever watches it: a kind, a length, and bytes.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::runtime::remote::Size;

/// The longest frame, bytes.
pub(super) const MOST: usize = 64 * 1024;

/// What comes from whoever watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromWatcher {
    /// Bytes of their terminal.
    Input(Vec<u8>),
    /// Their terminal has this size now.
    Size(Size),
}

/// What goes to whoever watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToWatcher {
    /// Bytes for their terminal.
    Output(Vec<u8>),
    /// Something to be said beside, before there is a picture.
    Said(String),
    /// It is over, and why.
    End(String),
}

/// Who knocks, and on what terminal. It is said by a process of the same user as the studio's.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hello {
    /// The code.
    pub code: String,
    /// What they are called.
    pub name: String,
    /// The SSH key that they came in by; without one they are the user whose studio it is.
    pub key: Option<HelloKey>,
    /// What the terminal is called.
    pub term: String,
    /// What else is known of it.
    pub said: Vec<(String, String)>,
    /// Its columns and rows.
    pub cells: (u16, u16),
    /// Pixels of a cell, where that is known.
    pub cell: Option<(u16, u16)>,
}

/// The SSH key of somebody who knocks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HelloKey {
    /// Its fingerprint.
    pub fingerprint: String,
    /// The folder of the workspace that it is registered for, where it is.
    pub workspace: Option<PathBuf>,
    /// Whether it may only read.
    pub read_only: bool,
}

#[derive(Serialize, Deserialize)]
struct Sizes {
    cells: (u16, u16),
    cell: Option<(u16, u16)>,
}

const HELLO: u8 = b'h';
const INPUT: u8 = b'i';
const SIZE: u8 = b's';
const OUTPUT: u8 = b'o';
const SAID: u8 = b'm';
const END: u8 = b'e';

impl Hello {
    /// As bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        frame(HELLO, &serde_json::to_vec(self).unwrap_or_default())
    }

    /// The size of the terminal.
    #[must_use]
    pub fn size(&self) -> Size {
        Size { cells: self.cells, cell: self.cell }
    }
}

impl FromWatcher {
    /// As bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Input(bytes) => frames(INPUT, bytes),
            Self::Size(size) => {
                let sizes = Sizes { cells: size.cells, cell: size.cell };
                frame(SIZE, &serde_json::to_vec(&sizes).unwrap_or_default())
            }
        }
    }
}

impl ToWatcher {
    /// As bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Output(bytes) => frames(OUTPUT, bytes),
            Self::Said(words) => frame(SAID, words.as_bytes()),
            Self::End(why) => frame(END, why.as_bytes()),
        }
    }
}

/// Long bytes as several frames.
fn frames(kind: u8, bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(MOST).flat_map(|chunk| frame(kind, chunk)).collect()
}

fn frame(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let kept = bytes.get(..bytes.len().min(MOST)).unwrap_or_default();
    let mut all = vec![kind];
    all.extend_from_slice(&u32::try_from(kept.len()).unwrap_or(0).to_be_bytes());
    all.extend_from_slice(kept);
    all
}

async fn read(from: &mut (impl AsyncRead + Unpin)) -> io::Result<(u8, Vec<u8>)> {
    let kind = from.read_u8().await?;
    let length = usize::try_from(from.read_u32().await?).unwrap_or(usize::MAX);
    if length > MOST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is too long"));
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).await?;
    Ok((kind, bytes))
}

fn wrong() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a frame that is known")
}

/// Reads who knocks.
///
/// # Errors
/// Where that is not what comes.
pub(super) async fn read_hello(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Hello> {
    match read(from).await? {
        (HELLO, bytes) => serde_json::from_slice(&bytes).map_err(io::Error::from),
        _ => Err(wrong()),
    }
}

/// Reads what comes next from whoever watches.
///
/// # Errors
/// Where they are gone.
pub(super) async fn read_from_watcher(from: &mut (impl AsyncRead + Unpin)) -> io::Result<FromWatcher> {
    match read(from).await? {
        (INPUT, bytes) => Ok(FromWatcher::Input(bytes)),
        (SIZE, bytes) => {
            let sizes: Sizes = serde_json::from_slice(&bytes)?;
            Ok(FromWatcher::Size(Size { cells: sizes.cells, cell: sizes.cell }))
        }
        _ => Err(wrong()),
    }
}

/// Reads what comes next for whoever watches.
///
/// # Errors
/// Where the studio is gone.
pub(super) async fn read_to_watcher(from: &mut (impl AsyncRead + Unpin)) -> io::Result<ToWatcher> {
    let words = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    match read(from).await? {
        (OUTPUT, bytes) => Ok(ToWatcher::Output(bytes)),
        (SAID, bytes) => Ok(ToWatcher::Said(words(bytes))),
        (END, bytes) => Ok(ToWatcher::End(words(bytes))),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn frames_are_read_as_they_were_written() {
        let long = vec![7; MOST + 10];
        let size = Size { cells: (80, 24), cell: Some((10, 20)) };
        let bytes = [FromWatcher::Input(long.clone()).bytes(), FromWatcher::Size(size).bytes()].concat();
        let mut from = bytes.as_slice();
        let mut read = Vec::new();
        for _ in 0..2 {
            let FromWatcher::Input(bytes) = read_from_watcher(&mut from).await.unwrap() else { panic!() };
            read.extend(bytes);
        }
        assert_eq!(read, long);
        assert_eq!(read_from_watcher(&mut from).await.unwrap(), FromWatcher::Size(size));
        assert!(read_from_watcher(&mut from).await.is_err());
        let endless = [&[INPUT][..], &u32::MAX.to_be_bytes()].concat();
        assert!(read_from_watcher(&mut endless.as_slice()).await.is_err());
        let end = ToWatcher::End("over".to_owned());
        assert_eq!(read_to_watcher(&mut end.bytes().as_slice()).await.unwrap(), end);
    }
}
