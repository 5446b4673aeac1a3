//! Data commands that guests run over SSH: the same commands, on the streams of a channel and the workspace of a key.

use std::ffi::OsString;
use std::io::Write as _;

use clap::Parser as _;
use tokio::runtime::Handle;

use super::streams::{self, Given};
use super::{Cli, Command, Failure, GlobalFlags, Session, report};
use crate::ssh::{Call, Commands};

/// What is said to who asks for something that is none of them.
const NOT_HERE: &str = "this command isn't available over SSH";

/// The command line, for guests.
#[derive(Debug)]
pub(super) struct GuestCommands;

impl Commands for GuestCommands {
    fn run(&self, call: Call) -> u8 {
        let Call { words, folders, key, read_only, most_upload, input, output, errors, end } = call;
        let given = Given::new((folders, key, read_only), most_upload, (input, output, errors));
        let command = streams::with(given, async { Box::pin(understood(words)).await });
        // Dropped where the client went away: what was asked of the service was asked.
        Handle::current().block_on(end.run_until_cancelled(command)).unwrap_or(1)
    }
}

/// Understands and runs one command; its exit code.
async fn understood(words: Vec<String>) -> u8 {
    let arguments: Vec<OsString> = std::iter::once("cutaway".to_owned()).chain(words).map(OsString::from).collect();
    let as_json = super::is_json(&arguments);
    match Cli::try_parse_from(arguments) {
        Ok(cli) => match Box::pin(run(cli)).await {
            Ok(()) => 0,
            Err(failure) => report(&failure, as_json),
        },
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            if as_json && code != 0 {
                return report(&super::misunderstood(&error), true);
            }
            let mut shown = if error.use_stderr() { streams::errors() } else { streams::output() };
            let _ = write!(shown, "{}", error.render()).and_then(|()| shown.flush());
            code
        }
    }
}

async fn run(cli: Cli) -> Result<(), Failure> {
    let Cli { global, command, .. } = cli;
    global.may_be_of_guest()?;
    global.set_loudness();
    let session = Session::open(&global)?;
    let result = match &command {
        Some(Command::Products(command)) => command.run(&session).await,
        Some(Command::Projects(command)) => command.run(&session).await,
        Some(Command::Steps(command)) => command.run(&session).await,
        Some(Command::Videos(command)) => command.run(&session).await,
        Some(Command::Assets(command)) => command.run(&session).await,
        Some(Command::Webhooks(command)) => command.run_in(&session).await,
        Some(Command::Whoami(command)) => command.run(&session).await,
        _ => Err(Failure::Usage(NOT_HERE.to_owned())),
    };
    session.close().await;
    result
}

impl GlobalFlags {
    /// That no flag leads away from the workspace of a guest.
    fn may_be_of_guest(&self) -> Result<(), Failure> {
        match self.leading_elsewhere() {
            None => Ok(()),
            Some(flag) => Err(Failure::Usage(format!("{flag} isn't available over SSH"))),
        }
    }
}
