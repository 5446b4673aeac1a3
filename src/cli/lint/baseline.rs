//! Problems that are known, in a file: one key a line.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use color_eyre::eyre::eyre;

use crate::cli::Failure;
use crate::lint::{baseline_key, baseline_keys, baseline_text};
use crate::runtime::host::{Access, Existing, Files};

/// What a file lists, and what is to be written to it.
#[derive(Debug, Default)]
pub(super) struct Baseline {
    known: HashSet<String>,
    file: Option<PathBuf>,
    new: BTreeSet<String>,
}

impl Baseline {
    /// Reads the file; where it is to be written, it need not be there and nothing in it is known.
    pub(super) fn open(file: Option<&Path>, update: bool) -> Result<Self, Failure> {
        let Some(file) = file else { return Ok(Self::default()) };
        if update {
            return Ok(Self { file: Some(file.to_owned()), ..Self::default() });
        }
        let read = fs::read_to_string(file).map_err(|error| {
            let hint = "; --update-baseline writes it";
            let hint = if error.kind() == std::io::ErrorKind::NotFound { hint } else { "" };
            Failure::Usage(format!("{}: {error}{hint}", file.display()))
        })?;
        Ok(Self { known: baseline_keys(&read).into_iter().collect(), ..Self::default() })
    }

    /// Whether a problem is known. What is to be written is known from now on.
    pub(super) fn knows(&mut self, key: &str) -> bool {
        let key = baseline_key(key);
        if self.file.is_some() {
            return !self.new.insert(key);
        }
        self.known.contains(&key)
    }

    /// Whether it knows no problem, and need not see any.
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty() && self.file.is_none()
    }

    /// Whether the file is written this time.
    pub(super) fn is_written(&self) -> bool {
        self.file.is_some()
    }

    /// Writes what is to be written.
    pub(super) fn end(self) -> Result<(), Failure> {
        let Some(file) = self.file else { return Ok(()) };
        let lines = baseline_text(&self.new);
        let written = Files::of_process().write(&file, lines.as_bytes(), Access::Usual, Existing::Replace);
        written.map(drop).map_err(|error| Failure::Other(eyre!("{}: {error}", file.display())))
    }
}
