//! What lists of problems in the studio ask for: the catalog or the library is read, and what is wrong reported page by page.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::StreamExt as _;
use jiff::Timestamp;

use super::context::Context;
use crate::api::{ListVideos, SearchProducts};
use crate::client::{Client, ClientError};
use crate::domain::{StoreUrl, Video};
use crate::lint::{Catalog, Film, Library, Limits, Problem, Record, baseline_key};
use crate::runtime::checking::films::{film, has_captions};
use crate::runtime::checking::products::{breaches, search};
use crate::runtime::checking::{Asking, baseline};
use crate::runtime::failure;
use crate::studio::event::{Event, Failure, RequestId};
use crate::studio::problems::{CheckReply, CheckRequest, FoundProblem};
use crate::studio::{products, videos};

/// Videos that are read beside each other.
const BESIDE: usize = 4;

/// Answers what the list of the catalog's problems asks.
pub(super) async fn products(asked: CheckRequest, context: Context) -> Option<CheckReply> {
    match asked {
        CheckRequest::Check { request, store } => {
            let (client, store) = (context.client()?, store?);
            let telling = Telling::new(request, &context, |reply| Event::Products(products::Event::Check(reply)));
            let telling = telling.await;
            Some(CheckReply::Ended { request, ended: check_products(client, store, telling).await })
        }
        other => Some(kept(other, context).await),
    }
}

/// Answers what the list of the videos' problems asks.
pub(super) async fn videos(asked: CheckRequest, context: Context) -> Option<CheckReply> {
    match asked {
        CheckRequest::Check { request, .. } => {
            let connection = context.connection()?;
            let asking = Asking::of(&connection);
            let telling = Telling::new(request, &context, |reply| Event::Videos(videos::Event::Check(reply)));
            let telling = telling.await;
            let ended = check_videos(connection.client.clone(), &asking, telling).await;
            Some(CheckReply::Ended { request, ended })
        }
        other => Some(kept(other, context).await),
    }
}

/// What concerns files only.
async fn kept(asked: CheckRequest, context: Context) -> CheckReply {
    match asked {
        CheckRequest::Ignore { request, key, ignored } => {
            let (host, ignoring) = (Arc::clone(&context.host), Arc::clone(&context.ignoring));
            let kept = context.tasks.block(move || ignoring.keep(&host, request, &key, ignored)).await;
            CheckReply::Ignored { request, kept: kept.unwrap_or_else(|lost| Err(lost.to_string())) }
        }
        CheckRequest::Save { request, file, keys } => {
            let (files, host) = (context.files(), Arc::clone(&context.host));
            let saved = context.tasks.block(move || {
                let all = baseline::ignored(&host).into_iter().chain(keys);
                baseline::save(&files?, &file, all)
            });
            CheckReply::Saved { request, saved: saved.await.unwrap_or_else(|lost| Err(lost.to_string())) }
        }
        CheckRequest::Check { request, .. } => CheckReply::Ended { request, ended: Ok(()) },
    }
}

/// Sends the problems that are found to the list that asked for them.
struct Telling {
    request: RequestId,
    context: Context,
    event: fn(CheckReply) -> Event,
    ignored: BTreeSet<String>,
    read: u64,
    left_out: u64,
}

impl Telling {
    async fn new(request: RequestId, context: &Context, event: fn(CheckReply) -> Event) -> Self {
        let host = Arc::clone(&context.host);
        let ignored = context.tasks.block(move || baseline::ignored(&host)).await.unwrap_or_default();
        Self { request, context: context.clone(), event, ignored, read: 0, left_out: 0 }
    }

    /// Tells of what was read; what is ignored is counted.
    fn tell(&mut self, problems: &[Problem], read: u64) {
        self.read += read;
        let is_known = |problem: &&Problem| self.ignored.contains(&baseline_key(&problem.key()));
        let (known, new): (Vec<&Problem>, Vec<&Problem>) = problems.iter().partition(is_known);
        self.left_out += u64::try_from(known.len()).unwrap_or_default();
        let found = new.into_iter().map(FoundProblem::of).collect();
        let (request, read, left_out) = (self.request, self.read, self.left_out);
        self.context.tell((self.event)(CheckReply::Found { request, found, read, left_out }));
    }
}

/// Reads the catalog once, page by page, as `cutaway lint products` does.
async fn check_products(client: Client, store: StoreUrl, mut telling: Telling) -> Result<(), Failure> {
    let mut catalog = Catalog::new(store.clone(), Limits::default(), Timestamp::now());
    let (mut search, mut followed) = (search(&store), BTreeSet::new());
    loop {
        let answer = client.call(&SearchProducts(search.clone())).await.map_err(|error| failure(&error))?;
        let next = answer.value.next().cloned();
        let tasks = telling.context.tasks.clone();
        // A page takes the rules some milliseconds: that is not done where others wait for their turn.
        let looked = tasks.block(move || {
            let mut problems = Vec::new();
            for (at, product) in answer.value.products.iter().enumerate() {
                problems.extend(catalog.product(product, &breaches(&answer.findings, at)));
            }
            (catalog, problems)
        });
        let (back, problems) = looked.await.map_err(|lost| Failure::new(lost.to_string()))?;
        catalog = back;
        let read = catalog.products().saturating_sub(telling.read);
        telling.tell(&problems, read);
        let Some(next) = next else { break };
        if !followed.insert(next.clone()) {
            return Err(Failure::new("The service keeps returning the same page; the rest can't be checked."));
        }
        search.cursor = Some(next);
    }
    let problems = whole_catalog(&telling.context, catalog).await?;
    telling.tell(&problems, 0);
    Ok(())
}

/// What only the whole catalog tells.
async fn whole_catalog(context: &Context, mut catalog: Catalog) -> Result<Vec<Problem>, Failure> {
    let ended = context.tasks.block(move || catalog.end()).await;
    ended.map_err(|lost| Failure::new(lost.to_string()))
}

/// Reads the index of every video of the library, as `cutaway lint videos` does.
async fn check_videos(client: Client, asking: &Asking, mut telling: Telling) -> Result<(), Failure> {
    let told = |error: ClientError| failure(&error);
    let all = client.call(&ListVideos).await.map_err(told)?.value.videos;
    let lists_captions = has_captions(&client, &all).await;
    let mut library = Library::new(Limits::default());
    let mut films = futures_util::stream::iter(all).map(|video| read(asking, video, lists_captions)).buffered(BESIDE);
    while let Some((video, film)) = films.next().await {
        let record = Record::Video { id: video.id.clone(), name: video.name.clone() };
        telling.tell(&library.video(&record, &film, video.video_url.as_deref()), 1);
    }
    Ok(())
}

async fn read(asking: &Asking, video: Video, lists_captions: bool) -> (Video, Film) {
    let film = film(asking, &video, lists_captions, false).await;
    (video, film)
}
