//! The driver of the Videos screen: the library, the files of this machine, and the uploads.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use url::Url;

use super::caption_file::CaptionFile;
use super::failure;
use super::uploads::{Ask, Guard, Journal, Options, QueueFolder, QueueName, Uploads, background, look};
use super::world::{Done, Real};
use crate::api::{CreateVideo, DeleteAsset, GetCaptions, GetProject, ListProjects, ListVideos, NewVideo};
use crate::client::Client;
use crate::domain::webvtt::Captions;
use crate::domain::{VideoId, text};
use crate::settings::{MOST_SETTINGS, Target, read_text_bounded, write_private};
use crate::studio::event::{Event, Failure, Moment, RequestId};
use crate::studio::videos::{Effect, Event as Happened, LibraryVideo, ReadCaptions};
use crate::studio::{FolderEntry, FolderList};
use crate::uploads::Destination;

/// Projects that are read to see which videos they use, at most.
const MOST_PROJECTS: usize = 500;
/// Entries of a folder that are shown, at most.
const MOST_ENTRIES: usize = 20_000;

/// The uploads of a studio, once it is connected.
#[derive(Debug, Default)]
pub struct UploadsOfStudio {
    running: Arc<Mutex<Option<Uploads>>>,
    folder: Option<QueueFolder>,
    hand_over: bool,
}

impl UploadsOfStudio {
    fn ask(&self, ask: Ask) {
        if let Some(uploads) = &*self.running.lock().unwrap_or_else(PoisonError::into_inner) {
            uploads.ask(ask);
        }
    }
}

