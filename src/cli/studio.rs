//! `cutaway` without a command: the studio on this terminal.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc::unbounded_channel;

use super::{Failure, Session};
use crate::runtime::studio::{Ended, run};
use crate::runtime::world::{Host, Real, load_theme};
use crate::runtime::{remember, tty};
use crate::settings::{CredentialSource, Environment, FileFault, THEMES, read_text};
use crate::studio::{Begin, Credential, Keymap, Model};
use crate::terminal::Capability;

/// Opens the studio and stays until the person leaves it.
///
/// # Errors
/// Where there is no terminal, or it can't be shown on any more.
pub async fn open(session: &Session) -> Result<(), Failure> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(Failure::Usage(
            "the studio needs a terminal; the same can be done with commands, see cutaway --help".to_owned(),
        ));
    }
    let capability = Capability::of(|name| session.environment.get(name).map(str::to_owned));
    let opener = opener(&session.environment, capability.remote);
    let begin = begin(session, capability, opener.is_some());
    let (sender, mut events) = unbounded_channel();
    let editor = ["VISUAL", "EDITOR"].into_iter().find_map(|name| session.environment.get(name)).unwrap_or("vi");
    let host = Host { folders: session.folders.clone(), opener, editor: editor.to_owned(), depth: capability.depth };
    let mut world = Real::new(session.target.clone(), host, sender);
    let mut model = Model::new(begin);

    let (mut surface, mut source) = tty::open(capability, session.target.pictures).map_err(Failure::Output)?;
    let ended = run(&mut model, &mut surface, &mut source, &mut world, &mut events).await;
    drop((surface, source));
    world.finish().await;

    if let Some(workspace) = world.connection().and_then(|connection| connection.workspace.clone()) {
        workspace.close().await;
    }
    match ended {
        Ok(Ended::Quit | Ended::HungUp) => Ok(()),
        Err(error) => Err(Failure::Output(error)),
    }
}

/// What is known before anything is asked.
fn begin(session: &Session, capability: Capability, opens_addresses: bool) -> Begin {
    let target = &session.target;
    let name = target.theme.as_deref().unwrap_or("dark");
    let (theme, mut faults) = load_theme(&session.folders, name, capability.depth);
    let file = |name: &str| session.folders.config().ok().map(|folder| folder.join(name));
    let own = file("keymap.toml").map_or(Ok(None), |path| read_text(&path)).unwrap_or_else(|fault| {
        faults.push(fault);
        None
    });
    let (keymap, wrong) = Keymap::load(own.as_deref());
    faults.extend(wrong);
    let (memory, unreadable) = remember::read(&session.folders);
    // Where the key came from somewhere else, that file was not needed.
    let no_key = session.credentials_fault.iter().filter(|_| target.credential_source == CredentialSource::Missing);
    Begin {
        profile: target.name().to_owned(),
        local: target.is_local(),
        credential: match target.credential_source {
            CredentialSource::Missing => Credential::None,
            source => Credential::From(source.to_string()),
        },
        read_only: target.read_only.map(|reason| reason.to_string()),
        store: target.app_url.clone(),
        first_start: target.is_local() && !file("config.toml").is_some_and(|path| path.exists()),
        theme: Arc::new(theme),
        themes: themes(session),
        keymap: Arc::new(keymap),
        faults: faults.into_iter().collect::<Vec<FileFault>>(),
        warnings: target.warnings.iter().chain(no_key).cloned().chain(unreadable).collect(),
        ascii: capability.ascii,
        opens_addresses,
        memory,
        graphics: target.pictures.unwrap_or_else(|| capability.plain_graphics()),
    }
}

/// The themes that can be chosen: those that Cutaway brings, then the person's own.
fn themes(session: &Session) -> Vec<String> {
    let mut names: Vec<String> = THEMES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let folder = session.folders.config().ok().map(|folder| folder.join("themes"));
    let mut own: Vec<String> = folder
        .and_then(|folder| std::fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|file| file.strip_suffix(".toml").map(str::to_owned))
        .filter(|name| !names.contains(name))
        .collect();
    own.sort();
    names.extend(own);
    names
}

/// What opens addresses here: nothing over a line, or where there is no desktop.
fn opener(environment: &Environment, remote: bool) -> Option<PathBuf> {
    let desktop = cfg!(target_os = "macos")
        || environment.get("DISPLAY").is_some()
        || environment.get("WAYLAND_DISPLAY").is_some();
    if remote || !desktop {
        return None;
    }
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let path = environment.get("PATH")?;
    path.split(':').map(|folder| PathBuf::from(folder).join(program)).find(|file| file.is_file())
}
