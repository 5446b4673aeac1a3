//! The life of one studio: from profile to profile until the person leaves, on a terminal and a host that are handed to
//! it as values. Many run in one process, and none knows of another.

mod begin;
mod start;

use std::io;
use std::sync::Arc;

use thiserror::Error;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::spawn_blocking;

pub use start::{Start, SwitchError};

use super::drivers::{Context, HostDrivers};
use super::event_loop::{Ended, run};
use super::host::Host;
use super::house::House;
use super::pictures;
use super::renaming::rename_profile;
use super::surface::{Source, Surface};
use super::tasks::{Tasks, said};
use crate::settings::Target;
use crate::studio::event::Event;
use crate::studio::twin::Deeds;
use crate::studio::{Left, Model, SwitchTo, left};
use crate::terminal::Capability;
use crate::terminal::panics::{Listening, listen};

/// Internal errors are written down in a file of this name in the state folder.
pub const INTERNAL_ERRORS: &str = "internal-errors.log";

/// Why a sitting ended otherwise than by the person's wish.
#[derive(Debug, Error)]
pub enum SittingError {
    /// The terminal can't be shown on any more.
    #[error(transparent)]
    Terminal(#[from] io::Error),
    /// Uploads could not be handed over to the background; they stay in their queue.
    #[error("{0}")]
    Uploads(String),
    /// Something panicked before the studio could be shown.
    #[error("the studio couldn't start: {0}")]
    Begin(String),
}

/// One studio, from its start to its end.
pub struct Sitting {
    /// What it shares with others.
    pub house: Arc<House>,
    /// What it may touch.
    pub host: Arc<Host>,
    /// Where it begins.
    pub start: Arc<Start>,
    /// What its terminal can show.
    pub capability: Capability,
}

/// What goes from the studio of one profile to that of the next.
struct Next {
    target: Target,
    resume: Option<Left>,
    /// Why the profile that was wanted is not the one that is shown.
    said: Option<String>,
    deeds: Deeds,
}

impl Sitting {
    /// Runs until the person leaves, or nothing more comes from them. A studio is of one profile: for another one it is
    /// made again, so that nothing of the one is left in the other. When it returns, or its future is dropped, nothing
    /// of it runs on.
    ///
    /// # Errors
    /// What [`SittingError`] lists.
    pub async fn run<S: Surface, I: Source>(self, surface: &mut S, source: &mut I) -> Result<(), SittingError> {
        let target = self.start.target.clone();
        let (start, host, of) = (Arc::clone(&self.start), Arc::clone(&self.host), target.clone());
        let resume = spawn_blocking(move || start.resume(&host, &of)).await.unwrap_or_default();
        let mut next = Next { target, resume, said: None, deeds: Deeds::default() };
        loop {
            match Box::pin(self.one_profile(next, surface, source)).await? {
                Some(other) => next = other,
                None => return Ok(()),
            }
        }
    }

