//! `cutaway completions`, from the command definitions themselves. The script of a shell asks this
//! program what fits, so that ids and names of the workspace complete too.

mod bash;
mod powershell;
mod shell;
mod word;
mod zsh;

use std::ffi::OsString;
use std::io::Write as _;
use std::sync::OnceLock;

use clap::{Args, CommandFactory as _};
use clap_complete::env::{CompleteEnv, Elvish, EnvCompleter, Shells};

use shell::Taught;

use super::output::Output;
use super::{Cli, Failure};

/// The shells that are known. What a service calls its things stands among the candidates, so each shell is given them
/// quoted: fish and elvish quote by themselves, for the others it is done here.
const SHELLS: Shells<'static> =
    Shells(&[&Taught(bash::Bash), &Elvish, &Taught(zsh::Fish), &Taught(powershell::Powershell), &Taught(zsh::Zsh)]);

/// The words of the command line that is being completed, without their quotes.
static WORDS: OnceLock<Vec<String>> = OnceLock::new();

/// The words of the command line that is being completed, without their quotes; those of this process before it is
/// known which they are.
pub(super) fn words() -> Vec<String> {
    let own = || std::env::args_os().filter_map(|word| word.into_string().ok()).collect();
    WORDS.get().cloned().unwrap_or_else(own)
}

/// Keeps the words for whoever looks for candidates, and gives them as the engine takes them.
fn keep(words: Vec<String>) -> Vec<OsString> {
    let given = words.iter().map(OsString::from).collect();
    let _ = WORDS.set(words);
    given
}

/// The variable by which a shell's script asks for what fits.
const ASKED: &str = "CUTAWAY_COMPLETE";

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway completions bash > cutaway.bash
  cutaway completions zsh > _cutaway
  cutaway completions fish > cutaway.fish
  cutaway completions powershell > cutaway.ps1")]
pub(super) struct Completions {
    /// Which shell
    #[arg(value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
    shell: String,
}

impl Completions {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let shell: &dyn EnvCompleter = SHELLS
            .completer(&self.shell)
            .ok_or_else(|| Failure::Usage(format!("there are no completions for {}", self.shell)))?;
        let mut script = Vec::new();
        shell.write_registration(ASKED, "cutaway", "cutaway", "cutaway", &mut script)?;
        print(&script)
    }
}

/// Answers a shell that asks what fits, and ends then. Anybody else goes on.
pub(super) fn answer() {
    CompleteEnv::with_factory(Cli::command).var(ASKED).bin("cutaway").shells(SHELLS).complete();
}

pub(super) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = Output::open();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}
