//! `cutaway` without a command: the studio on this terminal.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;

use super::{Failure, Session};
use crate::runtime::console::Setup;
use crate::runtime::host::{Files, Host};
use crate::runtime::house::House;
use crate::runtime::sitting::{Sitting, SittingError};
use crate::runtime::surface::{Source, Surface};
use crate::runtime::{lines, tty};
use crate::settings::{Depth, Environment};
use crate::terminal::{Capability, Desktop, Terminfo};

/// Opens the studio and stays until the person leaves it.
///
/// # Errors
/// Where there is no terminal, or it can't be shown on any more.
pub async fn open(session: &Session) -> Result<(), Failure> {
    if session.is_plain {
        return plain(session).await;
    }
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(Failure::Usage(
            "the studio needs a terminal; see `cutaway --help` for commands that don't".to_owned(),
        ));
    }
    super::session::belongs(&session.target)?;
    let variable = |name: &str| session.environment.get(name).map(str::to_owned);
    let (capability, desktop) = (capability(session), Desktop::of(variable));
    let setup = Setup {
        capability,
        graphics: session.target.terminal.pictures(),
        tells_progress: tells_progress(&session.environment),
        lost_after: session.config.lost_after,
        follows_background: session.target.theme.is_none() && capability.depth != Depth::Mono,
        desktop,
    };
    let (mut surface, mut source) = tty::open(setup).map_err(Failure::Output)?;
    run(session, host(session, capability), capability, &mut surface, &mut source).await
}

/// Opens the studio as a dialogue of lines, on whatever standard input and output are.
async fn plain(session: &Session) -> Result<(), Failure> {
    super::session::belongs(&session.target)?;
    // What a terminal is asked and shown by sequences is not for this one.
    let capability = Capability { ascii: true, ..capability(session) };
    let host =
        Host { editor: None, suspend: false, pictures: false, notifications: false, ..host(session, capability) };
    let (mut surface, mut source) = lines::open().map_err(Failure::Output)?;
    run(session, host, capability, &mut surface, &mut source).await
}

async fn run(
    session: &Session,
    host: Host,
    capability: Capability,
    surface: &mut impl Surface,
    source: &mut impl Source,
) -> Result<(), Failure> {
    let sitting = Sitting {
        house: Arc::new(House::default()),
        host: Arc::new(host),
        start: Arc::new(session.start()),
        capability,
    };
    Box::pin(sitting.run(surface, source)).await.map_err(|error| match error {
        SittingError::Terminal(error) => Failure::Output(error),
        error => Failure::Faulty(error.to_string()),
    })
}

/// What the terminal of this process can show, as far as it is known before it was asked.
pub(super) fn capability(session: &Session) -> Capability {
    let (environment, set) = (&session.environment, &session.target.terminal);
    let known = terminfo_of(environment).map(|(_, known)| known);
    Capability::within(|name| environment.get(name).map(str::to_owned), set.multiplexer())
        .with_database(known)
        .with_settings(set)
}

/// What the terminal database says of this terminal, with the file, in the places where ncurses looks for it.
pub(super) fn terminfo_of(environment: &Environment) -> Option<(PathBuf, Terminfo)> {
    let term = environment.get("TERM")?;
    let own = environment.get("TERMINFO").map(PathBuf::from);
    let home = environment.get("HOME").map(|home| PathBuf::from(home).join(".terminfo"));
    let more = environment.get("TERMINFO_DIRS").unwrap_or_default().split(':').filter(|folder| !folder.is_empty());
    crate::runtime::terminfo::terminfo(own.into_iter().chain(home).chain(more.map(PathBuf::from)), term)
}

/// What the studio may touch of the machine of the person who started this process: all of it.
fn host(session: &Session, capability: Capability) -> Host {
    let editor = ["VISUAL", "EDITOR"].into_iter().find_map(|name| session.environment.get(name)).unwrap_or("vi");
    let machine = capability.remote.then(|| rustix::system::uname().nodename().to_string_lossy().into_owned());
    Host {
        folders: session.folders.clone(),
        home: None,
        guest: None,
        environment: session.environment.clone(),
        key: None,
        credentials: session.credential_store(),
        files: Some(Files::of_process()),
        editor: Some(editor.to_owned()),
        clipboard: true,
        listening: true,
        background: std::env::current_exe().ok(),
        suspend: true,
        profiles: true,
        pictures: true,
        desktop: opener(&session.environment, capability.remote),
        notifications: true,
        machine,
        ffmpeg: on_path(&session.environment, "ffmpeg"),
        programs: true,
        is_alone: true,
    }
}

/// Whether the terminal takes OSC 9;4 for what it is, or for nothing: iTerm2 took it for a notification for years, and
/// the console of Linux shows it.
fn tells_progress(environment: &Environment) -> bool {
    environment.get("TERM_PROGRAM") != Some("iTerm.app") && !matches!(environment.get("TERM"), Some("linux" | "dumb"))
}

/// What opens addresses here: nothing over a line, or where there is no desktop.
pub(super) fn opener(environment: &Environment, remote: bool) -> Option<PathBuf> {
    let desktop = cfg!(target_os = "macos")
        || environment.get("DISPLAY").is_some()
        || environment.get("WAYLAND_DISPLAY").is_some();
    if remote || !desktop {
        return None;
    }
    on_path(environment, if cfg!(target_os = "macos") { "open" } else { "xdg-open" })
}

/// A program of the PATH. Folders that are named from where one stands are left out: what lies there is not of the
/// person's choice.
pub(super) fn on_path(environment: &Environment, program: &str) -> Option<PathBuf> {
    let folders = environment.get("PATH")?.split(':').map(PathBuf::from).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}
