//! The command line: one file a command.

mod assets;
mod call;
mod completions;
mod confirm;
mod creating;
mod dates;
mod deleting;
mod describe;
mod doctor;
mod failure;
mod findings;
mod flags;
mod guests;
mod input;
mod join;
mod lint;
mod log;
mod login;
mod logout;
mod man;
mod mcp;
mod names;
mod operations;
mod output;
mod products;
mod profiles;
mod progress_line;
mod projects;
mod schema;
pub mod serve;
mod session;
mod steps;
mod streams;
mod studio;
mod surroundings;
mod table;
mod telling;
mod times;
mod version;
mod videos;
mod webhooks;
mod whoami;
mod writing;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{Parser, Subcommand};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

pub use failure::Failure;
pub use flags::GlobalFlags;
pub use session::Session;

use crate::domain::BUILT;
use crate::runtime::uploads::background;
use crate::settings::Folders;

/// Make interactive shopping videos in the terminal.
#[derive(Debug, Parser)]
#[command(name = "cutaway", version, long_version = LONG_VERSION.as_str(), max_term_width = 100, after_help = AFTER)]
pub struct Cli {
    #[command(flatten)]
    global: GlobalFlags,
    /// Open the studio from scratch instead of where you left it [env: CUTAWAY_FRESH]
    #[arg(long)]
    fresh: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

/// What `--version` tells; `-V` is one line.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| BUILT.long());

const AFTER: &str = "\
Examples:
  cutaway serve --sample
  cutaway products search wool --published
  cutaway projects list --json
  cutaway help --json
  cutaway --version --json

The API key is read from CUTAWAY_API_KEY, standard input or the credential store, never from a flag.

Exit codes: 0 done · 1 failed · 2 the command line is wrong · 3 not authenticated · 4 not found · 5 the request was \
invalid · 6 the service could not be reached · 7 refused because read-only · 8 `projects plan` found changes to make";

#[derive(Debug, Subcommand)]
enum Command {
    /// Search, inspect and export the products of a store
    Products(products::Products),
    /// Show, edit, check, export and import projects
    Projects(projects::Projects),
    /// Create, edit and delete steps
    Steps(steps::Steps),
    /// List, add and upload videos
    Videos(videos::Videos),
    /// Delete files of the video library
    Assets(assets::Assets),
    /// Manage and test webhooks
    Webhooks(webhooks::Webhooks),
    /// Check the catalog, videos and projects for problems
    Lint(lint::Lint),
    /// Show who is signed in
    Whoami(whoami::Whoami),
    /// Check the terminal, configuration, credential and service, and suggest fixes
    Doctor(doctor::Doctor),
    /// Watch a studio that someone shares with you
    Join(join::Join),
    /// Serve the workspace to AI agents as MCP tools
    Mcp(mcp::Mcp),
    /// Run the local service on its own, for a team, a script or a test
    Serve(Box<serve::ServeArgs>),
    /// Sign in and save the credential with a profile
    Login(login::Login),
    /// Sign out of a profile but keep the profile
    Logout(logout::Logout),
    /// List, add, change and remove profiles
    Profiles(profiles::Profiles),
    /// Print shell completions
    Completions(completions::Completions),
    /// Print the manual page
    Man(man::Man),
    /// Print the JSON Schema of a file that you write
    Schema(schema::Schema),
}

/// Runs one command of the command line.
#[must_use]
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    completions::answer();
    // Whatever the file is called: help and usage name the command as everything else does.
    let arguments = std::iter::once(OsString::from("cutaway")).chain(arguments.into_iter().skip(1));
    let arguments: Vec<OsString> = arguments.collect();
    let as_json = is_json(&arguments);
    if as_json && let Some(asked) = asked_of_itself(&arguments) {
        return match asked.and_then(|document| completions::print(format!("{document}\n").as_bytes())) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => ExitCode::from(report(&failure, true)),
        };
    }
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // A reader that went away has seen what it wanted.
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            if as_json && code != 0 {
                return ExitCode::from(report(&misunderstood(&error), true));
            }
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match run(cli) {
        Ok(code) => code,
        Err(failure) => ExitCode::from(report(&failure, as_json)),
    }
}

/// What a document says of the program itself, where one is asked for: its version, or its help.
fn asked_of_itself(arguments: &[OsString]) -> Option<Result<serde_json::Value, Failure>> {
    if version::is_asked(arguments) {
        return Some(Ok(version::document()));
    }
    let words = arguments.get(1..).filter(|words| words.first().is_some_and(|word| word == "help"))?;
    let words = words.iter().skip(1).filter(|word| *word != "--json").map(|word| word.to_string_lossy().into_owned());
    Some(describe::document(&words.collect::<Vec<_>>()))
}

