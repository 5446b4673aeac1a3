//! Data commands that guests run over SSH: the same commands, on the streams of a channel and the workspace of a key.

use std::ffi::OsString;
use std::io::Write as _;

use clap::{CommandFactory as _, FromArgMatches as _};
use tokio::runtime::Handle;

use super::streams::{self, Given};
use super::{Cli, Command, Failure, GlobalFlags, Session, report};
use crate::ssh::{Call, Commands};

/// What is said to who asks for something that is none of them.
const NOT_HERE: &str = "this command isn't available over SSH";

/// The commands that guests have.
const HERE: [&str; 8] = ["products", "projects", "steps", "videos", "assets", "webhooks", "lint", "whoami"];

/// The flags that lead elsewhere, or belong to a studio on the person's own computer.
const ELSEWHERE: [&str; 9] =
    ["profile", "base_url", "lb_base_url", "upload_url", "auth_url", "api_key_stdin", "theme", "terminal", "fresh"];

/// What stands below the help of a guest.
const AFTER: &str = "\
Examples, after ssh -p PORT HOST:
  products search wool --published
  products export - > products.csv
  projects list --json
  videos upload - --name tour.mp4 < tour.mp4
  plain

Without a command, the studio opens. plain opens it as a dialogue of lines.";

/// What is said to programs that expect another server of SSH.
fn other_program(words: &[String]) -> Option<&'static str> {
    let program = words.first()?.rsplit('/').next()?;
    Some(match program {
        "scp" => {
            "this scp speaks the old protocol; use `scp -s`, `sftp`, or `ssh -p PORT HOST videos upload - --name N < FILE`"
        }
        "sftp-server" | "internal-sftp" | "sftp" => {
            "this sftp starts a program here; use sftp without -s, or `ssh -p PORT HOST videos upload - --name N < FILE`"
        }
        "rsync" => "there is no rsync here; put videos with `scp` or `sftp`",
        "sh" | "bash" | "dash" | "zsh" | "fish" => {
            "there is no shell here; without a command ssh opens the studio, and `help` lists the commands"
        }
        _ => return None,
    })
}

/// The command line as a guest has it: what they can't use is not in its help.
fn command_line() -> clap::Command {
    let mut line = Cli::command().after_help(AFTER);
    let absent: Vec<String> = line.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    for name in absent.iter().filter(|name| !HERE.contains(&name.as_str())) {
        line = line.mut_subcommand(name, |command| command.hide(true));
    }
    line.mut_args(|flag| if ELSEWHERE.contains(&flag.get_id().as_str()) { flag.hide(true) } else { flag })
}

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
    if let Some(why) = other_program(&words) {
        return report(&Failure::Usage(why.to_owned()), false);
    }
    let arguments: Vec<OsString> = std::iter::once("cutaway".to_owned()).chain(words).map(OsString::from).collect();
    let as_json = super::is_json(&arguments);
    let understood = command_line().try_get_matches_from(arguments).and_then(|found| Cli::from_arg_matches(&found));
    match understood {
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
        Some(Command::Lint(command)) => command.run(&session).await,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_what_guests_have_and_nothing_else() {
        let help = command_line().render_long_help().to_string();
        for there in HERE.iter().chain(&["--app-url", "--read-only", "--plain"]) {
            assert!(help.contains(there), "{there}: {help}");
        }
        for absent in ["serve", "mcp", "login", "profiles", "doctor", "schema", "--base-url", "--profile", "--fresh"] {
            assert!(!help.contains(absent), "{absent}: {help}");
        }
        let of_products = command_line().try_get_matches_from(["cutaway", "products", "count", "--help"]);
        assert!(!of_products.unwrap_err().to_string().contains("--base-url"));
    }

    #[test]
    fn programs_that_expect_another_server_are_told_what_to_do() {
        for (line, what) in [
            (&["scp", "-t", "."][..], "scp -s"),
            (&["/usr/lib/openssh/sftp-server"], "without -s"),
            (&["rsync", "--server", "-e.Lsf", ".", "x"], "no rsync"),
            (&["sh", "-c", "id"], "no shell"),
        ] {
            let words: Vec<String> = line.iter().map(|&word| word.to_owned()).collect();
            assert!(other_program(&words).unwrap().contains(what), "{line:?}");
        }
        assert_eq!(other_program(&["products".to_owned(), "scp".to_owned()]), None);
        assert_eq!(other_program(&[]), None);
    }
}
