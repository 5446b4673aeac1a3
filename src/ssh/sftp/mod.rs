//! Files that guests put here: each becomes a video of that name, as `videos upload` makes one of what it reads. There is
//! one folder, in which stand the files that were put into it on this channel; no file of the machine is behind it, and
//! nothing of it can be read.

mod upload;
mod wire;

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Semaphore, TryAcquireError};
use tokio_util::sync::CancellationToken;

use super::guest::Shared;
use super::limits::period;
use super::{Commands, Limits};
use crate::domain::text;
use upload::Upload;
use wire::{Answer, Asked, Kind, LONGEST, Status};

/// The only folder.
const ROOT: &str = "/";

/// The longest name of a file, bytes, as on most file systems.
const LONGEST_NAME: usize = 255;

/// What a client puts files into, and the ends of its channel.
pub(super) struct Files<R, W, E> {
    pub(super) guest: Shared,
    /// Runs what makes videos of them.
    pub(super) commands: Arc<dyn Commands>,
    /// Places for uploads.
    pub(super) uploads: Arc<Semaphore>,
    /// Those of this key.
    pub(super) share: Arc<Semaphore>,
    /// A file has at most so many bytes, and comes without longer silences.
    pub(super) limits: Limits,
    pub(super) input: R,
    pub(super) output: W,
    /// What clients show as it is: the protocol has no words for what goes wrong.
    pub(super) errors: E,
    pub(super) end: CancellationToken,
    pub(super) open: Open,
}

/// What is open, and what was put here.
#[derive(Default)]
pub(super) struct Open {
    upload: Option<Upload>,
    /// Which folders are being listed, and whether they were.
    folders: Vec<(u32, bool)>,
    last_handle: u32,
    arrived: Vec<(String, u64)>,
}

