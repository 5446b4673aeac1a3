//! The driver of the Videos screen: the library, the files of this machine, and the uploads.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;
use url::Url;

use super::checking;
use super::context::{Answer, Context, Driver, Lost};
use crate::api::{
    CreateVideo, DeleteAsset, GetCaptions, GetProject, ListProjects, ListVideos, NewVideo, RemoveCaptions,
};
use crate::client::Client;
use crate::domain::webvtt::Captions;
use crate::domain::{Video, VideoId, text};
use crate::lint::unplayable;
use crate::runtime::caption_file::CaptionFile;
use crate::runtime::checking::films::index;
use crate::runtime::failure;
use crate::runtime::host::{Files, Host};
use crate::runtime::pictures::Films;
use crate::runtime::uploads::{Ask, Guard, Journal, Options, QueueFolder, QueueName, Uploads, background, look};
use crate::settings::{MOST_SETTINGS, read_text_bounded, write_private};
use crate::studio::event::{Event, Failure, Moment, RequestId};
use crate::studio::videos::{Effect, Event as Happened, LibraryVideo, ReadCaptions, Unplayable};
use crate::studio::{FolderEntry, FolderList};
use crate::uploads::{Destination, VideoFile};

/// Projects that are read to see which videos they use, at most.
const MOST_PROJECTS: usize = 500;
/// Entries of a folder that are shown, at most.
const MOST_ENTRIES: usize = 20_000;

/// Carries out what the Videos screen asks for, and drives the uploads of the studio once it is connected.
pub struct VideosDriver {
    running: Arc<Mutex<Option<Uploads>>>,
    folder: Option<QueueFolder>,
    hand_over: bool,
    films: Arc<Films>,
}

impl VideosDriver {
    /// The driver that sees to it that queued `films` have posters.
    #[must_use]
    pub fn new(films: Arc<Films>) -> Self {
        Self { running: Arc::default(), folder: None, hand_over: false, films }
    }

    /// Asks something of the uploads.
    pub fn ask_uploads(&mut self, ask: Ask, context: &Context) {
        self.drive_uploads(context);
        if let Some(uploads) = &*self.running.lock().unwrap_or_else(PoisonError::into_inner) {
            uploads.ask(ask);
        }
    }

    /// Drives the queue of the workspace from here on, where it is not driven yet.
    fn drive_uploads(&mut self, context: &Context) {
        if self.running.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return;
        }
        let Some(client) = context.client() else { return };
        let (target, folders) = (&*context.target, &context.host.folders);
        let opened = QueueName::of(target, folders)
            .map_err(io::Error::other)
            .and_then(|name| QueueFolder::open(folders, &name))
            .and_then(|folder| Ok((folder.clone(), Journal::open(folder)?)));
        let (folder, journal) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let why = format!("Couldn't open the upload queue: {error}. Nothing can be uploaded here.");
                return context.tell(Event::NotKept(why));
            }
        };
        let guard = Guard::of(target, folders);
        let uploads = Uploads::start(journal, client, Options { guard, ..Options::default() });
        let (mut seen, events, films) = (uploads.seen(), context.events.clone(), Arc::clone(&self.films));
        context.tasks.spawn(async move {
            while seen.changed().await.is_ok() {
                let overview = seen.borrow_and_update().overview.clone();
                films.look_at(&overview.queue);
                let _ = events.send(Event::Videos(Happened::Uploads(Box::new(overview))));
            }
        });
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(uploads);
        self.folder = Some(folder);
    }

    /// Looks at a file and queues it for a step, where it is a video.
    pub fn queue_for_step(
        &mut self,
        request: RequestId,
        file: PathBuf,
        destination: Box<Destination>,
        context: &Context,
    ) {
        self.drive_uploads(context);
        let lost = Lost::of(&Effect::Upload { request, files: vec![file.clone()] }, context);
        let queued = queue(Arc::clone(&self.running), request, vec![file], Some(destination), false, context.clone());
        context.answer(Some(request), 0, lost, async { Some(queued.await) });
    }

    /// Ends the uploads from here: where they are to go on, the background part takes them. What it says is for people.
    ///
    /// # Errors
    /// Where it could not be started; the queue is kept all the same.
    pub async fn end_uploads(&mut self, hung_up: bool, context: &Context) -> Result<(), String> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(uploads) = running else { return Ok(()) };
        let under_way = uploads.seen().borrow().overview.queue.is_under_way();
        uploads.stop().await;
        let Some(binary) = context.host.background.clone() else { return Ok(()) };
        let wanted = (hung_up || self.hand_over) && under_way && context.target.read_only.is_none();
        let Some(folder) = self.folder.clone().filter(|_| wanted) else { return Ok(()) };
        let (target, host) = (Arc::clone(&context.target), Arc::clone(&context.host));
        let started = context.tasks.block(move || {
            // The profile may have become read-only since this studio was opened: then what waits stays where it is.
            let mut guard = Guard::of(&target, &host.folders);
            if guard.as_mut().is_some_and(Guard::is_read_only) {
                return Ok(false);
            }
            background::start(&target, &folder, &binary)
        });
        let started = started.await.map_err(io::Error::other).flatten();
        started.map(drop).map_err(|error| {
            format!("couldn't continue the uploads in the background ({error}); run: cutaway videos queue")
        })
    }
}

