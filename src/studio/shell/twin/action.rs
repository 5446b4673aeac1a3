//! An action on its way: which effects are recorded, and what the answer makes of each.

use super::deeds::Look;
use super::line::Deed;
use super::{account, catalog, library, projects};
use crate::api::{AnyRequest, DisableWebhook, EnableWebhook};
use crate::domain::{FolderId, ProductSearch, ProjectId};
use crate::draft::{Outcome, Request};
use crate::studio::account::{Effect as OnAccount, Event as OfAccount};
use crate::studio::ground::saver::{Ask, Reply};
use crate::studio::inspector::{Effect as OnInspector, Event as OfInspector};
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::projects as on_projects;
use crate::studio::projects::Write;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::screens::Screens;
use crate::studio::steps::{Effect as OnSteps, Event as OfSteps};
use crate::studio::videos::{Effect as OnVideos, Event as OfVideos};
use crate::studio::webhooks::{Effect as OnWebhooks, Event as OfWebhooks};

/// An action on its way: what was asked for, as a command line would have it.
#[derive(Debug, Clone)]
pub(super) struct Action {
    pub(super) effect: Effect,
    /// Whether a look was meant, and not only passed by.
    pub(super) meant: bool,
    /// The project that is written to a file; none where it has edits that are not saved.
    saved: Option<ProjectId>,
}

impl Action {
    /// What is recorded once it is done; `None` where this is not.
    pub(super) fn of(effect: &Effect, screens: &Screens) -> Option<Self> {
        let mut effect = recorded(effect)?;
        say_as_typed(&mut effect, screens);
        let saved = match &effect {
            Effect::Steps(OnSteps::Export { .. }) => screens.steps.draft().filter(|draft| draft.is_saved()),
            _ => None,
        };
        let meant = match &effect {
            Effect::Products(
                OnProducts::FetchProduct { after_ms, .. } | OnProducts::FetchAnalysis { after_ms, .. },
            ) => *after_ms == 0,
            _ => false,
        };
        Some(Self { saved: saved.map(|draft| draft.project_id().clone()), effect, meant })
    }

    /// The look that it is, where it is one.
    pub(super) fn look(&self) -> Option<Look> {
        match &self.effect {
            Effect::Products(OnProducts::Search { .. }) => Some(Look::Search),
            Effect::Products(OnProducts::FetchProduct { .. }) => Some(Look::Product),
            Effect::Products(OnProducts::FetchAnalysis { .. }) => Some(Look::Analysis),
            _ => None,
        }
    }

    /// What is said of it, where this says that it was done.
    pub(super) fn done(self, event: &Event) -> Option<Deed> {
        Some(match (self.effect, event) {
            (
                Effect::Products(OnProducts::Search { search, .. }),
                Event::Products(OfProducts::PageArrived { page: Ok(_), .. }),
            ) => catalog::search(&search).done(),
            (
                Effect::Products(OnProducts::FetchProduct { store, product, .. }),
                Event::Products(OfProducts::ProductArrived { product: Ok(Some(_)), .. }),
            ) => catalog::product(&store, &product).done(),
            (
                Effect::Products(OnProducts::FetchAnalysis { store, product, timeout_ms, .. }),
                Event::Products(OfProducts::AnalysisArrived { analysis: Ok(_), .. }),
            ) => catalog::analysis(&store, &product, timeout_ms).done(),
            (
                Effect::Products(OnProducts::Export { export, .. }),
                Event::Products(OfProducts::Exported { ended: Some(Ok(file)), .. }),
            ) => catalog::export(&export, file)?.done(),
            (
                Effect::Projects(on_projects::Effect::Write { write, .. }),
                Event::Projects(on_projects::Event::Written { written, .. }),
            ) => match written {
                Ok(written) => projects::written(&write, written),
                Err(trouble) if trouble.unknown => {
                    Deed::aside("a request got no response: it may have been carried out")
                }
                Err(_) => return None,
            },
            (
                Effect::Projects(on_projects::Effect::Ask { ask, .. }) | Effect::Steps(OnSteps::Ask { ask, .. }),
                Event::Projects(on_projects::Event::Answered { reply, .. })
                | Event::Steps(OfSteps::Answered { reply, .. }),
            ) => called(&ask, reply)?,
            (
                Effect::Steps(OnSteps::Export { format, .. }),
                Event::Steps(OfSteps::Exported { exported: Ok(file), .. }),
            ) => match &self.saved {
                Some(project) => projects::export(project, file, format),
                None => Deed::aside(format!("a project was exported to {file} with unsaved edits")),
            },
            (Effect::Videos(of), Event::Videos(event)) => video_done(&of, event)?,
            (Effect::Webhooks(of), Event::Webhooks(event)) => webhook_done(&of, event)?,
            (Effect::Account(of), Event::Account(event)) => profile_done(&of, event)?,
            (Effect::Inspector(_), Event::Inspector(OfInspector::Again { sent: Ok(()), .. })) => {
                Deed::aside("a read request was sent again")
            }
            (Effect::Inspector(_), Event::Inspector(OfInspector::Saved { saved: Ok(file), .. })) => {
                Deed::aside(format!("requests and responses were saved to {file}"))
            }
            _ => return None,
        })
    }
}

