//! A data command in a channel: it reads and writes the channel as it would the streams of its own process.

use std::io::{self, Read, Write};
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, DuplexStream};
use tokio_util::sync::CancellationToken;

use super::channel::{Output, Written, wait};
use super::guest::Shared;
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

impl Asked {
    /// Whether it reads a video, for as long as its line is slow.
    pub(super) fn is_upload(&self) -> bool {
        let words = std::str::from_utf8(&self.line).ok().and_then(|line| line::words(line).ok()).unwrap_or_default();
        let mut words = words.iter().map(String::as_str).skip_while(|word| *word == "cutaway");
        (words.next(), words.next()) == (Some("videos"), Some("upload"))
    }

    /// Runs it until it ends and whatever it wrote is on its way; its exit code.
    pub(super) async fn run(self, commands: Arc<dyn Commands>) -> u8 {
        let Self { guest, limits, line, input, output: (output, written), errors: (mut errors, told), end } = self;
        let input = Input { input, end: end.clone() };
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

/// Standard input: what the client sends, until it says that this is all.
pub(super) struct Input {
    pub(super) input: DuplexStream,
    pub(super) end: CancellationToken,
}

impl Read for Input {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let Self { input, end } = self;
        wait(async {
            tokio::select! {
                biased;
                () = end.cancelled() => Err(io::ErrorKind::BrokenPipe.into()),
                read = input.read(bytes) => read,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{asks_dialogue, may_read};

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