impl Driver for VideosDriver {
    type Effect = Effect;

    fn hand_over(&mut self, effect: Effect, context: &Context) -> Option<Effect> {
        self.drive_uploads(context);
        match effect {
            Effect::Note(entries) => self.ask_uploads(Ask::Note(entries), context),
            Effect::Resume(ids) => self.ask_uploads(Ask::Resume(ids), context),
            Effect::Look => self.ask_uploads(Ask::Look, context),
            Effect::HandOver => self.hand_over = true,
            effect => return Some(effect),
        }
        None
    }

    fn answer(&self, effect: Effect, context: Context) -> Answer<Effect> {
        Box::pin(answered(effect, context, Arc::clone(&self.running)))
    }
}

async fn answered(effect: Effect, context: Context, running: Arc<Mutex<Option<Uploads>>>) -> Option<Happened> {
    Some(match effect {
        Effect::List(request) => Happened::Listed { request, videos: list(&context.client()?, &context).await },
        Effect::ReadUses(request) => read_uses(context.client()?, request, context.events).await,
        Effect::AskSize { request, video, address } => {
            let (client, address) = (context.client()?, Url::parse(&address).ok()?);
            Happened::SizeTold { request, video, size: client.size_at(&address).await }
        }
        Effect::Delete { request, video } => {
            let said = delete(context.client()?, &video).await;
            Happened::Deleted { request, video, said }
        }
        Effect::Register { request, address, name } => {
            Happened::Registered { request, registered: register(context.client()?, address, name).await }
        }
        Effect::ReadCaptions { request, video, language } => {
            let read = read_captions(context.client()?, &video, &language).await;
            Happened::CaptionsRead { request, video, language, read }
        }
        Effect::AddCaptions { request, video, mut file } => {
            let added = add_captions(context.client()?, &context, &video, &mut file).await;
            Happened::CaptionsAdded { request, video, file, added }
        }
        Effect::RemoveCaptions { request, video, language } => {
            let remove = RemoveCaptions { video: video.clone(), language: language.clone() };
            let removed = context.client()?.call(&remove).await.map(drop).map_err(|error| failure(&error));
            Happened::CaptionsRemoved { request, video, language, removed }
        }
        Effect::ReadFolder { request, folder } => {
            Happened::FolderRead { request, folder: read_folder_of_files(folder, &context).await }
        }
        Effect::Check(asked) => Happened::Check(Box::pin(checking::videos(asked, context)).await?),
        Effect::Upload { request, files } => queue(running, request, files, None, false, context).await,
        Effect::UploadAnyway { request, unplayable } => {
            let Unplayable { files, destination } = *unplayable;
            let files = files.into_iter().map(|(file, _)| file).collect();
            queue(running, request, files, destination, true, context).await
        }
        Effect::Note(_) | Effect::Resume(_) | Effect::Look | Effect::HandOver => return None,
    })
}

/// Where the path of the folder is kept that files were taken from last.
fn last_folder_file(host: &Host) -> Option<PathBuf> {
    Some(host.folders.state().ok()?.join("last-folder"))
}

