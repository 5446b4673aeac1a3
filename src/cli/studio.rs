//! `cutaway` without a command: the studio on this terminal.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::log::INTERNAL_ERRORS;
use super::{Failure, Session};
use crate::runtime::account::known_profiles;
use crate::runtime::renaming::rename_profile;
use crate::runtime::resume;
use crate::runtime::studio::{Ended, run};
use crate::runtime::world::{Host, Real, load_theme};
use crate::runtime::{pictures, remember, tty};
use crate::settings::{
    CredentialSource, Environment, FileFault, Folders, Place, ReadOnlyReason, THEMES, Target, read_text,
};
use crate::studio::event::Event;
use crate::studio::twin::{Clerk, Deeds};
use crate::studio::{Begin, Credential, Keymap, Model, SwitchTo, left};
use crate::terminal::panics::{Listening, listen};
use crate::terminal::{Capability, Desktop};

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
    super::session::belongs(&session.target)?;
    let capability = Capability::of(|name| session.environment.get(name).map(str::to_owned));
    let opener = opener(&session.environment, capability.remote);
    let editor = ["VISUAL", "EDITOR"].into_iter().find_map(|name| session.environment.get(name)).unwrap_or("vi");
    let machine = capability.remote.then(|| rustix::system::uname().nodename().to_string_lossy().into_owned());
    let host = Host {
        folders: session.folders.clone(),
        credentials: session.credential_store(),
        opener,
        editor: editor.to_owned(),
        machine,
        ffmpeg: on_path(&session.environment, "ffmpeg"),
        depth: capability.depth,
        environment: session.environment.clone(),
    };
    let mut target = session.target.clone();
    let mut resume = session.resume(&target);
    let mut said = None;
    let mut deeds = Deeds::default();
    let desktop = Desktop::of(|name| session.environment.get(name).map(str::to_owned));
    let tells = tells_progress(&session.environment);
    let (mut surface, mut source) =
        tty::open(capability, session.target.pictures, tells, desktop).map_err(Failure::Output)?;
    // A studio is of one profile. For another one everything is made anew: nothing of the one is left in the other.
    loop {
        let mut begin = begin(session, &target, capability, &host);
        begin.warnings.extend(said.take());
        begin.resume = resume.take();
        begin.deeds = std::mem::take(&mut deeds);
        let (sender, mut events) = unbounded_channel();
        let _broke = tell_internal_errors(&session.folders, sender.clone());
        let mut world = Real::new(target.clone(), host.clone(), sender);
        world.watch_theme(target.theme.as_deref().unwrap_or("dark"));
        let mut model = Model::new(begin);
        let ended = run(&mut model, &mut surface, &mut source, &mut world, &mut events).await;
        world.finish().await;
        // What is being sent goes on in the background, also where the person turns to another profile.
        let away = matches!(ended, Ok(Ended::HungUp | Ended::Switch(_)) | Err(_));
        let handed_over = world.end_uploads(away).await;
        if let Some(workspace) = world.connection().and_then(|connection| connection.workspace.clone()) {
            workspace.close().await;
        }
        resume::leave(&session.folders, target.name(), &left(&model));
        // What is recorded in one profile goes on in the other; what was asked there is not answered any more.
        deeds = Deeds { clerk: Clerk::default(), ..std::mem::take(&mut model.deeds) };
        match (handed_over, &ended) {
            (Err(why), Ok(Ended::Switch(_))) => said = Some(why),
            (Err(why), _) => return Err(Failure::Faulty(why)),
            (Ok(()), _) => {}
        }
        match ended {
            Ok(Ended::Quit | Ended::HungUp) => return Ok(()),
            Ok(Ended::Rename(to)) => {
                let renamed = rename(session, target.name(), &to).and_then(|()| {
                    let to = SwitchTo { profile: to, store: None };
                    session.target_of(&to).map_err(|error| error.to_string())
                });
                match renamed {
                    Ok(renamed) => target = renamed,
                    Err(why) => said = Some(format!("{} keeps its name: {why}", target.name())),
                }
                resume = session.resume(&target);
            }
            Err(error) => return Err(Failure::Output(error)),
            Ok(Ended::Switch(to)) => match session.target_of(&to) {
                Ok(other) => {
                    resume = session.resume(&other).filter(|_| to.store.is_none());
                    target = other;
                }
                Err(error) => said = error.line(),
            },
        }
    }
}

