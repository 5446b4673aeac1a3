//! The driver of pictures: fetches, decodes and encodes those that are wanted, newest wish first, off the loop.

mod bench;
mod cache;
mod decode;
mod encode;
mod fetch;
mod ffmpeg;
mod films;
mod kitty;
mod large;
mod metered;
#[cfg(test)]
mod mutation_tests;
mod sixel;
mod vet;
mod vp8l;

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::own_files::OwnFiles;
use super::tasks::Tasks;
use crate::client::elsewhere::Network;
use crate::settings::{Depth, Graphics};
use crate::studio::event::Event;
use crate::studio::pictures::{Address, PictureFault, Raster, Wanted};

use bench::Bench;
pub use bench::THREAD;
use cache::Cache;
use fetch::{Fetcher, Weighed};
pub use films::Films;

/// So many pictures are on their way at once.
const AT_ONCE: usize = 6;
/// So many of one host: one that is down does not hold up the others.
const PER_HOST: usize = 4;
/// A picture is asked of the network only once it was wanted for so long: not while it is scrolled past.
const SETTLE: Duration = Duration::from_millis(60);
/// The longer edge of a picture that fills the screen, pixels.
const FULL_EDGE: u32 = 1_600;

/// What the pictures of all studios of a process share.
pub struct SharedPictures {
    /// Decoding takes memory: one at a time.
    bench: Arc<Bench>,
    /// Taken by a picture that is large: one at a time is in memory.
    large: Arc<Semaphore>,
    /// By their folders: each counts what is in it once.
    caches: Mutex<HashMap<PathBuf, Cache>>,
    /// Connections to the hosts of pictures.
    network: Network,
}

impl Default for SharedPictures {
    fn default() -> Self {
        Self {
            bench: Arc::default(),
            large: Arc::new(Semaphore::new(1)),
            caches: Mutex::default(),
            network: Network::default(),
        }
    }
}

impl SharedPictures {
    fn cache(&self, folder: Option<PathBuf>, make: impl Fn(Option<PathBuf>) -> Cache) -> Cache {
        let Some(folder) = folder else { return make(None) };
        let mut caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        caches.entry(folder.clone()).or_insert_with(|| make(Some(folder))).clone()
    }
}

/// The pictures of one studio.
pub struct Pictures {
    shared: Arc<Shared>,
    own: OwnFiles,
}

/// Where the pictures of a studio come from and go to.
pub struct Options {
    /// The program that takes pictures out of films, where there is one.
    pub ffmpeg: Option<PathBuf>,
    /// They are kept in a folder below this one, where there is one.
    pub cache: Option<PathBuf>,
    /// The service, none being the one of this machine: where it is on this machine pictures may be too.
    pub base: Option<Url>,
    /// How many colors the terminal shows.
    pub depth: Depth,
    /// What is begun.
    pub tasks: Tasks,
    /// Who is told.
    pub events: UnboundedSender<Event>,
}

struct Shared {
    queue: Mutex<Queue>,
    fetcher: Fetcher,
    cache: Cache,
    films: Arc<Films>,
    bench: Arc<Bench>,
    depth: Depth,
    tasks: Tasks,
    events: UnboundedSender<Event>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Wanted>,
    under_way: HashMap<Wanted, CancellationToken>,
    form: Option<Form>,
    workers: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Form {
    graphics: Graphics,
    cell: (u16, u16),
}

impl Pictures {
    /// Reports pictures to `events`. They are kept in a folder below `cache`, where there is one. `base` is the
    /// service: where it is on this machine pictures may be too.
    #[must_use]
    pub fn new(cache: Option<PathBuf>, base: Option<Url>, depth: Depth, events: UnboundedSender<Event>) -> Self {
        Self::with_ffmpeg(None, cache, base, depth, events)
    }

    /// The same, with the program that takes pictures out of films.
    #[must_use]
    pub fn with_ffmpeg(
        ffmpeg: Option<PathBuf>,
        cache: Option<PathBuf>,
        base: Option<Url>,
        depth: Depth,
        events: UnboundedSender<Event>,
    ) -> Self {
        let tasks = Tasks::new(events.clone());
        Self::of(Options { ffmpeg, cache, base, depth, tasks, events }, &SharedPictures::default())
    }

    /// Those of one studio among others.
    #[must_use]
    pub fn of(options: Options, among: &SharedPictures) -> Self {
        let Options { ffmpeg, cache, base, depth, tasks, events } = options;
        let own = OwnFiles::default();
        let films =
            Films::new(ffmpeg, base.clone(), own.clone(), cache.as_deref(), among, tasks.clone(), events.clone());
        let shared = Shared {
            films: Arc::new(films),
            queue: Mutex::default(),
            fetcher: Fetcher::new(base, own.clone(), Arc::clone(&among.large), among.network.clone()),
            cache: among.cache(cache.map(|folder| folder.join("pictures")), Cache::new),
            bench: Arc::clone(&among.bench),
            depth,
            tasks,
            events,
        };
        Self { shared: Arc::new(shared), own }
    }

    /// What reads pictures and videos of the local workspace, once it is told that there is one.
    #[must_use]
    pub fn own_files(&self) -> OwnFiles {
        self.own.clone()
    }

