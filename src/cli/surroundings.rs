//! What surrounds the process: its environment and the configuration.

use super::Failure;
use crate::settings::{Config, Environment, Folders};

/// The process's environment.
///
/// # Errors
/// Where a variable that says where and how Cutaway works is no text. Passed over it would not be a guard that holds,
/// a profile that is chosen, a folder that is meant. What is for other programs may hold what it likes.
pub(super) fn environment() -> Result<Environment, Failure> {
    let mut kept = Vec::new();
    for (name, value) in std::env::vars_os() {
        // Names that are no text can't be ours.
        let Ok(name) = name.into_string() else { continue };
        match value.into_string() {
            Ok(value) => kept.push((name, value)),
            Err(_) if name.starts_with("CUTAWAY_") || name.starts_with("XDG_") => {
                return Err(Failure::Usage(format!("the environment variable {name} is not valid UTF-8")));
            }
            Err(_) => {}
        }
    }
    Ok(kept.into_iter().collect())
}

/// The configuration, or its defaults where no home is known.
pub(super) fn config(folders: &Folders) -> Config {
    folders.config_file().map(|path| Config::read(&path)).unwrap_or_default()
}