/// Tells the person that something panicked beside the loop: what was asked for there will not come.
fn tell_internal_errors(folders: &Folders, events: UnboundedSender<Event>) -> Listening {
    let file = folders.state().ok().map(|folder| folder.join(INTERNAL_ERRORS));
    listen(move |panicked| {
        // A picture that can't be decoded is shown as that.
        if panicked.thread == pictures::THREAD {
            return;
        }
        let more = file.as_ref().map_or_else(String::new, |file| format!(" Details are in {}.", file.display()));
        let what = format!(
            "Internal error at {}: something that was under way has stopped. Your edits are kept.{more}",
            panicked.at
        );
        let _ = events.send(Event::Broke(what));
    })
}

/// Gives the profile another name, now that no studio is open on it here.
fn rename(session: &Session, from: &str, to: &str) -> Result<(), String> {
    let store = session.credential_store().ok_or("no home is known to keep it in")?;
    rename_profile(&session.folders, &store, from, to).map_err(|error| error.to_string())
}

/// Whether the terminal takes OSC 9;4 for what it is, or for nothing: iTerm2 took it for a notification for years, and
/// the console of Linux shows it.
fn tells_progress(environment: &Environment) -> bool {
    environment.get("TERM_PROGRAM") != Some("iTerm.app") && !matches!(environment.get("TERM"), Some("linux" | "dumb"))
}

/// What is known before anything is asked.
fn begin(session: &Session, target: &Target, capability: Capability, host: &Host) -> Begin {
    let name = target.theme.as_deref().unwrap_or("dark");
    let (theme, mut faults) = load_theme(&session.folders, name, capability.depth);
    let theme = if target.live { theme.for_live(target.colour.as_deref(), capability.depth) } else { theme };
    let file = |name: &str| session.folders.config().ok().map(|folder| folder.join(name));
    let own = file("keymap.toml").map_or(Ok(None), |path| read_text(&path)).unwrap_or_else(|fault| {
        faults.push(fault);
        None
    });
    let (keymap, wrong) = Keymap::load(own.as_deref());
    faults.extend(wrong);
    let (memory, unreadable) = remember::read(&session.folders, &target.place);
    let memory = if session.resumes() { memory } else { memory.afresh() };
    // Where the key came from somewhere else, that file was not needed.
    let no_key = session.credentials_fault.iter().filter(|_| target.credential_source == CredentialSource::Missing);
    Begin {
        profile: target.name().to_owned(),
        local: target.is_local(),
        credential: match target.credential_source {
            CredentialSource::Missing => Credential::None,
            source => Credential::From(match &target.credential {
                Some(secret) => format!("{}, {source}", secret.kind()),
                None => source.to_string(),
            }),
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
        opens_addresses: host.opener.is_some(),
        has_ffmpeg: host.ffmpeg.is_some(),
        profiles: known_profiles(&super::surroundings::config(&session.folders), &session.credentials()),
        resume: None,
        memory,
        graphics: target.pictures.unwrap_or_else(|| capability.plain_graphics()),
        way: way(session, target).into(),
        deeds: Deeds::default(),
    }
}

/// The flags by which a command works where this studio does, as the same person: the profile, and what is not as the
/// profile has it.
fn way(session: &Session, target: &Target) -> Vec<String> {
    let mut way = Vec::new();
    let mut add = |flag: &str, value: &str| way.extend([flag.to_owned(), value.to_owned()]);
    let known = target.profile.as_ref().and_then(|name| session.config.profiles.get(name)).cloned().unwrap_or_default();
    if let Some(name) = &target.profile {
        add("--profile", name);
    }
    if let Place::Remote(hosts) = &target.place {
        let base = known.base_url.as_ref();
        if base != Some(&hosts.base) {
            add("--base-url", hosts.base.as_str());
        }
        if let Some(lb) = hosts.lb.as_ref().filter(|lb| known.lb_base_url.as_ref() != Some(lb)) {
            add("--lb-base-url", lb.as_str());
        }
        let beside = [("--upload-url", &hosts.upload, &known.upload_url), ("--auth-url", &hosts.auth, &known.auth_url)];
        for (flag, host, known) in beside {
            if known.as_ref().unwrap_or(base.unwrap_or(&hosts.base)) != host {
                add(flag, host.as_str());
            }
        }
    }
    if matches!(target.read_only, Some(ReadOnlyReason::Flag | ReadOnlyReason::Environment)) {
        way.push("--read-only".to_owned());
    }
    way
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
