//! What one studio may touch of the machine that it runs on. All of it is handed to a sitting as a value: a studio that
//! is served to a guest gets less than one on its owner's terminal.

pub mod children;
pub mod editor;
pub mod files;
pub mod programs;

use std::path::PathBuf;

pub use files::{Access, Existing, Files, NewFile};

use crate::domain::ApiKey;
use crate::service::guests::GuestHome;
use crate::settings::{CredentialStore, Environment, Folders};
use crate::studio::{Command, GuestOf};

/// What a studio may touch of its host. What is off is absent from help and the palette, and refused by the drivers.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a right of its own")]
pub struct Host {
    /// Where Cutaway's own files are: settings, drafts, queues, caches.
    pub folders: Folders,
    /// Where drafts and the place are kept instead, where the person is a guest of a service whose database is shared.
    pub home: Option<GuestHome>,
    /// How the person came, where they are a guest of the workspace's owner.
    pub guest: Option<GuestOf>,
    /// The variables. What in them is secret is kept out of support archives.
    pub environment: Environment,
    /// The key that the local workspace is worked with, where the person is a guest of its owner.
    pub key: Option<ApiKey>,
    /// Where credentials are kept, where there is a home.
    pub credentials: Option<CredentialStore>,
    /// Files that the person names: exports, scripts, archives, videos to upload.
    pub files: Option<Files>,
    /// The editor of the person's choice: a shell's command line that a file's name is put after.
    pub editor: Option<String>,
    /// Whether the terminal's clipboard may be written to.
    pub clipboard: bool,
    /// Whether ports of this machine may be listened on, for webhooks and for sign-ins by browser.
    pub listening: bool,
    /// The program that goes on with uploads once the studio has ended.
    pub background: Option<PathBuf>,
    /// Whether the whole process may be suspended.
    pub suspend: bool,
    /// Whether profiles may be switched to and changed.
    pub profiles: bool,
    /// Whether pictures are fetched and shown.
    pub pictures: bool,
    /// The program that opens addresses, where there is one and the person sits at this machine.
    pub desktop: Option<PathBuf>,
    /// Whether the person is told of things on their desktop, where their terminal passes that on.
    pub notifications: bool,
    /// The name of this machine, where the person sits at another one.
    pub machine: Option<String>,
    /// The program that takes pictures out of videos, where there is one.
    pub ffmpeg: Option<PathBuf>,
    /// Whether programs of the person's own may be run, which their keymap names.
    pub programs: bool,
    /// Whether this studio is told what panics anywhere in the process: it is the only one in it.
    pub is_alone: bool,
}

/// Where what a studio remembers is kept.
#[derive(Debug, Clone, Copy)]
pub struct Own<'a> {
    /// Files of its own.
    pub folders: &'a Folders,
    /// In place of those, what the person has in a database.
    pub home: Option<&'a GuestHome>,
}

impl<'a> From<&'a Folders> for Own<'a> {
    fn from(folders: &'a Folders) -> Self {
        Self { folders, home: None }
    }
}

impl<'a> From<&'a Host> for Own<'a> {
    fn from(host: &'a Host) -> Self {
        Self { folders: &host.folders, home: host.home.as_ref() }
    }
}

/// What needs that pictures are shown.
const PICTURES: [Command; 6] = [
    Command::Pictures,
    Command::Thumbnails,
    Command::FullPicture,
    Command::VideosThumbnails,
    Command::VideosPreview,
    Command::StepsPreview,
];

impl Host {
    /// A host that lets a studio touch nothing but Cutaway's own files: what is allowed is added to it.
    #[must_use]
    pub fn closed(folders: Folders) -> Self {
        Self {
            folders,
            home: None,
            guest: None,
            environment: Environment::default(),
            key: None,
            credentials: None,
            files: None,
            editor: None,
            clipboard: false,
            listening: false,
            background: None,
            suspend: false,
            profiles: false,
            pictures: false,
            desktop: None,
            notifications: false,
            machine: None,
            ffmpeg: None,
            programs: false,
            is_alone: false,
        }
    }

    /// The commands that this host does not allow.
    pub fn absent(&self) -> impl Iterator<Item = Command> {
        let when_off = |on: bool, commands: &'static [Command]| commands.iter().filter(move |_| !on).copied();
        when_off(self.files.is_some(), Command::ON_FILES)
            .chain(when_off(self.editor.is_some(), &[Command::StepsEditor]))
            .chain(when_off(self.clipboard, &[Command::Copy, Command::WebhookSecret]))
            .chain(when_off(self.listening, &[Command::WebhookListen]))
            .chain(when_off(self.suspend, &[Command::Suspend]))
            .chain(when_off(self.profiles, Command::ON_PROFILES))
            .chain(when_off(self.pictures, &PICTURES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_off_is_absent_and_nothing_else() {
        let mut host = Host::closed(Folders::under(std::path::Path::new("/home/me")));
        assert!(host.absent().any(|command| command == Command::Export));
        host.files = Some(Files::of_process());
        assert!(host.absent().all(|command| !Command::ON_FILES.contains(&command)));
        host.editor = Some("vi".to_owned());
        (host.clipboard, host.listening, host.suspend, host.profiles, host.pictures) = (true, true, true, true, true);
        assert_eq!(host.absent().count(), 0);
    }
}
