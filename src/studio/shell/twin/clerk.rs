//! The clerk: sees what is asked for and hears what came of it, and says what was done.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::deeds::Look;
use super::line::Deed;
use super::{account, catalog, library, projects};
use crate::domain::{ApiKey, FolderId, ProductId, ProductSearch, ProjectId, StoreUrl};
use crate::draft::{Outcome, ProjectFormat, Request};
use crate::settings::Profile;
use crate::studio::account::{Effect as OnAccount, Event as OfAccount, Way};
use crate::studio::ground::RequestId;
use crate::studio::ground::saver::{Ask, Reply};
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::projects::{Stage, Write};
use crate::studio::screens::products::{Change, Export};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::screens::Screens;
use crate::studio::steps::{Effect as OnSteps, Event as OfSteps};
use crate::studio::videos::{Effect as OnVideos, Event as OfVideos};
use crate::studio::webhooks::{Effect as OnWebhooks, Event as OfWebhooks};
use crate::studio::{inspector, projects as on_projects};
use crate::uploads::{Overview, UploadId};

/// Of so many files that were chosen to be uploaded it is known that they were chosen here.
const MOST_UPLOADING: usize = 1_000;

/// What was asked for and not answered yet.
#[derive(Debug, Clone, Default)]
pub struct Clerk {
    asked: HashMap<RequestId, Asked>,
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

#[derive(Debug, Clone)]
enum Asked {
    Search {
        search: Box<ProductSearch>,
        meant: bool,
    },
    Product {
        store: StoreUrl,
        product: ProductId,
        meant: bool,
    },
    Analysis {
        store: StoreUrl,
        product: ProductId,
        timeout_ms: u32,
        meant: bool,
    },
    Export(Box<Export>),
    Write(Box<Write>),
    Call(Box<Request>),
    /// A video is registered: its address and name.
    Register(String, String),
    /// A project is written to a file; none where it has edits that are not saved.
    ProjectFile(Option<(ProjectId, ProjectFormat)>),
    /// What is said of it does not depend on what comes of it.
    Deed(Box<Deed>),
}

/// What was done, and which look it was, where the next one takes its place.
pub(super) type Heard = (Deed, Option<Look>);

impl Clerk {
    /// Sees what is asked for. Gives whether what was looked at last was meant.
    pub fn sees(&mut self, effect: &Effect, screens: &Screens) -> bool {
        match effect {
            Effect::Products(OnProducts::Search { request, search, .. }) if search.cursor.is_none() => {
                let search = Box::new(as_typed(search, screens));
                self.asked.insert(*request, Asked::Search { search, meant: false });
            }
            Effect::Products(OnProducts::FetchProduct { request, store, product, after_ms }) => {
                let (store, product) = (store.clone(), product.clone());
                self.asked.insert(*request, Asked::Product { store, product, meant: *after_ms == 0 });
            }
            Effect::Products(OnProducts::FetchAnalysis { request, store, product, timeout_ms, after_ms }) => {
                let (store, product, timeout_ms) = (store.clone(), product.clone(), *timeout_ms);
                self.asked.insert(*request, Asked::Analysis { store, product, timeout_ms, meant: *after_ms == 0 });
            }
            Effect::Products(OnProducts::Export { request, export }) => {
                let mut export = export.clone();
                export.searches.iter_mut().for_each(|search| *search = as_typed(search, screens));
                self.asked.insert(*request, Asked::Export(export));
            }
            Effect::Cancel(request) => {
                self.asked.remove(request);
            }
            Effect::Products(OnProducts::Remember(change)) if matches!(**change, Change::Used(..)) => {
                for asked in self.asked.values_mut() {
                    if let Asked::Search { meant, .. } = asked {
                        *meant = true;
                    }
                }
                return true;
            }
            Effect::Projects(on_projects::Effect::Write { request, write }) => {
                let mut write = write.clone();
                if let Write::Change(_, change) = &mut *write {
                    change.folder = change.folder.take().map(|folder| by_name(folder, screens));
                }
                self.asked.insert(*request, Asked::Write(write));
            }
            Effect::Steps(OnSteps::Ask { request, ask })
            | Effect::Projects(on_projects::Effect::Ask { request, ask }) => {
                if let Ask::Call(_, call, _) = &**ask {
                    let mut call = call.clone();
                    if let Request::UpdateProject(update) = &mut *call {
                        update.change.folder = update.change.folder.take().map(|folder| by_name(folder, screens));
                    }
                    self.asked.insert(*request, Asked::Call(call));
                }
            }
            Effect::Steps(OnSteps::Upload { file, .. }) => self.uploading.push(file.clone()),
            Effect::Steps(OnSteps::Export { request, format, .. }) => {
                let saved = screens.steps.draft().filter(|draft| draft.is_saved());
                let saved = saved.map(|draft| (draft.project_id().clone(), *format));
                self.asked.insert(*request, Asked::ProjectFile(saved));
            }
            Effect::Videos(OnVideos::Register { request, address, name }) => {
                self.asked.insert(*request, Asked::Register(address.clone(), name.clone()));
            }
            Effect::Videos(OnVideos::Upload(files)) => self.uploading.extend(files.iter().cloned()),
            Effect::Webhooks(OnWebhooks::Ping { request, webhook }) => {
                self.awaits(*request, library::ping(webhook));
            }
            Effect::Webhooks(OnWebhooks::Redeliver { request, webhook, delivery }) => {
                self.awaits(*request, library::redeliver(webhook, delivery));
            }
            Effect::Webhooks(OnWebhooks::Secret { request, webhook }) => {
                self.awaits(*request, library::secret(webhook));
            }
            Effect::Account(effect) => self.sees_account(effect, screens),
            _ => {}
        }
        false
    }