impl<R, W, E> Files<R, W, E>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
    E: AsyncWrite + Unpin + Send,
{
    /// Answers until the client is done; the exit code.
    pub(super) async fn run(mut self) -> u8 {
        let end = self.end.clone();
        match end.run_until_cancelled(self.answer_all()).await {
            Some(Ok(())) => 0,
            Some(Err(error)) => {
                tracing::debug!(%error, "a guest's file transfer broke off");
                1
            }
            None => 1,
        }
    }

    async fn answer_all(&mut self) -> io::Result<()> {
        while let Some(packet) = self.next_packet().await? {
            let answer = match wire::read(&packet) {
                Some((id, asked)) => self.answer(id, asked).await?,
                // Who it would be for can't be told.
                None => return Err(io::ErrorKind::InvalidData.into()),
            };
            self.output.write_all(&answer.into_bytes()).await?;
            self.output.flush().await?;
        }
        Ok(())
    }

    /// The next packet; none at the end. A file that is open and doesn't go on ends this: its place is wanted by others.
    async fn next_packet(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.open.upload.is_none() {
            return self.packet().await;
        }
        if let Ok(packet) = tokio::time::timeout(self.limits.silent, self.packet()).await {
            return packet;
        }
        let silence = period(self.limits.silent);
        self.say(&format!("the upload was ended, as nothing came for {silence}")).await?;
        Err(io::ErrorKind::TimedOut.into())
    }

    /// The next packet; none at the end.
    async fn packet(&mut self) -> io::Result<Option<Vec<u8>>> {
        let length = match self.input.read_u32().await {
            Ok(length) if length > LONGEST => return Err(io::ErrorKind::InvalidData.into()),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut packet = vec![0; usize::try_from(length).unwrap_or(0)];
        self.input.read_exact(&mut packet).await?;
        Ok(Some(packet))
    }

    async fn answer(&mut self, id: u32, asked: Asked) -> io::Result<Answer> {
        let status = |status, words: &str| Ok(Answer::status(id, status, words));
        match asked {
            Asked::Init => Ok(Answer::version()),
            Asked::RealPath(path) => Ok(Answer::names(id, &[(real(&path), Kind::Folder)])),
            Asked::Stat(path) => Ok(match self.kind(&real(&path)) {
                Some(kind) => Answer::what(id, kind),
                None => Answer::status(id, Status::NoSuchFile, "no such file"),
            }),
            Asked::StatOpen(handle) => Ok(match self.open.upload.as_ref().filter(|upload| upload.handle == handle) {
                Some(upload) => Answer::what(id, Kind::File(upload.written)),
                None => Answer::status(id, Status::Failed, "nothing is open by that name"),
            }),
            // Times and modes of a file are nobody's here.
            Asked::SetStatOpen(_) => status(Status::Ok, ""),
            Asked::OpenFolder(path) if real(&path) == ROOT => {
                let handle = self.open.next_handle();
                self.open.folders.push((handle, false));
                Ok(Answer::handle(id, handle))
            }
            Asked::OpenFolder(_) => status(Status::NoSuchFile, "there is one folder"),
            Asked::ReadFolder(handle) => Ok(self.open.list(id, handle)),
            Asked::Open { path, how } if how.truncates() && !how.reads() => self.begin(id, &real(&path)).await,
            Asked::Open { .. } => {
                self.denied(id, "files can only be put here, and become videos; nothing can be read").await
            }
            Asked::Write { handle, offset, data } => self.write(id, handle, offset, &data).await,
            Asked::Close(handle) => self.close(id, handle).await,
            Asked::Other => status(Status::Unsupported, "this isn't possible here"),
        }
    }

    fn kind(&self, path: &str) -> Option<Kind> {
        if path == ROOT {
            return Some(Kind::Folder);
        }
        let name = path.strip_prefix('/')?;
        self.open.arrived.iter().rev().find(|(known, _)| known == name).map(|(_, size)| Kind::File(*size))
    }

    /// Begins a video of this name.
    async fn begin(&mut self, id: u32, path: &str) -> io::Result<Answer> {
        if self.guest.key.read_only {
            return self.denied(id, "this key is read-only: nothing can be uploaded").await;
        }
        let name = path.strip_prefix('/').unwrap_or_default();
        if name.is_empty() || name.contains('/') || name.len() > LONGEST_NAME || text::line(name) != name {
            return self.denied(id, "a video's name is a plain file name without folders").await;
        }
        if self.open.upload.is_some() {
            return Ok(Answer::status(id, Status::Failed, "one file at a time"));
        }
        // One of several at once. Waiting here would hold up whatever else comes by this connection.
        let permits =
            || Ok((Arc::clone(&self.share).try_acquire_owned()?, Arc::clone(&self.uploads).try_acquire_owned()?));
        let Ok(permit): Result<_, TryAcquireError> = permits() else {
            return self.failed(id, "too many videos are being uploaded here; try again in a few minutes").await;
        };
        let handle = self.open.next_handle();
        let guest = Arc::clone(&self.guest);
        let upload = Upload::begin(handle, name.to_owned(), guest, Arc::clone(&self.commands), self.limits, permit);
        self.open.upload = Some(upload);
        Ok(Answer::handle(id, handle))
    }

    async fn write(&mut self, id: u32, handle: u32, offset: u64, data: &[u8]) -> io::Result<Answer> {
        let Some(upload) = self.open.upload.as_mut().filter(|upload| upload.handle == handle) else {
            return Ok(Answer::status(id, Status::Failed, "nothing is open by that name"));
        };
        if offset != upload.written {
            return self.failed(id, "a file has to be sent from its beginning to its end, in order").await;
        }
        match upload.write(data).await {
            Ok(()) => Ok(Answer::status(id, Status::Ok, "")),
            // Whoever reads it has ended: why is said now, as most clients stop at this.
            Err(_) => self.finish(id).await,
        }
    }

    async fn close(&mut self, id: u32, handle: u32) -> io::Result<Answer> {
        if self.open.upload.as_ref().is_some_and(|upload| upload.handle == handle) {
            return self.finish(id).await;
        }
        self.open.folders.retain(|(folder, _)| *folder != handle);
        Ok(Answer::status(id, Status::Ok, ""))
    }

    /// Waits until the file that is open is a video, or says why it is none.
    async fn finish(&mut self, id: u32) -> io::Result<Answer> {
        let Some(upload) = self.open.upload.take() else {
            return Ok(Answer::status(id, Status::Failed, "nothing is open by that name"));
        };
        let (name, size) = (upload.name.clone(), upload.written);
        match upload.end().await {
            Ok(()) => {
                self.open.arrived.push((name, size));
                Ok(Answer::status(id, Status::Ok, ""))
            }
            Err(why) => self.failed(id, &why).await,
        }
    }

    async fn failed(&mut self, id: u32, why: &str) -> io::Result<Answer> {
        self.say(why).await?;
        Ok(Answer::status(id, Status::Failed, why))
    }

    async fn denied(&mut self, id: u32, why: &str) -> io::Result<Answer> {
        self.say(why).await?;
        Ok(Answer::status(id, Status::Denied, why))
    }

    async fn say(&mut self, words: &str) -> io::Result<()> {
        self.errors.write_all(format!("cutaway: {words}\n").as_bytes()).await?;
        self.errors.flush().await
    }
}

impl Open {
    fn next_handle(&mut self) -> u32 {
        self.last_handle = self.last_handle.wrapping_add(1);
        self.last_handle
    }

    fn list(&mut self, id: u32, handle: u32) -> Answer {
        let Some((_, is_listed)) = self.folders.iter_mut().find(|(folder, _)| *folder == handle) else {
            return Answer::status(id, Status::BadMessage, "nothing is open by that name");
        };
        if std::mem::replace(is_listed, true) {
            return Answer::status(id, Status::End, "");
        }
        let mut names = vec![(".".to_owned(), Kind::Folder)];
        names.extend(self.arrived.iter().map(|(name, size)| (name.clone(), Kind::File(*size))));
        Answer::names(id, &names)
    }
}

/// A path from the root, without what leads up and down.
fn real(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("{ROOT}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_folder() {
        let of = [("", "/"), (".", "/"), ("../../etc/passwd", "/etc/passwd"), ("a/../b.mp4", "/b.mp4"), ("//x", "/x")];
        for (path, expected) in of {
            assert_eq!(real(path), expected);
        }
    }
}
