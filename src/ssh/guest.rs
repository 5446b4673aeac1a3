//! What a guest gets: a workspace, a home of their own in the data folder, and nothing of the machine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::SshError;
use super::keys::{FOLDER, GuestKey};
use crate::domain::ApiKey;
use crate::runtime::console::Setup;
use crate::runtime::host::Host;
use crate::runtime::sitting::Start;
use crate::runtime::terminfo::terminfo;
use crate::service::guests::{GuestBook, GuestHome};
use crate::settings::{Config, Credentials, Environment, Flags, Folders, Place, Target};
use crate::terminal::{Capability, Desktop};

/// The folder of the guests' homes, in the folder of SSH.
const GUESTS: &str = "guests";

/// Who came in, with what they may work.
#[derive(Clone)]
pub(super) struct Guest {
    /// The key that they came in by.
    pub(super) key: GuestKey,
    /// Their own settings and drafts, and the folder of their workspace.
    pub(super) folders: Folders,
    /// Their drafts and the place where they were, where those are in a database.
    pub(super) home: Option<GuestHome>,
    /// What the workspace's service knows them by; it is refused as soon as their key is revoked.
    pub(super) api_key: ApiKey,
}

impl Guest {
    /// Who has this key, at the workspace in this folder.
    ///
    /// # Errors
    /// Where the file of the keys has something else than a key.
    pub(super) fn of(
        data: &Path,
        book: Option<&GuestBook>,
        key: GuestKey,
        workspace: &Path,
        api_key: ApiKey,
    ) -> Result<Self, SshError> {
        let home = key.home().ok_or_else(|| SshError::Internal("the key in the file can't be read".to_owned()))?;
        let folder = data.join(FOLDER).join(GUESTS).join(&home);
        let folders = Folders::of_guest(&folder, workspace.to_owned());
        Ok(Self { key, folders, home: book.map(|book| book.home(&home)), api_key })
    }

    /// What their studio may touch of this machine: its own files, and their terminal's clipboard.
    pub(super) fn host(&self) -> Host {
        Host {
            key: Some(self.api_key.clone()),
            home: self.home.clone(),
            clipboard: true,
            pictures: true,
            notifications: true,
            ..Host::closed(self.folders.clone())
        }
    }

    /// Where their studio begins. Their own settings can't lead them elsewhere.
    ///
    /// # Errors
    /// Where their settings are wrong.
    pub(super) fn start(&self) -> Result<Start, SshError> {
        let refused = |why: String| SshError::Internal(why);
        let path = self.folders.config_file().map_err(|error| refused(error.to_string()))?;
        let config = Config::read(&path);
        let flags = Flags { read_only_key: self.key.read_only, ..Flags::default() };
        let target = Target::resolve(&flags, &Environment::default(), &config, &Credentials::default());
        let target = target.map_err(|error| refused(error.to_string()))?;
        if target.place != Place::Local {
            return Err(refused("only the workspace of this server can be opened here".to_owned()));
        }
        Ok(Start { target, flags, config, fresh: false, credentials_fault: None })
    }
}

/// What is known of a guest's terminal: what it is called, what the database of this machine says of that name, and what
/// else the client said about it. It reads files.
pub(super) fn setup(start: &Start, term: &str, said: &[(String, String)], lost_after: Duration) -> Setup {
    let variable = |name: &str| match name {
        "TERM" => Some(term.to_owned()),
        // They are at the other end of a line, whatever they say.
        "SSH_CONNECTION" => Some("guest".to_owned()),
        name => said.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()),
    };
    Setup {
        capability: Capability::of(variable)
            .with_database(terminfo([], term).map(|(_, known)| known))
            .restricted_by(&start.target.terminal),
        graphics: start.target.terminal.pictures(),
        tells_progress: !matches!(term, "linux" | "dumb"),
        follows_background: start.target.theme.is_none(),
        lost_after,
        desktop: Desktop::of(variable),
    }
}

/// What a client may say about its terminal and its person's language. All else stays unsaid.
pub(super) const SAID: [&str; 7] =
    ["LANG", "LC_ALL", "LC_CTYPE", "COLORTERM", "NO_COLOR", "TERM_PROGRAM", "LC_TERMINAL"];