fn remembered_folder(host: &Host) -> Option<PathBuf> {
    let text = read_text_bounded(&last_folder_file(host)?, MOST_SETTINGS).ok()?;
    let path: crate::uploads::FilePath = serde_json::from_str(&text).ok()?;
    Some(path.0)
}

/// Reads a folder to choose files from; none is the one that files were taken from last.
pub(super) fn read_folder_of_files(
    folder: Option<PathBuf>,
    context: &Context,
) -> impl Future<Output = Result<FolderList, String>> + Send + use<> {
    let (files, host, tasks) = (context.files(), Arc::clone(&context.host), context.tasks.clone());
    async move {
        let files = files?;
        let read = tasks.block(move || {
            let remembered = remembered_folder(&host);
            let folder = folder.map(|folder| files.find_in(&folder, remembered.as_deref()));
            read_folder(&files, folder, remembered.as_deref(), host.machine.clone())
        });
        read.await.unwrap_or_else(|lost| Err(lost.to_string()))
    }
}

/// Looks at files and queues those that are videos; what came of it. Those that not every browser plays are asked about first,
/// unless `any_format` is fine.
async fn queue(
    running: Arc<Mutex<Option<Uploads>>>,
    request: RequestId,
    paths: Vec<PathBuf>,
    destination: Option<Box<Destination>>,
    any_format: bool,
    context: Context,
) -> Happened {
    let files = match context.files() {
        Ok(files) => files,
        Err(why) => {
            let (refused, repeated) = (vec![why], Vec::new());
            return Happened::Queued { request, count: 0, refused, repeated, unplayable: None };
        }
    };
    if let ([only], None) = (&*paths, &destination)
        && let folder = files.find_in(only, None)
        && tokio::fs::metadata(&folder).await.is_ok_and(|found| found.is_dir())
    {
        return Happened::IsFolder { request, folder };
    }
    let host = Arc::clone(&context.host);
    // For a step a file may be sent again: what is on its way already does not come to it.
    let waiting = if destination.is_none() { on_their_way(&running) } else { Vec::new() };
    let looked = context.tasks.block(move || {
        remember_folder(&paths, &files, &host);
        look_at(paths, &files, &waiting, any_format)
    });
    let Looked { videos, mut refused, repeated, unplayable } = looked.await.unwrap_or_default();
    let unplayable =
        (!unplayable.is_empty()).then(|| Box::new(Unplayable { files: unplayable, destination: destination.clone() }));
    let mut count = videos.len();
    if count > 0 {
        let (answer, answered) = tokio::sync::oneshot::channel();
        if let Some(uploads) = &*running.lock().unwrap_or_else(PoisonError::into_inner) {
            uploads.ask(Ask::Add(videos, destination, answer));
        }
        let added = answered.await.unwrap_or_else(|_| Err("there is no queue yet".to_owned()));
        if let Err(why) = added {
            count = 0;
            refused.push(why);
        }
    }
    Happened::Queued { request, count, refused, repeated, unplayable }
}

/// The files that are in the queue and under way.
fn on_their_way(running: &Mutex<Option<Uploads>>) -> Vec<VideoFile> {
    let running = running.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(seen) = running.as_ref().map(Uploads::seen) else { return Vec::new() };
    let seen = seen.borrow();
    let uploads = seen.overview.queue.uploads().iter();
    uploads.filter(|upload| upload.state.is_under_way()).map(|upload| upload.file.clone()).collect()
}

/// Keeps the folder of the first of these files: choosing begins there the next time. For convenience only: where it
/// can't be kept, choosing begins elsewhere.
fn remember_folder(paths: &[PathBuf], files: &Files, host: &Host) {
    if let (Some(file), Some(folder)) = (last_folder_file(host), paths.first().and_then(|path| path.parent())) {
        let path = crate::uploads::FilePath(files.find_in(folder, remembered_folder(host).as_deref()));
        let _ = serde_json::to_string(&path).map(|text| write_private(&file, &text));
    }
}

/// What files are.
#[derive(Default)]
struct Looked {
    /// Those that can be uploaded, each once.
    videos: Vec<VideoFile>,
    /// Why others can't.
    refused: Vec<String>,
    /// Those that were given before.
    repeated: Vec<String>,
    /// Those that not every browser plays, and why.
    unplayable: Vec<(PathBuf, String)>,
}

