//! `cutaway man`, from the command definitions themselves.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory as _};

use super::completions::print;
use super::{Cli, Failure};

/// Print the manual page.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway man > cutaway.1
  cutaway man --dir ~/.local/share/man/man1")]
pub(super) struct Man {
    /// Write one page for each command into this directory instead
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut command = Cli::command();
        // Gives inner commands their whole names.
        command.build();
        let mut pages = Vec::new();
        gather(&command, "cutaway", &mut pages)?;
        let Some(folder) = &self.dir else {
            return print(&pages.into_iter().flat_map(|(_, page)| page).collect::<Vec<u8>>());
        };
        let refused = |path: &Path, error: io::Error| Failure::Faulty(format!("{}: {error}", path.display()));
        std::fs::create_dir_all(folder).map_err(|error| refused(folder, error))?;
        for (name, page) in pages {
            let file = folder.join(format!("{name}.1"));
            std::fs::write(&file, page).map_err(|error| refused(&file, error))?;
        }
        Ok(())
    }
}

/// The page of a command and of those below it, each with its name: `cutaway-projects-list`.
fn gather(command: &Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    pages.push((name.to_owned(), page));
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set()) {
        gather(inner, &format!("{name}-{}", inner.get_name()), pages)?;
    }
    Ok(())
}
