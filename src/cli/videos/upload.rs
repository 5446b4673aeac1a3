//! `cutaway videos upload`

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use super::captions;
use super::piped::{self, Shown};
use super::playable::playable;
use super::progress::Telling;
use crate::api::UploadVideo;
use crate::cli::output::Output;
use crate::cli::table::{self, left, words};
use crate::cli::{Failure, Session, creating, streams};
use crate::client::{Client, json};
use crate::domain::text;
use crate::runtime::caption_file::{CaptionFile, ReadCaptions};
use crate::runtime::uploads::{
    Ask, Guard, Journal, Options, QueueFolder, QueueName, Seen, Stopped, Uploads, background, look,
};
use crate::uploads::{Entry, Limit, UploadId, VideoFile, bytes, read_rate};

/// Where nothing gets a byte further for this long, the rest is left in the queue. What stands still is waited for some
/// seconds more: in all it is the 75 s of any other command.
const PATIENCE: Duration = Duration::from_secs(65);

/// Upload video files and wait until they are done.
///
/// If the connection breaks, waits up to a minute for it; what isn't uploaded by then stays in the queue. Nothing is
/// uploaded twice. A file that can't be uploaded doesn't stop the others; one that not every browser plays is refused before
/// anything is sent.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway videos upload welcome.mp4
  cutaway videos upload - --name welcome.mp4 < welcome.mp4
  cutaway videos upload tour.mp4 --captions tour.de.vtt --captions en=tour.vtt
  cutaway videos upload --detach --limit-rate 2M clips/*.mp4")]
#[expect(clippy::struct_excessive_bools, reason = "flags")]
pub(super) struct Upload {
    /// The files; `-` reads one from standard input, which needs --name
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The name of the video that standard input brings
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// Queue the files and return; they are uploaded in the background
    #[arg(long)]
    detach: bool,
    /// Add captions to it once it has arrived: a WebVTT file, several with --captions again. The language is that of
    /// LANGUAGE=FILE, or of a name like tour.de.vtt; of several videos, tour.de.vtt belongs to tour.mp4
    #[arg(long, value_name = "F", conflicts_with = "detach")]
    captions: Vec<CaptionFile>,
    /// Limit the speed, in bytes per second: 500k, 2M
    #[arg(long, value_name = "R", value_parser = read_rate)]
    limit_rate: Option<Limit>,
    /// Also upload videos that not every browser plays: other than H.264, VP9 or AV1 in MP4 or WebM
    #[arg(long)]
    any_format: bool,
    /// Print the service's response as JSON; an array for several files
    #[arg(long)]
    json: bool,
    /// Print only the new IDs, one per line, for scripts
    #[arg(long, conflicts_with_all = ["json", "detach"])]
    id_only: bool,
}

impl Upload {
    /// That it may be run here: over SSH, videos come by the channel.
    ///
    /// # Errors
    /// Where a file of this machine is named.
    pub(super) fn may_run(&self) -> Result<(), Failure> {
        self.files.iter().try_for_each(|file| streams::may_use(file))?;
        if self.detach { streams::is_at_home("--detach") } else { Ok(()) }
    }

    /// The name of the video that comes by standard input; none where files are named.
    fn piped(&self) -> Result<Option<&str>, Failure> {
        let wrong = |why: &str| Err(Failure::Usage(why.to_owned()));
        let is_piped = self.files.iter().any(|file| file == Path::new(piped::INPUT));
        match (is_piped, &self.name) {
            (false, None) => Ok(None),
            (false, Some(_)) => wrong("--name needs - as the only file: other files have names"),
            (true, _) if self.files.len() > 1 => wrong("- has to be the only file"),
            (true, _) if self.detach || !self.captions.is_empty() => {
                wrong("- can't be queued and takes no captions; add them with cutaway videos captions add")
            }
            (true, Some(name)) if !name.trim().is_empty() => Ok(Some(name)),
            (true, _) => wrong("a video from standard input needs a name: --name NAME"),
        }
    }

    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let piped = self.piped()?;
        session.may_write::<UploadVideo>()?;
        session.has_credential()?;
        if let Some(name) = piped {
            let shown = match (self.json, self.id_only) {
                (true, _) => Shown::Json,
                (_, true) => Shown::Id,
                _ => Shown::Table,
            };
            return piped::upload(session, name, (self.limit_rate, self.any_format), shown).await;
        }
        let captions = self.captions()?;
        let mut telling = Telling::new();
        let (files, refused) = self.look(&mut telling);
        let count = files.len() + refused;
        let all_of = |sent: usize, code: u8| all_of(count, sent, code);
        if files.is_empty() {
            // None of what was named is a video: the command line is wrong, as it is with any other file.
            return all_of(0, 2);
        }
        let folder = open(session)?;
        let mut journal = Journal::open(folder.clone()).map_err(|error| not_kept(&error))?;
        let entries = self.limit_rate.filter(|_| self.detach).map(|limit| Entry::Limited { per_second: limit.0 });
        journal.append(entries.as_slice()).map_err(|error| not_kept(&error))?;
        let now = jiff::Timestamp::now().as_millisecond();
        let paths: Vec<PathBuf> = files.iter().map(|file| file.path.0.clone()).collect();
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        let ids = journal.add(files, None, now).map_err(|error| not_kept(&error))?;
        if self.detach {
            start_background(session, &folder)?;
            self.show_queued(&journal, &ids)?;
            return all_of(ids.len(), 1);
        }
        let options = Options {
            only: Some(ids.clone()),
            limit: self.limit_rate.and_then(|limit| limit.0),
            patience: Some(PATIENCE),
            guard: Guard::of(&session.target, &session.folders),
        };
        let client = match session.connect().await {
            Ok(connection) => connection.client,
            Err(failure) => {
                take_out(&mut journal, ids, now);
                return Err(failure);
            }
        };
        let uploads = Uploads::start(journal, client.clone(), options);
        let ended = wait(&uploads, &ids, &mut telling).await?;
        let seen = uploads.seen().borrow().clone();
        if ended == Ended::HungUp {
            return self.leave(uploads, session, &folder).await;
        }
        telling.end();
        tell_rest(&ended, &seen, &ids, names, &mut telling);
        // What was waited for was told; the list is for what goes on without being watched.
        uploads.ask(Ask::Note(vec![Entry::Cleared { ids: ids.clone() }]));
        uploads.stop().await;
        self.show(&seen, &ids)?;
        let videos = ids.iter().zip(&paths).filter_map(|(id, path)| Some((video_of(&seen, *id)?, path)));
        let without = self.add_captions(&client, &captions, videos.collect(), &mut telling).await;
        let arrived = ids.iter().filter(|id| video_of(&seen, **id).is_some()).count();
        if let Ended::Stopped(stopped) = ended {
            return all_of(arrived, stopped.code);
        }
        let code = ids.iter().find_map(|id| seen.codes.get(id).copied()).filter(|_| refused == 0);
        all_of(arrived, code.unwrap_or(1))?;
        without
    }

    /// Lets the uploads go on in the background: whoever watched them is gone.
    async fn leave(&self, uploads: Uploads, session: &Session, folder: &QueueFolder) -> Result<(), Failure> {
        if let Some(limit) = self.limit_rate {
            uploads.ask(Ask::Note(vec![Entry::Limited { per_second: limit.0 }]));
        }
        uploads.stop().await;
        start_background(session, folder)?;
        Ok(())
    }

    /// The captions that were named, read and checked before anything is sent.
    fn captions(&self) -> Result<Vec<ReadCaptions>, Failure> {
        let read = captions::read(&self.captions)?;
        for path in &self.files {
            captions::distinct(&self.of(path, &read))?;
        }
        match read.iter().find(|one| !self.files.iter().any(|path| self.is_of(one, path))) {
            None => Ok(read),
            Some(other) => {
                let captions = other.path.display();
                let why = "belongs to none of these videos by its name; upload its video by itself";
                Err(Failure::Usage(format!("{captions}: {why}")))
            }
        }
    }

    /// Whether captions are of this video: with one video they all are.
    fn is_of(&self, captions: &ReadCaptions, path: &Path) -> bool {
        self.files.len() == 1 || captions.belongs_to(path)
    }

    fn of(&self, path: &Path, captions: &[ReadCaptions]) -> Vec<ReadCaptions> {
        captions.iter().filter(|captions| self.is_of(captions, path)).cloned().collect()
    }

    /// Adds the captions to the videos that arrived.
    async fn add_captions(
        &self,
        client: &Client,
        captions: &[ReadCaptions],
        videos: Vec<(String, &PathBuf)>,
        telling: &mut Telling,
    ) -> Result<(), Failure> {
        let mut failed = Ok(());
        for (video, path) in videos {
            for captions in self.of(path, captions) {
                if let Err(failure) = captions::add(client, &video, &captions).await {
                    let file = captions.path.display();
                    telling.line(&format!(
                        "{file}: not added: {failure}; cutaway videos captions add {video} {file} tries again"
                    ));
                    failed = Err(failure);
                }
            }
        }
        failed
    }

    /// Looks at the files; those that can be uploaded, each once, and how many can't.
    fn look(&self, telling: &mut Telling) -> (Vec<VideoFile>, usize) {
        let mut files: Vec<VideoFile> = Vec::new();
        let mut refused = 0;
        for path in &self.files {
            let looked = look(path).map_err(|error| error.to_string());
            let checked =
                looked.and_then(|file| if self.any_format { Ok(file) } else { playable(path).map(|()| file) });
            match checked {
                Ok(file) => match files.iter().find_map(|known| file.same_as(known)) {
                    Some(same) => telling.line(&format!("{}: {same}", path.display())),
                    None => files.push(file),
                },
                Err(error) => {
                    refused += 1;
                    telling.line(&format!("{}: {error}", path.display()));
                }
            }
        }
        (files, refused)
    }

    fn show_queued(&self, journal: &Journal, ids: &[UploadId]) -> Result<(), Failure> {
        let uploads = ids.iter().filter_map(|id| journal.queue().get(*id));
        let mut out = Output::open();
        if self.json {
            let queued: Vec<_> = uploads.collect();
            let text = serde_json::to_string_pretty(&queued).map_err(|error| Failure::Other(error.into()))?;
            json::escape_for_terminal(&text, &mut out)?;
            out.write_all(b"\n")?;
            return Ok(out.flush()?);
        }
        let rows: Vec<Vec<String>> = uploads
            .map(|upload| vec![upload.id.to_string(), upload.file.name.clone(), bytes(upload.file.fingerprint.size)])
            .collect();
        table::write(&[left("QUEUED"), words("NAME"), left("SIZE")], &rows, out.width, &mut out)?;
        Ok(out.flush()?)
    }

    fn show(&self, seen: &Seen, ids: &[UploadId]) -> Result<(), Failure> {
        let arrived: Vec<(UploadId, String)> = ids.iter().filter_map(|id| Some((*id, video_of(seen, *id)?))).collect();
        if self.id_only {
            return arrived.iter().try_for_each(|(_, video)| creating::print_id(video));
        }
        let mut out = Output::open();
        if self.json {
            let bodies = arrived.iter().map(|(id, video)| match seen.arrived.get(id) {
                Some((_, Some(body))) => json::document(body).map(str::to_owned).unwrap_or_default(),
                _ => serde_json::json!({ "id": video }).to_string(),
            });
            let bodies: Vec<String> = bodies.collect();
            let document = match (&*bodies, self.files.len()) {
                ([one], 1) => one.clone(),
                (bodies, _) => format!("[{}]", bodies.join(",")),
            };
            json::escape_for_terminal(&document, &mut out)?;
            out.write_all(b"\n")?;
            return Ok(out.flush()?);
        }
        if arrived.is_empty() {
            return Ok(());
        }
        let uploads = seen.overview.queue.uploads();
        let rows: Vec<Vec<String>> = arrived
            .into_iter()
            .map(|(id, video)| {
                let file = uploads.iter().find(|upload| upload.id == id).map(|upload| &upload.file);
                let size = file.map(|file| bytes(file.fingerprint.size)).unwrap_or_default();
                vec![video, file.map(|file| file.name.clone()).unwrap_or_default(), size]
            })
            .collect();
        table::write(&[left("ID"), words("NAME"), left("SIZE")], &rows, out.width, &mut out)?;
        Ok(out.flush()?)
    }
}

/// Whether all files were uploaded.
fn all_of(count: usize, sent: usize, code: u8) -> Result<(), Failure> {
    match count - sent {
        0 => Ok(()),
        failed => Err(Failure::Several { what: format!("{failed} of {count} files not uploaded"), code }),
    }
}

/// Takes out of the queue what can't be sent.
fn take_out(journal: &mut Journal, ids: Vec<UploadId>, now: i64) {
    let entries: Vec<Entry> = ids.iter().map(|id| Entry::Cancelled { id: *id, at_ms: now }).collect();
    let _ = journal.append(&entries).and_then(|()| journal.append(&[Entry::Cleared { ids }]));
}

/// Tells of the files that stay in the queue, and of those that somebody else took out of it meanwhile.
fn tell_rest(ended: &Ended, seen: &Seen, ids: &[UploadId], names: Vec<String>, telling: &mut Telling) {
    if let Ended::Stopped(stopped) = ended {
        telling.line(&left_over(seen, ids, stopped));
    }
    for (id, name) in ids.iter().zip(names) {
        if seen.overview.queue.get(*id).is_none() && video_of(seen, *id).is_none() {
            telling.line(&format!("{name}: it was canceled and removed from the list elsewhere"));
        }
    }
}

/// The folder of the queue of the session's workspace.
pub(super) fn open(session: &Session) -> Result<QueueFolder, Failure> {
    let name = QueueName::of(&session.target, &session.folders).map_err(|error| Failure::Usage(error.to_string()))?;
    QueueFolder::open(&session.folders, &name).map_err(|error| not_kept(&error))
}

pub(super) fn not_kept(error: &std::io::Error) -> Failure {
    Failure::Faulty(text::line(&format!("nothing was queued: couldn't use the upload queue: {error}")).into())
}

/// Starts the background part, where none is there.
pub(super) fn start_background(session: &Session, folder: &QueueFolder) -> Result<(), Failure> {
    let kept = |error: std::io::Error| {
        Failure::Faulty(format!("{error}; the queue is kept: run `cutaway videos queue` to continue"))
    };
    let binary = std::env::current_exe().map_err(kept)?;
    background::start(&session.target, folder, &binary).map(drop).map_err(kept)
}

#[derive(Debug, PartialEq, Eq)]
enum Ended {
    All,
    HungUp,
    Stopped(Stopped),
}

/// Which ones stay in the queue, why, and how they go on.
fn left_over(seen: &Seen, ids: &[UploadId], stopped: &Stopped) -> String {
    let uploads = seen.overview.queue.uploads().iter();
    let left = uploads.filter(|upload| ids.contains(&upload.id) && !upload.state.has_ended());
    let left: Vec<String> = left.map(|upload| format!("{} {}", upload.id, upload.file.name)).collect();
    let why = &stopped.why;
    format!("{why}; still in the queue: {}; cutaway videos queue continues with what is left", left.join(", "))
}

/// Waits until each of these has ended. An interrupt cancels what has not.
async fn wait(uploads: &Uploads, ids: &[UploadId], telling: &mut Telling) -> Result<Ended, Failure> {
    let (mut hangup, mut interrupt, mut end) =
        (signal(SignalKind::hangup())?, signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut seen = uploads.seen();
    loop {
        let cancelled = tokio::select! {
            changed = seen.changed() => {
                if changed.is_err() {
                    return Ok(Ended::All);
                }
                false
            }
            _ = hangup.recv() => return Ok(Ended::HungUp),
            _ = interrupt.recv() => true,
            _ = end.recv() => true,
        };
        if cancelled {
            let at_ms = jiff::Timestamp::now().as_millisecond();
            uploads.ask(Ask::Note(ids.iter().map(|id| Entry::Cancelled { id: *id, at_ms }).collect()));
        }
        let seen = seen.borrow_and_update();
        telling.tell(&seen.overview, ids);
        let is_over = |id: &UploadId| {
            // One that another process took off the list is nobody's any more.
            seen.overview.queue.get(*id).is_none_or(|upload| upload.state.has_ended())
        };
        if ids.iter().all(is_over) {
            return Ok(Ended::All);
        }
        if let Some(stopped) = &seen.stopped {
            return Ok(Ended::Stopped(stopped.clone()));
        }
    }
}

/// The video that one has become, also where it was taken off the list since.
fn video_of(seen: &Seen, id: UploadId) -> Option<String> {
    let listed = || seen.overview.queue.get(id)?.video().map(str::to_owned);
    seen.arrived.get(&id).map(|(video, _)| video.as_str().to_owned()).or_else(listed)
}
