//! Programs of the person's own: run without a shell, with nothing to read, and ended with the studio.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Child;
use tokio::sync::Notify;

use super::children::command;

/// So much of what a program says last is kept, bytes.
const MOST: usize = 64 * 1024;

/// So long what it began may still say something once it ended itself.
const AFTER: Duration = Duration::from_millis(500);

/// So often it is looked whether it stopped.
const LOOK: Duration = Duration::from_millis(500);

/// A program with all that it began; killed when the value is dropped before it ended.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)))
    }

    fn kill(&self) {
        if let Some(leader) = self.0 {
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }

    /// Waits until it stops, as whoever asks for a terminal that is another's does.
    async fn stopped(&self) {
        let stopped = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            tokio::time::sleep(LOOK).await;
            if self.0.is_some_and(|leader| matches!(waitid(WaitId::Pid(leader), stopped), Ok(Some(_)))) {
                return;
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Runs a program to its end; the last line that it said.
///
/// # Errors
/// Why it did not do what it was to do, in words: that it can't be run, or what it ended with and said last.
pub async fn run(run: &[String]) -> Result<String, String> {
    let Some((program, arguments)) = run.split_first() else { return Err("no program is named".to_owned()) };
    let mut command = command(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own: the terminal's keys and signals are the studio's.
    let mut child = command.process_group(0).spawn().map_err(|error| format!("{program} can't be run ({error})"))?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (mut said, mut complained) = (Vec::new(), Vec::new());
    let over = Notify::new();
    let waits = async {
        let ended = end(&mut child).await;
        over.notify_one();
        ended
    };
    let hears = async {
        let both = async { tokio::join!(hear(out, &mut said), hear(err, &mut complained)) };
        let late = async {
            over.notified().await;
            tokio::time::sleep(AFTER).await;
        };
        tokio::select! {
            _ = both => {}
            () = late => {}
        }
    };
    let (status, ()) = tokio::join!(waits, hears);
    let status = status?;
    if status.success() {
        return Ok(last_line(&said));
    }
    let why = [last_line(&complained), last_line(&said)].into_iter().find(|line| !line.is_empty());
    let ended = status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"));
    Err(why.map_or_else(|| format!("{ended}."), |why| format!("{why} ({ended})")))
}

/// Waits for its end, and ends it where it stops.
async fn end(child: &mut Child) -> Result<ExitStatus, String> {
    let mut group = Group::of(child);
    let ended = tokio::select! {
        ended = child.wait() => Some(ended.map_err(|error| error.to_string())),
        () = group.stopped() => None,
    };
    if let Some(ended) = ended {
        // What it left running is meant to run on, and its number may soon be another's.
        group.0 = None;
        return ended;
    }
    group.kill();
    let _ = child.wait().await;
    group.0 = None;
    Err("it stopped, maybe to ask something in the terminal, and was ended".to_owned())
}

/// Keeps what is said there last.
async fn hear(from: Option<impl AsyncRead + Unpin>, said: &mut Vec<u8>) {
    let Some(mut from) = from else { return };
    while from.read_buf(said).await.is_ok_and(|read| read > 0) {
        if said.len() > 2 * MOST {
            said.drain(..said.len() - MOST);
        }
    }
}

fn last_line(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn of(words: &[&str]) -> Result<String, String> {
        run(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).await
    }

    #[tokio::test]
    async fn what_a_program_says_last_is_told() {
        assert_eq!(of(&["printf", "one\\ntwo\\n\\n"]).await.unwrap(), "two");
        assert_eq!(of(&["true"]).await.unwrap(), "");
        assert_eq!(of(&["cat"]).await.unwrap(), "", "it has nothing to read");
        assert_eq!(of(&["echo", "$HOME; `id`"]).await.unwrap(), "$HOME; `id`", "no shell reads it");
        let failed = of(&["ls", "/no/such/folder"]).await.unwrap_err();
        assert!(failed.contains("/no/such/folder") && failed.contains("exit code"), "{failed}");
        assert!(of(&["no-such-program-at-all"]).await.unwrap_err().contains("can't be run"));
        assert_eq!(of(&["false"]).await.unwrap_err(), "exit code 1.");
        let much = of(&["sh", "-c", "yes | head -c 1000000; echo end >&2; exit 3"]).await.unwrap_err();
        assert_eq!(much, "end (exit code 3)");
        let last = of(&["sh", "-c", "yes | head -c 1000000; echo; echo the end"]).await.unwrap();
        assert_eq!(last, "the end", "of much, what is said last");
    }

    #[tokio::test]
    async fn what_a_program_leaves_behind_is_not_waited_for() {
        let said = of(&["sh", "-c", "cat /dev/zero > /dev/null & echo $!"]).await.unwrap();
        let left = Pid::from_raw(said.parse().unwrap()).unwrap();
        rustix::process::kill_process(left, Signal::KILL).unwrap();
    }

    #[tokio::test]
    async fn a_program_that_stops_is_ended() {
        let told = of(&["sh", "-c", "kill -STOP $$"]).await.unwrap_err();
        assert!(told.contains("it stopped"), "{told}");
    }
}