/// A guest who is in, for as long as somebody works as them.
pub(super) type Shared = Arc<Guest>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Depth, TerminalSetting};
    use crate::ssh::keys::{GuestKeys, NewGuestKey};
    use crate::studio::Command;

    fn guest(data: &Path, read_only: bool) -> Guest {
        let text = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB7ZtkKOjEIKGKdHZ3bsoVyqfuB9z5zYpNuMJqQEr1nz";
        let new = NewGuestKey { read_only, ..NewGuestKey::default() };
        let key = GuestKeys::of(data).add(text, new, String::new()).unwrap();
        Guest::of(data, None, key, data, ApiKey::new("cutaway_key_x")).unwrap()
    }

    #[test]
    fn a_guest_has_a_home_of_their_own_and_nothing_of_the_machine() {
        let folder = tempfile::tempdir().unwrap();
        let guest = guest(folder.path(), true);
        let host = guest.host();
        assert_eq!(host.folders.local_workspace().unwrap(), folder.path());
        assert!(host.folders.state().unwrap().starts_with(folder.path().join("ssh/guests")));
        let absent: Vec<Command> = host.absent().collect();
        for off in [
            Command::Export,
            Command::Bundle,
            Command::VideosUpload,
            Command::StepsEditor,
            Command::Suspend,
            Command::Switch,
            Command::WebhookListen,
            Command::AccountSignIn,
        ] {
            assert!(absent.contains(&off), "{off:?}");
        }
        assert!(host.background.is_none() && host.ffmpeg.is_none() && host.desktop.is_none());
        assert!(host.files.is_none() && host.credentials.is_none());
        assert!(guest.start().unwrap().target.read_only.is_some());
    }

    #[test]
    fn settings_in_a_guests_home_lead_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let guest = guest(folder.path(), false);
        let path = guest.folders.config_file().unwrap();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "default_profile = \"x\"\n[profiles.x]\nbase_url = \"http://10.0.0.1\"\n").unwrap();
        assert!(guest.start().is_err());
    }

    #[test]
    fn a_terminal_is_what_its_client_says() {
        let folder = tempfile::tempdir().unwrap();
        let start = guest(folder.path(), false).start().unwrap();
        let said = [("COLORTERM".to_owned(), "truecolor".to_owned())];
        let setup = setup(&start, "xterm-256color", &said, Duration::from_secs(60));
        assert!(setup.capability.depth == Depth::True && setup.capability.remote && setup.tells_progress);
    }

    #[test]
    fn a_terminal_is_looked_up_in_the_database_too() {
        let Some(known) = terminfo([], "xterm-256color").map(|(_, known)| known).filter(|known| known.colored) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let start = guest(folder.path(), false).start().unwrap();
        let setup = setup(&start, "xterm-256color", &[], Duration::from_secs(60));
        assert!(setup.capability.shortcuts.colored, "{known:?}");
    }

    /// What is set on the server is by somebody who doesn't see the terminal.
    #[test]
    fn settings_on_the_server_send_a_guests_terminal_no_links_that_it_is_not_known_to_have() {
        let folder = tempfile::tempdir().unwrap();
        let guest = guest(folder.path(), false);
        let path = guest.folders.config_file().unwrap();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "links = \"on\"\nambiguous_width = \"narrow\"\n").unwrap();
        let start = guest.start().unwrap();
        assert_eq!(
            (start.target.terminal.is_on(TerminalSetting::Links), start.target.terminal.wide_signs()),
            (Some(true), Some(false))
        );
        let said = [("LANG".to_owned(), "ja_JP.UTF-8".to_owned())];
        let capability = |term: &str| setup(&start, term, &said, Duration::from_secs(60)).capability;
        for term in ["xterm-256color", "linux", "screen", "vt220"] {
            assert!(!capability(term).links, "{term}");
        }
        assert!(capability("foot").links);
        assert!(capability("xterm-256color").wide_signs, "its own locale says so");
    }
}
