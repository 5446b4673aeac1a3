//! Where Cutaway keeps its files.

use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use thiserror::Error;

use super::Environment;

/// There is no place for files of this kind.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no home folder is known; set HOME or {variable}")]
pub struct NoHome {
    variable: &'static str,
}

/// The XDG folders, Cutaway's own inside each. Where there is no home, each says so when it is asked for: a command
/// that works on a remote service needs none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    config: Option<PathBuf>,
    data: Option<PathBuf>,
    state: Option<PathBuf>,
    cache: Option<PathBuf>,
    /// The local workspace, where that is not in the folder of data.
    workspace: Option<PathBuf>,
}

impl Folders {
    /// From the environment (`XDG_CONFIG_HOME`, `XDG_DATA_HOME`, `XDG_STATE_HOME`,
    /// `XDG_CACHE_HOME`), else where the platform has them.
    #[must_use]
    pub fn find(environment: &Environment) -> Self {
        let platform = ProjectDirs::from("", "", "cutaway");
        let xdg = |variable: &str| {
            // The XDG specification has relative paths ignored.
            environment
                .get(variable)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
                .map(|path| path.join("cutaway"))
        };
        let home = |of: fn(&ProjectDirs) -> &Path| platform.as_ref().map(|dirs| of(dirs).to_path_buf());
        let data = xdg("XDG_DATA_HOME").or_else(|| home(ProjectDirs::data_dir));
        Self {
            config: xdg("XDG_CONFIG_HOME").or_else(|| home(ProjectDirs::config_dir)),
            state: xdg("XDG_STATE_HOME")
                .or_else(|| home(|dirs| dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()))),
            cache: xdg("XDG_CACHE_HOME").or_else(|| home(ProjectDirs::cache_dir)),
            data,
            workspace: None,
        }
    }

    /// Those of a guest: settings, drafts and sessions in a home of their own, the local workspace in a folder that
    /// others may use too.
    #[must_use]
    pub fn of_guest(home: &Path, workspace: PathBuf) -> Self {
        Self { workspace: Some(workspace), ..Self::under(home) }
    }

    /// All of them under one folder: for tests, and for a workspace carried along.
    #[must_use]
    pub fn under(root: &Path) -> Self {
        let folder = |name: &str| Some(root.join(name));
        Self {
            config: folder("config"),
            data: folder("data"),
            state: folder("state"),
            cache: folder("cache"),
            workspace: None,
        }
    }

    /// Of `config.toml`, `keymap.toml` and `themes/`.
    ///
    /// # Errors
    /// Where no home folder is known.
    pub fn config(&self) -> Result<&Path, NoHome> {
        self.config.as_deref().ok_or(NoHome { variable: "XDG_CONFIG_HOME" })
    }

    /// Of credentials and the local workspace.
    ///
    /// # Errors
    /// Where no home folder is known.
    pub fn data(&self) -> Result<&Path, NoHome> {
        self.data.as_deref().ok_or(NoHome { variable: "XDG_DATA_HOME" })
    }

    /// Of logs, drafts and what the studio remembers.
    ///
    /// # Errors
    /// Where no home folder is known.
    pub fn state(&self) -> Result<&Path, NoHome> {
        self.state.as_deref().ok_or(NoHome { variable: "XDG_STATE_HOME" })
    }

    /// Of what can be had again: pictures.
    ///
    /// # Errors
    /// Where no home folder is known.
    pub fn cache(&self) -> Result<&Path, NoHome> {
        self.cache.as_deref().ok_or(NoHome { variable: "XDG_CACHE_HOME" })
    }

    /// The folder of the local workspace.
    ///
    /// # Errors
    /// Where no home folder is known.
    pub fn local_workspace(&self) -> Result<PathBuf, NoHome> {
        match &self.workspace {
            Some(workspace) => Ok(workspace.clone()),
            None => Ok(self.data()?.join("local")),
        }
    }

    /// `config.toml`.
    ///
    /// # Errors
    /// Where no home folder is known.
    pub fn config_file(&self) -> Result<PathBuf, NoHome> {
        Ok(self.config()?.join("config.toml"))
    }

    /// `credentials.toml`.
    ///
    /// # Errors
    /// Where no home folder is known.
    pub fn credentials_file(&self) -> Result<PathBuf, NoHome> {
        Ok(self.data()?.join("credentials.toml"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_goes_first() {
        let environment = Environment::from_iter([("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "relative")]);
        let folders = Folders::find(&environment);
        assert_eq!(folders.config_file().unwrap(), Path::new("/c/cutaway/config.toml"));
        assert_ne!(folders.data().ok(), Some(Path::new("relative/cutaway")));
    }

    #[test]
    fn a_guest_shares_the_workspace_and_nothing_else() {
        let guest = Folders::of_guest(Path::new("/srv/ssh/alice"), PathBuf::from("/srv"));
        assert_eq!(guest.local_workspace().unwrap(), Path::new("/srv"));
        for own in [guest.config(), guest.data(), guest.state(), guest.cache()] {
            assert!(own.unwrap().starts_with("/srv/ssh/alice"));
        }
    }
}
