//! A data command in a channel: it reads and writes the channel as it would the streams of its own process.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, DuplexStream};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::channel::{Output, Written, wait};
use super::guest::Shared;
use super::limits::period;
use super::turn::Turn;
use super::{Limits, line};
use crate::domain::ApiKey;
use crate::settings::Folders;

/// Runs data commands for guests; the command line is above this room.
pub trait Commands: Send + Sync {
    /// Runs one, on a thread of its own, where it may wait; its exit code.
    fn run(&self, call: Call) -> u8;
}

/// What a guest wants to be run, and with what.
pub struct Call {
    /// The words after the program's name.
    pub words: Vec<String>,
    /// Where the guest's own files are, and their workspace.
    pub folders: Folders,
    /// What the workspace's service knows them by.
    pub key: ApiKey,
    /// Whether they may only read.
    pub read_only: bool,
    /// A video that they upload has at most so many bytes.
    pub most_upload: u64,
    /// Standard input.
    pub input: Box<dyn Read + Send>,
    /// Standard output.
    pub output: Box<dyn Write + Send>,
    /// Standard error.
    pub errors: Box<dyn Write + Send>,
    /// Cancelled where nobody waits for it any more.
    pub end: CancellationToken,
}

/// What a client asked for, and the ends of its channel.
pub(super) struct Asked {
    pub(super) guest: Shared,
    pub(super) limits: Limits,
    pub(super) line: Vec<u8>,
    pub(super) input: DuplexStream,
    pub(super) output: (Output, Written),
    pub(super) errors: (Output, Written),
    /// Its place among those that run.
    pub(super) turn: Arc<Turn>,
    pub(super) end: CancellationToken,
}

/// Whether a line asks for the studio as a dialogue of lines.
pub(super) fn asks_dialogue(line: &[u8]) -> bool {
    let words = std::str::from_utf8(line).ok().and_then(|line| line::words(line).ok()).unwrap_or_default();
    let words: Vec<&str> = words.iter().map(String::as_str).skip_while(|word| *word == "cutaway").collect();
    matches!(words.as_slice(), ["--plain" | "plain"])
}

/// Whether a command may read what comes: `-` is what says so, as a file. Where it stands for standard output, the command
/// shows that by what it writes: none writes before it has read.
pub(super) fn may_read(line: &[u8]) -> bool {
    let words = std::str::from_utf8(line).ok().and_then(|line| line::words(line).ok()).unwrap_or_default();
    words.iter().any(|word| word == "-" || word.ends_with("=-"))
}

/// Whether a command reads a video, for as long as its line is slow.
pub(super) fn is_upload(line: &[u8]) -> bool {
    let words = std::str::from_utf8(line).ok().and_then(|line| line::words(line).ok()).unwrap_or_default();
    let mut words = words.iter().map(String::as_str).skip_while(|word| *word == "cutaway");
    (words.next(), words.next()) == (Some("videos"), Some("upload"))
}

impl Asked {
    /// Runs it until it ends and whatever it wrote is on its way; its exit code.
    pub(super) async fn run(self, commands: Arc<dyn Commands>) -> u8 {
        let Self { guest, limits, line, input, output: (output, written), errors: (mut errors, told), turn, end } =
            self;
        let input = Input::new(input, end.clone(), limits.silent).giving_way(turn);
        let ran = tokio::task::spawn_blocking(move || {
            let words = match std::str::from_utf8(&line).map_err(|_| "it is not UTF-8".to_owned()).and_then(line::words)
            {
                Ok(words) => words,
                Err(why) => {
                    let _ = writeln!(errors, "cutaway: the command line is wrong: {why}");
                    return 2;
                }
            };
            // As other machines' shells are given the name of the program, too.
            let skipped = usize::from(words.first().is_some_and(|word| word == "cutaway"));
            commands.run(Call {
                words: words.into_iter().skip(skipped).collect(),
                folders: guest.folders.clone(),
                key: guest.api_key.clone(),
                read_only: guest.key.read_only,
                most_upload: limits.upload,
                input: Box::new(input),
                output: Box::new(output),
                errors: Box::new(errors),
                end,
            })
        });
        // A panic ends this command and nothing else.
        let exit_code = ran.await.unwrap_or(1);
        let _ = tokio::time::timeout(limits.ending, async { (written.await, told.await) }).await;
        exit_code
    }
}

/// Standard input: what the client sends, until it says that this is all, or sends nothing for too long.
pub(super) struct Input {
    bytes: DuplexStream,
    end: CancellationToken,
    silent: Duration,
    turn: Option<Arc<Turn>>,
    /// Of the server: commands wait in runtimes of their own, whose clocks stand still while one of them reads.
    clock: Handle,
}

impl Input {
    /// What comes by this, where the longest silence is that; on the server's runtime.
    pub(super) fn new(bytes: DuplexStream, end: CancellationToken, silent: Duration) -> Self {
        Self { bytes, end, silent, turn: None, clock: Handle::current() }
    }

    /// The same of a command that has this place among others.
    fn giving_way(self, turn: Arc<Turn>) -> Self {
        Self { turn: Some(turn), ..self }
    }
}

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Self { bytes, end, silent, turn, clock } = self;
        let entered = clock.enter();
        let read = tokio::time::timeout(*silent, bytes.read(buf));
        drop(entered);
        let reading = async {
            let read = match turn {
                Some(turn) => turn.waits(read).await,
                None => read.await,
            };
            read.unwrap_or_else(|_| {
                let why = format!("nothing came for {}", period(*silent));
                Err(io::Error::new(io::ErrorKind::TimedOut, why))
            })
        };
        wait(async {
            tokio::select! {
                biased;
                () = end.cancelled() => Err(io::ErrorKind::BrokenPipe.into()),
                read = reading => read,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn who_sends_nothing_is_not_waited_for_without_end() {
        let (_theirs, input) = tokio::io::duplex(16);
        let mut input = Input::new(input, CancellationToken::new(), Duration::from_millis(20));
        let read = tokio::task::spawn_blocking(move || input.read(&mut [0; 4]));
        let error = read.await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), "nothing came for 1 minute");
    }

    #[test]
    fn only_who_names_it_reads_what_comes() {
        for (line, may) in [
            ("products count", false),
            ("products search --all --json", false),
            ("products export -", true),
            ("videos upload - --name x", true),
            ("projects import '-'", true),
            ("steps update x --content=-", true),
            ("projects create 'a - b'", false),
            ("projects import '-", false),
        ] {
            assert_eq!(may_read(line.as_bytes()), may, "{line}");
        }
    }

    #[test]
    fn a_dialogue_is_asked_for_by_its_flag_or_its_name() {
        for (line, is_asked) in [
            ("--plain", true),
            ("plain", true),
            (" cutaway --plain ", true),
            ("products count --plain", false),
            ("plainer", false),
            ("'plain", false),
        ] {
            assert_eq!(asks_dialogue(line.as_bytes()), is_asked, "{line}");
        }
    }
}
