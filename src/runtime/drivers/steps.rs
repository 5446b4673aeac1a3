//! The driver of the Steps screen: projects read, the library, files written, and the journals of drafts.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::context::{Answer, Context, Driver};
use super::videos::read_folder_of_files;
use crate::api::{GetFunnel, ListVideos, ProjectFunnel, SearchProducts};
use crate::client::{Client, ClientError};
use crate::domain::{ProductId, StoreUrl};
use crate::lint::{baseline_keys, is_baseline};
use crate::runtime::Failure;
use crate::runtime::checking::baseline;
use crate::runtime::host::{Access, Existing};
use crate::runtime::journals::{self, Wish};
use crate::runtime::kept_visits::{self, NoFunnel};
use crate::runtime::{failure, saving};
use crate::studio::steps::{Effect, Event as Happened, Listing, search_for};
use crate::studio::{Asks, Unanswered};

/// Carries out what the Steps screen asks for; uploads are the library's, see [`super::videos`].
#[derive(Default)]
pub struct StepsDriver {
    /// The thread that keeps the journals of drafts, once there was something for it to do.
    journals: Option<UnboundedSender<Wish>>,
}

impl StepsDriver {
    /// Wishes for something of the drafts' journals; the thread that keeps them is started by the first wish.
    ///
    /// # Errors
    /// Why nobody keeps any.
    pub fn journal(&mut self, wish: Wish, context: &Context) -> Result<(), Unanswered> {
        let journals = match &self.journals {
            Some(journals) if !journals.is_closed() => journals,
            _ => {
                let state = context.host.folders.state().map_err(|error| Unanswered::Refused(error.to_string()))?;
                let (house, events) = (&context.house, context.events.clone());
                let home = context.host.home.clone();
                let journals = journals::start(state.join("drafts"), home, house, &context.tasks, events);
                self.journals.insert(journals)
            }
        };
        journals.send(wish).map_err(|_| Unanswered::BrokenOff)
    }
}

impl Driver for StepsDriver {
    type Effect = Effect;

    fn hand_over(&mut self, effect: Effect, context: &Context) -> Option<Effect> {
        let wish = match &effect {
            Effect::Claim { project } => Wish::Claim(project.clone()),
            Effect::FindJournal { workspace, project } => Wish::Find(workspace.clone(), project.clone()),
            Effect::TakeOver { workspace, project } => Wish::TakeOver(workspace.clone(), project.clone()),
            Effect::Keep { project, records } => Wish::Keep(project.clone(), records.clone()),
            Effect::DropJournal { project } => Wish::Drop(project.clone()),
            Effect::LeaveJournal { project } => Wish::Leave(project.clone()),
            _ => return Some(effect),
        };
        if let Err(why) = self.journal(wish, context)
            && let Some(event) = effect.unanswered(&why)
        {
            context.tell(event.into());
        }
        None
    }

    fn answer(&self, effect: Effect, context: Context) -> Answer<Effect> {
        Box::pin(answered(effect, context))
    }
}

async fn answered(effect: Effect, context: Context) -> Option<Happened> {
    Some(match effect {
        Effect::Export { request, file, content, .. } => {
            Happened::Exported { request, exported: export(context, file, content).await }
        }
        Effect::ReadFolder { request, folder } => {
            Happened::FolderRead { request, folder: read_folder_of_files(folder, &context).await }
        }
        Effect::Read { request, project } => {
            let read = saving::read(&context.client()?, &project).await;
            let project = read.map(Box::new).map_err(|error| failure(&error));
            Happened::Read { request, project }
        }
        Effect::Library { request } => {
            let videos = context.client()?.call(&ListVideos).await;
            let videos = videos.map(|answer| Arc::new(answer.value.videos)).map_err(|error| failure(&error));
            Happened::Library { request, videos }
        }
        Effect::Funnel { request, project } => {
            let ask = GetFunnel { id: project, since: None, until: None };
            let client = context.client()?;
            let funnel = match client.call(&ask).await {
                // Without that number it is no funnel, and not one of no visits.
                Ok(answer) => match answer.findings.iter().find(|finding| finding.path() == "visits") {
                    Some(finding) => Err(Failure::new(format!("couldn't read the response: {finding}"))),
                    None => Ok(Arc::new(answer.value)),
                },
                Err(error) => Box::pin(counted_here(&client, &context, &ask, &error)).await,
            };
            Happened::Funnel { request, funnel }
        }
        Effect::LookUp { request, store, products } => {
            let found = find_products(&context, store.clone(), "", &products).await;
            Happened::LookedUp { request, store, products, found }
        }
        Effect::FindProducts { request, store, words, .. } => {
            Happened::ProductsFound { request, found: find_products(&context, store, &words, &[]).await }
        }
        Effect::Ask { request, ask } => {
            Happened::Answered { request, reply: Box::new(saving::ask(&context.client()?, *ask).await) }
        }
        // The keeper of the journals and the driver of the library carry these out.
        Effect::FindJournal { .. }
        | Effect::TakeOver { .. }
        | Effect::Keep { .. }
        | Effect::DropJournal { .. }
        | Effect::LeaveJournal { .. }
        | Effect::Claim { .. }
        | Effect::Upload { .. }
        | Effect::NoteUploads(_)
        | Effect::ResumeUpload(_) => return None,
    })
}

/// What a service that does not count leaves to this computer: the events that were kept of it.
async fn counted_here(
    client: &Client,
    context: &Context,
    ask: &GetFunnel,
    error: &ClientError,
) -> Result<Arc<ProjectFunnel>, Failure> {
    let state = context.host.folders.state().ok().filter(|_| matches!(error.status(), Some(404 | 405 | 501)));
    let Some(state) = state else { return Err(no_funnel(error)) };
    match kept_visits::funnel(client, state, ask).await {
        Ok((funnel, _)) => Ok(Arc::new(funnel)),
        Err(NoFunnel::Nothing | NoFunnel::Client(_)) => Err(no_funnel(error)),
        Err(failed @ NoFunnel::File(_)) => Err(Failure::new(failed.to_string())),
    }
}

/// Why there are no numbers. A service that is not ours has no such operation; the project was there a moment ago.
fn no_funnel(error: &ClientError) -> Failure {
    match error.status() {
        Some(404 | 405 | 501) => {
            Failure { missing: true, ..Failure::new("this service doesn't count what viewers do.") }
        }
        _ => failure(error),
    }
}

/// The first products that words find, or these products, as far as the store has them.
async fn find_products(
    context: &Context,
    store: StoreUrl,
    words: &str,
    products: &[ProductId],
) -> Result<Vec<Listing>, Failure> {
    let client = context.client().ok_or_else(|| Failure::new("There is no connection."))?;
    let failed = |error: ClientError| Failure { missing: error.is_unknown_store(), ..failure(&error) };
    let answer = client.call(&SearchProducts(search_for(store, words, products))).await.map_err(failed)?;
    Ok(answer.value.products.iter().map(Listing::of).collect())
}

/// Writes a file whole or not at all; what stands there already stays. What is ignored joins a baseline that is there.
async fn export(context: Context, file: String, text: String) -> Result<String, String> {
    if is_baseline(&text) {
        let files = context.files()?;
        let saved = context.tasks.block(move || baseline::save(&files, &file, baseline_keys(&text))).await;
        return saved.unwrap_or_else(|lost| Err(lost.to_string()));
    }
    let written = context.write_file(file, text.into_bytes(), Access::Usual, Existing::Refuse).await;
    written.map_err(|error| {
        if error.is_taken() {
            format!("{} already exists and was not changed.", error.shown)
        } else {
            error.to_string()
        }
    })
}