    /// The same, but a connection may take at most so long to stand, and a picture to come. To be said before any is
    /// wanted.
    #[must_use]
    pub fn with_patience(mut self, connect: Duration, patience: Duration) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.fetcher.hurry(connect, patience);
        }
        self
    }

    /// The pictures of films.
    #[must_use]
    pub fn films(&self) -> Arc<Films> {
        Arc::clone(&self.shared.films)
    }

    /// These are wanted now, the most wanted first, and no others.
    pub fn want(&self, wanted: Vec<Wanted>, graphics: Graphics, cell: (u16, u16)) {
        let form = Form { graphics, cell };
        let mut queue = self.shared.queue();
        let other_form = queue.form.replace(form) != Some(form);
        queue.under_way.retain(|picture, token| {
            let keep = !other_form && wanted.contains(picture);
            if !keep {
                token.cancel();
            }
            keep
        });
        let before = std::mem::take(&mut queue.waiting);
        let (old, new): (Vec<Wanted>, Vec<Wanted>) = wanted
            .into_iter()
            .filter(|picture| !queue.under_way.contains_key(picture))
            .partition(|picture| before.contains(picture));
        queue.waiting = new.into_iter().chain(old).collect();
        let more = queue.waiting.len().min(AT_ONCE.saturating_sub(queue.workers));
        queue.workers += more;
        drop(queue);
        for _ in 0..more {
            self.shared.tasks.spawn(work(Arc::clone(&self.shared)));
        }
    }

    /// A picture to fill the screen. Whoever wants it no longer drops this.
    ///
    /// # Errors
    /// [`PictureFault`] where it can't be fetched or decoded.
    pub fn raster(&self, address: Arc<str>) -> impl Future<Output = Result<Arc<Raster>, PictureFault>> + Send + use<> {
        let shared = Arc::clone(&self.shared);
        async move { shared.raster(&address).await }
    }
}

impl Drop for Pictures {
    fn drop(&mut self) {
        self.shared.films.end();
    }
}

impl Shared {
    fn queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next picture to be made ready; none ends the worker that asks.
    fn next(&self) -> Option<(Wanted, Form, CancellationToken)> {
        let mut queue = self.queue();
        let under_way = |host: &str| queue.under_way.keys().filter(|picture| host_of(&picture.address) == host).count();
        let next = queue.waiting.iter().position(|picture| under_way(host_of(&picture.address)) < PER_HOST);
        let next = next.and_then(|at| queue.waiting.remove(at)).zip(queue.form);
        let Some((wanted, form)) = next else {
            queue.workers -= 1;
            return None;
        };
        let token = CancellationToken::new();
        queue.under_way.insert(wanted.clone(), token.clone());
        Some((wanted, form, token))
    }

    /// A picture's bytes: kept from before, or fetched and kept.
    async fn bytes(&self, address: &Arc<str>, settle: Duration) -> Result<Weighed, PictureFault> {
        let large = self.fetcher.room_for(self.cache.length(address).await).await;
        if let Some(bytes) = self.cache.get(address).await {
            return Ok(Weighed { bytes, large });
        }
        drop(large);
        tokio::time::sleep(settle).await;
        let fetched = self.fetcher.fetch(address).await?;
        let Weighed { bytes, large } = fetched.bytes;
        decode::sniff(&bytes, fetched.called.as_deref())?;
        Ok(Weighed { bytes: self.cache.put(address, bytes).await, large })
    }

    async fn decoded<T: Send + 'static>(
        &self,
        weighed: Weighed,
        most: (u32, u32),
        then: impl FnOnce(image::RgbImage) -> Result<T, PictureFault> + Send + 'static,
    ) -> Result<T, PictureFault> {
        let work = self.bench.work(move || {
            // What is no longer wanted is decoded to its end all the same; large ones are in memory till then.
            let _held = weighed.large;
            decode::decode(weighed.bytes, most).and_then(then)
        });
        work.await
    }

    async fn raster(&self, address: &Arc<str>) -> Result<Arc<Raster>, PictureFault> {
        let bytes = self.bytes(address, Duration::ZERO).await?;
        self.decoded(bytes, (FULL_EDGE, FULL_EDGE), |image| {
            let (width, height) = image.dimensions();
            Ok(Arc::new(Raster { width, height, rgb: image.into_raw() }))
        })
        .await
    }

    async fn picture(
        &self,
        wanted: &Wanted,
        form: Form,
    ) -> Result<Arc<crate::studio::pictures::Picture>, PictureFault> {
        let bytes = match &wanted.address {
            Address::Web(address) => self.bytes(address, SETTLE).await?,
            Address::Still(still) => Weighed { bytes: self.films.still(still).await?, large: None },
        };
        let (room, depth) = (wanted.room, self.depth);
        let most = encode::pixels(room, form.cell);
        self.decoded(bytes, most, move |image| encode::encode(image, room, form.graphics, form.cell, depth))
            .await
            .map(Arc::new)
    }
}

/// The host of an address; films have none, and are one together.
fn host_of(address: &Address) -> &str {
    let Address::Web(address) = address else { return "" };
    let rest = address.split_once("://").map_or(&**address, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Makes pictures ready until none waits, but for those of hosts that others are waiting for.
async fn work(shared: Arc<Shared>) {
    while let Some((wanted, form, token)) = shared.next() {
        let picture = token.run_until_cancelled(shared.picture(&wanted, form)).await;
        let mine = {
            let mut queue = shared.queue();
            // It may have been wanted again, and be under way again, since it was cancelled.
            let mine = !token.is_cancelled();
            if mine {
                queue.under_way.remove(&wanted);
            }
            mine
        };
        if let (Some(picture), true) = (picture, mine) {
            let _ = shared.events.send(Event::PictureArrived { wanted, picture });
        }
    }
}