    /// Something was asked for of which this is said once it is done.
    fn awaits(&mut self, request: RequestId, deed: Deed) {
        self.asked.insert(request, Asked::Deed(Box::new(deed)));
    }

    /// What is said of what was asked for, where it was done.
    fn done(&mut self, request: RequestId, well: bool) -> Option<Deed> {
        match self.asked.remove(&request) {
            Some(Asked::Deed(deed)) => Some(*deed).filter(|_| well),
            _ => None,
        }
    }

    fn sees_account(&mut self, effect: &OnAccount, screens: &Screens) {
        match effect {
            OnAccount::Save { request, name, before, profile } => {
                let before: Option<&Profile> = before.as_deref();
                self.awaits(*request, account::save(name, before, profile));
            }
            OnAccount::Remove { request, name } => self.awaits(*request, account::remove(name)),
            OnAccount::SetDefault { request, name } => self.awaits(*request, account::set_default(name)),
            OnAccount::SignIn { profile, way } => {
                let profile = profile.clone().unwrap_or_else(|| screens.account.current.clone());
                // A key is not kept here either: only that there was one.
                let way = if let Way::Key(_) = way { Way::Key(ApiKey::new("")) } else { way.clone() };
                self.signing_in = Some((profile, way));
            }
            _ => {}
        }
    }

    /// Hears what happened, before it is taken in.
    pub fn hears(&mut self, event: &Event) -> Vec<Heard> {
        let sure = |deed: Deed| vec![(deed, None)];
        let passing = |deed, meant: bool, look| vec![(deed, Some(look).filter(|_| !meant))];
        match event {
            Event::Products(OfProducts::PageArrived { request, page }) => match (self.asked.remove(request), page) {
                (Some(Asked::Search { search, meant }), Ok(_)) => {
                    passing(catalog::search(&search).done(), meant, Look::Search)
                }
                _ => Vec::new(),
            },
            Event::Products(OfProducts::ProductArrived { request, product }) => {
                match (self.asked.remove(request), product) {
                    (Some(Asked::Product { store, product, meant }), Ok(Some(_))) => {
                        passing(catalog::product(&store, &product).done(), meant, Look::Product)
                    }
                    _ => Vec::new(),
                }
            }
            Event::Products(OfProducts::AnalysisArrived { request, analysis }) => {
                match (self.asked.remove(request), analysis) {
                    (Some(Asked::Analysis { store, product, timeout_ms, meant }), Ok(_)) => {
                        passing(catalog::analysis(&store, &product, timeout_ms).done(), meant, Look::Analysis)
                    }
                    _ => Vec::new(),
                }
            }
            Event::Products(OfProducts::Exported { request, ended: Some(ended), .. }) => {
                match (self.asked.remove(request), ended) {
                    (Some(Asked::Export(export)), Ok(file)) => {
                        catalog::export(&export, file).map(|line| (line.done(), None)).into_iter().collect()
                    }
                    _ => Vec::new(),
                }
            }
            Event::Projects(on_projects::Event::Written { request, written }) => {
                match (self.asked.remove(request), written) {
                    (Some(Asked::Write(write)), Ok(written)) => sure(projects::written(&write, written)),
                    (Some(Asked::Write(_)), Err(trouble)) if trouble.unknown => {
                        sure(Deed::aside("a request got no response: it may have been carried out"))
                    }
                    _ => Vec::new(),
                }
            }
            Event::Projects(on_projects::Event::Answered { request, reply }) => {
                self.copy.stopped |= is_unknown(reply);
                let call = self.hears_call(*request, reply);
                self.copy.calls.extend(call);
                Vec::new()
            }
            Event::Steps(event) => self.hears_steps(event),
            Event::Videos(event) => self.hears_videos(event),
            Event::Webhooks(event) => self.hears_webhooks(event),
            Event::Account(event) => self.hears_account(event),
            Event::Inspector(inspector::Event::Again(Ok(()))) => sure(Deed::aside("a read request was sent again")),
            Event::Inspector(inspector::Event::Saved(Ok(file))) => {
                sure(Deed::aside(format!("requests and responses were saved to {file}")))
            }
            _ => Vec::new(),
        }
    }

