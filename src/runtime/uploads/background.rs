//! Uploads that go on without a screen: the same binary again, in a session of its own, until the queue is empty.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use tokio::signal::unix::{SignalKind, signal};

use super::asked::Options;
use super::folder::QueueFolder;
use super::guard::Guard;
use super::handle::Uploads;
use super::journal::Journal;
use crate::client::Client;
use crate::settings::{CredentialSource, Place, Secret, Target};

/// The words of the command line that lead here.
pub const COMMAND: [&str; 2] = ["videos", "send-queue"];
/// What it says once it goes on by itself.
pub const READY: &str = "sending";

/// What of the environment is not handed on.
const NOT_INHERITED: [&str; 6] = [
    "CUTAWAY_PROFILE",
    "CUTAWAY_BASE_URL",
    "CUTAWAY_LB_BASE_URL",
    "CUTAWAY_UPLOAD_URL",
    "CUTAWAY_AUTH_URL",
    "CUTAWAY_APP_URL",
];

/// Starts it, and returns once it goes on by itself; whether it was needed.
///
/// # Errors
/// Where it can't be started; the queue is kept all the same.
pub fn start(target: &Target, folder: &QueueFolder, binary: &Path) -> io::Result<bool> {
    if folder.has_background() {
        return Ok(false);
    }
    let by_input = target.credential_source == CredentialSource::StandardInput;
    let mut command = Command::new(binary);
    // Where it sends is said by the flags; what a variable says may be of another profile than the one it was started for.
    for name in NOT_INHERITED {
        command.env_remove(name);
    }
    if target.credential_source != CredentialSource::Environment {
        command.env_remove("CUTAWAY_API_KEY");
    }
    let mut child = command
        .args(arguments(target))
        .args(COMMAND)
        .stdin(if by_input { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let (Some(mut input), Some(Secret::Key(key))) = (child.stdin.take(), &target.credential) {
        // The way that leaves no trace: neither its arguments nor its environment show the key.
        writeln!(input, "{}", key.expose())?;
    }
    let mut said = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut said)?;
    }
    if said.trim() == READY {
        return Ok(true);
    }
    let status = child.wait()?;
    Err(io::Error::other(format!("the upload in the background ended right away ({status})")))
}

/// The flags that lead to the same target.
fn arguments(target: &Target) -> Vec<OsString> {
    let mut arguments = Vec::new();
    let mut give = |flag: &str, value: &str| arguments.extend([OsString::from(flag), OsString::from(value)]);
    if let Some(profile) = &target.profile {
        give("--profile", profile);
    }
    if let Place::Remote(hosts) = &target.place {
        give("--base-url", hosts.base.as_str());
        give("--upload-url", hosts.upload.as_str());
        give("--auth-url", hosts.auth.as_str());
        if let Some(lb) = &hosts.lb {
            give("--lb-base-url", lb.as_str());
        }
    }
    if target.credential_source == CredentialSource::StandardInput {
        arguments.push(OsString::from("--api-key-stdin"));
    }
    arguments
}

/// Leaves the terminal and its session, and says so to whoever started it. To be called before anything is waited for.
pub fn detach() {
    // Fails where it leads a session already, and then there is nothing to leave.
    let _ = rustix::process::setsid();
}

/// Sends until the queue is empty. Where another one does that already, there is nothing to do.
///
/// # Errors
/// Where the queue can't be read.
pub async fn run(folder: QueueFolder, client: Client, guard: Option<Guard>) -> io::Result<()> {
    let Some(_one) = folder.hold_background()? else {
        say_ready();
        return Ok(());
    };
    let (mut end, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    // Sessions end; this goes on.
    let _hangup = signal(SignalKind::hangup())?;
    let journal = Journal::open(folder)?;
    if !journal.queue().is_under_way() {
        say_ready();
        return Ok(());
    }
    let uploads = Uploads::start(journal, client, Options { guard, ..Options::default() });
    say_ready();
    tracing::info!("sending in the background");
    let mut seen = uploads.seen();
    loop {
        tokio::select! {
            _ = end.recv() => break,
            _ = interrupt.recv() => break,
            changed = seen.changed() => if changed.is_err() { break },
        }
        let seen = seen.borrow_and_update();
        if let Some(stopped) = &seen.stopped {
            tracing::warn!(why = stopped.why.as_str(), "nothing more is sent");
            break;
        }
        if !seen.overview.queue.is_under_way() {
            break;
        }
    }
    uploads.stop().await;
    tracing::info!("the queue is empty or paused");
    Ok(())
}

fn say_ready() {
    let mut out = io::stdout();
    // Whoever started it may be gone.
    let _ = writeln!(out, "{READY}").and_then(|()| out.flush());
}