impl Real {
    /// Drives the queue of the workspace from here on, where it is not driven yet.
    fn drive_uploads(&mut self) {
        if self.uploads.running.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return;
        }
        let Some(client) = self.client() else { return };
        let opened = QueueName::of(&self.target, &self.host.folders)
            .map_err(io::Error::other)
            .and_then(|name| QueueFolder::open(&self.host.folders, &name))
            .and_then(|folder| Ok((folder.clone(), Journal::open(folder)?)));
        let (folder, journal) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let why = format!("Uploads can't be kept: {error}. Nothing can be uploaded from here.");
                let _ = self.events.send(Event::NotKept(why));
                return;
            }
        };
        let guard = Guard::of(&self.target, &self.host.folders);
        let uploads = Uploads::start(journal, client, Options { guard, ..Options::default() });
        let (mut seen, events, films) = (uploads.seen(), self.events.clone(), self.pictures.films());
        tokio::spawn(async move {
            while seen.changed().await.is_ok() {
                let overview = seen.borrow_and_update().overview.clone();
                films.look_at(&overview.queue);
                let _ = events.send(Event::Videos(Happened::Uploads(Box::new(overview))));
            }
        });
        *self.uploads.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(uploads);
        self.uploads.folder = Some(folder);
    }

    /// Does what the Videos screen asks for.
    pub(super) fn carry_out_videos(&mut self, effect: Effect) -> Done {
        self.drive_uploads();
        let lost = || Failure::new("There is no connection to the service yet.");
        let happened = Event::Videos;
        match effect {
            Effect::List(request) => {
                let gone = happened(Happened::Listed { request, videos: Err(lost()) });
                return self.ask(request, 0, |client| list(client, request), gone);
            }
            Effect::ReadUses(request) => {
                let events = self.events.clone();
                let nothing = Happened::UsesEnded { request, read: Err(lost()) };
                return self.ask(request, 0, |client| read_uses(client, request, events), happened(nothing));
            }
            Effect::AskSize { video, address } => {
                if let (Some(client), Ok(address)) = (self.client(), Url::parse(&address)) {
                    self.tell(async move {
                        let size = client.size_at(&address).await;
                        Happened::SizeTold { video, size }
                    });
                }
            }
            Effect::Delete(video) => {
                let Some(client) = self.client() else {
                    return Done::Now(happened(Happened::Deleted { video, said: Err(lost()) }));
                };
                self.tell(delete(client, video));
            }
            Effect::Register { address, name } => {
                let Some(client) = self.client() else { return Done::Now(happened(Happened::Registered(Err(lost())))) };
                self.tell(register(client, address, name));
            }
            Effect::ReadCaptions { video, language } => {
                let Some(client) = self.client() else {
                    return Done::Now(happened(Happened::CaptionsRead { video, language, read: Err(lost()) }));
                };
                self.tell(read_captions(client, video, language));
            }
            Effect::AddCaptions { video, file } => {
                let Some(client) = self.client() else {
                    return Done::Now(happened(Happened::CaptionsAdded { video, file, added: Err(lost()) }));
                };
                self.tell(add_captions(client, video, file));
            }
            Effect::ReadFolder { request, folder } => {
                let read = self.read_folder_of_files(folder);
                self.tell(async move { Happened::FolderRead { request, folder: read.await } });
            }
            Effect::Upload(files) => self.queue_files(files, None),
            Effect::Note(entries) => self.uploads.ask(Ask::Note(entries)),
            Effect::Resume(ids) => self.uploads.ask(Ask::Resume(ids)),
            Effect::Look => self.uploads.ask(Ask::Look),
            Effect::HandOver => self.uploads.hand_over = true,
        }
        Done::Started
    }

    fn tell(&self, happened: impl Future<Output = Happened> + Send + 'static) {
        let events = self.events.clone();
        tokio::spawn(async move {
            let _ = events.send(Event::Videos(happened.await));
        });
    }

    /// Asks something of the uploads.
    pub(super) fn ask_uploads(&mut self, ask: Ask) {
        self.drive_uploads();
        self.uploads.ask(ask);
    }

    /// Reads a folder to choose files from; none is the one that files were taken from last.
    pub(super) fn read_folder_of_files(
        &self,
        folder: Option<PathBuf>,
    ) -> impl Future<Output = Result<FolderList, String>> + Send + use<> {
        let (remembered, machine) = (self.remembered_folder(), self.host.machine.clone());
        async move {
            let read = tokio::task::spawn_blocking(move || {
                let folder = folder.map(|folder| resolved(&folder, remembered.as_deref()));
                read_folder(folder, remembered.as_deref(), machine)
            });
            read.await.unwrap_or_else(|error| Err(error.to_string()))
        }
    }

    /// Where the path of the folder is kept that files were taken from last.
    fn last_folder_file(&self) -> Option<PathBuf> {
        Some(self.host.folders.state().ok()?.join("last-folder"))
    }

    fn remembered_folder(&self) -> Option<PathBuf> {
        let text = read_text_bounded(&self.last_folder_file()?, MOST_SETTINGS).ok()?;
        let path: crate::uploads::FilePath = serde_json::from_str(&text).ok()?;
        Some(path.0)
    }

    /// Looks at files and queues those that are videos, for a step where one is named.
    pub(super) fn queue_files(&mut self, files: Vec<PathBuf>, destination: Option<Box<Destination>>) {
        self.drive_uploads();
        let remembered = self.remembered_folder();
        if let (Some(file), Some(folder)) = (self.last_folder_file(), files.first().and_then(|file| file.parent())) {
            let path = crate::uploads::FilePath(resolved(folder, remembered.as_deref()));
            // For convenience only: where it can't be kept, choosing begins elsewhere.
            let _ = serde_json::to_string(&path).map(|text| write_private(&file, &text));
        }
        let (running, events) = (Arc::clone(&self.uploads.running), self.events.clone());
        tokio::spawn(async move {
            if let ([only], None) = (&*files, &destination)
                && let folder = resolved(only, None)
                && tokio::fs::metadata(&folder).await.is_ok_and(|found| found.is_dir())
            {
                let _ = events.send(Event::Videos(Happened::IsFolder(folder)));
                return;
            }
            let looked = tokio::task::spawn_blocking(move || {
                let mut refused = Vec::new();
                let mut videos = Vec::new();
                for path in files {
                    let path = resolved(&path, None);
                    match look(&path) {
                        Ok(video) => videos.push(video),
                        Err(error) => {
                            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                            refused.push(format!("{}: {error}", text::line(&name)));
                        }
                    }
                }
                (videos, refused)
            });
            let (videos, mut refused) = looked.await.unwrap_or_default();
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
            let _ = events.send(Event::Videos(Happened::Queued { count, refused }));
        });
    }

    /// Ends the uploads from here: where they are to go on, the background part takes them. What it says is for people.
    ///
    /// # Errors
    /// Where it could not be started; the queue is kept all the same.
    pub async fn end_uploads(&mut self, hung_up: bool) -> Result<(), String> {
        let running = self.uploads.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(uploads) = running else { return Ok(()) };
        let under_way = uploads.seen().borrow().overview.queue.is_under_way();
        uploads.stop().await;
        // The profile may have become read-only since this studio was opened: then what waits stays where it is.
        let mut guard = Guard::of(&self.target, &self.host.folders);
        let may_write = self.target.read_only.is_none() && !guard.as_mut().is_some_and(Guard::is_read_only);
        let hand_over = (hung_up || self.uploads.hand_over) && under_way && may_write;
        let Some(folder) = self.uploads.folder.as_ref().filter(|_| hand_over) else { return Ok(()) };
        hand_over_to_background(&self.target, folder)
    }
}

fn hand_over_to_background(target: &Target, folder: &QueueFolder) -> Result<(), String> {
    let started = std::env::current_exe().and_then(|binary| background::start(target, folder, &binary));
    started.map(drop).map_err(|error| {
        format!("the uploads could not go on in the background ({error}); cutaway videos queue goes on with them")
    })
}