    /// What a call of a draft that is saved came to.
    fn hears_call(&mut self, request: RequestId, reply: &Reply) -> Option<Deed> {
        let (Some(Asked::Call(call)), Reply::Call(_, outcome)) = (self.asked.remove(&request), reply) else {
            return None;
        };
        match &**outcome {
            Outcome::CreatedStep(id, name) => Some(projects::called(&call, Some((id.as_str(), name.as_str())))),
            Outcome::CreatedProject(id) => Some(projects::called(&call, Some((id.as_str(), "")))),
            Outcome::Done | Outcome::Tagged(_) => Some(projects::called(&call, None)),
            Outcome::Unknown(_) => {
                Some(Deed::aside("a request of a saved plan got no response: it may have been carried out"))
            }
            Outcome::Gone(_)
            | Outcome::Refused(_)
            | Outcome::Invalid(_)
            | Outcome::Changed(_)
            | Outcome::Busy { .. } => None,
        }
    }

    fn hears_steps(&mut self, event: &OfSteps) -> Vec<Heard> {
        let deed = match event {
            OfSteps::Answered { request, reply } => self.hears_call(*request, reply),
            OfSteps::Exported { request, exported } => match (self.asked.remove(request), exported) {
                (Some(Asked::ProjectFile(Some((project, format)))), Ok(file)) => {
                    Some(projects::export(&project, file, format))
                }
                (Some(Asked::ProjectFile(None)), Ok(file)) => {
                    Some(Deed::aside(format!("a project was exported to {file} with unsaved edits")))
                }
                _ => None,
            },
            _ => None,
        };
        deed.map(|deed| (deed, None)).into_iter().collect()
    }

    fn hears_videos(&mut self, event: &OfVideos) -> Vec<Heard> {
        match event {
            OfVideos::Registered { request, registered } => match (self.asked.remove(request), registered) {
                (Some(Asked::Register(address, name)), Ok(video)) => {
                    vec![(library::register(&address, &name, video), None)]
                }
                _ => Vec::new(),
            },
            OfVideos::CaptionsAdded { video, file, added: Ok(_) } => vec![(library::captions(video, file), None)],
            OfVideos::CaptionsRemoved { video, language, removed: Ok(()) } => {
                vec![(library::remove_captions(video, language), None)]
            }
            OfVideos::Deleted { video, said: Ok(_) } => vec![(library::delete(video), None)],
            OfVideos::Uploads(overview) => self.hears_uploads(overview),
            _ => Vec::new(),
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

    fn hears_webhooks(&mut self, event: &OfWebhooks) -> Vec<Heard> {
        let deed = match event {
            OfWebhooks::Created(Ok(webhook)) => Some(library::subscribe(webhook)),
            OfWebhooks::Changed(Ok(webhook)) => Some(library::switch(webhook)),
            OfWebhooks::Rotated { webhook, secret: Ok(_) } => Some(library::rotate(webhook)),
            OfWebhooks::Deleted { webhook, said: Ok(()) } => Some(library::unsubscribe(webhook)),
            OfWebhooks::Queued { request, queued } => self.done(*request, queued.is_ok()),
            OfWebhooks::Secret { request, secret } => self.done(*request, secret.is_ok()),
            OfWebhooks::Listening(Ok(_)) => Some(library::listen()),
            _ => None,
        };
        deed.map(|deed| (deed, None)).into_iter().collect()
    }

    fn hears_account(&mut self, event: &OfAccount) -> Vec<Heard> {
        let deed = match event {
            OfAccount::Saved { request, saved } => self.done(*request, saved.is_ok()),
            OfAccount::Done { request, done } => self.done(*request, done.is_ok()),
            OfAccount::SignedIn { .. } => self.signing_in.take().map(|(profile, way)| account::sign_in(&profile, &way)),
            OfAccount::Renamed(Ok((from, to))) => Some(account::rename(from, to)),
            OfAccount::SignedOut(Ok(profile)) => Some(account::sign_out(profile)),
            _ => None,
        };
        deed.map(|deed| (deed, None)).into_iter().collect()
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

/// A search with how long ago as it was typed, so that it finds what is new whenever it is run.
fn as_typed(search: &ProductSearch, screens: &Screens) -> ProductSearch {
    let mut search = search.clone();
    if let Some(range) = search.filters.as_mut().and_then(|filters| filters.created_at.as_mut()) {
        let [from, to] = &screens.products.query.ago;
        for (end, ago) in [(&mut range.from, from), (&mut range.to, to)] {
            if let Some(ago) = ago.as_ref().filter(|ago| Some(&ago.date) == end.as_ref()) {
                *end = Some(format!("{}d", ago.days));
            }
        }
    }
    search
}

/// A folder by its name, where only one has it: so the line works where ids are others, too.
fn by_name(folder: String, screens: &Screens) -> String {
    let folders = screens.projects.list.known().map(|listed| listed.folders.as_slice()).unwrap_or_default();
    let Some(known) = folders.iter().find(|known| known.id == FolderId::from(folder.as_str())) else { return folder };
    let alone = folders.iter().filter(|other| other.name == known.name).count() == 1;
    if alone && !known.name.is_empty() { known.name.to_string() } else { folder }
}
