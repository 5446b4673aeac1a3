//! What completions of all shells have in common: a script that asks this program, and an answer of candidates.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::CompletionCandidate;
use clap_complete::engine::complete;
use clap_complete::env::EnvCompleter;

use super::keep;

/// The variable in which a script gives the line up to the cursor, where the shell has it.
pub(super) const LINE: &str = "_CUTAWAY_LINE";

/// A shell as it is taught to complete.
pub(super) trait Shell: Sync {
    /// The shell as `clap_complete` has it, by whose names it is known.
    fn known_as(&self) -> &'static dyn EnvCompleter;

    /// The script that has it ask this program.
    fn script(&self, asked: &Asked<'_>) -> io::Result<String>;

    /// Writes what fits the words that it gives.
    fn answer(
        &self,
        command: &mut Command,
        given: Vec<OsString>,
        folder: Option<&Path>,
        buf: &mut dyn Write,
    ) -> io::Result<()>;
}

/// How a script asks.
pub(super) struct Asked<'a> {
    /// The variable that names the shell.
    pub(super) var: &'a str,
    /// What functions are named after.
    pub(super) name: &'a str,
    /// The command that is completed.
    pub(super) bin: &'a str,
    /// The program that is asked.
    pub(super) completer: &'a str,
}

impl Asked<'_> {
    /// A script with its blanks filled: `NAME`, `BIN`, `COMPLETER` and `VAR`, the programs quoted.
    pub(super) fn fill(&self, script: &str, quoted: impl Fn(&str) -> String) -> String {
        let script = script.replace("NAME", &self.name.replace('-', "_")).replace("BIN", &quoted(self.bin));
        script.replace("COMPLETER", &quoted(self.completer)).replace("VAR", self.var)
    }

    /// The script that `clap_complete` has for a shell.
    pub(super) fn usual(&self, shell: &dyn EnvCompleter) -> io::Result<String> {
        let mut script = Vec::new();
        shell.write_registration(self.var, self.name, self.bin, self.completer, &mut script)?;
        String::from_utf8(script).map_err(io::Error::other)
    }
}

/// A shell as `clap_complete` asks for it.
pub(super) struct Taught<S>(pub(super) S);

impl<S: Shell> EnvCompleter for Taught<S> {
    fn name(&self) -> &'static str {
        self.0.known_as().name()
    }

    fn is(&self, name: &str) -> bool {
        self.0.known_as().is(name)
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        buf.write_all(self.0.script(&Asked { var, name, bin, completer })?.as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        given: Vec<OsString>,
        folder: Option<&Path>,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        self.0.answer(command, given, folder, buf)
    }
}

/// A variable of the script.
pub(super) fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// What fits in the place of the last of these words, which are without quotes.
pub(super) fn candidates(
    command: &mut Command,
    words: Vec<String>,
    folder: Option<&Path>,
) -> io::Result<Vec<CompletionCandidate>> {
    let last = words.len().saturating_sub(1);
    complete(command, keep(words), last, folder)
}
