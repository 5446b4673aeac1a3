//! The dialogue of lines on the process's own streams, whatever they are: a terminal, pipes, files.

use std::future::Future;
use std::io::{self, IsTerminal as _};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use tokio::io::AsyncRead;
use tokio::signal::unix::{SignalKind, signal};

use super::plain::{self, Entered, Hide, Lines};
use crate::terminal::Stdin;

/// Where the lines of the process come from.
pub type Input = Box<dyn AsyncRead + Send + Unpin>;

/// Takes the process's streams for a dialogue.
///
/// # Errors
/// Where signals can't be heard, or there can be no more threads.
pub fn open() -> io::Result<(Lines, Entered<Input>)> {
    // What can't be waited for, a file, never keeps anyone waiting.
    let input: Input = Stdin::open().map_or_else(|_| Box::new(tokio::io::stdin()) as Input, |stdin| Box::new(stdin));
    let hide: Option<Hide> = io::stdin().is_terminal().then(hide);
    plain::open(input, io::stdout(), false, hide, Box::pin(told_to_end()?))
}

/// Keeps the terminal from showing what is typed, and lets it do again what it did before.
fn hide() -> Hide {
    let mut before = None;
    Box::new(move |is_secret| {
        let stdin = io::stdin();
        // A terminal that is gone shows nothing.
        if !is_secret {
            if let Some(modes) = before.take() {
                let _ = tcsetattr(&stdin, OptionalActions::Now, &modes);
            }
        } else if before.is_none()
            && let Ok(modes) = tcgetattr(&stdin)
        {
            let mut silent = modes.clone();
            silent.local_modes.remove(LocalModes::ECHO);
            let _ = tcsetattr(&stdin, OptionalActions::Now, &silent);
            before = Some(modes);
        }
    })
}

/// Waits until the process is told to end.
fn told_to_end() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut quit = signal(SignalKind::quit())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            _ = interrupt.recv() => {}
            _ = quit.recv() => {}
        }
    })
}
