//! The binary: parses the command line, runs one command, turns its error into an exit code.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use cutaway::cli::serve;

/// A terminal studio for interactive shopping video
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the local service alone, for a team, a script or a test
    Serve(serve::ServeArgs),
}

fn main() -> ExitCode {
    let Command::Serve(args) = Cli::parse().command;
    let run = || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let done = run()
        .map_err(serve::ServeError::from)
        .and_then(|runtime| runtime.block_on(serve::run(args, Path::new("cutaway-data"))));
    done.unwrap_or_else(|error| {
        let _ = writeln!(std::io::stderr().lock(), "cutaway: {error}");
        ExitCode::from(error.exit_code())
    })
}
