//! Pictures of films: kept from before, or taken out of the video's file by ffmpeg, which a video of the library may
//! have to be fetched for. That costs the person's line, so it is done only where they asked for it.

use std::collections::HashSet;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use image::codecs::jpeg::JpegEncoder;
use tempfile::{NamedTempFile, TempPath};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::bench::Bench;
use super::cache::Cache;
use super::decode::decode;
use super::fetch::Fetcher;
use super::{SETTLE, SharedPictures, ffmpeg};
use crate::client::fingerprint;
use crate::domain::VideoId;
use crate::runtime::own_files::OwnFiles;
use crate::runtime::tasks::Tasks;
use crate::runtime::uploads::measure;
use crate::service::{HEAD, video_type};
use crate::settings::open_regular;
use crate::studio::event::Event;
use crate::studio::films::{Film, FilmFile, Still};
use crate::studio::pictures::PictureFault;
use crate::uploads::{Queue, State, UploadId};

/// More bytes of a video are not fetched for its pictures.
const MOST_FILM: u64 = 256 << 20;
/// The longer edge of a poster, pixels.
const POSTER_EDGE: u32 = 960;
/// How good a kept poster is, of 100.
const POSTER_QUALITY: u8 = 85;
/// So many posters are made at once.
const AT_ONCE: usize = 2;
/// A poster is taken from here, milliseconds, or from a tenth of the film: many begin in the dark.
const POSTER_AT: u64 = 1_000;
/// How often it is told how much of a video is here.
const TOLD_EVERY: Duration = Duration::from_millis(200);

/// Takes pictures out of films.
pub struct Films {
    program: Option<PathBuf>,
    /// Tells the videos of one library from those of another.
    workspace: String,
    posters: Cache,
    fetcher: Arc<Fetcher>,
    bench: Arc<Bench>,
    tasks: Tasks,
    /// Where a video is put that is fetched.
    scratch: Option<PathBuf>,
    making: Semaphore,
    /// Those that nobody looks at yet are made one after the other.
    ahead: Semaphore,
    seen: Mutex<HashSet<(UploadId, bool)>>,
    fetched: Mutex<Option<Fetched>>,
    over: CancellationToken,
    events: UnboundedSender<Event>,
}

/// A video that is fetched, for as long as its pictures are looked at.
struct Fetched {
    film: Arc<Film>,
    here: watch::Receiver<Option<Came>>,
    unwanted: CancellationToken,
}

type Came = Result<Arc<VideoAt<TempPath>>, PictureFault>;

impl Drop for Fetched {
    fn drop(&mut self) {
        self.unwanted.cancel();
    }
}

impl Films {
    /// With a program, where there is one, on the service at `base`, none being the one of this machine; pictures are
    /// kept below `cache`.
    pub fn new(
        program: Option<PathBuf>,
        base: Option<Url>,
        own: OwnFiles,
        cache: Option<&Path>,
        shared: &SharedPictures,
        tasks: Tasks,
        events: UnboundedSender<Event>,
    ) -> Self {
        Self {
            program,
            workspace: base.as_ref().map_or_else(|| "local".to_owned(), Url::to_string),
            posters: shared.cache(cache.map(|folder| folder.join("posters")), Cache::of_posters),
            fetcher: Arc::new(Fetcher::new(base, own, Arc::clone(&shared.large), shared.network.clone())),
            bench: Arc::clone(&shared.bench),
            tasks,
            scratch: cache.map(Path::to_owned),
            making: Semaphore::new(AT_ONCE),
            ahead: Semaphore::new(1),
            seen: Mutex::default(),
            fetched: Mutex::default(),
            over: CancellationToken::new(),
            events,
        }
    }

    /// A picture of a film.
    ///
    /// # Errors
    /// Where there is none, or it can't be had.
    pub async fn still(&self, still: &Still) -> Result<Vec<u8>, PictureFault> {
        match still.at_us {
            None => self.poster(&still.film).await,
            Some(at_us) => self.frame(&still.film, at_us).await,
        }
    }

    /// Someone looks at the pictures of a film: what its file tells is read, where that costs nobody's line.
    pub fn open(self: &Arc<Self>, film: Arc<Film>) {
        let films = Arc::clone(self);
        self.tasks.spawn(async move {
            if let (Some(program), Some(file)) = (&films.program, &film.file)
                && let Ok(video) = look(file).await
            {
                let facts = ffmpeg::facts(program, &video.path, video.kind).await;
                let _ = films.events.send(Event::FilmLearned { film, facts });
            }
        });
    }