/// Whether the output is to be a document, also where the rest of the line is wrong.
fn is_json(arguments: &[OsString]) -> bool {
    arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// A command line that is wrong, as a failure.
fn misunderstood(error: &clap::Error) -> Failure {
    let why = error.to_string();
    let why = why.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    Failure::Usage(why.to_owned())
}

/// Says why a command failed, on one line: as a document where the output is one too. The exit code.
fn report(failure: &Failure, as_json: bool) -> u8 {
    let mut stderr = streams::errors();
    if as_json {
        if let Some(document) = failure.document() {
            let mut line = Vec::new();
            // A list of bytes takes them all.
            let _ = crate::client::json::escape_on_one_line(&document.to_string(), &mut line);
            line.push(b'\n');
            let _ = stderr.write_all(&line);
        }
    } else if let Some(line) = failure.line() {
        let _ = writeln!(stderr, "cutaway: {line}");
    }
    failure.exit_code()
}

fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let Cli { global, fresh, command } = cli;
    global.set_loudness();
    match command {
        None => with_session(&global, async |session| {
            session.fresh = fresh;
            Box::pin(studio::open(session)).await
        }),
        Some(Command::Completions(command)) => command.run(),
        Some(Command::Man(command)) => command.run(),
        Some(Command::Schema(command)) => command.run(),
        Some(Command::Login(command)) => command.run(&global),
        Some(Command::Logout(command)) => command.run(&global),
        Some(Command::Join(command)) => command.run(&global),
        Some(Command::Profiles(command)) => command.run(&global),
        Some(Command::Products(command)) => with_session(&global, async |session| command.run(session).await),
        Some(Command::Whoami(command)) => with_session(&global, async |session| command.run(session).await),
        Some(Command::Doctor(command)) => with_session(&global, async |session| command.run(session).await),
        Some(Command::Projects(command)) => with_session(&global, async |session| command.run(session).await),
        Some(Command::Lint(command)) => with_session(&global, async |session| command.run(session).await),
        Some(Command::Steps(command)) => with_session(&global, async |session| command.run(session).await),
        Some(Command::Videos(command)) => {
            if command.is_background() {
                background::detach();
            }
            with_log(&global, command.is_background(), async |session| command.run(session).await)
        }
        Some(Command::Assets(command)) => with_session(&global, async |session| command.run(session).await),
        Some(Command::Mcp(command)) => with_session(&global, async |session| command.run(session).await),
        Some(Command::Webhooks(command)) => command.run(&global),
        Some(Command::Serve(arguments)) => return serve(*arguments),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Serves the local workspace's folder unless another one is named.
fn serve(arguments: serve::ServeArgs) -> Result<ExitCode, Failure> {
    let environment = surroundings::environment()?;
    let folders = Folders::find(&environment);
    // A service that others rely on says what happened, asked or not.
    let _log = log::start(&folders, &environment, true);
    let _errors = log::keep_internal_errors(&folders);
    let folder = match &arguments.data {
        Some(folder) => folder.clone(),
        None => folders.local_workspace().map_err(|error| Failure::Usage(format!("{error}; or give --data")))?,
    };
    Ok(waited_for(serve::run(arguments, &folder, folders.state().ok()))??)
}

/// Resolves the target and gives the command a runtime to wait in.
fn with_session(
    global: &GlobalFlags,
    command: impl AsyncFnOnce(&mut Session) -> Result<(), Failure>,
) -> Result<(), Failure> {
    with_log(global, false, command)
}

/// The same, with a log whether it was asked for or not.
fn with_log(
    global: &GlobalFlags,
    always: bool,
    command: impl AsyncFnOnce(&mut Session) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut session = Session::open(global)?;
    let _log = log::start(&session.folders, &session.environment, always);
    let _errors = log::keep_internal_errors(&session.folders);
    waited_for(async {
        let result = command(&mut session).await;
        session.close().await;
        result
    })?
}

/// Waits for a future in a runtime of its own.
fn waited_for<T>(waiting: impl Future<Output = T>) -> Result<T, Failure> {
    wait_for_boxed(waiting.boxed_local())
}

/// What runs a future is compiled once for each type of result, not for each command.
fn wait_for_boxed<T>(waiting: LocalBoxFuture<'_, T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    Ok(runtime.map_err(|error| Failure::Other(error.into()))?.block_on(waiting))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::studio::twin::every::every_line;

    #[test]
    fn every_line_that_the_studio_says_is_a_command() {
        for typed in ["typed", "-x", "--name", "it's; a => b"] {
            let lines = every_line(typed);
            assert!(lines.len() > 60, "{}", lines.len());
            for line in lines {
                let understood = Cli::try_parse_from(std::iter::once("cutaway").chain(line.iter().map(String::as_str)));
                assert!(understood.is_ok(), "{line:?}\n{}", understood.unwrap_err());
            }
        }
    }
}
