//! `cutaway completions` and `cutaway man`, from the command definitions themselves.

use std::io::Write as _;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::output::Output;
use super::{Cli, Failure};

/// Print completions for a shell.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// Which shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "cutaway", &mut script);
        print(&script)
    }
}

/// Prints the manual: the page of the tool, and after it one of every command.
pub(super) fn man() -> Result<(), Failure> {
    let mut command = Cli::command();
    // Gives inner commands their whole names.
    command.build();
    let mut pages = Vec::new();
    render(command, &mut pages)?;
    print(&pages)
}

fn render(command: clap::Command, pages: &mut Vec<u8>) -> Result<(), Failure> {
    clap_mangen::Man::new(command.clone()).render(pages)?;
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        render(inner.clone(), pages)?;
    }
    Ok(())
}

fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = Output::open();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}
