//! Whether the profile of a queue still lets it write: what waits may wait for long, and meanwhile the profile may have
//! become read-only.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::settings::{Config, Folders, Target};

/// Looks at the profile of a queue.
#[derive(Debug, Clone)]
pub struct Guard {
    file: PathBuf,
    profile: String,
    /// When the configuration was written that `read_only` is from, and how long it was then.
    of: Option<(SystemTime, u64)>,
    read_only: bool,
}

impl Guard {
    /// The guard of a target's queue; nothing where no configuration has a say in it.
    #[must_use]
    pub fn of(target: &Target, folders: &Folders) -> Option<Self> {
        let (profile, file) = (target.profile.clone()?, folders.config_file().ok()?);
        Some(Self { file, profile, of: None, read_only: false })
    }

    /// The profile's name.
    #[must_use]
    pub fn profile(&self) -> &str {
        &self.profile
    }

    /// Whether the profile is read-only as it is now. Where the configuration can't be read, it is as it was.
    pub fn is_read_only(&mut self) -> bool {
        let metadata = fs::metadata(&self.file).ok();
        let of = metadata.and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        if of.is_none() || of == self.of {
            return self.read_only;
        }
        let config = Config::read(&self.file);
        if !config.unreadable {
            self.of = of;
            // A profile that is gone refuses nothing: it may have got another name, which its queue gets too.
            self.read_only = config.profiles.get(&self.profile).is_some_and(|profile| profile.read_only);
        }
        self.read_only
    }
}
