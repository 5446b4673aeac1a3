//! Completions for zsh and fish, which quote what they take into the line by themselves. What is typed they give with its
//! quotes.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::env::{self, EnvCompleter};

use super::keep;
use super::shell::{Asked, Shell};
use super::word::unquoted;

/// zsh
pub(super) struct Zsh;

/// fish
pub(super) struct Fish;

/// Where the script lies on the `fpath`, its first run is the first question.
const AT_ONCE: &str = "\n[[ ${funcstack[1]-} == _cutaway ]] && _clap_dynamic_completer_cutaway \"$@\"\n";

fn plain(word: &OsString) -> String {
    unquoted(&word.to_string_lossy())
}

impl Shell for Zsh {
    fn known_as(&self) -> &'static dyn EnvCompleter {
        &env::Zsh
    }

    fn script(&self, asked: &Asked<'_>) -> io::Result<String> {
        Ok(asked.usual(&env::Zsh)? + AT_ONCE)
    }

    fn answer(
        &self,
        command: &mut Command,
        given: Vec<OsString>,
        folder: Option<&Path>,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        let words = keep(given.iter().map(plain).collect());
        env::Zsh.write_complete(command, words, folder, buf)
    }
}

impl Shell for Fish {
    fn known_as(&self) -> &'static dyn EnvCompleter {
        &env::Fish
    }

    fn script(&self, asked: &Asked<'_>) -> io::Result<String> {
        asked.usual(&env::Fish)
    }

    fn answer(
        &self,
        command: &mut Command,
        given: Vec<OsString>,
        folder: Option<&Path>,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        // The words before the one that is being typed come without their quotes.
        let last = given.len().saturating_sub(1);
        let word = |(at, word): (usize, &OsString)| {
            if at == last { plain(word) } else { word.to_string_lossy().into_owned() }
        };
        let words = keep(given.iter().enumerate().map(word).collect());
        env::Fish.write_complete(command, words, folder, buf)
    }
}