async fn list(client: Client, request: RequestId) -> Event {
    let videos = match client.call(&ListVideos).await {
        Ok(answer) => {
            let raw: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            let told = raw.get("videos").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let mut objects = told.iter().filter(|video| video.is_object());
            let videos = answer.value.videos.iter().map(|video| {
                let raw = objects.next().unwrap_or(&Value::Null);
                let moment = video.created_at.parse::<jiff::Timestamp>().ok();
                LibraryVideo {
                    id: video.id.clone(),
                    name: text::line(&video.name).into_owned(),
                    created: text::line(&video.created_at).into_owned(),
                    moment: moment.map(|moment| Moment(moment.as_millisecond())),
                    address: video.video_url.clone(),
                    poster: video.poster_url.clone(),
                    size: ["size", "fileSize", "videoSize", "sizeBytes"]
                        .iter()
                        .find_map(|name| raw.get(name)?.as_u64()),
                    duration_ms: video.duration_ms(),
                    captions: video.captions.clone().unwrap_or_default(),
                }
            });
            Ok(videos.collect())
        }
        Err(error) => Err(failure(&error)),
    };
    Event::Videos(Happened::Listed { request, videos })
}

/// Reads one project after the other and reports which videos its steps have.
async fn read_uses(client: Client, request: RequestId, events: UnboundedSender<Event>) -> Event {
    let report = |project: String, uses: Vec<(String, VideoId)>, read: usize, of: usize| {
        Event::Videos(Happened::UsesRead { request, project, uses, read, of })
    };
    let ended = |read| Event::Videos(Happened::UsesEnded { request, read });
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

async fn delete(client: Client, video: VideoId) -> Happened {
    let said = match client.call(&DeleteAsset { id: video.clone() }).await {
        Ok(answer) if answer.value.message.trim().is_empty() => Ok("The video is deleted.".to_owned()),
        Ok(answer) => Ok(answer.value.message),
        Err(error) => Err(failure(&error)),
    };
    Happened::Deleted { video, said }
}

async fn read_captions(client: Client, video: VideoId, language: String) -> Happened {
    let get = GetCaptions { video: video.clone(), language: language.clone() };
    let read = match client.call(&get).await {
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
    };
    Happened::CaptionsRead { video, language, read }
}

async fn add_captions(client: Client, video: VideoId, mut file: String) -> Happened {
    let typed = file.clone();
    let read = tokio::task::spawn_blocking(move || {
        let mut file: CaptionFile = typed.parse()?;
        file.path = resolved(&file.path, None);
        file.read()
    });
    let read = read.await.unwrap_or_else(|error| Err(error.to_string()));
    let added = match read {
        Err(why) => Err(Failure::new(text::line(&why))),
        Ok(captions) => {
            // As a command line would name it from anywhere.
            file = format!("{}={}", captions.language(), captions.path.display());
            match client.call(&captions.set(video.clone(), None)).await {
                Err(error) => Err(failure(&error)),
                Ok(answer) => {
                    let cues = answer.value.cues.whole().and_then(|cues| usize::try_from(cues).ok());
                    Ok((captions.language().to_owned(), cues.unwrap_or_default()))
                }
            }
        }
    };
    Happened::CaptionsAdded { video, file, added }
}

async fn register(client: Client, address: String, name: String) -> Happened {
    let name = (!name.trim().is_empty()).then(|| name.trim().to_owned());
    let video = NewVideo { video_url: address, name, ..NewVideo::default() };
    let operation = CreateVideo { video: Some(video), ..CreateVideo::default() };
    Happened::Registered(match client.call(&operation).await {
        Ok(answer) => Ok(answer.value.id),
        Err(error) => Err(failure(&error)),
    })
}

/// A path as a person means it: `~` is the home folder, what is relative begins at the folder that is shown.
fn resolved(path: &Path, shown: Option<&Path>) -> PathBuf {
    let home = || directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
    if let Ok(rest) = path.strip_prefix("~")
        && let Some(home) = home()
    {
        return home.join(rest);
    }
    let begin = shown.map(Path::to_owned).or_else(|| std::env::current_dir().ok());
    begin.map_or_else(|| path.to_owned(), |begin| begin.join(path))
}

fn read_folder(
    folder: Option<PathBuf>,
    remembered: Option<&Path>,
    machine: Option<String>,
) -> Result<FolderList, String> {
    let folder = folder
        .or_else(|| remembered.filter(|folder| folder.is_dir()).map(Path::to_owned))
        .or_else(|| std::env::current_dir().ok())
        .unwrap_or_else(|| PathBuf::from("/"));
    let refused = |error: io::Error| format!("{} can't be read: {error}.", text::line(&folder.to_string_lossy()));
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
    entries.sort_by_cached_key(|entry| (!entry.is_folder, text::fold(&entry.name), entry.path.clone()));
    Ok(FolderList { above: folder.parent().map(Path::to_owned), path: folder, entries, machine })
}
