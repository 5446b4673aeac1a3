//! Completions for PowerShell, which takes a candidate into the line as it is.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine::complete;
use clap_complete::env::{self, EnvCompleter};

use super::keep;
use super::word::is_plain;

/// PowerShell
pub(super) struct Powershell;

/// The text as one word: as it is where nothing in it means anything, else between single quotes. PowerShell takes
/// typographic quotes for straight ones.
fn quoted(text: &str) -> String {
    // An `@` or a `,` is an operator there.
    if is_plain(text) && !text.contains(['@', ',', '%']) {
        return text.to_owned();
    }
    let mut word = String::from("'");
    for c in text.chars() {
        if matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}') {
            word.push(c);
        }
        word.push(c);
    }
    word.push('\'');
    word
}

impl EnvCompleter for Powershell {
    fn name(&self) -> &'static str {
        env::Powershell.name()
    }

    fn is(&self, name: &str) -> bool {
        env::Powershell.is(name)
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        env::Powershell.write_registration(var, name, bin, completer, buf)
    }

    fn write_complete(
        &self,
        command: &mut Command,
        given: Vec<OsString>,
        folder: Option<&Path>,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        let index = given.len().saturating_sub(1);
        let words = keep(given.iter().map(|word| word.to_string_lossy().into_owned()).collect());
        for candidate in complete(command, words, index, folder)? {
            write!(buf, "{}", quoted(&candidate.get_value().to_string_lossy()))?;
            if let Some(help) = candidate.get_help() {
                write!(buf, "\t{}", help.to_string().lines().next().unwrap_or_default())?;
            }
            writeln!(buf)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_candidate_is_one_word() {
        assert_eq!(quoted("--limit"), "--limit");
        assert_eq!(quoted("Zeta $(touch X) & y"), "'Zeta $(touch X) & y'");
        assert_eq!(quoted("it's \u{2019}; x"), "'it''s \u{2019}\u{2019}; x'");
        assert_eq!(quoted("@a"), "'@a'");
    }
}
