//! The clerk: sees what is asked for and hears what came of it, and says what was done.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::action::Action;
use super::deeds::Look;
use super::line::Deed;
use super::{account, library, projects};
use crate::domain::{ApiKey, ProjectId};
use crate::draft::Outcome;
use crate::studio::account::{Effect as OnAccount, Event as OfAccount, Way};
use crate::studio::ground::saver::Reply;
use crate::studio::ground::{Answers as _, Asks as _, RequestId};
use crate::studio::products::Effect as OnProducts;
use crate::studio::projects as on_projects;
use crate::studio::projects::Stage;
use crate::studio::screens::products::Change;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::screens::Screens;
use crate::studio::steps::Effect as OnSteps;
use crate::studio::videos::{Effect as OnVideos, Event as OfVideos};
use crate::uploads::{Overview, UploadId};

/// Of so many files that were chosen to be uploaded it is known that they were chosen here.
const MOST_UPLOADING: usize = 1_000;

/// What was asked for and not answered yet.
#[derive(Debug, Clone, Default)]
pub struct Clerk {
    asked: HashMap<RequestId, Action>,
    signing_in: Option<(String, Way)>,
    /// Files that are uploaded, and the uploads that had arrived before.
    uploading: Vec<PathBuf>,
    arrived: Option<HashSet<UploadId>>,
    copy: Copy,
}

/// A duplicate under way: one command does it, unless it stopped in between. A script makes its calls one by one.
#[derive(Debug, Clone, Default)]
struct Copy {
    calls: Vec<Deed>,
    of: Option<(ProjectId, String, Option<ProjectId>)>,
    stopped: bool,
}

/// What was done, and which look it was, where the next one takes its place.
pub(super) type Heard = (Deed, Option<Look>);

impl Clerk {
    /// Sees what is asked for. Gives whether what was looked at last was meant.
    pub fn sees(&mut self, effect: &Effect, screens: &Screens) -> bool {
        match effect {
            Effect::Cancel(request) => drop(self.asked.remove(request)),
            Effect::Products(OnProducts::Remember(change)) if matches!(**change, Change::Used(..)) => {
                let is_search =
                    |action: &&mut Action| matches!(action.effect, Effect::Products(OnProducts::Search { .. }));
                self.asked.values_mut().filter(is_search).for_each(|action| action.meant = true);
                return true;
            }
            Effect::Steps(OnSteps::Upload { file, .. }) => self.uploading.push(file.clone()),
            Effect::Videos(OnVideos::Upload { files, .. }) => self.uploading.extend(files.iter().cloned()),
            Effect::Account(OnAccount::SignIn { profile, way }) => {
                let profile = profile.clone().unwrap_or_else(|| screens.account.current.clone());
                // A key is not kept here either: only that there was one.
                let way = if let Way::Key(_) = way { Way::Key(ApiKey::new("")) } else { way.clone() };
                self.signing_in = Some((profile, way));
            }
            effect => {
                if let (Some(request), Some(action)) = (effect.request(), Action::of(effect, screens)) {
                    self.asked.insert(request, action);
                }
            }
        }
        false
    }

    /// Hears what happened, before it is taken in.
    pub fn hears(&mut self, event: &Event) -> Vec<Heard> {
        let action = event.ends().and_then(|request| self.asked.remove(&request));
        match event {
            // A duplicate is one action, of many calls.
            Event::Projects(on_projects::Event::Answered { reply, .. }) => {
                self.copy.stopped |= is_unknown(reply);
                self.copy.calls.extend(action.and_then(|action| action.done(event)));
                Vec::new()
            }
            Event::Videos(OfVideos::Uploads(overview)) => self.hears_uploads(overview),
            Event::Account(OfAccount::SignedIn { .. }) => {
                let signed_in = self.signing_in.take();
                signed_in.map(|(profile, way)| (account::sign_in(&profile, &way), None)).into_iter().collect()
            }
            event => {
                let look = action.as_ref().filter(|action| !action.meant).and_then(Action::look);
                action.and_then(|action| action.done(event)).map(|deed| (deed, look)).into_iter().collect()
            }
        }
    }

    /// Which files arrived since it was heard last; only those that this studio uploads.
    fn hears_uploads(&mut self, overview: &Overview) -> Vec<Heard> {
        let uploads = overview.queue.uploads();
        // Those that were cleared don't come again, and files that were refused never arrive.
        if let Some(arrived) = &mut self.arrived {
            arrived.retain(|id| uploads.iter().any(|upload| upload.id == *id));
        }
        let excess = self.uploading.len().saturating_sub(MOST_UPLOADING);
        self.uploading.drain(..excess);
        let first = self.arrived.is_none();
        let arrived = self.arrived.get_or_insert_default();
        let mut heard = Vec::new();
        for upload in uploads {
            let Some(video) = upload.video() else { continue };
            if !arrived.insert(upload.id) || first {
                continue;
            }
            let file = &upload.file.path.0;
            let ours = self.uploading.iter().position(|path| path == file || path.file_name() == file.file_name());
            if ours.map(|at| self.uploading.swap_remove(at)).is_some() {
                heard.push((library::upload(file, video), None));
            }
        }
        heard
    }

    /// Looks at the duplicate under way, once what happened was taken in.
    pub fn looks(&mut self, screens: &Screens) -> Vec<Heard> {
        let copy = &mut self.copy;
        let calls = match &screens.projects.copying {
            Some(copying) => {
                // What the service has no more, or never had, can't be named as what was duplicated.
                let is_there = screens.projects.listed().is_none_or(|listed| {
                    listed.rows.iter().any(|row| !row.unlisted && row.project.id == *copying.source())
                });
                copy.stopped |= matches!(copying.stage, Stage::Stopped(_)) || !is_there;
                copy.of = Some((copying.source().clone(), copying.name.clone(), copying.project().cloned()));
                if copy.stopped { std::mem::take(&mut copy.calls) } else { Vec::new() }
            }
            None => match (std::mem::take(copy), screens.projects.wanted.clone()) {
                (Copy { calls, of: Some((source, name, made)), stopped: false }, wanted) if !calls.is_empty() => {
                    match made.or(wanted) {
                        Some(made) => vec![projects::duplicate(&source, &name, &made, calls)],
                        None => calls,
                    }
                }
                (Copy { calls, .. }, _) => calls,
            },
        };
        calls.into_iter().map(|deed| (deed, None)).collect()
    }
}

/// Whether it is not known whether a call was made.
fn is_unknown(reply: &Reply) -> bool {
    matches!(reply, Reply::Call(_, outcome) if matches!(**outcome, Outcome::Unknown(_)))
}