/// What is kept of an effect that is an action; `None` where it is none.
fn recorded(effect: &Effect) -> Option<Effect> {
    Some(match effect {
        Effect::Products(OnProducts::Search { search, .. }) if search.cursor.is_some() => return None,
        Effect::Projects(on_projects::Effect::Ask { ask, .. }) | Effect::Steps(OnSteps::Ask { ask, .. })
            if !matches!(**ask, Ask::Call(..)) =>
        {
            return None;
        }
        // What is in the file is of no use here.
        Effect::Steps(OnSteps::Export { request, file, format, .. }) => {
            let (file, content) = (file.clone(), String::new());
            Effect::Steps(OnSteps::Export { request: *request, file, format: *format, content })
        }
        Effect::Inspector(OnInspector::SaveHar { request, file, .. }) => {
            let (file, exchanges) = (file.clone(), Vec::new());
            Effect::Inspector(OnInspector::SaveHar { request: *request, file, exchanges })
        }
        Effect::Inspector(OnInspector::WriteBundle { request, bundle, .. }) => {
            let (file, exchanges) = (bundle.file.clone(), Vec::new());
            Effect::Inspector(OnInspector::SaveHar { request: *request, file, exchanges })
        }
        Effect::Products(
            OnProducts::Search { .. }
            | OnProducts::FetchProduct { .. }
            | OnProducts::FetchAnalysis { .. }
            | OnProducts::Export { .. },
        )
        | Effect::Projects(on_projects::Effect::Write { .. } | on_projects::Effect::Ask { .. })
        | Effect::Steps(OnSteps::Ask { .. })
        | Effect::Videos(
            OnVideos::Register { .. }
            | OnVideos::AddCaptions { .. }
            | OnVideos::RemoveCaptions { .. }
            | OnVideos::Delete { .. },
        )
        | Effect::Webhooks(
            OnWebhooks::Create { .. }
            | OnWebhooks::Change { .. }
            | OnWebhooks::Rotate { .. }
            | OnWebhooks::Delete { .. }
            | OnWebhooks::Ping { .. }
            | OnWebhooks::Redeliver { .. }
            | OnWebhooks::Secret { .. }
            | OnWebhooks::Listen(_),
        )
        | Effect::Account(
            OnAccount::Save { .. }
            | OnAccount::Rename { .. }
            | OnAccount::Remove { .. }
            | OnAccount::SetDefault { .. }
            | OnAccount::SignOut { .. },
        )
        | Effect::Inspector(OnInspector::Again { .. }) => effect.clone(),
        _ => return None,
    })
}

/// Says searches and folders as a person would: with how long ago, and by name.
fn say_as_typed(effect: &mut Effect, screens: &Screens) {
    match effect {
        Effect::Products(OnProducts::Search { search, .. }) => **search = as_typed(search, screens),
        Effect::Products(OnProducts::Export { export, .. }) => {
            export.searches.iter_mut().for_each(|search| *search = as_typed(search, screens));
        }
        Effect::Projects(on_projects::Effect::Write { write, .. }) => {
            if let Write::Change(_, change) = &mut **write {
                change.folder = change.folder.take().map(|folder| by_name(folder, screens));
            }
        }
        Effect::Projects(on_projects::Effect::Ask { ask, .. }) | Effect::Steps(OnSteps::Ask { ask, .. }) => {
            if let Ask::Call(_, call, _) = &mut **ask
                && let Request::UpdateProject(update) = &mut **call
            {
                update.change.folder = update.change.folder.take().map(|folder| by_name(folder, screens));
            }
        }
        _ => {}
    }
}