/// Looks at files; `waiting` are on their way already.
fn look_at(paths: Vec<PathBuf>, files: &Files, waiting: &[VideoFile], any_format: bool) -> Looked {
    let mut looked = Looked::default();
    for path in paths {
        let path = files.find_in(&path, None);
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let name = text::line(&name);
        let video = match look(&path) {
            Ok(video) => video,
            Err(error) => {
                looked.refused.push(format!("{name}: {error}"));
                continue;
            }
        };
        // The rule of `videos upload` and of the lint. What a file doesn't say is no reason to ask.
        let odd = || unplayable(&index(&path).ok()?);
        if let Some(why) = if any_format { None } else { odd() } {
            looked.unplayable.push((path, format!("{name}: {why} (V01)")));
            continue;
        }
        let is_waiting = |known: &VideoFile| known.is_same_file(&video) && known.fingerprint == video.fingerprint;
        if let Some(same) = looked.videos.iter().find_map(|known| video.same_as(known)) {
            looked.repeated.push(format!("{name}: {same}"));
        } else if waiting.iter().any(is_waiting) {
            looked.repeated.push(format!("{name}: already in the queue"));
        } else {
            looked.videos.push(video);
        }
    }
    looked
}

async fn list(client: &Client, context: &Context) -> Result<Vec<LibraryVideo>, Failure> {
    let answer = client.call(&ListVideos).await.map_err(|error| failure(&error))?;
    // A library may be long: it is read here, not on a worker that others wait for.
    let read = context.tasks.block(move || answer.value.videos.iter().map(library_video).collect());
    read.await.map_err(|lost| Failure::new(lost.to_string()))
}

/// A video as it is shown.
fn library_video(video: &Video) -> LibraryVideo {
    let moment = video.created_at.parse::<jiff::Timestamp>().ok();
    LibraryVideo {
        id: video.id.clone(),
        name: text::line(&video.name).into_owned(),
        created: text::line(&video.created_at).into_owned(),
        moment: moment.map(|moment| Moment(moment.as_millisecond())),
        address: video.video_url.clone(),
        poster: video.poster_url.clone(),
        size: video.size(),
        duration_ms: video.duration_ms(),
        captions: video.captions.clone().unwrap_or_default(),
    }
}

/// Reads one project after the other and reports which videos its steps have.
async fn read_uses(client: Client, request: RequestId, events: UnboundedSender<Event>) -> Happened {
    let report = |project: String, uses: Vec<(String, VideoId)>, read: usize, of: usize| {
        Event::Videos(Happened::UsesRead { request, project, uses, read, of })
    };
    let ended = |read| Happened::UsesEnded { request, read };
    let listed = match client.call(&ListProjects).await {
        Ok(listed) => listed,
        Err(error) => return ended(Err(failure(&error))),
    };
    let projects = listed.value.projects;
    let of = projects.len();
    let there = projects.iter().map(|project| project.id.clone()).collect();
    let _ = events.send(Event::Videos(Happened::ProjectsListed { request, projects: there }));
    let mut read = 0;
    for project in projects.into_iter().take(MOST_PROJECTS) {
        let Ok(answer) = client.call(&GetProject { id: project.id.clone() }).await else { continue };
        read += 1;
        let name = project.name.unwrap_or_else(|| project.id.as_str().to_owned());
        let steps = answer.value.project.steps.into_iter().flatten();
        let uses = steps.filter_map(|step| {
            let video = step.video_id.filter(|video| !video.is_empty())?;
            let name = step.name.map(|name| name.as_str().to_owned());
            let name = name.or(step.id.map(|id| id.as_str().to_owned())).unwrap_or_default();
            Some((text::line(&name).into_owned(), video))
        });
        let _ = events.send(report(text::line(&name).into_owned(), uses.collect(), read, of));
    }
    ended(Ok((read, of)))
}

async fn delete(client: Client, video: &VideoId) -> Result<String, Failure> {
    match client.call(&DeleteAsset { id: video.clone() }).await {
        Ok(answer) if answer.value.message.trim().is_empty() => Ok("Deleted the video.".to_owned()),
        Ok(answer) => Ok(answer.value.message),
        Err(error) => Err(failure(&error)),
    }
}