    /// Nobody looks at one any more.
    pub fn close(&self) {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The studio ends.
    pub fn end(&self) {
        self.over.cancel();
        self.close();
    }

    /// Sees to it that what is queued has posters, also once the files are gone and the queue is cleared.
    pub fn look_at(self: &Arc<Self>, queue: &Queue) {
        if self.program.is_none() {
            return;
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for upload in queue.uploads() {
            let video = match &upload.state {
                State::Done { video, .. } => Some(VideoId::from(video.as_str())),
                _ => None,
            };
            if !seen.insert((upload.id, video.is_some())) {
                continue;
            }
            let film = Film {
                file: Some(FilmFile::from(&upload.file)),
                video,
                duration_ms: upload.file.duration_ms,
                ..Film::default()
            };
            let films = Arc::clone(self);
            self.tasks.spawn(async move {
                let made = async {
                    let _turn = films.ahead.acquire().await;
                    films.poster(&Arc::new(film)).await
                };
                if let Some(Err(fault)) = films.over.run_until_cancelled(made).await {
                    tracing::debug!(?fault, "a queued video has no poster");
                }
            });
        }
    }

    /// What a poster is kept by: the file's identity, and the video of the library.
    fn keys(&self, film: &Film) -> Vec<String> {
        let video = film.video.as_ref().map(|id| format!("video {} {}", self.workspace, id.as_str()));
        let on_disk = film.file.as_ref().and_then(|file| {
            let path = serde_json::to_string(&file.path).ok()?;
            Some(format!("file {} {:?} {path}", file.size, file.modified_ns))
        });
        video.into_iter().chain(on_disk).collect()
    }

    /// A poster that is kept under one of the keys; from then on under all of them.
    async fn kept(&self, keys: &[String]) -> Option<Vec<u8>> {
        for (at, key) in keys.iter().enumerate() {
            if let Some(mut bytes) = self.posters.get(key).await {
                for missing in keys.get(..at).unwrap_or_default() {
                    bytes = self.posters.put(missing, bytes).await;
                }
                return Some(bytes);
            }
        }
        None
    }

    async fn poster(&self, film: &Arc<Film>) -> Result<Vec<u8>, PictureFault> {
        let keys = self.keys(film);
        if let Some(kept) = self.kept(&keys).await {
            return Ok(kept);
        }
        let Some(program) = &self.program else { return Err(PictureFault::NoPoster) };
        // Not while it is scrolled past.
        tokio::time::sleep(SETTLE).await;
        let (source, duration_ms) = self.file(film).await?;
        let _permit = self.making.acquire().await.map_err(|_| PictureFault::Unreadable)?;
        // It may have been made while this waited.
        if let Some(kept) = self.kept(&keys).await {
            return Ok(kept);
        }
        let at_us = duration_ms.map_or(0, |ms| (ms / 10).min(POSTER_AT) * 1000);
        let shot = ffmpeg::shot(program, source.path(), source.kind(), at_us).await?;
        if film.address.is_some() {
            let _ = self.events.send(Event::FilmLearned { film: Arc::clone(film), facts: shot.facts });
        }
        let made = self.bench.work(move || {
            let image = decode(shot.bytes, (POSTER_EDGE, POSTER_EDGE))?;
            let mut bytes = Vec::new();
            let encoded = JpegEncoder::new_with_quality(&mut bytes, POSTER_QUALITY).encode_image(&image);
            encoded.map(|()| bytes).map_err(|_| PictureFault::Broken)
        });
        let mut bytes = made.await?;
        for key in &keys {
            bytes = self.posters.put(key, bytes).await;
        }
        Ok(bytes)
    }

    async fn frame(&self, film: &Arc<Film>, at_us: u64) -> Result<Vec<u8>, PictureFault> {
        let Some(program) = &self.program else { return Err(PictureFault::NoFfmpeg) };
        let (source, _) = self.file(film).await?;
        let shot = ffmpeg::shot(program, source.path(), source.kind(), at_us).await?;
        let _ = self.events.send(Event::FilmLearned { film: Arc::clone(film), facts: shot.facts });
        Ok(shot.bytes)
    }

    /// The file of a film, and how long it plays: the one of this machine where it still is what it was, else the
    /// video's, fetched.
    async fn file(&self, film: &Arc<Film>) -> Result<(Source, Option<u64>), PictureFault> {
        let here = match &film.file {
            Some(own) => look(own).await.map(Source::Own),
            None => Err(PictureFault::NoPoster),
        };
        match (here, &film.address) {
            (Ok(source), _) => Ok((source, film.duration_ms)),
            // Of a video in the library the file is one way to its picture among others.
            (Err(PictureFault::FileGone | PictureFault::FileChanged), None) if film.video.is_some() => {
                Err(PictureFault::NoPoster)
            }
            (Err(fault), None) => Err(fault),
            (Err(_), Some(address)) => {
                let source = Source::Fetched(self.fetched(film, address).await?);
                let duration_ms = film.duration_ms.or_else(|| duration_of(&source));
                Ok((source, duration_ms))
            }
        }
    }

    /// The video of a film, fetched once for as long as its pictures are looked at.
    async fn fetched(&self, film: &Arc<Film>, address: &Arc<str>) -> Came {
        let mut here = {
            let mut fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
            match &*fetched {
                Some(fetched) if fetched.film == *film => fetched.here.clone(),
                _ => {
                    let begun = self.fetch(film, address);
                    let here = begun.here.clone();
                    *fetched = Some(begun);
                    here
                }
            }
        };
        let came = here.wait_for(Option::is_some).await.map_err(|_| PictureFault::CutOff)?;
        came.clone().unwrap_or(Err(PictureFault::CutOff))
    }

    fn fetch(&self, film: &Arc<Film>, address: &Arc<str>) -> Fetched {
        let (done, here) = watch::channel(None);
        let unwanted = self.over.child_token();
        let fetcher = Arc::clone(&self.fetcher);
        let (token, address, scratch) = (unwanted.clone(), Arc::clone(address), self.scratch.clone());
        let (events, film) = (self.events.clone(), Arc::clone(film));
        let told = Arc::clone(&film);
        self.tasks.spawn(async move {
            let tell = move |done, of| drop(events.send(Event::FilmFetched { film: Arc::clone(&told), done, of }));
            let came = token.run_until_cancelled(download(&fetcher, &address, scratch, tell)).await;
            let _ = done.send(came.map(|came| came.map(Arc::new)));
        });
        Fetched { film, here, unwanted }
    }
}

/// The file that a picture is taken out of.
enum Source {
    Own(VideoAt<PathBuf>),
    Fetched(Arc<VideoAt<TempPath>>),
}

impl Source {
    fn path(&self) -> &Path {
        match self {
            Self::Own(video) => &video.path,
            Self::Fetched(video) => &video.path,
        }
    }

    /// Its media type by its content.
    fn kind(&self) -> &'static str {
        match self {
            Self::Own(video) => video.kind,
            Self::Fetched(video) => video.kind,
        }
    }
}

/// A video's file, with its media type by its content.
struct VideoAt<P> {
    path: P,
    kind: &'static str,
}

/// Whether a file still is what it was, and a video.
async fn look(file: &FilmFile) -> Result<VideoAt<PathBuf>, PictureFault> {
    let file = file.clone();
    let looked = tokio::task::spawn_blocking(move || {
        let path = file.path.0;
        let about = fs::metadata(&path).map_err(|_| PictureFault::FileGone)?;
        let now = about.is_file().then(|| fingerprint(&about));
        let same = now.is_some_and(|now| (now.size, now.modified_ns) == (file.size, file.modified_ns));
        if !same {
            return Err(PictureFault::FileChanged);
        }
        kind(&path).map(|kind| VideoAt { path, kind })
    });
    looked.await.unwrap_or(Err(PictureFault::Unreadable))
}

/// The media type of a video's file.
fn kind(path: &Path) -> Result<&'static str, PictureFault> {
    let mut head = Vec::new();
    let file = open_regular(path).map_err(|_| PictureFault::FileGone)?;
    file.take(HEAD as u64).read_to_end(&mut head).map_err(|_| PictureFault::Unreadable)?;
    video_type(&head).ok_or(PictureFault::NotAVideo)
}