    /// The studio of one profile; what comes after it.
    async fn one_profile<S: Surface, I: Source>(
        &self,
        next: Next,
        surface: &mut S,
        source: &mut I,
    ) -> Result<Option<Next>, SittingError> {
        let Next { target, resume, said, deeds } = next;
        let (host, start, capability, of) =
            (Arc::clone(&self.host), Arc::clone(&self.start), self.capability, target.clone());
        let begin = spawn_blocking(move || begin::begin(&host, &start, &of, capability)).await;
        let mut begin = begin.map_err(|error| SittingError::Begin(error.to_string()))?;
        begin.warnings.extend(said);
        (begin.resume, begin.deeds) = (resume, deeds);

        let (events, mut arriving) = unbounded_channel();
        let log = self.host.folders.state().ok().map(|folder| folder.join(INTERNAL_ERRORS));
        let _broke = self.host.is_alone.then(|| tell_internal_errors(log.as_deref(), events.clone()));
        let tasks = Tasks::new(events.clone()).with_details_in(log.as_deref());
        let (house, host) = (Arc::clone(&self.house), Arc::clone(&self.host));
        let context = Context::new(house, host, target.clone(), self.capability.depth, tasks, events);
        let mut drivers = HostDrivers::new(context);
        drivers.watch_theme(self.capability.theme());
        let mut model = Box::new(Model::new(begin));
        let ended = Box::pin(run(&mut model, surface, source, &mut drivers, &mut arriving)).await;
        drivers.keep_session(left(&model));
        // What is being sent goes on in the background, also where the person turns to another profile.
        let away = matches!(ended, Ok(Ended::HungUp | Ended::Switch(_)) | Err(_));
        let handed_over = drivers.finish(away).await;
        let said = match (handed_over, &ended) {
            (Err(why), Ok(Ended::Switch(_))) => Some(why),
            (Err(why), _) => return Err(SittingError::Uploads(why)),
            (Ok(()), _) => None,
        };
        // What is recorded in one profile goes on in the other; what was asked there is not answered any more.
        let deeds = std::mem::take(&mut model.shell.deeds);
        match ended? {
            Ended::Quit | Ended::HungUp => Ok(None),
            Ended::Rename(to) => Ok(Some(self.renamed(target, to, deeds).await)),
            Ended::Switch(to) => Ok(Some(self.switched(target, to, said, deeds).await)),
        }
    }

    /// The same profile under another name, now that no studio is open on it here; or as it was, and why.
    async fn renamed(&self, target: Target, to: String, deeds: Deeds) -> Next {
        let (host, start) = (Arc::clone(&self.host), Arc::clone(&self.start));
        let was = target.clone();
        let renamed = spawn_blocking(move || {
            let renamed = rename(&host, was.name(), &to).and_then(|()| {
                let to = SwitchTo { profile: to, store: None };
                start.target_of(&host, &to).map_err(|error| error.to_string())
            });
            let (target, said) = match renamed {
                Ok(renamed) => (renamed, None),
                Err(why) => (was.clone(), Some(format!("{} keeps its name: {why}", was.name()))),
            };
            (start.resume(&host, &target), target, said)
        });
        let (resume, target, said) =
            renamed.await.unwrap_or_else(|error| (None, target, Some(format!("Couldn't rename it: {error}"))));
        Next { target, resume, said, deeds }
    }

    /// Another profile; or the one that was open, and why.
    async fn switched(&self, target: Target, to: SwitchTo, said: Option<String>, deeds: Deeds) -> Next {
        let (host, start) = (Arc::clone(&self.host), Arc::clone(&self.start));
        let switched = spawn_blocking(move || {
            if !host.profiles && Some(&to.profile) != start.target.profile.as_ref() {
                return Err("Profiles can't be switched here.".to_owned());
            }
            let other = start.target_of(&host, &to).map_err(|error| error.line())?;
            let left = start.resume(&host, &other);
            let left = left.map(|left| match &to.store {
                Some(store) => left.in_store(store),
                None => left,
            });
            Ok((left, other))
        });
        match switched.await.unwrap_or_else(|error| Err(error.to_string())) {
            Ok((resume, target)) => Next { target, resume, said, deeds },
            Err(why) => Next { target, resume: None, said: Some(why), deeds },
        }
    }
}

/// Gives a profile another name.
fn rename(host: &Host, from: &str, to: &str) -> Result<(), String> {
    if !host.profiles {
        return Err("profiles can't be changed here".to_owned());
    }
    let store = host.credentials.as_ref().ok_or("no home folder to save it in")?;
    rename_profile(&host.folders, store, from, to).map_err(|error| error.to_string())
}

/// Tells the person that something panicked that belongs to no studio: what was asked for there will not come.
fn tell_internal_errors(log: Option<&std::path::Path>, events: UnboundedSender<Event>) -> Listening {
    let details = log.map_or_else(String::new, |log| format!(" Details are in {}.", log.display()));
    listen(move |panicked| {
        // What was caught is told by whoever caught it; a picture that can't be decoded is shown as that.
        if !panicked.is_caught && panicked.thread != pictures::THREAD {
            let _ = events.send(Event::Broke(said(panicked, &details)));
        }
    })
}