fn video_done(effect: &OnVideos, event: &OfVideos) -> Option<Deed> {
    Some(match (effect, event) {
        (OnVideos::Register { address, name, .. }, OfVideos::Registered { registered: Ok(video), .. }) => {
            library::register(address, name, video)
        }
        // The file as it was found: with its folder, and its language where its name says none.
        (OnVideos::AddCaptions { video, .. }, OfVideos::CaptionsAdded { file, added: Ok(_), .. }) => {
            library::captions(video, file)
        }
        (OnVideos::RemoveCaptions { video, language, .. }, OfVideos::CaptionsRemoved { removed: Ok(()), .. }) => {
            library::remove_captions(video, language)
        }
        (OnVideos::Delete { video, .. }, OfVideos::Deleted { said: Ok(_), .. }) => library::delete(video),
        _ => return None,
    })
}

fn webhook_done(effect: &OnWebhooks, event: &OfWebhooks) -> Option<Deed> {
    Some(match (effect, event) {
        (OnWebhooks::Create { event, url, .. }, OfWebhooks::Created { created: Ok(webhook), .. }) => {
            library::subscribe(event, url, &webhook.id)
        }
        (OnWebhooks::Change { change, .. }, OfWebhooks::Changed { changed: Ok(_), .. }) => match &**change {
            AnyRequest::EnableWebhook(EnableWebhook(webhook)) => library::enable(webhook),
            AnyRequest::DisableWebhook(DisableWebhook(webhook)) => library::disable(webhook),
            _ => return None,
        },
        (OnWebhooks::Rotate { webhook, .. }, OfWebhooks::Rotated { secret: Ok(_), .. }) => library::rotate(webhook),
        (OnWebhooks::Delete { webhook, .. }, OfWebhooks::Deleted { said: Ok(()), .. }) => library::unsubscribe(webhook),
        (OnWebhooks::Listen(_), OfWebhooks::Listening { listening: Ok(_), .. }) => library::listen(),
        (OnWebhooks::Ping { webhook, .. }, OfWebhooks::Queued { queued: Ok(_), .. }) => library::ping(webhook),
        (OnWebhooks::Redeliver { webhook, delivery, .. }, OfWebhooks::Queued { queued: Ok(_), .. }) => {
            library::redeliver(webhook, delivery)
        }
        (OnWebhooks::Secret { webhook, .. }, OfWebhooks::Secret { secret: Ok(_), .. }) => library::secret(webhook),
        _ => return None,
    })
}

fn profile_done(effect: &OnAccount, event: &OfAccount) -> Option<Deed> {
    Some(match (effect, event) {
        (OnAccount::Save { name, before, profile, .. }, OfAccount::Saved { saved: Ok(_), .. }) => {
            account::save(name, before.as_deref(), profile)
        }
        (OnAccount::Rename { from, to, .. }, OfAccount::Renamed { renamed: Ok(_), .. }) => account::rename(from, to),
        (OnAccount::SignOut { name, .. }, OfAccount::SignedOut { signed_out: Ok(_), .. }) => account::sign_out(name),
        (OnAccount::Remove { name, .. }, OfAccount::Done { done: Ok(_), .. }) => account::remove(name),
        (OnAccount::SetDefault { name, .. }, OfAccount::Done { done: Ok(_), .. }) => account::set_default(name),
        _ => return None,
    })
}

/// What a call of a draft that is saved came to.
fn called(ask: &Ask, reply: &Reply) -> Option<Deed> {
    let (Ask::Call(_, call, _), Reply::Call(_, outcome)) = (ask, reply) else { return None };
    Some(match &**outcome {
        Outcome::CreatedStep(id, name) => projects::called(call, Some((id.as_str(), name.as_str()))),
        Outcome::CreatedProject(id) => projects::called(call, Some((id.as_str(), ""))),
        Outcome::Done | Outcome::Tagged(_) => projects::called(call, None),
        Outcome::Unknown(_) => Deed::aside("a request of a saved plan got no response: it may have been carried out"),
        Outcome::Gone(_) | Outcome::Refused(_) | Outcome::Invalid(_) | Outcome::Changed(_) | Outcome::Busy { .. } => {
            return None;
        }
    })
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