fn duration_of(source: &Source) -> Option<u64> {
    measure(open_regular(source.path()).ok()?, source.kind()).duration_ms
}

/// Fetches a video into a file that goes when nobody needs it any more.
async fn download(
    fetcher: &Fetcher,
    address: &str,
    scratch: Option<PathBuf>,
    tell: impl Fn(u64, Option<u64>),
) -> Result<VideoAt<TempPath>, PictureFault> {
    let not_kept = |error: std::io::Error| PictureFault::NotKept(error.to_string());
    let answer = fetcher.film(address).await?;
    let of = answer.content_length();
    if of.is_some_and(|of| of > MOST_FILM) {
        return Err(PictureFault::TooLongToFetch(MOST_FILM));
    }
    let made = tokio::task::spawn_blocking(move || match scratch {
        Some(folder) => fs::create_dir_all(&folder).and_then(|()| NamedTempFile::new_in(folder)),
        None => NamedTempFile::new(),
    });
    let (file, path) = made.await.map_err(|_| PictureFault::CutOff)?.map_err(not_kept)?.into_parts();
    let mut file = Some(file);
    let (mut done, mut told) = (0u64, Instant::now());
    tell(0, of);
    let mut body = answer.bytes_stream();
    while let Some(chunk) = body.next().await {
        let chunk =
            chunk.map_err(|error| if error.is_timeout() { PictureFault::Slow } else { PictureFault::CutOff })?;
        done += chunk.len() as u64;
        if done > MOST_FILM {
            return Err(PictureFault::TooLongToFetch(MOST_FILM));
        }
        let Some(mut into) = file.take() else { return Err(PictureFault::CutOff) };
        let written = tokio::task::spawn_blocking(move || into.write_all(&chunk).map(|()| into));
        file = Some(written.await.map_err(|_| PictureFault::CutOff)?.map_err(not_kept)?);
        if told.elapsed() >= TOLD_EVERY {
            told = Instant::now();
            tell(done, of);
        }
    }
    tell(done, Some(done));
    let looked = tokio::task::spawn_blocking(move || kind(&path).map(|kind| VideoAt { path, kind }));
    looked.await.unwrap_or(Err(PictureFault::Unreadable))
}