async fn read_captions(client: Client, video: &VideoId, language: &str) -> Result<ReadCaptions, Failure> {
    let get = GetCaptions { video: video.clone(), language: language.to_owned() };
    match client.call(&get).await {
        Err(error) => Err(failure(&error)),
        Ok(answer) => {
            let vtt = answer.value.vtt.unwrap_or_default();
            // What another service sends may be no WebVTT: then its lines are shown as they are.
            let cues = match Captions::read(&vtt) {
                Ok(read) => read.cues.into_iter().map(|cue| (cue.start_ms, cue.text)).collect(),
                Err(_) => vtt.lines().map(|line| (0, line.to_owned())).collect(),
            };
            Ok(ReadCaptions { cues, vtt })
        }
    }
}

/// Adds the captions of a file to a video: their language, and how many cues they have. The file is named then as a
/// command line would name it from anywhere.
async fn add_captions(
    client: Client,
    context: &Context,
    video: &VideoId,
    file: &mut String,
) -> Result<(String, usize), Failure> {
    let files = context.files().map_err(Failure::new)?;
    let typed = file.clone();
    let read = context.tasks.block(move || {
        let mut file: CaptionFile = typed.parse()?;
        file.path = files.find(&file.path);
        file.read()
    });
    let read = read.await.unwrap_or_else(|error| Err(error.to_string()));
    let captions = read.map_err(|why| Failure::new(text::line(&why)))?;
    *file = format!("{}={}", captions.language(), captions.path.display());
    let answer = client.call(&captions.set(video.clone(), None)).await.map_err(|error| failure(&error))?;
    let cues = answer.value.cues.whole().and_then(|cues| usize::try_from(cues).ok());
    Ok((captions.language().to_owned(), cues.unwrap_or_default()))
}

async fn register(client: Client, address: String, name: String) -> Result<VideoId, Failure> {
    let name = (!name.trim().is_empty()).then(|| name.trim().to_owned());
    let video = NewVideo { video_url: address, name, ..NewVideo::default() };
    let operation = CreateVideo { video: Some(video), ..CreateVideo::default() };
    client.call(&operation).await.map(|answer| answer.value.id).map_err(|error| failure(&error))
}

/// Whether a file is a video by its name: what it is by its content is looked at once it is chosen.
fn is_video_name(name: &str) -> bool {
    const ENDINGS: [&str; 9] = ["mp4", "m4v", "mov", "webm", "mkv", "avi", "mpg", "mpeg", "ogv"];
    let ending = Path::new(name).extension().map(|ending| ending.to_string_lossy().to_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&&*ending))
}

fn read_folder(
    files: &Files,
    folder: Option<PathBuf>,
    remembered: Option<&Path>,
    machine: Option<String>,
) -> Result<FolderList, String> {
    let folder = folder
        .or_else(|| remembered.filter(|folder| folder.is_dir()).map(Path::to_owned))
        .or_else(|| files.start().map(Path::to_owned))
        .unwrap_or_else(|| PathBuf::from("/"));
    let refused = |error: io::Error| format!("Couldn't read {}: {error}.", text::line(&folder.to_string_lossy()));
    // A file that was typed or dropped is found in its folder.
    let folder = if folder.is_file() { folder.parent().unwrap_or(&folder).to_owned() } else { folder.clone() };
    let folder = fs::canonicalize(&folder).map_err(refused)?;
    let mut entries = Vec::new();
    for entry in fs::read_dir(&folder).map_err(refused)?.flatten().take(MOST_ENTRIES) {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // Through links: what they point at is what would be sent.
        let Ok(metadata) = fs::metadata(entry.path()) else { continue };
        if !metadata.is_dir() && !metadata.is_file() {
            continue;
        }
        entries.push(FolderEntry {
            path: entry.path(),
            name: text::line(&name.to_string_lossy()).into_owned(),
            is_folder: metadata.is_dir(),
            size: metadata.len(),
        });
    }
    // What can be uploaded comes first, then where more may be.
    let place = |entry: &FolderEntry| match entry.is_folder {
        false if is_video_name(&entry.name) => 0,
        true => 1,
        false => 2,
    };
    entries.sort_by_cached_key(|entry| (place(entry), text::natural(&entry.name), entry.path.clone()));
    Ok(FolderList { above: folder.parent().map(Path::to_owned), path: folder, entries, machine })
}
